"""The idea in pictures: joint actions with one law, what the search for a law does to a crowd, and how often it crowds."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import SubFigure
from matplotlib.patches import Rectangle

from companion.core.arrays import Floats, Indices
from companion.pages import Canvas, Numbers, Palette, charts, figure, recorded
from companion.papers.meanfield.experiments.printed import TITLE_OF
from companion.papers.meanfield.page.followed import CROWDED, WAYS, Corner, SwarmRounds

#: Four agents and four actions, as in the paper's Figure 1: the representative's action stays, the others' change places.
ACTIONS, OWN, OTHERS = 4, 1, (0, 1, 3)


@dataclass(frozen=True, eq=False)
class Idea:
    """Joint actions with one law, and how many of both there are.

    Parameters
    ----------
    joint : (6, 4) action of each agent, the representative's first
    law : (A,) share of every action, the same for all rows
    agents : (n,) numbers of agents
    joints, laws : (n,) how many joint actions and laws they have
    """

    joint: Indices
    law: Floats
    agents: Indices
    joints: Floats
    laws: Floats


@recorded(random=False)
def permutations() -> Idea:
    """Every order of the other agents' actions, and the two counts for up to forty agents."""
    joint = np.array([(OWN, *order) for order in sorted(set(itertools.permutations(OTHERS)))])
    agents = np.arange(1, 41)
    return Idea(
        joint,
        np.bincount(joint[0], minlength=ACTIONS) / joint.shape[1],
        agents,
        np.array([float(ACTIONS) ** int(m) for m in agents]),
        np.array([float(math.comb(int(m) + ACTIONS - 1, ACTIONS - 1)) for m in agents]),
    )


def idea_numbers(study: Idea) -> Numbers:
    """The counts in words."""
    few = study.joint.shape[1]
    many = int(study.agents[-1])
    return Numbers(
        study,
        orders=len(study.joint),
        few=few,
        actions=ACTIONS,
        joints=int(study.joints[few - 1]),
        laws=int(study.laws[few - 1]),
        many=many,
        many_power=round(math.log10(study.joints[-1])),
        many_laws=int(study.laws[-1]),
        same=all(np.array_equal(np.bincount(row, minlength=ACTIONS) / few, study.law) for row in study.joint),
    )


@figure(size=(9.0, 2.4))
def draw_permutations(canvas: Canvas, palette: Palette, study: Idea) -> None:
    """Six joint actions, their one law, and how the numbers of both grow."""
    left, middle, right = canvas.subplots(1, 3, width_ratios=(1.15, 1.0, 1.25))
    _joint_actions(left, study, palette)
    place = np.arange(len(study.law))
    middle.bar(place, study.law, 0.62, color=palette.series[2])
    middle.set(title="one law", ylim=(0, 0.62), ylabel="share of the agents")
    middle.set_xticks(place, [str(x + 1) for x in place])
    charts.name_axes(middle, "action")
    middle.grid(visible=False, axis="x")
    for k, (values, name) in enumerate(((study.joints, "joint actions"), (study.laws, "laws"))):
        color = palette.series[(1, 2)[k]]
        right.plot(study.agents, values, color=color, ls=("--", "-")[k])
        right.text((22, 38)[k], values[(24, 37)[k]] * 4.0, name, color=color, ha="right")
    charts.name_axes(right, "agents M", title="how many there are", log="y")


def _joint_actions(axes: Axes, study: Idea, palette: Palette) -> None:
    """A row a joint action, a cell an agent; the representative's in another colour and with a thicker edge."""
    count, agents = study.joint.shape
    for i, row in enumerate(study.joint):
        for m, action in enumerate(row):
            first = m == 0
            color = palette.series[1 if first else 0]
            corner = (m + 0.15 * (not first), count - 1 - i)
            axes.add_patch(Rectangle(corner, 0.8, 0.8, fill=False, edgecolor=color, lw=2.2 if first else 1.1))
            axes.text(
                corner[0] + 0.4, corner[1] + 0.4, str(action + 1), ha="center", va="center", color=color, fontsize=10
            )
    axes.set(xlim=(-0.15, agents + 0.2), ylim=(-0.2, count), title="six joint actions")
    ticks = [m + 0.4 + 0.15 * (m > 0) for m in range(agents)]
    axes.set_xticks(ticks, ["repre-\nsentative", *[f"agent {m + 1}" for m in range(1, agents)]], fontsize=8)
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


#: Where the ring of the reward lies, its width, and how far out the agents stand.
RING, WIDE, OUT, STEP = 0.6, 0.09, 0.74, 0.0075


@figure(size=(9.4, 5.2))
def two_searches(canvas: Canvas, palette: Palette, exact: SwarmRounds, adam: SwarmRounds, corner: Corner) -> None:
    """One run with each search on the circle; below, the acquisition on the way to a corner, and the regret of every round."""
    upper, lower = np.ravel(canvas.subfigures(2, 1, squeeze=False, height_ratios=(2.0, 1.15)))
    # A polar axis does not tell the layout of the title above it: an empty row makes room.
    grid = upper.add_gridspec(3, 6, height_ratios=(0.05, 1.0, 1.0))
    for row, (study, name) in enumerate(((exact, "exact search"), (adam, "Adam"))):
        for k, number in enumerate(study.rounds):
            axes = upper.add_subplot(grid[row + 1, k], projection="polar")
            _circle(axes, study, study.laws[k], study.counts[k], palette)
            axes.set_title(f"round {number}: {study.regrets[k]:.1f}", fontsize=9, pad=3)
            if not k:
                axes.set_ylabel(name, labelpad=8)
    axes = upper.add_subplot(grid[1, 5], projection="polar")
    _circle(axes, exact, exact.optimal, None, palette)
    axes.set_title("the best law: 0", fontsize=9, pad=3)
    _ring_key(upper, upper.add_subplot(grid[2, 5]), exact, palette)
    way, regret = lower.subplots(1, 2, width_ratios=(1, 2))
    _on_the_way(way, corner, palette)
    _timeline(regret, exact, adam, palette)


def _circle(axes: Axes, study: SwarmRounds, law: Floats, counts: Indices | None, palette: Palette) -> None:
    colors = colormaps[palette.map]((study.reward - study.reward.min()) / np.ptp(study.reward))
    turn = study.angles[1]
    axes.bar(study.angles, np.full(len(law), WIDE), turn, RING, color=colors)
    axes.bar(study.angles, np.sqrt(law) * RING * 0.95, 0.8 * turn, color=palette.series[0])
    for angle, count in zip(study.angles, [] if counts is None else counts, strict=False):
        axes.plot(np.full(count, angle), OUT + STEP * np.arange(count), ".", ms=3.2, color=palette.series[1])
    axes.set(ylim=(0, 1.12), xticks=[], yticks=[])
    axes.grid(visible=False)
    axes.spines["polar"].set_visible(False)


def _ring_key(canvas: SubFigure, axes: Axes, study: SwarmRounds, palette: Palette) -> None:
    """Legend of ring, wedges and dots."""
    axes.axis("off")
    scale = ScalarMappable(Normalize(study.reward.min(), study.reward.max()), palette.map)
    bar = canvas.colorbar(scale, ax=axes, location="right", shrink=0.8, aspect=8)
    bar.set_label("reward alone")
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.plot(0.1, 0.75, "o", ms=6, color=palette.series[1])
    axes.text(0.2, 0.75, "an agent", va="center", fontsize=9)
    axes.plot(0.1, 0.45, marker=(3, 0, 180), ms=12, color=palette.series[0])
    axes.text(0.2, 0.45, "the law: √share", va="center", fontsize=9)


def _timeline(axes: Axes, exact: SwarmRounds, adam: SwarmRounds, palette: Palette) -> None:
    for k, (study, name) in enumerate(((exact, "exact search"), (adam, "Adam"))):
        number, crowded = np.arange(1, len(study.every) + 1), study.crowds > CROWDED
        color = palette.series[2 * k]
        axes.plot(number, study.every, color=color, lw=1.2, ls=("-", "--")[k], label=name)
        axes.plot(number[crowded], study.every[crowded], "Ds"[k], ms=5, color=color, label="a crowd")
    axes.axhline(exact.uniform, color=palette.muted, lw=0.9, ls=":", label="uniform law")
    for t in exact.rounds:
        axes.axvline(t, color=palette.faint, lw=1.0, zorder=0)
    charts.name_axes(axes, "round", "regret")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=5, fontsize=8.5, columnspacing=1.2)
    axes.set_xlim(0, number[-1] + 1)
    axes.margins(y=0.1)


def _on_the_way(axes: Axes, study: Corner, palette: Palette) -> None:
    """The acquisition on the way from the even law to a corner."""
    upper = study.mean + study.bonus
    axes.plot(study.share, upper, color=palette.series[0], lw=2)
    axes.plot(1.0, upper[-1], "X", ms=9, color=palette.series[1], clip_on=False)
    axes.text(0.93, upper[-1], "chosen", ha="right", va="center", fontsize=9)
    axes.text(0.12, upper[0], "evenly spread", va="center", fontsize=9)
    axes.plot(0.0, upper[0], "o", ms=6, color=palette.series[0], clip_on=False)
    axes.margins(y=0.2)
    charts.name_axes(axes, "share at one angle", title=f"acquisition, round {study.number}")


@figure(size=(6.6, 3.6))
def crowds(canvas: Canvas, palette: Palette, now: pd.DataFrame, kept: pd.DataFrame) -> None:
    """Frequency of crowded laws in the same rounds: a mark for a live run, a bar for the range that the stored rewards allow."""
    axes = canvas.subplots()
    names = list(dict.fromkeys(now.name))
    bounds = kept[kept.search == "exact"].set_index("name")
    known = [name for name in names if name in bounds.index]
    place = np.array([names.index(name) for name in known]) - 0.17
    style: charts.Style = {"color": palette.series[0], "lw": 7, "alpha": 0.4, "label": "stored runs"}
    axes.hlines(place, 100 * bounds.early_least[known], 100 * bounds.early_most[known], **style)
    for k, (search, words) in enumerate(WAYS.items()):
        rows = now[now.search == search].set_index("name")
        shift: charts.Style = {"color": palette.series[k], "marker": "os"[k], "ls": "", "label": words}
        axes.plot(100 * rows.crowded[names], np.arange(len(names)) + (-0.17, 0.17)[k], ms=6, clip_on=False, **shift)
    axes.set_yticks(range(len(names)), [TITLE_OF[name] for name in names])
    axes.invert_yaxis()
    axes.set_xlim(0, None)
    axes.grid(visible=False, axis="y")
    charts.name_axes(axes, "% of the rounds", title="over 90 % in one action")
    axes.legend(loc="lower right")
