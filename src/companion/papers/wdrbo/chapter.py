"""What the notebook of chapter 5 may be called with, and the record at its end."""

from __future__ import annotations

from companion.papers.wdrbo.studies.paper import Evidence
from companion.profiles import ParameterSet
from companion.report import Table
from companion.report.chapter import checker, count, positive, record_table

#: Mirrors the notebook's parameters cell; a test compares names and defaults.
PARAMETERS = ParameterSet(
    (
        count("seed", 0, "first seed of every study, non-negative integer", 0, 2**31),
        positive("radius", 0.1, "ball's radius in the general setting, units of c", 0.3),
        positive("regulariser", 1.0, "regulariser lambda of the learner, squared units of f", 100.0),
        positive("noise", 0.1, "noise R of the observations, units of f", 10.0),
        count("runs", 100, "functions behind every mean of the theory studies, count", 4, 10_000),
        count("rounds", 60, "rounds T where the proofs are taken apart, count", 10, 400),
        count("arms", 50, "rounds on arms that have nothing in common, count", 5, 400),
        count("live_runs", 2, "runs of each method made now on two problems, count", 1, 15),
        count("live_rounds", 10, "rounds of these runs, count", 1, 100),
    )
)

check = checker(PARAMETERS)


def run_record(evidence: Evidence) -> Table:
    """What the chapter was computed with: command, code, versions; and the same of the stored results it loads."""
    return record_table(run_record, evidence.both.record, evidence.where)
