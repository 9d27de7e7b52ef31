"""Runs of the theory recomputed from points and values alone, and the extreme cases among them."""

import math

import numpy as np
import pytest
from tolerances import FORMULA_RTOL, KNOWN_NORM_RTOL, POOLED_RTOL

from companion.bounds.confidence import UnionBoundWidth
from companion.core.randomness import stream
from companion.gp import Matern, grid
from companion.papers.batched.checks import confidence_bounds as bounds
from companion.papers.batched.method.policy import BPE
from companion.papers.batched.problems.catalogue import ModelledProblem
from companion.papers.batched.theory import runs as simulator
from companion.papers.batched.theory import valid_runs as runs
from companion.papers.batched.theory.chain import coverage
from companion.problems import FiniteProblem
from companion.simulate import run_policy


@pytest.fixture
def small_model():
    points = grid(4, 2)
    covariance = np.asarray(Matern(1.5, 0.4)(points))
    generator = stream(3, "test", "model")
    return points, covariance, generator


def test_direct_posterior_is_the_formula_with_every_row(small_model):
    _, covariance, generator = small_model
    query, values = generator.integers(16, size=40), generator.standard_normal(40)
    gram = covariance[np.ix_(query, query)] + 0.3 * np.eye(40)
    cross = covariance[query]
    mean, sd = simulator.direct_posterior(covariance, 0.3, query, values)
    np.testing.assert_allclose(mean, cross.T @ np.linalg.inv(gram) @ values, rtol=POOLED_RTOL, atol=POOLED_RTOL)
    variance = covariance.diagonal() - np.diag(cross.T @ np.linalg.inv(gram) @ cross)
    np.testing.assert_allclose(sd**2, variance, rtol=POOLED_RTOL)


def test_without_points_the_posterior_is_the_prior(small_model):
    _, covariance, _ = small_model
    mean, sd = simulator.direct_posterior(covariance, 0.3, np.zeros(0, dtype=int), np.zeros(0))
    assert not mean.any()
    np.testing.assert_allclose(sd, 1.0, rtol=FORMULA_RTOL)


def test_seeded_runs_use_the_theory_width_and_agree_with_the_policys_own_bounds():
    for setting in (*bounds.STANDARD_SETTINGS, *bounds.ROBUST_SETTINGS):
        union = setting.candidates * len(setting.sizes)
        by_hand = setting.norm + math.sqrt(2 * math.log(union / setting.delta))
        assert setting.theory_width() == pytest.approx(by_hand, rel=FORMULA_RTOL)
        assert sum(setting.sizes) == setting.horizon
    points = grid(20, 1)
    values, noise = np.sin(9 * points[:, 0]) / 3, 0.2 * stream(0, "test", "noise").standard_normal(60)
    problem = FiniteProblem("test", points, values, 0.2, "test")
    modelled = ModelledProblem(problem, np.asarray(Matern(2.5, 0.2)(points)), 1.0)
    run = runs.seen(simulator.play(modelled, 0.04, (10, 50), 3.5, noise))
    policy = BPE(modelled.covariance, 0.04, (10, 50), 3.5)
    run_policy(policy, problem, 60, noise)
    for view, record in zip(run.views, policy.history, strict=True):
        np.testing.assert_array_equal(view.query, record.query)
        np.testing.assert_allclose(view.mean[record.modelled], record.mean, rtol=POOLED_RTOL, atol=POOLED_RTOL)
        assert view.gain == pytest.approx(record.gain, rel=POOLED_RTOL)
    assert run.valid
    assert coverage(policy.history, values)["valid"]
    assert not runs.Run(problem, 0.5, run.views).valid


def test_a_run_is_invalid_as_soon_as_one_eliminated_point_is_off():
    view = runs.broken_runs().runs[0].views[0]
    problem = FiniteProblem("test", np.arange(2.0)[:, None], np.array([0.0, 3.0]), 1.0, "test")
    assert runs.Run(problem, 3.1, (view,)).valid
    assert not runs.Run(problem, 2.9, (view,)).valid


def test_settings_reach_functions_of_the_norm_they_name():
    setting = bounds.STANDARD_SETTINGS[3]
    modelled = runs._problem(setting, 0)
    values, covariance = modelled.problem.values, modelled.covariance
    norm = math.sqrt(values @ np.linalg.solve(covariance, values))
    assert norm == pytest.approx(setting.norm, rel=KNOWN_NORM_RTOL)


@pytest.mark.parametrize("robust", [False, True])
def test_the_extreme_case_has_regret_four_widths(robust):
    """In units of sqrt(beta) times the posterior sd, which are nearly equal at all points."""
    found = runs.searched_runs("matern52", 1, 10.0, robust=robust, count=2)
    run = found.runs[0]
    first = run.views[0]
    worst = run.problem.robust_regret[first.survivors].max()
    assert run.valid
    assert 4 * run.width * first.sd.min() * (1 - 2 * runs.SHRINK) <= worst <= 4 * run.width * first.sd.max()


def test_opposite_points_lose_twice_the_norm_in_every_round_of_batch_1():
    run = runs.anticorrelated_run(100.0, 0.1).runs[0]
    first = run.views[0]
    assert run.valid
    np.testing.assert_allclose(run.problem.regret[first.query], 200.0, rtol=FORMULA_RTOL)
    assert run.width == pytest.approx(UnionBoundWidth(100.0, 2, 2, 0.1).width(), rel=FORMULA_RTOL)
