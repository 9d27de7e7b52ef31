"""Reported beside reproduced, with verdicts: the 28 cells of Table 2 as ratios, and the conclusions from Figures 2-5.

The minutes themselves are not testable: the paper's processors are not named, and the repository that it names could not be
reached from where this was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from companion.papers.meanfield.claims import figures as claims_figures
from companion.papers.meanfield.claims import methods as claims_methods
from companion.papers.meanfield.claims.printed import (
    METHOD_OF,
    OURS,
    PAPER,
    RATIO,
    TITLE_OF,
    SideBySide,
    method_of,
    problem_of,
    ratio,
    side_by_side,
)
from companion.papers.meanfield.problems.catalogue import SETTINGS
from companion.report.evidence import ASKED
from companion.reproduce.claims import judge_claims
from companion.reproduce.intervals import Interval, paired_interval
from companion.reproduce.ordering import Ordering, same_ordering
from companion.reproduce.reported import ReportedCell, ReportedClaim, load_claims
from companion.reproduce.verdict import NOT_TESTABLE, Judgement, cell_verdict, entry

UNIT = "the unit of all ratios of MF-GP-UCB: 1 by definition"
HARDWARE = "minutes on processors that the paper does not name; compared as a ratio"
LACKING = "left out of the stored runs"
CLOCK = "ours are CPU seconds on one core, the paper's minutes of a run on a cluster"


def entries(root: Path | None = None) -> list[dict[str, Any]]:
    """One object per printed number, per claim and per question of the companion's.

    Parameters
    ----------
    root : repository; found from the current folder by default

    Raises
    ------
    DataError
        for faulty reported tables or margins
    ResultError
        when the stored runs are missing or damaged
    CompanionError
        if a claim of ``claims.csv`` has no test, or a test no claim
    """
    both = side_by_side(root)
    return [cell_entry(both, cell) for cell in both.cells] + claim_entries(both, load_claims(PAPER, root))


def cell_entry(both: SideBySide, cell: ReportedCell) -> dict[str, Any]:
    """A printed time beside ours, both as ratios; see :func:`companion.reproduce.verdict.entry` for the common fields.

    Besides: ``problem``, ``method``, ``denominator`` (the cell divided by), ``minutes`` as printed, ``seconds`` of ours,
    ``speed_up`` (printed time over ours), and ``label`` of the data.
    """
    problem, method = problem_of(cell), method_of(cell)
    below, printed = both.reference(problem, method), both.printed_ratio(problem, method)
    common: dict[str, Any] = {
        "paper": PAPER,
        "source": cell.source,
        "cell": f"{cell.problem}, {cell.method}",
        "metric": RATIO,
        "kind": "cell",
        "record": both.record,
        "unit": "1",
        "note": f"{HARDWARE}; {CLOCK}; {cell.note}",
        "problem": problem,
        "method": method,
        "minutes": cell.as_printed(),
    }
    if printed is None or below is None:
        return entry(judgement=Judgement(NOT_TESTABLE, UNIT), reported={"mean": 1.0}, **common)
    common |= {"reported": printed.as_printed(), "denominator": f"{TITLE_OF[below[0]]}, {_name(below[1])}"}
    if not (both.has("figures", problem, method) and both.has("figures", *below)):
        return entry(judgement=Judgement(NOT_TESTABLE, LACKING), **common)
    ours = both.time(problem, method)
    reproduced = ratio(ours, both.time(*below))
    judgement = cell_verdict(
        printed.summary,
        reproduced,
        both.margins.margin(printed),
        _ordering(both, problem, method),
        significance=both.margins.significance,
        confidence=both.margins.confidence,
    )
    return entry(
        judgement=judgement,
        reproduced=reproduced,
        seconds={"mean": ours.mean, "sd": ours.sd, "n": ours.n},
        speed_up=60.0 * cell.mean / ours.mean,
        label=both.label(problem),
        **common,
    )


def _name(method: str) -> str:
    return next(name for name, own in METHOD_OF.items() if own == method)


def _ordering(both: SideBySide, problem: str, method: str) -> Ordering:
    """A cell against the others that it is comparable with.

    A method to the other methods of its problem; MF-GP-UCB, whose ratio is to itself on Swarm, to itself on other problems.
    """
    if method == OURS:
        others = [(name, OURS) for name in SETTINGS if name != problem]
    else:
        others = [(problem, other) for other in METHOD_OF.values() if other != method]
    pairs: list[tuple[float, Interval]] = []
    for where, other in others:
        if both.has("figures", where, other):
            printed = both.printed(problem, method).mean - both.printed(where, other).mean
            ours = paired_interval(both.seconds(problem, method), both.seconds(where, other), both.margins.confidence)
            pairs.append((printed, ours))
    return same_ordering(pairs)


def claim_entries(both: SideBySide, claims: Sequence[ReportedClaim]) -> list[dict[str, Any]]:
    """One object per claim, then per question, with the tested ``parts``; a question's words are its ``claim``.

    Raises
    ------
    CompanionError
        if a claim has no test, or a test no claim
    """
    asked = [(ReportedClaim(name, ASKED, words, ""), test) for name, (words, test) in claims_methods.QUESTIONS.items()]
    found = judge_claims(
        PAPER,
        claims,
        {**claims_figures.TESTS, **claims_methods.TESTS, **claims_methods.COMPUTED},
        both,
        both.record,
        computed=claims_methods.COMPUTED,
        added=asked,
    )
    return [_interval_named(judged) for judged in found]


def _interval_named(judged: dict[str, Any]) -> dict[str, Any]:
    """A claim's entry with the quantity of its interval named, if that is another one than ours minus the printed number."""
    decisive = next(part for part in judged["parts"] if part["verdict"] == judged["verdict"])
    return judged | {"interval_of": decisive["interval_of"]} if "interval_of" in decisive else judged
