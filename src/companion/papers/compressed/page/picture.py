"""Compressed UCB and EI on the running function: points kept, and information gain of every round."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from companion.bounds.confidence import SrinivasDrawsWidth
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.information import information_gain
from companion.pages import Canvas, Numbers, Palette, charts, figure, recorded
from companion.papers.compressed.method import admission
from companion.papers.compressed.method.policy import CompressedBandit
from companion.problems import FiniteProblem
from companion.problems.running_example import LENGTHSCALE, NOISE, POINTS, running_function
from companion.simulate import Trajectory, run_policy

#: Failure probability of the width; exponent of the horizon in the budget; a budget, as u, at which EI may freeze anywhere.
DELTA, ALPHA, LARGE = 0.1, 0.5, 20.0
#: Regret of a round above which a point counts as a bad one, units of f.
BAD = 0.1
_PLACE = {"points": POINTS, "lengthscale": LENGTHSCALE, "noise": NOISE}


def play(
    acquisition: str, u: float | None, seed: int, rounds: int, initial: ArrayLike = (), noise: float = NOISE
) -> tuple[Trajectory, CompressedBandit]:
    """A run on the running function with the threshold noise^2 u of the variance, or with every point kept."""
    x, covariance, values = running_function()
    problem = FiniteProblem("the running function", x[:, None], values, noise, "companion")
    rule = admission.dense() if u is None else admission.Admission("info", noise**2 * u)
    width = SrinivasDrawsWidth(problem.size, DELTA)
    policy = CompressedBandit(covariance, noise**2, acquisition, rule, width, initial=initial)
    added = noise * np.random.default_rng(seed).standard_normal(rounds)  # as in the chapter's listing
    return run_policy(policy, problem, rounds, added), policy


@dataclass(frozen=True, eq=False)
class Picture:
    """A run of UCB with the horizon's budget, and its posterior at the end.

    Parameters
    ----------
    x, values, mean, sd : (N,) candidates, objective and posterior after the last round
    chosen, gain, kept : (T,) candidate chosen in a round, the information that a value there brings, whether it was kept
    budget : epsilon, nats
    copies : (N,) count of each candidate in the dictionary
    total : half the log-determinant of I + K / sigma^2 over the dictionary
    dense_gain : (T,) information of the rounds of the dense method on the same noise
    regret, dense : average regret of the run, and of the dense method
    """

    x: Floats
    values: Floats
    mean: Floats
    sd: Floats
    chosen: NDArray[np.intp]
    gain: Floats
    kept: NDArray[np.bool_]
    budget: float
    copies: NDArray[np.intp]
    total: float
    dense_gain: Floats
    regret: float
    dense: float


# The running function has a seed of its own.
@recorded(first="seed", fixed=(0,))
def one_run(seed: int, picture_rounds: int) -> Picture:
    """Run UCB with the horizon's budget, alpha = 1/2, and the dense method beside it."""
    x, covariance, values = running_function()
    budget = admission.horizon_budget(picture_rounds, ALPHA)
    run, policy = play("ucb", math.expm1(2.0 * budget), seed, picture_rounds)
    full, all_kept = play("ucb", None, seed, picture_rounds)
    gain, dense_gain = (
        0.5 * np.log1p(np.asarray(one.diagnostics()["variance"]) / NOISE**2) for one in (policy, all_kept)
    )
    stored = policy.posterior.indices[0]
    return Picture(
        x,
        values,
        policy.posterior.mean[0].copy(),
        np.sqrt(policy.posterior.variance[0]),
        run.query,
        gain,
        gain > budget,
        budget,
        np.bincount(stored, minlength=len(x)),
        information_gain(covariance, stored, NOISE**2),
        dense_gain,
        float(run.cumulative_regret[-1] / picture_rounds),
        float(full.cumulative_regret[-1] / picture_rounds),
    )


def first_rejection(kept: NDArray[np.bool_]) -> int:
    """The round of the first rejection, from 1; 0 if there is none."""
    return int(np.argmin(kept)) + 1 if not kept.all() else 0


def picture_numbers(picture: Picture) -> Numbers:
    """Points kept, largest count of one candidate, information gained, and both regrets."""
    return Numbers(
        picture,
        **_PLACE,
        rounds=len(picture.kept),
        first=first_rejection(picture.kept),
        order=int(picture.copies.sum()),
        copies=int(picture.copies.max()),
        budget=picture.budget,
        brought=float(picture.gain[picture.kept].sum()),
        total=picture.total,
        dense_total=float(picture.dense_gain.sum()),
        regret=picture.regret,
        dense=picture.dense,
    )


@dataclass(frozen=True, eq=False)
class Freeze:
    """UCB and EI under one large budget from the same two points: a run of each, and number of bad ends (``ends``).

    Parameters
    ----------
    x : (N,) candidates
    best : the maximiser
    chosen, kept : by acquisition, candidate of every round of the first run, and whether it was kept
    ends : one row a seed and acquisition: regret of the last round, average regret, choices after the first rejection
    """

    x: Floats
    best: float
    chosen: dict[str, NDArray[np.intp]]
    kept: dict[str, NDArray[np.bool_]]
    ends: pd.DataFrame


@recorded(first="seed", count="runs", fixed=(0,))
def freeze(seed: int, runs: int, picture_rounds: int) -> Freeze:
    """Play both acquisitions with the threshold of :data:`LARGE` and two random points to begin with, on common noise."""
    x, _, values = running_function()
    chosen, kept, ends = {}, {}, []
    for number in range(seed, seed + runs):
        begin = stream(number, "compressed", "picture", "start").choice(len(x), 2, replace=False)
        for acquisition in ("ucb", "ei"):
            run, policy = play(acquisition, LARGE, number, picture_rounds, begin)
            query, keeps = run.query[2:], np.asarray(policy.diagnostics()["variance"]) > NOISE**2 * LARGE
            first, lost = first_rejection(keeps), values.max() - values[query]
            later = len(set(query[first - 1 :].tolist())) if first else 0
            ends.append({"acquisition": acquisition, "seed": number, "last": lost[-1], "later": later})
            if number == seed:
                chosen[acquisition], kept[acquisition] = query, keeps
    return Freeze(x, float(x[values.argmax()]), chosen, kept, pd.DataFrame(ends))


def freeze_numbers(study: Freeze) -> Numbers:
    """Number of runs whose last round is bad, and of runs whose choice changes after the first rejection."""
    by = dict(iter(study.ends.groupby("acquisition")))
    values: dict[str, object] = {
        "runs": len(by["ei"]),
        "bad": BAD,
        "u": LARGE,
        "budget": 0.5 * math.log1p(LARGE),
        **_PLACE,
    }
    for name, rows in by.items():
        values |= {f"{name}_bad": int((rows["last"] > BAD).sum()), f"{name}_moves": int((rows.later > 1).sum())}
        first = rows.iloc[0]
        values |= {f"{name}_last": float(first["last"]), f"{name}_end": float(study.x[study.chosen[name][-1]])}
    return Numbers(study, **values)


#: Marks of rejected and of kept rounds: marker, number of the colour, name.
_OUTCOMES = (("x", 1, "rejected"), ("o", 0, "kept"))


@figure(size=(8.8, 4.8))
def draw_one_run(canvas: Canvas, palette: Palette, picture: Picture) -> None:
    """Plots each round's point and whether it is kept: over the domain, by its information gain, and cumulatively."""
    rounds = np.arange(1, len(picture.kept) + 1)
    grid = canvas.subplots(2, 2, sharex="col", width_ratios=(1.25, 1))
    (function, gain), (choices, total) = grid
    x, mean, sd = picture.x, picture.mean, picture.sd
    charts.band(function, x, mean - 2 * sd, mean + 2 * sd, palette.muted)
    function.plot(x, mean, color=palette.muted, ls="--", label="posterior mean, ± 2 sd")
    function.plot(x, picture.values, color=palette.ink, ls="-", lw=1.3, label="f, unknown")
    for shown, (marker, color, outcome) in zip((~picture.kept, picture.kept), _OUTCOMES, strict=True):
        style: charts.Style = {"ls": "none", "marker": marker, "color": palette.series[color], "label": outcome}
        function.plot(x[picture.chosen[shown]], picture.values[picture.chosen[shown]], **style, ms=5)
        choices.plot(x[picture.chosen[shown]], rounds[shown], **style, ms=4)
        gain.plot(rounds[shown], picture.gain[shown], **style, ms=4)
    gain.axhline(picture.budget, color=palette.ink, ls="--", lw=1.2)
    place: charts.Style = {"xytext": (-2, 4), "textcoords": "offset points", "ha": "right", "fontsize": 8.5}
    gain.annotate("budget ε", (rounds[-1], picture.budget), **place)
    charts.name_axes(function, y="f", title="After the last round")
    charts.name_axes(choices, "x", "round t", "Where each round plays")
    choices.set_xlim(x[0], x[-1])
    choices.invert_yaxis()
    charts.name_axes(gain, title="What the round would teach, nats", log="y")
    charts.name_axes(total, "round t", title="What was learnt, nats")
    for taught, ls, shade, words in (
        (picture.dense_gain, ":", palette.ink, f"all {rounds[-1]} points"),
        (picture.gain * picture.kept, "-", palette.series[0], f"{picture.copies.sum()} points"),
    ):
        total.step(rounds, np.cumsum(taught), ls=ls, color=shade, where="post")
        below = place | ({"xytext": (-2, -12)} if ls == "-" else {})
        total.annotate(words, (rounds[-1], taught.sum()), **below | {"color": shade})
    total.set_ylim(0, 1.12 * picture.dense_gain.sum())
    charts.legend_above(canvas, function, 4)


@figure(size=(8.6, 3.1))
def frozen_choices(canvas: Canvas, palette: Palette, study: Freeze) -> None:
    """Plots the choices of UCB and EI by round under a large budget, from the same two points."""
    names = {"ucb": "UCB", "ei": "Expected improvement"}
    for axes, (name, title) in zip(charts.row_of(canvas, 2), names.items(), strict=True):
        chosen, kept = study.x[study.chosen[name]], study.kept[name]
        rounds = np.arange(1, len(kept) + 1)
        axes.axhline(study.best, color=palette.ink, ls="--", lw=1.2, label="maximiser")
        for shown, (marker, color, outcome) in zip((~kept, kept), _OUTCOMES, strict=True):
            axes.plot(rounds[shown], chosen[shown], marker, color=palette.series[color], ms=5, label=outcome)
        charts.name_axes(axes, "round t", title=title, log="x")
        axes.set_ylim(-0.03, 1.03)
    canvas.axes[0].set_ylabel("where it plays")
    charts.legend_above(canvas, canvas.axes[0], 3)
