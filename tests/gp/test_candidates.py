"""Points and length-scales: what is taken for them, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from companion.core.errors import ParameterError
from companion.gp.candidates import looks_like_covariance, points_of, scales_for


def test_points_and_covariances_are_told_apart() -> None:
    assert looks_like_covariance(np.eye(4))
    assert not looks_like_covariance(np.random.default_rng(0).uniform(size=(4, 4)))
    assert not looks_like_covariance(np.ones((4, 2)))
    with pytest.raises(ParameterError, match=r"\(3, 1\)"):
        points_of([1.0, 2.0, 3.0])
    with pytest.raises(ParameterError, match="convert to numbers"):
        points_of([["a", "b"]])


def test_length_scales_for_points() -> None:
    assert scales_for([0.2], 3) == scales_for(0.2, 3) == 0.2
    assert scales_for(np.array([0.2, 0.5]), 2) == (0.2, 0.5)
    for wrong in ([0.2, 0.5], [0.0], [np.inf, 1.0, 1.0]):
        with pytest.raises(ParameterError, match="lengthscale"):
            scales_for(wrong, 3)
