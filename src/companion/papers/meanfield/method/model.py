"""Exact Gaussian process on laws, which no finite set of candidates holds; hyperparameters fitted or given."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number, whole_number
from companion.papers.meanfield.method.kernel import AdditiveKernel, Plays, squared_distances
from companion.papers.meanfield.method.regression import (
    Fit,
    GroupPrior,
    LogNormal,
    factor,
    fit_hyperparameters,
    standardised,
)

#: Priors of a term of Eq. (1) that sees the representative agent only, and of the term that sees the laws.
OWN_PRIOR = GroupPrior(LogNormal(-2.0, 1.5), LogNormal(0.0, 1.0))
LAW_PRIOR = GroupPrior(LogNormal(0.0, 1.5), LogNormal(1.0, 1.0))
NOISE_PRIOR = LogNormal(-5.0, 2.0)


@dataclass(frozen=True)
class FitSchedule:
    """Schedule and way of fitting hyperparameters; the paper prints neither, so these are the companion's.

    The length-scale of the laws has its prior in units of the root of the median squared distance of the laws played: in
    160 dimensions two of them are about .03 apart, and an absolute length-scale would make the kernel constant.

    Parameters
    ----------
    every_until : fitted in every round up to this number of observations
    then_every : and in every so many rounds after that
    iterations : of a fit, from the hyperparameters and the curvature of the one before
    action, context, law : priors of the three terms of Eq. (1)
    noise : prior of the noise variance, in units of the targets' variance
    """

    every_until: int = 50
    then_every: int = 5
    iterations: int = 20
    action: GroupPrior = OWN_PRIOR
    context: GroupPrior = OWN_PRIOR
    law: GroupPrior = LAW_PRIOR
    noise: LogNormal = NOISE_PRIOR

    def due(self, count: int) -> bool:
        """Whether to fit at ``count`` observations."""
        return count <= self.every_until or count % self.then_every == 0


class MeanFieldGP:
    """Exact Gaussian process on plays (x_i, c_i, xi_i) with values y_i.

    An observation adds one row to the Cholesky factor, O(t^2); the factor is computed afresh, O(t^3), only when the
    hyperparameters change. With ``standardise`` the targets are shifted and scaled to mean 0 and variance 1, and
    kernel and noise are in those units.

    Parameters
    ----------
    action_features : (A, d_A)
    context_features : (C, d_C)
    kernel : hyperparameters, or the first ones
    noise_variance : R^2, positive
    standardise : whether targets are standardised whenever the posterior is asked for
    capacity : observations to reserve memory for

    Raises
    ------
    ParameterError
        for shapes that do not fit, or a kernel of the printed form, which has no gradient
    """

    def __init__(
        self,
        action_features: ArrayLike,
        context_features: ArrayLike,
        kernel: AdditiveKernel | None = None,
        noise_variance: float = 1e-2,
        standardise: bool = True,
        capacity: int = 256,
    ) -> None:
        features = [np.asarray(part, dtype=np.float64) for part in (action_features, context_features)]
        for name, part in zip(("action_features", "context_features"), features, strict=True):
            if part.ndim != 2 or not len(part) or not np.isfinite(part).all():
                raise ParameterError(name, f"has shape {part.shape}", "(count, d), finite numbers")
        self.kernel = _with_gradient(kernel or AdditiveKernel())
        self.noise_variance = positive_number("noise_variance", noise_variance)
        self.jitter = 0.0
        self._action, self._context = (squared_distances(part, part) for part in features)
        self._features = features
        self._standardise = standardise
        self.count = 0
        self._reserve(whole_number("capacity", capacity))
        self.last_fit: Fit | None = None

    @property
    def actions(self) -> int:
        """|A|."""
        return len(self._action)

    @property
    def contexts(self) -> int:
        """|C|."""
        return len(self._context)

    def _reserve(self, capacity: int) -> None:
        """Grow the arrays to ``capacity`` observations, keeping what they hold."""
        t, shape = self.count, (capacity, self.contexts, self.actions)
        old = self.__dict__.copy()
        self._x, self._c = np.zeros(capacity, dtype=np.intp), np.zeros(capacity, dtype=np.intp)
        self._laws, self._y = np.zeros(shape), np.zeros(capacity)
        self._apart = np.zeros((self.contexts, capacity, capacity))
        self._lower = np.zeros((capacity, capacity))
        if t:
            for name in ("_x", "_c", "_laws", "_y"):
                getattr(self, name)[:t] = old[name][:t]
            self._apart[:, :t, :t] = old["_apart"][:, :t, :t]
            self._lower[:t, :t] = old["_lower"][:t, :t]

    @property
    def laws(self) -> Floats:
        """Laws played (t, C, A)."""
        return self._laws[: self.count]

    @property
    def values(self) -> Floats:
        """Observations (t,), as told."""
        return self._y[: self.count]

    @property
    def lower(self) -> Floats:
        """Cholesky factor (t, t) of K + R^2 I."""
        return self._lower[: self.count, : self.count]

    def add(self, action: int, context: int, law: ArrayLike, value: float) -> None:
        """One observation of the representative agent: its action and context, the law played, the value seen."""
        if self.count == len(self._y):
            self._reserve(2 * self.count)
        t = self.count
        self._x[t] = whole_number("action", action, 0, self.actions - 1)
        self._c[t] = whole_number("context", context, 0, self.contexts - 1)
        self._laws[t] = self._checked(law)
        if not math.isfinite(value):
            raise ParameterError("value", f"got {value!r}", "a finite number")
        self._y[t] = value
        by_context = self._laws[: t + 1].transpose(1, 0, 2)
        apart = squared_distances(by_context[:, t : t + 1], by_context)[:, 0]
        apart[:, t] = 0.0
        self._apart[:, t, : t + 1] = self._apart[:, : t + 1, t] = apart
        self.count = t + 1
        self._append()

    def _checked(self, law: ArrayLike) -> Floats:
        array = np.asarray(law, dtype=np.float64)
        if array.shape != (self.contexts, self.actions):
            raise ParameterError("law", f"has shape {array.shape}", f"({self.contexts}, {self.actions})")
        if not (array >= -1e-12).all() or not np.allclose(array.sum(axis=1), 1.0, rtol=0, atol=1e-9):
            raise ParameterError("law", "is not one distribution per context", "rows that are >= 0 and sum to 1")
        return array

    def _append(self) -> None:
        """The new row of the Cholesky factor; a factor from scratch where rounding made it impossible."""
        t = self.count - 1
        row = (
            self._own(slice(t, t + 1), slice(0, t))[0]
            + self.kernel.law_terms_at(self._apart[:, t : t + 1, :t]).sum(axis=0)[0]
        )
        solved = linalg.solve_triangular(self._lower[:t, :t], row, lower=True, check_finite=False) if t else row
        rest = self.kernel.variance(self.contexts) + self.noise_variance + self.jitter - solved @ solved
        if rest <= 0.5 * self.noise_variance:
            self._refactor()
            return
        self._lower[t, :t], self._lower[t, t] = solved, math.sqrt(rest)

    def _own(self, rows: slice, columns: slice) -> Floats:
        """The law-free part of the covariance of observations."""
        k, t = self.kernel, self.count
        x, c = self._x[:t], self._c[:t]
        action = k.action_scale * np.exp(self._action[np.ix_(x[rows], x[columns])] * (-0.5 / k.action_lengthscale**2))
        context = np.exp(self._context[np.ix_(c[rows], c[columns])] * (-0.5 / k.context_lengthscale**2))
        return action + k.context_scale * context

    def _refactor(self) -> None:
        t = self.count
        covariance = self._own(slice(None), slice(None)) + self.kernel.law_terms_at(self._apart[:, :t, :t]).sum(axis=0)
        self._lower[:t, :t], self.jitter = factor(covariance, self.noise_variance)

    def set_hyperparameters(self, kernel: AdditiveKernel, noise_variance: float) -> None:
        """Replace the hyperparameters; the factor is computed afresh."""
        self.kernel = _with_gradient(kernel)
        self.noise_variance = positive_number("noise_variance", noise_variance)
        self.jitter = 0.0
        if self.count:
            self._refactor()

    def targets(self) -> tuple[Floats, float, float]:
        """Targets (t,) of the regression with the shift and the scale that turn them back into values."""
        if not self._standardise or not self.count:
            return self.values.copy(), 0.0, 1.0
        return standardised(self.values)

    def plays(self) -> Plays:
        """Features of the actions and contexts observed, and the laws played, a row each."""
        t, (action, context) = self.count, self._features
        return Plays(action[self._x[:t]], context[self._c[:t]], self.laws)

    def law_unit(self) -> float:
        """Root of the median squared distance between two laws played in the same context; 1 where all agree."""
        t = self.count
        pairs = self._apart[:, *np.triu_indices(t, 1)]
        median = float(np.median(pairs)) if pairs.size else 0.0
        return math.sqrt(median) if median > 1e-24 else 1.0

    def fit(self, schedule: FitSchedule) -> bool:
        """Maximum a posteriori hyperparameters from the last ones; ``False`` (nothing changed) if the search broke down.

        A group with a constant distance (one context) has a length-scale that only its prior decides.
        """
        t, unit = self.count, self.law_unit()
        x, c = self._x[:t], self._c[:t]
        apart = self._apart[:, :t, :t]
        laws = apart.sum(axis=0, keepdims=True) if self.kernel.coupling == "joint" else apart
        groups = [self._action[np.ix_(x, x)][None], self._context[np.ix_(c, c)][None], laws / unit**2]
        priors = (schedule.action, schedule.context, schedule.law)
        found = fit_hyperparameters(
            groups, self.targets()[0], priors, schedule.noise, self.last_fit, schedule.iterations
        )
        if found is None:
            return False
        # The joint kernel carries |C| times the scale of a law, so that both couplings have the same diagonal.
        share = self.contexts if self.kernel.coupling == "joint" else 1
        kernel = replace(
            self.kernel,
            action_scale=found.scales[0],
            context_scale=found.scales[1],
            law_scale=found.scales[2] / share,
            action_lengthscale=found.lengthscales[0],
            context_lengthscale=found.lengthscales[1],
            law_lengthscale=found.lengthscales[2] * unit,
        )
        self.set_hyperparameters(kernel, found.noise_variance)
        self.last_fit = found
        return True

    def law_free(self) -> Floats:
        """Covariance (|C||A|, t) of every (c, x) with the observations, without the laws' part; row c |A| + x."""
        k, t = self.kernel, self.count
        action = k.action_scale * np.exp(self._action[:, self._x[:t]] * (-0.5 / k.action_lengthscale**2))
        context = k.context_scale * np.exp(self._context[:, self._c[:t]] * (-0.5 / k.context_lengthscale**2))
        return np.asarray((context[:, None, :] + action[None, :, :]).reshape(self.contexts * self.actions, t))


def _with_gradient(kernel: AdditiveKernel) -> AdditiveKernel:
    if kernel.form == "printed":
        raise ParameterError("form", "is 'printed', whose paths have no gradient", "'squared'")
    return kernel
