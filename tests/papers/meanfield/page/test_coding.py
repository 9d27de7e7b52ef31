"""The checks of the exercises with code accept right answers in any style, and no plausible mistake."""

import math

import numpy as np
import pytest
from exercises import judge, tried
from scipy.optimize import brentq, minimize
from scipy.special import softmax

from companion.papers.meanfield.method.agents import largest_remainder
from companion.papers.meanfield.method.simplex import project

STEM = "ch4_meanfield"


def wrong_support(point):
    falling = np.sort(point)[::-1]
    thetas = (np.cumsum(falling) - 1.0) / np.arange(1, len(point) + 1)
    return np.maximum(point - thetas[-1], 0.0)


def clipped(point):
    positive = np.maximum(point, 0.0)
    return positive / positive.sum() if positive.sum() else np.full(len(point), 1.0 / len(point))


def by_slsqp(point):
    start = np.full(len(point), 1 / len(point))
    limits = {"type": "eq", "fun": lambda law: law.sum() - 1}
    return minimize(
        lambda law: ((law - point) ** 2).sum(),
        start,
        bounds=[(0, 1)] * len(point),
        constraints=[limits],
        method="SLSQP",
    ).x


def by_root(point):
    theta = brentq(lambda theta: np.maximum(point - theta, 0).sum() - 1, min(point) - 2, max(point))
    return [max(v - theta, 0) for v in point]


def one_too_many(point):
    falling = np.sort(point)[::-1]
    thetas = (np.cumsum(falling) - 1.0) / np.arange(1, len(point) + 1)
    last = min(np.flatnonzero(falling > thetas)[-1] + 1, len(point) - 1)
    return np.maximum(point - thetas[last], 0.0)


def shifted_once(point):
    """Takes the same from all, and cuts, once."""
    law = np.maximum(point - (point.sum() - 1) / len(point), 0)
    return law / law.sum()


def floors(law, agents):
    return np.floor(np.asarray(law) * agents).astype(int)


def all_to(which):
    def deal(law, agents):
        counts = floors(law, agents)
        counts[which(law)] += agents - counts.sum()
        return counts

    return deal


def one_each(order):
    def deal(law, agents):
        counts = floors(law, agents)
        counts[order(law * agents - counts, law)[: agents - counts.sum()]] += 1
        return counts

    return deal


def greedily(law, agents):
    """Seats one agent after the other where most are missing; a list."""
    counts = [math.floor(share * agents) for share in law]
    while sum(counts) < agents:
        missing = [share * agents - count for share, count in zip(law, counts, strict=True)]
        counts[missing.index(max(missing))] += 1
    return counts


RIGHT = {
    "acquisition": {
        "one sum": lambda law, weights, mean, sd, width: np.einsum("c,cx,cx->", weights, law, mean + width * sd),
        "row by row": lambda law, weights, mean, sd, width: sum(
            p * (row @ (m + width * s)) for p, row, m, s in zip(weights, law, mean, sd, strict=True)
        ),
        "means apart": lambda law, weights, mean, sd, width: float(
            weights @ (law * mean).sum(1) + width * (weights @ (law * sd).sum(1))
        ),
    },
    "nearest_law": {"the package's": project, "SciPy's SLSQP": by_slsqp, "a list, by a root": by_root},
    "deal": {
        "the package's": largest_remainder,
        "a list, greedily": greedily,
        "numbers with a point": lambda law, agents: np.array(greedily(law, agents), float),
    },
}
WRONG = {
    "acquisition": {
        "contexts not weighted": lambda law, weights, mean, sd, width: (law * (mean + width * sd)).sum() / len(law),
        "contexts added": lambda law, weights, mean, sd, width: (law * (mean + width * sd)).sum(),
        "largest instead of average": lambda law, weights, mean, sd, width: (mean + width * sd).max(),
        "the largest of every context": lambda law, weights, mean, sd, width: weights @ (mean + width * sd).max(axis=1),
        "variance for deviation": lambda law, weights, mean, sd, width: weights @ (law * (mean + width * sd**2)).sum(1),
        "root of the width": lambda law, weights, mean, sd, width: weights @ (law * (mean + width**0.5 * sd)).sum(1),
        "without width": lambda law, weights, mean, sd, width: weights @ (law * (mean + sd)).sum(1),
        "the width of the text": lambda law, weights, mean, sd, width: weights @ (law * (mean + 2 * sd)).sum(1),
        "mean only": lambda law, weights, mean, sd, width: weights @ (law * mean).sum(1),
        "lower bound": lambda law, weights, mean, sd, width: weights @ (law * (mean - width * sd)).sum(1),
        "deviations averaged as variances": lambda law, weights, mean, sd, width: (
            weights @ (law * mean).sum(1) + width * (weights @ (law * sd**2).sum(1)) ** 0.5
        ),
        "law not used": lambda law, weights, mean, sd, width: weights @ (mean + width * sd).mean(axis=1),
        "law squared": lambda law, weights, mean, sd, width: weights @ (law**2 * (mean + width * sd)).sum(axis=1),
        "the first context": lambda law, weights, mean, sd, width: (law[0] * (mean + width * sd)[0]).sum(),
        "one number a context": lambda law, weights, mean, sd, width: weights * (law * (mean + width * sd)).sum(axis=1),
    },
    "nearest_law": {
        "clipped and divided": clipped,
        "softmax": softmax,
        "all coordinates positive": wrong_support,
        "one coordinate too many": one_too_many,
        "cut once": shifted_once,
        "shifted only": lambda point: point - point.mean() + 1.0 / len(point),
        "moved up and divided": lambda point: (point - point.min() + 1e-9) / (point - point.min() + 1e-9).sum(),
        "divided": lambda point: point / point.sum(),
        "in size": lambda point: abs(point) / abs(point).sum(),
        "only the largest": lambda point: np.eye(len(point))[np.argmax(point)],
        "uniform": lambda point: np.full(len(point), 1 / len(point)),
        "sorted": lambda point: np.sort(project(point))[::-1],
        "two decimals": lambda point: project(point).round(2),
        "a little off": lambda point: project(point) + 2e-3,
        "theta": lambda point: float(np.max(point - project(point))),
        "a row": lambda point: project(point)[None],
    },
    "deal": {
        "each for itself": lambda law, agents: np.rint(law * agents),
        "rounded down": floors,
        "rounded up": lambda law, agents: np.ceil(law * agents).astype(int),
        "the rest to the largest": all_to(np.argmax),
        "the rest to the smallest": all_to(np.argmin),
        "the rest to the first": all_to(lambda law: 0),
        "the rest to the last": all_to(lambda law: -1),
        "one each from the first on": one_each(lambda part, law: np.arange(len(law))),
        "one each to the likeliest": one_each(lambda part, law: np.argsort(-law)),
        "one each to the smallest part": one_each(lambda part, law: np.argsort(part)),
        "one each, relatively": one_each(lambda part, law: np.argsort(-part / law)),
        "drawn": lambda law, agents: np.random.default_rng(0).multinomial(agents, law),
        "not whole": lambda law, agents: law * agents,
        "shares": lambda law, agents: largest_remainder(law, agents) / agents,
        "one more": lambda law, agents: largest_remainder(law, agents + 1),
        "all to one": lambda law, agents: agents * np.eye(len(law), dtype=int)[np.argmax(law)],
        "action of every agent": lambda law, agents: np.repeat(np.arange(len(law)), largest_remainder(law, agents)),
    },
}


@pytest.mark.parametrize(("name", "function", "right"), tried(RIGHT, WRONG))
def test_a_check_tells_right_from_wrong(name, function, right):
    judge(STEM, name, function, right)
