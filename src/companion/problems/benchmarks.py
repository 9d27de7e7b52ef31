r"""Standard test functions on boxes, to be maximised: f = -g, where g is the function as it is usually written.

Every problem's optimum is proved: by hand where the function is bounded term by term, and otherwise by
:func:`certify`, which brackets it in a fraction of a second. The stored ``optimum`` is the value at the stored
``optimiser``, which is the lower end of that bracket.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest, whole_number
from companion.problems.box import BoxProblem
from companion.problems.branch_and_bound import MaximumBracket, bracket_bumps, branch_and_bound

NOISE_SD = 1e-3
SOURCE = "standard test function, maximised with the sign turned"
#: Width of the certified brackets.
WIDTH = 1e-9

HARTMANN_WEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
HARTMANN_RATES = np.array(
    [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ]
)
HARTMANN_CENTRES = 1e-4 * np.array(
    [
        [1312.0, 1696.0, 5569.0, 124.0, 8283.0, 5886.0],
        [2329.0, 4135.0, 8307.0, 3736.0, 1004.0, 9991.0],
        [2348.0, 1451.0, 3522.0, 2883.0, 3047.0, 6650.0],
        [4047.0, 8828.0, 8732.0, 5743.0, 1091.0, 381.0],
    ]
)
for _array in (HARTMANN_WEIGHTS, HARTMANN_RATES, HARTMANN_CENTRES):
    _array.flags.writeable = False

BIRD_OPTIMISER = (4.70104313024955302, 3.15293850372493007)
HARTMANN_OPTIMISER = (
    0.201689511006705424,
    0.150010691823457969,
    0.47687397422189699,
    0.275332430494056068,
    0.311651616600113242,
    0.657300534065620306,
)
MICHALEWICZ_OPTIMISER = (
    2.20290552017260935,
    math.pi / 2,
    1.28499157055292436,
    1.92305846986636284,
    1.72046977256584128,
    math.pi / 2,
    1.45441397136237903,
    1.75608652094502637,
    1.6557174168210291,
    math.pi / 2,
)
#: Michalewicz's exponent 2m with the usual m = 10.
STEEPNESS = 20


def _ackley(x: Floats) -> Floats:
    root = np.sqrt((x**2).mean(axis=1))
    # Grouped so that both brackets are exactly zero at the origin.
    return -(20.0 * (1.0 - np.exp(-0.2 * root)) + (math.e - np.exp(np.cos(2 * math.pi * x).mean(axis=1))))


def _rosenbrock(x: Floats) -> Floats:
    return -((1.0 - x[:, 0]) ** 2 + 100.0 * (x[:, 1] - x[:, 0] ** 2) ** 2)


def _bird(x: Floats) -> Floats:
    return bird_with_gradient(x)[0]


def _hartmann(x: Floats) -> Floats:
    return _hartmann_terms(x).sum(axis=1)


def _hartmann_terms(x: Floats) -> Floats:
    squares = (x[:, None, :] - HARTMANN_CENTRES) ** 2
    return HARTMANN_WEIGHTS * np.exp(-(HARTMANN_RATES * squares).sum(axis=2))


def _griewank_by_root(x: Floats) -> Floats:
    return _griewank(x, np.sqrt(np.arange(1, x.shape[1] + 1)))


def _griewank_by_index(x: Floats) -> Floats:
    return _griewank(x, np.arange(1.0, x.shape[1] + 1))


def _griewank(x: Floats, divisors: Floats) -> Floats:
    return -((x**2).sum(axis=1) / 4000.0 + (1.0 - np.cos(x / divisors).prod(axis=1)))


def _michalewicz(x: Floats) -> Floats:
    index = np.arange(1, x.shape[1] + 1)
    return (np.sin(x) * np.sin(index * x**2 / math.pi) ** STEEPNESS).sum(axis=1)


def _known(
    name: str, low: float, high: float, objective: Callable[[Floats], Floats], at: Floats, noise_sd: float, why: str
) -> BoxProblem:
    corner = np.ones(len(at))
    value = float(objective(at[None, :])[0]) + 0.0  # no negative zero
    return BoxProblem(name, low * corner, high * corner, objective, value, noise_sd, SOURCE, at, why)


def ackley(dim: int = 2, noise_sd: float = NOISE_SD) -> BoxProblem:
    r"""Ackley's function on [-5, 5]^d,

    .. math:: g(x)=-20\exp\Bigl(-0.2\sqrt{\tfrac1d\sum_jx_j^2}\Bigr)
        -\exp\Bigl(\tfrac1d\sum_j\cos2\pi x_j\Bigr)+20+e.

    The first exponential is at most 1 and the second at most e, both with equality at the origin: min g = 0.
    """
    whole_number("dim", dim)
    why = "proof: both exponentials are largest at the origin"
    return _known(f"ackley-{dim}d", -5.0, 5.0, _ackley, np.zeros(dim), noise_sd, why)


def rosenbrock(noise_sd: float = NOISE_SD) -> BoxProblem:
    """Rosenbrock's function g(x) = (1 - x_1)^2 + 100 (x_2 - x_1^2)^2 on [-2, 2] x [-1, 3]; two squares, 0 at (1, 1)."""
    why = "proof: a sum of two squares that vanish together"
    low, high = np.array([-2.0, -1.0]), np.array([2.0, 3.0])
    return BoxProblem("rosenbrock-2d", low, high, _rosenbrock, 0.0, noise_sd, SOURCE, np.ones(2), why)


def bird(noise_sd: float = NOISE_SD) -> BoxProblem:
    r"""The bird function on [-2 pi, 2 pi]^2,

    .. math:: g(x)=\sin x_1\,e^{(1-\cos x_2)^2}+\cos x_2\,e^{(1-\sin x_1)^2}+(x_1-x_2)^2.

    A shift of both coordinates by 2 pi changes nothing, so the minimum is attained twice; the stored point is the one
    with positive coordinates.
    """
    why = f"branch and bound with second-order bounds, to {WIDTH:.0e}"
    return _known("bird-2d", -2 * math.pi, 2 * math.pi, _bird, np.array(BIRD_OPTIMISER), noise_sd, why)


def hartmann(noise_sd: float = NOISE_SD) -> BoxProblem:
    r"""Hartmann's function on [0, 1]^6, :math:`g(x)=-\sum_{i\le4}\alpha_i\exp(-\sum_jA_{ij}(x_j-P_{ij})^2)`."""
    why = f"branch and bound over the stationary points, to {WIDTH:.0e}"
    return _known("hartmann-6d", 0.0, 1.0, _hartmann, np.array(HARTMANN_OPTIMISER), noise_sd, why)


def griewank(divisor: str = "root", dim: int = 8, noise_sd: float = NOISE_SD) -> BoxProblem:
    r"""Griewank's function on [-1, 4]^d, :math:`g(x)=\|x\|^2/4000-\prod_i\cos(x_i/q_i)+1`.

    Parameters
    ----------
    divisor : ``"root"`` for the standard :math:`q_i=\sqrt i`, ``"index"`` for :math:`q_i=i`
    dim, noise_sd : number of coordinates d, and noise

    A product of cosines is at most 1 and the first term at least 0, both with equality at the origin: min g = 0.
    """
    objectives = {"root": _griewank_by_root, "index": _griewank_by_index}
    if divisor not in objectives:
        raise ParameterError("divisor", f"got {divisor!r}", "'root' or 'index'", nearest(str(divisor), objectives))
    whole_number("dim", dim)
    why = "proof: the square and one minus the product of cosines vanish together"
    name = f"griewank-{dim}d" + ("" if divisor == "root" else "-index")
    return _known(name, -1.0, 4.0, objectives[divisor], np.zeros(dim), noise_sd, why)


def michalewicz(dim: int = 10, noise_sd: float = NOISE_SD) -> BoxProblem:
    r"""Michalewicz's function on [0, pi]^d, :math:`g(x)=-\sum_i\sin x_i\,\sin^{20}(ix_i^2/\pi)`, d up to 10."""
    whole_number("dim", dim, 1, len(MICHALEWICZ_OPTIMISER))
    why = f"one branch and bound for each coordinate, of which the function is a sum, to {WIDTH:.0e}"
    at = np.array(MICHALEWICZ_OPTIMISER[:dim])
    return _known(f"michalewicz-{dim}d", 0.0, math.pi, _michalewicz, at, noise_sd, why)


#: The problems at their usual size, by name.
BENCHMARKS: dict[str, Callable[[], BoxProblem]] = {
    "ackley-2d": ackley,
    "ackley-3d": lambda: ackley(3),
    "rosenbrock-2d": rosenbrock,
    "bird-2d": bird,
    "hartmann-6d": hartmann,
    "griewank-8d": griewank,
    "griewank-8d-index": lambda: griewank("index"),
    "michalewicz-10d": michalewicz,
}


@lru_cache(maxsize=16)
def certify(name: str) -> MaximumBracket:
    """Bracket the maximum of one of :data:`BENCHMARKS`, of width 0 for a proof on paper and :data:`WIDTH` otherwise.

    Computed in double precision with an allowance for rounding in every bound, not in outward-rounded interval
    arithmetic: the allowance is several times the rounding errors on the cells that are dropped. The tests repeat the
    proofs in interval arithmetic.

    Raises
    ------
    ParameterError
        for an unknown name
    """
    if name not in BENCHMARKS:
        raise ParameterError("name", f"{name!r} is not known", ", ".join(BENCHMARKS), nearest(name, BENCHMARKS))
    problem = BENCHMARKS[name]()
    computed = {"bird-2d": bracket_bird, "hartmann-6d": bracket_hartmann, "michalewicz-10d": bracket_michalewicz}
    if name in computed:
        return computed[name](problem)
    return MaximumBracket(problem.optimum, problem.optimum, 0, problem.certified)


def bracket_bird(problem: BoxProblem) -> MaximumBracket:
    r"""Branch and bound for the bird function.

    With a = sin x_1, F(a) = exp((1-a)^2) <= e^4, the second derivative of F(sin x_1) is
    F (2 (1-a^2) + 4 (1-a)^2 (1-a^2) + 2 (1-a) a), of absolute value at most 22 e^4; the first is
    2 (1-a) |cos x_1| F <= 4 e^4. The same holds for E(cos x_2). Hence |g_11|, |g_22| <= 23 e^4 + 2 and
    |g_12| <= 8 e^4 + 2.
    """
    return branch_and_bound(bird_with_gradient, BIRD_CURVATURE, problem.low, problem.high, problem.optimum, WIDTH)


#: Bounds on the absolute second derivatives of the bird function, derived at :func:`bracket_bird`.
BIRD_CURVATURE = math.exp(4.0) * np.array([[23.0, 8.0], [8.0, 23.0]]) + 2.0


def bird_with_gradient(x: Floats) -> tuple[Floats, Floats]:
    """Minus the bird function (n,) and its gradient (n, 2) at ``x`` (n, 2)."""
    first, second = x[:, 0], x[:, 1]
    a, b, cos, sin = np.sin(first), np.cos(second), np.cos(first), np.sin(second)
    upper, lower = np.exp((1.0 - b) ** 2), np.exp((1.0 - a) ** 2)
    gap = first - second
    value = -(a * upper + b * lower + gap**2)
    by_first = -(cos * upper - 2.0 * b * (1.0 - a) * cos * lower + 2.0 * gap)
    by_second = -(2.0 * a * (1.0 - b) * sin * upper - sin * lower - 2.0 * gap)
    return value, np.stack([by_first, by_second], axis=1)


def bracket_michalewicz(problem: BoxProblem) -> MaximumBracket:
    """Branch and bound in each coordinate: the function is the sum of d functions of one coordinate each."""
    parts = [_bracket_michalewicz_term(index, float(x)) for index, x in enumerate(MICHALEWICZ_OPTIMISER, 1)]
    upper = sum(part.upper for part in parts)
    argument = "branch and bound with second-order bounds in each coordinate"
    return MaximumBracket(problem.optimum, upper, sum(part.cells for part in parts), argument)


def _bracket_michalewicz_term(index: int, at: float) -> MaximumBracket:
    """Bracket of the maximum of one term on [0, pi], given a point where it is nearly attained."""
    term = MichalewiczTerm(index)
    incumbent = float(term(np.array([[at]]))[0][0])
    corners = np.zeros(1), np.full(1, math.pi)
    return branch_and_bound(term, [[term.curvature]], *corners, incumbent, WIDTH / len(MICHALEWICZ_OPTIMISER))


@dataclass(frozen=True)
class MichalewiczTerm:
    r"""The term :math:`\sin(x)\,u^{20}`, :math:`u=\sin\theta`, :math:`\theta=ix^2/\pi`, as a function of one coordinate.

    Parameters
    ----------
    index : i
    """

    index: int

    def __call__(self, x: Floats) -> tuple[Floats, Floats]:
        """Values (n,) and derivatives (n, 1) at ``x`` (n, 1)."""
        theta = self.index * x[:, 0] ** 2 / math.pi
        u = np.sin(theta)
        slope = STEEPNESS * u ** (STEEPNESS - 1) * np.cos(theta) * (2 * self.index * x[:, 0] / math.pi)
        value = np.sin(x[:, 0]) * u**STEEPNESS
        return value, (np.cos(x[:, 0]) * u**STEEPNESS + np.sin(x[:, 0]) * slope)[:, None]

    @property
    def curvature(self) -> float:
        r"""Bound on the absolute second derivative on [0, pi].

        :math:`|\theta'|\le2i` and :math:`\theta''=2i/\pi`. With :math:`|u^{19}\cos\theta|\le0.14` (its square is
        largest at :math:`u^2=19/20`) and :math:`|19u^{18}\cos^2\theta-u^{20}|\le1`, the bound is
        :math:`1+40\cdot0.14\cdot2i+20(2i)^2+20\cdot0.14\cdot2i/\pi`.
        """
        speed = 2.0 * self.index
        return 1 + 40 * 0.14 * speed + 20 * speed**2 + 20 * 0.14 * speed / math.pi


def bracket_hartmann(problem: BoxProblem, tolerance: float = WIDTH) -> MaximumBracket:
    """Branch and bound over the weights of a stationary point: the function is a sum of four bumps."""
    return bracket_bumps(HARTMANN_WEIGHTS, HARTMANN_RATES, HARTMANN_CENTRES, problem.optimum, tolerance)
