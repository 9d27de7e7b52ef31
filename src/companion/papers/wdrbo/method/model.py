"""The surrogate on z = (x, c): an exact posterior with the mixed second derivatives that the robust search needs.

The kernel is the squared exponential with one length-scale per coordinate and unit variance,

    k(z, z') = exp(-sum_j (z_j - z'_j)^2 / (2 l_j^2)),

which is a product of a decision part and a context part: tables over decisions times contexts come from two small
matrices. With A = (K + s^2 I)^{-1} and alpha = A (y - m), the posterior at z is mean m + k'alpha and variance
1 - k'Ak, without the noise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import lapack

from companion.bounds.confidence import self_normalised_root
from companion.core.arrays import Floats
from companion.core.errors import ConditioningError, ParameterError, positive_number
from companion.gp.factor import inverse_from
from companion.gp.optimise import descended

#: Kernel entries worked on at once: they and two tables of their size stay in the second-level cache.
_CHUNK = 60_000
#: Variances below this are rounding; with the smallest noise variance of the fit they do not occur.
_LEAST_VARIANCE = 1e-14

LENGTHSCALE_FLOOR, NOISE_FLOOR = 0.025, 1e-4
#: No maximum lies beyond: values have variance one, and coordinates an extent of one. A line search may try such numbers.
_CEILING = 1e6
_NOISE_LOCATION, _NOISE_SCALE, _LENGTHSCALE_SCALE = -4.0, 1.0, math.sqrt(3.0)


@dataclass(frozen=True)
class Hyperparameters:
    """Length-scales (d,), noise variance s^2 and constant mean m, in standardised units of the values."""

    lengthscale: tuple[float, ...]
    noise_variance: float
    mean: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengthscale", tuple(positive_number("lengthscale", v) for v in self.lengthscale))
        positive_number("noise_variance", self.noise_variance)


class Regression(Protocol):
    """Turns data into a surrogate."""

    def fit(self, points: Floats, values: Floats) -> Surrogate:
        """Surrogate of ``values`` (n,) at ``points`` (n, d)."""
        ...


class Surrogate:
    """Posterior given data, in standardised units.

    Parameters
    ----------
    points : (n, d) inputs, of which the first d_x coordinates are the decision and the rest the context
    values : (n,) observations, already standardised where the model does so
    hyperparameters : of the kernel, noise and mean
    shift, scale : observation = shift + scale * standardised value

    Raises
    ------
    ParameterError
        for sizes that do not fit
    ConditioningError
        if K + s^2 I has no Cholesky factor
    """

    def __init__(
        self, points: Floats, values: Floats, hyperparameters: Hyperparameters, shift: float = 0.0, scale: float = 1.0
    ) -> None:
        self.points = np.asarray(points, dtype=np.float64)
        self.hyperparameters, self.shift, self.scale = hyperparameters, shift, scale
        self.lengthscale = np.array(hyperparameters.lengthscale)
        n = len(self.points)
        if self.points.ndim != 2 or self.points.shape[1] != len(self.lengthscale) or np.shape(values) != (n,):
            raise ParameterError("points", f"have shape {self.points.shape}", f"(n, {len(self.lengthscale)}), n values")
        covariance = self.kernel(self.points, self.points)
        covariance[np.diag_indices(n)] += hyperparameters.noise_variance
        self.inverse, self.log_determinant = inverse_and_log_determinant(covariance)
        self.alpha = self.inverse @ (np.asarray(values, dtype=np.float64) - hyperparameters.mean)

    def kernel(self, a: Floats, b: Floats, columns: slice = slice(None)) -> Floats:
        """k on the given coordinates, (len(a), len(b)); ``a`` and ``b`` hold only these coordinates."""
        scale = self.lengthscale[columns]
        total = np.zeros((len(a), len(b)))
        for j in range(len(scale)):
            total += np.square((a[:, j] / scale[j])[:, None] - b[:, j] / scale[j])
        return np.exp(-0.5 * total)

    def gain(self) -> float:
        """1/2 log det(I + K / s^2), the realised information gain in nats."""
        n, noise = len(self.points), self.hyperparameters.noise_variance
        return 0.5 * (self.log_determinant - n * math.log(noise))

    def mean_norm(self) -> float:
        """RKHS norm of the posterior mean minus m: sqrt(alpha' K alpha)."""
        plain = self.kernel(self.points, self.points) @ self.alpha
        return math.sqrt(max(float(self.alpha @ plain), 0.0))

    def mean_sd(self, points: ArrayLike) -> tuple[Floats, Floats]:
        """Posterior mean and latent standard deviation at ``points`` (P, d), each (P,)."""
        z = np.asarray(points, dtype=np.float64)
        k = self.kernel(z, self.points)
        variance = 1.0 - np.sum((k @ self.inverse) * k, axis=1)
        return self.hyperparameters.mean + k @ self.alpha, np.sqrt(np.maximum(variance, _LEAST_VARIANCE))

    def upper(self, points: ArrayLike, width: float) -> Floats:
        """U = mean + width * sd at ``points`` (P, d)."""
        mean, sd = self.mean_sd(points)
        return mean + width * sd

    def table(self, x: ArrayLike, contexts: ArrayLike, width: float) -> Floats:
        """U(x_b, c_j) = mean + width * sd, shape (B, C), for ``x`` (B, d_x) and ``contexts`` (C, d_c)."""
        x, c = np.asarray(x, dtype=np.float64), np.asarray(contexts, dtype=np.float64)
        found = np.empty((len(x), len(c)))
        for part in self.parts(x, c, width):
            found[part.rows] = part.upper
        return found

    def mean_bound(self, x: ArrayLike, contexts: ArrayLike, weights: Floats, width: float) -> Floats:
        """Upper bound (B,) of sum_j weights_j U(x_b, c_j) at the cost of one context, for ``weights`` (C,) of sum 1.

        The mean is exact; by Jensen's inequality the averaged standard deviation is at most the root of the averaged
        variance, 1 - k_x' (A o C) k_x with C = sum_j weights_j k_c(c_j) k_c(c_j)'.
        """
        x, c = np.asarray(x, dtype=np.float64), np.asarray(contexts, dtype=np.float64)
        dx = x.shape[1]
        kx = self.kernel(x, self.points[:, :dx], slice(0, dx))
        kc = self.kernel(c, self.points[:, dx:], slice(dx, None))
        mean = self.hyperparameters.mean + kx @ (self.alpha * (weights @ kc))
        averaged = self.inverse * ((kc * weights[:, None]).T @ kc)
        variance = 1.0 - np.einsum("bn,bn->b", kx @ averaged, kx)
        return mean + width * np.sqrt(np.maximum(variance, _LEAST_VARIANCE))

    def parts(self, x: ArrayLike, contexts: ArrayLike, width: float) -> Iterator[TablePart]:
        """The table by consecutive rows, each part with what its derivatives need.

        Raises
        ------
        ParameterError
            if decision and context do not have the model's coordinates between them
        """
        x, c = np.asarray(x, dtype=np.float64), np.asarray(contexts, dtype=np.float64)
        dx, n = x.shape[1], len(self.points)
        if dx + c.shape[1] != len(self.lengthscale):
            raise ParameterError("x, contexts", f"have {dx} + {c.shape[1]} coordinates", f"{len(self.lengthscale)}")
        kx = self.kernel(x, self.points[:, :dx], slice(0, dx))
        kc = self.kernel(c, self.points[:, dx:], slice(dx, None))
        step = max(1, _CHUNK // max(1, n * len(c)))
        for start in range(0, len(x), step):
            rows = slice(start, min(start + step, len(x)))
            k = (kx[rows, None, :] * kc).reshape(-1, n)
            w = k @ self.inverse
            sd = np.sqrt(np.maximum(1.0 - np.einsum("pn,pn->p", k, w), _LEAST_VARIANCE))
            upper = self.hyperparameters.mean + k @ self.alpha + width * sd
            yield TablePart(rows, upper.reshape(rows.stop - start, len(c)), k, w, sd, self, x[rows], c, width)


@dataclass(frozen=True, eq=False)
class TablePart:
    """Rows of the table of U, (b, C), with first and mixed second derivatives.

    With R = k o (alpha - width w / sd) and w = A k, the gradient of U at z is -(z sum(R) - R Z) / l^2, Z the data.
    """

    rows: slice
    upper: Floats
    k: Floats
    w: Floats
    sd: Floats
    model: Surrogate
    x: Floats
    contexts: Floats
    width: float

    def _slopes(self) -> Floats:
        return self.k * (self.model.alpha - (self.width / self.sd)[:, None] * self.w)

    def context_gradient(self) -> Floats:
        """dU/dc at every entry, (b, C, d_c)."""
        dx = self.x.shape[1]
        slopes = self._slopes()
        total = slopes.sum(axis=1).reshape(self.upper.shape)
        pull = (slopes @ self.model.points[:, dx:]).reshape(*self.upper.shape, -1)
        return -(self.contexts * total[:, :, None] - pull) / self.model.lengthscale[dx:] ** 2

    def decision_gradient(self, weights: Floats) -> Floats:
        """sum_j weights_bj dU(x_b, c_j)/dx, shape (b, d_x), for ``weights`` (b, C)."""
        dx = self.x.shape[1]
        slopes = self._slopes().reshape(*self.upper.shape, -1)
        folded = np.matmul(weights[:, None, :], slopes)[:, 0, :]
        pull = folded @ self.model.points[:, :dx]
        return -(self.x * folded.sum(axis=1, keepdims=True) - pull) / self.model.lengthscale[:dx] ** 2

    def mixed_derivative(self, column: NDArray[np.intp]) -> Floats:
        """d^2 U / dx dc at (x_b, c_column(b)), shape (b, d_x, d_c)."""
        model, dx, b = self.model, self.x.shape[1], np.arange(len(self.x))
        entry = b * self.upper.shape[1] + column
        k, w, sd = self.k[entry], self.w[entry], self.sd[entry]
        # delta = (z - z_i) / l^2; dk/dz_a = -k delta_a, and the mixed second derivative is k delta_a delta_b.
        across = (self.x[:, None, :] - model.points[None, :, :dx]) / model.lengthscale[:dx] ** 2
        along = (self.contexts[column][:, None, :] - model.points[None, :, dx:]) / model.lengthscale[dx:] ** 2
        kx, kc = k[:, :, None] * across, k[:, :, None] * along
        second = kx[:, :, :, None] * along[:, :, None, :]
        mean = np.einsum("bnij,n->bij", second, model.alpha)
        moved = np.matmul(model.inverse, kc)
        variance = -2.0 * (np.einsum("bnij,bn->bij", second, w) + np.einsum("bni,bnj->bij", kx, moved))
        vx, vc = 2.0 * np.einsum("bni,bn->bi", kx, w), 2.0 * np.einsum("bnj,bn->bj", kc, w)
        s = sd[:, None, None]
        deviation = variance / (2.0 * s) - vx[:, :, None] * vc[:, None, :] / (4.0 * s**3)
        return mean + self.width * deviation


def inverse_and_log_determinant(matrix: Floats) -> tuple[Floats, float]:
    """Inverse and log-determinant of a positive definite matrix, by its Cholesky factor.

    Raises
    ------
    ConditioningError
        if there is none in float64
    """
    factor, fault = lapack.dpotrf(matrix, lower=1)
    if fault:
        raise ConditioningError(
            f"the covariance of {len(matrix)} points is singular to working precision; a larger noise variance helps"
        )
    return np.ascontiguousarray(inverse_from(factor)), 2.0 * float(np.log(np.diag(factor)).sum())


def standardised(values: ArrayLike) -> tuple[Floats, float, float]:
    """``values`` shifted and scaled to mean 0 and standard deviation 1 (divisor n - 1), with shift and scale.

    The scale is 1 where the values do not vary, or there is only one.
    """
    y = np.asarray(values, dtype=np.float64)
    scale = float(y.std(ddof=1)) if len(y) > 1 else 0.0
    scale = scale if scale > 0 else 1.0
    shift = float(y.mean())
    return (y - shift) / scale, shift, scale


def theory_width(surrogate: Surrogate, noise_bound: float, norm: float, delta: float) -> float:
    """beta_t / sqrt(lambda), beta_t = R sqrt(2 log(det(I + K/lambda)^{1/2} / delta)) + sqrt(lambda) B, (7).

    It multiplies the standard deviation of :class:`Surrogate`, whose noise variance is lambda.

    Parameters
    ----------
    surrogate : of the data before round t
    noise_bound : R, the noise is R-sub-Gaussian
    norm : B, bound of the RKHS norm
    delta : failure probability, in (0, 1)
    """
    if not 0 < delta < 1:
        raise ParameterError("delta", f"got {delta!r}", "a number in (0, 1)")
    root = math.sqrt(surrogate.hyperparameters.noise_variance)
    return noise_bound * float(self_normalised_root(surrogate.gain(), delta)) / root + norm


def prior_mode(dim: int) -> Hyperparameters:
    """Start of every fit: length-scales exp(sqrt 2 + log(d)/2 - 3), noise variance exp(-5), mean 0."""
    return Hyperparameters((math.exp(math.sqrt(2.0) + 0.5 * math.log(dim) - 3.0),) * dim, math.exp(-5.0))


@dataclass(frozen=True)
class MapRegression:
    """Hyperparameters at the maximum of (log marginal likelihood + log priors) / n, fitted afresh for any data.

    Priors: length-scales LogNormal(sqrt 2 + log(d)/2, sqrt 3), at least 0.025; noise variance LogNormal(-4, 1), at least
    1e-4; mean flat. L-BFGS-B on the logarithms from :func:`prior_mode`, with exact gradients; the mean, for which the
    maximum is a closed formula, is eliminated. Values are standardised first.

    Parameters
    ----------
    iterations : limit of L-BFGS-B
    """

    iterations: int = 200

    def fit(self, points: Floats, values: Floats) -> Surrogate:
        """Surrogate at the fitted hyperparameters."""
        y, shift, scale = standardised(values)
        points = np.asarray(points, dtype=np.float64)
        dim = points.shape[1]
        start = prior_mode(dim)
        squares = np.stack([np.square(points[:, j][:, None] - points[:, j]) for j in range(dim)])
        begin = np.log([*start.lengthscale, start.noise_variance])
        low = [math.log(least) for least in [*[LENGTHSCALE_FLOOR] * dim, NOISE_FLOOR]]
        loss = partial(negative_log_posterior, squares=squares, y=y)
        found = descended(lambda theta: loss(theta)[:2], begin, low, math.log(_CEILING), self.iterations)
        mean = loss(found)[2]
        fitted = np.exp(found)
        chosen = Hyperparameters(tuple(float(v) for v in fitted[:-1]), float(fitted[-1]), mean)
        return Surrogate(points, y, chosen, shift, scale)


def negative_log_posterior(theta: Floats, squares: Floats, y: Floats) -> tuple[float, Floats, float]:
    """-(log marginal likelihood + log priors) / n, its gradient, and the mean at which it is attained.

    Parameters
    ----------
    theta : (d + 1,) logarithms of the length-scales and of the noise variance
    squares : (d, n, n) squared differences per coordinate
    y : (n,) standardised values
    """
    n, dim = len(y), len(squares)
    logs, noise = theta[:-1], math.exp(theta[-1])
    precision = np.exp(-2.0 * logs)
    kernel = np.exp(-0.5 * np.tensordot(precision, squares, axes=1))
    covariance = kernel.copy()
    covariance[np.diag_indices(n)] += noise
    inverse, log_determinant = inverse_and_log_determinant(covariance)
    ones = inverse.sum(axis=1)
    mean = float(ones @ y) / float(ones.sum())
    alpha = inverse @ (y - mean)
    likelihood = -0.5 * (float((y - mean) @ alpha) + log_determinant + n * math.log(2 * math.pi))
    location = math.sqrt(2.0) + 0.5 * math.log(dim)
    prior = _log_normal(logs, location, _LENGTHSCALE_SCALE) + _log_normal(theta[-1:], _NOISE_LOCATION, _NOISE_SCALE)
    inner = np.outer(alpha, alpha) - inverse
    weighted = inner * kernel
    gradient = np.empty(dim + 1)
    gradient[:dim] = 0.5 * np.tensordot(squares, weighted, axes=2) * precision
    gradient[:dim] += -1.0 - (logs - location) / _LENGTHSCALE_SCALE**2
    gradient[dim] = 0.5 * noise * float(np.trace(inner)) - 1.0 - (theta[-1] - _NOISE_LOCATION) / _NOISE_SCALE**2
    return -(likelihood + prior) / n, -gradient / n, mean


def _log_normal(logs: Floats, location: float, scale: float) -> float:
    """Sum of log densities, in the variable itself, of LogNormal(location, scale) at exp(logs)."""
    density = -logs - np.square(logs - location) / (2 * scale**2) - math.log(scale * math.sqrt(2 * math.pi))
    return float(density.sum())
