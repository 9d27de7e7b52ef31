"""The recorded runs and the bounds behind the statements on regret, against dense solves, the policy and closed forms."""

import math
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy import optimize, stats
from tolerances import FORMULA_RTOL, POOLED_RTOL, SERIES_RTOL

from companion.core.errors import ParameterError
from companion.papers.compressed.checks import regret_games as games
from companion.papers.compressed.method import admission
from companion.papers.compressed.method.policy import CompressedBandit
from companion.papers.compressed.theory import bounds, freeze, instances
from companion.papers.compressed.theory.runs import play
from companion.policies.acquisition import expected_improvement

SMALL = instances.Game("matern32", 1, 0.3, 30, 0.5, runs=3, size=12)


def posterior(matrix, noise, at, values):
    """Mean and standard deviation everywhere, by a dense solve."""
    if not len(at):
        return np.zeros(len(matrix)), np.sqrt(np.diag(matrix))
    weights = np.linalg.solve(matrix[np.ix_(at, at)] + noise * np.eye(len(at)), matrix[at])
    return weights.T @ np.asarray(values), np.sqrt(np.diag(matrix) - np.sum(matrix[at] * weights, axis=0))


@pytest.mark.parametrize("acquisition", ["ucb", "ei"])
@pytest.mark.parametrize("kernel", ["matern32", "independent"])
def test_every_record_against_dense_solves(acquisition, kernel):
    game = replace(SMALL, acquisition=acquisition, kernel=kernel)
    runs = instances.played(game)
    matrix = np.diag(instances.prior(game)) if kernel == "independent" else instances.prior(game)
    noise, threshold = game.noise_variance, game.noise_variance * game.horizon**-0.5
    assert (~runs.kept).any()
    for run in range(game.runs):
        f = runs.values[run]
        at, values = list(runs.initial[run]), list(runs.initial_values[run])
        for t in range(game.horizon):
            mean, sd = posterior(matrix, noise, at, values)
            choice = runs.chosen[run, t]
            if acquisition == "ucb":
                score = mean + math.sqrt(2 * math.log(12 * (t + 1) ** 2 * math.pi**2 / 6 / 0.1)) * sd
            else:
                best = max(values)
                score = expected_improvement(mean, sd, best)
                assert runs.best[run, t] == pytest.approx(best, rel=POOLED_RTOL)
                assert runs.score[run, t] == pytest.approx((np.abs(mean - best) / sd).max(), rel=POOLED_RTOL)
                short = ((np.maximum(f - best, 0) - score) / sd).max()
                assert runs.shortfall[run, t] == pytest.approx(short, rel=POOLED_RTOL, abs=POOLED_RTOL)
            assert score[choice] == pytest.approx(score.max(), rel=POOLED_RTOL)
            assert runs.mean[run, t] == pytest.approx(mean[choice], rel=POOLED_RTOL, abs=POOLED_RTOL)
            assert runs.variance[run, t] == pytest.approx(sd[choice] ** 2, rel=POOLED_RTOL)
            assert runs.optimum_variance[run, t] == pytest.approx(sd[f.argmax()] ** 2, rel=POOLED_RTOL)
            assert runs.optimum_mean[run, t] == pytest.approx(mean[f.argmax()], rel=POOLED_RTOL, abs=POOLED_RTOL)
            assert runs.deviation[run, t] == pytest.approx((np.abs(f - mean) / sd).max(), rel=POOLED_RTOL)
            assert runs.kept[run, t] == (sd[choice] ** 2 > threshold)
            assert np.isnan(runs.observed[run, t]) != runs.kept[run, t]
            if runs.kept[run, t]:
                at.append(choice)
                values.append(runs.observed[run, t])
        assert runs.order[run] == len(at) - runs.initial.shape[1]
        if acquisition == "ei":
            mean, sd = posterior(matrix, noise, at, values)
            assert runs.final_score[run] == pytest.approx((np.abs(mean - max(values)) / sd).max(), rel=POOLED_RTOL)
            assert runs.supremum_score[run] == max(runs.score[run].max(), runs.final_score[run])


@pytest.mark.parametrize("acquisition", ["ucb", "ei"])
def test_the_same_choices_as_the_policy(acquisition):
    game = replace(SMALL, acquisition=acquisition, horizon=60)
    runs = instances.played(game)
    for run in range(game.runs):
        rule = admission.information(game.epsilon, game.noise_variance)
        widths = np.sqrt(game.beta())
        bandit = CompressedBandit(
            instances.prior(game),
            game.noise_variance,
            acquisition,
            rule,
            lambda t, gain, widths=widths: float(widths[t - 1]),
            runs.initial[run],
        )
        if runs.initial.shape[1]:
            bandit.ask(1)
            bandit.tell(runs.initial_values[run])
        for t in range(game.horizon):
            assert bandit.ask(game.horizon - t).query[0] == runs.chosen[run, t]
            bandit.tell(np.array([np.nan_to_num(runs.observed[run, t])]))
        assert bandit.model_order == runs.order[run] + runs.initial.shape[1]


def test_a_run_that_stays_with_its_first_arm_is_what_two_numbers_say():
    arms = freeze.FirstArm(40, 0.1, 30, 0.2, 0.1, 5)
    generator = np.random.default_rng(1)
    values = generator.standard_normal((400, arms.size))
    values[:, 0] = generator.uniform(0.5, 3.0, 400)
    rule = 0.5 * math.log1p(arms.horizon**-arms.alpha)
    start = play(
        np.ones(arms.size), [1.0] * arms.horizon, 0.01, rule, 400, np.random.default_rng(2), acquisition="ei", initial=1
    ).initial
    lanes = np.arange(400)
    values[lanes, start[:, 0]], values[:, 0] = values[:, 0].copy(), values[lanes, start[:, 0]].copy()
    beta = [1.0] * arms.horizon
    runs = play(
        np.ones(arms.size), beta, 0.01, rule, 400, np.random.default_rng(2), acquisition="ei", initial=1, values=values
    )
    same = (runs.chosen == start).all(axis=1)
    # The noise of the observations, where the first arm was kept as often as it can be.
    seen = np.concatenate([runs.initial_values, np.nan_to_num(runs.observed[:, : arms.copies - 1])], axis=1)
    first = values[lanes, start[:, 0]]
    stays, score = freeze.hold(first, seen - first[:, None], arms.noise_variance)
    assert 5 < same.sum() < 300
    np.testing.assert_array_equal(stays[same], True)
    np.testing.assert_allclose(score[same], runs.supremum_score[same], rtol=POOLED_RTOL)
    assert (runs.order[same] == arms.copies - 1).all()
    # A run that leaves shows in the states up to its first other choice: none of them may be said to stay.
    left = (runs.chosen[:, : arms.copies] != start).any(axis=1)
    np.testing.assert_array_equal(stays[left & runs.kept[:, 0] & (runs.chosen[:, 0] != start[:, 0])], False)
    assert runs.rejected_gain[same] == pytest.approx(freeze.first_arm(arms).rejected, rel=SERIES_RTOL)
    assert runs.gain[same] == pytest.approx(freeze.first_arm(arms).gain, rel=SERIES_RTOL)


def test_the_share_that_stays_and_the_largest_of_the_others():
    arms = freeze.FirstArm(1000, 0.01, 1, 0.1, 0.1, 100_000)
    runs = freeze.first_arm(arms)

    def advantage(y):
        sd = 0.01 / math.sqrt(1.0001)
        own, other = (z * stats.norm.cdf(z) + stats.norm.pdf(z) for z in (-y * 1e-4 / 1.0001 / sd, -y))
        return sd * own - other

    least = optimize.brentq(advantage, 0.5, 6.0)
    share = stats.norm.sf(least)
    assert runs.stays.mean() == pytest.approx(share, abs=5 * math.sqrt(share / arms.runs))
    direct = np.random.default_rng(0).standard_normal((4000, arms.size - 1)).max(axis=1)
    value = stats.norm.pdf(least) / share  # mean of a normal number above the least
    # Five standard errors of the mean of the largest, whose standard deviation is below one half.
    assert runs.regret[runs.stays].mean() == pytest.approx(
        direct.mean() - value, abs=5 * 0.5 / math.sqrt(runs.stays.sum())
    )


def test_sums_over_retained_and_rejected_rounds():
    runs = instances.played(SMALL)
    kept, information = runs.kept, 0.5 * np.log(1 + runs.variance / runs.noise_variance)
    for run in range(SMALL.runs):
        assert runs.gain[run] == pytest.approx(information[run][kept[run]].sum(), rel=SERIES_RTOL)
        assert runs.rejected_gain[run] == pytest.approx(information[run][~kept[run]].sum(), rel=SERIES_RTOL)
        assert runs.rejected_gain[run] <= runs.rejected_budget[run] <= 0.5 * SMALL.horizon * math.log(2)
    everything = instances.played(replace(SMALL, alpha=math.inf))
    assert everything.kept.all()
    assert not everything.rejected_budget.any()


def test_bad_input_is_refused():
    generator = np.random.default_rng(0)
    with pytest.raises(ParameterError, match="initial"):
        play(np.eye(3), [1.0], 0.1, 0.1, 1, generator, acquisition="ei")
    with pytest.raises(ParameterError, match="acquisition"):
        play(np.eye(3), [1.0], 0.1, 0.1, 1, generator, acquisition="mpi")
    with pytest.raises(ParameterError, match="beta"):
        play(np.eye(3), [1.0, -1.0], 0.1, 0.1, 1, generator)
    with pytest.raises(ParameterError, match="noise_variance"):
        play(np.eye(3), [1.0], 0.0, 0.1, 1, generator)
    with pytest.raises(ParameterError, match="form"):
        bounds.compact_beta(1.0, 1, 1.0, 2.0, 2.0, 0.1, form="paper")
    with pytest.raises(ParameterError, match="delta"):
        bounds.finite_beta(1.0, 5, 1.5)
    with pytest.raises(ParameterError, match="smoothness"):
        bounds.derivative_tail(0.2, smoothness=1.5)
    with pytest.raises(ParameterError, match="form"):
        bounds.corollary_33(9, 1.0, 0.1, 3, form="other")


def test_the_point_next_to_the_maximiser_by_dense_solves():
    game = replace(instances.C, runs=2, size=101, horizon=25)
    runs, x = instances.played(game), instances.points(game)
    cells = np.ceil(bounds.grid_per_axis(game.rounds, 1, 1.0, *game.tails, 0.1))
    near = instances.near_optimum(game, bounds.grid_per_axis(game.rounds, 1, 1.0, *game.tails, 0.1))
    for run in range(2):
        star = float(x[runs.values[run].argmax(), 0])
        for t in (0, 1, 7, 24):
            centres = (np.arange(cells[t]) + 0.5) / cells[t]
            point = centres[np.abs(centres - star).argmin()]
            assert abs(point - star) <= 1 / cells[t]
            past = np.flatnonzero(runs.kept[run][:t])
            inputs = np.append(x[runs.chosen[run][past], 0], point)
            matrix = np.exp(-0.5 * (inputs[:, None] - inputs[None]) ** 2 / 0.04)
            mean, sd = posterior(matrix, game.noise_variance, list(range(len(past))), runs.observed[run][past])
            assert near.mean[run, t] == pytest.approx(
                mean[-1], rel=1e-6, abs=1e-6
            )  # ill-conditioned where points repeat
            assert near.sd[run, t] == pytest.approx(sd[-1], rel=1e-6)


@pytest.mark.parametrize(("arms", "order"), [(3, 2), (3, 3), (3, 7), (5, 0)])
def test_even_gain_by_enumeration(arms, order):
    best = max(
        0.5 * sum(math.log1p(copies / 0.3) for copies in counts)
        for counts in np.ndindex(*(order + 1,) * arms)
        if sum(counts) == order
    )
    assert instances.even_gain(order, arms, 1 / 0.3) == pytest.approx(best, rel=FORMULA_RTOL)


@pytest.mark.slow
def test_gains_are_upper_ends():
    for game in (*games.FINITE, *games.IMPROVING[:4]):
        runs, upper = instances.played(game), instances.gain_upper(game)
        assert np.all(runs.gain <= upper * (1 + SERIES_RTOL))
        assert np.all(upper <= runs.order / (2 * game.noise_variance) * (1 + SERIES_RTOL))


def test_the_gain_used_is_not_below_the_best_design_where_greedy_choice_is():
    """Four of seven points on a line: greedy takes both ends and the middle first, the best design is every other one."""
    game = instances.Game("matern32", 1, 0.3, 4, math.inf, runs=1, size=7, lengthscale=0.5)
    matrix = instances.prior(game)

    def gain(chosen):
        gram = matrix[np.ix_(chosen, chosen)] / game.noise_variance
        return 0.5 * math.log(np.linalg.det(np.eye(len(chosen)) + gram))

    greedy: list[int] = []
    for _ in range(4):
        greedy.append(max(range(7), key=lambda point: gain([*greedy, point])))
    best = max(gain(list(chosen)) for chosen in combinations_with_replacement(range(7), 4))
    assert instances.gain_upper(game)[0] >= best > gain(greedy) + 1e-3


@pytest.mark.slow
def test_dictionaries_keep_to_their_limits():
    for game in games.FINITE[:3]:
        low, high = bounds.model_order_limits(game.horizon, game.alpha, game.noise_variance, game.size)
        orders = instances.played(game).order
        assert low <= orders.min()
        assert orders.max() <= high


# -- closed forms ------------------------------------------------------------------------------------------------------


def test_exploration_parameters_by_hand():
    t, delta = np.array([1.0, 7.0]), 0.2
    np.testing.assert_allclose(
        bounds.finite_beta(t, 30, delta), 2 * np.log(30 * t**2 * math.pi**2 / (6 * delta)), rtol=FORMULA_RTOL
    )
    assert sum(1 / bounds.union_terms(np.arange(1, 10**6))) == pytest.approx(1.0, abs=1e-6)
    a, b, d, r = 1.5, 3.0, 2, 0.7
    root = math.sqrt(math.log(4 * d * a / delta))
    first = 2 * np.log(2 * t**2 * math.pi**2 / (3 * delta))
    theorem = first + 2 * d * np.log(t**2 * d * b * r * root)
    lemma = first + 4 * d * np.log(d * t * b * r * root)
    cells = np.ceil(t**2 * d * b * r * root)
    np.testing.assert_allclose(bounds.compact_beta(t, d, r, a, b, delta, form="theorem"), theorem, rtol=FORMULA_RTOL)
    np.testing.assert_allclose(bounds.compact_beta(t, d, r, a, b, delta, form="lemma"), lemma, rtol=FORMULA_RTOL)
    np.testing.assert_allclose(
        bounds.compact_beta(t, d, r, a, b, delta), first + 2 * d * np.log(cells), rtol=FORMULA_RTOL
    )


def test_regret_bounds_by_hand():
    T, beta, noise, gain, alpha = 100, 9.0, 0.1, 7.0, 0.5
    c1, level = 8 / math.log(11), math.log(11)
    first = math.sqrt(c1 * T * beta * gain)
    second = T * math.sqrt(math.log(1.1)) * math.sqrt(c1 * beta)
    assert bounds.theorem_32(T, beta, noise, gain, alpha) == pytest.approx(first + second, rel=FORMULA_RTOL)
    assert bounds.theorem_32(T, beta, noise, gain, alpha, compact=True) == pytest.approx(
        first + second + math.pi**2 / 6, rel=FORMULA_RTOL
    )
    epsilon = admission.horizon_budget(T, alpha)
    assert bounds.split_bound(T, beta, noise, gain, epsilon) == pytest.approx(
        first + second / math.sqrt(2), rel=FORMULA_RTOL
    )
    z = 30 / (0.1 * (1 - math.exp(-1)))
    assert bounds.corollary_33(T, beta, noise, 30) == pytest.approx(
        math.sqrt(c1 * beta * z) * 1000**0.5, rel=FORMULA_RTOL
    )
    explicit = math.sqrt(c1 * beta) * (math.sqrt(30 * 100 * 10 / 0.2) + 100 * math.sqrt(0.5 * math.log(1.1)))
    assert bounds.corollary_33(T, beta, noise, 30, form="explicit") == pytest.approx(explicit, rel=FORMULA_RTOL)
    front = math.sqrt(3 * (9 + 1 + 16)) + 3
    tail = math.sqrt(2 * T * gain) + T * math.sqrt(math.log(1.1))
    assert bounds.theorem_34(T, beta, noise, gain, alpha, 4.0) == pytest.approx(front / level * tail, rel=FORMULA_RTOL)
    assert bounds.theorem_34(T, beta, noise, gain, alpha, 4.0, power=0.5) == pytest.approx(
        front / math.sqrt(level) * tail, rel=FORMULA_RTOL
    )
    sound = (3 + 1 + 4) * math.sqrt(2 * T * (gain + 2) / level) + 3 * 5.0
    assert bounds.improvement_bound(T, beta, noise, gain, 2.0, 4.0, 5.0) == pytest.approx(sound, rel=FORMULA_RTOL)
    assert bounds.trivial_bound([[1.0, -2.0, 0.5]], 10) == pytest.approx(30.0)
    assert bounds.model_order_limits(100, 0.5, 0.1, 5) == (10, 50)
    assert bounds.model_order_limits(100, 0.5, 11.0, 5) == (0, 0)


@pytest.mark.parametrize(("smoothness", "kernel"), [(math.inf, "se"), (2.5, "matern52"), (3.5, "matern72")])
def test_derivative_tails_against_sampled_derivatives(smoothness, kernel):
    """The tail's scale is the derivative's variance at a point; the bound holds for the largest difference quotient."""
    game = instances.Game(kernel, 1, 0.1, 2, 0.5, runs=1, size=201)
    a, b = bounds.derivative_tail(0.2, smoothness=smoothness)
    h = 1e-4
    values = instances.kernel_between(game, np.array([[0.0]]), np.array([[0.0], [h]]))[0]
    second_moment = 2 * (values[0] - values[1]) / h**2
    assert b**2 / 2 == pytest.approx(second_moment, rel=1e-3)
    draws = np.linalg.cholesky(instances.prior(game) + 1e-10 * np.eye(201)) @ np.random.default_rng(1).standard_normal(
        (201, 4000)
    )
    steepest = np.abs(np.diff(draws[::4], axis=0) * 50).max(axis=0)
    for level in (1.5 * b, 1.8 * b):
        allowed = a * math.exp(-((level / b) ** 2))
        assert np.mean(steepest > level) <= allowed + 3 * math.sqrt(allowed / 4000)
        assert np.mean(steepest > level) > 0.2 * allowed  # a useful bound, not only a true one


@pytest.mark.parametrize("nu", [2.25, 2.5, 3.5, 6.0])
def test_derivative_tails_are_made_of_the_moments_of_the_spectrum(nu):
    """The spectrum of a Matern kernel is the density of Student's t with 2 nu degrees of freedom over the length-scale."""
    second, fourth = (stats.t(2 * nu).moment(k) for k in (2, 4))
    a, b = bounds.derivative_tail(0.3, 1.7, nu)
    assert a == pytest.approx(1 + 1.7 / (math.pi * 0.3) * math.sqrt(fourth / second), rel=SERIES_RTOL)
    assert b == pytest.approx(math.sqrt(2 * second) / 0.3, rel=SERIES_RTOL)


def test_a_tail_without_a_logarithm_is_refused():
    """2 d a / delta of one has the logarithm zero."""
    with pytest.raises(ParameterError, match=r"^a:"):
        bounds.grid_per_axis(1.0, 1, 1.0, 0.125, 1.0, 0.25)
    assert bounds.grid_per_axis(1.0, 1, 1.0, 0.125 * math.e, 1.0, 0.25) == pytest.approx(1.0)


def test_derivative_tails_by_hand():
    """Moments 1 and 3 of a normal spectrum; 3/2 and 27/2 of nu = 3, whose quotient is nine."""
    a, b = bounds.derivative_tail(0.5, 2.0)
    assert (a, b) == pytest.approx((1 + 4 * math.sqrt(3) / math.pi, 2 * math.sqrt(2)), rel=FORMULA_RTOL)
    a, b = bounds.derivative_tail(0.5, 2.0, 3.0)
    assert (a, b) == pytest.approx((1 + 12 / math.pi, 2 * math.sqrt(3)), rel=FORMULA_RTOL)


def test_the_sum_of_two_processes_has_the_tails_it_claims():
    game = instances.Game("additive", 2, 0.3, 2, 0.5, runs=1, size=9, lengthscale=0.4, compact=True)
    assert game.tails[1] == pytest.approx(bounds.derivative_tail(0.4)[1] / math.sqrt(2), rel=FORMULA_RTOL)
    x, y = instances.points(game)[[0]], instances.points(game)[[5]]
    by_hand = 0.5 * sum(math.exp(-0.5 * float((x - y)[0, j]) ** 2 / 0.16) for j in range(2))
    assert instances.kernel_between(game, x, y)[0, 0] == pytest.approx(by_hand, rel=FORMULA_RTOL)
    assert np.diag(instances.prior(game)) == pytest.approx(np.ones(9), rel=FORMULA_RTOL)
