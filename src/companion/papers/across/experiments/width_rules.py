"""Widths as rules for a run: a number in every round, or a function of the realised gain, and the promise of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from companion.bounds.bound import BoundSetting
from companion.bounds.confidence import OneRootWidth, SelfNormalizedWidth
from companion.core.arrays import Floats
from companion.papers.across.method.library_widths import stored_width
from companion.papers.across.theory.classical_widths import inflation
from companion.papers.across.theory.width_schedules import FORMS
from companion.papers.tsrsr.method.rules import PublishedWidth

#: Covers all candidates in all rounds with probability 1 - delta: for f of known norm, for f a draw of the prior, or for f of
#: known norm after each batch of points chosen without looking at that batch; or promises nothing of the kind.
Promise = Literal["norm", "prior", "batches", ""]


@dataclass(frozen=True, eq=False)
class Rule:
    """A width in a run of T evaluations.

    Parameters
    ----------
    id : of a form, or of a library's default, ``library/<name>``
    promise : see :data:`Promise`
    in_round : of the case of a round, whose horizon is t; ``None`` where the realised gain decides
    at_gain : of the case and the realised gains before the round, one a replicate
    inflation : of T, over the noise variance, the noise variance of the model that the width is for
    """

    id: str
    promise: Promise
    in_round: Callable[[BoundSetting], float] | None = None
    at_gain: Callable[[BoundSetting, Floats], Floats] | None = None
    inflation: Callable[[int], float] = lambda horizon: 1.0

    def widths(self, case: BoundSetting) -> Callable[[int, Floats], Floats]:
        """As a function of round and realised gains, in a run of as many rounds as the case's horizon."""
        if self.at_gain is not None:
            return lambda t, gain: self.at_gain(case, gain)  # type: ignore[misc]
        assert self.in_round is not None
        path = [self.in_round(replace(case, horizon=t)) for t in range(1, case.horizon + 1)]
        return lambda t, gain: np.full_like(gain, path[t - 1])

    def total(self, horizon: int) -> Rule:
        """The same width in every round, that of the whole run, for a form that knows T."""
        value = self.in_round
        assert value is not None
        return replace(self, in_round=lambda case: value(replace(case, horizon=horizon)))


def self_normalised(case: BoundSetting, gain: Floats) -> Floats:
    """The self-normalised width at realised gains."""
    return np.asarray(SelfNormalizedWidth(case.known("norm"), case.delta).width(gain=gain))


def one_root(case: BoundSetting, gain: Floats) -> Floats:
    """The sharper one."""
    return np.asarray(OneRootWidth(case.known("norm"), case.delta).width(gain=gain))


def published(case: BoundSetting) -> float:
    """Width in the published code of TS-RSR."""
    return PublishedWidth(case.delta)(case.horizon - 1, case.size)


def _form(name: str, promise: Promise, **more: Any) -> Rule:
    return Rule(name, promise, in_round=FORMS[name].value, **more)


def theorem_rules(horizon: int) -> tuple[Rule, ...]:
    """The widths of theorems in a run of T evaluations, each once: where two papers state the same, the first of them."""
    return (
        Rule("batched/self-normalised", "norm", at_gain=self_normalised),
        Rule("sharper/mixture", "norm", at_gain=one_root),
        _form("classical/chowdhury-gopalan", "norm", inflation=inflation),
        # Its noise is bounded, that of the runs is Gaussian, so that it promises nothing here.
        _form("classical/srinivas-norm", ""),
        _form("batched/prop-1/printed", "batches").total(horizon),
        _form("compressed/lemma-8.1/printed", "prior"),
        _form("tsrsr/lemma-6/printed", "prior").total(horizon),
    )


#: Widths that the papers' experiments run with.
EXPERIMENTS = (
    _form("batched/experiments", ""),
    _form("meanfield/experiments", ""),
    _form("wdrbo/experiments", ""),
    Rule("tsrsr/published-code", "", in_round=published),
)

#: Libraries with defaults that run; those of Trieste, KerasTuner and BayBE are within one per cent of one of them,
#: OptunaHub's is that of BPE's experiments.
LIBRARIES = ("botorch", "scikit-optimize", "bayesian-optimization", "optuna")
#: Library with a proposed default that runs as well; no release has it, so that it counts among the other widths.
PROPOSED = ("physbo",)


def library_rules(stored: Any, dim: int, names: Sequence[str] = LIBRARIES, of: str = "library") -> tuple[Rule, ...]:
    """The defaults of libraries, from the stored rows."""
    return tuple(Rule(f"{of}/{name}", "", in_round=partial(_stored, stored, name, dim)) for name in names)


def _stored(stored: Any, name: str, dim: int, case: BoundSetting) -> float:
    return stored_width(stored, name, case.horizon, dim)
