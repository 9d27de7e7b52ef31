"""Oracles of chapter 4: a dense posterior from the printed formulas, laws on a lattice, and a problem with a known optimum."""

from __future__ import annotations

import functools
import itertools

import numpy as np
from scipy import optimize, special

from companion.papers.meanfield.method.baselines import ActionSearch

#: Step of the differences: their errors, of its square and of machine precision over it, are both near 1e-10.
DIFFERENCE = 1e-5


def rbf(u, v, lengthscale):
    """exp(-|u - v|^2 / (2 l^2)) of two vectors, differences first."""
    return float(np.exp(-np.sum((np.asarray(u) - np.asarray(v)) ** 2) / (2.0 * lengthscale**2)))


def covariance(kernel, z, other):
    """Eq. (1) entry by entry, for plays (x, c, xi) given as (features, features, (C, A))."""
    total = kernel.action_scale * rbf(z[0], other[0], kernel.action_lengthscale)
    total += kernel.context_scale * rbf(z[1], other[1], kernel.context_lengthscale)
    return total + kernel.law_scale * sum(
        rbf(one, two, kernel.law_lengthscale) for one, two in zip(z[2], other[2], strict=True)
    )


def dense_posterior(kernel, noise_variance, data, values, z):
    """Posterior mean and variance at the play ``z`` given plays ``data``, by a dense solve."""
    gram = np.array([[covariance(kernel, one, two) for two in data] for one in data])
    gram += noise_variance * np.eye(len(data))
    cross = np.array([covariance(kernel, z, one) for one in data])
    solved = np.linalg.solve(gram, cross)
    return float(solved @ values), float(covariance(kernel, z, z) - solved @ cross)


def lattice(actions, parts):
    """All distributions over ``actions`` whose probabilities are multiples of 1 / parts."""
    cuts = itertools.combinations(range(parts + actions - 1), actions - 1)
    rows = [np.diff((-1, *cut, parts + actions - 1)) - 1 for cut in cuts]
    return np.array(rows) / parts


@functools.cache
def lattice_laws(contexts, actions, parts):
    """The product of lattices, (n, C, A)."""
    one = lattice(actions, parts)
    index = np.indices((len(one),) * contexts).reshape(contexts, -1).T
    return one[index]


def best_by_force(value, contexts, actions, parts, polish=5):
    """Largest and smallest value over the lattice, the largest polished by SLSQP from the best lattice laws."""
    laws = lattice_laws(contexts, actions, parts)
    found = np.concatenate([value(block) for block in np.array_split(laws, max(1, len(laws) // 4000))])
    best = float(found.max())
    sums = np.kron(np.eye(contexts), np.ones(actions))
    constraint = {"type": "eq", "fun": lambda flat: sums @ flat - 1.0, "jac": lambda flat: sums}
    steps = DIFFERENCE * np.eye(contexts * actions)

    def slope(flat):
        """Central differences, all coordinates in one call; the objective's own gradient stays out of it."""
        ends = value(np.concatenate([flat + steps, flat - steps]).reshape(-1, contexts, actions))
        return -(ends[: len(flat)] - ends[len(flat) :]) / (2 * DIFFERENCE)

    for index in np.argsort(-found)[:polish]:
        end = optimize.minimize(
            lambda flat: -float(value(flat.reshape(1, contexts, actions))[0]),
            laws[index].ravel(),
            method="SLSQP",
            jac=slope,
            bounds=[(0.0, 1.0)] * (contexts * actions),
            constraints=constraint,
            options={"ftol": 1e-12, "maxiter": 300},
        )
        law = np.maximum(end.x.reshape(1, contexts, actions), 0.0)
        best = max(best, float(value(law / law.sum(axis=-1, keepdims=True))[0]))
    return best, float(found.min())


class Congestion:
    """Agents share congested places: f(x, c, xi) = merit(c, x) - strength P_x, P the population's law.

    The average payoff sum_c p(c) sum_x xi(x|c) merit(c, x) - strength |P|^2 is concave; its maximum comes from SLSQP.
    """

    def __init__(self, merit, strength=1.0, weights=None):
        self.merit = np.atleast_2d(np.asarray(merit, dtype=np.float64))
        self.strength = strength
        self.contexts, self.actions = self.merit.shape
        even = np.full(self.contexts, 1.0 / self.contexts)
        self.context_weights = even if weights is None else np.asarray(weights, dtype=np.float64)
        self.action_features = np.linspace(0.0, 1.0, self.actions)[:, None]
        self.context_features = np.arange(self.contexts, dtype=np.float64)[:, None]
        self.noise_sd = 0.0
        self.optimum = best_by_force(self.reward, self.contexts, self.actions, 6)[0]

    def payoff(self, p):
        crowd = np.einsum("c,ncx->nx", self.context_weights, p)
        return self.merit[None] - self.strength * crowd[:, None, :]

    def reward(self, p):
        return np.einsum("c,ncx,ncx->n", self.context_weights, p, self.payoff(p))

    def agent_reward(self, actions, contexts):
        crowd = np.bincount(actions, minlength=self.actions) / len(actions)
        return float(np.mean(self.merit[contexts, actions] - self.strength * crowd[actions]))


def best_allocation(terms):
    """Whole numbers n_x with sum M that maximise sum_x terms[x, n_x], where every row is concave.

    Taking the M largest increments is exact, since within a row they do not increase.

    Parameters
    ----------
    terms : (A, M + 1) value of n agents in action x

    Returns
    -------
    The numbers (A,) and the maximum.
    """
    increments = np.diff(terms, axis=1)
    agents = increments.shape[1]
    order = np.argsort(-increments, axis=None, kind="stable")[:agents]
    numbers = np.bincount(order // agents, minlength=len(terms)).astype(np.int64)
    return numbers, float(terms[np.arange(len(terms)), numbers].sum())


def allocation_terms(demand, agents):
    """-D_JS split over the actions: entry [x, n] is the part of action x with n of M agents, shape (A, M + 1)."""
    share = np.arange(agents + 1) / agents
    mixture = 0.5 * (share[None] + demand[:, None])
    return -0.5 * (special.rel_entr(share[None], mixture) + special.rel_entr(demand[:, None], mixture))


class RandomActions(ActionSearch):
    """A uniform joint action in every round."""

    def _next(self):
        return self.uniform()

    def _seen(self, joint, value, improved):
        return
