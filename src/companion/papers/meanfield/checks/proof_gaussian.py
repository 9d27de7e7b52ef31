"""Statements of Appendix A on Gaussian values: their largest, and what is left above a confidence bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product

import numpy as np
from scipy import integrate, special

from companion.checks.cases import Case, at_most, equal
from companion.checks.instance import Instance
from companion.checks.samples import standard_error
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import kernel_by_name
from companion.papers.meanfield.checks.proof_cases import ERRORS, TITLES
from companion.papers.meanfield.checks.theorem import upper_limit


def largest_gaussian(log_count: float, absolute: bool = False) -> float:
    r""":math:`\E\max_{i\le N}X_i` (or of :math:`|X_i|`) for N independent standard normal values, by quadrature.

    .. math:: \E\max=\int_0^\infty(1-F^N)\,dx-\int_{-\infty}^0F^N\,dx

    Parameters
    ----------
    log_count : log N; N itself may be too large for a number
    absolute : whether of absolute values, where the second integral is absent
    """

    if log_count == 0.0 and not absolute:
        return 0.0

    def log_power(x: float) -> float:
        """N log F(x), which is minus exp(log N + log(-log F))."""
        tail = special.log_ndtr(-x) + (math.log(2.0) if absolute else 0.0)
        small = math.exp(tail)
        if small >= 1.0:
            return -math.inf
        ratio = -math.log1p(-small) / small if small > 1e-12 else 1.0
        return -math.exp(min(700.0, log_count + tail + math.log(ratio)))

    centre = math.sqrt(2.0 * max(log_count, 0.5))
    ends = [0.0, *(centre * share for share in (0.5, 0.8, 0.9, 1.0, 1.1)), centre + 10.0]
    above = sum(integrate.quad(lambda x: -math.expm1(log_power(x)), low, high)[0] for low, high in pairwise(ends))
    if absolute:
        return float(above)
    below = integrate.quad(lambda x: math.exp(log_power(x)), -12.0, 0.0)[0]
    return float(above - below)


@dataclass(frozen=True)
class Values:
    """N Gaussian values of one variance: equally correlated, or a path of a kernel at random laws over |A| actions."""

    count: int
    variance: float = 1.0
    correlation: float = 0.0
    kernel: str = ""
    actions: int = 2
    draws: int = 4000

    @property
    def where(self) -> str:
        """In words."""
        how = f"correlation {self.correlation:g}"
        if self.kernel:
            how = f"{TITLES[self.kernel]} at laws over {self.actions} actions"
        return f"N = {self.count}, variance {self.variance:g}, {how}"


@cache
def paths(values: Values) -> Floats:
    """(draws, N) paths with variance one."""
    generator = stream(0, "meanfield", "statements", "maximum", values.kernel, values.actions, values.count)
    laws = generator.dirichlet(np.ones(values.actions), values.count)
    covariance = np.asarray(kernel_by_name(values.kernel, 0.3)(laws)) + 1e-10 * np.eye(values.count)
    return np.asarray(generator.standard_normal((values.draws, values.count)) @ np.linalg.cholesky(covariance).T)


def largest_values() -> Iterator[Values]:
    """Equally correlated values, where the mean is exact, and three kernels at laws over two and three actions."""
    for count, correlation, variance in product((1, 2, 10, 1000), (0.0, 0.5, 0.99), (0.25, 1.0, 3.0)):
        yield Values(count, variance, correlation)
    for kernel, actions in product(("se", "matern12", "matern52"), (2, 3)):
        yield Values(200, 1.0, kernel=kernel, actions=actions)
        yield Values(200, 3.0, kernel=kernel, actions=actions)


@statement(
    "A1-maxgauss",
    "inequality",
    largest_values,
    need("at least one value", lambda values: values.count >= 1, Values(0)),
    teeth={
        "log N in place of 2 log N": {"factor": 1.0},
        "sigma = k(z, z), as printed": {"scale": float},
        "N in place of 2N for absolute values": {"doubled": False},
    },
)
def gaussian_maximum(
    values: Values, *, scale: Callable[[float], float] = math.sqrt, factor: float = 2.0, doubled: bool = True
) -> Iterator[Case]:
    r"""$\E\max_{i\le N}X_i\le\sigma\sqrt{2\log N}$ for centred $\sigma$-sub-Gaussian $X_i$ with any dependence; here
    $\sigma=\sqrt{k(z,z)}$

    Values of correlation rho are a common part and :math:`\sqrt{1-\rho}` times independent ones, so that their largest has
    exactly that multiple of the mean for independent ones. Paths of a kernel by simulation. The absolute value: at
    correlation zero by quadrature, for paths by simulation. Left is the upper 99 % limit of a simulated mean.
    """
    sd, sigma = math.sqrt(values.variance), scale(values.variance)
    bound = sigma * math.sqrt(factor * math.log(values.count))
    absolute = sigma * math.sqrt(factor * math.log((2 if doubled else 1) * values.count))
    if values.kernel:
        found = sd * paths(values)
        yield at_most(upper_limit(found.max(axis=1)), bound, values.where)
        yield at_most(upper_limit(np.abs(found).max(axis=1)), absolute, f"{values.where}, absolute")
        return
    logarithm = math.log(values.count)
    common = sd * math.sqrt(1.0 - values.correlation)
    yield at_most(common * largest_gaussian(logarithm), bound, values.where)
    if not values.correlation:
        yield at_most(sd * largest_gaussian(logarithm, absolute=True), absolute, f"{values.where}, absolute")


class Normal(Instance, words="mean {mean:g}, standard deviation {sd:g}"):
    """A Gaussian variable."""

    mean: float
    sd: float

    @property
    def positive_part(self) -> float:
        r""":math:`\E Z^+=\int_0^\infty z\,\varphi((z-m)/s)\,dz/s` by quadrature."""
        high = max(self.mean, 0.0) + 12.0 * self.sd
        marks = [self.mean] if 0.0 < self.mean < high else None

        def integrand(z: float) -> float:
            return z * math.exp(-0.5 * ((z - self.mean) / self.sd) ** 2)

        found = integrate.quad(integrand, 0.0, high, points=marks, epsabs=0.0, limit=200)[0]
        return float(found / (self.sd * math.sqrt(2.0 * math.pi)))


@statement(
    "A2-positive-part",
    "inequality",
    lambda: (Normal(m * s, s) for m, s in product((-5, -3, -1, -0.5, -0.1, 0, 0.1, 1, 3), (0.01, 1.0, 30.0))),
    need("$s>0$", lambda variable: variable.sd > 0.0, Normal(-1.0, 0.0)),
    teeth={
        "for positive means too, as printed": {"largest": math.inf},
        "without the 2 in the exponent": {"exponent": 1.0},
        "nine tenths of it": {"factor": 0.9},
    },
    corrected=fix(r"for $m\le0$, with equality at $m=0$", largest=0.0),
)
def positive_part(
    variable: Normal, *, largest: float = math.inf, exponent: float = 0.5, factor: float = 1.0
) -> Iterator[Case]:
    r"""$\E[Z^+]\le\frac s{\sqrt{2\pi}}e^{-m^2/(2s^2)}$ for $Z\sim\mathcal N(m,s^2)$"""
    if variable.mean <= largest:
        bound = (
            factor * variable.sd / math.sqrt(2.0 * math.pi) * math.exp(-exponent * (variable.mean / variable.sd) ** 2)
        )
        yield at_most(variable.positive_part, bound, variable.where)


@dataclass(frozen=True)
class Conditioned:
    """A path with prior ``kernel`` on [0, 1]^d, ten noisy values of it, and a bonus of ``beta`` standard deviations."""

    kernel: str
    dim: int
    noise_sd: float
    beta: float
    draws: int = 20_000

    @property
    def where(self) -> str:
        """In words."""
        return f"{TITLES[self.kernel]}, d = {self.dim}, noise {self.noise_sd:g}, beta = {self.beta:g}"


@cache
def conditioned(kernel: str, dim: int, noise_sd: float, draws: int) -> tuple[Floats, float]:
    """Errors f - mu (draws,) at a random place after ten observations, path and noise drawn jointly, and their sd."""
    generator = stream(0, "meanfield", "statements", "conditioned", kernel, dim, f"{noise_sd:g}")
    points = generator.random((11, dim))
    covariance = np.asarray(kernel_by_name(kernel, 0.3 * dim)(points))
    root = np.linalg.cholesky(covariance + 1e-12 * np.eye(11))
    values = generator.standard_normal((draws, 11)) @ root.T
    seen = values[:, :10] + noise_sd * generator.standard_normal((draws, 10))
    weights = np.linalg.solve(covariance[:10, :10] + noise_sd**2 * np.eye(10), covariance[:10, 10])
    return values[:, 10] - seen @ weights, math.sqrt(covariance[10, 10] - float(weights @ covariance[:10, 10]))


#: Six standard errors of a standard deviation from 20 000 draws.
SPREAD_TOLERANCE = 0.03


def conditionings() -> Iterator[Conditioned]:
    """Four kernels in one and two dimensions, three noise levels, bonuses from none to large."""
    places = (("se", 1, 0.1), ("matern12", 1, 1.0), ("matern32", 2, 0.1), ("matern52", 2, 0.01))
    for (kernel, dim, noise), beta in product(places, (0.0, 0.1, 0.5, 1.0, 4.0, 60.0)):
        yield Conditioned(kernel, dim, noise, beta)


def positive_part_above(bonus: float) -> float:
    r""":math:`\E(Z-b)^+=\varphi(b)-b\,\Phi(-b)` of a standard normal variable."""
    return printed_route(bonus) - bonus * float(special.ndtr(-bonus))


def printed_route(bonus: float) -> float:
    r"""Value of the printed proof, which goes through :math:`e^{-\beta_t^2/2}\le e^{-\beta_t/2}`."""
    return math.exp(-(bonus**2) / 2.0) / math.sqrt(2.0 * math.pi)


@statement(
    "A2-law",
    "inequality",
    conditionings,
    need(r"$\beta_t\ge0$", lambda instance: instance.beta >= 0.0, Conditioned("se", 1, 0.1, -1.0)),
    teeth={
        "the variance in the mean, as printed": {"power": 2.0},
        "the printed route, for beta below 1": {"route": printed_route},
        "a negative bonus": {"flip": -1.0},
    },
    depends="eq-posterior A2-positive-part",
    corrected=fix(r"the mean is $-\beta_t\sigma_{t-1}$", power=1.0),
)
def upper_confidence_law(
    instance: Conditioned,
    *,
    power: float = 2.0,
    route: Callable[[float], float] = positive_part_above,
    flip: float = 1.0,
) -> Iterator[Case]:
    r"""$f-U_t\mid\mathcal D_{t-1}\sim\mathcal N(-\beta_t\sigma_{t-1}^2,\sigma_{t-1}^2)$, hence $\E[(f-U_t)^+\mid\mathcal
    D_{t-1}]\le\frac{\sigma_{t-1}}{\sqrt{2\pi}}e^{-\beta_t/2}$

    The mean by simulation of path and noise (as printed and with :math:`\sigma` for :math:`\sigma^2`), the standard
    deviation likewise. Then :math:`\E(f-U_t)^+\le\frac\sigma{\sqrt{2\pi}}e^{-\beta_t/2}`: the left side by the closed form
    for the paper's bonus, and with :math:`\sqrt{\beta_t}` for the usual one.
    """
    error, sd = conditioned(instance.kernel, instance.dim, instance.noise_sd, instance.draws)
    beta = flip * instance.beta
    difference = error - beta * sd
    miss = abs(float(difference.mean()) + beta * sd**power)
    yield at_most(miss, ERRORS * standard_error(difference), f"{instance.where}: mean of f - U, four errors")
    spread = float(difference.std(ddof=1))
    yield equal(spread, sd, f"{instance.where}: standard deviation", tolerance=SPREAD_TOLERANCE)
    allowed = sd * math.exp(-beta / 2.0) / math.sqrt(2.0 * math.pi)
    for name, bonus in (("beta", beta), ("root of beta", math.copysign(math.sqrt(abs(beta)), beta))):
        yield at_most(sd * route(bonus), allowed, f"{instance.where}: positive part, bonus {name}")
