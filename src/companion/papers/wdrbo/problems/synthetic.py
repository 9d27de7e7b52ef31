r"""The four synthetic functions of Section 5, as rewards on the unit box, with their exact expectations over the context.

Decisions and contexts both live in [0, 1], as in the authors' code; each class says how they enter the function.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from companion.core.arrays import Floats
from companion.papers.wdrbo.problems.laws import SmoothMarginal
from companion.problems.benchmarks import HARTMANN_CENTRES, HARTMANN_RATES, HARTMANN_WEIGHTS

#: The unit interval is stretched to [-32.768, 32.768].
ACKLEY_WIDTH = 65.536
#: Decisions whose expectations are computed together.
CHUNK = 512


@dataclass(frozen=True)
class Ackley:
    r"""Ackley's function with the sign turned,

    .. math:: f(x,c)=20e^{-0.2\|z\|/\sqrt d}+e^{\frac1d\sum_j\cos2\pi z_j}-20-e,\qquad z=65.536\,[x,c]-32.768,

    one context coordinate, d in total.

    Both parts of the expectation are exact to rounding. The cosines factor: :math:`e^{\frac1d\sum_x\cos2\pi z_j}` times
    a constant, an integral over 65 periods that 1,024 panels resolve. The root has branch points at
    :math:`z_c=\pm i\|z_x\|`, as close to the path as x is to the middle: panels that halve towards c = 1/2 keep every
    branch point about as far away as they are wide, so that 16 nodes on each are exact for all x.

    Parameters
    ----------
    law : of the context, on [0, 1]
    decisions : d_x = d - 1
    """

    law: SmoothMarginal
    decisions: int = 1

    @property
    def dim(self) -> int:
        """d, decisions and context."""
        return self.decisions + 1

    def __call__(self, x: Floats, c: Floats) -> Floats:
        """f(x, c), shape (n,), for x (n, d_x) and c (n, 1)."""
        z = ACKLEY_WIDTH * (np.concatenate([x, c], axis=1) - 0.5)
        root, waves = np.sqrt((z**2).mean(axis=1)), np.cos(2 * math.pi * z).mean(axis=1)
        return 20.0 * np.expm1(-0.2 * root) + (np.exp(waves) - math.e)

    @cached_property
    def _graded(self) -> tuple[Floats, Floats]:
        steps = 0.5 ** np.arange(1, 50)
        return self.law.rule(np.concatenate([0.5 - steps, [0.5], 0.5 + steps[::-1]]))

    @cached_property
    def _wave_mean(self) -> float:
        """E exp(cos(2 pi z_c) / d)."""
        nodes, weights = self.law.rule(np.linspace(0.0, 1.0, 1025))
        return float(weights @ np.exp(np.cos(2 * math.pi * ACKLEY_WIDTH * (nodes - 0.5)) / self.dim))

    def expected(self, x: Floats) -> Floats:
        """E f(x, c), shape (n,)."""
        z = ACKLEY_WIDTH * (x - 0.5)
        nodes, weights = self._graded
        squares = (ACKLEY_WIDTH * (nodes - 0.5)) ** 2
        result = np.empty(len(x))
        for start in range(0, len(x), CHUNK):
            part = z[start : start + CHUNK]
            root = np.sqrt(((part**2).sum(axis=1)[:, None] + squares) / self.dim)
            waves = np.exp(np.cos(2 * math.pi * part).sum(axis=1) / self.dim) * self._wave_mean
            result[start : start + CHUNK] = 20.0 * (np.expm1(-0.2 * root) @ weights) + (waves - math.e)
        return result


@dataclass(frozen=True)
class Hartmann:
    r"""Hartmann's six-dimensional function, whose last coordinate is the context,

    .. math:: f(x,c)=\sum_{i\le4}\alpha_i\exp\Bigl(-\sum_{j\le5}A_{ij}(x_j-P_{ij})^2-A_{i6}(c-P_{i6})^2\Bigr).

    The expectation replaces :math:`\alpha_i` by :math:`\alpha_i\,\mathbb E e^{-A_{i6}(c-P_{i6})^2}`, in closed form.
    """

    law: SmoothMarginal

    @cached_property
    def weights(self) -> Floats:
        """The four weights of the expectation."""
        return HARTMANN_WEIGHTS * self.law.bump(HARTMANN_RATES[:, 5], HARTMANN_CENTRES[:, 5])

    def __call__(self, x: Floats, c: Floats) -> Floats:
        """f(x, c), shape (n,), for x (n, 5) and c (n, 1)."""
        z = np.concatenate([x, c], axis=1)
        return np.exp(-(HARTMANN_RATES * (z[:, None, :] - HARTMANN_CENTRES) ** 2).sum(axis=2)) @ HARTMANN_WEIGHTS

    def expected(self, x: Floats) -> Floats:
        """E f(x, c), shape (n,)."""
        squares = HARTMANN_RATES[:, :5] * (x[:, None, :] - HARTMANN_CENTRES[:, :5]) ** 2
        return np.exp(-squares.sum(axis=2)) @ self.weights


BRANIN_SCALE = 10.0 * (1.0 - 1.0 / (8.0 * math.pi))


def branin_parts(u: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    r"""q(u), r(u) and their derivatives, with which Branin's function is :math:`B(u,v)=(v-q(u))^2+r(u)`.

    :math:`q=\frac{5.1}{4\pi^2}u^2-\frac5\pi u+6` and :math:`r=10(1-\frac1{8\pi})\cos u+10\ge\frac{10}{8\pi}`.
    """
    bend = 5.1 / (4 * math.pi**2)
    q, q_slope = bend * u**2 - 5.0 / math.pi * u + 6.0, 2 * bend * u - 5.0 / math.pi
    return q, BRANIN_SCALE * np.cos(u) + 10.0, q_slope, -BRANIN_SCALE * np.sin(u)


@dataclass(frozen=True)
class ModifiedBranin:
    r"""Minus the geometric mean of two Branin functions, each with one decision and one context,

    .. math:: f(x,c)=-\sqrt{B(15x_1-5,\,15c_1)\,B(15c_2-5,\,15x_2)}.

    The contexts are independent, so the expectation is :math:`-F_1(x_1)F_2(x_2)`. Since B is at least 10 / (8 pi), its
    root is smooth; 128 panels with 16 nodes are exact to rounding.

    Parameters
    ----------
    first, second : laws of the two contexts, on [0, 1]
    """

    first: SmoothMarginal
    second: SmoothMarginal

    def __call__(self, x: Floats, c: Floats) -> Floats:
        """f(x, c), shape (n,), for x (n, 2) and c (n, 2)."""
        q, r, _, _ = branin_parts(15 * x[:, 0] - 5)
        p, s, _, _ = branin_parts(15 * c[:, 1] - 5)
        return -np.sqrt(((15 * c[:, 0] - q) ** 2 + r) * ((15 * x[:, 1] - p) ** 2 + s))

    @cached_property
    def _rules(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        return self.first.rule(), self.second.rule()

    def factor(self, index: int, x: Floats) -> tuple[Floats, Floats]:
        """F_1 (``index`` 0) or F_2 (``index`` 1) at ``x`` (n,), and the derivative, each of shape (n,)."""
        nodes, weights = self._rules[index]
        value, slope = np.empty(len(x)), np.empty(len(x))
        for start in range(0, len(x), CHUNK):
            part = x[start : start + CHUNK, None]
            at, other = (15 * part - 5, 15 * nodes) if index == 0 else (15 * nodes - 5, 15 * part)
            q, r, q_slope, r_slope = branin_parts(at)
            root = np.sqrt((other - q) ** 2 + r)
            gradient = ((q - other) * q_slope + r_slope / 2) / root if index == 0 else (other - q) / root
            value[start : start + CHUNK], slope[start : start + CHUNK] = root @ weights, 15 * gradient @ weights
        return value, slope

    def expected(self, x: Floats) -> Floats:
        """E f(x, c), shape (n,)."""
        return -self.factor(0, x[:, 0])[0] * self.factor(1, x[:, 1])[0]


@dataclass(frozen=True)
class ThreeHumpCamel:
    r"""The three-hump camel of eq. (83) with the sign turned,

    .. math:: f(x,c)=-(2a^2-1.05a^4+\tfrac16a^6+ab+b^2),\qquad a=2x-1,\ b=2c-1.

    Only :math:`\mathbb Eb` and :math:`\mathbb Eb^2` enter the expectation.
    """

    law: SmoothMarginal

    def __call__(self, x: Floats, c: Floats) -> Floats:
        """f(x, c), shape (n,), for x (n, 1) and c (n, 1)."""
        a, b = 2 * x[:, 0] - 1, 2 * c[:, 0] - 1
        return -(_humps(a) + a * b + b**2)

    @cached_property
    def moments(self) -> tuple[float, float]:
        """E b and E b^2; the former from (b + 1)^2 - b^2 = 2 b + 1, with b + 1 = 2 c."""
        second = 4 * self.law.square(0.5)
        return (4 * self.law.square(0.0) - second - 1) / 2, second

    def expected(self, x: Floats) -> Floats:
        """E f(x, c), shape (n,)."""
        a, (first, second) = 2 * x[:, 0] - 1, self.moments
        return -(_humps(a) + a * first + second)


def _humps(a: Floats) -> Floats:
    square = a**2
    return square * (2.0 + square * (-1.05 + square / 6.0))
