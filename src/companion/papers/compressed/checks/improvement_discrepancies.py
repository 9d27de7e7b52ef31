"""Tests of leads on expected improvement, and of misprints along the proofs."""

from __future__ import annotations

import math

import numpy as np

from companion.checks.suspected_error import Finding, suspected_error
from companion.core.arrays import Floats
from companion.core.templates import significant
from companion.papers.compressed.checks.improvement_acquisition import Bandit, improvement_by_quadrature, states_of, tau
from companion.papers.compressed.checks.improvement_regret import QUIET, TIES, eq_9_21, theorem_3_4
from companion.papers.compressed.checks.regret_discrepancies import horizon_series, regret_bound
from companion.papers.compressed.checks.regret_games import FINITE, IMPROVING
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.freeze import MILLION, first_arm
from companion.papers.compressed.theory.instances import A, E, Game, gain_upper, played


@suspected_error("S11", teeth={"the root of the logarithm": {"power": 0.5}})
def power_of_the_logarithm(*, power: float = 1.0) -> Finding:
    r"""division by $\log(1+\sigma^{-2})$

    The divisor of (3.6) against that of (9.27), and runs that the difference decides, under both readings of R.
    """
    ratios = {v: 1.0 / math.sqrt(math.log1p(1.0 / v)) for v in (0.001, 0.01, 0.1, 1.0)}
    equal_at = 1.0 / (math.e - 1.0)
    powers = (power, 0.5)
    rates = {}
    for game in QUIET:
        rates[f"{game.noise_sd:g}"] = [
            next(case.lhs for case in theorem_3_4(game, power=one, rounds=True) if case.delta is not None)
            for one in powers
        ]
    printed, root = (next(theorem_3_4(MILLION, power=one)) for one in powers)
    refuted = not printed.holds and root.holds and all(root <= QUIET[0].delta for _, root in rates.values())
    listed = ", ".join(f"{ratio:.3f} at $\\sigma^2={v:g}$" for v, ratio in ratios.items())
    shown = ", ".join(f"{p:.0%} (noise sd {name}; with the root {r:.0%})" for name, (p, r) in rates.items())
    return Finding(
        ratios[0.001] < 1.0 and refuted,
        {
            "ratios": {str(v): ratio for v, ratio in ratios.items()},
            "equal at": equal_at,
            "all states": [printed.lhs, root.lhs],
            "rates": rates,
        },
        listed=listed,
        printed=printed,
        candidates=significant(MILLION.size),
        million=MILLION,
        root=root,
        quiet=QUIET,
        shown=shown,
    )


@suspected_error("S12", teeth={"the factor 2": {"factor": 2.0}, "no factor as repair": {"repair": 1.0}})
def square_of_a_sum(*, factor: float = 1.0, repair: float = 2.0) -> Finding:
    r"""$r_t\le L_t+U_t$, hence $r_t^2\le L_t^2+U_t^2$

    (9.21) in a round of the algorithm, and along simulated runs.
    """
    found = [(case.lhs, case.rhs) for tie in TIES for case in eq_9_21(tie, factor=factor)]
    repaired = all(case.holds for instance in (*TIES, *IMPROVING) for case in eq_9_21(instance, factor=repair))
    simulated = [case for game in IMPROVING for case in eq_9_21(game)]
    rounds, broken = sum(case.trials for case in simulated), sum(case.failures for case in simulated)
    left, right = found[0]
    return Finding(left > right and repaired, {"left": left, "right": right, "rounds": rounds, "violations": broken})


@suspected_error("S13", teeth={"at the chosen point": {"at": "variance"}})
def lemma_at_the_maximiser(*, at: str = "optimum_variance") -> Finding:
    r"""$\sum_t\sigma_{t-1}^2(x^*)$ is bounded like $\sum_t\sigma_{t-1}^2(x_t)$

    Both sides of (9.26) on instance E, and how often it fails elsewhere.
    """
    runs = played(E)
    left = getattr(runs, at).sum(axis=1)
    right = bounds.variance_sum_bound(E.noise_variance, gain_upper(E), runs.rejected_budget)
    inside = runs.confident()
    chosen = runs.variance.sum(axis=1)
    broken = int(np.sum(inside & (left > right)))
    elsewhere = {}
    for game in IMPROVING:
        r = played(game)
        limit = bounds.variance_sum_bound(game.noise_variance, gain_upper(game), r.rejected_budget)
        elsewhere[game.where] = int(np.sum(r.optimum_variance.sum(axis=1) > limit))
    # Optimality of the choice compares the two standard deviations only through the score's tail.
    beta = float(runs.beta[-1])
    factor = float(1.0 / tau(np.array([-math.sqrt(beta)]))[0])
    return Finding(
        broken == int(inside.sum()) and broken > 0 and bool(np.all(chosen <= right * (1 + 1e-9))),
        {"left": left.tolist(), "right": right.tolist(), "runs": broken, "elsewhere": elsewhere, "factor": factor},
        instance=E,
        largest_left=left.max(),
        least_right=right.min(),
        largest_right=right.max(),
        inside=int(inside.sum()),
        largest_chosen=chosen.max(),
        broken=broken,
        fail=sum(elsewhere.values()),
        games=sum(g.runs for g in IMPROVING),
        configurations=len(IMPROVING),
    )


@suspected_error("S15", teeth={"a value within its bounds": {"height": 1.0}})
def cases_of_the_lemmas(*, height: float = 10.0) -> Finding:
    r"""Lemma 9.3 without a probability, and with $I_t=\alpha=0$ at $\sigma_{t-1}(x)=0$; Lemma 9.6 with $\tau(z)\le1+z$
    used for a negative argument, and $R$ for $1+R$

    The missing qualifier of Lemma 9.3, its degenerate branch, and the interchanged cases of Lemma 9.6.
    """
    sd = 1.0  # a value ten standard deviations above its mean, incumbent 0
    beta = float(bounds.finite_beta(1, 50, 0.1))
    improvement = height - math.sqrt(beta) * sd
    acquisition = float(improvement_by_quadrature(np.zeros(1), np.ones(1), 0.0)[0])
    at_two = float(tau(np.array([-2.0]))[0])
    z = np.linspace(-8.0, 8.0, 1601)
    excess = float((improvement_by_quadrature(z, np.ones_like(z), 0.0) - np.maximum(z, 0.0)).max())
    known = 0.5  # f(x) known exactly, above the incumbent: the improvement is positive, the printed case says zero
    return Finding(
        improvement > acquisition and at_two > 1.0 - 2.0 and excess <= 0.39895 and known > 0,
        {"left": improvement, "right": acquisition, "tau(-2)": at_two, "excess": excess},
        height=height,
    )


@suspected_error("S24", teeth={"a constant": {"largest": 1.0}})
def size_of_r(*, largest: float = math.inf) -> Finding:
    r"""$R=\sup_{t\ge0}\sup_x|\mu_{t-1}(x)-y^{\max}|/\sigma_{t-1}(x)$, treated as a constant

    R along horizons, and the bounds against the trivial one.
    """
    scores, over, series = [], [], horizon_series()
    for game in series:
        runs = played(game)
        bound = bounds.theorem_34(
            game.horizon,
            float(runs.beta[-1]),
            game.noise_variance,
            gain_upper(game),
            game.alpha,
            np.minimum(runs.supremum_score, largest),
        )
        scores.append(float(np.median(runs.supremum_score)))
        over.append(float(np.median(bound / bounds.trivial_bound(runs.values, game.horizon))))
    spread = np.minimum(played(series[1]).supremum_score, largest)
    ucb, trivial = regret_bound(A), bounds.trivial_bound(played(A).values, A.horizon)
    corollary = bounds.corollary_33(A.horizon, float(A.beta()[-1]), A.noise_variance, A.size)
    listed = ", ".join(f"{value:.1f}" for value in over)
    return Finding(
        min(over) > 1.0 and spread.max() > 1.2 * spread.min(),
        {
            "R": scores,
            "over trivial": over,
            "spread": [float(spread.min()), float(spread.max())],
            "(3.2)": float(ucb.mean()),
        },
        least_spread=spread.min(),
        largest_spread=spread.max(),
        series=series,
        horizons=", ".join(str(game.horizon) for game in series),
        listed=listed,
        instance=A,
        mean_ucb=ucb.mean(),
        mean_trivial=trivial.mean(),
        corollary=corollary,
    )


@suspected_error(
    "S25", teeth={"(8.2) with the other sign": {"sign": 1.0}, "(8.9) before the update": {"updated": False}}
)
def misprints(*, sign: float = -1.0, updated: bool = True) -> Finding:
    """signs, indices, squares and directions

    Misprints along the proofs that a number decides; each as printed is wrong, and right as meant.
    """
    r, c = 1.7, 0.9
    rest = -(r**2) / 2 + c**2 / 2 + (r - c) ** 2 / 2  # what (8.2) has to leave after completing the square
    beta, size, share = 8.0, 50, 0.1 / 6.0
    runs = played(A)
    lanes = np.arange(A.runs)
    after = runs.variance * A.noise_variance / (runs.variance + A.noise_variance)
    root = np.sqrt(runs.beta)
    lower = runs.mean + root * np.sqrt(np.where(runs.kept & updated, after, runs.variance))
    star = runs.optimum_mean + root * np.sqrt(runs.optimum_variance)
    state = states_of(Bandit("se", 1, 0.3, 25, 0.5))
    reversed_rounds = sum(
        bool(improvement_by_quadrature(m, s, best).min() < improvement_by_quadrature(m, s, best)[choice])
        for m, s, best, _, choice in state
    )
    checks = {
        "(8.2), second line: $-rc-c^2$ for $-rc+c^2$": abs(rest - (-r * c + sign * c**2)) > 0.1
        and abs(rest - (-r * c + c**2)) < 1e-12,
        "after (8.5): $e^{\\beta_t/2}$ for $e^{-\\beta_t/2}$": size * math.exp(beta / 2) > 1 > share,
        "proof of Lemma 8.1: entropy with $\\sigma$ for $\\sigma^2$": abs(
            0.5 * math.log(2 * math.pi * math.e * 0.3) - 0.5 * math.log(2 * math.pi * math.e * 0.09)
        )
        > 0.1,
        "(8.9): $\\sigma_t$ for $\\sigma_{t-1}$": bool(np.any(lower < star)),
        "after (8.20): $\\sigma_{t-1}^2=\\kappa$ for $\\le\\kappa$": bool(np.any(runs.variance[lanes] < 0.99)),
        "Lemma 8.2: retained rounds only, used for all": bool(np.any(~runs.kept)),
        "(9.17): optimality reversed": reversed_rounds > 0,
        "before (9.23): square of $a+b+c$ missing": 0.3 > 3 * 3 * 0.1**2,
        "introduction: $\\epsilon\\le O(T^{-1/2})$ for the exact order": _smaller_budget(),
    }
    unresolved = [name for name, wrong in checks.items() if not wrong]
    return Finding(
        not unresolved,
        {"checked": len(checks), "confirmed": len(checks) - len(unresolved), "needed": rest},
        checks="; ".join(checks),
        left=-r * c - c**2,
    )


def _smaller_budget() -> bool:
    """Whether a smaller budget, allowed by the wording, keeps more than the exact order does."""
    game = FINITE[0]
    dense = bounds.model_order_limits(game.horizon, 1.0, game.noise_variance, game.size)[0]
    return dense > bounds.model_order_limits(game.horizon, 0.5, game.noise_variance, game.size)[0]


# -- unfounded, or not ----------------------------------------------------------------------------------------------------


@suspected_error("U3", teeth={"half of it": {"share": 0.5}})
def sum_of_variances(*, share: float = 1.0) -> Finding:
    r"""$\sum_t\sigma_{t-1}^2(x_t)\le\frac2{\log(1+\sigma^{-2})}[\gamma_{M_T}+\epsilon|\mathcal M_T^C|]$

    Lemma 9.5 against the sums, over both acquisitions.
    """
    ratios = []
    for game in (*FINITE, *IMPROVING, E):
        runs = played(game)
        limit = share * bounds.variance_sum_bound(game.noise_variance, gain_upper(game), runs.rejected_budget)
        ratios.append(float((runs.variance.sum(axis=1) / limit).max()))
    return Finding(max(ratios) > 1.0 + 1e-9, {"ratio": max(ratios)}, configurations=len(ratios))


@suspected_error("U5", teeth={"a fifth of that power": {"share": 0.2}})
def growth_of_r(*, share: float = 1.0) -> Finding:
    """R stands in the bound as if it did not depend on T

    Growth of R with the horizon against the power that would make (3.6) linear.
    """
    series = horizon_series()
    horizons, limit = [game.horizon for game in series], share * 0.5 * series[0].alpha
    scores = [float(np.median(played(game).supremum_score)) for game in series]
    slope = float(np.polyfit(np.log(horizons), np.log(scores), 1)[0])
    return Finding(slope >= limit, {"R": scores, "slope": slope}, horizons=horizons, limit=limit)


@suspected_error("U6", teeth={"the root of the logarithm": {"power": 0.5}})
def theorem_in_numbers(*, power: float = 1.0) -> Finding:
    """the bound, with its invalid proof

    Whether runs contradict (3.6), with R over all states as printed, and over the states before the rounds.
    """
    long = max(float((played(g).regret / _printed(g)).max()) for g in (*IMPROVING, E))
    decided = next(theorem_3_4(MILLION, power=power))
    frozen = first_arm(MILLION)
    rates = {
        name: [float(np.mean(played(game).regret > _printed(game, rounds))) for game in QUIET]
        for name, rounds in (("all states", False), ("rounds", True))
    }
    sds = ", ".join(f"{g.noise_sd:g}" for g in QUIET)
    shares = ", ".join(f"{rate:.0%}" for rate in rates["rounds"])
    return Finding(
        not decided.holds,
        {"long": long, "rates": rates, "all states": decided.lhs, "stays": float(frozen.stays.mean())},
        games=len(IMPROVING) + 1,
        candidates=significant(MILLION.size),
        million=MILLION,
        runs=significant(MILLION.runs),
        score=frozen.score[frozen.stays].max(),
        quiet=QUIET,
        sds=sds,
        shares=shares,
        any_state=max(rates["all states"]),
    )


def _printed(game: Game, rounds: bool = False) -> Floats:
    """(R,) the right side of (3.6), with R over all states of the run, or over those before its rounds."""
    runs = played(game)
    found = runs.largest_score if rounds else runs.supremum_score
    return bounds.theorem_34(
        game.horizon, float(runs.beta[-1]), game.noise_variance, gain_upper(game), game.alpha, found
    )
