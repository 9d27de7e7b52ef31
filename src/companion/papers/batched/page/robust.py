"""Robust regret: robust-BPE, its refinements, StableOpt and plain BPE; and the counterexamples of App. C and Sec. 2.2."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from companion.judge.intervals import paired_interval
from companion.pages import Canvas, Numbers, Palette, Rows, charts, figure, frame, recorded
from companion.papers.batched.experiments.definitions import experiment
from companion.papers.batched.page.example import Played, play, shade, stretches
from companion.papers.batched.problems.catalogue import ROBUST_PROBLEMS, ROBUST_RADIUS, robust_problem
from companion.papers.batched.theory.three_arms import ARMS, NOISE, VARIANTS, AppendixCStudy
from companion.problems import FiniteProblem
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
    """Worth of both maximisers within reach, and the outcome of the drawn elimination."""
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


@figure(size=(9.0, 4.0))
def neighbourhood(canvas: Canvas, palette: Palette, study: RobustView) -> None:
    """Ordinary and robust maximiser with what may be reached from them, and one elimination of a run."""
    left, right = charts.row_of(canvas, 2, width_ratios=(1, 1.15))
    _draw_reach(left, study, palette)
    _draw_robust_batch(right, study, palette)
    left.set_ylabel("value")
    for axes in (left, right):
        axes.set(xlim=(0, 1), xlabel="x")
        axes.grid(visible=False)


def _draw_reach(axes: Axes, study: RobustView, palette: Palette) -> None:
    problem, x = study.played.problem, study.played.problem.points[:, 0]
    axes.plot(x, problem.values, color=palette.ink, ls="-", lw=1.4)
    axes.plot(x, problem.robust_values, color=palette.series[1], ls="--", lw=1.4)
    places = (
        (problem.optimum_index, "o", "ordinary\nmaximiser"),
        (problem.robust_optimum_index, "*", "robust\nmaximiser"),
    )
    for index, marker, words in places:
        members = problem.neighbourhood.members(index)
        axes.axvspan(x[members[0]], x[members[-1]], color=palette.series[0], alpha=0.2, lw=0)
        worst = problem.robust_values[index]
        style: charts.Style = {"color": palette.accent, "ms": 11 if marker == "*" else 8, "ls": "none"}
        axes.plot(x[index], problem.values[index], marker, **style)
        axes.plot(x[index], worst, "_", color=palette.accent, ms=16, mew=2.2)
        axes.annotate(
            "",
            (x[index], worst),
            (x[index], problem.values[index]),
            arrowprops={"arrowstyle": "->", "color": palette.accent},
        )
        axes.text(x[index], 1.06, words, ha="center", va="bottom", fontsize=9, color=palette.ink)
        axes.text(x[members[-1]] + 0.012, worst, f"{worst:.2f}", va="center", fontsize=9, color=palette.accent)
    lowest = int(problem.values.argmin())
    axes.text(x[lowest] + 0.03, problem.values[lowest] + 0.3, "f", fontsize=11, ha="left")
    label: charts.Style = {"color": palette.series[1], "fontsize": 9, "ha": "center", "va": "top"}
    axes.text(x[lowest], problem.robust_values[lowest] - 0.05, "worst value within reach", **label)
    axes.set_ylim(problem.values[lowest] - 0.25, 1.3)


def _draw_robust_batch(axes: Axes, study: RobustView, palette: Palette) -> None:
    played, batch = study.played, study.batch
    record, problem, x = played.history[batch], played.problem, played.problem.points[:, 0]
    lower, upper = played.bounds(batch)
    charts.band(axes, x, lower, upper, palette.series[0], 0.25)
    axes.plot(x, problem.values, color=palette.ink, lw=1.1, ls="-")
    axes.plot(x[record.query], played.observed[batch], "o", color=palette.series[0], ms=2.2, mew=0, alpha=0.5)
    alive = record.active
    worst_upper, worst_lower = (
        np.where(alive, problem.neighbourhood.minimum(np.nan_to_num(end, nan=np.inf)), np.nan) for end in (upper, lower)
    )
    axes.plot(x, worst_upper, color=palette.series[1], ls="--", lw=1.8)
    axes.plot(x, worst_lower, color=palette.series[3], ls=":", lw=1.8)
    bar = float(np.nanmax(worst_lower))
    axes.axhline(bar, color=palette.accent, ls="--", lw=1.2)
    shade(axes, x, record, palette)
    step = x[1] - x[0]
    for first, last in stretches(record.survivors):
        axes.axvspan(x[first] - step / 2, x[last] + step / 2, ymax=0.03, color=palette.series[2], lw=0)
    edge = stretches(alive)[0][1]
    for end, color, words in ((worst_upper, 1, "worst upper bound"), (worst_lower, 3, "worst lower bound")):
        axes.text(x[edge] + 0.065, end[edge], words, color=palette.series[color], fontsize=8.5, va="center")
    axes.text(x[edge] + 0.065, bar + 0.03, "the best", color=palette.accent, fontsize=9)
    safe = problem.robust_optimum_index
    axes.plot(x[safe], problem.values[safe], "*", color=palette.accent, ms=11)
    axes.set_title(f"Batch {record.number}: {record.size} points, {int(record.survivors.sum())} survive")


@figure(size=(9.2, 5.6))
def robust(canvas: Canvas, palette: Palette, study: RobustStudy) -> None:
    """The two problems, and cumulative robust regret of the methods."""
    axes = canvas.subplots(2, 3)
    for row, (name, problem) in zip(axes, study.problems.items(), strict=True):
        _draw_problem(row[0], name, problem, palette, canvas)
        for panel, width in zip(row[1:], ("theory", "fixed"), strict=True):
            part = study.curves[(study.curves.problem == name) & (study.curves.width == width)]
            for k, method in enumerate(METHODS):
                wide = part[part.method == method].pivot(index="t", columns="seed", values="regret")
                charts.band(panel, wide.index, wide.min(axis=1), wide.max(axis=1), palette.series[k], 0.18)
                panel.plot(wide.index, wide.mean(axis=1), label=METHOD_TITLES[method], **charts.look(palette, k))
            title = "theory width" if width == "theory" else "width 2"
            charts.name_axes(panel, "evaluations t", title=f"{PROBLEM_TITLES[name]}, {title}")
        row[1].set_ylabel("cumulative robust regret")
    charts.legend_above(canvas, axes[0, 1], 4)


def _draw_problem(axes: Axes, name: str, problem: FiniteProblem, palette: Palette, canvas: Canvas) -> None:
    plain, safe = problem.optimum_index, problem.robust_optimum_index
    if problem.points.shape[1] == 1:
        x = problem.points[:, 0]
        axes.plot(x, problem.values, color=palette.series[0], ls="-")
        axes.plot(x, problem.robust_values, color=palette.series[1], ls="--")
        lowest = int(problem.values.argmin())
        axes.text(x[lowest], problem.values[lowest] + 0.6, "f", color=palette.series[0], ha="center")
        under: charts.Style = {"color": palette.series[1], "ha": "center", "va": "top", "fontsize": 8.5}
        axes.text(x[lowest], problem.values[lowest] - 0.05, "worst neighbour", **under)
        axes.plot(x[plain], problem.values[plain], "o", color=palette.ink, ms=7, mfc="none")
        axes.plot(x[safe], problem.values[safe], "*", color=palette.accent, ms=10)
        axes.set(title=PROBLEM_TITLES[name], xlabel="x", ylim=(problem.values[lowest] - 0.3, None))
        return
    side = round(len(problem.values) ** 0.5)
    image = axes.imshow(problem.values.reshape(side, side).T, origin="lower", extent=(0, 1, 0, 1), cmap=palette.map)
    for index, marker, color in ((plain, "o", "#ffffff"), (safe, "*", "#ff4d7a")):
        axes.plot(*problem.points[index], marker, color=color, ms=10, mfc="none" if marker == "o" else color)
    axes.set(title=PROBLEM_TITLES[name], xlabel=r"$x_1$", ylabel=r"$x_2$", aspect="equal")
    axes.grid(visible=False)
    canvas.colorbar(image, ax=axes, shrink=0.8)
