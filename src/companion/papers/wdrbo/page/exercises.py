"""Numbers of the answers to the chapter's exercises."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy import stats

from companion.pages import Numbers, recorded
from companion.papers.wdrbo.checks.regret_arms import TwoArms, play_arms
from companion.papers.wdrbo.checks.regret_runs import new_arms
from companion.papers.wdrbo.method.inner import lipschitz_constant, wasserstein
from companion.papers.wdrbo.page.constants import constant_study
from companion.papers.wdrbo.problems.general import GeneralExample
from companion.papers.wdrbo.problems.newsvendor import Newsvendor
from companion.papers.wdrbo.problems.shifted import TOLD, NormalDemand
from companion.papers.wdrbo.theory.bounds import crossing
from companion.papers.wdrbo.theory.radii import PRACTICE

NODES = np.linspace(0.0, 1.0, 1001)


@recorded(random=False)
def square() -> Numbers:
    """Exercise 1: the worst law of a ball around a point mass, for the square of the context."""
    values, radius, at = NODES**2, 0.2, 0.5
    centre = (np.abs(NODES - at) < 1e-9).astype(float)
    low = wasserstein(values[None, :], NODES[:, None], centre, radius)
    high = -float(wasserstein(-values[None, :], NODES[:, None], centre, radius).value[0])
    steep = float(lipschitz_constant(values[None, :], NODES[:, None])[0])
    return Numbers(
        moved=float(NODES[int(low.weights[0].argmax())]),
        low=float(low.value[0]),
        high=high,
        steep=steep,
        below=at**2 - radius * steep,
        above=at**2 + radius * steep,
    )


@recorded(first=0)
def twice() -> Numbers:
    """Exercise 2: why the radius counts twice."""
    runs = play_arms(TwoArms())
    regret, steep = float(runs.regret[0].max()), float(runs.at_optimum[0, -1])
    radius = float(runs.radius[-1])
    return Numbers(
        radius=radius,
        edge=TwoArms().edge,
        regret=regret,
        twice=2.0 * radius * steep,
    )


@recorded(first=0)
def regulariser() -> Numbers:
    """Exercise 3: from which regulariser on the printed bound fails."""
    study = constant_study(50)
    return Numbers(below=study.violated_below, proved=study.proved_from, tenth=crossing(0.1))


def first_exceeded(lam: float, delta: float) -> int:
    r"""First T with regret T above (57) on the arms, B = 1.

    .. math:: T>\frac{16\lambda(4\log\frac6\delta-\ell)}{1-16\lambda\ell},\qquad\ell=\log(1+1/\lambda)
    """
    each = math.log1p(1.0 / lam)
    return math.floor(16.0 * lam * (4.0 * math.log(6.0 / delta) - each) / (1.0 - 16.0 * lam * each)) + 1


@recorded(first=0)
def rounds() -> Numbers:
    """Exercise 4: the number of rounds from which the printed bound fails, predicted and run."""
    lam = 0.01
    first = first_exceeded(lam, new_arms(lam).delta)
    before, at = (_row_at(lam, count) for count in (first - 1, first))
    return Numbers(
        first=first,
        less=first - 1,
        lam=lam,
        regret=at["regret"],
        bound=at["appendix"],
        regret_before=before["regret"],
        bound_before=before["appendix"],
    )


def _row_at(lam: float, count: int) -> pd.Series:
    """Row of the chapter's study at that regulariser, for that number of rounds."""
    rows = constant_study(count).rows
    return rows.iloc[int((rows["lambda"] - lam).abs().argmin())]


@recorded(random=False)
def coin() -> Numbers:
    """Exercise 5: the ball of the experiments around a sample of coin flips."""
    n = 100
    most = math.floor(PRACTICE * math.sqrt(n) + 1e-9)
    inside = float(stats.binom.cdf(n // 2 + most, n, 0.5) - stats.binom.cdf(n // 2 - most - 1, n, 0.5))
    normal = float(2.0 * stats.norm.cdf(2.0 * PRACTICE) - 1.0)
    wanted = float(stats.norm.ppf(0.95) / 2.0)
    return Numbers(
        most=most,
        inside=inside,
        normal=normal,
        wanted=wanted,
        practice=PRACTICE,
    )


ORDERS = np.linspace(0.0, 1.0, 101)
#: Orders and radii that exercise 6 compares.
SIZES = np.linspace(0.0, 0.3, 31)


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


@recorded(random=False)
def order() -> Numbers:
    """Exercise 6: the newsvendor with a known reward, by the penalty and by the exact worst case."""
    penalised, exact, steep = orders()
    demand = NormalDemand(TOLD["newsvendor"])
    best = demand.optimiser
    reward = float(demand.expected(np.array([[best]]))[0])
    return Numbers(
        steep=float(steep[1:].max()),
        best=best,
        reward=reward,
        switch=reward / float(steep[1:].max()),
        alike=int((np.abs(penalised - exact) < 1e-9).sum()),
        radii=len(SIZES),
    )


#: Of the exercise that decides: three plans at four traffics, the forecast, and the shares of ten days that came.
PLANS, TRAFFIC = np.array([0.0, 0.2, 0.6]), np.array([0.3, 0.5, 0.7, 0.9])
FORECAST, CAME = np.array([0.25, 0.5, 0.25, 0.0]), np.array([0.0, 0.3, 0.4, 0.3])
#: By how much earlier forecasts missed the mean traffic, newest last.
MISSES = np.array([0.02, -0.04, 0.12, 0.06, -0.02, 0.16])


@recorded(random=False)
def insurance() -> Numbers:
    """A dozen evaluations of the delivery round: what the rule plays at which radius, chosen from earlier misses, what that
    earns on days that came later, and what an average over an updated forecast plays then."""
    x, c = np.repeat(PLANS, len(TRAFFIC))[:, None], np.tile(TRAFFIC, len(PLANS))[:, None]
    values = np.round(GeneralExample(math.nan)((1 + x) / 2, c), 2).reshape(len(PLANS), len(TRAFFIC))
    told, came = values @ FORECAST, values @ CAME
    steep = lipschitz_constant(values, TRAFFIC[:, None])
    turns = -np.diff(told) / -np.diff(steep)
    apart = float(np.abs(np.cumsum(FORECAST - CAME))[:-1] @ np.diff(TRAFFIC))
    feared = float(np.abs(MISSES).max())
    return Numbers(
        misses=MISSES,
        feared=feared,
        half=feared / 2,
        at_half=int((told - feared / 2 * steep).argmax()),
        at_full=int((told - feared * steep).argmax()),
        updated=(told + came) / 2,
        rewards=values,
        plans=PLANS,
        traffic=TRAFFIC,
        forecast=FORECAST,
        days=CAME,
        told=told,
        came=came,
        steep=steep,
        first=float(turns[0]),
        second=float(turns[1]),
        apart=apart,
        best=int(came.argmax()),
        premium=float(told[0] - told[1]),
        gain=float(came[1] - came[0]),
    )
