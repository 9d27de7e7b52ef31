"""Figures 2-5, Table 2 and the study of growth at the paper's scale, in ``data/results/meanfield``; ``make paper CH=4``.

Six files are written: ``final.csv`` (one row a run), ``curves.csv`` (how the best reward came
about, of the runs behind the figures and their controls), ``laws.csv`` (the laws that Figures 3 and 4 show, and their kin),
``places.csv`` (what the actions of a problem are), ``times.csv`` (CPU seconds of every run) and their record.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest
from companion.papers.meanfield.experiments.definitions import experiment
from companion.papers.meanfield.experiments.runs import PAPER, PARTS, MeanFieldPlan, asked, blocks, data_used
from companion.papers.meanfield.problems.catalogue import meanfield_problem
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.simulate.loop import Trajectory
from companion.simulate.task_store import Task
from companion.stored.blocks import LISTED, Block, Result, Run, RunTable, joined, short
from companion.stored.results import StoredSet
from companion.stored.runs import PaperRuns

#: Parts whose curves are stored.
CURVES = ("figures", "controls", "searches", "quota", "printed")
#: Problems whose laws are stored, of the methods in :data:`LAWS_OF`.
SHOWN = ("swarm", "arena", "bikes", "ports", "taxi-a")
LAWS_OF = ("mf-gp-ucb", "turbo", "random")
#: Evaluations after which cumulative and simple regret are stored, with the last one.
CHECKPOINTS = (10, 25, 50, 100, 150, 200, 250)
#: Spacing of the stored rewards of the law played in a round.
EVERY = 10


# -- one run -----------------------------------------------------------------------------------------------------------


def compute(task: Task) -> dict[str, Any]:
    """Stored row of one run; the times are of the processor, without the making of the problem."""
    ready = experiment(task.experiment.removeprefix("meanfield/")).ready(task.method, task.seed, task.values)
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

RUN = ("part", "variant", "problem", "method", "seed")
LAW_DIGITS = 4


def final(task: Task, result: Result) -> dict[str, Any]:
    """The last numbers of a run."""
    return {
        **dict(zip(("agents", "actions", "contexts"), result["shape"], strict=True)),
        "label": result["label"],
        "best": result["best"][-1],
        "law_reward": result["law_reward"][-1],
        "apart": short(result["apart"][-1], LISTED),
        "last_rise": result["steps"][-1],
        "recommended": result["recommended"],
        "recommended_apart": short(result["recommended_apart"], LISTED),
        **{name: result[name] for name in ("cumulative", "simple", "upper_bound", "uniform")},
    }


def curve(task: Task, result: Result) -> dict[str, Any]:
    """Origin of the best reward."""
    kept = {name: result[name] for name in ("steps", "best", "law_reward", "current")}
    return {**kept, "apart": joined(result["apart"], LAW_DIGITS)}


def law(task: Task, result: Result) -> dict[str, Any]:
    """The law with the best reward."""
    return {"contexts": result["shape"][2], "law": joined(np.ravel(result["law"]), LAW_DIGITS)}


def is_shown(block: Block, task: Task) -> bool:
    """Whether a run is on a problem whose laws are stored."""
    return task.experiment.removeprefix("meanfield/") in SHOWN


def places(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """Meaning of a problem's actions: coordinates, the best law known, and capacity and region of a port."""
    shown = {block.told(task, ["problem"])["problem"]: task.parameters.get("data", "auto") for block, task, _ in runs}
    for name, data in shown.items():
        problem = meanfield_problem(name, data=data)
        details = problem.details
        for action, features in enumerate(problem.action_features):
            yield {
                "problem": name,
                "action": action,
                "first": float(features[0]),
                "second": float(features[1]) if len(features) > 1 else 0.0,
                "optimal": problem.optimal[:, action],
                "block": int(details["blocks"][action]) if "blocks" in details else -1,
                "region": int(details["region"][action]) if "region" in details else -1,
                "capacity": float(details["capacity"][action]) if "capacity" in details else 0.0,
            }


def seconds(task: Task, result: Result) -> dict[str, Any]:
    """Of a run, and inside its policy."""
    return {name: result[name] for name in ("seconds", "policy_seconds")}


TABLES = {
    "final": RunTable(RUN, final),
    "curves": RunTable(RUN, curve, CURVES),
    "laws": RunTable(RUN, law, ("figures",), lambda block, task: is_shown(block, task) and task.method in LAWS_OF),
    "places": RunTable(
        ("problem", "action"), parts=("figures",), which=is_shown, whole=places, summary=False, digits=LISTED
    ),
    "times": RunTable(RUN, seconds, compared=False, digits=4),
}
STORED = StoredSet(
    paper="meanfield",
    module=__name__,
    command="make paper CH=4",
    tables=("final", "curves", "laws", "places", "times"),
)
RUNS = PaperRuns(
    stored=STORED,
    plan=PAPER,
    blocks=blocks,
    compute=compute,
    tables=TABLES,
    together=lambda block, task: (block.part, block.key["variant"], task.experiment),
    seeds=lambda plan: range(1 + max(task.seed for block in asked(plan) for task in block.tasks)),
    settings=lambda plan: {"data": plan.data},
    optional=(PARTS, "parts"),
)
load = STORED.load


def store(
    root: Path | None = None,
    jobs: int | None = None,
    *,
    without: Sequence[str] = (),
    data: str = "auto",
    plan: MeanFieldPlan = PAPER,
) -> Path:
    """Compute what is missing and write the tables and their record, see :func:`companion.stored.runs.store`.

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
    return RUNS.store(root, jobs, without=without, plan=replace(plan, data=data_used(plan.problems, data)))


def every_set() -> tuple[PaperRuns[MeanFieldPlan], ...]:
    """All that :func:`store` computes, on the data that are found here."""
    return (RUNS.of(replace(PAPER, data=data_used(PAPER.problems))),)
