"""Statements on the maximum information gain in the proof of Corollary 3.3: (8.57), (8.58), (8.60)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement

import numpy as np

from companion.checks.cases import Case, at_most
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import grid, kernel_by_name
from companion.information import greedy_gain
from companion.information.gain import gain_by_determinant
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.instances import TITLES, even_gain


@dataclass(frozen=True)
class Design:
    """M observations among a few candidates, or among independent arms, where the maximum gain is known exactly."""

    kernel: str
    dim: int
    size: int
    noise_variance: float
    order: int
    scale: float = 0.3
    variance: float = 1.0

    @property
    def where(self) -> str:
        """The instance in words."""
        name = {**TITLES, "random": "random covariance"}[self.kernel]
        return f"{name}, d = {self.dim}, {self.size} points, noise variance {self.noise_variance:g}, M = {self.order}"

    @property
    def covariance(self) -> Floats:
        """(N, N) prior."""
        if self.kernel == "independent":
            return self.variance * np.eye(self.size)
        if self.kernel == "random":
            root = stream(self.size, "compressed", "design").standard_normal((self.size, 3))
            matrix = root @ root.T + 0.1 * np.eye(self.size)
            sd = np.sqrt(matrix.diagonal())
            return np.asarray(self.variance * matrix / np.outer(sd, sd))
        points = grid(round(self.size ** (1.0 / self.dim)), self.dim)
        return np.asarray(kernel_by_name(self.kernel, self.scale * self.dim, self.variance)(points))


#: Five kernels in one and two dimensions and independent arms; noise variances from 0.01 to 100.
DESIGNS = (
    Design("independent", 1, 20, 0.5, 10),
    Design("independent", 1, 1, 100.0, 3),
    Design("independent", 1, 3, 0.1, 7),
    Design("se", 1, 7, 0.1, 4),
    Design("se", 2, 9, 1.0, 4),
    Design("matern12", 1, 7, 0.01, 4),
    Design("matern52", 2, 9, 0.1, 3),
    Design("matern32", 1, 8, 2.0, 4, variance=0.5),
    Design("random", 1, 8, 0.3, 4),
    Design("se", 1, 5, 0.05, 2, scale=0.5),
)

KNOWN = need(
    "few enough multisets to go through all, or independent arms",
    lambda design: bool(design.kernel == "independent" or (design.size <= 9 and design.order <= 4)),
    Design("se", 1, 40, 0.1, 10),
)


@cache
def largest_gain(design: Design) -> float:
    r""":math:`\gamma_M` exactly: all multisets, or the even allocation for independent arms."""
    if design.kernel == "independent":
        return even_gain(design.order, design.size, design.variance / design.noise_variance)
    chosen = np.array(list(combinations_with_replacement(range(design.size), design.order)))
    blocks = design.covariance[chosen[:, :, None], chosen[:, None, :]]
    return float(gain_by_determinant(blocks, design.noise_variance).max())


@cache
def largest_allocation(design: Design) -> float:
    r""":math:`\max\sum_i\log(1+\sigma^{-2}m_i\lambda_i)` over whole numbers adding up to M, one by one.

    Every term is concave, so that the greedy allocation is the best.
    """
    ratio = np.maximum(np.linalg.eigvalsh(design.covariance), 0.0) / design.noise_variance
    copies = np.zeros(design.size)
    for _ in range(design.order):
        copies[np.argmax(np.log1p((copies + 1) * ratio) - np.log1p(copies * ratio))] += 1
    return float(np.log1p(copies * ratio).sum())


@statement(
    "eq-8.57",
    "inequality",
    lambda: DESIGNS,
    KNOWN,
    teeth={"greedy selection is optimal": {"factor": 1.0}},
    depends="eq-2.4",
)
def eq_8_57(design: Design, *, factor: float = 1.0 / bounds.GREEDY) -> Iterator[Case]:
    r"""$\gamma_M\le(1-1/e)^{-1}I(y_{\mathcal A_M};f)$, $\mathcal A_M$ selected greedily"""
    greedy = greedy_gain(design.covariance, design.order, design.noise_variance).gains[-1]
    yield at_most(largest_gain(design), factor * float(greedy), design.where)


@statement(
    "eq-8.58",
    "inequality",
    lambda: DESIGNS,
    KNOWN,
    teeth={"0.49 in place of a half": {"prefactor": 0.49}, "the printed prefactor": {"prefactor": bounds.GREEDY / 2.0}},
    depends="eq-8.57",
    corrected=fix(
        r"the prefactor is $\frac1{2(1-1/e)}$, as the next line (8.59) has it", prefactor=0.5 / bounds.GREEDY
    ),
)
def eq_8_58(design: Design, *, prefactor: float = bounds.GREEDY / 2.0) -> Iterator[Case]:
    r"""$\gamma_M\le\frac1{2((1-1/e)^{-1})}\max_{\{m_i\}}\sum_{i=1}^{|\mathcal X|}\log(1+\sigma^{-2}m_i\lambda_i)$,
    $\sum_im_i=M$, $\lambda_i$ the eigenvalues of $K_{\mathcal X}$
    """
    yield at_most(largest_gain(design), prefactor * largest_allocation(design), design.where)


@statement(
    "eq-8.60",
    "inequality",
    lambda: DESIGNS,
    KNOWN,
    teeth={
        "the smallest eigenvalue in place of the sum": {"total": lambda eigenvalues: max(eigenvalues[0], 1e-300)},
        "a quarter of it": {"share": 0.25},
    },
    depends="eq-8.58",
)
def eq_8_60(design: Design, *, total: Callable[[Floats], float] = np.sum, share: float = 1.0) -> Iterator[Case]:
    r"""$\gamma_M\le Z_1M$, $Z_1=\sum_i\lambda_i/(\sigma^2(1-e^{-1}))$"""
    z_one = bounds.z_one(design.noise_variance, float(total(np.asarray(np.linalg.eigvalsh(design.covariance)))))
    yield at_most(largest_gain(design), share * design.order * z_one, design.where)
