"""The widths and bounds of the paper as objects: on the expected regret of batches, for draws of the prior."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from companion.bounds.assumption import Premise
from companion.bounds.bound import GAUSSIAN_NOISE, SEVERAL, Bound, BoundSetting
from companion.papers.tsrsr.theory import bounds


def _given(s: BoundSetting) -> tuple[int, int, int, float, float]:
    """N, T, m, noise variance and gain of as many batches as hold T evaluations; their regret is at least that of these."""
    rounds = -(-s.horizon // s.batch)
    return s.size, rounds, s.batch, s.noise**2, _gain(s)


def _gain(s: BoundSetting) -> float:
    """That of as many batches as hold T evaluations."""
    return s.gain(-(-s.horizon // s.batch) * s.batch)


def _after_design(s: BoundSetting) -> float:
    """Corollary 1: T_0 maximum-variance points first, the rest in batches."""
    rest = -(-(s.horizon - s.initial) // s.batch)
    gains = s.gain(rest * s.batch), s.gain(s.initial)
    return bounds.corollary1(s.size, rest, s.batch, s.noise**2, gains[0], s.initial, gains[1])


def _width(s: BoundSetting) -> float:
    """Lemma 6: all posterior means at the beginning of all rounds."""
    return bounds.normal_width(2 * s.size * _given(s)[1], s.delta)


def _symbols(averaged: bool, s: BoundSetting) -> Mapping[str, float]:
    _, rounds, batch, noise_variance, gain = _given(s)
    ratio = bounds.mean_ratio if averaged else bounds.variance_ratio
    return {
        "T (batches)": rounds,
        "m": batch,
        "sigma_n^2": noise_variance,
        "root mean square of rho_0 to rho_{m-1}" if averaged else "rho_m": ratio(batch, noise_variance),
        "C_1": bounds.gain_factor(noise_variance) / noise_variance,
        "gamma_Tm": gain,
    }


def _factor(s: BoundSetting) -> float:
    return bounds.gain_factor(s.noise**2) * _gain(s)


def _needed(s: BoundSetting) -> float:
    return s.batch * s.gain(s.initial)


_EXACT = Premise("posterior draws are exact, and not repeated until they exceed the largest mean")
_RESAMPLED = Premise("posterior draws are repeated until they exceed the largest mean (App. C)")
_WORTH_ONE_POINT = Premise(
    "one term is enough: c times the gain is at least 1",
    lambda s: _factor(s) >= 1.0,
    seen=lambda s: f"{_factor(s):.4g}",
)
_LONG_DESIGN = Premise(
    "maximum-variance points come first, at least m times their gain",
    lambda s: 0 < s.initial < s.horizon and s.initial >= _needed(s),
    seen=lambda s: f"{s.initial}, of which {_needed(s):.4g} are needed" if s.initial else "there are none: initial",
)
_COMMON = (SEVERAL, GAUSSIAN_NOISE)

_bound = partial(Bound, paper="tsrsr", rule="TS-RSR", model="prior", assumes=(*_COMMON, _EXACT))
_theorem = partial(_bound, symbols=partial(_symbols, False), order=True)
_ours = partial(_bound, reading="sharper", symbols=partial(_symbols, True))

#: The paper's widths and bounds, in its order.
BOUNDS = (
    _bound(
        *("lemma-6/printed", "Lemma 6", "all rounds and candidates", _width),
        quantity="width",
        assumes=_COMMON,
        misses=1,
        symbols=lambda s: {"sqrt(2 log(2NT/delta))": _width(s)},
    ),
    _theorem(
        *("theorem-1/printed", "Theorem 1", "with its constants; gain and ratio over collections with repeats"),
        lambda s: bounds.theorem1(*_given(s)),
    ),
    _theorem(
        *("theorem-1/one-term", "Theorem 1, one term", "as one term, with the constant that its order hides"),
        lambda s: bounds.theorem1_one_term(*_given(s)),
        assumes=(*_COMMON, _EXACT, _WORTH_ONE_POINT),
    ),
    _ours(
        "our-C/sharper", "companion's form", "mean squares of the ratios", lambda s: bounds.theorem1_sharp(*_given(s))
    ),
    _ours(
        *("our-D/sharper", "the same, resampled", "with the resampling of the experiments"),
        lambda s: bounds.theorem1_sharp(*_given(s), resampled=True),
        assumes=(*_COMMON, _RESAMPLED),
    ),
    _bound(
        *("corollary-1/printed", "Corollary 1", "after a maximum-variance design", _after_design),
        assumes=(*_COMMON, _EXACT, _LONG_DESIGN),
        symbols=lambda s: {"T_0": s.initial, "rho_m at most": math.e},
        order=True,
    ),
)
