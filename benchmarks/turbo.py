"""TuRBO-1 (Eriksson, Pearce, Gardner, Turner, Poloczek, 2019) from BoTorch's parts, one evaluation a round.

A Matern-5/2 process with a length-scale a coordinate, fitted every round; a box around the best point, its sides in
proportion to the length-scales; Thompson sampling among Sobol points of the box, in each of which about twenty coordinates
differ from the best point's. Constants are those of the paper and of BoTorch's tutorial. The restart of a box that has become
too small is left out: the few rounds that are timed do not come to it.
"""

from __future__ import annotations

import warnings

import numpy as np
import torch
from botorch.exceptions import InputDataWarning
from botorch.fit import fit_gpytorch_mll
from botorch.generation import MaxPosteriorSampling
from botorch.models import SingleTaskGP
from gpytorch.constraints import Interval
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.mlls import ExactMarginalLogLikelihood
from torch.quasirandom import SobolEngine

LONGEST, FIRST = 1.6, 0.8
SUCCESSES = 10
PERTURBED = 20


class Turbo:
    """Maximises over the unit cube.

    Parameters
    ----------
    points, values : (n, d), (n,) what is known
    seed : of the Sobol points
    """

    def __init__(self, points: np.ndarray, values: np.ndarray, seed: int = 0) -> None:
        self.points, self.values = torch.tensor(points), torch.tensor(values)
        self.dim = points.shape[1]
        self._sobol = SobolEngine(self.dim, scramble=True, seed=seed)
        self._failures = max(4, self.dim)
        self.length, self._streak = FIRST, [0, 0]

    def ask(self) -> np.ndarray:
        """The next point (d,)."""
        model = self._fitted()
        centre = self.points[self.values.argmax()]
        weights = model.covar_module.base_kernel.lengthscale.squeeze(0).detach()
        weights = weights / weights.log().mean().exp()  # the box's volume is length^d
        low = torch.clamp(centre - weights * self.length / 2, 0.0, 1.0)
        high = torch.clamp(centre + weights * self.length / 2, 0.0, 1.0)
        count = min(5000, max(2000, 200 * self.dim))
        drawn = low + (high - low) * self._sobol.draw(count, dtype=torch.float64)
        moved = torch.rand(count, self.dim) <= min(1.0, PERTURBED / self.dim)
        still = ~moved.any(dim=1)
        moved[still, torch.randint(self.dim, (int(still.sum()),))] = True
        with torch.no_grad():
            chosen = MaxPosteriorSampling(model, replacement=False)(torch.where(moved, drawn, centre), num_samples=1)
        return chosen[0].numpy()

    def tell(self, point: np.ndarray, value: float) -> None:
        """The value there; the box grows after ten successes in a row and halves after d failures."""
        best = float(self.values.max())
        self.points = torch.cat([self.points, torch.tensor(point)[None, :]])
        self.values = torch.cat([self.values, torch.tensor([value])])
        won = value > best + 1e-3 * abs(best)
        self._streak = [self._streak[0] + 1, 0] if won else [0, self._streak[1] + 1]
        if self._streak[0] == SUCCESSES:
            self.length, self._streak = min(2.0 * self.length, LONGEST), [0, 0]
        elif self._streak[1] == self._failures:
            self.length, self._streak = self.length / 2.0, [0, 0]

    def _fitted(self) -> SingleTaskGP:
        targets = (self.values - self.values.mean()) / self.values.std()
        kernel = ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=self.dim, lengthscale_constraint=Interval(0.005, 4.0)))
        likelihood = GaussianLikelihood(noise_constraint=Interval(1e-8, 1e-3))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputDataWarning)
            data = self.points, targets[:, None]
            model = SingleTaskGP(*data, covar_module=kernel, likelihood=likelihood, outcome_transform=None)
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model
