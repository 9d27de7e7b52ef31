"""Appendix E rerun: the runs behind Tables 1-3, and what is kept of one.

A row of the result table is one run: kernel, batch-size rule, seed. The seed draws the function and the noise, so rules
are compared in pairs. The paper shows means over ten trials; the first ten seeds give a table of that size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from companion.papers.batched.plan.experiments import EXPERIMENTS
from companion.simulate.store import Task

#: Batch-size rules of Tables 1-3: ``None`` is the original rule (5), a number the ``a`` of rule (6).
RULES: dict[str, tuple[float | None, ...]] = {
    "se": (None, 0.52, 0.6, 0.65),
    "matern32": (None, 0.31, 0.4, 0.5),
    "matern52": (None, 0.36, 0.4, 0.5),
}
#: Rounds at which the tables report the cumulative regret.
CHECKPOINTS = (200, 400, 600, 800, 1000)
CURVE = tuple(range(100, 1001, 100))


def rule_label(a: float | None) -> str:
    """``orig`` or ``a=0.4``."""
    return "orig" if a is None else f"a={a:g}"


def tasks(seeds: Sequence[int], kernels: Sequence[str] = tuple(RULES), **overrides: Any) -> list[Task]:
    """One task per kernel, rule and seed; ``overrides`` are parameters of the experiment ``appendix-e``."""
    experiment = next(e for e in EXPERIMENTS if e.name == "appendix-e")
    found = []
    for kernel in kernels:
        for a in RULES[kernel]:
            chosen = {"schedule": "original"} if a is None else {"schedule": "power", "a": a}
            found += experiment.tasks(["bpe"], seeds, {"kernel": kernel, **chosen, **overrides})
    return found


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
