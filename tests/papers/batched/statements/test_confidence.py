"""Statements and leads on confidence bounds and elimination: verdicts, teeth, and the tools that decide them."""

import math

import numpy as np
import pytest
from entries import leads_in
from tolerances import FORMULA_RTOL, KNOWN_NORM_RTOL, POOLED_RTOL, PRINTED_3_DIGITS, SERIES_RTOL

from companion import papers
from companion.bounds.confidence import UnionBoundWidth
from companion.checks.statement import by_id
from companion.gp import Matern, grid
from companion.papers.batched.method.policy import BPE
from companion.papers.batched.problems.catalogue import ModelledProblem
from companion.papers.batched.statements import confidence_algorithms as algorithms
from companion.papers.batched.statements import confidence_bounds as bounds
from companion.papers.batched.theory import runs as simulator
from companion.papers.batched.theory import valid_runs as runs
from companion.papers.batched.theory.chain import coverage
from companion.problems import FiniteProblem
from companion.randomness import stream
from companion.simulate import run_policy


def test_only_the_charged_point_fails_in_algorithm_1():
    statement = by_id(papers.statements("batched"), "algorithm-1")
    broken = {case.where.rsplit(": ", 1)[1] for case in statement.all_cases() if not case.holds}
    assert broken == {"charged points that are active"}
    assert statement.correction is not None
    assert all(case.holds for case in statement.all_cases(**statement.correction.change))


def test_eliminations_happen_in_the_small_problems():
    """A run in which everything survives would satisfy any elimination rule."""
    for problems, robust in ((algorithms.standard_problems(), False), (algorithms.robust_problems(), True)):
        shrinks = [
            int((record.active & ~record.survivors).sum())
            for problem in problems
            for record in algorithms.play_small(problem, robust).history
        ]
        assert sum(count > 0 for count in shrinks) > len(shrinks) / 2


# -- tools -------------------------------------------------------------------------------------------------------------


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
    gain = 0.5 * np.linalg.slogdet(np.eye(40) + covariance[np.ix_(query, query)] / 0.3)[1]
    assert simulator.direct_gain(covariance, 0.3, query) == pytest.approx(gain, rel=POOLED_RTOL)


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


def test_the_worst_function_of_lemma_3_attains_its_bias():
    """No random function of norm 1 has a larger noise-free error than the claimed worst one; that one attains it."""
    design = bounds.FixedDesign("matern32", 2, 0.5, "random", 12)
    covariance, query = design.covariance(), design.chosen(design.covariance())
    errors = bounds._errors(covariance, query, 0.5, 1.0)
    lower = np.linalg.cholesky(covariance)
    directions = stream(0, "test", "directions").standard_normal((2000, len(covariance)))
    functions = (directions / np.linalg.norm(directions, axis=1)[:, None]) @ lower.T
    biases = np.abs(functions - functions[:, query] @ errors.weights)
    assert np.all(biases <= errors.bias[None, :] * (1 + SERIES_RTOL))
    at = int(np.argmax(errors.bias))
    extreme = (covariance[at] - errors.weights[:, at] @ covariance[query]) / errors.bias[at]
    assert extreme @ np.linalg.solve(covariance, extreme) == pytest.approx(1.0, rel=KNOWN_NORM_RTOL)
    assert extreme[at] - extreme[query] @ errors.weights[:, at] == pytest.approx(errors.bias[at], rel=SERIES_RTOL)


def test_lemma_3_on_one_arm_by_hand():
    """One pull of one arm with lambda = sigma = 1: the error is f/2 - z/2 and the posterior sd sqrt(1/2)."""
    errors = bounds._errors(np.ones((1, 1)), np.zeros(1, dtype=int), 1.0, 1.0)
    assert errors.sd[0] == pytest.approx(math.sqrt(0.5), rel=FORMULA_RTOL)
    assert errors.spread[0] == pytest.approx(0.5, rel=FORMULA_RTOL)
    assert errors.bias[0] == pytest.approx(0.5, rel=FORMULA_RTOL)


def test_lemma_3_simulated_rates_are_the_exact_ones(monkeypatch):
    """Two routes to one probability: the normal law, and 4000 draws through the package's posterior."""
    monkeypatch.setattr(bounds, "probability", lambda failures, trials, delta, where: failures / trials)
    design = bounds.FixedDesign("se", 1, 0.3, "random", 20, simulated=4000)
    covariance, query = design.covariance(), design.chosen(design.covariance())
    errors = bounds._errors(covariance, query, 0.3, 1.0)
    for width in (0.8, 1.5):
        reach = (width * errors.sd - errors.bias) / errors.spread
        at = int(np.argmin(reach))
        other = (width * errors.sd[at] + errors.bias[at]) / errors.spread[at]
        exact = 0.5 * math.erfc(reach[at] / math.sqrt(2)) + 0.5 * math.erfc(other / math.sqrt(2))
        rate = bounds._simulated(design, covariance, query, errors, width)
        assert abs(rate - exact) < 4 * math.sqrt(exact * (1 - exact) / 4000)  # four standard errors
        assert 0.02 < exact < 0.98


def test_the_heaviest_three_point_law_touches_the_subgaussian_bound():
    assert bounds.largest_tail(3.0) == pytest.approx(0.02196, rel=PRINTED_3_DIGITS)
    for v in (1.5, 2.0, 2.5, 3.0, 3.5):
        assert bounds.is_subgaussian(bounds.ThreePointNoise("se", 1, v, 1))
        assert not bounds.is_subgaussian(bounds.ThreePointNoise("se", 1, v, 1, share=1.001))
    assert bounds.largest_tail(1.0) == 1.0


def test_opposite_points_lose_twice_the_norm_in_every_round_of_batch_1():
    run = runs.anticorrelated_run(100.0, 0.1).runs[0]
    first = run.views[0]
    assert run.valid
    np.testing.assert_allclose(run.problem.regret[first.query], 200.0, rtol=FORMULA_RTOL)
    assert run.width == pytest.approx(UnionBoundWidth(100.0, 2, 2, 0.1).width(), rel=FORMULA_RTOL)


# -- leads -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found():
    return {lead.id: lead.investigate("batched") for lead in leads_in("batched", "confidence")}


def test_numbers_behind_the_leads(found):
    assert found["E2"]["values"]["literal"] > found["E2"]["values"]["allowed"] > 0
    assert found["E2"]["values"]["intended"] == 0.0
    assert 3.99 < found["E3"]["values"]["extreme"] <= 4.0
    first = found["E11"]["values"]
    # By hand: the mean halves the values, and sd = sqrt(1/2), so the gap is |f| + sqrt(2) width.
    width = 100 + math.sqrt(2 * math.log(40))
    assert first["gap"] == pytest.approx(100 / math.sqrt(2) + math.sqrt(2) * width, rel=FORMULA_RTOL)
    assert first["limit"] == pytest.approx(2 * width, rel=FORMULA_RTOL)
    assert found["E18"]["values"]["failure"] == pytest.approx(found["E18"]["values"]["tail"], rel=FORMULA_RTOL)
    # At u = 1 and a vanishing norm the failure is 2 Q(sqrt(2 log(1/delta))) = erfc(sqrt(log(1/delta))).
    assert found["U1"]["values"]["delta 0.1"] == pytest.approx(
        math.erfc(math.sqrt(math.log(10))) / 0.1, rel=SERIES_RTOL
    )
