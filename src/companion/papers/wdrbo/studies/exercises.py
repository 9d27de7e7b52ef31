"""Answers to the chapter's exercises: each is a folded solution whose numbers are computed."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from companion.papers.wdrbo.claims_general import BLOCK, FIRST
from companion.papers.wdrbo.discrepancies.regret import crossing
from companion.papers.wdrbo.inner import lipschitz_constant, wasserstein
from companion.papers.wdrbo.newsvendor import Newsvendor
from companion.papers.wdrbo.shifted import TOLD
from companion.papers.wdrbo.statements.regret_arms import TwoArms, play_arms
from companion.papers.wdrbo.studies.constants import constant_study
from companion.papers.wdrbo.studies.paper import Evidence
from companion.papers.wdrbo.theory import PRACTICE
from companion.report import here, say, where_of
from companion.report.chapter import folded
from companion.report.text import Sentence

NODES = np.linspace(0.0, 1.0, 1001)


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
        where=here(square),
    )


def twice() -> Sentence:
    """Exercise 2: why the radius counts twice."""
    runs = play_arms(TwoArms())
    regret, steep = float(runs.regret[0].max()), float(runs.at_optimum[0, -1])
    radius = float(runs.radius[-1])
    return say(
        folded(
            "ch5-ex-twice",
            "One radius is lost when the benchmark's mean is carried from the true law to the centre, where the rule "
            "compares; the other when the choice's mean is carried back. Both can happen at once. Let arm $A$ pay "
            "$c/2$ and arm $B$ a constant just above what $A$ is worth in the worst case around $c=\\tfrac12$. The "
            "rule takes $B$. If the context then moves by the radius in $A$'s favour, $A$ is worth two radii times "
            "its constant more than $B$. Played with radius {radius:g}: regret {regret:.4f}, and $2\\varepsilon "
            "L={twice:.4f}$.",
        ),
        radius=radius,
        regret=regret,
        twice=2.0 * radius * steep,
        where=here(twice),
    )


def regulariser() -> Sentence:
    """Exercise 3: from which regulariser on the printed bound fails."""
    study = constant_study(50)
    return say(
        folded(
            "ch5-ex-lambda",
            "Without noise $\\beta_t=\\sqrt\\lambda B$. An arm that was never tried has upper confidence bound $B$, "
            "one that was tried about $\\sqrt\\lambda B$; so in $T$ rounds the learner tries $T$ arms and loses $TB$. "
            "The $T-1$ points before the last round have $\\gamma_T=(T-1)\\log(1+1/\\lambda)$, and the bound becomes "
            "$4\\sqrt\\lambda B\\sqrt{{T((T-1)\\log(1+1/\\lambda)+4\\log(6/\\delta))}}$. Divided by $TB$ and for "
            "large $T$, it is too small if $16\\lambda\\log(1+1/\\lambda)<1$: for $\\lambda<{below:.4f}$. At "
            "$\\lambda=0.1$ the left side is {tenth:.2f}, so there this family refutes nothing. The repaired bound "
            "has $C_\\lambda\\log(1+1/\\lambda)=1/\\lambda$ in place of the logarithm, and the regulariser cancels.",
        ),
        below=study.violated_below,
        tenth=crossing(0.1),
        where=here(regulariser),
    )


def coin() -> Sentence:
    """Exercise 4: the ball of the experiments around a sample of coin flips."""
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
            "loses confidence. Nine in ten would need the constant {wanted:.2f} instead of {practice:g}. In two "
            "coordinates no constant will do, as the distance of a sample from a law with a density shrinks more "
            "slowly.",
        ),
        most=most,
        inside=inside,
        normal=normal,
        wanted=wanted,
        practice=PRACTICE,
        where=here(coin),
    )


ORDERS = np.linspace(0.0, 1.0, 101)
SIZES = np.linspace(0.0, 0.3, 31)
"""Orders and radii that exercise 5 compares."""


def orders() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(31,) best orders of the newsvendor with a known reward, by penalty and by exact worst case, and (101,) constants."""
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


def order() -> Sentence:
    """Exercise 5: the newsvendor with a known reward, by the penalty and by the exact worst case."""
    penalised, exact, steep = orders()
    moved = np.flatnonzero(np.abs(penalised - penalised[0]) > 1e-9)
    first = int(moved[0]) if len(moved) else None
    by_penalty = (
        f"up to radius {SIZES[first - 1]:.2f} it orders {penalised[0]:.2f}, as without robustness, and from "
        f"{SIZES[first]:.2f} on {penalised[first]:.2f}"
        if first
        else f"it orders {penalised[0]:.2f} at every radius up to {SIZES[-1]:g}"
    )
    return say(
        folded(
            "ch5-ex-order",
            "Below the order every item of demand earns {steep:g} more, above it nothing: the constant is {steep:g} "
            "for every order above zero. The penalty is the same for all of them, so it can only choose between the "
            "best order and ordering nothing: {by_penalty}. The exact worst case decides alike at {alike} of {all} "
            "radii. While a law of the ball can take away demand from below the order, a unit of radius costs exactly "
            "{steep:g}, whatever the order: here the penalty is the worst case, and neither moves the decision as one "
            "would expect of caution, step by step.",
        ),
        steep=float(steep[1:].max()),
        by_penalty=by_penalty,
        alike=int((np.abs(penalised - exact) < 1e-9).sum()),
        all=len(SIZES),
        where=here(order),
    )


def seeds(evidence: Evidence) -> Sentence:
    """Exercise 6: how many seeds Figure 1 needs."""
    both = evidence.both
    one, two = both.pair("general", "wdrbo", "erbo", variant=FIRST, block=BLOCK)
    gap = one - two
    effect = float(gap.mean() / gap.std(ddof=1))
    power, level = both.margins.claims.get("power", 0.8), both.margins.significance
    needed = _needed(effect, power, level)
    separate = math.sqrt((one.var(ddof=1) + two.var(ddof=1)) / 2.0)
    apart = _needed(float(gap.mean() / separate), power, level, groups=2)
    return say(
        folded(
            "ch5-ex-seeds",
            "Over {n} seeds the difference of the cumulative regrets, WDRBO minus ERBO, is {mean:+.2f} on average "
            "with a standard deviation of {sd:.2f}, an effect of {effect:+.2f} standard deviations. A paired test at "
            "level {level:g} sees it with probability {power:.0%} from {needed} seeds on; with {paper} it does so "
            "with probability {have:.0%}. Were the methods run on different seeds, {apart} of each would be needed: "
            "pairing {pays}.",
        ),
        n=len(gap),
        mean=float(gap.mean()),
        sd=float(gap.std(ddof=1)),
        effect=effect,
        level=level,
        power=power,
        needed=_count(needed),
        paper=both.paper_runs,
        have=_power(effect, both.paper_runs, level),
        apart=_count(apart),
        pays="pays, as both see the same contexts"
        if apart > needed
        else "brings nothing here, as their runs have little in common",
        where=where_of(evidence),
    )


def _power(effect: float, count: int, level: float, groups: int = 1) -> float:
    """Power of a two-sided t-test of one sample, or of two groups of ``count`` each; the effect in standard deviations."""
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
