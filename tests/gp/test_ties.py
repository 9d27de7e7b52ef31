"""Among values that differ by rounding only, the lowest index wins."""

import numpy as np
import pytest

from companion.gp.ties import TOLERANCE, lowest_argmax, lowest_argmaxes, lowest_argmin, lowest_argmins


@pytest.mark.parametrize(
    ("values", "index"),
    [
        ([1.0, 3.0, 2.0], 1),
        ([0.1, 0.3, 0.1 + 0.2], 1),
        ([-3.0, -1.0, -1.0 + 1e-6], 2),
        ([3.0, 3.0, 3.0], 0),
        ([3.0 * (1 - TOLERANCE / 2), 1.0, 3.0], 0),
        ([3.0 * (1 - 2 * TOLERANCE), 1.0, 3.0], 2),
        # The tolerance is of the best value, however large the others are.
        ([-1e12, -2.0, -1.0], 2),
        ([1.0, np.inf, np.inf], 1),
        ([-np.inf, -np.inf], 0),
        ([0.0, 0.0, -1.0], 0),
    ],
)
def test_the_lowest_index_wins_among_equal_values(values, index):
    assert lowest_argmax(values) == index
    assert lowest_argmin(-np.array(values)) == index


def test_single_precision_is_compared_as_stored():
    values = np.array([0.1, 0.1], dtype=np.float32)
    values[1] = np.nextafter(values[1], np.float32(1))
    assert lowest_argmax(values) == 1


def test_rows_are_looked_at_one_by_one():
    rows = np.array([[1e12, -2.0, 3.0], [np.inf, 0.3, 0.3], [0.3, 0.1 + 0.2, 0.2], [-np.inf, 1.0, 1.0 + TOLERANCE / 2]])
    assert lowest_argmaxes(rows).tolist() == [lowest_argmax(row) for row in rows] == [0, 0, 0, 1]
    assert lowest_argmins(rows[:, None]).tolist() == [[lowest_argmin(row)] for row in rows]
