"""Tests of the claims of abstract, introduction and theorems on long runs, on the trade-off study and on three arms."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from companion.bounds.confidence import SrinivasDrawsWidth
from companion.judge.claim_tests import beyond, every, ruled
from companion.judge.claims import Parts, Test
from companion.judge.intervals import mean_interval, slope_interval
from companion.judge.verdict import Judgement, Part, paired_claim
from companion.papers.compressed.experiments.experiments_claims import log_means, log_ratio
from companion.papers.compressed.experiments.printed import CompressedResults
from companion.papers.compressed.method import admission
from companion.papers.compressed.method.policy import CompressedBandit
from companion.papers.compressed.problems.catalogue import NOISE_VARIANCE, example
from companion.papers.compressed.theory.order import ucb_to_the_end
from companion.problems import FiniteProblem
from companion.simulate import run_policy

THREE_ARMS = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0], [0.5, 0.0, 1.0]])
#: The first arm, played first as the lowest index, is related to the third and worst, which it makes barely informative.
THREE_VALUES = np.array([-0.2, 1.0, -1.0])
ROUNDS = 5000
#: Noise variances at which the same arms freeze, each at a smaller budget.
NOISES = (1.0, 10.0, 100.0, 1000.0)
DELTA = 0.1


def budgets_of(results: CompressedResults) -> list[float]:
    """The fixed budgets u of the trade-off study, largest first."""
    rules = results.tables["tradeoff"].rule.unique()
    return sorted((float(rule.removeprefix("u=")) for rule in rules if rule.startswith("u=")), reverse=True)


def covering_number(u: float, length: float, lengthscale: float = 1.0, noise_variance: float = NOISE_VARIANCE) -> int:
    r"""Intervals that cover a segment so that all points of one lie within :math:`\sqrt{\sigma^2u}` of its centre.

    The distance is the kernel's, :math:`\|k_x-k_{x'}\|^2=2-2e^{-r^2/(2\ell^2)}` at distance r: the radius of the proof of
    Theorem 3.1 is :math:`r=\ell\sqrt{-2\log(1-\sigma^2u/2)}`, and the number is :math:`\lceil L/(2r)\rceil`.
    """
    radius = lengthscale * math.sqrt(-2.0 * math.log1p(-noise_variance * u / 2.0))
    return math.ceil(length / (2.0 * radius))


def covering(results: CompressedResults) -> Parts:
    """Model order of UCB after the longest run over the covering number, at every fixed budget."""
    chapter, level = example(), results.margins.confidence
    length = float(np.ptp(chapter.problem.points))
    found, ratios = [], {}
    for u in budgets_of(results):
        number = covering_number(u, length)
        orders = results.tradeoff(f"u={u:g}", "model_order").iloc[-1].to_numpy(dtype=float)
        interval = mean_interval(log_ratio(orders, number), level)
        judged = paired_claim(interval, "comparable", math.log(results.margins.claims["covering"]))
        reason = f"model order {orders.mean():.4g}, covering number {number}; log ratio: {judged.reason}"
        ratios[f"{u:g}"] = {"model_order": float(orders.mean()), "covering_number": number}
        what = f"u = {u:g}: model order over covering number"
        found.append(
            Part(
                what,
                Judgement(judged.verdict, reason, interval, judged.margin),
                None,
                float(orders.mean()),
                interval_of="logarithm of the model order over the covering number",
                opponent=("covering number", float(number)),
            )
        )
    return found, {"by_budget": ratios}


def finitely_many(results: CompressedResults) -> Parts:
    """The bound X ceil(1/u) for a finite set, and whether points are still kept in the second half of the longest run."""
    size, found = example().problem.size, []
    for u in budgets_of(results):
        orders, last = (results.tradeoff(f"u={u:g}", name) for name in ("model_order", "last_kept"))
        limit = size * math.ceil(1.0 / u)
        worst = orders.iloc[-1].to_numpy()
        # The runs store counts only, not which candidate was kept: the bound is on all candidates together.
        what, told = f"u = {u:g}: at most X ceil(1/u) points in all", f"runs with at most {limit} points kept"
        found.append(every(what, worst <= limit, told, reported=limit, reproduced=float(worst.max())))
        late = int((last.iloc[-1] > last.index[-1] / 2).sum())
        reason = f"{late} of {len(worst)} runs of {last.index[-1]} rounds keep a point in their second half"
        what = f"u = {u:g}: nothing kept in the second half"
        found.append(ruled(what, not late, False, reason, reproduced=float(late)))
    return found, {}


def both_sublinear(results: CompressedResults) -> Parts:
    """Exponents of cumulative regret and of model order in T at alpha = 1/2, p = 1, are below one."""
    regret = results.tradeoff("alpha=0.5", "average_regret")
    cumulative = regret.mul(regret.index.to_numpy(dtype=float), axis=0)
    orders = results.tradeoff("alpha=0.5", "model_order")
    found = []
    # The curve of regret bends upwards, so that the exponent over all horizons is not the one at the end.
    for what, frame, theory in (("cumulative regret", cumulative, 0.75), ("model order", orders, 0.5)):
        across, values = log_means(frame)
        end = float((values[-1] - values[-2]) / (across[-1] - across[-2]))
        slope = slope_interval(*log_means(frame), results.margins.confidence)
        reason = (
            f"exponent {slope.estimate:.3f}, interval {slope.low:.3f} to {slope.high:.3f}; between the two longest "
            f"horizons {end:.3f}; the theory's is {theory}"
        )
        shown = {"reported": theory, "reproduced": slope.estimate, "interval_of": "the exponent, minus 1"}
        found.append(beyond(f"exponent of {what}", slope, 1.0, "smaller", reason, **shown))
    return found, {}


def cost(results: CompressedResults) -> Parts:
    """The model order at a budget of order 1/sqrt(T) grows at most like sqrt(T), up to the allowance."""
    slope = slope_interval(*log_means(results.tradeoff("alpha=0.5", "model_order")), results.margins.confidence)
    allowed = 0.5 + results.margins.claims["exponent"]
    reason = f"exponent {slope.estimate:.3f}, interval {slope.low:.3f} to {slope.high:.3f}; at most {allowed:g}"
    shown = {"reported": 0.5, "reproduced": slope.estimate, "interval_of": f"the exponent, minus {allowed:g}"}
    return [beyond("exponent of the model order", slope, allowed, "smaller", reason, **shown)], {}


def constant_budget(results: CompressedResults) -> Parts:
    """Three arms, two of them related: at u = 0.88 the worst arm is played for ever and never kept, at 0.87 it is kept."""
    worst = float(THREE_VALUES.max() - THREE_VALUES.min())
    averages = {u: three_arms(u) for u in (0.88, 0.87)}
    listed = ", ".join(f"{average:.4g} at epsilon = {0.5 * math.log1p(u):.3f}" for u, average in averages.items())
    small = [average <= 0.99 * worst for average in averages.values()]
    what = f"average regret over {ROUNDS} rounds is {listed}; the largest possible is {worst:g}; budgets below it"
    # One budget refutes no constant in front of epsilon; a regret that stays while the budget falls refutes them all.
    falling = [frozen_arms(noise, ROUNDS) for noise in NOISES]
    moving = [average <= 0.99 * worst for _, average in falling]
    listed = ", ".join(f"{average:.4g} at epsilon = {epsilon:.2g}" for epsilon, average in falling)
    smaller = f"noise variance {', '.join(f'{noise:g}' for noise in NOISES)}: average regret {listed}; budgets below {worst:g}"
    return [
        every("three arms", small, what, reproduced=averages[0.88]),
        every("smaller budgets, more noise", moving, smaller, reproduced=falling[-1][1]),
    ], {"average_regret": {f"{u:g}": average for u, average in averages.items()}}


def frozen_arms(noise_variance: float, rounds: int) -> tuple[float, float]:
    r"""Budget and average regret of compressed UCB on the three arms, at any noise variance, observations without noise.

    One observation of the first arm leaves the third the variance :math:`1-\frac{1/4}{1+\sigma^2}`; the threshold is a
    little above it, so that :math:`\epsilon` is of the order of :math:`1/\sigma^2`.
    """
    threshold = 1.0 - 0.24 / (1.0 + noise_variance)
    run = ucb_to_the_end(THREE_ARMS, noise_variance, threshold, THREE_VALUES, [0.0], DELTA)
    regret = run.cumulative_regret(THREE_VALUES.max() - THREE_VALUES, rounds)
    return 0.5 * math.log1p(threshold / noise_variance), float(regret / rounds)


@cache  # nothing is random here
def three_arms(u: float, rounds: int = ROUNDS) -> float:
    """Average regret of compressed UCB on three arms, noise variance 1 in the model, and observations without noise."""
    problem = FiniteProblem("three-arms", np.arange(3.0)[:, None], THREE_VALUES, 0.0, "made for this test")
    rule = admission.information(0.5 * math.log1p(u), 1.0)
    policy = CompressedBandit(THREE_ARMS, 1.0, "ucb", rule, SrinivasDrawsWidth(3, 0.1))
    return float(run_policy(policy, problem, rounds, np.zeros(rounds)).instantaneous_regret.mean())


TESTS: dict[str, Test[CompressedResults]] = {
    "covering-constant": covering,
    "finitely-many": finitely_many,
    "both-sublinear": both_sublinear,
    "constant-budget": constant_budget,
    "cost": cost,
}
