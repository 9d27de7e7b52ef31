"""Statements: the rates of the methods that Theorem 1 is compared with, measured with the package's own rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from companion.checks.cases import Case, at_most, exponent
from companion.checks.statement import Tooth, need, statement
from companion.core.arrays import Floats
from companion.information import gain_bracket_curve
from companion.judge.intervals import slope_interval
from companion.papers.tsrsr.checks.setting_models import ARMS, Model
from companion.papers.tsrsr.checks.setting_rates import SMALL_PRIOR
from companion.papers.tsrsr.method.round import DenseRound
from companion.papers.tsrsr.method.rules import BUCB, BatchTS, RandomSearch, Rule, draws_width
from companion.papers.tsrsr.theory.bounds import variance_ratio

#: What is measured: name in words, and the package's rule.
RULES: dict[str, tuple[str, Callable[[], Rule]]] = {
    "ucb": ("GP-UCB with hallucinations", lambda: BUCB(partial(draws_width, delta=0.1))),
    "ts": ("Thompson sampling", BatchTS),
    "uniform": ("random candidates", RandomSearch),
}


@dataclass(frozen=True)
class Rival:
    """A rule in batches of ``batch`` points on a model, ``evaluations`` of them, ``runs`` times.

    ``batches`` instead: several batch sizes at that many evaluations.
    """

    rule: str
    model: Model
    batch: int = 1
    evaluations: int = 600
    runs: int = 16
    batches: tuple[int, ...] = ()

    @property
    def where(self) -> str:
        """The runs in words."""
        sizes = f"n = {self.evaluations}" if self.batches else f"m = {self.batch}"
        return f"{RULES[self.rule][0]}, {self.model.where}, {sizes}, {self.runs} runs"


@lru_cache(maxsize=128)
def regret_of(rule: str, model: Model, batch: int, evaluations: int, runs: int) -> Floats:
    """(runs, n) regret of every evaluation; function, noise and the rule's own draws are independent between runs."""
    chosen_by, prior, noise = RULES[rule][1](), model.covariance, model.noise_sd**2
    generator = model.stream("rival", rule, batch, evaluations)
    root, found = np.linalg.cholesky(prior), np.zeros((runs, evaluations))
    for run in range(runs):
        f = root @ generator.standard_normal(len(prior))
        mean, covariance = np.zeros(len(prior)), prior.copy()
        for number, start in enumerate(range(0, evaluations, batch)):
            size = min(batch, evaluations - start)
            picks = chosen_by.choose(DenseRound(number, mean, covariance, noise), size, generator)
            found[run, start : start + size] = f.max() - f[picks]
            mean, covariance = mean.copy(), covariance.copy()
            for index in picks:
                seen = f[index] + model.noise_sd * generator.standard_normal()
                column = covariance[:, index] / (covariance[index, index] + noise)
                mean += column * (seen - mean[index])
                covariance -= np.outer(column, covariance[index])
    return found


def sequential() -> list[Rival]:
    """Both rules, one evaluation at a time, on four kernels and on independent arms."""
    models = (Model("se", 1, 1.0), Model("matern12", 1, 1.0), Model("matern52", 2, 1.0), Model(ARMS, 1, 1.0))
    return [Rival(rule, model) for model in models for rule in ("ucb", "ts")]


def batched() -> list[Rival]:
    """Both rules, in batches of four and five; and 120 evaluations in batches of up to all of them."""
    models = ((Model("se", 1, 0.3), 5), (Model("matern32", 2, 1.0), 4), (Model("matern12", 2, 1.0), 4))
    found = [Rival(rule, model, batch) for model, batch in models for rule in ("ucb", "ts")]
    sizes = (5, 20, 60, 120)
    return found + [
        Rival(rule, Model(kernel, 1, 1.0), evaluations=120, runs=40, batches=sizes)
        for kernel in ("se", "matern32")
        for rule in ("ucb", "ts")
    ]


PRIOR = need(SMALL_PRIOR, lambda found: found.model.variance <= 1.0, Rival("ts", Model("se", 1, 1.0, variance=4.0)))


@statement(
    "rates-1",
    "rate",
    sequential,
    PRIOR,
    teeth={"an exponent of -1": {"power": -1.0}, "random points in place of the rule's": {"rule": "uniform"}},
)
def rates_quoted(found: Rival, *, power: float = -0.5, rule: str | None = None, ratio: float = 1.0) -> Iterator[Case]:
    r"""With $Tm$ sequential evaluations, GP-UCB and Thompson sampling have simple regret $\tilde
    O\big(\sqrt{\gamma_{Tm}/(Tm)}\big)$

    For fixed m the exponent in n of mean average regret over :math:`\sqrt{\gamma_n}` is at most -1/2; the allowance is the
    exponent that :math:`\sqrt{\log(Nn^2)}`, the width of the confidence band, adds on the same n. For fixed n the mean
    regret in batches of m is at most :math:`\rho_m` times that of the same rule one by one; ``ratio`` is its power there.
    """
    name, model, noise = rule or found.rule, found.model, found.model.noise_sd**2
    if found.batches:
        single = float(regret_of(name, model, 1, found.evaluations, found.runs).mean())
        for m in found.batches:
            mean = float(regret_of(name, model, m, found.evaluations, found.runs).mean())
            rho = variance_ratio(m, noise, model.variance) ** ratio
            yield at_most(mean, rho * single, f"{found.where}: m = {m} against one by one")
        return
    regret = regret_of(name, model, found.batch, found.evaluations, found.runs)
    ends = np.unique(np.geomspace(10, found.evaluations, 9).astype(int) // found.batch * found.batch)
    average = np.cumsum(regret.mean(axis=0))[ends - 1] / ends
    gains = np.array([bracket.upper for bracket in gain_bracket_curve(model.covariance, ends, noise)])
    width = [math.sqrt(math.log(len(model.points) * n**2)) for n in ends.tolist()]
    allowance = max(slope_interval(np.log(ends), np.log(width)).high, 0.0)
    fit = slope_interval(np.log(ends), np.log(average / np.sqrt(gains)))
    yield exponent(fit.low, fit.high, power, f"{found.where}: exponent in n", allowance=allowance)


RATES_2 = replace(
    rates_quoted,
    id="rates-2",
    latex=r"With $T$ batches of $m$ points, BUCB and parallel Thompson sampling have simple regret "
    r"$\tilde O\big(\rho_m\sqrt{\gamma_{Tm}/(Tm)}\big)$",
    instances=batched,
    depends=("rates-1",),
    teeth=(*rates_quoted.teeth, Tooth("without rho_m", {"ratio": 0.0}), Tooth("the root of rho_m", {"ratio": 0.5})),
)
