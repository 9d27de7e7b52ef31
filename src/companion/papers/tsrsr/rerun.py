"""The code's reading made again, beside what is stored of the text's reading.

:func:`companion.papers.tsrsr.paper_scale.store` makes everything. Where only the version of the code's reading has
changed, :func:`store_code` makes its runs and leaves the stored rows of the text's reading as they are.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pandas as pd

from companion.files import results_folder
from companion.papers.tsrsr import paper_scale
from companion.papers.tsrsr.experiments import VERSIONS
from companion.papers.tsrsr.paper_scale import PAPER, Plan
from companion.reproduce.record import TASKS, Record
from companion.reproduce.runs import Item
from companion.reproduce.runs import store as store_runs
from companion.reproduce.stored import store_tables
from companion.simulate.store import assemble, core_seconds, run_tasks


def code_items(plan: Plan = PAPER) -> tuple[Item, ...]:
    """Tables 1-4 in the code's reading."""
    return tuple(
        (name, task)
        for name, task in paper_scale.every_run(plan)
        if name == "tables" and task.parameters["reading"] == "code"
    )


def store_code(root: Path | None = None, jobs: int | None = None, plan: Plan = PAPER) -> Path:
    """Compute what is missing of the factors and of the code's reading, and put the latter in place of what is stored.

    Parameters
    ----------
    root, jobs, plan : as for :func:`companion.papers.tsrsr.paper_scale.store`

    Returns
    -------
    the folder written to

    Raises
    ------
    ResultError
        if the stored tables are missing or damaged
    """
    stored = paper_scale.load(root)
    single = paper_scale.factor_runs(plan)
    if single.items:
        store_runs(single, root, jobs, seeds=range(plan.factor_seeds), settings={})
    folder, items, began = results_folder("tsrsr", root), code_items(plan), time.monotonic()
    tasks = [task for _, task in items]
    run_tasks(tasks, paper_scale.compute, folder / TASKS, jobs=jobs, label="code's reading")
    results = assemble(tasks, folder / TASKS)
    seconds = time.monotonic() - began
    made = Record.now(single.command, profile="paper", seeds=[], seconds=seconds, paper="tsrsr")
    tables = dict(stored.tables)
    for name, rows in paper_scale.frames(plan, items, results).items():
        if name in ("final", "curves"):
            tables[name] = replaced(stored.tables[name], rows)
    cost = {"runs": len(tasks), "core_seconds": round(core_seconds(tasks, folder / TASKS), 1)}
    settings = {
        **stored.record.settings,
        "versions": VERSIONS,
        "random_rounds": paper_scale.random_rounds(items, results),
        "code_reading": {"date": made.date, "commit": made.commit, "versions": dict(made.versions), "cost": cost},
    }
    store_tables(folder, "tables", tables, replace(stored.record, settings=settings, package=made.package))
    return folder


def replaced(table: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """The stored rows of the text's reading, as they stand, then those of the code's."""
    return pd.concat([table[table.reading == "text"], rows[list(table.columns)]], ignore_index=True)
