"""Batches on a box: shared candidates, ascents, and the published variants."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from tolerances import POSTERIOR_ATOL

from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.gp import DataPosterior, Matern
from companion.papers.tsrsr.method.candidates import CandidateSearch, adam
from companion.papers.tsrsr.method.policy import BoxPolicyByRule, SurrogateModel, UniformOnBox
from companion.papers.tsrsr.method.published import BoxView, PublishedEI, PublishedTSRSR, conditioned
from companion.papers.tsrsr.method.round import DenseRound
from companion.papers.tsrsr.method.rules import TSRSR, BatchTS, BelieverEI
from companion.problems import BoxProblem
from companion.simulate import run_box_policy

LOW, HIGH = np.array([-1.0, 0.0]), np.array([1.0, 3.0])
MODEL = SurrogateModel(Matern(1.5, 0.5))


def bowl(x):
    return 2.0 - (x[:, 0] - 0.3) ** 2 - (x[:, 1] - 1.0) ** 2


PROBLEM = BoxProblem("bowl", LOW, HIGH, bowl, 2.0, 1e-3, "test", np.array([0.3, 1.0]))


def policy(rule, seed=0, batch=3, design=8, search=None, model=MODEL):
    def streams(name, number):
        return stream(seed, name, number) if name == "candidates" else stream(seed, type(rule).__name__, name, number)

    points = PROBLEM.uniform(stream(seed, "design"), design)
    return BoxPolicyByRule(
        rule, model, LOW, HIGH, batch, points, streams, search or CandidateSearch(uniform=60, steps=40)
    )


@pytest.fixture
def posterior():
    points = PROBLEM.uniform(np.random.default_rng(1), 25)
    return DataPosterior(MODEL.kernel, points, bowl(points), 1e-6)


def test_adam_climbs_a_paraboloid_and_stays_in_the_box():
    def gradient(x):
        return -2.0 * (x - np.array([0.5, 5.0]))  # its maximum in the second coordinate lies outside

    ends = adam(gradient, np.array([[-0.9, 0.1], [0.9, 2.9]]), 0.05, 0.01, 2000, LOW, HIGH)
    np.testing.assert_allclose(ends, [[0.5, 3.0], [0.5, 3.0]], atol=0.01)  # one step of the clamped rate


def test_first_step_of_adam_has_the_length_of_the_rate():
    ends = adam(lambda x: np.array([[7.0, -0.01]]), np.array([[0.0, 1.0]]), 0.02, 0.01, 1, LOW, HIGH)
    np.testing.assert_allclose(ends, [[0.02, 0.98]], atol=1e-7)


def test_candidates_end_with_ascents_that_raise_the_mean(posterior):
    search = CandidateSearch(uniform=30)
    found = search(posterior, LOW, HIGH, np.random.default_rng(0))
    uniform, ends = found[:30], found[30:]
    np.testing.assert_array_equal(uniform, np.random.default_rng(0).uniform(LOW, HIGH, (30, 2)))
    means = posterior.mean(uniform)
    assert len(ends) >= 1
    assert posterior.mean(ends[:1])[0] > means.max()
    assert PROBLEM.contains(found).all()
    eligible = (posterior.mean(posterior.points) > means.max()) & (
        cdist(posterior.points, uniform).min(axis=1) > search.apart
    )
    assert 1 <= len(ends) <= 1 + eligible.sum()


def test_data_points_are_left_out_one_after_the_other(posterior):
    """The rule applied one data point at a time, as it is described, finds the same candidates."""
    search = CandidateSearch(uniform=12, steps=30, apart=0.2)
    found = search(posterior, LOW, HIGH, np.random.default_rng(4))
    slow = np.random.default_rng(4).uniform(LOW, HIGH, (12, 2))
    bar = posterior.mean(slow).max()
    start = slow[[int(np.argmax(posterior.mean(slow)))]]
    slow = np.vstack([slow, search._ascend(posterior, start, search.rate_best, LOW, HIGH)])
    for point in posterior.points:
        if posterior.mean(point[None])[0] > bar and cdist(point[None], slow).min() > search.apart:
            slow = np.vstack([slow, search._ascend(posterior, point[None], search.rate_data, LOW, HIGH)])
    assert len(slow) > 13
    np.testing.assert_allclose(found, slow, atol=POSTERIOR_ATOL)


@pytest.mark.parametrize("rule", [TSRSR(), BatchTS(), BelieverEI(), PublishedTSRSR(), PublishedEI()])
def test_methods_share_design_candidates_and_noise(rule):
    asked = policy(rule)
    noise = 1e-3 * stream(0, "noise").standard_normal(17)
    run = run_box_policy(asked, PROBLEM, 17, noise)
    np.testing.assert_array_equal(run.points[:8], PROBLEM.uniform(stream(0, "design"), 8))
    np.testing.assert_allclose(run.observation - bowl(run.points), noise, atol=1e-15)
    assert run.batch.tolist() == [1] * 8 + [2] * 3 + [3] * 3 + [4] * 3
    np.testing.assert_allclose(run.instantaneous_regret, 2.0 - bowl(run.points), atol=1e-15)


def test_random_search_takes_the_first_of_the_candidates_that_the_others_see():
    points = PROBLEM.uniform(stream(0, "design"), 8)
    asked = UniformOnBox(LOW, HIGH, 3, points, lambda name, number: stream(0, name, number))
    run = run_box_policy(asked, PROBLEM, 13, np.zeros(13))
    np.testing.assert_array_equal(run.points[:8], points)
    for number, rows in enumerate((slice(8, 11), slice(11, 13))):
        size = rows.stop - rows.start
        np.testing.assert_array_equal(run.points[rows], stream(0, "candidates", number).uniform(LOW, HIGH, (size, 2)))


def test_targets_are_standardised():
    values = np.array([3.0, 5.0, 10.0])
    posterior, best = MODEL.fit(np.array([[0.0, 1.0], [0.5, 1.0], [-0.5, 2.0]]), values, np.random.default_rng(0))
    gram = posterior.kernel(posterior.points) + 1e-6 * np.eye(3)
    targets = gram @ posterior.weights
    assert targets.mean() == pytest.approx(0.0, abs=POSTERIOR_ATOL)
    assert targets.std() == pytest.approx(1.0, abs=POSTERIOR_ATOL)
    assert best == pytest.approx((10 - 6) / math.sqrt(26 / 3))


def view_of(posterior, seed=0):
    candidates = PROBLEM.uniform(np.random.default_rng(seed), 40)
    mean, covariance = posterior.mean_and_covariance(candidates)
    current = DenseRound(2, mean, covariance, posterior.noise_variance, 1.9)
    return BoxView(current, posterior, candidates, bowl(posterior.points), LOW, HIGH)


def test_conditioning_on_points_beside_the_candidates(posterior):
    view, extra = view_of(posterior), [np.array([0.31, 1.02]), np.array([-0.8, 2.5])]
    appended = DataPosterior(MODEL.kernel, np.vstack([posterior.points, *extra]), np.zeros(27), 1e-6)
    exact = appended.mean_and_variance(view.candidates)[1]
    np.testing.assert_allclose(conditioned(view, extra), exact, atol=POSTERIOR_ATOL)


@pytest.mark.parametrize("seed", range(4))
def test_published_steps_start_like_ts_rsr_and_never_worsen_the_ratio(seed, posterior):
    view = view_of(posterior, seed)
    plain = view.candidates[TSRSR().choose(view.current, 4, np.random.default_rng(seed))]
    still = PublishedTSRSR(steps=0).choose_points(view, 4, np.random.default_rng(seed))
    moved = PublishedTSRSR().choose_points(view, 4, np.random.default_rng(seed))
    np.testing.assert_array_equal(still, plain)
    np.testing.assert_array_equal(moved[0], plain[0])
    assert (np.abs(moved[1] - plain[1]) <= 10 * 0.011).all()


def test_published_ei_believes_in_two_units(posterior):
    """Only its first point is that of the correct rule; with targets far from standardised the next one is not."""
    view = view_of(posterior)
    correct = view.candidates[BelieverEI().choose(view.current, 2, np.random.default_rng(0))]
    published = PublishedEI().choose_points(view, 2, np.random.default_rng(0))
    np.testing.assert_array_equal(published[0], correct[0])
    shifted = BoxView(view.current, posterior, view.candidates, view.observed + 100.0, LOW, HIGH)
    other = PublishedEI().choose_points(shifted, 2, np.random.default_rng(0))
    assert not np.array_equal(other[1], correct[1])


def test_wrong_use_is_refused():
    asked = policy(TSRSR())
    with pytest.raises(ParameterError, match="observations"):
        asked.tell(np.zeros(3))
    asked.ask(20)
    with pytest.raises(ParameterError, match="ask"):
        asked.ask(20)
