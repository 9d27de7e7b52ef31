"""Figures 2-5, Table 2 and the study of growth at the paper's scale, in ``data/results/meanfield``; ``make paper CH=4``.

Six files are written: ``final.csv`` (one row a run), ``curves.csv`` (how the best reward came
about, of the runs behind the figures and their controls), ``laws.csv`` (the laws that Figures 3 and 4 show, and their kin),
``places.csv`` (what the actions of a problem are), ``times.csv`` (CPU seconds of every run) and their record.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest
from companion.papers.meanfield.experiments.definitions import setup
from companion.papers.meanfield.experiments.runs import PAPER, PARTS, REAL, Block, Plan, blocks, data_used, every_run
from companion.papers.meanfield.problems.catalogue import meanfield_problem
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.reproduce.runs import Item, StoredRuns, leave_out
from companion.reproduce.runs import store as store_runs
from companion.reproduce.stored import StoredTables
from companion.simulate.loop import Trajectory
from companion.simulate.store import Task

COMMAND = "make paper CH=4"
TABLES = ("final", "curves", "laws", "places", "times")
CURVES = ("figures", "controls", "searches", "quota", "printed")
"""Parts whose curves are stored."""
SHOWN = ("swarm", "arena", "bikes", "ports", "taxi-a")
"""Problems whose laws are stored, of the methods in :data:`LAWS_OF`."""
LAWS_OF = ("mf-gp-ucb", "turbo", "random")
CHECKPOINTS = (10, 25, 50, 100, 150, 200, 250)
"""Evaluations after which cumulative and simple regret are stored, with the last one."""
EVERY = 10
"""Spacing of the stored rewards of the law played in a round."""
DIGITS, CURVE_DIGITS, LAW_DIGITS = 9, 6, 4


def store(
    root: Path | None = None,
    jobs: int | None = None,
    *,
    without: Sequence[str] = (),
    data: str = "auto",
    plan: Plan = PAPER,
) -> Path:
    """Compute what is missing and write the tables and their record, see :func:`companion.reproduce.runs.store`.

    Parameters
    ----------
    without : parts of the plan to leave out
    data : ``"auto"``, real data where they are found, or ``"synthetic"``; the record and every row say what was used

    Raises
    ------
    ParameterError
        if ``without`` names no part or leaves none, or ``data`` is something else
    DataError
        before any work, where a data file is not the one it should be
    """
    if data not in ("auto", "synthetic"):
        raise ParameterError("data", f"got {data!r}", "'auto' or 'synthetic'", nearest(data, ("auto", "synthetic")))
    return store_runs(stored_runs(plan, data_used(plan.problems, data), without), root, jobs)


def every_set() -> tuple[StoredRuns, ...]:
    """All that :func:`store` computes, on the data that are found here."""
    return (stored_runs(PAPER, data_used(PAPER.problems, "auto")),)


def load(root: Path | None = None) -> StoredTables:
    """The stored tables and their record; :class:`~companion.core.errors.ResultError` if they are missing or damaged."""
    return stored_runs().load(root)


def stored_runs(plan: Plan = PAPER, used: Mapping[str, str] = REAL, without: Sequence[str] = ()) -> StoredRuns:
    """The runs of a plan on the named data, those of the parts ``without`` left out, and the tables made from them."""
    plan = leave_out(replace(plan, parts=plan.parts or tuple(PARTS)), without, PARTS, "parts")
    if not plan.parts:
        raise ParameterError("without", "leaves nothing", "at least one part to compute")
    run = ("part", "variant", "problem", "method", "seed")
    return StoredRuns(
        paper="meanfield",
        module=__name__,
        name="tables",
        tables=TABLES,
        command=COMMAND,
        items=every_run(plan, used),
        compute=compute,
        frames=partial(frames, used),
        keys={"final": run, "curves": run, "laws": run, "places": ("problem", "action")},
        seeds=range(max(block.seeds for block in blocks(plan))),
        settings={"left_out": sorted(without), "data": used},
    )


# -- one run -----------------------------------------------------------------------------------------------------------


def compute(task: Task) -> dict[str, Any]:
    """What is kept of one run; the times are of the processor, without the making of the problem."""
    ready = setup(task.experiment.removeprefix("meanfield/"), task.method, task.seed, dict(task.parameters))
    began = time.process_time()
    run = ready.run(keep_laws=True)
    seconds = time.process_time() - began
    return {**outcome(ready.problem, run), "seconds": seconds, "policy_seconds": run.seconds}


def outcome(problem: MeanFieldProblem, run: Trajectory) -> dict[str, Any]:
    """Rewards, regrets and laws of one run.

    ``steps`` are the evaluations, from 1, at which the best reward rose; ``best``, ``law_reward`` and ``apart`` are the best
    reward then, the mean-field reward of its law, and the total variation between that law and the optimal one, averaged
    over contexts. ``current`` is the mean-field reward of the law played, every :data:`EVERY` evaluations.
    """
    assert run.points is not None
    reward, limit = (np.asarray(run.diagnostics[name]) for name in ("reward", "mean_field_reward"))
    steps = np.flatnonzero(np.diff(np.maximum.accumulate(reward), prepend=-np.inf) > 0)
    laws = run.points[steps].reshape(len(steps), problem.contexts, problem.actions)
    recommended = np.asarray(run.diagnostics["recommended_law"])
    ends = checkpoints(len(run))
    return {
        "steps": steps + 1,
        "best": reward[steps],
        "law_reward": limit[steps],
        "apart": [apart(problem, law) for law in laws],
        "current": limit[EVERY - 1 :: EVERY],
        "cumulative": run.cumulative_regret[ends - 1],
        "simple": run.simple_regret[ends - 1],
        "recommended": run.recommended_regret,
        "recommended_apart": apart(problem, recommended),
        "law": laws[-1],
        "upper_bound": problem.upper_bound,
        "uniform": float(problem.reward(problem.uniform()[None])[0]),
        "shape": [problem.agents, problem.actions, problem.contexts],
        "label": problem.meta["label"],
    }


def checkpoints(horizon: int) -> NDArray[np.intp]:
    """Those of :data:`CHECKPOINTS` below the horizon, and the horizon."""
    return np.array([*(t for t in CHECKPOINTS if t < horizon), horizon], dtype=np.intp)


def apart(problem: MeanFieldProblem, law: Floats) -> float:
    """Total variation between ``law`` (C, A) and the best law known, averaged over contexts with their weights."""
    return float(problem.context_weights @ (0.5 * np.abs(law - problem.optimal).sum(axis=1)))


# -- the tables --------------------------------------------------------------------------------------------------------


def frames(
    used: Mapping[str, str], items: Sequence[Item], results: Sequence[Mapping[str, Any]]
) -> dict[str, pd.DataFrame]:
    """The tables of these runs, block by block."""
    parts: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    made: dict[tuple[str, ...], list[tuple[Block, Task, Mapping[str, Any]]]] = {}
    for (block, task), result in zip(items, results, strict=True):
        made.setdefault((block.name, block.variant, block.problem), []).append((block, task, result))
    for triples in made.values():
        for block, task, result in triples:
            key = {
                "part": block.name,
                "variant": block.variant,
                "problem": block.problem,
                "method": task.method,
                "seed": task.seed,
            }
            parts["final"].append(key | _final(result))
            seconds = {name: _short(result[name], 4) for name in ("seconds", "policy_seconds")}
            parts["times"].append(key | seconds)
            if block.name in CURVES:
                parts["curves"].append(key | _curve(result))
            if block.name == "figures" and block.problem in SHOWN and task.method in LAWS_OF:
                law = np.ravel(result["law"])
                parts["laws"].append(key | {"contexts": result["shape"][2], "law": _joined(law, LAW_DIGITS)})
    shown = [problem for part, _, problem in made if part == "figures" and problem in SHOWN]
    parts["places"] = [row for name in shown for row in _places(name, used)]
    return {name: pd.DataFrame(rows) for name, rows in parts.items()}


def _final(result: Mapping[str, Any]) -> dict[str, Any]:
    agents, actions, contexts = result["shape"]
    return {
        "agents": agents,
        "actions": actions,
        "contexts": contexts,
        "label": result["label"],
        "best": _short(result["best"][-1]),
        "law_reward": _short(result["law_reward"][-1]),
        "apart": _short(result["apart"][-1], CURVE_DIGITS),
        "last_rise": result["steps"][-1],
        "recommended": _short(result["recommended"]),
        "recommended_apart": _short(result["recommended_apart"], CURVE_DIGITS),
        "cumulative": _joined(result["cumulative"]),
        "simple": _joined(result["simple"]),
        "upper_bound": _short(result["upper_bound"]),
        "uniform": _short(result["uniform"]),
    }


def _curve(result: Mapping[str, Any]) -> dict[str, str]:
    return {
        "steps": " ".join(str(step) for step in result["steps"]),
        **{name: _joined(result[name]) for name in ("best", "law_reward", "current")},
        "apart": _joined(result["apart"], LAW_DIGITS),
    }


def _places(name: str, used: Mapping[str, str]) -> list[dict[str, Any]]:
    """What each action of a problem is: its coordinates, the best law known, and capacity and region of a port."""
    problem = meanfield_problem(name, data=used.get(name, "auto"))
    details, rows = problem.details, []
    for action in range(problem.actions):
        here = problem.action_features[action, :2]
        row = {
            "problem": name,
            "action": action,
            "first": _short(here[0], CURVE_DIGITS),
            "second": _short(here[1], CURVE_DIGITS) if len(here) > 1 else 0.0,
            "optimal": _joined(problem.optimal[:, action], CURVE_DIGITS),
            "block": int(details["blocks"][action]) if "blocks" in details else -1,
            "region": int(details["region"][action]) if "region" in details else -1,
            "capacity": _short(details["capacity"][action], CURVE_DIGITS) if "capacity" in details else 0.0,
        }
        rows.append(row)
    return rows


def _short(value: float, digits: int = DIGITS) -> float:
    return float(f"{value:.{digits}g}")


def _joined(values: Iterable[float], digits: int = CURVE_DIGITS) -> str:
    return " ".join(f"{value:.{digits}g}" for value in values)
