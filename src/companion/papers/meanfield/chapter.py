"""What the notebook of chapter 4 may be called with, and the record at its end."""

from __future__ import annotations

from dataclasses import replace

from companion.papers.meanfield.studies.paper import Evidence
from companion.profiles import ParameterSet
from companion.report import Table
from companion.report.chapter import checker, count, positive, record_table

#: Mirrors the notebook's parameters cell; a test compares names and defaults.
PARAMETERS = ParameterSet(
    (
        count("seed", 0, "first seed of every study, non-negative integer", 0, 2**31),
        count("rounds", 60, "rounds T where the proof is taken apart, count", 8, 250),
        count("games", 100, "games behind every mean of the bound study, count", 4, 2000),
        positive("noise", 0.1, "noise standard deviation of the bound study, units of f", 10.0),
        count("most", 8, "largest number of agents whose joint actions are listed, count", 2, 10),
        count("populations", 200, "populations behind every mean of the study of draws, count", 4, 20_000),
        count("live_runs", 1, "runs of each method and number of agents made now, count", 1, 10),
        count("live_evaluations", 25, "evaluations of these runs, count", 10, 250),
    )
)

check = checker(PARAMETERS)


def run_record(evidence: Evidence) -> Table:
    """What the chapter was computed with: command, code, versions; and the same of the stored results it loads."""
    table = record_table(run_record, evidence.both.record, evidence.where)
    stored = evidence.both.record
    if {"computed", "runs"} <= stored["settings"].keys():
        # A call that was interrupted finds part of the runs done: its seconds are not those of all of them.
        last = f"last call {stored['seconds']:.0f} s ({stored['settings']['computed']} of {stored['settings']['runs']} runs)"
        spent = f"{evidence.both.tables['times'].seconds.sum():,.0f}".replace(",", " ")
        frame = table.frame.copy()
        frame.loc[frame.what == "run time", "stored results"] = f"{last}; all runs {spent} CPU s"
        table = replace(table, frame=frame)
    return table
