"""Size of the dictionary: rates in the budget, a certificate, UCB to its end, and three arms."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.gp import Kernel, Matern, SquaredExponential, grid
from companion.pages import Canvas, Numbers, Palette, Rows, cells, charts, figure, frame, recorded
from companion.papers.compressed.checks.order_models import Model
from companion.papers.compressed.checks.setting_claims import THRESHOLDS, limiting_regret
from companion.papers.compressed.experiments.theory_claims import DELTA, NOISES, THREE_ARMS, THREE_VALUES, frozen_arms
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.exponential_line import (
    EXPLORED_POINTS,
    LINE_KERNEL,
    LINE_NOISE,
    LINE_SCALE,
    ucb_on_a_line,
)
from companion.papers.compressed.theory.order import (
    circle_least_order,
    copies_kept,
    covering_number,
    covering_order,
    exploration_peaks,
    order_at,
    torus_covariance,
    ucb_to_the_end,
)

#: The largest budget u; every further one is half the one before.
LARGEST = 0.8


@dataclass(frozen=True)
class Domain:
    """A kernel on a grid of the unit cube with a noise variance.

    ``exponent`` is that of own-3 in 1/u: p + 1 for Matérn 1/2, p/2 + 1 where the kernel has two derivatives at 0, and
    Matérn 3/2 is of that kind.
    """

    title: str
    kernel: Kernel
    dim: int
    points_per_axis: int
    noise_variance: float

    @property
    def exponent(self) -> float:
        """Of the companion's upper bound, covering with multiplicity."""
        rough = isinstance(self.kernel, Matern) and self.kernel.nu == 0.5
        return self.dim + 1.0 if rough else 0.5 * self.dim + 1.0


DOMAINS = (
    Domain("Matérn 1/2, p = 1", LINE_KERNEL, 1, EXPLORED_POINTS, LINE_NOISE),
    Domain("Matérn 3/2, p = 1", Matern(1.5, 0.1), 1, 801, 0.05),
    Domain("SE, p = 1", SquaredExponential(0.1), 1, 801, 0.05),
    Domain("SE, p = 2", SquaredExponential(0.3), 2, 40, 0.05),
    Domain("SE, p = 3", SquaredExponential(0.5), 3, 12, 0.05),
)


@recorded(random=False)
@frame
def exploration_study(halvings: int) -> Rows:
    """Dictionaries of pure exploration when no candidate exceeds the threshold any more.

    Parameters
    ----------
    halvings : of u, from 0.8 on

    Returns
    -------
    title, p, exponent (of own-3), u, order, least (own-1), cells (covering number of squared feature diameter
    sigma^2 u), largest (own-3)
    """
    budgets = [LARGEST / 2**k for k in range(halvings + 1)]
    for domain in DOMAINS:
        # The exponential kernel needs u^-2 points: the smallest budgets would only repeat the slope, slowly.
        shown = budgets[:5] if domain.exponent == 2.0 and domain.dim == 1 else budgets
        covariance = domain.kernel(grid(domain.points_per_axis, domain.dim))
        _, peaks = exploration_peaks(covariance, domain.noise_variance, shown[-1] * domain.noise_variance)
        for u in shown:
            threshold = u * domain.noise_variance
            yield {
                "title": domain.title,
                "p": domain.dim,
                "exponent": domain.exponent,
                "u": u,
                "order": order_at(peaks, threshold),
                "least": copies_kept(u, domain.noise_variance),
                "cells": covering_number(domain.kernel, domain.dim, threshold),
                "largest": covering_order(domain.kernel, domain.dim, u, domain.noise_variance),
            }


def fitted(part: pd.DataFrame) -> float:
    """Least-squares exponent of the model order in 1/u over the three smallest budgets."""
    last = part.sort_values("u").head(3)
    return float(np.polyfit(-np.log(last.u), np.log(last.order), 1)[0])


@frame
def exploration_rows(sizes: pd.DataFrame) -> Rows:
    """One row a domain: model order at the largest and smallest budget with its bounds, and the exponents."""
    for title, part in sizes.groupby("title", sort=False):
        last = part.iloc[-1]
        yield {
            "kernel": title,
            "smallest u": float(last.u),
            "⌈1/u − σ²⌉": int(last.least),
            "covering number": int(last.cells),
            "model order": int(last.order),
            "N⌈2/u⌉": int(last.largest),
            "exponent, fitted": fitted(part),
            "printed, p": int(last.p),
            "of N⌈2/u⌉": float(last.exponent),
        }


def exploration_numbers(sizes: pd.DataFrame) -> Numbers:
    """Fitted exponents, and the kernels for which they lie above and below the printed one by more than 0.1."""
    rows = exploration_rows(sizes)
    fits, printed = rows["exponent, fitted"], rows["printed, p"]
    wide = rows[printed > 1]
    return Numbers(
        sizes,
        **{f"fit_{number}": float(fit) for number, fit in enumerate(fits, 1)},
        least=float(fits.min()),
        most=float(fits.max()),
        above=list(rows.kernel[fits > printed + 0.1]),
        below=list(rows.kernel[fits < printed - 0.1]),
        below_covering=bool((wide["model order"] < wide["covering number"]).all()),
        rough_noise=DOMAINS[0].noise_variance,
        noises=sorted({domain.noise_variance for domain in DOMAINS[1:]}),
        orders={title: part.tolist() for title, part in sizes.groupby("title", sort=False).order},
    )


@recorded(random=False)
def exploration_settings() -> Numbers:
    """The domains on which pure exploration is played, in words."""
    words = (
        f"{each.title}, {each.points_per_axis}{['', '', '²', '³'][each.dim]} points, "
        f"length-scale {each.kernel.lengthscale:g}, noise variance {each.noise_variance:g}"
        for each in DOMAINS
    )
    return Numbers(settings="; ".join(words))


@figure(size=(8.8, 4.0))
def exploration(canvas: Canvas, palette: Palette, sizes: pd.DataFrame) -> None:
    """Model order against 1/u, and over the printed rate."""
    groups = list(sizes.groupby("title", sort=False))
    left, right = charts.row_of(canvas, 2, sharey=False)
    for k, (title, part) in enumerate(groups):
        across = 1.0 / part.u
        style = charts.marked(palette, k, label=title)
        left.plot(across, part.order, **style)
        rate = across ** part.p.iloc[0]
        right.plot(across, part.order / rate / (part.order.iloc[0] / rate.iloc[0]), **style)
    whole = groups[-1][1]
    left.plot(1.0 / whole.u, whole.least, color=palette.muted, ls=":", label="no rule with fewer: 1/u − σ²")
    charts.name_axes(left, "1/u", "model order", "Points kept by pure exploration", log="xy")
    left.legend(loc="upper left")
    left.set_ylim(top=float(sizes.order.max()) * 30)
    right.axhline(1.0, color=palette.ink, lw=1)
    right.text(1.0 / sizes.u.min(), 1.1, "the paper's rate", ha="right", va="bottom", fontsize=8.5)
    charts.name_axes(right, "1/u", title="The same over the paper's rate, first value 1", log="xy")
    for axes in (left, right):
        charts.name_ticks(axes.xaxis, sorted({1.0 / u for u in sizes.u}))


# -- any rule, and UCB to its end --------------------------------------------------------------------------------------

#: The exponential kernel of the certificate and of the runs; the circle has circumference 1.
CIRCLE_SCALE, CIRCLE_NOISE, CIRCLE_POINTS = LINE_SCALE, LINE_NOISE, 1000
#: Horizons at which runs to the end are looked at on the way.
MARKS = (1e3, 1e4, 1e6)
#: Budgets of the runs to the end; smaller ones take minutes.
END_BUDGETS = (0.8, 0.4, 0.2)


@dataclass(frozen=True, eq=False)
class EndStudy:
    """Orders on the circle by budget, of UCB on the line by budget and horizon, and number of functions drawn.

    Parameters
    ----------
    circle : u, floor (least order of any dictionary), greedy (pure exploration)
    line : u, and medians of the order at each of :data:`MARKS` and at the end, with the natural logarithm of the round in
        which the last point is kept (the least over functions)
    functions : draws a budget
    """

    circle: pd.DataFrame
    line: pd.DataFrame
    functions: int


@recorded(first="seed", count="ends")
def end_study(seed: int, ends: int, halvings: int) -> EndStudy:
    """The certificate on the circle beside pure exploration, and compressed UCB until nothing can be kept any more.

    Parameters
    ----------
    seed : of the first function
    ends : functions a budget
    halvings : of u on the circle; pure exploration is shown for the first four
    """
    budgets = [LARGEST / 2**k for k in range(halvings + 1)]
    few = budgets[:4]
    covariance = torus_covariance(Matern(0.5, CIRCLE_SCALE), CIRCLE_POINTS)
    _, peaks = exploration_peaks(covariance, CIRCLE_NOISE, few[-1] * CIRCLE_NOISE)
    circle = [
        {
            "u": u,
            "floor": circle_least_order(CIRCLE_SCALE, CIRCLE_NOISE, u * CIRCLE_NOISE),
            "greedy": order_at(peaks, u * CIRCLE_NOISE) if u in few else math.nan,
        }
        for u in budgets
    ]
    rows = []
    for u in END_BUDGETS:
        runs = []
        for number in range(ends):
            runs.append(ucb_on_a_line(u, seed + number))
        orders = {f"{mark:g}": float(np.median([run.order_after(mark) for run in runs])) for mark in MARKS}
        last = min(float(run.log_rounds[-1]) for run in runs)
        rows.append({"u": u, **orders, "end": float(np.median([run.order for run in runs])), "last": last})
    return EndStudy(pd.DataFrame(circle), pd.DataFrame(rows), ends)


def digits_of_last_round(study: EndStudy) -> int:
    """k, where the last point comes in a round whose number has more than 10^k digits, at the smallest budget.

    The number itself hangs on differences of 1e-6 between upper bounds, so no more of it is said.
    """
    return int(math.log10(float(study.line.iloc[-1]["last"]) / math.log(10.0)))


def floor_exponent(study: EndStudy) -> float:
    """Exponent of the certificate in 1/u over the two smallest budgets."""
    last = study.circle.tail(2)
    return float(np.diff(np.log(last.floor))[0] / -np.diff(np.log(last.u))[0])


def end_numbers(study: EndStudy) -> Numbers:
    """The certificate's exponent, UCB at the smallest budget, and its exponents over all budgets at finite horizons."""
    last = study.line.iloc[-1]
    across = -np.log(study.line.u)
    return Numbers(
        study,
        power=floor_exponent(study),
        u=float(last.u),
        end=float(last.end),
        million=float(last[f"{MARKS[-1]:g}"]),
        long=digits_of_last_round(study),
        finite=[float(np.polyfit(across, np.log(study.line[f"{mark:g}"]), 1)[0]) for mark in MARKS],
        greedy_above=bool((study.circle.greedy.dropna() >= study.circle.floor[study.circle.greedy.notna()]).all()),
        functions=study.functions,
        floor=study.circle.floor,
        orders=study.line[[*(f"{mark:g}" for mark in MARKS), "end"]].to_dict("list"),
    )


@figure(size=(8.8, 3.8))
def ends(canvas: Canvas, palette: Palette, study: EndStudy) -> None:
    """The certificate on the circle, and UCB on the line until its end."""
    circle, line = study.circle, study.line
    left, right = charts.row_of(canvas, 2, sharey=False)
    printed: charts.Style = {"color": palette.accent, "ls": "--", "label": "printed rate"}
    across = 1.0 / circle.u
    left.plot(across, circle.greedy, "o", color=palette.series[0], ms=7, label="pure exploration")
    left.plot(across, circle.floor, color=palette.ink, ls="-", marker="_", label="any dictionary, at least")
    left.plot(across, circle.floor.iloc[0] * across / across.iloc[0], **printed)
    charts.name_axes(left, "1/u", "model order", "Exponential kernel on a circle", log="xy")
    for k, name in enumerate((*(f"{mark:g}" for mark in MARKS), "end")):
        power = len(f"{float(name):.0f}") - 1 if name != "end" else 0
        label = "in the end" if name == "end" else rf"$T=10^{power}$"
        right.plot(1.0 / line.u, line[name], label=label, **charts.marked(palette, k))
    start = float(line[f"{MARKS[0]:g}"].iloc[0])
    right.plot(1.0 / line.u, start * line.u.iloc[0] / line.u, **printed)
    charts.name_axes(right, "1/u", title="Compressed UCB on an interval", log="xy")
    charts.name_ticks(right.yaxis, (20, 50, 100, 200))
    for axes, rows in ((left, circle), (right, line)):
        charts.name_ticks(axes.xaxis, sorted({1.0 / u for u in rows.u}))
        axes.legend()


# -- three arms --------------------------------------------------------------------------------------------------------

#: Rounds at which the average regret is looked at.
ARM_ROUNDS = (100, 1000, 20_000)
#: Noise variance that the model of the three arms assumes.
ARM_NOISE = 1.0
ARM_BUDGETS = tuple(round(0.4 + 0.02 * k, 2) for k in range(31))


@recorded(random=False)
@frame
def arm_study() -> Rows:
    """Average regret of compressed UCB on three arms, by budget and horizon.

    The model assumes noise of variance :data:`ARM_NOISE`; what is observed is an arm's value.

    Returns
    -------
    u, epsilon, order, average regret under the number of rounds, and under ``proof`` what the proof allows at the last
    """
    regret = THREE_VALUES.max() - THREE_VALUES
    exploration = bounds.gain_constant(ARM_NOISE) * float(bounds.finite_beta(ARM_ROUNDS[-1], len(THREE_VALUES), DELTA))
    for u in ARM_BUDGETS:
        run = ucb_to_the_end(THREE_ARMS, ARM_NOISE, u * ARM_NOISE, THREE_VALUES, [0.0], DELTA)
        averages = {f"{rounds}": run.cumulative_regret(regret, rounds) / rounds for rounds in ARM_ROUNDS}
        epsilon = 0.5 * math.log1p(u)
        proof = math.sqrt(exploration * epsilon)
        yield {"u": u, "epsilon": epsilon, "order": run.order, **averages, "proof": proof}


@recorded(random=False)
def arm_rows() -> pd.DataFrame:
    """The three arms: value, and prior covariance with each arm."""
    names = [f"arm {number}" for number in range(1, len(THREE_VALUES) + 1)]
    columns = {f"covariance with {name}": THREE_ARMS[:, place] for place, name in enumerate(names)}
    return pd.DataFrame({"arm": names, "value f": THREE_VALUES, "prior mean": np.zeros(len(names)), **columns})


def arm_numbers(rows: pd.DataFrame) -> Numbers:
    """The two budgets between which the average regret jumps to the largest possible, and the regret at both."""
    last, worst = f"{ARM_ROUNDS[-1]}", float(THREE_VALUES.max() - THREE_VALUES.min())
    stuck = rows[last] > 0.99 * worst
    at = int(np.argmax(stuck.to_numpy()))
    before, after = rows.iloc[at - 1], rows.iloc[at]
    return Numbers(
        rows,
        jumps=bool(stuck.any() and not stuck.iloc[0]),
        low=float(before.u),
        high=float(after.u),
        rounds=ARM_ROUNDS[-1],
        small=float(before[last]),
        step=float(after.epsilon - before.epsilon),
        large=float(after[last]),
        worst=worst,
        order=int(after.order),
        proof=float(after.proof),
        least=float(rows[last].min()),
        most=float(rows[last].max()),
        at_largest=float(rows[last].iloc[-1]),
        order_at_largest=int(rows.order.iloc[-1]),
        noise_variance=ARM_NOISE,
        **cells(rows[::4], "u = {u:g}: {}", {last: "average regret"}),
    )


#: Rounds after which the average regret of the frozen arms is looked at.
FROZEN_ROUNDS = (20_000, 100_000_000)


@dataclass(frozen=True, eq=False)
class LimitStudy:
    """Limit of average regret as the budget falls.

    Parameters
    ----------
    arms : noise variance, epsilon, average regret under each of :data:`FROZEN_ROUNDS`, and the last one over epsilon
    draws : epsilon, and the limit of average regret, mean over draws of one fixed prior
    model : the prior in words
    """

    arms: pd.DataFrame
    draws: pd.DataFrame
    model: str


@recorded(first=0)
def limit_study() -> LimitStudy:
    """The three arms with more noise and smaller budgets, and compressed UCB to its end on draws of a prior."""
    rows = []
    for noise in NOISES:
        found = [frozen_arms(noise, rounds) for rounds in FROZEN_ROUNDS]
        averages = {f"{rounds}": average for rounds, (_, average) in zip(FROZEN_ROUNDS, found, strict=True)}
        epsilon, last = found[-1]
        rows.append({"noise variance": noise, "ε": epsilon, **averages, "over ε": last / epsilon})
    model = Model("se", 1, 0.05, points_per_axis=20)
    limits = limiting_regret(model)
    draws = pd.DataFrame({"ε": 0.5 * np.log1p(np.array(THRESHOLDS)), "limit": limits})
    return LimitStudy(pd.DataFrame(rows), draws, model.where)


def limit_numbers(study: LimitStudy) -> Numbers:
    """Range of the budget, and average regret over it, on the three arms and on draws of one prior."""
    averages, draws = study.arms[f"{FROZEN_ROUNDS[-1]}"], study.draws
    return Numbers(
        study,
        most=float(study.arms["ε"].iloc[0]),
        least=float(study.arms["ε"].iloc[-1]),
        spread=float(averages.max() - averages.min()),
        large=float(study.arms["over ε"].iloc[-1]),
        model=study.model,
        first_budget=float(draws["ε"].iloc[0]),
        first_limit=float(draws.limit.iloc[0]),
        last_budget=float(draws["ε"].iloc[-1]),
        last_limit=float(draws.limit.iloc[-1]),
    )
