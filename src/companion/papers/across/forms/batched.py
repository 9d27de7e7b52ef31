"""Chapter 3, batched elimination (BPE): bounds with probability, for functions of known norm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from companion.bounds.confidence import FixedBeta, SelfNormalizedWidth, UnionBoundWidth
from companion.papers.across.forms.form import Case, Checked, Form, fact, gaussian_noise, subgaussian_noise, trusted
from companion.papers.batched.method.sizes import constant_sizes, original_sizes, power_sizes
from companion.papers.batched.theory import bounds

Sizes = Callable[[Case], Sequence[int]]

by_bpe = trusted("points are those of BPE with these batch sizes and this width")
matched = trusted("the posterior's regulariser is the noise variance")


def power(case: Case) -> Sequence[int]:
    """Sizes (6)."""
    return power_sizes(case.horizon, case.ratio)


def original(case: Case) -> Sequence[int]:
    """Sizes (5)."""
    return original_sizes(case.horizon)


def constant(case: Case) -> Sequence[int]:
    """Sizes of App. D.1.2, for a fixed number of batches."""
    assert case.kernel is not None
    assert case.batches is not None
    return constant_sizes(case.horizon, case.batches, case.kernel.smoothness, case.kernel.dim)


def width_of(sizes: Sizes, case: Case, noise: str = "gaussian") -> float:
    """Width of App. A for as many batches."""
    return UnionBoundWidth(case.known_norm(), case.candidates, len(sizes(case)), case.delta, noise).width()


def self_normalised(case: Case) -> float:
    """At the gain of the points chosen where it is known, else at the largest gain of T points."""
    gain = case.gain(case.horizon) if case.realised is None else case.realised
    return float(SelfNormalizedWidth(case.known_norm(), case.delta).width(gain))


def summed(sizes: Sizes, elimination: float, case: Case) -> float:
    """Proposition 2, or its robust form, summed over the batches."""
    counts = sizes(case)
    gains = [case.gain(size) for size in counts]
    width = width_of(sizes, case)
    return float(bounds.batch_bounds(counts, gains, width, case.noise, elimination=elimination).sum())


def theorem_1(closed: bool, case: Case) -> float:
    """Theorem 1 in terms of T, with the sum over the batches or in closed form."""
    form = bounds.theorem1_closed if closed else bounds.theorem1_summed
    return form(case.horizon, case.ratio, case.gain(case.horizon), width_of(power, case), case.noise)


def lemma_1(case: Case) -> float:
    """Lemma 1 with its constants."""
    return bounds.lemma1_bound(case.horizon, case.gain(case.horizon), width_of(original, case), case.noise)


def _long(case: Case) -> Checked:
    return fact("T is at least 3", case.horizon >= 3, f"{case.horizon}")


def _first_case(case: Case) -> Checked:
    return fact("a is above one half and below 1", 0.5 < case.ratio < 1.0, f"{case.ratio:g}")


def _fixed(case: Case) -> Checked:
    text = "a fixed number of batches, and a kernel of known smoothness"
    if case.batches is None:
        return fact(text, False, "no number of batches is given: batches")
    if case.kernel is None:
        return fact(text, False, "only a covariance matrix is known")
    return fact(text, case.batches >= 2, f"{case.batches} batches")


def _symbols(sizes: Sizes, case: Case) -> dict[str, float]:
    width = width_of(sizes, case)
    return {
        "beta": width**2,
        "B": len(sizes(case)),
        "C_1": bounds.elimination_constant(case.noise),
        "gamma_T": case.gain(case.horizon),
    }


def _roots(value: Callable[[Case], float], case: Case) -> dict[str, float]:
    return {"beta": value(case) ** 2}


_ALWAYS: Any = {"paper": "batched", "model": "norm", "misses": 1}
_WIDTH: Any = {**_ALWAYS, "quantity": "width"}
_REGRET: Any = {**_ALWAYS, "quantity": "regret", "rule": "BPE"}
_POWER: Any = {**_REGRET, "symbols": partial(_symbols, power)}
_ROBUST: Any = {
    **_POWER,
    "rule": "robust BPE",
    "regret": "robust regret, for every perturbation",
}
_GAUSSIAN, _SUBGAUSSIAN = partial(width_of, power), partial(width_of, power, noise="subgaussian")
_RUN, _BATCHES = (gaussian_noise, matched, by_bpe), (_long, _first_case)

FORMS = (
    Form(
        "batched/prop-1/printed",
        ledger="prop-1",
        place="Proposition 1",
        title="all batches and candidates",
        rule="BPE",
        reading="printed",
        value=_GAUSSIAN,
        assumes=(gaussian_noise, matched, trusted("points of a batch ignore its observations")),
        symbols=partial(_roots, _GAUSSIAN),
        **_WIDTH,
    ),
    Form(
        "batched/prop-1/repaired",
        ledger="prop-1",
        place="Prop. 1, not Gaussian",
        title="for noise that is not Gaussian, 2 inside the logarithm",
        rule="BPE",
        reading="repaired",
        value=_SUBGAUSSIAN,
        assumes=(subgaussian_noise, matched, trusted("points of a batch ignore its observations")),
        symbols=partial(_roots, _SUBGAUSSIAN),
        **_WIDTH,
    ),
    Form(
        "batched/self-normalised",
        ledger="",
        place="self-normalised",
        title="all rounds and candidates, whatever chose the points; after Abbasi-Yadkori (2012)",
        rule="any",
        reading="sharper",
        value=self_normalised,
        assumes=(subgaussian_noise, matched),
        symbols=partial(_roots, self_normalised),
        **_WIDTH,
    ),
    Form(
        "batched/experiments",
        ledger="",
        place="App. E, experiments",
        title="beta = 2 of the experiments, which no theorem covers",
        rule="BPE",
        paper="batched",
        model="norm",
        quantity="width",
        reading="experiment",
        value=lambda case: FixedBeta().width(),
        symbols=lambda case: {"beta": FixedBeta().beta},
    ),
    Form(
        "batched/theorem-1/printed",
        ledger="theorem-1",
        place="Theorem 1, closed",
        title="closed form",
        reading="printed",
        value=partial(theorem_1, True),
        assumes=(*_RUN, *_BATCHES),
        **_POWER,
    ),
    Form(
        "batched/theorem-1/summed",
        ledger="theorem-1",
        place="Theorem 1, summed",
        title="summed over the batches, in terms of T",
        reading="printed",
        value=partial(theorem_1, False),
        assumes=(*_RUN, *_BATCHES),
        **_POWER,
    ),
    Form(
        "batched/prop-2/printed",
        ledger="prop-2",
        place="Proposition 2, summed",
        title="summed over the batches",
        reading="printed",
        value=partial(summed, power, bounds.STANDARD),
        assumes=(*_RUN, _long),
        **_POWER,
    ),
    Form(
        "batched/lemma-1/printed",
        ledger="lemma-1",
        place="Lemma 1",
        title="sizes (5), with its constants",
        reading="printed",
        value=lemma_1,
        assumes=(*_RUN, _long),
        symbols=partial(_symbols, original),
        **_REGRET,
    ),
    Form(
        "batched/theorem-3/printed",
        ledger="theorem-3",
        place="Theorem 3",
        title="summed over the batches",
        reading="printed",
        value=partial(summed, power, bounds.ROBUST_PRINTED),
        assumes=(*_RUN, *_BATCHES),
        **_ROBUST,
    ),
    Form(
        "batched/theorem-3/sharper",
        ledger="theorem-3",
        place="Theorem 3, 4 for 6",
        title="with 4 in place of 6",
        reading="sharper",
        value=partial(summed, power, bounds.STANDARD),
        assumes=(*_RUN, *_BATCHES),
        **_ROBUST,
    ),
    Form(
        "batched/lemma-12/printed",
        ledger="lemma-12",
        place="Lemma 12",
        title="a fixed number of batches",
        reading="printed",
        value=partial(summed, constant, bounds.STANDARD),
        assumes=(*_RUN, _fixed),
        symbols=partial(_symbols, constant),
        **_REGRET,
    ),
    Form(
        "batched/lemma-13/printed",
        ledger="lemma-13",
        place="Lemma 13",
        title="a fixed number of batches",
        reading="printed",
        value=partial(summed, constant, bounds.ROBUST_PRINTED),
        assumes=(*_RUN, _fixed),
        **{**_ROBUST, "symbols": partial(_symbols, constant)},
    ),
)
