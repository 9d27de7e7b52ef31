"""Trivial bounds in closed form, which need no draws; see :mod:`companion.bounds.trivial` for the mean range of a draw.

They stand apart because bounds of the papers need them, and whoever evaluates one should not load what draws do.
"""

from __future__ import annotations

import math

import numpy as np

from companion.core.arrays import Floats


def norm_range(covariance: Floats) -> float:
    r""":math:`\max_{x,y}\sqrt{k(x,x)+k(y,y)-2k(x,y)}`: times the norm, the largest range of a function of that norm.

    For a function in the kernel's space :math:`f(x)-f(y)=\langle f,k_x-k_y\rangle\le\|f\|\,\|k_x-k_y\|`, with equality for the
    difference of the two itself, scaled. At most 2 for unit variances, and the root of 2 where k is not negative.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.bounds.ranges import norm_range
    >>> print(f"{norm_range(np.eye(3)):.4f}")
    1.4142
    """
    variances = np.diagonal(covariance)
    squares = variances[:, None] + variances[None, :] - 2.0 * covariance
    return math.sqrt(max(0.0, float(squares.max())))


def blind_norm_range(covariance: Floats) -> float:
    r""":math:`\max_x\|k_x-m\|`: times the norm, the most that a uniformly chosen candidate loses on average.

    With :math:`m=\frac1N\sum_yk_y`, :math:`f(x)-\frac1N\sum_yf(y)=\langle f,k_x-m\rangle\le\|f\|\,\|k_x-m\|`, with equality for
    that difference itself, scaled; and :math:`\|k_x-m\|^2=k(x,x)-\frac2N\sum_yk(x,y)+\frac1{N^2}\sum_{y,z}k(y,z)`.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.bounds.ranges import blind_norm_range
    >>> print(f"{blind_norm_range(np.eye(4)):.4f}")  # the root of 1 - 1/4
    0.8660
    """
    means = covariance.mean(axis=1)
    return math.sqrt(max(0.0, float((np.diagonal(covariance) - 2.0 * means + means.mean()).max())))


def any_prior_range(candidates: int) -> float:
    r""":math:`\sqrt{8\log N}`: the mean range is at most that, whatever the prior with k(x, x) at most 1.

    Examples
    --------
    >>> from companion.bounds.ranges import any_prior_range
    >>> print(f"{any_prior_range(50):.2f}")
    5.59
    """
    return math.sqrt(8.0 * math.log(candidates))
