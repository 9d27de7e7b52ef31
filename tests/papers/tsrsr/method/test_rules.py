"""Rules of chapter 1 against brute force written from the definitions, and against exact laws."""

import itertools
import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm
from tolerances import POSTERIOR_ATOL

from companion.gp import DataPosterior, Matern, PriorDraws, SquaredExponential
from companion.papers.tsrsr.method.policy import FinitePolicy
from companion.papers.tsrsr.method.round import DenseRound, Pending
from companion.papers.tsrsr.method.rules import (
    BUCB,
    DPPTS,
    TSRSR,
    UCBPE,
    BatchTS,
    BelieverEI,
    MaximumVariance,
    PublishedWidth,
    StochasticPolicy,
    draws_width,
)
from companion.problems import FiniteProblem
from companion.simulate import run_policy

NOISE = 0.3


def tiny(seed):
    """A problem with 4 to 9 points in one or two dimensions, one of three kernels, and its observation noise."""
    generator = np.random.default_rng([11, seed])
    dim, size = int(generator.integers(1, 3)), int(generator.integers(4, 10))
    points = generator.uniform(0, 1, (size, dim))
    kernel = [SquaredExponential(0.3), Matern(1.5, 0.4), Matern(2.5, 0.5, 1.4)][seed % 3]
    prior = PriorDraws.on_points(kernel, points)
    values = prior.draw(generator, 1)[0]
    return kernel, points, prior, FiniteProblem("tiny", points, values, NOISE, "test"), NOISE * generator.normal(size=8)


def brute_posterior(kernel, points, queries, values):
    seen = points[queries]
    gram = kernel(seen) + NOISE**2 * np.eye(len(queries))
    cross = kernel(seen, points)
    inverse = np.linalg.inv(gram) if len(queries) else np.zeros((0, 0))
    return cross.T @ inverse @ np.asarray(values), kernel(points) - cross.T @ inverse @ cross, inverse, cross


def brute_draw(kernel, points, queries, mean, inverse, cross, generator):
    """A posterior draw from the same random numbers, with explicit inverses in place of the engine's rows."""
    lower = np.linalg.cholesky(kernel(points))
    draw = lower @ generator.standard_normal((1, len(points)))[0]
    noise = generator.standard_normal((1, len(queries)))[0]
    return mean + draw - cross.T @ inverse @ (draw[queries] + NOISE * noise)


def brute_choice(name, step, kernel, points, queries, values, generator):
    mean, covariance, inverse, cross = brute_posterior(kernel, points, queries, values)
    sd = np.sqrt(np.diag(covariance))
    if name == "ucb":
        width = math.sqrt(2 * math.log(len(points) * (step + 1) ** 2 * math.pi**2 / (6 * 0.1)))
        return max(range(len(points)), key=lambda x: (mean[x] + width * sd[x], -x))
    draw = brute_draw(kernel, points, queries, mean, inverse, cross, generator)
    if name == "ts":
        return int(np.argmax(draw))
    while name == "ts-rsr" and draw.max() <= mean.max():
        draw = brute_draw(kernel, points, queries, mean, inverse, cross, generator)
    return min(range(len(points)), key=lambda x: ((draw.max() - mean[x]) / sd[x], x))


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("ts-rsr", TSRSR()),
        ("ts-rsr-plain", TSRSR(resample=False)),
        ("ts", BatchTS()),
        ("ucb", BUCB(partial(draws_width, delta=0.1))),
    ],
)
def test_with_batches_of_one_every_choice_is_that_of_brute_force(name, rule):
    for seed in range(40):
        kernel, points, prior, problem, noise = tiny(seed)
        policy = FinitePolicy(rule, kernel(points), prior, NOISE**2, 1, np.random.default_rng(seed), design=[0])
        run = run_policy(policy, problem, len(noise), noise)
        generator, queries, values = np.random.default_rng(seed), [0], [problem.values[0] + noise[0]]
        for step in range(len(noise) - 1):
            queries.append(brute_choice(name, step, kernel, points, queries, values, generator))
            values.append(problem.values[queries[-1]] + noise[step + 1])
        assert run.query.tolist() == queries, f"problem {seed}"


def dense(seed=0, size=6, incumbent=0.5):
    generator = np.random.default_rng(seed)
    root = generator.standard_normal((size, size))
    return DenseRound(3, generator.standard_normal(size), root @ root.T / size, NOISE**2, incumbent)


def conditioned_sd(current, chosen):
    among = current.covariance[np.ix_(chosen, chosen)] + NOISE**2 * np.eye(len(chosen))
    cross = current.covariance[chosen]
    return np.sqrt(np.diag(current.covariance - cross.T @ np.linalg.inv(among) @ cross))


@pytest.mark.parametrize("seed", range(5))
def test_pending_sd_is_the_posterior_sd_given_the_batch(seed):
    current, chosen = dense(seed), [2, 4, 2, 0]
    pending = Pending(current)
    for count, index in enumerate(chosen, 1):
        pending.condition(index)
        np.testing.assert_allclose(pending.sd, conditioned_sd(current, chosen[:count]), atol=POSTERIOR_ATOL)


def scores(name, current, sd):
    if name == "bucb":
        return current.mean + 1.5 * sd
    if name == "ei":
        z = (current.mean - current.incumbent) / sd
        return (current.mean - current.incumbent) * norm.cdf(z) + sd * norm.pdf(z)
    return sd


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("name", "rule"), [("bucb", BUCB(1.5)), ("ei", BelieverEI()), ("maxvar", MaximumVariance())])
def test_batches_are_greedy_for_their_score(name, rule, seed):
    current, chosen = dense(seed), []
    for _ in range(5):
        sd = conditioned_sd(current, chosen) if chosen else np.sqrt(np.diag(current.covariance))
        chosen.append(int(np.argmax(scores(name, current, sd))))
    assert rule.choose(current, 5, np.random.default_rng(0)).tolist() == chosen


def test_believing_the_mean_leaves_the_mean():
    """The reason why BelieverEI conditions the standard deviation only."""
    generator, queries = np.random.default_rng(5), np.random.default_rng(6).uniform(0, 1, (20, 2))
    points, values, kernel = generator.uniform(0, 1, (8, 2)), generator.standard_normal(8), Matern(2.5, 0.4)
    before = DataPosterior(kernel, points, values, NOISE**2)
    believed = np.append(values, before.mean(queries[:1]))
    after = DataPosterior(kernel, np.vstack([points, queries[:1]]), believed, NOISE**2)
    np.testing.assert_allclose(after.mean(queries), before.mean(queries), atol=POSTERIOR_ATOL)
    assert after.mean_and_variance(queries[:1])[1] < before.mean_and_variance(queries[:1])[1]


def test_ucbpe_explores_inside_the_relevant_region_only():
    mean, covariance = np.array([3.0, 2.8, -4.0]), np.diag([0.04, 0.04, 1.0])
    current = DenseRound(0, mean, covariance, NOISE**2)
    generator = np.random.default_rng(0)
    assert UCBPE(1.0).choose(current, 2, generator).tolist() == [0, 1]
    assert UCBPE(1.0, region=False).choose(current, 2, generator).tolist() == [0, 2]


def test_the_mean_stays_and_the_ratio_uses_the_conditioned_sd():
    """Two equal arms: the second pick of TS-RSR is the other arm, as the first one's sd has fallen."""
    current = DenseRound(0, np.zeros(2), np.eye(2), 0.01)
    for seed in range(20):
        assert sorted(TSRSR().choose(current, 2, np.random.default_rng(seed)).tolist()) == [0, 1]


def test_stochastic_policy_draws_from_its_boltzmann_law():
    current, draws = dense(1), 200_000
    inverse = 3 * math.log(3 + 15 + 1) / (current.mean.max() - current.mean.min())
    law = np.exp(inverse * current.mean)
    law /= law.sum()
    counts = np.bincount(StochasticPolicy().choose(current, draws, np.random.default_rng(0)), minlength=6) / draws
    assert np.all(np.abs(counts - law) <= 5 * np.sqrt(law * (1 - law) / draws))


@pytest.mark.slow
def test_dpp_ts_compares_volumes_of_one_sign(monkeypatch):
    """Single precision leaves negative determinants: 1 of -3 for one of -4 is accepted, of 8 and of -1 are not."""
    proposals = iter([0, 1, 2, 3])
    monkeypatch.setattr(BatchTS, "choose", lambda self, current, size, generator: np.array([next(proposals)]))
    current = SimpleNamespace(
        noise_variance=1.0, among=lambda batch: np.array([[[-4.0, -3.0, 8.0, -1.0][batch[0]] - 1.0]])
    )
    generator = SimpleNamespace(integers=lambda size: 0, random=lambda: 0.5)
    assert DPPTS(steps=3).choose(current, 1, generator).tolist() == [1]


def test_dpp_ts_has_the_exact_law_on_five_points():
    """After many steps the law of the batch is L(B) prod p(x_b): enumerated, p by numerical sampling."""
    generator = np.random.default_rng(101)
    root = generator.standard_normal((5, 5))
    current = DenseRound(0, 0.5 * generator.standard_normal(5), root @ root.T / 5, 0.5)
    single = np.bincount(np.argmax(current.draws(generator, 400_000), axis=1), minlength=5) / 400_000
    law = np.zeros((5, 5))
    for pair in itertools.product(range(5), repeat=2):
        among = current.covariance[np.ix_(pair, pair)]
        law[pair] = np.linalg.det(np.eye(2) + among / 0.5) * single[pair[0]] * single[pair[1]]
    law /= law.sum()
    runs, rule = 4000, DPPTS(steps=25)
    found = np.zeros((5, 5))
    for _ in range(runs):
        found[tuple(rule.choose(current, 2, generator))] += 1 / runs
    inclusion = [[table[x].sum() + table[:, x].sum() - table[x, x] for x in range(5)] for table in (law, found)]
    error = 4.5 * np.sqrt(0.25 / runs)
    assert np.abs(np.subtract(*inclusion)).max() < error
    assert np.abs(found - law).max() < error
    independent = np.outer(single, single)
    assert np.abs(independent - law).max() > error  # the determinant matters here, so a chain that ignores it fails


def test_published_width_and_its_first_batch():
    assert [round(PublishedWidth(shift=0)(t, 1001), 3) for t in (1, 2, 10, 30, 50)] == [
        2.402,
        2.680,
        3.323,
        3.763,
        3.967,
    ]
    chosen = BUCB(PublishedWidth(shift=0)).choose(
        DenseRound(0, np.zeros(3), np.eye(3), 0.1), 4, np.random.default_rng()
    )
    assert chosen.tolist() == [0, 0, 0, 0]
