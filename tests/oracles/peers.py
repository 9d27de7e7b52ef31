"""Posteriors from scikit-learn and GPyTorch, with every hyperparameter fixed."""

from __future__ import annotations

import numpy as np
from oracles.gp_reference import Posterior
from oracles.optional import optional
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

torch, gpytorch = optional("torch"), optional("gpytorch")

__all__ = ["SMOOTHNESS", "gpytorch", "gpytorch_kernel", "gpytorch_posterior", "sklearn_kernel", "sklearn_posterior"]

SMOOTHNESS = {"matern12": 0.5, "matern32": 1.5, "matern52": 2.5}


def sklearn_kernel(name: str, lengthscale: float | tuple[float, ...]) -> sk.Kernel:
    """scikit-learn's kernel of unit variance called ``name`` in the companion."""
    length = np.asarray(lengthscale)
    return sk.RBF(length) if name == "se" else sk.Matern(length, nu=SMOOTHNESS[name])


def gpytorch_kernel(name: str, lengthscale: float | tuple[float, ...], dim: int) -> gpytorch.kernels.Kernel:
    """GPyTorch's kernel of unit variance called ``name`` in the companion, in double precision."""
    if name == "se":
        kernel = gpytorch.kernels.RBFKernel(ard_num_dims=dim)
    else:
        kernel = gpytorch.kernels.MaternKernel(SMOOTHNESS[name], ard_num_dims=dim)
    kernel = kernel.double()
    kernel.lengthscale = torch.tensor(np.broadcast_to(lengthscale, (dim,)).copy(), dtype=torch.float64)
    return kernel


def sklearn_posterior(
    kernel: sk.Kernel, noise_variance: float, points: np.ndarray, indices: np.ndarray, values: np.ndarray
) -> Posterior:
    """GaussianProcessRegressor with ``optimizer=None`` and ``alpha`` the noise variance."""
    model = GaussianProcessRegressor(kernel, alpha=noise_variance, optimizer=None).fit(points[indices], values)
    mean, sd = model.predict(points, return_std=True)
    return Posterior(mean, sd**2)


class _Exact(gpytorch.models.ExactGP):
    def __init__(self, x: torch.Tensor, y: torch.Tensor, likelihood: object, kernel: object) -> None:
        super().__init__(x, y, likelihood)
        self.mean_module, self.covar_module = gpytorch.means.ZeroMean(), kernel

    def forward(self, x: torch.Tensor) -> object:
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


class _Table(gpytorch.kernels.Kernel):
    """Covariances looked up in a matrix; the inputs are row numbers.

    GPyTorch's own kernels square distances as |x|^2 + |y|^2 - 2xy, so the covariance of a point with itself depends on
    the other points in the batch by up to sqrt(eps): too much for a comparison of posteriors to 1e-9.
    """

    def __init__(self, covariance: np.ndarray) -> None:
        super().__init__()
        self.table = torch.tensor(covariance)

    def forward(self, x1: torch.Tensor, x2: torch.Tensor, diag: bool = False, **_: object) -> torch.Tensor:
        rows, columns = x1[..., 0].long(), x2[..., 0].long()
        return self.table[rows, columns] if diag else self.table[rows][:, columns]


def gpytorch_posterior(
    covariance: np.ndarray, noise_variance: float, indices: np.ndarray, values: np.ndarray
) -> Posterior:
    """ExactGP with a given covariance matrix and fixed noise, in double precision, by Cholesky factorisation."""
    x = torch.tensor(indices, dtype=torch.float64)[:, None]
    everywhere = torch.arange(len(covariance), dtype=torch.float64)[:, None]
    noise = torch.full((len(indices),), noise_variance, dtype=torch.float64)
    likelihood = gpytorch.likelihoods.FixedNoiseGaussianLikelihood(noise)
    model = _Exact(x, torch.tensor(values), likelihood, _Table(covariance)).double()
    model.eval()
    with torch.no_grad(), gpytorch.settings.fast_computations(False, False, False):
        posterior = model(everywhere)
        return Posterior(posterior.mean.numpy(), posterior.variance.numpy())
