"""Runs of BPE behind the regret bounds: norms of their functions, and the bound with realised gains."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tolerances import PSEUDO_NORM_RTOL

from companion.papers.batched.checks.upper_regret import SETTINGS
from companion.papers.batched.theory.regret_runs import outcomes, problem_of, realised_bounds


def test_realised_bound_written_out():
    setting = replace(SETTINGS[0], a=0.6)
    gains, sizes, width = outcomes(setting).gains[0], setting.sizes, setting.width
    constant = 8 / math.log(1 + setting.noise_sd**-2)
    expected = 2 * sizes[0] * width
    for size, before, gain in zip(sizes[1:], sizes[:-1], gains[:-1], strict=True):
        expected += 2 * math.sqrt(constant) * width * size * math.sqrt(gain / before)
    assert realised_bounds(setting)[0] == pytest.approx(expected)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.where)
def test_functions_have_the_norm_they_should(setting):
    modelled = problem_of(setting, 3)
    values, covariance = modelled.problem.values, modelled.covariance
    # The minimum-norm solution on the well-conditioned directions cannot exceed the norm, and attains most of it.
    found = math.sqrt(values @ np.linalg.pinv(covariance, rcond=1e-10, hermitian=True) @ values)
    assert found == pytest.approx(setting.norm, rel=PSEUDO_NORM_RTOL)
