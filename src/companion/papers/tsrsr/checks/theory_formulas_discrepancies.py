"""Tests of leads on the theory by closed forms, quadrature, enumeration and exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
from scipy import integrate, special

from companion.checks.samples import standard_error
from companion.checks.suspected_error import Finding, suspected_error
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.information import gain_bracket
from companion.information.gain import gain_by_determinant
from companion.papers.tsrsr.checks.proof_events import draws_inside
from companion.papers.tsrsr.checks.proof_gaussian import largest_square
from companion.papers.tsrsr.checks.proof_runs import Game, all_games, covariance, played
from companion.papers.tsrsr.theory import bounds

#: Batch sizes and numbers of batches in Section 6, its tables and figures.
SETTINGS = ((20, 20), (5, 50), (20, 15), (5, 30), (10, 30))

#: Of the model in all experiments.
NOISE_SD = 1e-3


def posterior_variance(prior: Floats, noise_variance: float, seen: tuple[int, ...]) -> Floats:
    """(N,) variances given observations at the indices ``seen``, by a dense solve."""
    query = list(seen)
    gram = prior[np.ix_(query, query)] + noise_variance * np.eye(len(query))
    return np.asarray(prior.diagonal() - np.sum(prior[query] * np.linalg.solve(gram, prior[query]), axis=0))


def _random_prior(generator: np.random.Generator, size: int) -> Floats:
    """Correlations of a random factor, so that the largest variance is 1 only up to scale."""
    root = generator.standard_normal((size, size))
    matrix = root @ root.T + 0.05 * np.eye(size)
    return np.asarray(matrix / matrix.diagonal().max())


@suspected_error("E4", teeth={"8 in place of 4": {"factor": 8.0}, "4 in the repair": {"repair": 4.0}})
def range_of_draws(*, factor: float = 4.0, repair: float = 8.0) -> Finding:
    r"""differences $f(x)-f(x')$ are taken as $N(0,2)$, and $\E\max_{x,x'}(f(x)-f(x'))\le\sqrt{4\log N}$

    :math:`\E\max_{x,x'}(f(x)-f(x'))` for n independent standard normals, by quadrature, and the design's regret.
    """

    def spread(size: int) -> float:
        def density(u: float) -> float:
            return -math.expm1(size * float(special.log_ndtr(u))) - math.exp(size * float(special.log_ndtr(-u)))

        return float(integrate.quad(density, -12.0, 12.0, epsabs=1e-11, limit=200, points=(-3.0, 0.0, 3.0))[0])

    values = {size: spread(size) for size in (*range(2, 13), 1000)}
    first = min((size for size, value in values.items() if value > math.sqrt(factor * math.log(size))), default=1000)
    repaired = all(value <= math.sqrt(repair * math.log(size)) for size, value in values.items())
    game = Game("se", 1, 1.0, 1, 1, 4000, design=20)
    runs = played(game)
    cost, error = float(runs.initial_regret.mean()), standard_error(runs.initial_regret)
    exact = game.design * float(runs.values.max(axis=1).mean())
    limit = game.design * math.sqrt(2.0 * math.log(game.size))
    return Finding(
        values[first] > math.sqrt(factor * math.log(first)) and repaired,
        {
            "first": first,
            "range": values[first],
            "range 1000": values[1000],
            "cost": cost,
            "exact": exact,
            "limit": limit,
        },
        allowed_first=math.sqrt(4 * math.log(first)),
        allowed_1000=math.sqrt(4 * math.log(1000)),
        game=game,
        error=error,
    )


@suspected_error("E5", teeth={"one point fewer": {"fewer": 1}})
def ratio_in_closed_form(*, fewer: int = 0) -> Finding:
    r"""batches match the sequential rate up to $\rho_m$, the largest decrease of a standard deviation by up to $m$ points

    :math:`\rho_m` against enumeration, with one index less, and at the noise level of the experiments.
    """
    generator = stream(0, "tsrsr", "discrepancies", "ratio")
    quotients = []
    for _ in range(30):
        prior, noise = _random_prior(generator, 4), float(generator.uniform(0.01, 2.0))
        extra = int(generator.integers(1, 4))
        largest = 0.0
        for length in range(3):
            for history in combinations_with_replacement(range(4), length):
                start = posterior_variance(prior, noise, history)
                for more in combinations_with_replacement(range(4), extra):
                    largest = max(largest, float((start / posterior_variance(prior, noise, history + more)).max()))
        quotients.append(math.sqrt(largest) / bounds.variance_ratio(extra - fewer, noise))
    broken = 0
    for game in all_games():
        width = bounds.normal_width(2 * game.size * game.evaluations, 0.1)
        allowed = width * bounds.variance_ratio(game.batch - 1, game.noise_variance, game.variance)
        broken += int(np.sum(played(game).largest_ratio[draws_inside(game, 0.1)] > allowed * (1.0 + 1e-9)))
    rho = {batch: bounds.variance_ratio(batch, NOISE_SD**2) for batch in (1, 5)}
    # With max k = 1 the gain is at least that of one point, and the first term alone is at least rho / sqrt(Tm) times
    # the trivial bound, for every number of candidates.
    least = min(bounds.variance_ratio(batch, NOISE_SD**2) / math.sqrt(batch * rounds) for batch, rounds in SETTINGS)
    needed = rho[5] ** 2
    # Rounding differs between machines from the 14th digit on.
    digits = math.floor(-math.log10(max(1e-12, *(abs(quotient - 1.0) for quotient in quotients))))
    return Finding(
        max(abs(quotient - 1.0) for quotient in quotients) < 1e-9 and broken == 0 and least > 1.0,
        {"smallest": min(quotients), "largest": max(quotients), "broken": broken, "rho 1": rho[1], "rho 5": rho[5]}
        | {"least": least, "needed": needed},
        quotients=len(quotients),
        digits=digits,
        games=len(all_games()),
        rho=rho,
        noise_sd=NOISE_SD,
        millions=needed / 1000000.0,
    )


@suspected_error("E8", teeth={"the threshold of (8)": {"factor": 2.0}})
def tail_in_lemma_3(*, factor: float = 1.0) -> Finding:
    r"""$\sqrt{2\log(D/\delta)}$ in the statement, $\sqrt{2\log(2D/\delta)}$ in its proof and wherever it is used

    The tail bound that the proof of Lemma 3 uses, at the threshold of the statement and at that of (8).
    """
    grid = list(product((1, 2, 10, 1000), (0.9, 0.5, 0.1, 0.01)))
    stated = [2.0 * math.exp(-math.log(factor * size / delta)) * size / delta for size, delta in grid]
    later = [2.0 * math.exp(-math.log(2.0 * size / delta)) * size / delta for size, delta in grid]
    longer = [math.sqrt(math.log(2.0 * size / delta) / math.log(size / delta)) for size, delta in grid if size > 1]
    return Finding(
        min(stated) > 1.0 and max(later) <= 1.0 + 1e-12,
        {"stated": max(stated), "later": max(later), "longer": max(longer)},
    )


@suspected_error("E13", teeth={"the middle one observed before": {"third": 1}})
def conditioning_and_information(*, third: int = 2) -> Finding:
    """conditioning always reduces mutual information

    Mutual information with one value of f, and with all of f, before and after conditioning.
    """
    noise = 0.01
    directions = np.array([[1.0, 0.0], [math.sqrt(0.5), math.sqrt(0.5)], [0.0, 1.0]])
    prior = directions @ directions.T
    x, a = 0, 1

    def ratio(history: tuple[int, ...]) -> float:
        before, after = posterior_variance(prior, noise, history)[x], posterior_variance(prior, noise, (*history, a))[x]
        return math.sqrt(before / after)

    alone, given = ratio(()), ratio((third,))
    generator = stream(0, "tsrsr", "discrepancies", "conditioning")
    broken, checked = 0, 300
    for _ in range(checked):
        matrix, level = _random_prior(generator, 6), float(generator.uniform(0.01, 2.0))
        extra, history = (tuple(generator.integers(6, size=3)) for _ in range(2))

        def of(seen: tuple[int, ...], matrix: Floats = matrix, level: float = level) -> float:
            query = list(seen)
            return float(gain_by_determinant(matrix[np.ix_(query, query)], level))

        broken += int(of(history + extra) - of(history) > of(extra) * (1.0 + 1e-9))
    return Finding(
        given > alone and broken == 0,
        {"alone": alone, "given": given, "broken": broken, "checked": checked},
        noise=noise,
        log_alone=math.log(alone),
        log_given=math.log(given),
    )


@suspected_error("U1", teeth={"log in place of 2 log": {"factor": 0.5}})
def printed_threshold(*, factor: float = 1.0) -> Finding:
    r"""all of $D$ coordinates are within $\sqrt{2\log(D/\delta)}$ standard deviations with probability at least
    $1-\delta$

    The worst of :math:`D\,P(|Z|>\sqrt{2\log(D/\delta)})/\delta` over D and delta.
    """
    worst, smaller = 0.0, 0.0
    for size, delta in product(range(1, 200), np.linspace(0.001, 0.999, 999)):
        level = factor * math.log(size / delta)
        worst = max(worst, size * math.erfc(math.sqrt(level)) / delta)
    for size, delta in product((10, 100), (0.1, 0.01)):
        smaller = max(smaller, size * math.erfc(math.sqrt(math.log(size / delta) / 2.0)) / delta)
    return Finding(worst > 1.0, {"worst": worst, "smaller": smaller})


@suspected_error("U3", teeth={"5 in place of 6": {"constant": 5.0}})
def last_step_of_lemma_8(*, constant: float = 6.0) -> Finding:
    r"""$4(\log D+\frac12\log2)\le6\log D$ for $D\ge2$

    :math:`4(\log D+\frac12\log2)\le6\log D` and the moment itself, from D = 2 on.
    """
    sizes = (2, 3, 5, 10, 100, 10_000)
    steps = {size: 4.0 * (math.log(size) + 0.5 * math.log(2.0)) / (constant * math.log(size)) for size in sizes}
    moments = {size: largest_square(size) / (constant * math.log(size)) for size in sizes}
    closed = 1.0 + 2.0 / math.pi
    return Finding(
        max(steps.values()) > 1.0 + 1e-12 or max(moments.values()) > 1.0,
        {"step": max(steps.values()), "moment": largest_square(2), "share": max(moments.values())},
        six_log_2=6 * math.log(2),
        closed=closed,
    )


@suspected_error("U7", teeth={"half of it": {"share": 0.5}})
def adaptive_points(*, share: float = 1.0) -> Finding:
    """the bound on the sum of conditional variances is applied to points that depend on the observations

    Lemma 5 for every sequence of six out of three points, and for adaptive runs.
    """
    generator = stream(0, "tsrsr", "discrepancies", "sequences")
    largest, least = 0.0, math.inf
    for _ in range(3):
        prior, noise = _random_prior(generator, 3), float(generator.uniform(0.05, 1.0))
        limit = share * bounds.variance_sum_bound(noise, gain_bracket(prior, 6, noise).upper)
        sums = [_variance_sum(prior, noise, sequence) for sequence in product(range(3), repeat=6)]
        largest, least = max(largest, max(sums) / limit), min(least, min(sums) / max(sums))
    adaptive = 0.0
    for game in all_games():
        upper = gain_bracket(
            covariance(game.kernel, game.dim, game.size, game.variance), game.evaluations, game.noise_variance
        )
        limit = share * bounds.variance_sum_bound(game.noise_variance, upper.upper)
        adaptive = max(adaptive, float(played(game).variance_sum.max()) / limit)
    return Finding(
        largest > 1.0 + 1e-9 or adaptive > 1.0 + 1e-9,
        {"enumerated": largest, "adaptive": adaptive, "spread": least},
        sequences=len(sums),
        games=len(all_games()),
    )


def _variance_sum(prior: Floats, noise: float, sequence: tuple[int, ...]) -> float:
    among = prior[np.ix_(sequence, sequence)] + noise * np.eye(len(sequence))
    return float(np.sum(np.linalg.cholesky(among).diagonal() ** 2 - noise))


@suspected_error("U8", teeth={"1/(Tm) in place of its square": {"power": 1}})
def accounting(*, power: int = 2) -> Finding:
    r"""$\delta/(Tm)$, $2\delta$, $\delta_0=\frac12(Tm)^{-2}$, $4N(Tm)^3$; 400 and 250 evaluations

    Failure probabilities and arguments of logarithms along Section 5 in exact fractions; numbers of evaluations.
    """
    faults, checked = [], 0
    triples = list(product((2, 25, 1000), (1, 7, 50), (1, 5, 20)))
    for candidates, rounds, batch in triples:
        n = rounds * batch
        level = Fraction(1, 2 * n**power)
        # 2 exp(-u^2 / 2) at u = sqrt(2 log(count / level)), summed over the events.
        draws = n * candidates * 2 * level / (2 * candidates * n)
        function = rounds * candidates * 2 * level / (2 * candidates * rounds)
        claims = {
            "draws": draws <= level,
            "function": function <= level,
            "both": draws + function <= Fraction(1, n**2),
            "argument": 2 * candidates * n / level == 4 * candidates * n**3,
            "one width for both": 2 * candidates * rounds / level <= 2 * candidates * n / level,
            "second term": Fraction(24 * n**3, n**2) == 24 * n,
        }
        faults += [name for name, holds in claims.items() if not holds]
        checked += len(claims)
    evaluations = [batch * rounds for batch, rounds in SETTINGS[:2]]
    return Finding(
        bool(faults) or evaluations != [400, 250],
        {"faults": faults, "checked": checked, "evaluations": evaluations},
        fail=len(faults),
        triples=len(triples),
    )
