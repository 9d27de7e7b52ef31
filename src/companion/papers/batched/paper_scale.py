"""Appendix E at the paper's own scale, stored in ``data/results/batched``; ``make paper CH=3`` calls :func:`store`.

Four files are written, each whole or not at all: ``appendix_e.csv`` (200 functions per kernel, every rule of Tables
1-3), ``appendix_e_ties.csv`` (the same with ties broken at random), ``appendix_e_repeats.csv`` (ten trials on each of
twenty fixed functions, original rule) and their record. Finished runs wait in ``tasks/`` (not under version control), so
an interrupted call goes on where it stopped.
"""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd

from companion.files import results_folder, write_atomic
from companion.papers.batched.appendix_e import RULES, compute, tasks, to_frame
from companion.reproduce.record import TASKS, Record, package_hash
from companion.simulate.store import Task, assemble, run_tasks

SEEDS = tuple(range(200))
REPEAT_FUNCTIONS, REPEAT_TRIALS = tuple(range(20)), 10
COMMAND = "make paper CH=3"


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
    code = package_hash("batched")
    began = time.monotonic()
    wanted, ties, repeats = tasks(SEEDS), tasks(SEEDS, ties="random"), repeat_tasks()
    run_tasks([*wanted, *ties, *repeats], compute, folder / TASKS, code, jobs=jobs, label="appendix E")
    seconds = time.monotonic() - began
    main, broken, again = (to_frame(part, assemble(part, folder / TASKS, code)) for part in (wanted, ties, repeats))
    again.insert(1, "function", [task.parameters["function_seed"] for task in repeats])
    _write(folder / "appendix_e.csv", main)
    _write(folder / "appendix_e_ties.csv", broken[["kernel", "rule", "seed", "R1000"]])
    _write(folder / "appendix_e_repeats.csv", again[["kernel", "function", "seed", "R1000"]])
    record = Record.now(
        COMMAND,
        profile="paper",
        seeds=list(SEEDS),
        seconds=seconds,
        paper="batched",
        settings={"kernels": list(RULES), "runs": len(wanted) + len(ties) + len(repeats)},
    )
    record = replace(record, package=code)  # of the code that ran, should a file have changed meanwhile
    text = json.dumps(record.to_dict(), indent=1, sort_keys=True) + "\n"
    write_atomic(folder / "appendix_e.record.json", text.encode())
    return folder


def _write(path: Path, frame: pd.DataFrame) -> None:
    # Floats are written with as many digits as it takes to read the same number back.
    write_atomic(path, frame.to_csv(index=False, lineterminator="\n").encode())
