"""Statements: Corollary 1, and the companion's bounds on the expected regret, with and without resampling."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy import integrate, stats

from companion.checks.cases import Case, agrees, at_most
from companion.checks.instance import Instance
from companion.checks.samples import standard_error
from companion.checks.statement import need, statement
from companion.papers.tsrsr.checks.appendix_design import DIFFERENCE_RTOL
from companion.papers.tsrsr.checks.appendix_gain import GrowthProblem
from companion.papers.tsrsr.checks.appendix_length import LinearKernel, design_growth, final_display, linear_growth
from companion.papers.tsrsr.checks.appendix_plays import (
    ERRORS,
    PLAIN,
    Play,
    design_indices,
    design_length,
    gain_after,
    played,
)
from companion.papers.tsrsr.checks.appendix_settings import conditioned
from companion.papers.tsrsr.theory import bounds

BOUNDED_PRIOR = need(
    r"$k(x,x)\le1$",
    lambda play: not hasattr(play, "variance") or play.variance <= 1.0,
    Play("independent", 1, 3, 1.0, 1, 1, 5, variance=4.0),
)

#: For the bivariate normal law, integrated to a tolerance of 1e-5.
CDF_RTOL = 1e-5

# -- Corollary 1 -------------------------------------------------------------------------------------------------------


def expected_range(arms: int, opposite: bool = False) -> float:
    r""":math:`\E\max_{x,x'}(f(x)-f(x'))` by quadrature for independent arms, or for opposite pairs of them.

    Twice the expected maximum; that of n opposite pairs is the expected maximum of n absolute values.
    """
    count = arms // 2 if opposite else arms

    def density(z: float) -> float:
        if opposite:
            return z * count * 2.0 * stats.norm.pdf(z) * (2.0 * stats.norm.cdf(z) - 1.0) ** (count - 1)
        return z * count * stats.norm.pdf(z) * stats.norm.cdf(z) ** (count - 1)

    return 2.0 * float(integrate.quad(density, 0.0 if opposite else -9.0, 9.0)[0])


def corollary_1_instances() -> list[Play | GrowthProblem | LinearKernel]:
    """Runs after a design, and kernels whose designs' lengths are compared over batch sizes."""
    kernels = [
        GrowthProblem(smoothness, dim, per_axis, lengthscale, noise, 4)
        for smoothness, dim, per_axis, lengthscale, noise in (
            (math.inf, 1, 300, 0.2, 1.0),
            (math.inf, 1, 300, 0.2, 0.1),
            (math.inf, 2, 18, 0.5, 1.0),
            (1.5, 1, 400, 0.2, 1.0),
            (2.5, 1, 400, 0.1, 0.3),
            (1.5, 2, 24, 0.5, 3.0),
        )
    ]
    lines = [LinearKernel(dim, noise) for dim, noise in ((1, 1.0), (3, 0.3), (5, 1.0), (10, 0.1))]
    return [*corollary_1_plays(), *kernels, *lines]


def corollary_1_plays() -> list[Play]:
    """Designs as long as Lemma 11 requires: independent and opposite arms, four kernels, two dimensions, several noises."""
    return [
        Play("independent", 1, 9, 0.4, 5, 1, 400, designed=True),
        Play("independent", 1, 100, 1.0, 3, 1, 200, designed=True),
        Play("opposite", 1, 64, 1.0, 3, 2, 200, designed=True),
        Play("se", 1, 25, 1.0, 12, 10, 300, designed=True),
        Play("se", 1, 25, 0.1, 5, 4, 300, designed=True),
        Play("matern12", 2, 5, 1.0, 10, 4, 300, lengthscale=0.3, designed=True),
        Play("matern32", 2, 5, 3.0, 10, 10, 300, lengthscale=0.3, designed=True),
        Play("matern52", 1, 25, 0.5, 10, 5, 300, designed=True),
    ]


@statement(
    "corollary-1",
    "inequality",
    corollary_1_instances,
    BOUNDED_PRIOR,
    need(
        r"$T_0\ge m\gamma_{T_0}$ maximum-variance points come first",
        lambda play: not isinstance(play, Play) or play.designed,
        Play("independent", 1, 3, 1.0, 1, 1, 5),
    ),
    teeth={
        "sqrt(4 log N) for the regret of one evaluation, as in the proof": {"spread": 4.0},
        "sqrt(log N) for a point of the design": {"first": 1.0},
        "0.9 of the exponent": {"power": 0.9},
        "a design of length m polylog(m) for the Matérn kernel, too": {"linear": True},
        "a design of length m for the linear kernel": {"steps": 0.0},
        "the last displays without their logarithms of Tm": {"logarithms": 0},
    },
    depends="theorem-1 lemma-10 lemma-11 lemma-12a lemma-12b lemma-12c eq-18",
)
def corollary_1(
    play: Play | GrowthProblem | LinearKernel,
    *,
    first: float = 2.0,
    spread: float = 8.0,
    power: float = 1.0,
    linear: bool = False,
    steps: float = 1.0,
    logarithms: int = 1,
) -> Iterator[Case]:
    r"""$\E(R_{T_0}+R_{T,m})=\tilde O(T_0\sqrt{\log N})+\tilde O(\sqrt{Tm\,\gamma_{Tm}\log N})$ for $T_0$ so large that
    $\rho_m$ is bounded; with constants, which are ours, for $T_0\ge m\gamma_{T_0}$: at most $T_0\sqrt{2\log N}$ plus
    Theorem 1 with $\rho_m\le e$. $T_0=m\,\mathrm{polylog}(m)$ serves the linear kernel and the squared exponential, with second
    terms $\tilde O(\sqrt{Tm\,d\log(Tm)\log N})$ and $\tilde O(\sqrt{Tm(\log Tm)^d\log N})$; $T_0=\mathrm{poly}(m)$
    serves the Matérn kernel

    Also its parts. The design, which does not look at the observations, costs :math:`T_0\E f^*\le T_0\sqrt{2\log N}`
    exactly (f and -f have one law, so :math:`\E f^*` is half the expected range). One evaluation costs at most
    :math:`\E\max_{x,x'}(f(x)-f(x'))\le\sqrt{8\log N}`, where the proof has :math:`\sqrt{4\log N}`. And
    :math:`\rho_m\le e^{m\gamma/T_0}`, which is at most e. How long the design has to be: :func:`design_growth` and
    :func:`linear_growth`. The displays for the linear kernel and the squared exponential: :func:`final_display`.
    """
    if isinstance(play, LinearKernel):
        yield linear_growth(play, steps=steps)
        yield final_display(play, logarithms=logarithms)
        return
    if isinstance(play, GrowthProblem):
        yield design_growth(play, linear=linear)
        if math.isinf(play.smoothness):
            yield final_display(play, logarithms=logarithms)
        return
    where, runs, length = play.where, played(play), design_length(play)
    noise, logarithm = play.noise_sd**2, math.log(play.size)
    optima = length * runs.values.max(axis=1)
    gap = runs.initial_regret - optima
    yield at_most(abs(float(gap.mean())), ERRORS * standard_error(gap), f"{where}: regret of the design is T_0 E max f")
    widest = float((runs.values.max(axis=1) - runs.values.min(axis=1)).mean())
    if play.prior in ("independent", "opposite"):
        widest = expected_range(play.size, play.prior == "opposite")
    cost = length * widest / 2.0
    yield at_most(cost, length * math.sqrt(first * logarithm), f"{where}: regret of the design")
    yield at_most(widest, math.sqrt(spread * logarithm), f"{where}: regret of one evaluation")
    posterior = conditioned(play.covariance(), design_indices(play), noise)
    ratio = bounds.variance_ratio(play.batch, noise, float(posterior.diagonal().max()))
    share = play.batch * gain_after(play, length) / length
    yield at_most(ratio, math.exp(power * share), f"{where}: variance ratio", DIFFERENCE_RTOL)
    total = runs.initial_regret + runs.regret
    gain = gain_after(play, play.rounds * play.batch)
    allowed = bounds.theorem1(play.size, play.rounds, play.batch, noise, gain, ratio=math.e)
    allowed += length * math.sqrt(first * logarithm)
    yield at_most(float(total.mean()) + ERRORS * standard_error(total), allowed, f"{where}: both stages")


# -- our-C -------------------------------------------------------------------------------------------------------------


@statement(
    "our-C",
    "inequality",
    lambda: PLAIN,
    BOUNDED_PRIOR,
    need(
        "the draws are not resampled",
        lambda play: not play.resample,
        Play("independent", 1, 3, 1.0, 1, 1, 5, resample=True),
    ),
    teeth={
        "without the variance ratio": {"with_ratio": False},
        "without c": {"with_factor": False},
        "sqrt(T) in place of sqrt(Tm)": {"batches": 0.0},
    },
    depends="lemma-1 lemma-5 our-A",
)
def our_c(play: Play, *, with_ratio: bool = True, with_factor: bool = True, batches: float = 1.0) -> Iterator[Case]:
    r"""$\E R_{T,m}\le\bar\rho_m\sqrt{2+2\log\frac N2}\,\sqrt{Tm\,c\,\gamma_{Tm}}$ with
    $\bar\rho_m^2=\frac1m\sum_{i<m}\rho_i^2=1+\frac{m-1}{2\sigma_n^2}$ and $c=2/\log(1+\sigma_n^{-2})$

    The sum that Lemma 6 bounds has mean zero; at the i-th place of a batch the square of the ratio's positive part has mean
    at most :math:`\rho_{i-1}^2(2+2\log\frac N2)`. Means stand with four standard errors on the side that makes it harder.
    ``batches`` is the power of m under the last root.
    """
    runs, where, noise = played(play), play.where, play.noise_sd**2
    ratio = bounds.mean_ratio(play.batch, noise) if with_ratio else 1.0
    bias = runs.bias
    yield at_most(abs(float(bias.mean())), ERRORS * standard_error(bias), f"{where}: Lemma 6's sum has mean zero")
    squares, width = np.maximum(runs.ratio, 0.0) ** 2, 2.0 + 2.0 * math.log(play.size / 2.0)
    for place in range(play.batch):
        mean = squares[..., place].mean(axis=1)
        most = width * (1.0 + place / noise if with_ratio else 1.0)
        yield at_most(
            float(mean.mean()) + ERRORS * standard_error(mean), most, f"{where}: mean square at place {place + 1}"
        )
    gain = gain_after(play, play.rounds * play.batch)
    allowed = bounds.theorem1_sharp(play.size, play.rounds, play.batch, noise, gain, ratio)
    if not with_factor:
        allowed /= math.sqrt(bounds.gain_factor(noise))
    allowed *= math.sqrt(play.batch ** (batches - 1.0))
    measured = float(runs.regret.mean()) + ERRORS * standard_error(runs.regret)
    yield at_most(measured, allowed, f"{where}: regret")


# -- our-D -------------------------------------------------------------------------------------------------------------


class TwoPoints(Instance, words="two points, means {mean}, sds {sd}, correlation {correlation:g}"):
    """A posterior on two points: means, standard deviations and correlation."""

    mean: tuple[float, float]
    sd: tuple[float, float]
    correlation: float = 0.0
    resample: bool = True
    variance: float = 1.0

    def acceptance(self) -> float:
        """P(the larger value of a draw exceeds the larger mean)."""
        product = self.correlation * self.sd[0] * self.sd[1]
        covariance = np.array([[self.sd[0] ** 2, product], [product, self.sd[1] ** 2]])
        law = stats.multivariate_normal(np.array(self.mean), covariance, allow_singular=True)
        return 1.0 - float(law.cdf(np.full(2, max(self.mean))))


def our_d_states() -> list[Play | TwoPoints]:
    """Two points, close and far, independent, opposite and equal; and the plain runs' settings with resampling."""
    points = [
        TwoPoints((5.0, 0.0), (1.0, 0.1)),
        TwoPoints((0.0, 0.0), (1.0, 1.0)),
        TwoPoints((0.0, 0.0), (1.0, 1.0), correlation=0.999),
        TwoPoints((0.0, 0.0), (1.0, 1.0), correlation=-0.999),
        TwoPoints((0.2, 0.0), (0.01, 2.0), correlation=0.5),
    ]
    return [*points, *(replace(play, resample=True) for play in PLAIN)]


@statement(
    "our-D",
    "inequality",
    our_d_states,
    need(
        "draws are repeated until they exceed the largest mean",
        lambda state: state.resample,
        Play("independent", 1, 3, 1.0, 1, 1, 5),
    ),
    BOUNDED_PRIOR,
    teeth={
        "acceptance of at least 0.55": {"least": 0.55},
        "sampled and true regret have one mean, as without resampling": {"unbiased": True},
        "without the variance ratio": {"with_ratio": False},
    },
    depends="our-C lemma-5",
)
def our_d(
    state: Play | TwoPoints, *, least: float = 0.5, unbiased: bool = False, with_ratio: bool = True
) -> Iterator[Case]:
    r"""$P(\tilde f^*_{t,i}>\max_x\mu_t(x)\mid\mathcal F_t)\ge\frac12$; with resampling $\E R_{T,m}\le\E\tilde R_{T,m}$
    and $\E R_{T,m}\le\bar\rho_m\sqrt{2+2\log N}\,\sqrt{Tm\,c\,\gamma_{Tm}}$

    On two points the probability is that of the normal law. In runs, the share of accepted draws;
    :math:`\E R_{T,m}\le\E\tilde R_{T,m}`, no longer an equality; and our-C's bound with :math:`\log N`.
    """
    if isinstance(state, TwoPoints):
        yield at_most(least, state.acceptance(), f"{state.where}: acceptance", CDF_RTOL)
        return
    runs, where, noise = played(state), state.where, state.noise_sd**2
    draws = state.runs * state.rounds * state.batch
    error = math.sqrt(runs.accepted**2 * (1.0 - runs.accepted) / draws)
    yield at_most(least, runs.accepted + ERRORS * error, f"{where}: acceptance")
    gap = runs.sampled_regret - runs.regret
    if unbiased:
        yield at_most(abs(float(gap.mean())), ERRORS * standard_error(gap), f"{where}: sampled and true regret")
    else:
        sampled = float(runs.sampled_regret.mean()) + ERRORS * standard_error(gap)
        yield at_most(float(runs.regret.mean()), sampled, f"{where}: sampled and true regret")
    n = state.rounds * state.batch
    gain = gain_after(state, n)
    ratio = math.sqrt(1.0 + (state.batch - 1) / (2.0 * noise)) if with_ratio else 1.0
    factor = 2.0 / math.log(1.0 + 1.0 / noise)
    allowed = ratio * math.sqrt(2.0 + 2.0 * math.log(state.size)) * math.sqrt(n * factor * gain)
    given = bounds.theorem1_sharp(state.size, state.rounds, state.batch, noise, gain, resampled=True)
    if with_ratio:
        yield agrees(given, allowed, where)
    measured = float(runs.regret.mean()) + ERRORS * standard_error(runs.regret)
    yield at_most(measured, allowed, f"{where}: regret")
