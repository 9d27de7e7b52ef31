"""Expected improvement, and its logarithm where it underflows."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfcx, ndtr

from companion.core.arrays import Floats


def expected_improvement(mean: Floats, sd: Floats, incumbent: float) -> Floats:
    r"""(N,) :math:`\E(g-b)^+=(\mu-b)\Phi(z)+\sigma\phi(z)`, :math:`z=(\mu-b)/\sigma`, for :math:`g\sim N(\mu,\sigma^2)`."""
    return np.exp(log_expected_improvement(mean, sd, incumbent))


def log_expected_improvement(mean: Floats, sd: Floats, incumbent: float | Floats) -> Floats:
    r"""log of :func:`expected_improvement`, finite where that one underflows (Ament et al., 2023).

    :math:`\log\sigma+\log h(z)` with :math:`h(z)=z\Phi(z)+\phi(z)`. Below z = -1 it is
    :math:`h=\phi(z)\,(1+z\,\Phi(z)/\phi(z))` with the ratio by the scaled error function, and below -1e3, where that
    cancels, :math:`h\approx\phi(z)/z^2`.
    """
    z = np.asarray((mean - incumbent) / sd)
    flat, found = z.ravel(), np.empty(z.size)
    # Each number by the one formula that it needs, as these functions are dear; places cost less than a mask.
    near, rest = np.flatnonzero(flat > -1.0), np.flatnonzero(~(flat > -1.0))
    upper, lower = flat.take(near), flat.take(rest)
    found[near] = np.log(upper * ndtr(upper) + np.exp(-0.5 * upper**2) / math.sqrt(2 * math.pi))
    ratio = math.sqrt(math.pi / 2) * erfcx(-lower / math.sqrt(2))  # Phi(z) / phi(z)
    tail = np.where(lower > -1e3, np.log1p(np.maximum(lower, -1e3) * ratio), -2.0 * np.log(-lower))
    found[rest] = -0.5 * lower**2 - 0.5 * math.log(2 * math.pi) + tail
    return np.log(sd) + found.reshape(z.shape)
