"""Stored upper ends: above every gain that can be had, rounded to the safe side, the same when computed again."""

from __future__ import annotations

import numpy as np
import pytest

from companion.gp import grid, kernel_by_name
from companion.gp.kernels import KERNEL_NAMES
from companion.information import greedy_gain
from companion.papers.across.problems.common import HORIZONS
from companion.papers.across.theory import gains


def test_rounding_goes_up_and_not_far() -> None:
    values = 10 ** np.random.default_rng(0).uniform(-6, 6, 1000)
    rounded = gains.rounded_up(values)
    assert (rounded >= values).all()
    assert (rounded <= values * (1 + 10.0 ** (1 - gains.DIGITS))).all()


@pytest.mark.parametrize("kernel", KERNEL_NAMES)
def test_no_design_found_has_more(kernel: str) -> None:
    for (name, dim, noise), curve in gains.curves().items():
        if name == kernel:
            covariance = np.asarray(kernel_by_name(kernel, gains.LENGTHSCALE)(grid(gains.POINTS[dim], dim)))
            reached = greedy_gain(covariance, 100, noise**2).gains
            assert all(curve(t) >= reached[t - 1] for t in range(1, 101))
            assert (np.diff(curve.uppers) > 0).all()


def test_what_is_stored_is_what_is_computed() -> None:
    stored = gains.load().tables["gains"]
    for kernel in ("matern32", "game"):
        noise = gains.NOISES[-1]
        covariance = (
            gains.GAMES[2].covariance if kernel == "game" else np.asarray(kernel_by_name(kernel, 0.2)(grid(50, 1)))
        )
        dim = 2 if kernel == "game" else 1
        rows = stored[(stored.kernel == kernel) & (stored.dim == dim) & (stored.noise == noise)]
        again = [row["upper"] for row in gains._curve(covariance, noise)]
        np.testing.assert_allclose(rows.upper, again, rtol=2e-4)  # two units of the last digit stored


def test_a_gain_between_two_horizons_is_on_the_chord() -> None:
    """Which is certified from where on it is said to be; before, the next gain and the last in proportion are."""
    curve = gains.curves()["se", 1, 0.1]
    low, high = HORIZONS[20], HORIZONS[21]
    assert curve(low) == curve.uppers[20]
    middle = round((low * high) ** 0.5)
    assert curve(middle) == pytest.approx(curve.uppers[20:22].mean(), rel=1e-3)
    assert curve.since <= 10
    assert curve(4) <= curve.uppers[HORIZONS.index(4)]
