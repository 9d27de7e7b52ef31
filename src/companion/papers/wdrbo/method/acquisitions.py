"""Acquisition functions: a worst case over contexts of the upper confidence bound, with its exact gradient.

With U(x, c) = mean + width * sd, most methods maximise V(x) = min over q in a ball of sum_j q_j U(x, s_j) on a support
that does not depend on x. By the envelope theorem dV/dx = sum_j q_j dU(x, s_j)/dx at the worst q, and in general the
weights are dV/du. The Lipschitz-penalised form (13) is mean_j U(x, c_j) - epsilon L(x), L(x) the largest context
gradient over fixed nodes; its gradient needs the mixed second derivative of U at the active node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats
from companion.papers.wdrbo.method.inner import WorstCase, total_variation, wasserstein
from companion.papers.wdrbo.method.model import Surrogate

#: Values (B, C) of U on the support to worst cases (B,) and their derivatives (B, C) in the values.
Rule = Callable[[Floats], tuple[Floats, Floats]]

#: Rows whose inner problem is solved at once while the best rows are searched for.
_SCREENED = 16


class Acquisition(Protocol):
    """To be maximised over the unit cube of decisions."""

    def __call__(self, x: Floats) -> Floats:
        """Values (B,) at ``x`` (B, d_x)."""
        ...

    def with_gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Values (B,) and gradients (B, d_x)."""
        ...

    def screen(self, x: Floats, count: int) -> Floats:
        """Values (B,), where rows proved not to be among the ``count`` best may hold an upper bound instead."""
        ...


class Ball(Protocol):
    """A set of distributions on a fixed support, with a certified solver."""

    @property
    def centre(self) -> Floats:
        """Weights (C,) of the ball's centre."""
        ...

    def worst(self, values: Floats) -> WorstCase:
        """The worst distributions for rows of values."""
        ...


@dataclass(frozen=True, eq=False)
class WassersteinBall:
    """Distributions on ``support`` (C, d_c) within Wasserstein distance ``radius`` of ``centre`` (C,)."""

    support: Floats
    centre: Floats
    radius: float

    def worst(self, values: Floats) -> WorstCase:
        """See :func:`~companion.papers.wdrbo.method.inner.wasserstein`."""
        return wasserstein(values, self.support, self.centre, self.radius)


class ContextualAcquisition:
    """V(x) = rule(U(x, s_1), ..., U(x, s_C)).

    Parameters
    ----------
    surrogate, width : U = mean + width * sd
    support : (C, d_c) contexts
    rule : see :data:`Rule`
    centre : (C,) weights p with rule(u) <= p.u for all u, such as a ball's centre; they let the search skip rows
    """

    def __init__(self, surrogate: Surrogate, support: Floats, width: float, rule: Rule, centre: Floats) -> None:
        self.surrogate, self.support, self.width = surrogate, support, width
        self.rule, self.centre = rule, centre

    def __call__(self, x: Floats) -> Floats:
        """Values (B,)."""
        return self.rule(self.surrogate.table(x, self.support, self.width))[0]

    def with_gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Values (B,) and gradients (B, d_x)."""
        parts = list(self.surrogate.parts(x, self.support, self.width))
        values, slopes = self.rule(np.concatenate([part.upper for part in parts]))
        return values, np.concatenate([part.decision_gradient(slopes[part.rows]) for part in parts])

    def screen(self, x: Floats, count: int) -> Floats:
        """Values of the ``count`` best rows, upper bounds elsewhere."""
        bounds = self.surrogate.mean_bound(x, self.support, self.centre, self.width)
        return best_rows(bounds, lambda rows: (self(x[rows]), None), count, 4 * _SCREENED)


class BallAcquisition(ContextualAcquisition):
    """V(x) = min over q in a ball of sum_j q_j U(x, s_j).

    ``gaps`` collects the largest certified gap of every call.
    """

    def __init__(self, surrogate: Surrogate, support: Floats, width: float, ball: Ball) -> None:
        self.ball = ball
        self.gaps: list[float] = []
        gaps = self.gaps

        # No method: an acquisition that held itself would keep its ball's matrices for rounds after its own.
        def worst(values: Floats) -> tuple[Floats, Floats]:
            found = ball.worst(values)
            gaps.append(float(found.gap.max()))
            return found.value, found.weights

        super().__init__(surrogate, support, width, worst, ball.centre)

    def screen(self, x: Floats, count: int) -> Floats:
        """Values of the ``count`` best rows, upper bounds elsewhere.

        The ball is the same for every x, so the worst distribution of one row bounds the values of all others.
        """
        table = self.surrogate.table(x, self.support, self.width)

        def solve(rows: NDArray[np.intp]) -> tuple[Floats, Floats]:
            values, weights = self.rule(table[rows])
            return values, (table @ weights.T).min(axis=1)

        return best_rows(table @ self.centre, solve, count, _SCREENED)


def best_rows(
    bounds: Floats, solve: Callable[[NDArray[np.intp]], tuple[Floats, Floats | None]], count: int, batch: int
) -> Floats:
    """Values of the ``count`` best rows, upper bounds of the others.

    Rows are solved in the order of their bounds until no bound exceeds the ``count``-th best value.

    Parameters
    ----------
    bounds : (B,) upper bounds of the rows' values
    solve : values of some rows, and new upper bounds (B,) of all rows where there are any
    count, batch : rows wanted, and rows to solve at once
    """
    found, solved = np.array(bounds), np.zeros(len(bounds), dtype=bool)
    while True:
        known = np.sort(found[solved])
        least = known[-count] if len(known) >= count else -np.inf
        open_ = np.flatnonzero(~solved & (found > least))
        if not open_.size:
            return found
        rows = open_[np.argsort(-found[open_], kind="stable")[:batch]]
        values, fresh = solve(rows)
        if fresh is not None:
            found = np.where(solved, found, np.minimum(found, fresh))
        found[rows], solved[rows] = values, True


def penalised(mean: Floats, radius: float, lipschitz: Floats) -> Floats:
    """The rule (13): the mean of U over the centre less the radius times the Lipschitz constant in the context."""
    return mean - radius * lipschitz


class PenalisedAcquisition:
    """mean_j U(x, c_j) - epsilon L(x), L(x) = max over nodes of |dU/dc(x, node)|: (13).

    Parameters
    ----------
    surrogate, width : U = mean + width * sd
    contexts, weights : (C, d_c) atoms of the centre and their weights (C,)
    radius : epsilon
    nodes : (K, d_c) where the context gradient is looked at
    differentiate_penalty : the gradient of ``with_gradient`` includes the penalty; the published code leaves it out
    """

    def __init__(
        self,
        surrogate: Surrogate,
        contexts: Floats,
        weights: Floats,
        width: float,
        radius: float,
        nodes: Floats,
        differentiate_penalty: bool = True,
    ) -> None:
        self.mean = ContextualAcquisition(surrogate, contexts, width, mean_rule(weights), weights)
        self.surrogate, self.width, self.radius, self.nodes = surrogate, width, radius, nodes
        self.differentiate_penalty = differentiate_penalty

    def lipschitz(self, x: Floats) -> Floats:
        """L(x), shape (B,)."""
        return self._lipschitz(x, False)[0]

    def _lipschitz(self, x: Floats, differentiate: bool) -> tuple[Floats, Floats]:
        """L(x), shape (B,): the largest slope of U in the context over the nodes; and dL/dx, if asked to differentiate."""
        found, gradient = np.empty(len(x)), np.zeros_like(x)
        # The decisions x come in parts that fit into memory.
        for part in self.surrogate.parts(x, self.nodes, self.width):
            # dU/dc of every decision at every node, and the node where it is longest.
            slope = part.context_gradient()
            steepness = np.sqrt(np.einsum("bcj,bcj->bc", slope, slope))
            active = steepness.argmax(axis=1)
            first = np.arange(len(active))
            found[part.rows] = steepness[first, active]
            if differentiate:
                # By the envelope theorem the active node may be held fixed.
                direction = slope[first, active] / np.maximum(found[part.rows], 1e-300)[:, None]
                gradient[part.rows] = np.einsum("bij,bj->bi", part.mixed_derivative(active), direction)
        return found, gradient

    def __call__(self, x: Floats) -> Floats:
        """Values (B,) of the rule (13) at decisions x (B, d_x); ``mean`` averages U over the centre."""
        return penalised(self.mean(x), self.radius, self.lipschitz(x))

    def with_gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Values (B,) and gradients (B, d_x)."""
        values, gradient = self.mean.with_gradient(x)
        steepness, turn = self._lipschitz(x, self.differentiate_penalty)
        return penalised(values, self.radius, steepness), penalised(gradient, self.radius, turn)

    def screen(self, x: Floats, count: int) -> Floats:
        """Values of the ``count`` best rows, upper bounds elsewhere: the penalty only lowers the mean."""
        mean = self.mean(x)

        def solve(rows: NDArray[np.intp]) -> tuple[Floats, None]:
            return penalised(mean[rows], self.radius, self.lipschitz(x[rows])), None

        return best_rows(mean, solve, count, 2 * _SCREENED)


def mean_rule(weights: Floats) -> Rule:
    """sum_j weights_j u_j."""
    return lambda u: (u @ weights, np.broadcast_to(weights, u.shape))


def least_rule(u: Floats) -> tuple[Floats, Floats]:
    """min_j u_j; the first of equal values counts."""
    slope = np.zeros_like(u)
    least = u.argmin(axis=1)
    slope[np.arange(len(u)), least] = 1.0
    return u[np.arange(len(u)), least], slope


def variation_rule(samples: int, radius: float) -> Rule:
    """Total-variation ball around the uniform law on the first ``samples`` contexts, the rest being the floor's grid.

    Mass may be moved to any context of the support.
    """

    def rule(u: Floats) -> tuple[Floats, Floats]:
        found = total_variation(u[:, :samples], np.full(samples, 1.0 / samples), radius, u.min(axis=1))
        slope = np.concatenate([found.weights, np.zeros((len(u), u.shape[1] - samples))], axis=1)
        slope[np.arange(len(u)), u.argmin(axis=1)] += found.outside
        return found.value, slope

    return rule


def published_variation_rule(samples: int, radius: float) -> Rule:
    """The published two-variable program with its floor taken elsewhere, where it may exceed sampled values.

    max over a >= 0 and b of -b - delta a + mean_j min(u_j + b, a) with a + b >= -u_min. With tau = a - b it is the
    maximum over tau of mean_j min(u_j, tau) - delta/2 max(tau - u_min, 0), attained at the larger of u_min and the
    upper delta/2 quantile: only values above the floor are lowered to it.
    """
    half = min(radius, 2.0) / 2

    def rule(u: Floats) -> tuple[Floats, Floats]:
        own, rows = u[:, :samples], np.arange(len(u))
        where = samples + u[:, samples:].argmin(axis=1)
        floor = u[rows, where]
        order = np.argsort(-own, axis=1, kind="stable")
        above = np.arange(samples) / samples
        taken = np.zeros_like(own)
        np.put_along_axis(taken, order, np.broadcast_to(np.clip(half - above, 0.0, 1.0 / samples), own.shape), axis=1)
        taken[own <= floor[:, None]] = 0.0
        slope = np.concatenate([1.0 / samples - taken, np.zeros((len(u), u.shape[1] - samples))], axis=1)
        slope[rows, where] += taken.sum(axis=1)
        return np.sum(slope * u, axis=1), slope

    return rule
