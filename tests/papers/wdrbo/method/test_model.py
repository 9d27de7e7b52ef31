"""The regression against GPyTorch and scikit-learn, its fit, and its derivatives."""

import itertools
import math

import numpy as np
import pytest
from oracles.optional import optional
from oracles.wdrbo_reference import LibraryModel, LibraryRegression
from scipy.optimize import approx_fprime
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from tolerances import (
    FITTED_RTOL,
    FORWARD_DIFFERENCE,
    LIBRARY_PRIOR_ATOL,
    POSTERIOR_ATOL,
    PRINTED_3_DIGITS,
    SLOPE_DIFFERENCE,
)

from companion.core.errors import ConditioningError, ParameterError
from companion.papers.wdrbo.method import model as model_module
from companion.papers.wdrbo.method.model import (
    Hyperparameters,
    MapRegression,
    Surrogate,
    negative_log_posterior,
    prior_mode,
    standardised,
    theory_width,
)

torch = optional("torch")


def data(n=25, d=3, seed=0):
    g = np.random.default_rng(seed)
    z = g.uniform(size=(n, d))
    return z, np.sin(5 * z).sum(axis=1) + 0.1 * g.normal(size=n)


def squares(z):
    return np.stack([np.square(z[:, j][:, None] - z[:, j]) for j in range(z.shape[1])])


def surrogate(n=25, d=3, seed=0):
    z, y = data(n, d, seed)
    return Surrogate(z, y, Hyperparameters((0.3, 0.5, 0.2, 0.4, 0.6)[:d], 0.02, 0.3))


def test_posterior_agrees_with_scikit_learn():
    z, y = data()
    model = surrogate()
    library = GaussianProcessRegressor(RBF(model.lengthscale), alpha=0.02, optimizer=None).fit(z, y - 0.3)
    points = np.random.default_rng(1).uniform(size=(40, 3))
    mean, sd = library.predict(points, return_std=True)
    found = model.mean_sd(points)
    np.testing.assert_allclose(found[0], mean + 0.3, atol=POSTERIOR_ATOL)
    np.testing.assert_allclose(found[1], sd, atol=POSTERIOR_ATOL)


def test_posterior_agrees_with_gpytorch():
    z, y = data()
    model = surrogate()
    library = LibraryModel(torch.tensor(z), torch.tensor(y))
    library.set(model.hyperparameters)
    library.eval()
    points = np.random.default_rng(1).uniform(size=(40, 3))
    with torch.no_grad():
        latent = library(torch.tensor(points))
    found = model.mean_sd(points)
    np.testing.assert_allclose(found[0], latent.mean.numpy(), atol=POSTERIOR_ATOL)
    np.testing.assert_allclose(found[1], latent.variance.sqrt().numpy(), atol=POSTERIOR_ATOL)


def test_table_holds_the_upper_bounds_of_all_pairs():
    model = surrogate()
    g = np.random.default_rng(2)
    x, c = g.uniform(size=(70, 1)), g.uniform(size=(60, 2))  # several chunks
    pairs = np.concatenate([np.repeat(x, 60, axis=0), np.tile(c, (70, 1))], axis=1)
    mean, sd = model.mean_sd(pairs)
    np.testing.assert_allclose(model.table(x, c, 1.5).ravel(), mean + 1.5 * sd, atol=POSTERIOR_ATOL)
    np.testing.assert_allclose(model.upper(pairs, 1.5), mean + 1.5 * sd, atol=POSTERIOR_ATOL)


@pytest.mark.parametrize(("dx", "dc"), [(1, 1), (2, 1), (1, 2), (2, 2)])
def test_derivatives_agree_with_central_differences(dx, dc):
    model = surrogate(d=dx + dc)
    g = np.random.default_rng(3)
    x, c = g.uniform(size=(4, dx)), g.uniform(size=(6, dc))
    weights = g.normal(size=(4, 6))
    (part,) = model.parts(x, c, 1.5)
    column = np.array([0, 3, 5, 2])
    step = 1e-5
    for i in range(dx):
        shift = step * np.eye(dx)[i]
        up, down = model.table(x + shift, c, 1.5), model.table(x - shift, c, 1.5)
        slope = np.sum(weights * (up - down), axis=1) / (2 * step)
        np.testing.assert_allclose(part.decision_gradient(weights)[:, i], slope, atol=SLOPE_DIFFERENCE)
        (after,), (before,) = model.parts(x + shift, c, 1.5), model.parts(x - shift, c, 1.5)
        turn = (after.context_gradient() - before.context_gradient())[np.arange(4), column] / (2 * step)
        np.testing.assert_allclose(part.mixed_derivative(column)[:, i, :], turn, atol=SLOPE_DIFFERENCE)
    for j in range(dc):
        shift = step * np.eye(dc)[j]
        slope = (model.table(x, c + shift, 1.5) - model.table(x, c - shift, 1.5)) / (2 * step)
        np.testing.assert_allclose(part.context_gradient()[:, :, j], slope, atol=SLOPE_DIFFERENCE)


def test_mean_bound_bounds_the_mean_and_is_exact_without_a_width():
    model = surrogate()
    g = np.random.default_rng(4)
    x, c, p = g.uniform(size=(50, 1)), g.uniform(size=(20, 2)), g.dirichlet(np.ones(20))
    exact = model.table(x, c, 1.5) @ p
    bound = model.mean_bound(x, c, p, 1.5)
    assert (bound >= exact - POSTERIOR_ATOL).all()
    assert (bound - exact).max() < 0.5 * 1.5  # not a bound that says nothing: sd is below 1
    np.testing.assert_allclose(model.mean_bound(x, c, p, 0.0), model.table(x, c, 0.0) @ p, atol=POSTERIOR_ATOL)


@pytest.mark.parametrize(("n", "d"), [(3, 1), (25, 2), (40, 4)])
def test_objective_of_the_fit_is_gpytorchs_and_its_gradient_is_exact(n, d):
    z, values = data(n, d)
    y, _, _ = standardised(values)
    theta = np.log([*np.linspace(0.2, 0.6, d), 0.03])
    loss, gradient, mean = negative_log_posterior(theta, squares(z), y)
    library = LibraryModel(torch.tensor(z), torch.tensor(y))
    library.set(Hyperparameters(tuple(np.exp(theta[:-1])), math.exp(theta[-1]), mean))
    # GPyTorch keeps the priors' parameters in single precision.
    assert -float(library.objective().detach()) == pytest.approx(loss, abs=LIBRARY_PRIOR_ATOL)
    slope = approx_fprime(theta, lambda t: negative_log_posterior(t, squares(z), y)[0], 1e-7)
    np.testing.assert_allclose(gradient, slope, atol=FORWARD_DIFFERENCE)
    # The eliminated mean is the best one.
    for other in (mean - 0.05, mean + 0.05):
        library.set(Hyperparameters(tuple(np.exp(theta[:-1])), math.exp(theta[-1]), other))
        assert -float(library.objective().detach()) > loss


@pytest.mark.parametrize(("n", "d"), [(6, 2), (30, 2), (40, 4)])
def test_fit_agrees_with_the_fit_by_gpytorch(n, d):
    z, y = data(n, d)
    ours, library = MapRegression().fit(z, y), LibraryRegression().fit(z, y)
    a, b = ours.hyperparameters, library.hyperparameters
    np.testing.assert_allclose(a.lengthscale, b.lengthscale, rtol=FITTED_RTOL)
    assert a.noise_variance == pytest.approx(b.noise_variance, rel=FITTED_RTOL)
    assert a.mean == pytest.approx(b.mean, abs=FITTED_RTOL)
    points = np.random.default_rng(0).uniform(size=(20, d))
    np.testing.assert_allclose(ours.upper(points, 1.5), library.upper(points, 1.5), atol=FITTED_RTOL)


def test_fit_is_a_maximum_and_respects_its_bounds():
    z, values = data(40, 2)
    fitted = MapRegression().fit(z, values).hyperparameters
    y, _, _ = standardised(values)
    theta = np.log([*fitted.lengthscale, fitted.noise_variance])
    best = negative_log_posterior(theta, squares(z), y)[0]
    for i in range(3):
        for change in (-0.05, 0.05):
            assert negative_log_posterior(theta + change * np.eye(3)[i], squares(z), y)[0] > best
    rough = np.random.default_rng(0).normal(size=40)
    wild = MapRegression().fit(np.linspace(0, 1, 40)[:, None], rough).hyperparameters
    assert min(wild.lengthscale) >= 0.025 * (1 - 1e-12)
    smooth = MapRegression().fit(z, z.sum(axis=1)).hyperparameters
    assert smooth.noise_variance == pytest.approx(1e-4, rel=1e-9)


def test_values_are_standardised_with_divisor_n_minus_one():
    y, shift, scale = standardised([1.0, 2.0, 6.0])
    assert (shift, scale) == pytest.approx((3.0, math.sqrt(7.0)))
    np.testing.assert_allclose(y, np.array([-2.0, -1.0, 3.0]) / math.sqrt(7.0))


def test_fit_is_deterministic_and_does_not_depend_on_scale():
    z, y = data()
    first, again = MapRegression().fit(z, y), MapRegression().fit(z, y)
    assert first.hyperparameters == again.hyperparameters
    scaled = MapRegression().fit(z, 40 * y - 7)
    np.testing.assert_allclose(scaled.hyperparameters.lengthscale, first.hyperparameters.lengthscale, rtol=FITTED_RTOL)
    assert scaled.shift == pytest.approx(40 * first.shift - 7)
    assert scaled.scale == pytest.approx(40 * first.scale)


def test_start_of_the_fit_is_the_mode_of_the_priors():
    quoted = {1: 0.205, 2: 0.290, 3: 0.355, 4: 0.410, 5: 0.458, 6: 0.502}
    for dim, value in quoted.items():
        assert prior_mode(dim).lengthscale == pytest.approx([value] * dim, abs=6e-4)
    assert prior_mode(2).noise_variance == pytest.approx(0.0067, abs=6e-5)


def test_constant_and_single_values_can_be_fitted():
    for z, y in ((np.array([[0.2, 0.4]]), [3.0]), (np.array([[0.2], [0.8]]), [1.0, 1.0])):
        model = MapRegression().fit(z, y)
        assert model.scale == 1
        assert model.shift == y[0]
        assert np.isfinite(model.upper(z, 1.5)).all()


def test_theory_width_is_the_papers_schedule():
    z, y = data(20, 2)
    lam = 0.5
    model = Surrogate(z, y, Hyperparameters((0.3, 0.3), lam))
    kernel = np.exp(-0.5 * sum(squares(z)) / 0.09)
    beta = 0.2 * math.sqrt(2 * math.log(math.sqrt(np.linalg.det(np.eye(20) + kernel / lam)) / 0.1)) + math.sqrt(lam) * 2
    # sigma_t of (5) is the latent standard deviation over sqrt(lambda).
    assert theory_width(model, 0.2, 2.0, 0.1) * math.sqrt(lam) == pytest.approx(beta, rel=1e-10)
    assert model.gain() == pytest.approx(0.5 * np.linalg.slogdet(np.eye(20) + kernel / lam)[1], rel=1e-10)
    alpha = np.linalg.solve(kernel + lam * np.eye(20), y)
    assert model.mean_norm() == pytest.approx(math.sqrt(alpha @ kernel @ alpha), rel=1e-9)
    assert model.scale == 1
    assert model.shift == 0


@pytest.mark.parametrize(("dim", "mode"), [(1, 0.205), (2, 0.290), (3, 0.355), (4, 0.410), (5, 0.458), (6, 0.502)])
def test_fits_start_where_the_published_code_does(dim, mode):
    assert prior_mode(dim).lengthscale == (pytest.approx(mode, abs=PRINTED_3_DIGITS),) * dim


def test_what_cannot_be_modelled_is_refused():
    z, y = data()
    with pytest.raises(ParameterError, match="points"):
        Surrogate(z, y[:-1], Hyperparameters((0.3, 0.3, 0.3), 0.1))
    with pytest.raises(ParameterError, match="noise_variance"):
        Hyperparameters((0.3,), 0.0)
    with pytest.raises(ParameterError, match="delta"):
        theory_width(surrogate(), 1.0, 1.0, 1.5)
    with pytest.raises(ParameterError, match="x, contexts"):
        surrogate().table(np.zeros((1, 1)), np.zeros((1, 1)), 1.5)
    with pytest.raises(ConditioningError, match="noise variance"):
        Surrogate(np.zeros((200, 1)), np.zeros(200), Hyperparameters((0.3,), 1e-18))


def test_every_point_that_the_fits_bounds_allow_can_be_evaluated(monkeypatch):
    """A line search of L-BFGS-B may try any of them; without an upper end it once tried exp(800)."""
    real, corners = model_module.descended, []

    def looks_at_corners(loss, start, low, high, steps):
        ends = zip(low, np.broadcast_to(np.minimum(high, 1e3), len(start)), strict=True)
        corners.append(np.array(list(itertools.product(*ends))))
        assert all(np.isfinite(loss(corner)[0]) for corner in corners[-1])
        return real(loss, start, low, high, steps)

    monkeypatch.setattr(model_module, "descended", looks_at_corners)
    fitted = MapRegression().fit(*data(12, 2)).hyperparameters
    # The ends are no part of the answer: it lies far inside.
    assert max(fitted.lengthscale) < 1e-3 * np.exp(corners[0].max())
    assert fitted.noise_variance < 1.0
