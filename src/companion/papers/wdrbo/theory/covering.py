r"""Explicit covering numbers and information gains of the squared exponential kernel, with every constant.

With length-scale l on :math:`[0,1]^d`, centred at the middle, :math:`k(z,z')=e^{-|z|^2/2l^2}e^{-|z'|^2/2l^2}\sum_n(z\cdot
z'/l^2)^n/n!`: the monomials of degree at most N, :math:`J_N=\binom{N+d}d` of them, are features, and what they leave out of
:math:`k(z,z)` is at most :math:`\tau_N^2=\Pr(\mathrm{Poisson}(r^2)>N)`, :math:`r^2=d/4l^2`. The paper leaves the constant of
its covering number open; these bounds are ours. What (16) gives lies between :func:`least_radius` and :func:`theory_radius`.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy import stats

from companion.core.arrays import Floats
from companion.core.errors import positive_number, whole_number
from companion.papers.wdrbo.theory import bounds

#: Degrees tried; the tail of the Poisson law beyond is zero in double precision for length-scales above 0.02, d up to 4.
MOST_DEGREE = 5_000


def squared_radius(lengthscale: float, dim: int) -> float:
    r""":math:`r^2=d/4l^2`, the largest :math:`|z|^2/l^2` on the centred cube."""
    return whole_number("dim", dim) / (4.0 * positive_number("lengthscale", lengthscale) ** 2)


def left_out(degree: int, lengthscale: float, dim: int) -> float:
    r""":math:`\tau_N^2`, the largest part of k(z, z) beyond degree N."""
    return float(stats.poisson.sf(degree, squared_radius(lengthscale, dim)))


def monomials(degree: int, dim: int) -> int:
    r""":math:`J_N=\binom{N+d}d`."""
    return math.comb(degree + dim, dim)


def degree_for(target: float, lengthscale: float, dim: int) -> int:
    r"""Smallest N with :math:`\tau_N\le` ``target``."""
    return int(np.argmax(_log_tails(lengthscale, dim) <= math.log(positive_number("target", target))))


@cache
def _log_tails(lengthscale: float, dim: int) -> Floats:
    """log tau_N for N = 0, 1, ...; logarithms, since the tail reaches 1e-300 and less."""
    return np.asarray(0.5 * stats.poisson.logsf(np.arange(MOST_DEGREE), squared_radius(lengthscale, dim)))


def log_covering(
    rho: float, mean_norm: float, width: float, lam: float, lengthscale: float, dim: int, degree: int | None = None
) -> float:
    r"""Upper bound on :math:`\log\mathcal N_\infty(\rho,\mathcal U(m,b,s))`, the class read with :math:`|\beta|\le b`.

    .. math:: \log2+J_N\log\Big(1+\frac{8m}\rho\Big)+\frac{J_N(J_N+1)}2\log\Big(1+\frac{8bs^{-1/2}}\rho\Big),\qquad
              \max(m,bs^{-1/2})\,\tau_N\le\frac\rho4

    The features cost at most :math:`\rho/2` of the error, a net of the coefficients of :math:`\mu` and one of the symmetric
    matrix behind :math:`|\beta|\sigma` a quarter each; the first term is the sign of :math:`\beta`.

    Parameters
    ----------
    mean_norm, width, lam : m, b, s
    degree : N, instead of the smallest that will do
    """
    scaled = width / math.sqrt(positive_number("lam", lam))
    order = degree_for(rho / (4.0 * max(mean_norm, scaled)), lengthscale, dim) if degree is None else degree
    count = monomials(order, dim)
    pairs = count * (count + 1) / 2.0
    return math.log(2.0) + count * math.log1p(8.0 * mean_norm / rho) + pairs * math.log1p(8.0 * scaled / rho)


def log_det(points: int, lam: float, lengthscale: float, dim: int, tail: bool = True) -> float:
    r"""Upper bound on :math:`\log\det(I+\lambda^{-1}K)` of T points of the cube.

    .. math:: \min_N\Big[J_N\log\Big(1+\frac T{\lambda J_N}\Big)+\frac T\lambda\tau_N^2\Big]\wedge T\log(1+\tfrac1\lambda)

    Parameters
    ----------
    tail : whether the term of what the features leave out is added
    """
    whole_number("points", points, 0)
    best = points * math.log1p(1.0 / positive_number("lam", lam))
    for degree in range(MOST_DEGREE):
        count = monomials(degree, dim)
        first = count * math.log1p(points / (lam * count))
        rest = points / lam * left_out(degree, lengthscale, dim) if tail else 0.0
        best = min(best, first + rest)
        # The first term grows with the degree, so no later one can be smaller.
        if first >= best:
            break
    return best


def theory_radius(
    contexts: int,
    lam: float,
    noise: float,
    norm: float,
    delta: float,
    lengthscale: float,
    decision_dim: int,
    context_dim: int,
    scale: float = 2.0,
) -> float:
    r"""Equation (16) with these bounds for what it leaves open; unit cubes, :math:`\rho=1/n`, n contexts seen.

    The class is :math:`\mathcal U(\hat b,\sqrt\lambda\hat b,\lambda)` with :math:`\hat b` from
    :func:`~companion.papers.wdrbo.theory.bounds.mean_norm_simple` at :func:`log_det` of n points.

    Parameters
    ----------
    scale : 2 as printed; one half suffices
    """
    dim = decision_dim + context_dim
    largest = float(bounds.mean_norm_simple(log_det(contexts, lam, lengthscale, dim), noise, norm, lam, delta))
    rho = 1.0 / contexts
    cover = log_covering(rho, largest, math.sqrt(lam) * largest, lam, lengthscale, dim)
    actions = bounds.covering_points(math.sqrt(decision_dim), rho, decision_dim)
    return bounds.radius(contexts, math.sqrt(context_dim), delta, actions, cover, scale)


# -- the other direction -----------------------------------------------------------------------------------------------

#: Gauss-Legendre nodes; the kernel is analytic, and for length-scales above 0.05 the error is that of rounding.
QUADRATURE_NODES = 80
#: Smaller ones are rounding; to leave them out makes a lower bound smaller.
LEAST_EIGENVALUE = 1e-12


@cache
def eigenvalues(lengthscale: float) -> Floats:
    r"""Mercer eigenvalues above 1e-12, largest first, of the kernel of one coordinate under the uniform law on [0, 1].

    Those of :math:`W^{1/2}KW^{1/2}` at the nodes of a quadrature rule with weights W.
    """
    node, weight = np.polynomial.legendre.leggauss(QUADRATURE_NODES)
    z, root = (node + 1.0) / 2.0, np.sqrt(weight / 2.0)
    kernel = np.exp(-np.square((z[:, None] - z) / positive_number("lengthscale", lengthscale)) / 2.0)
    found = np.linalg.eigvalsh(root[:, None] * kernel * root)[::-1]
    return np.asarray(found[found > LEAST_EIGENVALUE])


def least_log_covering(rho: float, norm: float, lengthscale: float, dim: int) -> float:
    r"""Lower bound on :math:`\log\mathcal N_\infty(\rho,\mathcal U(m,b,s))` for every :math:`m\ge B` and every b and s.

    .. math:: \sum_i\Big[\log\frac{B\sqrt{\lambda_i}}\rho\Big]_+

    With :math:`\beta=0` the class holds the ball of radius B of the RKHS. A cover in the supremum norm is one in
    :math:`L^2` of the uniform law, and there the ball is an ellipsoid with semi-axes :math:`B\sqrt{\lambda_i}`, the roots
    of the kernel's Mercer eigenvalues; on the axes longer than :math:`\rho` volumes are compared. The eigenvalues on the cube
    are products of those of one coordinate (:func:`eigenvalues`).

    Parameters
    ----------
    norm : B
    """
    whole_number("dim", dim)
    shortest = (positive_number("rho", rho) / positive_number("norm", norm)) ** 2
    single = eigenvalues(lengthscale)
    found = np.ones(1)
    for _ in range(dim):
        # No eigenvalue exceeds the kernel's trace, one, so that what is too small stays so.
        products = np.outer(found, single).ravel()
        found = products[products > shortest]
    return float(0.5 * np.sum(np.log(found / shortest)))


def least_radius(
    contexts: int, norm: float, delta: float, lengthscale: float, decision_dim: int, context_dim: int
) -> float:
    """Lower bound on equation (16) as printed, whatever lambda and the noise: the least that its covering number can be."""
    rho = 1.0 / whole_number("contexts", contexts)
    cover = least_log_covering(rho, norm, lengthscale, decision_dim + context_dim)
    actions = bounds.covering_points(math.sqrt(decision_dim), rho, decision_dim)
    return bounds.radius(contexts, math.sqrt(context_dim), delta, actions, cover)
