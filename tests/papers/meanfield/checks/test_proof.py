"""Statements and leads on the proof of Theorem 4.1: verdicts, teeth, and the tools that decide them."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy import integrate, special, stats
from tolerances import FINITE_DIFFERENCE, FORMULA_RTOL, LAW_ATOL_EXACT, QUADRATURE_RTOL, SERIES_RTOL, SPECTRAL_ATOL

from companion.gp import kernel_by_name
from companion.papers.meanfield.checks import proof_cases, proof_gaussian, proof_laws, proof_payoffs
from companion.papers.meanfield.checks import proof_constants as constants
from companion.papers.meanfield.checks import proof_runs as on_runs
from companion.papers.meanfield.checks import proof_slopes as slopes
from companion.papers.meanfield.theory.bounds import ZETA_PRIME_2, Pieces


def test_only_what_is_no_law_fails_in_the_discretisation():
    broken = {case.where.rsplit(": ", 1)[1] for case in proof_laws.discretisation.all_cases() if not case.holds}
    assert broken == {"rounded laws that are no laws"}


def test_the_printed_step_fails_exactly_where_n_times_the_slope_is_below_one():
    for instance in constants.rounds():
        small = instance.pieces.size * instance.pieces.printed_slope < 1 < instance.number
        holds = [case.holds for case in constants.at_least_one_part.cases(instance) if "printed" in case.where]
        assert holds == [not small]


def test_the_printed_mean_fails_exactly_where_sigma_is_not_one_and_a_bonus_is_paid():
    for instance in proof_gaussian.conditionings():
        wrong = [case.where for case in proof_gaussian.upper_confidence_law.cases(instance) if not case.holds]
        assert not wrong if instance.beta == 0.0 else wrong or instance.beta < 0.5
        assert all("mean of f - U" in where for where in wrong)


# -- tools -------------------------------------------------------------------------------------------------------------


def test_largest_gaussian_against_known_means():
    assert proof_gaussian.largest_gaussian(0.0) == 0.0
    for count, exact in ((2, 1 / math.sqrt(math.pi)), (3, 1.5 / math.sqrt(math.pi))):
        assert proof_gaussian.largest_gaussian(math.log(count)) == pytest.approx(exact, rel=QUADRATURE_RTOL)
    assert proof_gaussian.largest_gaussian(0.0, absolute=True) == pytest.approx(math.sqrt(2 / math.pi))
    two = 2 / math.sqrt(math.pi)  # E max(|X|, |Y|)
    assert proof_gaussian.largest_gaussian(math.log(2), absolute=True) == pytest.approx(two, rel=QUADRATURE_RTOL)


def test_largest_of_more_values_than_a_float_can_count():
    """1 - F(x)^N with N = e^800, log F = log(1 - q) being -q here to many more digits than a float has."""
    with mpmath.workdps(40):

        def above(x):
            return -mpmath.expm1(-(mpmath.e**800) * mpmath.erfc(x / mpmath.sqrt(2)) / 2)

        exact = 30 + mpmath.quad(above, [30, 36, 38, 39, 39.5, 39.7, 39.8, 39.9, 40, 40.2, 40.5, 41, 45, 60])
    assert proof_gaussian.largest_gaussian(800.0) == pytest.approx(float(exact), rel=SERIES_RTOL)


def test_positive_part_against_the_closed_form():
    for mean, sd in ((-3.0, 1.0), (-0.2, 0.1), (0.0, 2.0), (4.0, 0.5)):
        exact = sd * stats.norm.pdf(mean / sd) + mean * special.ndtr(mean / sd)
        assert proof_gaussian.Normal(mean, sd).positive_part == pytest.approx(exact, rel=QUADRATURE_RTOL)


def test_simulated_errors_have_the_posteriors_deviation():
    """The deviation by eliminating the ten observations one after the other."""
    for kernel, dim, noise in (("se", 1, 0.1), ("matern52", 2, 0.01)):
        error, sd = proof_gaussian.conditioned(kernel, dim, noise, 20_000)
        assert float(error.std(ddof=1)) == pytest.approx(sd, rel=proof_gaussian.SPREAD_TOLERANCE)
        points = proof_gaussian.stream(0, "meanfield", "statements", "conditioned", kernel, dim, f"{noise:g}").random(
            (11, dim)
        )
        left = np.asarray(kernel_by_name(kernel, 0.3 * dim)(points))
        for place in range(10):
            left = left - np.outer(left[:, place], left[place]) / (left[place, place] + noise**2)
        assert math.sqrt(left[10, 10]) == pytest.approx(sd, rel=SERIES_RTOL)


def test_series_and_its_limit():
    assert float(mpmath.zeta(2, derivative=1)) == pytest.approx(ZETA_PRIME_2, rel=FORMULA_RTOL)
    assert constants.logarithmic_sum(3) == pytest.approx(math.log(2) / 4 + math.log(3) / 9, rel=FORMULA_RTOL)


def test_interpolated_maxima_of_rounds():
    pieces = Pieces(3, 2, 2.0, 1.0)
    cuts = np.array([pieces.cuts(t, "corrected") for t in (1, 3, 40, 777, 2000)])
    exact = [proof_gaussian.largest_gaussian(math.log(6) + 6 * math.log(parts), absolute=True) for parts in cuts]
    np.testing.assert_allclose(constants.largest_of_rounds(pieces, cuts), exact, rtol=1e-3)


@pytest.mark.parametrize(("actions", "parts"), [(2, 5), (3, 4), (4, 3)])
def test_rounding_rules_against_search(actions, parts):
    laws = np.random.default_rng(actions).dirichlet(np.ones(actions), (30, 1))
    grid = [np.array(point) for point in itertools.product(np.arange(parts + 1) / parts, repeat=actions)]
    middle = [np.array(point) for point in itertools.product((np.arange(parts) + 0.5) / parts, repeat=actions)]
    on_simplex = [point for point in grid if abs(point.sum() - 1) < LAW_ATOL_EXACT]
    rules = (proof_laws.multiples, grid), (proof_laws.midpoints, middle), (proof_laws.remainders, on_simplex)
    for rule, points in rules:
        found = rule(laws, parts)
        for law, point in zip(laws[:, 0], found[:, 0], strict=True):
            best = min(np.abs(candidate - law).sum() for candidate in points)
            assert np.abs(point - law).sum() == pytest.approx(best, abs=LAW_ATOL_EXACT)
            assert min(np.abs(candidate - point).sum() for candidate in points) < LAW_ATOL_EXACT
    corner = proof_laws.midpoints(np.array([[[1.0, 0.0]]]), parts)[0, 0]
    np.testing.assert_allclose(corner, [1.0 - 0.5 / parts, 0.5 / parts])
    bad = proof_laws.not_laws(np.array([[[0.5, 0.5]], [[0.6, 0.5]], [[1.1, -0.1]]]))
    assert bad.tolist() == [False, True, True]


def test_laws_at_half_a_part_attain_the_distance():
    """Even numbers of actions: every entry is half a part from both neighbours."""
    instance = proof_laws.Rounding(4, 2, 10, "halves")
    laws = proof_laws.random_collections(instance)
    assert not proof_laws.not_laws(laws).any()
    apart = np.abs(proof_laws.remainders(laws, 10) - laws).sum(axis=(1, 2))
    np.testing.assert_allclose(apart, 8 / 20)


@pytest.mark.parametrize("kernel", ["se", "matern32", "matern52"])
def test_payoffs_approximate_a_draw_of_their_kernel(kernel):
    payoff = proof_payoffs.Payoff(kernel, 2, 1, 5, features=40_000)
    weights, frequency, _ = proof_payoffs._terms(payoff)
    assert float(np.sum(weights**2)) == pytest.approx(2.0, rel=0.05)
    for step in (0.1, 0.4):
        apart = step * np.array([0.6, -0.8])
        exact = float(np.asarray(kernel_by_name(kernel, 0.3)(np.zeros((1, 2)), apart[None]))[0, 0])
        assert float(np.cos(frequency @ apart).mean()) == pytest.approx(exact, abs=SPECTRAL_ATOL)


def test_payoff_and_slope_by_hand():
    payoff = proof_payoffs.Payoff("matern52", 3, 2, 5)
    weights, frequency, phase = proof_payoffs._terms(payoff)
    law, other = payoff.laws[0], payoff.laws[1]
    for c, x in ((0, 0), (1, 2)):
        exact = sum(
            w * math.cos(omega @ law.ravel() + phi[3 * c + x])
            for w, omega, phi in zip(weights, frequency, phase, strict=True)
        )
        assert proof_payoffs.payoff_values(payoff, law[None])[0, 3 * c + x] == pytest.approx(exact, rel=SERIES_RTOL)
    bound = proof_payoffs.largest_slope(payoff, law, other)
    steepest = 0.0
    for share in np.linspace(0.0, 1.0, 7):
        at = law + share * (other - law)
        for c, x in np.ndindex(2, 3):
            step = np.zeros((2, 3))
            step[c, x] = 1e-5
            ends = proof_payoffs.payoff_values(payoff, np.stack([at + step, at - step]))
            steepest = max(steepest, float(np.abs(ends[0] - ends[1]).max() / 2e-5))
    assert steepest <= bound + FINITE_DIFFERENCE
    assert bound <= 2.0 * steepest
    finer = proof_payoffs.largest_slope(payoff, law, other, nodes=401)
    assert finer <= bound


def test_average_payoff_is_the_mean_over_context_and_action():
    laws = np.array([[[0.25, 0.75], [1.0, 0.0]]])
    assert proof_payoffs.average_payoff(np.array([[1.0, 2.0, 3.0, 4.0]]), laws)[0] == pytest.approx((1.75 + 3.0) / 2)


def test_tail_of_linear_slopes_is_exact():
    """b at most the double variance is needed: a smaller one is refused by the assumption, and a = 1 is allowed."""
    assert slopes.Linear(2, 1, 0.3, a=1.0).has_the_tail
    assert not slopes.Linear(2, 1, 0.3, a=1.0, b_factor=1.5).has_the_tail
    mean = integrate.quad(lambda u: 1 - math.erf(u / math.sqrt(2)) ** 2, 0, 12)[0]
    assert slopes.Linear(2, 1, 0.09).mean_slope == pytest.approx(0.3 * mean, rel=QUADRATURE_RTOL)


def test_the_worst_of_pairs_says_of_how_many():
    case = proof_cases.worst(np.array([1.0, 5.0, 2.0]), np.array([1.5, 3.0, 1.0]), "pairs")
    assert (case.lhs, case.rhs, case.failures, case.trials, case.holds) == (5.0, 3.0, 2, 3, False)
    assert case.where.endswith("of 3")


def test_variances_met_are_those_of_a_dense_posterior():
    design = on_runs.Design("matern52", 1, 0.3, 3.0, "greedy", 30)
    (met,), gain = design.met()
    points = np.linspace(0.0, 1.0, 49)[:, None]
    left = np.asarray(kernel_by_name("matern52", 0.2, variance=3.0)(points))
    total = 0.0
    for t in range(30):
        place = int(np.argmax(np.diag(left)))
        assert met[t] == pytest.approx(left[place, place], rel=1e-6)
        total += 0.5 * math.log1p(left[place, place] / 0.09)
        left = left - np.outer(left[:, place], left[place]) / (left[place, place] + 0.09)
    assert total <= gain * (1 + SERIES_RTOL)
