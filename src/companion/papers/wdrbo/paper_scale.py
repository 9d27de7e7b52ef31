"""Figures 1-4 and Tables 1-2 at the paper's own scale, stored in ``data/results/wdrbo``; ``make paper CH=5`` calls :func:`store`.

Five files are written, each whole or not at all: ``runs.csv`` (one line a run: cumulative regret at ten rounds, and the
mean regret of the first and of the last fifth), ``curves.csv`` (mean and standard error of every cell by round, over the
paper's number of seeds), ``coverage.csv`` (Wasserstein distances of samples), ``timings.csv`` (processor times of methods
run one after the other), ``balls.csv`` (times of DRBO-MMD's inner problem) and their record. Finished runs wait in
``tasks/`` (not under version control), so an interrupted call goes on where it stopped.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.errors import CompanionError, DataError, ParameterError, nearest
from companion.files import results_folder
from companion.papers.wdrbo import coverage
from companion.papers.wdrbo.plan import (
    PAPER,
    Cell,
    Plan,
    ball_tasks,
    coverage_tasks,
    experiment,
    runs,
    timing_tasks,
)
from companion.papers.wdrbo.portfolio import portfolio_data
from companion.papers.wdrbo.timing import PARTS, ball_times, compared_times
from companion.reproduce.record import TASKS, Record, package_hash, reach_hash
from companion.reproduce.stored import StoredTables, load_tables, store_tables
from companion.simulate.store import Task, assemble, run_tasks

COMMAND = "make paper CH=5"
TABLES = ("runs", "curves", "coverage", "timings", "balls")
DIGITS, CURVE_DIGITS = 9, 5
"""Significant digits of a stored regret, and of the points of a curve."""
TIMING_COLUMNS = ("problem", "reading", "method", "seed", "total", *PARTS)
MARKS = 10
"""Rounds, equally spaced up to the last, after which the cumulative regret of a run is kept."""


def store(
    root: Path | None = None, jobs: int | None = None, *, without: Sequence[str] = (), plan: Plan = PAPER
) -> Path:
    """Compute what is missing and write the tables and their record.

    Parameters
    ----------
    root : repository; found from the current folder by default
    jobs : workers; ``COMPANION_JOBS`` by default
    without : problems to leave out, for where the portfolio's evaluations are not to be had
    plan : which runs

    Returns
    -------
    the folder written to

    Raises
    ------
    ParameterError
        if ``without`` names no problem
    DataError
        before any work, where the portfolio's evaluations are missing and the portfolios are not left out
    """
    plan = _reduced(plan, without)
    _check_inputs(plan)
    folder = results_folder("wdrbo", root)
    code, package = reach_hash(__name__), package_hash("wdrbo")
    began = time.monotonic()
    cells = runs(plan)
    wanted = {"coverage": coverage_tasks(plan), "timings": timing_tasks(plan), "balls": ball_tasks(plan)}
    listed = [cell.task for cell in cells]
    every = [*wanted["coverage"], *wanted["balls"], *wanted["timings"], *listed]
    summary = run_tasks(every, compute, folder / TASKS, code, jobs=jobs, label="Figures 1-4")
    seconds = time.monotonic() - began
    found = {name: assemble(part, folder / TASKS, code) for name, part in wanted.items()}
    pairs = list(zip(cells, assemble(listed, folder / TASKS, code), strict=True))
    failures = {cell.task.label: result["failure"] for cell, result in pairs if "failure" in result}
    whole = [(cell, result) for cell, result in pairs if "failure" not in result]
    record = Record.now(
        COMMAND,
        profile="paper",
        seeds=range(max(plan.runs, plan.more)),
        seconds=seconds,
        paper="wdrbo",
        # The seconds are those of this call: after an interruption it finds part of the runs done.
        settings={"runs": summary.tasks, "computed": summary.computed, "code": code, "left_out": sorted(without)}
        | {"paper_runs": plan.runs, "code_runs": plan.code_runs, "data": _data(plan), "failures": failures},
    )
    record = replace(record, package=package)  # of the code that ran, should a file have changed meanwhile
    frames = {
        "runs": pd.DataFrame([_row(cell, result) for cell, result in whole]),
        "curves": _curves(plan, whole),
        "coverage": _coverage(wanted["coverage"], found["coverage"]),
        "timings": pd.DataFrame(_times(wanted["timings"], found["timings"]), columns=TIMING_COLUMNS),
        "balls": pd.DataFrame(_balls(wanted["balls"], found["balls"])),
    }
    store_tables(folder, "tables", frames, record)
    return folder


def load(root: Path | None = None) -> StoredTables:
    """The stored tables and their record; :class:`~companion.errors.ResultError` if they are missing or damaged."""
    return load_tables(results_folder("wdrbo", root), "tables", TABLES, COMMAND)


def compute(task: Task) -> dict[str, Any]:
    """What is kept of one task; of a run the regret of every round and of the design, and no timing."""
    name, values = task.experiment.removeprefix("wdrbo/"), dict(task.parameters)
    if name == "coverage":
        return coverage.distances(task.method, task.seed, values["draws"])
    if name == "ball":
        return ball_times(task.seed, values["sizes"])
    if name.startswith("timing/"):
        return compared_times(name.removeprefix("timing/"), values.pop("methods"), task.seed, values)
    try:
        run = experiment(name).run(task.method, task.seed, values)
    except (CompanionError, np.linalg.LinAlgError, ArithmeticError) as error:
        # A run that breaks down numerically is a result: the record names it, and the tables do without it.
        return {"failure": f"{type(error).__name__}: {error}"}
    return {
        "regret": [float(value) for value in run.instantaneous_regret],
        "design": float(np.sum(run.diagnostics["design_regret"])),
        "recommended": float(run.recommended_regret),
        "gap": max(run.diagnostics.get("gap", [0.0])),
        "distance": run.meta.get("distance"),
    }


# -- the tables --------------------------------------------------------------------------------------------------------


def marks(horizon: int) -> np.ndarray:
    """The rounds, from 1, whose cumulative regret is kept."""
    return np.unique(np.ceil(horizon * np.arange(1, MARKS + 1) / MARKS).astype(int))


def _key(cell: Cell) -> dict[str, Any]:
    return {
        "block": cell.block,
        "problem": cell.problem,
        "reading": cell.task.parameters.get("reading", "text"),
        "variant": cell.variant,
        "method": cell.task.method,
    }


def _row(cell: Cell, result: Mapping[str, Any]) -> dict[str, Any]:
    regret = np.array(result["regret"])
    fifth = max(1, len(regret) // 5)
    return {
        **_key(cell),
        "seed": cell.task.seed,
        "total": _short(float(regret.sum())),
        "early": _short(float(regret[:fifth].mean())),
        "late": _short(float(regret[-fifth:].mean())),
        "design": _short(result["design"]),
        "recommended": _short(result["recommended"]),
        "gap": _short(result["gap"], 3),
        "cumulative": _joined(np.cumsum(regret)[marks(len(regret)) - 1]),
    }


def _curves(plan: Plan, pairs: Sequence[tuple[Cell, Mapping[str, Any]]]) -> pd.DataFrame:
    groups: dict[tuple[Any, ...], list[list[float]]] = {}
    for cell, result in pairs:
        if cell.task.seed < plan.runs:
            groups.setdefault(tuple(_key(cell).values()), []).append(result["regret"])
    rows = []
    for key, listed in groups.items():
        regret = np.array(listed)
        row = dict(zip(_key(pairs[0][0]), key, strict=True)) | {"runs": len(regret)}
        for name, values in (("instantaneous", regret), ("cumulative", np.cumsum(regret, axis=1))):
            spread = values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(values.shape[1])
            row |= {name: _joined(values.mean(axis=0)), f"{name}_se": _joined(spread / np.sqrt(len(values)))}
        rows.append(row)
    return pd.DataFrame(rows)


def _coverage(tasks: Sequence[Task], found: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    rows = []
    for law in coverage.LAWS:
        parts = [result["distances"] for task, result in zip(tasks, found, strict=True) if task.method == law]
        for number, count in enumerate(coverage.counts(law)):
            values = np.concatenate([part[number] for part in parts])
            radius = 0.3 / np.sqrt(count)
            rows.append(
                {
                    "law": law,
                    "count": count,
                    "draws": len(values),
                    "mean": _short(float(values.mean())),
                    "sd": _short(float(values.std(ddof=1))),
                    "radius": _short(float(radius)),
                    "covered": int((values <= radius).sum()),
                }
            )
    return pd.DataFrame(rows)


def _times(tasks: Sequence[Task], found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "problem": task.experiment.removeprefix("wdrbo/timing/"),
            "reading": task.parameters["reading"],
            "method": method,
            "seed": task.seed,
            **{part: _short(values[part], 6) for part in ("total", *PARTS)},
        }
        for task, result in zip(tasks, found, strict=True)
        for method, values in result.items()
    ]


def _balls(tasks: Sequence[Task], found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"kernel": kernel, "size": size, "seed": task.seed, "seconds": _short(value, 6)}
        for task, result in zip(tasks, found, strict=True)
        for kernel, values in result.items()
        for size, value in zip(task.parameters["sizes"], values, strict=True)
    ]


def _short(value: float, digits: int = DIGITS) -> float:
    return float(f"{value:.{digits}g}")


def _joined(values: Iterable[float]) -> str:
    return " ".join(f"{value:.{CURVE_DIGITS}g}" for value in values)


def unjoined(text: str) -> np.ndarray:
    """Points of a stored curve."""
    return np.array([float(word) for word in text.split()])


# -- small helpers -----------------------------------------------------------------------------------------------------


def _portfolios(plan: Plan) -> list[str]:
    return [name for name in (*plan.problems, *plan.region_problems) if name.startswith("portfolio")]


def _data(plan: Plan) -> dict[str, str]:
    return dict.fromkeys(sorted(set(_portfolios(plan))), "evaluations")


def _reduced(plan: Plan, without: Sequence[str]) -> Plan:
    unknown = [name for name in without if name not in plan.problems]
    if unknown:
        raise ParameterError(
            "without", f"names {unknown[0]!r}", ", ".join(plan.problems), nearest(unknown[0], plan.problems)
        )
    names = ("problems", "region_problems", "radius_problems", "grid_problems", "timed")
    kept: dict[str, Any] = {n: tuple(v for v in getattr(plan, n) if v not in without) for n in names}
    return replace(plan, **kept)


def _check_inputs(plan: Plan) -> None:
    """Whether the portfolio's evaluations are there; an hour later would be too late to say that they are not."""
    lacking = sorted(set(_portfolios(plan)))
    if not lacking:
        return
    try:
        portfolio_data("evaluations")
    except DataError as missing:
        names = ", ".join(repr(name) for name in lacking)
        call = f"companion.papers.wdrbo.paper_scale.store(without=[{names}])"
        raise DataError(f"{missing}. To leave the problems out instead: {call}") from None
