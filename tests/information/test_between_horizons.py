"""Upper ends between certified numbers of picks: never below what can be had, and close."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest

from companion.gp import grid, kernel_by_name
from companion.information import gain_bracket_curve, greedy_gain, information_gain
from companion.information.between_horizons import SLACK, UpperEnds, since


def covariance(kernel: str, points: int, dim: int) -> np.ndarray:
    return np.asarray(kernel_by_name(kernel, 0.2)(grid(points, dim)))


@pytest.mark.parametrize(("kernel", "dim", "noise"), [("se", 1, 0.1), ("matern32", 2, 0.3), ("matern12", 1, 1.0)])
def test_between_knots_an_end_is_near_the_one_certified_there(kernel: str, dim: int, noise: float) -> None:
    matrix = covariance(kernel, 6 if dim == 2 else 30, dim)
    knots = [10, 20, 40, 80, 160, 320, 640, 1000]
    ends = UpperEnds.of(gain_bracket_curve(matrix, knots, noise**2))
    asked = [12, 20, 55, 170, 230, 800]
    for t, bracket in zip(asked, gain_bracket_curve(matrix, asked, noise**2), strict=True):
        assert ends(t) >= bracket.lower
        if t > ends.since:
            assert ends(t) == pytest.approx(bracket.upper, rel=0.015)  # knots a factor of two apart
    picked = greedy_gain(matrix, 1000, noise**2).gains
    assert all(ends(t) >= picked[t - 1] for t in range(1, 1001) if t >= 10)
    assert [ends(t) for t in knots] == ends.uppers.tolist()


def test_no_set_of_few_arms_has_more() -> None:
    """All multisets of up to seven picks, with knots at two, four and seven."""
    generator = np.random.default_rng(4)
    for _ in range(5):
        root = generator.standard_normal((4, 4))
        matrix = root @ root.T
        ends = UpperEnds.of(gain_bracket_curve(matrix, [1, 4, 7], 0.05))
        for t in (2, 3, 5, 6):
            best = max(
                information_gain(matrix, picks, 0.05) for picks in map(list, combinations_with_replacement(range(4), t))
            )
            assert ends(t) >= best


def test_the_chord_is_left_out_where_the_relaxation_may_lie_above() -> None:
    """Two arms with little noise: of two picks the gain lies above the chord from one pick to four."""
    gains = {t: information_gain(np.eye(2), p, 1e-6) for t, p in {1: [0], 2: [0, 1], 4: [0, 0, 1, 1]}.items()}
    sharp = UpperEnds([1, 4], np.array([gains[1], gains[4]]), since=1)
    assert sharp(2) < gains[2], "what the flag is for"
    assert UpperEnds.of(gain_bracket_curve(np.eye(2), [1, 4], 1e-6))(2) >= gains[2]


def test_from_where_on_a_flag_holds() -> None:
    assert since([1, 2, 3], [False, True, True]) == 2
    assert since([1, 2, 3], [True, False, True]) == 3
    assert since([1, 2, 3], [True, True, True]) == 1
    assert math.isinf(since([1, 2, 3], [True, True, False]))
    assert SLACK < 1e-3
