"""What the printed penalty could mean: every bound is above what any law attains, by random search and by ascent."""

import numpy as np
import pytest
from scipy import optimize

from companion.papers.meanfield.page.problems import reading_rows
from companion.papers.meanfield.problems.penalty_readings import penalty_readings, per_context_bound

ANGLES = 2.0 * np.pi * np.arange(30) / 30
SIGNS = np.array([1.0, -1.0])


def rewards(law):
    """Arena's reward of laws (2, 30) in every reading, in the order of the module, from its definition."""
    share, placed = law.mean(axis=0), 0.5 * SIGNS @ law
    pairs = 2.0 * abs((placed * np.exp(1j * ANGLES)).sum()) ** 2
    own = 10.0 * (share * np.log1p(share)).sum()
    team = 10.0 * 0.5 * (law * np.log1p(law)).sum()
    counts = 10.0 * np.log1p(50.0 * share).sum()
    return np.array(
        [
            pairs - 10.0 * np.log1p(share).sum(),
            pairs - counts,
            pairs - 50.0 * own,
            pairs - team,
            pairs / 2 - own,
            pairs - own,
        ]
    )


def softmax(free):
    weights = np.exp(free.reshape(2, 30) - free.reshape(2, 30).max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.slow
def test_no_law_is_above_the_largest_reward_of_any_reading():
    largest = np.array([reading.largest for reading in penalty_readings()])
    generator = np.random.default_rng(3)
    laws = [law for scale in (0.1, 1.0, 10.0) for law in generator.dirichlet(np.full(30, scale), (300, 2))]
    opposite = np.zeros((2, 30))
    opposite[0, 0] = opposite[1, 15] = 1.0
    found = np.array([rewards(law) for law in [*laws, opposite]])
    assert (found <= largest[None] + 1e-9).all()
    # By hand: the first part is largest, and two places have half of the agents each.
    assert rewards(opposite)[0] == pytest.approx(2.0 - 20.0 * np.log(1.5))


@pytest.mark.slow
def test_ascent_comes_near_the_bound_where_it_is_not_a_formula():
    generator = np.random.default_rng(4)
    for index, slack in ((3, 0.09), (5, 1e-3)):
        best = -np.inf
        for start in range(3):
            lean = np.cos(ANGLES - 0.3 * start)
            free = 3.0 * np.concatenate([lean, -lean]) + 0.1 * generator.standard_normal(60)
            done = optimize.minimize(lambda x, at: -rewards(softmax(x))[at], free, args=(index,), method="L-BFGS-B")
            best = max(best, -done.fun)
        largest = penalty_readings()[index].largest
        assert largest - slack <= best <= largest + 1e-6
    assert per_context_bound(30, 1e-3) == pytest.approx(2.0, abs=0.1)


@pytest.mark.slow
def test_only_the_reading_that_is_run_allows_the_reward_of_figure_3():
    rows = reading_rows()
    assert list(rows["allows the reward of Figure 3"]) == ["no"] * 5 + ["yes"]
    assert [reading.attained for reading in penalty_readings()] == [False] * 5 + [True]
