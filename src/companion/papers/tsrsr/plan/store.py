"""Tables 1-4 at the paper's own scale, stored in ``data/results/tsrsr``; ``make paper CH=1`` calls :func:`store`.

Six files are written: ``final.csv`` (simple regret after the last batch of every run),
``curves.csv`` (the regret after every batch, of the runs that the paper has too), ``variants.csv`` (BUCB with constant
widths; TS-RSR without resampling), ``batching.csv`` (the same number of evaluations in batches of different size),
``diversity.csv`` (batches on common posteriors) and their record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.files import results_folder
from companion.papers.tsrsr.method import diversity
from companion.papers.tsrsr.plan import factors
from companion.papers.tsrsr.plan.experiments import METHODS, experiment
from companion.papers.tsrsr.problems.catalogue import READINGS, SETTINGS
from companion.papers.tsrsr.problems.robot import box2d
from companion.problems.datasets import regression_data
from companion.reproduce.runs import Item, Need, StoredRuns, leave_out
from companion.reproduce.runs import store as store_runs
from companion.reproduce.stored import StoredTables, load_tables
from companion.simulate.loop import Trajectory
from companion.simulate.store import Task

COMMAND = "make paper CH=1"
TABLES = ("final", "curves", "variants", "batching", "diversity")
FACTOR_TABLE = "factors"
"""A set of its own, with its own record: it is made after the tables, and the chapter reads well without it."""
METHOD_NAMES = tuple(method.name for method in METHODS)
ROBOTS = ("robot-3d", "robot-4d")
BY_PROBLEM = ("problems", "width_problems", "resample_problems")
"""Fields of a plan that name columns; the factors' own are looked up among its problems."""
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
    more_code : the same of the code's reading
    widths, width_problems : BUCB with these constant widths
    resample_problems : TS-RSR without the resampling of App. C
    evaluations, batch_sizes, batching_seeds : regret in the theory's setting at a fixed number of evaluations
    posteriors : on which batches are compared, see :mod:`companion.papers.tsrsr.method.diversity`
    factor_problems, factor_methods, factor_seeds : one difference between the readings at a time, see
        :mod:`companion.papers.tsrsr.plan.factors`
    overrides : parameters other than the paper's, for small versions
    """

    problems: tuple[str, ...] = tuple(SETTINGS)
    methods: tuple[str, ...] = METHOD_NAMES
    readings: tuple[str, ...] = READINGS
    runs: int | None = None
    more: int = 50
    more_code: int = 30
    widths: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0)
    width_problems: tuple[str, ...] = ("gp-2d", "ackley-2d")
    resample_problems: tuple[str, ...] = ("gp-2d", "ackley-2d", "hartmann-6d")
    evaluations: int = 120
    batch_sizes: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20)
    batching_seeds: int = 200
    posteriors: int = 200
    factor_problems: tuple[str, ...] = factors.PROBLEMS
    factor_methods: tuple[str, ...] = factors.METHODS
    factor_seeds: int = factors.SEEDS
    overrides: Mapping[str, Any] = field(default_factory=dict)

    def paper_runs(self, problem: str) -> int:
        """Runs of a cell in the paper, or the plan's own number."""
        column = SETTINGS[problem]
        return column.functions * column.repeats if self.runs is None else self.runs

    def seeds(self, problem: str, reading: str) -> range:
        """Seeds of a cell; the first are the paper's runs."""
        least = self.more if reading == "text" else self.more_code
        return range(max(self.paper_runs(problem), least))


PAPER = Plan()


def store(
    root: Path | None = None, jobs: int | None = None, *, without: Sequence[str] = (), plan: Plan = PAPER
) -> Path:
    """Compute what is missing and write the tables and their record, see :func:`companion.reproduce.runs.store`.

    ``without`` names columns to leave out, for where Box2D or the Boston data are not to be had; their verdicts then say so.
    """
    runs, single = stored_runs(plan, without), factor_runs(plan, without)
    folder = store_runs(runs, root, jobs)
    if single.items:
        store_runs(single, root, jobs)
    return folder


def load(root: Path | None = None) -> StoredTables:
    """The stored tables and their record; :class:`~companion.errors.ResultError` if they are missing or damaged."""
    return stored_runs().load(root)


def stored_runs(plan: Plan = PAPER, without: Sequence[str] = ()) -> StoredRuns:
    """The runs of a plan, those of the columns ``without`` left out, and the tables made from them."""
    plan = leave_out(plan, without, SETTINGS, *BY_PROBLEM)
    robots, boston = (tuple(name for name in part if name in plan.problems) for part in (ROBOTS, ("boston-4d",)))
    run = ("problem", "method", "seed")
    return StoredRuns(
        paper="tsrsr",
        module=__name__,
        name="tables",
        tables=TABLES,
        command=COMMAND,
        items=every_run(plan),
        compute=compute,
        frames=partial(frames, plan),
        keys={
            "final": ("reading", *run),
            "curves": ("reading", *run),
            "variants": ("variant", *run),
            "batching": ("batch_size", "seed"),
            "diversity": ("method", "seed"),
        },
        found=lambda items, results: {"random_rounds": random_rounds(items, results)},
        seeds=range(max(len(plan.seeds(name, "text")) for name in plan.problems)),
        settings={"left_out": sorted(without)} | ({"data": {"boston-4d": "boston"}} if boston else {}),
        needs=(Need(robots, box2d, "column"), Need(boston, lambda: regression_data("boston"), "column")),
    )


def factor_runs(plan: Plan = PAPER, without: Sequence[str] = ()) -> StoredRuns:
    """The runs with one difference between the readings at a time, and their table."""
    plan = leave_out(plan, without, SETTINGS, *BY_PROBLEM)
    return StoredRuns(
        paper="tsrsr",
        module=__name__,
        name=FACTOR_TABLE,
        tables=(FACTOR_TABLE,),
        command=COMMAND,
        items=tuple((FACTOR_TABLE, task) for task in factor_tasks(plan)),
        compute=compute,
        frames=factor_frames,
        keys={FACTOR_TABLE: ("reading", "factor", "problem", "method", "seed")},
        seeds=range(plan.factor_seeds),
    )


def load_factors(root: Path | None = None) -> StoredTables | None:
    """The runs with one difference between the readings at a time, and their record; ``None`` before they were made.

    Raises
    ------
    ResultError
        if they are damaged
    """
    folder = results_folder("tsrsr", root)
    if not (folder / f"{FACTOR_TABLE}.record.json").exists():
        return None
    return load_tables(folder, FACTOR_TABLE, (FACTOR_TABLE,), COMMAND)


# -- the runs ----------------------------------------------------------------------------------------------------------


def every_run(plan: Plan = PAPER) -> tuple[Item, ...]:
    """All runs of a plan, each with the name of its part."""
    return tuple((name, task) for name, make in _TASKS.items() for task in make(plan))


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
    return experiment(problem).tasks(plan.methods, seeds, {**plan.overrides, **chosen})


def variant_tasks(plan: Plan) -> list[Task]:
    """BUCB with constant widths, and TS-RSR without resampling, on the seeds of the text's reading."""
    found = []
    for problem in plan.width_problems:
        for width in plan.widths:
            values = {**plan.overrides, "width": "constant", "multiplier": width}
            found += experiment(problem).tasks(["bucb"], plan.seeds(problem, "text"), values)
    for problem in plan.resample_problems:
        values = {**plan.overrides, "resample": False}
        found += experiment(problem).tasks(["ts-rsr"], plan.seeds(problem, "text"), values)
    return found


def factor_tasks(plan: Plan) -> list[Task]:
    """One difference between the readings switched on in the text's and off in the code's; no ascents in both."""
    found = []
    for problem in (name for name in plan.factor_problems if name in plan.problems):
        for reading in READINGS:
            for factor in (*factors.FACTORS, factors.ASCENTS):
                values = {**plan.overrides, "reading": reading, **factor.changes(reading)}
                methods = [name for name in plan.factor_methods if name in factor.methods]
                found += experiment(problem).tasks(methods, range(plan.factor_seeds), values)
    return found


def batching_tasks(plan: Plan) -> list[Task]:
    """TS-RSR in the theory's setting: Tm evaluations in batches of m, for every m."""
    found = []
    for size in plan.batch_sizes:
        chosen = {"batch_size": size, "batches": plan.evaluations // size}
        found += experiment("theory").tasks(["ts-rsr"], range(plan.batching_seeds), chosen)
    return found


def diversity_tasks(plan: Plan) -> list[Task]:
    """One task for each posterior; all rules choose on it."""
    return [Task("tsrsr/diversity", "all", diversity.PARAMETERS, seed) for seed in range(plan.posteriors)]


def compute(task: Task) -> dict[str, Any]:
    """What is kept of one run: simple regret and share of distinct points after each batch; no timing.

    ``failed`` counts the rounds left to chance, where there were any: see
    :meth:`companion.papers.tsrsr.method.policy.BoxPolicyByRule.diagnostics`.
    """
    name = task.experiment.removeprefix("tsrsr/")
    if name == "diversity":
        return diversity.compare(task.seed, dict(task.parameters))
    run = experiment(name).run(task.method, task.seed, dict(task.parameters))
    if name == "theory":
        return {"mean_regret": float(run.cumulative_regret[-1]) / len(run)}
    found = {"function": int(run.meta["function"]), "regret": after_batches(run), "distinct": _distinct(run)}
    failed = run.diagnostics.get("failed", [])
    return found | ({"failed": len(failed)} if failed else {})


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


def frames(plan: Plan, items: Sequence[Item], results: Sequence[Mapping[str, Any]]) -> dict[str, pd.DataFrame]:
    """The tables of these runs."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for (part, task), result in zip(items, results, strict=True):
        if part == "tables":
            row = {"reading": task.parameters["reading"], **_row(task, result)}
            rows["final"].append(row)
            if task.seed < plan.paper_runs(row["problem"]):
                key = {name: row[name] for name in ("reading", "problem", "method", "seed")}
                lists = {name: _joined(result[name]) for name in ("regret", "distinct")}
                rows["curves"].append(key | lists)
        elif part == "variants":
            rows["variants"].append({"variant": _variant(task), **_row(task, result)})
        elif part == "batching":
            size, mean = task.parameters["batch_size"], _short(result["mean_regret"])
            rows["batching"].append({"batch_size": size, "seed": task.seed, "mean_regret": mean})
        else:
            rows["diversity"] += [
                {"method": method, "seed": task.seed, "distinct": v["distinct"], "distance": _short(v["distance"])}
                for method, v in result.items()
            ]
    return {name: pd.DataFrame(part) for name, part in rows.items()}


def factor_frames(items: Sequence[Item], results: Sequence[Mapping[str, Any]]) -> dict[str, pd.DataFrame]:
    """One row a run: which setting was changed, from which reading, and the result."""
    rows = []
    for (_, task), result in zip(items, results, strict=True):
        reading = str(task.parameters["reading"])
        rows.append({"reading": reading, "factor": factors.changed(reading, task.parameters), **_row(task, result)})
    return {FACTOR_TABLE: pd.DataFrame(rows)}


def random_rounds(items: Sequence[Item], results: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Rounds of the code's reading that were left to chance, by problem and method."""
    counts: dict[str, int] = {}
    for (_, task), result in zip(items, results, strict=True):
        if task.parameters.get("reading") == "code":
            name = f"{task.experiment.removeprefix('tsrsr/')}/{task.method}"
            counts[name] = counts.get(name, 0) + int(result.get("failed", 0))
    return counts


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


# -- small helpers -----------------------------------------------------------------------------------------------------

_TASKS = {
    "tables": table_tasks,
    "variants": variant_tasks,
    "batching": batching_tasks,
    "diversity": diversity_tasks,
}
