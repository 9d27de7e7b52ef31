"""Statements: the model, the meaning of regret, and the posterior (Assumption 1, Section 1, equations (1) and (2))."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from companion.checks.cases import Case, at_most, none_of
from companion.checks.statement import need, statement
from companion.core.arrays import Floats, Indices
from companion.gp import FinitePosterior, gp_draw, kernel_by_name
from companion.papers.tsrsr.checks.setting_models import (
    AGREEMENT,
    Model,
    bayes_posterior,
    models,
    positive_noise,
    printed_posterior,
    runs_of,
    updated,
)
from companion.papers.tsrsr.method.round import DenseRound, Pending

DRAWS = 20_000
#: Of an estimate from :data:`DRAWS` draws. With 3000 estimates, chance exceeds it in fewer than one of 500 sets of seeds.
STANDARD_ERRORS = 5.0


# -- Assumption 1 ------------------------------------------------------------------------------------------------------

Draws = Callable[[Model, np.random.Generator], Floats]


def as_in_experiments(model: Model, generator: np.random.Generator) -> Floats:
    r"""(20,000, N) draws :math:`Lz`, :math:`LL^\top=K`, z normal."""
    kernel = kernel_by_name(model.kernel, model.lengthscale, variance=model.variance)
    return gp_draw(kernel, model.points, generator, DRAWS)


def not_rooted(model: Model, generator: np.random.Generator) -> Floats:
    """The covariance itself in place of its root."""
    return np.asarray(generator.standard_normal((DRAWS, len(model.points))) @ model.covariance.T)


def of_uniform_numbers(model: Model, generator: np.random.Generator) -> Floats:
    """Uniform numbers with mean 0 and variance 1 in place of normal ones."""
    numbers = generator.uniform(-1, 1, (DRAWS, len(model.points))) * np.sqrt(3)
    return np.asarray(numbers @ np.linalg.cholesky(model.covariance).T)


@statement(
    "asm-1",
    "construction",
    lambda: models((1.0,), arms=False),
    teeth={
        "a mean of 0.05": {"mean": 0.05},
        "draws K z in place of L z": {"draws_of": not_rooted},
        "uniform numbers in place of normal ones": {"draws_of": of_uniform_numbers},
    },
)
def asm_1(model: Model, *, mean: float = 0.0, draws_of: Draws = as_in_experiments) -> Iterator[Case]:
    r"""$f\sim\GP(0,k)$: $\E f(x)=0$ and $\E f(x)f(x')=k(x,x')$, with $k$ known

    For 20,000 draws as the experiments make them: the means, the covariances of all pairs of candidates, and the share
    of draws within one standard deviation lie within five standard errors of :math:`0`, :math:`k(x,x')` and
    :math:`\mathrm{erf}(1/\sqrt2)`.
    """
    covariance, draws = model.covariance, draws_of(model, model.stream("asm-1"))
    where = model.where.partition(", noise")[0]
    variance = covariance.diagonal()
    off = np.abs(draws.mean(axis=0) - mean) > STANDARD_ERRORS * np.sqrt(variance / DRAWS)
    yield none_of(int(off.sum()), off.size, f"{where}: means")
    spread = np.sqrt((np.outer(variance, variance) + covariance**2) / DRAWS)
    off = np.abs(draws.T @ draws / DRAWS - covariance)[np.triu_indices(len(covariance))] > (
        STANDARD_ERRORS * spread[np.triu_indices(len(covariance))]
    )
    yield none_of(int(off.sum()), off.size, f"{where}: covariances")
    share, normal = (np.abs(draws) <= np.sqrt(variance)).mean(axis=0), 0.6826894921370859
    off = np.abs(share - normal) > STANDARD_ERRORS * np.sqrt(normal * (1.0 - normal) / DRAWS)
    yield none_of(int(off.sum()), off.size, f"{where}: shares within one standard deviation")


# -- simple regret, Section 1 ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Regret of every evaluation: ``regret`` (R, Tm) of R runs; ``where`` names the instance."""

    where: str
    regret: Floats


def outcomes() -> Iterator[Outcomes]:
    """Runs of TS-RSR, single evaluations, uniformly random points, and one bad point among optimal ones."""
    for model in models((0.1, 1.0)):
        for rounds, batch in ((1, 1), (10, 1), (6, 5)):
            found = runs_of(model, rounds, batch, 100)
            regret = found.values.max(axis=1)[:, None, None] - found.at_chosen
            yield Outcomes(f"{model.where}, T = {rounds}, m = {batch}", regret.reshape(len(regret), -1))
    for model in models((1.0,), arms=False):
        generator = model.stream("eq-simple")
        values = gp_draw(kernel_by_name(model.kernel, model.lengthscale), model.points, generator, 100)
        picks = generator.integers(values.shape[1], size=(100, 12))
        regret = values.max(axis=1, keepdims=True) - np.take_along_axis(values, picks, axis=1)
        yield Outcomes(f"{model.where}, random points", regret)
    yield Outcomes("one bad point among optimal ones", np.eye(8))


@statement(
    "eq-simple",
    "inequality",
    outcomes,
    need(
        "regret is measured from the maximum, so that none is negative",
        lambda found: bool((found.regret >= 0).all()),
        Outcomes("regret from a value that is exceeded", np.array([[0.5, -0.5]])),
    ),
    teeth={
        "the worst evaluation in place of the best": {"pick": max},
        "the last evaluation in place of the best": {"pick": itemgetter(-1)},
        "0.99 of the average": {"share": 0.99},
    },
)
def eq_simple(found: Outcomes, *, pick: Callable[[list[float]], float] = min, share: float = 1.0) -> Case:
    r"""$S_{T,m}\le\frac1{Tm}R_{T,m}$ with $S_{T,m}=\min_{t,i}f(x^*)-f(x_{t,i})$"""
    pairs = [(pick(row), share * sum(row) / len(row)) for row in found.regret.tolist()]
    left, right = max(pairs, key=lambda pair: pair[0] - pair[1])
    return at_most(left, right, f"{found.where}, worst of {len(pairs)} runs")


# -- equation (1) ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class History:
    """``count`` observed candidates of a model: ``random`` ones with repeats, or ``one`` point again and again."""

    model: Model
    count: int
    kind: str = "random"

    @property
    def where(self) -> str:
        """The history in words."""
        return f"{self.model.where}, {self.count} {'random points' if self.kind == 'random' else 'times one point'}"

    @property
    def noise_sd(self) -> float:
        """That of the model."""
        return self.model.noise_sd

    def drawn(self) -> tuple[Indices, Floats, Floats]:
        """Points, values, and other values."""
        generator, size = self.model.stream("history", self.count, self.kind), len(self.model.points)
        seen = generator.integers(size, size=self.count) if self.kind == "random" else np.full(self.count, size // 3)
        return seen.astype(np.intp), generator.standard_normal(self.count), generator.standard_normal(self.count)


def histories() -> Iterator[History]:
    """No data, 1, 7 and 40 random points, and one point 12 times."""
    for model in models((0.1, 0.5, 3.0)):
        for count in (0, 1, 7, 40):
            yield History(model, count)
        yield History(model, 12, "one")


@statement(
    "eq-1",
    "identity",
    histories,
    positive_noise(History(Model("se", 1, 0.0), 5)),
    teeth={"sigma_n in place of its square": {"power": 1.0}, "0.99 of the noise variance": {"noise": 0.99}},
    depends="asm-1",
)
def eq_1(history: History, *, power: float = 2.0, noise: float = 1.0) -> Iterator[Case]:
    r"""$\mu_t(x)=\mathbf k_t(x)^\top(K_t+\sigma_n^2I)^{-1}\mathbf y_t$ and $\sigma_t^2(x)=k(x,x)-\mathbf
    k_t(x)^\top(K_t+\sigma_n^2I)^{-1}\mathbf k_t(x)$

    Left is the largest difference over the candidates.
    """
    covariance, (seen, values, _) = history.model.covariance, history.drawn()
    true = history.noise_sd**2
    mean, variance = printed_posterior(covariance, seen, values, noise * history.noise_sd**power)
    engine = FinitePosterior(covariance, true)
    for index, value in zip(seen, values, strict=True):
        engine.observe(int(index), float(value))
    routes = {
        "Bayes' rule": bayes_posterior(covariance, seen, values, true),
        "engine": (engine.mean[0], engine.variance[0]),
    }
    for name, (other_mean, other_variance) in routes.items():
        scale = max(1.0, float(np.abs(other_mean).max()))
        yield at_most(float(np.abs(mean - other_mean).max()) / scale, AGREEMENT, f"{history.where}: mean, {name}")
        yield at_most(float(np.abs(variance - other_variance).max()), AGREEMENT, f"{history.where}: variance, {name}")


# -- equation (2) ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pause(History):
    """A history, and ``extra`` further points whose values are not known yet."""

    extra: int = 5

    @property
    def where(self) -> str:
        """The history and the batch in words."""
        return f"{super().where}, {self.extra} further"

    def pending(self) -> Indices:
        """The further points: random, and one of them twice."""
        found = self.model.stream("pending", self.extra).integers(len(self.model.points), size=self.extra)
        found[-1] = found[0]
        return found.astype(np.intp)


def pauses() -> Iterator[Pause]:
    """Histories of 0, 6 and 20 points, and 1, 5 and 12 further ones."""
    for model in models((0.1, 0.5, 3.0)):
        for count, extra in ((0, 5), (6, 1), (6, 5), (20, 12)):
            yield Pause(model, count, extra=extra)


@statement(
    "eq-2",
    "identity",
    pauses,
    positive_noise(Pause(Model("se", 1, 0.0), 5)),
    teeth={
        "hardly any noise on the further points": {"noise": 1e-3},
        "0.99 of the noise on the further points": {"noise": 0.99},
        "blocks taken as uncorrelated": {"cross": 0.0},
        "the batch alone, without the data": {"memory": slice(0)},
    },
    depends="eq-1",
)
def eq_2(pause: Pause, *, noise: float = 1.0, cross: float = 1.0, memory: slice = slice(None)) -> Iterator[Case]:
    r"""$\sigma_t^2(x\mid\{x_b\}_{b\le B})=k(x,x)-\mathbf k_{t,B}(x)^\top(K_{X^t\cup[B]}+\sigma_n^2I)^{-1}\mathbf
    k_{t,B}(x)$, whatever was observed

    Against one update at a time. Left is the largest difference over the candidates. ``noise`` and ``cross``
    multiply the blocks of the further points.
    """
    covariance, true = pause.model.covariance, pause.noise_sd**2
    (seen, values, others), batch = pause.drawn(), pause.pending()
    kept = seen[memory]
    both, old = np.concatenate([kept, batch]), len(kept)
    gram = covariance[np.ix_(both, both)] + true * np.diag(np.r_[np.ones(old), noise * np.ones(len(batch))])
    gram[:old, old:] *= cross
    gram[old:, :old] *= cross
    block = covariance.diagonal() - np.sum(covariance[both] * np.linalg.solve(gram, covariance[both]), axis=0)
    routes = {
        "one update at a time": updated(covariance, np.concatenate([seen, batch]), true).diagonal(),
        "bookkeeping": _bookkept(covariance, seen, batch, true),
    }
    for name, route in routes.items():
        yield at_most(float(np.abs(block - route).max()), AGREEMENT, f"{pause.where}: {name}")
    for known in (values, others):
        engine = FinitePosterior(covariance, true)
        for index, value in zip(seen, known, strict=True):
            engine.observe(int(index), float(value))
        for index in batch:
            engine.condition(int(index))
        yield at_most(float(np.abs(block - engine.variance[0]).max()), AGREEMENT, f"{pause.where}: other observations")


def _bookkept(covariance: Floats, seen: Indices, batch: Indices, noise_variance: float) -> Floats:
    posterior = updated(covariance, seen, noise_variance)
    pending = Pending(DenseRound(1, np.zeros(len(covariance)), posterior, noise_variance))
    for index in batch:
        pending.condition(int(index))
    return pending.variance
