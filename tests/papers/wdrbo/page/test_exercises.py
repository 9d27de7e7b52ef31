"""Numbers of the solutions, by hand or by brute force."""

import math

import numpy as np
import pytest
from scipy import stats

from companion.papers.wdrbo.page import exercises


def test_numbers_of_solutions_by_hand():
    # (1/2 - 1/5)^2, and 2/5 of the mass moved to one.
    found = exercises.square()
    assert found.low == pytest.approx((1 / 2 - 1 / 5) ** 2)
    assert found.high == pytest.approx(3 / 5 * (1 / 2) ** 2 + 2 / 5)
    inside = sum(math.comb(100, k) for k in range(47, 54)) / 2**100
    assert exercises.coin().inside == pytest.approx(inside)
    assert exercises.twice().regret == pytest.approx(exercises.twice().twice, abs=2e-4)
    assert exercises.order().alike == exercises.order().radii


def test_first_round_above_the_printed_bound_by_trying_all():
    for lam, delta in ((0.01, 0.05), (0.001, 0.1)):
        each, log = math.log1p(1 / lam), 4 * math.log(6 / delta)
        first = next(t for t in range(1, 100) if t > 4 * math.sqrt(lam * t * ((t - 1) * each + log)))
        assert exercises.first_exceeded(lam, delta) == first
    first, told = exercises.first_exceeded(0.01, 0.05), exercises.rounds()
    for count, found in ((first - 1, told.bound_before), (first, told.bound)):
        bound_there = 4 * math.sqrt(0.01 * count * ((count - 1) * math.log(101) + 4 * math.log(120)))
        assert (bound_there < count) == (count == first)
        assert found == pytest.approx(bound_there)
    assert (told.less, told.first) == (first - 1, first)


def test_newsvendor_orders_by_brute_force():
    penalised, exact, steep = exercises.orders()
    assert steep[0] == 0.0
    np.testing.assert_allclose(steep[1:], 8.0)
    assert penalised[0] == exact[0] == pytest.approx(0.4)
    # Demand is 0.4 on average; its worst law can be brought to nothing from radius 0.4 on, and the profit before that.
    profit = 8 * np.minimum(np.clip(stats.norm(0.4, 0.1).rvs(200_000, random_state=0), 0, 1), 0.4).mean() - 1.6
    turned = exercises.SIZES[np.flatnonzero(penalised != penalised[0])[0]]
    assert turned - 0.01 <= profit / 8 <= turned


def test_the_insurance_by_hand():
    found = exercises.insurance()
    assert found.told == pytest.approx([0.28, 0.25, 0.065])
    assert found.steep == pytest.approx([5.0, 2.5, 1.25])
    assert (found.first, found.second) == pytest.approx((0.03 / 2.5, 0.185 / 1.25))
    assert found.apart == pytest.approx(0.3 * 0.5 + 0.4 * 0.7 + 0.3 * 0.9 - 0.5)
    assert (found.premium, found.gain) == pytest.approx((0.03, 0.22))
    assert found.feared == pytest.approx(0.16)
    assert (found.at_half, found.at_full, found.best) == (1, 2, 1)
    assert found.updated == pytest.approx([0.03, 0.125, 0.0025])
