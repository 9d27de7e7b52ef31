"""One run that is shown being compressed."""

import dataclasses

import numpy as np
import pytest

from companion.papers.compressed.page import picture


def test_picture_keeps_what_exceeds_the_threshold_and_ends_with_the_posterior_of_what_it_kept():
    shown = picture.one_run(0, 40)
    np.testing.assert_array_equal(shown.kept, shown.variance > shown.threshold)
    assert shown.copies.sum() == shown.kept.sum() + 2
    assert shown.threshold == pytest.approx(1e-3 * 40**-0.5)
    # The variance at the end by a dense solve with all stored copies.
    x = np.repeat(shown.x, shown.copies)
    across = np.exp(-0.5 * (x[:, None] - shown.x[None, :]) ** 2)
    dense = np.exp(-0.5 * (x[:, None] - x[None, :]) ** 2) + 1e-3 * np.eye(len(x))
    variance = 1.0 - np.einsum("ij,ij->j", across, np.linalg.solve(dense, across))
    np.testing.assert_allclose(shown.sd**2, variance, atol=1e-8)
    rejecting = dataclasses.replace(shown, kept=np.array([True, True, False, True]))
    assert picture.first_rejection(rejecting) == 3
    assert picture.first_rejection(dataclasses.replace(shown, kept=np.ones(4, dtype=bool))) == 0
