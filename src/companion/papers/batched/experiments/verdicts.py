"""Reported beside reproduced, with verdicts: the 72 cells of Tables 1-3, and every conclusion in ``claims.csv``.

Appendix E prints means over ten trials without a spread, so no printed regret can be tested as it stands. Each cell
still says two things: where the printed mean lies among means of ten of our runs, and which verdict would result if the
paper's runs had the spread of ours.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from companion.core.randomness import stream
from companion.judge.claims import Verdicts
from companion.judge.equivalence import Summary
from companion.judge.method_comparison import REPETITIONS
from companion.judge.ordering import Ordering, same_ordering
from companion.judge.reported import ReportedCell
from companion.judge.verdict import exact_verdict
from companion.papers.batched.experiments import tables_claims as claims_tables
from companion.papers.batched.experiments import theory_claims as claims_theory
from companion.papers.batched.experiments.printed import COUNT, LAST, BatchedResults
from companion.papers.batched.experiments.runs import RULES, rule_label

ASSUMPTION = (
    "the paper's ten runs are independent, each with a function of its own, and have the standard deviation of ours; the "
    "paper prints no spread and does not say whether its trials share a function"
)


def compared(results: BatchedResults, cell: ReportedCell) -> dict[str, Any]:
    """A printed number beside ours.

    A regret has besides: ``if_spread_as_ours`` (the verdict under ``assumption``, with the difference in
    ``standard_errors``), ``percentile_of_ten_run_means`` and
    ``percentile_of_single_runs`` (share of ours below the printed mean, in percent; the second is the one to look at if
    all ten trials used one function), and at t = 1000 ``random_ties``.
    """
    kernel, rule = results.named(cell)
    common: dict[str, Any] = {"cell": rule, "note": ""}
    if cell.metric == COUNT:
        batches = len(results.sizes(kernel, rule))
        judgement = exact_verdict(cell.mean, batches, results.selection("batches", kernel, rule))
        return common | {"judgement": judgement, "reproduced": batches}
    assert cell.at is not None  # every regret was taken at a round
    ours = results.summary(kernel, rule, cell.at)
    extra = _without_spread(results, cell, ours) if cell.summary is None else {}
    if cell.at == LAST:
        tied = results.summary(kernel, rule, random_ties=True)
        extra["random_ties"] = {"mean": tied.mean, "sd": tied.sd, "n": tied.n} | (
            {"if_spread_as_ours": _assumed(results, cell, tied)["verdict"]} if cell.summary is None else {}
        )
    lacking = cell.lacking + ", so neither Welch's interval nor an equivalence test can be computed"
    judgement = results.judge(cell.summary, ours, results.margins.margin(cell), _ordering(results, cell), lacking)
    return common | {"judgement": judgement, "reproduced": ours} | extra


def _without_spread(results: BatchedResults, cell: ReportedCell, ours: Summary) -> dict[str, Any]:
    """Comparison with a printed mean that has no spread."""
    kernel, rule = results.named(cell)
    assert cell.at is not None
    runs = results.runs(kernel, rule, cell.at)
    count = cell.n or 0
    means = ten_run_means(runs, count) if 0 < count < len(runs) else np.empty(0)
    return {
        "assumption": ASSUMPTION,
        "if_spread_as_ours": _assumed(results, cell, ours),
        "percentile_of_ten_run_means": 100.0 * float((means < cell.mean).mean()) if means.size else None,
        "percentile_of_single_runs": 100.0 * float((runs < cell.mean).mean()),
    }


def ten_run_means(runs: np.ndarray, count: int) -> np.ndarray:
    """Means of ``count`` of our runs, drawn with replacement, as new ones would be, from a fixed stream, shape (10,000,)."""
    return runs[_picks(len(runs), count)].mean(axis=1)


@lru_cache(maxsize=4)
def _picks(runs: int, count: int) -> np.ndarray:
    return stream(0, "batched", "ten-run means").integers(runs, size=(REPETITIONS, count))


def _assumed(results: BatchedResults, cell: ReportedCell, ours: Summary) -> dict[str, Any]:
    """The verdict if the printed mean had the standard deviation of our runs."""
    assert cell.n is not None
    assumed = Summary(cell.mean, ours.sd, cell.n)
    judged = results.judge(assumed, ours, results.margins.margin(cell), _ordering(results, cell))
    assert judged.difference is not None
    return {
        "verdict": judged.verdict,
        "also_different": judged.also_different,
        "never_equivalent": judged.never_equivalent,
        "p_value": judged.p_value,
        "reason": judged.reason,
        "difference": {"mean": judged.difference.estimate, "ci95": judged.difference.ends},
        "standard_errors": judged.difference.estimate / (ours.sd * math.sqrt(1 / cell.n + 1 / ours.n)),
        "margin": judged.margin,
        "smallest_margin": judged.limit,
        "smallest_margin_in_sd": None if judged.limit is None else judged.limit / ours.sd,
    }


def _ordering(results: BatchedResults, cell: ReportedCell) -> Ordering:
    """The cell's rule against the other rules of its column."""
    kernel, rule = results.named(cell)
    assert cell.at is not None
    others = [other for other in map(rule_label, RULES[kernel]) if other != rule]
    return same_ordering(
        (cell.mean - results.printed(kernel, other, cell.at), results.against(kernel, rule, other, cell.at))
        for other in others
    )


VERDICTS = Verdicts(
    BatchedResults,
    compared,
    {**claims_tables.TESTS, **claims_theory.TESTS},
    computed=claims_theory.TESTS,
    asked=[(claims_tables.SAME_METHOD, claims_tables.same_method)],
)
