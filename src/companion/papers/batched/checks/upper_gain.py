"""Statements on information gain: eqs. (1), (2), (47), Definition 1 and Remark 11."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from companion.checks.cases import Case, at_most, equal, exponent, worst_of
from companion.checks.instance import Instance
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.gp import kernel_by_name
from companion.judge.intervals import slope_interval
from companion.papers.batched.method.sizes import eta, power_sizes
from companion.papers.batched.theory.bounds import GainEnvelope
from companion.papers.batched.theory.rates import envelope_drift, first_batch_exponent
from companion.papers.batched.theory.regret_runs import gain_ends
from companion.papers.batched.theory.runs import OfKernel

# -- eqs. (1) and (2) --------------------------------------------------------------------------------------------------


class GainCurve(OfKernel, Instance):
    """Information gain on a grid of [0, 1]^dim over growing t."""

    kernel: str
    lengthscale: float
    dim: int
    axis: int
    noise_sd: float
    counts: tuple[int, ...]

    @property
    def where(self) -> str:
        """The instance in words."""
        span = f"t={self.counts[0]}..{self.counts[-1]}"
        return f"{self.title}, d={self.dim}, {self.axis**self.dim} points, noise {self.noise_sd:g}, {span}"

    def gain_ends(self) -> tuple[Floats, Floats]:
        """Certified lower and upper ends of γ_t at the counts."""
        kernel = kernel_by_name(self.kernel, self.lengthscale)
        return gain_ends(kernel, self.axis, self.dim, self.noise_sd, self.counts)


def _se_curves() -> tuple[GainCurve, ...]:
    decades = (100, 1000, 10**4, 10**5, 10**6)
    return (
        GainCurve("se", 0.2, 1, 100, 1.0, decades),
        GainCurve("se", 0.2, 1, 100, 0.3, decades),
        GainCurve("se", 0.4, 2, 12, 1.0, decades),
    )


def _matern_curves() -> tuple[GainCurve, ...]:
    """Counts between the range where every observation is news and the one where the grid is exhausted."""
    return (
        GainCurve("matern12", 0.2, 1, 300, 1.0, (30, 100, 300, 1000, 3000)),
        GainCurve("matern32", 0.3, 2, 18, 1.0, (100, 300, 1000, 3000, 10_000)),
        GainCurve("matern52", 0.2, 1, 200, 1.0, (300, 1000, 3000, 10_000, 30_000)),
        GainCurve("matern52", 0.2, 1, 200, 0.3, (300, 1000, 3000, 10_000, 30_000)),
    )


_IS_SE = need("SE kernel", lambda i: i.kernel == "se", GainCurve("matern12", 0.2, 1, 10, 1.0, (3, 10, 30)))
_IS_MATERN = need("Matérn kernel", lambda i: i.kernel != "se", GainCurve("se", 0.2, 1, 10, 1.0, (3, 10, 30)))


@statement(
    "eq-1",
    "rate",
    _se_curves,
    _IS_SE,
    teeth={"power d": {"extra": 0.0}},
)
def equation_1(instance: GainCurve, *, extra: float = 1.0) -> Case:
    r"""$\gamma_t=O((\log t)^{d+1})$ for the SE kernel"""
    fit = slope_interval(np.log(np.log(instance.counts)), np.log(instance.gain_ends()[1]))
    return exponent(fit.low, fit.high, instance.dim + extra, f"power of log t, {instance.where}")


@statement(
    "eq-2",
    "rate",
    _matern_curves,
    _IS_MATERN,
    teeth={"smoothness one larger": {"smoother": 1.0}, "smoothness two larger": {"smoother": 2.0}},
)
def equation_2(instance: GainCurve, *, smoother: float = 0.0) -> Case:
    r"""$\gamma_t=O\big(t^{\frac d{2\nu+d}}(\log t)^{\frac{2\nu}{2\nu+d}}\big)$ for Matérn kernels

    The fitted exponent of t is that of γ_t (upper end) over its logarithmic factor.
    """
    nu = instance.nu + smoother
    power = instance.dim / (2 * nu + instance.dim)
    rest = np.log(instance.gain_ends()[1]) - (1.0 - power) * np.log(np.log(instance.counts))
    fit = slope_interval(np.log(instance.counts), rest)
    return exponent(fit.low, fit.high, power, f"power of t, {instance.where}")


# -- Definition 1, eq. (47), Remark 11 ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Envelope:
    """α_t = (log t)^power at the batch sizes of rule (6)."""

    horizon: int
    a: float
    power: float


def _envelopes() -> Iterator[Envelope]:
    for horizon in (100, 1000, 10_007, 10**6, 10**12):
        for a in (0.31, 0.4, 0.5):
            for power in (-2.0, -0.5, 0.0, 0.6, 2.0):
                yield Envelope(horizon, a, power)


@statement(
    "definition-1",
    "inequality",
    _envelopes,
    need("$0<a<1$", lambda i: 0 < i.a < 1, Envelope(100, 1.0, 1.0)),
    need("$T\\ge3$", lambda i: i.horizon >= 3, Envelope(2, 0.5, 1.0)),
    teeth={
        "alpha decreases as a power of t": {"polynomial": -0.1},
        "half the exponent in the constant": {"share": 0.5},
    },
    depends="eq-6",
    corrected=fix(
        r"$\alpha_{N_i}=O(\alpha_T)$ for $i\le B-1$, which is all that the proof uses; the last batch takes what is left "
        "and may consist of a single round",
        counted=slice(None, -1),
    ),
)
def definition_1(
    instance: Envelope, *, counted: slice = slice(None), polynomial: float = 0.0, share: float = 1.0
) -> Iterator[Case]:
    r"""$\bar\gamma_t=c't^{\frac d{2\nu+d}}\alpha_t$ with $\alpha_{N_i}=O(\alpha_T)$ for all $i\in[B]$; $\alpha_t=(\log
    t)^c$ qualifies for every $c$, also negative ones

    Compared are the inverses, since α itself need not be finite. ``share`` multiplies the exponent of the constant.
    """
    sizes, c = power_sizes(instance.horizon, instance.a), instance.power
    constant = envelope_drift(instance.horizon, instance.a, share * c)

    def inverse(t: float) -> float:
        """1/α_t; at t = 1 it is zero for c < 0, where α is not finite, and infinite for c > 0."""
        logarithm = math.log(t)
        if logarithm == 0.0:
            return math.inf if c > 0 else float(c == 0)
        return logarithm**-c * t**-polynomial

    for number, size in enumerate(sizes[counted], 1):
        where = f"1/alpha_t, alpha_t=(log t)^{c:g}, a={instance.a:g}, T={instance.horizon}, N_{number}={size}"
        yield at_most(inverse(instance.horizon) / constant, inverse(size), where)


@dataclass(frozen=True)
class FirstTwo:
    """The bounds of the first two batches in Case 2 of Theorem 1."""

    nu: float
    dim: int
    a: float
    scale: float
    power: float
    horizons: tuple[int, ...] = (10, 10**3, 10**6, 10**9, 10**12, 10**15)

    @property
    def eta(self) -> float:
        """ν/(2ν+d)."""
        return eta(self.nu, self.dim)


@statement(
    "eq-47",
    "identity",
    lambda: (
        FirstTwo(0.5, 1, 0.3, 1.0, 0.5),
        FirstTwo(0.5, 2, 0.4, 0.2, 0.0),
        FirstTwo(1.5, 2, 0.31, 3.0, 1.0),
        FirstTwo(1.5, 2, 0.5, 1.0, 0.6),
        FirstTwo(2.5, 1, 0.45, 2.0, 5.0 / 6.0),
        FirstTwo(2.5, 2, 0.4, 0.5, 2.0),
    ),
    need(r"$\eta<a\le\frac12$", lambda i: i.eta < i.a <= 0.5, FirstTwo(2.5, 1, 0.3, 1.0, 0.0)),
    teeth={"a^2 in place of a": {"power_of_a": 2}, "without the root": {"root": lambda value: 1.0}},
    depends="definition-1",
)
def equation_47(
    instance: FirstTwo, *, power_of_a: int = 1, root: Callable[[float], float] = math.sqrt
) -> Iterator[Case]:
    r"""$U_2/U_1=T^{(a-1)(\eta-a)}\sqrt{c'\alpha_T}$ with a positive exponent for $a\in(\eta,\frac12]$

    The left side is computed from the two definitions.
    """
    a, exponent_value = instance.a, instance.eta
    envelope = GainEnvelope(instance.scale, exponent_value, instance.power)
    where = f"nu={instance.nu:g}, d={instance.dim}, a={a:g}, c'={instance.scale:g}"
    grown = first_batch_exponent(a, exponent_value) if power_of_a == 1 else (a**power_of_a - 1.0) * (exponent_value - a)
    yield at_most(0.0, grown, f"sign of the exponent, {where}")
    for horizon in instance.horizons:
        width, t = 3.0, float(horizon)
        first = t ** (1.0 - a) * width
        second = t ** (a * (exponent_value - a)) * width * math.sqrt(t * envelope.at(t))
        factor = root(instance.scale * math.log(t) ** instance.power)
        yield equal(second / first, t**grown * factor, f"U_2/U_1, {where}, T={horizon}")


@statement(
    "remark-11",
    "rate",
    _matern_curves,
    _IS_MATERN,
    teeth={"half the smoothness": {"rougher": 2.0}, "no logarithmic factor to spare": {"spare": 0.0}},
    depends="eq-2 definition-1",
)
def remark_11(instance: GainCurve, *, rougher: float = 1.0, spare: float = 1.0) -> Iterator[Case]:
    r"""$\gamma_T=\Omega(T^{\frac d{2\nu+d}}(\log T)^{-c})$, so that $\bar\gamma_T$ and $\gamma_T$ differ by at most
    $(\log T)^{c+\frac{2\nu}{2\nu+d}}\le(\log T)^{c+1}$

    1. The two cited regret rates give that exponent: T^{(ν+d)/(2ν+d)} ≤ √(Tγ_T) up to logarithms means
       2(ν+d)/(2ν+d) - 1 = d/(2ν+d), and the logarithm's 2ν/(2ν+d) is at most ``spare``.
    2. The fitted exponent of γ_t (lower end of its certificate) is at least d/(2ν+d), with ν divided by ``rougher``.
    3. γ̄_t/γ_t (lower end), γ̄_t = t^{d/(2ν+d)} (log t)^{2ν/(2ν+d)}, grows at most as (log t)^``spare``: c is not needed.
    """
    nu, dim = instance.nu, instance.dim
    power = dim / (2 * nu + dim)
    yield equal(2 * (nu + dim) / (2 * nu + dim) - 1, power, f"exponents, {instance.where}")
    yield at_most(1.0 - power, spare, f"power of the logarithm, {instance.where}")
    counts, lower = np.array(instance.counts, dtype=float), instance.gain_ends()[0]
    fit = slope_interval(np.log(counts), np.log(lower))
    claimed = dim / (2 * nu / rougher + dim)
    yield exponent(fit.low, fit.high, claimed, f"power of t in gamma_t, {instance.where}", side="at least")
    envelope = counts**power * np.log(counts) ** (1.0 - power)
    quotient, logarithms = envelope / lower, np.log(counts)
    yield worst_of(
        (q / quotient[0], float(log / logarithms[0]) ** spare, f"growth of the quotient up to t={t}, {instance.where}")
        for q, log, t in zip(quotient[1:], logarithms[1:], instance.counts[1:], strict=True)
    )
