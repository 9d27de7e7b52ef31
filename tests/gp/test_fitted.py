"""A fitted model wherever a kernel stands; it is made by hand, so that nothing here needs GPyTorch."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import companion as cp
from companion.gp import DataPosterior, Fitted, KernelMatrix

KERNEL = cp.Matern(2.5, (0.3, 0.8), 4.0)
FITTED = Fitted(KERNEL, 70.0, 0.5, ("heat", "rain"), (0.1, 0.7, 0.4, 0.2, math.nan), 25, -41.3, "maximum likelihood")
POINTS = cp.stream(0, "fitted").uniform(size=(30, 2))


def test_it_says_what_it_is_in_one_line_and_all_of_it_in_some():
    assert repr(FITTED) == (
        "<Matern(nu=2.5, lengthscale=(0.3, 0.8), variance=4.0), mean 70, noise_sd 0.5: fitted to 25 values by GPyTorch>"
    )
    assert FITTED.words == "fitted to 25 values by GPyTorch"
    lines = str(replace(FITTED, notes=("the values do not determine length-scale of rain",))).splitlines()
    assert lines[1:] == [
        "noise_sd: 0.5 (0.411 to 0.608)",
        "mean: 70 (68.6 to 71.4)",
        "variance: 4 (1.83 to 8.76)",
        "length-scale of heat: 0.3 (0.203 to 0.444)",
        "length-scale of rain: 0.8 (0 to inf)",
        "the values do not determine length-scale of rain",
    ]
    assert pickle.loads(pickle.dumps(FITTED)).kernel == KERNEL


def test_it_stands_where_a_kernel_does():
    np.testing.assert_array_equal(FITTED(POINTS), KERNEL(POINTS))
    np.testing.assert_array_equal(FITTED(POINTS, POINTS[:3]), KERNEL(POINTS, POINTS[:3]))
    np.testing.assert_array_equal(FITTED.diagonal(POINTS), KERNEL.diagonal(POINTS))
    np.testing.assert_array_equal(KernelMatrix(FITTED, POINTS).rows(3), KERNEL(POINTS)[3])
    draws = [cp.gp_draw(kernel, POINTS, cp.stream(1, "f")) for kernel in (FITTED, KERNEL)]
    np.testing.assert_array_equal(*draws)
    values = np.sin(5 * POINTS[:, 0])
    means = [DataPosterior(k, POINTS, values, 0.25).mean_and_gradient(POINTS[:4])[1] for k in (FITTED, KERNEL)]
    np.testing.assert_array_equal(*means)
    assert cp.FinitePosterior(FITTED(POINTS), FITTED.noise_sd**2).size == 30


@pytest.mark.parametrize("where", [{"candidates": POINTS}, {"domain": "box"}])
def test_the_gain_takes_its_noise_from_the_fit(where):
    told = cp.certified_gain(KERNEL, 5, noise_sd=0.5, **where)
    found = cp.certified_gain(FITTED, 5, **where)
    assert (found.lower, found.upper) == (told.lower, told.upper)
    assert cp.certified_gain(FITTED, 5, noise_sd=2.0, **where).upper < told.upper
    with pytest.raises(cp.errors.ParameterError, match="noise_sd"):
        cp.certified_gain(KERNEL, 5, **where)


def test_candidates_take_kernel_noise_and_mean_and_say_that_they_rest_on_a_fit(tmp_path):
    problem = cp.Candidates(POINTS, FITTED)
    assert (problem.kernel, problem.noise_sd, problem.prior_mean) == (KERNEL, 0.5, 70.0)
    assert cp.Candidates(POINTS, FITTED, noise_sd=2.0).noise_sd == 2.0
    assert FITTED.words in repr(problem)
    session = cp.for_problem("gp-ucb", problem, seed=0)
    session.tell([71.0] * len(session.ask()))
    assert repr(session).endswith("; model fitted to 25 values by GPyTorch")
    session.save(tmp_path / "fitted.zip")
    again = cp.restore(tmp_path / "fitted.zip")
    assert again.problem.fitted == FITTED.words
    assert repr(again) == repr(session)
    told = cp.Candidates(POINTS, KERNEL, noise_sd=0.5)
    assert told.fitted == ""
    assert "fitted to" not in repr(cp.for_problem("gp-ucb", told, seed=0))
    with pytest.raises(cp.errors.ParameterError, match="noise_sd: got None"):
        cp.Candidates(POINTS, KERNEL)


def test_a_box_takes_the_length_scales_since_values_are_standardised():
    box = cp.Box([0, 0], [1, 1], FITTED)
    assert (box.kernel, box.fitted) == (cp.Matern(2.5, (0.3, 0.8)), FITTED.words)
    assert repr(cp.for_problem("ts-rsr", box, seed=0)).endswith(FITTED.words)
