"""The idea in pictures: joint actions with one law, and how often the search for a law sends a crowd to one action."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from companion.core.arrays import Floats, Indices
from companion.pages import Canvas, Numbers, Palette, charts, figure, recorded
from companion.papers.meanfield.experiments.printed import TITLE_OF
from companion.papers.meanfield.page.followed import WAYS

#: Four bicycles at the town's three stations, as in the paper's Figure 1: the representative's stays, the others change places.
ACTIONS, OWN, OTHERS = 3, 1, (0, 1, 2)


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
    middle.set(title="one law", ylim=(0, 0.62), ylabel="share of the bicycles")
    middle.set_xticks(place, [str(x + 1) for x in place])
    charts.name_axes(middle, "station")
    middle.grid(visible=False, axis="x")
    for k, (values, name) in enumerate(((study.joints, "ways to place them"), (study.laws, "laws"))):
        color = palette.series[(1, 2)[k]]
        right.plot(study.agents, values, color=color, ls=("--", "-")[k])
        right.text((22, 38)[k], values[(24, 37)[k]] * 4.0, name, color=color, ha="right")
    charts.name_axes(right, "bicycles", title="how many there are", log="y")


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
    axes.set(xlim=(-0.15, agents + 0.2), ylim=(-0.2, count), title="six ways to place four bicycles")
    ticks = [m + 0.4 + 0.15 * (m > 0) for m in range(agents)]
    axes.set_xticks(ticks, ["repre-\nsentative", *[f"bicycle {m + 1}" for m in range(1, agents)]], fontsize=8)
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


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
