"""Certificates of this chapter's optima: two programs solved with a bound from the dual, and one search for integers.

*Crowding program.* Maximise sum_x a_x q_x - s sum_x q_x log(1 + q_x) over laws q. It is strictly concave and separable,
so that for every number lam (weak duality)

    optimum <= lam + sum_x max_{q >= 0} {(a_x - lam) q - s q log(1 + q)},

and the inner maximum is explicit: log(1 + q) + q / (1 + q) = (a_x - lam) / s has the solution q = 1 / W(e^{1-y}) - 1,
with y the right side and W Lambert's function.

*Gap of a concave function.* If g is concave, no collection is better than p by more than
sum_c (max_x d_cx - sum_x p_cx d_cx), where d is the gradient of g at p (the Frank-Wolfe gap).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import lambertw

from companion.core.arrays import Floats

#: Halvings of an interval of multipliers: enough for the last bit of a double.
BISECTIONS = 90


class Crowded(NamedTuple):
    """Solutions of crowding programs.

    Parameters
    ----------
    law : (n, A) maximisers, normalised
    value : (n,) what they attain
    upper : (n,) bound from the dual
    """

    law: Floats
    value: Floats
    upper: Floats


def crowding_response(slack: Floats) -> Floats:
    """The q >= 0 with log(1 + q) + q / (1 + q) = ``slack``, entry by entry; 0 where ``slack`` is negative."""
    positive = np.maximum(slack, 0.0)
    inverse = np.real(lambertw(np.exp(1.0 - positive)))
    return np.where(slack > 0, 1.0 / inverse - 1.0, 0.0)


def solve_crowding(a: Floats, strength: float) -> Crowded:
    """Maximise ``a`` q - ``strength`` sum q log(1 + q) over laws q, for every row of ``a`` (n, A)."""
    width = strength * (np.log(2.0) + 0.5)  # the marginal penalty at q = 1
    low, high = a.max(axis=1) - width, a.max(axis=1)  # more than one agent in total, and none
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        too_many = crowding_response((a - middle[:, None]) / strength).sum(axis=1) > 1.0
        low, high = np.where(too_many, middle, low), np.where(too_many, high, middle)
    law = crowding_response((a - low[:, None]) / strength)
    law = law / law.sum(axis=1, keepdims=True)
    value = (a * law).sum(axis=1) - strength * (law * np.log1p(law)).sum(axis=1)
    response = crowding_response((a - high[:, None]) / strength)
    inner = (a - high[:, None]) * response - strength * response * np.log1p(response)
    return Crowded(law, value, high + inner.sum(axis=1))


def concave_gap(p: Floats, gradient: Floats) -> float:
    """sum_c (max_x d_cx - sum_x p_cx d_cx) for a collection ``p`` (C, A) and the gradient there."""
    return float((gradient.max(axis=1) - (p * gradient).sum(axis=1)).sum())
