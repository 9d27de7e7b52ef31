import math

import mpmath
import numpy as np
import pytest
from scipy import stats
from tolerances import FORMULA_RTOL

from companion.bounds.confidence import (
    ChowdhuryGopalanWidth,
    FixedBeta,
    HorizonDrawsWidth,
    OneRootWidth,
    SelfNormalizedWidth,
    SrinivasDrawsWidth,
    SrinivasNormWidth,
    UnionBoundWidth,
)
from companion.core.errors import ParameterError
from companion.core.randomness import stream


def one_arm_failure(width, norm, noise_variance, scaled_noise):
    """P(|f - mu| > width * sd) after one pull of one arm with f = norm, k = 1 and regulariser = noise variance.

    mu = (f + z)/(1 + v) and sd^2 = v/(1 + v), so that f - mu = (v f - z)/(1 + v). ``scaled_noise(t)`` is
    P(z/sd(z) <= t), and the upper tail by symmetry.
    """
    v = noise_variance
    reach = width * math.sqrt(v * (1 + v)) / math.sqrt(v)
    shift = v * norm / math.sqrt(v)
    return scaled_noise(shift - reach) + scaled_noise(-shift - reach)


@pytest.mark.parametrize("noise_variance", [1e-4, 0.01, 1.0, 30.0])
@pytest.mark.parametrize("delta", [0.3, 0.1, 0.01])
@pytest.mark.parametrize("norm", [0.1, 1.0, 5.0])
def test_one_point_width_is_valid_and_needs_the_norm(norm, delta, noise_variance):
    width = UnionBoundWidth(norm, 1, 1, delta).width()
    assert one_arm_failure(width, norm, noise_variance, stats.norm.cdf) <= 0.5 * delta
    if (norm, delta, noise_variance) == (5.0, 0.1, 1.0):
        assert one_arm_failure(width - norm, norm, noise_variance, stats.norm.cdf) == pytest.approx(0.975, abs=1e-3)


def test_printed_width_fails_for_sub_gaussian_noise_and_the_corrected_one_does_not():
    # Three-point noise on {-3, 0, 3} with the largest probability that keeps the variance proxy at 1.
    share, delta = 0.02196, 0.015
    grid = np.linspace(-6, 6, 2401)
    moment = 1 - share + share * np.cosh(3 * grid)
    assert np.all(np.log(moment) <= grid**2 / 2 + 1e-6)

    def cdf(t):  # P(z <= t) for the lower tail
        return share / 2 if t >= -3 else 0.0

    printed = UnionBoundWidth(1e-3, 1, 1, delta).width()
    repaired = UnionBoundWidth(1e-3, 1, 1, delta, noise="subgaussian").width()
    assert one_arm_failure(printed, 1e-3, 1e-4, cdf) == pytest.approx(share)
    assert share > delta
    assert one_arm_failure(repaired, 1e-3, 1e-4, cdf) <= delta


def test_union_bound_formula():
    with mpmath.workdps(30):
        expected = mpmath.mpf(2) + mpmath.sqrt(2 * mpmath.log(mpmath.mpf(2500) * 5 / mpmath.mpf("0.1")))
    assert UnionBoundWidth(2.0, 2500, 5, 0.1).width() == pytest.approx(float(expected), rel=FORMULA_RTOL)
    assert UnionBoundWidth(2.0, 2500, 5, 0.1, "subgaussian").width() == UnionBoundWidth(2.0, 5000, 5, 0.1).width()
    # the size that goes with the published setting: norm 1, 60 candidates, 4 batches
    assert UnionBoundWidth(1.0, 60, 4, 0.1).width() == pytest.approx(4.95, abs=0.01)


def test_union_bound_holds_on_designs_that_ignore_the_noise_and_half_of_it_does_not():
    # ten independent arms pulled once each: failures of the printed width against those of half of it
    norm, delta, noise_variance, arms = 1.0, 0.1, 0.01, 10
    width = UnionBoundWidth(norm, arms, 1, delta).width()
    noise = stream(5, "noise").standard_normal((2000, arms)) * math.sqrt(noise_variance)
    f = np.zeros(arms)
    f[0] = norm
    mean, sd = (f + noise) / (1 + noise_variance), math.sqrt(noise_variance / (1 + noise_variance))
    worst = np.max(np.abs(f - mean), axis=1) / sd
    assert np.mean(worst > width) <= delta
    assert np.mean(worst > width / 2) > delta


def test_self_normalized_width():
    schedule = SelfNormalizedWidth(1.64, 0.1)
    gains = np.array([0.0, 0.5, 12.0])
    expected = [1.64 + math.sqrt(2 * (g + math.log(10))) for g in gains]
    np.testing.assert_allclose(schedule.width(gain=gains), expected, rtol=FORMULA_RTOL)
    assert isinstance(schedule.width(gain=0.5), float)
    assert schedule.width(gain=0.0) == pytest.approx(UnionBoundWidth(1.64, 1, 1, 0.1).width(), rel=FORMULA_RTOL)


def test_self_normalized_width_survives_a_rule_that_stops_at_the_worst_moment():
    # One arm, f = norm, stopped the first time the interval fails: the failure probability over 300 pulls is below
    # delta, while the width for a fixed time is not made for stopping.
    norm, delta, v, pulls = 0.5, 0.1, 1.0, 300
    noise = stream(6, "noise").standard_normal((4000, pulls)) * math.sqrt(v)
    count = np.arange(1, pulls + 1)
    mean = (count * norm + np.cumsum(noise, axis=1)) / (count + v)
    deviation = np.abs(norm - mean) / np.sqrt(v / (count + v))
    gain = 0.5 * np.log1p(count / v)
    assert np.mean(np.any(deviation > SelfNormalizedWidth(norm, delta).width(gain=gain), axis=1)) <= delta
    assert np.mean(np.any(deviation > UnionBoundWidth(norm, 1, 1, delta).width() - norm, axis=1)) > delta


def test_theory_and_experiment_are_told_apart():
    assert FixedBeta().width() == math.sqrt(2)
    assert FixedBeta(4.0).width(gain=7.0) == 2.0
    assert FixedBeta.kind == "experiment"
    assert UnionBoundWidth.kind == SelfNormalizedWidth.kind == "theory"
    for schedule in (FixedBeta, UnionBoundWidth, SelfNormalizedWidth):
        assert schedule.formula
        assert schedule.source


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: UnionBoundWidth(0.0, 10, 3, 0.1), "norm"),
        (lambda: UnionBoundWidth(1.0, 0, 3, 0.1), "candidates"),
        (lambda: UnionBoundWidth(1.0, 10, 2.5, 0.1), "batches"),
        (lambda: UnionBoundWidth(1.0, 10, 3, 1.0), "delta"),
        (lambda: UnionBoundWidth(1.0, 10, 3, math.nan), "delta"),
        (lambda: UnionBoundWidth(1.0, 10, 3, 0.1, "uniform"), "noise"),
        (lambda: SelfNormalizedWidth(math.inf, 0.1), "norm"),
        (lambda: SelfNormalizedWidth(1.0, 0.1).width(), "gain"),
        (lambda: SelfNormalizedWidth(1.0, 0.1).width(gain=-1.0), "gain"),
        (lambda: FixedBeta(0.0), "beta"),
        (lambda: FixedBeta("2"), "beta"),
    ],
)
def test_bad_arguments_are_refused(call, name):
    with pytest.raises(ParameterError, match=f"^{name}: "):
        call()


@pytest.mark.parametrize("norm", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("gain", [0.0, 2.5, 300.0])
def test_widths_of_the_literature_are_their_formulas(norm, gain):
    with mpmath.workdps(30):
        log = mpmath.log(1 / mpmath.mpf("0.1"))
        one_root = mpmath.sqrt(mpmath.mpf(norm) ** 2 + 2 * (gain + log))
        inflated = norm + mpmath.sqrt(2 * (gain + 1 + log))
        oldest = mpmath.sqrt(2 * mpmath.mpf(norm) ** 2 + 300 * gain * mpmath.log(70) ** 3)
    widths = [kind(norm, 0.1).width(gain=gain) for kind in (OneRootWidth, SelfNormalizedWidth, ChowdhuryGopalanWidth)]
    assert widths == sorted(widths)
    assert [widths[0], widths[2]] == pytest.approx([float(one_root), float(inflated)], rel=FORMULA_RTOL)
    assert SrinivasNormWidth(norm, 0.1, gain).width(7) == pytest.approx(float(oldest), rel=FORMULA_RTOL)
    both = OneRootWidth(norm, 0.1).width(gain=np.array([gain, gain]))
    assert both.tolist() == [widths[0]] * 2


def test_widths_for_draws_are_union_bounds_over_candidates_and_rounds():
    """The failures that are allowed, N two-sided normal tails a round, add up to at most delta over all rounds."""
    in_round, all_rounds = SrinivasDrawsWidth(50, 0.1), HorizonDrawsWidth(50, 1000, 0.1)
    squares = sum(1 / t**2 for t in range(1, 1001)) * 6 / math.pi**2
    paid = sum(2 * 50 * math.exp(-(in_round.width(t) ** 2) / 2) for t in range(1, 1001))
    assert paid == pytest.approx(2 * 0.1 * squares, rel=FORMULA_RTOL)
    # A normal tail is at most half of exp(-w^2/2).
    assert sum(50 * 2 * stats.norm.sf(in_round.width(t)) for t in range(1, 1001)) < 0.1
    assert 2 * 50 * 1000 * math.exp(-(all_rounds.width() ** 2) / 2) == pytest.approx(0.1, rel=FORMULA_RTOL)
    assert in_round.width(1) < all_rounds.width() < in_round.width(1000)


@pytest.mark.parametrize(
    "make",
    [
        lambda: OneRootWidth(0.0, 0.1),
        lambda: ChowdhuryGopalanWidth(1.0, 1.0),
        lambda: SrinivasNormWidth(1.0, 0.1, -1.0),
        lambda: SrinivasDrawsWidth(0, 0.1),
        lambda: HorizonDrawsWidth(5, 0, 0.1),
        lambda: OneRootWidth(1.0, 0.1).width(),
        lambda: ChowdhuryGopalanWidth(1.0, 0.1).width(gain=-0.5),
    ],
)
def test_what_is_no_width_of_the_literature_is_refused(make):
    with pytest.raises(ParameterError):
        make()
