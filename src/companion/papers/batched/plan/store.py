"""Appendix E at the paper's own scale, stored in ``data/results/batched``; ``make paper CH=3`` calls :func:`store`.

Four files are written: ``appendix_e.csv`` (200 functions per kernel, every rule of Tables
1-3), ``appendix_e_ties.csv`` (the same with ties broken at random), ``appendix_e_repeats.csv`` (ten trials on each of
twenty fixed functions, original rule) and their record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from companion.papers.batched.plan.runs import RULES, compute, tasks, to_frame
from companion.reproduce.runs import Item, StoredRuns
from companion.reproduce.runs import store as store_runs
from companion.reproduce.stored import StoredTables
from companion.simulate.store import Task

SEEDS = tuple(range(200))
REPEAT_FUNCTIONS, REPEAT_TRIALS = tuple(range(20)), 10
COMMAND = "make paper CH=3"
TABLES = ("appendix_e", "appendix_e_ties", "appendix_e_repeats")


def repeat_tasks() -> list[Task]:
    """Trials that share a function: the seed (from 1000 on, so that none is also a function's) draws the noise only."""
    found = []
    for function in REPEAT_FUNCTIONS:
        seeds = [1000 + REPEAT_TRIALS * function + trial for trial in range(REPEAT_TRIALS)]
        found += [task for task in tasks(seeds, function_seed=function) if task.parameters["schedule"] == "original"]
    return found


def store(root: Path | None = None, jobs: int | None = None) -> Path:
    """Compute what is missing and write the tables and their record, see :func:`companion.reproduce.runs.store`."""
    return store_runs(stored_runs(), root, jobs)


def load(root: Path | None = None) -> StoredTables:
    """The stored tables and their record; :class:`~companion.errors.ResultError` if they are missing or damaged."""
    return stored_runs().load(root)


def stored_runs() -> StoredRuns:
    """The runs and the tables made from them."""
    return StoredRuns(
        paper="batched",
        module=__name__,
        name="appendix_e",
        tables=TABLES,
        command=COMMAND,
        items=every_run(),
        compute=compute,
        frames=frames,
        keys={
            "appendix_e": ("kernel", "rule", "seed"),
            "appendix_e_ties": ("kernel", "rule", "seed"),
            "appendix_e_repeats": ("kernel", "function", "seed"),
        },
        seeds=SEEDS,
        settings={"kernels": list(RULES)},
    )


def every_run() -> tuple[Item, ...]:
    """All runs, each with the table it is made for."""
    parts = zip(TABLES, (tasks(SEEDS), tasks(SEEDS, ties="random"), repeat_tasks()), strict=True)
    return tuple((table, task) for table, part in parts for task in part)


def frames(items: Sequence[Item], results: Sequence[Mapping[str, Any]]) -> dict[str, pd.DataFrame]:
    """The tables of these runs."""
    found: dict[str, pd.DataFrame] = {}
    for table in TABLES:
        pairs = [(task, result) for (part, task), result in zip(items, results, strict=True) if part == table]
        frame = to_frame([task for task, _ in pairs], [dict(result) for _, result in pairs])
        if table == "appendix_e_repeats" and pairs:
            frame.insert(1, "function", [task.parameters["function_seed"] for task, _ in pairs])
        short = table != "appendix_e" and bool(pairs)
        found[table] = (
            frame[["kernel", "function" if "repeats" in table else "rule", "seed", "R1000"]] if short else frame
        )
    return found
