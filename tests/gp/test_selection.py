"""Greedy maximum-variance selection against picks from fresh factorisations and from full downdates."""

import numpy as np
import pytest
from oracles.gp_reference import greedy_by_cholesky, greedy_by_rows, log_determinant_gain
from tolerances import GAIN_RTOL, LIBRARY_AGREEMENT

from companion.gp import FinitePosterior, grid, kernel_by_name
from companion.gp.ties import TOLERANCE

#: No symmetry, hence no ties.
FREE = np.random.default_rng(5).random((300, 2))


class Counting(FinitePosterior):
    """Counts how many points came in blocks, to prove that a test exercises that path."""

    in_blocks = 0

    def _append_block(self, allowed, limit):
        before = self.count
        done = super()._append_block(allowed, limit)
        self.in_blocks += self.count - before
        return done


CASES = [
    (name, points, sd, label)
    for name in ("se", "matern12", "matern32", "matern52")
    for points, label in ((grid(18, 2), "grid"), (FREE, "free"), (grid(300, 1), "line"))
    for sd in (0.1, 0.02)
]


@pytest.mark.parametrize(("name", "points", "sd", "label"), CASES, ids=[f"{c[0]}-{c[3]}-{c[2]}" for c in CASES])
def test_equals_picks_by_full_downdates(name, points, sd, label):
    covariance = kernel_by_name(name, 0.2)(points)
    everyone = np.ones(len(points), dtype=bool)
    posterior = Counting(covariance, sd**2)
    picks = posterior.select_max_variance(150)
    np.testing.assert_array_equal(picks[0], greedy_by_rows(covariance, sd**2, 150, everyone, TOLERANCE))
    np.testing.assert_array_equal(posterior.indices, picks)
    assert posterior.in_blocks > 50
    assert posterior.gain[0] == pytest.approx(log_determinant_gain(covariance, sd**2, picks[0]), rel=GAIN_RTOL)


@pytest.mark.parametrize("name", ["se", "matern52"])
def test_equals_picks_by_fresh_cholesky(name):
    covariance = kernel_by_name(name, 0.25)(FREE[:200])
    posterior = Counting(covariance, 0.05**2)
    expected = greedy_by_cholesky(covariance, 0.05**2, 90, np.ones(200, dtype=bool), TOLERANCE)
    np.testing.assert_array_equal(posterior.select_max_variance(90)[0], expected)
    assert posterior.in_blocks > 30


@pytest.mark.parametrize("share", [0.5, 0.02])
def test_masks(share):
    """A mask with many candidates uses blocks; with six, picks repeat; forbidden candidates are never picked."""
    covariance = kernel_by_name("matern32", 0.2)(FREE)
    allowed = np.random.default_rng(8).random(300) < share
    posterior = Counting(covariance, 0.02**2)
    picks = posterior.select_max_variance(100, allowed)[0]
    assert allowed[picks].all()
    np.testing.assert_array_equal(picks, greedy_by_rows(covariance, 0.02**2, 100, allowed, TOLERANCE))
    if share == 0.5:
        assert posterior.in_blocks > 30


def test_masks_by_replicate():
    covariance = kernel_by_name("se", 0.2)(FREE)
    allowed = np.random.default_rng(9).random((2, 300)) < 0.3
    picks = FinitePosterior(covariance, 0.01, replicates=2).select_max_variance(40, allowed)
    for lane in range(2):
        expected = greedy_by_rows(covariance, 0.01, 40, allowed[lane], TOLERANCE)
        np.testing.assert_array_equal(picks[lane], expected)


def test_ties_go_to_the_lowest_index():
    """Independent candidates are tied at every pick, so the picks count through them, round after round."""
    equal = Counting(np.eye(200), 0.1)
    np.testing.assert_array_equal(equal.select_max_variance(450)[0], np.arange(450) % 200)
    two_lanes = FinitePosterior(np.eye(5), 0.1, replicates=2)
    np.testing.assert_array_equal(two_lanes.select_max_variance(7), np.tile(np.arange(7) % 5, (2, 1)))


def test_a_difference_beyond_the_tie_tolerance_is_not_a_tie():
    scales = np.ones(200)
    scales[150], scales[30] = 1 + 3 * TOLERANCE, 1 + TOLERANCE / 3
    picks = FinitePosterior(np.diag(scales), 0.1).select_max_variance(3)[0]
    np.testing.assert_array_equal(picks, [150, 0, 1])


def test_symmetric_grids_give_the_same_design_in_any_precision_of_ties():
    """Mirror images of a design on a symmetric grid are tied in exact arithmetic; a perturbation of the covariance by
    rounding must not change which one is taken."""
    covariance = kernel_by_name("matern52", 0.3)(grid(16, 2))
    noise = np.random.default_rng(2).uniform(-1, 1, covariance.shape) * 1e-15
    picks = [FinitePosterior(c, 0.01).select_max_variance(60)[0] for c in (covariance, covariance + noise + noise.T)]
    np.testing.assert_array_equal(picks[0], picks[1])


def test_selection_continues_from_any_state():
    """In one call, in several, or one pick at a time: the same picks and the same posterior."""
    covariance = kernel_by_name("matern52", 0.2)(FREE)
    calls = [(130,), (7, 50, 1, 72), (1,) * 130]
    runs = [FinitePosterior(covariance, 0.01, capacity=5) for _ in calls]
    for posterior, counts in zip(runs, calls, strict=True):
        posterior.observe(17, 1.0)
        for count in counts:
            posterior.select_max_variance(count)
        posterior.tell(np.linspace(0, 1, 130)[None, :])
    for other in runs[1:]:
        np.testing.assert_array_equal(other.indices, runs[0].indices)
        np.testing.assert_allclose(other.variance, runs[0].variance, rtol=0, atol=LIBRARY_AGREEMENT)
        np.testing.assert_allclose(other.mean, runs[0].mean, rtol=0, atol=LIBRARY_AGREEMENT)
    assert runs[0].select_max_variance(0).shape == (1, 0)


def test_selection_at_tiny_noise_avoids_blocks_and_stays_finite():
    covariance = kernel_by_name("se", 0.5)(FREE)
    posterior = Counting(covariance, 1e-12)
    picks = posterior.select_max_variance(120)[0]
    assert posterior.in_blocks == 0
    assert np.all(np.isfinite(posterior.variance))
    assert np.all(posterior.variance > 0)
    # The first picks are far above rounding, where every correct method agrees.
    expected = greedy_by_rows(covariance, 1e-12, 20, np.ones(300, dtype=bool), TOLERANCE)
    np.testing.assert_array_equal(picks[:20], expected)
