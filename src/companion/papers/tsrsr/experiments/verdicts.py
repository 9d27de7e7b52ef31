"""Reported beside reproduced, with verdicts: the 84 cells of Tables 1-4, the conclusions, and the order in every column.

A cell's verdict rests on the text's reading and all our runs. Beside it stand the verdicts with as many runs as the
paper has, and with the code's reading. Numbers are in the unit of the printed table.
"""

from __future__ import annotations

from typing import Any

from companion.judge.claims import Verdicts
from companion.judge.ordering import Ordering, same_ordering
from companion.judge.reported import ReportedCell
from companion.judge.verdict import NOT_TESTABLE, Judgement
from companion.papers.tsrsr.experiments import methods_claims as claims_methods
from companion.papers.tsrsr.experiments import tables_claims as claims_tables
from companion.papers.tsrsr.experiments.printed import METHOD_OF, TSRSRResults
from companion.papers.tsrsr.experiments.ranking_claims import ranks
from companion.papers.tsrsr.experiments.tables_claims import order_claim
from companion.papers.tsrsr.problems.catalogue import SETTINGS

SPREAD = (
    "the printed spread divides by n in the authors' code; the test uses it times sqrt(n / (n - 1)), the margin is the "
    "spread as printed"
)
POOLED = "runs on one function are related; like the paper's spread, the test pools them as if they were not"
NOT_RUN = "not rerun: what the problem needs was not installed"


def compared(results: TSRSRResults, cell: ReportedCell) -> dict[str, Any]:
    """A printed number beside ours.

    Besides: ``problem``, ``method``, ``assumption``, ``pooling``, ``smallest_margin_in_sd`` (of the printed standard
    deviation), ``rank`` (as printed, recomputed from the printed means, ours, and ours in the code's reading),
    ``at_paper_runs`` and ``code`` (the verdict with as many runs as the paper, and with the code's reading); for Boston
    ``above_reference``, our mean above the best value known rather than above the best of these runs.
    """
    problem, method = results.named(cell)
    several = SETTINGS[problem].functions > 1
    common: dict[str, Any] = {
        "note": f"in units of {cell.unit}; {cell.note}",
        "problem": problem,
        "method": method,
        "assumption": SPREAD,
        "pooling": POOLED if several else "",
    }
    place: dict[str, int] = {
        "printed": results.ranks[problem, method],
        "recomputed": ranks(results, problem, None)[method],
    }
    if not results.has(problem):
        return common | {"judgement": Judgement(NOT_TESTABLE, NOT_RUN), "rank": place}
    place["text"] = ranks(results, problem)[method]
    extra: dict[str, Any] = {"at_paper_runs": judged_again(results, cell, count=results.paper_runs(problem))}
    if results.has(problem, reading="code"):
        extra["code"] = judged_again(results, cell, "code")
        place["code"] = ranks(results, problem, "code")[method]
    offset = results.offset(problem)
    if offset:
        extra["above_reference"] = results.summary(problem, method).mean + offset / SETTINGS[problem].unit
    judgement = judge(results, cell)
    assert judgement.limit is not None  # every printed cell has a spread
    extra["smallest_margin_in_sd"] = judgement.limit / results.reported(cell).sd
    ours = results.summary(problem, method)
    return common | {"judgement": judgement, "reproduced": ours, "rank": place} | extra


def judge(results: TSRSRResults, cell: ReportedCell, reading: str = "text", count: int | None = None) -> Judgement:
    """The verdict on a cell from the runs of one reading: all, or the first ``count``."""
    problem, method = results.named(cell)
    ours, spread = results.summary(problem, method, reading, count), results.spread(cell)
    return results.judge(results.reported(cell), ours, spread, _ordering(results, cell, reading, count))


def judged_again(
    results: TSRSRResults, cell: ReportedCell, reading: str = "text", count: int | None = None
) -> dict[str, Any]:
    """The same as fields of an entry."""
    judgement = judge(results, cell, reading, count)
    ours = results.summary(*results.named(cell), reading, count)
    assert judgement.difference is not None
    return {
        "verdict": judgement.verdict,
        "also_different": judgement.also_different,
        "reason": judgement.reason,
        "reproduced": {"mean": ours.mean, "sd": ours.sd, "n": ours.n},
        "difference": {
            "mean": judgement.difference.estimate,
            "ci95": judgement.difference.ends,
        },
        "smallest_margin": judgement.limit,
    }


def _ordering(results: TSRSRResults, cell: ReportedCell, reading: str, count: int | None) -> Ordering:
    """The cell's method against the other methods of its column."""
    problem, method = results.named(cell)
    return same_ordering(
        (cell.mean - results.printed(problem, other), results.against(problem, method, other, reading, count))
        for other in METHOD_OF.values()
        if other != method
    )


VERDICTS = Verdicts(
    TSRSRResults,
    compared,
    {**claims_tables.TESTS, **claims_methods.TESTS, **claims_methods.COMPUTED},
    computed=claims_methods.COMPUTED,
    asked=[(order_claim(problem), test) for problem, test in claims_tables.ORDERS.items()],
)
