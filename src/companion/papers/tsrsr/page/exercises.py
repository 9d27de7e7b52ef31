"""Numbers of the solutions to the chapter's exercises."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np

from companion.core.arrays import Indices
from companion.core.randomness import stream
from companion.information import gain_bracket
from companion.judge import method_comparison
from companion.judge.equivalence import welch
from companion.judge.intervals import mean_interval
from companion.pages import Numbers, recorded
from companion.papers.tsrsr.experiments.printed import TSRSRResults
from companion.papers.tsrsr.method.round import DenseRound
from companion.papers.tsrsr.method.rules import TSRSR, BatchTS
from companion.papers.tsrsr.page.bound import PAPER_BATCH, instance, paper_ratio
from companion.papers.tsrsr.page.picture import KNOWN, Picture
from companion.papers.tsrsr.theory import bounds
from companion.papers.tsrsr.theory.runs import play
from companion.problems.running_example import NOISE


@recorded(random=False)
def ratio_numbers() -> Numbers:
    """The factor by hand: rho_20 at noise 1 and rho_5 at the paper's, and the set reading on independent arms."""
    return Numbers(small=bounds.variance_ratio(20, 1.0), large=paper_ratio(), sets=bounds.variance_ratio(1, 1.0))


@recorded(random=False)
def negative_numbers() -> Numbers:
    """Ratios below zero, with the standard deviations of the exercise and with nearly equal ones."""
    gaps = 0.5 - np.array([1.0, 0.9])
    ratios, others = gaps / np.array([1.0, 0.01]), gaps / np.array([1.0, 0.9])
    chosen, again = (int(np.argmin(found)) + 1 for found in (ratios, others))
    return Numbers(ratios=ratios, chosen=chosen, others=others, again=again)


@recorded(first="seed", fixed=(0,))
def bias_numbers(seed: int, runs: int) -> Numbers:
    """The sum that Lemma 6 bounds, measured over ten batches, and the bound."""
    played = play(instance(), 10, PAPER_BATCH, NOISE**2, runs, stream(seed, "tsrsr", "exercise", "bias"))
    found = mean_interval(played.bias)
    variances = bounds.variance_sum_bound(NOISE**2, gain_bracket(instance(), 10 * PAPER_BATCH, NOISE**2).upper)
    width = bounds.normal_width(2 * len(played.covariance) * 10, 0.1) * bounds.variance_ratio(PAPER_BATCH, NOISE**2)
    allowed = width * math.sqrt(10 * PAPER_BATCH * variances)
    return Numbers(runs=runs, noise=NOISE, mean=found.estimate, low=found.low, high=found.high, allowed=allowed)


#: Posterior draws behind what stopping would lose, and sales of the recipe named.
DRAWS, SALES = 10_000, 100


@recorded(first=0)
def stop_numbers(picture: Picture) -> Numbers:
    """The table of both mornings, in two decimals, and what naming the largest mean loses after either, in expectation.

    ``before``, ``now``: the terminal regret of all sales, expected under the posterior, after five and after ten values;
    ``next_width``: of the batch that TS-RSR would choose then.
    """
    at, values = [*KNOWN, *picture.chosen], np.round([*picture.observations, *picture.baked], 2)
    losses, named = [], []
    for count in (len(KNOWN), len(at)):
        noisy = instance()[np.ix_(at[:count], at[:count])] + NOISE**2 * np.eye(count)
        weights = np.linalg.solve(noisy, instance()[at[:count]])
        mean = np.asarray(weights.T @ values[:count], dtype=np.float64)
        left = instance() - instance()[:, at[:count]] @ weights
        current, generator = DenseRound(0, mean, left, NOISE**2), stream(0, "tsrsr", "exercise", "stop", count)
        draws, best = current.draws(generator, DRAWS), int(mean.argmax())
        losses.append(float((draws.max(axis=1) - draws[:, best]).mean()))
        named.append(float(picture.x[best]))
        chosen = TSRSR(resample=False).choose(current, PAPER_BATCH, generator)
    return Numbers(
        picture,
        **{f"x{k}": float(picture.x[index]) for k, index in enumerate(at)},
        **{f"y{k}": float(value) for k, value in enumerate(values)},
        before=SALES * losses[0],
        now=SALES * losses[1],
        before_named=named[0],
        now_named=named[1],
        next_width=float(np.ptp(picture.x[chosen])),
        batch_lost=float(np.sum(picture.values.max() - picture.values[picture.chosen])),
    )


@recorded(first="seed")
def arms_numbers(seed: int, batches: int = 10_000) -> Numbers:
    """Frequencies with which a Thompson batch on two equal arms is all one arm, and TS-RSR's is two and three.

    ``share``: with resampling; ``plain``: without, and ``split`` its exact value.
    """
    current = DenseRound(0, np.zeros(2), np.eye(2), 0.01)
    generator = stream(seed, "tsrsr", "exercise", "arms")
    size = PAPER_BATCH
    same = np.mean([len(set(BatchTS().choose(current, size, generator).tolist())) == 1 for _ in range(batches)])
    share, plain = (
        float(np.mean([_evenly(rule.choose(current, size, generator)) for _ in range(batches)]))
        for rule in (TSRSR(), TSRSR(resample=False))
    )
    same_all, split = 2.0 ** (1 - size), split_chance(size)
    return Numbers(exact=same_all, batches=batches, same=float(same), share=share, plain=plain, split=split)


def split_chance(size: int) -> float:
    """Chance that TS-RSR without resampling visits two equal arms equally often, up to one visit.

    A sampled maximum above zero (chance 3/4) brings the arm visited less often, one below zero the other arm; from a tie
    either way leads to a difference of one.
    """
    chance = {0: 1.0}
    for _ in range(size):
        after: dict[int, float] = defaultdict(float)
        for apart, weight in chance.items():
            for step, part in ((-1, 0.75), (1, 0.25)) if apart else ((1, 1.0),):
                after[apart + step] += weight * part
        chance = after
    return chance.get(0, 0.0) + chance.get(1, 0.0)


def _evenly(batch: Indices) -> bool:
    """Whether two arms are visited equally often, up to one visit."""
    first = int((batch == 0).sum())
    return abs(2 * first - len(batch)) <= 1


def bird_numbers(evidence: TSRSRResults) -> Numbers:
    """TS-RSR minus TS and minus DPPTS on Bird, as printed and in our runs; names end in ``_ts`` and ``_dpp``.

    ``low``, ``high``: Welch's interval of the printed difference; ``power`` of ten runs, and the runs ``needed``, were it the
    true one; ``from``, ``to``: paired interval of our difference ``ours``.
    """
    cell = evidence.cell("bird-2d", "ts-rsr")
    ours = evidence.reported(cell)
    wanted = evidence.margins.claims["power"]
    values: dict[str, object] = {"printed": ours.mean, "spread": cell.spread, "wanted": wanted}
    for rival, name in (("ts", "ts"), ("dpp-ts", "dpp")):
        other, paired = evidence.reported(evidence.cell("bird-2d", rival)), evidence.against("bird-2d", "ts-rsr", rival)
        interval, effect = welch(ours, other), (ours.mean - other.mean) / math.sqrt(ours.sd**2 + other.sd**2)
        found = {
            "printed": other.mean,
            "spread": evidence.cell("bird-2d", rival).spread,
            "low": -interval.high,
            "high": -interval.low,
            "power": method_comparison.power(effect, ours.n),
            "needed": method_comparison.runs_needed(effect, wanted) or math.inf,
            "ours": paired.estimate,
            "from": paired.low,
            "to": paired.high,
        }
        values |= {"runs": paired.count} | {f"{key}_{name}": value for key, value in found.items()}
    return Numbers(evidence, **values)
