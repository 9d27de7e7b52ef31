"""The running example is one draw of the prior, which has no norm."""

import numpy as np

from companion.problems.running_example import running_function


def test_its_norm_hangs_on_a_cut_off():
    """With the directions left out whose share of the largest eigenvalue is below it."""
    _, covariance, drawn = running_function()
    norms = [
        float(np.sqrt(drawn @ np.linalg.pinv(covariance, rcond=cutoff, hermitian=True) @ drawn))
        for cutoff in (1e-8, 1e-10, 1e-12)
    ]
    assert np.ptp(norms) > 0.3
