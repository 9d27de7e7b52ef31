"""The checks of the exercises with code accept right answers in any style, and no plausible mistake."""

from __future__ import annotations

import numpy as np
import pytest
from exercises import judge, tried
from scipy.optimize import linprog, minimize_scalar

STEM = "ch5_wdrbo"


def slopes(upper, contexts):
    return np.abs(np.diff(upper, axis=1) / np.diff(contexts))


def in_order(upper, contexts):
    order = np.argsort(contexts)
    return upper[:, order], contexts[order]


def turned(mean, steep, flatter=None, which=min):
    """The radius at which one of the ``flatter`` decisions draws level with the one of largest mean."""
    first = int(np.argmax(mean))
    flatter = steep < steep[first] if flatter is None else flatter
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = (mean[first] - mean) / (steep[first] - steep)
    return float(which(np.where(flatter & np.isfinite(radii), radii, np.inf)))


def turning(u, c, w, **options):
    return turned(u @ w, slopes(*in_order(u, c)).max(axis=1), **options)


def turning_pair_by_pair(upper, contexts, weights):
    steep = [
        max(abs(row[i] - row[j]) / abs(contexts[i] - contexts[j]) for i in range(len(row)) for j in range(i))
        for row in upper
    ]
    mean = [sum(p * u for p, u in zip(weights, row, strict=True)) for row in upper]
    first, least = mean.index(max(mean)), float("inf")
    for one, slope in zip(mean, steep, strict=True):
        if slope < steep[first]:
            least = min(least, (mean[first] - one) / (steep[first] - slope))
    return least


def turning_by_halving(upper, contexts, weights):
    steep, mean = slopes(*in_order(upper, contexts)).max(axis=1), upper @ weights
    first = np.argmax(mean)

    def behind(radius):
        worth = mean - radius * steep
        return np.delete(worth, first).max() >= worth[first]

    low, high = 0.0, 1e6
    if not behind(high):
        return np.inf
    while high - low > 1e-9 * max(1, high):
        middle = (low + high) / 2
        low, high = (low, middle) if behind(middle) else (middle, high)
    return high


def runner_up(upper, contexts, weights):
    steep, mean = slopes(*in_order(upper, contexts)).max(axis=1), upper @ weights
    second, first = np.argsort(mean)[-2:]
    return (mean[first] - mean[second]) / (steep[first] - steep[second]) if steep[second] < steep[first] else np.inf


def transported(values, contexts, weights, radius, power=1, way=None):
    size = len(values)
    way = np.abs(contexts[:, None] - contexts).ravel() ** power if way is None else way
    leaves = np.kron(np.eye(size), np.ones(size))
    return linprog(np.tile(values, size), way[None, :], [radius], leaves, weights).fun


def by_its_dual(values, contexts, weights, radius):
    """The best price of a unit of distance, searched by SciPy."""
    apart = abs(contexts[:, None] - contexts)
    most = max(slopes(values[None, :], contexts).ravel())
    return -minimize_scalar(
        lambda price: price * radius - weights @ (values + price * apart).min(axis=1),
        bounds=(0, most),
        method="bounded",
        options={"xatol": 1e-12},
    ).fun


def by_price(values, contexts, weights, radius):
    """The price at which just the radius is used, by halving; what is saved on the way is a mixture of two."""
    apart = abs(contexts[:, None] - contexts)

    def moved(price):
        to = (values + price * apart).argmin(axis=1)
        return weights @ values[to], weights @ abs(contexts - contexts[to])

    if moved(0)[1] <= radius:
        return moved(0)[0]
    low, high = 0.0, 1e9
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if moved(middle)[1] > radius else (low, middle)
    (least, far), (most, near) = moved(low), moved(high)
    return most + (least - most) * (radius - near) / (far - near)


def best_ratio_once(values, contexts, weights, radius):
    """Moves where most is gained per way, from every context to one place only, the best by this ratio."""
    apart = np.abs(contexts[:, None] - contexts)
    ratio = np.where(apart > 0, (values[:, None] - values) / np.where(apart > 0, apart, 1), 0)
    left, mean = radius, weights @ values
    for i in np.argsort(-ratio.max(axis=1)):
        j = ratio[i].argmax()
        if ratio[i, j] > 0:
            taken = min(left, weights[i] * apart[i, j])
            left, mean = left - taken, mean - taken * ratio[i, j]
    return mean


def moved(values, weights, share, target=None):
    left, mean = share, 0.0
    for j in np.argsort(-values):
        taken = min(left, weights[j])
        mean += (weights[j] - taken) * values[j] + taken * (values.min() if target is None else target)
        left -= taken
    return mean


def moved_at_once(values, weights, share):
    order = np.argsort(values)[::-1]
    before = np.cumsum(weights[order]) - weights[order]
    taken = np.clip(share - before, 0, weights[order])
    return weights @ values - taken @ (values[order] - values.min())


def moved_by_level(values, weights, share):
    """By a program over all pairs, in which a move costs one."""
    return transported(values, np.arange(len(values)), weights, share, way=1 - np.eye(len(values)).ravel())


def one_context(values, weights, share):
    top = int(np.argmax(np.where(weights > 0, values, -np.inf)))
    return float(weights @ values - min(share, weights[top]) * (values[top] - values.min()))


RIGHT = {
    "turning": {"at once": turning, "pair by pair": turning_pair_by_pair, "halving": turning_by_halving},
    "worst_mean": {"a program": transported, "its dual": by_its_dual, "a price": by_price},
    "worst_by_share": {"one by one": moved, "at once": moved_at_once, "a program": moved_by_level},
}
WRONG = {
    "turning": {
        "contexts not sorted": lambda u, c, w: turned(u @ w, slopes(u, c).max(axis=1)),
        "mean slope": lambda u, c, w: turned(u @ w, slopes(*in_order(u, c)).mean(axis=1)),
        "slopes from end to end": lambda u, c, w: turned(
            u @ w, abs(np.ptp(in_order(u, c)[0][:, [0, -1]], axis=1)) / np.ptp(c)
        ),
        "rising slopes only": lambda u, c, w: turned(
            u @ w, (np.diff(in_order(u, c)[0], axis=1) / np.diff(np.sort(c))).max(axis=1)
        ),
        "differences for slopes": lambda u, c, w: turned(u @ w, abs(np.diff(in_order(u, c)[0], axis=1)).max(axis=1)),
        "range in place of the slope": lambda u, c, w: turned(u @ w, np.ptp(u, axis=1)),
        "plain mean": lambda u, c, w: turned(u.mean(axis=1), slopes(*in_order(u, c)).max(axis=1)),
        "the largest bound": lambda u, c, w: turned(u.max(axis=1), slopes(*in_order(u, c)).max(axis=1)),
        "steeper decisions too": lambda u, c, w: turning(u, c, w, flatter=np.ones(len(u), bool)),
        "steeper decisions only": lambda u, c, w: turned(-(u @ w), -slopes(*in_order(u, c)).max(axis=1)),
        "the largest radius": lambda u, c, w: turning(
            u, c, w, which=lambda radii: max(radii[np.isfinite(radii)], default=np.inf)
        ),
        "the runner-up only": runner_up,
        "the flattest only": lambda u, c, w: turning(
            u, c, w, flatter=np.arange(len(u)) == slopes(*in_order(u, c)).max(axis=1).argmin()
        ),
        "twice the radius": lambda *given: 2 * turning(*given),
        "at most one": lambda *given: min(turning(*given), 1.0),
        "never beyond a tenth": lambda *given: turning(*given) if turning(*given) < 0.1 else np.inf,
        "on a grid": lambda *given: np.ceil(1000 * turning(*given)) / 1000,
        "minus one for never": lambda *given: turning(*given) if np.isfinite(turning(*given)) else -1.0,
        "never": lambda u, c, w: np.inf,
        "the radius of the text": lambda u, c, w: 0.12,
    },
    "worst_mean": {
        "mean": lambda v, c, w, r: float(w @ v),
        "smallest value": lambda v, c, w, r: float(v.min()),
        "penalty": lambda v, c, w, r: float(w @ v - r * slopes(v[None, :], c).max()),
        "penalty, cut": lambda v, c, w, r: max(v.min(), float(w @ v - r * slopes(v[None, :], c).max())),
        "squared ways": lambda v, c, w, r: transported(v, c, w, r, power=2),
        "roots of ways": lambda v, c, w, r: transported(v, c, w, r, power=0.5),
        "ways of numbers": lambda v, c, w, r: transported(v, np.arange(len(v)) / len(v), w, r),
        "half of the radius": lambda v, c, w, r: transported(v, c, w, r / 2),
        "twice the radius": lambda v, c, w, r: transported(v, c, w, 2 * r),
        "the radius of the text": lambda v, c, w, r: transported(v, c, w, 0.12),
        "mass in place of ways": lambda v, c, w, r: transported(v, c, w, r, way=1 - np.eye(len(v)).ravel()),
        "equal weights": lambda v, c, w, r: transported(v, c, np.full(len(v), 1 / len(v)), r),
        "largest in place of smallest": lambda v, c, w, r: -transported(-v, c, w, r),
        "the loss": lambda v, c, w, r: w @ v - transported(v, c, w, r),
        "every context at most the radius": lambda v, c, w, r: w @ np.array([v[abs(c - one) <= r].min() for one in c]),
        "the best ratio once": best_ratio_once,
        "the distribution": lambda v, c, w, r: w,
    },
    "worst_by_share": {
        "half of the share": lambda v, w, s: moved(v, w, s / 2),
        "twice the share": lambda v, w, s: moved(v, w, 2 * s),
        "one context only": one_context,
        "told contexts only": lambda v, w, s: moved(v, w, s, v[w > 0].min()),
        "mixture with the smallest": lambda v, w, s: (1 - s) * float(w @ v) + s * float(v.min()),
        "smallest rewards first": lambda v, w, s: -moved(-v, w, s),
        "in the order given": lambda v, w, s: sum(
            (p - t) * x + t * v.min() for p, x, t in zip(w, v, np.clip(s - (np.cumsum(w) - w), 0, w), strict=True)
        ),
        "whole contexts only": lambda v, w, s: sum(
            w[j] * (v.min() if np.cumsum(w[np.argsort(-v)])[k] <= s else v[j]) for k, j in enumerate(np.argsort(-v))
        ),
        "to zero": lambda v, w, s: moved(v, w, s, 0.0),
        "to the first context": lambda v, w, s: moved(v, w, s, v[0]),
        "only taken away": lambda v, w, s: moved(v, w, s) - s * v.min(),
        "divided again": lambda v, w, s: moved(v, w, s) / (1 - s),
        "smallest value": lambda v, w, s: v.min(),
        "the mean": lambda v, w, s: w @ v,
        "equal weights": lambda v, w, s: moved(v, np.full(len(v), 1 / len(v)), s),
        "the mean beyond the share": lambda v, w, s: sorted(v)[int(s * len(v))],
        "the distribution": lambda v, w, s: w,
    },
}


@pytest.mark.parametrize(("name", "function", "right"), tried(RIGHT, WRONG))
def test_a_check_tells_right_from_wrong(name, function, right):
    judge(STEM, name, function, right)
