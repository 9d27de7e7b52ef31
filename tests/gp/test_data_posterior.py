"""The posterior from data anywhere, against scikit-learn and finite differences."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.gaussian_process.kernels import Matern as SkMatern
from tolerances import FINITE_DIFFERENCE, POSTERIOR_ATOL

from companion.core.errors import ParameterError
from companion.gp import DataPosterior, Matern, SquaredExponential

KERNELS = [
    (SquaredExponential(0.7, 1.3), ConstantKernel(1.3) * RBF(0.7)),
    (Matern(1.5, (0.4, 0.9), 0.8), ConstantKernel(0.8) * SkMatern((0.4, 0.9), nu=1.5)),
    (Matern(2.5, 1.1), SkMatern(1.1, nu=2.5)),
]


@pytest.fixture
def data():
    generator = np.random.default_rng(3)
    return generator.uniform(-1, 1, (40, 2)), generator.standard_normal(40), generator.uniform(-1, 1, (30, 2))


@pytest.mark.parametrize(("kernel", "theirs"), KERNELS)
def test_mean_and_covariance_are_those_of_scikit_learn(kernel, theirs, data):
    points, values, queries = data
    peer = GaussianProcessRegressor(theirs, alpha=0.01, optimizer=None).fit(points, values)
    mean, covariance = peer.predict(queries, return_cov=True)
    ours = DataPosterior(kernel, points, values, 0.01)
    got_mean, got_covariance = ours.mean_and_covariance(queries)
    np.testing.assert_allclose(got_mean, mean, atol=POSTERIOR_ATOL)
    np.testing.assert_allclose(ours.mean(queries), mean, atol=POSTERIOR_ATOL)
    np.testing.assert_allclose(got_covariance, covariance, atol=POSTERIOR_ATOL)
    np.testing.assert_allclose(ours.mean_and_variance(queries)[1], np.diag(covariance), atol=POSTERIOR_ATOL)


@pytest.mark.parametrize("kernel", [kernel for kernel, _ in KERNELS])
def test_gradient_is_the_limit_of_difference_quotients(kernel, data):
    points, values, queries = data
    posterior = DataPosterior(kernel, points, values, 0.01)
    mean, gradient = posterior.mean_and_gradient(queries)
    np.testing.assert_allclose(mean, posterior.mean(queries), atol=POSTERIOR_ATOL)
    step = 1e-5
    for k in range(2):
        shift = step * np.eye(2)[k]
        quotient = (posterior.mean(queries + shift) - posterior.mean(queries - shift)) / (2 * step)
        np.testing.assert_allclose(gradient[:, k], quotient, atol=FINITE_DIFFERENCE)


@pytest.mark.parametrize("kernel", [kernel for kernel, _ in KERNELS])
def test_variance_gradient_and_covariance_from_a_point(kernel, data):
    points, values, queries = data
    posterior = DataPosterior(kernel, points, values, 0.01)
    variance, gradient = posterior.variance_and_gradient(queries)
    covariance = posterior.mean_and_covariance(queries)[1]
    np.testing.assert_allclose(variance, np.diag(covariance), atol=POSTERIOR_ATOL)
    np.testing.assert_allclose(posterior.covariance_from(queries[4], queries), covariance[4], atol=POSTERIOR_ATOL)
    step = 1e-5
    for k in range(2):
        shift = step * np.eye(2)[k]
        ends = [posterior.mean_and_variance(queries + sign * shift)[1] for sign in (1, -1)]
        np.testing.assert_allclose(gradient[:, k], (ends[0] - ends[1]) / (2 * step), atol=FINITE_DIFFERENCE)


def test_without_data_it_is_the_prior(data):
    kernel, queries = KERNELS[1][0], data[2]
    mean, covariance = DataPosterior(kernel, np.zeros((0, 2)), np.zeros(0), 0.1).mean_and_covariance(queries)
    assert not mean.any()
    np.testing.assert_array_equal(covariance, kernel(queries))


def test_matern_half_has_no_gradient(data):
    points, values, queries = data
    with pytest.raises(ParameterError, match="nu"):
        DataPosterior(Matern(0.5, 1.0), points, values, 0.1).mean_and_gradient(queries)


@pytest.mark.parametrize("values", [np.zeros(39), np.full(40, np.nan)])
def test_bad_values_are_refused(values, data):
    with pytest.raises(ParameterError, match="values"):
        DataPosterior(KERNELS[0][0], data[0], values, 0.1)
