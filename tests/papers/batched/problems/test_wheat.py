"""The lesson's function has the norm that is said."""

import numpy as np
import pytest
from tolerances import NORM_BY_CUT_OFF_RTOL

from companion.papers.batched.problems.wheat import wheat


def test_the_norm_does_not_hang_on_a_cut_off():
    modelled = wheat(0.2)
    values, covariance = modelled.problem.values, modelled.covariance
    # Directions whose share of the largest eigenvalue is below a cut-off are left out.
    for cutoff in (1e-8, 1e-10, 1e-12):
        inverse = np.linalg.pinv(covariance, rcond=cutoff, hermitian=True)
        assert np.sqrt(values @ inverse @ values) == pytest.approx(modelled.norm, rel=NORM_BY_CUT_OFF_RTOL)
    assert modelled.problem.noise_sd == 0.2


def test_it_has_two_hills_and_the_second_is_higher():
    values = wheat().problem.values
    tops = [i for i in range(1, 100) if values[i - 1] < values[i] > values[i + 1]]
    assert len(tops) == 2
    assert values[tops[0]] < values[tops[1]] == wheat().problem.optimum < wheat().known_norm
