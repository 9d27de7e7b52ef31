"""Many posteriors on tensors against the engine, replicate by replicate."""

import numpy as np
import pytest
from tolerances import REPLICATES_ATOL

pytest.importorskip("torch")
import torch

from companion.core.errors import ParameterError
from companion.gp import FinitePosterior, KernelMatrix, grid, kernel_by_name
from companion.gp.replicates import ReplicatePosterior, bytes_needed

POINTS, KERNEL, NOISE, R = grid(6, 2), kernel_by_name("matern52", 0.3), 1e-2, 6


def steps(count, seed=0):
    """Points with many repeats, values, and who takes part."""
    rng = np.random.default_rng(seed)
    index = np.where(rng.random((count, R)) < 0.4, rng.integers(0, 3, (count, R)), rng.integers(0, 36, (count, R)))
    return zip(index, rng.standard_normal((count, R)), rng.random((count, R)) < rng.random((count, 1)), strict=True)


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("capacity", [1, 40])
def test_each_replicate_is_the_engine_with_its_own_observations(stored, capacity):
    covariance = KERNEL(POINTS)
    many = ReplicatePosterior(covariance if stored else KernelMatrix(KERNEL, POINTS), NOISE, R, capacity)
    alone = [FinitePosterior(covariance, NOISE) for _ in range(R)]
    for index, value, kept in steps(40):
        many.observe(index, value, kept)
        for r in np.flatnonzero(kept):
            alone[r].observe(int(index[r]), float(value[r]))
    assert many.counts.tolist() == [one.count for one in alone]
    assert len(set(many.counts.tolist())) > 1
    asked = np.array([0, 35, 1, 7, 2, 20])
    rows = many.covariance_with(asked)
    for r, one in enumerate(alone):
        for mine, its in ((many.mean, one.mean), (many.variance, one.variance), (many.sd, one.sd)):
            np.testing.assert_allclose(mine[r], its[0], rtol=0, atol=REPLICATES_ATOL)
        np.testing.assert_allclose(many.gain[r], one.gain[0], rtol=REPLICATES_ATOL)
        np.testing.assert_allclose(rows[r], one.covariance_with(int(asked[r])), rtol=0, atol=REPLICATES_ATOL)


@pytest.mark.parametrize("noise", [1e-11, 3e-12, 7e-12])
def test_variances_keep_their_digits_at_tiny_noise(noise):
    """At an observed point the variance is the noise's share of itself, which a difference would lose."""
    points = np.arange(R)
    many = ReplicatePosterior(KERNEL(POINTS), noise, R)
    alone = FinitePosterior(KERNEL(POINTS), noise)
    for _ in range(3):
        many.observe(points, np.ones(R))
        alone.observe(1, 1.0)
    assert float(many.variance[1, 1]) == pytest.approx(float(alone.variance[0, 1]), rel=1e-9, abs=0)
    assert float(many.variance[1, 1]) == pytest.approx(noise / 3, rel=1e-6, abs=0)


@pytest.mark.parametrize("count", [0, 12])
def test_draws_are_the_engines_given_the_same_numbers(count):
    covariance, rng = KERNEL(POINTS), np.random.default_rng(1)
    many = ReplicatePosterior(covariance, NOISE, R)
    alone = [FinitePosterior(covariance, NOISE) for _ in range(R)]
    for index, value, _ in steps(count):
        many.observe(index, value)
        for r in range(R):
            alone[r].observe(int(index[r]), float(value[r]))
    draws, noise = rng.standard_normal((R, 4, 36)), rng.standard_normal((R, 4, count))
    found = many.pathwise(draws, noise)
    for r, one in enumerate(alone):
        np.testing.assert_allclose(found[r], one.pathwise(draws[r], noise[r]), rtol=0, atol=REPLICATES_ATOL)


def test_nothing_is_taken_before_the_memory_is_checked():
    asked = []

    def check(need):
        asked.append(need)
        if len(asked) > 1:
            raise ParameterError("--seeds", "too many")

    many = ReplicatePosterior(KERNEL(POINTS), NOISE, R, 2, check=check)
    assert asked == [bytes_needed(36, R, 2)]
    ones = np.ones(R)
    many.observe(np.arange(R), ones)
    many.observe(np.arange(R) + R, ones)
    before = many.mean.clone()
    with pytest.raises(ParameterError, match="too many"):
        many.observe(np.arange(R), ones)
    assert asked[1] > asked[0]
    assert torch.equal(many.mean, before)


def test_the_callers_covariance_is_left_alone_and_may_be_read_only():
    covariance = KERNEL(POINTS)
    covariance.flags.writeable = False
    kept = covariance.copy()
    many = ReplicatePosterior(covariance, NOISE, R)
    many.observe(np.arange(R), np.ones(R))
    assert np.array_equal(covariance, kept)


@pytest.mark.parametrize(
    ("index", "value", "name"),
    [(range(2), [1.0] * R, "index"), (range(R), [1.0, 1], "value"), (range(R), [np.nan] * R, "value")],
)
def test_wrong_input_names_the_argument(index, value, name):
    many = ReplicatePosterior(KERNEL(POINTS), NOISE, R)
    with pytest.raises(ParameterError, match=f"^{name}"):
        many.observe(np.array(index), np.array(value))


def test_draws_need_equally_many_observations():
    many = ReplicatePosterior(KERNEL(POINTS), NOISE, R)
    many.observe(np.arange(R), np.ones(R), np.arange(R) > 0)
    with pytest.raises(ParameterError, match="different numbers"):
        many.pathwise(np.zeros((R, 1, 36)), np.zeros((R, 1, 1)))
