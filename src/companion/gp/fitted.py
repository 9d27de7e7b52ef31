"""A Gaussian process whose numbers were fitted to data: kernel, mean and noise, and how well the data determine them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from companion.core.arrays import Floats
from companion.gp.kernels import Kernel


@dataclass(frozen=True)
class Fitted:
    """Hyperparameters that were fitted to data, in the units of these; it can stand wherever a kernel can.

    No theorem is about a model that was fitted to the values it is used with: answers that rest on one say so.

    Parameters
    ----------
    kernel : with the fitted length-scales, in units of the inputs, and variance, in squared units of the values
    mean : of the prior, in units of the values
    noise_sd : standard deviation of the noise of one value, in their units
    names : of the columns of the inputs
    log_sd : standard errors of the logarithms of the length-scales (of one, where all columns share it), of the variance and of
        ``noise_sd``, and of the mean itself; from the Hessian of what was maximised. NaN where the data do not determine a
        number, 0 where it was told
    evaluations : number t of the values
    log_marginal_likelihood : natural logarithm of the density of the values under this model, in their units
    prior : in words
    notes : what ran into a limit or is not determined, a sentence each
    fitter : the library that computed the likelihood and its gradient

    Examples
    --------
    >>> import companion as cp
    >>> from companion.gp.fitted import Fitted
    >>> found = Fitted(cp.Matern(2.5, 30.0, 4.0), 70.0, 0.5, ("heat",), (0.2, 0.4, 0.1, 0.7), 25, -41.3, "none")
    >>> found
    <Matern(nu=2.5, lengthscale=30.0, variance=4.0), mean 70, noise_sd 0.5: fitted to 25 values by GPyTorch>
    >>> low, high = found.intervals["length-scale of heat"]
    >>> print(f"{low:.1f} to {high:.1f}")
    20.3 to 44.4
    """

    kernel: Kernel
    mean: float
    noise_sd: float
    names: tuple[str, ...]
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
        """What a model has by name, in the order of ``log_sd``, in own units."""
        scales, names = self.kernel.lengthscale, [f"length-scale of {name}" for name in self.names]
        if not isinstance(scales, tuple):
            scales, names = (scales,), names if len(names) == 1 else ["length-scale"]
        found = dict(zip(names, scales, strict=True))
        return {**found, "variance": self.kernel.variance, "noise_sd": self.noise_sd, "mean": self.mean}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Confidence interval of 95 % of each of :attr:`numbers`, from its standard error; without end where there is none."""
        found = {}
        for (name, value), sd in zip(self.numbers.items(), self.log_sd, strict=True):
            half = math.inf if math.isnan(sd) else 1.96 * sd
            ends = (value - half, value + half) if name == "mean" else (value * math.exp(-half), value * _exp(half))
            found[name] = ends
        return found

    def __repr__(self) -> str:
        scales = self.kernel.lengthscale
        short = tuple(map(_short, scales)) if isinstance(scales, tuple) else _short(scales)
        kernel = replace(self.kernel, lengthscale=short, variance=_short(self.kernel.variance))
        return f"<{kernel}, mean {self.mean:.3g}, noise_sd {self.noise_sd:.3g}: {self.words}>"

    def __str__(self) -> str:
        lines = [
            f"{name}: {self.numbers[name]:.3g} ({low:.3g} to {high:.3g})"
            for name, (low, high) in self.intervals.items()
        ]
        return "\n".join([f"{self!r}"[1:-1], *lines, *self.notes])


def _short(value: float) -> float:
    """Three digits."""
    return float(f"{value:.3g}")


def _exp(power: float) -> float:
    return math.exp(power) if power < 700.0 else math.inf
