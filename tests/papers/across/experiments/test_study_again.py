"""Five numbers of chapter 6's studies, computed again by a program that shares no code with the package, on draws of its own."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, qmc

from companion.core.files import results_folder

RUNS, PLAYS, START = 24, 100, 10


def branin(u):
    x, y = 15 * u[:, 0] - 5, 15 * u[:, 1]
    return -((y - 5.1 * x**2 / (4 * np.pi**2) + 5 * x / np.pi - 6) ** 2 + (10 - 10 / (8 * np.pi)) * np.cos(x) + 10)


def camel(u):
    x, y = 4 * u[:, 0] - 2, 2 * u[:, 1] - 1
    return -(4 * x**2 - 2.1 * x**4 + x**6 / 3 + x * y - 4 * y**2 + 4 * y**4)


def levy(u):
    w = 1 + (20 * u - 11) / 4
    middle = np.sum((w[:, :-1] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[:, :-1] + 1) ** 2), axis=1)
    return -(np.sin(np.pi * w[:, 0]) ** 2 + middle + (w[:, -1] - 1) ** 2 * (1 + np.sin(2 * np.pi * w[:, -1]) ** 2))


def points(dim):
    if dim == 2:
        axis = np.linspace(0, 1, 20)
        return np.array([(a, b) for a in axis for b in axis])
    return qmc.Sobol(dim, scramble=False).random(512)[1:401]


def matern52(x, scale):
    r = math.sqrt(5) * np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2)) / scale
    return (1 + r + r**2 / 3) * np.exp(-r)


def learnt(k, at, seen, variance):
    inverse = np.linalg.inv(k[np.ix_(at, at)] + variance * np.eye(len(at)))
    weights = k[:, at] @ inverse
    return weights @ seen, k - weights @ k[at]


def play(values, k, share, rule, generator):
    """Regret of every play, and of the candidate with the largest mean at the end, over that of a random candidate."""
    sd = share * (values.max() - values.min())
    at = list(generator.choice(len(values), START, replace=False))
    seen = list(values[at] + sd * generator.standard_normal(START))
    while True:
        mean, covariance = learnt(k, at, np.array(seen), sd**2)
        if len(at) == PLAYS:
            break
        at.append(int(np.argmax(rule(mean, covariance, generator))))
        seen.append(values[at[-1]] + sd * generator.standard_normal())
    lost = (values.max() - values) / (values.max() - values.mean())
    return lost[at].mean(), lost[mean.argmax()]


def upper(width):
    return lambda mean, covariance, generator: mean + width * np.sqrt(np.maximum(np.diag(covariance), 0))


def improvement(mean, covariance, generator):
    sd = np.sqrt(np.maximum(np.diag(covariance), 1e-12))
    z = (mean - mean.max()) / sd
    return np.log(sd) + np.log(np.maximum(z * norm.cdf(z) + norm.pdf(z), 1e-300))


def draw(mean, covariance, generator):
    root = np.linalg.cholesky(covariance + 1e-9 * np.eye(len(mean)))
    return mean + root @ generator.standard_normal(len(mean))


CELLS = {
    "GP-UCB, width 2, every play": ("branin-2d", branin, 2, 0.3, 0.1, upper(2.0), ("ucb", "2"), "cumulative"),
    "GP-UCB, width 3, the point": ("camel-2d", camel, 2, 0.2, 0.3, upper(3.0), ("ucb", "3"), "final"),
    "EI over the mean, every play": ("camel-2d", camel, 2, 0.2, 0.1, improvement, ("ei-mean", "-"), "cumulative"),
    "Thompson sampling, every play": ("levy-4d", levy, 4, 0.3, 0.1, draw, ("ts", "1"), "cumulative"),
}


@pytest.mark.parametrize("name", CELLS)
def test_a_number_of_the_study_comes_out_again(name):
    problem, formula, dim, scale, share, rule, (method, setting), measure = CELLS[name]
    x = points(dim)
    values = formula(x)
    values = (values - values.mean()) / values.std()
    k = matern52(x, scale * math.sqrt(dim))
    found = np.array([play(values, k, share, rule, np.random.default_rng(77_000 + run)) for run in range(RUNS)])
    mine = found[:, 0 if measure == "cumulative" else 1]
    table = pd.read_csv(results_folder("across") / "study.csv")
    here = (table.problem == problem) & (table.noise == share) & (table.model == "right") & (table.batch == 1)
    (row,) = table[here & (table.method == method) & (table.setting == setting)].to_dict("records")
    off = mine.std(ddof=1) ** 2 / RUNS + row[f"{measure}_se"] ** 2
    assert abs(mine.mean() - row[measure]) < 4 * math.sqrt(off)
    assert 4 * math.sqrt(off) < 0.5 * (1.0 - row[measure]), "and random play would not pass"


def test_the_promise_on_arms_comes_out_again():
    """Fifty independent arms, noise 0.1, GP-UCB with the theorem's width: who stops at a sum of delta, after how many."""
    generator, delta, eps, sd = np.random.default_rng(78_000), 0.1, 0.1, 0.1
    stops, broken = [], 0
    for _ in range(400):
        f, precision, total = generator.standard_normal(50), np.ones(50), np.zeros(50)
        for t in range(301):
            mean, variance = total / precision, 1 / precision
            r = int(mean.argmax())
            apart = np.sqrt(variance + variance[r])
            chance = norm.cdf((mean - mean[r] - eps) / apart)
            chance[r] = 0.0
            if chance.sum() <= delta:
                stops.append(t)
                broken += f.max() - f[r] > eps
                break
            width = math.sqrt(2 * math.log(50 * math.pi**2 * (t + 1) ** 2 / (6 * delta)))
            at = int(np.argmax(mean + width * np.sqrt(variance)))
            precision[at] += 1 / sd**2
            total[at] += (f[at] + sd * generator.standard_normal()) / sd**2
    table = pd.read_csv(results_folder("across") / "stopping.csv", keep_default_na=False)
    here = (table.place == "arms") & (table.kind == "prior") & (table.noise == 0.1) & (table.model == "right")
    (row,) = table[here & (table.player == "theorem") & (table["rule"] == "union") & (table.epsilon == eps)].to_dict(
        "records"
    )
    share = float(row["broken"])
    assert abs(broken / 400 - share) < 4 * math.sqrt(share * (1 - share) * (1 / 400 + 1 / 2000))
    assert abs(np.median(stops) - float(row["median"])) <= 3
