"""The widths and bounds of the paper as objects: with probability, for functions of known norm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from companion.bounds.assumption import Premise
from companion.bounds.bound import BLIND, GAUSSIAN_NOISE, SUBGAUSSIAN_NOISE, Bound, BoundSetting
from companion.bounds.confidence import FixedBeta, SelfNormalizedWidth, UnionBoundWidth
from companion.papers.batched.method.sizes import constant_sizes, original_sizes, power_sizes
from companion.papers.batched.theory import bounds

Sizes = Callable[[BoundSetting], Sequence[int]]


def power(s: BoundSetting) -> Sequence[int]:
    """Sizes (6)."""
    return power_sizes(s.horizon, s.ratio)


def original(s: BoundSetting) -> Sequence[int]:
    """Sizes (5)."""
    return original_sizes(s.horizon)


def constant(s: BoundSetting) -> Sequence[int]:
    """Sizes of App. D.1.2, for a fixed number of batches."""
    kernel = s.known("kernel")
    return constant_sizes(s.horizon, s.known("batches"), kernel.smoothness, kernel.dim)


def union_width(s: BoundSetting, sizes: Sequence[int] | None = None, noise: str = "gaussian") -> float:
    """Width of App. A for as many batches, by default those of sizes (6)."""
    batches = len(power(s) if sizes is None else sizes)
    return UnionBoundWidth(s.known("norm"), s.size, batches, s.delta, noise).width()


def _self_normalised(s: BoundSetting) -> float:
    return float(SelfNormalizedWidth(s.known("norm"), s.delta).width(gain=s.realised_gain))


def _summed(s: BoundSetting, sizes: Sizes = power, elimination: float = bounds.STANDARD) -> float:
    """Proposition 2, or its robust form, summed over the batches."""
    counts = sizes(s)
    gains, width = [s.gain(size) for size in counts], union_width(s, counts)
    return float(bounds.batch_bounds(counts, gains, width, s.noise, elimination=elimination).sum())


def _theorem_1(form: Callable[..., float], s: BoundSetting) -> float:
    """Theorem 1 in terms of T, with the sum over the batches or in closed form."""
    return form(s.horizon, s.ratio, s.gain(s.horizon), union_width(s), s.noise)


def _lemma_1(s: BoundSetting) -> float:
    return bounds.lemma1_bound(s.horizon, s.gain(s.horizon), union_width(s, original(s)), s.noise)


def _symbols(sizes: Sizes, s: BoundSetting) -> Mapping[str, float]:
    counts = sizes(s)
    return {
        "beta": union_width(s, counts) ** 2,
        "B": len(counts),
        "C_1": bounds.elimination_constant(s.noise),
        "gamma_T": s.gain(s.horizon),
    }


def _batches_seen(s: BoundSetting) -> str:
    if s.batches is None:
        return "no number of batches is given: batches"
    return "only a covariance matrix is known" if s.kernel is None else f"{s.batches} batches"


_BY_BPE = Premise("points are those of BPE with these batch sizes and this width")
_MATCHED = Premise("the posterior's regulariser is the noise variance")
_LONG = Premise("T is at least 3", lambda s: s.horizon >= 3, seen=lambda s: f"{s.horizon}")
_FIRST_CASE = Premise("a is above one half and below 1", lambda s: 0.5 < s.ratio < 1.0, seen=lambda s: f"{s.ratio:g}")
_FIXED = Premise(
    "a fixed number of batches, and a kernel of known smoothness",
    lambda s: s.batches is not None and s.kernel is not None and s.batches >= 2,
    seen=_batches_seen,
)
_ROBUST, _SIX = "robust regret, for every perturbation", bounds.ROBUST_PRINTED
_RUN = (GAUSSIAN_NOISE, _MATCHED, _BY_BPE)

_bound = partial(Bound, paper="batched", rule="BPE", model="norm", misses=1)
_width = partial(_bound, quantity="width", assumes=(SUBGAUSSIAN_NOISE, _MATCHED))
_regret = partial(_bound, assumes=(*_RUN, _LONG, _FIRST_CASE), symbols=partial(_symbols, power))
_robust = partial(_regret, rule="robust BPE", regret=_ROBUST)
_order = partial(_regret, order=True)
_fixed = partial(_bound, assumes=(*_RUN, _FIXED), symbols=partial(_symbols, constant), order=True)

#: The paper's widths and bounds, in its order.
BOUNDS = (
    _width(
        *("prop-1/printed", "Proposition 1", "all batches and candidates", union_width),
        assumes=(GAUSSIAN_NOISE, _MATCHED, BLIND),
        symbols=lambda s: {"beta": union_width(s) ** 2},
    ),
    _width(
        *("prop-1/repaired", "Prop. 1, not Gaussian", "for noise that is not Gaussian, 2 inside the logarithm"),
        partial(union_width, noise="subgaussian"),
        reading="repaired",
        assumes=(SUBGAUSSIAN_NOISE, _MATCHED, BLIND),
        symbols=lambda s: {"beta": union_width(s, noise="subgaussian") ** 2},
    ),
    _width(
        *("self-normalised", "self-normalised"),
        "all rounds and candidates, whatever chose the points; after Abbasi-Yadkori (2012)",
        _self_normalised,
        rule="any",
        reading="sharper",
        symbols=lambda s: {"beta": _self_normalised(s) ** 2},
    ),
    _width(
        *("experiments", "App. E, experiments", "beta = 2 of the experiments, which no theorem covers"),
        lambda s: FixedBeta().width(),
        reading="experiment",
        assumes=(),
        misses=0,
        symbols=lambda s: {"beta": FixedBeta().beta},
    ),
    _order("theorem-1/printed", "Theorem 1, closed", "closed form", partial(_theorem_1, bounds.theorem1_closed)),
    _order(
        *("theorem-1/summed", "Theorem 1, summed", "summed over the batches, in terms of T"),
        partial(_theorem_1, bounds.theorem1_summed),
    ),
    _regret(*("prop-2/printed", "Proposition 2, summed", "summed over the batches", _summed), assumes=(*_RUN, _LONG)),
    _order(
        *("lemma-1/printed", "Lemma 1", "sizes (5), with its constants", _lemma_1),
        assumes=(*_RUN, _LONG),
        symbols=partial(_symbols, original),
    ),
    _robust(
        *("theorem-3/printed", "Theorem 3", "summed over the batches", partial(_summed, elimination=_SIX)), order=True
    ),
    _robust("theorem-3/sharper", "Theorem 3, 4 for 6", "with 4 in place of 6", _summed, reading="sharper"),
    _fixed("lemma-12/printed", "Lemma 12", "a fixed number of batches", partial(_summed, sizes=constant)),
    _fixed(
        *("lemma-13/printed", "Lemma 13", "a fixed number of batches"),
        partial(_summed, sizes=constant, elimination=_SIX),
        rule="robust BPE",
        regret=_ROBUST,
    ),
)
