"""Baselines against transcriptions of their definitions with a direct (non-incremental) posterior."""

import math

import numpy as np
import pytest
from tolerances import DIRECT_SOLVE_ATOL, DIRECT_SOLVE_RTOL

from companion.bounds.confidence import ConstantWidth, SelfNormalizedWidth
from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.gp import Matern, SquaredExponential, grid
from companion.policies import (
    GPUCB,
    Batch,
    Policy,
    StableOpt,
    UniformRandom,
)
from companion.policies.ucb import BatchUCB
from companion.problems import FiniteProblem, ball_neighbours
from companion.simulate import run_policy

POINTS = grid(40, 1)
KERNEL = Matern(2.5, 0.15)
NOISE = 0.1


def toy(seed, radius=None):
    covariance = KERNEL(POINTS)
    values = np.linalg.cholesky(covariance + 1e-9 * np.eye(40)) @ stream(seed, "function").normal(size=40)
    neighbours = None if radius is None else ball_neighbours(POINTS, radius)
    return FiniteProblem("toy", POINTS, values, NOISE, "ours", neighbours), covariance


def posterior(covariance, queries, observations):
    """Mean, sd and gain by one dense solve."""
    if not len(queries):
        return np.zeros(len(covariance)), np.sqrt(np.diag(covariance)), 0.0
    gram = covariance[np.ix_(queries, queries)]
    noisy = gram + NOISE**2 * np.eye(len(queries))
    cross = covariance[:, queries]
    mean = cross @ np.linalg.solve(noisy, observations)
    variance = np.diag(covariance) - np.einsum("ij,ji->i", cross, np.linalg.solve(noisy, cross.T))
    gain = 0.5 * np.linalg.slogdet(np.eye(len(queries)) + gram / NOISE**2)[1]
    return mean, np.sqrt(variance), gain


@pytest.mark.parametrize("seed", range(3))
def test_batch_ucb_waits_for_the_mean_and_keeps_all_values(seed):
    problem, covariance = toy(seed)
    policy, z = BatchUCB(covariance, NOISE**2, 2.0, (4, 9, 7)), NOISE * np.random.default_rng(seed).standard_normal(20)
    run = run_policy(policy, problem, 20, z)
    assert run.batch.tolist() == [1] * 4 + [2] * 9 + [3] * 7
    for start, end in ((0, 4), (4, 13), (13, 20)):
        mean, before, _ = posterior(covariance, run.query[:start], run.observation[:start])
        for t in range(start, end):
            upper = mean + 2.0 * posterior(covariance, run.query[:t], np.zeros(t))[1]
            assert upper[run.query[t]] == pytest.approx(upper.max(), abs=DIRECT_SOLVE_ATOL)
        after = posterior(covariance, run.query[:end], np.zeros(end))[1]
        assert policy.shrunk[run.batch[start] - 1] == pytest.approx((before / after).max(), rel=DIRECT_SOLVE_RTOL)
    mean = posterior(covariance, run.query, run.observation)[0]
    np.testing.assert_allclose(policy.posterior.mean[0], mean, rtol=0, atol=DIRECT_SOLVE_ATOL)


@pytest.mark.parametrize("seed", range(3))
def test_gp_ucb_takes_the_argmax_of_a_directly_computed_upper_bound(seed):
    problem, covariance = toy(seed)
    schedule = SelfNormalizedWidth(2.0, 0.1)
    run = run_policy(GPUCB(covariance, NOISE**2, schedule), problem, 40, NOISE * stream(seed, "noise").normal(size=40))
    for t in range(40):
        mean, sd, gain = posterior(covariance, run.query[:t], run.observation[:t])
        upper = mean + (2.0 + math.sqrt(2 * (gain + math.log(10)))) * sd
        assert upper[run.query[t]] >= upper.max() - DIRECT_SOLVE_ATOL
    mean, _, gain = posterior(covariance, run.query, run.observation)
    assert run.recommended_regret == problem.regret[np.argmax(mean)]
    assert run.diagnostics["gain"] == pytest.approx(gain, rel=DIRECT_SOLVE_RTOL)
    assert len(run.diagnostics["width"]) == 40
    before = [posterior(covariance, run.query[:t], run.observation[:t])[1][run.query[t]] ** 2 for t in range(40)]
    np.testing.assert_allclose(run.diagnostics["variance"], before, rtol=DIRECT_SOLVE_RTOL, atol=DIRECT_SOLVE_ATOL)


def test_a_rule_of_ones_own_is_another_choice_on_the_same_model():
    class LargestVariance(GPUCB):
        def choose(self):
            return int(np.argmax(self.posterior.variance[0]))

    problem, covariance = toy(0)
    run = run_policy(LargestVariance(covariance, NOISE**2, 1.0), problem, 8, np.zeros(8))
    for t in range(8):
        sd = posterior(covariance, run.query[:t], run.observation[:t])[1]
        assert sd[run.query[t]] == pytest.approx(sd.max(), rel=DIRECT_SOLVE_RTOL)
    assert run.diagnostics["gain"] == pytest.approx(
        0.5 * np.log1p(np.array(run.diagnostics["variance"]) / NOISE**2).sum(), rel=DIRECT_SOLVE_RTOL
    )


@pytest.mark.parametrize("seed", range(3))
def test_stableopt_follows_its_definition_with_brute_force_minima(seed):
    problem, covariance = toy(seed, radius=0.06)
    width = 2.0
    policy = StableOpt(covariance, NOISE**2, ConstantWidth(width), problem.neighbours)
    run = run_policy(policy, problem, 40, NOISE * stream(seed, "noise").normal(size=40))
    guaranteed = []
    for t in range(40):
        mean, sd, _ = posterior(covariance, run.query[:t], run.observation[:t])
        upper, lower = mean + width * sd, mean - width * sd
        robust = np.array([min(upper[j] for j in range(40) if problem.neighbours[i, j]) for i in range(40)])
        x, z = run.charged[t], run.query[t]
        members = np.flatnonzero(problem.neighbours[x])
        assert robust[x] >= robust.max() - DIRECT_SOLVE_ATOL
        assert z in members
        assert lower[z] <= lower[members].min() + DIRECT_SOLVE_ATOL
        guaranteed.append(lower[members].min())
    best = run.charged[int(np.argmax(guaranteed))]
    assert run.recommended_regret == problem.robust_regret[best]
    np.testing.assert_allclose(run.diagnostics["guaranteed"], guaranteed, atol=DIRECT_SOLVE_ATOL)


def test_stableopt_without_displacement_is_gp_ucb():
    problem, covariance = toy(5)
    noise = NOISE * stream(5, "noise").normal(size=30)
    robust = StableOpt(covariance, NOISE**2, ConstantWidth(1.5), np.eye(40, dtype=bool))
    plain = GPUCB(covariance, NOISE**2, ConstantWidth(1.5))
    np.testing.assert_array_equal(
        run_policy(robust, problem, 30, noise).query, run_policy(plain, problem, 30, noise).query
    )


def test_stableopt_beats_gp_ucb_where_the_two_optima_differ():
    # A narrow peak beside a broad plateau: displaced by 0.06 the peak is worth nothing, the plateau nearly all.
    axis = POINTS[:, 0]
    values = 2.0 * np.exp(-(((axis - 0.2) / 0.03) ** 2)) + np.exp(-(((axis - 0.7) / 0.2) ** 4))
    problem = FiniteProblem("peak", POINTS, values, NOISE, "ours", ball_neighbours(POINTS, 0.06))
    assert problem.optimum_index != problem.robust_optimum_index
    covariance = SquaredExponential(0.06)(POINTS)
    regrets = {"robust": [], "plain": []}
    for seed in range(4):
        noise = NOISE * stream(seed, "noise").normal(size=150)
        robust = StableOpt(covariance, NOISE**2, ConstantWidth(2.0), problem.neighbours)
        plain = GPUCB(covariance, NOISE**2, ConstantWidth(2.0))
        regrets["robust"].append(run_policy(robust, problem, 150, noise).cumulative_regret[-1])
        regrets["plain"].append(run_policy(plain, problem, 150, noise).cumulative_regret[-1])
    assert max(regrets["robust"]) < 0.5 * min(regrets["plain"])


def test_stableopt_recommends_before_any_evaluation():
    problem, covariance = toy(1, radius=0.06)
    policy = StableOpt(covariance, NOISE**2, ConstantWidth(2.0), problem.neighbours)
    assert policy.recommend() == policy.ask(1).charged[0]
    assert policy.diagnostics()["guaranteed"] == []


def test_uniform_random_is_uniform_and_remembers_its_best():
    policy = UniformRandom(10, stream(0, "policy"), batch_size=7)
    counts = np.zeros(10)
    best = (-np.inf, 0)
    values = stream(0, "values")
    for _ in range(500):
        batch = policy.ask(3500)
        assert len(batch) == 7
        np.add.at(counts, batch.query, 1)
        observed = values.normal(size=7)
        best = max(best, (observed.max(), int(batch.query[observed.argmax()])))
        policy.tell(observed)
    # Chi-squared with 9 degrees of freedom: 40 is exceeded with probability 8e-6.
    assert ((counts - 350) ** 2 / 350).sum() < 40
    assert policy.recommend() == best[1]
    assert len(policy.ask(3)) == 3


def test_asking_again_before_telling_replaces_the_first_question():
    problem, covariance = toy(2, radius=0.06)
    for make in (
        lambda: GPUCB(covariance, NOISE**2, ConstantWidth(1.5)),
        lambda: StableOpt(covariance, NOISE**2, ConstantWidth(1.5), problem.neighbours),
    ):
        once, twice = make(), make()
        for value in (0.3, -0.1, 0.2):
            first, again = once.ask(3), (twice.ask(3), twice.ask(3))[1]
            np.testing.assert_array_equal(first.query, again.query)
            once.tell(np.array([value]))
            twice.tell(np.array([value]))
        assert once.diagnostics() == twice.diagnostics()
        assert once.recommend() == twice.recommend()


def test_policies_satisfy_the_protocol():
    problem, covariance = toy(0, radius=0.06)
    made = [
        UniformRandom(40, stream(0, "policy")),
        GPUCB(covariance, NOISE**2, ConstantWidth(1.0)),
        StableOpt(covariance, NOISE**2, ConstantWidth(1.0), problem.neighbours),
    ]
    for policy in made:
        assert isinstance(policy, Policy)
        policy.ask(5)
        with pytest.raises(ParameterError, match="observations"):
            policy.tell(np.zeros(2))


def test_model_order_counts_the_observations_in_the_model():
    problem, covariance = toy(0)
    run = run_policy(GPUCB(covariance, NOISE**2, ConstantWidth(1.0)), problem, 5, np.zeros(5))
    np.testing.assert_array_equal(run.model_order, [1, 2, 3, 4, 5])
    run = run_policy(UniformRandom(40, stream(0, "policy")), problem, 5, np.zeros(5))
    np.testing.assert_array_equal(run.model_order, np.zeros(5))


def test_widths_are_checked():
    with pytest.raises(ParameterError, match="width"):
        ConstantWidth(-1.0)
    _, covariance = toy(0)
    with pytest.raises(ParameterError, match="width"):
        GPUCB(covariance, 0.01, lambda t, gain: math.nan).ask(1)


def test_batches_are_checked():
    assert len(Batch.plain(3)) == 1
    for query, charged in (([0, 1], [0]), ([[0]], [[0]]), ([0.5], [0.5]), ([-1], [-1])):
        with pytest.raises(ParameterError):
            Batch(np.array(query), np.array(charged))


def test_a_schedule_is_asked_with_the_number_of_the_evaluation_and_the_gain_before_it():
    """``width(t, gain)``: t counts from 1, the gain is that of the t - 1 points before."""
    problem, covariance = toy(0, radius=0.06)
    for policy in (
        lambda schedule: GPUCB(covariance, NOISE**2, schedule),
        lambda schedule: StableOpt(covariance, NOISE**2, schedule, problem.neighbours),
    ):
        asked = []

        def schedule(t, gain, asked=asked):
            asked.append((t, gain))
            return 1.0 + t

        run = run_policy(policy(schedule), problem, 6, np.zeros(6))
        assert [t for t, _ in asked] == [1, 2, 3, 4, 5, 6]
        gains = [posterior(covariance, run.query[:t], run.observation[:t])[2] for t in range(6)]
        np.testing.assert_allclose([gain for _, gain in asked], gains, rtol=DIRECT_SOLVE_RTOL, atol=1e-15)
        assert run.diagnostics["width"] == [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]


def test_random_search_reports_the_earliest_of_equal_observations():
    policy = UniformRandom(50, stream(1, "policy"), batch_size=4)
    first = policy.ask(8).query
    policy.tell(np.array([0.0, 2.0, 1.0, 2.0]))
    second = policy.ask(4).query
    policy.tell(np.array([2.0, 0.0, 2.0, 1.0]))
    assert len({int(first[1]), int(first[3]), int(second[0]), int(second[2])}) == 4
    assert policy.recommend() == first[1]
