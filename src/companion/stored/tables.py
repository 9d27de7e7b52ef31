"""Tidy tables of many runs: one row an evaluation and one row a run, written whole with their record or not at all.

Rows come in the order of the plan, and hold nothing that depends on when, where or by how many processes they were
computed: the same plan gives the same bytes.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.core.errors import ParameterError, ResultError
from companion.core.files import write_atomic
from companion.core.optional_libraries import install
from companion.simulate.plan import Plan
from companion.simulate.sweep import TASKS, same_runs, settings_of
from companion.simulate.task_store import Task, cost, finished
from companion.stored.record import Record
from companion.stored.results import CHECKSUMS, Columns, csv_bytes, store_tables

if TYPE_CHECKING:
    import pandas as pd

#: What identifies a run, before the parameters that the plan sets.
IDENTITY = ("paper", "experiment", "method", "seed")

#: Columns of an evaluation, and what a run calls them.
EVALUATION = {
    "round": "batch",
    "instantaneous_regret": "instantaneous_regret",
    "cumulative_regret": "cumulative_regret",
    "simple_regret": "simple_regret",
    "model_order": "model_order",
}

SUFFIXES = (".csv", ".parquet")

#: Libraries through which pandas writes Parquet; one of them is enough.
PARQUET = ("pyarrow", "fastparquet")

#: The setting of a record that says which runs its tables hold.
RUNS = "runs_digest"

#: The two tables of a sweep, and the name of their record.
EVALUATIONS, TRIALS, MERGED = "evaluations", "trials", "sweep"


def evaluations(plan: Plan, results: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """:func:`evaluation_columns` as a frame."""
    return as_frame(evaluation_columns(plan, results))


def trials(plan: Plan, results: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """:func:`trial_columns` as a frame."""
    return as_frame(trial_columns(plan, results))


def evaluation_columns(plan: Plan, results: Iterable[Mapping[str, Any]]) -> Columns:
    """One row an evaluation: identity, parameters that the plan sets, data, number, round, regrets, model order.

    ``recommended_regret``, of the point recommended at the end, is the same in all rows of a run.
    """
    columns: dict[str, list[Any]] = {}
    for task, result in zip(plan.tasks, results, strict=True):
        count = len(result["batch"])
        for name, value in {**_identity(plan, task), "recommended_regret": result["recommended_regret"]}.items():
            columns.setdefault(name, []).extend([value] * count)
        columns.setdefault("evaluation", []).extend(range(1, count + 1))
        for name, source in EVALUATION.items():
            columns.setdefault(name, []).extend(result[source])
    return _ordered(columns, [*_names(plan), "evaluation", *EVALUATION, "recommended_regret"])


def trial_columns(plan: Plan, results: Iterable[Mapping[str, Any]]) -> Columns:
    """One row a run: identity, parameters that the plan sets, data, evaluations, rounds, and the regrets at the end."""
    columns: dict[str, list[Any]] = {}
    ends = ("cumulative_regret", "simple_regret", "recommended_regret")
    for task, result in zip(plan.tasks, results, strict=True):
        sizes = {"evaluations": len(result["batch"]), "rounds": result["batch"][-1]}
        last = {name: result[name][-1] for name in ends[:-1]} | {ends[-1]: result[ends[-1]]}
        for name, value in {**_identity(plan, task), **sizes, **last}.items():
            columns.setdefault(name, []).append(value)
    return _ordered(columns, [*_names(plan), "evaluations", "rounds", *ends])


def _names(plan: Plan) -> list[str]:
    data = ["data_used"] if any(task.data for task in plan.tasks) else []
    return [*IDENTITY, *map(_column, plan.varied), *data]


def _identity(plan: Plan, task: Task) -> dict[str, Any]:
    paper, _, experiment = task.experiment.partition("/")
    values = [paper, experiment, task.method, task.seed]
    shown = {_column(name): _cell(task.parameters.get(name)) for name in plan.varied}
    return dict(zip(IDENTITY, values, strict=True)) | shown | {"data_used": task.data or None}


def _column(name: str) -> str:
    """Name of a parameter's column; a table has its own columns besides."""
    own = {*IDENTITY, *EVALUATION, "evaluation", "evaluations", "rounds", "data_used", "recommended_regret"}
    return f"parameter_{name}" if name in own else name


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | tuple) else value


def _ordered(columns: Mapping[str, list[Any]], names: Sequence[str]) -> Columns:
    return {name: columns.get(name, []) for name in names}


def as_frame(table: Columns) -> pd.DataFrame:
    """The same table as a frame."""
    import numpy as np
    import pandas as pd

    # Parameters keep their types: a column with an integer and a blank is not to become one of floats.
    return pd.DataFrame(
        {
            name: np.array(values, dtype=np.float64) if name.endswith("_regret") else pd.Series(values, dtype=object)
            for name, values in table.items()
        }
    )


def record_path(path: Path) -> Path:
    """File of a table's record: beside it, under the same name."""
    return path.with_name(f"{path.stem}.record.json")


def check_target(path: Path, plan: Plan, force: bool = False) -> None:
    """Refuse, before any work, a file that cannot be written or holds something else than these runs.

    Raises
    ------
    ParameterError
        naming the file and what to do
    """
    if path.suffix not in SUFFIXES:
        raise ParameterError("--out", f"got {str(path)!r}", f"a name that ends with {' or '.join(SUFFIXES)}")
    if path.suffix == ".parquet" and not any(map(importlib.util.find_spec, PARQUET)):
        remedy = f"{install('parquet')}, or choose a .csv file."
        raise ParameterError("--out", "Parquet needs a library", remedy=remedy)
    if path.is_dir():
        raise ParameterError("--out", f"{path} is a folder", "a file")
    if force:
        return
    record = record_path(path)
    if not (path.exists() or record.exists()):
        return
    try:
        known = json.loads(record.read_text(encoding="utf-8"))["settings"][RUNS]
    except (OSError, ValueError, KeyError, TypeError):
        known = None
    if known != same_runs(plan.tasks):
        there = path if path.exists() else record
        what = "holds other runs" if known else "is there already, and no record says that it holds these runs"
        raise ParameterError("--out", f"{there} {what}", "another name", "To replace it: --force")


def write_table(path: Path, table: Columns | pd.DataFrame, record: Record) -> Path:
    """Write a table and its record; whenever this is interrupted, no table is left without its record or in part.

    Returns
    -------
    path of the record
    """
    if path.suffix == ".parquet":
        buffer = io.BytesIO()
        frame = as_frame(table) if isinstance(table, Mapping) else table
        frame.convert_dtypes().to_parquet(buffer, index=False)
        content = buffer.getvalue()
    else:
        content = csv_bytes(table)
    full = replace(record, settings={**record.settings, CHECKSUMS: {path.name: hashlib.sha256(content).hexdigest()}})
    beside = record_path(path)
    write_atomic(beside, (json.dumps(full.to_dict(), indent=1, sort_keys=True) + "\n").encode())
    write_atomic(path, content)
    return beside


def record_of(plan: Plan, command: str, seconds: float, **settings: Any) -> Record:
    """Record of the runs of a plan: which they are, every parameter, and where they were made."""
    return Record.now(
        command,
        profile="own",
        seeds=sorted({task.seed for task in plan.tasks}),
        seconds=seconds,
        settings={"runs": len(plan.tasks), RUNS: same_runs(plan.tasks), "of": settings_of(plan.tasks), **settings},
        outside=True,
    )


def merge(plan: Plan, folder: str | Path, command: str) -> Path:
    """Write the tables of a finished sweep, ``evaluations.csv`` and ``trials.csv``, and their record.

    Returns
    -------
    path of the record

    Raises
    ------
    ResultError
        if a run is missing or damaged; nothing is written then
    """
    folder = Path(folder)
    results = [result for _, result in finished(plan.tasks, folder / TASKS)]
    lacking = len(plan.tasks) - len(results)
    if lacking:
        raise ResultError(
            f"{lacking} of {len(plan.tasks)} runs are not there yet, so nothing is merged; 'companion sweep PLAN status' says "
            "which. Runs that another machine has just finished can take a minute to be seen here"
        )
    tables = {EVALUATIONS: evaluation_columns(plan, results), TRIALS: trial_columns(plan, results)}
    spent = cost(plan.tasks, folder / TASKS)["core_seconds"]
    return store_tables(folder, MERGED, tables, record_of(plan, command, spent))
