r"""The general setting with a known shift: the learner is told one law of contexts, and they follow another.

The true law is the told one with its mean moved, clipped to [0, 1] again. The rewards are Figure 1's function, the
newsvendor with a normal demand, and the three-hump camel: those of one decision whose best decision moves with the law
(Ackley's does not). All expectations are closed forms, and every optimum is a root of a known equation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from companion.core.arrays import Floats
from companion.core.errors import known_as
from companion.papers.wdrbo.problems.context import ContextProblem, Settings
from companion.papers.wdrbo.problems.general import GeneralExample
from companion.papers.wdrbo.problems.laws import ClippedNormal, ContextLaw, integral_of_cdf
from companion.papers.wdrbo.problems.newsvendor import COST, PRICE, SALVAGE, Newsvendor
from companion.papers.wdrbo.problems.synthetic import ThreeHumpCamel
from companion.papers.wdrbo.problems.transport import law_distance

#: The law that the learner is told, by reward.
TOLD = {
    "general": ClippedNormal(0.5, 0.1),
    "newsvendor": ClippedNormal(0.4, 0.1),
    "camel": ClippedNormal(0.5, 0.2),
}
SHIFTED = tuple(TOLD)
ROUNDING = 1e-12


@dataclass(frozen=True)
class NormalDemand:
    """Expected reward of the newsvendor under a clipped normal demand, 8 E min(c, x) - 4 x."""

    law: ClippedNormal

    def expected(self, x: Floats) -> Floats:
        r"""E f(x, c), shape (n,): :math:`\mathbb E\min(c,x)=x-\int_0^xF`, and :math:`(z\Phi+\phi)'=\Phi`."""
        order, mean, sd = x[:, 0], self.law.mean, self.law.sd

        sold = order - sd * (integral_of_cdf((order - mean) / sd) - integral_of_cdf(-mean / sd))
        return (PRICE - SALVAGE) * sold - (COST - SALVAGE) * order

    @property
    def optimiser(self) -> float:
        """The demand's quantile at (price - cost) / (price - salvage) = 1/2."""
        return float(self.law.quantile((PRICE - COST) / (PRICE - SALVAGE)))


def camel_optimiser(law: ClippedNormal) -> float:
    """The best x: a = 2 x - 1 is a real root of 4 a - 4.2 a^3 + a^5 + E b in [-1, 1], or an end."""
    reward = ThreeHumpCamel(law)
    roots = np.roots([1.0, 0.0, -4.2, 0.0, 4.0, reward.moments[0]])
    real = roots.real[(np.abs(roots.imag) < 1e-9) & (np.abs(roots.real) <= 1.0)]
    x = (np.concatenate([real, [-1.0, 1.0]]) + 1.0) / 2.0
    return float(x[int(reward.expected(x[:, None]).argmax())])


def _rewards(
    name: str, true: ClippedNormal
) -> tuple[Callable[[Floats, Floats], Floats], Callable[[Floats], Floats], float]:
    """Reward, expected reward and best decision."""
    if name == "general":
        example = GeneralExample(true.distance(0.5))
        return example, example.expected, (1.0 + example.optimiser) / 2
    if name == "newsvendor":
        demand = NormalDemand(true)
        return Newsvendor(), demand.expected, demand.optimiser
    camel = ThreeHumpCamel(true)
    return camel, camel.expected, camel_optimiser(true)


def shifted_problem(name: str, shift: float, noise_sd: float = 0.0) -> ContextProblem:
    """A problem whose told law is ``TOLD[name]`` and whose contexts follow the same law with its mean moved by ``shift``.

    ``meta["distance"]`` is the Wasserstein distance of the two, at most |shift|: clipping shortens it.

    Raises
    ------
    ParameterError
        for an unknown name
    """
    told = TOLD[known_as("problem", name, TOLD)]
    true = ClippedNormal(told.mean + shift, told.sd)
    reward, expected, best = _rewards(name, true)
    at = np.array([best])
    return ContextProblem(
        f"shift-{name}",
        *(np.zeros(1), np.ones(1)),
        *(np.zeros(1), np.ones(1)),
        objective=reward,
        law=ContextLaw((true,)),
        expectation=expected,
        expected_error=ROUNDING,
        optimum=float(expected(at[None, :])[0]),
        optimiser=at,
        optimum_error=ROUNDING,
        noise_sd=noise_sd,
        source="companion",
        certified="root of the derivative of a closed form",
        settings=Settings(radius_scale=0.1, radius_decays=False),
        reference=ContextLaw((told,)),
        meta={"reading": "ours", "distance": law_distance(told, true)},
    )
