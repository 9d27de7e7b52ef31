"""Assumption 3.1's constants on drawn paths, and the two kinds of width."""

import math

import numpy as np
import pytest
from tolerances import MIXED_DIFFERENCE_RTOL, PRINTED_INTEGER_ATOL, ROUNDING_SLACK, SIGNIFICANCE

from companion.core.errors import AssumptionError, ParameterError
from companion.papers.meanfield.method.kernel import AdditiveKernel
from companion.papers.meanfield.method.widths import JointActionWidth, PracticeWidth, TheoryWidth
from companion.papers.meanfield.theory.smoothness import (
    TailConstants,
    check_tail,
    derivative_covariance,
    derivative_suprema,
    mean_square_slope,
    tail_constants,
)

KERNEL = AdditiveKernel(law_lengthscale=0.3)
SHARE = np.linspace(0.0, 1.0, 101)
LAWS = np.column_stack([SHARE, 1.0 - SHARE])


@pytest.fixture(scope="module")
def suprema():
    return derivative_suprema(KERNEL, LAWS, 0, np.random.default_rng(0), 4000)


def test_derivative_covariance_is_the_mixed_difference_of_the_kernel():
    step = 1e-4
    found = derivative_covariance(KERNEL, LAWS[::10], 0)
    for i, j in ((0, 0), (2, 7), (4, 5)):
        shifted = [LAWS[::10][k][None, None] + np.array([[[s, 0.0]]]) for k in (i, j) for s in (step, -step)]
        up_i, down_i, up_j, down_j = shifted
        corners = (KERNEL.law_part(a, b)[0, 0] for a in (up_i, down_i) for b in (up_j, down_j))
        one, two, three, four = corners
        assert (one - two - three + four) / (4 * step**2) == pytest.approx(found[i, j], rel=MIXED_DIFFERENCE_RTOL)


def test_constants_of_borell_and_tis_hold_on_drawn_paths(suprema):
    constants = tail_constants(float(suprema.mean()), KERNEL.law_scale / KERNEL.law_lengthscale**2)
    assert constants.b == pytest.approx(4.0 / 0.09)
    assert check_tail(suprema, constants).ratio <= 1.0


def test_a_sixteenth_of_b_is_refuted(suprema):
    constants = tail_constants(float(suprema.mean()), KERNEL.law_scale / KERNEL.law_lengthscale**2)
    found = check_tail(suprema, TailConstants(constants.a, constants.b / 16))
    assert found.ratio > 2.0
    assert found.p_value < SIGNIFICANCE / 50


def test_borell_bound_follows_from_its_two_steps():
    """a exp(-L^2/b) is never below min(1, exp(-(L - m)^2 / (2 s^2))) for L > m, nor below 1 for L <= m."""
    mean, variance = 3.0, 2.0
    constants = tail_constants(mean, variance)
    level = np.linspace(0.0, 30.0, 400)
    direct = np.where(level <= mean, 1.0, np.exp(-((level - mean) ** 2) / (2.0 * variance)))
    assert (constants.bound(level) >= direct - ROUNDING_SLACK).all()


def test_slopes_stay_bounded_with_squares_and_grow_without():
    steps = np.array([1e-1, 1e-2, 1e-3])
    squared, printed = (mean_square_slope(form, 0.3, steps) for form in ("squared", "printed"))
    np.testing.assert_allclose(squared[-1], 1.0 / 0.09, rtol=1e-4)
    np.testing.assert_allclose(printed[1:], 1.0 / (0.3 * steps[1:]), rtol=0.02)


def test_printed_and_joint_kernels_are_refused():
    for kernel in (AdditiveKernel(form="printed"), AdditiveKernel(coupling="joint")):
        with pytest.raises(ParameterError):
            derivative_covariance(kernel, LAWS[::10], 0)


@pytest.mark.parametrize(
    ("actions", "contexts", "expected"), [(30, 1, 1032), (30, 2, 2136), (41, 1, 1431), (30, 5, 5620), (160, 1, 6016)]
)
def test_printed_width_at_the_end_of_the_papers_runs(actions, contexts, expected):
    assert TheoryWidth(actions, contexts, 2.0, 2.0)(250) == pytest.approx(expected, abs=PRINTED_INTEGER_ATOL)


@pytest.mark.parametrize(("actions", "agents", "expected"), [(30, 50, 360), (41, 300, 2248), (160, 20000, 203027)])
def test_beta_of_naive_gp_ucb_grows_with_the_agents(actions, agents, expected):
    width = JointActionWidth(actions, agents)
    assert width.beta(250) == pytest.approx(expected, abs=PRINTED_INTEGER_ATOL)
    assert width(250) == pytest.approx(math.sqrt(width.beta(250)))


@pytest.mark.parametrize("reading", ["printed", "corrected"])
def test_beta_makes_the_union_bound_a_sum_of_inverse_squares(reading):
    """n |Xi_t| exp(-beta_t / 2) / sqrt(2 pi) = 1 / t^2, the identity of App. A.2, in logarithms."""
    width = TheoryWidth(3, 2, 2.0, 0.5, reading)
    for t in (1, 7, 100):
        left = math.log(6) + 6 * math.log(width.cuts(t)) - width.beta(t) / 2 - math.log(math.sqrt(2 * math.pi))
        assert left == pytest.approx(-2 * math.log(t), abs=1e-10)


def test_corrected_width_is_the_root_and_its_cuts_are_whole():
    width = TheoryWidth(2, 1, 8.7, 44.4, "corrected")
    assert width.cuts(3) == int(width.cuts(3)) >= 2
    assert width(3) == pytest.approx(math.sqrt(width.beta(3)))
    assert width.beta(1) == pytest.approx(13.8, abs=0.05)
    assert width.beta(60) == pytest.approx(62.8, abs=0.05)


def test_assumptions_of_the_theorem_are_checked():
    with pytest.raises(AssumptionError, match="below 1"):
        TheoryWidth(2, 1, 0.3, 1.0)
    with pytest.raises(AssumptionError, match="negative"):
        TheoryWidth(1, 1, 1.0, 1.0)(1)


def test_theory_and_practice_are_told_apart():
    assert PracticeWidth(2.0)(1) == PracticeWidth(2.0)(250) == 2.0
    assert PracticeWidth().describe()["kind"] != TheoryWidth(2, 1, 2.0, 2.0).describe()["kind"]
    with pytest.raises(ParameterError):
        PracticeWidth(-1.0)
