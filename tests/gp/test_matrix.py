"""Covariances by rows, Kronecker draws and Matheron's rule, each against the dense matrix."""

import re

import numpy as np
import pytest
from tolerances import POSTERIOR_ATOL

from companion.core.errors import ParameterError
from companion.gp import FinitePosterior, KernelMatrix, Matern, PriorDraws, SquaredExponential, grid


def observed(covariance, picks, values):
    posterior = FinitePosterior(covariance, 0.04, capacity=4)
    for index, value in zip(picks, values, strict=True):
        posterior.observe(int(index), float(value))
    return posterior


@pytest.mark.parametrize("kernel", [SquaredExponential(0.3, 2.0), Matern(1.5, (0.2, 0.5))])
def test_rows_on_demand_give_the_same_posterior_as_a_stored_matrix(kernel):
    points, generator = grid(7, 2), np.random.default_rng(0)
    picks, values = generator.integers(49, size=12), generator.standard_normal(12)
    dense, lazy = (observed(c, picks, values) for c in (kernel(points), KernelMatrix(kernel, points)))
    np.testing.assert_allclose(lazy.mean, dense.mean, atol=POSTERIOR_ATOL)
    np.testing.assert_allclose(lazy.variance, dense.variance, atol=POSTERIOR_ATOL)
    assert lazy.select_max_variance(40).tolist() == dense.select_max_variance(40).tolist()


def test_a_row_of_the_posterior_covariance():
    kernel, points = Matern(2.5, 0.4), grid(25, 1)
    posterior = observed(kernel(points), [3, 20, 3], [0.1, -1.0, 0.4])
    seen = points[[3, 20, 3]]
    solved = np.linalg.solve(kernel(seen) + 0.04 * np.eye(3), kernel(seen, points))
    exact = kernel(points) - kernel(points, seen) @ solved
    for index in (0, 3, 24):
        np.testing.assert_allclose(posterior.covariance_with(index), exact[index], atol=POSTERIOR_ATOL)


@pytest.mark.parametrize("scales", [0.3, (0.2, 0.6)])
def test_draws_on_a_grid_have_the_kernel_as_covariance(scales):
    kernel, axes = SquaredExponential(scales, 1.7), (np.linspace(0, 1, 6), np.linspace(-1, 1, 5))
    draws = PriorDraws.on_grid(kernel, axes)
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    root = np.kron(*draws.factors)
    np.testing.assert_allclose(root @ root.T, kernel(points), atol=POSTERIOR_ATOL)

    class Basis:
        def standard_normal(self, shape):
            return np.eye(30).reshape(shape)

    np.testing.assert_allclose(draws.draw(Basis(), 30), root.T, atol=POSTERIOR_ATOL)


def test_a_kernel_that_does_not_factorise_is_refused():
    with pytest.raises(ParameterError, match="kernel"):
        PriorDraws.on_grid(Matern(1.5, 0.3), (np.linspace(0, 1, 4),) * 2)


def test_matherons_rule_has_the_posterior_law():
    """The rule is affine in (draw, noise): its matrices, read off with unit vectors, give mean and covariance exactly."""
    kernel, points = SquaredExponential(0.2), grid(15, 1)
    picks, values = [2, 11, 2, 7], [0.3, -0.7, 0.5, 1.1]
    posterior = observed(kernel(points), picks, values)
    mean = posterior.pathwise(np.zeros((1, 15)), np.zeros((1, 4)))[0]
    of_draw = posterior.pathwise(np.eye(15), np.zeros((15, 4))) - mean
    of_noise = posterior.pathwise(np.zeros((4, 15)), np.eye(4)) - mean
    law = of_draw.T @ kernel(points) @ of_draw + of_noise.T @ of_noise
    seen = points[picks]
    gram = kernel(seen) + 0.04 * np.eye(4)
    cross = kernel(seen, points)
    np.testing.assert_allclose(mean, cross.T @ np.linalg.solve(gram, values), atol=POSTERIOR_ATOL)
    np.testing.assert_allclose(law, kernel(points) - cross.T @ np.linalg.solve(gram, cross), atol=POSTERIOR_ATOL)


def test_waiting_points_and_wrong_shapes_are_refused():
    posterior = observed(SquaredExponential(0.2)(grid(15, 1)), [1], [0.0])
    with pytest.raises(ParameterError, match="draws, noise"):
        posterior.pathwise(np.zeros((2, 15)), np.zeros((2, 3)))
    posterior.condition(4)
    with pytest.raises(ParameterError, match="told"):
        posterior.pathwise(np.zeros((1, 15)), np.zeros((1, 2)))


@pytest.mark.parametrize(
    ("misuse", "name", "told"),
    [
        (lambda: KernelMatrix(Matern(2.5, 0.2), np.array([[0.0], [np.nan]])), "points", "not finite"),
        (lambda: KernelMatrix(Matern(2.5, 0.2), np.array([[0.0], [1e200]])), "points", "not finite"),
        (lambda: KernelMatrix(Matern(2.5, 0.2), grid(3, 1)).rows(7), "index, columns", "0 to 2"),
        (lambda: KernelMatrix(Matern(2.5, 0.2), grid(3, 1)).rows(-1), "index, columns", "0 to 2"),
        (lambda: Matern(2.5, np.True_), "lengthscale", "positive number"),
    ],
)
def test_points_and_places_without_an_answer_are_refused(misuse, name, told):
    with pytest.raises(ParameterError, match=re.escape(told)) as caught:
        misuse()
    assert caught.value.name == name
