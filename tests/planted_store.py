"""A small paper with stored runs, invented for tests: what computes them can be changed, and so can the kernels."""

import json
from contextlib import contextmanager

import numpy as np
import pandas as pd

from companion.core import arithmetic
from companion.core.errors import DataError
from companion.core.randomness import stream
from companion.reproduce.again import computed_again
from companion.reproduce.runs import StoredRuns
from companion.simulate.store import Task

METHODS, SEEDS = ("ucb", "ts", "random"), 5
FACTOR = {"width": 2.0, "stream": "noise", "absent": "", "kernels": "", "chaotic": ""}
"""What the results depend on. Other kernels change last digits, and send the runs of a chaotic method another way."""


def compute(task):
    if task.method == FACTOR["absent"]:
        raise DataError("not here")
    kernels = FACTOR["kernels"]
    way = kernels if task.method == FACTOR["chaotic"] else ""
    draws = stream(task.seed, FACTOR["stream"], task.method, *([way] if way else [])).normal(size=4)
    rounding = 1 + 1e-9 * len(kernels)
    return {"regret": np.cumsum(np.abs(draws)) * FACTOR["width"] * rounding, "kept": len(draws), "note": None}


def frames(items, results, averaged):
    rows = [
        {
            "problem": task.experiment,
            "method": task.method,
            "seed": task.seed,
            "total": float(f"{result['regret'][-1]:.9g}"),
            "kept": result["kept"],
            "note": result["note"],
            "curve": " ".join(f"{value:.6g}" for value in result["regret"]),
        }
        for (_, task), result in zip(items, results, strict=True)
    ]
    runs = pd.DataFrame(rows)
    if not rows:
        return {"runs": runs, "means": runs, "times": runs}
    means = runs[runs.seed < averaged].groupby(["problem", "method"], sort=False).total.mean().reset_index()
    return {"runs": runs, "means": means, "times": runs[["problem", "method", "seed"]].assign(seconds=0.1)}


def declared(problems=("a", "b", "c", "d"), seeds=SEEDS, version=1, averaged=1000):
    """Runs of the methods on these problems; means are over the seeds below ``averaged``."""
    tasks = [
        Task(problem, method, {"n": 4}, seed, version)
        for problem in problems
        for method in METHODS
        for seed in range(seeds)
    ]
    return StoredRuns(
        paper="batched",  # any paper's own runs would do for the meaning
        module="companion.papers.batched.experiments.store",
        name="tables",
        tables=("runs", "means", "times"),
        command="make paper CH=3",
        items=tuple(("runs", task) for task in tasks),
        compute=compute,
        frames=lambda items, results: frames(items, results, averaged),
        keys={"runs": ("problem", "method", "note", "seed"), "means": ("problem", "method")},
        summaries={"means": lambda part, task: task.seed < averaged},
        row=lambda part, task: ("runs", {"problem": task.experiment, "method": task.method, "seed": task.seed}),
        found=lambda items, results: {
            "widths": {task.label: FACTOR["width"] for _, task in items if task.seed == int(FACTOR["width"]) - 2}
        },
    )


@contextmanager
def kernels(name):
    """Compute with kernels of this name."""
    before, in_use = FACTOR["kernels"], arithmetic.in_use
    FACTOR["kernels"] = name
    arithmetic.in_use = lambda: name
    try:
        yield
    finally:
        FACTOR["kernels"], arithmetic.in_use = before, in_use


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
