"""What the notebook of chapter 1 may be called with, and the record at its end."""

from __future__ import annotations

from companion.papers.tsrsr.studies.paper import Evidence
from companion.profiles import Parameter, ParameterSet
from companion.report import Table
from companion.report.chapter import checker, count, record_table

#: Mirrors the notebook's parameters cell; a test compares names and defaults.
PARAMETERS = ParameterSet(
    (
        count("seed", 0, "first seed of every study, non-negative integer", 0, 2**31),
        count("batch_size", 5, "points in a batch m where regret meets the bound, count", 1, 200),
        count("batches", 20, "batches T where the proof is taken apart, count", 4, 500),
        Parameter(
            "noise",
            "float",
            1.0,
            "noise standard deviation of the bound study, units of f",
            "companion",
            low=0.0,
            high=10.0,
            low_open=True,
        ),
        count("functions", 300, "functions behind every mean of the theory studies, count", 10, 100_000),
        count("evaluations", 120, "evaluations Tm where batches are compared, count", 20, 2000),
        count("farthest", 200_000, "largest Tm at which the bounds meet the trivial one, count", 1000, 10_000_000),
        count("instances", 8, "random covariances on which rho is enumerated, count", 1, 1000),
        count("posteriors", 100, "posteriors on which all rules choose a batch, count", 2, 10_000),
        count("rule_runs", 40, "runs of TS and of TS-RSR in the study of repeated points, count", 2, 10_000),
        count("live_runs", 2, "runs of each method made now for two columns of the tables, count", 1, 10),
        count("live_batches", 10, "batches of these runs, count", 1, 50),
    )
)

check = checker(PARAMETERS)


def run_record(evidence: Evidence) -> Table:
    """What the chapter was computed with: command, code, versions; and the same of the stored results it loads."""
    return record_table(run_record, evidence.both.record, evidence.where)
