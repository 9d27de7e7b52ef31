"""A small paper with stored runs, invented for tests: what computes them can be changed, and so can the kernels."""

import json
from contextlib import contextmanager

import numpy as np

from companion.core import instruction_set
from companion.core.errors import DataError
from companion.core.randomness import stream
from companion.current.recomputation import computed_again
from companion.simulate.task_store import Task
from companion.stored.blocks import Block, RunTable, by_key
from companion.stored.results import StoredSet
from companion.stored.runs import PaperRuns

METHODS, SEEDS = ("ucb", "ts", "random"), 5
#: What the results depend on. Other kernels change last digits, and send the runs of a chaotic method another way.
FACTOR = {"width": 2.0, "stream": "noise", "absent": "", "kernels": "", "chaotic": ""}


def compute(task):
    if task.method == FACTOR["absent"]:
        raise DataError("not here")
    kernels = FACTOR["kernels"]
    way = kernels if task.method == FACTOR["chaotic"] else ""
    draws = stream(task.seed, FACTOR["stream"], task.method, *([way] if way else [])).normal(size=4)
    rounding = 1 + 1e-9 * len(kernels)
    return {"regret": np.cumsum(np.abs(draws)) * FACTOR["width"] * rounding, "kept": len(draws), "note": None}


def columns(task, result):
    return {
        "total": result["regret"][-1],
        "kept": result["kept"],
        "note": result["note"],
        "curve": result["regret"],
    }


def means(runs):
    for key, results in by_key(runs, ("problem", "method")):
        yield key | {"total": np.mean([float(f"{result['regret'][-1]:.9g}") for result in results])}


def declared(problems=("a", "b", "c", "d"), seeds=SEEDS, version=1, averaged=1000):
    """Runs of the methods on these problems; means are over the seeds below ``averaged``."""
    tasks = [
        Task(problem, method, {"n": 4}, seed, version)
        for problem in problems
        for method in METHODS
        for seed in range(seeds)
    ]
    return PaperRuns(
        # Any paper's own runs would do for the fingerprint.
        stored=StoredSet(
            "batched", "companion.papers.batched.experiments.store", "make paper CH=3", ("runs", "means", "times")
        ),
        blocks=lambda plan: [
            Block("runs", [task for task in tasks if task.experiment == name], {"problem": name}) for name in problems
        ],
        compute=compute,
        tables={
            "runs": RunTable(("problem", "method", "note", "seed"), columns),
            "means": RunTable(
                ("problem", "method"), which=lambda block, task: task.seed < averaged, whole=means, digits=17
            ),
            "times": RunTable(("problem", "method", "seed"), lambda task, result: {"seconds": 0.1}, compared=False),
        },
        row=lambda block, task: ("runs", block.told(task, ("problem", "method", "seed"))),
        found=lambda items, results: {
            "widths": {task.label: FACTOR["width"] for _, task in items if task.seed == int(FACTOR["width"]) - 2}
        },
    )


@contextmanager
def kernels(name):
    """Compute with kernels of this name."""
    before, in_use = FACTOR["kernels"], instruction_set.in_use
    FACTOR["kernels"] = name
    instruction_set.in_use = lambda: name
    try:
        yield
    finally:
        FACTOR["kernels"], instruction_set.in_use = before, in_use


def under(runs):
    """What computes runs with the kernels of a name, as a process of its own would."""

    def compute(name, part):
        with kernels(name):
            return computed_again(runs, part, 1)

    return compute


def folder(root):
    return root / "data" / "results" / "batched"


def record_of(root):
    """The stored record's content."""
    return json.loads((folder(root) / "tables.record.json").read_text())
