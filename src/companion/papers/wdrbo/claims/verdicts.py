"""Reported beside reproduced: the 26 times of Tables 1 and 2, the conclusions, and the companion's own questions.

The tables print clock times of another machine and no number of runs, so no cell can be tested as it stands. What carries
over is the ratio to ERBO's time on the same function; it is compared beside the verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from companion.papers.wdrbo.claims import figures as claims_figures
from companion.papers.wdrbo.claims import general as claims_general
from companion.papers.wdrbo.claims import times as claims_times
from companion.papers.wdrbo.claims.figures import Test
from companion.papers.wdrbo.claims.printed import METHOD_OF, PAPER, PROBLEM_OF, SideBySide, side_by_side
from companion.papers.wdrbo.claims.questions import QUESTIONS
from companion.report.evidence import ASKED
from companion.reproduce.claims import judge_claims
from companion.reproduce.intervals import mean_interval
from companion.reproduce.reported import ReportedCell, ReportedClaim, load_claims
from companion.reproduce.verdict import NOT_TESTABLE, Judgement, entry

UNTESTABLE = "a clock time on another machine, of a number of runs that is not printed"
ASSUMPTION = (
    "ratio to ERBO's time on the same function, processor time within one process; the paper's inner problems go through a "
    "generic solver, ours through exact ones"
)
ALIKE, APART, UNCLEAR = "within", "outside", "undecided"
TESTS: Mapping[str, Test] = {**claims_figures.TESTS, **claims_general.TESTS, **claims_times.TESTS}
COMPUTED = ("optimum-moves", "question-premise")
"""Claims and questions that rest on computation alone; every other one rests on the stored runs."""


def entries(root: Path | None = None) -> list[dict[str, Any]]:
    """One object per printed number, per claim, and per question.

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
    cells = [cell_entry(both, cell) for cell in both.cells]
    return cells + claim_entries(both, load_claims(PAPER, root))


def cell_entry(both: SideBySide, cell: ReportedCell) -> dict[str, Any]:
    """A printed time; see :func:`companion.reproduce.verdict.entry` for the common fields.

    Besides: ``problem``, ``method``, ``assumption`` and ``ratio``: as ``printed``, its ``margin``, and where times were
    taken ``mean``, ``sd``, ``n``, ``ci95`` of ours and whether it lies within the margin of the printed one.
    """
    problem, method = PROBLEM_OF[cell.problem], METHOD_OF[cell.method]
    printed = both.printed_ratio(cell)
    margin = both.margins.margin(cell) / cell.mean * printed
    ratio: dict[str, Any] = {"printed": printed, "margin": margin}
    if both.timed(problem, method):
        ratio |= compared_ratio(both.ratios(problem, method), printed, margin, both.margins.confidence)
    return entry(
        paper=PAPER,
        source=cell.source,
        cell=f"{cell.problem}, {cell.method}",
        metric=f"{cell.metric}_at_t={cell.at}",
        kind="cell",
        judgement=Judgement(NOT_TESTABLE, UNTESTABLE, None, both.margins.margin(cell)),
        record=both.record,
        reported=cell.as_printed(),
        unit=cell.unit,
        note=cell.note,
        problem=problem,
        method=method,
        assumption=ASSUMPTION,
        ratio=ratio,
    )


def compared_ratio(values: np.ndarray, printed: float, margin: float, confidence: float) -> dict[str, Any]:
    """Our ratio with its interval, and whether it lies within ``margin`` of the printed one."""
    found = mean_interval(values, confidence)
    low, high = found.low - printed, found.high - printed
    apart = low > margin or high < -margin
    return {
        "mean": found.estimate,
        "sd": float(np.std(values, ddof=1)),
        "n": found.count,
        "ci95": [found.low, found.high],
        "verdict": ALIKE if low >= -margin and high <= margin else APART if apart else UNCLEAR,
    }


def claim_entries(both: SideBySide, reported: Sequence[ReportedClaim]) -> list[dict[str, Any]]:
    """One object per claim, then per question, with the tested ``parts``; a question's words are its ``claim``.

    Raises
    ------
    CompanionError
        if a claim has no test, or a test no claim
    """
    questions = [(ReportedClaim(name, ASKED, words, ""), test) for name, (words, test) in QUESTIONS.items()]
    return judge_claims(PAPER, reported, TESTS, both, both.record, computed=COMPUTED, added=questions)
