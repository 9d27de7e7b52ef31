r"""Naive GP-UCB on the joint actions of M agents: the method whose bound grows with M.

.. math:: k(x,x')=s\,\exp\Big(-\tfrac1{2\ell^2}\sum_{m\le M}\|\varphi(x_m)-\varphi(x'_m)\|_2^2\Big)

The input is the vector of all agents' action features, and the domain is :math:`A^M`. The acquisition is maximised by steps
that change one agent at a time, which is exact in no sense once :math:`|A|^M` cannot be listed; what a round costs is
bounded by looking at some agents only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, whole_number
from companion.papers.meanfield.method.baselines import ActionSearch, Joint
from companion.papers.meanfield.method.kernel import squared_distances
from companion.papers.meanfield.method.model import FitSchedule
from companion.papers.meanfield.method.regression import Fit, factor, fit_hyperparameters, standardised
from companion.papers.meanfield.method.widths import PracticeWidth, Width

#: Single-agent changes scored in one step, at most.
SCORED = 1024
#: Joint actions up to this number are listed and the acquisition is maximised exactly.
LISTED = 4096


class NaiveGPUCB(ActionSearch):
    """GP-UCB on A^M, without the mean-field assumption.

    The length-scale has its prior in units of the root of the median squared distance of the joint actions played, like
    the length-scale of the laws in MF-GP-UCB, and the fits follow the same schedule.

    Parameters
    ----------
    action_features : (A, d_A)
    agents, generator : M, and the generator of all draws
    width : what multiplies the posterior standard deviation
    schedule : of the fits; its priors of the laws' term are used
    initial : uniform joint actions before the first fit
    steps : at most so many single-agent changes from each of ``starts``
    block : agents looked at in one step, chosen at random, all of them where M is not larger; fewer where |A| is large, so
        that a step scores about a thousand changes
    starts : the best joint actions played, and as many uniform ones
    """

    def __init__(
        self,
        action_features: ArrayLike,
        agents: int,
        generator: np.random.Generator,
        width: Width | None = None,
        schedule: FitSchedule | None = None,
        initial: int = 10,
        steps: int = 30,
        block: int = 32,
        starts: int = 1,
    ) -> None:
        features = np.asarray(action_features, dtype=np.float64)
        if features.ndim != 2:
            raise ParameterError("action_features", f"has shape {features.shape}", "(A, d_A)")
        super().__init__(agents, len(features), generator)
        self._apart = squared_distances(features, features)
        self._width: Width = width or PracticeWidth()
        self._schedule = schedule or FitSchedule()
        self._initial, self._steps = whole_number("initial", initial, 2), whole_number("steps", steps)
        self._block, self._starts = whole_number("block", block), whole_number("starts", starts)
        self._block = max(1, min(self._block, SCORED // self.actions))
        self._joint = np.empty((0, agents), dtype=np.int32)
        self._values = np.empty(0)
        self._distances = np.empty((0, 0))
        self._fit: Fit | None = None
        self._lengthscale, self._scale, self._noise = 1.0, 1.0, 1e-2
        self.listed = self.agents * np.log(self.actions) <= np.log(LISTED)

    def _next(self) -> Joint:
        count = len(self._values)
        if count < self._initial:
            return self.uniform()
        targets, _, _ = standardised(self._values)
        if count == self._initial or self._schedule.due(count):
            self._refit(targets)
        covariance = self._scale * np.exp(self._distances * (-0.5 / self._lengthscale**2))
        lower, _ = factor(covariance, self._noise)
        inverse = linalg.solve_triangular(lower, np.eye(count), lower=True, check_finite=False)
        solved = inverse.T @ (inverse @ targets)
        width = self._width(count + 1)

        def score(squared: Floats) -> Floats:
            """Upper confidence bound at squared distances (n, t) to the data."""
            cross = self._scale * np.exp(squared * (-0.5 / self._lengthscale**2))
            half = cross @ inverse.T
            variance = np.maximum(self._scale - np.einsum("nt,nt->n", half, half), 0.0)
            return np.asarray(cross @ solved + width * np.sqrt(variance))

        if self.listed:
            every = np.indices((self.actions,) * self.agents).reshape(self.agents, -1).T
            return every[int(np.argmax(score(self._to_data(every))))]
        order = np.argsort(-self._values, kind="stable")[: self._starts]
        starts = [*self._joint[order], *(self.uniform() for _ in range(self._starts))]
        ends = [self._climb(start, score) for start in starts]
        return ends[int(np.argmax([value for value, _ in ends]))][1]

    def _refit(self, targets: Floats) -> None:
        pairs = self._distances[np.triu_indices(len(targets), 1)]
        unit = float(np.median(pairs)) or 1.0
        priors, schedule = (self._schedule.law,), self._schedule
        groups = [self._distances[None] / unit]
        found = fit_hyperparameters(groups, targets, priors, schedule.noise, self._fit, schedule.iterations)
        if found is not None:
            self._fit, self._scale, self._noise = found, found.scales[0], found.noise_variance
            self._lengthscale = found.lengthscales[0] * float(np.sqrt(unit))

    def _to_data(self, joint: Joint) -> Floats:
        """Squared distances (n, t) of ``joint`` (n, M) to the data."""
        return np.stack([self._apart[joint, row].sum(axis=1) for row in self._joint], axis=1)

    def _climb(self, start: Joint, score: Any) -> tuple[float, Joint]:
        """The best single-agent change again and again, until none helps; the value reached and the joint action."""
        joint = start.astype(np.int32).copy()
        squared = self._to_data(joint[None])[0]
        value = float(score(squared[None])[0])
        for _ in range(self._steps):
            whole = self.agents <= self._block
            size = min(self._block, self.agents)
            who = np.arange(size) if whole else self.generator.choice(self.agents, size, replace=False)
            there = self._joint[:, who]
            # (actions, t, block): what the squared distance to each datum becomes if one agent takes another action
            change = self._apart[:, there] - self._apart[joint[who][None, :], there][None]
            options = squared[None, :, None] + change
            scores = score(np.maximum(options.transpose(2, 0, 1).reshape(-1, len(squared)), 0.0))
            best = int(np.argmax(scores))
            if scores[best] <= value + 1e-12:
                if whole:
                    break
                continue
            agent, action = divmod(best, self.actions)
            squared = np.maximum(squared + change[action, :, agent], 0.0)
            value = float(scores[best])
            joint[who[agent]] = action
        return value, joint

    def _seen(self, joint: Joint, value: float, improved: bool) -> None:
        apart = self._to_data(joint[None])[0] if len(self._values) else np.empty(0)
        self._distances = np.block([[self._distances, apart[:, None]], [apart[None, :], np.zeros((1, 1))]])
        self._joint = np.vstack([self._joint, joint.astype(np.int32)[None, :]])
        self._values = np.append(self._values, value)

    def diagnostics(self) -> dict[str, Any]:
        """Evaluations, the width's kind, and whether all joint actions were listed."""
        return {**super().diagnostics(), "width": self._width.describe(), "listed": bool(self.listed)}
