"""The problems of Section 5: the general example of Figure 1 and the seven data-driven ones, in two readings.

``"text"`` is the paper's description, ``"code"`` the published code. All decisions live on the unit box, as do all contexts
(except those of Figure 1 when they are not clipped, and a newsvendor's demand in the code). Optima are proved here, and
:mod:`companion.papers.wdrbo.problems.certificates` repeats the proofs; the constants of the published code stand in
``published_optimum``, and nothing is measured against them. ``data/reported/wdrbo/text_and_code.csv`` lists what
separates the readings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest
from companion.papers.wdrbo.problems.certificates import PORTFOLIO_ROUNDING, PORTFOLIO_WIDTH, WIDTH
from companion.papers.wdrbo.problems.context import ContextProblem, Settings
from companion.papers.wdrbo.problems.general import RADIUS, GeneralExample, laws
from companion.papers.wdrbo.problems.laws import BurrXII, ClippedNormal, ContextLaw, Marginal, Uniform
from companion.papers.wdrbo.problems.newsvendor import SHAPE, Newsvendor
from companion.papers.wdrbo.problems.portfolio import ExpectedReturn, portfolio_data, surrogate
from companion.papers.wdrbo.problems.synthetic import Ackley, Hartmann, ModifiedBranin, ThreeHumpCamel

READINGS = ("text", "code")
#: N(0.5, 0.2^2) clipped to [0, 1], the law of most contexts (Appendix 9).
CLIPPED = ClippedNormal(0.5, 0.2)
#: Tolerance for expectations of size 20: their closed forms and quadratures are exact to rounding.
ROUNDING = 1e-12
HARTMANN_OPTIMISER = (
    0.19832203954574826,
    0.1516697194264298,
    0.4850131736355895,
    0.27328648116778914,
    0.31292845313740586,
)
BRANIN_OPTIMISER = (0.18524071764258287, 0.20118844299670746)
#: Third coordinate of the optimiser, by data and law; the first two are 0 and 1.
PORTFOLIO_THIRD = {
    ("evaluations", "normal"): 0.0961350366525,
    ("evaluations", "uniform"): 0.5563559208915,
    ("stand-in", "normal"): 0.8084760488162,
    ("stand-in", "uniform"): 0.7997503175609,
}

#: Constants that the authors' code measures regret against.
PUBLISHED_OPTIMA = {
    "ackley": -12.78,
    "hartmann": 2.3165,
    "branin": -16.0649,
    "camel": -0.1564,
    "newsvendor": 0.464,
    "portfolio-normal": 21.0,
    "portfolio-uniform": 19.0,
}

_PAPER = "Micheli et al. (2025), Section 5 and Appendix 9"
_HUANG = f"{_PAPER}, after Huang et al. (2024)"
_BOUNDED = "branch and bound with second-order bounds, to "


class _Order(NamedTuple):
    reading: str
    noise_sd: float
    data: str


def _box(dim: int) -> tuple[Floats, Floats]:
    return np.zeros(dim), np.ones(dim)


def _problem(
    name: str,
    order: _Order,
    reward: Callable[[Floats, Floats], Floats],
    expectation: Callable[[Floats], Floats],
    marginals: tuple[Marginal, ...],
    optimiser: ArrayLike,
    certified: str,
    width: float = 0.0,
    source: str = _HUANG,
    expected_error: float = ROUNDING,
    **meta: str,
) -> ContextProblem:
    """A data-driven problem on unit boxes."""
    at = np.asarray(optimiser, dtype=np.float64)
    return ContextProblem(
        name,
        *_box(len(at)),
        *_box(len(marginals)),
        objective=reward,
        law=ContextLaw(marginals),
        expectation=expectation,
        expected_error=expected_error,
        optimum=float(expectation(at[None, :])[0]),
        optimiser=at,
        optimum_error=width,
        noise_sd=order.noise_sd,
        source=source,
        certified=certified,
        settings=Settings(),
        published_optimum=None if meta.get("data") == "stand-in" else PUBLISHED_OPTIMA[name],
        meta={"reading": order.reading, **meta},
    )


def general(spread: str = "sd", clipped: bool = True, noise_sd: float = 0.0) -> ContextProblem:
    """The example of Figure 1; the choices left open in the paper are those of :mod:`companion.papers.wdrbo.problems.general`.

    Parameters
    ----------
    spread : ``"sd"`` or ``"variance"``: what the second parameter of the normal laws is
    clipped : whether contexts are clipped to [0, 1]
    noise_sd : of an observed reward

    Raises
    ------
    ParameterError
        for another ``spread``
    """
    told, true = laws(spread, clipped)
    reward = GeneralExample(true.distance(0.5))
    at = np.array([(1.0 + reward.optimiser) / 2])
    return ContextProblem(
        "general",
        *_box(1),
        np.array([true.low]),
        np.array([true.high]),
        objective=reward,
        law=ContextLaw((true,)),
        expectation=reward.expected,
        expected_error=ROUNDING,
        optimum=float(reward.expected(at[None, :])[0]),
        optimiser=at,
        optimum_error=WIDTH,
        noise_sd=noise_sd,
        source=f"{_PAPER}, Figure 1",
        certified=f"{_BOUNDED}{WIDTH:.0e}; attained at 1 - x too",
        settings=Settings(radius_scale=RADIUS, radius_decays=False),
        reference=ContextLaw((told,)),
        meta={"reading": "text", "spread": spread, "clipped": clipped, "decision": "y = 2 x - 1"},
    )


def _general(order: _Order) -> ContextProblem:
    if order.reading == "code":
        raise ParameterError("reading", "got 'code', but no code of Figure 1 is published", "'text'")
    return general(noise_sd=order.noise_sd)


def _ackley(order: _Order) -> ContextProblem:
    reward = Ackley(CLIPPED, 1 if order.reading == "text" else 2)
    why = "proof: the exponential of the root and that of the cosines are both largest in the middle"
    middle = np.full(reward.decisions, 0.5)
    return _problem("ackley", order, reward, reward.expected, (CLIPPED,), middle, why)


def _hartmann(order: _Order) -> ContextProblem:
    reward, why = Hartmann(CLIPPED), f"branch and bound over the stationary points, to {WIDTH:.0e}"
    return _problem("hartmann", order, reward, reward.expected, (CLIPPED,), HARTMANN_OPTIMISER, why, WIDTH)


def _branin(order: _Order) -> ContextProblem:
    reward, why = ModifiedBranin(CLIPPED, CLIPPED), f"{_BOUNDED}{WIDTH:.0e}, for each of two factors"
    contexts = (CLIPPED, CLIPPED)
    return _problem("branin", order, reward, reward.expected, contexts, BRANIN_OPTIMISER, why, WIDTH)


def _camel(order: _Order) -> ContextProblem:
    law = Uniform() if order.reading == "text" else CLIPPED
    why = "proof: E b = 0, and 2 a^2 - 1.05 a^4 + a^6 / 6 is a^2 times a quadratic in a^2 of negative discriminant"
    reward = ThreeHumpCamel(law)
    return _problem("camel", order, reward, reward.expected, (law,), [0.5], why, source=f"{_PAPER}, eq. (83)")


def _newsvendor(order: _Order) -> ContextProblem:
    law = BurrXII(2.0, SHAPE, 1.0 if order.reading == "text" else math.inf)
    reward, why = Newsvendor(), "proof: the expected reward is concave, with derivative 8 P(c > x) - 4"
    return _problem("newsvendor", order, reward, reward.expected, (law,), [reward.optimiser], why)


def _portfolio(name: str, order: _Order) -> ContextProblem:
    kind = name.split("-")[1]
    law = CLIPPED if kind == "normal" else Uniform()
    data = portfolio_data(order.data)
    reward = surrogate(data.name)
    expectation = ExpectedReturn(reward, law, law)
    at = [0.0, 1.0, PORTFOLIO_THIRD[data.name, kind]]
    why = f"{_BOUNDED}{PORTFOLIO_WIDTH:.0e}"
    return _problem(
        name,
        order,
        reward,
        expectation,
        (law, law),
        at,
        why,
        PORTFOLIO_WIDTH,
        expected_error=PORTFOLIO_ROUNDING,
        data=data.name,
        remark=data.remark,
        surrogate="regression of the authors' code, in both readings",
    )


_MAKERS: dict[str, Callable[[_Order], ContextProblem]] = {
    "general": _general,
    "ackley": _ackley,
    "hartmann": _hartmann,
    "branin": _branin,
    "camel": _camel,
    "newsvendor": _newsvendor,
    "portfolio-normal": lambda order: _portfolio("portfolio-normal", order),
    "portfolio-uniform": lambda order: _portfolio("portfolio-uniform", order),
}

#: All problems, Figure 1's first.
NAMES = tuple(_MAKERS)
#: The seven problems of Figures 2 to 4.
DATA_DRIVEN = NAMES[1:]


def chapter_problem(name: str, reading: str = "text", noise_sd: float = 0.0, data: str = "auto") -> ContextProblem:
    """One of the eight problems.

    Parameters
    ----------
    name : see :data:`NAMES`
    reading : ``"text"`` or ``"code"``; Figure 1 has no code
    noise_sd : standard deviation of the noise on a reward; the paper names none, and its code adds none
    data : for the portfolios, see :func:`~companion.papers.wdrbo.problems.portfolio.portfolio_data`

    Raises
    ------
    ParameterError
        for an unknown problem, reading or data set, or a noise that is not a number of at least 0
    DataError
        where the portfolio's evaluations are asked for by name and missing, or are not the published ones
    """
    if name not in _MAKERS:
        raise ParameterError("problem", f"{name!r} is not known", ", ".join(NAMES), nearest(str(name), NAMES))
    if reading not in READINGS:
        raise ParameterError("reading", f"got {reading!r}", "'text' or 'code'", nearest(str(reading), READINGS))
    return _MAKERS[name](_Order(reading, noise_sd, data))
