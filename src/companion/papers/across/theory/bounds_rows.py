"""Widths and bounds at one setting, and their look-up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from companion.bounds.assumption import AssumptionState
from companion.bounds.bound import BLIND, Bound, BoundSetting
from companion.core.errors import whole_number
from companion.information.gain_bounds import GainBracket
from companion.papers.across.theory.bounds_setting import Conditions

#: Widths in a model with another noise variance, whose standard deviation is another one as well.
_OTHER_SD = ("wdrbo/lemma-1/printed", "classical/chowdhury-gopalan")


@dataclass(frozen=True)
class Row:
    """One width or bound at a setting.

    Parameters
    ----------
    form : what it is
    assumptions : each with its state
    reason : why it does not apply; empty where it does
    value : the width, or the bound on the regret of T evaluations; NaN where it does not apply
    trivial : what no rule can lose more than in T evaluations; NaN for widths
    blind : what uniformly chosen candidates lose in T evaluations, in the mean over draws, or of functions of the norm at most;
        NaN for widths, and where it is not known
    says_from : horizon from which on the bound is below the trivial one, infinite if it is not at ``farthest``; NaN for widths
    beats_blind_from : the same with ``blind``; NaN where that is not known
    symbols : the paper's own symbols
    probability : with which it holds; NaN for a bound on an expectation, and for what no theorem covers
    """

    form: Bound
    assumptions: tuple[AssumptionState, ...]
    reason: str
    value: float
    trivial: float
    blind: float
    says_from: float
    beats_blind_from: float
    symbols: Mapping[str, float]
    probability: float

    def __repr__(self) -> str:
        return (
            f"<{self.form.id}: {self.value:.4g}>"
            if self.applies
            else f"<{self.form.id} does not apply: {self.reason:.100}>"
        )

    @property
    def applies(self) -> bool:
        """Whether no assumption is known to fail."""
        return not self.reason

    @property
    def over_trivial(self) -> float:
        """Bound over trivial bound: below 1 it says something; infinite where all candidates are one point."""
        return self.value / self.trivial if self.trivial else math.inf

    @property
    def over_blind(self) -> float:
        """Bound over what blind choices lose: between this being 1 and ``over_trivial`` it is informative in name only."""
        return self.value / self.blind if self.blind else math.inf


@dataclass(frozen=True, eq=False)
class BoundsRows:
    """Every width and bound at one setting, and their inputs.

    Parameters
    ----------
    conditions : the setting
    rows : widths and bounds, in the order of the chapters
    gains : brackets of the maximum information gain of T evaluations: ``noise``, ``regulariser`` and, with a game, ``game``
    ranges : the trivial bound an evaluation: for ``prior`` draws, functions of the ``norm``, and the ``game``; NaN if unknown
    blind : what a uniformly chosen candidate costs on average, by the same names; NaN if unknown
    case : what the bounds were given, with gains up to ``farthest``
    """

    conditions: Conditions
    rows: tuple[Row, ...]
    gains: Mapping[str, GainBracket]
    ranges: Mapping[str, float]
    blind: Mapping[str, float]
    case: BoundSetting

    def __getitem__(self, name: str) -> Row:
        """The row with this id, such as ``"tsrsr/theorem-1/printed"``."""
        for row in self.rows:
            if row.form.id == name:
                return row
        raise KeyError(name)

    def over(self, name: str, horizons: Iterable[int]) -> list[float]:
        """A width, or a bound on regret over the trivial one, at other horizons up to ``farthest``; NaN where it is not stated.

        Between the numbers of points certified the gain's upper end is that of
        :class:`~companion.information.between_horizons.UpperEnds`.
        """
        form = self[name].form
        level = self.ranges[form.model] if form.quantity == "regret" else 1.0
        steps = [whole_number("horizons", t, 1, self.conditions.values["farthest"]) for t in horizons]
        values = [form.at(self.case, t) / (t if form.quantity == "regret" else 1) for t in steps]
        return [value / level if level else math.inf for value in values]

    def of(self, quantity: str, applies: bool = True) -> tuple[Row, ...]:
        """The widths, or the bounds on ``regret``, that apply, or those that do not."""
        return tuple(row for row in self.rows if row.form.quantity == quantity and row.applies == applies)

    def shortest(self) -> dict[str, Row]:
        """The shortest width that is proved here for all rounds and candidates, where there is one.

        For ``prior`` draws and for the ``norm`` whatever chose the points, and for the norm after ``batches`` that ignore their
        values.
        """
        best: dict[str, Row] = {}
        for row in self.of("width"):
            form, whom = row.form, "batches" if BLIND in row.form.assumes else row.form.model
            if form.holds == "unproved" or whom == "game" or form.id in _OTHER_SD or form.restates:
                continue
            if whom not in best or row.value < best[whom].value:
                best[whom] = row
        return best


def taken_on_trust(rows: Sequence[Row]) -> list[str]:
    """Assumptions of these rows that nothing here can check, each once."""
    return list(dict.fromkeys(c.text for c in chain.from_iterable(r.assumptions for r in rows) if c.state == "trusted"))
