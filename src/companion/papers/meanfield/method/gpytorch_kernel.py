"""Eq. (1) as a GPyTorch kernel, and the fit of chapter 4 by GPyTorch: what our closed form of it is held against."""

from __future__ import annotations

import math
from typing import Any

import torch

from companion.core.errors import ParameterError, whole_number
from companion.gp.marginal_likelihood import Loss, Regression, gpytorch, one_thread
from companion.papers.meanfield.method.kernel import AdditiveKernel, Plays
from companion.papers.meanfield.method.model import FitSchedule, MeanFieldGP
from companion.papers.meanfield.method.regression import Fit, LogNormal

_NAMES = (
    "action_lengthscale",
    "context_lengthscale",
    "law_lengthscale",
    "action_scale",
    "context_scale",
    "law_scale",
)


def flatten(z: Plays) -> torch.Tensor:
    """Plays as rows (n, d_A + d_C + |C||A|) of a tensor: action features, context features, the laws context by context."""
    parts = [torch.as_tensor(part, dtype=torch.float64) for part in z]
    return torch.cat([part.reshape(len(part), -1) for part in parts], dim=1)


class GPyTorchAdditiveKernel(gpytorch.kernels.Kernel):  # type: ignore[misc] # GPyTorch has no types
    r"""Eq. (1) over rows made by :func:`flatten`; all six hyperparameters are learnable.

    Scales and length-scales are kept positive by GPyTorch's softplus; the length-scale of the laws is shared by the
    contexts.

    Parameters
    ----------
    action_features, context_features : d_A and d_C
    contexts, actions : |C| and |A|
    start : initial hyperparameters; only the additive kernel with squares is offered
    """

    has_lengthscale = False

    def __init__(
        self,
        action_features: int,
        context_features: int,
        contexts: int,
        actions: int,
        start: AdditiveKernel | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        start = start or AdditiveKernel()
        if (start.form, start.coupling) != ("squared", "additive"):
            raise ParameterError("start", f"is {start.coupling} and {start.form}", "an additive kernel with squares")
        self.sizes = tuple(
            whole_number(name, value)
            for name, value in (
                ("action_features", action_features),
                ("context_features", context_features),
                ("contexts", contexts),
                ("actions", actions),
            )
        )
        for name in _NAMES:
            raw = f"raw_{name}"
            self.register_parameter(raw, torch.nn.Parameter(torch.zeros(1, dtype=torch.float64)))
            self.register_constraint(raw, gpytorch.constraints.Positive())
            self.initialize(**{raw: getattr(self, f"{raw}_constraint").inverse_transform(self._number(start, name))})

    @staticmethod
    def _number(start: AdditiveKernel, name: str) -> torch.Tensor:
        return torch.tensor([getattr(start, name)], dtype=torch.float64)

    def hyperparameter(self, name: str) -> torch.Tensor:
        """The positive value of one of the six hyperparameters, shape (1,)."""
        return getattr(self, f"raw_{name}_constraint").transform(getattr(self, f"raw_{name}"))

    def additive(self) -> AdditiveKernel:
        """The plain kernel with the present hyperparameters."""
        numbers: dict[str, Any] = {name: float(self.hyperparameter(name).detach()) for name in _NAMES}
        return AdditiveKernel(**numbers)

    def forward(self, x1: torch.Tensor, x2: torch.Tensor, diag: bool = False, **params: Any) -> torch.Tensor:
        """Covariance (..., n, m), or its diagonal (..., n)."""
        d_a, d_c, contexts, actions = self.sizes
        if x1.shape[-1] != d_a + d_c + contexts * actions:
            raise ParameterError(
                "x1", f"has {x1.shape[-1]} columns", f"{d_a + d_c + contexts * actions}, see flatten()"
            )
        ends = [0, d_a, d_a + d_c] + [d_a + d_c + actions * (c + 1) for c in range(contexts)]
        names = ["action", "context"] + ["law"] * contexts
        total: Any = 0.0
        for name, low, high in zip(names, ends[:-1], ends[1:], strict=True):
            squared = self._squared(x1[..., low:high], x2[..., low:high], diag)
            decay = torch.exp(-0.5 * squared / self.hyperparameter(f"{name}_lengthscale") ** 2)
            total = total + self.hyperparameter(f"{name}_scale") * decay
        return total

    def _squared(self, x: torch.Tensor, y: torch.Tensor, diag: bool) -> torch.Tensor:
        if diag:
            return ((x - y) ** 2).sum(-1)
        return self.covar_dist(x, y, square_dist=True)


def fit_by_gpytorch(model: MeanFieldGP, schedule: FitSchedule, iterations: int = 200) -> Fit:
    """Maximum a posteriori hyperparameters of a model's observations by GPyTorch, from the priors' medians.

    The marginal likelihood and the priors are those of :func:`~companion.papers.meanfield.method.regression.log_posterior`;
    likelihood and gradient (by automatic differentiation) are the library's, the search is that of
    :class:`companion.gp.marginal_likelihood.Loss`.

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
    z, unit = model.plays(), model.law_unit()
    groups = {"action": schedule.action, "context": schedule.context, "law": schedule.law}
    in_units = {f"{name}_lengthscale": unit if name == "law" else 1.0 for name in groups}
    priors = {
        f"{name}_{part}": getattr(prior, part) for name, prior in groups.items() for part in ("scale", "lengthscale")
    }
    start: dict[str, Any] = {name: math.exp(prior.mean) * in_units.get(name, 1.0) for name, prior in priors.items()}
    kernel = GPyTorchAdditiveKernel(
        z.actions.shape[1], z.contexts.shape[1], model.contexts, model.actions, AdditiveKernel(**start)
    )
    inputs, values = flatten(z), torch.as_tensor(model.targets()[0])
    regression = Regression(inputs, values, gpytorch.means.ZeroMean(), kernel, gpytorch.constraints.Positive())
    noise = regression.likelihood.noise_covar
    noise.noise = math.exp(schedule.noise.mean)

    def add(module: Any, name: str, prior: LogNormal, get: Any, unit: float) -> None:
        # The prior's density is that of the logarithm, as in log_posterior.
        law = gpytorch.priors.NormalPrior(prior.mean, prior.sd)
        module.register_prior(f"{name}_prior", law, lambda module: torch.log(get(module) / unit))

    for name, prior in priors.items():
        add(kernel, name, prior, lambda module, name=name: module.hyperparameter(name), in_units.get(name, 1.0))
    add(noise, "noise", schedule.noise, lambda module: module.noise, 1.0)
    loss = Loss(regression)
    with one_thread():
        least = loss.minimise(iterations=iterations).fun
    found = kernel.additive()
    constants = 0.5 * len(values) * math.log(2.0 * math.pi)
    constants += sum(0.5 * math.log(2.0 * math.pi) + math.log(prior.sd) for prior in (*priors.values(), schedule.noise))
    return Fit(
        tuple(getattr(found, f"{name}_scale") for name in groups),
        tuple(getattr(found, f"{name}_lengthscale") / in_units[f"{name}_lengthscale"] for name in groups),
        noise.noise.item(),
        constants - len(values) * least,
    )
