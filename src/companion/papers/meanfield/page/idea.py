"""The idea in pictures: joint actions with one law, and how often the search for a law sends a crowd to one action."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.core.arrays import Floats, Indices
from companion.pages import Canvas, Numbers, Palette, charts, figure, recorded
from companion.papers.meanfield.experiments.printed import TITLE_OF
from companion.papers.meanfield.page.followed import WAYS

#: Four bicycles at the town's three stations: one at the first, two at the second, one at the third.
ACTIONS, PLACES = 3, (0, 1, 1, 2)
#: Which of their orders are shown.
SHOWN = (0, 7)


@dataclass(frozen=True, eq=False)
class Idea:
    """Joint actions with one law, and how many of both there are.

    Parameters
    ----------
    joint : (12, 4) action of each agent
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
    """Every order of the actions, and the two counts for up to forty agents."""
    joint = np.array(sorted(set(itertools.permutations(PLACES))))
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


@figure(size=(7.6, 2.5))
def draw_permutations(canvas: Canvas, palette: Palette, study: Idea) -> None:
    """Two evenings with the same shares, and how the numbers of ways and of shares grow."""
    left, right = canvas.subplots(1, 2, width_ratios=(1.15, 1.0))
    for evening, row in enumerate(study.joint[list(SHOWN)]):
        seen = np.zeros(ACTIONS)
        for bicycle, station in enumerate(row):
            at = (station + 3.8 * evening, seen[station])
            seen[station] += 1
            left.plot(*at, "o", ms=24, mfc=palette.paper, mec=palette.series[0], mew=1.6, clip_on=False)
            left.text(*at, str(bicycle + 1), ha="center", va="center_baseline", fontsize=11)
        left.text(1 + 3.8 * evening, 2.0, ("one evening", "another")[evening], ha="center", fontsize=11)
    left.set(xlim=(-0.6, 6.4), ylim=(-0.6, 2.4), yticks=[])
    left.set_xticks([0, 1, 2, 3.8, 4.8, 5.8], ["1", "2", "3"] * 2)
    charts.name_axes(left, "station")
    left.grid(visible=False)
    left.spines[:].set_visible(False)
    for k, (values, name) in enumerate(
        ((study.joints, "ways to place\neach bicycle"), (study.laws, "ways to share\nthem out"))
    ):
        color = palette.series[(1, 2)[k]]
        right.plot(study.agents, values, color=color, ls=("--", "-")[k], lw=2)
        right.text((20, 39)[k], values[(20, 37)[k]] * (30, 6)[k], name, color=color, ha="right", fontsize=11)
    charts.name_axes(right, "bicycles", log="y")
    for axes in (left, right):
        axes.tick_params(labelsize=11, length=0)
        axes.xaxis.label.set_size(11)


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
