r"""TuRBO on the joint actions of M agents: a Gaussian process on Hamming distances inside a trust region.

.. math:: k(x,x')=s^2e^{-\lambda d_H(x,x')/M}

The framework from which the paper took its benchmarks offers no optimiser of this name; this is TuRBO-1 (Eriksson et al.,
2019) with the framework's trust region for categories, and one decay rate instead of one per agent, whose 20,000
length-scales are what costs the paper days. Candidates differ from the incumbent in some twenty agents, so that their
distances to the data follow from those of the incumbent by sums over the changed agents only.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import linalg

from companion.core.arrays import Flags, Floats
from companion.core.errors import ParameterError, whole_number
from companion.papers.meanfield.method.baselines import ActionSearch, Joint
from companion.papers.meanfield.method.regression import standardised

RATES = np.geomspace(0.5, 2000.0, 12)
NOISES = (1e-4, 1e-2, 0.1, 0.5)
#: Changed agents of one candidate, on average.
CHANGES = 20
#: Entries compared at once when distances to the data are updated.
BLOCK = 500_000


class HammingTuRBO(ActionSearch):
    """TuRBO-1 with a Hamming trust region and Thompson sampling from the marginals of the candidates.

    The radius starts at ceil(.8 M), grows by half after 3 successes in a row (to M at most), shrinks by a third after 40
    failures, and below 1 everything starts afresh from ``initial`` uniform joint actions. A success is a strict
    improvement on the best since the last restart.

    Parameters
    ----------
    agents, actions, generator : as for :class:`ActionSearch`
    initial : uniform joint actions after every start, at least 2
    candidates : per round
    successes, failures : before the radius changes
    """

    def __init__(
        self,
        agents: int,
        actions: int,
        generator: np.random.Generator,
        initial: int = 20,
        candidates: int = 5000,
        successes: int = 3,
        failures: int = 40,
    ) -> None:
        super().__init__(agents, actions, generator)
        self._initial = whole_number("initial", initial, 2)
        self._candidates = whole_number("candidates", candidates)
        self._limits = whole_number("successes", successes), whole_number("failures", failures)
        self.restarts = -1
        self.radii: list[int] = []
        self._restart()

    def _restart(self) -> None:
        self.restarts += 1
        self.radius = math.ceil(0.8 * self.agents)
        self._streak = [0, 0]
        # One row per agent, so that what an agent did in all rounds lies together.
        self._columns = np.empty((self.agents, 64), dtype=np.int16 if self.actions < 2**15 else np.int32)
        self._values = np.empty(0)
        self._distances = np.empty((0, 0))
        self._rate, self._noise = float(RATES[len(RATES) // 2]), 1e-2

    @property
    def _joint(self) -> Joint:
        """Joint actions since the last start (t, M)."""
        return self._columns[:, : len(self._values)].T

    def _next(self) -> Joint:
        if len(self._values) < self._initial:
            return self.uniform()
        count = len(self._values)
        targets, _, _ = standardised(self._values)
        if count <= 50 or count % 5 == 0:
            self._rate, self._noise = fit_hamming(self._distances / self.agents, targets)
        where = int(np.argmax(self._values))
        who, what, used = self.candidates(self._joint[where])
        distances = self._distances[where] + hamming_change(self._joint, self._joint[where], who, what, used)
        mean, variance = self._predict(targets, distances / self.agents)
        score = mean + np.sqrt(variance) * self.generator.standard_normal(len(mean))
        best = int(np.argmax(score))
        joint = self._joint[where].copy()
        joint[who[best, used[best]]] = what[best, used[best]]
        return joint

    def candidates(self, incumbent: Joint) -> tuple[Joint, Joint, Flags]:
        """Agents changed (n, k), their new actions (n, k), and which of the k entries count.

        Every agent is redrawn with probability min(1, 20 / M), at least one and at most ``radius`` of them; a redrawn
        action may be the old one.
        """
        chance = min(1.0, CHANGES / self.agents)
        limit = min(self.radius, self.agents)
        counts = np.clip(self.generator.binomial(self.agents, chance, self._candidates), 1, max(1, limit))
        width = int(counts.max())
        who = _distinct(self.agents, self._candidates, width, self.generator)
        what = self.generator.integers(self.actions, size=who.shape)
        return who, what, np.arange(width)[None, :] < counts[:, None]

    def _predict(self, targets: Floats, relative: Floats) -> tuple[Floats, Floats]:
        """Mean and variance at points with these distances (n, t) over M, both (n,)."""
        covariance = np.exp(-self._rate * self._distances / self.agents) + self._noise * np.eye(len(targets))
        lower = linalg.cholesky(covariance, lower=True, check_finite=False)
        half = linalg.solve_triangular(lower, targets, lower=True, check_finite=False)
        cross = np.exp(-self._rate * relative)
        explained = linalg.solve_triangular(lower, cross.T, lower=True, check_finite=False)
        scale = float(half @ half) / len(targets)
        variance = scale * np.maximum(1.0 - np.einsum("tn,tn->n", explained, explained), 0.0)
        return half @ explained, variance

    def _seen(self, joint: Joint, value: float, improved: bool) -> None:
        before = float(self._values.max()) if len(self._values) else -math.inf
        count = len(self._values)
        mine = joint.astype(self._columns.dtype)
        apart = np.count_nonzero(self._columns[:, :count] != mine[:, None], axis=0).astype(np.float64)
        self._distances = np.block([[self._distances, apart[:, None]], [apart[None, :], np.zeros((1, 1))]])
        if count == self._columns.shape[1]:
            self._columns = np.concatenate([self._columns, np.empty_like(self._columns)], axis=1)
        self._columns[:, count] = mine
        self._values = np.append(self._values, value)
        self.radii.append(self.radius)
        if len(self._values) <= self._initial:
            return
        won = value > before
        self._streak = [self._streak[0] + 1, 0] if won else [0, self._streak[1] + 1]
        if self._streak[0] == self._limits[0]:
            self.radius, self._streak = min(math.ceil(1.5 * self.radius), self.agents), [0, 0]
        elif self._streak[1] == self._limits[1]:
            self.radius, self._streak = math.floor(self.radius / 1.5), [0, 0]
        if self.radius < 1:
            self._restart()

    def diagnostics(self) -> dict[str, Any]:
        """Evaluations, restarts, and the radius at every evaluation."""
        return {**super().diagnostics(), "restarts": self.restarts, "radius": self.radii}


def hamming_change(joint: Joint, incumbent: Joint, who: Joint, what: Joint, used: Flags) -> Floats:
    """Excess distance (n, t) of each candidate over the incumbent (M,) from each row of ``joint`` (t, M).

    Parameters
    ----------
    who, what, used : (n, k) agents changed, their new actions, and which entries count
    """
    columns = joint.T
    change = np.empty((len(who), len(joint)))
    counts = used.sum(axis=1)
    for count in np.unique(counts):
        # Candidates with as many changes fill an array (rows, count, t) without gaps; a block of them fits the cache.
        rows = np.flatnonzero(counts == count)
        step = max(1, BLOCK // max(1, int(count) * len(joint)))
        for block in (rows[start : start + step] for start in range(0, len(rows), step)):
            chosen = used[block]
            agent = who[block][chosen].reshape(len(block), count)
            now = what[block][chosen].reshape(len(block), count).astype(joint.dtype)
            there = columns[agent]
            worse = (there != now[:, :, None]).view(np.int8)
            worse -= (there != incumbent[agent].astype(joint.dtype)[:, :, None]).view(np.int8)
            change[block] = worse.sum(axis=1, dtype=np.int16)
    return change


def fit_hamming(relative: Floats, targets: Floats) -> tuple[float, float]:
    """Decay rate and noise ratio of the largest likelihood on a grid, the scale s^2 being maximised in closed form.

    Parameters
    ----------
    relative : (t, t) distances over M
    targets : (t,) standardised
    """
    best, found, count = -math.inf, (float(RATES[0]), NOISES[-1]), len(targets)
    for rate in RATES:
        values, vectors = linalg.eigh(np.exp(-rate * relative), check_finite=False)
        rotated = (vectors.T @ targets) ** 2
        for noise in NOISES:
            spectrum = np.maximum(values, 0.0) + noise
            scale = float(np.sum(rotated / spectrum)) / count
            likelihood = -0.5 * (count * math.log(max(scale, 1e-300)) + float(np.log(spectrum).sum()))
            if likelihood > best:
                best, found = likelihood, (float(rate), noise)
    return found


def _distinct(high: int, rows: int, width: int, generator: np.random.Generator) -> Joint:
    """Row by row ``width`` distinct integers below ``high`` (rows, width), uniform."""
    if width > high:
        raise ParameterError("width", f"got {width}", f"at most {high}")
    if high <= 12 * width:
        keys = generator.random((rows, high))
        # The ``width`` smallest keys of a row in their order: sorting the others as well would take most of the time.
        least = np.argpartition(keys, min(width, high - 1), axis=1)[:, :width]
        order = np.argsort(np.take_along_axis(keys, least, axis=1), axis=1)
        return np.take_along_axis(least, order, axis=1)
    drawn = generator.integers(high, size=(rows, width))
    doubtful = np.arange(rows)
    while doubtful.size:
        ordered = np.sort(drawn[doubtful], axis=1)
        doubtful = doubtful[(ordered[:, 1:] == ordered[:, :-1]).any(axis=1)]
        drawn[doubtful] = generator.integers(high, size=(len(doubtful), width))
    return drawn
