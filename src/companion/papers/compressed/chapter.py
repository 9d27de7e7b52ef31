"""What the notebook of chapter 2 may be called with, and the record at its end."""

from __future__ import annotations

from companion.papers.compressed.studies.paper import Evidence
from companion.profiles import ParameterSet
from companion.report import Table
from companion.report.chapter import checker, count, positive, record_table

#: Mirrors the notebook's parameters cell; a test compares names and defaults.
PARAMETERS = ParameterSet(
    (
        count("seed", 0, "first seed of every study, non-negative integer", 0, 2**31),
        count("horizon", 200, "rounds T at which the proof is taken apart, count", 8, 4000),
        positive(
            "noise_variance", 0.1, "noise variance of constants, chain, parts and bound study, squared units of f", 10.0
        ),
        positive("alpha", 0.5, "exponent of the horizon in the budget, dimensionless", 4.0),
        count("functions", 100, "functions behind every mean of the bound study, count", 10, 10_000),
        count("halvings", 6, "times the budget u is halved where the dictionary is measured, count", 3, 8),
        count("ends", 3, "functions on which UCB runs until nothing more is kept, count", 1, 100),
        count("improvement_runs", 40, "runs behind the study of expected improvement, count", 2, 10_000),
        count("picture_rounds", 300, "rounds of the run that is shown being compressed, count", 20, 5000),
        count("live_runs", 2, "runs of each method made now for Figure 1, count", 1, 20),
    )
)

check = checker(PARAMETERS)


def run_record(evidence: Evidence) -> Table:
    """What the chapter was computed with: command, code, versions; and the same of the stored results it loads."""
    return record_table(run_record, evidence.both.record, evidence.where)
