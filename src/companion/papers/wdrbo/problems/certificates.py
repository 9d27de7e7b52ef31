"""Proofs that no decision has a larger expected reward than a problem's optimiser."""

from __future__ import annotations

import math

import numpy as np

from companion.core.arrays import Floats
from companion.core.errors import CompanionError
from companion.papers.wdrbo.problems.context import ContextProblem
from companion.papers.wdrbo.problems.general import GeneralExample
from companion.papers.wdrbo.problems.portfolio import DECISIONS, ExpectedReturn
from companion.papers.wdrbo.problems.synthetic import BRANIN_SCALE, Hartmann, ModifiedBranin
from companion.problems.benchmarks import HARTMANN_CENTRES, HARTMANN_RATES
from companion.problems.branch_and_bound import MaximumBracket, bracket_bumps, branch_and_bound

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
    r"""Branch and bound over the weights of a stationary point of :math:`\sum_iw_i(x)`, a sum of four Gaussian bumps."""
    return bracket_bumps(reward.weights, HARTMANN_RATES[:, :5], HARTMANN_CENTRES[:, :5], incumbent, tolerance)
