"""The checks of the exercises with code accept right answers in any style, and no plausible mistake."""

from __future__ import annotations

import math

import numpy as np
import pytest
from exercises import judge, tried
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import erfc
from scipy.stats import norm

STEM = "ch6_side_by_side"
LINE = np.linspace(0, 1, 101)


def prior_of(scale):
    return np.exp(-((LINE[:, None] - LINE) ** 2) / (2 * scale**2))


def posterior(prior, chosen, observed, noise=0.01):
    cross = prior[chosen]
    weights = np.linalg.solve(cross[:, chosen] + noise * np.eye(len(chosen)), cross)
    return np.array(observed) @ weights, prior - cross.T @ weights


def total(mean, C, eps=0.1, *, r=None, own=False):
    r = int(np.argmax(mean)) if r is None else r
    variance = np.diag(C) + (0 if own else C[r, r] - 2 * C[r])
    better = norm.cdf((mean - mean[r] - eps) / np.sqrt(np.maximum(variance, 1e-12)))
    return better.sum() - better[r]


def deciding(
    *, long=3.0, short=1.0, eps=0.1, delta=0.1, noise=0.01, scale=0.12, rule=total, power=0.5, first=0, swap=False
):
    def decide(chosen, observed, pays):
        mean, C = posterior(prior_of(scale), chosen, observed, noise)
        sd = np.maximum(np.diag(C), 1e-12) ** power
        if pays == "plays":
            return ("play", int(np.argmax(mean + short * sd)) + first)
        if (rule(mean, C, eps) <= delta) != swap:
            return ("stop", int(np.argmax(mean)) + first)
        return ("play", int(np.argmax(mean + long * sd)) + first)

    return decide


def decide_by_factors(chosen, observed, pays):
    """Cholesky, the complementary error function, a list with one of NumPy's integers."""
    prior = prior_of(0.12)
    noisy = cho_factor(prior[np.ix_(chosen, chosen)] + 0.01 * np.eye(len(chosen)))
    mean = prior[:, chosen] @ cho_solve(noisy, np.array(observed))
    C = prior - prior[:, chosen] @ cho_solve(noisy, prior[chosen])
    sd, named = np.sqrt(np.diag(C)), np.argmax(mean)
    if pays == "plays":
        return ["play", np.argmax(mean + sd)]
    odds = 0.0
    for x in range(101):
        if x != named:
            apart = math.sqrt(max(C[x, x] + C[named, named] - 2 * C[x, named], 1e-14))
            odds += 0.5 * erfc((mean[named] + 0.1 - mean[x]) / apart / 2**0.5)
    return ["stop", named] if odds <= 0.1 else ["play", np.argmax(mean + 3 * sd)]


def sampled(mean, C, eps):
    draws = np.random.default_rng(0).multivariate_normal(mean, C, size=2000, method="eigh")
    return np.mean(draws.max(axis=1) - draws[:, np.argmax(mean)] > eps)


def ends_apart(mean, C, eps):
    """Zero if no upper end exceeds the named lower one by more."""
    sd = np.sqrt(np.maximum(np.diag(C), 0))
    return float((mean + 2 * sd).max() - (mean - 2 * sd).max() > eps)


def needing(*, moments=slice(None), over=max, power=0.5, sign=abs, noise=lambda v: v, at=None):
    """The width needed at these moments; the first of all is before round one."""

    def needed(covariance, values, noise_variance, chosen, observed):
        found = []
        for t in range(len(chosen) + 1):
            known = list(chosen[:t])
            noisy = covariance[np.ix_(known, known)] + noise(noise_variance) * np.eye(t)
            weights = np.linalg.solve(noisy, covariance[known])
            mean = np.array(observed[:t]) @ weights
            variance = np.diag(covariance) - np.sum(covariance[known] * weights, axis=0)
            each = sign(values - mean) / variance**power
            found.append(each.max() if at is None else each[at(values)])
        return over(found[moments]) if found[moments] else 0.0

    return needed


def needed_by_updates(covariance, values, noise_variance, chosen, observed):
    mean, left = 0 * values, covariance
    widest = max(abs(value) / left[x, x] ** 0.5 for x, value in enumerate(values))
    for x, y in zip(chosen, observed, strict=True):
        gain = left[x] / (left[x, x] + noise_variance)
        mean, left = mean + gain * (y - mean[x]), left - np.outer(gain, left[x])
        widest = max(widest, *(abs(values[z] - mean[z]) / left[z, z] ** 0.5 for z in range(len(values))))
    return widest


def loss(scale, chosen, observed, *, noise=0.01, det=0.5, fit=0.5):
    noisy, y = prior_of(scale)[np.ix_(chosen, chosen)] + noise * np.eye(len(chosen)), np.array(observed)
    return fit * y @ np.linalg.solve(noisy, y) + det * np.linalg.slogdet(noisy)[1]


def asking(*, scales=None, noise=0.01, det=0.5, fit=0.5, eps=0.1, delta=0.1, twice=2.0, which=np.argmin, give=None):
    scales = np.geomspace(0.02, 1, 500) if scales is None else scales

    def ask(chosen, observed):
        fitted = scales[which([loss(scale, chosen, observed, noise=noise, det=det, fit=fit) for scale in scales])]
        stops = [
            total(*posterior(prior_of(scale), chosen, observed), eps) <= delta for scale in (fitted, twice * fitted)
        ]
        return (fitted, *stops) if give is None else give(fitted, *stops)

    return ask


def ask_by_minimize(chosen, observed):
    """SciPy's other minimiser, from a few starts; a list with an array of one number."""
    found = min(
        (
            minimize(lambda log: loss(np.exp(log[0]), chosen, observed), [np.log(start)], bounds=[(np.log(0.02), 0)])
            for start in (0.03, 0.1, 0.3)
        ),
        key=lambda one: one.fun,
    )
    scale = np.exp(found.x)
    return [scale, *(bool(total(*posterior(prior_of(s * scale[0]), chosen, observed)) <= 0.1) for s in (1, 2))]


def first_from(test, fallback=math.inf, backwards=True, index=False):
    """The first horizon from which on ``test(bound, horizon, trivial)`` holds."""

    def first_horizon(horizons, bounds, trivial):
        ok = [test(bound, horizon, trivial) for horizon, bound in zip(horizons, bounds, strict=True)]
        good = [k for k in range(len(ok)) if (all(ok[k:]) if backwards else ok[k])]
        return (good[0] if index else horizons[good[0]]) if good else fallback

    return first_horizon


def below(bound, horizon, trivial):
    return bound / horizon < trivial


def horizon_by_arrays(horizons, bounds, trivial):
    good = np.array(bounds) < trivial * np.array(horizons)
    late = np.logical_and.accumulate(good[::-1])[::-1]
    return np.array(horizons)[late][0] if late.any() else np.inf


RIGHT = {
    "decide": {"at once": deciding(), "a list, by factors": decide_by_factors},
    "needed": {"anew": needing(), "by updates": needed_by_updates},
    "ask": {"a grid": asking(), "an even grid": asking(scales=np.arange(0.02, 1, 0.001)), "minimize": ask_by_minimize},
    "first_horizon": {"all later ones": first_from(below), "arrays": horizon_by_arrays},
}
WRONG = {
    "decide": {
        "width 3.1": deciding(long=3.1),
        "width 2.9": deciding(long=2.9),
        "width two": deciding(long=2.0),
        "width 1.1": deciding(short=1.1),
        "width 0.9": deciding(short=0.9),
        "skopt's width": deciding(short=1.96),
        "BoTorch's width": deciding(short=0.2**0.5),
        "both widths one": deciding(long=1.0),
        "both widths three": deciding(short=3.0),
        "no width": deciding(short=0.0),
        "variances": deciding(power=1.0),
        "an epsilon a tenth off": deciding(eps=0.09),
        "epsilon a twentieth": deciding(eps=0.05),
        "epsilon zero": deciding(eps=0.0),
        "delta a twentieth": deciding(delta=0.05),
        "delta a fifth": deciding(delta=0.2),
        "the noise for its variance": deciding(noise=0.1),
        "nearly no noise": deciding(noise=1e-6),
        "another length-scale": deciding(scale=0.13),
        "its own deviation": deciding(rule=lambda *given: total(*given, own=True)),
        "the largest term": deciding(
            rule=lambda mean, C, eps: max(
                total(np.array([mean[r := int(mean.argmax())], mean[x]]), C[np.ix_([r, x], [r, x])], eps, r=0)
                for x in range(101)
            )
        ),
        "sampled": deciding(rule=sampled),
        "by a width": deciding(rule=ends_apart),
        "never stops": deciding(delta=-1),
        "always stops": deciding(delta=101),
        "the other way round": deciding(swap=True),
        "counted from one": deciding(first=1),
        "names what was observed best": lambda chosen, observed, pays: (
            ("stop", chosen[int(np.argmax(observed))])
            if deciding()(chosen, observed, pays)[0] == "stop"
            else deciding()(chosen, observed, pays)
        ),
        "the table's answer": lambda chosen, observed, pays: deciding()([0, 21, 44], [0.43, 0.39, -0.5], pays),
        "the number only": lambda *given: deciding()(*given)[1],
        "turned round": lambda *given: deciding()(*given)[::-1],
        "a place on the line": lambda *given: (deciding()(*given)[0], deciding()(*given)[1] / 100),
    },
    "needed": {
        "not before round one": needing(moments=slice(1, None)),
        "not after the last": needing(moments=slice(0, -1)),
        "before round one only": needing(moments=slice(0, 1)),
        "after the last only": needing(moments=slice(-1, None)),
        "the smallest": needing(over=min),
        "the mean": needing(over=np.mean),
        "nine of ten": needing(over=lambda found: np.quantile(found, 0.9)),
        "variances": needing(power=1.0),
        "no deviation": needing(power=0.0),
        "upwards only": needing(sign=lambda x: x),
        "downwards only": needing(sign=lambda x: -x),
        "the best candidate only": needing(at=np.argmax),
        "the first candidate only": needing(at=lambda values: 0),
        "the noise's deviation": needing(noise=lambda v: v**0.5),
        "nearly no noise": needing(noise=lambda v: 1e-6),
        "the noise of the text": needing(noise=lambda v: 0.01),
        "no repeats": lambda c, v, n, chosen, observed: needing()(
            c,
            v,
            n,
            list(dict.fromkeys(chosen)),
            list(dict(zip(chosen[::-1], observed[::-1], strict=True)).values())[::-1],
        ),
        "against what was observed": lambda c, v, n, chosen, observed: needing()(c, v, n, chosen, v[chosen]),
        "at most five": lambda *given: min(needing()(*given), 5.0),
        "one a round": lambda c, v, n, chosen, observed: [
            needing()(c, v, n, chosen[:t], observed[:t]) for t in range(len(chosen) + 1)
        ],
        "a jitter that shows": lambda c, *rest: needing()(c + 1e-4 * np.eye(len(c)), *rest),
    },
    "ask": {
        "the running example's": asking(scales=np.array([0.12])),
        "the noise for its variance": asking(noise=0.1),
        "nearly no noise": asking(noise=1e-4),
        "without the determinant": asking(det=0.0),
        "the determinant only": asking(fit=0.0),
        "the whole determinant": asking(det=1.0),
        "the whole square": asking(fit=1.0),
        "the least likely": asking(which=np.argmax),
        "a coarse grid": asking(scales=np.linspace(0.02, 1, 10)),
        "not beyond a fifth": asking(scales=np.geomspace(0.02, 0.2, 300)),
        "half for twice": asking(twice=0.5),
        "the same twice": asking(twice=1.0),
        "delta a twentieth": asking(delta=0.05),
        "delta a fifth": asking(delta=0.2),
        "epsilon a twentieth": asking(eps=0.05),
        "delta one half": asking(delta=0.5),
        "epsilon zero": asking(eps=0.0),
        "never": asking(delta=-1),
        "always": asking(delta=101),
        "the other way round": asking(give=lambda fitted, one, two: (fitted, not one, not two)),
        "twice before once": asking(give=lambda fitted, one, two: (fitted, two, one)),
        "twice the scale": asking(give=lambda fitted, one, two: (2 * fitted, one, two)),
        "its square": asking(give=lambda fitted, one, two: (fitted**2, one, two)),
        "two answers": asking(give=lambda fitted, one, two: (one, two)),
        "the scale": asking(give=lambda fitted, one, two: fitted),
    },
    "first_horizon": {
        "the first at all": first_from(below, backwards=False),
        "at most": first_from(lambda bound, horizon, trivial: bound / horizon <= trivial),
        "above": first_from(lambda bound, horizon, trivial: bound / horizon > trivial),
        "not above": first_from(lambda bound, horizon, trivial: not bound / horizon >= trivial),
        "not divided": first_from(lambda bound, horizon, trivial: bound < trivial),
        "one for the line": first_from(lambda bound, horizon, trivial: bound / horizon < 1),
        "the line divided too": first_from(lambda bound, horizon, trivial: bound / horizon < trivial / horizon),
        "the index": first_from(below, index=True),
        "nothing for never": first_from(below, None),
        "the last for never": lambda horizons, *rest: first_from(below, horizons[-1])(horizons, *rest),
        "minus one": first_from(below, -1),
        "NaN for never": first_from(below, math.nan),
        "NaN is low": lambda horizons, bounds, trivial: first_from(below)(
            horizons, [0.0 if math.isnan(bound) else bound for bound in bounds], trivial
        ),
        "NaN is left out": lambda horizons, bounds, trivial: first_from(below)(
            *zip(*[(h, b) for h, b in zip(horizons, bounds, strict=True) if not math.isnan(b)], strict=True), trivial
        ),
        "the one before": lambda horizons, bounds, trivial: max(
            [h for h, b in zip(horizons, bounds, strict=True) if not b / h < trivial], default=horizons[0]
        ),
        "the last only": lambda horizons, bounds, trivial: (
            horizons[-1] if below(bounds[-1], horizons[-1], trivial) else math.inf
        ),
        "all": lambda horizons, bounds, trivial: [h for h, b in zip(horizons, bounds, strict=True) if b / h < trivial],
    },
}


@pytest.mark.parametrize(("name", "function", "right"), tried(RIGHT, WRONG))
def test_a_check_tells_right_from_wrong(name, function, right):
    judge(STEM, name, function, right)
