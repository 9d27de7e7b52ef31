"""The gain of many candidates: valid beside every choice of few, and beside the dense certificate; what is left out is seen."""

from __future__ import annotations

import os
from itertools import combinations_with_replacement

import numpy as np
import pytest

import companion as cp
from companion.core.errors import ParameterError
from companion.information import gain_bracket, large_sets
from companion.information.gain import gain_of_copies, information_gain
from companion.information.large_sets import gain_bracket_of_many, gain_curve_of_many

KERNELS = [("se", 0.2), ("se", 0.6), ("matern52", 0.4), ("matern32", 0.3), ("matern12", 0.5)]
SETTINGS = [(1, 40, 0.01), (2, 150, 0.1), (3, 30, 1.0), (2, 2000, 0.3)]
#: Candidates whose dense certificate is compared: COMPANION_SERIES=1 takes the large ones too, a quarter of an hour.
SIZES = (500, 1_000, 2_000, 4_000, 8_000) if "COMPANION_SERIES" in os.environ else (500,)


def points_of(seed: int, count: int, dim: int) -> np.ndarray:
    return cp.stream(seed, "many", "test").uniform(size=(count, dim))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A core and sketches far smaller than the candidates."""
    for name, value in {"CORE": 60, "MORE": 30, "SKETCH": 100, "PASSES": 2_000}.items():
        monkeypatch.setattr(large_sets, name, value)


@pytest.mark.parametrize("seed", range(30))
def test_every_choice_of_a_few_lies_between_the_ends(seed: int) -> None:
    name, scale = KERNELS[seed % len(KERNELS)]
    kernel, points, noise = cp.kernel(name, scale), points_of(seed, 6, 1 + seed % 3), (0.01, 0.1, 1.0)[seed % 3]
    horizon = 2 + seed % 3
    best = max(information_gain(kernel(points), a, noise) for a in combinations_with_replacement(range(6), horizon))
    found = gain_bracket_of_many(kernel, points, horizon, noise)
    assert found.lower - 1e-9 <= best <= found.upper
    assert found.ratio < 1.6


@pytest.mark.parametrize(("name", "scale"), KERNELS)
@pytest.mark.parametrize(("dim", "horizon", "noise"), SETTINGS)
def test_beside_the_dense_certificate(
    small: None, name: str, scale: float, dim: int, horizon: int, noise: float
) -> None:
    size = SIZES[(KERNELS.index((name, scale)) + SETTINGS.index((dim, horizon, noise))) % len(SIZES)]
    kernel, points = cp.kernel(name, scale), points_of(dim, size, dim)
    dense, found = gain_bracket(kernel(points), horizon, noise), gain_bracket_of_many(kernel, points, horizon, noise)
    assert found.upper >= dense.lower
    assert found.lower <= dense.upper
    assert found.ratio < (4.0 if name == "matern12" else 2.0)
    among, copies = np.unique(found.lower_indices, return_counts=True)
    assert found.lower == pytest.approx(gain_of_copies(kernel(points[among]), np.arange(len(among)), copies, noise))
    assert copies.sum() == horizon


def hidden() -> np.ndarray:
    """Forty places that tell much, among two thousand at nearly the same one."""
    crowd = 0.01 * points_of(1, 2000, 1)
    return np.concatenate([crowd, np.linspace(1, 40, 40)[:, None]])


def test_what_the_core_does_not_have_is_scored(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, points = cp.kernel("se", 0.3), hidden()
    true = information_gain(kernel(points), np.arange(2000, 2040), 0.1)
    found = gain_bracket_of_many(kernel, points, 40, 0.1)
    assert found.upper >= true
    certify = large_sets.Pivots.certify

    def of_the_core_alone(self, design, core, horizon, looked):
        return certify(self, design, core, horizon, np.arange(100))

    monkeypatch.setattr(large_sets.Pivots, "certify", of_the_core_alone)
    assert gain_bracket_of_many(kernel, points, 40, 0.1).ends["factorization"] < true


def test_the_variance_that_few_features_leave_out_counts(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, points = cp.kernel("matern32", 0.1), points_of(2, 400, 2)
    monkeypatch.setattr(large_sets, "_RANK", 20)
    right = gain_bracket_of_many(kernel, points, 60, 0.05)
    assert right.upper >= gain_bracket(kernel(points), 60, 0.05).lower
    monkeypatch.setattr(large_sets, "Features", lambda phi, tail: many_features(phi, 0.0 * tail))
    assert gain_bracket_of_many(kernel, points, 60, 0.05).ends["factorization"] < right.lower


many_features = large_sets.Features


def test_by_name_and_by_command_line_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from companion.api import inputs

    monkeypatch.setattr(inputs, "MAX_CANDIDATES", 100)
    kernel, points = cp.kernel("se", 0.3), cp.grid(12, 2)
    both = cp.certified_gain(kernel, [5, 20], 0.3, points)
    assert [each.horizon for each in both] == [5, 20]
    one = gain_bracket_of_many(kernel, points, 20, 0.3**2)
    assert (both[1].lower, both[1].upper) == (one.lower, one.upper)
    assert "spectral" not in one.ends


def test_what_is_refused() -> None:
    kernel, points = cp.kernel("se", 0.3), np.zeros((1, 1))
    with pytest.raises(ParameterError, match=r"^points:"):
        gain_bracket_of_many(kernel, np.broadcast_to(points, (1_000_001, 1)), 5, 0.1)
    for horizon, noise, name in ((0, 0.1, "horizon"), (5, 0.0, "noise_variance")):
        with pytest.raises(ParameterError, match=name):
            gain_bracket_of_many(kernel, points, horizon, noise)


@pytest.mark.parametrize("name", ["se", "matern32"])
def test_a_curve_has_one_upper_end_a_horizon_and_all_are_valid(small: None, name: str) -> None:
    kernel, points = cp.kernel(name, 0.4), points_of(5, 500, 2)
    horizons = [40, 1, 7, 200, 3]
    found = gain_curve_of_many(kernel, points, horizons, 0.1)
    assert [each.horizon for each in found] == horizons
    for each in found:
        dense = gain_bracket(kernel(points), each.horizon, 0.1)
        assert dense.lower <= each.upper
        assert each.lower <= dense.upper
        assert each.lower == pytest.approx(information_gain(kernel(points), each.lower_indices, 0.1))
    assert found[3].upper == gain_bracket_of_many(kernel, points, 200, 0.1).upper
