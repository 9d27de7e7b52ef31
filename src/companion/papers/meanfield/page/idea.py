"""The idea in one picture: joint actions that differ in who does what have one law."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from companion.core.arrays import Floats, Indices
from companion.pages import Numbers, recorded

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
