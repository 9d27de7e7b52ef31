"""Eq. (1) of GPyTorch's kernels, and the fit of chapter 4 by GPyTorch: what our closed form of it is held against."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from companion.gp.marginal_likelihood import Regression, gpytorch
from companion.papers.meanfield.method.kernel import AdditiveKernel, Plays
from companion.papers.meanfield.method.model import FitSchedule, MeanFieldGP
from companion.papers.meanfield.method.regression import Fit, LogNormal

GROUPS = ("action", "context", "law")


def flatten(z: Plays) -> torch.Tensor:
    """Plays as rows (n, d_A + d_C + |C||A|) of a tensor: action features, context features, the laws context by context."""
    parts = [torch.as_tensor(part, dtype=torch.float64) for part in z]
    return torch.cat([part.reshape(len(part), -1) for part in parts], dim=1)


def additive_of_gpytorch(kernel: AdditiveKernel, z: Plays) -> Any:
    """The additive kernel with squares as a sum of GPyTorch's, on the columns that :func:`flatten` makes of plays like these.

    Its parts are those of actions, of contexts and of the laws, which share scale and length-scale.
    """
    widths, parts = [z.actions.shape[1], z.contexts.shape[1], *[z.laws.shape[2]] * z.laws.shape[1]], list[Any]()
    for place, (low, high) in enumerate(pairwise(np.cumsum([0, *widths]).tolist())):
        name = GROUPS[min(place, 2)]
        base = gpytorch.kernels.RBFKernel(active_dims=tuple(range(low, high)))
        part = gpytorch.kernels.ScaleKernel(base).double()
        base.lengthscale, part.outputscale = getattr(kernel, f"{name}_lengthscale"), getattr(kernel, f"{name}_scale")
        if place > 2:
            base.raw_lengthscale, part.raw_outputscale = parts[2].base_kernel.raw_lengthscale, parts[2].raw_outputscale
        parts.append(part)
    return gpytorch.kernels.AdditiveKernel(*parts)


def fit_by_gpytorch(model: MeanFieldGP, schedule: FitSchedule, iterations: int = 200) -> Fit:
    """Maximum a posteriori hyperparameters of a model's observations by GPyTorch, from the priors' medians.

    The marginal likelihood and the priors are those of :func:`~companion.papers.meanfield.method.regression.log_posterior`;
    likelihood and gradient (by automatic differentiation) are the library's, the search is that of
    :class:`companion.gp.marginal_likelihood.Regression`.

    Parameters
    ----------
    model : with at least one observation; its own hyperparameters play no part
    schedule : its priors
    iterations : limit of the search

    Returns
    -------
    Fit
        in the units of :attr:`MeanFieldGP.last_fit`: the length-scale of the laws in units of :meth:`MeanFieldGP.law_unit`
    """
    z, units = model.plays(), (1.0, 1.0, model.law_unit())
    groups = (schedule.action, schedule.context, schedule.law)
    start: dict[str, Any] = {
        f"{name}_scale": math.exp(group.scale.mean) for name, group in zip(GROUPS, groups, strict=True)
    }
    for name, group, unit in zip(GROUPS, groups, units, strict=True):
        start[f"{name}_lengthscale"] = math.exp(group.lengthscale.mean) * unit
    kernel, values = additive_of_gpytorch(AdditiveKernel(**start), z), torch.as_tensor(model.targets()[0])
    regression = Regression(flatten(z), values, gpytorch.means.ZeroMean(), kernel, gpytorch.constraints.Positive())
    noise, priors = regression.likelihood.noise_covar, list[LogNormal]()
    noise.noise = math.exp(schedule.noise.mean)

    def add(module: Any, name: str, prior: LogNormal, unit: float = 1.0) -> None:
        # The prior's density is that of the logarithm, as in log_posterior.
        law = gpytorch.priors.NormalPrior(prior.mean, prior.sd)
        module.register_prior(f"{name}_prior", law, lambda module: torch.log(getattr(module, name) / unit))
        priors.append(prior)

    for part, group, unit in zip(kernel.kernels, groups, units, strict=False):
        add(part, "outputscale", group.scale)
        add(part.base_kernel, "lengthscale", group.lengthscale, unit)
    add(noise, "noise", schedule.noise)
    least = regression.minimise(iterations=iterations).fun
    constants = 0.5 * len(values) * math.log(2.0 * math.pi)
    constants += sum(0.5 * math.log(2.0 * math.pi) + math.log(prior.sd) for prior in priors)
    found = list(zip(kernel.kernels, units, strict=False))
    return Fit(
        tuple(part.outputscale.item() for part, _ in found),
        tuple(part.base_kernel.lengthscale.item() / unit for part, unit in found),
        noise.noise.item(),
        constants - len(values) * least,
    )
