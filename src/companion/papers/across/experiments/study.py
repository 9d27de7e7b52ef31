"""The runs of the study, stored: a run is a rule at one setting on one function, at all seeds at once.

What they are for was fixed in :mod:`.study_protocol`. ``python -m companion.papers.across.experiments study`` makes them, in an
hour on one core.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.gp import SquaredExponential
from companion.papers.across.experiments.study_play import SEEDS, play, row
from companion.papers.across.method.rules import ENTRIES, PLAIN, PROVED, Entry
from companion.papers.across.problems.common import stored_set
from companion.papers.across.problems.functions import FUNCTIONS, function
from companion.simulate.replicate import single_threaded
from companion.simulate.task_store import Task
from companion.stored.blocks import Block, Run, RunTable, by_key, untimed
from companion.stored.runs import PaperRuns

#: Standard deviation over the range of f.
NOISES = (0.03, 0.1, 0.3)
RIGHT = "right"
#: Possible errors of the model; the right one stands with the other runs.
ERRORS = ("lengthscale/2", "lengthscale*2", "noise/2", "noise*2", "smoother", "rougher")
ERROR_NOISE = 0.1
ERROR_ENTRIES = (
    *(Entry("ucb", 1, setting) for setting in ("1", "2", "3", PROVED)),
    *(Entry(rule, 1, "1") for rule in ("ts", "ts-rsr")),
    *(Entry(rule, 1, PLAIN) for rule in ("ei", "ei-mean")),
)
DIGITS = 6


@dataclass(frozen=True)
class StudyPlan:
    """Plan of the runs.

    Parameters
    ----------
    problems : functions
    seeds : of each, at once
    """

    problems: tuple[str, ...] = tuple(FUNCTIONS)
    seeds: int = SEEDS


def _task(problem: str, share: float, entry: Entry, model: str = RIGHT) -> Task:
    values = {"problem": problem, "noise": share, "batch": entry.batch, "setting": entry.setting, "model": model}
    return Task("across/study", entry.rule, values, 0)


def blocks(plan: StudyPlan) -> list[Block]:
    """Function by function, so that an interrupted call leaves whole functions."""
    found = []
    for name in plan.problems:
        found.append(Block("study", [_task(name, share, entry) for share in NOISES for entry in ENTRIES]))
    for name in plan.problems:
        errors = errors_of(name)
        if errors:
            found.append(
                Block("study", [_task(name, ERROR_NOISE, entry, model) for model in errors for entry in ERROR_ENTRIES])
            )
    return found


def errors_of(name: str) -> tuple[str, ...]:
    """Possible errors of the model of a function: none without a true one, and nothing is smoother than SE."""
    asked = FUNCTIONS[name]
    if asked.group == "test":
        return ()
    return tuple(each for each in ERRORS if each != "smoother" or not isinstance(asked.known, SquaredExponential))


def compute(task: Task) -> dict[str, Any]:
    """Stored result of a rule on a function."""
    p = task.parameters
    problem, entry = function(p["problem"]), Entry(task.method, p["batch"], p["setting"])
    began = time.process_time()
    with single_threaded():
        found = row(problem, play(problem, p["noise"], entry, model=p["model"]))
    return found | {"seconds": (time.process_time() - began) / SEEDS}


def seconds(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """Median processor seconds of a run, by rule and batch."""
    for cell, found in by_key(runs, ("method", "batch")):
        yield {**cell, "seconds": float(np.median([result["seconds"] for result in found]))}


KEY = ("problem", "noise", "model", "method", "batch", "setting")
TABLES = {
    "study": RunTable(KEY, untimed, digits=DIGITS),
    "study_seconds": RunTable(("method", "batch"), whole=seconds, compared=False, digits=3),
}
STORED = stored_set("study", "study", "study_seconds", module=__name__)
RUNS = PaperRuns(
    stored=STORED,
    plan=StudyPlan(),
    blocks=blocks,
    compute=compute,
    tables=TABLES,
    seeds=lambda plan: range(plan.seeds),
)
store, load = RUNS.store, STORED.load
