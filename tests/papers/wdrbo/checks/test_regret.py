"""Statements about regret: verdicts, teeth, assumptions, and the instances they rest on."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sentences import numbers
from tolerances import DIRECT_SOLVE_RTOL, FORMULA_RTOL, POOLED_RTOL, SLOPE_ATOL

from companion import registry
from companion.checks.statement import by_id
from companion.gp import SquaredExponential
from companion.papers.wdrbo.checks import regret_arms, regret_data, regret_general, regret_means, regret_order
from companion.papers.wdrbo.checks import regret_rates as rates
from companion.papers.wdrbo.checks import regret_runs as runs
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.runs import Game, play


def statement(identifier):
    return by_id(registry.statements("wdrbo"), identifier)


# -- conditional means -------------------------------------------------------------------------------------------------


def test_constant_of_the_conditional_mean_makes_the_factor_two():
    """1 / (1 - e^-u) with u / (1 - e^-u) = 2; the printed 1.2551 is that number rounded up."""
    share = 1.0 / bounds.CONDITIONAL_MEAN
    assert -math.log1p(-share) / share == pytest.approx(2.0, rel=FORMULA_RTOL)
    assert 1.2550 < bounds.CONDITIONAL_MEAN <= 1.2551


def test_constant_of_the_conditional_mean_is_exact_for_rare_values():
    """P(sup_t (t - 2 N_t) > x) = e^{-theta x} with theta = 1 - e^{-2 theta}: a Poisson process, which creeps upwards."""
    theta = 1.0 / bounds.CONDITIONAL_MEAN
    assert -math.expm1(-2.0 * theta) == pytest.approx(theta, rel=FORMULA_RTOL)
    generator = np.random.default_rng(0)
    arrivals = np.cumsum(generator.exponential(size=(40_000, 60)), axis=1)
    highest = (arrivals - 2.0 * np.arange(60)).max(axis=1)  # just before the n-th arrival
    failures = int((highest > bounds.CONDITIONAL_MEAN * math.log(10.0)).sum())
    assert abs(failures / 40_000 - 0.1) < 5.0 * math.sqrt(0.09 / 40_000)


@pytest.mark.parametrize("kind", ["rare", "uniform", "adaptive", "contexts"])
def test_sequences_have_the_means_that_they_say(kind):
    """Differences of value and conditional mean have mean zero, also given the sign of the last difference."""
    sequence = regret_means.Sequence(kind, 2.0, 0.1, 40, 1, 0)
    uniform = np.random.default_rng(1).random((20_000, 40))
    means, values = regret_means._paths(sequence, uniform)
    assert (values >= 0).all()
    assert (values <= 2.0).all()
    surprise = values - means
    after_gain = np.where(surprise[:, :-1] > 0, surprise[:, 1:], 0.0)
    for sample in (surprise, after_gain):
        error = sample.std() / math.sqrt(sample.size)
        assert abs(sample.mean()) < 5.0 * error


def test_rare_contexts_are_the_posterior_of_a_kernel():
    """The squared widths of the sequence, against a regression with arms alike in context 0 and unrelated in context 1."""
    lam, contexts = 0.3, [0, 0, 1, 0, 1, 0]
    uniform = np.array([[0.0 if c else 0.9 for c in contexts]])
    _, values = regret_means._paths(regret_means.Sequence("contexts", 1.0 / lam, 0.5, 6, 1, 0), uniform)

    def k(a, b):
        return float(a[1] == b[1]) * (1.0 if a[1] == 0 else float(a[0] == b[0]))

    seen: list[tuple[int, int]] = []
    for arm, context in enumerate(contexts):
        point = (arm, context)
        gram = np.array([[k(a, b) for b in seen] for a in seen]).reshape(len(seen), len(seen))
        cross = np.array([k(point, a) for a in seen])
        explained = cross @ np.linalg.solve(gram + lam * np.eye(len(seen)), cross) if seen else 0.0
        assert values[0, arm] == pytest.approx((1.0 - explained) / lam, rel=DIRECT_SOLVE_RTOL)
        seen.append(point)


def test_largest_gain_is_over_multisets():
    """With a tiny lambda repeating a point is worthless; with a large one the best pair may be looked up by hand."""
    grid = regret_means.SmallGrid(SquaredExponential(0.3), 1, 3, 2, 1.0, 0.1)
    covariance = SquaredExponential(0.3)(np.array([[0.0], [0.5], [0.25]]))
    pairs = [(i, j) for i in range(3) for j in range(3)]
    best = max(np.linalg.slogdet(np.eye(2) + covariance[np.ix_(pair, pair)])[1] for pair in pairs)
    assert regret_means.largest_gain(grid, 2) == pytest.approx(best, rel=FORMULA_RTOL)
    assert regret_means.largest_gain(grid, 0) == 0.0


# -- arms --------------------------------------------------------------------------------------------------------------


def test_two_arms_attain_the_bound():
    found = regret_arms.play_arms(regret_arms.TwoArms())
    bound = found.beta * 2.0 * found.mean_width + 2.0 * found.radius * found.at_optimum
    assert (found.regret <= bound * (1 + 1e-9)).all()
    assert (found.regret / bound).max() > 0.999
    # Closed form: the benchmark gains the radius, B's reward was the worst case minus the radius, slope one half.
    assert found.regret.max() == pytest.approx(2.0 * 0.2 * regret_arms.SLOPE - 1e-4, rel=FORMULA_RTOL)


def test_two_arms_have_the_kernel_and_norm_that_they_say():
    arms = regret_arms.TwoArms(lam=0.1)
    covariance = regret_arms.covariance()
    assert covariance.max() <= 1.0
    values = arms.values.ravel()
    norm = math.sqrt(values @ np.linalg.pinv(covariance) @ values)
    assert norm == pytest.approx(math.hypot(regret_arms.SLOPE, arms.values[1, 0]), rel=DIRECT_SOLVE_RTOL)
    assert norm <= arms.norm


def test_new_arms_are_tried_in_turn():
    found = play(runs.new_arms(1e-3))
    assert found.regret.sum() == pytest.approx(50.0, rel=FORMULA_RTOL)
    assert sorted(found.chosen[0]) == list(range(50))
    assert found.final_log_det[0] == pytest.approx(50.0 * math.log1p(1e3), rel=POOLED_RTOL)


def test_printed_bound_follows_from_the_proved_regulariser_on():
    """C_lambda is at most 2 from 0.398 on; then ours, at the gain of one more point, is below the printed form."""
    assert bounds.small_width_factor(0.398) < 2.0 < bounds.small_width_factor(0.397)
    for lam in (0.398, 0.5, 1.0, 4.0, 100.0):
        for delta in (1e-9, 0.05, 0.5, 0.99):
            for gain in (0.0, 1.0, 50.0, 1e4):
                ours = bounds.cumulative(1.0, 30, gain + math.log1p(1.0 / lam), lam, delta, reading="ours")
                assert ours <= bounds.cumulative(1.0, 30, gain, lam, delta)
    assert bounds.cumulative(1.0, 30, 1e4, 0.3, 0.05, reading="ours") > bounds.cumulative(
        1.0, 30, 1e4, 0.3, 0.05, unchecked=True
    )


def test_printed_bound_on_games_with_large_and_with_tiny_regularisers():
    entry = statement("thm-16")
    for game in (*runs.games(), runs.new_arms(0.4), runs.new_arms(4.0)):
        if game.lam >= 0.4:
            assert all(case.holds for case in entry.cases(game))
    assert not entry.cases(runs.new_arms(1e-3))[0].holds


# -- sides of the bounds -----------------------------------------------------------------------------------------------


def test_cumulative_sides_by_hand():
    game = Game(runs=3, horizon=5, decisions=4, contexts=4, seed=5)
    found = play(game)
    left, right = runs.cumulative_sides(game, "appendix", slack=np.full((3, 5), 0.25))
    for run in range(3):
        for t in range(1, 6):
            penalty = sum(2.0 * 0.1 * found.at_optimum[run, i] + 0.5 for i in range(t))
            root = math.sqrt(t * (found.log_det[run, t - 1] + 4.0 * math.log(60.0)))
            assert right[run, t - 1] == pytest.approx(4.0 * found.beta[run, t - 1] * root + penalty, rel=FORMULA_RTOL)
            assert left[run, t - 1] == pytest.approx(found.regret[run, :t].sum(), rel=FORMULA_RTOL)
    _, ours = runs.cumulative_sides(game, "ours")
    gain = found.final_log_det[0]
    c = 1.0 / math.log(2.0)
    root = math.sqrt(5 * (2 * c * gain + bounds.CONDITIONAL_MEAN * math.log(10.0)))
    expected = 2.0 * found.beta[0, 4] * root + found.penalty()[0, 4]
    assert ours[0, 4] == pytest.approx(expected, rel=FORMULA_RTOL)


def test_compared_counts_runs_not_rounds():
    game = replace(Game(), runs=220, horizon=3)
    left, right = np.zeros((220, 3)), np.ones((220, 3))
    left[:5] = 2.0
    case = runs.compared(game, left, right, 0.1)
    assert (case.failures, case.trials, case.holds) == (5, 220, True)
    left[:60, 1] = 2.0
    assert not runs.compared(game, left, right, 0.1).holds


def test_data_game_uses_the_printed_radius_without_its_covering_number():
    game = runs.DataGame(scale=0.5)
    expected = 0.5 * math.sqrt(2.0 * (math.log(10.0) + math.log1p(2.0 * 7)) / 7)
    assert game.radius_at(8) == pytest.approx(expected, rel=FORMULA_RTOL)
    assert game.radius_at(1) == 1.0
    assert 0.5 in numbers(game.where)
    assert regret_data.new_arms_with_data(1.0, 4).radius_at(3) == 0.0


def test_slack_grows_with_the_widths_and_shrinks_with_the_contexts():
    game = replace(runs.data_games()[0], runs=2, horizon=6)
    found = play(game)
    rho = regret_data.slack_of(game, 1.0)
    for t in range(2, 7):
        expected = (1.0 + 2.0 / 0.3 * found.beta[0, t - 1] / math.sqrt(game.lam)) / (t - 1)
        assert rho[0, t - 1] == pytest.approx(expected, rel=FORMULA_RTOL)
    assert (rho[:, 0] == 0.0).all()
    assert not regret_data.slack_of(game, 0.0).any()


def test_the_failing_data_driven_instance_pays_for_covering():
    """At lambda = 0.001 the printed bound fails although its covering errors are counted."""
    arms = regret_data.new_arms_with_data(1e-3, 200)
    assert regret_data.slack_of(arms, 1.0).sum() > 10.0
    assert not regret_data.theorem_9(arms).holds
    assert regret_data.theorem_9(arms, reading="ours").holds
    assert regret_data.theorem_9(regret_data.new_arms_with_data(1.0, 200)).holds


# -- orders ------------------------------------------------------------------------------------------------------------


def test_gains_of_the_rates_start_at_no_point():
    growth = rates.Growth("se", 0.3, 1, 20, 0.1, 1.0)
    gains = rates.gains_of(growth)
    assert gains[0] == 0.0
    assert gains[1] == pytest.approx(math.log(2.0), rel=FORMULA_RTOL)


def test_ratio_cases_notice_a_power_of_t():
    values = rates.HORIZONS**0.3
    assert not rates._ratio(values, np.ones_like(values), "").holds
    case = rates._ratio(values, rates.HORIZONS**0.5, "")
    assert case.holds
    assert (case.lhs, case.rhs) == pytest.approx((0.3, 0.5), abs=SLOPE_ATOL)
    logs = np.log(rates.HORIZONS)
    assert rates._logs(logs**2, np.ones_like(logs), 2.1, "").holds
    assert not rates._logs(logs**2, np.ones_like(logs), 1.5, "").holds


def test_corollary_10_block_sums_are_upper_ends():
    """Against the sum term by term, at the first horizons, with the same constants at every n."""
    form = regret_order.ClosedForm(0.6, 1, 1)
    low, high = 2**5, 2**6
    exact = sum(n**-0.5 for n in range(low, high))
    assert exact <= (high**0.5 - low**0.5) / 0.5 + low**-0.5
    values = regret_order.corollary_10_bound(form)
    assert (np.diff(values) > 0).all()
    gain, norm, _ = regret_order._largest(form, 2**20)
    first = 4.0 * norm * math.sqrt(2**20 * (gain + 4.0 * math.log(60.0)))
    assert values[0] > first


def test_general_reading_is_passed_on():
    game = runs.new_arms(1e-3)
    assert regret_general.theorem_16(game).rhs == pytest.approx(regret_general.theorem_5(game, reading="appendix").rhs)
    assert regret_general.theorem_5(game).rhs < regret_general.theorem_16(game).rhs
