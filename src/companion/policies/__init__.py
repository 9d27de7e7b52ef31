"""Ask/tell policies on finite problems, the baselines that several chapters share, and sessions on a black box of your own."""

from companion.policies import pickling as pickling
from companion.policies.band import ConfidenceBand
from companion.policies.base import Batch, BoxPolicy, Policy, WidthSchedule
from companion.policies.optimisers import GPUCBOptimiser, RandomOptimiser, StableOptOptimiser
from companion.policies.players import session_of
from companion.policies.random import UniformRandom
from companion.policies.session import Optimiser, Session, restore
from companion.policies.session_files import save
from companion.policies.stableopt import StableOpt
from companion.policies.ucb import GPUCB
from companion.policies.widths import Width, scheduled

__all__ = [
    "GPUCB",
    "Batch",
    "BoxPolicy",
    "ConfidenceBand",
    "GPUCBOptimiser",
    "Optimiser",
    "Policy",
    "RandomOptimiser",
    "Session",
    "StableOpt",
    "StableOptOptimiser",
    "UniformRandom",
    "Width",
    "WidthSchedule",
    "restore",
    "save",
    "scheduled",
    "session_of",
]
