"""Grids, Gaussian-process draws (their law) and RKHS functions (their norms)."""

import math

import numpy as np
import pytest
from scipy import stats
from tolerances import KNOWN_NORM_RTOL, SIGNIFICANCE

from companion.core.errors import ConditioningError, ParameterError
from companion.core.randomness import stream
from companion.gp import (
    Matern,
    SquaredExponential,
    draw_factor,
    expansion,
    gp_draw,
    grid,
    rkhs_eigen,
    rkhs_expansion,
    rkhs_sphere,
)

SMALL = grid(5, 2)
KERNELS = [SquaredExponential(0.15, 2.0), Matern(0.5, 0.4), Matern(2.5, (0.2, 0.4)), Matern(1.2, 0.3)]


def norm_by_solve(kernel, points, values):
    return math.sqrt(values @ np.linalg.solve(kernel(points), values))


def test_grid():
    points = grid(3, 2, -1.0, 1.0)
    np.testing.assert_array_equal(points[:4], [[-1, -1], [-1, 0], [-1, 1], [0, -1]])
    assert points.shape == (9, 2)
    np.testing.assert_array_equal(grid(2, 1), [[0.0], [1.0]])
    assert grid(4, 3).shape == (64, 3)
    assert len(np.unique(grid(4, 3), axis=0)) == 64


@pytest.mark.parametrize("arguments", [(1, 2), (2.0, 2), (3, 0), (3, 1, 1.0, 1.0), (3, 1, 0.0, math.nan)])
def test_bad_grids_are_refused(arguments):
    with pytest.raises(ParameterError):
        grid(*arguments)


# -- draws -------------------------------------------------------------------------------------------------------------


def law_p_value(draws, covariance):
    """Two-sided p-values of the squared norms: sum of f' K^-1 f over draws is chi-squared with draws * N degrees."""
    total = float(np.sum(draws * np.linalg.solve(covariance, draws.T).T))
    law = stats.chi2(draws.size)
    return 2 * min(law.cdf(total), law.sf(total))


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_draws_have_the_covariance(kernel):
    """Whitened, the draws are independent standard normal numbers: scale, correlations and shape."""
    covariance = kernel(SMALL)
    draws = gp_draw(kernel, SMALL, stream(1, "law"), count=4000)
    assert draws.shape == (4000, 25)
    assert law_p_value(draws, covariance) > SIGNIFICANCE
    vectors = np.linalg.eigh(covariance)
    white = draws @ vectors[1] / np.sqrt(vectors[0])
    assert stats.kstest(white.ravel(), "norm").pvalue > SIGNIFICANCE
    # Each of the entries of the sample covariance has variance 1/4000 off the diagonal, 2/4000 on it; their weighted
    # squares add up to a chi-squared statistic with N (N + 1) / 2 degrees of freedom.
    sample = white.T @ white / 4000 - np.eye(25)
    statistic = 4000 * (np.sum(np.tril(sample, -1) ** 2) + np.sum(sample.diagonal() ** 2) / 2)
    assert stats.chi2(325).sf(statistic) > SIGNIFICANCE
    assert stats.chi2(25).sf(4000 * np.sum(white.mean(axis=0) ** 2)) > SIGNIFICANCE


def test_the_law_has_teeth():
    """Two per cent of scale, or a length-scale off by two per cent, is noticed."""
    kernel, close = Matern(2.5, 0.3), Matern(2.5, 0.306)
    draws = gp_draw(kernel, SMALL, stream(1, "law"), count=4000)
    assert law_p_value(1.02 * draws, kernel(SMALL)) < SIGNIFICANCE
    assert law_p_value(draws, close(SMALL)) < SIGNIFICANCE


def test_squared_norm_of_a_draw_is_chi_squared():
    """So the norm of draws grows like sqrt(N) with the grid: they are in no fixed ball."""
    for per_axis in (3, 6):
        points = grid(per_axis, 2)
        draws = gp_draw(Matern(1.5, 0.2), points, stream(2, "norms"), count=800)
        squared = np.sum(draws * np.linalg.solve(Matern(1.5, 0.2)(points), draws.T).T, axis=1)
        assert stats.kstest(squared, stats.chi2(len(points)).cdf).pvalue > SIGNIFICANCE


def test_draws_do_not_depend_on_their_number():
    few = gp_draw(KERNELS[0], SMALL, stream(3, "count"), count=2)
    many = gp_draw(KERNELS[0], SMALL, stream(3, "count"), count=7)
    one = gp_draw(KERNELS[0], SMALL, stream(3, "count"))
    assert one.shape == (25,)
    np.testing.assert_allclose(many[:2], few, rtol=0, atol=1e-13)
    np.testing.assert_allclose(many[0], one, rtol=0, atol=1e-13)
    assert np.abs(many[2] - many[3]).max() > 0.1


def test_draws_continue_the_generator():
    generator = stream(3, "count")
    pair = np.stack([gp_draw(KERNELS[0], SMALL, generator) for _ in range(2)])
    np.testing.assert_allclose(pair, gp_draw(KERNELS[0], SMALL, stream(3, "count"), count=2), rtol=0, atol=1e-13)


def test_draw_factor_says_which_shift_it_needed():
    """A well-conditioned covariance needs none; a smooth one on a fine grid does, and is still that covariance."""
    assert draw_factor(Matern(1.5, 0.2), grid(12, 2)).jitter == 0
    smooth = SquaredExponential(2.0)
    factor = draw_factor(smooth, grid(12, 2))
    assert factor.jitter > 0
    covariance = smooth(grid(12, 2))
    np.testing.assert_allclose(factor.lower @ factor.lower.T, covariance, rtol=0, atol=1.01 * factor.jitter)
    np.testing.assert_array_equal(factor.lower, np.tril(factor.lower))


def test_draw_factor_is_shared_and_cannot_be_changed():
    factor = draw_factor(KERNELS[1], SMALL)
    assert draw_factor(KERNELS[1], SMALL.copy()) is factor
    assert draw_factor(KERNELS[2], SMALL) is not factor
    with pytest.raises(ValueError, match="read-only"):
        factor.lower[0, 0] = 1.0


def test_bad_draws_are_refused():
    with pytest.raises(ParameterError, match="count"):
        gp_draw(KERNELS[0], SMALL, stream(0, "x"), count=0)
    with pytest.raises(ParameterError, match="x, y"):
        gp_draw(KERNELS[0], SMALL[:, 0], stream(0, "x"))


# -- functions of known norm ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", [0.3, 1.0, 7.0])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("build", [rkhs_expansion, rkhs_eigen, rkhs_sphere])
def test_the_norm_is_the_norm(build, kernel, norm):
    function = build(kernel, SMALL, stream(5, "function"), norm)
    assert function.values.shape == (25,)
    assert function.norm == pytest.approx(norm, rel=1e-14)
    assert norm_by_solve(kernel, SMALL, function.values) == pytest.approx(norm, rel=KNOWN_NORM_RTOL)
    assert function.construction


@pytest.mark.parametrize("build", [rkhs_expansion, rkhs_eigen, rkhs_sphere])
def test_the_norm_scales_the_function_and_nothing_else(build):
    one = build(KERNELS[1], SMALL, stream(6, "function"), 1.0)
    three = build(KERNELS[1], SMALL, stream(6, "function"), 3.0)
    np.testing.assert_allclose(three.values, 3 * one.values, rtol=1e-12)
    other = build(KERNELS[1], SMALL, stream(7, "function"), 1.0)
    assert np.abs(other.values - one.values).max() > 1e-3


def test_expansion_is_the_kernel_sum():
    kernel, centres, weights = KERNELS[2], np.array([3, 11, 20]), np.array([1.0, -2.0, 0.5])
    function = expansion(kernel, SMALL, centres, weights)
    expected = sum(w * kernel(SMALL, SMALL[[c]])[:, 0] for w, c in zip(weights, centres, strict=True))
    np.testing.assert_allclose(function.values, expected, rtol=0, atol=1e-14)
    gram = kernel(SMALL[centres])
    assert function.norm == pytest.approx(math.sqrt(weights @ gram @ weights))
    single = expansion(kernel, SMALL, [4], [2.0])
    assert single.norm == pytest.approx(2.0 * math.sqrt(kernel(SMALL)[4, 4]))
    with pytest.raises(ParameterError, match="weights"):
        expansion(kernel, SMALL, [4], [0.0])


def test_an_expansion_over_few_centres_lies_in_their_span():
    function = rkhs_expansion(KERNELS[1], SMALL, stream(8, "function"), 2.0, centres=3)
    weights = np.linalg.solve(KERNELS[1](SMALL), function.values)
    assert np.sum(np.abs(weights) > 1e-8) == 3


def test_eigenfunctions_stay_in_the_leading_space():
    kernel = SquaredExponential(0.3)
    function = rkhs_eigen(kernel, SMALL, stream(9, "function"), 1.0, leading=4)
    vectors = np.linalg.eigh(kernel(SMALL))[1]
    assert np.abs(vectors[:, :-4].T @ function.values).max() < 1e-12
    assert np.abs(vectors[:, -4:].T @ function.values).min() > 1e-12


def test_the_sphere_is_uniform():
    """In whitened coordinates the direction is uniform: each squared coordinate is Beta(1/2, (N - 1)/2)."""
    kernel = Matern(1.5, 0.3)
    generator = stream(10, "sphere")
    lower = np.linalg.cholesky(kernel(SMALL))
    white = np.stack([np.linalg.solve(lower, rkhs_sphere(kernel, SMALL, generator).values) for _ in range(600)])
    np.testing.assert_allclose(np.sum(white**2, axis=1), 1.0, rtol=KNOWN_NORM_RTOL)
    for coordinate in (0, 12, 24):
        assert stats.kstest(white[:, coordinate] ** 2, stats.beta(0.5, 12).cdf).pvalue > SIGNIFICANCE
    assert stats.chi2(25).sf(600 * 25 * np.sum(white.mean(axis=0) ** 2)) > SIGNIFICANCE


@pytest.mark.parametrize(
    ("build", "error"),
    [
        (lambda g: rkhs_expansion(KERNELS[0], SMALL, g, norm=0.0), ParameterError),
        (lambda g: rkhs_expansion(KERNELS[0], SMALL, g, centres=26), ParameterError),
        (lambda g: rkhs_expansion(KERNELS[0], SMALL, g, centres=0), ParameterError),
        (lambda g: rkhs_eigen(KERNELS[0], SMALL, g, norm=math.nan), ParameterError),
        (lambda g: rkhs_eigen(KERNELS[0], SMALL, g, leading=26), ParameterError),
        (lambda g: rkhs_eigen(SquaredExponential(50.0), SMALL, g, leading=20), ConditioningError),
        (lambda g: rkhs_sphere(KERNELS[0], SMALL, g, norm=-1.0), ParameterError),
    ],
)
def test_bad_functions_are_refused_before_the_generator_is_used(build, error):
    generator = stream(11, "unused")
    with pytest.raises(error):
        build(generator)
    assert generator.random() == stream(11, "unused").random()
