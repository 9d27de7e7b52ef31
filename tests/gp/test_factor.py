"""Cholesky factors with the first shift that makes them exist."""

import numpy as np
import pytest
from tolerances import FORMULA_RTOL

from companion.core.errors import ConditioningError
from companion.gp.factor import first_factor, inverse_from


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("least", "place"), [(1.0, 0), (-0.01, 1), (-0.5, 2)])
def test_the_first_shift_that_helps_is_taken(dtype, least, place):
    shifts = [0.0, 0.25, 1.0]
    covariance = np.diag([2.0, 3.0, least]).astype(dtype)
    before = covariance.copy()
    lower, found = first_factor(covariance, shifts, "")
    assert found == place
    assert lower.dtype == dtype
    np.testing.assert_array_equal(covariance, before)
    np.testing.assert_allclose(
        lower @ lower.T,
        covariance + np.asarray(shifts[place], dtype) * np.eye(3, dtype=dtype),
        rtol=np.finfo(dtype).eps * 4,
    )


def test_without_one_the_message_is_the_callers():
    with pytest.raises(ConditioningError, match="not even"):
        first_factor(np.diag([1.0, -2.0]), [0.0, 1.0], "not even with 1")


def test_the_inverse_is_that_of_the_product_and_exactly_symmetric():
    half = np.random.default_rng(0).standard_normal((6, 9))
    matrix = half @ half.T + np.eye(6)
    found = inverse_from(np.linalg.cholesky(matrix))
    np.testing.assert_allclose(found @ matrix, np.eye(6), atol=FORMULA_RTOL)
    np.testing.assert_array_equal(found, found.T)
