"""Tests of leads on the regret of UCB: Theorem 3.2, Table 1, Corollary 3.3, Appendix 8."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from companion.checks.suspected_error import Finding, suspected_error
from companion.papers.compressed.checks.regret_bounds import corollary_3_3, lemma_8_4
from companion.papers.compressed.checks.regret_confidence import lemma_8_1, lemma_8_7
from companion.papers.compressed.checks.regret_gain import Design, largest_allocation, largest_gain
from companion.papers.compressed.checks.regret_games import CUBES, FINITE, FLAT, SEPARATE, SILENT
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.chain import regret_chain
from companion.papers.compressed.theory.instances import A, B, C, Game, gain_upper, played


@suspected_error("S8", teeth={"the columns as meant": {"shares": (0.5, 1.0)}})
def table_columns(*, shares: tuple[float, float] = (1.0, 0.5)) -> Finding:
    r"""$T^{1-1/(4p)}$ at $\alpha=1/p$ and $T^{1-1/(2p)}$ at $\alpha=1/(2p)$

    Slopes of the theorem's second term against the exponents of Table 1.
    """
    slopes, wrong = {}, []
    for dim in (1, 2, 4):
        for column, share in zip("ab", shares, strict=True):
            low, high = (bounds.second_term(T, share / dim) for T in (1e8, 1e12))
            slope = math.log(high / low) / math.log(1e4)
            slopes[f"p={dim}, {column}"] = slope
            if abs(slope - bounds.table_exponent("ucb1", column, dim)) > 0.01:
                wrong.append((dim, column))
    swapped = all(
        abs(slopes[f"p={dim}, {column}"] - bounds.table_exponent("ucb1", other, dim)) < 0.01
        for dim in (1, 2, 4)
        for column, other in (("a", "b"), ("b", "a"))
    )
    return Finding(len(wrong) == 6 and swapped, {"slopes": slopes, "wrong": len(wrong)})


@suspected_error("S9", teeth={"what the proof gives": {"form": "explicit"}})
def maximum_for_sum(*, form: str = "printed") -> Finding:
    r"""$aT^x+bT^y\le\max\{a,b\}T^{\max\{x,y\}}$, and $M_T\le T^{\alpha p}$ with constant 1

    What (8.62) loses, and where the corollary's constant is below what its proof gives.
    """
    T = 10_000.0
    summed = T**0.75 + T**0.75  # (8.61) at Z_1 = 1, alpha = 1/2, in units of the root of C_1 beta_T
    larger = max(1.0, 1.0) * T**0.75
    unit = math.sqrt(bounds.gain_constant(0.9) * 10.0)
    proved = bounds.corollary_33(100, 10.0, 0.9, 1, form="explicit") / unit
    printed = bounds.corollary_33(100, 10.0, 0.9, 1, form=form) / unit
    threshold = (math.sqrt(0.5) / (1.0 - math.sqrt(bounds.GREEDY / 2.0))) ** 2
    return Finding(
        summed > larger and proved > printed,
        {"(8.61)": summed, "(8.62)": larger, "proved": proved, "printed": printed, "threshold": threshold},
        summed=summed,
        larger=larger,
    )


@suspected_error("S10", teeth={"3 in place of X": {"size": 3.0}})
def infinite_candidates(*, size: float = 2.0) -> Finding:
    r"""$\beta_t=2\log(Xt^2\pi^2/(3\delta))+\dots$ with $\mathcal X$ continuous

    The exploration parameter of part (ii), as printed and with 2 for X.
    """
    t, delta = C.rounds, C.delta
    # independent check: as printed, with 2 for X
    with_two = 2.0 * np.log(size * t**2 * math.pi**2 / (3.0 * delta))
    needed = 2.0 * np.log(4.0 * bounds.union_terms(t) / delta)
    gap = float(np.abs(with_two - needed).max())
    ratio = 0.0
    for game in CUBES:
        beta = float(game.beta()[-1])
        bound = bounds.theorem_32(game.horizon, beta, game.noise_variance, gain_upper(game), game.alpha, compact=True)
        ratio = max(ratio, float((played(game).regret / bound).max()))
    grids = [2.0 * math.log(points / 2.0) for points in (10**2, 10**4, 10**8)]
    return Finding(gap < 1e-9 and ratio < 1.0, {"difference": gap, "ratio": ratio, "added": grids}, cubes=len(CUBES))


@suspected_error("S14", teeth={"the logarithm of the grid's size": {"printed": "grid"}})
def grid_constants(*, printed: str = "lemma") -> Finding:
    r"""$4d\log(dtbr\sqrt{\log(2da/\delta)})$; in Lemma 8.8 $\tau_t$ has $\log(2da/\delta)$ and $\beta_t$ has
    $\log(4da/\delta)$

    Printed exploration parameters of Lemmas 8.7 and 8.8 against what a union over the grid needs.
    """

    def pair(b: float, a: float) -> list[float]:
        second = float(bounds.finite_beta(10.0, 4.0, 0.1))
        betas = [
            bounds.compact_beta(10.0, 1, 1.0, a, b, 0.1, union=4, form=form, unchecked=True)
            for form in ("lemma", "theorem")
        ]
        return [float(beta) - second for beta in betas]

    a, b = C.tails
    rough, small = pair(b, a), pair(0.1, 1.0)
    flat = FLAT[0]
    case = next(case for case in lemma_8_7(flat, form=printed) if case.delta is not None)
    repaired = next(case for case in lemma_8_7(flat, form="grid") if case.delta is not None)
    negative = int(
        np.sum(bounds.compact_beta(FLAT[1].rounds, 1, 1.0, *FLAT[1].tails, 0.1, form="lemma", unchecked=True) < 0)
    )
    return Finding(
        rough[0] >= rough[1] and small[0] < small[1] and not case.holds and repaired.holds,
        {"rough": rough, "small": small, "rate": case.lhs, "repaired": repaired.lhs, "negative": negative},
        flat=flat,
        case=case,
        longer=FLAT[1].lengthscale,
    )


@suspected_error("S22", teeth={"as in (8.59)": {"prefactor": 0.5 / bounds.GREEDY}})
def inverted_prefactor(*, prefactor: float = bounds.GREEDY / 2) -> Finding:
    r"""$\frac1{2((1-1/e)^{-1})}$

    Both prefactors of (8.58) on twenty independent arms, and the looseness of (8.60).
    """
    design = Design("independent", 1, 20, 0.5, 10)
    exact, allocation = largest_gain(design), largest_allocation(design)
    printed, right, half = prefactor * allocation, 0.5 / bounds.GREEDY * allocation, 0.5 * allocation
    linear = 10 * bounds.z_one(0.5, 20.0)
    return Finding(
        printed < exact <= right,
        {"gain": exact, "printed": printed, "corrected": right, "half": half, "linear": linear},
        ratio=10 / (2 * 0.5),
    )


@suspected_error("S26", teeth={"with the half under the root": {"half": 0.5}})
def lost_root_two(*, half: float = 1.0) -> Finding:
    r"""$T\sqrt{\log(1+T^{-\alpha})}\sqrt{C_1\beta_T}$ for $\alpha\in(0,1/p)$

    The step from (8.31) to (8.32), the unused range of alpha, and the hidden bound on the kernel.
    """
    chain = regret_chain(A)
    second = chain["all rounds rejected"].value - chain["two roots"].value
    epsilon_term = A.horizon * math.sqrt(bounds.gain_constant(A.noise_variance) * float(A.beta()[-1]) * A.epsilon)
    printed = bounds.second_term(A.horizon, A.alpha) * math.sqrt(
        half * bounds.gain_constant(A.noise_variance) * float(A.beta()[-1])
    )
    outside = [game for game in FINITE if not 0 < game.alpha < 1 / game.dim]
    worst = max(float((played(game).regret / regret_bound(game)).max()) for game in outside)
    large = 4.0 / 0.1
    left, right = large / math.log1p(large), (1 / 0.1) / math.log1p(1 / 0.1)
    return Finding(
        abs(printed / epsilon_term - math.sqrt(2.0)) < 1e-9 and worst < 1.0 and left > right and second >= 0,
        {"factor": printed / epsilon_term, "outside": worst, "left": left, "right": right},
        printed=printed,
        epsilon_term=epsilon_term,
        configurations=len(outside),
    )


def regret_bound(game: Game) -> np.ndarray:
    """(R,) the right side of (3.2), for any alpha."""
    beta, noise, gain = float(played(game).beta[-1]), game.noise_variance, gain_upper(game)
    if math.isinf(game.alpha):
        return bounds.root_bound(game.horizon, beta, noise, gain, 0.0)
    return bounds.theorem_32(game.horizon, beta, noise, gain, game.alpha)


# -- unfounded ---------------------------------------------------------------------------------------------------------


@suspected_error("U1", teeth={"a fifth of the width": {"factor": 0.2}})
def ignored_data(*, factor: float = 1.0) -> Finding:
    """the confidence bounds hold for the compressed posterior as for the dense one

    Coverage of the compressed posterior's confidence bounds.
    """
    cases = [case for game in FINITE for case in lemma_8_1(game, factor=factor)]
    worst = max(cases, key=lambda case: case.lhs - case.rhs)
    total = sum(case.failures for case in cases if case.delta == 0.1), sum(c.trials for c in cases if c.delta == 0.1)
    return Finding(
        not all(case.holds for case in cases),
        {"failures": total[0], "runs": total[1], "worst": worst.lhs},
        allowed=worst.rhs,
    )


@suspected_error("U2", teeth={"4 in place of 8": {"constant": 4.0}})
def constant_of_lemma_8_4(*, constant: float = 8.0) -> Finding:
    r"""$C_1=8/\log(1+\sigma^{-2})$

    Both sides of (8.29) and (8.26), and the constant that the logarithm needs.
    """
    cases = [case for game in FINITE for case in lemma_8_4(game, constant=constant)]
    sharp = 0.0
    for game in FINITE:
        runs = played(game)
        right = bounds.squared_regret_bound(float(runs.beta[-1]), game.noise_variance, runs.gain, runs.rejected_gain)
        sharp = max(sharp, float(((runs.instantaneous**2).sum(axis=1) / right)[runs.confident()].max()))
    s = np.linspace(1e-6, 1.0, 2001)
    least = max(float((4 * s / (0.5 * np.log1p(s / v)) * math.log1p(1 / v)).max()) for v in (0.001, 0.1, 1.0, 10.0))
    return Finding(
        not all(case.holds for case in cases) or least > constant * (1 + 1e-9),
        {"constant": least, "ratio": sharp},
        configurations=len(FINITE),
    )


@suspected_error("U4", teeth={"half of it": {"share": 0.5}})
def last_step_of_part_one(*, share: float = 1.0) -> Finding:
    r"""$T\sqrt{C_1\beta_T\epsilon}$ becomes $T\sqrt{\log(1+T^{-\alpha})}\sqrt{C_1\beta_T}$

    The direction of the step from (8.31) to (8.32).
    """
    ratios = []
    for game in FINITE:
        if not math.isinf(game.alpha):
            ratios.append(
                share * bounds.second_term(game.horizon, game.alpha) / (game.horizon * math.sqrt(game.epsilon))
            )
    chains = [regret_chain(game, run) for game in (A, B, SILENT) for run in range(5)]
    holds = all(chain.holds for chain in chains)
    return Finding(
        min(ratios) < 1.0 or not holds,
        {"least": min(ratios), "largest": max(ratios)},
        holding=sum(chain.holds for chain in chains),
        chains=len(chains),
    )


@suspected_error("U7", teeth={"a quarter of it": {"share": 0.25}})
def corollary_in_numbers(*, share: float = 1.0) -> Finding:
    r"""$\mathrm{Reg}_T\le\sqrt{C_1\beta_T}\max\{\sqrt{Z_1},1\}T^{3/4}$

    Regret against the printed Corollary 3.3, also where its constant is unproved.
    """
    games = (
        A,
        B,
        SEPARATE,
        *(
            Game("independent", 1, math.sqrt(v), T, 0.5, size=x)
            for v, T, x in ((0.9, 100, 2), (10.5, 100, 3), (4, 16, 3))
        ),
    )
    ratio = 0.0
    for game in games:
        runs = played(game)
        bound = share * bounds.corollary_33(game.horizon, float(runs.beta[-1]), game.noise_variance, game.size)
        ratio = max(ratio, float((runs.regret / bound).max()))
    holds = all(case.holds for game in games if game is not B for case in corollary_3_3(game))
    low = [game for game in games if bounds.z_one(game.noise_variance, game.size) < 2.61]
    return Finding(ratio > 1.0 or not holds, {"ratio": ratio, "unproved": len(low)}, games=len(games))


@suspected_error("U10", teeth={"a quarter in place of a half": {"factor": 0.25}})
def tail_bound(*, factor: float = 0.5) -> Finding:
    r"""$P(N>c)\le\frac12e^{-c^2/2}$ for $c>0$

    :math:`P(N>c)\le\frac12e^{-c^2/2}` for c > 0, by the error function.
    """
    c = np.linspace(1e-3, 30.0, 30_000)
    ratio = ndtr(-c) / (factor * np.exp(-0.5 * c**2))
    return Finding(bool(ratio.max() > 1.0), {"ratio": float(ratio.max())})


def horizon_series() -> tuple[Game, ...]:
    """Expected improvement on a line with little noise, at four horizons."""
    return tuple(Game("se", 1, 0.1, T, 0.5, runs=8, acquisition="ei") for T in (50, 200, 800, 3200))
