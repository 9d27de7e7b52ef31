"""What the notebook of chapter 3 may be called with, and the record at its end."""

from __future__ import annotations

from companion.papers.batched.studies.paper import Evidence
from companion.profiles import ParameterSet
from companion.report import Table
from companion.report.chapter import checker, count, positive, record_table

#: Mirrors the notebook's parameters cell; a test compares names and defaults.
PARAMETERS = ParameterSet(
    (
        count("seed", 0, "first seed of every study, non-negative integer", 0, 2**31),
        count("horizon", 1000, "evaluations T where one run is taken apart, rounds", 30, 20_000),
        positive(
            "delta", 0.1, "allowed failure probability of the confidence bounds, between 0 and 1", 1.0, high_open=True
        ),
        positive("norm", 1.0, "RKHS norm Psi of the test functions, units of f", 100.0),
        positive("noise", 0.1, "noise standard deviation in the bound studies, units of f", 10.0),
        count("coverage_runs", 200, "runs per kernel and delta in the confidence study, count", 2, 100_000),
        count("rate_horizon", 8000, "largest horizon of the regret-exponent study, rounds", 1000, 100_000),
        count("rate_functions", 4, "functions per kernel and rule in the regret-exponent study, count", 2, 1000),
        count("class_horizon", 2000, "evaluations T on the lower-bound class, rounds", 200, 20_000),
        count("class_seeds", 2, "noise seeds per function of the lower-bound class, count", 1, 1000),
        count("class_functions", 8, "functions played per lower-bound class, count", 1, 1000),
        count("robust_horizon", 1000, "evaluations T of the robust study, rounds", 60, 20_000),
        count("robust_seeds", 5, "seeds per method of the robust study, count", 2, 1000),
        count("example_seeds", 8, "seeds of the three-arm example against App. C, count", 1, 1000),
        count("live_functions", 2, "functions of Appendix E rerun live, count", 1, 200),
    )
)

check = checker(PARAMETERS)


def run_record(evidence: Evidence) -> Table:
    """What the chapter was computed with: command, code, versions; and the same of the stored results it loads."""
    return record_table(run_record, evidence.record, evidence.where)
