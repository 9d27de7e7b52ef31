"""Answers to the chapter's exercises: each is a folded solution whose numbers are computed."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy import stats

from companion.papers.wdrbo.claims.general import BLOCK, FIRST
from companion.papers.wdrbo.method.inner import lipschitz_constant, wasserstein
from companion.papers.wdrbo.problems.newsvendor import Newsvendor
from companion.papers.wdrbo.problems.shifted import TOLD, NormalDemand
from companion.papers.wdrbo.statements.regret_arms import TwoArms, play_arms
from companion.papers.wdrbo.statements.regret_runs import new_arms
from companion.papers.wdrbo.studies.constants import constant_study
from companion.papers.wdrbo.studies.paper import Evidence
from companion.papers.wdrbo.theory.bounds import crossing
from companion.papers.wdrbo.theory.radii import PRACTICE
from companion.report import recorded, say, where_of
from companion.report.chapter import folded
from companion.report.text import Sentence

NODES = np.linspace(0.0, 1.0, 1001)


@recorded(random=False)
def square() -> Sentence:
    """Exercise 1: the worst law of a ball around a point mass, for the square of the context."""
    values, radius, at = NODES**2, 0.2, 0.5
    centre = (np.abs(NODES - at) < 1e-9).astype(float)
    low = wasserstein(values[None, :], NODES[:, None], centre, radius)
    high = -float(wasserstein(-values[None, :], NODES[:, None], centre, radius).value[0])
    steep = float(lipschitz_constant(values[None, :], NODES[:, None])[0])
    return say(
        folded(
            "ch5-ex-ball",
            "Moving all mass to $c={moved:g}$ costs exactly the radius and gives {low:.3f}; splitting it is worse, as "
            "the square is convex. For the largest mean splitting is better: a share $p$ with $p/2=\\varepsilon$ goes "
            "to 1, which gives {high:.3f}. The Lipschitz constant on $[0,1]$ is {steep:.2f}, attained at the far end, "
            "and Lemma 2 allows {below:.3f} to {above:.3f}: the lower end is no value that the square can take. The "
            "penalty charges the steepest slope anywhere in the set of contexts, whether or not the laws of the ball "
            "get there.",
        ),
        moved=float(NODES[int(low.weights[0].argmax())]),
        low=float(low.value[0]),
        high=high,
        steep=steep,
        below=at**2 - radius * steep,
        above=at**2 + radius * steep,
    )


@recorded(first=0)
def twice() -> Sentence:
    """Exercise 2: why the radius counts twice."""
    runs = play_arms(TwoArms())
    regret, steep = float(runs.regret[0].max()), float(runs.at_optimum[0, -1])
    radius = float(runs.radius[-1])
    return say(
        folded(
            "ch5-ex-twice",
            "Let contexts lie in $[0,1]$ and take the point mass at $\\tfrac12$ for centre, a radius "
            "$0<\\varepsilon\\le\\tfrac12$, $f(A,c)=c/2$ and $f(B,c)=\\tfrac14-\\tfrac\\varepsilon2+\\eta$ with "
            "$0<\\eta<\\varepsilon$. As $f$ is known, the upper confidence bound is $f$, with constants "
            "$L_A=\\tfrac12$ and $L_B=0$. Penalised, $A$ is worth "
            "$\\tfrac14-\\tfrac\\varepsilon2$, less than $B$: the rule plays $B$. Now let the true law be the "
            "point mass at "
            "$\\tfrac12+\\varepsilon$, at distance $\\varepsilon$ from the centre. Under it $A$ is worth "
            "$\\tfrac14+\\tfrac\\varepsilon2$, so $x^*_t=A$ and $r_t=\\varepsilon-\\eta=2\\varepsilon L_A-\\eta$. "
            "For $\\kappa<2$ choose $\\eta<(2-\\kappa)\\varepsilon L_A$; then $r_t>\\kappa\\varepsilon L_A$. One "
            "radius is lost when the benchmark's "
            "mean is carried from the true law to the centre, where the rule compares, the other when the choice's "
            "mean is "
            "carried back. Played with $\\varepsilon={radius:g}$ and $\\eta={edge:g}$: regret {regret:.4f}, and "
            "$2\\varepsilon L_A={twice:.4f}$.",
        ),
        radius=radius,
        edge=TwoArms().edge,
        regret=regret,
        twice=2.0 * radius * steep,
    )


@recorded(first=0)
def regulariser() -> Sentence:
    """Exercise 3: from which regulariser on the printed bound fails."""
    below = constant_study(50).violated_below
    return say(
        folded(
            "ch5-ex-lambda",
            "Without noise $\\beta_t=\\sqrt\\lambda B$. An arm that was never tried has "
            "$\\sigma=\\lambda^{{-1/2}}$ and upper "
            "confidence bound $B$; one that was tried $n\\ge1$ times and paid nothing has "
            "$\\sigma^2=1/(\\lambda+n)$ and upper "
            "confidence bound $B\\sqrt{{\\lambda/(\\lambda+n)}}<B$. So $T$ rounds try the first $T$ arms once "
            "each, and "
            "$R_T=TB$. The largest log determinant of $T-1$ points is that of different arms, "
            "$\\gamma_T=(T-1)\\log(1+1/\\lambda)$, and the bound is "
            "$4\\sqrt\\lambda B\\sqrt{{T((T-1)\\log(1+1/\\lambda)+4\\log(6/\\delta))}}$. Divided by $TB$ and "
            "squared it tends to "
            "$16\\lambda\\log(1+1/\\lambda)$, which grows with $\\lambda$. It is below 1, and (57) exceeded for "
            "all large $T$, "
            "exactly for $\\lambda<{below:.3g}$; at that $\\lambda$ itself the term with $\\delta$ decides, and "
            "the bound holds. At "
            "$\\lambda=0.1$ the limit is {tenth:.2f}, so there this family refutes nothing. The repaired bound has "
            "$C_\\lambda\\log(1+1/\\lambda)=1/\\lambda$ in place of the logarithm, and the regulariser cancels.",
        ),
        below=below,
        tenth=crossing(0.1),
    )


def first_exceeded(lam: float, delta: float) -> int:
    r"""First T with regret T above (57) on the arms, B = 1.

    .. math:: T>\frac{16\lambda(4\log\frac6\delta-\ell)}{1-16\lambda\ell},\qquad\ell=\log(1+1/\lambda)
    """
    each = math.log1p(1.0 / lam)
    return math.floor(16.0 * lam * (4.0 * math.log(6.0 / delta) - each) / (1.0 - 16.0 * lam * each)) + 1


@recorded(first=0)
def rounds() -> Sentence:
    """Exercise 4: the number of rounds from which the printed bound fails, predicted and run."""
    lam = 0.01
    first = first_exceeded(lam, new_arms(lam).delta)
    before, at = (_row_at(lam, count) for count in (first - 1, first))
    return say(
        folded(
            "ch5-ex-arms",
            "$T>4\\sqrt\\lambda\\sqrt{{T((T-1)\\ell+4\\log(6/\\delta))}}$ with $\\ell=\\log(1+1/\\lambda)$ means "
            "$T>16\\lambda((T-1)\\ell+4\\log(6/\\delta))$, that is, as $16\\lambda\\ell<1$ here, "
            "$T(1-16\\lambda\\ell)>16\\lambda(4\\log(6/\\delta)-\\ell)$: from $T={first}$ on. "
            "`companion run wdrbo -p arms={first}` shows regret {regret:.3g} and bound {bound:.3g} at "
            "$\\lambda={lam:g}$, with "
            "`arms={less}` they are {regret_before:.3g} and {bound_before:.3g}.",
        ),
        first=first,
        less=first - 1,
        lam=lam,
        regret=at["regret"],
        bound=at["appendix"],
        regret_before=before["regret"],
        bound_before=before["appendix"],
    )


def _row_at(lam: float, count: int) -> pd.Series:
    """What the chapter's study says at that regulariser, for that number of rounds."""
    rows = constant_study(count).rows
    return rows.iloc[int((rows["lambda"] - lam).abs().argmin())]


@recorded(random=False)
def coin() -> Sentence:
    """Exercise 5: the ball of the experiments around a sample of coin flips."""
    n = 100
    most = math.floor(PRACTICE * math.sqrt(n) + 1e-9)
    inside = float(stats.binom.cdf(n // 2 + most, n, 0.5) - stats.binom.cdf(n // 2 - most - 1, n, 0.5))
    normal = float(2.0 * stats.norm.cdf(2.0 * PRACTICE) - 1.0)
    wanted = float(stats.norm.ppf(0.95) / 2.0)
    return say(
        folded(
            "ch5-ex-coin",
            "All mass is at 0 and 1, so the distance is that of the shares of ones, $|\\hat p-\\tfrac12|$. For "
            "$n=100$ the ball holds the law if the number of ones is within {most} of its mean, which has probability "
            "{inside:.3f}. For large $n$ the share is normal with standard deviation $1/(2\\sqrt n)$, and the "
            "probability tends to {normal:.3f} whatever $n$ is: a radius of order $n^{{-1/2}}$ neither gains nor "
            "loses confidence. A limit of nine in ten takes the constant {wanted:.3f} instead of {practice:g}. In two "
            "coordinates no constant will do, as the distance of a sample from a law with a density shrinks more "
            "slowly.",
        ),
        most=most,
        inside=inside,
        normal=normal,
        wanted=wanted,
        practice=PRACTICE,
    )


ORDERS = np.linspace(0.0, 1.0, 101)
SIZES = np.linspace(0.0, 0.3, 31)
"""Orders and radii that exercise 6 compares."""


def orders() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(31,) best orders of the newsvendor with a known reward, by penalty and by exact worst case, and (101,) "
    "constants."""
    nodes, levels = np.linspace(0.0, 1.0, 201), (np.arange(400) + 0.5) / 400
    nearest = np.abs(TOLD["newsvendor"].quantile(levels)[:, None] - nodes).argmin(axis=1)
    weights = np.bincount(nearest, minlength=len(nodes)) / len(levels)
    x, c = np.repeat(ORDERS, len(nodes))[:, None], np.tile(nodes, len(ORDERS))[:, None]
    values = Newsvendor()(x, c).reshape(len(ORDERS), len(nodes))
    steep, plain = lipschitz_constant(values, nodes[:, None]), values @ weights
    worst = [wasserstein(values, nodes[:, None], weights, float(radius)).value for radius in SIZES]
    # Rounding must not decide between orders that are worth the same.
    penalised = [ORDERS[int(np.round(plain - radius * steep, 9).argmax())] for radius in SIZES]
    return np.array(penalised), ORDERS[np.round(worst, 9).argmax(axis=1)], steep


@recorded(random=False)
def order() -> Sentence:
    """Exercise 6: the newsvendor with a known reward, by the penalty and by the exact worst case."""
    penalised, exact, steep = orders()
    demand = NormalDemand(TOLD["newsvendor"])
    best = demand.optimiser
    reward = float(demand.expected(np.array([[best]]))[0])
    return say(
        folded(
            "ch5-ex-order",
            "Below the order every item of demand earns {steep:g} more, above it nothing: $L(x)={steep:g}$ for "
            "every $x>0$, "
            "and $L(0)=0$. The penalty is the same for all $x>0$, so the rule takes the best of these for the "
            "centre, its "
            "median $m={best:g}$, or $x=0$, which is worth 0: the median as long as $\\E "
            "f(m,c)>{steep:g}\\,\\varepsilon$. With "
            "$\\E\\min(c,m)=m-0.1/\\sqrt{{2\\pi}}$, up to the clipping, $\\E f(m,c)={reward:.3f}$, and the order "
            "jumps from "
            "{best:g} to 0 at $\\varepsilon_0={reward:.3f}/{steep:g}={switch:.3f}$. *Exact worst case:* let $g(x)$ "
            "be the "
            "smallest mean of $f(x,\\cdot)$ over the ball. As half of the mass lies below $m$, "
            "$\\E f(m,c)=8\\,\\E[c;c\\le m]+4m-4m$, so $\\varepsilon_0=\\E[c;c\\le m]$. For "
            "$\\varepsilon<\\varepsilon_0$ let "
            "$\\mathcal Q$ be the centre with its lowest demands set to 0, until that has cost $\\varepsilon$: a "
            "law of the ball, "
            "whose only median is still $m$, and with $\\E_{{\\mathcal Q}}f(m,c)=\\E "
            "f(m,c)-{steep:g}\\,\\varepsilon$. By Lemma 2 "
            "$g(m)$ is no less, so it is equal; and for $x\\ne m$, "
            "$g(x)\\le\\E_{{\\mathcal Q}}f(x,c)<\\E_{{\\mathcal Q}}f(m,c)=g(m)$. For $\\varepsilon>\\varepsilon_0$ "
            "the ball holds a law "
            "with more than half of its mass at 0, under which every $x>0$ loses, while $g(0)=0$. On a grid both "
            "rules agree "
            "at {alike} of {all} radii. Neither moves the order step by step, as one would expect of caution.",
        ),
        steep=float(steep[1:].max()),
        best=best,
        reward=reward,
        switch=reward / float(steep[1:].max()),
        alike=int((np.abs(penalised - exact) < 1e-9).sum()),
        all=len(SIZES),
    )


LEVEL, POWER = 0.05, 0.8
"""Of the test in exercise 7."""


def seeds(evidence: Evidence) -> Sentence:
    """Exercise 7: how many seeds Figure 1 needs."""
    one, two = evidence.pair("general", "wdrbo", "erbo", variant=FIRST, block=BLOCK)
    gap = one - two
    effect = float(gap.mean() / gap.std(ddof=1))
    needed = _needed(effect, POWER, LEVEL)
    separate = math.sqrt((one.var(ddof=1) + two.var(ddof=1)) / 2.0)
    apart = _needed(float(gap.mean() / separate), POWER, LEVEL, groups=2)
    correlation = float(np.corrcoef(one, two)[0, 1])
    return say(
        folded(
            "ch5-ex-seeds",
            "Over {n} seeds the difference of the cumulative regrets, WDRBO minus ERBO, is {mean:+.2f} on average "
            "with a standard deviation of {sd:.2f}, an effect of {effect:+.2f} standard deviations. A paired test at "
            "level {level:g} sees it with probability {power:.0%} from {needed} seeds on; with {paper} it does so "
            "with probability {have:.0%}. Were the methods run on different seeds, {apart} of each would be "
            "needed. Over the "
            "seeds the two regrets have correlation {correlation:.2f}; pairing {pays}.",
        ),
        n=len(gap),
        mean=float(gap.mean()),
        sd=float(gap.std(ddof=1)),
        effect=effect,
        level=LEVEL,
        power=POWER,
        needed=_count(needed),
        paper=evidence.paper_runs,
        have=_power(effect, evidence.paper_runs, LEVEL),
        apart=_count(apart),
        correlation=correlation,
        pays="pays, as both see the same contexts" if correlation > 0 else "brings nothing here",
        where=where_of(evidence),
    )


def _power(effect: float, count: int, level: float, groups: int = 1) -> float:
    """Power of a two-sided t-test of one sample, or of two groups of ``count`` each; the effect in standard "
    "deviations."""
    degrees = groups * (count - 1)
    limit = stats.t.ppf(1.0 - level / 2.0, degrees)
    shift = abs(effect) * math.sqrt(count / groups)
    return float(stats.nct.sf(limit, degrees, shift) + stats.nct.cdf(-limit, degrees, shift))


MOST_SEEDS = 10_000
"""Looked at."""


def _count(number: float) -> str:
    return f"{number:.0f}" if math.isfinite(number) else f"more than {MOST_SEEDS}"


def _needed(effect: float, power: float, level: float, groups: int = 1) -> float:
    """Smallest number of seeds with that power: doubled until enough, then bisected; infinite beyond 10,000."""
    high = 2
    while _power(effect, high, level, groups) < power:
        high *= 2
        if high > MOST_SEEDS:
            return math.inf
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(effect, middle, level, groups) >= power else (middle, high)
    return high
