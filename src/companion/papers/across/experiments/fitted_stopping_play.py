"""Runs with BoTorch's model fitted before every evaluation, watched by all rules of :mod:`.fitted_stopping_protocol` at once.

A judge is a posterior of all candidates, and a bound on the probability that its point loses more than epsilon; rules differ in
how they read it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import accumulate, product
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.lapack import dtrtrs
from scipy.special import ndtr, ndtri
from scipy.stats import qmc

from companion.core.arrays import Floats, Indices
from companion.core.randomness import stream
from companion.gp import FinitePosterior, Matern, SquaredExponential, gp_draw, grid
from companion.gp.ties import lowest_argmax
from companion.papers.across.experiments.stopping_play import keeps
from companion.papers.across.method.shipped_model import (
    CORRELATIONS,
    LEAST_LENGTH,
    LEAST_NOISE,
    ShippedModel,
    fit,
    loss_of,
    squared_distances,
)
from companion.papers.across.problems.common import DELTA
from companion.papers.across.problems.functions import candidates
from companion.policies import stopping
from companion.policies.candidate_model import Model
from companion.policies.model_set import KERNELS, LIGHT, MEAN, MODELS, SHAPE, ModelSet, ModelSetPosterior
from companion.policies.stopping import Contest
from companion.policies.stopping_certificate import Request
from companion.simulate.replicate import single_threaded

RUNS, DRAWS, WIDTH, PRIOR = 26, 1000, 2.0, "prior"
NOISES, EPSILONS = (0.03, 0.1, 0.3), (0.1, 0.3, 0.5)
#: By dimension: points an axis (none for Sobol's), first points, evaluations.
PLACES = {1: (50, 5, 40), 2: (15, 10, 60), 4: (0, 10, 80)}
#: Ends of the true length-scales, in roots of d.
LENGTHS = (0.1, 0.4)
#: Judges that cost more look after each of the first so many evaluations, and then after every so many.
EVERY, STEP, COSTLY = 20, 5, ("shipped, sampled", "average", "mixture", "known, sampled")
#: Models around a fit, and the least curvature of the posterior's logarithm that it is normal with.
AROUND, FLAT = 16, 0.3


class Rule(NamedTuple):
    """A judge, a factor on standard deviations, looks in a row that have to say stop, least evaluations in multiples of d."""

    judge: str
    factor: float = 1.0
    times: int = 1
    least: int = 0

    @property
    def name(self) -> str:
        """As tables have it."""
        more = f" x{self.factor:g}" * (self.factor != 1.0) + f", {self.times} times" * (self.times > 1)
        return self.judge + more + f", from {self.least}d" * (self.least > 0)


RULES = (
    *(Rule("shipped", c, k) for c, k in product((1.0, 1.25, 1.5, 2.0, 3.0), (1, 3, 5, 10))),
    *(Rule("shipped", c, least=n) for c, n in product((1.0, 1.25, 1.5), (10, 20))),
    Rule("shipped, sampled"),
    *(Rule(f"length/{divisor:g}", times=k) for divisor, k in product((1.5, 2.0, 3.0), (1, 3))),
    *(Rule("rougher", times=k) for k in (1, 3, 5)),
    *(Rule("average", c, k) for c, k in product((1.0, 1.25, 1.5), (1, 3))),
    Rule("average", least=10),
    Rule("mixture"),
    Rule("known"),
    Rule("known, sampled"),
)
#: Judges of a run, by who plays.
JUDGES = {
    "fitted": tuple(dict.fromkeys(rule.judge for rule in RULES if not rule.judge.startswith("known"))),
    "known": ("known", "known, sampled"),
    "mixture": ("mixture",),
}


class Truth(NamedTuple):
    """A function (N,), and what it was drawn with."""

    values: Floats
    kernel: str
    lengths: Floats
    noise: float
    scale: float = 1.0
    mean_variance: float = 0.0

    def covariance(self, x: Floats) -> Floats:
        """(N, N) of its prior."""
        return self.scale**2 * (kernel_of(self.kernel, self.lengths)(x) + self.mean_variance)


@cache
def points_of(dim: int) -> Floats:
    """(N, d)."""
    axis = PLACES[dim][0]
    return grid(axis, dim) if axis else candidates(dim)


def kernel_of(name: str, lengths: Floats) -> Any:
    """Of variance 1."""
    scales = tuple(float(each) for each in lengths)
    return SquaredExponential(scales) if name == "se" else Matern(2.5, scales)


@cache
def models_of(dim: int) -> ModelSet:
    """The mixture's."""
    return ModelSet.over(np.ones(dim))


def draw(dim: int, truth: str, noise: float, seed: int, run: int) -> Truth:
    """A run's function: of a kernel, or with all that the mixture does not know drawn as well."""
    x, rng = points_of(dim), stream(seed, "fitted stopping", dim, truth, run)
    if truth == PRIOR:
        models, m = models_of(dim), int(rng.integers(MODELS))
        scale = 1.0 / math.sqrt(rng.gamma(SHAPE, 1.0 / SHAPE))
        kernel, lengths = models.kernels[m], models.lengthscales[m]
        values = gp_draw(kernel_of(kernel, lengths), x, rng) + math.sqrt(MEAN) * rng.standard_normal()
        return Truth(scale * values, kernel, lengths, scale * float(models.noise[m]), scale, MEAN)
    low, high = (math.log(end * math.sqrt(dim)) for end in LENGTHS)
    scales = np.exp(rng.uniform(low, high, dim))
    return Truth(gp_draw(kernel_of(truth, scales), x, rng), truth, scales, noise)


# -- judges ------------------------------------------------------------------------------------------------------------


class Look(NamedTuple):
    """The candidate to take, and whether to stop with it, by epsilon and factor."""

    best: int
    stops: Callable[[float, float], bool]


def posterior(model: ShippedModel, x: Floats) -> Model:
    """Of candidates (N, d), in the form that stopping rules take."""
    rows, scale, scaled = model.row(x), model.spread, x / model.lengthscales
    solved = dtrtrs(model.root, rows.T, lower=1)[0]

    def among(a: Indices, b: Any) -> Floats:
        squared = squared_distances(scaled[a], scaled[b])
        return scale**2 * (CORRELATIONS[model.kernel].radial(squared) - solved[:, a].T @ solved[:, b])

    return Model(
        model.centre + scale * (model.mean + rows @ model.weights),
        scale**2 * np.maximum(1.0 - (solved**2).sum(axis=0), 0.0),
        lambda r: among(np.array([r]), slice(None))[0],
        lambda a: among(a, a),
        len(model.values),
    )


def known(state: FinitePosterior, prior: Floats) -> Model:
    """Of the model that f was drawn from, with its prior covariance (N, N)."""
    rows = state.factor[0]
    mean, variance, cross = state.mean[0], state.variance[0], state.covariance_with
    return Model(mean, variance, cross, lambda a: prior[np.ix_(a, a)] - rows[:, a].T @ rows[:, a], state.count)


def contest_of(model: Model, best: int | None = None) -> Contest:
    """Of a candidate, by default the one of largest mean, with all others."""
    r = lowest_argmax(model.mean) if best is None else best
    return Contest(r, model.mean[r] - model.mean, stopping.difference_sd(model.variance, model.cross(r), r))


def union(contest: Contest, epsilon: float, factor: float) -> float:
    """The union bound with the standard deviations multiplied."""
    sd = np.maximum(factor * contest.sd, 1e-300)
    return min(float(ndtr(-(contest.gap + epsilon) / sd).sum()), 1.0)


def closed(contest: Contest) -> Look:
    """By the union bound."""
    return Look(contest.best, lambda epsilon, factor: union(contest, epsilon, factor) <= DELTA)


def sampled(model: Model, contest: Contest, key: int) -> Look:
    """By draws, where one candidate alone or the union bound does not decide."""
    limit = DELTA * (1.0 - stopping.ERROR_SHARE)

    def stops(epsilon: float, factor: float) -> bool:
        terms = contest.each(epsilon)
        if terms.sum() <= limit or terms.max() > limit:
            return bool(terms.sum() <= limit)
        return keeps(model, contest, Request(epsilon, DELTA, None, None, DRAWS, key, model.evaluations + 1), limit)

    return Look(contest.best, stops)


@cache
def normal_points(count: int) -> Floats:
    """(AROUND, count) of the standard normal distribution."""
    return np.asarray(ndtri(qmc.Sobol(count, rng=stream(0, "fitted stopping", "normal", count)).random(AROUND)))


def around(model: ShippedModel) -> tuple[Floats, list[ShippedModel]]:
    """Weights and models around a fitted one, spread in logarithms of noise and length-scales and in the mean.

    They are points of the normal approximation to the density that it maximises, reweighted by that density.
    """
    n, loss = len(model.values), loss_of(model.points, model.values, model.kernel, True)
    middle = np.array([math.log(model.noise), model.mean, *np.log(model.lengthscales)])
    logs = np.arange(len(middle)) != 1

    def own(place: Floats) -> Floats:
        return np.where(logs, np.exp(np.where(logs, place, 0.0)), place)

    def slope(place: Floats) -> Floats:
        return np.asarray(n * loss(own(place))[1] * np.where(logs, own(place), 1.0))

    matrix = np.array([slope(middle + step) - slope(middle - step) for step in 1e-3 * np.eye(len(middle))]) / 2e-3
    size, axes = np.linalg.eigh((matrix + matrix.T) / 2.0)
    normal = normal_points(len(middle))
    found = own(middle + (normal / np.sqrt(np.maximum(size, FLAT))) @ axes.T)
    found = np.maximum(found, [LEAST_NOISE, -np.inf, *[LEAST_LENGTH] * len(model.lengthscales)])
    log = np.array([-n * loss(each)[0] for each in found]) + 0.5 * (normal**2).sum(axis=1)
    weights = np.exp(log - log.max())
    return weights / weights.sum(), [
        ShippedModel(model.kernel, model.points, model.values, each[2:], float(each[0]), float(each[1]))
        for each in found
    ]


def averaged(model: ShippedModel, x: Floats) -> Look:
    """By the average of the union bounds of the models around a fit, for the candidate of largest averaged mean."""
    parts = [(w, posterior(each, x)) for w, each in zip(*around(model), strict=True) if w > LIGHT]
    left, best = 1.0 - sum(w for w, _ in parts), lowest_argmax(np.sum([w * each.mean for w, each in parts], axis=0))
    contests = [(w, cache(partial(contest_of, each, best))) for w, each in parts]

    def stops(epsilon: float, factor: float) -> bool:
        """The terms as far as it takes to say no, which most looks do by the first few."""
        sums = accumulate(w * union(contest(), epsilon, factor) for w, contest in contests)
        return all(left + each <= DELTA for each in sums)

    return Look(best, stops)


def likeliest(state: ModelSetPosterior) -> tuple[Floats, Floats]:
    """Mean and squared scale (N,) of the likeliest model."""
    m = int(np.argmax(state.weights))
    return state.mean[m], state.scales[m] ** 2 * state.variance[m]


def mixed(state: ModelSetPosterior) -> Look:
    """By the bound of the models fixed beforehand."""
    bound = state.bound(DELTA)
    return Look(bound.best, lambda epsilon, factor: bound.of(epsilon) <= DELTA)


# -- the runs ----------------------------------------------------------------------------------------------------------


class Watch:
    """First stop of every rule and epsilon in a run, -1 where there is none, and whether its point then loses more."""

    def __init__(self, truth: Truth, dim: int) -> None:
        self.loss, self.dim = truth.values.max() - truth.values, dim
        self.when: dict[tuple[Rule, float], int] = {}
        self.broken: dict[tuple[Rule, float], bool] = {}
        self.row: dict[tuple[str, float, float], int] = {}

    def going(self, judge: str) -> list[tuple[Rule, float]]:
        """Rules of a judge, with epsilon, that have not stopped."""
        asked = ((rule, e) for rule in RULES if rule.judge == judge for e in EPSILONS)
        return [each for each in asked if self.when.setdefault(each, -1) < 0]

    def note(self, judge: str, t: int, look: Callable[[], Look]) -> None:
        """What a judge says after t evaluations."""
        going = self.going(judge)
        if not going or (judge in COSTLY and t > EVERY and t % STEP):
            return
        said, keys = look(), {(judge, e, rule.factor) for rule, e in going}
        for key in keys:
            self.row[key] = self.row.get(key, 0) + 1 if said.stops(*key[1:]) else 0
        for rule, e in going:
            if self.row[judge, e, rule.factor] >= rule.times and t >= rule.least * self.dim:
                self.when[rule, e], self.broken[rule, e] = t, bool(self.loss[said.best] > e)


def looks(player: str, model: Any, now: Model, x: Floats, key: int) -> Iterator[tuple[str, Callable[[], Look]]]:
    """Judges by name with what they say, but the mixture."""
    own = cache(partial(contest_of, now))
    if player != "mixture":
        first = "known" if player == "known" else "shipped"
        yield from ((first, lambda: closed(own())), (f"{first}, sampled", lambda: sampled(now, own(), key)))
    if player != "fitted":
        return

    def other(kernel: str, divisor: float) -> Look:
        scaled = replace(model, kernel=kernel, lengthscales=model.lengthscales / divisor)
        return closed(contest_of(posterior(scaled, x)))

    for divisor in (1.5, 2.0, 3.0):
        yield f"length/{divisor:g}", lambda d=divisor: other(model.kernel, d)  # type: ignore[misc]
    yield "rougher", lambda: other("matern52", 1.0)
    yield "average", lambda: averaged(model, x)


def play(watch: Watch, truth: Truth, player: str, dim: int, seed: int, run: int) -> Watch:
    """One run, with ``player`` of :data:`JUDGES`, watched by its judges."""
    (_, first, horizon), x = PLACES[dim], points_of(dim)
    rng = stream(seed, "fitted stopping", dim, "plays", run)
    design, errors = rng.integers(0, len(x), first), truth.noise * rng.standard_normal(horizon)
    prior = truth.covariance(x)
    exact = FinitePosterior(prior, truth.noise**2, capacity=horizon)
    mixture = ModelSetPosterior(models_of(dim), x, horizon)
    at, seen, upper = list[int](), list[float](), np.empty(0)
    for t in range(horizon + 1):
        if t >= first:
            model = fit(x[at], np.array(seen)) if player == "fitted" else None
            now = known(exact, prior) if model is None else posterior(model, x)
            for judge, look in looks(player, model, now, x, seed * RUNS + run):
                watch.note(judge, t, look)
            if player != "known":
                watch.note("mixture", t, lambda: mixed(mixture))
            mean, variance = (now.mean, now.variance) if player != "mixture" else likeliest(mixture)
            upper = mean + WIDTH * np.sqrt(variance)
            if t == horizon or not any(watch.going(judge) for judge in JUDGES[player]):
                break
        at.append(int(design[t]) if t < first else lowest_argmax(upper))
        seen.append(float(truth.values[at[-1]] + errors[t]))
        if player == "known":
            exact.observe(at[-1], seen[-1])
        else:
            mixture.observe(at[-1], seen[-1])
    return watch


def block(dim: int, noise: float, seed: int, runs: int = RUNS) -> Iterator[tuple[str, Watch]]:
    """The first runs of a block, kernels in turn; without noise, draws of the mixture's prior."""
    with single_threaded():
        for run in range(runs):
            name = KERNELS[run % 2] if noise else PRIOR
            truth = draw(dim, name, noise, seed, run)
            watch = Watch(truth, dim)
            for player in ("fitted", "known") if noise else ("mixture", "known"):
                play(watch, truth, player, dim, seed, run)
            yield name, watch
