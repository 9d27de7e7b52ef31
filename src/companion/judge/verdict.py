"""Verdicts: what a rerun says about a printed number, and about a claim in words.

Cells (:func:`cell_verdict`) get one of :data:`CELL_VERDICTS`, claims one of :data:`CLAIM_VERDICTS`. Margins are frozen in
``data/reported/margins.toml``; differences are always reproduced minus reported, or the method named first minus the
method it is compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from companion.core.errors import ParameterError, known_as
from companion.judge.columns import Selection, less
from companion.judge.equivalence import Summary, smallest_margin, two_one_sided, welch, welch_p_value
from companion.judge.intervals import Interval
from companion.judge.ordering import Ordering
from companion.judge.ownership import PAPER

EQUIVALENT, COMPATIBLE, LEVEL = "equivalent", "compatible-underpowered", "same-ordering-different-level"
DIFFERENT, NOT_TESTABLE = "different", "not-testable"
CELL_VERDICTS = (EQUIVALENT, COMPATIBLE, LEVEL, DIFFERENT, NOT_TESTABLE)

HOLDS, CONTRADICTED, UNDECIDED = "holds", "contradicted", "undecided"
CLAIM_VERDICTS = (HOLDS, CONTRADICTED, UNDECIDED, NOT_TESTABLE)

SAYINGS = ("smaller", "larger", "comparable")

Entry = TypeVar("Entry", bound=Mapping[str, Any])


@dataclass(frozen=True)
class Judgement:
    """A verdict with its reason, and the numbers it rests on.

    Attributes
    ----------
    verdict : one of :data:`CELL_VERDICTS` or :data:`CLAIM_VERDICTS`
    reason : in words, with the numbers that decided
    difference : with its interval, which says of which stored rows it is; ``None`` without a spread on both sides
    margin : in the metric's unit; ``None`` where none applies
    limit : the smallest margin that this many runs could have shown; ``None`` outside two one-sided tests
    p_value : of Welch's two-sided test that both means are equal; ``None`` where there was none
    ordering : the method against the others of its column; ``None`` where that was not looked at
    """

    verdict: str
    reason: str
    difference: Interval | None = None
    margin: float | None = None
    limit: float | None = None
    p_value: float | None = None
    ordering: Ordering | None = None

    @property
    def also_different(self) -> bool:
        """Equivalent by the margin, and yet the interval of the difference leaves out zero."""
        return self.verdict == EQUIVALENT and self.difference is not None and 0.0 not in self.difference

    @property
    def never_equivalent(self) -> bool:
        """Whether so many runs with such a spread could not have shown the margin, had both means been the same."""
        return self.limit is not None and self.margin is not None and self.limit >= self.margin


def cell_verdict(
    reported: Summary | None,
    reproduced: Summary,
    margin: float,
    ordering: Ordering | None,
    *,
    lacking: str = "",
    significance: float = 0.05,
    confidence: float = 0.95,
) -> Judgement:
    """The one place where a printed number is judged; the first rule that applies decides.

    1. ``not-testable``: the paper prints no spread or no number of runs (``reported`` is ``None``).
    2. ``equivalent``: two one-sided Welch tests at ``significance`` show a difference of less than the margin. Where the
       interval leaves out zero all the same, the judgement is :attr:`Judgement.also_different`: within one run's spread,
       yet different.
    3. ``compatible-underpowered``: Welch's interval holds zero. No difference was seen and equivalence was not shown;
       the reason says whether so many runs could have shown it.
    4. ``same-ordering-different-level``: a difference was seen, and *every* printed order with another method of the
       column is confirmed. One pair that our runs leave open is enough for rule 5.
    5. ``different``: everything else; the reason counts the pairs that are confirmed, open and reversed.

    Parameters
    ----------
    reported : mean, standard deviation and runs as printed, or ``None``
    reproduced : ours
    margin : positive, in the metric's unit, frozen beforehand
    ordering : see :func:`same_ordering`; ``None`` where there is nothing to compare with, which never gives rule 4
    lacking : what the paper does not print, for the reason of rule 1
    significance, confidence : level of each one-sided test, and of the interval
    """
    if reported is None:
        return Judgement(NOT_TESTABLE, lacking or "the paper prints no spread or no number of runs", None, margin)
    interval = welch(reported, reproduced, confidence)
    limit = smallest_margin(reported, reproduced, significance)
    equivalence = two_one_sided(reported, reproduced, margin, significance)
    shown = (
        f"difference {interval.estimate:+.4g}, {confidence:.0%} interval {interval.low:+.4g} to {interval.high:+.4g}"
    )
    if equivalence.shown:
        verdict, why = EQUIVALENT, f"{shown}; below the margin {margin:.4g} at p = {equivalence.p_value:.2g}"
    elif 0.0 in interval:
        power = (
            f"{reported.n} reported and {reproduced.n} reproduced runs cannot show less than {limit:.4g}"
            if limit >= margin
            else f"these runs could have shown {limit:.4g}"
        )
        verdict, why = COMPATIBLE, f"{shown}; margin {margin:.4g} not shown (p = {equivalence.p_value:.2g}): {power}"
    else:
        verdict = LEVEL if ordering is not None and ordering.as_printed else DIFFERENT
        why = f"{shown}; {'no order to compare' if ordering is None else ordering.words()}"
    judged = Judgement(verdict, why, interval, margin, limit, welch_p_value(reported, reproduced), ordering)
    return replace(judged, reason=f"{why}; within the margin, yet different") if judged.also_different else judged


def exact_verdict(reported: float, reproduced: float, of: Selection | None = None) -> Judgement:
    """Of a number without run-to-run variation, such as a count: ``equivalent`` if equal, else ``different``.

    ``of`` says which stored rows have it.
    """
    difference = float(reproduced) - float(reported)
    interval = Interval(difference, difference, difference, 1, of)
    if difference == 0.0:
        return Judgement(EQUIVALENT, f"both are {reported:g}; follows from a formula, without runs", interval, 0.0)
    return Judgement(DIFFERENT, f"printed {reported:g}, the formula gives {reproduced:g}", interval, 0.0)


def decided(holds: bool, fails: bool) -> str:
    """The word for a claim that is shown to hold, or shown to fail, or neither."""
    return HOLDS if holds else CONTRADICTED if fails else UNDECIDED


def shifted(interval: Interval, by: float) -> Interval:
    """The interval of a quantity minus a fixed number."""
    ends = interval.estimate - by, interval.low - by, interval.high - by
    return Interval(*ends, interval.count, less(interval.runs, by))


def paired_claim(difference: Interval, says: str, margin: float | None = None) -> Judgement:
    """ "A is smaller than / larger than / comparable with B", from the interval of A - B over common seeds.

    smaller: holds if high < 0, contradicted if low > 0; larger: the mirror image; comparable: holds if the interval lies
    inside (-margin, margin), contradicted if it lies outside [-margin, margin]; otherwise undecided.

    Raises
    ------
    ParameterError
        for another word, or "comparable" without a positive margin
    """
    known_as("says", says, SAYINGS)
    if says == "comparable":
        if margin is None or not margin > 0:
            raise ParameterError("margin", f"got {margin!r}", "a positive number for the claim 'comparable'")
        holds = -margin < difference.low and difference.high < margin
        fails = difference.low > margin or difference.high < -margin
    else:
        holds, fails = difference.high < 0, difference.low > 0
        if says == "larger":
            holds, fails = fails, holds
    verdict = decided(holds, fails)
    within = f", margin {margin:.4g}" if says == "comparable" else ""
    reason = f"difference {difference.estimate:+.4g}, interval {difference.low:+.4g} to {difference.high:+.4g}{within}"
    return Judgement(verdict, reason, difference, margin if says == "comparable" else None)


def exponent_claim(slope: Interval, claimed: float, allowance: float) -> Judgement:
    """ "Grows like x^claimed": the slope's interval, from log-log values, stays within ``allowance`` of the exponent."""
    gap = shifted(slope, claimed)
    verdict = paired_claim(gap, "comparable", allowance).verdict
    reason = f"slope {slope.estimate:.3f}, interval {slope.low:.3f} to {slope.high:.3f}; claimed {claimed:.3g}"
    return Judgement(verdict, f"{reason}, allowance {allowance:g}", gap, allowance)


def exact_claim(failures: int, checked: int, what: str) -> Judgement:
    """A claim about formulas or single facts: holds if none of ``checked`` cases fails, contradicted otherwise.

    Raises
    ------
    ParameterError
        if nothing was checked
    """
    if checked < 1:
        raise ParameterError("checked", f"got {checked!r}", "at least one case")
    verdict = HOLDS if failures == 0 else CONTRADICTED
    return Judgement(verdict, f"{what}: {checked - failures} of {checked}")


def combined(verdicts: Sequence[str]) -> str:
    """Verdict on a claim with several parts: contradicted if any part is; else not-testable or undecided if any is.

    Raises
    ------
    ParameterError
        without parts, or for a word that is no verdict on a claim
    """
    unknown = [verdict for verdict in verdicts if verdict not in CLAIM_VERDICTS]
    if not verdicts or unknown:
        raise ParameterError("verdicts", f"got {list(verdicts)!r}", f"one or more of {', '.join(CLAIM_VERDICTS)}")
    return next(word for word in (CONTRADICTED, NOT_TESTABLE, UNDECIDED, HOLDS) if word in verdicts)


#: So many standard errors are far apart, whatever else is printed too little of.
FAR = 3.0


def far_apart(entries: Iterable[Entry]) -> list[Entry]:
    """Cells that cannot be tested as printed and differ by more than :data:`FAR` standard errors if their runs spread as ours."""
    assumed = ((entry, entry.get("if_spread_as_ours") or {}) for entry in entries)
    return [entry for entry, under in assumed if abs(under.get("standard_errors", 0.0)) > FAR]


def printed_once(entries: Iterable[Entry]) -> list[Entry]:
    """Without the numbers that an earlier table of the same paper prints too, which are counted there."""
    return [entry for entry in entries if not entry.get("repeats")]


@dataclass(frozen=True)
class Part:
    """One tested part of a claim: what was compared, both sides where they are numbers, and the judgement.

    ``interval_of`` names in words what the judgement's interval is of, where that is another quantity than ``reproduced``;
    ``opponent`` is the name and the number that ``reproduced`` is compared with, where it is none of the paper's.
    """

    what: str
    judgement: Judgement
    reported: float | None = None
    reproduced: Summary | float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    interval_of: str = ""
    opponent: tuple[str, float] | None = None


def entry(
    *,
    paper: str,
    source: str,
    cell: str,
    metric: str,
    kind: str,
    judgement: Judgement,
    record: Mapping[str, Any],
    reported: Mapping[str, Any] | None = None,
    reproduced: Summary | float | None = None,
    **more: Any,
) -> dict[str, Any]:
    """The JSON object of a verdict, the same shape for cells and claims.

    Parameters
    ----------
    paper, source, cell, metric : where the number or the claim stands
    kind : ``cell`` or ``claim``; decides which verdicts are allowed
    judgement : of :func:`cell_verdict` and its kin
    record : provenance, with ``command``
    reported : mean, spread, spread_kind, n as printed; ``None`` for a claim without a number
    reproduced : ours; a plain number for something that does not vary
    more : further fields; ``whose`` is the paper's unless it is given

    Besides, a cell has the fields of :func:`cell_fields`.

    Raises
    ------
    ParameterError
        for a verdict that this kind cannot have, or a record without a command
    """
    allowed = {"cell": CELL_VERDICTS, "claim": CLAIM_VERDICTS}.get(kind, ())
    if judgement.verdict not in allowed:
        raise ParameterError("verdict", f"got {judgement.verdict!r} for a {kind}", f"one of {', '.join(allowed)}")
    if not record.get("command"):
        raise ParameterError("record", "names no command", "the command that makes the numbers")
    printed = {"mean": None, "spread": None, "spread_kind": "unstated", "n": None} | dict(reported or {})
    ours = _ours(reproduced)
    between = judgement.difference
    gap = between.estimate if between is not None else _gap(printed["mean"], ours["mean"])
    return {
        "paper": paper,
        "source": source,
        "cell": cell,
        "metric": metric,
        "kind": kind,
        "whose": PAPER,
        "reported": printed,
        "reproduced": ours,
        "difference": {"mean": gap, "ci95": None if between is None else between.ends},
        "margin": judgement.margin,
        "smallest_margin": judgement.limit,
        "verdict": judgement.verdict,
        "reason": judgement.reason,
        "record": dict(record),
        **(cell_fields(judgement, printed) if kind == "cell" else {}),
        **more,
    }


def cell_fields(judgement: Judgement, reported: Mapping[str, Any]) -> dict[str, Any]:
    """Details of a cell's verdict.

    Parameters
    ----------
    judgement : of the cell
    reported : mean, spread and n as printed

    Returns
    -------
    ``also_different`` (equivalent, yet different), ``p_value`` (Welch), ``ordering`` (counts of pairs, or ``None``),
    ``one_outcome`` with ``one_outcome_reason`` (no run of ours could have changed the verdict, as the paper prints too
    little to test) and ``never_equivalent`` (with so many runs of such a spread the margin cannot be shown)
    """
    fixed = judgement.verdict == NOT_TESTABLE and (reported["spread"] is None or reported["n"] is None)
    return {
        "also_different": judgement.also_different,
        "p_value": judgement.p_value,
        "ordering": None if judgement.ordering is None else judgement.ordering.to_dict(),
        "one_outcome": fixed,
        "one_outcome_reason": judgement.reason if fixed else "",
        "never_equivalent": judgement.never_equivalent,
    }


def claim_entry(
    *, paper: str, source: str, cell: str, metric: str, parts: Sequence[Part], record: Mapping[str, Any], **more: Any
) -> dict[str, Any]:
    """The JSON object of a claim; its numbers are those of the first part that has the combined verdict.

    ``interval_of`` names the quantity of that part's interval where it is not the one of ``reproduced``; ``opponent`` has
    ``name`` and ``mean`` of what ``reproduced`` is compared with, or is ``None``.
    """
    verdict = combined([part.judgement.verdict for part in parts])
    decisive = next(part for part in parts if part.judgement.verdict == verdict)
    reason = "; ".join(f"{part.what}: {part.judgement.verdict} ({part.judgement.reason})" for part in parts)
    judged = decisive.judgement
    return entry(
        paper=paper,
        source=source,
        cell=cell,
        metric=metric,
        kind="claim",
        judgement=Judgement(verdict, reason, judged.difference, judged.margin, judged.limit),
        record=record,
        reported={"mean": decisive.reported},
        reproduced=decisive.reproduced,
        parts=[_part(part) for part in parts],
        **({"interval_of": _part(decisive)["interval_of"], "opponent": _opponent(decisive)} | more),
    )


def _part(part: Part) -> dict[str, Any]:
    between = part.judgement.difference
    return {
        "what": part.what,
        "verdict": part.judgement.verdict,
        "reason": part.judgement.reason,
        "reported": part.reported,
        "reproduced": _ours(part.reproduced),
        "difference": None if between is None else {"mean": between.estimate, "ci95": between.ends},
        "margin": part.judgement.margin,
        "interval_of": part.interval_of,
        "opponent": _opponent(part),
        **part.extra,
    }


def _opponent(part: Part) -> dict[str, Any] | None:
    return None if part.opponent is None else {"name": part.opponent[0], "mean": part.opponent[1]}


def _ours(reproduced: Summary | float | None) -> dict[str, Any]:
    if isinstance(reproduced, Summary):
        return {"mean": reproduced.mean, "sd": reproduced.sd, "n": reproduced.n}
    return {"mean": None if reproduced is None else float(reproduced), "sd": None, "n": None}


def _gap(printed: float | None, ours: float | None) -> float | None:
    return None if printed is None or ours is None else ours - printed
