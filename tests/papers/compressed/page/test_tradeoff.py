"""Regret and model order over budgets and horizons, from stored runs."""

import numpy as np
import pytest

from companion.pages.figures import LIGHT
from companion.papers.compressed.page import tradeoff


def test_exponents_are_fitted_to_the_stored_means(small, changed):
    rows = small.tables["tradeoff"]
    power = changed(
        small,
        "tradeoff",
        rows.assign(average_regret=3.0 * rows.horizon**-0.4, model_order=2.0 * rows.horizon**0.7),
    )
    table = tradeoff.exponent_rows(power)
    np.testing.assert_allclose(table["regret, fitted"], 0.6)
    np.testing.assert_allclose(table["model order, fitted"], 0.7)
    assert list(table["theory, 1 − α/2"]) == [0.875, 0.75, 0.5]


def test_frontier_finds_the_smallest_dictionary_with_the_dense_regret(small, changed):
    rows = small.tables["tradeoff"]
    order_of = {"dense": 100.0, "u=1": 10.0, "u=0.1": 20.0, "alpha=0.5": 30.0}
    regret_of = {"dense": 1.0, "u=1": 2.0, "u=0.1": 3.0, "alpha=0.5": 1.05}
    told = changed(
        small,
        "tradeoff",
        rows.assign(
            model_order=rows.rule.map(order_of).fillna(90.0), average_regret=rows.rule.map(regret_of).fillna(1.0)
        ),
    )
    table = tradeoff.frontier_rows(told)
    smallest = table[table["regret ratio"] <= tradeoff.CLOSE].iloc[0]
    assert (smallest.rule, smallest.order, table.order.max()) == ("α = 0.5", 30, 100)
    found = tradeoff.frontier_numbers(told)
    assert (found.rule, found.order, found.dense, found.half) == ("α = 0.5", 30, 100, 30)
    assert found.half_ratio == pytest.approx(1.05)
    assert found.steps_up == 1


def test_covering_table_has_the_bounds_of_a_single_arm(small):
    rows = tradeoff.covering_rows(small).set_index("u")
    assert rows.loc[0.1, "lower bound"] == 10
    assert rows.loc[0.1, "upper bound"] == 10_000
    assert (rows["model order"] >= 1).all()


def test_figures_of_stored_runs_are_drawn(small):
    for draw in (tradeoff.horizons, tradeoff.frontier, tradeoff.steps):
        assert draw(small).render(LIGHT).startswith(b"\x89PNG")
    assert tradeoff.covering_numbers(small).runs == 3
    assert tradeoff.step_numbers(small).rounds > 0
    assert tradeoff.exponent_numbers(small).first == 20
