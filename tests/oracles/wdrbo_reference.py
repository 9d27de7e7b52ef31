"""The same regression by GPyTorch: the model's definition in a library's terms, and the reference of the fast fit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from oracles.optional import optional
from scipy.optimize import minimize

from companion.core.arrays import Floats
from companion.papers.wdrbo.method.model import (
    LENGTHSCALE_FLOOR,
    NOISE_FLOOR,
    Hyperparameters,
    Surrogate,
    prior_mode,
    standardised,
)

torch, gpytorch = optional("torch"), optional("gpytorch")


class LibraryModel(gpytorch.models.ExactGP):
    """Squared exponential with one length-scale per coordinate, unit variance, constant mean; priors as in the fit."""

    def __init__(self, points: torch.Tensor, values: torch.Tensor) -> None:
        dim = points.shape[-1]
        noise = gpytorch.likelihoods.GaussianLikelihood(
            noise_prior=gpytorch.priors.LogNormalPrior(-4.0, 1.0),
            noise_constraint=gpytorch.constraints.GreaterThan(NOISE_FLOOR, transform=None),
        )
        super().__init__(points, values, noise)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.RBFKernel(
            ard_num_dims=dim,
            lengthscale_prior=gpytorch.priors.LogNormalPrior(math.sqrt(2.0) + 0.5 * math.log(dim), math.sqrt(3.0)),
            lengthscale_constraint=gpytorch.constraints.GreaterThan(LENGTHSCALE_FLOOR, transform=None),
        )
        self.double()
        self.set(prior_mode(dim))

    def set(self, hyperparameters: Hyperparameters) -> None:
        """Take these hyperparameters."""
        self.covar_module.lengthscale = torch.tensor([hyperparameters.lengthscale], dtype=torch.float64)
        self.likelihood.noise = torch.tensor([hyperparameters.noise_variance], dtype=torch.float64)
        self.mean_module.constant = torch.tensor(hyperparameters.mean, dtype=torch.float64)

    def current(self) -> Hyperparameters:
        """The hyperparameters at present."""
        scales = self.covar_module.lengthscale.detach().numpy().ravel()
        noise, mean = float(self.likelihood.noise.detach()), float(self.mean_module.constant.detach())
        return Hyperparameters(tuple(float(v) for v in scales), noise, mean)

    def forward(self, x: torch.Tensor) -> gpytorch.distributions.MultivariateNormal:
        """The prior at ``x``."""
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    def objective(self) -> torch.Tensor:
        """(Log marginal likelihood + log priors) / n of the training data."""
        self.train()
        inputs, targets = self.train_inputs[0], self.train_targets
        return gpytorch.mlls.ExactMarginalLogLikelihood(self.likelihood, self)(self(inputs), targets)


@dataclass(frozen=True)
class LibraryRegression:
    """:class:`~companion.papers.wdrbo.method.model.MapRegression` through GPyTorch: automatic derivatives, L-BFGS-B.

    Slower by an order of magnitude; the hyperparameters agree to the optimiser's tolerance.
    """

    iterations: int = 200

    def fit(self, points: Floats, values: Floats) -> Surrogate:
        """Surrogate at the fitted hyperparameters."""
        y, shift, scale = standardised(values)
        points = np.asarray(points, dtype=np.float64)
        model = LibraryModel(torch.tensor(points), torch.tensor(y))
        dim = points.shape[1]

        def loss(theta: Floats) -> tuple[float, Floats]:
            scales, noise = np.exp(theta[:dim]), math.exp(theta[dim])
            model.set(Hyperparameters(tuple(scales), noise, float(theta[-1])))
            model.zero_grad()
            value: Any = -model.objective()
            value.backward()
            by_scale = model.covar_module.raw_lengthscale.grad.numpy().ravel() * scales
            by_noise = float(model.likelihood.noise_covar.raw_noise.grad) * noise
            return float(value.detach()), np.array([*by_scale, by_noise, float(model.mean_module.raw_constant.grad)])

        start = prior_mode(dim)
        bounds = [(math.log(LENGTHSCALE_FLOOR), None)] * dim + [(math.log(NOISE_FLOOR), None), (None, None)]
        found = minimize(
            loss,
            np.array([*np.log(start.lengthscale), math.log(start.noise_variance), start.mean]),
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": self.iterations},
        )
        loss(found.x)
        return Surrogate(points, y, model.current(), shift, scale)
