"""Expected improvement against high precision."""

import numpy as np
import pytest
from scipy.stats import norm

from companion.policies.acquisition import expected_improvement, log_expected_improvement


@pytest.mark.parametrize("z", [-2000.0, -30.0, -1.0001, -0.9999, 0.0, 4.0])
def test_log_expected_improvement_against_high_precision(z):
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(60):
        exact = mpmath.log(0.7 * (z * mpmath.ncdf(z) + mpmath.npdf(z)))
    got = log_expected_improvement(np.array([0.7 * z + 0.2]), np.array([0.7]), 0.2)[0]
    assert got == pytest.approx(float(exact), rel=1e-6)
    assert expected_improvement(np.array([0.9]), np.array([0.7]), 0.2)[0] == pytest.approx(
        0.7 * norm.cdf(1.0) + 0.7 * norm.pdf(1.0)
    )
