"""A Gaussian process whose numbers were fitted to data: kernel, mean and noise, and how well the data determine them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from companion.core.arrays import Floats
from companion.gp.kernels import Kernel


@dataclass(frozen=True)
class Fitted:
    """Numbers that were fitted to data, in the units of these; it can stand wherever a kernel can.

    No theorem is about a model that was fitted to the values it is used with: answers that rest on one say so.

    Parameters
    ----------
    kernel : length-scales in units of the inputs, variance in squared units of the values
    mean, noise_sd : of the prior and of the noise of one value, in units of the values
    columns : names of the inputs' columns
    log_sd : standard errors from the Hessian of what was maximised, in the order of :attr:`numbers`, of the logarithms, but of
        the mean itself; NaN where the data do not determine a number, 0 where it was told
    evaluations : number t of the values
    log_marginal_likelihood : natural logarithm of the density of the values under this model, in their units
    prior, notes : in words, what was maximised, and a sentence for each number that ran into a limit or is not determined
    fitter : the library that computed likelihood and gradient

    Examples
    --------
    >>> import companion as cp
    >>> found = cp.Fitted(cp.Matern(2.5, 30.0, 4.0), 70.0, 0.5, ("heat",), (0.1, 0.7, 0.4, 0.2), 25, -41.3, "none")
    >>> found
    <Matern(nu=2.5, lengthscale=30.0, variance=4.0), mean 70, noise_sd 0.5: fitted to 25 values by GPyTorch>
    >>> [round(end, 1) for end in found.intervals["length-scale of heat"]]
    [20.3, 44.4]
    """

    kernel: Kernel
    mean: float
    noise_sd: float
    columns: tuple[str, ...]
    log_sd: tuple[float, ...]
    evaluations: int
    log_marginal_likelihood: float
    prior: str
    notes: tuple[str, ...] = ()
    fitter: str = "GPyTorch"

    def __call__(self, x: Floats, y: Floats | None = None) -> Floats:
        """Covariance matrix (n, m) of the kernel; ``y`` defaults to ``x``."""
        return self.kernel(x, y)

    def __getattr__(self, name: str) -> Any:
        # What kernels have: lengthscale, variance, diagonal, radial, derivative, spectral densities.
        if name.startswith("_") or name == "kernel":
            raise AttributeError(name)
        return getattr(self.kernel, name)

    @property
    def words(self) -> str:
        """That the model is fitted, to how many values and by what."""
        return f"fitted to {self.evaluations} values by {self.fitter}"

    @property
    def numbers(self) -> dict[str, float]:
        """Every number by its name, in own units."""
        scales = np.atleast_1d(self.kernel.lengthscale).tolist()
        names = (
            [f"length-scale of {name}" for name in self.columns]
            if len(scales) == len(self.columns)
            else ["length-scale"]
        )
        found = {"noise_sd": self.noise_sd, "mean": self.mean, "variance": float(self.kernel.variance)}
        return {**found, **dict(zip(names, scales, strict=True))}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Both ends of the confidence interval of 95 % of each of :attr:`numbers`; without end where it is not determined."""
        found = {}
        for (name, value), sd in zip(self.numbers.items(), self.log_sd, strict=True):
            apart = 1.96 * np.array([-1.0, 1.0]) * (np.inf if np.isnan(sd) else sd)
            low, high = (value + apart if name == "mean" else value * np.exp(apart)).tolist()
            found[name] = (low, high)
        return found

    def __repr__(self) -> str:
        variance, *scales = (float(f"{value:.3g}") for value in list(self.numbers.values())[2:])
        kernel = replace(self.kernel, variance=variance, lengthscale=tuple(scales) if len(scales) > 1 else scales[0])
        return f"<{kernel}, mean {self.mean:.3g}, noise_sd {self.noise_sd:.3g}: {self.words}>"

    def __str__(self) -> str:
        lines = [f"{name}: {self.numbers[name]:.3g} ({a:.3g} to {b:.3g})" for name, (a, b) in self.intervals.items()]
        return "\n".join([repr(self)[1:-1], *lines, *self.notes])
