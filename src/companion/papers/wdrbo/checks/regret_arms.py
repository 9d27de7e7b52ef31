r"""Two arms with linear rewards, on which the factor 2 before the radius is needed.

The kernel is cc' on arm A and 1 on arm B, contexts lie in [0, 1]. Arm A pays c / 2, arm B a constant just above what A is
worth in the worst case around c = 1/2. Without noise and with a tiny regulariser both are known after one observation
each; then Algorithm 1 plays B, and if the context's law is moved by the radius in A's favour, that costs twice the
radius times A's Lipschitz constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import FinitePosterior
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.runs import Round, expected

CONTEXTS = np.linspace(0.0, 1.0, 11)
#: Index of the context 1/2.
CENTRE = 5
SLOPE = 0.5
DELTA = 0.1


@dataclass(frozen=True)
class TwoArms:
    """The instance; it has the fields of a :class:`~companion.papers.wdrbo.theory.games.Game` that a bound needs.

    Parameters
    ----------
    setting : ``general`` (the centre is a point mass at 1/2, the truth a point mass ``radius`` to its left in odd and
        to its right in even rounds) or ``data`` (the truth is uniform on the contexts, or fair between the two ends where
        ``ends``; the centre is what was seen)
    radius : epsilon in the general setting, a multiple of 0.1
    lam : regulariser
    edge : by how much B pays more than A's worst case (general) or less than A's mean (data)
    horizon, runs, seed : rounds; runs and seed matter in the data-driven setting only
    rule : ``lipschitz`` (13) or ``exact`` (8)
    scale : multiplies the data-driven radius
    delta : failure probability
    """

    setting: str = "general"
    radius: float = 0.2
    lam: float = 1e-10
    edge: float = 1e-4
    horizon: int = 12
    runs: int = 1
    rule: str = "lipschitz"
    scale: float = 1.0
    seed: int = 0
    ends: bool = False
    delta: float = DELTA

    @property
    def where(self) -> str:
        """In words."""
        setting = "data-driven" if self.setting == "data" else "general"
        setting += ", contexts 0 and 1" if self.ends else ""
        return f"two linear arms, {setting}, lambda={self.lam:g}, {self.rule} rule, T={self.horizon}"

    @property
    def values(self) -> Floats:
        """(2, C) rewards of A and B."""
        first = SLOPE * CONTEXTS
        worth = (
            first[CENTRE] - SLOPE * self.radius + self.edge if self.setting == "general" else first.mean() - self.edge
        )
        return np.stack([first, np.full(len(CONTEXTS), worth)])

    @property
    def norm(self) -> float:
        """Bound on the RKHS norm, which is the root of 1/4 plus the square of B's reward."""
        return 1.0

    def radius_at(self, t: int) -> float:
        r"""The radius of round t; in the data-driven setting (16) with a class of one function, times ``scale``."""
        if self.setting == "general":
            return self.radius
        # Without contexts the centre is arbitrary, and every law lies within the diameter.
        return self.scale * bounds.radius(t - 1, 1.0, self.delta, math.log(2.0)) if t > 1 else 1.0


@dataclass(frozen=True, eq=False)
class ArmRuns:
    """Of every run and round, (runs, T), as far as named alike in :class:`~companion.papers.wdrbo.theory.runs.Runs`."""

    arms: TwoArms
    regret: Floats
    mean_width: Floats
    at_optimum: Floats
    at_chosen: Floats
    beta: Floats
    log_det: Floats
    final_log_det: Floats
    radius: Floats


def covariance() -> Floats:
    """(2 C, 2 C), the context running fastest."""
    count = len(CONTEXTS)
    found = np.zeros((2 * count, 2 * count))
    found[:count, :count], found[count:, count:] = np.outer(CONTEXTS, CONTEXTS), 1.0
    return found


@lru_cache(maxsize=16)
def play_arms(arms: TwoArms) -> ArmRuns:
    """Algorithm 1 on the instance, all runs at once."""
    runs, count, lanes = arms.runs, len(CONTEXTS), np.arange(arms.runs)
    values = np.broadcast_to(arms.values, (runs, 2, count))
    posterior = FinitePosterior(covariance(), arms.lam, replicates=runs, capacity=arms.horizon)
    uniform = stream(arms.seed, "wdrbo", "two arms").random((runs, arms.horizon))
    counts, pairs = np.zeros((runs, count)), stream(arms.seed, "wdrbo", "two arms", "pairs")
    rows: dict[str, list[Floats]] = {}
    for t in range(1, arms.horizon + 1):
        centre, truth = _laws(arms, t, counts)
        beta = bounds.width(2.0 * posterior.gain, 0.0, arms.norm, arms.lam, arms.delta)
        sd = (posterior.sd / math.sqrt(arms.lam)).reshape(runs, 2, count)
        state = Round(t, posterior.mean.reshape(runs, 2, count), sd, beta, centre, arms.radius_at(t))
        chosen = state.decide(arms.rule, CONTEXTS, pairs)
        reward = expected(values, truth)
        best = reward.argmax(axis=1)
        context = (np.cumsum(truth, axis=1) < uniform[:, [t - 1]]).sum(axis=1).clip(0, count - 1)
        measured = {
            "regret": reward[lanes, best] - reward[lanes, chosen],
            "mean_width": np.sum(truth * sd[lanes, chosen], axis=1),
            "at_optimum": state.lipschitz[lanes, best],
            "at_chosen": state.lipschitz[lanes, chosen],
            "beta": beta,
            "log_det": 2.0 * posterior.gain,
        }
        for name, entry in measured.items():
            rows.setdefault(name, []).append(entry)
        posterior.observe(chosen * count + context, values[lanes, chosen, context])
        counts[lanes, context] += 1.0
    radius = np.array([arms.radius_at(t) for t in range(1, arms.horizon + 1)])
    arrays = {name: np.stack(entries, axis=1) for name, entries in rows.items()}
    return ArmRuns(arms=arms, radius=radius, final_log_det=2.0 * posterior.gain, **arrays)


def _laws(arms: TwoArms, t: int, counts: Floats) -> tuple[Floats, Floats]:
    """Centre and truth, both (runs, C)."""
    runs, count = counts.shape
    centre, truth = np.zeros((runs, count)), np.full((runs, count), 1.0 / count)
    if arms.ends:
        truth[:] = 0.0
        truth[:, [0, -1]] = 0.5
    if arms.setting == "data":
        return (counts / (t - 1) if t > 1 else truth), truth
    step = round(arms.radius * (count - 1))
    centre[:, CENTRE] = 1.0
    truth[:] = 0.0
    truth[:, CENTRE + (step if t % 2 == 0 else -step)] = 1.0
    return centre, truth
