"""Statements: information, greedy selection and the posterior (Section 2), and the third acquisition (Section 4)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations_with_replacement, product

import numpy as np
from scipy import integrate, stats

from companion.checks.cases import Case, at_most, equal, none_of
from companion.checks.instance import Instance
from companion.checks.statement import Statement, fix, statement
from companion.core.arrays import Floats, Indices
from companion.gp import FinitePosterior
from companion.information import information_gain
from companion.information.gain import gain_by_determinant
from companion.papers.compressed.checks.order_models import (
    AGREEMENT,
    ARMS,
    KERNEL_TITLES,
    Model,
    bayes_posterior,
    models,
    positive_noise,
    printed_improvement,
    printed_posterior,
)
from companion.policies.acquisition import expected_improvement

# -- equation (2.3) ----------------------------------------------------------------------------------------------------


class Sample(Instance, words="{model.where}, {count} points"):
    """``count`` random points of a model, drawn with replacement."""

    model: Model
    count: int

    def data(self) -> tuple[Indices, Floats]:
        """Points, and values of a draw of the prior with noise."""
        generator = self.model.stream("sample", self.count)
        seen = generator.integers(len(self.model.points), size=self.count).astype(np.intp)
        noise = math.sqrt(self.model.noise_variance) * generator.standard_normal(self.count)
        return seen, self.model.function()[seen] + noise


def samples() -> Iterator[Sample]:
    """One, six and thirty points of every model."""
    for model in models():
        for count in (1, 6, 30):
            yield Sample(model, count)


def twice_the_identity(n: int) -> Floats:
    """Matrix added by the formula as printed."""
    return 2.0 * np.eye(n)


@statement(
    "eq-2.3",
    "identity",
    samples,
    positive_noise(Sample(Model("se", 1, 0.0), 3)),
    teeth={
        "twice the identity, as printed": {"added": twice_the_identity},
        "the number 2 in every entry": {"added": lambda n: np.full((n, n), 2.0)},
    },
    corrected=fix(r"the identity in place of 2: $I=\frac12\log\abs{I+\sigma^{-2}K_t}$", added=np.eye),
)
def eq_2_3(sample: Sample, *, added: Callable[[int], Floats] = twice_the_identity) -> Iterator[Case]:
    r"""$I(\{y_u\};f)=H(\{y_u\})-H(\{y_u\}\mid f)=\frac12\log\abs{2+\sigma^{-2}K_t}$

    The entropy of the observations comes from SciPy's multivariate normal law; that of the noise is
    :math:`\frac n2\log(2\pi e\sigma^2)`. The package's own function is compared as well.
    """
    noise, n = sample.model.noise_variance, sample.count
    seen, _ = sample.data()
    gram = sample.model.covariance[np.ix_(seen, seen)]
    joint = stats.multivariate_normal(cov=gram + noise * np.eye(n), allow_singular=False)
    entropies = float(joint.entropy()) - 0.5 * n * math.log(2 * math.pi * math.e * noise)
    # independent check: with the 2 that is printed in the place of the identity
    sign, logarithm = np.linalg.slogdet(added(n) + gram / noise)
    closed = 0.5 * float(logarithm) if sign > 0 else -math.inf
    yield equal(closed, entropies, f"{sample.where}: closed form", AGREEMENT)
    yield equal(
        information_gain(sample.model.covariance, seen, noise), entropies, f"{sample.where}: package", AGREEMENT
    )


# -- equations (2.4) and (2.9) -----------------------------------------------------------------------------------------


class Design(Instance, words="{model.where}, {count} of {candidates} candidates, seed {model.seed}"):
    """``count`` points to be chosen from few candidates: the first ones of a model, or random ones."""

    model: Model
    candidates: int
    count: int

    def covariance(self) -> Floats:
        """(X, X) prior covariance of random points of the unit cube."""
        points = self.model.stream("design", self.candidates).uniform(size=(self.candidates, self.model.dim))
        return np.eye(self.candidates) if self.model.kernel == ARMS else np.asarray(self.model.prior(points))


def designs() -> Iterator[Design]:
    """Three of 8, four of 6 and two of 12 candidates, every kernel, two dimensions, three noise levels, two seeds."""
    for noise, seed in product((0.01, 0.1, 1.0), (0, 1)):
        for kernel, dim in product(KERNEL_TITLES, (1, 2)):
            for candidates, count in ((8, 3), (6, 4), (12, 2)):
                yield Design(Model(kernel, dim, noise, 0.4, seed=seed), candidates, count)
        yield Design(Model(ARMS, 1, noise, seed=seed), 6, 4)


def gain_of(covariance: Floats, noise: float, sets: Indices) -> Floats:
    """Information gain (n,) of multisets (n, k), by determinants."""
    return gain_by_determinant(covariance[sets[:, :, None], sets[:, None, :]], noise)


@lru_cache(maxsize=256)
def best_gain(design: Design) -> tuple[float, Indices]:
    """Largest gain of a multiset by enumeration, and (2.4)'s points."""
    covariance, noise = design.covariance(), design.model.noise_variance
    sets = np.array(list(combinations_with_replacement(range(design.candidates), design.count)))
    picks = np.asarray(FinitePosterior(covariance, noise).select_max_variance(design.count)[0])
    return float(gain_of(covariance, noise, sets).max()), picks


@statement(
    "eq-2.4",
    "inequality",
    designs,
    positive_noise(Design(Model("se", 1, 0.0), 6, 2)),
    teeth={"greedy picks would be the best set": {"share": 1.0}, "a share above one": {"share": 1.05}},
    depends="eq-2.3",
)
def eq_2_4(design: Design, *, share: float = 1.0 - math.exp(-1.0)) -> Iterator[Case]:
    r"""$x_t=\argmax\sigma_{t-1}$ maximises the gain that is added, and after $T$ rounds $I(A_T)\ge(1-1/e)\max_{\abs{A}\le
    T}I(A)$

    Every pick of the rule has the largest gain added to those before, by determinants, and T picks have at least the
    stated share of the best multiset of T points, by enumeration.
    """
    (best, picks), covariance, noise, wrong = best_gain(design), design.covariance(), design.model.noise_variance, 0
    yield at_most(
        share * best, float(gain_of(covariance, noise, picks[None])[0]), f"{design.where}: share of the best gain"
    )
    for place in range(design.count):
        added = 2.0 * gain_of(covariance, noise, np.array([[*picks[:place], x] for x in range(design.candidates)]))
        wrong += int(added[picks[place]] < added.max() - 1e-8)
    yield none_of(wrong, design.count, f"{design.where}: picks of largest gain")


EQ_2_9 = Statement(
    id="eq-2.9",
    kind="not-checkable",
    latex=r"$\gamma_T=\max_{\{x_u\}}I(\{y_u\}_{u\le T};f)$ over $\abs{\{x_u\}}=T$",
    reason="A definition. The points have to be counted with repeats, or else it is empty for more rounds than candidates. "
    "Enumeration for few points validates the code that bounds it, under eq-2.4",
)

# -- equation (2.7) ----------------------------------------------------------------------------------------------------


@statement(
    "eq-2.7",
    "identity",
    samples,
    positive_noise(Sample(Model("se", 1, 0.0), 3)),
    teeth={
        "without the noise term": {"ridge": lambda noise: 1e-9},
        "the standard deviation in place of the variance": {"ridge": math.sqrt},
    },
)
def eq_2_7(sample: Sample, *, ridge: Callable[[float], float] = float) -> Iterator[Case]:
    r"""$\mu_D(x)=k_D(x)^\top(K_{DD}+\sigma^2I)^{-1}y_D$,
    $\sigma_D^2(x)=\kappa(x,x)-k_D(x)^\top(K_{DD}+\sigma^2I)^{-1}k_D(x)$

    ``ridge`` gives what is added to the diagonal, from the noise variance.
    """
    noise, covariance = sample.model.noise_variance, sample.model.covariance
    seen, values = sample.data()
    mean, variance = printed_posterior(covariance, seen, values, noise, ridge(noise))
    updated = FinitePosterior(covariance, noise)
    for index, value in zip(seen, values, strict=True):
        updated.observe(int(index), float(value))
    bayes = bayes_posterior(covariance, seen, values, noise)
    for name, (other_mean, other_variance) in (("updates", (updated.mean[0], updated.variance[0])), ("Bayes", bayes)):
        off = max(float(np.abs(mean - other_mean).max()), float(np.abs(variance - other_variance).max()))
        yield at_most(off, AGREEMENT, f"{sample.where}: printed formula against {name}")


# -- the third acquisition ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=128)
def _by_quadrature(mean: float, sd: float, incumbent: float) -> float:
    """Expectation of the positive part of a normal number minus the incumbent, by adaptive integration."""
    low = max((incumbent - mean) / sd, -12.0)
    if low > 12.0:
        return 0.0
    return float(integrate.quad(lambda z: (mean + sd * z - incumbent) * stats.norm.pdf(z), low, 12.0, epsabs=1e-12)[0])


def mpi_samples() -> Iterator[Sample]:
    """Six points of every model with a noise variance of 0.05 and 0.5."""
    for model in models((0.05, 0.5)):
        yield Sample(model, 6)


Incumbent = Callable[[Sample, Floats], float]


def first_coordinate_of_the_best(sample: Sample, mean: Floats) -> float:
    """The maximising point itself, taken for a number."""
    return float(sample.model.points[int(np.argmax(mean)), 0])


def largest_mean(_: Sample, mean: Floats) -> float:
    """The value at that point."""
    return float(mean.max())


@statement(
    "acq-mpi",
    "identity",
    mpi_samples,
    positive_noise(Sample(Model("se", 1, 0.0), 3)),
    teeth={
        "the maximising point as a number, as printed": {"incumbent": first_coordinate_of_the_best},
        "the largest observation": {"incumbent": lambda sample, mean: float(sample.data()[1].max())},
        "the probability of an improvement": {"score": lambda sd, ahead: stats.norm.cdf(ahead / sd)},
    },
    depends="eq-2.7",
    corrected=fix(
        r"$\xi=\max_x\mu_D(x)$: expected improvement over the largest posterior mean", incumbent=largest_mean
    ),
)
def acq_mpi(
    sample: Sample,
    *,
    incumbent: Incumbent = first_coordinate_of_the_best,
    score: Callable[[Floats, Floats], Floats] = printed_improvement,
) -> Iterator[Case]:
    r"""$\alpha^{\mathrm{MPI}}=\sigma_D\phi(z)+(\mu_D-\xi)\Phi(z)=\E\,(N(\mu_D,\sigma_D^2)-\xi)^+$,
    $z=(\mu_D-\xi)/\sigma_D$, $\xi=\argmax_x\mu_D(x)$

    Left: the printed formula. Right: :math:`\E(N(\mu,\sigma^2)-\max_x\mu_D(x))^+` by adaptive integration. The package's
    expected improvement is compared with it as well.
    """
    model = sample.model
    seen, values = sample.data()
    mean, variance = printed_posterior(model.covariance, seen, values, model.noise_variance)
    sd, best = np.sqrt(variance), float(mean.max())
    printed = score(sd, mean - incumbent(sample, mean))
    package = expected_improvement(mean, sd, best)
    for index in range(0, len(mean), 9):
        exact = _by_quadrature(float(mean[index]), float(sd[index]), best)
        yield equal(printed[index] + 1.0, exact + 1.0, f"{sample.where}: candidate {index}", AGREEMENT)
        yield equal(package[index] + 1.0, exact + 1.0, f"{sample.where}: package, candidate {index}", AGREEMENT)
