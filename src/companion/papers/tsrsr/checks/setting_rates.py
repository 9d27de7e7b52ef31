"""Statements: the rates of TS-RSR itself, with and without an initial design (text after Theorem 1)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from companion.checks.cases import Case, at_most, exponent
from companion.checks.instance import Instance
from companion.checks.statement import need, statement
from companion.core.arrays import Floats, Indices
from companion.information import gain_bracket_curve, greedy_gain
from companion.judge.intervals import slope_interval
from companion.papers.tsrsr.checks.setting_models import Model, models, runs_of, updated
from companion.papers.tsrsr.theory.bounds import theorem1, variance_ratio
from companion.papers.tsrsr.theory.runs import TheoryRuns

SMALL_PRIOR = r"$k(x,x)\le1$"

# -- rates-3 -----------------------------------------------------------------------------------------------------------


class Horizon(Instance, words="{model.where}, m = {batch}, {runs} runs"):
    """TS-RSR on a model with batches of ``batch`` points, up to ``evaluations`` of them, ``runs`` times."""

    model: Model
    batch: int
    evaluations: int = 1000
    runs: int = 50


def horizons() -> Iterator[Horizon]:
    """Two decades of Tm: one by one and in batches of four, and with smaller noise in batches of five."""
    for model in models((1.0,)):
        yield Horizon(model, 1 if model.dim == 1 else 4)
    for model in models((0.3,)):
        if model.dim == 1:
            yield Horizon(model, 5)


def _runs(horizon: Horizon) -> TheoryRuns:
    return runs_of(horizon.model, horizon.evaluations // horizon.batch, horizon.batch, horizon.runs)


def by_the_rule(horizon: Horizon) -> Floats:
    """f at the evaluations of TS-RSR."""
    return _runs(horizon).at_chosen.reshape(horizon.runs, -1)


def at_random(horizon: Horizon) -> Floats:
    """f at as many random candidates."""
    values, size = _runs(horizon).values, by_the_rule(horizon).shape
    return np.take_along_axis(values, horizon.model.stream("uniform").integers(values.shape[1], size=size), axis=1)


@lru_cache(maxsize=64)
def average_regret(horizon: Horizon, reached: Callable[[Horizon], Floats]) -> tuple[Indices, Floats, Floats]:
    r"""Numbers of evaluations n, mean average regret up to each, and certified :math:`\gamma_n` (upper ends).

    Horizons are nested: the rule does not know T. ``reached`` gives f at the evaluations, (R, n).
    """
    best = _runs(horizon).values.max(axis=1, keepdims=True)
    regret = np.cumsum(best - reached(horizon), axis=1).mean(axis=0)
    ends = np.unique(np.geomspace(10, horizon.evaluations, 9).astype(int) // horizon.batch * horizon.batch)
    brackets = gain_bracket_curve(horizon.model.covariance, ends, horizon.model.noise_sd**2)
    return ends, regret[ends - 1] / ends, np.array([bracket.upper for bracket in brackets])


@statement(
    "rates-3",
    "rate",
    horizons,
    need(SMALL_PRIOR, lambda horizon: horizon.model.variance <= 1.0, Horizon(Model("se", 1, 1.0, variance=4.0), 1)),
    teeth={"an exponent of -1": {"power": -1.0}, "random points in place of the rule's": {"reached": at_random}},
    depends="theorem-1 eq-simple",
)
def rates_3(
    horizon: Horizon, *, power: float = -0.5, reached: Callable[[Horizon], Floats] = by_the_rule
) -> Iterator[Case]:
    r"""With $T$ batches of $m$ points, TS-RSR has simple regret $\tilde O\big(\rho_m\sqrt{\gamma_{Tm}/(Tm)}\big)$

    For fixed m, the exponent in :math:`n=Tm` of mean average regret over :math:`\sqrt{\gamma_n}` is at most -1/2; the
    allowance is the exponent that :math:`\sqrt{\log(Nn^3)}`, which Theorem 1 has, adds on the same n. Besides, Theorem 1
    with its constants, divided by n, at every n.
    """
    ends, average, gains = average_regret(horizon, reached)
    size, noise = len(horizon.model.points), horizon.model.noise_sd**2
    logarithm = np.log([math.sqrt(math.log(size * n**3)) for n in ends.tolist()])
    allowance = max(slope_interval(np.log(ends), logarithm).high, 0.0)
    fit = slope_interval(np.log(ends), np.log(average / np.sqrt(gains)))
    yield exponent(fit.low, fit.high, power, f"{horizon.where}: exponent in n", allowance=allowance)
    pairs = [
        (one, theorem1(size, n // horizon.batch, horizon.batch, noise, gain) / n)
        for n, one, gain in zip(ends.tolist(), average.tolist(), gains.tolist(), strict=True)
    ]
    left, right = max(pairs, key=lambda pair: pair[0] / pair[1])
    yield at_most(left, right, f"{horizon.where}: Theorem 1 over n, worst of {len(pairs)}")


# -- rates-4 -----------------------------------------------------------------------------------------------------------


class Sizes(Instance, words="{model.where}, Tm = {evaluations}"):
    """Batches of 1 to 10 points after one design, the same number of evaluations for each, ``runs`` times."""

    model: Model
    evaluations: int = 120
    batches: tuple[int, ...] = (1, 2, 3, 4, 6, 10)
    runs: int = 100


def sizes() -> Iterator[Sizes]:
    """Every model, and those in one dimension with smaller noise."""
    yield from (Sizes(model) for model in models((1.0, 0.5)) if model.noise_sd == 1.0 or model.dim == 1)


@lru_cache(maxsize=64)
def warm_up(model: Model, batch: int) -> tuple[int, ...]:
    r"""Maximum-variance points, the fewest on a geometric grid with :math:`T_0\ge m\gamma_{T_0}`, gains certified."""
    noise, lengths = model.noise_sd**2, np.unique(np.geomspace(batch, 60 * batch, 40).astype(int))
    brackets = gain_bracket_curve(model.covariance, lengths, noise)
    enough = [bracket.horizon for bracket in brackets if bracket.horizon >= batch * bracket.upper]
    return tuple(int(index) for index in greedy_gain(model.covariance, enough[0], noise).indices)


@statement(
    "rates-4",
    "rate",
    sizes,
    need(SMALL_PRIOR, lambda found: found.model.variance <= 1.0, Sizes(Model("se", 1, 1.0, variance=4.0))),
    teeth={
        "no initial design": {"share": 0.0},
        "regret as flat for batches of 20 to 120, without a design": {
            "share": 0.0,
            "limit": math.inf,
            "batches": (20, 30, 40, 60, 120),
        },
        "a thirtieth of the design": {"share": 1 / 30},
        "1.1 in place of e": {"limit": 1.1},
    },
    depends="corollary-1 rates-3",
)
def rates_4(
    found: Sizes,
    *,
    share: float = 1.0,
    limit: float = math.e,
    batches: tuple[int, ...] | None = None,
) -> Iterator[Case]:
    r"""With maximum-variance points first, $\rho_m=\tilde O(1)$, and batches have the simple regret of sequential
    evaluations in order; with constants: $\rho_m\le e$ once $T_0\ge m\gamma_{T_0}$

    After a design of :math:`T_0\ge m\gamma_{T_0}` points of maximum variance, m = 10: :math:`\rho_m\le e` in closed form,
    and the mean regret of as many further evaluations in batches of 1 to 10 grows with m no faster than that
    :math:`\rho_m` does, by fitted exponents. ``share`` is that of the design's points which are evaluated.
    """
    covariance, noise, compared = found.model.covariance, found.model.noise_sd**2, batches or found.batches
    full = warm_up(found.model, max(found.batches))
    design = full[: math.ceil(share * len(full))]
    ratio = variance_ratio(found.batches[-1], noise, _largest_variance(covariance, design, noise))
    yield at_most(ratio, limit, f"{found.where}: rho_m for m = {found.batches[-1]}")
    means = [
        float(runs_of(found.model, found.evaluations // batch, batch, found.runs, design=design).regret.mean())
        for batch in compared
    ]
    largest = _largest_variance(covariance, full, noise)
    after = [variance_ratio(batch, noise, largest) for batch in found.batches]
    allowance = slope_interval(np.log(found.batches), np.log(after)).high
    fit = slope_interval(np.log(compared), np.log(means))
    yield exponent(fit.low, fit.high, 0.0, f"{found.where}: exponent of the regret in m", allowance=allowance)


def _largest_variance(covariance: Floats, design: tuple[int, ...], noise: float) -> float:
    return float(updated(covariance, design, noise).diagonal().max())
