"""Figures of the headline, regret against the number of agents, actions and contexts; all data come from ``studies``."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from companion.papers.meanfield.printed import NAME_OF, OURS
from companion.papers.meanfield.studies.growth import (
    AGENTS,
    SIZES,
    TITLES,
    exponent_rows,
    growth_rows,
    size_rows,
)
from companion.papers.meanfield.studies.live import live_rows
from companion.papers.meanfield.studies.paper import Evidence
from companion.report import Figure, Palette, Table, say, where_of
from companion.report.figures import DASHES, MARKERS
from companion.report.text import Sentence


def agents(evidence: Evidence) -> Figure | Sentence:
    """Regret per evaluation and final simple regret against M."""
    rows = growth_rows(evidence)
    if rows.empty:
        return say("No runs at different numbers of agents are stored.", where=evidence.where)

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = canvas.subplots(1, 2)
        for k, (problem, _, method) in enumerate(AGENTS):
            group = rows[(rows.problem == problem) & (rows.method == method)]
            if group.empty:
                continue
            color = palette.ink if method == "random" else palette.series[k]
            style = {
                "color": color,
                "ls": ":" if method == "random" else DASHES[k % len(DASHES)],
                "lw": 2.2 if method == OURS else 1.2,
                "marker": MARKERS[k],
            }
            bars = [(group.share - group.low).clip(upper=group.share), group.high - group.share]
            name = f"{NAME_OF[method]}, {TITLES[problem]}"
            left.errorbar(group.M, group.share, yerr=bars, capsize=2, label=name, **style)
            right.plot(group.M, group.simple.clip(lower=1e-5), **style)
        for axes in (left, right):
            axes.set(xscale="log", xlabel="agents M")
        left.axhline(1.0, color=palette.muted, lw=0.9)
        left.set(ylabel="share of the uniform law's regret", title="Regret per evaluation", ylim=(0, None))
        right.set(yscale="log", title="Regret of the best law played")
        canvas.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=8)

    spans = "; ".join(
        f"{NAME_OF[method]}, {TITLES[problem]}: {group.share.iloc[0]:.2f} to {group.share.iloc[-1]:.2f}"
        for problem, _, method in AGENTS
        if len(group := rows[(rows.problem == problem) & (rows.method == method)])
    )
    return Figure(
        draw,
        alt=f"Left: regret per evaluation in shares of the uniform law's against {rows.M.min()} to {rows.M.max()} "
        f"agents, by method, from the fewest to the most agents: {spans}. Right: regret of the best law played, on a "
        f"logarithmic axis.",
        caption="The headline: all problems keep their actions and contexts, and only the number of agents changes. "
        "Mean over the stored runs with 95 % intervals; at 1 (the thin line) a method does no better than the uniform "
        "law. Regret is that of the laws in an infinite population, measured from the certified optimum.",
        size=(9.0, 4.4),
        where=evidence.where,
    )


def sizes(evidence: Evidence) -> Figure | Sentence:
    """Cumulative regret of MF-GP-UCB against the number of actions and of contexts."""
    rows = size_rows(evidence)
    if rows.empty:
        return say("No runs at different numbers of actions or contexts are stored.", where=evidence.where)

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(1, len(SIZES))
        for k, (axes, (what, _, problem)) in enumerate(zip(panels, SIZES, strict=True)):
            _sizes_of(axes, rows[rows.what == what], palette, k)
            symbol = "|A|" if what == "actions" else "|C|"
            axes.set(xlabel=f"{what} {symbol}", title=TITLES[problem])
        panels[0].set_ylabel("cumulative regret")

    return Figure(
        draw,
        alt="Cumulative regret of MF-GP-UCB on logarithmic axes, left against the number of actions, right against "
        "the number of contexts: "
        + "; ".join(
            f"{what} {group['size'].iloc[0]} to {group['size'].iloc[-1]}, regret {group.regret.iloc[0]:.3g} to "
            f"{group.regret.iloc[-1]:.3g}"
            for what, group in rows.groupby("what", sort=False)
        )
        + ".",
        caption="Where the theory lets regret grow: the number of actions (Swarm, 1000 agents) and of contexts "
        "(synthetic ports, for which any number of regions can be had). Mean over the stored runs with 95 % intervals.",
        size=(8.4, 3.4),
        where=evidence.where,
    )


def _sizes_of(axes: Axes, group: pd.DataFrame, palette: Palette, k: int) -> None:
    low = (group.regret - group.low).clip(upper=0.9 * group.regret)
    axes.errorbar(
        group["size"],
        group.regret,
        yerr=[low, group.high - group.regret],
        fmt=MARKERS[k],
        ls=DASHES[k],
        color=palette.series[k],
        capsize=2,
    )
    axes.set(xscale="log", yscale="log")
    axes.set_xticks(list(group["size"]), [str(size) for size in group["size"]])


def exponents(evidence: Evidence) -> Table | Sentence:
    """Fitted exponents of regret."""
    rows = exponent_rows(evidence)
    if rows.empty:
        return say("No exponents can be fitted.", where=evidence.where)
    return Table(
        rows,
        caption="Exponents of regret on logarithmic axes, over all stored runs: of the regret per evaluation in M, of "
        "the cumulative regret in |A| and |C|.",
        where=evidence.where,
        digits=2,
    )


def live(runs: pd.DataFrame) -> Table:
    """Runs made now beside the stored ones."""
    return Table(
        live_rows(runs),
        caption="Runs made when this page was computed: the first evaluations of the runs behind the figure.",
        where=where_of(runs),
        digits=4,
    )
