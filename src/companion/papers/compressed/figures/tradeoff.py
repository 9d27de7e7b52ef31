"""Figures and tables of the dictionary's size, of the trade-off with regret and time, and of the three arms.

All data come from ``studies``.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.papers.compressed.plan.runs import DENSE, PAPER
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
from companion.papers.compressed.studies.tradeoff import (
    POSTERIORS,
    VARIANTS,
    alphas,
    covering_rows,
    cumulative,
    exponent_rows,
    frontier_rows,
    longest,
    means,
    rules,
    step_part,
    step_rows,
)
from companion.report import Figure, Palette, Table, charts, where_of
from companion.report.figures import MARKERS
from companion.report.tables import significant

#: The theory's exponent of regret in words.
REGRET = "1 − α/2"

# -- how large a dictionary gets ---------------------------------------------------------------------------------------


def exploration(sizes: pd.DataFrame) -> Figure:
    """Model order against 1/u, and over the printed rate."""
    groups = list(sizes.groupby("title", sort=False))

    def draw(canvas: Canvas, palette: Palette) -> None:
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
        right.axhline(1.0, color=palette.muted, ls=":")
        charts.name_axes(right, "1/u", title="The same over the printed rate, first value 1", log="xy")
        for axes in (left, right):
            charts.name_ticks(axes.xaxis, sorted({1.0 / u for u in sizes.u}))

    spoken = ", ".join(f"{title} {fitted(part):.2f}" for title, part in groups)
    return Figure(
        draw,
        alt="Left: on logarithmic axes the number of points kept by pure exploration grows with u⁻¹ for five kernels and "
        f"dimensions, with fitted exponents {spoken}. Right: divided by the printed rate, the curves of the Matérn kernels "
        "rise and those of the smooth kernel in two and three dimensions fall.",
        caption="How many points pure exploration keeps until no variance exceeds σ²u. Left: with the least number that any "
        "rule keeps (dotted). Right: divided by the printed rate with its exponent p; a curve that rises says that the rate "
        "is too small, one that falls that it is loose.",
        size=(8.8, 4.0),
        where=where_of(sizes),
    )


def exploration_table(sizes: pd.DataFrame) -> Table:
    """Model order between its bounds, and exponents."""
    return Table(
        exploration_rows(sizes),
        caption="Dictionaries at the smallest budget between the bounds of the last section, with the number of cells of "
        "squared feature diameter σ²u that cover the domain; and the exponent in u⁻¹ fitted to the three smallest budgets, "
        "beside the printed one and that of the bound by covering. Noise variance: "
        f"{', '.join(f'{domain.noise_variance:g} ({domain.title})' for domain in DOMAINS)}.",
        where=where_of(sizes),
    )


def ends(study: EndStudy) -> Figure:
    """The certificate on the circle, and UCB on the line until its end."""
    circle, line = study.circle, study.line

    def draw(canvas: Canvas, palette: Palette) -> None:
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

    return Figure(
        draw,
        alt="Left: the least number of points that any dictionary on the circle needs grows with exponent "
        f"{floor_exponent(study):.2f} in u⁻¹; pure exploration lies a little above, the printed rate far below. Right: the "
        "model order of UCB at finite horizons follows the printed rate; in the end it is far above.",
        caption="The exponential kernel. Left: a lower bound on every dictionary that leaves no variance above σ²u (line), "
        f"and what pure exploration reaches (dots). Right: compressed UCB, medians over {study.functions} functions, on the "
        "way and when nothing can be kept any more.",
        size=(8.8, 3.8),
        where=where_of(study),
    )


def covering(evidence: Evidence) -> Table:
    """Model order beside the covering number."""
    return Table(
        covering_rows(evidence),
        caption=f"Compressed UCB on the example function after {significant(longest(evidence))} rounds at fixed budgets: the "
        "least model order of any rule, the covering number at the rule's threshold, the model order (mean over seeds), the "
        "largest possible on these candidates, the median round of the last point kept, and how many runs keep a point in "
        "the second half. The covering is by balls of *radius* √(σ²u) in the distance of features, as in the proof of "
        "Theorem 3.1; the cells of the table on pure exploration have that *diameter*, and are about twice as many.",
    )


# -- regret, points and time -------------------------------------------------------------------------------------------


def horizons(evidence: Evidence) -> Figure:
    """Cumulative regret and model order over the horizon, with the theory's exponents."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(2, 2, sharex=True)
        for row, kind in zip(panels, ("alpha", "u"), strict=True):
            shown = [rule for rule in rules(evidence) if rule.startswith(f"{kind}=")]
            for axes, column in zip(row, ("regret", "order"), strict=True):
                dense = _values(evidence, DENSE, column)
                axes.plot(dense.index, dense, label="dense", **charts.look(palette, charts.PLAIN, lw=2.2))
                for k, rule in enumerate(shown):
                    values = _values(evidence, rule, column)
                    value = float(rule.partition("=")[2])
                    label = f"{'α' if kind == 'alpha' else 'u'} = {value:g}"
                    axes.plot(values.index, values, label=label, **charts.marked(palette, k))
                    if kind == "alpha":
                        power = 1 - value / 2 if column == "regret" else value
                        guide = float(values.iloc[0]) * (values.index / values.index[0]) ** power
                        axes.plot(values.index, guide, color=palette.series[k], ls="-", lw=0.8, alpha=0.7)
                axes.set(xscale="log", yscale="log")
            row[0].set_ylabel("cumulative regret")
            row[1].set_ylabel("model order")
            row[1].legend(loc="upper left", ncols=2)
        for axes in panels[1]:
            axes.set_xlabel("horizon T")
        titles = (
            r"Budget of the horizon, $u=T^{-\alpha}$: regret",
            "model order",
            "Fixed budget: regret",
            "model order",
        )
        for axes, title in zip(panels.ravel(), titles, strict=True):
            axes.set_title(title)

    ends = (_values(evidence, f"alpha={value:g}", "order") for value in (min(alphas(evidence)), 1.0))
    least, most = (float(values.iloc[-1]) for values in ends)
    return Figure(
        draw,
        alt="Four panels on logarithmic axes against the horizon: cumulative regret and model order, above for budgets of "
        "the horizon, below for fixed budgets. Regret grows far more slowly than the thin lines of the theory; the model "
        f"order runs beside them and ends between {least:.0f} and {most:.0f} points. With fixed budgets the order levels off "
        "while regret turns upwards.",
        caption="Compressed UCB on the example function, means over seeds. Thin lines: the theory's exponents from the first "
        f"value on, {REGRET} for regret and α for the model order. Below: with a fixed budget the dictionary levels off, and "
        "regret turns upwards.",
        size=(8.8, 6.6),
        where=evidence.where,
    )


def _values(evidence: Evidence, rule: str, column: str) -> pd.Series:
    """Means over seeds by horizon of cumulative regret or of the model order."""
    return cumulative(evidence, rule).mean(axis=1) if column == "regret" else means(evidence, rule, "model_order")


def exponents(evidence: Evidence) -> Table:
    """Fitted exponents beside the theory's."""
    return Table(
        exponent_rows(evidence),
        caption=f"Exponents in T, fitted to the means over horizons up to {significant(longest(evidence))}, with the 95 % "
        "interval of the slope, and of regret between the two longest horizons alone, beside those of the theory.",
        where=evidence.where,
        digits=3,
    )


def frontier(evidence: Evidence) -> Figure:
    """Average regret against model order at the longest horizon."""
    rows = frontier_rows(evidence)
    kinds = {"u": "fixed budget", "alpha": "budget of the horizon", "printed": "printed constants", "dense": "dense"}

    def draw(canvas: Canvas, palette: Palette) -> None:
        axes = canvas.subplots()
        for k, (kind, label) in enumerate(kinds.items()):
            part = rows[(rows.rule != "α = 1") & (rows.kind == kind)]
            style: charts.Style = {
                "color": palette.ink if kind == "dense" else palette.series[k],
                "marker": MARKERS[k],
                "ms": 8,
                "lw": 1.1,
            }
            ends = part.rename(columns={"least": "low", "largest": "high"})
            axes.errorbar(part.order, part.regret, charts.bars(ends, "regret"), ls="none", label=label, **style)
            if kind in ("u", "alpha"):
                for row in part.itertuples():
                    place: charts.Style = {"xytext": (7, 4), "textcoords": "offset points", "fontsize": 8.5}
                    axes.annotate(row.rule, (row.order, row.regret), **place)
        charts.name_axes(axes, "model order", "average regret", log="xy")
        charts.name_ticks(axes.yaxis, (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2))
        axes.legend()

    return Figure(
        draw,
        alt=f"Average regret against model order after {significant(longest(evidence))} rounds, both logarithmic: from a "
        "dozen rules the regret falls with the number of points, with one step upwards among the fixed budgets, and is level "
        "beyond about a tenth of the dense method's points. The bar of the smallest dictionary reaches from the dense regret "
        f"to {rows.iloc[0].largest:.2g}.",
        caption=f"What a point buys: average regret and model order after {significant(longest(evidence))} rounds, one mark "
        f"a rule, means (bars: smallest and largest) of {rows['runs'].iloc[0]} seeds. With α = 1 nothing is rejected, so "
        "that it stands at the dense mark.",
        size=(7.8, 3.8),
        where=evidence.where,
    )


def steps(evidence: Evidence) -> Figure:
    """Time of a round against the round, for every kind of posterior."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = charts.row_of(canvas, len(POSTERIORS), sharex=True)
        for axes, (posterior, title) in zip(panels, POSTERIORS.items(), strict=True):
            for k, (variant, label) in enumerate(VARIANTS.items()):
                part = step_part(evidence, posterior, variant)
                style = charts.look(palette, k) | ({"color": palette.ink} if variant == DENSE else {})
                axes.plot(part["round"], 1e6 * part.median_seconds, label=label, **style)
                last = part.iloc[-1]
                if last.total_seconds >= PAPER.step_limit:
                    axes.plot(last["round"], 1e6 * last.median_seconds, "X", color=style["color"], ms=9, zorder=4)
            charts.name_axes(axes, "round t", title=title, log="xy")
        panels[0].set_ylabel("time of a round, µs")
        panels[-1].plot([], [], "X", color=palette.muted, ms=9, ls="none", label="out of time")
        charts.legend_above(canvas, panels[-1], 4)

    rows = step_rows(evidence)
    dense = rows[rows.method == VARIANTS[DENSE]]["rounds reached"].to_numpy()
    return Figure(
        draw,
        alt="Three panels of the time of a round against the round on logarithmic axes, for three ways to keep the "
        f"posterior. Dense times grow and the runs stop after {', '.join(significant(int(n)) for n in dense)} rounds; "
        "compressed times become flat where the dictionary stops growing.",
        caption="Time of a round (median over a stretch of rounds, CPU time on one core, a thousand candidates). A cross "
        f"marks a run that used up its {PAPER.step_limit:.0f} seconds. Where most rounds are rejected, updates make a "
        "compressed round no dearer.",
        size=(9.0, 3.7),
        where=evidence.where,
    )


def step_table(evidence: Evidence) -> Table:
    """How far every run got, and the time of its rounds."""
    return Table(
        step_rows(evidence).drop(columns="grown by"),
        caption="The same runs in numbers: rounds reached, time and model order at the end, and the median time of a round "
        "in the first and in the last stretch.",
        where=evidence.where,
        digits=3,
    )


# -- three arms --------------------------------------------------------------------------------------------------------


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
            label = f"after {significant(rounds)} rounds"
            axes.plot(rows.epsilon, rows[f"{rounds}"], label=label, **charts.marked(palette, k))
        axes.plot(rows.epsilon, rows.epsilon, color=palette.accent, ls=":", label="ε itself")
        charts.name_axes(axes, "budget ε, nats", "average regret", log="y")
        charts.legend_above(canvas, axes, 4)

    last = rows[f"{ARM_ROUNDS[-1]}"]
    return Figure(
        draw,
        alt="Average regret of compressed UCB on three arms against the budget, for three horizons. Up to a certain budget "
        f"it falls with the horizon, down to {last.min():.2g}; beyond, it is {last.max():.3g} at every horizon, and at the "
        f"largest budget {last.iloc[-1]:.3g}.",
        caption=f"Three arms; what is observed is an arm's value, and the model assumes a noise variance of {ARM_NOISE:g}. "
        "Left of the jump the average regret falls with the horizon; right of it the worst arm is played for ever without "
        "being kept. At the largest budget shown nothing at all is kept, and the arm that is played is another.",
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
        caption="The same three arms under a model that assumes more noise (what is observed stays an arm's value), and a "
        "threshold that is a little above the variance which one observation of arm 1 leaves arm 3: the budget falls, the "
        "average regret does not.",
        where=where_of(study),
        digits=4,
    )
