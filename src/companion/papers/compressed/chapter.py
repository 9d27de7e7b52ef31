"""What the notebook of chapter 2 may be called with, and the record at its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from companion.papers.compressed.studies.paper import Evidence
from companion.profiles import Parameter, ParameterSet
from companion.report import Table, here
from companion.reproduce.record import package_hash, versions


def _count(name: str, default: int, text: str, low: int, high: int) -> Parameter:
    return Parameter(name, "int", default, f"{text}, count", "companion", low=low, high=high)


def _number(name: str, default: float, text: str, high: float) -> Parameter:
    return Parameter(name, "float", default, text, "companion", low=0.0, high=high, low_open=True)


#: Mirrors the notebook's parameters cell; a test compares names and defaults.
PARAMETERS = ParameterSet(
    (
        Parameter("seed", "int", 0, "first seed of every study, non-negative integer", "companion", low=0, high=2**31),
        _count("horizon", 200, "rounds T at which the proof is taken apart", 8, 4000),
        _number("noise_variance", 0.1, "noise variance of the theory studies, squared units of f", 10.0),
        _number("alpha", 0.5, "exponent of the horizon in the budget, dimensionless", 4.0),
        _count("functions", 100, "functions behind every mean of the bound study", 10, 10_000),
        _count("halvings", 6, "times the budget u is halved where the dictionary is measured", 3, 8),
        _count("ends", 3, "functions on which UCB runs until nothing more is kept", 1, 100),
        _count("improvement_runs", 40, "runs behind the study of expected improvement", 2, 10_000),
        _count("picture_rounds", 300, "rounds of the run that is shown being compressed", 20, 5000),
        _count("live_runs", 2, "runs of each method made now for Figure 1", 1, 20),
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
    current, kept = versions(), record["versions"]
    columns = [
        ("made by", here(run_record).sources[0].command, record["command"]),
        ("package content hash", package_hash("compressed")[:12], record["package"][:12]),
        *((name, current[name], kept.get(name, "–")) for name in ("python", "companion", "numpy", "scipy")),
        ("commit", BELOW, record["commit"][:12]),
        ("date", BELOW, record["date"][:10]),
        ("run time", BELOW, f"{record['seconds']:.0f} s on {record['machine']['cores']} cores"),
    ]
    return Table(
        pd.DataFrame(columns, columns=["what", "notebook", "stored results"]),
        caption="Run record. Equal hashes: page and stored results come from the same code.",
        where=here(run_record) + evidence.where,
    )
