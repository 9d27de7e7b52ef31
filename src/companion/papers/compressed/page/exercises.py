"""Numbers of the solutions to the chapter's exercises."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement

import numpy as np
from scipy.stats import norm

from companion.bounds.confidence import SrinivasDrawsWidth, union_bound_log
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.pages import Numbers, recorded
from companion.pages.provenance import here
from companion.papers.compressed.experiments.parameters import BUDGET, READINGS
from companion.papers.compressed.experiments.printed import CompressedResults
from companion.papers.compressed.experiments.theory_claims import THREE_ARMS, THREE_VALUES
from companion.papers.compressed.method.admission import raw_entropy, unit_noise
from companion.papers.compressed.page.arms import SIDES
from companion.papers.compressed.page.cards import power_of_ten
from companion.papers.compressed.page.findings import needed
from companion.papers.compressed.page.order import ARM_NOISE
from companion.papers.compressed.page.picture import ALPHA, DELTA, ROUNDS, VARIANCE, play
from companion.papers.compressed.page.regret import game_of
from companion.papers.compressed.page.stored_runs import PLACES, SHORT, frozen_rows
from companion.papers.compressed.problems.catalogue import NOISE_VARIANCE
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory import runs as theory
from companion.papers.compressed.theory.bounds import finite_beta
from companion.papers.compressed.theory.instances import even_gain, played
from companion.papers.compressed.theory.order import copies_kept
from companion.policies.acquisition import expected_improvement
from companion.problems.running_example import POINTS, running_function


@recorded(random=False)
def first() -> Numbers:
    """Points before the first rejection, also for a large and a small prior variance, and the thresholds of three rules."""
    u = math.expm1(2.0 * BUDGET)
    large, small = 100.0, 1.25 * NOISE_VARIANCE * u
    return Numbers(
        needed=needed(),
        large=large,
        scaled=copies_kept(u, NOISE_VARIANCE / large),
        fewer=copies_kept(u, NOISE_VARIANCE / small),
        share=math.sqrt(u),
        threshold=power_of_ten(NOISE_VARIANCE * u),
        unit=power_of_ten(unit_noise(BUDGET).threshold),
        raw=raw_entropy(BUDGET, NOISE_VARIANCE).threshold,
    )


@recorded(first=0)
def louder() -> Numbers:
    """Points that UCB keeps of the picture's rounds, at its noise and at ten times the noise variance."""
    quiet, loud = (play(ROUNDS**-ALPHA, 0, variance)[1].model_order for variance in (VARIANCE, 10.0 * VARIANCE))
    return Numbers(quiet=quiet, loud=loud)


def play_numbers(play: Callable[..., Sequence[int]], rounds: int = 1000) -> Numbers:
    """Arms played by the exercise's function, of three, with the widths of the lesson, below and above the threshold.

    ``best``: below, the best arm from the fourth round on; ``worst``: above, the worst from the third.
    """
    width, (low, high) = SrinivasDrawsWidth(len(THREE_VALUES), DELTA), SIDES
    widths = [width.width(number) for number in range(1, rounds + 1)]
    below, above = (list(play(THREE_ARMS, THREE_VALUES, ARM_NOISE, threshold, widths)) for threshold in (low, high))
    return Numbers(
        here(play_numbers),
        low=low,
        high=high,
        below=below[:5],
        above=above[:5],
        best=below[:3] == [0, 1, 2] and set(below[3:]) == {int(THREE_VALUES.argmax())},
        worst=above[:2] == [0, 1] and set(above[2:]) == {int(THREE_VALUES.argmin())},
    )


@recorded(random=False)
def outweighed() -> Numbers:
    r"""However small the budget: when the width outweighs a difference of the means, as a power of ten.

    Arm 1 has stopped with variance :math:`\sigma^2/(k+1+\sigma^2)`, arm 2 with :math:`\sigma^2/(k+2\sigma^2)`, and
    :math:`\sqrt{\beta_t}` times the difference of the deviations has to exceed that of the means, with
    :math:`\beta_t=2\log(2t^2\pi^2/(6\delta))`.
    """
    noise, looks = 0.1, 10
    apart = math.sqrt(noise / (looks + 2.0 * noise)) - math.sqrt(noise / (looks + 1.0 + noise))

    def power(gap: float) -> float:
        beta = (gap / apart) ** 2
        return (0.5 * beta - union_bound_log(1, 2, DELTA)) / (2.0 * math.log(10.0))

    return Numbers(
        looks=looks, gap=0.1, delta=DELTA, apart=apart, needed_width=0.1 / apart, power=power(0.1), wide=power(1.0)
    )


def freeze(evidence: CompressedResults) -> Numbers:
    """Runs of EI that reject: points kept later, cost of a later round, and number of runs where it is zero."""
    rows, runs = frozen_rows(evidence), evidence.tables["runs"]
    frozen = (runs.method == "cgp-ei") & runs.variant.isin(READINGS) & runs.first_rejection.notna()
    rejecting = runs[frozen & runs.problem.isin(list(PLACES))]
    ei = rows[rows.rule == "EI"]
    return Numbers(
        evidence,
        problems=[SHORT[problem] for problem in PLACES],
        later=float(ei["kept later"].sum()),
        best=int((rejecting.last_regret == 0.0).sum()),
        all=len(rejecting),
        low=float(ei["last round"].min()),
        high=float(ei["last round"].max()),
    )


@recorded(random=False)
def table() -> Numbers:
    """Slopes of the second term of Theorem 3.2 at exponents 1 and 1/2, and the printed ones."""
    low, high = 1e8, 1e12
    one, half = (
        math.log(bounds.second_term(high, alpha) / bounds.second_term(low, alpha)) / math.log(high / low)
        for alpha in (1.0, 0.5)
    )
    printed = {name: bounds.table_exponent("ucb1", column, 1) for name, column in (("one", "a"), ("half", "b"))}
    return Numbers(one=one, half=half, printed_one=printed["one"], printed_half=printed["half"])


@recorded(random=False)
def best(noise_variance: float) -> Numbers:
    """The exponent at which the explicit sum of both terms is least."""
    horizon, size = 10**6, POINTS
    beta = float(bounds.finite_beta(horizon, size, 0.1))
    values = {
        alpha: bounds.theorem_32(horizon, beta, noise_variance, size * horizon**alpha / (2.0 * noise_variance), alpha)
        for alpha in np.round(np.arange(0.05, 1.0, 0.05), 2)
    }
    return Numbers(least=float(min(values, key=lambda alpha: float(values[alpha]))), size=size)


@recorded(random=False)
def maximiser() -> Numbers:
    """Both sides of (9.26) on two arms."""
    noise, rounds, u, value = 0.01, 1000, 0.5, 3.0
    epsilon, copies = 0.5 * math.log1p(u), copies_kept(u, noise)
    # The first observation comes before round 1; then the arm is kept until it has ``copies``, and rejected in all rounds after.
    variances = np.array([noise / (n + noise) for n in range(1, copies + 1)])
    kept = copies - 1
    allowed = float(bounds.variance_sum_bound(noise, even_gain(kept, 2, 1.0 / noise), epsilon * (rounds - kept)))
    means = np.array([value / (1.0 + noise), 0.0])
    improvement = expected_improvement(means, np.sqrt([variances[0], 1.0]), value)
    return Numbers(
        value=value,
        own=float(improvement[0]),
        other=float(improvement[1]),
        copies=copies,
        variance=float(variances[-1]),
        noise=noise,
        u=u,
        rounds=rounds,
        right=allowed,
        chosen=float(variances[:-1].sum() + (rounds - kept) * variances[-1]),
    )


#: The turbine's log: values by angle, noise variance, budget in nats, width.
LOG = {"A": (1.1, 0.7, 1.3, 0.9, 1.1), "B": (0.6, 1.1, 0.9, 0.68), "C": (0.4, 0.8), "D": (0.45,)}
LOG_NOISE, LOG_BUDGET, LOG_WIDTH, LOG_LEFT = 0.1, 0.1, 3.0, 3


def largest_mean(mean: Floats, moved: Floats) -> float:
    r"""Expected maximum of independent normal variables with means ``mean`` (K,), deviations ``moved`` (K,), one of them zero.

    By :math:`c+\int_c^\infty(1-\prod_iF_i)`, where c is the largest of those that do not move.
    """
    fixed = moved == 0.0
    low = float(mean[fixed].max())
    z = np.linspace(low, float((mean + 9.0 * moved).max()), 20_001)
    return low + float(np.trapezoid(1.0 - norm.cdf((z[:, None] - mean[~fixed]) / moved[~fixed]).prod(axis=1), z))


def log_brings(evaluations: str) -> float:
    """By how much such further evaluations, ``"ABB"``, raise the expected value of the angle that the log names."""
    count = np.array([len(values) for values in LOG.values()])
    more = np.array([evaluations.count(angle) for angle in LOG])
    mean = np.array([sum(values) for values in LOG.values()]) / (count + LOG_NOISE)
    # The posterior variance falls by the variance with which the mean will move.
    moved = np.sqrt(LOG_NOISE / (count + LOG_NOISE) - LOG_NOISE / (count + more + LOG_NOISE))
    return largest_mean(mean, moved) - float(mean.max())


def log_keeps(evaluations: str) -> bool:
    """Whether the budget keeps all of them."""
    last = (len(LOG[angle]) + evaluations.count(angle) - 1 for angle in evaluations)
    return all(0.5 * math.log1p(1.0 / (count + LOG_NOISE)) > LOG_BUDGET for count in last)


@recorded(random=False)
def log() -> Numbers:
    """Posterior, information and upper bound of every angle of the log, which are independent with prior variance one; what an
    evaluation of each brings, and which of several bring most, all or those that the budget keeps; and the width at which the
    first is left and for which (``next``)."""
    found: dict[str, float] = {}
    mean = {angle: sum(values) / (len(values) + LOG_NOISE) for angle, values in LOG.items()}
    sd = {angle: math.sqrt(LOG_NOISE / (len(values) + LOG_NOISE)) for angle, values in LOG.items()}
    for angle in LOG:
        found |= {
            f"{angle}_mean": mean[angle],
            f"{angle}_sd": sd[angle],
            f"{angle}_gain": 0.5 * math.log1p(sd[angle] ** 2 / LOG_NOISE),
            f"{angle}_upper": mean[angle] + LOG_WIDTH * sd[angle],
            f"{angle}_brings": 1e4 * log_brings(angle),
        }
    leave = {angle: (mean["A"] - mean[angle]) / (sd[angle] - sd["A"]) for angle in LOG if angle != "A"}
    following = min(leave, key=leave.__getitem__)
    sets = {each: 1e4 * log_brings(each) for each in map("".join, combinations_with_replacement(LOG, LOG_LEFT))}
    free = max(sets, key=sets.__getitem__)
    kept = max(filter(log_keeps, sets), key=sets.__getitem__)
    return Numbers(
        **found,
        budget=LOG_BUDGET,
        leave=leave[following],
        next=following,
        one=max(LOG, key=log_brings),
        free=free,
        free_brings=sets[free],
        kept=kept,
        kept_brings=sets[kept],
    )


#: Budgets in nats, and functions, of the exercise on when skipping helps.
BUDGETS, DRAWN = (0.01, 0.1, 1.0), 50


@recorded(first="seed", fixed=(0,))
def budgets(seed: int = 0, functions: int = DRAWN) -> Numbers:
    """For how many draws of the example's prior skipping lowers the cumulative regret, by budget."""
    _, covariance, _ = running_function()
    beta = finite_beta(np.arange(1.0, ROUNDS + 1.0), POINTS, DELTA)

    def regret(budget: float) -> Floats:
        drawn = stream(seed, "compressed", "exercises", "budgets")
        return theory.play(covariance, beta, VARIANCE, budget, functions, drawn).regret

    full = regret(-math.inf)
    small, middle, large = (int((regret(budget) < full - 1e-9).sum()) for budget in BUDGETS)
    first, second, third = BUDGETS
    return Numbers(
        functions=functions, small=small, middle=middle, large=large, first=first, second=second, third=third
    )


#: Noise variance of the exercise on noise.
LOUD = 2.0


@recorded(first="seed")
def noise(seed: int, horizon: int, noise_variance: float, alpha: float, functions: int = 20) -> Numbers:
    """Effect of the noise variance on the printed divisor and on the least dictionary."""

    def gap(variance: float) -> float:
        return 1.0 / math.sqrt(math.log1p(1.0 / variance))

    u = float(horizon) ** -alpha
    loud = played(game_of(seed, horizon, LOUD, alpha, functions))
    silent = played(game_of(seed, horizon, 1.05 * horizon**alpha, alpha, functions))
    return Numbers(
        here=gap(noise_variance),
        noise=noise_variance,
        loud=gap(LOUD),
        variance=LOUD,
        turn=1.0 / (math.e - 1.0),
        most=1.0 / u,
        least=copies_kept(u, noise_variance),
        fewer=copies_kept(u, LOUD),
        empty=float(silent.order.max()),
        cost=float(silent.regret.mean()),
        rounds=horizon,
        runs=functions,
        order=float(loud.order.mean()),
        regret=float(loud.regret.mean()),
    )
