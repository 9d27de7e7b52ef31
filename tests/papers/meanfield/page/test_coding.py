"""The checks of the coding exercises refuse plausible wrong functions and let more than one right one pass."""

import numpy as np
import pytest
from exercises import check_of
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


def floors(law, agents):
    return np.floor(law * agents).astype(int)


def all_to_the_largest(law, agents):
    counts = floors(law, agents)
    counts[np.argmax(law)] += agents - counts.sum()
    return counts


RIGHT = {
    "check_acquisition": lambda law, weights, mean, sd, width: np.einsum("c,cx,cx->", weights, law, mean + width * sd),
    "check_nearest_law": project,
    "check_deal": largest_remainder,
}
WRONG = {
    "check_acquisition": {
        "contexts not weighted": lambda law, weights, mean, sd, width: (law * (mean + width * sd)).sum() / len(law),
        "largest instead of average": lambda law, weights, mean, sd, width: (mean + width * sd).max(),
        "variance for deviation": lambda law, weights, mean, sd, width: weights @ (law * (mean + width * sd**2)).sum(1),
        "law not used": lambda law, weights, mean, sd, width: weights @ (mean + width * sd).mean(axis=1),
        "one number a context": lambda law, weights, mean, sd, width: weights * (law * (mean + width * sd)).sum(axis=1),
    },
    "check_nearest_law": {
        "clipped and divided": clipped,
        "softmax": softmax,
        "all coordinates positive": wrong_support,
        "shifted only": lambda point: point - point.mean() + 1.0 / len(point),
        "only the largest": lambda point: np.eye(len(point))[np.argmax(point)],
    },
    "check_deal": {
        "each for itself": lambda law, agents: np.rint(law * agents),
        "rounded down": floors,
        "the rest to the largest": all_to_the_largest,
        "drawn": lambda law, agents: np.random.default_rng(0).multinomial(agents, law),
        "not whole": lambda law, agents: law * agents,
    },
}


@pytest.mark.parametrize("name", WRONG)
def test_a_check_prints_one_line_for_a_right_function(name, capsys):
    check_of(STEM, name)(RIGHT[name])
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.parametrize(("name", "what"), [(name, what) for name, wrong in WRONG.items() for what in wrong])
def test_a_check_refuses_a_plausible_wrong_function(name, what):
    with pytest.raises(AssertionError):
        check_of(STEM, name)(WRONG[name][what])
