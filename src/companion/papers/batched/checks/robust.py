"""Statements: the robust setting (Theorem 3 of Section 5) and its smaller sampling set (Appendix C)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from operator import attrgetter

import numpy as np

from companion.checks.cases import Case, at_most, none_of, probability
from companion.checks.statement import Teeth, fix, need, statement
from companion.core.arrays import Floats
from companion.papers.batched.theory.bounds import (
    GainEnvelope,
    batch_bounds,
    theorem1_closed,
    theorem1_summed,
    variance_sum_constant,
)
from companion.papers.batched.theory.robust_runs import (
    DELTA,
    RobustSetting,
    Run,
    gain_upper,
    refined,
    runs,
)
from companion.papers.batched.theory.runs import Played
from companion.problems import Neighbourhood

#: From a run to the regret of each batch, (B,).
Charge = Callable[[Run], Floats]

#: Regret of the active point that was displaced (Sec. 2.2), or of the point that was evaluated, as line 7 can be read.
BASE, EVALUATED = attrgetter("base"), attrgetter("query")

SMALL_VARIANCE = need("$k(x,x)\\le1$", lambda setting: setting.variance <= 1.0, RobustSetting(a=0.6, variance=4.0))

CHARGE_TEETH: Teeth = {
    "charges the evaluated point in place of its base point": {"charged": EVALUATED},
    "first batch with $1$ in place of $2$": {"first": 1.0},
    "later batches with $1$ in place of $6$": {"elimination": 1.0},
}


def run_cases(
    setting: RobustSetting, charged: Charge, first: float, elimination: float, norm: float = 1.0
) -> Iterator[Case]:
    """Regret against its bounds: in total, and where the function is fixed also batch by batch.

    Of a random setting, the number of runs above the bound is judged; of a structured one, the worst run among those
    whose confidence bounds held. ``first``, ``elimination`` and ``norm`` as in :meth:`Run.bounds`.
    """
    pairs = [(charged(run), run.bounds(elimination, first, norm)) for run in runs(setting)]
    if not setting.structured:
        above = sum(regret.sum() > bounds.sum() for regret, bounds in pairs)
        yield probability(int(above), len(pairs), DELTA, f"{setting.where}: regret above the bound")
        return
    held = [pair for pair, run in zip(pairs, runs(setting), strict=True) if run.valid]
    regret, bounds = max(held, key=lambda pair: float(pair[0].sum() / pair[1].sum()))
    yield at_most(regret.sum(), bounds.sum(), f"{setting.where}: worst of {len(held)} runs")
    regret, bounds = max(held, key=lambda pair: float((pair[0] / pair[1]).max()))
    worst = int(np.argmax(regret / bounds))
    yield at_most(regret[worst], bounds[worst], f"{setting.where}: batch {worst + 1}, worst of {len(held)} runs")


# -- Theorem 3 ---------------------------------------------------------------------------------------------------------

RANDOM = (
    RobustSetting("se", 1, 0.1, 200, a=0.6),
    RobustSetting("se", 2, 0.3, 200, a=0.75),
    RobustSetting("matern12", 2, 0.5, 300, a=0.75),
    RobustSetting("matern32", 2, 1.0, 200, a=0.4),
    RobustSetting("matern52", 1, 0.05, 300, a=0.45),
)
STRUCTURED = (
    RobustSetting("se", 1, 0.1, 20_000, a=0.6, problem="path"),
    RobustSetting("matern12", 2, 0.05, 20_000, a=0.7, problem="path"),
    RobustSetting("matern52", 2, 20.0, 200, a=0.6, problem="star"),
    RobustSetting("matern32", 3, 2.0, 500, a=0.5, problem="star"),
)


def _a_in_range(setting: RobustSetting) -> bool:
    return setting.a is not None and (0.5 if math.isinf(setting.nu) else setting.eta) < setting.a < 1.0


@statement(
    "theorem-3",
    "probability",
    lambda: RANDOM + STRUCTURED,
    SMALL_VARIANCE,
    need("$a\\in(\\frac12,1)$, or $a\\in(\\eta,1)$ for Matérn kernels", _a_in_range, RobustSetting("se", 2, a=0.4)),
    teeth={**CHARGE_TEETH, "leaves the norm out of $\\sqrt\\beta$": {"norm": 0.0}},
    depends="prop-6 lemma-10 prop-3",
)
def theorem_3(
    setting: RobustSetting, *, charged: Charge = BASE, first: float = 2.0, elimination: float = 6.0, norm: float = 1.0
) -> Iterator[Case]:
    r"""With the sizes of (6), with probability at least $1-\delta$,
    $R_{\xi,T}\le2N_1\sqrt\beta+\sum_{i=2}^B6\sqrt{C\beta}\,N_i\sqrt{\gamma_{N_{i-1}}/N_{i-1}}=O((\Lambda+\sqrt{\log\log\log
    T})\sqrt{T\gamma_T})$ for $a\in(\frac12,1)$, and with $\bar\gamma_T$ in place of $\gamma_T$ for Matérn kernels and
    $a\in(\eta,\frac12]$

    On runs every batch is judged by its own term, with realised gains (eqs. 158 to 163). With certified upper bounds on
    :math:`\gamma` the sum is at most the sums of eqs. (29) to (35), or (42) to (48) where :math:`a\le1/2`, with
    :math:`12\sqrt C` for :math:`4\sqrt{C_1}`. ``norm`` multiplies :math:`\Psi` in :math:`\sqrt\beta`.
    """
    yield from run_cases(setting, charged, first, elimination, norm)
    if setting.structured:
        return
    by_batch, summed, closed = totals(setting, elimination)
    yield at_most(by_batch, summed, f"{setting.where}: batches against their sum in terms of T")
    yield at_most(summed, closed, f"{setting.where}: the sum against its closed form")


@lru_cache(maxsize=64)
def totals(setting: RobustSetting, elimination: float) -> tuple[float, float, float]:
    """Bounds on the regret with certified gains: added up over the batches, in terms of T, and without B."""
    width, noise_sd = runs(setting)[0].width, setting.noise_sd
    by_batch = batch_bounds(setting.sizes, certified(setting), width, noise_sd, elimination=elimination).sum()
    assert setting.a is not None  # the rule is eq. (6)
    gain: float | GainEnvelope = gain_upper(setting)[setting.horizon]
    if setting.a <= 0.5:
        gain = GainEnvelope.fitted(setting.sizes[:-1], certified(setting)[:-1], setting.eta, 2 * setting.eta)
    arguments = setting.horizon, setting.a, gain, width, noise_sd
    summed = theorem1_summed(*arguments, elimination=elimination)
    return float(by_batch), summed, theorem1_closed(*arguments, elimination=elimination)


def certified(setting: RobustSetting) -> list[float]:
    """Certified upper bounds on gamma at N_1..N_B."""
    gains = gain_upper(setting)
    return [gains[n] for n in setting.sizes]


# -- Appendix C --------------------------------------------------------------------------------------------------------

REFINED = (
    # The first batch is long enough to drop the pair (0, 1), and too short to eliminate arm 2.
    RobustSetting("se", 1, 1.0, rule="given", given=(30, 8_000, 100), problem="dropped"),
    RobustSetting("matern12", 2, 0.5, rule="given", given=(8, 8_000, 100), problem="dropped", height=30.0, apart=0.8),
    RobustSetting("matern52", 1, 1.0, rule="given", given=(30, 8_000, 100), problem="dropped", apart=0.8),
    RobustSetting("se", 1, 0.1, 300, a=0.6),
    RobustSetting("matern32", 2, 0.05, 300, a=0.6),
    RobustSetting("matern52", 1, 0.3, 300, a=0.75),
)


@statement(
    "app-C",
    "inequality",
    lambda: REFINED,
    SMALL_VARIANCE,
    teeth={
        "all pairs in the minima of line 13, as printed": {"refinement": "printed"},
        "$\\sqrt\\beta/20$ in (165)": {"share": 0.05},
        "$0.1$ in place of the $6$ of Lemma 10": {"elimination": 0.1},
    },
    depends="lemma-8 lemma-9 lemma-10 theorem-3",
    corrected=fix(
        "both minima of line 13 are taken over the pairs that were kept; then the proof of Lemma 10 goes through",
        other=True,
        refinement="repaired",
    ),
)
def appendix_c(
    setting: RobustSetting, *, refinement: str = "printed", elimination: float = 6.0, share: float = 1.0
) -> Iterator[Case]:
    r"""Sampling only pairs with $LCB_{i-1}(x+\delta)\le\min_{\delta'}UCB_{i-1}(x+\delta')$ loses no true minimiser,
    and Lemma 10 and Theorem 3 remain as they are

    In runs whose confidence bounds hold: (166), (167): for every survivor x, a neighbour at which f is smallest has
    :math:`LCB_i\le\min_{\delta'}UCB_i(x+\delta')`; Lemma 10: every survivor of batch i has
    :math:`r_\xi(x)\le6\sqrt{C\beta I_i/N_i}`.
    """
    found = refined(setting, refinement)
    lost, checked = np.sum([_minimisers_lost(run, share) for run in found], axis=0)
    yield none_of(int(lost), int(checked), f"{setting.where}, {len(found)} runs: true minimisers dropped")
    pairs = [pair for run in found for pair in _worst_survivors(run, elimination)]
    regret, bound = max(pairs, key=lambda pair: pair[0] / pair[1])
    yield at_most(regret, bound, f"{setting.where}, {len(found)} runs: worst survivor of a batch")


def _minimisers_lost(run: Played, share: float) -> tuple[int, int]:
    """Survivors whose true minimiser (165) drops after some batch, and how many there were."""
    values, relation = run.problem.values, run.problem.neighbourhood.relation
    lost = checked = 0
    for record in run.history[:-1]:
        lower, upper = np.full(len(values), np.inf), np.full(len(values), np.inf)
        lower[record.modelled] = record.mean - share * record.width * record.sd
        upper[record.modelled] = record.mean + share * record.width * record.sd
        for x in np.flatnonzero(record.survivors):
            near = np.flatnonzero(relation[x])
            minimiser = near[np.argmin(values[near])]
            lost += int(lower[minimiser] > upper[near].min())
            checked += 1
    return lost, checked


def _worst_survivors(run: Played, elimination: float) -> list[tuple[float, float]]:
    """Largest robust regret among the survivors of each batch, and Lemma 10's bound on it."""
    problem = run.problem
    robust = problem.robust_optimum - Neighbourhood(problem.neighbourhood.relation).minimum(problem.values)
    root = math.sqrt(variance_sum_constant(problem.noise_sd))
    return [
        (float(robust[r.survivors].max()), elimination * r.width * root * math.sqrt(r.gain / r.size))
        for r in run.history
    ]
