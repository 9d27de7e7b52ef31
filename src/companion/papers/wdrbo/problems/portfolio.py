r"""The portfolio problem: the posterior mean of a Gaussian process given evaluations of a back-test.

Decisions x_1, x_2, x_3 are the risk, trading and holding-cost parameters of a trading rule, contexts c_1, c_2 the
bid-ask spread and the borrowing cost, all scaled to [0, 1]; the reward is the mean excess return in per cent a year. The
evaluations are found through the environment variable ``COMPANION_DATA``. Without them a synthetic stand-in takes their
place, which goes through the same regression and is no model of any market.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from companion.core.arrays import Floats
from companion.core.errors import DataError, ParameterError, nearest
from companion.papers.wdrbo.problems.laws import SmoothMarginal
from companion.problems.datasets import VARIABLE, DataUsed, data_file, data_used

FOLDER, FILE = "portfolio", "portfolio_evals_3000.csv"
DATA = ("auto", "evaluations", "stand-in")
DECISIONS = 3

LENGTHSCALES = (0.104374669, 2.83679676, 0.128944144, 0.253353596, 0.784387052)
NOISE_VARIANCE = 0.0190118384
#: The hyperparameters shipped with the authors' code, for standardised evaluations and a kernel of variance one.
CONSTANT_MEAN = -0.503703296

STAND_IN_POINTS = 512
#: Points whose kernel rows are computed together.
CHUNK = 256


@dataclass(frozen=True, eq=False)
class Evaluations:
    """Data of the regression.

    Parameters
    ----------
    name : ``"evaluations"`` or ``"stand-in"``
    inputs : (n, 5) in [0, 1]
    losses : (n,) minus the return, in per cent a year
    remark : what a reader has to be told wherever they are used
    """

    name: str
    inputs: Floats
    losses: Floats
    remark: str


def evaluations() -> Evaluations | None:
    """The 3,000 evaluations of the portfolio simulator; ``None`` without the file.

    Raises
    ------
    DataError
        if the file is not the one that ``data/sources.toml`` describes
    """
    content = data_file(FOLDER, FILE)
    if content is None:
        return None
    lines = list(csv.reader(io.StringIO(content.decode("ascii"))))
    if lines[0] != ["seed", "x1", "x2", "x3", "x4", "x5", "y"]:
        raise DataError(f"{FOLDER}/{FILE} has the columns {lines[0]}, not seed, x1 to x5, y")
    table = np.array([[float(entry) for entry in line] for line in lines[1:]])
    remark = "3,000 evaluations of a portfolio simulator (Cakmak et al., 2020)"
    return Evaluations("evaluations", table[:, 1:6], table[:, 6], remark)


def stand_in() -> Evaluations:
    r"""A synthetic loss at 512 Sobol points, of the range and the main trends of the simulator's.

    .. math:: y=-3-16e^{-8x_1}\bigl(\tfrac12+e^{-3c_1}\bigr)\bigl(1+\tfrac15x_2\bigr)
        \bigl(1+\tfrac15\sin(3\pi x_3)\bigr)+3x_1-2x_3+c_2.

    The loss rises with risk aversion and falls with the holding-cost parameter; all numbers are made up.
    """
    from scipy.stats import qmc  # a third of a second, which naming what can be run need not cost

    z = qmc.Sobol(5, scramble=False).random(STAND_IN_POINTS)
    x1, x2, x3, c1, c2 = z.T
    waves = (0.5 + np.exp(-3 * c1)) * (1 + x2 / 5) * (1 + np.sin(3 * np.pi * x3) / 5)
    losses = -3 - 16 * np.exp(-8 * x1) * waves + 3 * x1 - 2 * x3 + c2
    return Evaluations("stand-in", z, losses, "synthetic losses, a stand-in for the portfolio simulator's evaluations")


def portfolio_data_used(asked: str) -> DataUsed:
    """Data that :func:`portfolio_data` takes, of the two."""
    title = "synthetic losses, a stand-in for the portfolio simulator's evaluations"
    real = "3,000 evaluations of a portfolio simulator"
    return data_used(asked, "evaluations", real, FOLDER, FILE, DataUsed("stand-in", title, False))


def portfolio_data(name: str = "auto") -> Evaluations:
    """One of :data:`DATA`; ``"auto"`` takes the evaluations where they are found and the stand-in otherwise.

    Raises
    ------
    ParameterError
        for an unknown name
    DataError
        if ``"evaluations"`` is asked for by name and absent, or the file is not the one it should be
    """
    if name not in DATA:
        raise ParameterError("data", f"got {name!r}", ", ".join(DATA), nearest(str(name), DATA))
    found = None if name == "stand-in" else evaluations()
    if found is None and name == "evaluations":
        raise DataError(
            f"{FOLDER}/{FILE} is not there: set {VARIABLE} to the folder that holds it (data/README.md), "
            "or ask for data='stand-in'"
        )
    return stand_in() if found is None else found


@dataclass(frozen=True, eq=False)
class Surrogate:
    r"""Minus the posterior mean of a Gaussian process given the losses.

    With losses standardised to :math:`(y-m)/s` (s with divisor n - 1), the squared-exponential kernel k of unit variance,
    noise variance :math:`\sigma^2` and constant mean :math:`\mu`,

    .. math:: f(x,c)=-m-s\mu-s\sum_i\alpha_i\,k([x,c],z_i),\qquad
        (K+\sigma^2I)\alpha=\tfrac{y-m}s-\mu.

    Parameters
    ----------
    data : evaluations or stand-in
    weights : (n,) the numbers -s alpha_i
    base : -m - s mu
    """

    data: Evaluations
    weights: Floats
    base: float

    @classmethod
    def fit(cls, data: Evaluations) -> Surrogate:
        """Solve for the weights; hyperparameters are the constants of this module."""
        mean, sd = float(data.losses.mean()), float(data.losses.std(ddof=1))
        scaled = data.inputs / np.array(LENGTHSCALES)
        squares = (scaled**2).sum(axis=1)
        matrix = np.exp(-0.5 * np.maximum(squares[:, None] + squares - 2 * scaled @ scaled.T, 0.0))
        np.fill_diagonal(matrix, 1.0 + NOISE_VARIANCE)
        alpha = cho_solve(cho_factor(matrix, lower=True), (data.losses - mean) / sd - CONSTANT_MEAN)
        return cls(data, -sd * alpha, -mean - sd * CONSTANT_MEAN)

    def __call__(self, x: Floats, c: Floats) -> Floats:
        """f(x, c), shape (n,), for x (n, 3) and c (n, 2)."""
        return self.base + bumps(np.concatenate([x, c], axis=1), self.data.inputs, LENGTHSCALES, self.weights)[0]


@lru_cache(maxsize=4)
def surrogate(name: str) -> Surrogate:
    """The surrogate for ``"evaluations"`` or ``"stand-in"``, fitted once."""
    return Surrogate.fit(portfolio_data(name))


def bumps(points: Floats, centres: Floats, lengthscales: tuple[float, ...], weights: Floats) -> tuple[Floats, Floats]:
    """Values (n,) and gradients (n, d) of sum_i w_i exp(-|(z - z_i) / l|^2 / 2) at ``points`` (n, d)."""
    scale = np.array(lengthscales)
    value, gradient = np.empty(len(points)), np.empty_like(points)
    for start in range(0, len(points), CHUNK):
        gap = (points[start : start + CHUNK, None, :] - centres) / scale
        terms = np.exp(-0.5 * np.einsum("nij,nij->ni", gap, gap)) * weights
        value[start : start + CHUNK] = terms.sum(axis=1)
        gradient[start : start + CHUNK] = -np.einsum("ni,nij->nj", terms, gap) / scale
    return value, gradient


@dataclass(frozen=True, eq=False)
class ExpectedReturn:
    """E f(x, c) for independent contexts: the kernel factors, so that every weight is multiplied by two kernel means.

    Parameters
    ----------
    surrogate : f
    first, second : laws of the two contexts
    """

    surrogate: Surrogate
    first: SmoothMarginal
    second: SmoothMarginal

    @cached_property
    def weights(self) -> Floats:
        """Weights (n,) of the sum over the decisions' part of the kernel."""
        rates = 0.5 / np.square(LENGTHSCALES[DECISIONS:])
        inputs = self.surrogate.data.inputs
        means = self.first.bump(rates[0], inputs[:, 3]) * self.second.bump(rates[1], inputs[:, 4])
        return self.surrogate.weights * means

    def with_gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """E f(x, c) (n,) and its gradient (n, 3) at ``x`` (n, 3)."""
        centres = self.surrogate.data.inputs[:, :DECISIONS]
        value, gradient = bumps(x, centres, LENGTHSCALES[:DECISIONS], self.weights)
        return self.surrogate.base + value, gradient

    def __call__(self, x: Floats) -> Floats:
        """E f(x, c), shape (n,)."""
        return self.with_gradient(x)[0]

    @cached_property
    def curvature(self) -> Floats:
        r"""Bounds (3, 3) on the absolute second derivatives.

        The expectation less its constant is a member of the kernel's reproducing-kernel space with norm
        :math:`B=\sqrt{w^\top K_xw}`, so a derivative is at most B times the root of the kernel's own mixed derivative at
        0: :math:`B\sqrt3/l_j^2` for a second derivative and :math:`B/(l_jl_k)` for a mixed one.
        """
        scale = np.array(LENGTHSCALES[:DECISIONS])
        centres = self.surrogate.data.inputs[:, :DECISIONS]
        product = bumps(centres, centres, LENGTHSCALES[:DECISIONS], self.weights)[0]
        norm = float(np.sqrt(self.weights @ product))
        shape = np.ones((DECISIONS, DECISIONS)) + (np.sqrt(3.0) - 1.0) * np.eye(DECISIONS)
        return norm * shape / np.outer(scale, scale)
