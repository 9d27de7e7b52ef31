"""Tests of leads on the proof that look at runs of TS-RSR: readings, events, second moments, loose steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from companion.checks.samples import STANDARD_ERRORS, standard_error
from companion.checks.suspected_error import Finding, suspected_error
from companion.core.arrays import Floats
from companion.information import information_gain
from companion.papers.tsrsr.checks.proof_events import draws_inside
from companion.papers.tsrsr.checks.proof_runs import (
    SMOOTH,
    STRUCTURED,
    Game,
    all_games,
    gain,
    played,
    ratio,
    ratio_of_sets,
)
from companion.papers.tsrsr.theory import bounds


def _above(lhs: Floats, rhs: Floats | float) -> int:
    """Number of runs in which the left side is the larger one, beyond rounding."""
    return int(np.sum(lhs > rhs + 1e-9 * np.maximum(np.abs(lhs), np.abs(rhs))))


@suspected_error("E1", teeth={"multisets": {"reading": ratio}})
def sets_or_multisets(*, reading: Callable[[Game], float] = ratio_of_sets) -> Finding:
    r"""$\rho_m$ and $\gamma_{Tm}$ are maxima over $\tilde A\subset\mathcal X$, $|\tilde A|\le m$, and $A\subset\mathcal
    X$, $|A|=Tm$

    Two independent arms with noise 1, one batch; Lemma 4, Lemma 5 and Theorem 1 under both readings.

    For Theorem 1 the regret is exact: the first batch knows nothing, so every query costs :math:`\E\max(f_1,f_2)=1/\sqrt\pi`.
    """
    game = Game("independent", 1, 1.0, 1, 20, 4000, size=2)
    inside = draws_inside(game, 0.5)
    largest = played(game).largest_ratio[inside]
    width = bounds.normal_width(2 * game.size * game.evaluations, 0.5)
    rho_sets, rho = reading(game), ratio(game)
    broken = {"sets": _above(largest, rho_sets * width), "multisets": _above(largest, rho * width)}
    arms = np.eye(2)
    turns = 40
    # Two arms in turn: the j-th query of an arm finds the variance 1/j.
    variances = 2.0 * sum(1.0 / (1.0 + j) for j in range(turns // 2))
    of_sets = bounds.variance_sum_bound(1.0, information_gain(arms, [0, 1], 1.0))
    of_multisets = bounds.variance_sum_bound(1.0, gain(replace(game, batch=turns)))

    def over_sets(batch: int) -> tuple[float, float]:
        bound = bounds.theorem1(2, 1, batch, 1.0, information_gain(arms, [0, 1], 1.0), ratio=rho_sets)
        return batch / math.sqrt(math.pi), bound

    regret, printed = over_sets(10_000)
    repaired = bounds.theorem1(2, 1, 10_000, 1.0, gain(replace(game, batch=10_000)))
    growth = [over_sets(10**power)[0] / over_sets(10**power)[1] for power in (4, 5, 6)]
    return Finding(
        broken["sets"] > 0 == broken["multisets"]
        and of_sets < variances <= of_multisets
        and printed < regret <= repaired,
        {
            "rho sets": rho_sets,
            "rho multisets": rho,
            "violations sets": broken["sets"],
            "violations multisets": broken["multisets"],
            "variances": variances,
            "bound sets": of_sets,
            "bound multisets": of_multisets,
            "regret": regret,
            "theorem sets": printed,
            "theorem multisets": repaired,
            "growth": growth,
        },
        game=game,
        inside=int(inside.sum()),
        turns=turns,
    )


@suspected_error("E2", teeth={"the positive part": {"floor": 0.0}})
def negative_ratio(*, floor: float = -math.inf) -> Finding:
    r"""$\tilde R\le\sum(\mu_t-f)+\bar\Psi\sqrt{Tm\sum\sigma^2}$ always

    Lemma 2 where every sampled maximum is below the means; two independent arms, one batch of two, noise 0.1.
    """
    game = Game("independent", 1, 0.1, 1, 2, 20_000, size=2)
    runs = played(game)
    spread = np.sqrt(game.evaluations * runs.variance_sum)
    printed = _above(runs.sampled_regret, runs.bias + np.maximum(runs.largest_ratio, floor) * spread)
    repaired = _above(runs.sampled_regret, runs.bias + np.maximum(runs.largest_ratio, 0.0) * spread)
    negative = float(np.mean(runs.largest_ratio < 0.0))
    second = math.sqrt(game.noise_variance / (1.0 + game.noise_variance))
    left, right = -(1.0 + second), -math.sqrt(2.0 * (1.0 + second**2))
    return Finding(
        printed > 0 == repaired and left > right,
        {
            "negative": negative,
            "printed": printed,
            "repaired": repaired,
            "left": left,
            "right": right,
            "runs": game.runs,
        },
        game=game,
        second=second,
    )


@suspected_error("E3", teeth={"the intersection": {"meant": np.all}})
def union_event(*, meant: Callable[..., Any] = np.any) -> Finding:
    r"""$\mathcal G^{(1)}(\delta)=\bigcup_{t,i}\mathcal G^{(1)}_{t,i}(\delta)$, in words too

    Lemma 4's bound on the union and on the intersection of the events; two arms, one batch of two, noise 10.
    """
    game = Game("independent", 1, 10.0, 1, 2, 20_000, size=2)
    largest, counts = played(game).largest_ratio, {}
    for delta in (0.99, 0.1):
        allowed = ratio(game) * bounds.normal_width(2 * game.size * game.evaluations, delta)
        for name, event in (("union", meant), ("intersection", np.all)):
            counts[f"{name} {delta:g}"] = _above(largest[draws_inside(game, delta, event)], allowed)
    return Finding(
        counts["union 0.99"] > 0 < counts["union 0.1"]
        and counts["intersection 0.99"] == 0 == counts["intersection 0.1"],
        counts,
        game=game,
        union=counts["union 0.1"],
        union_wide=counts["union 0.99"],
        intersection=counts["intersection 0.1"],
        intersection_wide=counts["intersection 0.99"],
    )


@suspected_error("E6", teeth={"power 1": {"power": 1}})
def power_of_lemma_9(*, power: int = 2) -> Finding:
    r"""$\E\tilde R^2\le(Tm)^2\sum\E(\cdot)^2\le24\log N\,(Tm)^3$

    Which power of Tm the second moment of sampled regret needs; SE kernel with noise 100, where nothing is learnt.
    """
    game = Game("se", 1, 100.0, 20, 5, 400)
    runs, n = played(game), game.evaluations
    squares, unit = runs.sampled_regret**2, 24.0 * math.log(game.size)
    moment, error = float(squares.mean()), standard_error(squares)
    others = all_games()
    broken = sum(_above(played(other).sampled_regret ** 2, other.evaluations * _squares(other)) for other in others)
    second = (math.sqrt(unit), math.sqrt(unit * n))
    return Finding(
        broken == 0 and unit * n < moment - STANDARD_ERRORS * error < moment <= unit * n**power,
        {"moment": moment, "error": error, "power 1": unit * n, "power 2": unit * n**2, "power 3": unit * n**3},
        broken=broken,
        configurations=len(others),
        second=second,
    )


def _squares(game: Game) -> Floats:
    """(R,) sum of the squared terms of the sampled regret."""
    runs = played(game)
    return np.asarray(((runs.sampled_maximum - runs.at_chosen) ** 2).sum(axis=(1, 2)))


@suspected_error("E7", teeth={"one point a batch": {"batch": 1}})
def first_display_of_lemma_4(*, batch: int = 5) -> Finding:
    r"""$\min_x\frac{\tilde f^*-\mu_t(x)}{\sigma_t(x\mid\text{batch})}\le\frac{\tilde
    f^*-\mu_t(x^{TS})}{\sigma_t(x^{TS})}$

    :math:`\min_x\frac{\tilde f^*-\mu(x)}{\sigma(x\mid\text{batch})}\le\frac{\tilde f^*-\mu(x^{TS})}{\sigma_t(x^{TS})}`.

    In the first round of an SE prior with variance 1 the right side is the sampled maximum itself.
    """
    game = Game("se", 1, 0.1, 1, batch, 2000)
    runs = played(game)
    left, right = runs.ratio[:, 0, :], runs.sampled_maximum[:, 0, :]
    broken = left > right + 1e-9 * np.abs(right)
    factor = float((left / right)[right > 0].max())
    rho = bounds.variance_ratio(game.batch - 1, game.noise_variance)
    repaired = int(np.sum(left > rho * np.maximum(right, 0.0) * (1.0 + 1e-9)))
    count = int(broken.any(axis=1).sum())
    return Finding(
        count > 0 == repaired,
        {"broken": count, "factor": factor, "rho": rho, "repaired": repaired, "runs": game.runs},
        game=game,
    )


@suspected_error("E14", teeth={"the regret in its place": {"term": "regret"}})
def mean_zero_bias(*, term: str = "bias") -> Finding:
    r"""$\sum(\mu_t-f)$ at the chosen points is bounded on a good event, as large as the other term

    The sum that Lemma 6 bounds has mean zero; the bound that needs no good event against the printed one.
    """
    games = (*SMOOTH, *STRUCTURED)
    scores, gaps, broken = [], [], 0
    for game in games:
        runs = played(game)
        scores.append(float(getattr(runs, term).mean()) / standard_error(getattr(runs, term)))
        shape = (game.size, game.rounds, game.batch, game.noise_variance, gain(game))
        sharp = bounds.theorem1_sharp(*shape, ratio=bounds.mean_ratio(game.batch, game.noise_variance, game.variance))
        gaps.append(bounds.theorem1(*shape, ratio=ratio(game)) / sharp)
        broken += int(float(runs.regret.mean()) + STANDARD_ERRORS * standard_error(runs.regret) > sharp)
    worst = max(abs(score) for score in scores)
    return Finding(
        worst < STANDARD_ERRORS and broken == 0 and min(gaps) > 1.0,
        {"scores": scores, "smallest gap": min(gaps), "largest gap": max(gaps), "broken": broken},
        games=len(games),
        worst=worst,
    )


@suspected_error("E15", teeth={"variance 1": {"variance": 1.0}})
def hidden_constants(*, variance: float = 1e-4) -> Finding:
    r"""$\E R_{T,m}=O\big(\rho_m\sqrt{Tm\,\gamma_{Tm}}\sqrt{\log(N(Tm)^3)}\big)$ for $k\le1$

    What O(.) hides in Theorem 1: a factor that grows with the noise, and a step that needs max k(x, x) = 1.
    """
    prefactors = {
        noise: 2.0 * math.sqrt(6.0) * (1.0 + math.sqrt(3.0)) * math.sqrt(bounds.gain_factor(noise**2))
        for noise in (1.0, 0.1, 0.001)
    }
    large = math.sqrt(bounds.gain_factor(1e4)) / 100.0
    game = Game("se", 1, 1.0, 10, 2, 400, variance=variance)
    shape = (game.size, game.rounds, game.batch, game.noise_variance, gain(game))
    rho = ratio(game)
    printed = bounds.theorem1(*shape, ratio=rho)
    one_term = bounds.theorem1_one_term(*shape, ratio=rho, unchecked=True)
    regret = played(game).regret
    sharp = bounds.theorem1_sharp(*shape, ratio=bounds.mean_ratio(game.batch, 1.0, game.variance))
    return Finding(
        abs(large / math.sqrt(2.0) - 1.0) < 0.01 and one_term < printed and sharp < one_term,
        {
            "prefactors": {f"{noise:g}": value for noise, value in prefactors.items()},
            "large": large,
            "two terms": printed,
        }
        | {"one term": one_term, "sharp": sharp, "regret": float(regret.mean())},
        factors=", ".join(f"{value:.1f} at noise {noise:g}" for noise, value in prefactors.items()),
        quotient=large / math.sqrt(2.0),
        game=game,
        printed=printed,
        one_term=one_term,
        mean_regret=regret.mean(),
    )


@suspected_error("U4", teeth={"nine tenths of it": {"share": 0.9}})
def sampled_regret_bias(*, share: float = 1.0) -> Finding:
    r"""$\E R_{T,m}=\E\tilde R_{T,m}$

    The paired difference of sampled and true regret over many runs, and over portions of 1500.
    """
    game = Game("se", 1, 1.0, 20, 1, 6000)
    runs = played(game)
    gap = runs.sampled_regret - share * runs.regret
    mean, error = float(gap.mean()), standard_error(gap)
    scores = [float(part.mean()) / standard_error(part) for part in np.split(gap, 4)]
    return Finding(
        abs(mean) > STANDARD_ERRORS * error,
        {"mean": mean, "error": error, "scores": scores},
        game=game,
        portion=game.runs // 4,
    )


@suspected_error("U6", teeth={"a tenth of Lemma 5": {"share": 0.1}})
def after_a_design(*, share: float = 1.0) -> Finding:
    """the theorem is applied to the rounds after the initial design

    Lemmas 1, 5 and 9 and Theorem 1 for runs that start from maximum-variance points, so that the mean is not zero.
    """
    scores, broken, checked = [], 0, 0
    for game in (
        Game("se", 1, 1.0, 6, 5, 1500, design=20),
        Game("matern32", 2, 0.3, 5, 4, 1000, design=10),
        Game("matern12", 1, 0.1, 5, 3, 1000, design=5),
    ):
        runs, plain = played(game), replace(game, design=0)
        gap = runs.sampled_regret - runs.regret
        scores.append(float(gap.mean()) / standard_error(gap))
        squares = ((runs.sampled_maximum - runs.at_chosen) ** 2).mean(axis=0).max()
        shape = (game.size, game.rounds, game.batch, game.noise_variance, gain(plain))
        claims = (
            abs(scores[-1]) <= STANDARD_ERRORS,
            _above(runs.variance_sum, share * bounds.variance_sum_bound(game.noise_variance, gain(plain))) == 0,
            float(squares) <= 24.0 * math.log(game.size),
            float(runs.regret.mean()) <= bounds.theorem1_sharp(*shape) <= bounds.theorem1(*shape),
        )
        broken += sum(not claim for claim in claims)
        checked += len(claims)
    return Finding(
        broken > 0,
        {"scores": scores, "broken": broken, "checked": checked},
        largest=max(abs(score) for score in scores),
    )
