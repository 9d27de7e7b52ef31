"""Wasserstein distances against SciPy, closed forms and linear programs; problems with a known shift."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog, minimize_scalar
from scipy.stats import norm, qmc, wasserstein_distance
from tolerances import CELL_DISTANCE, MIDPOINT_EXPECTATION, QUADRATURE_DISTANCE, SEARCH_ATOL, SINGLE_ATOM_DISTANCE

from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.papers.wdrbo.experiments.coverage import LAWS, counts, distances
from companion.papers.wdrbo.problems.laws import ClippedNormal, ContextLaw, Uniform
from companion.papers.wdrbo.problems.shifted import SHIFTED, TOLD, shifted_problem
from companion.papers.wdrbo.problems.transport import (
    REFERENCE,
    law_distance,
    sample_distance,
    sample_distance_in_space,
)


def test_distance_of_laws_has_the_closed_forms():
    # Unclipped in effect: a shift costs its size, a change of scale E|xi| times the change.
    wide = [ClippedNormal(mean, sd, -20.0, 20.0) for mean, sd in ((0.0, 1.0), (0.7, 1.0), (0.0, 1.5))]
    assert law_distance(wide[0], wide[1]) == pytest.approx(0.7, abs=QUADRATURE_DISTANCE)
    assert law_distance(wide[0], wide[2]) == pytest.approx(0.5 * math.sqrt(2 / math.pi), abs=QUADRATURE_DISTANCE)
    assert law_distance(Uniform(0, 1), Uniform(0, 0.5)) == pytest.approx(0.25, abs=QUADRATURE_DISTANCE)
    assert law_distance(wide[0], wide[0]) == 0.0


def test_distance_of_a_sample_agrees_with_scipy():
    law = ClippedNormal(0.5, 0.2)
    sample = law.quantile(stream(0, "sample").random(7))
    truth = law.quantile((np.arange(200_000) + 0.5) / 200_000)
    assert sample_distance(sample, law) == pytest.approx(wasserstein_distance(sample, truth), abs=CELL_DISTANCE)
    # A point mass: E |c - 0.3|, which the law knows.
    assert sample_distance([0.3], law) == pytest.approx(law.distance(0.3), abs=SINGLE_ATOM_DISTANCE)


def test_distance_in_the_plane_agrees_with_a_linear_program(monkeypatch):
    monkeypatch.setattr("companion.papers.wdrbo.problems.transport.REFERENCE", 16)
    law = LAWS["uniform, twice"]
    sample = law.sample(stream(1, "sample"), 4)
    found = sample_distance_in_space(sample, law)
    nodes = qmc.Sobol(2, scramble=False).random(16) + 0.5 / 16
    cost = np.linalg.norm(sample[:, None, :] - nodes, axis=2)
    rows, columns = np.kron(np.eye(4), np.ones(16)), np.kron(np.ones(4), np.eye(16))
    best = linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.r_[np.full(4, 1 / 4), np.full(16, 1 / 16)])
    assert found == pytest.approx(best.fun, abs=1e-9)
    with pytest.raises(ParameterError, match="divisor"):
        sample_distance_in_space(sample[:3], law)


@pytest.mark.slow
def test_coverage_distances_shrink_and_are_repeatable():
    for law in ("clipped normal", "uniform, twice"):
        first, again = (np.array(distances(law, 0, 2)["distances"]) for _ in range(2))
        np.testing.assert_array_equal(first, again)
        assert first.shape == (len(counts(law)), 2)
        assert first[0].mean() > 2 * first[-1].mean()
    assert all(REFERENCE % count == 0 for count in counts("uniform, twice"))
    with pytest.raises(ParameterError, match="law"):
        counts("normal")


@pytest.mark.parametrize("name", SHIFTED)
@pytest.mark.parametrize("shift", [-0.2, 0.0, 0.15])
def test_shifted_problems_have_their_expectation_and_optimum(name, shift):
    problem = shifted_problem(name, shift)
    assert problem.meta["distance"] == pytest.approx(abs(shift), abs=0.03)
    # Oracle: midpoints of 100,000 cells of the unclipped normal, clipped by hand.
    nodes = norm.ppf((np.arange(100_000) + 0.5) / 100_000)
    contexts = np.clip(TOLD[name].mean + shift + TOLD[name].sd * nodes, 0.0, 1.0)[:, None]
    for x in (0.1, 0.43, 0.9):
        rewards = problem.objective(np.full((len(contexts), 1), x), contexts)
        assert problem.expected([[x]])[0] == pytest.approx(rewards.mean(), abs=MIDPOINT_EXPECTATION)
    grid = np.linspace(0, 1, 2001)
    assert problem.regret(grid[:, None]).min() >= -1e-9
    start = grid[problem.regret(grid[:, None]).argmin()]
    around = (max(0.0, start - 1e-3), min(1.0, start + 1e-3))
    best = minimize_scalar(lambda x: float(problem.regret([[x]])[0]), bounds=around, method="bounded")
    assert abs(best.fun) < SEARCH_ATOL
    assert problem.regret(problem.optimiser[None, :])[0] == 0.0


def test_unknown_rewards_are_refused():
    with pytest.raises(ParameterError, match="camel"):
        shifted_problem("camels", 0.1)


def test_told_law_does_not_move():
    for name in SHIFTED:
        assert shifted_problem(name, 0.2).reference == ContextLaw((TOLD[name],))
