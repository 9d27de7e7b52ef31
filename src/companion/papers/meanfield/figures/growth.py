"""Figures of the headline, regret against the number of agents, actions and contexts; all data come from ``studies``."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.papers.meanfield.claims.printed import NAME_OF, OURS
from companion.papers.meanfield.problems.catalogue import HORIZON
from companion.papers.meanfield.studies.growth import (
    AGENTS,
    SIZES,
    TITLES,
    exponent_rows,
    growth_rows,
    runs,
    size_rows,
)
from companion.papers.meanfield.studies.live import live_rows
from companion.papers.meanfield.studies.paper import Evidence
from companion.report import Figure, Palette, Table, charts, say, where_of
from companion.report.figures import MARKERS
from companion.report.text import Sentence

#: Factor in M by which the marks of two methods are set apart.
ASIDE = 1.06


def agents(evidence: Evidence) -> Figure | Sentence:
    """Regret per evaluation and final simple regret against M."""
    rows = growth_rows(evidence)
    if rows.empty:
        return say("No runs at different numbers of agents are stored.", where=evidence.where)
    groups = {
        (problem, method): rows[(rows.problem == problem) & (rows.method == method)] for problem, _, method in AGENTS
    }

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = charts.row_of(canvas, 2, sharey=False)
        for k, ((problem, method), group) in enumerate(groups.items()):
            if group.empty:
                continue
            series, width = charts.PLAIN if method == "random" else k, 2.2 if method == OURS else 1.2
            style = charts.marked(palette, series, marker=MARKERS[k], lw=width)
            # A little to the side of each other: where methods are no better than the uniform law, marks coincide.
            across = group.M * ASIDE ** (k - len(AGENTS) // 2)
            name = f"{NAME_OF[method]}, {TITLES[problem]}"
            left.errorbar(across, group.share, _bars(group), capsize=2, label=name, **style)
            right.plot(across, group.simple, **style)
        for axes in (left, right):
            axes.axhline(1.0, color=palette.muted, lw=0.9)
            axes.set(xscale="log", xlabel="agents M", ylabel="share of the uniform law's regret")
        left.set(title="Regret per evaluation", ylim=(0, None))
        right.set(yscale="log", title="Least regret of a law played")
        charts.legend_above(canvas, left, 3, fontsize=8)

    spans = "; ".join(
        f"{NAME_OF[method]}, {TITLES[problem]}: {group.share.iloc[0]:.2f} to {group.share.iloc[-1]:.2f}"
        for (problem, method), group in groups.items()
        if len(group)
    )
    return Figure(
        draw,
        alt=f"Left: regret per evaluation in shares of the uniform law's against {rows.M.min():,} to {rows.M.max():,} "
        f"agents, by method, from the fewest to the most agents: {spans}. Right: the least regret of a law played in a run, "
        "on a logarithmic axis.",
        caption="The headline: all problems keep their actions and contexts, and only the number of agents changes. Mean "
        f"over the stored runs ({_seeds(rows)}) with 95 % intervals; on the thin line a method does no better than the "
        "uniform law. Right, the regret of the law in a run that has the least, which need not be the one with the best "
        "reward. Marks of different methods are set a little apart sideways. Regret is that of the laws in an infinite "
        "population, measured from the certified optimum.",
        size=(9.0, 4.4),
        where=evidence.where,
    )


def _bars(group: pd.DataFrame) -> list[pd.Series]:
    """Lengths of the error bars of a share, which do not reach below zero."""
    return [(group.share - group.low).clip(upper=group.share), group.high - group.share]


def _seeds(rows: pd.DataFrame) -> str:
    """``10 for ..., 5 for ...``: how many runs stand behind a point."""
    groups: dict[int, list[str]] = {}
    for (problem, method), group in rows.groupby(["problem", "method"], sort=False):
        groups.setdefault(int(group.runs.min()), []).append(f"{NAME_OF[str(method)]} on {TITLES[str(problem)]}")
    return "; ".join(f"{count} a point for {', '.join(names)}" for count, names in groups.items())


def sizes(evidence: Evidence) -> Figure | Sentence:
    """Regret of MF-GP-UCB, in shares of the uniform law's, against the number of actions and of contexts."""
    rows = size_rows(evidence)
    if rows.empty:
        return say("No runs at different numbers of actions or contexts are stored.", where=evidence.where)

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = charts.row_of(canvas, len(SIZES), sharey=False)
        for k, (axes, (what, _, problem)) in enumerate(zip(panels, SIZES, strict=True)):
            group = rows[rows.what == what]
            axes.axhline(1.0, color=palette.muted, lw=0.9)
            axes.errorbar(group["size"], group.share, _bars(group), capsize=2, **charts.marked(palette, k))
            symbol = "|A|" if what == "actions" else "|C|"
            charts.name_axes(axes, f"{what} {symbol}", title=TITLES[problem], log="x")
            axes.set_ylim(0, None)
            axes.set_xticks(list(group["size"]), [str(size) for size in group["size"]])
        panels[0].set_ylabel("share of the uniform law's regret")

    return Figure(
        draw,
        alt="Regret of MF-GP-UCB in shares of the uniform law's, left against the number of actions, right against the "
        "number of contexts, on a logarithmic axis of sizes: "
        + "; ".join(
            f"{what} {group['size'].iloc[0]} to {group['size'].iloc[-1]}, share {group.share.iloc[0]:.2f} to "
            f"{group.share.iloc[-1]:.2f}"
            for what, group in rows.groupby("what", sort=False)
        )
        + ".",
        caption=f"Where the theory lets regret grow: the number of actions (Swarm, {_agents_of(evidence, 0)} agents, which "
        f"are many per action only on the left) and of contexts (synthetic ports, {_agents_of(evidence, 1)} agents, another "
        f"draw of ports for every number of regions). Mean of {rows.runs.min()} stored runs with 95 % intervals; on the thin "
        f"line {HORIZON} rounds have gained nothing over the uniform law.",
        size=(8.4, 3.4),
        where=evidence.where,
    )


def _agents_of(evidence: Evidence, which: int) -> str:
    """The number of agents in one of the studies of sizes."""
    _, part, problem = SIZES[which]
    counts = sorted({int(count) for count in runs(evidence, problem, part, OURS).agents})
    return " or ".join(f"{count:,}" for count in counts)


def exponents(evidence: Evidence) -> Table | Sentence:
    """Fitted exponents of regret."""
    rows = exponent_rows(evidence)
    if rows.empty:
        return say("No exponents can be fitted.", where=evidence.where)
    return Table(
        rows,
        caption="Exponents of regret on logarithmic axes, over all stored runs: of the regret per evaluation in M, of the "
        "cumulative regret, in units of the reward, in |A| and |C|. The regret of random search is the same for every M, "
        "because its laws are.",
        where=evidence.where,
        digits=2,
    )


def live(runs: pd.DataFrame) -> Table:
    """Runs made now beside the stored ones."""
    return Table(
        live_rows(runs),
        caption="Runs made when this page was computed: the first evaluations of the runs behind the figure.",
        where=where_of(runs),
    )
