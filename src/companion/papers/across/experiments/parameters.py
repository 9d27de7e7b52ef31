"""What may be set in chapter 6's notebook: default, range, meaning and source of each."""

from __future__ import annotations

from companion.core.profiles import Parameter, ParameterSet, choice, count, positive
from companion.gp.kernels import KERNEL_NAMES

#: Mirrors the notebook's parameters cell, where meanings and units stand; a test compares names and defaults.
CHAPTER = ParameterSet(
    (
        count("seed", 0, 0, 2**31 - 1),
        choice("kernel", "matern52", KERNEL_NAMES, "", "companion"),
        positive("lengthscale", 0.3, 10.0),
        count("dim", 1, 1, 3),
        count("points", 40, 2, 100),
        Parameter("noise", "float", 0.1, "", "companion", low=1e-3, high=10.0),
        positive("norm", 1.0, 100.0),
        Parameter("delta", "float", 0.1, "", "companion", low=1e-6, high=0.5),
        count("horizon", 100, 2, 500),
        positive("width", 2.0, 1e3),
        count("runs", 200, 5, 1000),
    )
)
