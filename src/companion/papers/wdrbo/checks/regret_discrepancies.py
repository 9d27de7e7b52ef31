"""Leads on the regret bounds: Theorems 4, 5, 8, 9 and their corollaries."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from companion.checks.suspected_error import Finding, suspected_error
from companion.core.randomness import stream
from companion.gp import kernel_by_name
from companion.judge.intervals import slope_interval
from companion.papers.wdrbo.checks.regret_arms import SLOPE, TwoArms, play_arms
from companion.papers.wdrbo.checks.regret_means import Sequence, worst_excess
from companion.papers.wdrbo.checks.regret_rates import GROWTHS, HORIZONS, gains_of, terms_of
from companion.papers.wdrbo.checks.regret_runs import new_arms
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.chain import decompose, regret_chain
from companion.papers.wdrbo.theory.runs import Game, play

#: The standard instance.
GAME = Game(runs=40, horizon=60)


@suspected_error("E2", teeth={"λ = 1": {"regularisers": (1.0,)}})
def small_regulariser(*, regularisers: tuple[float, ...] = (1.0, 0.1, 0.01, 0.001)) -> Finding:
    r"""The bound is stated for every $\lambda>0$.

    Orthonormal arms under (57) and ours-thm5, at four regularisers.
    """
    rows = {}
    for lam in regularisers:
        runs = play(new_arms(lam))
        printed = bounds.cumulative(runs.beta[0, -1], 50, runs.log_det[0, -1], lam, 0.05, unchecked=True)
        ours = bounds.cumulative(runs.beta[0, -1], 50, runs.final_log_det[0], lam, 0.05, reading="ours")
        rows[lam] = (float(runs.regret.sum()), float(printed), float(ours))
    points = np.linspace(0.0, 1.0, 51)[:, None]
    covariance = kernel_by_name("se", 1.0 / 500.0)(points)
    overlap = float((covariance - np.eye(51)).max())
    first = float(brentq(lambda lam: bounds.crossing(lam) - 1.0, 1e-6, 1.0))
    proved = float(brentq(lambda lam: bounds.small_width_factor(lam) - 2.0, 1e-2, 1.0))
    violated = [lam for lam, (regret, printed, _) in rows.items() if regret > printed]
    table = "; ".join(
        f"$\\lambda={lam:g}$: regret {a:.3g}, printed {b:.3g}, ours {c:.3g}" for lam, (a, b, c) in rows.items()
    )
    return Finding(
        bool(violated) and all(c >= a for a, _, c in rows.values()),
        {"rows": {str(lam): row for lam, row in rows.items()}, "violated_below": first, "proved_from": proved},
        overlap=overlap,
        table=table,
        missed=1.0 - 50 / 5000,
    )


def rarest_failure(horizon: int = 200) -> float:
    """log10 of the largest delta at which the inequality that (15) needs can fail with two contexts; lambda = 1.

    The decision has one value, the rare context has chance p and does not come up in T rounds, (1 - p)^T >= delta; then
    sum E sigma^2 is at least T p plus the harmonic sum of the other context, and has to exceed 4 gamma_T + 16/T log(6/delta).
    """
    split = np.arange(horizon)
    gain = float(np.max(np.log1p(split) + np.log1p(horizon - 1 - split)))
    harmonic = float(np.sum(1.0 / np.arange(1, horizon + 1)))

    def excess(log_delta: float) -> float:
        p = -math.expm1(log_delta / horizon)
        left = horizon * p + (1.0 - p) * harmonic
        return left - 4.0 * gain - 16.0 / horizon * (math.log(6.0) - log_delta)

    return float(brentq(excess, -400.0, -1e-6)) / math.log(10.0)


@suspected_error("E3", teeth={"the appendix's form": {"reading": "appendix"}})
def two_forms(*, reading: str = "main") -> Finding:
    r"""$\sqrt{T\gamma_T+4\log(6/\delta)}$ in the main text and in the proof of Corollary 17;
    $\sqrt{T(\gamma_T+4\log(6/\delta))}$ in the appendix.

    Where the proof's last steps stand beside (15) and (57), on average over the standard game's runs.
    """
    parts = decompose(play(GAME))
    chain = regret_chain(parts)
    runs, horizon = parts.runs, GAME.horizon
    first = float(
        np.mean(
            bounds.cumulative(
                runs.beta[:, -1],
                horizon,
                runs.log_det[:, -1],
                GAME.lam,
                GAME.delta,
                parts.penalty.sum(axis=1),
                reading,
                unchecked=True,
            )
        )
    )
    before, last = chain["contexts that came up"].value, chain["information gain"].value
    rare = rarest_failure()
    return Finding(
        before > first and first >= chain["measured"].value,
        {"step_i": before, "main": first, "appendix": last, "log10_delta": rare},
        horizon=horizon,
        measured=chain["measured"].value,
    )


@suspected_error("E4", teeth={"a = 1": {"a": 1.0}})
def not_for_every_range(*, a: float = 0.1) -> Finding:
    r"""$x\le2a\log(1+x)$ for all $x\in[0,a]$.

    X <= 2 a log(1 + x) on [0, a].
    """
    threshold = math.expm1(0.5)
    excess = a - 2.0 * a * math.log1p(a)
    sharp = 1.0 / math.log1p(1.0)
    return Finding(excess > 0, {"threshold": threshold, "excess": excess, "sharp_at_1": sharp})


@suspected_error("E5", teeth={"the gain of T points": {"gain": 4.0 * math.log1p(1.0)}})
def shifted_index(*, gain: float = 0.0) -> Finding:
    r"""$\gamma_T$ is defined with $K_{T-1}$, and $\sum_{t\le T}\log(1+\sigma_{t-1}^2)\le\gamma_T$ is used.

    The sum of logarithms at T = 1, its identity on runs, and what the doubled logarithm pays for.
    """
    runs = play(GAME)
    error = float(np.abs(np.log1p(runs.seen_square).sum(axis=1) - runs.final_log_det).max())
    left = 4.0 * math.log1p(1.0)
    spare, missing = 8.0 * math.log(6.0), 4.0 * math.log1p(1.0 / 0.4)
    return Finding(
        left > gain and missing < spare, {"left": left, "identity_error": error, "missing": missing, "spare": spare}
    )


@suspected_error("E9", teeth={"a single round": {"rounds": 1}})
def no_union(delta: float = 0.1, rounds: int = 200, paths: int = 4_000) -> Finding:
    r"""With probability at least $1-2\delta$ for all $t\ge1$, by Lemma 7, which holds for one $t$.

    Intervals that are valid in each round, over many rounds; and the sum that saves the printed radius.
    """
    contexts = stream(0, "wdrbo", "discrepancies", "union").random((paths, rounds)) < 0.5
    counts = np.arange(1, rounds + 1)
    error = np.abs(np.cumsum(contexts, axis=1) / counts - 0.5)
    level = np.quantile(error, 1.0 - delta, axis=0, method="higher")
    single, any_round = float((error > level).mean(axis=0).max()), float((error > level).any(axis=1).mean())
    t = np.arange(1.0, 1e5)
    saved = float(np.sum(delta**4 * (1.0 + 2.0 * t) ** -3))
    spread = np.ptp(play(GAME).beta[:, -1])
    return Finding(
        any_round > delta,
        {"single": single, "any_round": any_round, "summed": saved, "beta_range": float(spread)},
        rounds=rounds,
        delta=delta,
    )


@suspected_error("E15", teeth={"at the benchmark": {"at": "at_optimum"}})
def benchmark_point(*, at: str = "at_chosen") -> Finding:
    """The sentence explains the bound by the Lipschitz constant at the selected $x_t$; the theorem does not say that the
    law lies in the ball.

    The bound with the constant at the choice, and for a law outside the ball.
    """
    runs = play_arms(TwoArms())
    last = 2.0 * runs.beta[0, -1] * runs.mean_width[0, -1]
    regret = float(runs.regret[0, -1])
    at_chosen = float(last + 2.0 * runs.radius[-1] * getattr(runs, at)[0, -1])
    at_optimum = float(last + 2.0 * runs.radius[-1] * runs.at_optimum[0, -1])
    told, true = 0.1, 0.2
    worth = 0.25 - SLOPE * told
    outside, bound = SLOPE * (0.5 + true) - worth, 2.0 * told * SLOPE
    return Finding(
        regret > at_chosen and outside > bound,
        {"regret": regret, "at_optimum": at_optimum, "at_chosen": at_chosen, "outside": outside, "bound": bound},
        true=true,
        told=told,
    )


@suspected_error("E16", teeth={"the third power of log T": {"power": 3.0}})
def dropped_width(*, power: float = 1.0) -> Finding:
    r"""$4\beta_T\sqrt{T(\gamma_T+\dots)}=\tilde O(\sqrt{T\gamma_T})$, and the last sum is $O(\log T)$.

    The factor beta_T that (79) drops, and the last sum against log T.
    """
    growth = GROWTHS[1]
    first, _, _ = terms_of(growth, 0.5)
    gains = gains_of(growth)
    fitted = slope_interval(np.log(HORIZONS), np.log(first / np.sqrt(HORIZONS * gains[HORIZONS - 1])))
    norms = bounds.mean_norm_simple(gains, growth.noise, 1.0, growth.lam, 0.1)
    sums = np.cumsum((1.0 + 2.0 / growth.lengthscale * norms) / np.arange(1, len(gains) + 1))
    ratio = sums[HORIZONS - 1] / np.log(HORIZONS)
    logs = slope_interval(np.log(np.log(HORIZONS)), np.log(sums[HORIZONS - 1]))
    return Finding(
        fitted.low > 0 and logs.low > power,
        {"slope": fitted.estimate, "power_of_log": logs.estimate, "ratio": [float(ratio[0]), float(ratio[-1])]},
        growth=growth,
        fitted=fitted,
        first_ratio=ratio[0],
        last_ratio=ratio[-1],
    )


KINDS = "LLLTTCLTTCLLLLTTCLLLTT"
#: The paper's numbered statements, which share one counter.
LABELS = {number: {"L": "Lemma", "T": "Theorem", "C": "Corollary"}[kind] for number, kind in enumerate(KINDS, 1)}

#: Place, and the citation there.
CITED = (("proof of Corollary 17", "Lemma", 6), ("Theorem 21", "Corollary", 20), ("(63)", "Lemma", 3))


@suspected_error(
    "E19", teeth={"a right citation": {"cited": (("(63)", "Lemma", 2),)}, "the standard deviation": {"of": "sd"}}
)
def references(*, cited: tuple[tuple[str, str, int], ...] = CITED, of: str = "variance") -> Finding:
    """Statements are cited by other kinds and numbers than they have.

    Citations against the paper's own numbering; and whether a variance obeys the bound of Lemma 3.
    """
    wrong = [
        f"{where} cites {kind} {number}, a {LABELS[number]}" for where, kind, number in cited if LABELS[number] != kind
    ]
    lam, length = 0.01, 0.3
    points = np.linspace(0.0, length, 2_001)[:, None]
    k = kernel_by_name("se", length)(points, np.zeros((1, 1)))[:, 0]
    variance = (1.0 - k**2 / (1.0 + lam)) / lam
    steepest = {
        name: float(np.abs(np.diff(v)).max() / (points[1, 0]))
        for name, v in (("sd", np.sqrt(variance)), ("variance", variance))
    }
    bound = 1.0 / (math.sqrt(lam) * length)
    return Finding(
        bool(wrong) and steepest[of] > bound,
        {"wrong": wrong, "steepest": steepest, "bound": bound},
        wrong_shown="; ".join(wrong),
        lam=lam,
    )


@suspected_error("U1", teeth={"three tenths of the width": {"share": 0.3}})
def one_event(paths: int = 2_000, rounds: int = 1_000, *, share: float = 1.0) -> Finding:
    r"""Theorem 5 and Lemma 3 are combined at $1-2\delta$.

    One arm with k = 1, noise sd 1: when does the norm of the mean exceed its bound, and when does the event fail.
    """
    lam, delta = 1.0, 0.1
    noise = np.cumsum(stream(0, "wdrbo", "discrepancies", "one event").standard_normal((paths, rounds)), axis=1)
    n = np.arange(1.0, rounds + 1.0)
    limit = np.sqrt(np.log1p(n / lam) - 2.0 * math.log(delta))
    event = np.abs(noise) / np.sqrt(n + lam) <= limit
    norm_holds = np.abs(noise + n) / (n + lam) <= share * limit / math.sqrt(lam) + 1.0
    failed, without = (~event).any(axis=1), (event & ~norm_holds).any(axis=1)
    return Finding(
        bool(without.any()),
        {"without_event": int(without.sum()), "event_failed": float(failed.mean())},
        paths=paths,
        delta=delta,
    )


@suspected_error("U2", teeth={"4 in place of 2": {"factor": 2.0}})
def cancellation(*, factor: float = 1.0) -> Finding:
    r"""$\varepsilon_tL_t(x_t)$ enters with a minus and leaves with a plus.

    Steps (iii) and (iv) of Theorem 4 in every round, and how nearly the factor 2 is attained.
    """
    broken = decompose(play(GAME)).broken
    runs = play_arms(TwoArms())
    ratio = float(
        (runs.regret / factor / bounds.one_round(runs.beta, runs.mean_width, runs.radius, runs.at_optimum)).max()
    )
    return Finding(
        bool(broken.max() > 1e-9) or ratio < 0.9,
        {"broken": float(broken.max()), "ratio": ratio},
        game=GAME,
        excess=max(broken.max(), 0.0),
    )


@suspected_error("U3", teeth={"it grows in every round": {"least": 1e-6}})
def growing_width(*, least: float = -1e-12) -> Finding:
    r"""$\beta_t\le\beta_T$ is used.

    Beta_t over the rounds.
    """
    drops = [float(np.diff(play(game).beta, axis=1).min()) for game in (GAME, new_arms(0.01))]
    return Finding(min(drops) < least, {"smallest_change": min(drops)})


@suspected_error("U4", teeth={"1 in place of 8": {"constant": 1.0}})
def cited_lemma(*, constant: float = 8.0) -> Finding:
    r"""$8\log(6/\delta)$ whatever the range of the widths.

    The cited form of the conditional mean's concentration, for which range of widths it follows.
    """
    ranges = {
        delta: constant * math.log(6.0 / delta) / (bounds.CONDITIONAL_MEAN * math.log(1.0 / delta))
        for delta in (0.5, 0.1, 0.01)
    }
    least = constant / bounds.CONDITIONAL_MEAN
    sequence = Sequence("rare", 1.0, 0.01, 3_000, 2_000, 0)
    excess = worst_excess(sequence, 2.0)
    ours = float((excess > bounds.CONDITIONAL_MEAN * math.log(10.0)).mean())
    cited = float((excess > constant * math.log(60.0)).mean())
    return Finding(
        least <= 1.0 or cited > 0.1,
        {"least_range": least, "ours": ours, "cited": cited},
        range=ranges[0.1],
        sequence=sequence,
    )
