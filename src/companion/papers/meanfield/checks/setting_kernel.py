"""Statements: the radial kernel, its information gain, and the additive kernel of Eq. (1) (Section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from companion.checks.cases import Case, at_most, equal, exponent
from companion.checks.instance import Instance
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats, Integers
from companion.core.randomness import stream
from companion.gp.kernels import kernel_by_name
from companion.gp.sampling import grid
from companion.information import gain_bracket_curve
from companion.judge.intervals import slope_interval
from companion.papers.meanfield.checks.setting_method import Record
from companion.papers.meanfield.method.kernel import AdditiveKernel, Plays
from companion.papers.meanfield.method.simplex import random_laws


class Line(Instance, words="length-scale {lengthscale:g}, R = {noise_sd:g}"):
    """The radial kernel on 400 equal points of [0, 1], observed with noise."""

    lengthscale: float
    noise_sd: float


#: k at distances (n, m) for a length-scale.
Radial = Callable[[Floats, float], Floats]


def printed_form(distance: Floats, lengthscale: float) -> Floats:
    r""":math:`e^{-\|z-z'\|/(2\ell)}`."""
    return _law_term("printed", distance, lengthscale)


def squared_form(distance: Floats, lengthscale: float) -> Floats:
    r""":math:`e^{-\|z-z'\|^2/(2\ell^2)}`."""
    return _law_term("squared", distance, lengthscale)


def _law_term(form: str, distance: Floats, lengthscale: float) -> Floats:
    return np.asarray(AdditiveKernel(law_lengthscale=lengthscale, form=form).law_terms_at(distance[None] ** 2)[0])


def matern32_form(distance: Floats, lengthscale: float) -> Floats:
    """Matérn 3/2."""
    flat = np.asarray(kernel_by_name("matern32", lengthscale)(np.zeros((1, 1)), distance.reshape(-1, 1)))
    return flat.reshape(distance.shape)


@lru_cache(maxsize=32)
def gain_curve(line: Line, form: Radial, first: float) -> tuple[Integers, Floats]:
    """Four horizons T, each twice the one before, from T/R^2 = ``first``; and certified upper ends of the information gain.

    The gain is a function of T/R^2, but for the rounding of a design to whole observations.
    """
    places = np.linspace(0.0, 1.0, 400)
    covariance = form(np.abs(np.subtract.outer(places, places)), line.lengthscale)
    horizons = np.rint(first * line.noise_sd**2 * np.array([1, 2, 4, 8])).astype(np.int64)
    brackets = gain_bracket_curve(covariance, horizons, line.noise_sd**2)
    return horizons, np.array([bracket.upper for bracket in brackets])


@statement(
    "eq-rbf",
    "rate",
    lambda: (Line(scale, noise) for scale, noise in ((0.2, 0.1), (0.5, 0.1), (0.2, 1.0))),
    need("length-scales of at least 20 steps of the grid", lambda line: line.lengthscale >= 0.05, Line(1e-3, 0.1)),
    teeth={
        "Matérn 3/2 in place of the squared form": {"form": matern32_form},
        "information gain that hardly grows": {"slope": 0.1},
        "horizons that are short beside the noise": {"first": 100.0},
    },
    corrected=fix(r"with both squares, $\exp(-\norm{z-z'}_2^2/(2\ell^2))$", other=True, form=squared_form),
)
def eq_rbf(line: Line, *, form: Radial = printed_form, slope: float = 0.3, first: float = 5e3) -> Iterator[Case]:
    r"""$k_{RBF}(z,z')=\exp\big(-\norm{z-z'}_2/(2\ell)\big)$, with smooth paths and logarithmic information gain

    Information gain grows more slowly than a power: the log-log slope of its certified upper end, :math:`T/R^2` from 5,000 to
    40,000, is below 0.3. (A logarithm squared has the slope :math:`2/\log(T/R^2)`, so that a short horizon beside the noise would
    show a power.) Paths have derivatives: :math:`\E|f(u+h)-f(u)|^2/h^2\le1/\ell^2` at steps h from 0.1 to 1e-4, which Assumption
    3.1 needs.
    """
    horizons, gains = gain_curve(line, form, first)
    fit = slope_interval(np.log(horizons), np.log(gains))
    yield at_most(fit.high, slope, f"{line.where}: slope of the information gain")
    steps = np.geomspace(1e-4, 0.1, 13)
    worst = float((2.0 * (1.0 - form(steps[None], line.lengthscale)[0]) / steps**2).max())
    yield at_most(worst, 1.0 / line.lengthscale**2, f"{line.where}: mean square slope", tolerance=1e-6)


POINTS = {1: 100, 2: 16}


class Cube(Instance, words="d = {dim}, length-scale {lengthscale:g}, R = {noise_sd:g}"):
    """A kernel on a grid of the unit cube; every point is observed equally often."""

    dim: int
    lengthscale: float
    noise_sd: float = 0.1


@statement(
    "remark-mig-rbf",
    "rate",
    lambda: (Cube(dim, scale, noise) for dim in (1, 2) for scale in (0.2, 0.5, 1.0) for noise in (0.1, 0.5)),
    need("one or two dimensions", lambda cube: cube.dim in POINTS, Cube(3, 0.2)),
    teeth={
        "Matérn 1/2 in place of the squared exponential": {"kernel": "matern12"},
        "one power less than printed": {"extra": -1.0},
    },
    depends="eq-rbf",
    corrected=fix(r"with $(\log T)^{d+1}$, as in the source that is cited", extra=1.0),
)
def remark_mig_rbf(cube: Cube, *, extra: float = 0.0, kernel: str = "se") -> Iterator[Case]:
    r"""$\gamma_T=O\big((\log T)^d\big)$ for the radial basis function on a compact set of $\R^d$

    A lower end suffices to refute it: with T/N observations at each of N points the gain is
    :math:`\frac12\sum_i\log(1+T\lambda_i/(NR^2))`, :math:`\lambda_i` the eigenvalues of the covariance; six horizons
    over five decades. q is fitted against :math:`\log(T/R^2)`, which has the same limit as :math:`\log T`, nearer.
    """
    points = grid(POINTS[cube.dim], cube.dim)
    eigenvalues = np.linalg.eigvalsh(np.asarray(kernel_by_name(kernel, cube.lengthscale)(points)))
    eigenvalues = eigenvalues[eigenvalues > 0]
    copies = 10.0 ** np.arange(6)
    gains = np.array([0.5 * np.log1p(m * eigenvalues / cube.noise_sd**2).sum() for m in copies])
    ratios = np.log(copies * len(points) / cube.noise_sd**2)
    fit = slope_interval(np.log(ratios), np.log(gains))
    yield exponent(fit.low, fit.high, cube.dim + extra, f"{cube.where}: exponent of log T")


@statement(
    "eq-1",
    "identity",
    lambda: (Record(*sizes, 0.1) for sizes in ((2, 1, 20), (4, 2, 30), (3, 3, 30), (6, 5, 30))),
    need("$R>0$", lambda record: record.noise_sd > 0, Record(2, 1, 5, 0.0)),
    teeth={
        "one radial function of all laws together": {"coupling": "joint"},
        "a prior variance of 1 + |C|": {"own": 1.0},
    },
    depends="eq-rbf",
)
def eq_1(record: Record, *, coupling: str = "additive", own: float = 2.0) -> Iterator[Case]:
    r"""$k(z,z')=k_{RBF}(x,x')+k_{RBF}(c,c')+\sum_{c\in C}k_{RBF}(\xi_c,\xi_c')$; ours: paths are
    $u(x)+v(c)+\sum_cw_c(\xi_c)$ and $k(z,z)=2+\abs{C}$

    Left of the last two cases are mixed second differences of the posterior mean, of two contexts' laws and of a law and
    the action: :math:`\mu(u',v')-\mu(u',v)-\mu(u,v')+\mu(u,v)`, the largest of 20.
    """
    changed = replace(record, coupling=coupling)
    unit = AdditiveKernel(coupling=coupling)
    generator = stream(3, "eq-1", record.where)
    shape = (record.contexts, record.actions)
    laws = random_laws(40, shape, generator)
    plays = Plays(generator.standard_normal((40, 2)), generator.standard_normal((40, 1)), laws)
    gram = unit(plays)
    yield at_most(max(-float(np.linalg.eigvalsh(gram).min()), 0.0), 1e-9, f"{record.where}: most negative eigenvalue")
    yield equal(float(np.diagonal(gram).max()), own + record.contexts, f"{record.where}: prior variance")
    one, other = laws[:20], laws[20:]
    mean_one, mean_other = changed.dense(one)[0], changed.dense(other)[0]
    action = np.abs((mean_one[:, 0] - mean_one[:, 1]) - (mean_other[:, 0] - mean_other[:, 1])).max()
    yield at_most(float(action), 1e-9, f"{record.where}: law and action")
    if record.contexts > 1:
        mixed, swapped = one.copy(), other.copy()
        mixed[:, 0], swapped[:, 0] = other[:, 0], one[:, 0]
        second = mean_one + mean_other - changed.dense(mixed)[0] - changed.dense(swapped)[0]
        yield at_most(float(np.abs(second).max()), 1e-9, f"{record.where}: laws of two contexts")
