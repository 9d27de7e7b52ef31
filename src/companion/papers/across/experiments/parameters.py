"""What may be set in chapter 6's notebook: default, range, meaning and source of each."""

from __future__ import annotations

from companion.core.profiles import Parameter, ParameterSet, choice, count, positive
from companion.gp.kernels import KERNEL_NAMES

#: Mirrors the notebook's parameters cell; a test compares names and defaults.
CHAPTER = ParameterSet(
    (
        count("seed", 0, "seed of the runs with your own width, non-negative integer", 0, 2**31 - 1),
        choice("kernel", "matern52", KERNEL_NAMES, "se, matern12, matern32 or matern52, a name", "companion"),
        positive("lengthscale", 0.3, "length-scale of the kernel, side of the unit cube", 10.0),
        count("dim", 1, "dimension of the unit cube, count", 1, 3),
        count("points", 40, "candidates an axis, count", 2, 100),
        Parameter("noise", "float", 0.1, "noise standard deviation, units of f", "companion", low=1e-3, high=10.0),
        positive("norm", 1.0, "norm of f, units of f", 100.0),
        Parameter(
            "delta", "float", 0.1, "failure probability of a width, dimensionless", "companion", low=1e-6, high=0.5
        ),
        count("horizon", 100, "evaluations T of a run, count", 2, 500),
        positive("width", 2.0, "a width of your own, posterior standard deviations", 1e3),
        count("runs", 200, "runs with your own width, count", 5, 1000),
    )
)
