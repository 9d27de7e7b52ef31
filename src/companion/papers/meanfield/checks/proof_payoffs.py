"""Statements of Appendix A.1 on smooth payoffs of nearby laws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from operator import attrgetter

import numpy as np

from companion.checks.cases import Case
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.papers.meanfield.checks.proof_cases import TITLES, worst
from companion.papers.meanfield.checks.proof_laws import (
    Rounding,
    Rule,
    multiples,
    not_laws,
    random_collections,
    remainders,
)

# -- random payoffs ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Payoff:
    r"""A smooth payoff, :math:`f(x,c,\xi)=\sum_jw_j\cos(\omega_j^\top\xi+\varphi_j(x,c))`, with ``features`` terms.

    The frequencies have the spectral distribution of ``kernel`` with length-scale 0.3, so that f approximates a draw of that
    prior. ``kernel="linear"``: :math:`f=\xi_1-\xi_2`, the same for every x and c.
    """

    kernel: str
    actions: int
    contexts: int
    parts: int
    features: int = 100
    count: int = 200
    rule: Rule = remainders

    @property
    def where(self) -> str:
        """In words."""
        name = TITLES.get(self.kernel, self.kernel)
        return f"{name} payoff, |A| = {self.actions}, |C| = {self.contexts}, tau = {self.parts}"

    @property
    def laws(self) -> Floats:
        """Laws (count, C, A); vertices for the linear payoff, whose bound is attained between them."""
        if self.kernel == "linear":
            return np.tile(np.eye(self.actions)[0], (self.count, self.contexts, 1))
        return random_collections(Rounding(self.actions, self.contexts, self.parts, count=self.count))

    @property
    def partners(self) -> Floats:
        """Their roundings (count, C, A); for the linear payoff another vertex."""
        if self.kernel == "linear":
            return np.tile(np.eye(self.actions)[1], (self.count, self.contexts, 1))
        return self.rule(self.laws, self.parts)


@cache
def _terms(payoff: Payoff) -> tuple[Floats, Floats, Floats]:
    """Weights (m,), frequencies (m, n) and phases (m, n)."""
    generator = stream(0, "meanfield", "statements", "payoff", payoff.where)
    m, n = payoff.features, payoff.actions * payoff.contexts
    weights = generator.standard_normal(m) * math.sqrt(2.0 / m)
    frequency = generator.standard_normal((m, n)) / 0.3
    degrees = {"se": math.inf, "matern32": 3.0, "matern52": 5.0}[payoff.kernel]
    if math.isfinite(degrees):  # a multivariate t distribution
        frequency *= np.sqrt(degrees / generator.chisquare(degrees, (m, 1)))
    return weights, frequency, generator.uniform(0.0, 2.0 * math.pi, (m, n))


def payoff_values(payoff: Payoff, laws: Floats) -> Floats:
    """f (count, n) for every context and action, contexts outside, under ``laws`` (count, C, A)."""
    if payoff.kernel == "linear":
        return np.repeat((laws[:, 0, 0] - laws[:, 0, 1])[:, None], payoff.actions * payoff.contexts, axis=1)
    weights, frequency, phase = _terms(payoff)
    angle = laws.reshape(len(laws), -1) @ frequency.T
    return np.einsum("m,lmn->ln", weights, np.cos(angle[:, :, None] + phase[None]))


def largest_slope(payoff: Payoff, start: Floats, end: Floats, nodes: int = 41) -> float:
    """A certified bound on the largest partial derivative of f on the segment between two laws (C, A), over all x, c.

    The largest at ``nodes`` equidistant places, and half a step times a bound on the derivative's own slope.
    """
    if payoff.kernel == "linear":
        return 1.0
    weights, frequency, phase = _terms(payoff)
    way = (end - start).ravel()
    places = start.ravel() + np.linspace(0.0, 1.0, nodes)[:, None] * way
    angle = (places @ frequency.T)[:, :, None] + phase[None]
    slopes = np.einsum("mj,pmn->pnj", -weights[:, None] * frequency, np.sin(angle))
    turn = (np.abs(weights * (frequency @ way))[:, None] * np.abs(frequency)).sum(axis=0).max()
    return float(np.abs(slopes).max() + 0.5 * turn / (nodes - 1))


def payoffs() -> Iterator[Payoff]:
    """Three smooth kernels, one and two contexts, coarse and fine roundings."""
    for kernel, (actions, contexts) in product(("se", "matern32", "matern52"), ((2, 1), (4, 1), (3, 2), (10, 1))):
        for parts in (3, 20):
            yield Payoff(kernel, actions, contexts, parts)
    yield Payoff("linear", 2, 1, 2, count=1)
    yield Payoff("linear", 5, 2, 2, count=1)


def average_payoff(values: Floats, laws: Floats) -> Floats:
    """g (count,) from f (count, n) under laws (count, C, A), contexts being equally likely, summed one by one."""
    flat = laws.reshape(len(laws), -1)
    total = np.zeros(len(laws))
    for z in range(flat.shape[1]):
        total += values[:, z] * flat[:, z] / laws.shape[1]
    return total


@statement(
    "A1-split",
    "identity",
    payoffs,
    teeth={
        "the printed sign": {"sign": -1.0},
        "the payoff at the exact law in the second term": {"at": attrgetter("laws")},
    },
    corrected=fix(r"the last bracket is $\xi^\star-[\xi^\star]_t$", sign=1.0),
)
def split_of_the_difference(
    payoff: Payoff, *, sign: float = -1.0, at: Callable[[Payoff], Floats] = attrgetter("partners")
) -> Case:
    r"""$g(\xi^\star)-g([\xi^\star]_t)=\E_{\xi^\star
    p}[f(\cdot,\xi^\star)-f(\cdot,[\xi^\star]_t)]+\E_c\big[\sum_xf(x,c,[\xi^\star]_t)([\xi^\star]_t(x|c)-\xi^\star(x|c))\big]$

    .. math:: \E_{\xi p}[f(\cdot,\xi)-f(\cdot,[\xi])]\pm\E_c\sum_xf(x,c,[\xi])\{\xi-[\xi]\}(x|c)
    """
    laws, points = payoff.laws, payoff.partners
    exact, coarse = payoff_values(payoff, laws), payoff_values(payoff, points)
    left = average_payoff(exact, laws) - average_payoff(coarse, points)
    change = (laws - points).reshape(len(laws), -1) / payoff.contexts
    flat = laws.reshape(len(laws), -1) / payoff.contexts
    right = (flat * (exact - coarse)).sum(axis=1) + sign * (payoff_values(payoff, at(payoff)) * change).sum(axis=1)
    # Compared through the error, whose scale is that of the payoff and not of the small difference.
    return worst(np.abs(left - right), np.full(len(laws), 1e-12 * np.abs(exact).max()), payoff.where)


@statement(
    "A1-lipschitz",
    "inequality",
    payoffs,
    need(
        "the segment between the laws lies where the supremum is taken, in the product of simplices",
        lambda payoff: not not_laws(payoff.partners).any(),
        Payoff("se", 4, 1, 3, rule=multiples),
    ),
    teeth={"nine tenths of it": {"factor": 0.9}, "the Euclidean norm": {"norm": 2.0}},
    depends="assumption-3.1",
)
def lipschitz(payoff: Payoff, *, factor: float = 1.0, norm: float = 1.0) -> Case:
    r"""$|f(x,c,\xi)-f(x,c,\xi')|\le L_{\max}\|\xi-\xi'\|_1$ with $L_{\max}=\max_{x,c,x',c'}\sup_\xi\big|\frac{\partial
    f(x,c,\xi)}{\partial\xi(x'|c')}\big|$

    :math:`L_{\max}` is replaced by something smaller, the largest derivative on the segment between the two laws.
    """
    laws, points = payoff.laws[:40], payoff.partners[:40]
    change = np.abs(payoff_values(payoff, laws) - payoff_values(payoff, points)).max(axis=1)
    slopes = np.array([largest_slope(payoff, law, point) for law, point in zip(laws, points, strict=True)])
    # The linear payoff depends on the first context's law only.
    difference = (laws - points)[:, : 1 if payoff.kernel == "linear" else None].reshape(len(laws), -1)
    apart = np.linalg.norm(difference, ord=norm, axis=1)
    return worst(change, factor * slopes * apart, payoff.where)
