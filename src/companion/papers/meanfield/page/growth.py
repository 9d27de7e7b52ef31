"""Regret against the number of agents, of actions and of contexts, from the stored runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from companion.core.arrays import Floats
from companion.judge.intervals import Interval, mean_interval, paired_interval, slope_interval
from companion.pages import Canvas, Numbers, Palette, Rows, cells, charts, figure, frame, table
from companion.pages.figures import MARKERS
from companion.papers.meanfield.experiments.printed import NAME_OF, OURS, MeanFieldResults
from companion.papers.meanfield.problems.catalogue import HORIZON, SETTINGS
from companion.stored.results import unjoined

NAIVE = "gp-ucb"
#: Where the number of agents varies: problem, part of the stored runs, method.
AGENTS = (
    ("swarm", "agents", OURS),
    ("arena", "agents", OURS),
    ("swarm", "agents", "random"),
    ("swarm", "rivals", NAIVE),
    ("swarm", "rivals", "turbo"),
    ("swarm", "rivals", "sa"),
    ("swarm", "rivals", "ga"),
)
#: Where the number of actions, or of contexts, varies: what, column of the table, problem.
SIZES = (("actions", "actions", "swarm"), ("contexts", "contexts", "ports"))
TITLES = {"swarm": "Swarm", "arena": "Arena", "ports": "Maritime, synthetic ports"}
#: Numbers of agents from which the exponent is fitted once more: the fewest in the paper, and where most are "many".
FROM = (min(chosen.agents for chosen in SETTINGS.values()), 1000)


def runs(evidence: MeanFieldResults, problem: str, part: str, method: str) -> pd.DataFrame:
    """One row a run: ``size`` of every kind, cumulative regret per evaluation in units and in shares, final simple regret.

    ``share`` and ``simple`` are in units of the uniform law's regret, ``regret`` and ``total`` (cumulative) in those of the
    reward.
    """
    final = evidence.tables["final"]
    rows = final[(final.part == part) & (final.problem == problem) & (final.method == method)]
    unit = (rows.upper_bound - rows.uniform).to_numpy(dtype=float)
    total = np.array([unjoined(text)[-1] for text in rows.cumulative])
    simple = np.array([unjoined(text)[-1] for text in rows.simple])
    return pd.DataFrame(
        {
            "agents": rows.agents.to_numpy(dtype=float),
            "actions": rows.actions.to_numpy(dtype=float),
            "contexts": rows.contexts.to_numpy(dtype=float),
            "seed": rows.seed.to_numpy(dtype=int),
            "total": total,
            "regret": total / HORIZON,
            "share": total / HORIZON / unit,
            "simple": simple / unit,
        }
    )


@frame
def growth_rows(evidence: MeanFieldResults) -> Rows:
    """Mean regret per evaluation in shares of the uniform law's, by method and number of agents, with its interval."""
    for problem, part, method in AGENTS:
        for count, group in runs(evidence, problem, part, method).groupby("agents"):
            average = _interval(group.share.to_numpy())
            yield {
                "problem": problem,
                "method": method,
                "M": int(count),
                **average.columns("share"),
                "simple": float(group.simple.mean()),
                "runs": len(group),
            }


def _interval(values: Floats) -> Interval:
    if len(values) < 2:
        return Interval(float(values[0]), float(values[0]), float(values[0]), 1)
    return mean_interval(values)


def exponent(
    evidence: MeanFieldResults, problem: str, part: str, method: str, across: str, up: str = "share", least: float = 0.0
) -> Interval | None:
    """Fitted exponent of regret in a size, over all runs at sizes of at least ``least``; ``None`` without two sizes."""
    rows = runs(evidence, problem, part, method)
    rows = rows[rows[across] >= least]
    if rows.empty or rows[across].nunique() < 2 or len(rows) < 3:
        return None
    return slope_interval(np.log(rows[across].to_numpy()), np.log(rows[up].to_numpy()))


@frame
def size_rows(evidence: MeanFieldResults) -> Rows:
    """Cumulative regret of MF-GP-UCB in units, and in shares with an interval, by number of actions and of contexts."""
    for what, part, problem in SIZES:
        for count, group in runs(evidence, problem, part, OURS).groupby(what):
            average = _interval(group.share.to_numpy())
            yield {
                "what": what,
                "problem": problem,
                "size": int(count),
                "regret": float(group.total.mean()),
                **average.columns("share"),
                "runs": len(group),
            }


def growth_numbers(evidence: MeanFieldResults) -> Numbers:
    """Exponents in M of MF-GP-UCB's regret, and everyone's share at the fewest and the most agents."""
    rows = growth_rows(evidence)
    table = rows[rows.problem == "swarm"].pivot_table(index="M", columns="method", values="share")
    rivals = [name for _, part, name in AGENTS if part == "rivals"]
    few, many = int(table.index.min()), int(table.index.max())
    arena = rows[(rows.problem == "arena") & (rows.method == OURS)].set_index("M").share
    upper = {
        (problem, least): fit.high if fit else float("nan")
        for problem in ("swarm", "arena")
        for least in (0, *FROM)
        for fit in (exponent(evidence, problem, "agents", OURS, "agents", least=least),)
    }
    return Numbers(
        evidence,
        few=few,
        many=many,
        runs=sorted({int(count) for count in rows.runs}),
        swarm_upper=upper["swarm", 0],
        swarm_from=FROM[1],
        swarm_upper_later=upper["swarm", FROM[1]],
        arena_upper=upper["arena", 0],
        arena_from=FROM[0],
        arena_upper_later=upper["arena", FROM[0]],
        few_share=float(table.loc[few, OURS]),
        many_share=float(table.loc[many, OURS]),
        rivals_few=[float(table.loc[few, name]) for name in rivals],
        rivals_many=[float(table.loc[many, name]) for name in rivals],
        level_at_few=level_at(evidence, few),
        arena_few=float(arena.iloc[0]),
        arena_many=float(arena.iloc[-1]),
        arena_falls=bool((np.diff(arena) < 0).all()),
        **cells(rows, "{problem}, {method}, M = {M}", ["share"]),
    )


def level_at(evidence: MeanFieldResults, agents: int) -> list[str]:
    """The other methods of which MF-GP-UCB is not ahead on Swarm with so many agents, by regret, paired by seed."""
    ours = runs(evidence, "swarm", "agents", OURS)
    own = ours[ours.agents == agents].set_index("seed").share
    found = []
    for _, part, name in AGENTS:
        rows = runs(evidence, "swarm", part, name)
        theirs = rows[rows.agents == agents].set_index("seed").share
        seeds = theirs.index.intersection(own.index)
        if part == "rivals" and paired_interval(own.loc[seeds].to_numpy(), theirs.loc[seeds].to_numpy()).high >= 0:
            found.append(NAME_OF[name])
    return found


def size_numbers(evidence: MeanFieldResults) -> Numbers:
    """Exponents of cumulative regret in |A| and |C|, and the sizes at which the uniform law is not certainly beaten."""
    rows, found = size_rows(evidence), {}
    for what, part, problem in SIZES:
        fitted = exponent(evidence, problem, part, OURS, what, "total")
        group = rows[rows.what == what]
        found[what] = {
            what: fitted.estimate if fitted else float("nan"),
            f"{what}_low": fitted.low if fitted else float("nan"),
            f"{what}_high": fitted.high if fitted else float("nan"),
            f"{what}_sizes": [*group["size"].head(1), *group["size"].tail(1)],
            f"{what}_agents": sorted({int(count) for count in runs(evidence, problem, part, OURS).agents}),
            f"{what}_shares": [*group.share.head(1), *group.share.tail(1)],
            f"{what}_idle": list(group["size"][group.high >= 1.0]),
        }
    shares = cells(rows, "{problem}, {what} = {size}", ["share"])
    return Numbers(evidence, seeds=int(rows.runs.min()), **found["actions"], **found["contexts"], **shares)


@frame
def exponent_rows(evidence: MeanFieldResults) -> Rows:
    """Fitted exponents of regret, one row a problem and method; the laws of random search do not depend on M."""
    for problem, part, method in (row for row in AGENTS if row[2] != "random"):
        found = exponent(evidence, problem, part, method, "agents")
        count = runs(evidence, problem, part, method).agents.nunique()
        if found is not None:
            yield _exponent_row(TITLES[problem], NAME_OF[method], "M", count, found)
    for what, part, problem in SIZES:
        found = exponent(evidence, problem, part, OURS, what, "total")
        if found is not None:
            symbol, count = ("|A|" if what == "actions" else "|C|"), runs(evidence, problem, part, OURS)[what].nunique()
            yield _exponent_row(TITLES[problem], NAME_OF[OURS], symbol, count, found)


def _exponent_row(problem: str, method: str, size: str, count: int, found: Interval) -> dict[str, object]:
    return {
        "problem": problem,
        "method": method,
        "regret in": size,
        "sizes": count,
        "exponent": found.estimate,
        "95 % from": found.low,
        "to": found.high,
    }


#: Smallest distance of two labels at the ends of lines, in shares of the panel's height.
APART = 0.075


@figure(size=(9.4, 4.0))
def agents(canvas: Canvas, palette: Palette, evidence: MeanFieldResults) -> None:
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


@figure(size=(5.6, 3.3))
def actions(canvas: Canvas, palette: Palette, evidence: MeanFieldResults) -> None:
    """Regret of MF-GP-UCB, in shares of the uniform law's, against the number of actions."""
    rows = size_rows(evidence)
    group = rows[rows.what == "actions"]
    axes = canvas.subplots()
    axes.axhline(1.0, color=palette.muted, lw=0.9)
    axes.errorbar(group["size"], group.share, _bars(group), capsize=2, **charts.marked(palette, 0))
    charts.name_axes(axes, "actions |A|", "share of the uniform law's regret", log="x")
    axes.set_ylim(0, None)
    axes.set_xticks(list(group["size"]), [str(size) for size in group["size"]])


exponents = table(exponent_rows, digits=2)
