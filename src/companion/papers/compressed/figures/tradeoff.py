"""Figures and tables of the trade-off between regret, model order and time; all data come from ``studies``."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.papers.compressed.plan.store import DENSE, PAPER
from companion.papers.compressed.studies.paper import Evidence
from companion.papers.compressed.studies.tradeoff import (
    POSTERIORS,
    VARIANTS,
    alphas,
    cumulative,
    exponent_rows,
    frontier_rows,
    longest,
    means,
    rules,
    step_part,
    step_rows,
)
from companion.report import Figure, Palette, Table
from companion.report.figures import DASHES, MARKERS
from companion.report.tables import significant

#: The theory's exponent of regret in words.
REGRET = "1 − α/2"


def horizons(evidence: Evidence) -> Figure:
    """Cumulative regret and model order over the horizon, with the theory's exponents."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(2, 2, sharex=True)
        for row, kind in zip(panels, ("alpha", "u"), strict=True):
            shown = [rule for rule in rules(evidence) if rule.startswith(f"{kind}=")]
            for axes, column in zip(row, ("regret", "order"), strict=True):
                dense = _values(evidence, DENSE, column)
                axes.plot(dense.index, dense, color=palette.ink, ls=":", lw=2.2, label="dense")
                for k, rule in enumerate(shown):
                    values = _values(evidence, rule, column)
                    value = float(rule.partition("=")[2])
                    label = f"{'α' if kind == 'alpha' else 'u'} = {value:g}"
                    axes.plot(
                        values.index, values, color=palette.series[k], ls=DASHES[k], marker=MARKERS[k], label=label
                    )
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
        panels[0][0].set_title(r"Budget of the horizon, $u=T^{-\alpha}$: regret")
        panels[0][1].set_title("model order")
        panels[1][0].set_title("Fixed budget: regret")
        panels[1][1].set_title("model order")

    least, most = (
        float(_values(evidence, f"alpha={value:g}", "order").iloc[-1]) for value in (min(alphas(evidence)), 1.0)
    )
    return Figure(
        draw,
        alt="Four panels on logarithmic axes against the horizon: cumulative regret and model order, above for "
        "budgets of the horizon, below for fixed budgets. Regret grows far more slowly than the thin lines of the "
        "theory; the model order runs beside "
        f"them and ends between {least:.0f} and {most:.0f} points. With fixed budgets the order levels off while "
        f"regret turns "
        "upwards.",
        caption="Compressed UCB on the example function, means over seeds. Thin lines: the theory's exponents from "
        "the first value "
        f"on, {REGRET} for regret and α for the model order. Below: with a fixed budget the dictionary levels off, "
        f"and regret "
        "turns upwards.",
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
        caption=f"Exponents in T, fitted to the means over horizons up to {significant(longest(evidence))}, with the "
        "95 % interval of the slope, and of regret between the two longest horizons alone, beside those of the theory.",
        where=evidence.where,
        digits=3,
    )


def frontier(evidence: Evidence) -> Figure:
    """Average regret against model order at the longest horizon."""
    rows = frontier_rows(evidence)
    shown = rows[rows.rule != "α = 1"]

    def draw(canvas: Canvas, palette: Palette) -> None:
        axes = canvas.subplots()
        for k, (kind, label) in enumerate(
            (
                ("u", "fixed budget"),
                ("alpha", "budget of the horizon"),
                ("printed", "printed constants"),
                ("dense", "dense"),
            )
        ):
            part = shown[shown.kind == kind]
            color = palette.ink if kind == "dense" else palette.series[k]
            bars = (part.regret - part.least, part.largest - part.regret)
            axes.errorbar(
                part.order, part.regret, bars, fmt=MARKERS[k], ms=8, color=color, label=label, ls="none", lw=1.1
            )
            for row in part.itertuples():
                if kind in ("u", "alpha"):
                    axes.annotate(
                        row.rule, (row.order, row.regret), xytext=(7, 4), textcoords="offset points", fontsize=8.5
                    )
        axes.set(xscale="log", yscale="log", xlabel="model order", ylabel="average regret")
        shown_at = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
        axes.set_yticks(shown_at, [f"{value:g}" for value in shown_at])
        axes.legend()

    return Figure(
        draw,
        alt=f"Average regret against model order after {significant(longest(evidence))} rounds, both logarithmic: "
        f"from a dozen rules the regret "
        "falls with the number of points, with one step upwards among the fixed budgets, and is level beyond about a "
        "tenth of the dense method's points. The bar of the smallest dictionary reaches from the dense regret to "
        f"{rows.iloc[0].largest:.2g}.",
        caption=f"What a point buys: average regret and model order after {significant(longest(evidence))} rounds, "
        f"one mark a rule, means (bars: smallest and largest) of {rows['runs'].iloc[0]} seeds. With α = 1 nothing is "
        "rejected, so that it stands at the dense mark.",
        size=(7.8, 3.8),
        where=evidence.where,
    )


def steps(evidence: Evidence) -> Figure:
    """Time of a round against the round, for every kind of posterior."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(1, len(POSTERIORS), sharey=True, sharex=True)
        for axes, (posterior, title) in zip(panels, POSTERIORS.items(), strict=True):
            for k, (variant, label) in enumerate(VARIANTS.items()):
                part = step_part(evidence, posterior, variant)
                color = palette.ink if variant == DENSE else palette.series[k]
                axes.plot(part["round"], 1e6 * part.median_seconds, color=color, ls=DASHES[k], label=label)
                last = part.iloc[-1]
                if last.total_seconds >= PAPER.step_limit:
                    axes.plot(last["round"], 1e6 * last.median_seconds, "X", color=color, ms=9, zorder=4)
            axes.set(xscale="log", yscale="log", xlabel="round t", title=title)
        panels[0].set_ylabel("time of a round, µs")
        panels[-1].plot([], [], "X", color=palette.muted, ms=9, ls="none", label="out of time")
        canvas.legend(*panels[-1].get_legend_handles_labels(), loc="outside upper center", ncols=4)

    rows = step_rows(evidence)
    dense = rows[rows.method == VARIANTS[DENSE]]["rounds reached"].to_numpy()
    return Figure(
        draw,
        alt="Three panels of the time of a round against the round on logarithmic axes, for three ways to keep the "
        "posterior. Dense "
        f"times grow and the runs stop after {', '.join(significant(int(n)) for n in dense)} rounds; compressed times "
        f"become flat where "
        "the dictionary stops growing.",
        caption="Time of a round (median over a stretch of rounds, CPU time on one core, a thousand candidates). A "
        "cross marks a run "
        f"that used up its {PAPER.step_limit:.0f} seconds. Where most rounds are rejected, updates make a "
        "compressed round no dearer.",
        size=(9.0, 3.7),
        where=evidence.where,
    )


def step_table(evidence: Evidence) -> Table:
    """How far every run got, and the time of its rounds."""
    return Table(
        step_rows(evidence).drop(columns="grown by"),
        caption="The same runs in numbers: rounds reached, time and model order at the end, and the median time of a "
        "round in the first and in the last stretch.",
        where=evidence.where,
        digits=3,
    )
