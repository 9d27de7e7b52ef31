"""BKB: exact when every arm is kept, the sketched posterior by another formula, its coins and its own width."""

import math

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from tolerances import POSTERIOR_ATOL, SKETCH_ATOL, SKETCH_FORMULA_ATOL

from companion.bounds.confidence import SrinivasDrawsWidth
from companion.core.errors import ParameterError
from companion.gp import KernelMatrix, Matern, SquaredExponential, grid
from companion.papers.compressed.method import admission
from companion.papers.compressed.method.bkb import BKBandit, sketched_posterior
from companion.papers.compressed.method.policy import ACQUISITIONS, CompressedBandit
from companion.problems import FiniteProblem
from companion.simulate import run_policy

POINTS = np.linspace(-10, 10, 60)[:, None]
VALUES = (np.sin(POINTS) + np.cos(POINTS) + 0.1 * POINTS)[:, 0]
COVARIANCE = SquaredExponential(1.0)(POINTS)
NOISE = 0.1
PROBLEM = FiniteProblem("waves", POINTS, VALUES, NOISE**0.5, "made up")
WIDTH = SrinivasDrawsWidth(len(POINTS), 0.1)


class Coins:
    """Stands in for a generator: gives prepared rows of uniform numbers, then the last one for ever."""

    def __init__(self, *rows):
        self.rows, self.calls = list(rows), 0

    def random(self, size):
        row = self.rows[min(self.calls, len(self.rows) - 1)]
        self.calls += 1
        return np.broadcast_to(row, (size,))


def pulled(generator, size, count):
    arms = generator.integers(size, size=count)
    values = generator.standard_normal(count)
    counts = np.bincount(arms, minlength=size)
    return arms, values, counts, np.bincount(arms, weights=values, minlength=size)


@pytest.mark.parametrize("kernel", [(SquaredExponential(1.0), RBF(1.0)), (Matern(2.5, 0.7), None)])
def test_with_every_pulled_arm_kept_the_posterior_is_exact(kernel):
    ours, theirs = kernel
    covariance = ours(POINTS)
    arms, values, counts, sums = pulled(np.random.default_rng(0), len(POINTS), 90)
    mean, variance = sketched_posterior(covariance, counts, sums, np.unique(arms), NOISE)
    solved = np.linalg.solve(covariance[np.ix_(arms, arms)] + NOISE * np.eye(90), covariance[arms])
    np.testing.assert_allclose(mean, solved.T @ values, atol=SKETCH_ATOL)
    expected = np.diag(covariance) - np.einsum("ij,ij->j", covariance[arms], solved)
    np.testing.assert_allclose(variance, expected, atol=SKETCH_ATOL)
    if theirs is not None:
        model = GaussianProcessRegressor(theirs, alpha=NOISE, optimizer=None).fit(POINTS[arms], values)
        library, sd = model.predict(POINTS, return_std=True)
        np.testing.assert_allclose(mean, library, atol=POSTERIOR_ATOL)
        np.testing.assert_allclose(variance, sd**2, atol=POSTERIOR_ATOL)


def test_a_part_of_the_arms_gives_the_projected_posterior():
    arms, values, counts, sums = pulled(np.random.default_rng(1), len(POINTS), 90)
    kept = np.array([3, 17, 30, 44, 58])  # far apart: the normal equations stay well conditioned
    mean, variance = sketched_posterior(COVARIANCE, counts, sums, kept, NOISE)
    # k_S' (K_SX K_XS + noise K_SS)^-1 K_SX y, the regression on |S| basis functions.
    cross, square = COVARIANCE[np.ix_(kept, arms)], COVARIANCE[np.ix_(kept, kept)]
    system = cross @ cross.T + NOISE * square
    np.testing.assert_allclose(
        mean, COVARIANCE[kept].T @ np.linalg.solve(system, cross @ values), atol=SKETCH_FORMULA_ATOL
    )
    rows = COVARIANCE[kept]
    outside = 1.0 - np.einsum("ij,ij->j", rows, np.linalg.solve(square, rows))
    inside = NOISE * np.einsum("ij,ij->j", rows, np.linalg.solve(system, rows))
    np.testing.assert_allclose(variance, outside + inside, atol=SKETCH_FORMULA_ATOL)


@pytest.mark.parametrize("acquisition", ACQUISITIONS)
def test_a_run_that_keeps_every_arm_is_the_dense_run(acquisition):
    noise = NOISE**0.5 * np.random.default_rng(4).standard_normal(62)
    initial = [5, 40]
    keeps_all = BKBandit(COVARIANCE, NOISE, acquisition, WIDTH, Coins(0.0), initial)
    ours = run_policy(keeps_all, PROBLEM, 62, noise)
    dense = run_policy(
        CompressedBandit(COVARIANCE, NOISE, acquisition, admission.dense(), WIDTH, initial), PROBLEM, 62, noise
    )
    np.testing.assert_array_equal(ours.query, dense.query)
    assert ours.model_order[-1] == len(np.unique(ours.query))
    assert ours.recommended_regret == dense.recommended_regret


def test_coins_use_the_new_count_and_the_old_variance():
    generator = np.random.default_rng(6)
    rows = [generator.random(len(POINTS)) for _ in range(30)]
    policy = BKBandit(COVARIANCE, NOISE, "ucb", WIDTH, Coins(*rows), [5, 40], oversampling=0.7)
    counts, variance = np.zeros(len(POINTS)), None
    for number in range(31):
        batch = policy.ask(2)
        counts[batch.query] += 1
        policy.tell(VALUES[batch.query])
        if number:
            chance = np.minimum(1.0, 0.7 * counts * variance / NOISE)
            np.testing.assert_array_equal(policy.dictionary, np.flatnonzero(rows[number - 1] < chance))
        variance = policy.variance.copy()
    assert set(policy.dictionary) < set(np.flatnonzero(counts))  # something was left out in the end
    assert policy.diagnostics() == {"evaluations": 32, "redrawn": 0, "oversampling": 0.7, "width": "shared"}


def test_an_empty_dictionary_is_drawn_again():
    policy = BKBandit(COVARIANCE, NOISE, "mpi", WIDTH, Coins(1.0, 1.0, 0.0), [5], oversampling=0.1)
    for _ in range(2):
        policy.tell(VALUES[policy.ask(2).query])
    assert policy.diagnostics()["redrawn"] == 2
    assert policy.model_order >= 1
    never = BKBandit(COVARIANCE, NOISE, "mpi", WIDTH, Coins(1.0), [5], oversampling=0.1)
    never.tell(VALUES[never.ask(2).query])
    never.ask(2)
    with pytest.raises(ParameterError, match="oversampling"):
        never.tell(np.zeros(1))


def test_the_earliest_of_equal_observations_is_recommended():
    policy = BKBandit(COVARIANCE, NOISE, "ucb", WIDTH, Coins(0.0), [5, 40])
    policy.ask(2)
    policy.tell(np.array([0.7, 0.7]))
    assert policy.recommend() == 5
    policy.ask(1)
    policy.tell(np.array([0.7]))
    assert policy.recommend() == 5
    (last,) = policy.ask(1).query
    policy.tell(np.array([0.8]))
    assert policy.recommend() == last


def test_the_own_width_is_the_one_of_the_published_code():
    policy = BKBandit(COVARIANCE, NOISE, "ucb", WIDTH, Coins(0.0), [5, 40], form="own", norm_bound=2.0, level=0.2)
    for _ in range(10):
        policy.tell(VALUES[policy.ask(2).query])
    scaled = policy.variance / NOISE
    spread = sum(float(n * s) for n, s in zip(policy.counts, scaled, strict=True))
    confidence = NOISE * (spread * math.log(11) + math.log(1 / 0.2))
    published = math.sqrt(NOISE) * 2.0 + math.sqrt(confidence)  # multiplies the square root of variance over noise
    np.testing.assert_allclose(policy.width() * np.sqrt(policy.variance), published * np.sqrt(scaled))
    chosen = policy.ask(1).query[0]
    assert chosen == np.argmax(policy.mean + published * np.sqrt(scaled))


def test_rows_on_demand_give_the_same():
    points = grid(7, 2)
    kernel = SquaredExponential(0.5)
    arms, _, counts, sums = pulled(np.random.default_rng(8), 49, 30)
    dense = sketched_posterior(kernel(points), counts, sums, np.unique(arms)[::2], NOISE)
    lazy = sketched_posterior(KernelMatrix(kernel, points), counts, sums, np.unique(arms)[::2], NOISE)
    np.testing.assert_allclose(lazy, dense, atol=SKETCH_ATOL)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"initial": []}, "initial"),
        ({"oversampling": 0.0}, "oversampling"),
        ({"form": "theirs"}, "form"),
        ({"level": 1.0}, "level"),
        ({"noise_variance": -1.0}, "noise_variance"),
        ({"acquisition": "pi"}, "acquisition"),
    ],
)
def test_bad_arguments_are_refused(change, name):
    given = {"covariance": COVARIANCE, "noise_variance": NOISE, "acquisition": "ucb", "width": WIDTH}
    given |= {"generator": Coins(0.0), "initial": [1]}
    with pytest.raises(ParameterError, match=name):
        BKBandit(**{**given, **change})
