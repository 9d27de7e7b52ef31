"""Figures of the headline, regret against the number of agents, actions and contexts; all data come from ``studies``."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
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
from companion.report import Figure, Palette, Table, say, where_of
from companion.report.figures import DASHES, MARKERS
from companion.report.text import Sentence

#: Factor in M by which the marks of two methods are set apart.
ASIDE = 1.06


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
            # A little to the side of each other: where methods are no better than the uniform law, marks coincide.
            across = group.M * ASIDE ** (k - len(AGENTS) // 2)
            left.errorbar(across, group.share, yerr=bars, capsize=2, label=name, **style)
            right.plot(across, group.simple, **style)
        for axes in (left, right):
            axes.axhline(1.0, color=palette.muted, lw=0.9)
            axes.set(xscale="log", xlabel="agents M", ylabel="share of the uniform law's regret")
        left.set(title="Regret per evaluation", ylim=(0, None))
        right.set(yscale="log", title="Least regret of a law played")
        canvas.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=8)

    spans = "; ".join(
        f"{NAME_OF[method]}, {TITLES[problem]}: {group.share.iloc[0]:.2f} to {group.share.iloc[-1]:.2f}"
        for problem, _, method in AGENTS
        if len(group := rows[(rows.problem == problem) & (rows.method == method)])
    )
    return Figure(
        draw,
        alt=f"Left: regret per evaluation in shares of the uniform law's against {rows.M.min():,} to {rows.M.max():,} "
        f"agents, by method, from the fewest to the most agents: {spans}. Right: the least regret of a law played in "
        f"a run, on a logarithmic axis.",
        caption="The headline: all problems keep their actions and contexts, and only the number of agents changes. "
        f"Mean over the stored runs ({_seeds(rows)}) with 95 % intervals; on the thin line a method does no better "
        "than the uniform law. Right, the regret of the law in a run that has the least, which need not be the one with "
        "the best reward. Marks of different methods are set a little apart sideways. Regret is that of the laws in an "
        "infinite population, measured from the certified optimum.",
        size=(9.0, 4.4),
        where=evidence.where,
    )


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
        panels = canvas.subplots(1, len(SIZES))
        for k, (axes, (what, _, problem)) in enumerate(zip(panels, SIZES, strict=True)):
            axes.axhline(1.0, color=palette.muted, lw=0.9)
            _sizes_of(axes, rows[rows.what == what], palette, k)
            symbol = "|A|" if what == "actions" else "|C|"
            axes.set(xlabel=f"{what} {symbol}", title=TITLES[problem])
        panels[0].set_ylabel("share of the uniform law's regret")

    return Figure(
        draw,
        alt="Regret of MF-GP-UCB in shares of the uniform law's, left against the number of actions, right against "
        "the number of contexts, on a logarithmic axis of sizes: "
        + "; ".join(
            f"{what} {group['size'].iloc[0]} to {group['size'].iloc[-1]}, share {group.share.iloc[0]:.2f} to "
            f"{group.share.iloc[-1]:.2f}"
            for what, group in rows.groupby("what", sort=False)
        )
        + ".",
        caption=f"Where the theory lets regret grow: the number of actions (Swarm, {_agents_of(evidence, 0)} agents, "
        f"which are many per action only on the left) and of contexts (synthetic ports, {_agents_of(evidence, 1)} "
        "agents, another draw of ports for every number of regions). Mean of "
        f"{rows.runs.min()} stored runs with 95 % intervals; on the thin line {HORIZON} rounds have gained nothing "
        "over the uniform law.",
        size=(8.4, 3.4),
        where=evidence.where,
    )


def _agents_of(evidence: Evidence, which: int) -> str:
    """The number of agents in one of the studies of sizes."""
    _, part, problem = SIZES[which]
    counts = sorted({int(count) for count in runs(evidence, problem, part, OURS).agents})
    return " or ".join(f"{count:,}" for count in counts)


def _sizes_of(axes: Axes, group: pd.DataFrame, palette: Palette, k: int) -> None:
    axes.errorbar(
        group["size"],
        group.share,
        yerr=[(group.share - group.low).clip(upper=group.share), group.high - group.share],
        fmt=MARKERS[k],
        ls=DASHES[k],
        color=palette.series[k],
        capsize=2,
    )
    axes.set(xscale="log", ylim=(0, None))
    axes.set_xticks(list(group["size"]), [str(size) for size in group["size"]])


def exponents(evidence: Evidence) -> Table | Sentence:
    """Fitted exponents of regret."""
    rows = exponent_rows(evidence)
    if rows.empty:
        return say("No exponents can be fitted.", where=evidence.where)
    return Table(
        rows,
        caption="Exponents of regret on logarithmic axes, over all stored runs: of the regret per evaluation in M, of "
        "the cumulative regret, in units of the reward, in |A| and |C|. The regret of random search is the same for "
        "every M, because its laws are.",
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
