"""Statements on Gaussian vectors and on information gain that Section 5 and Appendix A use: Lemmas 3, 5, 7 and 8."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from scipy import integrate, linalg, special

from companion.checks.cases import Case, at_most, equal, probability
from companion.checks.samples import expectation
from companion.checks.statement import need, statement
from companion.core.arrays import Floats, Indices
from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.gp import FinitePosterior
from companion.gp.factor import draw_root
from companion.information import gain_bracket, greedy_gain, information_gain
from companion.information.gain import gain_by_determinant
from companion.papers.tsrsr.checks.proof_runs import TITLES, Game, covariance, played, worst_run

# -- Gaussian vectors --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Vector:
    """A Gaussian vector with ``size`` entries; independent ones are treated exactly, others by ``draws`` draws.

    ``delta`` is the failure probability (Lemma 3). ``variance`` is the largest one; correlated vectors get different means,
    and standard deviations between a third and the whole of the largest.
    """

    kernel: str
    dim: int
    size: int
    delta: float = 0.1
    draws: int = 0
    variance: float = 1.0

    @property
    def where(self) -> str:
        """The vector in words."""
        place = "" if self.kernel in ("independent", "random") else f", d = {self.dim}"
        return f"{TITLES[self.kernel]}{place}, D = {self.size}"


@cache
def _sample(vector: Vector) -> tuple[Floats, Floats, Floats]:
    """Draws (n, D) without their mean, the mean and the standard deviations (D,)."""
    generator = stream(0, "tsrsr", "statements", "vector", vector.kernel, vector.dim, vector.size)
    correlation = covariance(vector.kernel, vector.dim, vector.size)
    sd = math.sqrt(vector.variance) * np.linspace(1.0, 1.0 / 3.0, vector.size)
    mean = 2.0 * generator.standard_normal(vector.size)
    return sd * (generator.standard_normal((vector.draws, vector.size)) @ draw_root(correlation).T), mean, sd


def vectors() -> list[Vector]:
    """Independent coordinates for many D and delta, and correlated vectors of all kinds."""
    exact = [
        Vector("independent", 1, size, delta)
        for size, delta in product((1, 2, 10, 100, 10_000), (0.999, 0.9, 0.5, 0.1, 0.01, 1e-4))
    ]
    counted = [
        Vector(kernel, dim, 25, delta, draws=4000)
        for (kernel, dim), delta in product(product(("se", "matern12", "matern32"), (1, 2)), (0.3, 0.1))
    ]
    return [*exact, *counted, Vector("random", 1, 20, 0.1, draws=4000)]


@statement(
    "lemma-3",
    "probability",
    vectors,
    need(r"$0<\delta<1$", lambda vector: 0.0 < vector.delta < 1.0, Vector("independent", 1, 2, delta=1.5)),
    need(
        "every coordinate has positive variance",
        lambda vector: vector.variance > 0.0,
        Vector("se", 1, 25, 0.1, draws=4000, variance=0.0),
    ),
    teeth={"log in place of 2 log": {"log_factor": 1.0}, "1.5 log in place of 2 log": {"log_factor": 1.5}},
)
def lemma_3(vector: Vector, *, log_factor: float = 2.0) -> Iterator[Case]:
    r"""For $\mathbf Y\sim N(\boldsymbol\mu,\Sigma)$ in $\R^D$, with probability at least $1-\delta$:
    $|Y_\ell-\mu_\ell|\le\sigma_\ell\sqrt{2\log(D/\delta)}$ for all $\ell$, and then
    $\min_\ell\frac{Y^*-\mu_\ell}{\sigma_\ell}\le\frac{Y^*-\mu_{\ell^*}}{\sigma_{\ell^*}}\le\sqrt{2\log(D/\delta)}$

    For independent coordinates the probability is exact, :math:`1-(1-p)^D`, and so is the union bound :math:`Dp` that
    covers every correlation, with p from the error function. For others it is counted, and on the event the ratio at the
    maximiser, :math:`(Y^*-\mu_{\ell^*})/\sigma_{\ell^*}`, is within the width; the least ratio is no larger, being a minimum.
    """
    width = math.sqrt(log_factor * math.log(vector.size / vector.delta))
    where = f"{vector.where}, delta {vector.delta:g}"
    if not vector.draws:
        single = float(special.erfc(width / math.sqrt(2.0)))
        yield at_most(-math.expm1(vector.size * math.log1p(-single)), vector.delta, f"{where}, exact")
        yield at_most(vector.size * single, vector.delta, f"{where}, union bound")
        return
    deviation, mean, sd = _sample(vector)
    inside = (np.abs(deviation) <= width * sd).all(axis=1)
    yield probability(int(np.sum(~inside)), vector.draws, vector.delta, f"{where}, {vector.draws} draws")
    values = (mean + deviation)[inside]
    best = values.argmax(axis=1)
    scores = (values.max(axis=1) - mean[best]) / sd[best]
    yield worst_run(scores, np.full(len(scores), width), f"{where}: ratio at the maximiser, on the event")


def largest_square(size: int) -> float:
    r""":math:`\E\max_jY_j^2=\int_0^\infty2u\,(1-\operatorname{erf}(u/\sqrt2)^D)\,du` for D independent standard normals."""

    def tail(u: float) -> float:
        return 2.0 * u * -math.expm1(size * math.log1p(-float(special.erfc(u / math.sqrt(2.0))))) if u > 0 else 0.0

    centre = math.sqrt(2.0 * math.log(size))
    pieces = [
        integrate.quad(tail, low, high, epsabs=1e-11)[0] for low, high in ((0.0, centre), (centre, centre + 12.0))
    ]
    return float(sum(pieces))


def moment_vectors() -> list[Vector]:
    """Independent coordinates up to ten thousand, and correlated ones."""
    exact = [Vector("independent", 1, size) for size in (2, 3, 10, 100, 10_000)]
    counted = [Vector(kernel, dim, 25, draws=4000) for kernel, dim in product(("se", "matern12", "matern32"), (1, 2))]
    return [*exact, *counted, Vector("random", 1, 20, draws=4000)]


@statement(
    "lemma-8",
    "inequality",
    moment_vectors,
    need(r"$D\ge2$", lambda vector: vector.size >= 2, Vector("independent", 1, 1)),
    need("variances at most 1", lambda vector: vector.variance <= 1.0, Vector("independent", 1, 2, variance=4.0)),
    teeth={
        "2 log D": {"final": 2.0},
        "5.9 log D, in the last step": {"final": 5.9},
        "lambda = 1/10 in place of 1/4, in the last step": {"share": 0.1},
    },
)
def lemma_8(vector: Vector, *, final: float = 6.0, share: float = 0.25) -> Iterator[Case]:
    r"""For $\mathbf Y\sim N(0,\Sigma)$ in $\R^D$, $D\ge2$, with variances at most 1: $\E\max_jY_j^2\le4\big(\log
    D+\tfrac12\log2\big)\le6\log D$

    By quadrature for independent coordinates, and as a mean over draws for correlated ones. The first bound is
    :math:`\lambda^{-1}(\log D-\frac12\log(1-2\lambda))` at :math:`\lambda=\frac14`.
    """
    first = (math.log(vector.size) - 0.5 * math.log1p(-2.0 * share)) / share
    last = final * math.log(vector.size)
    if vector.draws:
        largest = (_sample(vector)[0] ** 2).max(axis=1)
        yield expectation(largest, first, f"{vector.where}, {vector.draws} draws, first bound")
        yield expectation(largest, last, f"{vector.where}, {vector.draws} draws")
    else:
        moment = vector.variance * largest_square(vector.size)
        yield at_most(moment, first, f"{vector.where}, first bound")
        yield at_most(moment, last, vector.where)
    yield at_most(first, last, f"D = {vector.size}: last step")


# -- information gain --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sequence:
    """``rounds`` batches of ``batch`` points, chosen by ``rule``, for a prior as in the games.

    Rules: ``"greedy"`` (largest variance), ``"in turn"``, ``"one point"``, ``"random"``, and ``"TS-RSR"``, the run of a
    hundred whose variances add up to most.
    """

    kernel: str
    dim: int
    noise_sd: float
    rounds: int
    batch: int
    rule: str
    size: int = 25
    variance: float = 1.0

    @property
    def where(self) -> str:
        """The sequence in words."""
        place = "" if self.kernel in ("independent", "random") else f", d = {self.dim}"
        return (
            f"{TITLES[self.kernel]}{place}, N = {self.size}, noise {self.noise_sd:g}, T = {self.rounds}, m = {self.batch}, "
            f"{self.rule}"
        )

    def prior(self) -> Floats:
        """(N, N) covariance."""
        return covariance(self.kernel, self.dim, self.size, self.variance)

    def chosen(self) -> Indices:
        """Indices of the points, in order."""
        count = self.rounds * self.batch
        if self.rule == "greedy":
            return np.asarray(greedy_gain(self.prior(), count, self.noise_sd**2).indices)
        if self.rule == "in turn":
            return np.arange(count) % self.size
        if self.rule == "one point":
            return np.full(count, self.size // 3)
        if self.rule == "TS-RSR":
            game = Game(self.kernel, self.dim, self.noise_sd, self.rounds, self.batch, 100, self.size, self.variance)
            runs = played(game)
            return np.asarray(runs.chosen[int(np.argmax(runs.variance_sum))].ravel())
        if self.rule == "random":
            return stream(0, "tsrsr", "statements", "sequence", self.kernel, self.dim).integers(self.size, size=count)
        raise ParameterError("rule", f"got {self.rule!r}", "'greedy', 'in turn', 'one point', 'TS-RSR' or 'random'")


def _factor(sequence: Sequence) -> Floats:
    """Cholesky factor of the covariance of the observations along the sequence."""
    query = sequence.chosen()
    among = sequence.prior()[np.ix_(query, query)]
    return np.asarray(linalg.cholesky(among + sequence.noise_sd**2 * np.eye(len(query)), lower=True))


def given_all_before(sequence: Sequence) -> Floats:
    """Variances along the sequence, as pivots of the factor."""
    return np.asarray(_factor(sequence).diagonal() ** 2 - sequence.noise_sd**2)


def given_rounds_before(sequence: Sequence) -> Floats:
    """Variances of the points at the start of their rounds."""
    factor = _factor(sequence)
    starts = np.arange(len(factor)) // sequence.batch * sequence.batch
    used = [float(np.sum(factor[i, :start] ** 2)) for i, start in enumerate(starts)]
    return np.asarray(sequence.prior().diagonal()[sequence.chosen()] - np.array(used))


def gains_with_repeats(sequence: Sequence) -> dict[str, float]:
    """Gain of the sequence itself, which is the stronger claim, and the certified upper end of the maximum."""
    own = information_gain(sequence.prior(), sequence.chosen(), sequence.noise_sd**2)
    return {"gain of the sequence": own, "maximum gain": _most(sequence)}


def gains_of_sets(sequence: Sequence) -> dict[str, float]:
    """The maximum over sets of points: at most that of every candidate observed once."""
    everything = information_gain(sequence.prior(), range(sequence.size), sequence.noise_sd**2)
    return {"maximum gain": min(_most(sequence), everything)}


def _most(sequence: Sequence) -> float:
    return gain_bracket(sequence.prior(), sequence.rounds * sequence.batch, sequence.noise_sd**2).upper


def sequences() -> list[Sequence]:
    """Four kernels, two dimensions, four noise levels, four rules each; and arms on which the bound is attained."""
    settings = ((0.05, 5, 4), (0.3, 10, 3), (1.0, 1, 40), (10.0, 6, 10))
    smooth = [
        Sequence(kernel, dim, noise, rounds, batch, rule)
        for (kernel, dim), (noise, rounds, batch) in product(
            product(("se", "matern12", "matern32", "matern52"), (1, 2)), settings
        )
        for rule in ("greedy", "one point", "random", "TS-RSR")
    ]
    arms = [Sequence("independent", 1, noise, 2, 3, "in turn", size=6) for noise in (0.1, 1.0, 5.0)]
    pairs = [Sequence("independent", 1, 1.0, rounds, 10, "in turn", size=2) for rounds in (1, 4)]
    return [*arms, *pairs, Sequence("random", 1, 0.5, 6, 5, "greedy", size=12, variance=0.5), *smooth]


@statement(
    "lemma-5",
    "inequality",
    sequences,
    need(
        r"$k(x,x)\le1$", lambda sequence: sequence.variance <= 1.0, Sequence("se", 1, 0.5, 2, 2, "greedy", variance=4.0)
    ),
    teeth={
        "1.99 in place of the 2 in C_1": {"numerator": 1.99},
        "the gain over sets of points, as printed": {"gains": gains_of_sets},
        "variances given the rounds before only": {"along": given_rounds_before},
    },
    depends="lemma-7",
)
def lemma_5(
    sequence: Sequence,
    *,
    numerator: float = 2.0,
    gains: Callable[[Sequence], dict[str, float]] = gains_with_repeats,
    along: Callable[[Sequence], Floats] = given_all_before,
) -> Iterator[Case]:
    r"""If $k(x,x)\le1$, then $\sqrt{Tm\sum_{t,i}\sigma_{t,i}^2(x_{t+1,i})}\le\sqrt{Tm\,\sigma_n^2C_1\gamma_{Tm}}$ with
    $C_1=2\sigma_n^{-2}/\log(1+\sigma_n^{-2})$ and $\gamma_n=\sup_{|A|=n}I(\mathbf y_A;f_A)$

    For every sequence of points, so also for one that was chosen adaptively; without the common root of Tm.
    """
    total = float(along(sequence).sum())
    factor = numerator / math.log1p(1.0 / sequence.noise_sd**2)
    for name, gain in gains(sequence).items():
        yield at_most(total, factor * gain, f"{sequence.where}: {name}")


@statement(
    "lemma-7",
    "identity",
    sequences,
    need("positive noise variance", lambda sequence: sequence.noise_sd > 0.0, Sequence("se", 1, 0.0, 2, 2, "greedy")),
    teeth={"the variance after the observation": {"lag": 0}, "without the half": {"half": 1.0}},
)
def lemma_7(sequence: Sequence, *, lag: int = 1, half: float = 0.5) -> Iterator[Case]:
    r"""For any points, repeats allowed: $I(\mathbf y_{[n]};\mathbf
    f_{[n]})=\frac12\sum_{i=1}^n\log\big(1+\sigma_n^{-2}\sigma_{i-1}^2(x_i)\big)=\sum_iI(f;y_i\mid\mathbf y_{[i-1]})$

    The variances come from the package's posterior, one observation at a time (``lag`` observations before the i-th is
    made). The left side is :math:`\frac12\log\det(I+\sigma_n^{-2}K)`; the terms on the right are differences of such
    determinants.
    """
    query, noise = sequence.chosen(), sequence.noise_sd**2
    posterior = FinitePosterior(sequence.prior(), noise, capacity=len(query))
    terms = []
    for index in query:
        before = float(posterior.variance[0, index])
        posterior.condition(int(index))
        terms.append(half * math.log1p((before if lag else float(posterior.variance[0, index])) / noise))
    among = sequence.prior()[np.ix_(query, query)]
    direct = [float(gain_by_determinant(among[:count, :count], noise)) for count in range(1, len(query) + 1)]
    yield equal(sum(terms), direct[-1], f"{sequence.where}: sum")
    steps = np.diff([0.0, *direct])
    at = int(np.argmax(np.abs(steps - terms)))
    scale = max(direct[-1], 1.0)
    yield equal(scale + terms[at], scale + float(steps[at]), f"{sequence.where}: worst term, number {at + 1}")
