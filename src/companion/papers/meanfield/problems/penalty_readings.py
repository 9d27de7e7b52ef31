r"""Possible meanings of Arena's congestion penalty, and the largest reward that each reading allows.

Figure 3 shows a solution with a reward of about 0.9. Arena's reward is the mean over pairs of agents of
:math:`2c_ic_j\cos(x_i-x_j)`, at most 2 over ordered pairs and 1 over unordered ones, less the penalty; so two or one less the
least penalty is a bound, which holds for any teams.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from companion.papers.meanfield.problems.arena import arena
from companion.papers.meanfield.problems.catalogue import SETTINGS
from companion.papers.meanfield.problems.certificates import solve_crowding
from companion.papers.meanfield.problems.swarm import SIGMA

#: Sizes w and angles of the grid of :func:`per_context_bound`.
_SIZES, _ANGLES = 81, 5


@dataclass(frozen=True)
class PenaltyReading:
    """One reading: its formula, the largest reward of Arena, and whether that is attained or a bound from above."""

    name: str
    formula: str
    largest: float
    attained: bool


def per_context_bound(actions: int, sigma: float) -> float:
    r"""Arena's largest reward from above if an agent pays :math:`\sigma\log(1+\xi_c(x))` by the shares of its own team.

    With :math:`\varphi_c=\sum_x\xi_c(x)e^{ix}` the first part is
    :math:`2|\frac12(\varphi_+-\varphi_-)|^2\le\frac12\sum_c2|\varphi_c|^2`, so that no team needs the other: the optimum is that
    of :math:`2|\varphi|^2-\sigma\sum_xq_x\log(1+q_x)` over one law q, and
    :math:`2|\varphi|^2=\max_{w,\theta}w\,\mathrm{Re}(e^{-i\theta}\varphi)-w^2/8`. Each (w, theta) is a concave program with a
    bound from its dual; the circle is symmetric, which leaves theta up to pi/A. Between points of the grid the value changes
    by at most |dw| + 4 |dtheta|.
    """
    angles = 2.0 * math.pi * np.arange(actions) / actions
    sizes, turns = np.linspace(0.0, 4.0, _SIZES), np.linspace(0.0, math.pi / actions, _ANGLES)
    w, theta = (part.ravel() for part in np.meshgrid(sizes, turns))
    upper = solve_crowding(w[:, None] * np.cos(angles - theta[:, None]), sigma).upper - w**2 / 8.0
    slack = 0.5 * float(sizes[1] - sizes[0]) + 4.0 * 0.5 * float(turns[1] - turns[0])
    return float(upper.max()) + slack


@lru_cache(maxsize=1)
def penalty_readings() -> tuple[PenaltyReading, ...]:
    """Every reading that was tried, the printed one first."""
    agents, actions = SETTINGS["arena"].agents, SETTINGS["arena"].actions
    even = SIGMA * math.log1p(1.0 / actions)
    return (
        PenaltyReading("as printed", "σ Σₓ log(1 + Pₓ)", 2.0 - SIGMA * math.log(2.0), False),
        PenaltyReading("counts in place of shares", "σ Σₓ log(1 + M Pₓ)", 2.0 - SIGMA * math.log1p(agents), False),
        PenaltyReading("own action, summed over agents", "M σ Σₓ Pₓ log(1 + Pₓ)", 2.0 - agents * even, False),
        PenaltyReading(
            "own action, shares within its team",
            "σ mean over c of Σₓ ξ(x|c) log(1 + ξ(x|c))",
            per_context_bound(actions, SIGMA),
            False,
        ),
        PenaltyReading("own action, unordered pairs", "σ Σₓ Pₓ log(1 + Pₓ)", 1.0 - even, False),
        PenaltyReading("own action, ordered pairs", "σ Σₓ Pₓ log(1 + Pₓ)", arena().optimum, True),
    )
