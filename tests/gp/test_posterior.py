"""The finite-candidate posterior against scikit-learn, GPyTorch and a fresh Cholesky; replicates, misuse."""

import math

import numpy as np
import pytest
from oracles.gp_reference import cholesky_posterior, log_determinant_gain
from oracles.optional import optional
from oracles.peers import gpytorch_posterior, sklearn_kernel, sklearn_posterior
from tolerances import GAIN_RTOL, LIBRARY_AGREEMENT, POSTERIOR_ATOL

from companion.core.errors import ConditioningError, ParameterError
from companion.gp import FinitePosterior, Matern, SquaredExponential, grid, kernel_by_name

torch = optional("torch")

KERNELS = ("se", "matern12", "matern32", "matern52")


def problem(name="matern52", lengthscale=0.3, per_axis=7, seed=0, count=25):
    """Points of a grid, their covariance, a multiset of indices with repeats, and values."""
    points = grid(per_axis, 2)
    rng = np.random.default_rng(seed)
    indices = rng.integers(0, len(points), count)
    indices[5], indices[11] = indices[2], indices[2]
    return points, kernel_by_name(name, lengthscale)(points), indices, rng.standard_normal(count)


def observed(covariance, noise_variance, indices, values, **options):
    posterior = FinitePosterior(covariance, noise_variance, **options)
    for index, value in zip(indices, values, strict=True):
        posterior.observe(int(index), float(value))
    return posterior


@pytest.mark.parametrize("lengthscale", [0.3, (0.2, 0.9)])
@pytest.mark.parametrize("name", KERNELS)
def test_equals_scikit_learn(name, lengthscale):
    points, covariance, indices, values = problem(name, lengthscale)
    expected = sklearn_posterior(sklearn_kernel(name, lengthscale), 0.01, points, indices, values)
    posterior = observed(covariance, 0.01, indices, values)
    np.testing.assert_allclose(posterior.mean[0], expected.mean, rtol=0, atol=POSTERIOR_ATOL)
    np.testing.assert_allclose(posterior.variance[0], expected.variance, rtol=0, atol=POSTERIOR_ATOL)
    np.testing.assert_array_equal(posterior.sd, np.sqrt(posterior.variance))


@pytest.mark.parametrize("name", KERNELS)
def test_equals_gpytorch(name):
    _, covariance, indices, values = problem(name)
    expected = gpytorch_posterior(covariance, 0.01, indices, values)
    posterior = observed(covariance, 0.01, indices, values)
    np.testing.assert_allclose(posterior.mean[0], expected.mean, rtol=0, atol=POSTERIOR_ATOL)
    np.testing.assert_allclose(posterior.variance[0], expected.variance, rtol=0, atol=POSTERIOR_ATOL)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["se", "matern52"])
def test_equals_a_fresh_cholesky_after_a_thousand_steps(name):
    """Noise sd 0.02; random picks, maximum-variance picks one at a time and in blocks, and many repeats."""
    covariance = kernel_by_name(name, 0.2)(grid(20, 2))
    posterior = FinitePosterior(covariance, 0.02**2)
    rng = np.random.default_rng(3)
    while posterior.count < 1000:
        kind = posterior.count // 50 % 4
        if kind == 3:
            posterior.select_max_variance(50)
            posterior.tell(rng.standard_normal((1, 50)))
        else:
            index = [rng.integers(400), int(np.argmax(posterior.variance)), posterior.count // 50][kind]
            posterior.observe(int(index), rng.standard_normal())
    # Values drawn after the fact would not exercise observe(): the posterior is linear in them, so refer to new ones.
    indices = posterior.indices[0].copy()
    values = rng.standard_normal(1000)
    again = observed(covariance, 0.02**2, indices, values)
    expected = cholesky_posterior(covariance, 0.02**2, indices, values)
    np.testing.assert_allclose(posterior.variance[0], expected.variance, rtol=0, atol=POSTERIOR_ATOL)
    np.testing.assert_allclose(again.variance[0], expected.variance, rtol=0, atol=POSTERIOR_ATOL)
    np.testing.assert_allclose(again.mean[0], expected.mean, rtol=0, atol=POSTERIOR_ATOL)
    gain = log_determinant_gain(covariance, 0.02**2, indices)
    assert posterior.gain[0] == pytest.approx(gain, rel=GAIN_RTOL)
    assert again.gain[0] == pytest.approx(gain, rel=GAIN_RTOL)


@pytest.mark.parametrize("name", KERNELS)
def test_the_comparison_has_teeth(name):
    """A posterior with one observation dropped, or with one per cent more noise, is far outside the tolerance."""
    _, covariance, indices, values = problem(name)
    right = cholesky_posterior(covariance, 0.01, indices, values)
    for wrong in (
        observed(covariance, 0.01, indices[:-1], values[:-1]),
        observed(covariance, 0.0101, indices, values),
    ):
        assert np.abs(wrong.mean[0] - right.mean).max() > 1e3 * POSTERIOR_ATOL
        assert np.abs(wrong.variance[0] - right.variance).max() > 1e3 * POSTERIOR_ATOL


def test_replicates_equal_separate_runs():
    """Three lanes with different points and values; one of them repeats a point while the others do not."""
    _, covariance, _, _ = problem()
    rng = np.random.default_rng(1)
    indices, values = rng.integers(0, 49, (3, 30)), rng.standard_normal((3, 30))
    indices[1, 3:20] = indices[1, 2]
    together = FinitePosterior(covariance, 1e-4, replicates=3, capacity=4)
    for step in range(30):
        together.observe(indices[:, step], values[:, step])
    picks = together.select_max_variance(12)
    more = rng.standard_normal((3, 12))
    together.tell(more)
    assert together.mean.shape == together.variance.shape == (3, 49)
    assert together.factor.shape == (3, 42, 49)
    for lane in range(3):
        alone = observed(covariance, 1e-4, indices[lane], values[lane])
        np.testing.assert_array_equal(alone.select_max_variance(12)[0], picks[lane])
        alone.tell(more[lane : lane + 1])
        np.testing.assert_allclose(together.mean[lane], alone.mean[0], rtol=0, atol=LIBRARY_AGREEMENT)
        np.testing.assert_allclose(together.variance[lane], alone.variance[0], rtol=0, atol=LIBRARY_AGREEMENT)
        assert together.gain[lane] == pytest.approx(alone.gain[0], rel=GAIN_RTOL)
        np.testing.assert_array_equal(together.indices[lane], alone.indices[0])


def test_one_replicate_has_the_digits_of_two():
    """One is computed with numbers where several have arrays, and a power of a number rounds otherwise than an array's."""
    _, covariance, indices, values = problem(count=60)
    for noise_variance in (0.01, 0.257, 1.148, 2.336):  # with the last three the power differs at once
        one, two = (FinitePosterior(covariance, noise_variance, replicates=count) for count in (1, 2))
        for index, value in zip(indices, values, strict=True):
            one.observe(index, value)
            two.observe(index, value)
        for what in ("mean", "variance", "factor", "gain"):
            np.testing.assert_array_equal(getattr(one, what)[0], getattr(two, what)[1])


def test_values_may_come_later():
    """condition() and tell() in two portions equal observe(), and the variance needs no values."""
    _, covariance, indices, values = problem(count=30)
    one_by_one = observed(covariance, 0.01, indices, values)
    later = FinitePosterior(covariance, 0.01)
    for index in indices[:13]:
        later.condition(int(index))
    assert np.all(later.mean == 0)
    later.tell(values[None, :13])
    for index in indices[13:]:
        later.condition(np.int64(index))
    np.testing.assert_array_equal(later.variance, one_by_one.variance)
    later.tell(values[None, 13:])
    later.tell(np.zeros((1, 0)))
    np.testing.assert_allclose(later.mean, one_by_one.mean, rtol=0, atol=LIBRARY_AGREEMENT)


def test_gain_is_half_the_log_determinant():
    _, covariance, indices, values = problem()
    posterior = FinitePosterior(covariance, 0.01)
    assert posterior.gain[0] == 0
    for step, (index, value) in enumerate(zip(indices, values, strict=True), start=1):
        posterior.observe(int(index), value)
        expected = log_determinant_gain(covariance, 0.01, indices[:step])
        assert posterior.gain[0] == pytest.approx(expected, rel=GAIN_RTOL)


def test_prior_before_any_observation():
    """Also with unequal prior variances, one of them zero: a candidate whose value is known stays known."""
    scales = np.array([1.0, 0.0, 2.0])
    covariance = np.outer(scales, scales) * np.array([[1, 0, 0.5], [0, 1, 0], [0.5, 0, 1]])
    posterior = FinitePosterior(covariance, 0.1)
    np.testing.assert_array_equal(posterior.variance, [[1, 0, 4]])
    np.testing.assert_array_equal(posterior.mean, np.zeros((1, 3)))
    assert (posterior.size, posterior.replicates, posterior.count, posterior.notes) == (3, 1, 0, ())
    posterior.observe(1, 5.0)
    np.testing.assert_array_equal(posterior.mean, np.zeros((1, 3)))
    np.testing.assert_array_equal(posterior.variance, [[1, 0, 4]])
    np.testing.assert_array_equal(posterior.select_max_variance(1), [[2]])


def test_the_caller_keeps_the_covariance():
    """Neither the argument nor what a property returned earlier changes later."""
    _, covariance, indices, values = problem()
    kept = covariance.copy()
    posterior = FinitePosterior(covariance, 0.01)
    before = posterior.variance, posterior.mean
    copies = before[0].copy(), before[1].copy()
    for index, value in zip(indices, values, strict=True):
        posterior.observe(int(index), value)
    np.testing.assert_array_equal(covariance, kept)
    np.testing.assert_array_equal(before[0], copies[0])
    np.testing.assert_array_equal(before[1], copies[1])


# -- misuse ------------------------------------------------------------------------------------------------------------

EYE = np.eye(3)
TWO = FinitePosterior(EYE, 0.1, replicates=2)


def pending(posterior):
    posterior.condition(0)
    return posterior


@pytest.mark.parametrize(
    ("misuse", "name"),
    [
        (lambda: FinitePosterior(np.ones((2, 3)), 0.1), "covariance"),
        (lambda: FinitePosterior(np.ones(3), 0.1), "covariance"),
        (lambda: FinitePosterior(np.zeros((0, 0)), 0.1), "covariance"),
        (lambda: FinitePosterior(EYE.astype(np.float32), 0.1), "covariance"),
        (lambda: FinitePosterior(torch.eye(3, dtype=torch.float64), 0.1), "covariance"),
        (lambda: FinitePosterior(np.eye(3, dtype=int), 0.1), "covariance"),
        (lambda: FinitePosterior(EYE + np.diag([1e-6, 0.0], k=1), 0.1), "covariance"),
        (lambda: FinitePosterior(np.full((3, 3), math.nan), 0.1), "covariance"),
        (lambda: FinitePosterior(np.diag([1.0, math.nan]), 0.1), "covariance"),
        (lambda: FinitePosterior(np.diag([1.0, math.inf]), 0.1), "covariance"),
        (lambda: FinitePosterior(np.full((3, 3), math.inf), 0.1), "covariance"),
        (lambda: FinitePosterior(np.array([[1.0, math.nan], [0.0, 1.0]]), 0.1), "covariance"),
        (lambda: FinitePosterior(np.diag([1.0, -1e-3]), 0.1), "covariance"),
        (lambda: FinitePosterior(np.zeros((3, 3)), 0.1), "covariance"),
        (lambda: FinitePosterior(EYE, 0.0), "noise_variance"),
        (lambda: FinitePosterior(EYE, -0.1), "noise_variance"),
        (lambda: FinitePosterior(EYE, math.nan), "noise_variance"),
        (lambda: FinitePosterior(EYE, "0.1"), "noise_variance"),
        (lambda: FinitePosterior(EYE, 0.1, replicates=0), "replicates"),
        (lambda: FinitePosterior(EYE, 0.1, replicates=1.5), "replicates"),
        (lambda: FinitePosterior(EYE, 0.1, capacity=0), "capacity"),
        (lambda: FinitePosterior(EYE, 0.1, jitter="always"), "jitter"),
        (lambda: FinitePosterior([[1.0]], 0.1), "covariance"),
        (lambda: FinitePosterior(EYE, 0.1).observe(0, "x"), "values"),
        (lambda: FinitePosterior(EYE, 0.1).condition(3), "index"),
        (lambda: FinitePosterior(EYE, 0.1).condition(-1), "index"),
        (lambda: FinitePosterior(EYE, 0.1).condition(1.0), "index"),
        (lambda: FinitePosterior(EYE, 0.1).condition(True), "index"),
        (lambda: FinitePosterior(EYE, 0.1).condition(np.array([0, 1])), "index"),
        (lambda: TWO.condition(np.array([0, 1, 2])), "index"),
        (lambda: TWO.condition(np.array([0, 3])), "index"),
        (lambda: pending(FinitePosterior(EYE, 0.1)).observe(0, 1.0), "index"),
        (lambda: pending(FinitePosterior(EYE, 0.1)).tell(np.array([1.0])), "values"),
        (lambda: pending(FinitePosterior(EYE, 0.1)).tell(np.ones((1, 2))), "values"),
        (lambda: pending(FinitePosterior(EYE, 0.1)).tell(np.array([[math.nan]])), "values"),
        (lambda: FinitePosterior(EYE, 0.1).tell(np.ones((1, 1))), "values"),
        (lambda: FinitePosterior(EYE, 0.1).select_max_variance(-1), "count"),
        (lambda: FinitePosterior(EYE, 0.1).select_max_variance(2.0), "count"),
        (lambda: FinitePosterior(EYE, 0.1).select_max_variance(1, np.array([0, 1, 2])), "candidates"),
        (lambda: FinitePosterior(EYE, 0.1).select_max_variance(1, np.array([True, False])), "candidates"),
        (lambda: FinitePosterior(EYE, 0.1).select_max_variance(1, np.zeros(3, dtype=bool)), "candidates"),
        (lambda: TWO.select_max_variance(1, np.array([[True] * 3, [False] * 3])), "candidates"),
    ],
)
def test_misuse_is_refused_by_name(misuse, name):
    with pytest.raises(ParameterError) as caught:
        misuse()
    assert caught.value.name == name


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_refused_value_leaves_the_posterior_unchanged(value):
    """The point of a refused observation is not conditioned on, so the caller can supply the value again."""
    posterior = FinitePosterior(EYE, 0.1)
    with pytest.raises(ParameterError, match="values"):
        posterior.observe(0, value)
    assert posterior.count == 0
    np.testing.assert_array_equal(posterior.variance, np.ones((1, 3)))
    posterior.observe(0, 1.0)
    assert posterior.mean[0, 0] == pytest.approx(1 / 1.1)


def test_a_refused_shape_leaves_the_posterior_unchanged():
    posterior = FinitePosterior(EYE, 0.1, replicates=2)
    with pytest.raises(ParameterError, match="value"):
        posterior.observe(0, np.ones(3))
    assert posterior.count == 0


def test_jitter_policy_says_what_it_did():
    covariance = 4.0 * np.eye(3)
    at_floor = FinitePosterior(covariance, 4e-13)
    assert at_floor.notes == ()
    raised = FinitePosterior(covariance, 1e-20)
    assert raised.noise_variance == pytest.approx(4e-13)
    assert len(raised.notes) == 1
    assert "1e-20" in raised.notes[0]
    assert "4e-13" in raised.notes[0]
    with pytest.raises(ConditioningError, match="noise_variance"):
        FinitePosterior(covariance, 1e-20, jitter="refuse")
    assert FinitePosterior(covariance, 0.1, jitter="refuse").notes == ()


def every_one(posterior):
    for index in range(posterior.size):
        posterior.condition(index)


@pytest.mark.parametrize("smallest", [-0.5, -1e-3])
def test_an_indefinite_covariance_is_noticed_where_observations_show_it(smallest):
    with pytest.raises(ParameterError, match="positive semi-definite"):
        FinitePosterior(np.array([[1.0, 2.0], [2.0, 1.0]]), 0.01).observe(0, 1.0)
    covariance = Matern(1.5, 0.3)(grid(40, 1))
    values, vectors = np.linalg.eigh(covariance)
    values[20] = smallest
    indefinite = (vectors * values) @ vectors.T
    posterior = FinitePosterior((indefinite + indefinite.T) / 2, 1e-4)
    with pytest.raises(ParameterError, match="positive semi-definite"):
        every_one(posterior)


@pytest.mark.parametrize("noise", [1e-13, 1e-8, 1e-2])
def test_rounding_is_not_taken_for_an_indefinite_covariance(noise):
    """The smoothest kernel on close points has eigenvalues that rounding makes negative."""
    covariance = SquaredExponential(0.5)(grid(300, 1))
    generator = np.random.default_rng(4)
    for design in (np.arange(300), np.repeat(7, 60), generator.integers(0, 300, 200)):
        posterior = FinitePosterior(covariance, noise)
        for index in design:
            posterior.condition(int(index))
        assert np.isfinite(np.asarray(posterior.variance)).all()
