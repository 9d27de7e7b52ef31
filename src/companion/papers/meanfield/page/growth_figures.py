"""Figures of the headline, regret against the number of agents, actions and contexts, from the studies beside it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from companion.pages import Palette, Table, charts, figure, table
from companion.pages.figures import MARKERS
from companion.papers.meanfield.experiments.printed import NAME_OF, OURS
from companion.papers.meanfield.page.growth import AGENTS, TITLES, exponent_rows, growth_rows, size_rows
from companion.papers.meanfield.page.live import live_rows
from companion.papers.meanfield.page.stored_runs import Evidence

#: Smallest distance of two labels at the ends of lines, in shares of the panel's height.
APART = 0.075


@figure(size=(9.4, 4.0))
def agents(canvas: Canvas, palette: Palette, evidence: Evidence) -> None:
    """Regret against M: of all methods on Swarm, and of MF-GP-UCB on Swarm and Arena."""
    rows = growth_rows(evidence)
    looks = {key: (charts.PLAIN if key[1] == "random" else k, MARKERS[k]) for k, key in enumerate(_keys())}
    groups = {key: rows[(rows.problem == key[0]) & (rows.method == key[1])] for key in looks}
    groups = {key: group for key, group in groups.items() if not group.empty}
    left, middle, right = canvas.subplots(1, 3, width_ratios=(1.0, 1.0, 1.0))
    ends = []
    for key, group in groups.items():
        series, marker = looks[key]
        style = charts.marked(palette, series, marker=marker, lw=2.2 if key[1] == OURS else 1.2)
        if key[0] == "swarm":
            left.errorbar(group.M, group.share, _bars(group), capsize=2, **style)
            middle.plot(group.M, group.simple, **style)
            ends.append((float(group.M.iloc[-1]), float(group.share.iloc[-1]), NAME_OF[key[1]], style["color"]))
        if key[1] == OURS:
            right.errorbar(group.M, group.share, _bars(group), capsize=2, **style)
            some = group.iloc[len(group) // 2]
            right.text(some.M, some.high + 0.04, TITLES[key[0]], color=style["color"])
    for axes, title in ((left, "Swarm"), (middle, "Swarm: least regret"), (right, NAME_OF[OURS])):
        axes.axhline(1.0, color=palette.muted, lw=0.9)
        charts.name_axes(axes, "agents M", title=title, log="x")
    left.set_ylim(0, 1.35)
    right.set_ylim(0, None)
    left.set_ylabel("share of the uniform law's regret")
    middle.set_yscale("log")
    _name_ends(left, ends)


def _keys() -> list[tuple[str, str]]:
    return [(problem, method) for problem, _, method in AGENTS]


def _name_ends(axes: Axes, ends: list[tuple[float, float, str, str]]) -> None:
    """Names of lines to the right of their ends, moved apart, each with a thin line to its end."""
    across, least = max(x for x, *_ in ends), APART * axes.get_ylim()[1]
    axes.set_xlim(right=1.6 * across)
    ends = sorted(ends, key=lambda end: end[1])
    heights = [ends[0][1]]
    for _, y, *_ in ends[1:]:
        heights.append(max(y, heights[-1] + least))
    # Names of ends that coincide are spread to both sides of them.
    pushed = [height - y for height, (_, y, *_) in zip(heights, ends, strict=True)]
    shift = max(pushed) / 2.0
    for (x, y, name, color), height, push in zip(ends, heights, pushed, strict=True):
        at = height - shift * (push > 0 or (shift > 0 and y > ends[0][1]))
        axes.plot([x, across * 4], [y, at], color=color, lw=0.7, ls="-", clip_on=False)
        axes.text(across * 5, at, name, color=color, va="center", fontsize=8.5)


def _bars(group: pd.DataFrame) -> list[pd.Series]:
    """Lengths of the error bars of a share, which do not reach below zero."""
    return [(group.share - group.low).clip(upper=group.share), group.high - group.share]


def agents_table(evidence: Evidence) -> Table:
    """Regret per evaluation in shares of the uniform law's, at each power of ten agents; of MF-GP-UCB on Arena, too."""
    rows = growth_rows(evidence)
    rows = rows[rows.M.isin(10 ** np.arange(1, 6))]
    names = [f"{NAME_OF[name]}, {TITLES[place]}" if name == OURS else NAME_OF[name] for place, _, name in AGENTS]
    shown = {
        name: rows[(rows.problem == key[0]) & (rows.method == key[1])].set_index("M").share
        for name, key in zip(names, _keys(), strict=True)
    }
    return Table(pd.DataFrame(shown).rename_axis("agents M").reset_index(), where=evidence.where, digits=2)


@figure(size=(5.6, 3.3))
def actions(canvas: Canvas, palette: Palette, evidence: Evidence) -> None:
    """Regret of MF-GP-UCB, in shares of the uniform law's, against the number of actions."""
    rows = size_rows(evidence)
    group = rows[rows.what == "actions"]
    axes = canvas.subplots()
    axes.axhline(1.0, color=palette.muted, lw=0.9)
    axes.errorbar(group["size"], group.share, _bars(group), capsize=2, **charts.marked(palette, 0))
    charts.name_axes(axes, "actions |A|", "share of the uniform law's regret", log="x")
    axes.set_ylim(0, None)
    axes.set_xticks(list(group["size"]), [str(size) for size in group["size"]])


def exponents(evidence: Evidence) -> Table:
    """Fitted exponents of regret."""
    rows = exponent_rows(evidence)
    return Table(
        rows,
        where=evidence.where,
        digits=2,
    )


live = table(live_rows)
