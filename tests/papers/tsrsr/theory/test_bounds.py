"""The bounds of chapter 1 at numbers chosen so that every constant can be read off, each by a derivation of its own.

With noise variance 1 / (e - 1) the logarithm of 1 + 1 / variance is one, so that c = 2 and rho_m^2 = 1 + m (e - 1).
"""

import math

import pytest
from scipy import integrate, stats
from tolerances import FORMULA_RTOL, PRINTED_RTOL

from companion.core.errors import AssumptionError, ParameterError
from companion.papers.tsrsr.theory import bounds

NOISE = 1.0 / (math.e - 1.0)
#: N, T, m, variance, gain: 12 points.
SETTING = (25, 4, 3, NOISE, 2.0)
RHO = {m: math.sqrt(1.0 + m * 1.718281828459045) for m in (1, 2, 3)}


def near(value):
    return pytest.approx(value, rel=FORMULA_RTOL)


def test_the_factor_is_two_where_the_logarithm_is_one():
    assert bounds.gain_factor(NOISE) == near(2.0)
    assert bounds.gain_factor(1.0) == near(2.0 / math.log(2.0))
    assert bounds.variance_sum_bound(NOISE, 3.5) == near(7.0)


def test_the_ratio_counts_the_points_and_the_variance_at_the_start():
    assert bounds.variance_ratio(3, 0.5) == near(math.sqrt(7.0))
    assert bounds.variance_ratio(3, 0.5, 0.25) == near(math.sqrt(2.5))
    assert bounds.variance_ratio(0, 0.5) == 1.0


def test_theorem_1_in_both_forms():
    """Two terms: the root of 2 log(4 N n^3) twice, and 24 n log N. One: (2 sqrt6)(1 + sqrt3) = 2 sqrt6 + 6 sqrt2."""
    root = math.sqrt(12 * 2 * 2.0)
    first = 2 * math.sqrt(2 * (math.log(4) + math.log(25) + 3 * math.log(12))) * RHO[3] * root
    assert bounds.theorem1(*SETTING) == near(first + math.sqrt(24 * 12 * math.log(25)))
    given = 2 * math.sqrt(2 * math.log(100 * 1728)) * 1.5 * root + math.sqrt(288 * math.log(25))
    assert bounds.theorem1(*SETTING, ratio=1.5) == near(given)
    one = (2 * math.sqrt(6) + 6 * math.sqrt(2)) * RHO[3] * root * math.sqrt(math.log(25) + 3 * math.log(12))
    assert bounds.theorem1_one_term(*SETTING) == near(one)
    # At N = 2, n = 1: log N n^3 = log 2; with c gamma = 1 and ratio 1 what is left is the constant and the logarithm.
    assert bounds.theorem1_one_term(2, 1, 1, NOISE, 0.5, 1.0) == pytest.approx(13.38425 * 0.832555, rel=PRINTED_RTOL)
    with pytest.raises(AssumptionError, match="c gamma"):
        bounds.theorem1_one_term(2, 1, 1, NOISE, 0.49, 1.0)
    small = bounds.theorem1_one_term(2, 1, 1, NOISE, 0.125, 1.0, unchecked=True)
    assert small == pytest.approx(0.5 * 13.38425 * 0.832555, rel=PRINTED_RTOL)


def test_the_sharper_bound_averages_the_ratios_of_the_places():
    """SETTING has N = 25, T = 4, m = 3: rho_0 to rho_2 are squared and averaged; 2 + 2 log(25 / 2), and twice as many numbers
    where draws are thrown away."""
    squares = [1.0, RHO[1] ** 2, RHO[2] ** 2]
    root = math.sqrt(sum(squares) / 3 * 12 * 2 * 2.0)
    assert bounds.mean_ratio(3, NOISE) == near(math.sqrt(sum(squares) / 3))
    assert bounds.mean_ratio(3, NOISE, 0.5) == near(bounds.mean_ratio(3, 2 * NOISE))
    assert bounds.theorem1_sharp(*SETTING) == near(root * math.sqrt(2 + 2 * math.log(12.5)))
    assert bounds.theorem1_sharp(*SETTING, resampled=True) == near(root * math.sqrt(2 + 2 * math.log(25)))
    assert bounds.theorem1_sharp(25, 12, 1, NOISE, 2.0) == near(math.sqrt(48 * (2 + 2 * math.log(12.5))))
    assert bounds.theorem1_sharp(*SETTING, ratio=1.5) == near(1.5 * math.sqrt(48 * (2 + 2 * math.log(12.5))))


def test_widths_and_good_events():
    assert bounds.normal_width(50, 0.5) == near(math.sqrt(2 * math.log(100)))
    width = math.sqrt(2 * math.log(2 * 25 * 12 / 0.2))
    assert bounds.good_event_bound(*SETTING, 0.2) == near(2 * width * RHO[3] * math.sqrt(48))
    for delta in (0.0, 1.0):
        with pytest.raises(ParameterError, match="delta"):
            bounds.normal_width(50, delta)
    assert bounds.normal_width(1, 0.999) > 0.0


def test_the_trivial_line_is_twice_the_expected_maximum_of_every_point():
    assert bounds.trivial_bound(25, 12) == near(12 * 2 * math.sqrt(2 * math.log(25)))


def test_the_ratio_after_an_initial_design():
    """rho_m <= exp(m gamma / T_0), and sharper the root of 1 + m (exp(2 gamma / T_0) - 1): e^2 - 1 for gamma = T_0."""
    assert bounds.initial_ratio_bound(4, 8, 2.0) == near(math.e)
    assert bounds.initial_ratio_sharp(4, 8, 8.0) == near(math.sqrt(4 * math.e**2 - 3))


def test_corollary_1_adds_the_design_to_theorem_1_with_ratio_e():
    """T_0 sqrt(2 log N) for the design: with N = e^2, roughly 7, every one of its points costs two."""
    design = 12 * math.sqrt(2 * math.log(25))
    whole = bounds.corollary1(25, 4, 3, NOISE, 2.0, 12, 4.0)
    assert whole == near(design + bounds.theorem1(*SETTING, ratio=math.e))
    with pytest.raises(AssumptionError, match="corollary-1"):
        bounds.corollary1(25, 4, 3, NOISE, 2.0, 11, 4.0)
    longer = bounds.corollary1(25, 4, 3, NOISE, 2.0, 13, 4.0)
    assert longer - whole == pytest.approx(2.537272, rel=PRINTED_RTOL)  # sqrt(2 log 25)


def test_the_gain_of_a_linear_kernel():
    assert bounds.linear_gain_bound(2, 6, 0.5) == near(math.log(7.0))
    assert bounds.linear_gain_bound(3, 6, 0.5) == near(1.5 * math.log(5.0))


def test_the_width_of_the_sharper_bound_covers_the_square_of_the_largest_normal_number():
    """By the law of the largest of N independent ones."""
    for candidates in (2, 3, 25, 1000):

        def tail(s, n=candidates):
            return -math.expm1(n * math.log1p(-stats.norm.sf(math.sqrt(s)))) if s else 1.0 - 0.5**n

        square = integrate.quad(tail, 0, 60, limit=400)[0]
        # T, the factor of the gain and the gain are one each.
        allowed = bounds.theorem1_sharp(candidates, 1, 1, NOISE, 0.5) ** 2
        assert allowed == near(2 + 2 * math.log(candidates / 2))
        assert square < allowed
