"""Statements: required length of the initial design, (18), and its effect on Corollary 1's last displays."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import product

import numpy as np
from scipy import optimize

from companion.checks.cases import Case, at_most, equal, exponent, none_of
from companion.checks.instance import Instance
from companion.checks.statement import need, statement
from companion.information.upper import spectral_bound
from companion.judge.intervals import slope_interval
from companion.papers.tsrsr.checks.appendix_gain import GrowthProblem, growth
from companion.papers.tsrsr.theory import bounds

# -- lengths and displays of Corollary 1 -------------------------------------------------------------------------------

BATCHES = (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)


@lru_cache(maxsize=32)
def lengths_needed(problem: GrowthProblem) -> tuple[int, ...]:
    """The least T_0 with m gamma <= T_0 for every m of ``BATCHES``, gamma at its certified upper end."""
    found, noise = problem.spectrum(), problem.noise_sd**2
    lengths = []
    for batch in BATCHES:
        low, high = 0, batch
        while batch * spectral_bound(found, high, noise) > high:
            low, high = high, 2 * high
        while high - low > max(1, high // 10_000):
            middle = (low + high) // 2
            low, high = (low, middle) if batch * spectral_bound(found, middle, noise) <= middle else (middle, high)
        lengths.append(high)
    return tuple(lengths)


def design_growth(problem: GrowthProblem, *, linear: bool = False) -> Case:
    r"""Growth of the design's length with m: :math:`m\,\mathrm{polylog}(m)` or :math:`\mathrm{poly}(m)`.

    For the squared exponential :math:`T_0/m` is at most of the order :math:`(\log m)^{d+1}`; for the Matérn kernel Lemma 12
    gives :math:`T_0=\tilde O(m^{1+d(d+1)/(2\nu)})`. Slopes of logarithms over four decades of m.
    """
    batches, lengths = np.array(BATCHES, dtype=float), np.array(lengths_needed(problem), dtype=float)
    where = f"{problem.kernel}, m up to {BATCHES[-1]}: length of the design"
    if math.isinf(problem.smoothness):
        fitted = slope_interval(np.log(np.log(batches)), np.log(lengths / batches))
        return exponent(fitted.low, fitted.high, problem.dim + 1.0, where)
    fitted = slope_interval(np.log(batches), np.log(lengths))
    claimed = 1.0 if linear else 1.0 + problem.dim * (problem.dim + 1) / (2.0 * problem.smoothness)
    return exponent(fitted.low, fitted.high, claimed, where)


class LinearKernel(Instance, words="linear kernel, d = {dim}, noise {noise_sd:g}"):
    """The linear kernel on the unit ball of R^dim, whose gain orthogonal unit vectors attain (Lemma 12 (a))."""

    dim: int
    noise_sd: float
    size: int = 100
    prior: str = "linear"

    def gain(self, points: float) -> float:
        """Upper bound on gamma with its constants, typed from Lemma 12 (a)'s explicit form."""
        return self.dim / 2.0 * math.log(1.0 + points / (self.dim * self.noise_sd**2))

    def length(self, batch: int) -> float:
        """The T_0, not rounded, with m gamma = T_0, or m where one point each is enough."""
        if batch * self.gain(batch) <= batch:
            return float(batch)
        high = 2.0 * batch
        while batch * self.gain(high) > high:
            high *= 2.0
        return float(optimize.brentq(lambda n: batch * self.gain(n) - n, batch, high))


def linear_growth(kernel: LinearKernel, *, steps: float = 1.0) -> Case:
    r"""For the linear kernel :math:`T_0/m` is at most of the order :math:`\log m`, so that :math:`T_0=m\,\mathrm{polylog}(m)`."""
    lengths = np.array([kernel.length(batch) / batch for batch in BATCHES])
    fitted = slope_interval(np.log(np.log(BATCHES)), np.log(lengths))
    return exponent(fitted.low, fitted.high, steps, f"{kernel.where}: length of the design")


def final_display(problem: GrowthProblem | LinearKernel, *, logarithms: int = 1) -> Case:
    r"""The last displays: the second term is :math:`\tilde O` of :math:`\sqrt{Tmd\log(Tm)\log N}`, linear kernel, or of
    :math:`\sqrt{Tm(\log Tm)^d\log N}`, squared exponential.

    Theorem 1 with its constants and :math:`\rho_m\le e`, over the display, may grow like a power of :math:`\log n` that
    :math:`\tilde O` hides, n = Tm: one half for the :math:`\log(Nn^3)` of Theorem 1, and for the squared exponential one
    half more, since Lemma 12 has :math:`(\log\tau)^{d+1}`.
    """
    if isinstance(problem, LinearKernel):
        horizons, size, hidden, power = [10**k for k in range(2, 9)], problem.size, 0.5, 1
        gains, inside = [problem.gain(n) for n in horizons], float(problem.dim)
    else:
        horizons, size, hidden, power = problem.horizons, problem.per_axis**problem.dim, 1.0, problem.dim
        gains, inside = growth(problem)[1].tolist(), 1.0
    ratio = [
        bounds.theorem1(size, n, 1, problem.noise_sd**2, gain, ratio=math.e)
        / math.sqrt(n * inside * math.log(n) ** (logarithms * power) * math.log(size))
        for n, gain in zip(horizons, gains, strict=True)
    ]
    fitted = slope_interval(np.log(np.log(horizons)), np.log(ratio))
    name = problem.where if isinstance(problem, LinearKernel) else problem.kernel
    return exponent(fitted.low, fitted.high, hidden, f"{name}: second term over the display, power of log Tm")


# -- (18) --------------------------------------------------------------------------------------------------------------


class BatchOf(Instance, words="d = {dim}, m = {batch:.4g}"):
    """A batch of ``batch`` points in dimension ``dim``."""

    dim: int
    batch: int


def _excess(constant: float, batch: int, power: int) -> float:
    r""":math:`\log\big(m(\log m^c)^p/m^c\big)`."""
    return (1.0 - constant) * math.log(batch) + power * math.log(constant * math.log(batch))


@lru_cache(maxsize=64)
def smallest_constant(dim: int, batch: int = 2) -> float:
    r"""The least c from which on :math:`m(\log m^c)^{d+1}\le m^c`, for one m; the case m = 2 needs the largest.

    Beyond :math:`c=(d+1)/\log m` the quotient of the two sides falls; the root there is the answer.
    """
    start = (dim + 1) / math.log(batch)
    end = 2.0 * start
    while _excess(end, batch, dim + 1) > 0:
        end *= 2.0
    return float(optimize.brentq(_excess, start, end, args=(batch, dim + 1), xtol=1e-13))


def initial_length(dim: int, batch: int, constant: float) -> float:
    r""":math:`T_0=m(\log m^c)^{d+1}`, Corollary 1's length of the design for the squared exponential."""
    return float(batch * (constant * math.log(batch)) ** (dim + 1))


EQ_18_BATCHES = (2, 3, 4, 5, 10, 20, 50, 100, 10**4, 10**6, 10**12, 10**30)


@statement(
    "eq-18",
    "inequality",
    lambda: [BatchOf(dim, batch) for dim, batch in product((1, 2, 3, 6), EQ_18_BATCHES)],
    need(r"$m\ge2$", lambda case: case.batch >= 2, BatchOf(2, 1)),
    teeth={
        "0.99 of the constant": {"share": 0.99},
        "one constant, 3.8, for all dimensions": {"given": 3.8},
        "the power d in place of d + 1 in T_0": {"added": 0},
    },
    depends="lemma-11 lemma-12b",
)
def eq_18(case: BatchOf, *, share: float = 1.0, added: int = 1, given: float | None = None) -> Iterator[Case]:
    r"""If $\gamma_\tau=(\log\tau)^{d+1}$ and $T_0=m(\log m^c)^{d+1}$ with $c$ large enough for $d$, then $m(\log
    m^c)^{d+1}\le m^c$ and $\frac{m\gamma_{T_0}}{T_0}=\frac{(\log T_0)^{d+1}}{(\log m^c)^{d+1}}\le1$

    c has to be large enough for d. Here it is the least one that serves all m from 2 on. Tested are the left side of the
    display with T_0 as it is and rounded up to a whole number, its last form, and that it is at most 1 exactly where
    :math:`T_0\le m^c`.
    """
    constant = share * smallest_constant(case.dim) * (1.0 + 1e-9) if given is None else given
    power, m = case.dim + 1, case.batch
    length = m * (constant * math.log(m)) ** (case.dim + added)
    left = m * math.log(length) ** power / length
    yield at_most(left, 1.0, f"{case.where}: the display", 1e-8)
    whole = math.ceil(length)
    yield at_most(m * math.log(whole) ** power / whole, 1.0, f"{case.where}: T_0 rounded up", 1e-8)
    if added == 1:
        last = (math.log(length) / (constant * math.log(m))) ** power
        yield equal(left, last, f"{case.where}: first and last form")
    broken = 0
    values = np.linspace(0.5, 1.5, 41) * smallest_constant(case.dim, m)
    for value in values[values * math.log(m) > 1.0]:
        long = initial_length(case.dim, m, float(value))
        broken += int(
            (m * math.log(long) ** power <= long * (1 + 1e-9)) != (math.log(long) <= value * math.log(m) + 1e-9)
        )
    yield none_of(broken, len(values), f"{case.where}: the condition on c")
