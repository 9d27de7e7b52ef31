"""Reported beside reproduced: the 27 cells of Tables 2-4, and the conclusions, under every reading of the rule.

The tables print clock times of another machine, without horizon or number of runs, so no cell can be tested as it stands.
What carries over, if anything does, is the ratio to the uncompressed time of the same acquisition; it is compared under
labelled assumptions, beside the verdict.
"""

from __future__ import annotations

from typing import Any

from companion.judge.claim_tests import WITHIN, beside_printed
from companion.judge.claims import Verdicts
from companion.judge.reported import ReportedCell
from companion.judge.verdict import NOT_TESTABLE, Judgement
from companion.papers.compressed.experiments import experiments_claims as claims
from companion.papers.compressed.experiments import theory_claims as claims_theory
from companion.papers.compressed.experiments.printed import MODEL_OF, VARIANTS_OF, CompressedResults
from companion.papers.compressed.experiments.runs import TIMED

UNTESTABLE = "a clock time on another machine; horizon, number of runs and what the time includes are not printed"
ASSUMPTION = (
    "ratio to the uncompressed method of the same acquisition, CPU time within one process, at the companion's horizon; "
    "posterior refit: computed anew every round; engine: by updates with short cuts"
)
WITH_TRAINING = "; the stored training times of the configurations evaluated count, those of rejected rounds do not"


def compared(results: CompressedResults, cell: ReportedCell) -> dict[str, Any]:
    """A printed time beside ours.

    Besides: ``problem``, ``method``, ``assumption`` and ``ratio``, an object with ``printed``, ``margin``, ``found`` (for
    every variant and posterior our ratio with its interval, and whether that lies within the margin of the printed one)
    and ``agreeing`` (the variants for which it does, with refits).
    """
    problem, method = results.named(cell)
    printed = results.printed_ratio(cell)
    margin = results.margins.margin(cell) / cell.mean * printed
    found = ratios(results, problem, method, printed, margin) if results.has(problem) else []
    agreeing = [row["variant"] for row in found if row["posterior"] == "refit" and row["verdict"] == WITHIN]
    reason = UNTESTABLE if results.has(problem) else f"{UNTESTABLE}; {claims.ABSENT}"
    training = WITH_TRAINING if problem.startswith("logistic") else ""
    return {
        "judgement": Judgement(NOT_TESTABLE, reason, None, results.margins.margin(cell)),
        "problem": problem,
        "method": method,
        "assumption": ASSUMPTION + training,
        "ratio": {"printed": printed, "margin": margin, "found": found, "agreeing": agreeing},
    }


def ratios(
    results: CompressedResults, problem: str, method: str, printed: float, margin: float
) -> list[dict[str, Any]]:
    """Our ratios of every variant that a printed row may stand for, beside the printed one."""
    model, found = method.partition("-")[0], []
    assert model in MODEL_OF.values()
    for posterior in TIMED:
        for variant in VARIANTS_OF[model]:
            values = results.time_ratios(problem, method, variant, posterior)
            bare = results.time_ratios(problem, method, variant, posterior, "seconds")
            found.append(
                {
                    "variant": variant,
                    "posterior": posterior,
                    "without_objective": float(bare.mean()),
                    **beside_printed(values, printed, margin, results.margins.confidence),
                }
            )
    return found


# The budget is computed here; every other claim rests on the stored runs.
VERDICTS = Verdicts(CompressedResults, compared, {**claims.TESTS, **claims_theory.TESTS}, computed=("constant-budget",))
