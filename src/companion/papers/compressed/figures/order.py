"""Figures and tables of the section on the dictionary's size, and of the three arms; all data come from ``studies``."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from companion.papers.compressed.studies.order import (
    ARM_NOISE,
    ARM_ROUNDS,
    DOMAINS,
    FROZEN_ROUNDS,
    MARKS,
    EndStudy,
    LimitStudy,
    arm_rows,
    exploration_rows,
    fitted,
    floor_exponent,
)
from companion.papers.compressed.studies.paper import Evidence
from companion.papers.compressed.studies.tradeoff import covering_rows, longest
from companion.report import Figure, Palette, Table, where_of
from companion.report.figures import DASHES, MARKERS
from companion.report.tables import significant


def exploration(sizes: pd.DataFrame) -> Figure:
    """Model order against 1/u, and over the printed rate."""
    groups = list(sizes.groupby("title", sort=False))

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = canvas.subplots(1, 2)
        for k, (title, part) in enumerate(groups):
            across = 1.0 / part.u
            style = {"color": palette.series[k], "ls": DASHES[k], "marker": MARKERS[k]}
            left.plot(across, part.order, label=title, **style)
            rate = across ** part.p.iloc[0]
            right.plot(across, part.order / rate / (part.order.iloc[0] / rate.iloc[0]), label=title, **style)
        whole = groups[-1][1]
        left.plot(1.0 / whole.u, whole.least, color=palette.muted, ls=":", label="no rule with fewer: 1/u − σ²")
        left.set(
            xscale="log", yscale="log", xlabel="1/u", ylabel="model order", title="Points kept by pure exploration"
        )
        _budget_ticks(left, sizes)
        left.legend(loc="upper left")
        left.set_ylim(top=float(sizes.order.max()) * 30)
        right.axhline(1.0, color=palette.muted, ls=":")
        right.set(xscale="log", yscale="log", xlabel="1/u", title="The same over the printed rate, first value 1")
        _budget_ticks(right, sizes)

    spoken = ", ".join(f"{title} {fitted(part):.2f}" for title, part in groups)
    return Figure(
        draw,
        alt="Left: on logarithmic axes the number of points kept by pure exploration grows with u⁻¹ for five kernels "
        "and dimensions, "
        f"with fitted exponents {spoken}. Right: divided by the printed rate, the curves of the Matérn kernels rise "
        f"and those of "
        "the smooth kernel in two and three dimensions fall.",
        caption="How many points pure exploration keeps until no variance exceeds σ²u. Left: with the least number "
        "that any rule keeps (dotted). Right: divided by the printed rate with its exponent p; a curve that rises "
        "says that the rate is too small, one that falls that it is loose.",
        size=(8.8, 4.0),
        where=where_of(sizes),
    )


def _budget_ticks(axes: Axes, rows: pd.DataFrame) -> None:
    """Name the budgets that were run."""
    across = sorted({1.0 / u for u in rows.u})
    axes.set_xticks(across, [f"{value:g}" for value in across])


def exploration_table(sizes: pd.DataFrame) -> Table:
    """Model order between its bounds, and exponents."""
    return Table(
        exploration_rows(sizes),
        caption="Dictionaries at the smallest budget between the bounds of the last section, with the number of cells "
        f"of squared feature diameter σ²u that cover the domain; and the exponent in u⁻¹ fitted to the three smallest "
        "budgets, beside the printed one and that of the bound by covering. Noise variance: "
        f"{', '.join(f'{domain.noise_variance:g} ({domain.title})' for domain in DOMAINS)}.",
        where=where_of(sizes),
    )


def ends(study: EndStudy) -> Figure:
    """The certificate on the circle, and UCB on the line until its end."""
    circle, line = study.circle, study.line

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = canvas.subplots(1, 2)
        across = 1.0 / circle.u
        left.plot(across, circle.greedy, "o", color=palette.series[0], ms=7, label="pure exploration")
        left.plot(across, circle.floor, color=palette.ink, ls="-", marker="_", label="any dictionary, at least")
        left.plot(
            across, circle.floor.iloc[0] * across / across.iloc[0], color=palette.accent, ls="--", label="printed rate"
        )
        left.set(xscale="log", yscale="log", xlabel="1/u", ylabel="model order", title="Exponential kernel on a circle")
        _budget_ticks(left, circle)
        left.legend()
        for k, name in enumerate((*(f"{mark:g}" for mark in MARKS), "end")):
            power = len(f"{float(name):.0f}") - 1 if name != "end" else 0
            label = "in the end" if name == "end" else rf"$T=10^{power}$"
            right.plot(1.0 / line.u, line[name], color=palette.series[k], ls=DASHES[k], marker=MARKERS[k], label=label)
        start = float(line[f"{MARKS[0]:g}"].iloc[0])
        right.plot(1.0 / line.u, start * line.u.iloc[0] / line.u, color=palette.accent, ls="--", label="printed rate")
        right.set(xscale="log", yscale="log", xlabel="1/u", title="Compressed UCB on an interval")
        _budget_ticks(right, line)
        right.set_yticks([20, 50, 100, 200], ["20", "50", "100", "200"])
        right.legend()

    return Figure(
        draw,
        alt="Left: the least number of points that any dictionary on the circle needs grows with exponent "
        f"{floor_exponent(study):.2f} in u⁻¹; pure exploration lies a little above, the printed rate far below. "
        f"Right: the model "
        "order of UCB at finite horizons follows the printed rate; in the end it is far above.",
        caption="The exponential kernel. Left: a lower bound on every dictionary that leaves no variance above σ²u "
        "(line), and what "
        f"pure exploration reaches (dots). Right: compressed UCB, medians over {study.functions} functions, on the "
        f"way and when "
        "nothing can be kept any more.",
        size=(8.8, 3.8),
        where=where_of(study),
    )


def covering(evidence: Evidence) -> Table:
    """Model order beside the covering number."""
    rows = covering_rows(evidence)
    return Table(
        rows,
        caption=f"Compressed UCB on the example function after {significant(longest(evidence))} rounds at fixed "
        f"budgets: the least model order "
        "of any rule, the covering number at the rule's threshold, the model order (mean over seeds), the largest "
        "possible on these candidates, the median round of the last point kept, and how many runs keep a point in the second "
        "half. The covering is by balls of *radius* √(σ²u) in the distance of features, as in the proof of Theorem 3.1; the "
        "cells of the table on pure exploration have that *diameter*, and are about twice as many.",
        where=where_of(rows),
    )


def arm_table() -> Table:
    """The three arms in numbers."""
    rows = arm_rows()
    return Table(
        rows,
        caption="The three arms: what a pull pays, and the model's prior before any pull. The best one is "
        f"{rows.arm[rows['value f'].idxmax()]}, the worst {rows.arm[rows['value f'].idxmin()]}.",
        where=where_of(rows),
    )


def arms(rows: pd.DataFrame) -> Figure:
    """Average regret against the budget on three arms."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        axes = canvas.subplots()
        for k, rounds in enumerate(ARM_ROUNDS):
            axes.plot(
                rows.epsilon,
                rows[f"{rounds}"],
                color=palette.series[k],
                ls=DASHES[k],
                marker=MARKERS[k],
                label=f"after {significant(rounds)} rounds",
            )
        axes.plot(rows.epsilon, rows.epsilon, color=palette.accent, ls=":", label="ε itself")
        axes.set(yscale="log", xlabel="budget ε, nats", ylabel="average regret")
        canvas.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=4)

    last = rows[f"{ARM_ROUNDS[-1]}"]
    return Figure(
        draw,
        alt="Average regret of compressed UCB on three arms against the budget, for three horizons. Up to a certain "
        "budget it falls "
        f"with the horizon, down to {last.min():.2g}; beyond, it is {last.max():.3g} at every horizon, and at the largest "
        f"budget {last.iloc[-1]:.3g}.",
        caption=f"Three arms; what is observed is an arm's value, and the model assumes a noise variance of {ARM_NOISE:g}. "
        "Left of the jump the average regret falls with the horizon; "
        "right of it the worst arm is played for ever without being kept. At the largest budget shown nothing at all "
        "is kept, and the arm that is played is another.",
        size=(7.6, 3.4),
        where=where_of(rows),
    )


def limits(study: LimitStudy) -> Table:
    """Average regret on the three arms as the budget falls."""
    words = {"noise variance": "noise variance of the model"} | {
        f"{rounds}": f"average regret, {significant(rounds)} rounds" for rounds in FROZEN_ROUNDS
    }
    return Table(
        study.arms.rename(columns=words),
        caption="The same three arms under a model that assumes more noise (what is observed stays an arm's "
        "value), and a threshold that is a little above the variance which one "
        "observation of arm 1 leaves arm 3: the budget falls, the average regret does not.",
        where=where_of(study),
        digits=4,
    )
