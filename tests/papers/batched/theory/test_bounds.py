import math

import mpmath
import numpy as np
import pytest
from tolerances import FORMULA_RTOL, ROUNDING_SLACK

from companion.core.errors import AssumptionError, ParameterError
from companion.core.randomness import stream
from companion.papers.batched.method.sizes import constant_sizes, original_sizes, power_sizes
from companion.papers.batched.theory import bounds

SIGMA, WIDTH = 0.1, 5.0


def capacity(count, noise_sd=SIGMA):
    """Maximum gain of ``count`` pulls of eight independent unit-variance arms: a true gamma, concave in the count."""
    full, extra = divmod(int(count), 8)
    arms = [full + 1] * extra + [full] * (8 - extra)
    return 0.5 * sum(math.log1p(n / noise_sd**2) for n in arms)


def maximum_gains(sizes):
    return np.array([capacity(n) for n in sizes[:-1]])


@pytest.mark.parametrize("noise_sd", [1e-9, 1e-3, 0.02, 0.1, 1.0, 7.0, 1e6])
def test_constants(noise_sd):
    with mpmath.workdps(50):
        exact = 2 / mpmath.log(1 + mpmath.mpf(noise_sd) ** -2)
    assert bounds.variance_sum_constant(noise_sd) == pytest.approx(float(exact), rel=FORMULA_RTOL)
    assert bounds.elimination_constant(noise_sd) == 4 * bounds.variance_sum_constant(noise_sd)


@pytest.mark.parametrize("noise_sd", [0.02, 0.5, 3.0])
def test_variance_sum_constant_is_sharp_and_valid(noise_sd):
    # One pull of unit variance: C * gain equals the variance, so 1.9 in place of 2 would be too small.
    gain = 0.5 * math.log1p(noise_sd**-2)
    assert bounds.variance_sum_constant(noise_sd) * gain == pytest.approx(1.0, rel=FORMULA_RTOL)
    # A long greedy design on a dense kernel matrix, by fresh inverses.
    x = np.linspace(0, 1, 25)
    kernel = np.exp(-0.5 * (x[:, None] - x) ** 2 / 0.2**2)
    chosen, variances = [], []
    for _ in range(30):
        block = kernel[np.ix_(chosen, chosen)] + noise_sd**2 * np.eye(len(chosen))
        reduction = kernel[:, chosen] @ np.linalg.solve(block, kernel[chosen]) if chosen else np.zeros((25, 25))
        variance = np.diag(kernel - reduction)
        chosen.append(int(np.argmax(variance)))
        variances.append(variance.max())
    gain = 0.5 * np.linalg.slogdet(np.eye(30) + kernel[np.ix_(chosen, chosen)] / noise_sd**2)[1]
    assert sum(variances) <= bounds.variance_sum_constant(noise_sd) * gain


def test_per_batch_bounds_against_the_printed_formula():
    sizes, gains = (16, 84, 225, 409, 266), np.array([3.0, 5.0, 7.5, 8.0])
    got = bounds.batch_bounds(sizes, gains, WIDTH, SIGMA)
    c1 = 8 / math.log(1 + SIGMA**-2)
    expected = [2 * 16 * WIDTH] + [
        2 * math.sqrt(c1) * WIDTH * sizes[i] * math.sqrt(gains[i - 1] / sizes[i - 1]) for i in range(1, 5)
    ]
    np.testing.assert_allclose(got, expected, rtol=FORMULA_RTOL)
    printed = bounds.batch_bounds(sizes, gains, WIDTH, SIGMA, elimination=bounds.ROBUST_PRINTED)
    c = 2 / math.log(1 + SIGMA**-2)
    expected = [2 * 16 * WIDTH] + [
        6 * math.sqrt(c) * WIDTH * sizes[i] * math.sqrt(gains[i - 1] / sizes[i - 1]) for i in range(1, 5)
    ]
    np.testing.assert_allclose(printed, expected, rtol=FORMULA_RTOL)
    # a gain for the last batch may be passed along and is not used
    np.testing.assert_array_equal(bounds.batch_bounds(sizes, [*gains, 99.0], WIDTH, SIGMA), got)


def test_four_is_attained_and_cannot_be_lowered():
    # Two arms with posterior sd 1 and width 1: both survive with means 1 and -1, true values 2 and -2.
    mean, f = np.array([1.0, -1.0]), np.array([2.0, -2.0])
    assert np.all(np.abs(f - mean) <= 1)
    assert np.all(mean + 1 >= (mean - 1).max())
    gain = 0.5 * math.log1p(SIGMA**-2)  # one pull of unit variance bounds the sd by exactly 1
    bound = bounds.per_round_bounds((1, 5), [gain], 1.0, SIGMA)[1]
    assert f.max() - f.min() == pytest.approx(bound, rel=FORMULA_RTOL)


def test_survivors_never_exceed_the_constant_in_a_free_search():
    generator, worst = stream(1, "search"), 0.0
    for _ in range(4000):
        mean = generator.uniform(-2, 2, 6)
        f = mean + generator.choice([-1.0, 1.0], 6)
        survivors = mean + 1 >= (mean - 1).max()
        worst = max(worst, float((f.max() - f[survivors]).max()))
    assert 3.5 < worst <= bounds.STANDARD


@pytest.mark.parametrize("horizon", [3, 10, 97, 1000, 10**5, 10**9])
@pytest.mark.parametrize("a", [0.51, 0.6, 0.75, 0.9, 0.99])
@pytest.mark.parametrize("elimination", [bounds.STANDARD, bounds.ROBUST_PRINTED])
def test_theorem_1_chain_case_1(horizon, a, elimination):
    sizes = power_sizes(horizon, a)
    gain = capacity(horizon)
    summed = bounds.batch_bounds(sizes, maximum_gains(sizes), WIDTH, SIGMA, elimination=elimination).sum()
    geometric = bounds.theorem1_summed(horizon, a, gain, WIDTH, SIGMA, elimination=elimination)
    closed = bounds.theorem1_closed(horizon, a, gain, WIDTH, SIGMA, elimination=elimination)
    assert summed <= geometric * (1 + ROUNDING_SLACK)
    assert geometric <= closed * (1 + ROUNDING_SLACK)


@pytest.mark.parametrize("horizon", [100, 1000, 10**5, 10**9])
@pytest.mark.parametrize("a", [0.31, 0.36, 0.4, 0.5])
@pytest.mark.parametrize("elimination", [bounds.STANDARD, bounds.ROBUST_PRINTED])
def test_theorem_1_chain_case_2(horizon, a, elimination):
    sizes = power_sizes(horizon, a)
    envelope = bounds.GainEnvelope.fitted(sizes[:-1], maximum_gains(sizes), 0.3, log_power=0.6)
    tightest = max(maximum_gains(sizes) / [envelope.at(size) for size in sizes[:-1]])
    assert tightest == pytest.approx(1.0, abs=ROUNDING_SLACK)  # above all gains, and no higher than needed
    summed = bounds.batch_bounds(sizes, maximum_gains(sizes), WIDTH, SIGMA, elimination=elimination).sum()
    geometric = bounds.theorem1_summed(horizon, a, envelope, WIDTH, SIGMA, elimination=elimination)
    closed = bounds.theorem1_closed(horizon, a, envelope, WIDTH, SIGMA, elimination=elimination)
    assert summed <= geometric * (1 + ROUNDING_SLACK)
    assert geometric <= closed * (1 + ROUNDING_SLACK)


def test_theorem_1_against_the_printed_formulas():
    horizon, a, gain, batches = 1000, 0.6, 12.5, 5
    c1 = 8 / math.log(1 + SIGMA**-2)
    unit = math.sqrt(horizon * gain) * WIDTH
    series = sum(horizon ** (a ** (i - 1) * (0.5 - a)) for i in range(2, batches + 1))
    expected = 4 * WIDTH * horizon**0.4 + 4 * math.sqrt(c1) * unit * series
    assert bounds.theorem1_summed(horizon, a, gain, WIDTH, SIGMA) == pytest.approx(expected, rel=FORMULA_RTOL)
    b = 0.4 * 0.1
    closed = 4 * max(gain**-0.5, math.sqrt(c1)) * 2**b / (2**b - 1) * unit
    assert bounds.theorem1_closed(horizon, a, gain, WIDTH, SIGMA) == pytest.approx(closed, rel=FORMULA_RTOL)
    tiny = 1e-6  # now the first batch decides the maximum
    closed = 4 * tiny**-0.5 * 2**b / (2**b - 1) * math.sqrt(horizon * tiny) * WIDTH
    assert bounds.theorem1_closed(horizon, a, tiny, WIDTH, SIGMA) == pytest.approx(closed, rel=FORMULA_RTOL)
    # Theorem 3: 4 sqrt(C_1) becomes 12 sqrt(C) = 6 sqrt(C_1)
    robust = bounds.theorem1_closed(horizon, a, gain, WIDTH, SIGMA, elimination=bounds.ROBUST_PRINTED)
    assert robust == pytest.approx(6 * math.sqrt(c1) * 2**b / (2**b - 1) * unit, rel=FORMULA_RTOL)


def test_case_2_against_the_printed_formulas():
    horizon, a, eta, batches = 1000, 0.4, 0.3, 3
    envelope = bounds.GainEnvelope(2.0, eta, 0.6)
    gamma = 2.0 * horizon**0.4 * math.log(horizon) ** 0.6
    assert envelope.at(horizon) == pytest.approx(gamma, rel=FORMULA_RTOL)
    c1, first = 8 / math.log(1 + SIGMA**-2), 4 * WIDTH * horizon**0.6
    unit = math.sqrt(c1 * horizon * gamma) * WIDTH
    series = sum(horizon ** (a ** (i - 1) * (eta - a)) for i in range(2, batches + 1))
    summed = bounds.theorem1_summed(horizon, a, envelope, WIDTH, SIGMA)
    assert summed == pytest.approx(first + 4 * unit * series, rel=FORMULA_RTOL)
    b = 0.6 * 0.1
    closed = bounds.theorem1_closed(horizon, a, envelope, WIDTH, SIGMA)
    assert closed == pytest.approx(first + 4 * 2**b / (2**b - 1) * unit, rel=FORMULA_RTOL)


@pytest.mark.parametrize("horizon", [2, 3, 50, 1000, 65_536, 10**9])
def test_lemma_1_dominates_the_sum_over_batches(horizon):
    sizes = original_sizes(horizon)
    summed = bounds.batch_bounds(sizes, maximum_gains(sizes), WIDTH, SIGMA).sum()
    explicit = bounds.lemma1_bound(horizon, capacity(horizon), WIDTH, SIGMA)
    assert summed <= explicit * (1 + ROUNDING_SLACK)
    c1 = 8 / math.log(1 + SIGMA**-2)
    expected = 4 * WIDTH * math.sqrt(horizon)
    expected += 4 * (len(sizes) - 1) * WIDTH * math.sqrt(c1 * horizon * capacity(horizon))
    assert explicit == pytest.approx(expected, rel=FORMULA_RTOL)


def test_theorem_1_drops_the_number_of_batches_where_lemma_1_keeps_it():
    # At T = 2^990 Lemma 1 pays for eleven batches; the exact sum of Theorem 1 at a = 3/4 for about three.
    horizon, gain = 1 << 990, 1e6
    lemma = bounds.lemma1_bound(horizon, gain, WIDTH, SIGMA)
    assert bounds.theorem1_summed(horizon, 0.75, gain, WIDTH, SIGMA) < lemma
    assert bounds.theorem1_closed(horizon, 0.75, gain, WIDTH, SIGMA) > lemma  # the closed constant hides it


def test_simple_regret_bounds():
    for horizon in (100, 1000, 10**5):
        for sizes in (power_sizes(horizon, 0.6), constant_sizes(horizon, 3, 1.5, 2)):
            last, average = bounds.simple_regret_bounds(sizes, maximum_gains(sizes), WIDTH, SIGMA)
            c, previous = 2 / math.log(1 + SIGMA**-2), sizes[-2]
            uncapped = 6 * WIDTH * math.sqrt(c * capacity(previous) / previous)
            assert last == pytest.approx(min(2 * WIDTH, uncapped), rel=FORMULA_RTOL)
            assert last <= average <= 2 * WIDTH * (1 + ROUNDING_SLACK)
    with pytest.raises(AssumptionError, match="must not increase"):
        bounds.simple_regret_bounds((100, 100, 100), [0.01, 5.0], WIDTH, SIGMA)


def test_trivial_bound_is_below_theorem_1_at_a_thousand_rounds():
    sizes = power_sizes(1000, 0.6)
    # Two points that are nearly opposite are farther apart than two that know nothing of each other, at the root of 2.
    assert bounds.trivial_bound(1000, 2.0, np.eye(3)) == pytest.approx(2000.0 * math.sqrt(2.0))
    assert bounds.trivial_bound(1000, 1.0, np.array([[1.0, -0.99], [-0.99, 1.0]])) == pytest.approx(
        1000 * math.sqrt(3.98)
    )
    assert bounds.batch_bounds(sizes, maximum_gains(sizes), WIDTH, SIGMA).sum() > 2000.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.theorem1_summed(1000, 0.5, 5.0, WIDTH, SIGMA), "Case 1 of Theorem 1 needs 1/2 < a < 1"),
        (lambda: bounds.theorem1_closed(1000, 0.4, 5.0, WIDTH, SIGMA), "Case 1"),
        (lambda: bounds.theorem1_closed(2, 0.6, 5.0, WIDTH, SIGMA), "T of at least 3"),
        (lambda: bounds.theorem1_summed(1000, 0.3, bounds.GainEnvelope(1.0, 0.3), WIDTH, SIGMA), "Case 2"),
        (lambda: bounds.theorem1_closed(1000, 0.6, bounds.GainEnvelope(1.0, 0.3), WIDTH, SIGMA), "Case 2"),
    ],
)
def test_violated_assumptions_are_refused(call, message):
    with pytest.raises(AssumptionError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: bounds.batch_bounds((10, 0), [1.0], WIDTH, SIGMA), "sizes"),
        (lambda: bounds.batch_bounds((), [1.0], WIDTH, SIGMA), "sizes"),
        (lambda: bounds.batch_bounds((10, 20, 30), [1.0], WIDTH, SIGMA), "gains"),
        (lambda: bounds.batch_bounds((10, 20), [-1.0], WIDTH, SIGMA), "gains"),
        (lambda: bounds.batch_bounds((10, 20), [math.nan], WIDTH, SIGMA), "gains"),
        (lambda: bounds.batch_bounds((10, 20), [1.0], 0.0, SIGMA), "width"),
        (lambda: bounds.batch_bounds((10, 20), [1.0], WIDTH, 0.0), "noise_sd"),
        (lambda: bounds.theorem1_closed(1000, 1.5, 5.0, WIDTH, SIGMA), "a"),
        (lambda: bounds.theorem1_closed(1000, 0.6, -5.0, WIDTH, SIGMA), "gain"),
        (lambda: bounds.theorem1_closed(1000, 0.6, 5.0, -1.0, SIGMA), "width"),
        (lambda: bounds.GainEnvelope(1.0, 0.3, -0.5), "log_power"),
        (lambda: bounds.GainEnvelope(1.0, 0.7), "exponent"),
        (lambda: bounds.trivial_bound(0, 1.0, np.eye(2)), "horizon"),
        (lambda: bounds.theorem1_closed(10**400, 0.6, 5.0, WIDTH, SIGMA), "horizon"),
    ],
)
def test_bad_arguments_are_refused(call, name):
    with pytest.raises(ParameterError, match=f"^{name}: "):
        call()


def test_one_single_batch_needs_no_gain():
    np.testing.assert_array_equal(bounds.batch_bounds((7,), [], WIDTH, SIGMA), [2 * 7 * WIDTH])
