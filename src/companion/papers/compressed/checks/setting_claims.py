"""Statements: the claims of abstract and introduction on regret and cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product

import numpy as np

from companion.checks.cases import Case, at_most, exponent
from companion.checks.instance import Instance
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats, Indices
from companion.information import information_gain
from companion.judge.intervals import slope_interval
from companion.papers.compressed.checks.order_models import DELTA, Model, frozen, positive_noise
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.order import FrozenRun, ucb_to_the_end

# -- constant budgets --------------------------------------------------------------------------------------------------

THRESHOLDS = (0.8, 0.4, 0.2, 0.1)
DRAWS = 5
HORIZONS = (100, 1000, 20_000, 10**8)


class Tiny(Instance, words="{name}, noise variance {noise_variance:g}, u = {u:g}"):
    """A few arms with given values and no noise in the observations.

    ``correlations`` (i, j, value) off the diagonal. The order of the arms decides the first round, where all are tied.
    """

    name: str
    values: tuple[float, ...]
    noise_variance: float
    u: float
    correlations: tuple[tuple[int, int, float], ...] = ()

    @property
    def covariance(self) -> Floats:
        """(N, N)."""
        matrix = np.eye(len(self.values))
        for i, j, value in self.correlations:
            matrix[i, j] = matrix[j, i] = value
        return matrix

    def run(self) -> FrozenRun:
        """Compressed UCB to its end."""
        threshold = self.u * self.noise_variance
        return ucb_to_the_end(self.covariance, self.noise_variance, threshold, self.values, [0.0], DELTA)


#: The first arm tells so much about the third, the worst, that it is never kept, and in the end always chosen.
THREE_ARMS = Tiny("three arms", (-0.2, 1.0, -1.0), 1.0, 0.88, ((0, 2, 0.5),))

#: The prior variance is below the threshold.
NOTHING_KEPT = Tiny("two arms, none ever kept", (-2.6, 2.6), 10.0, 0.11)


def constant_budgets() -> Iterator[Model | Tiny]:
    """Two small constructions, and draws of three kernels in two dimensions at three noise levels."""
    yield from (THREE_ARMS, NOTHING_KEPT)
    for kernel, noise in (("se", 0.05), ("matern32", 0.2), ("matern12", 1.0)):
        yield Model(kernel, 1, noise, points_per_axis=20)
        yield Model(kernel, 2, noise, points_per_axis=4)


@lru_cache(maxsize=16)
def limiting_regret(model: Model) -> Floats:
    r"""(:data:`THRESHOLDS`,) regret of the choice in the limit, mean over draws: the limit of :math:`\mathrm{Reg}_T/T`."""
    total = np.zeros(len(THRESHOLDS))
    for place, number in product(range(len(THRESHOLDS)), range(DRAWS)):
        values = model.function(number)
        total[place] += values.max() - values[frozen(model, THRESHOLDS[place], number).arms[-1]]
    return np.asarray(total / DRAWS)


Claim = Callable[[Model | Tiny, bool, float], Iterator[Case]]


def limit_of_order_epsilon(instance: Model | Tiny, *_: float) -> Iterator[Case]:
    """As printed: the growth exponent in epsilon of the limit is at least 1."""
    if isinstance(instance, Model):
        budgets = 0.5 * np.log1p(np.array(THRESHOLDS))
        fit = slope_interval(np.log(budgets), np.log(limiting_regret(instance)))
        yield exponent(fit.low, fit.high, 1.0, f"{instance.where}: exponent of the limit in epsilon", side="at least")


def what_the_proof_gives(instance: Model | Tiny, logarithm: bool, power: float) -> Iterator[Case]:
    """The repaired form on every draw, for several budgets."""
    for number in range(1 if isinstance(instance, Tiny) else DRAWS):
        for u in (instance.u,) if isinstance(instance, Tiny) else THRESHOLDS[::2]:
            yield from _proved(instance, u, number, logarithm, power)


@statement(
    "claim-eps-regret",
    "construction",
    constant_budgets,
    need(
        r"$\kappa(x,x)\le1$",
        lambda instance: isinstance(instance, Tiny) or instance.variance <= 1,
        Model("se", 1, 0.1, variance=4.0),
    ),
    teeth={
        "the limit proportional to epsilon": {"claim": limit_of_order_epsilon},
        "without the logarithm in beta": {"logarithm": False},
        "epsilon in place of its root": {"power": 1.0},
    },
    depends="theorem-3.2-i eq-2.12",
    corrected=fix(
        r"what the proof gives, with probability $1-\delta$: "
        r"$\mathrm{Reg}_T/T\le\sqrt{C_1\beta_T\gamma_{M_T}/T}+\sqrt{C_1\beta_T\epsilon}$, which grows with $T$",
        other=True,
        claim=what_the_proof_gives,
    ),
)
def claim_eps_regret(
    instance: Model | Tiny, *, claim: Claim = limit_of_order_epsilon, logarithm: bool = True, power: float = 0.5
) -> Iterator[Case]:
    r"""For constant $\epsilon>0$: $\mathrm{Reg}_T/T\to O(\epsilon)$ as $T\to\infty$

    As printed: the growth exponent in epsilon of the limit, which is the regret of the candidate of largest variance in
    the frozen posterior, is at least 1. Repaired, on the event of Lemma 8.1, for T up to 10^8:

    .. math:: \frac{\mathrm{Reg}_T}T\le\sqrt{\frac{C_1\beta_TI_T}{T}}+\sqrt{C_1\beta_T\epsilon}.
    """
    return claim(instance, logarithm, power)


def _proved(instance: Model | Tiny, u: float, number: int, logarithm: bool, power: float) -> Iterator[Case]:
    """The repaired form at every horizon, if the confidence bounds hold all along the run."""
    if isinstance(instance, Tiny):
        run, values = instance.run(), np.array(instance.values)
    else:
        run, values = frozen(instance, u, number), instance.function(number)
    noise = instance.noise_variance
    if not run.covered:
        return
    c1, epsilon = bounds.gain_constant(noise), 0.5 * math.log1p(u)
    for horizon in HORIZONS:
        kept = run.indices[: run.order_after(horizon)]
        gain = information_gain(instance.covariance, kept, noise) if len(kept) else 0.0
        beta = float(bounds.finite_beta(horizon, len(values), DELTA))
        first = math.sqrt(c1 * beta * gain / horizon)
        second = math.sqrt(c1 * (beta if logarithm else 1.0)) * epsilon**power
        average = run.cumulative_regret(values.max() - values, horizon) / horizon
        yield at_most(average, first + second, f"{instance.where}, u = {u:g}, draw {number}, T = {horizon}")


# -- cost --------------------------------------------------------------------------------------------------------------

ORDERS = (10, 20, 40, 80, 160)
SIZES = (200, 400, 800)


class Cost(Instance, words="{model.where}"):
    """Fits of dictionaries to candidates of one model; or, with ``rounds``, the order of a run on 9 candidates."""

    model: Model
    rounds: bool = False


class Tally:
    """Counts multiplications, and the numbers held at once."""

    def __init__(self) -> None:
        self.multiplications, self.numbers = 0, 0

    def product(self, left: Floats, right: Floats) -> Floats:
        """``left @ right``, counted: one multiplication for each pair that meets."""
        self.multiplications += left.size * (right.shape[1] if right.ndim == 2 else 1)
        return np.asarray(left @ right)

    def hold(self, *arrays: Floats) -> None:
        """Count the numbers in these arrays."""
        self.numbers += sum(array.size for array in arrays)


Scheme = Callable[[Floats, Indices, float, Tally], Floats]


def joint(covariance: Floats, seen: Indices, noise_variance: float, tally: Tally) -> Floats:
    """Variances (X,) given observations at ``seen``; the covariance of all candidates is updated for every point."""
    posterior = covariance.copy()
    tally.hold(posterior)
    for index in seen:
        column = posterior[index] / (posterior[index, index] + noise_variance)
        posterior -= tally.product(column[:, None], posterior[index][None, :])
    return np.asarray(posterior.diagonal())


def diagonal(covariance: Floats, seen: Indices, noise_variance: float, tally: Tally) -> Floats:
    """Without the correlations of the dictionary, and so without the solves."""
    cross = covariance[seen]
    tally.hold(cross)
    tally.multiplications += 2 * cross.size
    return np.asarray(covariance.diagonal() - np.sum(cross**2, axis=0) / (1.0 + noise_variance))


def solved_anew(covariance: Floats, seen: Indices, noise_variance: float, tally: Tally) -> Floats:
    """Variances (X,) anew from the dictionary: a Cholesky factor and X solves."""
    cross = covariance[seen]
    tally.hold(cross)
    gram = cross[:, seen] + noise_variance * np.eye(len(seen))
    factor, solved = np.zeros_like(gram), np.empty_like(cross)
    tally.hold(gram, factor, solved)
    for row in range(len(seen)):
        for column in range(row):
            rest = tally.product(factor[row, :column], factor[column, :column])
            factor[row, column] = (gram[row, column] - rest) / factor[column, column]
        factor[row, row] = math.sqrt(gram[row, row] - tally.product(factor[row, :row], factor[row, :row]))
        solved[row] = (cross[row] - tally.product(factor[row, :row], solved[:row])) / factor[row, row]
    tally.multiplications += solved.size
    return np.asarray(covariance.diagonal() - np.sum(solved**2, axis=0))


@lru_cache(maxsize=256)
def fitted(model: Model, size: int, order: int, scheme: Scheme) -> tuple[int, int]:
    """Multiplications and numbers held for ``order`` random points of ``size`` random candidates."""
    generator, tally = model.stream("cost", size, order), Tally()
    points = generator.uniform(size=(size, model.dim))
    seen = generator.choice(size, order, replace=False)
    scheme(np.asarray(model.prior(points)), seen, model.noise_variance, tally)
    return tally.multiplications, tally.numbers


def costs() -> Iterator[Cost]:
    """Three kernels in two dimensions, fits and runs."""
    for kernel, dim in product(("se", "matern12", "matern52"), (1, 2)):
        yield Cost(Model(kernel, dim, 0.1))
        yield Cost(Model(kernel, dim, 0.5, points_per_axis=9 if dim == 1 else 3), rounds=True)


@statement(
    "claim-complexity",
    "rate",
    costs,
    positive_noise(Cost(Model("se", 1, 0.0))),
    teeth={
        "a fit that omits the solve": {"scheme": diagonal},
        "the covariance of all candidates": {"scheme": joint},
        "time linear in M": {"time": 1.0},
        "memory that does not grow with M": {"memory": 0.0},
        "an order that grows like the fourth root": {"order": 0.25},
    },
    depends="theorem-3.1 eq-2.7",
)
def claim_complexity(
    cost: Cost, *, scheme: Scheme = solved_anew, time: float = 2.0, memory: float = 1.0, order: float = 0.5
) -> Iterator[Case]:
    r"""With $\epsilon\sim T^{-1/2}$, $p=1$, a round takes $O(XT)$ operations and $O(X\sqrt T)$ memory; in terms of the order,
    which is our form, $O(XM_t^2)$ and $O(XM_t)$

    Counted, not timed: multiplications of a fit from the dictionary alone, and the numbers it holds, as functions of M
    and of X, for M up to X. And the order of compressed UCB with :math:`e^{2\epsilon}-1=T^{-1/2}` after T rounds on nine
    candidates, T up to 10^6, so that a fit is O(T) and the memory :math:`O(\sqrt T)`.
    """
    model = cost.model
    if cost.rounds:
        horizons = [400, 1600, 6400, 25_600, 102_400, 409_600]
        grown = []
        for horizon in horizons:
            run = frozen(model, horizon**-0.5, 0, math.log(horizon))
            grown.append(run.order_after(horizon))
            yield at_most(
                grown[-1], len(model.points) * math.ceil(horizon**order), f"{cost.where}: order after T = {horizon}"
            )
        found = slope_interval(np.log(horizons), np.log(grown))
        # The upper bound X ceil(T^1/2) is approached from below: arms that are far from the best fill up late.
        yield exponent(found.low, found.high, order, f"{cost.where}: exponent of the order in T", allowance=0.05)
        return
    by_order = np.array([fitted(model, SIZES[1], m, scheme) for m in ORDERS])
    by_size = np.array([fitted(model, x, 40, scheme) for x in SIZES])
    for values, power, name in ((by_order[:, 0], time, "multiplications"), (by_order[:, 1], memory, "numbers")):
        found = slope_interval(np.log(ORDERS), np.log(values))
        # Beside X M^2 / 2 there is M^3 / 6, and beside X M there is M^2, with M up to 0.4 X.
        yield exponent(found.low, found.high, power, f"{cost.where}: {name} in M", side="equal", allowance=0.15)
    found = slope_interval(np.log(SIZES), np.log(by_size[:, 0]))
    yield exponent(found.low, found.high, 1.0, f"{cost.where}: multiplications in X", side="equal", allowance=0.1)
