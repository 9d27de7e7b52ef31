"""Appendix E rerun: the runs behind Tables 1-3, and what can be concluded from them.

A row of the result table is one run: kernel, batch-size rule, seed. The seed draws the function and the noise, so rules
are compared in pairs. The paper shows means over ten trials; the first ten seeds give a table of that size, and all of
them give the intervals on which the conclusions rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.papers.batched.plan.experiments import EXPERIMENTS
from companion.reproduce.intervals import Interval, paired_interval
from companion.reproduce.verdict import paired_claim
from companion.simulate.store import Task, assemble, run_tasks

#: Batch-size rules of Tables 1-3: ``None`` is the original rule (5), a number the ``a`` of rule (6).
RULES: dict[str, tuple[float | None, ...]] = {
    "se": (None, 0.52, 0.6, 0.65),
    "matern32": (None, 0.31, 0.4, 0.5),
    "matern52": (None, 0.36, 0.4, 0.5),
}
#: Rounds at which the tables report the cumulative regret.
CHECKPOINTS = (200, 400, 600, 800, 1000)
CURVE = tuple(range(100, 1001, 100))
TITLES = {"se": "Table 1 (SE)", "matern32": "Table 2 (Matérn 3/2)", "matern52": "Table 3 (Matérn 5/2)"}


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


def run(seeds: Sequence[int], folder: Path, **overrides: Any) -> pd.DataFrame:
    """Compute what is missing in ``folder`` and return the result table; see :func:`to_frame`."""
    wanted = tasks(seeds, **overrides)
    run_tasks(wanted, compute, folder, label="appendix E")
    return to_frame(wanted, assemble(wanted, folder))


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


def table(frame: pd.DataFrame, kernel: str, seeds: Sequence[int] | None = None) -> pd.DataFrame:
    """A table of the paper's layout: one row per rule, mean cumulative regret at the checkpoints present."""
    part = frame[frame.kernel == kernel]
    if seeds is not None:
        part = part[part.seed.isin(list(seeds))]
    columns = [f"R{t}" for t in CHECKPOINTS if f"R{t}" in part]
    means = part.groupby("rule", sort=False)[["batches", *columns]].mean().reset_index()
    return means.astype({"batches": int}).rename(columns={f"R{t}": f"t={t}" for t in CHECKPOINTS})


def paired(frame: pd.DataFrame, kernel: str, rule: str, column: str = "R1000") -> tuple[Interval, np.ndarray]:
    """Regret of ``rule`` minus that of the original rule, per seed, with the interval of its mean."""
    part = frame[frame.kernel == kernel].pivot(index="seed", columns="rule", values=column)
    return paired_interval(part[rule], part["orig"]), (part[rule] - part["orig"]).to_numpy()


@dataclass(frozen=True)
class Claim:
    """A conclusion that Appendix E draws from its tables, about ``rule`` against the original rule at t = 1000."""

    kernel: str
    rule: str
    says: str  # "smaller", "larger" or "comparable"
    wording: str


CLAIMS = (
    Claim("se", "a=0.52", "comparable", "a = 0.52 is comparable with the original sizes"),
    Claim("se", "a=0.6", "smaller", "a = 0.6 has smaller regret, with more batches"),
    Claim("se", "a=0.65", "smaller", "a = 0.65 has smaller regret, with more batches"),
    Claim("matern32", "a=0.31", "larger", "a = 0.31, next to its limit 0.3, is clearly worse"),
    Claim("matern32", "a=0.4", "smaller", "a = 0.4 has smaller regret with one batch fewer"),
    Claim("matern32", "a=0.5", "comparable", "a = 0.5 and the original sizes are the same experiment"),
    Claim("matern52", "a=0.36", "smaller", "a = 0.36 has smaller regret with one batch fewer"),
    Claim("matern52", "a=0.4", "smaller", "a = 0.4 has smaller regret with one batch fewer"),
    Claim("matern52", "a=0.5", "comparable", "a = 0.5 and the original sizes are the same experiment"),
)
#: "Comparable" means the interval lies within this fraction of the original rule's mean; fixed before the runs, and
#: repeated in data/reported/margins.toml (a test compares them).
COMPARABLE = 0.15


def judge(frame: pd.DataFrame, claim: Claim, column: str = "R1000") -> dict[str, Any]:
    """The claim against all seeds: paired difference, 95 % interval, outcome, and how ten functions would have decided.

    Returns
    -------
    dict with ``difference``, ``low``, ``high``, ``relative`` (to the original rule's mean), ``share_negative`` (of
    seeds), ``ten_agree`` (probability that the mean over ten random seeds has the claimed sign or size) and
    ``outcome``: ``holds``, ``contradicted`` or ``undecided``
    """
    interval, differences = paired(frame, claim.kernel, claim.rule, column)
    base = float(frame[(frame.kernel == claim.kernel) & (frame.rule == "orig")][column].mean())
    margin = COMPARABLE * abs(base)
    return {
        "difference": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "relative": interval.estimate / base,
        "share_negative": float(np.mean(differences < 0)),
        "ten_agree": _ten_agree(differences, claim.says, margin),
        "outcome": paired_claim(interval, claim.says, margin).verdict,
    }


def _ten_agree(differences: np.ndarray, says: str, margin: float, repetitions: int = 10_000) -> float:
    """Share of random ten-seed subsets whose mean difference agrees with the claim; a fixed stream, so reproducible."""
    if len(differences) <= 10:
        return float("nan")
    from companion.randomness import stream

    generator = stream(0, "ten of many")
    picks = np.argsort(generator.random((repetitions, len(differences))), axis=1)[:, :10]
    means = differences[picks].mean(axis=1)
    agree = {"smaller": means < 0, "larger": means > 0, "comparable": np.abs(means) < margin}[says]
    return float(agree.mean())
