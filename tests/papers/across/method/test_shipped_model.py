"""The closed form of BoTorch's model against the library's own fit, and against wrong versions of it."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from companion.core.arrays import Floats
from companion.papers.across.method import shipped_model
from companion.papers.across.method.shipped_model import KERNELS, ShippedModel, fit, loss_of, modes

SAMPLE = list(product((1, 2, 4, 6), (4, 10, 30, 80)))


def data(dim: int, count: int) -> tuple[Floats, Floats]:
    """Points of the unit cube, and values in units of their own."""
    generator = np.random.default_rng([dim, count])
    x = generator.random((count, dim))
    return x, 7.0 + 3.0 * np.sin(5.0 * x.sum(axis=1) / math.sqrt(dim)) + 0.5 * generator.standard_normal(count)


def librarys(x: Floats, y: Floats, kernel: str, ard: bool = True) -> tuple[Floats, Floats, Floats]:
    """Noise variance, mean and length-scales of the library's fit, and its mean and sd at 50 points."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("botorch")
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from gpytorch.kernels import MaternKernel, RBFKernel
    from gpytorch.mlls import ExactMarginalLogLikelihood
    from gpytorch.priors import LogNormalPrior

    covariance = None
    if kernel != "se" or not ard:
        prior = LogNormalPrior(math.sqrt(2) + 0.5 * math.log(x.shape[1]), math.sqrt(3))
        kind = RBFKernel if kernel == "se" else MaternKernel
        nu = {} if kernel == "se" else {"nu": {"matern52": 2.5, "matern32": 1.5}[kernel]}
        covariance = kind(ard_num_dims=x.shape[1] if ard else None, lengthscale_prior=prior, **nu)
    model = SingleTaskGP(torch.as_tensor(x), torch.as_tensor(y)[:, None], covar_module=covariance)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    with torch.no_grad():
        posterior = model.posterior(torch.as_tensor(asked(x.shape[1])))
        moments = np.stack([posterior.mean[:, 0].numpy(), posterior.variance[:, 0].sqrt().numpy()])
    lengths = model.covar_module.lengthscale[0].detach().numpy()
    found = np.array([float(model.likelihood.noise), float(model.mean_module.constant), *lengths])
    return found, *moments


def asked(dim: int) -> Floats:
    """50 points."""
    return np.random.default_rng(dim).random((50, dim))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("dim", "count"), SAMPLE)
def test_the_librarys_fit_is_no_likelier_and_predicts_the_same(dim: int, count: int) -> None:
    x, y = data(dim, count)
    theirs, mean, sd = librarys(x, y, "se")
    loss, found = loss_of(x, y, "se", True), fit(x, y)
    ours = np.array([found.noise, found.mean, *found.lengthscales])
    assert loss(ours)[0] <= loss(theirs)[0] + 1e-5
    np.testing.assert_allclose(found.moments(asked(dim)), [mean, sd], atol=0.02 * y.std())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kernel", "ard"), [("matern52", True), ("matern32", True), ("se", False)])
def test_other_kernels_and_one_length_scale_too(kernel: str, ard: bool) -> None:
    x, y = data(2, 30)
    _, mean, sd = librarys(x, y, kernel, ard)
    np.testing.assert_allclose(fit(x, y, kernel, ard).moments(asked(2)), [mean, sd], atol=0.01 * y.std())


def apart(x: Floats, y: Floats, theirs: Floats) -> float:
    """Largest difference of a logarithm from the library's."""
    found = fit(x, y)
    return float(np.abs(np.log([found.noise, *found.lengthscales]) - np.log(theirs[[0, *range(2, len(theirs))]])).max())


@pytest.mark.filterwarnings("ignore")
def test_other_priors_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = data(4, 30)
    theirs, _, _ = librarys(x, y, "se")
    right = apart(x, y, theirs)
    for name, value in (("NOISE", (-3.0, 2.0)), ("LENGTH", (math.sqrt(2.0), 0.5)), ("LENGTH", (0.0, math.sqrt(3.0)))):
        with monkeypatch.context() as patch:
            patch.setattr(shipped_model, name, value)
            assert apart(x, y, theirs) > 0.02 + 5 * right


@pytest.mark.parametrize(("kernel", "ard"), list(product(KERNELS, (True, False))))
def test_the_gradient_is_that_of_the_loss(kernel: str, ard: bool) -> None:
    x, y = data(3, 12)
    loss, at = loss_of(x, y, kernel, ard), np.array([0.02, 0.3, *[0.4, 0.7, 0.2][: 3 if ard else 1]])
    slopes = [(loss(at + step)[0] - loss(at - step)[0]) / 2e-5 for step in 1e-5 * np.eye(len(at))]
    np.testing.assert_allclose(loss(at)[1], slopes, atol=1e-7)


def test_the_posterior_is_that_of_the_text_book() -> None:
    x, y = data(2, 9)
    length, noise = np.array([0.3, 0.6]), 0.05
    m, q = 0.2, asked(2)
    model = ShippedModel("se", x, y, length, noise, m)

    def k(a: Floats, b: Floats) -> Floats:
        return np.asarray(np.exp(-0.5 * (((a[:, None] - b) / length) ** 2).sum(axis=2)))

    inverse = np.linalg.inv(k(x, x) + noise * np.eye(9))
    spread = y.std(ddof=1)
    z = (y - y.mean()) / spread
    mean = y.mean() + spread * (m + k(q, x) @ inverse @ (z - m))
    sd = spread * np.sqrt(1.0 - np.diag(k(q, x) @ inverse @ k(x, q)))
    np.testing.assert_allclose(model.moments(q), [mean, sd], rtol=1e-9)


def test_values_that_are_all_the_same_are_no_error() -> None:
    x, _ = data(2, 4)
    mean, sd = fit(x, np.full(4, 3.0)).moments(asked(2))
    assert np.allclose(mean, 3.0)
    assert (sd > 0).all()
    assert modes(1)[1] == pytest.approx(math.exp(-5.0))
