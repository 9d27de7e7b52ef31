r"""Sums of radial basis functions with fitted hyperparameters: the maximum a posteriori fit used by the chapter's models.

The covariance of the targets is

.. math:: K=\sum_g s_g\sum_{D\in g}e^{-D/(2\ell_g^2)}+\eta I

over groups of fixed squared-distance matrices D; scale, length-scale and noise variance have log-normal priors.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import linalg, optimize

from companion.core.arrays import Floats
from companion.gp.factor import first_factor

#: Added to the noise variance in turn until the covariance has a Cholesky factor; targets have unit variance.
JITTERS = (0.0, 1e-6, 1e-5, 1e-4)
#: How far the logarithm of a hyperparameter may move from its prior's mean, in the prior's standard deviations, and the gradient
#: at which BFGS ends.
REACH, GRADIENT = 6.0, 1e-3


@dataclass(frozen=True)
class LogNormal:
    """Prior of a positive number: its logarithm has this mean and this standard deviation."""

    mean: float
    sd: float


@dataclass(frozen=True)
class GroupPrior:
    """Priors of one group of the covariance.

    Parameters
    ----------
    scale : of s_g
    lengthscale : of l_g
    """

    scale: LogNormal
    lengthscale: LogNormal


@dataclass(frozen=True)
class Fit:
    """Hyperparameters, one entry per group.

    Parameters
    ----------
    scales, lengthscales : (G,)
    noise_variance : eta
    objective : log marginal likelihood plus log prior, constants dropped
    curvature : (2G + 1, 2G + 1) inverse Hessian of its negative by :meth:`logs`, as the search estimates it, or ``None``
    """

    scales: tuple[float, ...]
    lengthscales: tuple[float, ...]
    noise_variance: float
    objective: float
    curvature: Floats | None = field(default=None, compare=False, repr=False)

    def logs(self) -> Floats:
        """log of (scales, lengthscales, noise variance), shape (2G + 1,)."""
        return np.log([*self.scales, *self.lengthscales, self.noise_variance])


def log_posterior(
    logs: Floats, groups: Sequence[Floats], values: Floats, priors: Sequence[GroupPrior], noise: LogNormal
) -> tuple[float, Floats]:
    r"""Log marginal likelihood plus log prior at log hyperparameters, and its gradient (2G + 1,).

    .. math:: \frac{\partial}{\partial\theta}\log p(y)=\tfrac12\operatorname{tr}\big((\alpha\alpha^\top-K^{-1})
              \partial K/\partial\theta\big),\qquad\alpha=K^{-1}y

    Parameters
    ----------
    logs : (2G + 1,) as :meth:`Fit.logs`
    groups : squared distances of each group, (n_g, t, t)
    values : (t,) targets

    Raises
    ------
    numpy.linalg.LinAlgError
        if the covariance is not positive definite
    """
    count = len(groups)
    lengths, eta = np.exp(logs[count:-1]), math.exp(logs[-1])
    # Few arrays of this size are made: above a few hundred kilobytes each costs more than what is computed.
    parts = [distances * (-0.5 / length**2) for distances, length in zip(groups, lengths, strict=True)]
    covariance = np.zeros((len(values), len(values)))
    for part, scale in zip(parts, logs, strict=False):
        part += scale
        np.exp(part, out=part)
        for term in part:
            covariance += term
    np.einsum("ii->i", covariance)[:] += eta
    lower = linalg.cholesky(covariance.T, lower=True, overwrite_a=True, check_finite=False)
    solved = linalg.cho_solve((lower, True), values, check_finite=False)
    value = -0.5 * values @ solved - np.log(lower.diagonal()).sum()
    # Against symmetric matrices, twice a triangle of the inverse without half its diagonal is as good as all of it.
    inverse, _ = linalg.lapack.dpotri(lower, lower=1, overwrite_c=1)
    sensitivity = np.outer(0.5 * solved, solved)
    sensitivity -= inverse.T
    np.einsum("ii->i", sensitivity)[:] += 0.5 * inverse.diagonal()
    gradient = np.empty_like(logs)
    for g, (distances, part) in enumerate(zip(groups, parts, strict=True)):
        gradient[g] = np.tensordot(part, sensitivity, 2).sum()
        part *= distances
        gradient[count + g] = np.tensordot(part, sensitivity, 2).sum() / lengths[g] ** 2
    gradient[-1] = eta * np.trace(sensitivity)
    means, spreads = _prior_vectors(tuple(priors), noise)
    offset = (logs - means) / spreads
    return float(value - 0.5 * offset @ offset), gradient - offset / spreads


def fit_hyperparameters(
    groups: Sequence[Floats],
    values: Floats,
    priors: Sequence[GroupPrior],
    noise: LogNormal,
    start: Fit | None = None,
    iterations: int = 20,
) -> Fit | None:
    """Maximise :func:`log_posterior` from ``start``: by BFGS where its curvature is known, else by L-BFGS-B.

    By default, ``start`` is the priors' medians. BFGS knows no bounds: where it leaves the reach, or does not
    end by its gradient, L-BFGS-B goes on.

    Returns
    -------
    Fit or None
        the best hyperparameters seen, should the covariance be singular along the way; ``None`` when it is so at the
        start, and the caller keeps what it has
    """
    means, spreads = _prior_vectors(tuple(priors), noise)
    low, high = means - REACH * spreads, means + REACH * spreads
    best: list[tuple[float, Floats]] = []

    def objective(logs: Floats) -> tuple[float, Floats]:
        if known is not None and ((logs < low) | (logs > high)).any():
            raise linalg.LinAlgError
        value, gradient = log_posterior(logs, groups, values, priors, noise)
        if not best or value > best[0][0]:
            best[:] = [(value, logs.copy())]
        return -value, -gradient

    first, curvature = np.clip(means if start is None else start.logs(), low, high), None
    known = None if start is None else start.curvature
    way: dict[str, Any] = {"method": "L-BFGS-B", "bounds": np.column_stack([low, high])}
    options: dict[str, Any] = {"maxiter": iterations}
    if known is not None:
        way, options = {"method": "BFGS"}, {**options, "gtol": GRADIENT, "hess_inv0": known}
    with contextlib.suppress(linalg.LinAlgError):
        found = optimize.minimize(objective, first, jac=True, options=options, **way)
        inverse = found.hess_inv.todense() if known is None else found.hess_inv
        inverse = 0.5 * (inverse + inverse.T)
        if (known is None or found.success) and np.linalg.eigvalsh(inverse).min() > 0:
            curvature = inverse
    if not best:
        return None
    value, logs = best[0]
    count, numbers = len(groups), [float(number) for number in np.exp(logs)]
    fit = Fit(tuple(numbers[:count]), tuple(numbers[count:-1]), numbers[-1], value, curvature)
    if known is not None and curvature is None:
        return fit_hyperparameters(groups, values, priors, noise, fit, iterations)
    return fit


def factor(covariance: Floats, noise_variance: float) -> tuple[Floats, float]:
    """Lower Cholesky factor of covariance + (noise + jitter) I with the smallest of :data:`JITTERS`, and that jitter.

    Raises
    ------
    ConditioningError
        if even the largest does not help
    """
    failure = "covariance: not positive definite even with the largest jitter"
    lower, place = first_factor(covariance, [noise_variance + jitter for jitter in JITTERS], failure)
    return lower, JITTERS[place]


def standardised(values: Floats) -> tuple[Floats, float, float]:
    """Values with mean 0 and standard deviation 1 (of the population), and the mean and scale that were removed."""
    mean, spread = float(values.mean()), float(values.std())
    scale = spread if spread > 1e-12 * max(1.0, abs(mean)) else 1.0
    return (values - mean) / scale, mean, scale


@lru_cache(maxsize=8)
def _prior_vectors(priors: tuple[GroupPrior, ...], noise: LogNormal) -> tuple[Floats, Floats]:
    every = [prior.scale for prior in priors] + [prior.lengthscale for prior in priors] + [noise]
    return np.array([prior.mean for prior in every]), np.array([prior.sd for prior in every])
