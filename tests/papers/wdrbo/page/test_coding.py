"""The checks of the exercises with code: plausible wrong answers are rejected."""

from __future__ import annotations

import numpy as np
import pytest
from exercises import check_of
from scipy.optimize import linprog

STEM = "ch5_wdrbo"


def slopes(upper, contexts):
    return np.abs(np.diff(upper, axis=1) / np.diff(contexts))


def in_order(upper, contexts):
    order = np.argsort(contexts)
    return upper[:, order], contexts[order]


def turned(mean, steep, flatter=None):
    """The radius at which one of the ``flatter`` decisions draws level with the one of largest mean."""
    first = int(np.argmax(mean))
    flatter = steep < steep[first] if flatter is None else flatter
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = (mean[first] - mean) / (steep[first] - steep)
    return float(np.where(flatter & np.isfinite(radii), radii, np.inf).min())


WRONG_RADII = {
    "contexts not sorted": lambda u, c, w: turned(u @ w, slopes(u, c).max(axis=1)),
    "mean slope": lambda u, c, w: turned(u @ w, slopes(*in_order(u, c)).mean(axis=1)),
    "range in place of the slope": lambda u, c, w: turned(u @ w, np.ptp(u, axis=1)),
    "plain mean": lambda u, c, w: turned(u.mean(axis=1), slopes(*in_order(u, c)).max(axis=1)),
    "steeper decisions too": lambda u, c, w: turned(u @ w, slopes(*in_order(u, c)).max(axis=1), np.ones(len(u), bool)),
    "twice the radius": lambda u, c, w: 2 * turned(u @ w, slopes(*in_order(u, c)).max(axis=1)),
    "never": lambda u, c, w: np.inf,
}


def transported(values, contexts, weights, radius, power=1):
    size = len(values)
    way = np.abs(contexts[:, None] - contexts).ravel() ** power
    leaves = np.kron(np.eye(size), np.ones(size))
    return linprog(np.tile(values, size), way[None, :], [radius], leaves, weights).fun


WRONG_WORST = {
    "mean": lambda v, c, w, r: float(w @ v),
    "smallest value": lambda v, c, w, r: float(v.min()),
    "penalty": lambda v, c, w, r: float(w @ v - r * slopes(v[None, :], c).max()),
    "squared ways": lambda v, c, w, r: transported(v, c, w, r, power=2),
    "half of the radius": lambda v, c, w, r: transported(v, c, w, r / 2),
    "largest in place of smallest": lambda v, c, w, r: -transported(-v, c, w, r),
}


def moved(values, weights, share, target=None):
    left, mean = share, 0.0
    for j in np.argsort(-values):
        taken = min(left, weights[j])
        mean += (weights[j] - taken) * values[j] + taken * (values.min() if target is None else target)
        left -= taken
    return mean


def one_context(values, weights, share):
    top = int(np.argmax(np.where(weights > 0, values, -np.inf)))
    return float(weights @ values - min(share, weights[top]) * (values[top] - values.min()))


WRONG_SHARES = {
    "half of the share": lambda v, w, s: moved(v, w, s / 2),
    "twice the share": lambda v, w, s: moved(v, w, 2 * s),
    "one context only": one_context,
    "told contexts only": lambda v, w, s: moved(v, w, s, v[w > 0].min()),
    "mixture with the smallest": lambda v, w, s: (1 - s) * float(w @ v) + s * float(v.min()),
    "smallest rewards first": lambda v, w, s: -moved(-v, w, s),
}


@pytest.mark.parametrize(
    ("check", "wrong"),
    [
        pytest.param(check, wrong, id=f"{check}: {name}")
        for check, listed in (
            ("check_turning", WRONG_RADII),
            ("check_worst_mean", WRONG_WORST),
            ("check_worst_by_share", WRONG_SHARES),
        )
        for name, wrong in listed.items()
    ],
)
def test_a_wrong_answer_is_rejected(check, wrong):
    with pytest.raises(AssertionError):
        check_of(STEM, check)(wrong)
