"""Statements: the rates that Theorem 1 is compared with, and the compact case (text after Theorem 1, Remark 1)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from companion.bounds.statement import Assumption, Case, Statement, Tooth, at_most, exponent
from companion.gp import gp_draw, grid, kernel_by_name
from companion.information import gain_bracket, gain_bracket_curve, greedy_gain
from companion.papers.tsrsr.bounds import theorem1, variance_ratio
from companion.papers.tsrsr.statements.setting_models import KERNEL_TITLES, Floats, Indices, Model, models, runs_of
from companion.randomness import stream
from companion.reproduce.intervals import slope_interval

SMALL_PRIOR = r"$k(x,x)\le1$"

RATES_1 = Statement(
    id="rates-1",
    title="Sequential UCB and Thompson sampling",
    location="Section 4, text after Theorem 1",
    kind="not-checkable",
    latex=r"With $Tm$ sequential evaluations, GP-UCB and Thompson sampling have simple regret "
    r"$\tilde O\big(\sqrt{\gamma_{Tm}/(Tm)}\big)$",
    reason="Quoted from two other papers, without constants and without the powers of logarithms that the order hides, so that "
    "no finite number of runs could contradict it. What the comparison needs of this paper is rates-3",
    anchor="the-claim",
)

RATES_2 = Statement(
    id="rates-2",
    title="BUCB and parallel Thompson sampling",
    location="Section 4, text after Theorem 1",
    kind="not-checkable",
    latex=r"With $T$ batches of $m$ points, BUCB and parallel Thompson sampling have simple regret "
    r"$\tilde O\big(\rho_m\sqrt{\gamma_{Tm}/(Tm)}\big)$",
    reason="Quoted from two other papers, without constants and without the powers of logarithms that the order hides, and "
    r"with a $\rho_m$ of their own, so that no finite number of runs could contradict it",
    depends=("rates-1",),
    anchor="the-claim",
)

# -- rates-3 -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Horizon:
    """TS-RSR on a model with batches of ``batch`` points, up to ``evaluations`` of them, ``runs`` times."""

    model: Model
    batch: int
    evaluations: int = 1000
    runs: int = 60

    @property
    def where(self) -> str:
        """The runs in words."""
        return f"{self.model.where}, m = {self.batch}, {self.runs} runs"


def horizons() -> Iterator[Horizon]:
    """Two decades of Tm for every model: sequentially with large and with small noise, and in batches of five."""
    for model in models((1.0,)):
        yield Horizon(model, 1)
        yield Horizon(model, 5)
    for model in models((0.3,)):
        yield Horizon(model, 1)


@lru_cache(maxsize=64)
def average_regret(horizon: Horizon, rule: str) -> tuple[Indices, Floats, Floats]:
    r"""Numbers of evaluations n, mean average regret up to each, and certified :math:`\gamma_n` (upper ends).

    Horizons are nested: the rule does not know T.

    Parameters
    ----------
    rule : ``"ts-rsr"``, or ``"uniform"`` for random candidates
    """
    rounds = horizon.evaluations // horizon.batch
    found = runs_of(horizon.model, rounds, horizon.batch, horizon.runs)
    picked = found.at_chosen.reshape(horizon.runs, -1)
    if rule == "uniform":
        generator = horizon.model.stream("uniform")
        picks = generator.integers(found.values.shape[1], size=picked.shape)
        picked = np.take_along_axis(found.values, picks, axis=1)
    regret = np.cumsum(found.values.max(axis=1, keepdims=True) - picked, axis=1).mean(axis=0)
    ends = np.unique(np.geomspace(10, horizon.evaluations, 9).astype(int) // horizon.batch * horizon.batch)
    brackets = gain_bracket_curve(horizon.model.covariance, ends, horizon.model.noise_sd**2)
    return ends, regret[ends - 1] / ends, np.array([bracket.upper for bracket in brackets])


def rates_3(horizon: Horizon, *, power: float = -0.5, rule: str = "ts-rsr") -> Iterator[Case]:
    r"""The order of TS-RSR is that of BUCB: average regret, and so simple regret, is :math:`\tilde O(\rho_m\sqrt{\gamma_n/n})`.

    For fixed m, the exponent in :math:`n=Tm` of mean average regret over :math:`\sqrt{\gamma_n}` is at most -1/2; the
    allowance is the exponent that :math:`\sqrt{\log(Nn^3)}`, which Theorem 1 has, adds on the same n. Besides, Theorem 1
    with its constants, divided by n, at every n.

    Parameters
    ----------
    power : -1/2
    rule : ``"ts-rsr"``, or ``"uniform"`` points
    """
    ends, average, gains = average_regret(horizon, rule)
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


RATES_3 = Statement(
    id="rates-3",
    title="TS-RSR has the order of BUCB",
    location="Section 4, text after Theorem 1",
    kind="rate",
    latex=r"With $T$ batches of $m$ points, TS-RSR has simple regret $\tilde O\big(\rho_m\sqrt{\gamma_{Tm}/(Tm)}\big)$",
    instances=horizons,
    evaluate=rates_3,
    assumptions=(
        Assumption(
            SMALL_PRIOR, lambda horizon: horizon.model.variance <= 1.0, Horizon(Model("se", 1, 1.0, variance=4.0), 1)
        ),
    ),
    depends=("theorem-1", "eq-simple"),
    teeth=(
        Tooth("an exponent of -1", {"power": -1.0}),
        Tooth("random points in place of the rule's", {"rule": "uniform"}),
    ),
    note="Average regret is measured, which bounds simple regret. Theorem 1 itself is far above it",
    anchor="bound-against-measurement",
)

# -- rates-4 -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sizes:
    """Batches of 1 to 40 points, the same number of evaluations for each, ``runs`` times."""

    model: Model
    evaluations: int = 120
    batches: tuple[int, ...] = (1, 2, 4, 8, 20, 40)
    runs: int = 200

    @property
    def where(self) -> str:
        """The runs in words."""
        return f"{self.model.where}, Tm = {self.evaluations}"


def sizes() -> Iterator[Sizes]:
    """Every model, at two noise levels."""
    for model in models((1.0, 0.5)):
        yield Sizes(model)


@lru_cache(maxsize=512)
def warm_up(model: Model, batch: int) -> tuple[int, ...]:
    r"""Fewest maximum-variance points with :math:`T_0\ge m\gamma_{T_0}`, with the certified upper end of the gain."""
    noise = model.noise_sd**2
    path = greedy_gain(model.covariance, 4000, noise)
    below, above = 0, len(path.indices)
    # The gain per point decreases, so the condition stays true once it is.
    while above - below > 1:
        middle = (below + above) // 2
        enough = middle >= batch * gain_bracket(model.covariance, middle, noise).upper
        below, above = (below, middle) if enough else (middle, above)
    return tuple(int(index) for index in path.indices[:above])


def rates_4(found: Sizes, *, initial: str = "warm", share: float = 1.0, limit: float = math.e) -> Iterator[Case]:
    r"""With an initial design, :math:`\rho_m=\tilde O(1)`, so that batches cost nothing in order.

    After :math:`T_0\ge m\gamma_{T_0}` points of maximum variance: :math:`\rho_m\le e` in closed form, and at a fixed
    number of evaluations the mean regret of the batches does not grow with m: its exponent in m is at most 0.

    Parameters
    ----------
    initial : ``"warm"``, the design, or ``"none"``
    share : of the design's points that are evaluated; 1
    limit : of :math:`\rho_m`, e
    """
    covariance, noise = found.model.covariance, found.model.noise_sd**2
    ratios, means = [], []
    for batch in found.batches:
        full = warm_up(found.model, batch) if initial == "warm" else ()
        design = full[: math.ceil(share * len(full))]
        ratios.append(variance_ratio(batch, noise, _largest_variance(covariance, design, noise)))
        runs = runs_of(found.model, found.evaluations // batch, batch, found.runs, design=design)
        means.append(float(runs.regret.mean()))
    yield at_most(max(ratios), limit, f"{found.where}: largest rho_m")
    fit = slope_interval(np.log(found.batches), np.log(means))
    yield exponent(fit.low, fit.high, 0.0, f"{found.where}: exponent of the regret in m")


def _largest_variance(covariance: Floats, design: tuple[int, ...], noise: float) -> float:
    posterior = covariance.copy()
    for index in design:
        posterior -= np.outer(posterior[index], posterior[index]) / (posterior[index, index] + noise)
    return float(posterior.diagonal().max())


RATES_4 = Statement(
    id="rates-4",
    title="After an initial design, batches cost nothing in order",
    location="Section 4, text after Theorem 1, and Appendix B",
    kind="rate",
    latex=r"With maximum-variance points first, $\rho_m=\tilde O(1)$, and batches have the simple regret of sequential "
    r"evaluations in order; with constants: $\rho_m\le e$ once $T_0\ge m\gamma_{T_0}$",
    instances=sizes,
    evaluate=rates_4,
    assumptions=(
        Assumption(SMALL_PRIOR, lambda found: found.model.variance <= 1.0, Sizes(Model("se", 1, 1.0, variance=4.0))),
    ),
    depends=("corollary-1", "rates-3"),
    teeth=(
        Tooth("no initial design", {"initial": "none"}),
        Tooth("a tenth of the design", {"share": 0.1}),
        Tooth("1.2 in place of e", {"limit": 1.2}),
    ),
    note="Regret of the design itself is not counted here. It is the price of the claim, and at such horizons larger than "
    "what the design saves. Without a design, regret grows with m",
    anchor="what-a-batch-costs",
)
