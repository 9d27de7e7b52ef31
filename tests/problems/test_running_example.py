"""The running example of chapter 3 has a norm, and the draw of the other lessons has none."""

import numpy as np
import pytest
from tolerances import NORM_BY_CUT_OFF_RTOL

from companion.problems.running_example import APART, running_function, running_interpolant


def norms(covariance, values, cutoffs):
    """The norm on the candidates, with the directions left out whose share of the largest eigenvalue is below a cut-off."""
    return [float(np.sqrt(values @ np.linalg.pinv(covariance, rcond=c, hermitian=True) @ values)) for c in cutoffs]


def test_the_norm_does_not_hang_on_a_cut_off():
    _, covariance, drawn = running_function()
    _, same, values, norm = running_interpolant()
    np.testing.assert_array_equal(covariance, same)
    cutoffs = (1e-8, 1e-10, 1e-12)
    assert norms(covariance, values, cutoffs) == pytest.approx([norm] * 3, rel=NORM_BY_CUT_OFF_RTOL)
    # of the draw it does: what was printed as its norm was that of a cut-off
    assert np.ptp(norms(covariance, drawn, cutoffs)) > 0.3


def test_it_has_the_shape_of_the_draw():
    _, _, drawn = running_function()
    _, _, values, norm = running_interpolant()
    np.testing.assert_allclose(values[::APART], drawn[::APART], rtol=0, atol=1e-10)
    assert values.argmax() == drawn.argmax()
    assert np.abs(values - drawn).max() < 0.06 < norm
