"""Tables 1-4 at the paper's own scale, stored in ``data/results/tsrsr``; ``make paper CH=1`` calls :func:`store`.

Six files are written, each whole or not at all: ``final.csv`` (simple regret after the last batch of every run),
``curves.csv`` (the regret after every batch, of the runs that the paper has too), ``variants.csv`` (BUCB with constant
widths; TS-RSR without resampling), ``batching.csv`` (the same number of evaluations in batches of different size),
``diversity.csv`` (batches on common posteriors) and their record. Finished runs wait in ``tasks/`` (not under version
control), so an interrupted call goes on where it stopped.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.errors import DataError, ParameterError, nearest
from companion.files import results_folder
from companion.papers.tsrsr import diversity
from companion.papers.tsrsr.experiments import EXPERIMENTS, METHODS
from companion.papers.tsrsr.problems import READINGS, SETTINGS
from companion.papers.tsrsr.robot import box2d
from companion.problems.datasets import regression_data
from companion.reproduce.record import TASKS, Record, package_hash, reach_hash
from companion.reproduce.stored import StoredTables, load_tables, store_tables
from companion.simulate.loop import Trajectory
from companion.simulate.store import Task, assemble, run_tasks

COMMAND = "make paper CH=1"
TABLES = ("final", "curves", "variants", "batching", "diversity")
METHOD_NAMES = tuple(method.name for method in METHODS)
ROBOTS = ("robot-3d", "robot-4d")
DIGITS, CURVE_DIGITS = 9, 6
"""Significant digits of a stored regret, and of the points of a curve."""


@dataclass(frozen=True)
class Plan:
    """Which runs are made; the default is what the stored tables hold, fixed before the first run.

    Parameters
    ----------
    problems, methods : columns and rows of Tables 1-4; random search is the companion's
    readings : of the runs that the paper has too
    runs : of each cell; ``None`` takes the paper's number, 100 for gp-2d, 50 for gp-3d and 10 for the others
    more : seeds of each cell of the text's reading, where the paper has fewer: ten runs decide few rankings
    widths, width_problems : BUCB with these constant widths
    resample_problems : TS-RSR without the resampling of App. C
    evaluations, batch_sizes, batching_seeds : regret in the theory's setting at a fixed number of evaluations
    posteriors : on which batches are compared, see :mod:`companion.papers.tsrsr.diversity`
    overrides : parameters other than the paper's, for small versions
    """

    problems: tuple[str, ...] = tuple(SETTINGS)
    methods: tuple[str, ...] = METHOD_NAMES
    readings: tuple[str, ...] = READINGS
    runs: int | None = None
    more: int = 50
    widths: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0)
    width_problems: tuple[str, ...] = ("gp-2d", "ackley-2d")
    resample_problems: tuple[str, ...] = ("gp-2d", "ackley-2d", "hartmann-6d")
    evaluations: int = 120
    batch_sizes: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20)
    batching_seeds: int = 200
    posteriors: int = 200
    overrides: Mapping[str, Any] = field(default_factory=dict)

    def paper_runs(self, problem: str) -> int:
        """Runs of a cell in the paper, or the plan's own number."""
        column = SETTINGS[problem]
        return column.functions * column.repeats if self.runs is None else self.runs

    def seeds(self, problem: str, reading: str) -> range:
        """Seeds of a cell; the first are the paper's runs."""
        least = self.more if reading == "text" else 0
        return range(max(self.paper_runs(problem), least))


PAPER = Plan()


def store(
    root: Path | None = None, jobs: int | None = None, *, without: Sequence[str] = (), plan: Plan = PAPER
) -> Path:
    """Compute what is missing and write the tables and their record.

    Parameters
    ----------
    root : repository; found from the current folder by default
    jobs : workers; ``COMPANION_JOBS`` by default
    without : columns to leave out, for where Box2D or the Boston data are not to be had; their verdicts then say so
    plan : which runs

    Returns
    -------
    the folder written to

    Raises
    ------
    ParameterError
        if ``without`` names no column
    DataError
        before any work, where Box2D or the Boston data are missing and their columns are not left out
    """
    plan = _reduced(plan, without)
    _check_inputs(plan.problems)
    folder = results_folder("tsrsr", root)
    code, package = reach_hash(__name__), package_hash("tsrsr")
    began = time.monotonic()
    wanted = {name: make(plan) for name, make in _TASKS.items()}
    every = [task for part in wanted.values() for task in part]
    summary = run_tasks(every, compute, folder / TASKS, code, jobs=jobs, label="Tables 1-4")
    seconds = time.monotonic() - began
    found = {name: assemble(part, folder / TASKS, code) for name, part in wanted.items()}
    record = Record.now(
        COMMAND,
        profile="paper",
        seeds=list(range(max(len(plan.seeds(name, "text")) for name in plan.problems))),
        seconds=seconds,
        paper="tsrsr",
        # The seconds are those of this call: after an interruption it finds part of the runs done.
        settings={"runs": summary.tasks, "computed": summary.computed, "code": code, "left_out": sorted(without)}
        | ({"data": {"boston-4d": "boston"}} if "boston-4d" in plan.problems else {}),
    )
    record = replace(record, package=package)  # of the code that ran, should a file have changed meanwhile
    store_tables(folder, "tables", _frames(plan, wanted, found), record)
    return folder


def load(root: Path | None = None) -> StoredTables:
    """The stored tables and their record; :class:`~companion.errors.ResultError` if they are missing or damaged."""
    return load_tables(results_folder("tsrsr", root), "tables", TABLES, COMMAND)


# -- the runs ----------------------------------------------------------------------------------------------------------


def table_tasks(plan: Plan) -> list[Task]:
    """Tables 1-4: the paper's runs in both readings, then the further seeds."""
    cells = [(reading, problem) for reading in plan.readings for problem in plan.problems]
    own = [task for cell in cells for task in _cell_tasks(plan, *cell, range(plan.paper_runs(cell[1])))]
    more: list[Task] = []
    for reading, problem in cells:
        seeds = plan.seeds(problem, reading)[plan.paper_runs(problem) :]
        more += _cell_tasks(plan, reading, problem, seeds)
    return own + more


def _cell_tasks(plan: Plan, reading: str, problem: str, seeds: Iterable[int]) -> list[Task]:
    chosen = {"reading": reading} | ({"data": "boston"} if problem == "boston-4d" else {})
    values = _resolved(problem, plan, chosen)
    return [Task(f"tsrsr/{problem}", method, values, seed) for seed in seeds for method in plan.methods]


def variant_tasks(plan: Plan) -> list[Task]:
    """BUCB with constant widths, and TS-RSR without resampling, on the seeds of the text's reading."""
    found = []
    for problem in plan.width_problems:
        for width in plan.widths:
            values = _resolved(problem, plan, {"width": "constant", "multiplier": width})
            found += [Task(f"tsrsr/{problem}", "bucb", values, seed) for seed in plan.seeds(problem, "text")]
    for problem in plan.resample_problems:
        values = _resolved(problem, plan, {"resample": False})
        found += [Task(f"tsrsr/{problem}", "ts-rsr", values, seed) for seed in plan.seeds(problem, "text")]
    return found


def batching_tasks(plan: Plan) -> list[Task]:
    """TS-RSR in the theory's setting: Tm evaluations in batches of m, for every m."""
    found = []
    for size in plan.batch_sizes:
        chosen = {"batch_size": size, "batches": plan.evaluations // size}
        values = _experiment("theory").parameters.resolve(chosen)
        found += [Task("tsrsr/theory", "ts-rsr", values, seed) for seed in range(plan.batching_seeds)]
    return found


def diversity_tasks(plan: Plan) -> list[Task]:
    """One task for each posterior; all rules choose on it."""
    return [Task("tsrsr/diversity", "all", diversity.PARAMETERS, seed) for seed in range(plan.posteriors)]


def compute(task: Task) -> dict[str, Any]:
    """What is kept of one run: simple regret and share of distinct points after each batch; no timing."""
    name = task.experiment.removeprefix("tsrsr/")
    if name == "diversity":
        return diversity.compare(task.seed, dict(task.parameters))
    run = _experiment(name).run(task.method, task.seed, dict(task.parameters))
    if name == "theory":
        return {"mean_regret": float(run.cumulative_regret[-1]) / len(run)}
    return {"function": int(run.meta["function"]), "regret": after_batches(run), "distinct": _distinct(run)}


def after_batches(run: Trajectory) -> list[float]:
    """Simple regret after the design and after each batch, T + 1 numbers."""
    last = np.append(np.flatnonzero(np.diff(run.batch)), len(run) - 1)
    return [float(value) for value in run.simple_regret[last]]


def _distinct(run: Trajectory) -> list[float]:
    """Share of distinct points in each batch after the design."""
    points = run.query[:, None] if run.points is None else run.points
    batches = [points[run.batch == number] for number in range(2, int(run.batch[-1]) + 1)]
    return [len(np.unique(batch, axis=0)) / len(batch) for batch in batches]


# -- the tables --------------------------------------------------------------------------------------------------------


def _frames(plan: Plan, tasks: Mapping[str, list[Task]], found: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    final, curves = [], []
    for task, result in zip(tasks["tables"], found["tables"], strict=True):
        row = {"reading": task.parameters["reading"], **_row(task, result)}
        final.append(row)
        if task.seed < plan.paper_runs(row["problem"]):
            key = {name: row[name] for name in ("reading", "problem", "method", "seed")}
            curves.append(key | {"regret": _joined(result["regret"]), "distinct": _joined(result["distinct"])})
    variants = [
        {"variant": _variant(task), **_row(task, result)}
        for task, result in zip(tasks["variants"], found["variants"], strict=True)
    ]
    batching = [
        {"batch_size": task.parameters["batch_size"], "seed": task.seed, "mean_regret": _short(result["mean_regret"])}
        for task, result in zip(tasks["batching"], found["batching"], strict=True)
    ]
    batches = [
        {"method": method, "seed": task.seed, "distinct": values["distinct"], "distance": _short(values["distance"])}
        for task, result in zip(tasks["diversity"], found["diversity"], strict=True)
        for method, values in result.items()
    ]
    parts = {"final": final, "curves": curves, "variants": variants, "batching": batching, "diversity": batches}
    return {name: pd.DataFrame(rows) for name, rows in parts.items()}


def _row(task: Task, result: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "problem": task.experiment.removeprefix("tsrsr/"),
        "method": task.method,
        "seed": task.seed,
        "function": result["function"],
        "regret": _short(result["regret"][-1]),
        "distinct": _short(float(np.mean(result["distinct"]))),
    }


def _variant(task: Task) -> str:
    return f"width={task.parameters['multiplier']:g}" if task.method == "bucb" else "resample=False"


def _short(value: float, digits: int = DIGITS) -> float:
    return float(f"{value:.{digits}g}")


def _joined(values: Iterable[float]) -> str:
    return " ".join(f"{value:.{CURVE_DIGITS}g}" for value in values)


def unjoined(text: str) -> np.ndarray:
    """Points of a stored curve."""
    return np.array([float(word) for word in text.split()])


# -- small helpers -----------------------------------------------------------------------------------------------------

_TASKS = {
    "tables": table_tasks,
    "variants": variant_tasks,
    "batching": batching_tasks,
    "diversity": diversity_tasks,
}


def _resolved(problem: str, plan: Plan, chosen: Mapping[str, Any]) -> dict[str, Any]:
    return _experiment(problem).parameters.resolve({**plan.overrides, **chosen})


def _experiment(name: str) -> Any:
    return next(experiment for experiment in EXPERIMENTS if experiment.name == name)


def _reduced(plan: Plan, without: Sequence[str]) -> Plan:
    unknown = [name for name in without if name not in SETTINGS]
    if unknown:
        raise ParameterError("without", f"names {unknown[0]!r}", ", ".join(SETTINGS), nearest(unknown[0], SETTINGS))

    def kept(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name not in without)

    return replace(
        plan,
        problems=kept(plan.problems),
        width_problems=kept(plan.width_problems),
        resample_problems=kept(plan.resample_problems),
    )


def _check_inputs(problems: Sequence[str]) -> None:
    """Whether everything is there that the columns need; an hour later would be too late to say so."""
    robots = [name for name in ROBOTS if name in problems]
    try:
        if robots:
            box2d()
        if "boston-4d" in problems:
            robots = ["boston-4d"]
            regression_data("boston")
    except DataError as missing:
        names = ", ".join(repr(name) for name in robots)
        call = f"companion.papers.tsrsr.paper_scale.store(without=[{names}])"
        raise DataError(f"{missing}. To leave the column out instead: {call}") from None
