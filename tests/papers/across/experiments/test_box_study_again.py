"""Six numbers of the study on a box, computed again by a program that shares no code with the package, on noise of its own."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from papers.across.experiments.test_study_again import branin, camel, levy
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from scipy.stats import norm, qmc

from companion.core.files import results_folder

RUNS, START, SHARE = 12, 10, 0.1


def forrester(u):
    return -((6 * u[:, 0] - 2) ** 2) * np.sin(12 * u[:, 0] - 4)


TOPS = {forrester: 6.020740, branin: -0.397887, camel: 1.031628, levy: 0.0}


def k(a, b, scales):
    return np.exp(-0.5 * cdist(a / scales, b / scales, "sqeuclidean"))


class Model:
    """Squared exponential, variance 1; log length-scales N(sqrt 2 + log d / 2, 3), log noise N(-4, 1), as densities of values."""

    def __init__(self, x, y):
        self.x, self.at, self.unit = x, y.mean(), y.std(ddof=1)
        self.y, dim = (y - self.at) / self.unit, x.shape[1]

        apart = [(x[:, [a]] - x[:, a]) ** 2 for a in range(dim)]

        def loss(free):
            noise, scales = math.exp(free[0]), np.exp(free[2:])
            whole = k(x, x, scales)
            inverse = np.linalg.inv(whole + noise * np.eye(len(x)))
            weights, away = inverse @ (self.y - free[1]), free[2:] - math.sqrt(2) - 0.5 * math.log(dim)
            found = 0.5 * (self.y - free[1]) @ weights - 0.5 * np.linalg.slogdet(inverse)[1]
            found += free[0] + 0.5 * (free[0] + 4) ** 2 + free[2:].sum() + (away**2).sum() / 6
            push = inverse - np.outer(weights, weights)
            slopes = [0.5 * noise * np.trace(push) + 1 + free[0] + 4, -weights.sum()]
            slopes += [0.5 * (push * whole * apart[a]).sum() / scales[a] ** 2 + 1 + away[a] / 3 for a in range(dim)]
            return found / len(x), np.array(slopes) / len(x)

        start = np.array([-5.0, 0.0, *[math.sqrt(2) + 0.5 * math.log(dim) - 3] * dim])
        ends = [(math.log(1e-4), 5), (None, None), *[(math.log(0.025), 12)] * dim]
        found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=ends).x
        self.noise, self.mean, self.scales = math.exp(found[0]), found[1], np.exp(found[2:])
        self.inverse = np.linalg.inv(k(x, x, self.scales) + self.noise * np.eye(len(x)))

    def at_points(self, q):
        cross = k(q, self.x, self.scales)
        mean = self.mean + cross @ self.inverse @ (self.y - self.mean)
        return mean, np.sqrt(np.maximum(1 - ((cross @ self.inverse) * cross).sum(axis=1), 1e-12))


def best_of(score, x, generator):
    """A random search, then shrinking steps around the best."""
    q = np.vstack([generator.random((2000, x.shape[1])), x])
    values = score(q)
    for size in (0.1, 0.03, 0.01, 0.003):
        near = q[np.argsort(-values)[:6]]
        more = (np.repeat(near, 60, axis=0) + size * generator.standard_normal((360, x.shape[1]))).clip(0, 1)
        q, values = np.vstack([near, more]), np.concatenate([np.sort(values)[::-1][:6], score(more)])
    return q[np.argmax(values)]


def upper(width):
    def rule(model, generator):
        def score(q):
            mean, sd = model.at_points(q)
            return mean + width * sd

        return best_of(score, model.x, generator)

    return rule


def improvement(over_mean):
    def rule(model, generator):
        top = model.at_points(model.x)[0].max() if over_mean else model.y.max()

        def score(q):
            mean, sd = model.at_points(q)
            z = (mean - top) / sd
            return np.log(sd) + np.where(
                z > -30, np.log(np.maximum(z * norm.cdf(z) + norm.pdf(z), 1e-300)), -0.5 * z**2
            )

        return best_of(score, model.x, generator)

    return rule


def noisy_improvement(model, generator):
    """Over a pool, by joint draws of the values at the evaluated points and the pool."""
    pool = np.vstack([generator.random((150, model.x.shape[1])), model.x])
    pool = np.vstack([pool, (model.x[np.argsort(-model.y)[:5]].repeat(12, axis=0)
                             + 0.03 * generator.standard_normal((60, model.x.shape[1]))).clip(0, 1)])  # fmt: skip
    every = np.vstack([model.x, pool])
    cross = k(every, model.x, model.scales)
    mean = model.mean + cross @ model.inverse @ (model.y - model.mean)
    covariance = k(every, every, model.scales) - cross @ model.inverse @ cross.T + 1e-8 * np.eye(len(every))
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws = mean + generator.standard_normal((256, len(every))) @ root.T
    seen = draws[:, : len(model.x)].max(axis=1, keepdims=True)
    return pool[np.argmax(np.maximum(draws[:, len(model.x) :] - seen, 0).mean(axis=0))]


def draw(model, generator):
    """On a line, of 200 points."""
    q = np.linspace(0, 1, 200)[:, None]
    cross = k(q, model.x, model.scales)
    covariance = k(q, q, model.scales) - cross @ model.inverse @ cross.T
    values, vectors = np.linalg.eigh(covariance)
    path = model.at_points(q)[0] + (vectors * np.sqrt(np.maximum(values, 0.0))) @ generator.standard_normal(200)
    return q[[np.argmax(path)]][0]


def play(formula, dim, rule, plays, seed):
    """Regret of all evaluations, and of the point named at the end, over that of a random point."""
    generator, look = np.random.default_rng(seed), qmc.Sobol(dim, seed=seed)
    cube = formula(np.random.default_rng(0).random((20_000, dim)))
    x = look.random(16)[:START]
    sd = SHARE * (TOPS[formula] - cube.min())
    y = formula(x) + sd * generator.standard_normal(START)
    while len(x) < plays:
        new = generator.random(dim) if rule is None else rule(Model(x, y), generator)
        x = np.vstack([x, new])
        y = np.append(y, formula(x[-1:]) + sd * generator.standard_normal())
    lost = lambda q: (TOPS[formula] - formula(q)) / (TOPS[formula] - cube.mean())  # noqa: E731
    model = Model(x, y)
    return lost(x).mean(), lost(best_of(lambda q: model.at_points(q)[0], x, generator)[None])[0]


CELLS = {
    "GP-UCB, width 2, every play": ("branin-2d", branin, 2, upper(2.0), ("ucb", "2"), "plays_100"),
    "GP-UCB, width 3, the point": ("levy-4d", levy, 4, upper(3.0), ("ucb", "3"), "point_50"),
    "EI over the mean, the point": ("camel-2d", camel, 2, improvement(True), ("ei-mean", "-"), "point_50"),
    "EI over the largest observation, every play": ("camel-2d", camel, 2, improvement(False), ("ei", "-"), "plays_100"),
    "noisy EI, the point": ("branin-2d", branin, 2, noisy_improvement, ("nei", "-"), "point_50"),
    "Thompson sampling, every play": ("forrester-1d", forrester, 1, draw, ("ts", "-"), "plays_100"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CELLS)
def test_a_number_of_the_study_comes_out_again(name):
    path = results_folder("across") / "box_study.csv"
    if not path.exists():
        pytest.skip("the study is not stored")
    problem, formula, dim, rule, (method, setting), column = CELLS[name]
    found = np.array([play(formula, dim, rule, int(column.partition("_")[2]), 81_000 + run) for run in range(RUNS)])
    mine = found[:, 0 if column == "plays_100" else 1]
    table = pd.read_csv(path, keep_default_na=False)
    here = (table.problem == problem) & (table.noise == SHARE) & (table.model == "shipped") & (table.batch == 1)
    here &= (table.method == method) & (table.setting == setting) & (table.initial == START)
    (row,) = table[here].to_dict("records")
    off = mine.std(ddof=1) ** 2 / RUNS + float(row[f"{column}_se"]) ** 2
    assert abs(mine.mean() - float(row[column])) < 4 * math.sqrt(off)
    assert 4 * math.sqrt(off) < 0.5 * (1.0 - float(row[column])), "and random play would not pass"
