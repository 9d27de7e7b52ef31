"""A design that is asked for again comes from memory, and nothing in a run shows it."""

import numpy as np
import pytest

from companion.core.randomness import stream
from companion.gp import FinitePosterior, Matern, grid
from companion.papers.batched.method import designs
from companion.papers.batched.method.policy import BPE, RobustBPE
from companion.problems import ball_neighbours

#: The last one is pooled: more than twice the candidates.
SIZES = (5, 30, 300)


@pytest.fixture(autouse=True)
def _nothing_kept():
    designs._designs.clear()
    yield
    designs._designs.clear()


def lasting(candidates=40):
    points = grid(candidates, 1)
    covariance = Matern(2.5, 0.2)(points)
    covariance.flags.writeable = False
    return points, covariance


def play(covariance, seed, neighbours=None, noise_variance=0.01, width=2.0):
    """Everything that a run of its own function and noise decides, as bytes."""
    options = () if neighbours is None else (neighbours,)
    policy = (BPE if neighbours is None else RobustBPE)(covariance, noise_variance, SIZES, width, *options)
    generator = stream(seed, "designs")
    values, left = np.linalg.cholesky(covariance + 1e-9 * np.eye(len(covariance))) @ generator.standard_normal(40), 335
    for size in SIZES:
        query = policy.ask(left).query
        policy.tell(values[query] + 0.1 * generator.standard_normal(size))
        left -= size
    return [
        [np.asarray(part).tobytes() for part in (r.query, r.charged, r.mean, r.sd, r.gain, r.survivors, r.largest_sd)]
        for r in policy.history
    ]


@pytest.mark.parametrize("robust", [False, True])
@pytest.mark.parametrize("width", [2.0, 100.0])
def test_runs_that_share_designs_are_those_that_do_not(robust, width):
    points, covariance = lasting()
    neighbours = ball_neighbours(points, 0.05) if robust else None
    shared = [play(covariance, seed, neighbours, width=width) for seed in range(4)]
    assert 3 <= len(designs._designs) < 12  # the first batch is everybody's
    alone = [play(covariance.copy(), seed, neighbours, width=width) for seed in range(4)]
    assert shared == alone


def test_what_a_design_follows_from_tells_it_apart():
    _, covariance = lasting()
    first = play(covariance, 0)[0]
    assert play(covariance, 0, noise_variance=0.04)[0] != first
    other = (Matern(0.5, 0.2))(grid(40, 1))
    other.flags.writeable = False
    assert play(other, 0)[0] != first
    everywhere, left = np.arange(40), np.arange(40) < 20
    for allowed in (np.ones(40, dtype=bool), left, ~left):
        _, points = designs.design(
            covariance, 0.01, everywhere, allowed, 6, lambda at, size: FinitePosterior(covariance, 0.01)
        )
        assert allowed[points].all()


def test_what_could_change_or_is_large_is_not_kept(monkeypatch):
    _, covariance = lasting()
    play(covariance.copy(), 0)
    assert not designs._designs
    monkeypatch.setattr(designs, "LARGEST", 40 * 40)
    play(covariance, 0, width=100.0)  # nothing is eliminated: 40 candidates times 5, 30 and 300 points
    assert len(designs._designs) == 2
    monkeypatch.setattr(designs, "KEPT", 1)
    play(covariance, 1)
    assert len(designs._designs) == 2  # one comes, one goes
