"""Answers to the chapter's exercises: each is a folded solution whose numbers are computed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from companion.information import gain_bracket
from companion.papers.tsrsr.method.round import DenseRound
from companion.papers.tsrsr.method.rules import TSRSR, BatchTS
from companion.papers.tsrsr.problems.catalogue import SETTINGS
from companion.papers.tsrsr.studies.bound import PAPER_BATCH, PAPER_NOISE, instance, paper_ratio
from companion.papers.tsrsr.studies.paper import Evidence
from companion.papers.tsrsr.theory import bounds
from companion.papers.tsrsr.theory.runs import play
from companion.randomness import stream
from companion.report import recorded, say
from companion.report.chapter import folded
from companion.report.text import Sentence
from companion.reproduce import compare
from companion.reproduce.equivalence import welch
from companion.reproduce.intervals import mean_interval


@recorded(random=False)
def ratio() -> Sentence:
    """Exercise 1: rho by hand."""
    return say(
        folded(
            "ch1-ex-ratio",
            "One observation of $x$ adds the precision $\\sigma_n^{{-2}}$: from variance $v$ to "
            "$(v^{{-1}}+\\sigma_n^{{-2}})^{{-1}}$. After $m$ of them the ratio of standard deviations is "
            "$\\sqrt{{1+mv/\\sigma_n^2}}$. No collection $A$ of $m$ points does more to any $x$: write $f_A=b\\,f(x)+r$ with "
            "$r$ independent of $f(x)$; the precision gained is at most $|b|^2/\\sigma_n^2$, and "
            "$b_z^2\\sigma^2(x)\\le k(z,z)\\le v$ "
            "for every $z\\in A$, so that $|b|^2\\sigma^2(x)\\le mv$. (A point of small variance can gain as much, from $m$ "
            "observations of a point of variance $v$ that it is perfectly correlated with.) With $v=1$ this is {small:.3f} for "
            "$\\sigma_n=1$, $m=20$, and {large:.0f} for $\\sigma_n=10^{{-3}}$, $m=5$. Distinct points reach it only where $m$ "
            "points of largest variance are copies of one another, up to sign: for independent arms a further *distinct* point "
            "gains nothing, so the set reading stays at {sets:.3f} for $\\sigma_n=1$ and every $m$.",
        ),
        small=bounds.variance_ratio(20, 1.0),
        large=paper_ratio(),
        sets=bounds.variance_ratio(1, 1.0),
    )


@recorded(random=False)
def negative() -> Sentence:
    """Exercise 2: a sampled maximum below the mean."""
    mean, sd, maximum = np.array([1.0, 0.9]), np.array([1.0, 0.01]), 0.5
    ratios, wider = (maximum - mean) / sd, 0.9
    others = (maximum - mean) / np.array([1.0, wider])
    return say(
        folded(
            "ch1-ex-negative",
            "The ratios are {first:g} and {second:g}, so the rule takes point {chosen}, whose mean is the smaller one and about "
            "which next to nothing is left to learn. A negative numerator turns the preference for large standard deviations "
            "into its opposite: the rule takes the point whose mean exceeds $\\tilde f^*$ by most standard deviations. That is "
            "the largest mean if its standard deviation is not larger than the others', for instance if all are equal. It can be "
            "so otherwise, too: with standard deviations $(1,{wider:g})$ the ratios are {first:g} and {third:.2f}, and the rule "
            "takes point {again}. Resampling makes every numerator positive, which is why it helps.",
        ),
        first=float(ratios[0]),
        second=float(ratios[1]),
        chosen=int(np.argmin(ratios)) + 1,
        wider=wider,
        third=float(others[1]),
        again=int(np.argmin(others)) + 1,
    )


@recorded(first="seed")
def bias(seed: int, runs: int) -> Sentence:
    """Exercise 3: the sum that Lemma 6 bounds."""
    played = play(instance(), 10, PAPER_BATCH, 1.0, runs, stream(seed, "tsrsr", "exercise", "bias"))
    found = mean_interval(played.bias)
    variances = bounds.variance_sum_bound(1.0, gain_bracket(instance(), 10 * PAPER_BATCH, 1.0).upper)
    allowed = bounds.normal_width(2 * len(played.covariance) * 10, 0.1) * bounds.variance_ratio(PAPER_BATCH, 1.0)
    return say(
        folded(
            "ch1-ex-bias",
            "The point $x_{{t+1,i}}$ is a function of the data and of posterior draws that are independent of $f$ given the "
            "data. Hence $\\E[f(x_{{t+1,i}})\\mid\\mathcal F_t,\\tilde f]=\\mu_t(x_{{t+1,i}})$ and the sum has mean zero. "
            "Measured over {runs} runs with $T=10$, $m=5$ and noise 1: {mean:+.2f}, with the 95 % interval {low:+.2f} to "
            "{high:+.2f}. Lemma 6 would allow {allowed:.0f} at $\\delta=0.1$. What remains is "
            "$\\E R_{{T,m}}=\\E\\sum\\Psi\\sigma\\le\\E\\bar\\Psi^+\\sqrt{{Tm\\,c\\gamma}}$, and $\\bar\\Psi^+$ is at most "
            "$\\rho_{{m-1}}$ times the maximum of zero and $NTm$ standard normal numbers, whose mean is at most "
            "$\\sqrt{{2\\log(1+NTm)}}$.",
        ),
        runs=runs,
        mean=found.estimate,
        low=found.low,
        high=found.high,
        allowed=allowed * math.sqrt(10 * PAPER_BATCH * variances),
    )


@recorded(first="seed")
def arms(seed: int, batches: int = 2000) -> Sentence:
    """Exercise 4: a batch on two equal arms, by Thompson sampling and by TS-RSR."""
    current = DenseRound(0, np.zeros(2), np.eye(2), 0.01)
    generator = stream(seed, "tsrsr", "exercise", "arms")
    size = PAPER_BATCH
    same = np.mean([len(set(BatchTS().choose(current, size, generator).tolist())) == 1 for _ in range(batches)])
    split = [
        sorted(np.bincount(TSRSR().choose(current, size, generator), minlength=2).tolist()) for _ in range(batches)
    ]
    share = float(np.mean([counts == [size // 2, size - size // 2] for counts in split]))
    return say(
        folded(
            "ch1-ex-arms",
            "Each Thompson sample is either arm with probability one half, so all five are the same with probability "
            "$2\\cdot2^{{-5}}={exact:.4f}$; in {runs} simulated batches it happened in {same:.4f} of them. TS-RSR with "
            "resampling divides positive gaps by the standard deviation given the batch so far, and both means are zero: it "
            "always takes the arm that it has taken less often, and splits the five into two and three in {share:.0%} of "
            "the batches.",
        ),
        exact=2.0 ** (1 - size),
        runs=batches,
        same=float(same),
        share=share,
    )


@recorded(random=False)
def horizon() -> Sentence:
    """Exercise 5: when can Theorem 1 say something?"""
    return say(
        folded(
            "ch1-ex-horizon",
            "The first term of the theorem contains $\\sqrt{{2\\log(4N(Tm)^3)}}\\ge\\sqrt{{2\\log N}}$, "
            "and $c\\gamma_{{Tm}}\\ge c\\gamma_1=1$. "
            "So the bound is at least $\\sqrt{{8\\log N}}\\,\\rho_m\\sqrt{{Tm}}$, and below $Tm\\sqrt{{8\\log N}}$ only if "
            "$\\rho_m<\\sqrt{{Tm}}$, that is $T>\\sigma_n^{{-2}}+\\tfrac1m$. With $\\sigma_n=10^{{-3}}$ these are more than "
            "{batches} batches; the paper's longest experiment has {longest}.",
        ),
        batches=round(1.0 / PAPER_NOISE**2),
        longest=max(column.batches for column in SETTINGS.values()),
    )


def bird(evidence: Evidence) -> Sentence:
    """Exercise 6: how much do ten runs say about Bird?"""
    rivals = ("ts", "dpp-ts")
    ours, *theirs = (evidence.reported(evidence.cell("bird-2d", name)) for name in ("ts-rsr", *rivals))
    wanted = evidence.margins.claims["power"]
    intervals = [welch(ours, other) for other in theirs]
    effects = [(ours.mean - other.mean) / math.sqrt(ours.sd**2 + other.sd**2) for other in theirs]
    paired = [evidence.against("bird-2d", "ts-rsr", name) for name in rivals]
    seen = [interval.high < 0.0 for interval in paired]
    verdict = (
        "*smaller* than both" if all(seen) else "smaller than one of them" if any(seen) else "not told apart from them"
    )
    return say(
        folded(
            "ch1-ex-bird",
            "Printed are {ours:g} for TS-RSR, {ts:g} for TS and {dpp:g} for DPPTS (in $10^{{-4}}$), ratios of {ratio_ts:.1f} and "
            "{ratio_dpp:.1f}. Welch's 95 % intervals of the differences from the printed means and spreads are {low_ts:+.2f} to "
            "{high_ts:+.2f} and {low_dpp:+.2f} to {high_dpp:+.2f}; {zero} zero, so the tables {show} that TS-RSR is worse "
            "there. If the printed differences were the true ones, independent samples of ten would see them with probability "
            "{power_ts:.0%} and {power_dpp:.0%}, and it would take {needed_ts} and {needed_dpp} runs of each method for "
            "{wanted:.0%}. In our {runs} runs of the text's reading the regret of TS-RSR is {verdict}: the paired differences "
            "are {ours_ts:+.2f} to TS (95 % interval {from_ts:+.2f} to {to_ts:+.2f}) and {ours_dpp:+.2f} to DPPTS "
            "({from_dpp:+.2f} to {to_dpp:+.2f}).",
        ),
        ours=ours.mean,
        zero="both hold" if all(interval.low < 0 < interval.high for interval in intervals) else "not both hold",
        show="do not even show" if all(interval.low < 0 < interval.high for interval in intervals) else "show",
        runs=paired[0].count,
        verdict=verdict,
        wanted=wanted,
        where=evidence.where,
        **_by_rival("", [other.mean for other in theirs]),
        **_by_rival("ratio_", [ours.mean / other.mean for other in theirs]),
        **_by_rival("low_", [-interval.high for interval in intervals]),
        **_by_rival("high_", [-interval.low for interval in intervals]),
        **_by_rival("power_", [compare.power(effect, ours.n) for effect in effects]),
        **_by_rival("needed_", [compare.runs_needed(effect, wanted) or math.inf for effect in effects]),
        **_by_rival("ours_", [interval.estimate for interval in paired]),
        **_by_rival("from_", [interval.low for interval in paired]),
        **_by_rival("to_", [interval.high for interval in paired]),
    )


def _by_rival(prefix: str, values: list[Any]) -> dict[str, Any]:
    return dict(zip((f"{prefix}ts", f"{prefix}dpp"), values, strict=True))
