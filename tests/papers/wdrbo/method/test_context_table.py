"""Tables of U that interpolate the variance between contexts, against the plain posterior."""

import numpy as np
import pytest
from tolerances import POSTERIOR_ATOL, TABLE_AGREEMENT, TABLE_TEETH

from companion.papers.wdrbo.method import context_table
from companion.papers.wdrbo.method.acquisitions import ContextualAcquisition, least_rule, mean_rule, variation_rule
from companion.papers.wdrbo.method.context_table import ContextTable, TableAcquisition, interpolation
from companion.papers.wdrbo.method.methods import product_grid
from companion.papers.wdrbo.method.model import Hyperparameters, Surrogate

CASES = [(1, 1, 400, 0.1), (2, 1, 400, 0.3), (1, 2, 20, 0.3), (3, 2, 20, 0.4)]


def made(dx, dc, nodes, scale, n=60):
    g = np.random.default_rng([dx, dc])
    z = g.uniform(size=(n, dx + dc))
    y = np.sin(7 * z.sum(axis=1)) + 0.05 * g.normal(size=n)
    model, grid = Surrogate(z, y, Hyperparameters((scale,) * (dx + dc), 1e-3)), product_grid(nodes, dc)
    return model, grid, ContextTable(model, grid, 1.5), g.uniform(size=(7, dx))


def off(model, grid, table, x):
    exact = model.table(x, grid, 1.5)
    return np.abs(table.upper(x) - exact).max() / np.ptp(exact)


@pytest.mark.parametrize("case", CASES)
def test_tables_agree_with_the_posterior_at_every_context_and_take_fewer(case):
    model, grid, table, x = made(*case)
    assert table.coefficients is not None
    assert len(table.points) < 0.6 * len(grid)
    assert off(model, grid, table, x) < TABLE_AGREEMENT


def test_a_coarser_interpolation_would_be_noticed(monkeypatch):
    monkeypatch.setattr(context_table, "_RESIDUAL", 1e-5)
    for case in CASES:
        assert off(*made(*case)) > TABLE_TEETH


@pytest.mark.parametrize("case", CASES)
def test_gradients_of_weighted_sums_agree_with_the_posteriors(case):
    model, grid, table, x = made(*case)
    weights = np.random.default_rng(0).normal(size=(len(x), len(grid))) / len(grid)
    values, gradient = table.with_gradient(x, lambda u: (np.sum(weights * u, axis=1), weights))
    parts = list(model.parts(x, grid, 1.5))
    exact = np.concatenate([part.decision_gradient(weights[part.rows]) for part in parts])
    np.testing.assert_allclose(gradient, exact, atol=TABLE_AGREEMENT * np.abs(exact).max())
    np.testing.assert_allclose(values, np.sum(weights * model.table(x, grid, 1.5), axis=1), atol=TABLE_AGREEMENT)


@pytest.mark.parametrize("case", CASES)
def test_an_acquisition_from_a_table_is_the_one_from_the_posterior(case):
    model, grid, _, x = made(*case)
    even = np.full(len(grid), 1 / len(grid))
    for rule in (mean_rule(even), least_rule, variation_rule(len(grid) // 2, 0.3)):
        arguments = (model, grid, 1.5, rule, even)
        plain, tabled = ContextualAcquisition(*arguments), TableAcquisition(*arguments)
        values, gradient = plain.with_gradient(x)
        np.testing.assert_allclose(tabled(x), plain(x), atol=TABLE_AGREEMENT)
        for found, exact in zip(tabled.with_gradient(x), (values, gradient), strict=True):
            np.testing.assert_allclose(found, exact, atol=TABLE_AGREEMENT * np.abs(exact).max())


def test_where_interpolation_needs_too_many_contexts_all_are_evaluated():
    model, grid, table, x = made(1, 2, 10, 0.1, n=20)
    assert table.coefficients is None
    assert len(table.points) >= context_table.SPREAD
    assert off(model, grid, table, x) < POSTERIOR_ATOL


@pytest.mark.parametrize("case", CASES)
def test_bounds_and_single_contexts_agree_with_the_posterior(case):
    model, grid, table, x = made(*case)
    weights = np.random.default_rng(1).dirichlet(np.full(len(grid), 0.05))
    weights[weights < 1e-3] = 0.0
    weights /= weights.sum()
    bound = table.mean_bound(x, weights)
    np.testing.assert_allclose(bound, model.mean_bound(x, grid, weights, 1.5), atol=POSTERIOR_ATOL)
    assert (bound >= model.table(x, grid, 1.5) @ weights).all()
    few = table.points[3:12]
    np.testing.assert_allclose(table.spread(x, slice(3, 12)), model.table(x, grid[few], 1.5), atol=POSTERIOR_ATOL)


def test_interpolation_is_exact_at_its_points_and_says_where_it_stops():
    s = np.linspace(0, 1, 50)
    kernel = np.exp(-np.square(s[:, None] - s) / 0.2**2)
    points, coefficients = interpolation(lambda i: kernel[i], 50, 1e-10, 50)
    np.testing.assert_allclose(coefficients[points], np.eye(len(points)), atol=1e-9)
    between = np.exp(-np.square(s[:, None] - np.random.default_rng(0).uniform(size=9)) / 0.2**2)
    np.testing.assert_allclose(coefficients @ between[points], between, atol=1e-8)
    short, none = interpolation(lambda i: kernel[i], 50, 1e-10, 5)
    assert none is None
    np.testing.assert_array_equal(short, points[:5])
