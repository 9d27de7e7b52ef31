"""Finite problems: optimum, regret and robust values against direct enumeration."""

import numpy as np
import pytest

from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.problems import FiniteProblem, Neighbourhood, ball_neighbours


def problem(neighbours=None, values=(0.0, 2.0, 2.0, -1.0), **changes):
    fields = {"name": "toy", "points": np.arange(4.0)[:, None], "values": values, "noise_sd": 0.1, "source": "ours"}
    return FiniteProblem(**{**fields, "neighbours": neighbours, **changes})


def random_relation(seed, size=30):
    return (stream(seed, "relation").random((size, size)) < 0.15) | np.eye(size, dtype=bool)


def test_optimum_is_the_lowest_maximising_index():
    toy = problem()
    assert (toy.optimum, toy.optimum_index) == (2.0, 1)
    np.testing.assert_array_equal(toy.regret, [2, 0, 0, 3])


def test_without_neighbours_robust_quantities_are_the_ordinary_ones():
    toy = problem()
    np.testing.assert_array_equal(toy.robust_regret, toy.regret)
    assert toy.robust_optimum == toy.optimum
    np.testing.assert_array_equal(toy.neighbourhood.relation, np.eye(4, dtype=bool))


@pytest.mark.parametrize("seed", range(5))
def test_robust_values_equal_enumeration_for_asymmetric_relations(seed):
    relation = random_relation(seed)
    values = stream(seed, "values").normal(size=30)
    toy = problem(relation, values, points=np.zeros((30, 2)))
    expected = np.array([min(values[j] for j in range(30) if relation[i, j]) for i in range(30)])
    np.testing.assert_array_equal(toy.robust_values, expected)
    np.testing.assert_array_equal(toy.robust_regret, max(expected) - expected)
    assert toy.robust_optimum_index == int(np.argmax(expected))


def test_neighbourhood_minimum_works_along_the_last_axis():
    relation = random_relation(3)
    values = stream(3, "stack").normal(size=(2, 4, 30))
    expected = np.where(relation, values[..., None, :], np.inf).min(axis=-1)
    np.testing.assert_array_equal(Neighbourhood(relation).minimum(values), expected)


def test_neighbourhood_members_argmin_and_union():
    relation = np.array([[True, False, True], [False, True, False], [True, True, True]])
    near = Neighbourhood(relation)
    np.testing.assert_array_equal(near.members(0), [0, 2])
    assert near.argmin(2, [1.0, 0.5, 0.5]) == 1
    assert near.argmin(0, [1.0, 0.5, 1.0]) == 0
    np.testing.assert_array_equal(near.union(np.array([True, False, False])), [True, False, True])
    np.testing.assert_array_equal(near.union(np.zeros(3, dtype=bool)), [False, False, False])


def test_arrays_are_read_only_copies():
    values = np.array([0.0, 1.0, 2.0, 3.0])
    relation = np.eye(4, dtype=bool)
    toy = problem(relation, values)
    values[0] = 9.0
    relation[0] = True
    assert toy.values[0] == 0.0
    assert toy.neighbours.sum() == 4
    for array in (toy.points, toy.values, toy.neighbours, toy.regret, toy.robust_regret):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


WRONG = [
    ({"values": [0.0, 1.0]}, "values"),
    ({"values": [0.0, 1.0, np.nan, 2.0]}, "values"),
    ({"values": ["a", "b", "c", "d"]}, "values"),
    ({"points": np.arange(4.0)}, "points"),
    ({"points": np.full((4, 1), np.inf)}, "points"),
    ({"points": np.zeros((0, 1)), "values": np.zeros(0)}, "points"),
    ({"noise_sd": -0.1}, "noise_sd"),
    ({"noise_sd": np.nan}, "noise_sd"),
    ({"neighbours": np.eye(3, dtype=bool)}, "neighbours"),
    ({"neighbours": np.eye(4)}, "neighbours"),
    ({"neighbours": np.zeros((4, 4), dtype=bool)}, "neighbours"),
    ({"neighbours": np.ones((4, 3), dtype=bool)}, "neighbours"),
]


@pytest.mark.parametrize(("changes", "name"), WRONG)
def test_wrong_problems_are_refused(changes, name):
    with pytest.raises(ParameterError) as caught:
        problem(**changes)
    assert caught.value.name == name


@pytest.mark.parametrize("steps", [1, 2, 3, 6, 7])
@pytest.mark.parametrize("count", [11, 50, 120])
def test_grid_points_at_exactly_the_radius_count(count, steps):
    # Spacings such as 1/119 are not floats: the same distance rounds to several values across the grid.
    points = np.linspace(-5.0, 5.0, count)[:, None]
    relation = ball_neighbours(points, steps * 10.0 / (count - 1))
    index = np.arange(count)
    np.testing.assert_array_equal(relation, np.abs(index[:, None] - index) <= steps)


def test_ball_is_euclidean_and_radius_zero_keeps_only_the_point():
    axis = np.linspace(0, 1, 9)
    points = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    relation = ball_neighbours(points, np.hypot(1 / 8, 1 / 8))
    centre = 4 * 9 + 4
    assert relation[centre].sum() == 9
    assert ball_neighbours(points, 1 / 8)[centre].sum() == 5
    np.testing.assert_array_equal(ball_neighbours(points, 0.0), np.eye(81, dtype=bool))
    with pytest.raises(ParameterError, match="radius"):
        ball_neighbours(points, -1.0)
