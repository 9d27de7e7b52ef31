"""Reported beside reproduced: the 26 times of Tables 1 and 2, ten of them in both, the conclusions, and our own questions.

The tables print clock times of another machine and no number of runs, so no cell can be tested as it stands. What carries
over is the ratio to ERBO's time on the same function; it is compared beside the verdict.
"""

from __future__ import annotations

from typing import Any

from companion.judge.claim_tests import beside_printed
from companion.judge.claims import Verdicts, questions
from companion.judge.reported import ReportedCell
from companion.judge.verdict import NOT_TESTABLE, Judgement
from companion.papers.wdrbo.experiments import figures_claims as claims_figures
from companion.papers.wdrbo.experiments import general_claims as claims_general
from companion.papers.wdrbo.experiments import times_claims as claims_times
from companion.papers.wdrbo.experiments.printed import WDRBOResults
from companion.papers.wdrbo.experiments.questions_claims import QUESTIONS

UNTESTABLE = "a clock time on another machine, of a number of runs that is not printed"
ASSUMPTION = (
    "ratio to ERBO's time on the same function, processor time within one process; the paper's inner problems go through a "
    "generic solver, ours through exact ones"
)


def compared(results: WDRBOResults, cell: ReportedCell) -> dict[str, Any]:
    """A printed time beside ours.

    Besides: ``repeats``, the earlier table of which it is a number printed once more; ``problem``, ``method``,
    ``assumption`` and ``ratio``: as ``printed``, its ``margin``, and where times
    were taken ``mean``, ``sd``, ``n``, ``ci95`` of ours and whether it lies within the margin of the printed one.
    """
    problem, method = results.named(cell)
    printed = results.printed_ratio(cell)
    margin = results.margins.margin(cell) / cell.mean * printed
    ratio: dict[str, Any] = {"printed": printed, "margin": margin}
    if results.timed(problem, method):
        ratio |= beside_printed(results.ratios(problem, method), printed, margin, results.margins.confidence)
    return _repeated(results, cell) | {
        "judgement": Judgement(NOT_TESTABLE, UNTESTABLE, None, results.margins.margin(cell)),
        "problem": problem,
        "method": method,
        "assumption": ASSUMPTION,
        "ratio": ratio,
    }


def _repeated(results: WDRBOResults, cell: ReportedCell) -> dict[str, Any]:
    """Table 2 prints all of Table 1 once more."""

    def told(one: ReportedCell) -> tuple[object, ...]:
        return one.problem, one.method, one.metric, one.mean, one.spread

    first = next(one for one in results.cells if told(one) == told(cell))
    return {} if first.source == cell.source else {"repeats": first.source}


VERDICTS = Verdicts(
    WDRBOResults,
    compared,
    {**claims_figures.TESTS, **claims_general.TESTS, **claims_times.TESTS},
    # Every other claim and question rests on the stored runs.
    computed=("optimum-moves", "question-premise", "question-radius"),
    asked=questions(QUESTIONS),
)
