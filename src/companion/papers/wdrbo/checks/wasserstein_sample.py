"""Statements: means under an empirical law of contexts (Lemmas 18, 19 and 7, their lines, and ours-l18)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import stats

from companion.checks.cases import Case, at_most, probability
from companion.checks.instance import Instance
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.papers.wdrbo.checks.wasserstein import ROUNDING, Ball, balls
from companion.papers.wdrbo.method.inner import lipschitz_constant, wasserstein
from companion.papers.wdrbo.theory import bounds

DRAWS = 2000


@dataclass(frozen=True)
class Finite:
    """A finite class of functions of actions and contexts, and empirical laws of ``contexts`` draws.

    The contexts are ``atoms`` points of [0, 1] (two: the ends); the functions are ``functions`` random 1-Lipschitz ones for
    each of ``actions``, the context itself, and the negatives of all. Its covers are itself, at any precision.
    """

    atoms: int
    high: float
    actions: int
    functions: int
    contexts: int
    delta: float = 0.1

    @property
    def where(self) -> str:
        """The class in words."""
        law = f"P(c = 1) = {self.high:g}" if self.atoms == 2 else f"{self.atoms} atoms"
        return (
            f"{law}, {self.actions} actions, {2 * self.functions + 2} functions, t = {self.contexts}, "
            f"delta = {self.delta:g}, {DRAWS} draws"
        )

    @property
    def support(self) -> Floats:
        """(atoms,) the contexts."""
        return np.linspace(0.0, 1.0, self.atoms)

    def law(self) -> Floats:
        """(atoms,) the true law."""
        if self.atoms == 2:
            return np.array([1.0 - self.high, self.high])
        return np.asarray(self._stream("law").dirichlet(np.ones(self.atoms)))

    def values(self) -> Floats:
        """(actions, functions + 1, atoms) without the negatives, divided by their Lipschitz constants."""
        generator = self._stream("functions")
        steps = generator.uniform(-1.0, 1.0, (self.actions, self.functions, self.atoms))
        found = np.concatenate([np.broadcast_to(self.support, (self.actions, 1, self.atoms)), steps], axis=1)
        constants = lipschitz_constant(found.reshape(-1, self.atoms), self.support).reshape(found.shape[:2])
        return np.asarray(found / constants[:, :, None])

    def _stream(self, name: str) -> np.random.Generator:
        return stream(0, "wdrbo", "statements", "finite", self.atoms, self.actions, self.functions, self.contexts, name)


@dataclass(frozen=True)
class Corners(Finite):
    """As :class:`Finite`, with contexts at the corners of a simplex with edges of length 1, equally likely.

    There every indicator of a set of corners is 1-Lipschitz, so that a class may have thousands of members that hardly
    depend on each other, and the logarithm of its size is not too large. The functions are indicators of random halves.
    """

    @property
    def where(self) -> str:
        """The class in words."""
        return (
            f"{self.atoms} corners of a simplex, {2 * self.functions + 2} functions, t = {self.contexts}, "
            f"delta = {self.delta:g}, {DRAWS} draws"
        )

    def law(self) -> Floats:
        """(atoms,) equal weights."""
        return np.full(self.atoms, 1.0 / self.atoms)

    def values(self) -> Floats:
        """(1, functions + 1, atoms) zeros and ones."""
        shape = (1, self.functions + 1, self.atoms)
        return np.asarray(self._stream("functions").integers(2, size=shape), dtype=float)


@cache
def deviations(sample: Finite) -> tuple[Floats, Floats]:
    """(draws,) largest E_P* h - E_empirical h over the class without its negatives, and the largest of the opposite."""
    law, values = sample.law(), sample.values().reshape(-1, sample.atoms)
    counts = sample._stream("draws").multinomial(sample.contexts, law, size=DRAWS)
    gaps = (law - counts / sample.contexts) @ values.T
    return gaps.max(axis=1), (-gaps).max(axis=1)


def finite_classes() -> Iterator[Finite]:
    """Fair and rare contexts, one function and two thousand, few draws and many."""
    for high in (0.5, 0.05, 0.9):
        for contexts in (10, 51, 200):
            yield Finite(2, high, 1, 0, contexts)
    yield Finite(2, 0.5, 5, 200, 50)
    yield Finite(7, 0.0, 5, 200, 50)
    yield Finite(20, 0.0, 3, 50, 20, 0.2)
    yield Corners(64, 0.0, 1, 4095, 200)


def upper_tail(upper: Floats, lower: Floats) -> Floats:
    """The deviations upwards alone; ``np.maximum`` takes both."""
    return upper


def _exceeded(sample: Finite, scale: float, tails: Callable[[Floats, Floats], Floats] = upper_tail) -> int:
    """Draws in which some member of the class deviates by more than the radius of Lemma 18."""
    size = math.log(2 * sample.functions + 2)
    radius = bounds.radius(sample.contexts, 1.0, sample.delta, math.log(sample.actions), size, scale, unchecked=True)
    upper, lower = deviations(sample)
    return int((tails(upper, lower) > radius * (1.0 + 1e-9)).sum())


# -- the lines of the proof --------------------------------------------------------------------------------------------


class Tail(Instance, words="h = -c, P(c = 1) = {high:g}, t = {contexts}, epsilon = {radius:g}"):
    """h = -c on the contexts 0 and 1 of which 1 has probability ``high``; the tail of Lemma 18 at ``radius``."""

    high: float
    contexts: int
    radius: float

    def exact(self, sign: int) -> float:
        r"""Probability of :math:`\E_{\mathcal P^*}h>\E_{\hat{\mathcal P}}h+\mathcal R_{\mathcal P^*}(\varepsilon,\pm h)`."""
        # R(eps, g) = sup over the ball of E g, less E g under the centre; h itself rises by moving mass from 1 to 0.
        room = self.high if sign > 0 else 1.0 - self.high
        needed = self.contexts * (self.high + min(self.radius, room))
        # Whole counts: rounding of the right side must not add the atom at equality.
        return float(stats.binom.sf(math.floor(needed + 1e-9), self.contexts, self.high))


def tails() -> Iterator[Tail]:
    """Rare, frequent and fair contexts, small and large radii."""
    for high in (0.01, 0.1, 0.5, 0.9):
        for contexts in (1, 10, 40, 200):
            for radius in (0.05, 0.2, 0.5):
                yield Tail(high, contexts, radius)


def lemma_18_instances() -> Iterator[Finite | Tail | Ball]:
    """Finite classes, tails of one function, and balls of all kinds."""
    yield from finite_classes()
    yield from tails()
    yield Ball("linear", 1, 3, 1.0, 0)
    yield from list(balls())[::5]


@statement(
    "lemma-18",
    "probability",
    lemma_18_instances,
    teeth={
        "0.4 of the radius": {"scale": 2.0 * 0.4**2},
        "the sign of h in the tail": {"sign": 1},
        "(64) without the 2": {"copies": 1.0},
        "five times the exponent of the tail": {"exponent": 2.5},
    },
    depends="lemma-12 class-U",
    corrected=fix(
        r"$\mathcal R_{\mathcal P^*}(\varepsilon,-\tilde h)$ in the tail, twice the right side of (64), and so "
        r"$2(1+L_x)\rho$ in (62)",
        sign=-1,
        copies=2.0,
    ),
)
def lemma_18(sample: Finite, *, scale: float = 2.0) -> Case:
    r"""With probability $1-\delta$, for all $h\in\mathcal U$ and $x$: $\E_{\mathcal P^*}h\le\E_{\hat{\mathcal
    P}_t}h+\varepsilon_t(\rho)L_c^h(x)+(1+L_x)\rho$, $\varepsilon_t(\rho)^2=\frac{2D_{\mathcal
    C}^2}t\big(\log\frac1\delta+d_x\log(1+\frac{2D_{\mathcal X}}\rho)+\log\mathcal N_\infty(\rho,\mathcal U)\big)$

    On finite classes, which are covers of themselves, the share of draws in which some member fails; the tail for one function
    and the lines of the proof are checked below.
    """
    return probability(_exceeded(sample, scale), DRAWS, sample.delta, sample.where)


@lemma_18.on(Tail)
def tail_of_one(tail: Tail, *, sign: int = 1, exponent: float = 0.5) -> Case:
    r""":math:`\Pr(\E_{\mathcal P^*}h>\E_{\hat{\mathcal P}}h+\mathcal R_{\mathcal P^*}(\varepsilon,\pm h))\le
    e^{-\varepsilon^2t/2D_{\mathcal C}^2}` with exact binomial probabilities."""
    return at_most(tail.exact(sign), math.exp(-exponent * tail.radius**2 * tail.contexts), tail.where)


@lemma_18.on(Ball)
def risk_lines(ball: Ball, *, copies: float = 1.0) -> Iterator[Case]:
    r"""(63) :math:`\mathcal R(\varepsilon,h)\le\varepsilon L_c^h`, (65), and (64)
    :math:`\mathcal R(\varepsilon,-h)-\mathcal R(\varepsilon,-\tilde h)\le\|h-\tilde h\|_\infty`."""
    mean, other = ball.values @ ball.centre, np.roll(ball.values, 1, axis=0)
    if ball.kind == "linear":  # all mass at one end of the line, a function from 1 to -1 there, and the zero function
        line, end = np.linspace(1.0, -1.0, ball.size), np.eye(ball.size)[0]
        risk = 1.0 - float(wasserstein(line, ball.support, end, ball.radius).value[0])
        yield at_most(risk, copies * 1.0, f"{ball.where}: (64), a function against zero")
    scale = ROUNDING * float(np.abs(ball.values).max())
    risks = mean - ball.lowest().value  # R(eps, -h)
    others = np.roll(risks, 1)
    at = int(np.argmax(ball.highest() - mean - ball.radius * ball.constants))
    rise = float(ball.highest()[at] - mean[at])
    yield at_most(rise, float(ball.radius * ball.constants[at]) + scale, f"{ball.where}: (63)")
    apart = np.abs(ball.values - other).max(axis=1)
    at = int(np.argmax(risks - others - copies * apart))
    yield at_most(float(risks[at] - others[at]), copies * float(apart[at]) + scale, f"{ball.where}: (64)")
    gaps = np.abs((ball.values - other) @ ball.centre)
    at = int(np.argmax(gaps - apart))
    yield at_most(float(gaps[at]), float(apart[at]), f"{ball.where}: (65)")


#: Scale at which the mean of a fair context leaves the radius upwards in one of ten draws, if there are many.
TUNED = stats.norm.ppf(0.9) ** 2 / 4.0 / math.log(2 / 0.1)


@statement(
    "lemma-19",
    "probability",
    finite_classes,
    teeth={
        "0.4 of the radius": {"scale": 2.0 * 0.4**2},
        "a radius for the upper tail of one function alone": {"scale": TUNED},
    },
    depends="lemma-18",
)
def lemma_19(sample: Finite, *, scale: float = 2.0, tails: Callable[[Floats, Floats], Floats] = np.maximum) -> Case:
    r"""With probability $1-\delta$, for all $x$: $\abs{\E_{\mathcal P^*}h-\E_{\hat{\mathcal
    P}_t}h}\le\varepsilon_t(\rho)L_c^h(x)+(1+L_x)\rho$ for $h\in\mathcal U$

    The class contains :math:`-h` with every h, so that one event covers both signs.
    """
    return probability(_exceeded(sample, scale, tails), DRAWS, sample.delta, sample.where)


@statement(
    "ours-l18",
    "probability",
    finite_classes,
    need("at least one context", lambda sample: sample.contexts >= 1, Finite(2, 0.5, 1, 0, 0)),
    teeth={"0.8 of this radius": {"scale": 0.5 * 0.8**2}, "a third of this radius": {"scale": 0.5 / 9}},
    depends="lemma-18",
)
def ours_l18(sample: Finite, *, scale: float = 0.5) -> Case:
    r"""With probability $1-\delta$, for all $h\in\mathcal U$ and $x$: $\E_{\mathcal P^*}h\le\E_{\hat{\mathcal
    P}_t}h+\varepsilon L_c^h(x)+2(1+L_x)\rho$, $\varepsilon^2=\frac{D_{\mathcal
    C}^2}{2t}\big(\log\frac1\delta+\log\abs{\mathcal X_\rho}+\log\mathcal N_\infty\big)$

    The laws for which h has a small mean are a half-space away from the ball of the true law; an empirical law lies there
    with probability at most :math:`e^{-tH}` (Chernoff), H the relative entropy, and :math:`W_1\le D_{\mathcal C}\sqrt{H/2}`.
    The terms of :math:`\mathcal P^*` cancel, so that two copies of the covering error remain.
    """
    return probability(_exceeded(sample, scale), DRAWS, sample.delta, sample.where)
