"""Repeated points, noise sd down to 1e-6, length-scales from 1e-3 to 1e3, against 50-digit arithmetic.

The yardstick is backward stability: the engine's posterior must be within what perturbing each entry of the problem by
a few units in the last place can do (see ``tolerances``). No float64 method that is given a rounded covariance can
promise more, and a method that loses digits by its own fault fails it.
"""

import itertools

import numpy as np
import pytest
from oracles.gp_reference import cholesky_posterior, exact_gain, exact_posterior
from tolerances import BACKWARD_MEAN, BACKWARD_VARIANCE, EPS, FIRST_VISIT

from companion.gp import FinitePosterior, Matern, grid, kernel_by_name

LENGTHSCALES = (1e-3, 1e-2, 1e-1, 1.0, 10.0, 1e2, 1e3)
NOISES = (1e-6, 1e-3, 0.1)
RNG = np.random.default_rng(21)
POINTS = np.sort(RNG.random((9, 1)), axis=0)
#: Two candidates at one place.
POINTS = np.vstack([POINTS, POINTS[3:4]])
#: Repeats lose digits within the first hundred, if they do; a thousand of them are in the tests of single settings.
PATTERNS = {
    "one point 200 times": np.r_[np.full(200, 4), 0, 8, np.full(20, 4)],
    "five points 40 times": np.tile([1, 4, 7, 3, 9], 40),
    "every point once": np.arange(10),
    "random": RNG.integers(0, 10, 300),
}
FIVE_POINTS = np.tile([1, 4, 7, 3, 9], 200)


def check(posterior, covariance, noise_variance, indices, values, lane=0):
    exact = exact_posterior(covariance, noise_variance, indices, values)
    mean, variance = np.asarray(posterior.mean)[lane], np.asarray(posterior.variance)[lane]
    assert np.all(np.isfinite(mean))
    assert np.all(np.isfinite(variance))
    assert np.all(variance > 0)
    influence = 1 + exact.weight_sum
    assert np.max(np.abs(variance - exact.variance) / influence**2) <= BACKWARD_VARIANCE
    assert np.max(np.abs(mean - exact.mean) / influence) <= BACKWARD_MEAN * (1 + exact.dual_sum)
    return exact


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", ["se", "matern12", "matern52"])
def test_every_length_scale_and_noise(name, pattern):
    indices = PATTERNS[pattern]
    rng = np.random.default_rng(4)
    for lengthscale, sd in itertools.product(LENGTHSCALES, NOISES):
        covariance = kernel_by_name(name, lengthscale)(POINTS)
        # One lane whose values fit the model, one whose values contradict each other by up to 1e6 standard deviations.
        function = np.linalg.cholesky(covariance + 1e-10 * np.eye(10)) @ rng.standard_normal(10)
        values = np.stack(
            [function[indices] + sd * rng.standard_normal(len(indices)), rng.choice([-1.0, 1.0], len(indices))]
        )
        posterior = FinitePosterior(covariance, sd**2, replicates=2)
        for step, index in enumerate(indices):
            posterior.observe(int(index), values[:, step])
        for lane in range(2):
            check(posterior, covariance, sd**2, indices, values[lane], lane)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["se", "matern52"])
def test_values_told_at_once(name):
    indices = FIVE_POINTS
    values = np.random.default_rng(6).standard_normal(len(indices))
    for lengthscale in (1e-3, 0.3, 1e3):
        covariance = kernel_by_name(name, lengthscale)(POINTS)
        posterior = FinitePosterior(covariance, 1e-12)
        for index in indices:
            posterior.condition(int(index))
        posterior.tell(values[None, :])
        check(posterior, covariance, 1e-12, indices, values)


def test_a_repeated_point_keeps_its_digits():
    """One point observed 1,000 times at noise sd 1e-6: the variance is lambda / (1000 + lambda), the mean nearly the
    average, and both keep nearly all digits although the values contradict each other by a million sds."""
    covariance = kernel_by_name("se", 0.3)(POINTS)
    values = np.random.default_rng(7).standard_normal(1000)
    posterior = FinitePosterior(covariance, 1e-12)
    for value in values:
        posterior.observe(4, value)
    assert posterior.variance[0, 4] == pytest.approx(1e-12 / (1000 + 1e-12), rel=1000 * EPS)
    assert posterior.mean[0, 4] == pytest.approx(values.mean(), abs=1000 * EPS)
    # A fresh Cholesky has no such digits: its error at the same point is what the tolerance excludes.
    fresh = cholesky_posterior(covariance, 1e-12, np.full(1000, 4), values)
    assert abs(fresh.variance[4] - 1e-15) > 1e-2 * 1e-15


def test_repeats_lose_no_digits_after_the_first_visit():
    """Repeats of several near-identical points: the relative error stays what the first visits left, eps / lambda."""
    points = np.array([[0.0], [0.3], [0.6], [1.0]])
    covariance = kernel_by_name("matern12", 1.0)(points)
    noise_variance, indices = 1e-10, np.tile([0, 1, 2], 300)
    posterior = FinitePosterior(covariance, noise_variance)
    for index in indices:
        posterior.condition(int(index))
    exact = exact_posterior(covariance, noise_variance, indices, np.zeros(len(indices)))
    relative = np.abs(posterior.variance[0, :3] / exact.variance[:3] - 1)
    assert relative.max() <= FIRST_VISIT / noise_variance
    gain = exact_gain(covariance, noise_variance, indices)
    assert posterior.gain[0] == pytest.approx(gain, rel=FIRST_VISIT / noise_variance)


@pytest.mark.slow
@pytest.mark.parametrize("lengthscale", [1e-3, 0.3, 1e3])
def test_greedy_selection(lengthscale):
    """The design of 400 picks from 12 candidates is hundreds of repeats, in blocks and one at a time."""
    points = grid(12, 1)
    rng = np.random.default_rng(9)
    for kernel, sd in itertools.product(
        (kernel_by_name("se", lengthscale), Matern(1.2, lengthscale)), (1e-6, 1e-4, 0.02)
    ):
        covariance = kernel(points)
        posterior = FinitePosterior(covariance, sd**2)
        indices = posterior.select_max_variance(400)[0]
        values = rng.standard_normal(400)
        posterior.tell(values[None, :])
        check(posterior, covariance, sd**2, indices, values)


def test_noise_at_the_floor():
    """The smallest noise that the engine works with, and a raised one: correct for the noise it says it used."""
    covariance = kernel_by_name("matern32", 0.5)(POINTS)
    indices = PATTERNS["random"]
    values = np.random.default_rng(3).standard_normal(len(indices))
    for noise_variance in (1e-13, 1e-30):
        posterior = FinitePosterior(covariance, noise_variance)
        for index, value in zip(indices, values, strict=True):
            posterior.observe(int(index), value)
        check(posterior, covariance, posterior.noise_variance, indices, values)


def test_the_yardstick_has_teeth():
    """It rejects a posterior whose noise variance is off by 0.1 per cent, at every noise level."""
    indices = FIVE_POINTS
    values = np.random.default_rng(6).standard_normal(len(indices))
    covariance = kernel_by_name("matern52", 0.1)(POINTS)
    for sd in NOISES[1:]:
        posterior = FinitePosterior(covariance, sd**2 * 1.001)
        for index, value in zip(indices, values, strict=True):
            posterior.observe(int(index), value)
        with pytest.raises(AssertionError):
            check(posterior, covariance, sd**2, indices, values)


def test_large_well_spread_problem_at_tiny_noise():
    """900 candidates, 300 of them observed, against a fresh Cholesky whose own error is of the same order."""
    covariance = kernel_by_name("matern32", 0.05)(grid(30, 2))
    rng = np.random.default_rng(12)
    indices = rng.permutation(900)[:300]
    values = rng.standard_normal(300)
    posterior = FinitePosterior(covariance, 1e-12)
    for index, value in zip(indices, values, strict=True):
        posterior.observe(int(index), value)
    expected = cholesky_posterior(covariance, 1e-12, indices, values)
    np.testing.assert_allclose(posterior.mean[0], expected.mean, rtol=0, atol=1e4 * BACKWARD_VARIANCE)
    np.testing.assert_allclose(posterior.variance[0], expected.variance, rtol=0, atol=BACKWARD_VARIANCE)
