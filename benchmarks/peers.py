"""The same maximum-variance design by four methods. Each takes a task and returns the indices it picked."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from botorch.exceptions import InputDataWarning
from botorch.models import SingleTaskGP
from gpytorch import settings
from gpytorch.kernels import MaternKernel, RBFKernel, ScaleKernel
from gpytorch.means import ZeroMean
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from companion.gp import FinitePosterior, KernelMatrix, grid, kernel_by_name, ties

SMOOTHNESS = {"matern12": 0.5, "matern32": 1.5, "matern52": 2.5}

#: Variances within this fraction of the largest are tied and the lowest index is taken, by every method alike. On a
#: symmetric grid mirror images are tied in exact arithmetic, and GPyTorch, which expands the squared distance, computes
#: their variances with errors of about 1e-8.
TIES = 1e-6


@dataclass(frozen=True)
class Task:
    """Candidates, fixed hyperparameters, and a value for every candidate to observe."""

    points: np.ndarray
    values: np.ndarray
    picks: int
    kernel: str
    lengthscale: float
    noise_sd: float

    @classmethod
    def on_grid(cls, per_axis: int, picks: int, kernel: str, lengthscale: float, noise_sd: float) -> Task:
        """A regular grid of [0, 1]^2; the values do not influence the picks."""
        points = grid(per_axis, 2)
        values = np.sin(5 * points[:, 0]) * np.cos(3 * points[:, 1])
        return cls(points, values, picks, kernel, lengthscale, noise_sd)


def largest(variance: np.ndarray) -> int:
    """Lowest index within ``TIES`` of the largest variance."""
    return int(np.argmax(variance >= variance.max() * (1 - TIES)))


def covariance_matrix(task: Task) -> np.ndarray:
    """Prior covariance of all candidates, which the peers never form."""
    return kernel_by_name(task.kernel, task.lengthscale)(task.points)


def one_by_one(posterior: FinitePosterior, task: Task, picks: int) -> list[int]:
    """One pick at a time and its value: mean and variance at all candidates are current after every step."""
    for _ in range(picks):
        index = largest(posterior.variance[0])
        posterior.observe(index, task.values[index])
    return posterior.indices[0].tolist()


def engine(task: Task, picks: int) -> list[int]:
    """Rows of the covariance are computed when a point is picked, as its peers do."""
    covariance = KernelMatrix(kernel_by_name(task.kernel, task.lengthscale), task.points)
    return one_by_one(FinitePosterior(covariance, task.noise_sd**2, capacity=picks), task, picks)


def engine_matrix(task: Task, picks: int) -> list[int]:
    """The whole covariance matrix is computed first."""
    return one_by_one(FinitePosterior(covariance_matrix(task), task.noise_sd**2), task, picks)


def engine_blocks(task: Task, picks: int) -> list[int]:
    """All picks by one call, since they need no values; the values at the end."""
    posterior = FinitePosterior(covariance_matrix(task), task.noise_sd**2, capacity=picks)
    kept, ties.TOLERANCE = ties.TOLERANCE, TIES  # the rule of this comparison
    try:
        chosen = posterior.select_max_variance(picks)
    finally:
        ties.TOLERANCE = kept
    posterior.tell(task.values[chosen])
    return chosen[0].tolist()


def _torch_model(task: Task, indices: list[int]) -> SingleTaskGP:
    x = torch.tensor(task.points[indices])
    y = torch.tensor(task.values[indices])[:, None]
    base = RBFKernel() if task.kernel == "se" else MaternKernel(SMOOTHNESS[task.kernel])
    kernel = ScaleKernel(base).double()
    kernel.outputscale, kernel.base_kernel.lengthscale = 1.0, task.lengthscale
    noise = torch.full_like(y, task.noise_sd**2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputDataWarning)  # the values are used as they are, not standardised
        model = SingleTaskGP(x, y, noise, covar_module=kernel, mean_module=ZeroMean(), outcome_transform=None)
    return model.eval()


def _torch_design(
    task: Task, picks: int, extend: Callable[[SingleTaskGP | None, list[int]], SingleTaskGP]
) -> list[int]:
    # As a batch of single points, the way BoTorch evaluates acquisition functions: otherwise it forms the joint
    # covariance of all candidates at every step, which takes two to seven times as long here.
    everywhere = torch.tensor(task.points)[:, None, :]
    chosen, model = [0], None  # before any observation all candidates are tied; the lowest index wins
    with torch.no_grad(), settings.fast_computations(False, False, False), settings.fast_pred_var(True):
        while True:
            model = extend(model, chosen)
            posterior = model.posterior(everywhere)
            _ = posterior.mean
            if len(chosen) == picks:
                return chosen
            chosen.append(largest(posterior.variance[:, 0, 0].numpy()))


def botorch_refit(task: Task, picks: int) -> list[int]:
    """A new SingleTaskGP on all data at every step, hyperparameters fixed (nothing is optimised)."""
    return _torch_design(task, picks, lambda _, chosen: _torch_model(task, chosen))


def botorch_fantasy(task: Task, picks: int) -> list[int]:
    """The previous model conditioned on one more point, through GPyTorch's fantasy update."""

    def extend(model: SingleTaskGP | None, chosen: list[int]) -> SingleTaskGP:
        if model is None:
            return _torch_model(task, chosen)
        x = torch.tensor(task.points[chosen[-1:]])
        y = torch.tensor(task.values[chosen[-1:]])[:, None]
        return model.condition_on_observations(x, y, noise=torch.full_like(y, task.noise_sd**2))

    return _torch_design(task, picks, extend)


def sklearn_refit(task: Task, picks: int) -> list[int]:
    """GaussianProcessRegressor fitted to all data at every step with ``optimizer=None``."""
    base = sk.RBF(task.lengthscale) if task.kernel == "se" else sk.Matern(task.lengthscale, nu=SMOOTHNESS[task.kernel])
    chosen = [0]
    while True:
        model = GaussianProcessRegressor(base, alpha=task.noise_sd**2, optimizer=None)
        model.fit(task.points[chosen], task.values[chosen])
        _, sd = model.predict(task.points, return_std=True)
        if len(chosen) == picks:
            return chosen
        chosen.append(largest(sd**2))


NEW_MODEL = "BoTorch, new model each step"
METHODS: dict[str, Callable[[Task, int], list[int]]] = {
    "engine, a value after each pick": engine,
    "the same, covariance matrix first": engine_matrix,
    "engine, picks by one call": engine_blocks,
    NEW_MODEL: botorch_refit,
    "BoTorch/GPyTorch fantasy update": botorch_fantasy,
    "scikit-learn, refitted each step": sklearn_refit,
}
