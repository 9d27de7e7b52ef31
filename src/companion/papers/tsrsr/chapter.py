"""What the notebook of chapter 1 may be called with, and the record at its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from companion.papers.tsrsr.studies.paper import Evidence
from companion.profiles import Parameter, ParameterSet
from companion.report import Table, here
from companion.reproduce.record import package_hash, versions


def _count(name: str, default: int, text: str, low: int, high: int) -> Parameter:
    return Parameter(name, "int", default, text, "companion", low=low, high=high)


#: Mirrors the notebook's parameters cell; a test compares names and defaults.
PARAMETERS = ParameterSet(
    (
        _count("seed", 0, "first seed of every study, non-negative integer", 0, 2**31),
        _count("batch_size", 5, "points in a batch m where regret meets the bound, count", 1, 200),
        _count("batches", 20, "batches T where the proof is taken apart, count", 4, 500),
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
        _count("functions", 300, "functions behind every mean of the theory studies, count", 10, 100_000),
        _count("evaluations", 120, "evaluations Tm where batches are compared, count", 20, 2000),
        _count("farthest", 200_000, "largest Tm at which the bounds meet the trivial one, count", 1000, 10_000_000),
        _count("instances", 8, "random covariances on which rho is enumerated, count", 1, 1000),
        _count("posteriors", 100, "posteriors on which all rules choose a batch, count", 2, 10_000),
        _count("rule_runs", 40, "runs of TS and of TS-RSR in the study of repeated points, count", 2, 10_000),
        _count("live_runs", 2, "runs of each method made now for two columns of the tables, count", 1, 10),
        _count("live_batches", 10, "batches of these runs, count", 1, 50),
    )
)


def check(values: Mapping[str, Any]) -> None:
    """Refuse parameters that the chapter does not accept, before any work; ``values`` is the notebook's namespace.

    Raises
    ------
    ParameterError
        naming the parameter, what is wrong with it and the allowed range
    """
    PARAMETERS.resolve({name: values[name] for name in PARAMETERS.names})


#: What differs on every execution is no part of an output; the book fills it in under "where from".
BELOW = "under “where from”"


def run_record(evidence: Evidence) -> Table:
    """What the chapter was computed with: command, code, versions; and the same of the stored results it loads."""
    record = evidence.both.record
    now = {"notebook": here(run_record).sources[0].command, "stored results": record["command"]}
    rows = [{"what": "made by", **now}]
    code = {"notebook": package_hash("tsrsr")[:12], "stored results": record["package"][:12]}
    rows.append({"what": "package content hash", **code})
    current, kept = versions(), record["versions"]
    for name in ("python", "companion", "numpy", "scipy"):
        rows.append({"what": name, "notebook": current[name], "stored results": kept.get(name, "–")})
    rows.append({"what": "commit", "notebook": BELOW, "stored results": record["commit"][:12]})
    rows.append({"what": "date", "notebook": BELOW, "stored results": record["date"][:10]})
    seconds = f"{record['seconds']:.0f} s on {record['machine']['cores']} cores"
    rows.append({"what": "run time", "notebook": BELOW, "stored results": seconds})
    return Table(
        pd.DataFrame(rows),
        caption="Run record. Equal hashes: page and stored results come from the same code.",
        where=here(run_record) + evidence.where,
    )
