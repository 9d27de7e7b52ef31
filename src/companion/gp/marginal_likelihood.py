"""The marginal likelihood of exact regression by GPyTorch as a function that SciPy can search; importing this needs GPyTorch."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from scipy import optimize
from threadpoolctl import threadpool_limits

from companion.core.arrays import Floats
from companion.gp.kernels import Kernel, SquaredExponential

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # linear_operator still calls torch.jit.script when imported
    import gpytorch as gpytorch  # chapter 4 takes it from here, so that the warning is met once
    from gpytorch.priors import LogNormalPrior, NormalPrior
    from gpytorch.utils.errors import NanError, NotPSDError


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for torch and for SciPy's linear algebra: sums have one order, and small matrices gain nothing from more."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        torch.set_num_threads(threads)


class Regression(gpytorch.models.ExactGP):  # type: ignore[misc] # GPyTorch has no types
    """Values (n,) at rows (n, d) of inputs, with this mean, kernel and constraint of the noise variance, in double precision."""

    def __init__(self, inputs: Any, values: Any, mean: Any, kernel: Any, positive: Any) -> None:
        super().__init__(inputs, values, gpytorch.likelihoods.GaussianLikelihood(noise_constraint=positive))
        self.mean_module, self.covar_module = mean, kernel
        self.double()

    def forward(self, x: torch.Tensor) -> Any:
        """The prior at ``x``, as GPyTorch asks for it."""
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


class Loss:
    """-(log marginal likelihood + log priors) / n of a regression at a vector of its parameters, with its gradient.

    Parameters
    ----------
    regression : with its priors registered
    free : parameters as GPyTorch keeps them, in the order of the vector; all by default
    """

    #: Where the covariance has no Cholesky factor: a search turns back.
    outside = 1e6

    def __init__(self, regression: Regression, free: Sequence[Any] | None = None) -> None:
        self.regression, self.free = regression, list(regression.parameters() if free is None else free)
        self._objective = gpytorch.mlls.ExactMarginalLogLikelihood(regression.likelihood, regression)

    def __call__(self, vector: Floats) -> tuple[float, Floats]:
        """Loss and gradient; ``outside`` and 0 where the covariance has no Cholesky factor."""
        regression = self.regression
        try:
            torch.nn.utils.vector_to_parameters(torch.as_tensor(vector), self.free)
            regression.zero_grad()
            with gpytorch.settings.fast_computations(False, False, False), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a diagonal that had to be shifted
                value = -self._objective(regression(*regression.train_inputs), regression.train_targets)
                value.backward()
        except (NotPSDError, NanError):
            return self.outside, np.zeros_like(vector)
        return value.item(), torch.cat([each.grad.reshape(-1) for each in self.free]).numpy()

    def minimise(self, start: Floats | None = None, bounds: Any = None, iterations: int = 200) -> Any:
        """Search by L-BFGS-B from the present parameters or ``start``, what SciPy says of it; the parameters are then those."""
        first = torch.nn.utils.parameters_to_vector(self.free).detach().numpy() if start is None else start
        options = {"maxiter": iterations, "gtol": 1e-7, "ftol": 0.0, "maxls": 40}
        found = optimize.minimize(self, first, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        self(found.x)
        return found


def standard_loss(
    kernel: Kernel, x: Floats, y: Floats, scales: int, told: Sequence[float | None], scaled: bool
) -> Loss:
    """The loss of standardised data, in logarithms of length-scales, variance and noise variance, and the mean.

    Parameters
    ----------
    kernel : what is taken of it is its family
    x, y : (n, d), (n,)
    scales : 1, or d
    told : logarithm of the noise variance, and mean, that are kept, or ``None``
    scaled : whether with the priors of :func:`companion.gp.fitting.fit`
    """

    def positive() -> Any:
        return gpytorch.constraints.Positive(transform=torch.exp, inv_transform=torch.log)

    common = {"ard_num_dims": scales if scales > 1 else None, "lengthscale_constraint": positive()}
    if isinstance(kernel, SquaredExponential):
        base = gpytorch.kernels.RBFKernel(**common)
    else:
        base = gpytorch.kernels.MaternKernel(kernel.nu, **common)
    scale = gpytorch.kernels.ScaleKernel(base, outputscale_constraint=positive())
    inputs = torch.as_tensor(x), torch.as_tensor(y)
    regression = Regression(*inputs, gpytorch.means.ConstantMean(), scale, positive())
    noise = regression.likelihood.noise_covar
    if scaled:
        location = math.sqrt(2.0) + 0.5 * math.log(x.shape[1])
        base.register_prior("lengthscale_prior", LogNormalPrior(location, math.sqrt(3.0)), "lengthscale")
        scale.register_prior("outputscale_prior", NormalPrior(0.0, 1.5), lambda module: module.raw_outputscale)
        noise.register_prior("noise_prior", NormalPrior(-3.0, 2.0), lambda module: module.raw_noise)
    free = [base.raw_lengthscale, scale.raw_outputscale]
    for value, module, name in zip(told, (noise, regression.mean_module), ("raw_noise", "raw_constant"), strict=True):
        if value is None:
            free.append(getattr(module, name))
        else:
            getattr(module, name).requires_grad_(False)
            getattr(module, name).fill_(value)
    return Loss(regression, free)
