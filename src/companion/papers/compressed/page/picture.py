"""Compressed UCB on the lesson's example: what it keeps, beside GP-UCB that keeps everything, and when skipping helps."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from companion.bounds.confidence import SrinivasDrawsWidth
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.information import information_gain
from companion.judge.intervals import mean_interval
from companion.pages import Canvas, Numbers, Palette, Table, charts, figure, provenance_of, recorded
from companion.papers.compressed.method import admission
from companion.papers.compressed.method.policy import CompressedBandit
from companion.papers.compressed.theory import runs as theory
from companion.papers.compressed.theory.bounds import finite_beta
from companion.problems import FiniteProblem
from companion.problems.running_example import LENGTHSCALE, POINTS, running_function
from companion.simulate import Trajectory, run_policy

#: Rounds of the example, variance of its noise, failure probability of the width, exponent of the horizon in the budget.
ROUNDS, VARIANCE, DELTA, ALPHA = 300, 0.1, 0.1, 0.5
#: Constant widths beside the theory's, and the one of them that keeps most by being short.
WIDTHS, NARROW = (3.0, 2.0, 1.0), 2.0
#: The theory's width in a table.
THEORY = "theorem's"
PLACE = {"points": POINTS, "lengthscale": LENGTHSCALE, "noise": VARIANCE, "rounds": ROUNDS}


def play(u: float | None, seed: int, variance: float = VARIANCE) -> tuple[Trajectory, CompressedBandit]:
    """A run of UCB on the example with the threshold ``variance * u`` of the variance, or with every point kept."""
    x, covariance, values = running_function()
    problem = FiniteProblem("the running function", x[:, None], values, math.sqrt(variance), "companion")
    rule = admission.dense() if u is None else admission.Admission("info", variance * u)
    policy = CompressedBandit(covariance, variance, "ucb", rule, SrinivasDrawsWidth(problem.size, DELTA))
    added = math.sqrt(variance) * np.random.default_rng(seed).standard_normal(ROUNDS)  # as in the chapter's listing
    return run_policy(policy, problem, ROUNDS, added), policy


@dataclass(frozen=True, eq=False)
class Model:
    """A run at its end: posterior ``mean`` and ``sd`` (N,), and by round (T,) the point ``chosen``, the value ``seen``,
    the information ``gain`` that it brings, and whether it is ``kept``; ``regret`` is the average of a round."""

    mean: Floats
    sd: Floats
    chosen: NDArray[np.intp]
    seen: Floats
    gain: Floats
    kept: NDArray[np.bool_]
    regret: float


@dataclass(frozen=True, eq=False)
class Picture:
    """Candidates ``x`` (N,), objective ``values`` (N,), both runs, the budget in nats, the largest count of one candidate in
    the dictionary, and half the log-determinant of I + K / sigma^2 over it (``total``)."""

    x: Floats
    values: Floats
    full: Model
    small: Model
    budget: float
    copies: int
    total: float


# The running function has a seed of its own.
@recorded(first="seed", fixed=(0,))
def one_run(seed: int) -> Picture:
    """Run UCB with the horizon's budget, and with every point kept, on the same noise."""
    x, covariance, values = running_function()
    budget, models = admission.horizon_budget(ROUNDS, ALPHA), []
    for u in (None, math.expm1(2.0 * budget)):
        run, policy = play(u, seed)
        variance = np.asarray(policy.diagnostics()["variance"])
        kept = np.ones(ROUNDS, dtype=bool) if u is None else variance > VARIANCE * u
        mean, sd = policy.posterior.mean[0].copy(), np.sqrt(policy.posterior.variance[0])
        gain, average = 0.5 * np.log1p(variance / VARIANCE), float(run.cumulative_regret[-1] / ROUNDS)
        models.append(Model(mean, sd, run.query, run.observation, gain, kept, average))
    stored = models[1].chosen[models[1].kept]
    copies, total = int(np.bincount(stored).max()), information_gain(covariance, stored, VARIANCE)
    return Picture(x, values, models[0], models[1], budget, copies, total)


def picture_numbers(picture: Picture) -> Numbers:
    """Points kept, largest count of one candidate, information gained, both regrets, and where the peak is."""
    full, small = picture.full, picture.small
    return Numbers(
        picture,
        **PLACE,
        order=int(small.kept.sum()),
        copies=picture.copies,
        budget=picture.budget,
        brought=float(small.gain[small.kept].sum()),
        first_ten=float(small.gain[:10].sum()),
        total=picture.total,
        full_total=float(full.gain.sum()),
        regret=small.regret,
        full_regret=full.regret,
        peak=float(picture.x[picture.values.argmax()]),
    )


@figure(size=(8.6, 2.9))
def draw_one_run(canvas: Canvas, palette: Palette, picture: Picture) -> None:
    """Plots the posterior of both runs after the last round, with the values that it rests on."""
    titles = ("A: every evaluation is kept", "B: some are kept")
    for axes, model, title in zip(charts.row_of(canvas, 2), (picture.full, picture.small), titles, strict=True):
        charts.band(axes, picture.x, model.mean - 2 * model.sd, model.mean + 2 * model.sd, palette.muted)
        axes.plot(picture.x, model.mean, color=palette.muted, ls="--", label="model, ± 2 sd")
        axes.plot(picture.x, picture.values, color=palette.ink, ls="-", lw=1.3, label="yield f, unknown")
        at, seen = picture.x[model.chosen[model.kept]], model.seen[model.kept]
        axes.plot(at, seen, "o", ms=3.5, color=palette.series[0], label="evaluations kept")
        charts.name_axes(axes, "angle x", title=title)
    canvas.axes[0].set_ylabel("yield")
    canvas.axes[0].legend(loc="upper left", fontsize=8.5)


# -- when skipping helps -----------------------------------------------------------------------------------------------


@recorded(first="seed", fixed=(0,))
def skipping(seed: int, functions: int) -> pd.DataFrame:
    """UCB with the horizon's budget beside UCB that keeps everything, on draws of the example's prior and common noise.

    Returns
    -------
    one row a function and ``width`` (:data:`THEORY` or a constant), and for ``small`` and ``full``: average regret of a
    round (``regret``), of the point of largest posterior mean at the end (``point``); after the first rejection of the
    small run the number of rounds more than half a length-scale from the maximiser (``far``), the regret of these
    (``far_regret``) and of the others (``near_regret``); and how far the upper bound at the maximiser is above it in the
    last round (``above``)
    """
    _, covariance, _ = running_function()
    budget, rounds = admission.horizon_budget(ROUNDS, ALPHA), np.arange(1.0, ROUNDS + 1.0)
    frames, schedules = [], {THEORY: finite_beta(rounds, POINTS, DELTA)}
    for width, beta in (schedules | {f"{width:g}": np.full(ROUNDS, width**2) for width in WIDTHS}).items():
        small, full = (
            theory.play(
                covariance, beta, VARIANCE, epsilon, functions, stream(seed, "compressed", "picture", "skipping")
            )
            for epsilon in (budget, -math.inf)
        )
        later = np.cumsum(~small.kept, axis=1) > 0
        columns = {
            f"{name}_{what}": values
            for name, runs in (("small", small), ("full", full))
            for what, values in _losses(runs, later, covariance).items()
        }
        frames.append(pd.DataFrame({"width": width, **columns}))
    return pd.concat(frames, ignore_index=True)


def _losses(runs: theory.TheoryRuns, later: NDArray[np.bool_], covariance: Floats) -> dict[str, Floats]:
    lost, best = runs.instantaneous, runs.values.max(axis=1)
    far = later & (np.abs(runs.chosen - runs.optimum[:, None]) > 0.5 * LENGTHSCALE * (POINTS - 1) + 1e-9)
    named = []
    for chosen, kept, seen, values in zip(runs.chosen, runs.kept, runs.observed, runs.values, strict=True):
        at = chosen[kept]
        noisy = covariance[np.ix_(at, at)] + VARIANCE * np.eye(len(at))
        named.append(values[np.argmax(covariance[:, at] @ np.linalg.solve(noisy, seen[kept]))])
    upper = runs.optimum_mean[:, -1] + np.sqrt(runs.beta[-1] * runs.optimum_variance[:, -1])
    return {
        "regret": lost.mean(axis=1),
        "point": best - np.array(named),
        "far": far.sum(axis=1).astype(float),
        "far_regret": np.where(far, lost, 0.0).sum(axis=1),
        "near_regret": np.where(later & ~far, lost, 0.0).sum(axis=1),
        "above": upper - best,
    }


def skipping_numbers(rows: pd.DataFrame) -> Numbers:
    """Means under the theory's width, in how many functions skipping has the smaller regret, and 95 % intervals of differences.

    Of the constant width :data:`NARROW`: what skipping adds (``narrow_low``, at least), in how many functions it doubles the
    regret (``narrow_bad``), and what keeping all saves beside skipping under
    the theory's (``shorter_low``); ``worse_point``: under how many widths skipping names a worse point.
    """
    wide, narrow = (rows[rows.width == width].reset_index(drop=True) for width in (THEORY, f"{NARROW:g}"))
    point = mean_interval((wide.small_point - wide.full_point).to_numpy())
    regret = mean_interval((narrow.small_regret - narrow.full_regret).to_numpy())
    means, by_width = wide.drop(columns="width").mean(), rows.groupby("width").mean()
    return Numbers(
        rows,
        **PLACE,
        **{name: float(value) for name, value in means.items()},
        functions=len(wide),
        fewer=int((wide.small_regret < wide.full_regret - 1e-12).sum()),
        higher=int((wide.small_above > wide.full_above).sum()),
        saved=float(means.full_regret - means.small_regret) * ROUNDS,
        saved_far=float(means.full_far_regret - means.small_far_regret),
        point_low=point.low,
        narrow=NARROW,
        narrow_small=float(narrow.small_regret.mean()),
        narrow_full=float(narrow.full_regret.mean()),
        narrow_low=regret.low,
        narrow_bad=int((narrow.small_regret > 2.0 * narrow.full_regret).sum()),
        shorter_low=mean_interval((wide.small_regret - narrow.full_regret).to_numpy()).low,
        least=bool(narrow.full_regret.mean() < by_width[["small_regret", "full_regret"]].to_numpy().min() + 1e-12),
        worse_point=int((by_width.small_point > by_width.full_point).sum()),
        widths=len(by_width),
    )


def widths(rows: pd.DataFrame) -> Table:
    """What keeping all and skipping lose by width, a round and the angle named at the end: means over the functions."""
    columns = {"full_regret": "round, all kept", "small_regret": "round, skip"}
    columns |= {"full_point": "named, all kept", "small_point": "named, skip"}
    means = rows.groupby("width", sort=False)[list(columns)].mean().rename(columns=columns).reset_index()
    best = pd.concat([means.iloc[:, pair].eq(means.iloc[:, pair].min(axis=None)) for pair in ([1, 2], [3, 4])], axis=1)
    look = dict.fromkeys(columns.values(), "{:.3f}".format)
    return Table(means, where=provenance_of(rows), formats=look, best=best)
