"""Ask/tell policies on finite problems, and the baselines that several chapters share."""

from companion.policies.band import ConfidenceBand, realised_gain_width
from companion.policies.base import Batch, BoxPolicy, Policy, WidthSchedule, constant_width
from companion.policies.random import UniformRandom
from companion.policies.stableopt import StableOpt
from companion.policies.ucb import GPUCB

__all__ = [
    "GPUCB",
    "Batch",
    "BoxPolicy",
    "ConfidenceBand",
    "Policy",
    "StableOpt",
    "UniformRandom",
    "WidthSchedule",
    "constant_width",
    "realised_gain_width",
]
