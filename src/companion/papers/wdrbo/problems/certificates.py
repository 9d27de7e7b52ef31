"""Proofs that no decision has a larger expected reward than a problem's optimiser."""

from __future__ import annotations

import itertools
import math

import numpy as np

from companion.core.arrays import Floats
from companion.core.errors import CompanionError
from companion.papers.wdrbo.problems.context import ContextProblem
from companion.papers.wdrbo.problems.general import GeneralExample
from companion.papers.wdrbo.problems.portfolio import DECISIONS, ExpectedReturn
from companion.papers.wdrbo.problems.synthetic import BRANIN_SCALE, Hartmann, ModifiedBranin
from companion.problems.benchmarks import HARTMANN_CENTRES, HARTMANN_RATES
from companion.problems.branch_and_bound import MOST_CELLS, MaximumBracket, branch_and_bound

#: Width of the brackets, in units of the reward; of Branin's two factors, a hundredth of it each.
WIDTH = 1e-9
#: The same for the portfolio, whose optimum is near 20.
PORTFOLIO_WIDTH = 1e-6
#: Allowance for one value: a sum of some thousand terms that nearly cancel, with absolute sum up to 3e4.
PORTFOLIO_ROUNDING = 1e-9


def certify(problem: ContextProblem) -> MaximumBracket:
    """Bracket the largest expected reward of a problem of this chapter; of width 0 for a proof on paper.

    Computed in double precision with an allowance for rounding in every bound, not in interval arithmetic. The
    quadrature behind an expectation is exact to rounding, which the allowance covers.

    Raises
    ------
    CompanionError
        if the search is given up, or ends above ``optimum + optimum_error``: then the stored optimiser is none
    """
    if isinstance(problem.expectation, ExpectedReturn):
        bracket = bracket_portfolio(problem.expectation, problem.optimum)
    elif isinstance(problem.objective, Hartmann):
        bracket = bracket_hartmann(problem.objective, problem.optimum)
    elif isinstance(problem.objective, ModifiedBranin):
        bracket = bracket_branin(problem.objective, problem.optimiser)
    elif isinstance(problem.objective, GeneralExample):
        bracket = bracket_general(problem.objective, problem.optimum)
    else:
        return MaximumBracket(problem.optimum, problem.optimum, 0, problem.certified)
    if bracket.lower > problem.optimum + problem.optimum_error:
        raise CompanionError(
            f"{problem.name}: {bracket.lower!r} is attained, more than the optimum {problem.optimum!r}"
        )
    return bracket


def bracket_general(example: GeneralExample, incumbent: float) -> MaximumBracket:
    """Branch and bound over r = |y| in [0, 1]; the reward depends on nothing else."""
    return branch_and_bound(example.by_modulus, [[example.curvature]], [0.0], [1.0], incumbent, WIDTH)


BRANIN_FLOOR = math.sqrt(10.0 / (8.0 * math.pi))
BRANIN_SLOPE = 5.0 / math.pi + 10.0 * 5.1 / (4 * math.pi**2)
#: Bounds on the absolute second derivatives of the two factors of Branin's expectation.
#:
#: With :math:`h=\sqrt{a^2+r}`, :math:`a=v-q(u)`, :math:`S=10(1-\tfrac1{8\pi})`, :math:`r=S\cos u+10`: h is at least
#: :math:`\rho=\sqrt{10/8\pi}` and at least |a| and :math:`\sqrt{S(1+\cos u)}`. In v, :math:`h''=r/h^3\le1/\rho`. In u,
#: :math:`h''=(a'^2+aa''+r''/2)/h-(aa'+r'/2)^2/h^3`, where |a'| is at most its value at u = -5, :math:`|a''|=10.2/4\pi^2`,
#: :math:`|r''|\le S` and :math:`|r'|/2h\le\sqrt{S/2}`. One unit of x is 15 of u and of v.
BRANIN_CURVATURE = (
    225.0
    * (
        BRANIN_SLOPE**2
        + BRANIN_FLOOR * 2 * 5.1 / (4 * math.pi**2)
        + BRANIN_SCALE / 2
        + (BRANIN_SLOPE + math.sqrt(BRANIN_SCALE / 2)) ** 2
    )
    / BRANIN_FLOOR,
    225.0 / BRANIN_FLOOR,
)


def bracket_branin(reward: ModifiedBranin, optimiser: Floats) -> MaximumBracket:
    """Branch and bound for each factor: both are positive, so the largest -F_1 F_2 takes the least of each."""
    least, cells, width = [], 0, WIDTH / 100
    for index in (0, 1):

        def negative(x: Floats, index: int = index) -> tuple[Floats, Floats]:
            value, slope = reward.factor(index, x[:, 0])
            return -value, -slope[:, None]

        incumbent = -float(reward.factor(index, optimiser[index : index + 1])[0][0])
        part = branch_and_bound(negative, [[BRANIN_CURVATURE[index]]], [0.0], [1.0], incumbent, width, width / 10)
        least.append((-part.lower, -part.upper))
        cells += part.cells
    (attained, below), (other_attained, other_below) = least
    argument = "branch and bound with second-order bounds for each of two factors"
    return MaximumBracket(-attained * other_attained, -below * other_below, cells, argument)


def bracket_portfolio(expectation: ExpectedReturn, incumbent: float) -> MaximumBracket:
    """Branch and bound with second-order bounds from the norm of the expectation."""
    corners = np.zeros(DECISIONS), np.ones(DECISIONS)
    settings = (incumbent, PORTFOLIO_WIDTH, PORTFOLIO_ROUNDING)
    return branch_and_bound(expectation.with_gradient, expectation.curvature, *corners, *settings)


def bracket_hartmann(reward: Hartmann, incumbent: float, tolerance: float = WIDTH) -> MaximumBracket:
    r"""Branch and bound over the weights of a stationary point of :math:`\sum_iw_i(x)`, a sum of four Gaussian bumps.

    As for the function without context (:func:`companion.problems.benchmarks.bracket_hartmann`): the centres lie inside
    the box, so the maximum is stationary and is a mean of the centres with weights :math:`w_iA_{ij}`. Whichever w_i is
    the largest is set to one, the ratios of the others are searched in [0, 1]^3; a cell is dropped when the sum is small
    on the range of points that it allows, or when the terms there contradict its ratios.
    """
    weights, rates, centres = reward.weights, HARTMANN_RATES[:, :5], HARTMANN_CENTRES[:, :5]
    best, cells = incumbent, 0
    for largest in range(4):
        low, high = np.zeros((1, 4)), np.ones((1, 4))
        low[:, largest] = 1.0
        others = [i for i in range(4) if i != largest]
        while len(low):
            cells += len(low)
            if cells > MOST_CELLS:
                raise CompanionError(f"{MOST_CELLS} cells do not bracket the maximum to {tolerance:g}")
            points = [
                (ratios @ (rates * centres)) / (ratios @ rates)
                for choice in itertools.product((False, True), repeat=4)
                for ratios in [np.where(choice, low, high)]
            ]
            least, most = np.min(points, axis=0), np.max(points, axis=0)
            centre, radius = (least + most) / 2, (most - least) / 2 + 1e-14
            near = np.maximum(np.abs(centre[:, None, :] - centres) - radius[:, None, :], 0.0)
            far = np.abs(centre[:, None, :] - centres) + radius[:, None, :]
            terms_high = weights * np.exp(-(rates * near**2).sum(axis=2))
            terms_low = weights * np.exp(-(rates * far**2).sum(axis=2))
            values, upper = _bumps_on_cells(weights, rates, centres, centre, radius, terms_high, far)
            best = max(best, float(values.max()))
            possible = terms_high / terms_low[:, largest, None] * (1 + 1e-12) >= low
            possible &= terms_low / terms_high[:, largest, None] * (1 - 1e-12) <= high
            keep = possible.all(axis=1) & (upper > best + tolerance)
            low, high = _halved(low[keep], high[keep], others)
    return MaximumBracket(best, best + tolerance, cells, "branch and bound over the weights of stationary points")


def _bumps_on_cells(
    weights: Floats, rates: Floats, centres: Floats, centre: Floats, radius: Floats, most: Floats, far: Floats
) -> tuple[Floats, Floats]:
    """Values at the cells' centres (n,), and upper bounds on the cells (n,): term by term, or by Taylor's theorem."""
    offset = centre[:, None, :] - centres
    terms = weights * np.exp(-(rates * offset**2).sum(axis=2))
    gradient = -2.0 * np.einsum("ni,ij,nij->nj", terms, rates, offset)
    # h'Hh = sum_i w_i ((2 sum_j A_ij d_ij h_j)^2 - 2 sum_j A_ij h_j^2), whose second part only lowers it.
    slope = 2.0 * np.einsum("ij,nij,nj->ni", rates, far, radius)
    values = terms.sum(axis=1)
    taylor = values + (np.abs(gradient) * radius).sum(axis=1) + 0.5 * (most * slope**2).sum(axis=1)
    return values, np.minimum(most.sum(axis=1), taylor) + 1e-12


def _halved(low: Floats, high: Floats, columns: list[int]) -> tuple[Floats, Floats]:
    """Every cell halved along the given columns."""
    for column in columns:
        middle = (low[:, column] + high[:, column]) / 2
        left, right = high.copy(), low.copy()
        left[:, column], right[:, column] = middle, middle
        low, high = np.concatenate([low, right]), np.concatenate([left, high])
    return low, high
