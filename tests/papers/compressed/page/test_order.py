"""How many points a dictionary needs, and the three arms."""

import math

import pandas as pd
import pytest

from companion.pages.figures import LIGHT
from companion.papers.compressed.page import arms, order


def test_exploration_lies_between_its_bounds_and_has_the_kernels_exponents():
    sizes = order.exploration_study(3)
    assert (sizes.least <= sizes.order).all()
    assert (sizes.order <= sizes.largest).all()
    rows = order.exploration_rows(sizes).set_index("kernel")
    assert rows.loc["Matérn 1/2, p = 1", "exponent, fitted"] > 1.5
    assert rows.loc["SE, p = 3", "exponent, fitted"] < 1.5
    found = order.exploration_numbers(sizes)
    gap = rows["exponent, fitted"] - rows["printed, p"]
    assert (found.above, found.below) == (list(rows.index[gap > 0.1]), list(rows.index[gap < -0.1]))
    assert "Matérn 1/2, p = 1" in found.above
    assert "SE, p = 3" in found.below
    made_up = pd.DataFrame({"u": [0.4, 0.2, 0.1], "order": [10, 40, 160]})
    assert order.fitted(made_up) == pytest.approx(2.0)


def test_every_dictionary_needs_what_the_certificate_says():
    study = order.end_study(0, 1, 3)
    assert (study.circle.greedy >= study.circle.floor).all()
    assert order.floor_exponent(study) == pytest.approx(2.0, abs=0.05)
    marks = [f"{mark:g}" for mark in order.MARKS]
    assert (study.line[[*marks, "end"]].diff(axis=1).iloc[:, 1:] >= 0).all().all()


def test_three_arms_jump_where_it_is_said():
    rows = order.arm_study()
    found = order.arm_numbers(rows)
    average = rows.set_index("u")["20000"]
    assert average[0.86] < 0.1 * average[0.88]
    assert (found.jumps, found.low, found.high) == (True, 0.86, 0.88)
    # The proof's value for a fixed budget, from its formula.
    beta = 2 * math.log(3 * 4e8 * math.pi**2 / 0.6)
    assert found.proof == pytest.approx(math.sqrt(8 / math.log(2) * beta * 0.5 * math.log(1.88)))
    # There is no jump, whether all averages are small or all are the largest possible.
    for level in (0.1, average.max()):
        assert not order.arm_numbers(rows.assign(**{"20000": level})).jumps
    assert arms.arms(rows).render(LIGHT).startswith(b"\x89PNG")
