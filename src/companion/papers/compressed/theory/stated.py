"""The widths and bounds of the paper as objects: with probability, for draws of the prior."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from companion.bounds.assumption import Premise
from companion.bounds.bound import GAUSSIAN_NOISE, Bound, BoundSetting, never
from companion.bounds.confidence import SrinivasDrawsWidth
from companion.core.errors import AssumptionError
from companion.papers.compressed.theory import bounds


def _beta(s: BoundSetting) -> float:
    """beta_T of Lemma 8.1."""
    return float(bounds.finite_beta(s.horizon, s.size, s.delta))


def _budget(s: BoundSetting) -> float:
    return 0.5 * math.log1p(s.horizon**-s.alpha)


def _theorem_32(s: BoundSetting) -> float:
    return float(bounds.theorem_32(s.horizon, _beta(s), s.noise**2, s.gain(s.horizon), s.alpha))


def _root(s: BoundSetting, rejected: bool = True) -> float:
    """(8.29) of the proof, with all rounds counted as rejected or none."""
    spent = s.horizon * _budget(s) if rejected else 0.0
    return float(bounds.root_bound(s.horizon, _beta(s), s.noise**2, s.gain(s.horizon), spent))


def _corollary_33(form: str, s: BoundSetting) -> float:
    return bounds.corollary_33(s.horizon, _beta(s), s.noise**2, s.size, s.trace, form)


def _compact_width(form: str, s: BoundSetting) -> float:
    """Root of beta_T of Theorem 3.2(ii), for the interval that the candidates lie in."""
    kernel = s.known("kernel")
    a, b = bounds.derivative_tail(kernel.lengthscale, kernel.side, kernel.smoothness)
    return math.sqrt(float(bounds.compact_beta(s.horizon, 1, kernel.side, a, b, s.delta, form=form)))


def _theorem_32_ii(s: BoundSetting) -> float:
    if s.candidates is not None:
        raise AssumptionError(
            "the certified gain is that of the candidates, and the theorem needs that of the whole interval: domain box"
        )
    beta = _compact_width("grid", s) ** 2
    return float(bounds.theorem_32(s.horizon, beta, s.noise**2, s.gain(s.horizon), s.alpha, compact=True))


def _symbols(s: BoundSetting) -> Mapping[str, float]:
    return {
        "beta_T": _beta(s),
        "sigma^2": s.noise**2,
        "C_1": bounds.gain_constant(s.noise**2),
        "epsilon": _budget(s),
        "gamma": s.gain(s.horizon),
    }


def _kernel_seen(s: BoundSetting) -> str:
    if s.kernel is None:
        return "only a covariance matrix is known"
    return f"{s.kernel.dim} dimension{'s' if s.kernel.dim > 1 else ''}, kernel {s.kernel.name}"


_BY_UCB = Premise("points maximise the upper confidence bound with this width")
_INTERVAL = Premise(
    "an interval, and a kernel whose paths have a derivative with known tails (3.3)",
    lambda s: s.kernel is not None and s.kernel.dim == 1 and s.kernel.smoothness > 2,
    seen=_kernel_seen,
)
_HALF = Premise("alpha is one half", lambda s: s.alpha == 0.5, seen=lambda s: f"{s.alpha:g}")
_LINE = Premise(
    "points have one coordinate",
    lambda s: s.kernel is not None and s.kernel.dim == 1,
    seen=lambda s: "only a covariance matrix is known" if s.kernel is None else f"{s.kernel.dim}",
)

_bound = partial(Bound, paper="compressed", rule="compressed UCB", model="prior", misses=1)
_width = partial(_bound, quantity="width")
_regret = partial(_bound, assumes=(GAUSSIAN_NOISE, _BY_UCB), symbols=_symbols)
_repaired = partial(_regret, reading="repaired")

#: The paper's widths and bounds, in its order.
BOUNDS = (
    _width(
        *("lemma-8.1/printed", "Lemma 8.1", "all rounds and candidates, compressed or not"),
        lambda s: SrinivasDrawsWidth(s.size, s.delta).width(s.horizon),
        assumes=(GAUSSIAN_NOISE,),
        symbols=lambda s: {"beta_T": _beta(s)},
        restates="classical/srinivas-finite",
    ),
    _width(
        *("lemma-8.8/printed", "Theorem 3.2(ii), width", "a whole interval, 2 in place of its number of points"),
        partial(_compact_width, "theorem"),
        assumes=(GAUSSIAN_NOISE, _INTERVAL),
        symbols=lambda s: {"beta_T": _compact_width("theorem", s) ** 2},
    ),
    _width(
        *("lemma-8.8/repaired", "Lemma 8.8, whole grid", "a whole interval, a whole number of grid points"),
        partial(_compact_width, "grid"),
        reading="repaired",
        assumes=(GAUSSIAN_NOISE, _INTERVAL),
        symbols=lambda s: {"beta_T": _compact_width("grid", s) ** 2},
    ),
    _regret("theorem-3.2-i/printed", "Theorem 3.2(i)", "finite set", _theorem_32),
    _regret(
        *("lemma-8.4/sharper", "(8.29), all rejected", "every round counted as rejected", _root), reading="sharper"
    ),
    _regret(
        *("lemma-8.4/dense", "Srinivas et al. (2010), Theorem 1", "nothing rejected; it is (8.29) with budget 0"),
        partial(_root, rejected=False),
        rule="GP-UCB",
    ),
    _regret(
        *("corollary-3.3/printed", "Corollary 3.3", "with powers of T and no gain", partial(_corollary_33, "printed")),
        assumes=(GAUSSIAN_NOISE, _BY_UCB, _HALF, _LINE),
    ),
    _repaired(
        *("corollary-3.3/explicit", "Corollary 3.3, constants", "with the constants that its proof gives"),
        partial(_corollary_33, "explicit"),
        assumes=(GAUSSIAN_NOISE, _BY_UCB, _HALF),
    ),
    _repaired(
        *("theorem-3.2-ii/repaired", "Theorem 3.2(ii)", "a whole interval", _theorem_32_ii),
        assumes=(GAUSSIAN_NOISE, _BY_UCB, _INTERVAL),
        symbols=lambda s: {"beta_T": _compact_width("grid", s) ** 2, "gamma": s.gain(s.horizon)},
    ),
    _regret(
        *("theorem-3.4/printed", "Theorem 3.4", "finite set"),
        never("it fails as printed, and its repair contains numbers known only after a run"),
        rule="compressed EI",
        assumes=(GAUSSIAN_NOISE,),
    ),
)
