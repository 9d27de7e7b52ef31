"""The marginal likelihood of exact regression by GPyTorch as a function that SciPy can search; importing this needs GPyTorch."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import torch
from scipy import optimize
from threadpoolctl import ThreadpoolController

from companion.core.arrays import Floats
from companion.gp.kernels import Kernel, SquaredExponential

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # linear_operator still calls torch.jit.script when imported
    import gpytorch as gpytorch  # chapter 4 takes it from here, so that the warning is met once
    from gpytorch.priors import LogNormalPrior, NormalPrior
    from gpytorch.utils.errors import NanError, NotPSDError

_LIBRARIES = ThreadpoolController()


class Regression(gpytorch.models.ExactGP):  # type: ignore[misc] # GPyTorch has no types
    """Values (n,) at rows (n, d) of inputs, with this mean, kernel and constraint of the noise variance, in double precision."""

    def __init__(self, inputs: Any, values: Any, mean: Any, kernel: Any, positive: Any) -> None:
        super().__init__(inputs, values, gpytorch.likelihoods.GaussianLikelihood(noise_constraint=positive))
        self.mean_module, self.covar_module = mean, kernel
        self.double()

    def forward(self, x: torch.Tensor) -> Any:
        """The prior at ``x``, as GPyTorch asks for it."""
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    def loss(self, vector: Floats) -> tuple[float, Floats]:
        """-(log marginal likelihood + log priors) / n at a vector of all parameters as GPyTorch keeps them, and its gradient.

        Where the covariance has no Cholesky factor it is 1e6 with slope 0, so that a search turns back.
        """
        torch.nn.utils.vector_to_parameters(torch.as_tensor(vector), self.parameters())
        self.zero_grad()
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # sums have one order, and small matrices gain nothing from more
        try:
            with (
                _LIBRARIES.limit(limits=1),
                gpytorch.settings.fast_computations(False, False, False),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("ignore")  # of a diagonal that had to be shifted
                value = -gpytorch.mlls.ExactMarginalLogLikelihood(self.likelihood, self)(
                    self(*self.train_inputs), self.train_targets
                )
                value.backward()
        except (NotPSDError, NanError):
            return 1e6, np.zeros_like(vector)
        finally:
            torch.set_num_threads(threads)
        return value.item(), torch.cat([each.grad.reshape(-1) for each in self.parameters()]).numpy()

    def minimise(self, start: Floats | None = None, bounds: Any = None, iterations: int = 200) -> Any:
        """Search the least loss by L-BFGS-B from here or ``start``, and stay there; what SciPy says of it."""
        first = torch.nn.utils.parameters_to_vector(self.parameters()).detach().numpy() if start is None else start
        options = {"maxiter": iterations, "gtol": 1e-7, "ftol": 0.0, "maxls": 40}
        with _LIBRARIES.limit(limits=1):
            found = optimize.minimize(self.loss, first, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        self.loss(found.x)
        return found


def standard_regression(kernel: Kernel, x: Floats, y: Floats, scales: int, scaled: bool) -> Regression:
    """Of standardised data, whose parameters are log noise variance, mean, log variance and so many log length-scales.

    ``scaled`` is whether it has the priors of :func:`companion.gp.fitting.fit`.
    """

    def positive() -> Any:
        return gpytorch.constraints.Positive(transform=torch.exp, inv_transform=torch.log)

    common = {"ard_num_dims": scales if scales > 1 else None, "lengthscale_constraint": positive()}
    if isinstance(kernel, SquaredExponential):
        base = gpytorch.kernels.RBFKernel(**common)
    else:
        base = gpytorch.kernels.MaternKernel(kernel.nu, **common)
    scale, mean = gpytorch.kernels.ScaleKernel(base, outputscale_constraint=positive()), gpytorch.means.ConstantMean()
    made = Regression(torch.as_tensor(x), torch.as_tensor(y), mean, scale, positive())
    if scaled:
        location, noise = math.sqrt(2.0) + 0.5 * math.log(x.shape[1]), made.likelihood.noise_covar
        base.register_prior("lengthscale_prior", LogNormalPrior(location, math.sqrt(3.0)), "lengthscale")
        scale.register_prior("outputscale_prior", NormalPrior(0.0, 1.5), lambda module: module.raw_outputscale)
        noise.register_prior("noise_prior", NormalPrior(-3.0, 2.0), lambda module: module.raw_noise)
    return made
