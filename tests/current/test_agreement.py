"""What counts as rounding, and whether a mean lies where the stored seeds let it be expected."""

import numpy as np
import pytest

from companion.current.agreement import LEVEL, RELATIVE, Column, judge


@pytest.mark.parametrize(
    ("texts", "stored", "now", "expected"),
    [
        (["2.0", "1.5"], "2.0", "2", 0.0),
        (["145.98979835823496"], "145.98979835823496", "145.9895410962907", 1.762191243e-6),
        (["2.5 4.25"], "2.5 4.25", "2.5 4.5", 0.25 / 4.5),
        # Rounding beside the column's other numbers: slopes, and losses at the optimum.
        (["0.25", "8.8817842e-16"], "8.8817842e-16", "2.220446e-15", 1.3322676e-15 / (RELATIVE * 0.25)),
        (["0.25", "1e-18"], "1e-18", "-3e-18", 4e-18 / (RELATIVE * 0.25)),
        # The last digit that is written, and two of them.
        (["1.2345", "3.5"], "1.2345", "1.2346", RELATIVE),
        (["1.2345", "3.5"], "1.2345", "1.2347", 2e-4 / 1.2347),
        # Nothing rounds whole numbers.
        (["12", "8000000"], "8000000", "8000001", 2 * RELATIVE),
        (["12.0", "30.0"], "30.0", "31.0", 1 / 31),
        (["a", "b"], "a", "b", 1.0),
        (["1 2"], "1 2", "1 2 3", 1.0),
        (["1.5", "2.5"], "", "1.5", 1.0),
        (["nan 1.5"], "nan 1.5", "nan 1.25", 1 / 6),
        (["nan 1.5"], "nan 1.5", "1.5 1.5", 1.0),
        (["inf"], "inf", "-inf", 1.0),
    ],
)
def test_how_far_two_texts_are_apart(texts, stored, now, expected):
    assert Column(texts).apart(stored, now) == pytest.approx(expected, rel=1e-6)


def test_the_interval_is_students_prediction_interval():
    """By hand: 1, 2, 3 have mean 2 and standard deviation 1; t with 2 degrees at 0.995 is 9.9248."""
    found = judge(("t", "c", "x"), ["1", "2", "3"], ["2.0", "4.0"], 0.01)
    half = 9.924843 * np.sqrt(1 / 3 + 1 / 2)
    assert (found.low, found.high) == pytest.approx((2 - half, 2 + half), rel=1e-6)
    assert (found.now, found.runs, found.stored, found.inside) == (3.0, 2, 3, True)
    assert not judge(("t", "c", "x"), ["1", "2", "3"], ["12.0", "13.0"], 0.01).inside


def test_a_list_counts_with_its_mean_and_words_and_a_single_seed_are_no_ground():
    assert judge(("t", "c", "x"), ["1 3", "2 6"], ["3 3"], LEVEL).now == 3.0
    assert not judge(("t", "c", "x"), ["1", "a"], ["1"], LEVEL).inside
    assert not judge(("t", "c", "x"), ["1"], ["1"], LEVEL).inside
    assert not judge(("t", "c", "x"), ["1", "2"], [], LEVEL).inside


def test_its_level_is_the_share_that_is_refused_where_nothing_has_changed():
    draws = np.random.default_rng(0).normal(size=(1000, 16))
    inside = [judge(("t", "c", "x"), map(str, row[:15]), [str(row[15])], 0.05).inside for row in draws]
    assert 1 - np.mean(inside) == pytest.approx(0.05, abs=0.02)
