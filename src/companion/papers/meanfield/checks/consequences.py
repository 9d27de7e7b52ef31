"""Statements: the rows of Table 1, by what of them can be computed for finite T."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np

from companion.checks.cases import Case, at_most
from companion.checks.instance import Instance
from companion.checks.statement import need, statement
from companion.core.randomness import stream
from companion.information import GainBracket, gain_bracket
from companion.papers.meanfield.method.kernel import AdditiveKernel, Plays, radial, squared_distances
from companion.papers.meanfield.method.simplex import random_laws
from companion.papers.meanfield.theory.runs import lattice

HORIZON = 100


class Crowd(Instance):
    """M agents with two actions each, features 0 and 1, one context.

    Parameters
    ----------
    most : largest M
    lengthscale : of the actions; laws have three fifths of it
    noise_sd : R
    """

    most: int = 9
    lengthscale: float = 0.5
    noise_sd: float = 0.1

    words = f"two actions, length-scale {{lengthscale:g}}, R = {{noise_sd:g}}, T = {HORIZON}"


FEW = need("joint actions that can be listed", lambda crowd: crowd.most <= 10, Crowd(40))


def crowds() -> tuple[Crowd, ...]:
    """Two noise levels and two length-scales."""
    return Crowd(), Crowd(7, 0.5, 0.5), Crowd(7, 0.8, 0.1)


@lru_cache(maxsize=128)
def crowd_gain(crowd: Crowd, agents: int, kernel: str) -> GainBracket:
    r"""Certified bracket of :math:`\gamma_{100}` for one of the kernels of Table 1.

    Parameters
    ----------
    agents : M; for the mean-field kernel, the laws are those that M agents can play
    kernel : ``"naive"``, one radial function of all M actions; ``"sum"``, of M radial functions of one action each;
        ``"one"``, one of them; or ``"law"``, a radial function of the representative agent's action and the law
    """
    if kernel == "law":
        laws = lattice(2, 1, agents)[:, 0]
        own = np.repeat([[0.0], [1.0]], len(laws), axis=0)
        both = np.tile(laws, (2, 1))
        covariance = radial(squared_distances(own, own), crowd.lengthscale) * radial(
            squared_distances(both, both), 0.6 * crowd.lengthscale
        )
    else:
        count = 1 if kernel == "one" else agents
        joint = np.indices((2,) * count).reshape(count, -1).T.astype(np.float64)
        parts = [joint[:, [i]] for i in range(count)] if kernel == "sum" else [joint]
        covariance = np.sum([radial(squared_distances(part, part), crowd.lengthscale) for part in parts], axis=0)
    return gain_bracket(covariance, HORIZON, crowd.noise_sd**2, rounds=15, exchange_passes=0)


def ceiling(noise_sd: float) -> float:
    r""":math:`\frac T2\log(1+R^{-2})`, what T observations can tell at most."""
    return 0.5 * HORIZON * math.log1p(noise_sd**-2)


@statement(
    "rate-gp-ucb",
    "rate",
    crowds,
    FEW,
    teeth={
        "three times as much with every agent": {"growth": 3.0},
        "the sum of kernels on one action each": {"kernel": "sum"},
    },
    depends="remark-mig-rbf",
)
def rate_gp_ucb(crowd: Crowd, *, growth: float = 1.4, kernel: str = "naive") -> Iterator[Case]:
    r"""$O\big(\beta_T\sqrt{T\iota^{Md_A+d_C}}\big)$ with $\iota=\log T$: the information gain grows exponentially with
    $M$

    Left is the factor times the certified upper end at M, right the certified lower end at M + 1.
    """
    for agents in range(1, crowd.most):
        lower = crowd_gain(crowd, agents + 1, kernel).lower
        if lower > 0.5 * ceiling(crowd.noise_sd):
            break
        upper = crowd_gain(crowd, agents, kernel).upper
        yield at_most(growth * upper, lower, f"{crowd.where}: from M = {agents} to {agents + 1}")


@statement(
    "rate-add-gp-ucb",
    "rate",
    crowds,
    FEW,
    teeth={"the root of M": {"power": 0.5}, "no factor": {"power": 0.0}},
    depends="remark-mig-rbf",
)
def rate_add_gp_ucb(crowd: Crowd, *, power: float = 1.0) -> Iterator[Case]:
    r"""$O\big(\beta_T\sqrt{MT\iota^{d_A+d_C}}\big)$; checked is what stands behind it, in our words: $\gamma_T$ of $M$ summands
    is at most $M$ times that of one

    Left is the certified lower end of the sum's gain, right M to the ``power`` times the upper end of one kernel's.
    """
    one = crowd_gain(crowd, 1, "one").upper
    for agents in range(2, crowd.most + 1):
        yield at_most(
            crowd_gain(crowd, agents, "sum").lower, agents**power * one, f"{crowd.where}: M = {agents} against one"
        )


@statement(
    "rate-mf",
    "rate",
    crowds,
    FEW,
    teeth={
        "the kernel on all actions in its place": {"kernel": "naive", "numbers": range(2, 8)},
        "the laws of three agents taken for all": {"finest": 3},
    },
    depends="remark-mig-rbf thm-4.1",
)
def rate_mf(
    crowd: Crowd, *, finest: int = 240, kernel: str = "law", numbers: Iterable[int] = (2, 4, 8, 30, 120, 240)
) -> Iterator[Case]:
    r"""$O\big(\beta_T\sqrt{T\iota^{d_A+d_C+\abs{A}\abs{C}}}\big)$; checked is what stands behind it, in our
    words: $\gamma_T$ over $(x,c,\xi)$ is bounded for all $M$

    Left is the certified lower end for M agents, right the certified upper end for the lattice with 240 parts, which has
    all laws of the M that divide it and is finer than a hundredth of the length-scale.
    """
    limit = crowd_gain(crowd, finest, "law").upper
    for agents in numbers:
        yield at_most(crowd_gain(crowd, agents, kernel).lower, limit, f"{crowd.where}: M = {agents}")


class Laws(Instance):
    """Three hundred random (x, c, xi) with all length-scales equal."""

    actions: int
    contexts: int
    lengthscale: float = 0.3
    noise_sd: float = 0.1

    words = f"|A| = {{actions}}, |C| = {{contexts}}, length-scale {{lengthscale:g}}, R = {{noise_sd:g}}, T = {HORIZON}"


@lru_cache(maxsize=16)
def law_gains(laws: Laws) -> dict[str, GainBracket]:
    """Brackets of the additive kernel, its parts, and one joint radial function, all with k(z, z) = 1; ``printed``, 2 + |C|."""
    generator = stream(0, "table", laws.where)
    shape = (laws.contexts, laws.actions)
    plays = Plays(
        generator.random((300, 1)),
        generator.integers(laws.contexts, size=(300, 1)).astype(np.float64),
        random_laws(300, shape, generator),
    )
    scale = 1.0 / (2 + laws.contexts)
    kernel = AdditiveKernel(*(laws.lengthscale,) * 3, *(scale,) * 3)
    flat = np.concatenate([part.reshape(300, -1) for part in plays], axis=1)
    found = {
        "additive": kernel(plays),
        "printed": kernel(plays) / scale,
        "joint": radial(squared_distances(flat, flat), laws.lengthscale),
        "x": kernel.action_part(plays.actions, plays.actions),
        "c": kernel.context_part(plays.contexts, plays.contexts),
    }
    found |= {f"law {c}": term for c, term in enumerate(kernel.law_terms(plays.laws, plays.laws))}
    noise = laws.noise_sd**2
    return {name: gain_bracket(k, HORIZON, noise, rounds=15, exchange_passes=0) for name, k in found.items()}


@statement(
    "rate-mf-additive",
    "rate",
    lambda: (
        *(Laws(actions, contexts) for actions in (3, 6) for contexts in (1, 3)),
        Laws(3, 3, 0.6, 0.3),
    ),
    need("at least two actions", lambda laws: laws.actions >= 2, Laws(1, 1)),
    teeth={
        "one context's law counted once for all": {"counted": slice(1)},
        "the joint kernel as the smaller one": {"smaller": "joint", "larger": "additive"},
    },
    depends="remark-mig-rbf eq-1 rate-mf",
)
def rate_mf_additive(
    laws: Laws, *, counted: slice = slice(None), smaller: str = "additive", larger: str = "joint"
) -> Iterator[Case]:
    r"""$O\big(\beta_T\sqrt{T(\abs{C}\iota^{\abs{A}}+\iota^{d_C}+\iota^{d_A})}\big)$; checked is what
    stands behind it, in our words: the gains of the parts add up, and stay below that of one joint kernel

    Left of the first is the additive kernel's certified lower end, right the sum of the parts' upper ends. Left of the
    second is the additive kernel's upper end, right the joint one's lower end, at equal prior variance.
    """
    gains = law_gains(laws)
    parts = ["x", "c", *(f"law {c}" for c in range(laws.contexts)[counted])]
    total = sum(gains[name].upper for name in parts)
    yield at_most(gains["additive"].lower, total, f"{laws.where}: sum of the parts")
    yield at_most(gains[smaller].upper, gains[larger].lower, f"{laws.where}: {smaller} against {larger}")
