r"""Models fixed beforehand in place of one that is fitted: their posterior, and a bound on what a candidate may lose.

Kernel, length-scales, noise, mean and variance of f are unknown, with proper priors: each of M models is as likely as another,
its variance is :math:`s^2\sim\mathrm{InvGamma}(a,a)`, its mean :math:`N(0,cs^2)`. Given the data, models have weights w_m, and in
each of them differences of f have Student's distribution with :math:`\nu=2a+t` degrees of freedom:

.. math:: \Pr\big(\max_xf(x)-f(r)>\varepsilon\mid F\big)\le\sum_mw_m\min\Big\{1,\sum_{x\ne r}
          T_\nu\Big(-\frac{\mu_m(r)+\varepsilon-\mu_m(x)}{\mathrm{scale}_m(f(x)-f(r))}\Big)\Big\}

By conditioning, who stops where this is at most delta keeps the promise at any stopping time, whatever chose the points, for f
drawn from this prior: on average over its models, not in each of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr
from scipy.stats import qmc

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, floats_of, positive_number
from companion.core.randomness import stream
from companion.gp.kernels import kernel_by_name
from companion.gp.ties import lowest_argmax
from companion.policies.stopping import difference_sd

KERNELS = ("se", "matern52")
#: Models; ends of their length-scales, in roots of d times a coordinate's range, and of noise, over the sd of f; c, a.
MODELS, LENGTHS, NOISES, MEAN, SHAPE = 64, (0.1, 1.0), (0.01, 1.0), 1.0, 0.5
#: Weights below are left out of a bound, which grows by them.
LIGHT = 1e-5


@dataclass(frozen=True, eq=False)
class ModelSet:
    """Models that are equally likely beforehand, in place of a kernel and a noise that one does not know.

    Parameters
    ----------
    kernels : (M,) names, as for :func:`companion.kernel`
    lengthscales : (M, d)
    noise : (M,) standard deviations of the noise, over that of f
    mean, sd : where the values lie and how much f varies, in their units, guessed before they are seen; the guess has the weight
        of one value

    Examples
    --------
    >>> import companion as cp
    >>> models = cp.ModelSet.over(1.0, mean=70.0, sd=5.0)
    >>> x, heat = [0, 4, 8, 12, 16, 20, 11, 13, 12], [61, 64, 71, 75, 69, 62, 74.5, 74, 75.2]
    >>> cp.certificate(cp.grid(21, dim=1), models, evaluated=x, values=heat, epsilon=2.0)
    <stop: candidate 12 loses at most 0.123 (models)>
    """

    kernels: tuple[str, ...]
    lengthscales: Floats
    noise: Floats
    mean: float = 0.0
    sd: float = 1.0

    def __repr__(self) -> str:
        return f"<{len(self.noise)} models of d = {self.lengthscales.shape[1]}: mean {self.mean:g}, sd {self.sd:g}>"

    @classmethod
    def over(cls, ranges: ArrayLike, mean: float = 0.0, sd: float = 1.0) -> ModelSet:
        r"""The set of the study of chapter 6: 64 models, squared exponential and Matern 5/2 in turn.

        Length-scales are spread log-uniformly from :math:`0.1\sqrt d` to :math:`\sqrt d` times a coordinate's range, noise from
        0.01 to 1 standard deviations of f, by Sobol's points.

        Parameters
        ----------
        ranges : (d,) what each coordinate spans; a number for one
        mean, sd : as above
        """
        span = np.atleast_1d(floats_of("ranges", ranges))
        if span.ndim != 1 or not (span > 0.0).all():
            raise ParameterError("ranges", f"got {span.tolist()}", "(d,) positive numbers, one for each coordinate")
        dim = len(span)
        unit = qmc.Sobol(dim + 1, rng=stream(0, "fitted stopping", "set", dim)).random(MODELS)
        low, high = np.log(np.array([NOISES, *[tuple(end * math.sqrt(dim) for end in LENGTHS)] * dim])).T
        found = np.exp(low + unit * (high - low))
        kernels = tuple(KERNELS[m % 2] for m in range(MODELS))
        return cls(kernels, found[:, 1:] * span, found[:, 0], float(mean), positive_number("sd", sd))


class Bound(NamedTuple):
    """The candidate of largest mean; terms (N,) of the bound for an epsilon, averaged over models; the bound itself."""

    best: int
    terms: Callable[[float], Floats]
    of: Callable[[float], float]


class ModelSetPosterior:
    """Of points (N, d) under every model of a set, evaluation by evaluation; the first ``candidates`` of them are in question."""

    def __init__(self, models: ModelSet, points: Floats, capacity: int, candidates: int | None = None) -> None:
        self.models, self.points, (count, size) = models, points, (len(models.noise), len(points))
        self.among = slice(candidates)
        names = np.array(models.kernels)
        self.parts = [(kernel_by_name(name, 1.0), names == name) for name in dict.fromkeys(models.kernels)]
        self.noise, self.factor, self.told = models.noise**2, np.zeros((count, capacity, size)), 0
        self.mean, self.variance = np.zeros((count, size)), np.full((count, size), 1.0 + MEAN)
        self.log_root, self.square = np.zeros(count), np.zeros(count)

    def cross(self, at: int) -> Floats:
        """(M, N) posterior covariance with a candidate, over the variance of f."""
        found, squared = np.empty_like(self.mean), (self.points - self.points[at]) ** 2
        for kernel, which in self.parts:
            found[which] = kernel.radial(self.models.lengthscales[which] ** -2.0 @ squared.T)
        rows = self.factor[:, : self.told]
        return found + MEAN - np.matmul(rows[:, :, at][:, None, :], rows)[:, 0]

    def observe(self, at: int, value: float) -> None:
        """Add an evaluation, in units of the values."""
        cross, value = self.cross(at), (value - self.models.mean) / self.models.sd
        root = np.sqrt(cross[:, at] + self.noise)
        row, apart = cross / root[:, None], (value - self.mean[:, at]) / root
        self.mean += apart[:, None] * row
        self.variance -= row**2
        self.log_root += np.log(root)
        self.square += apart**2
        self.factor[:, self.told] = row
        self.told += 1

    @property
    def shape(self) -> float:
        """Half of the degrees of freedom."""
        return SHAPE + self.told / 2.0

    @property
    def scales(self) -> Floats:
        """(M,) of Student's distribution of f: multiples of the standard deviations."""
        return np.sqrt((SHAPE + self.square / 2.0) / self.shape)

    @property
    def weights(self) -> Floats:
        """(M,) probabilities of the models."""
        log = -self.log_root - self.shape * np.log(SHAPE + self.square / 2.0)
        found = np.exp(log - log.max())
        return found / found.sum()

    def moments(self) -> tuple[Floats, Floats]:
        """Mean and variance (N,) of the candidates, all models together, in units of the values."""
        w, mean = self.weights, self.mean[:, self.among]
        middle, spread = w @ mean, (self.scales**2)[:, None] * self.variance[:, self.among]
        return self.models.mean + self.models.sd * middle, self.models.sd**2 * (w @ (spread + (mean - middle) ** 2))

    def bound(self, enough: float = 1.0) -> Bound:
        """What the candidate of largest averaged mean may lose; the bound need not be exact where it is above ``enough``."""
        weights, mean = self.weights, self.mean[:, self.among]
        best, used = lowest_argmax(weights @ mean), np.flatnonzero(weights > LIGHT)
        w, gap, cross = weights[used], mean[used, best, None] - mean[used], self.cross(best)[used, self.among]
        apart = difference_sd(self.variance[used, self.among], cross, np.full(len(used), best))
        apart = np.maximum(apart * self.scales[used][:, None], 1e-300)

        def tails(epsilon: float, worst: bool = False) -> Floats:
            z = -(gap + epsilon / self.models.sd) / apart
            return np.asarray(stdtr(2.0 * self.shape, z.max(axis=1, keepdims=True) if worst else z))

        def of(epsilon: float) -> float:
            if enough < 1.0 and (least := float(w @ tails(epsilon, worst=True)[:, 0])) > enough:
                return least
            return float(1.0 - w.sum() + w @ np.minimum(tails(epsilon).sum(axis=1), 1.0))

        return Bound(best, lambda epsilon: w @ tails(epsilon), of)
