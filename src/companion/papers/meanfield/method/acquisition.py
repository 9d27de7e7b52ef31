r"""MF-UCB, optimism averaged under the law being chosen, with its exact gradient.

.. math:: \alpha_t(\xi)=\sum_cp(c)\sum_x\xi(x|c)\,\{\mu_{t-1}(x,c,\xi)+\beta_t\sigma_{t-1}(x,c,\xi)\}

The law enters twice, in the average and in the posterior, and the gradient flows through both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from companion.core.arrays import Floats
from companion.core.errors import ParameterError
from companion.papers.meanfield.method.kernel import squared_distances_from
from companion.papers.meanfield.method.model import MeanFieldGP

#: Posterior variances are kept above this, in units of the targets' variance.
VARIANCE_FLOOR = 1e-12


def optimistic(mean: Floats, sd: Floats, width: float) -> Floats:
    """Upper confidence bound of the payoff at every (c, x): mu + beta sigma."""
    return mean + width * sd


def averaged(weights: Floats, optimism: Floats) -> Floats:
    """alpha_t: the bounds (..., n) averaged with weights p(c) xi(x|c) (..., n)."""
    return np.asarray(np.einsum("...n,...n->...", weights, optimism))


class MeanFieldUCB:
    r"""The acquisition of one round, for S laws at a time.

    With :math:`k_\ast=B+w`, B the part of the covariance with the data that is free of the law and w the part of the
    laws, which is the same for every (x, c), one law costs O(t^2 + nt) instead of O(nt^2), n = |A||C|. In units of the
    model's targets.

    Parameters
    ----------
    model : at least one observation; the model may change afterwards, the acquisition does not
    context_weights : (C,) p(c)
    width : what multiplies the posterior standard deviation, at least 0
    """

    def __init__(self, model: MeanFieldGP, context_weights: ArrayLike, width: float) -> None:
        if not model.count:
            raise ParameterError("model", "has no observation", "at least one")
        self._weights = np.asarray(context_weights, dtype=np.float64)
        self._width = float(width)
        self._kernel = model.kernel
        self._laws = model.laws.transpose(1, 0, 2).copy()
        self._norms = np.add.reduce(self._laws * self._laws, axis=-1)
        identity = np.eye(model.count)
        self._inverse = linalg.solve_triangular(model.lower, identity, lower=True, check_finite=False)
        targets, self.shift, self.scale = model.targets()
        free = model.law_free()
        self._solved = self._inverse.T @ (self._inverse @ targets)
        self._half = self._inverse @ free.T
        self._mean = free @ self._solved
        self._explained = np.einsum("in,in->n", self._half, self._half)
        self._prior = self._kernel.variance(model.contexts)
        self._share = model.contexts if self._kernel.coupling == "joint" else 1

    @property
    def shape(self) -> tuple[int, int]:
        """(C, A)."""
        contexts, _, actions = self._laws.shape
        return contexts, actions

    def posterior(self, laws: Floats) -> tuple[Floats, Floats]:
        """Posterior mean and variance at every (c, x) under ``laws`` (S, C, A), both (S, C, A)."""
        _, weights, halves = self._coupling(laws)
        mean, variance = self._moments(weights, halves)
        return mean.reshape(laws.shape), variance.reshape(laws.shape)

    def value(self, laws: Floats) -> Floats:
        """alpha_t at ``laws`` (S, C, A), shape (S,)."""
        _, weights, halves = self._coupling(laws)
        mean, variance = self._moments(weights, halves)
        return averaged(self._average(laws), optimistic(mean, np.sqrt(variance), self._width))

    def __call__(self, laws: Floats) -> tuple[Floats, Floats]:
        """alpha_t (S,) and its gradient (S, C, A) with respect to every probability, taken as free coordinates."""
        terms, weights, halves = self._coupling(laws)
        mean, variance = self._moments(weights, halves)
        sd = np.sqrt(variance)
        optimism, average = optimistic(mean, sd, self._width), self._average(laws)
        # d alpha / d w_i: through the mean, then through the variance, where d var / d w = -2 L^-T (H + h).
        pull = average.sum(axis=1)[:, None] * self._solved[None, :]
        if self._width:
            load = average / sd
            if not (above := variance > VARIANCE_FLOOR).all():
                load[~above] = 0.0
            drop = load @ self._half.T
            drop += load.sum(axis=1)[:, None] * halves
            lost = drop @ self._inverse
            lost *= self._width
            pull -= lost
        # d w_i / d xi(x|c) = -s k(xi_c, xi_ic) (xi - xi_i)(x|c) / l^2
        loaded = terms * pull[None]
        toward = loaded.sum(axis=2)[:, :, None] * laws.transpose(1, 0, 2)
        toward -= loaded @ self._laws
        toward *= -(self._share / self._kernel.law_lengthscale**2)
        direct = self._weights[None, :, None] * optimism.reshape(laws.shape)
        direct += toward.transpose(1, 0, 2)
        return averaged(average, optimism), direct

    def _average(self, laws: Floats) -> Floats:
        return np.asarray((laws * self._weights[None, :, None]).reshape(len(laws), -1))

    def _coupling(self, laws: Floats) -> tuple[Floats, Floats, Floats]:
        """The laws' covariance with the data by context (C, S, t), summed (S, t), and the latter times L^-T."""
        by_context = laws.transpose(1, 0, 2)
        norms = np.add.reduce(by_context * by_context, axis=-1)
        terms = self._kernel.law_terms_at(squared_distances_from(norms, by_context, self._laws, self._norms))
        weights = terms.sum(axis=0)
        return terms, weights, weights @ self._inverse.T

    def _moments(self, weights: Floats, halves: Floats) -> tuple[Floats, Floats]:
        mean = self._mean[None, :] + (weights @ self._solved)[:, None]
        explained = halves @ self._half
        explained *= 2.0
        explained += self._explained[None, :]
        explained += np.add.reduce(halves**2, axis=1)[:, None]
        np.subtract(self._prior, explained, out=explained)
        return mean, np.maximum(explained, VARIANCE_FLOOR, out=explained)
