"""Appendix E at the paper's own scale, stored in ``data/results/batched``; ``make paper CH=3`` calls :func:`store`.

Four files are written: ``appendix_e.csv`` (200 functions per kernel, every rule of Tables
1-3), ``appendix_e_ties.csv`` (the same with ties broken at random), ``appendix_e_repeats.csv`` (ten trials on each of
twenty fixed functions, original rule) and their record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.papers.batched.experiments.definitions import EXPERIMENTS
from companion.papers.batched.experiments.runs import RULES, SEEDS, TABLES, every_run, rule_label
from companion.reproduce.runs import Item, StoredRuns
from companion.reproduce.runs import store as store_runs
from companion.reproduce.stored import StoredTables
from companion.simulate.store import Task

COMMAND = "make paper CH=3"
CURVE = tuple(range(100, 1001, 100))
"""Rounds whose cumulative regret is kept."""


def store(root: Path | None = None, jobs: int | None = None) -> Path:
    """Compute what is missing and write the tables and their record, see :func:`companion.reproduce.runs.store`."""
    return store_runs(stored_runs(), root, jobs)


def load(root: Path | None = None) -> StoredTables:
    """The stored tables and their record; :class:`~companion.core.errors.ResultError` if they are missing or damaged."""
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


def compute(task: Task) -> dict[str, Any]:
    """The numbers kept of one run: batch sizes, regret along the way, and whether the maximiser survived."""
    experiment = next(e for e in EXPERIMENTS if e.name == "appendix-e")
    run = experiment.run(task.method, task.seed, dict(task.parameters))
    horizon = len(run)
    return {
        "sizes": np.bincount(run.batch)[1:].tolist(),
        "curve": {str(t): float(run.cumulative_regret[t - 1]) for t in CURVE if t <= horizon},
        "recommended_regret": float(run.recommended_regret),
        "maximiser_kept": bool(run.diagnostics["maximiser_kept"]),
        "mean_gap": float(run.diagnostics["mean_gap"]),
    }


def to_frame(wanted: Sequence[Task], results: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Tidy table: kernel, rule, seed, batches, sizes, R100 ... R1000, recommended_regret, maximiser_kept, mean_gap."""
    rows = []
    for task, result in zip(wanted, results, strict=True):
        a = task.parameters["a"] if task.parameters["schedule"] == "power" else None
        row = {"kernel": task.parameters["kernel"], "rule": rule_label(a), "seed": task.seed}
        row |= {"batches": len(result["sizes"]), "sizes": " ".join(map(str, result["sizes"]))}
        row |= {f"R{t}": value for t, value in result["curve"].items()}
        row |= {key: result[key] for key in ("recommended_regret", "maximiser_kept", "mean_gap")}
        rows.append(row)
    return pd.DataFrame(rows)


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
