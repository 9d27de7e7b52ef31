"""Statements and leads on confidence bounds and elimination: verdicts, teeth, and the tools that decide them."""

import math

import numpy as np
import pytest
from tolerances import FORMULA_RTOL, KNOWN_NORM_RTOL, PRINTED_3_DIGITS, SERIES_RTOL

from companion import registry
from companion.checks.statement import by_id
from companion.core.randomness import stream
from companion.papers.batched.checks import confidence_algorithms as algorithms
from companion.papers.batched.checks import confidence_bounds as bounds


def test_only_the_charged_point_fails_in_algorithm_1():
    statement = by_id(registry.statements("batched"), "algorithm-1")
    broken = {case.where.rsplit(": ", 1)[1] for case in statement.all_cases() if not case.holds}
    assert broken == {"charged points that are active"}


def test_eliminations_happen_in_the_small_problems():
    """A run in which everything survives would satisfy any elimination rule."""
    for problems, robust in ((algorithms.standard_problems(), False), (algorithms.robust_problems(), True)):
        shrinks = [
            int((record.active & ~record.survivors).sum())
            for problem in problems
            for record in algorithms.play_small(problem, robust).history
        ]
        assert sum(count > 0 for count in shrinks) > len(shrinks) / 2


# -- what the checks are made of ---------------------------------------------------------------------------------------


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


# -- leads -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found(investigated):
    return investigated("batched", modules=("confidence",))


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
