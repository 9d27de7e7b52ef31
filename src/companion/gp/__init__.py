"""Gaussian processes: covariance functions, exact posteriors on finite candidate sets, random functions."""

from companion.gp.data import DataPosterior
from companion.gp.fitted import Fitted
from companion.gp.kernels import KERNEL_NAMES, Kernel, Matern, SquaredExponential, kernel_by_name, kernel_name
from companion.gp.matrix import KernelMatrix, PriorDraws
from companion.gp.posterior import FinitePosterior
from companion.gp.sampling import (
    RKHSFunction,
    draw_factor,
    expansion,
    gp_draw,
    grid,
    rkhs_eigen,
    rkhs_expansion,
    rkhs_sphere,
)

__all__ = [
    "KERNEL_NAMES",
    "DataPosterior",
    "FinitePosterior",
    "Fitted",
    "Kernel",
    "KernelMatrix",
    "Matern",
    "PriorDraws",
    "RKHSFunction",
    "SquaredExponential",
    "draw_factor",
    "expansion",
    "gp_draw",
    "grid",
    "kernel_by_name",
    "kernel_name",
    "rkhs_eigen",
    "rkhs_expansion",
    "rkhs_sphere",
]
