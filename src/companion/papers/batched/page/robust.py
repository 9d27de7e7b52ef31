"""Robust regret: robust-BPE, its refinements, StableOpt and plain BPE; and the counterexamples of App. C and Sec. 2.2."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from companion.pages import Numbers, Rows, frame, recorded
from companion.papers.batched.experiments.definitions import experiment
from companion.papers.batched.page.example import Played, play
from companion.papers.batched.problems.catalogue import ROBUST_PROBLEMS, ROBUST_RADIUS, robust_problem
from companion.papers.batched.theory.three_arms import ARMS, NOISE, VARIANTS, AppendixCStudy
from companion.problems import FiniteProblem
from companion.reproduce.intervals import paired_interval
from companion.simulate import by_seed

METHODS = ("robust-bpe", "robust-bpe-refined", "stableopt", "bpe")
#: What problems and methods are called on the page.
PROBLEM_TITLES = {"toy-1d": "two peaks", "peak-2d": "peak and hill"}
METHOD_TITLES = dict(zip(METHODS, ("robust-BPE", "robust-BPE, refined (repaired)", "StableOpt", "BPE"), strict=True))
WIDTHS = ("theory", "fixed")
#: Rounds at which curves are kept, as fractions of the horizon.
_CURVE = 50


@dataclass(frozen=True, eq=False)
class RobustStudy:
    """Cumulative robust regret along the way, by problem, width, method and seed; the problems; the horizon."""

    curves: pd.DataFrame
    final: pd.DataFrame
    problems: dict[str, FiniteProblem]
    horizon: int


@recorded(first="seed", count="seeds")
def robust_study(seed: int, horizon: int, seeds: int, delta: float) -> RobustStudy:
    """Run every method on both robust problems, with its theory width and with a fixed width of 2."""
    curves, final = [], []
    checkpoints = np.unique(np.linspace(0, horizon, _CURVE + 1).round().astype(int)[1:])
    for problem in ROBUST_PROBLEMS:
        for width in WIDTHS:
            for method in METHODS:
                setting = {"problem": problem, "width": width, "horizon": horizon, "delta": delta}
                task = partial(_run, method=method, setting=setting, checkpoints=checkpoints)
                for at, (curve, recommended) in by_seed(task, seed, seeds):
                    label = {"problem": problem, "width": width, "method": method, "seed": at}
                    curves += [
                        label | {"t": int(t), "regret": float(r)} for t, r in zip(checkpoints, curve, strict=True)
                    ]
                    final.append(label | {"regret": float(curve[-1]), "recommended": recommended})
    known = {name: robust_problem(name).problem for name in ROBUST_PROBLEMS}
    return RobustStudy(pd.DataFrame(curves), pd.DataFrame(final), known, horizon)


def _run(seed: int, method: str, setting: dict[str, Any], checkpoints: np.ndarray) -> tuple[np.ndarray, float]:
    run = experiment("robust").run(method, seed, setting)
    return run.cumulative_regret[checkpoints - 1], float(run.recommended_regret)


def _means(study: RobustStudy) -> pd.DataFrame:
    return study.final.groupby(["problem", "width", "method"], sort=False)[["regret", "recommended"]].mean()


@frame
def robust_rows(study: RobustStudy) -> Rows:
    """Mean cumulative robust regret and robust regret of the recommended point: a row per problem and method."""
    means = _means(study)
    for problem in ROBUST_PROBLEMS:
        for method in METHODS:
            row: dict[str, Any] = {"problem": PROBLEM_TITLES[problem], "method": METHOD_TITLES[method]}
            for width, label in (("theory", "theory width"), ("fixed", "width 2")):
                row[f"cumulative, {label}"] = float(means.at[(problem, width, method), "regret"])
                row[f"final, {label}"] = float(means.at[(problem, width, method), "recommended"])
            yield row


def robust_numbers(study: RobustStudy) -> Numbers:
    """In how many settings one method beats another beyond the paired interval, how curves end, and what is recommended."""
    pays = beaten = cases = 0
    for _, part in study.final.groupby(["problem", "width"], sort=False):
        wide = part.pivot(index="seed", columns="method", values="regret")
        cases += 1
        if len(wide) > 1:
            pays += int(paired_interval(wide["robust-bpe"], wide["bpe"]).high < 0)
            beaten += int(paired_interval(wide["stableopt"], wide["robust-bpe"]).high < 0)
    means, late = _means(study), _late(study)
    recommended, regret = (means[name].unstack("method") for name in ("recommended", "regret"))
    return Numbers(
        study,
        horizon=study.horizon,
        cases=cases,
        pays=pays,
        beaten=beaten,
        lowest=sorted(set(regret.idxmin(axis=1))),
        late_robust=float(late.xs("fixed", level="width")["robust-bpe"].max()),
        late_plain=float(late["bpe"].min()),
        recommended_robust=float(recommended["robust-bpe"].max()),
        recommended_plain=float(recommended["bpe"].min()),
    )


def _late(study: RobustStudy) -> pd.DataFrame:
    """Share of the mean regret that comes in the last fifth of the evaluations, by problem and width (rows) and method."""
    early = study.curves[study.curves.t <= 0.8 * study.horizon]
    so_far = early[early.t == early.t.max()].groupby(["problem", "width", "method"], sort=False).regret.mean()
    return (1 - so_far / _means(study).regret).unstack("method")


#: Evaluations of the run that is drawn.
VIEW_HORIZON = 300


@dataclass(frozen=True, eq=False)
class RobustView:
    """A run of robust-BPE on ``toy-1d`` and the batch of it, by its place from 0, after which an elimination is drawn."""

    played: Played
    batch: int


@recorded(first="seed")
def robust_view(seed: int) -> RobustView:
    """Robust-BPE with a fixed width, up to the second batch: the first whose bounds eliminate much."""
    setting = {"problem": "toy-1d", "width": "fixed", "multiplier": 2.0, "horizon": VIEW_HORIZON}
    return RobustView(play("robust", "robust-bpe", seed, setting), 1)


def view_numbers(study: RobustView) -> Numbers:
    """What both maximisers are worth within reach, and how the drawn elimination came out."""
    problem, record = study.played.problem, study.played.history[study.batch]
    lower, upper = study.played.bounds(study.batch)
    plain, safe = problem.optimum_index, problem.robust_optimum_index
    relation = problem.neighbourhood
    # Points without a posterior are nobody's neighbour that is alive.
    worst_lower, worst_upper = (relation.minimum(np.nan_to_num(end, nan=np.inf)) for end in (lower, upper))
    bar = float(worst_lower[record.active].max())
    return Numbers(
        study,
        radius=ROBUST_RADIUS["toy-1d"],
        plain=float(problem.values[plain]),
        plain_worst=float(problem.robust_values[plain]),
        safe=float(problem.values[safe]),
        safe_worst=float(problem.robust_values[safe]),
        batch=record.number,
        size=record.size,
        before=int(record.active.sum()),
        after=int(record.survivors.sum()),
        sampled=int(record.sampled.sum()),
        safe_kept=bool(record.survivors[safe]),
        decided=np.array_equal(record.active & (worst_upper >= bar), record.survivors),
    )


def appendix_c_numbers(study: AppendixCStudy) -> Numbers:
    """The arms, and for every variant runs with valid bounds and those in which Lemma 10 was violated."""
    counts = study.violations.set_index("variant")
    valid, broken = counts["runs with valid bounds"], counts["Lemma 10 violated"]
    printed = VARIANTS["printed"]
    second = study.batches[(study.batches.batch == 2) & (study.batches.variant == printed)].iloc[0]
    return Numbers(
        study,
        arms=list(ARMS),
        noise=NOISE,
        valid=int(valid[printed]),
        violated=int(broken[printed]),
        violated_others=int(broken.drop(printed).sum()),
        sampled=second["arms sampled"],
        alive=second["arms alive afterwards"],
        worst=float(second["worst regret alive"]),
        allowed=float(second["Lemma 10 allows"]),
    )
