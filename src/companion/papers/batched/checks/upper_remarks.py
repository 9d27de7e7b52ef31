"""Remark 1 (continuous domains) and Remark 4 (comparison of regret bounds)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from companion.checks.cases import Case, exponent, worst_of
from companion.checks.instance import Instance
from companion.checks.statement import fix, need, statement
from companion.core.randomness import stream
from companion.gp import Kernel, kernel_by_name
from companion.judge.intervals import slope_interval
from companion.papers.batched.problems.catalogue import SMOOTHNESS
from companion.papers.batched.theory.runs import OfKernel

# -- Remark 1 ----------------------------------------------------------------------------------------------------------


class Refinement(OfKernel, Instance, words="{self.title}, d={self.dim}, length-scale {self.lengthscale:g}"):
    """A kernel on [0, 1]^dim and grids of growing fineness; ``height`` is the functions' norm over Psi."""

    kernel: str
    lengthscale: float
    dim: int
    norm: float = 1.0
    height: float = 1.0
    spacings: tuple[float, ...] = (0.1, 0.03, 0.01, 0.003, 0.001)

    @property
    def model(self) -> Kernel:
        """The kernel."""
        return kernel_by_name(self.kernel, self.lengthscale)


def _lipschitz(nu: float) -> float:
    return 1.0


def _hoelder(nu: float) -> float:
    return min(nu, 1.0)


@statement(
    "remark-1",
    "rate",
    lambda: tuple(
        Refinement(kernel, lengthscale, dim, norm)
        for kernel in SMOOTHNESS
        for lengthscale, dim, norm in ((0.3, 1, 1.0), (0.6, 2, 2.0), (1.0, 3, 1.0))
    ),
    need(r"$\norm{f}_k\le\Psi$", lambda i: i.height <= 1.0, Refinement("se", 0.3, 1, height=1.5)),
    teeth={
        "0.95 of the distance in the RKHS": {"coefficient": 0.95},
        "differences fall by a quarter power faster": {"faster": 0.25},
    },
    corrected=fix(
        r"functions are Lipschitz for $\nu>1$ and the SE kernel; for smaller $\nu$ they are Hölder continuous of order "
        r"$\nu$ only, and a grid of spacing $T^{-1/(2\nu)}$ serves as well, its logarithm being of the same order",
        order=_hoelder,
    ),
)
def remark_1(
    instance: Refinement,
    *,
    order: Callable[[float], float] = _lipschitz,
    coefficient: float = 1.0,
    faster: float = 0.0,
) -> Iterator[Case]:
    r"""Functions with $\norm{f}_k\le\Psi$ are Lipschitz, so that a grid of spacing $T^{-1/2}$ costs $O(\sqrt T)$ regret:
    the same rate as for a finite domain, up to logarithmic factors

    1. Random kernel expansions f, and the function (k(x, ·) - k(y, ·)) Ψ/‖k(x, ·) - k(y, ·)‖ that differs most between
       x and y: |f(x) - f(y)| ≤ ``coefficient`` Ψ √(2 - 2k(x, y)).
    2. The largest difference over a distance r is at most of order r or r^{min(ν, 1)} (``order``); ``faster`` is
       added to the exponent.
    3. With distances of order T^{-1/2} (T^{-1/(2 min(ν, 1))}), the loss of T rounds is of order √T.
    """
    kernel, generator = instance.model, stream(7, "batched", "ledger", "remark-1", instance.where)
    gaps, norm = [], instance.height * instance.norm
    direction = np.ones(instance.dim) / math.sqrt(instance.dim)
    worst = []
    for spacing in instance.spacings:
        x = generator.uniform(0.3, 0.6, instance.dim)
        pair = np.stack([x, x + spacing * direction])
        distance = math.sqrt(2.0 - 2.0 * float(kernel(pair)[0, 1]))
        centres = np.concatenate([pair, generator.uniform(0.0, 1.0, (4, instance.dim))])
        gram = kernel(centres)
        witness = np.array([1.0, -1.0, 0.0, 0.0, 0.0, 0.0])
        for weights in (witness, *generator.standard_normal((20, 6))):
            values = gram[:2] @ weights * (norm / math.sqrt(weights @ gram @ weights))
            bound = coefficient * instance.norm * distance
            gaps.append(
                (abs(float(values[0] - values[1])), bound, f"|f(x)-f(y)| at distance {spacing:g}, {instance.where}")
            )
        values = gram[:2] @ witness * (norm / math.sqrt(witness @ gram @ witness))
        worst.append(abs(float(values[0] - values[1])))
    yield worst_of(gaps)
    power = order(instance.nu) + faster
    fit = slope_interval(np.log(instance.spacings), np.log(worst))
    # Between two grids of the range the exponent is reached up to the curvature of the kernel over the largest spacing.
    allowance = instance.spacings[0] / instance.lengthscale * 0.1
    yield exponent(
        fit.low, fit.high, power, f"power of the distance, {instance.where}", side="at least", allowance=allowance
    )
    horizons = np.array([1e2, 1e4, 1e6, 1e8])
    pairs = (np.stack([np.full(instance.dim, 0.5), 0.5 + s * direction]) for s in horizons ** (-0.5 / power))
    losses = [t * math.sqrt(max(2.0 - 2.0 * float(kernel(p)[0, 1]), 0.0)) for t, p in zip(horizons, pairs, strict=True)]
    grown = slope_interval(np.log(horizons), np.log(losses))
    yield exponent(grown.low, grown.high, 0.5, f"power of T in the loss, {instance.where}", allowance=allowance)


# -- Remark 4 ----------------------------------------------------------------------------------------------------------


class Regime(Instance):
    """Domains that grow with the horizon, at T = exp(``log_horizon``) for every entry.

    ``assumption`` is ``"mild"``, log |X| = ``share`` log T, or ``"extremely mild"``, log |X| = ``share`` log log log T.
    """

    words = "{self.assumption} assumption, share {self.share:g}, Psi={self.norm:g}, delta={self.delta:g}"

    assumption: str
    share: float
    norm: float
    delta: float
    log_horizons: tuple[float, ...] = tuple(10.0**k for k in range(1, 101, 3))

    def log_domain(self, log_horizon: float) -> float:
        """log |X|."""
        return self.share * (log_horizon if self.assumption == "mild" else math.log(math.log(log_horizon)))


def _no_factor(log_horizon: float) -> float:
    return 1.0


def _root_of_triple(log_horizon: float) -> float:
    """√(log log log T)."""
    return math.sqrt(math.log(math.log(log_horizon)))


@statement(
    "remark-4",
    "inequality",
    lambda: tuple(
        Regime(assumption, share, norm, delta)
        for assumption in ("mild", "extremely mild")
        for share, norm, delta in ((1.0, 1.0, 0.1), (0.25, 3.0, 0.01), (4.0, 0.5, 0.5))
    ),
    need(
        "$T>e^e$, so that the triple logarithm has a root",
        lambda i: min(i.log_horizons) > math.e,
        Regime("mild", 1.0, 1.0, 0.1, (2.0, 10.0)),
    ),
    teeth={
        "with the factor log log T": {"factor": math.log},
        "root of log T under the extremely mild assumption": {"extra": math.sqrt},
        "the factor costs a power of 1.5": {"least": 1.5},
    },
    depends="lemma-1 theorem-1",
)
def remark_4(
    instance: Regime,
    *,
    factor: Callable[[float], float] = _no_factor,
    extra: Callable[[float], float] = _root_of_triple,
    least: float = 1.0,
) -> Iterator[Case]:
    r"""If $\log\log\log T=O(\log\abs{\X})$, Theorem 1 becomes $R_T=O(\sqrt{T\gamma_T\log(\abs{\X}/\delta)})$. With the
    factor $\log\log T$ of Lemma 1 this is out of reach, and the Bayesian bound
    $O((\sqrt{\log(\abs{\X}/\delta)}+\sqrt{\log T})\sqrt{T\gamma_T})$ needs $\log T=O(\log\abs{\X})$

    1. (Λ + √(log log log T)) ≤ (1 + Ψ/√log(1/δ) + 1/√share) √log(|X|/δ). ``factor`` and ``extra`` are functions of log T.
    2. With the factor log log T the quotient of the two sides grows as a power of log log T, of at least ``least``,
       under either assumption.
    """
    ours, with_count = [], []
    constant = 1.0 + instance.norm / math.sqrt(-math.log(instance.delta)) + instance.share**-0.5
    for log_t in instance.log_horizons:
        domain = math.sqrt(instance.log_domain(log_t) - math.log(instance.delta))
        prefactor = factor(log_t) * (instance.norm + domain + extra(log_t))
        ours.append((prefactor, constant * domain, f"prefactor, {instance.where}, log T={log_t:.3g}"))
        plain = instance.norm + domain + _root_of_triple(log_t)
        with_count.append(math.log(log_t) * plain / domain)
    yield worst_of(ours)
    far = slice(len(with_count) // 3, None)
    fit = slope_interval(np.log(np.log(instance.log_horizons[far])), np.log(with_count[far]))
    # The terms besides √log(|X|/δ) die out (mild) or approach a constant share (extremely mild).
    where = f"power of log log T with the factor of Lemma 1, {instance.where}"
    yield exponent(fit.low, fit.high, least, where, side="at least", allowance=0.1)
