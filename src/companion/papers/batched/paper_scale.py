"""Appendix E at the paper's own scale, stored in ``data/results/batched``; ``make paper CH=3`` calls :func:`store`.

Four files are written, each whole or not at all: ``appendix_e.csv`` (200 functions per kernel, every rule of Tables
1-3), ``appendix_e_ties.csv`` (the same with ties broken at random), ``appendix_e_repeats.csv`` (ten trials on each of
twenty fixed functions, original rule) and their record. Finished runs wait in ``tasks/`` (not under version control), so
an interrupted call goes on where it stopped.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from companion.files import results_folder
from companion.papers.batched.appendix_e import RULES, compute, tasks, to_frame
from companion.reproduce.record import TASKS, Record, package_hash, reach_hash
from companion.reproduce.stored import StoredTables, load_tables, store_tables
from companion.simulate.store import Task, assemble, run_tasks

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
    """Compute what is missing and write the tables and their record.

    Parameters
    ----------
    root : repository; found from the current folder by default
    jobs : workers; ``COMPANION_JOBS`` by default

    Returns
    -------
    the folder written to
    """
    folder = results_folder("batched", root)
    code, package = reach_hash(__name__), package_hash("batched")
    began = time.monotonic()
    wanted, ties, repeats = tasks(SEEDS), tasks(SEEDS, ties="random"), repeat_tasks()
    summary = run_tasks([*wanted, *ties, *repeats], compute, folder / TASKS, code, jobs=jobs, label="appendix E")
    seconds = time.monotonic() - began
    main, broken, again = (to_frame(part, assemble(part, folder / TASKS, code)) for part in (wanted, ties, repeats))
    again.insert(1, "function", [task.parameters["function_seed"] for task in repeats])
    record = Record.now(
        COMMAND,
        profile="paper",
        seeds=list(SEEDS),
        seconds=seconds,
        paper="batched",
        # The seconds are those of this call: after an interruption it finds part of the runs done.
        settings={"kernels": list(RULES), "runs": summary.tasks, "computed": summary.computed, "code": code},
    )
    record = replace(record, package=package)  # of the code that ran, should a file have changed meanwhile
    tables = {
        "appendix_e": main,
        "appendix_e_ties": broken[["kernel", "rule", "seed", "R1000"]],
        "appendix_e_repeats": again[["kernel", "function", "seed", "R1000"]],
    }
    store_tables(folder, "appendix_e", tables, record)
    return folder


def load(root: Path | None = None) -> StoredTables:
    """The stored tables and their record; :class:`~companion.errors.ResultError` if they are missing or damaged."""
    return load_tables(results_folder("batched", root), "appendix_e", TABLES, COMMAND)
