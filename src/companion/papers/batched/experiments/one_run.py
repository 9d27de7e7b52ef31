"""Runs of BPE on the lesson's function, and one of them taken apart: batch by batch, and from measured regret to Theorem 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from companion.bounds.confidence import UnionBoundWidth
from companion.checks.chain import Chain
from companion.information import gain_bracket_curve
from companion.pages import recorded
from companion.papers.batched.method.policy import BPE, BatchRecord
from companion.papers.batched.method.sizes import power_sizes
from companion.papers.batched.problems.catalogue import ModelledProblem
from companion.papers.batched.problems.wheat import wheat
from companion.papers.batched.theory.bounds import trivial_bound
from companion.papers.batched.theory.chain import per_batch, regret_chain
from companion.policies import Policy
from companion.simulate import Trajectory, run_policy

#: The a of rule (6) on the lesson's pages.
RATIO = 0.6


def run_of(policy: Policy, modelled: ModelledProblem, horizon: int, seed: int) -> Trajectory:
    """A run on the noise of ``numpy.random.default_rng(seed)``, as in the lesson's listing."""
    problem = modelled.problem
    noise = problem.noise_sd * np.random.default_rng(seed).standard_normal(horizon)
    return run_policy(policy, problem, horizon, noise)


def regret_of(policy: Policy, modelled: ModelledProblem, horizon: int, seed: int) -> float:
    """Cumulative regret of :func:`run_of`."""
    return float(run_of(policy, modelled, horizon, seed).cumulative_regret[-1])


def theory_width(modelled: ModelledProblem, batches: int, delta: float) -> float:
    """The width of Proposition 1."""
    return UnionBoundWidth(modelled.known_norm, modelled.problem.size, batches, delta).width()


def theory_bpe(modelled: ModelledProblem, sizes: Sequence[int], delta: float) -> BPE:
    """BPE with the width of Proposition 1."""
    width = theory_width(modelled, len(sizes), delta)
    return BPE(modelled.covariance, modelled.problem.noise_sd**2, sizes, width)


@dataclass(frozen=True, eq=False)
class BoundStudy:
    """Records of a run, its batches (as in :func:`per_batch`, with column ``trivial``), its chain, and what was played."""

    history: tuple[BatchRecord, ...]
    batches: pd.DataFrame
    chain: Chain
    modelled: ModelledProblem
    horizon: int


@recorded(first="seed")
@lru_cache(maxsize=4)
def bound_study(seed: int, horizon: int, noise: float, delta: float, ratio: float = RATIO) -> BoundStudy:
    """Run BPE with the theory's width and evaluate the sum over batches and Theorem 1 on the run."""
    modelled = wheat(noise)
    problem, covariance, norm = modelled.problem, modelled.covariance, modelled.known_norm
    policy = theory_bpe(modelled, power_sizes(horizon, ratio), delta)
    regret_of(policy, modelled, horizon, seed)
    history = tuple(policy.history)
    counts = sorted({record.size for record in history} | {horizon})
    upper = {bracket.horizon: bracket.upper for bracket in gain_bracket_curve(covariance, counts, noise**2)}
    rows = pd.DataFrame(per_batch(history, problem, gain_upper=upper))
    rows["trivial"] = [trivial_bound(size, norm, covariance) for size in rows["size"]]
    line = trivial_bound(horizon, norm, covariance)
    chain = regret_chain(history, problem, gain_upper=upper, schedule="power", a=ratio, trivial=line)
    return BoundStudy(history, rows, chain, modelled, horizon)
