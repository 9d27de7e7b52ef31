"""The trivial bound against closed forms, attained ends, other draws, and the horizon that is read off."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tolerances import LINES_RTOL

from companion.bounds import trivial
from companion.gp import grid, kernel_by_name


def test_no_function_of_norm_one_has_a_larger_range() -> None:
    covariance = np.asarray(kernel_by_name("matern32", 0.3)(grid(12, 1)))
    limit = trivial.norm_range(covariance)
    generator = np.random.default_rng(3)
    weights = generator.standard_normal((200, 12))
    values = weights @ covariance / np.sqrt(np.einsum("ri,ij,rj->r", weights, covariance, weights))[:, None]
    ranges = values.max(axis=1) - values.min(axis=1)
    assert ranges.max() <= limit
    ends = np.zeros(12)
    ends[[0, -1]] = 1, -1  # the difference of the two farthest points attains it
    values = ends @ covariance / math.sqrt(ends @ covariance @ ends)
    assert np.ptp(values) == pytest.approx(limit)


def test_mean_range_of_two_arms() -> None:
    """Two independent arms differ by a normal number of variance 2, whose absolute value has mean 2 / sqrt(pi)."""
    found = trivial.prior_range(np.eye(2), seed=5)
    assert found.estimate == pytest.approx(2.0 / math.sqrt(math.pi), rel=LINES_RTOL)
    assert found.low < found.estimate < found.high


@pytest.mark.parametrize(("kernel", "scale"), [("se", 0.2), ("matern12", 0.2), ("matern32", 1.0)])
def test_mean_range_by_plain_draws(kernel: str, scale: float) -> None:
    """By an eigendecomposition and random numbers, which leave a standard error of two thousandths."""
    covariance = np.asarray(kernel_by_name(kernel, scale)(grid(5, 2)))
    values, vectors = np.linalg.eigh(covariance)
    normal = np.random.default_rng(1).standard_normal((40_000, 25))
    ranges = np.ptp(normal @ (vectors * np.sqrt(np.maximum(values, 0.0))).T, axis=1)
    error = ranges.std() / math.sqrt(len(ranges))
    found = trivial.prior_range(covariance)
    assert abs(found.estimate - ranges.mean()) < 4.0 * error
    assert found.estimate < trivial.any_prior_range(25)


def test_mean_range_scales_and_forgets_what_all_points_share() -> None:
    covariance = np.asarray(kernel_by_name("se", 0.3)(grid(7, 1)))
    one = trivial.prior_range(covariance).estimate
    assert trivial.prior_range(9.0 * covariance).estimate == pytest.approx(3.0 * one)
    assert trivial.prior_range(np.ones((4, 4))).estimate == 0.0
    assert trivial.prior_range(np.zeros((3, 3))).estimate == 0.0


@pytest.mark.parametrize("kernel", ["se", "matern12", "matern52"])
def test_no_function_of_norm_one_is_farther_from_its_mean(kernel: str) -> None:
    """By the functions of the kernel's space: none exceeds the limit, and the difference that is said to attains it."""
    covariance = np.asarray(
        kernel_by_name(kernel, 0.3)(np.sort(np.random.default_rng(2).uniform(size=(15, 1)), axis=0))
    )
    limit = trivial.blind_norm_range(covariance)
    root = np.linalg.cholesky(covariance + 1e-12 * np.eye(15))
    directions = np.random.default_rng(3).standard_normal((20_000, 15))
    values = directions / np.linalg.norm(directions, axis=1)[:, None] @ root.T
    assert (values.max(axis=1) - values.mean(axis=1)).max() <= limit
    attained = [np.eye(15)[k] - 1.0 / 15.0 for k in range(15)]
    farthest = max(
        (w @ covariance).max() - (w @ covariance).mean() for w in attained for w in [w / math.sqrt(w @ covariance @ w)]
    )
    assert farthest == pytest.approx(limit, rel=1e-9)
    assert limit < trivial.norm_range(covariance)


def test_a_blind_choice_costs_half_of_the_range_of_a_draw() -> None:
    """By plain draws and a uniformly drawn candidate, within four standard errors."""
    covariance = np.asarray(kernel_by_name("matern52", 0.2)(grid(20, 1)))
    generator = np.random.default_rng(6)
    draws = generator.multivariate_normal(np.zeros(20), covariance + 1e-10 * np.eye(20), size=40_000)
    chosen = draws[np.arange(40_000), generator.integers(20, size=40_000)]
    costs = draws.max(axis=1) - chosen
    blind = trivial.blind_lines(trivial.lines(covariance), math.nan)
    assert abs(costs.mean() - blind["prior"]) < 4.0 * costs.std() / 200.0
    assert math.isnan(blind["norm"])


@pytest.mark.parametrize("kernel", ["se", "matern12", "matern32", "matern52"])
@pytest.mark.parametrize(
    ("dim", "points", "scales"), [(1, 2000, 0.05), (1, 2000, 0.5), (2, 45, (0.1, 0.7)), (3, 13, 0.4)]
)
def test_the_blind_line_of_a_box_is_that_of_a_fine_grid(
    kernel: str, dim: int, points: int, scales: float | tuple[float, ...]
) -> None:
    """Cells' midpoints stand for the uniform law, the corners are added as the places of the maximum."""
    made = kernel_by_name(kernel, scales)
    axes = (np.arange(points) + 0.5) / points
    inside = np.stack(np.meshgrid(*[axes] * dim, indexing="ij"), axis=-1).reshape(-1, dim)
    means = np.asarray(made(inside)).mean(axis=1)
    farthest = max(
        1.0 - 2.0 * float(np.asarray(made(place[None], inside)).mean()) + means.mean()
        for place in (np.zeros(dim), np.full(dim, 0.5), np.eye(dim)[0], np.linspace(0.1, 0.4, dim))
    )
    assert trivial.blind_norm_range_of_box(made, dim) == pytest.approx(math.sqrt(farthest), rel=2e-3)


@pytest.mark.parametrize("power", [0.05, 0.3, 0.5])
def test_a_horizon_is_found_to_the_evaluation(power: float) -> None:
    """Against the closed form, for first horizons from 2 to nearly a million, far apart as those tried are."""
    for first in (2, 37, 4_711, 99_999, 876_543):
        scale = (first - 0.5) ** power
        assert trivial.horizon(lambda t, scale=scale: scale * t**-power, 1.0, [1, 10, 1_000, 10**6]) == first


def test_a_horizon_is_the_first_from_which_on_it_stays_so() -> None:
    tried = (1, 2, 5, 10)
    values = {1: 3.0, 2: 0.5, 5: 2.0, 6: 0.9, 7: 1.5, 8: 0.9, 9: 0.9, 10: 0.9}
    assert trivial.horizon(values.__getitem__, 1.0, tried) == 8
    assert trivial.horizon(lambda t: 0.5, 1.0, tried) == 1
    assert trivial.horizon(lambda t: 0.5 if t > 3 else math.nan, 1.0, tried) == 4
    assert trivial.horizon(lambda t: 0.5 if t < 10 else 1.0, 1.0, tried) == math.inf
    assert trivial.horizon(lambda t: math.nan, 1.0, tried) == math.inf


def test_a_horizon_of_a_curve_is_read_off_its_line() -> None:
    tried = [10, 100, 1000]
    assert trivial.horizon_of_curve(tried, [10.0, 10**0.5, 1 / 10**0.5]) == pytest.approx(317)
    assert trivial.horizon_of_curve(tried, [10.0, 2.0, 1.5]) == math.inf
    assert [trivial.two_digits(t) for t in (7.0, 56.0, 57_349.0, 999_999.0)] == [7, 56, 57_000, 1_000_000]
