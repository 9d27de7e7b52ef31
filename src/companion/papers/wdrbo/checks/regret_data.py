r"""Statements: the regret in the data-driven setting.

The printed centre contains the context of the round itself, which is not known when the decision is due; here it is made
of the :math:`n=t-1` contexts before it, with n for t in the radius and in :math:`\rho_t`; in the first round, in which
nothing is known, the centre is uniform and the radius is the diameter of the set of contexts. The covering
number of (16) exists by compactness and is known by upper bounds only; it is replaced by 1, below which it cannot be.
That makes rule and bound use a smaller radius than printed, and the check stricter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.checks.cases import Case
from companion.checks.statement import fix, statement
from companion.core.arrays import Floats
from companion.papers.wdrbo.checks.regret_arms import TwoArms
from companion.papers.wdrbo.checks.regret_runs import (
    DATA,
    MAXIMISES,
    NORM,
    RUNS,
    SMALL,
    TINY,
    DataGame,
    compared,
    cumulative_sides,
    data_games,
    found,
    one_round_sides,
)
from companion.papers.wdrbo.theory.chain import covering_slack

#: Known rewards: whatever goes wrong comes from the contexts.
ARMS = TwoArms("data", edge=0.05, horizon=40, runs=RUNS)

#: Contexts as spread as they can be, and a small delta: the radius is nearly as small as it may be, for its constant.
FAIR = TwoArms("data", edge=0.2, horizon=40, runs=1_200, ends=True, delta=0.01)


def slack_of(instance: DataGame | TwoArms, copies: float) -> Floats:
    r""":math:`\rho_t=(1+2L\bar B_t)/n`, (runs, T); 0 in the first round.

    Arms ten length-scales apart under a squared exponential kernel have L = 1 / length-scale and nothing in common.
    """
    steepness = 1.0 if isinstance(instance, TwoArms) or instance.kernel == "independent" else instance.lipschitz
    return covering_slack(found(instance).beta, instance.lam, steepness, copies)


def _one_round_instances() -> Iterator[DataGame | TwoArms]:
    yield from data_games()
    yield ARMS
    yield FAIR


def new_arms_with_data(lam: float, horizon: int) -> DataGame:
    """One context (its set has diameter 0, so that the radius is 0), and new arms in every round."""
    return DataGame(
        "independent",
        decisions=horizon + 1,
        contexts=1,
        lam=lam,
        noise=0.0,
        delta=0.05,
        horizon=horizon,
        runs=1,
        function="last",
    )


def _cumulative_instances() -> Iterator[DataGame | TwoArms]:
    yield from data_games()
    for lam in (1.0, 0.1, SMALL, TINY):
        yield new_arms_with_data(lam, 200)


@statement(
    "thm-8",
    "probability",
    _one_round_instances,
    DATA,
    NORM,
    MAXIMISES,
    teeth={
        "no radius and no covering error": {"scale": 0.0, "copies": 0.0},
        "three tenths of the radius and no covering error": {"scale": 0.3, "copies": 0.0},
        "without the widths": {"width": 0.0},
    },
    depends="lemma-7 lemma-1 thm-4",
)
def theorem_8(instance: DataGame | TwoArms, *, scale: float = 1.0, copies: float = 1.0, width: float = 2.0) -> Case:
    r"""With probability at least $1-2\delta$, for all $t$: $r_t\le\E_{c\sim\mathcal
    P^*}[2\beta_t\sigma_{t-1}(x_t,c)]+2\varepsilon_tL_t(x^*_t)+2\rho_t$, with $\varepsilon_t$ of (16) and
    $\rho_t=(1+2L\bar B_t)/t$.

    ``scale`` multiplies the radius, in the rule and in the bound, and ``copies`` rho; so in thm-9.
    """
    used = replace(instance, scale=scale * instance.scale)
    left, right = one_round_sides(used, 2.0, width, slack=slack_of(used, copies))
    return compared(used, left, right, 2.0 * used.delta)


@statement(
    "thm-9",
    "probability",
    _cumulative_instances,
    DATA,
    NORM,
    MAXIMISES,
    teeth={
        "no radius, no covering error, a tenth of the first term": {"scale": 0.0, "copies": 0.0, "factor": 0.1},
        r"$C_\lambda$ replaced by 1, no covering error": {"small_width": False, "copies": 0.0},
    },
    depends="thm-8 thm-16 ours-thm5",
    corrected=fix(r"with the first term of ours-thm5 (for $\lambda\ge0.4$ the printed one holds)", reading="ours"),
)
def theorem_9(
    instance: DataGame | TwoArms,
    *,
    reading: str = "appendix",
    factor: float = 1.0,
    copies: float = 1.0,
    scale: float = 1.0,
    small_width: bool = True,
) -> Case:
    r"""With probability at least $1-3\delta$: $R_T\le4\beta_T\sqrt{T(\gamma_T+4\log\frac6\delta)}+\sum_{t\le
    T}(2\varepsilon_tL_t(x^*_t)+2\rho_t)$."""
    used = replace(instance, scale=scale * instance.scale)
    slack = slack_of(used, copies)
    left, right = cumulative_sides(used, reading, factor=factor, small_width=small_width, slack=slack)
    return compared(used, left, right, 3.0 * used.delta)
