r"""The trivial bound: the most that an evaluation can cost, known without any run. A bound says something where it is below.

Every page, table and command that compares a bound with it takes it from here. What f is decides about it:

- f is a draw of the prior: :func:`prior_range`, the mean of :math:`\max f-\min f`;
- f has norm at most :math:`\Psi`: :math:`\Psi` times :func:`norm_range`;
- a law is played, and the payoff averaged under it, as in a mean-field game: :func:`prior_range` of the averages;
- f is known, as in a simulation: its own :math:`\max f-\min f`, whose mean over draws is :func:`prior_range`.

Below it lies the **blind line** (:func:`blind_lines`): what a uniformly chosen candidate costs on average, known as well.
A bound between the two is informative in name only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import erf, gammaincinv, ndtr, ndtri, stdtrit
from scipy.stats import qmc

from companion.bounds.ranges import any_prior_range as any_prior_range
from companion.bounds.ranges import blind_norm_range as blind_norm_range
from companion.bounds.ranges import norm_range as norm_range
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp.kernels import Kernel, Matern
from companion.gp.matrix import KernelMatrix
from companion.gp.ties import lowest_argmax

#: Independent scramblings of a Sobol sequence, and points of each; fewer for many candidates, so that it takes seconds.
SCRAMBLES, POINTS = 8, 2**12
#: Parts into which :func:`horizon` cuts the gap between two horizons, in turn.
FINER = 8
_WORK = 2e10
#: Prior variance, as a share of the largest, that changes no digit of a range.
_NEGLIGIBLE = 1e-10


@dataclass(frozen=True)
class Line:
    """A mean range with its interval of level 95 %, by Student's t over the scramblings; in units of f."""

    estimate: float
    low: float
    high: float


def prior_range(covariance: Floats, seed: int = 0) -> Line:
    r""":math:`\mathbb E[\max f-\min f]` over the candidates for a draw f of the prior, to about three digits.

    No rule can lose more in expectation. Scrambled Sobol points take the place of random numbers, which needs some hundred times
    fewer of them. At most :math:`\sqrt{8\log N}` for unit variances, whatever the kernel (:func:`any_prior_range`).

    Parameters
    ----------
    covariance : (N, N)
    seed : of the scramblings

    Examples
    --------
    >>> found = prior_range(np.eye(2))  # two arms: 2 / sqrt(pi)
    >>> f"{found.estimate:.3f}"
    '1.128'
    """
    matrix = np.ascontiguousarray(covariance, dtype=np.float64)
    return _prior_range(matrix.tobytes(), len(matrix), seed)


def lines(covariance: Floats, norm: float | None = None) -> dict[str, float]:
    """The line an evaluation by what f is: ``prior`` draws, or functions of the ``norm``; NaN where the norm is not known.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.bounds.trivial import lines
    >>> {model: f"{line:.2f}" for model, line in lines(np.eye(2), norm=3.0).items()}
    {'prior': '1.13', 'norm': '4.24'}
    """
    of_norm = math.nan if norm is None else norm * norm_range(covariance)
    return {"prior": prior_range(covariance).estimate, "norm": of_norm}


def blind_lines(lines: Mapping[str, float], of_norm: float) -> dict[str, float]:
    r"""The blind line an evaluation by what f is: :math:`\mathbb E[\max f-\bar f]`, what a uniformly chosen candidate costs.

    For draws, and in a game, half of the trivial bound: f and -f are equally likely and their mean is zero, so that
    :math:`\mathbb E[\max f-\bar f]=\mathbb E\max f=\frac12\mathbb E[\max f-\min f]`. For functions of a norm the largest of
    :math:`\max f-\bar f`.

    Parameters
    ----------
    lines : the trivial bound by what f is
    of_norm : the norm times :func:`blind_norm_range`, or of a box times :func:`blind_norm_range_of_box`

    Examples
    --------
    >>> import numpy as np
    >>> from companion.bounds.ranges import blind_norm_range
    >>> from companion.bounds.trivial import blind_lines, lines
    >>> blind = blind_lines(lines(np.eye(2), norm=3.0), of_norm=3.0 * blind_norm_range(np.eye(2)))
    >>> {model: f"{line:.2f}" for model, line in blind.items()}
    {'prior': '0.56', 'norm': '2.12'}
    """
    return {model: of_norm if model == "norm" else 0.5 * line for model, line in lines.items()}


def blind_norm_range_of_box(kernel: Kernel, dim: int) -> float:
    r""":func:`blind_norm_range` for the uniform law on [0,1]^d, to about five digits.

    k falls with each coordinate's distance, so that :math:`m(x)=\int k(x,y)\,dy` is least at a corner:

    .. math:: \max_x\|k_x-m\|^2=k(0,0)-2\int k(0,y)\,dy+\iint k(y,z)\,dy\,dz .

    Under the squared exponential kernel with length-scales l both integrals are products over the coordinates, of
    :math:`l\sqrt{\pi/2}\,e` and :math:`l\sqrt{2\pi}\,e-2l^2(1-e^{-1/2l^2})` with :math:`e=\operatorname{erf}(1/l\sqrt2)`.
    A Matérn kernel is the mean of such kernels, with length-scales :math:`l\sqrt{s/\nu}`, s from the gamma law of shape nu.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.bounds.trivial import blind_norm_range_of_box
    >>> print(f"{blind_norm_range_of_box(cp.SquaredExponential(0.2), dim=1):.3f}")
    0.959
    """
    scales = np.broadcast_to(np.asarray(kernel.lengthscale, dtype=np.float64), (dim,))
    if isinstance(kernel, Matern):
        nodes, weights = np.polynomial.legendre.leggauss(400)
        # Gauss's rule for the quantile's level, which is denser towards 0, where kernels are short.
        level = 0.5 * (nodes + 1.0)
        mixed, weights = np.sqrt(gammaincinv(kernel.nu, level) / kernel.nu), 0.5 * weights
    else:
        mixed, weights = np.ones(1), np.ones(1)
    own = mixed[:, None] * scales
    tail = erf(1.0 / (own * math.sqrt(2.0)))
    corner = (own * math.sqrt(0.5 * math.pi) * tail).prod(axis=1)
    pairs = (own * math.sqrt(2.0 * math.pi) * tail + 2.0 * own**2 * np.expm1(-0.5 / own**2)).prod(axis=1)
    return math.sqrt(kernel.variance * max(0.0, 1.0 + float(weights @ (pairs - 2.0 * corner))))


def lines_of_many(matrix: KernelMatrix, norm: float | None = None) -> dict[str, float]:
    r""":func:`lines` from above and in closed form, for more candidates than a matrix is formed of.

    For draws :func:`any_prior_range` times the prior's standard deviation; for a norm the distance in the kernel of two corners
    of the box that the candidates fill.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.bounds.trivial import lines_of_many
    >>> from companion.gp import KernelMatrix
    >>> found = lines_of_many(KernelMatrix(cp.SquaredExponential(0.2), cp.grid(300, dim=2)), norm=1.0)
    >>> {model: f"{line:.2f}" for model, line in found.items()}
    {'prior': '9.55', 'norm': '1.41'}
    """
    low, high = matrix.points.min(axis=0)[None], matrix.points.max(axis=0)[None]
    corners = math.nan if norm is None else norm * norm_range(matrix.kernel(np.concatenate([low, high])))
    return {"prior": math.sqrt(float(matrix.diagonal().max())) * any_prior_range(len(matrix.points)), "norm": corners}


def lines_of_box(kernel: Kernel, dim: int, norm: float | None = None) -> dict[str, float]:
    r""":func:`lines` for all points of [0,1]^d: for a norm the distance in the kernel of two opposite corners, times the norm.

    For draws in one dimension, whose derivative has variance :math:`\lambda`, an upper end to three digits: a draw of variance 1
    exceeds u at the left end, or crosses it upwards, :math:`\frac{\sqrt\lambda}{2\pi}e^{-u^2/2}` times in the mean (Rice).
    So the mean range is at most

    .. math:: 2\int_0^\infty\min\Big\{1,\Phi(-u)+\frac{\sqrt\lambda}{2\pi}e^{-u^2/2}\Big\}\,du ,

    and at most the mean of the total variation, :math:`\sqrt{2\lambda/\pi}`, which is less for long length-scales.

    NaN for draws of rougher kernels or in more dimensions, where none of the bounds applies.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.bounds.trivial import lines_of_box
    >>> {model: f"{line:.2f}" for model, line in lines_of_box(cp.SquaredExponential(0.2), dim=1, norm=1.0).items()}
    {'prior': '2.63', 'norm': '1.41'}
    """
    corners = np.array([np.zeros(dim), np.ones(dim)])
    of_norm = math.nan if norm is None else norm * norm_range(kernel(corners))
    if dim > 1 or (isinstance(kernel, Matern) and kernel.nu <= 1):
        return {"prior": math.nan, "norm": of_norm}
    slope = math.sqrt(-2.0 * float(kernel.derivative(np.zeros(1))[0]) / kernel.variance) / float(
        np.max(kernel.lengthscale)
    )
    # The integrand falls, so that a sum of its values at left ends is above the integral.
    u, step = np.linspace(0.0, 40.0, 80_000, endpoint=False, retstep=True)
    exceeds = np.minimum(1.0, ndtr(-u) + slope / (2.0 * math.pi) * np.exp(-0.5 * u**2))
    mean = min(2.0 * float(exceeds.sum() * step), slope * math.sqrt(2.0 / math.pi))
    return {"prior": math.sqrt(kernel.variance) * mean, "norm": of_norm}


@lru_cache(maxsize=64)
def _prior_range(content: bytes, size: int, seed: int) -> Line:
    columns = _root(np.frombuffer(content).reshape(size, size))
    if not len(columns):
        return Line(0.0, 0.0, 0.0)
    affordable = _WORK / SCRAMBLES / columns.size
    count = min(POINTS, 2 ** max(7, int(math.log2(affordable))))
    means = []
    for part in range(SCRAMBLES):
        sobol = qmc.Sobol(len(columns), rng=stream(seed, "trivial line", part))
        # A point on the edge of the cube would be an infinite draw.
        normal = ndtri(np.clip(sobol.random(count), 1e-12, 1.0 - 1e-12))
        functions = normal @ columns
        means.append(float((functions.max(axis=1) - functions.min(axis=1)).mean()))
    mean = float(np.mean(means))
    half = float(stdtrit(SCRAMBLES - 1, 0.975)) * float(np.std(means, ddof=1)) / math.sqrt(SCRAMBLES)
    return Line(mean, mean - half, mean + half)


def _root(covariance: Floats) -> Floats:
    """(R, N) rows whose products add up to the covariance, the weightiest first: Cholesky's, pivoting on the largest variance.

    Ties go to the lowest index, where an eigendecomposition would leave the choice to the linear-algebra library.
    """
    left = np.array(np.diagonal(covariance))
    least, rows = _NEGLIGIBLE * float(left.max(initial=0.0)), np.empty((len(left), len(left)))
    for k in range(len(left)):
        at = lowest_argmax(left)
        if left[at] <= least:
            return rows[:k]
        rows[k] = (covariance[at] - rows[:k, at] @ rows[:k]) / math.sqrt(left[at])
        left = np.maximum(left - rows[k] ** 2, 0.0)
        left[at] = 0.0
    return rows


def horizon(an_evaluation: Callable[[int], float], level: float, tried: Sequence[int]) -> float:
    """The first horizon from which on a bound an evaluation stays below a level; infinite where it is not at the last one tried.

    Looked for among those tried, then between the last that is not below and the next, ever finer, down to single evaluations.
    A bound that falls is so found exactly; of one that jumps, a rise between two horizons tried may be missed.

    Parameters
    ----------
    an_evaluation : the bound at a horizon, divided by it; NaN, where it is not stated, is not below
    level : same unit
    tried : the horizons, increasing

    Examples
    --------
    >>> horizon(lambda t: 5.0 / math.sqrt(t), 1.0, [1, 10, 100])
    26.0
    """
    while True:
        above = [k for k, t in enumerate(tried) if not an_evaluation(t) < level]
        first = above[-1] + 1 if above else 0
        if first == len(tried):
            return math.inf
        low, high = tried[max(first - 1, 0)], tried[first]
        if high - low <= 1:
            return float(high)
        tried = sorted({round(low * (high / low) ** (k / FINER)) for k in range(FINER + 1)})


def horizon_of_curve(tried: Sequence[int], over: Sequence[float]) -> float:
    """:func:`horizon` of a bound that is known at some horizons only, straight between them on logarithmic axes.

    Parameters
    ----------
    tried : the horizons, increasing
    over : the bound over the trivial one at each

    Examples
    --------
    >>> from companion.bounds.trivial import horizon_of_curve
    >>> horizon_of_curve([10, 100, 1000], [3.0, 1.5, 0.5])
    234.0
    """
    logs, values = np.log(tried), np.log(over)
    return horizon(lambda t: math.exp(float(np.interp(math.log(t), logs, values))), 1.0, tried)


def two_digits(first: float) -> int:
    """A horizon as it is printed everywhere.

    Examples
    --------
    >>> from companion.bounds.trivial import two_digits
    >>> two_digits(1234.0)
    1200
    """
    return int(float(f"{first:.2g}"))
