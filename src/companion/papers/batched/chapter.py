"""What the notebook of chapter 3 may be called with, and the record at its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from companion.papers.batched.studies.paper import Evidence
from companion.profiles import Parameter, ParameterSet
from companion.report import Table, here
from companion.reproduce.record import package_hash, versions


def _count(name: str, default: int, text: str, low: int, high: int) -> Parameter:
    return Parameter(name, "int", default, text, "companion", low=low, high=high)


def _positive(name: str, default: float, text: str, high: float, high_open: bool = False) -> Parameter:
    return Parameter(name, "float", default, text, "companion", low=0.0, high=high, low_open=True, high_open=high_open)


#: Mirrors the notebook's parameters cell; a test compares names and defaults.
PARAMETERS = ParameterSet(
    (
        _count("seed", 0, "first seed of every study, non-negative integer", 0, 2**31),
        _count("horizon", 1000, "evaluations T where one run is taken apart, rounds", 30, 20_000),
        _positive(
            "delta", 0.1, "allowed failure probability of the confidence bounds, between 0 and 1", 1.0, high_open=True
        ),
        _positive("norm", 1.0, "RKHS norm Psi of the test functions, units of f", 100.0),
        _positive("noise", 0.1, "noise standard deviation in the bound studies, units of f", 10.0),
        _count("coverage_runs", 200, "runs per kernel and delta in the confidence study, count", 2, 100_000),
        _count("rate_horizon", 8000, "largest horizon of the regret-exponent study, rounds", 1000, 100_000),
        _count("rate_functions", 4, "functions per kernel and rule in the regret-exponent study, count", 2, 1000),
        _count("class_horizon", 2000, "evaluations T on the lower-bound class, rounds", 200, 20_000),
        _count("class_seeds", 2, "noise seeds per function of the lower-bound class, count", 1, 1000),
        _count("class_functions", 8, "functions played per lower-bound class, count", 1, 1000),
        _count("robust_horizon", 1000, "evaluations T of the robust study, rounds", 60, 20_000),
        _count("robust_seeds", 5, "seeds per method of the robust study, count", 2, 1000),
        _count("example_seeds", 8, "seeds of the three-arm example against App. C, count", 1, 1000),
        _count("live_functions", 2, "functions of Appendix E rerun live, count", 1, 200),
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
    now = {
        "notebook": here(run_record).sources[0].command,
        "stored results": evidence.record["command"],
    }
    rows = [{"what": "made by", **now}]
    code = {"notebook": package_hash("batched")[:12], "stored results": evidence.record["package"][:12]}
    rows.append({"what": "package content hash", **code})
    current, stored = versions(), evidence.record["versions"]
    for name in ("python", "companion", "numpy", "scipy"):
        rows.append({"what": name, "notebook": current[name], "stored results": stored.get(name, "–")})
    rows.append({"what": "commit", "notebook": BELOW, "stored results": evidence.record["commit"][:12]})
    rows.append({"what": "date", "notebook": BELOW, "stored results": evidence.record["date"][:10]})
    seconds = f"{evidence.record['seconds']:.0f} s on {evidence.record['machine']['cores']} cores"
    rows.append({"what": "run time", "notebook": BELOW, "stored results": seconds})
    return Table(
        pd.DataFrame(rows),
        caption="Run record. Equal hashes: page and stored results come from the same code.",
        where=here(run_record) + evidence.where,
    )
