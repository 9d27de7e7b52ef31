"""Arena (Section 5.2.2): two teams on a circle seek their own side and avoid crowds.

With context c in {-1, 1} the reward is the mean of 2 c_i c_j cos(x_i - x_j) over ordered pairs i != j, less a penalty for
crowds. Writing S = sum_c w_c c sum_x p[c, x] e^{ix}, the mean-field limit in the corrected reading (see
:mod:`companion.papers.meanfield.problems.swarm`) is

    g(p) = 2 |S|^2 - sigma sum_x P_x log(1 + P_x),        P_x = sum_c w_c p[c, x].

For M agents, sum_{i != j} c_i c_j cos(x_i - x_j) = |sum_i c_i e^{i x_i}|^2 - M.

*The bound.* 2 |S|^2 = max_w {Re(conj(w) S) - |w|^2 / 8} over |w| <= 4, so that g* = max_w {V(w) - |w|^2 / 8}, where V(w) is
the largest value of Re(conj(w) S) minus the penalty. Letting the teams have any sizes only enlarges V, which is then the
crowding program with a_x = |Re(conj(w) e^{ix})|. V is convex; on a triangle with longest side L it lies below the
interpolation of its corners, and the interpolation of |w|^2 exceeds |w|^2 by at most L^2 / 3. Hence no point of the
triangle exceeds its best corner by more than L^2 / 24. Reflection and rotation by 2 pi / A leave the problem as it is, so
one sector of angle pi / A is searched. With an even number of actions the relaxed optimum is attained by equal teams: moving
half of what stands at x to the other team at x + pi changes neither S nor, on average over the two places, P.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats, Integers
from companion.core.errors import ParameterError, positive_number, whole_number
from companion.papers.meanfield.problems.certificates import solve_crowding
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.papers.meanfield.problems.swarm import NO_DATA, SIGMA, known_reading

Complex = NDArray[np.complex128]

TEAMS = np.array([1.0, -1.0])
SOURCE = "Section 5.2.2, Figures 2(b) and 3"
#: Width of the bracket around the optimum: far below any regret that is looked at.
TOLERANCE = 1e-7


def arena(
    agents: int = 50, actions: int = 30, sigma: float = SIGMA, reading: str = "ours", noise_sd: float = 0.0
) -> MeanFieldProblem:
    """Arena: two contexts of weight 1/2, drawn anew for every agent.

    Parameters
    ----------
    agents : M, at least 2
    actions : A, an even number of equally spaced points of the circle, without the second end of [0, 2 pi]
    sigma : congestion factor
    reading : ``"ours"``, the corrected penalty; ``"text"``, the printed one, sigma sum_x log(1 + P_x)
    noise_sd : of one observation; the paper adds none

    Raises
    ------
    ParameterError
        for an unknown reading, an odd number of actions, or numbers out of range
    """
    known_reading(reading)
    whole_number("agents", agents, 2)
    whole_number("actions", actions, 4)
    strength = positive_number("sigma", sigma)
    if actions % 2:
        raise ParameterError("actions", f"got {actions}", "an even number: the certificate pairs opposite places")
    angles = 2.0 * math.pi * np.arange(actions) / actions
    places = np.exp(1j * angles)
    if reading == "ours":
        optimal, upper = certified_optimum(actions, strength)
        certified = f"branch and bound over the direction and size of S, to {TOLERANCE:g}"
    else:
        optimal, upper = _best_corner(places, strength)
        certified = "convex; enumeration of the corners"
    return MeanFieldProblem(
        name="arena",
        agents=agents,
        action_features=np.column_stack([np.cos(angles), np.sin(angles)]),
        context_features=TEAMS[:, None],
        context_weights=np.full(2, 0.5),
        mean_field=_mean_field(places, strength, reading),
        payoffs=_payoffs(places, strength, reading),
        of_counts=_of_counts(places, strength, reading),
        optimal=optimal,
        upper_bound=upper,
        certified=certified,
        source=SOURCE,
        noise_sd=noise_sd,
        exact_contexts=False,
        meta={"reading": reading, "sigma": strength, **NO_DATA},
    )


def crowding_penalty(share: Floats, sigma: float, reading: str) -> Floats:
    """Of the shares P_x (n, A): sigma sum P log(1 + P), or as printed sigma sum log(1 + P); shape (n,)."""
    terms = np.log1p(share)
    return np.asarray(sigma * (share * terms if reading == "ours" else terms).sum(axis=-1))


def _mean_field(places: Complex, sigma: float, reading: str) -> Callable[[Floats], Floats]:
    def mean_field(p: Floats) -> Floats:
        towards = 0.5 * (p[:, 0] - p[:, 1]) @ places
        return 2.0 * np.abs(towards) ** 2 - crowding_penalty(p.mean(axis=1), sigma, reading)

    return mean_field


def _payoffs(places: Complex, sigma: float, reading: str) -> Callable[[Floats], Floats]:
    def payoffs(p: Floats) -> Floats:
        towards, share = 0.5 * (p[:, 0] - p[:, 1]) @ places, p.mean(axis=1)
        company = 2.0 * np.real(places * np.conj(towards)[:, None])
        own = sigma * np.log1p(share) if reading == "ours" else crowding_penalty(share, sigma, reading)[:, None]
        return TEAMS[None, :, None] * company[:, None] - own[:, None]

    return payoffs


def _of_counts(places: Complex, sigma: float, reading: str) -> Callable[[Integers], Floats]:
    def of_counts(counts: Integers) -> Floats:
        agents = counts.sum(axis=(1, 2))
        pairs = np.abs((counts[:, 0] - counts[:, 1]) @ places) ** 2 - agents
        share = counts.sum(axis=1) / agents[:, None]
        return 2.0 * pairs / (agents * (agents - 1.0)) - crowding_penalty(share, sigma, reading)

    return of_counts


def _best_corner(places: Complex, sigma: float) -> tuple[Floats, float]:
    """All corners: both teams in one place each. The printed reward is convex, so that its maximum is among them."""
    count = len(places)
    corners = np.stack([np.repeat(np.eye(count), count, axis=0), np.tile(np.eye(count), (count, 1))], axis=1)
    values = _mean_field(places, sigma, "text")(corners)
    best = int(values.argmax())
    return corners[best], float(values[best])


@lru_cache(maxsize=64)
def certified_optimum(actions: int, sigma: float, tolerance: float = TOLERANCE) -> tuple[Any, float]:
    """A best collection (2, A) and a bound on g that exceeds its value by at most ``tolerance``; see the module's text."""
    places = np.exp(2j * math.pi * np.arange(actions) / actions)

    def solve(w: Complex) -> Floats:
        # V(w) from above, less |w|^2 / 8.
        found = solve_crowding(np.abs(np.real(np.conj(w)[:, None] * places)), sigma)
        return found.upper - np.abs(w) ** 2 / 8.0

    corner = 4.0 * (1.0 + 1j * math.tan(math.pi / actions))
    triangles = np.array([[0.0, 4.0, corner]], dtype=np.complex128)
    heights = solve(triangles[0])[None]
    best, optimal = -math.inf, np.empty((2, actions))
    while True:
        collection, value = _climb(places, sigma, complex(triangles.ravel()[int(heights.argmax())]))
        if value > best:
            best, optimal = value, collection
        bounds = heights.max(axis=1) + np.abs(triangles - np.roll(triangles, -1, axis=1)).max(axis=1) ** 2 / 24.0
        # Dropped triangles lie below this line, and so may the returned bound not.
        line = best + 0.5 * tolerance
        upper = max(line, float(bounds.max(initial=-math.inf)))
        if upper <= best + tolerance:
            return optimal, upper
        triangles, heights = _halved(triangles[bounds > line], heights[bounds > line], solve)


def _climb(places: Complex, sigma: float, w: complex, steps: int = 8) -> tuple[Floats, float]:
    """Collection (2, A) and its g, from w by the ascent w <- 4 S: each step maximises a minorant of g that touches it."""
    mean_field = _mean_field(places, sigma, "ours")
    collection = np.empty((2, len(places)))
    for _ in range(steps):
        lean = np.real(np.conj(w) * places)
        share = solve_crowding(np.abs(lean)[None], sigma).law[0]
        side = np.where(np.abs(lean) <= 1e-12, 0.5, (lean > 0).astype(np.float64))
        collection = np.stack([share * side, share * (1.0 - side)])
        collection /= collection.sum(axis=1, keepdims=True)
        w = complex(2.0 * (collection[0] - collection[1]) @ places)
    return collection, float(mean_field(collection[None])[0])


def _halved(triangles: Complex, heights: Floats, solve: Callable[[Complex], Floats]) -> tuple[Complex, Floats]:
    """Each triangle (corners in a row, with the function's heights there) cut in two through its longest side."""
    longest = np.abs(triangles - np.roll(triangles, -1, axis=1)).argmax(axis=1)
    turn = (np.arange(3) + longest[:, None]) % 3  # the longest side runs from the first to the second corner now
    corners, levels = np.take_along_axis(triangles, turn, axis=1), np.take_along_axis(heights, turn, axis=1)
    middle = 0.5 * (corners[:, 0] + corners[:, 1])
    unique, inverse = np.unique(middle, return_inverse=True)
    level = solve(unique)[inverse]
    new = [np.column_stack([corners[:, k], middle, corners[:, 2]]) for k in (0, 1)]
    new_levels = [np.column_stack([levels[:, k], level, levels[:, 2]]) for k in (0, 1)]
    return np.concatenate(new), np.concatenate(new_levels)
