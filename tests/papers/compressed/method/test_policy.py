"""Algorithm 1 against scikit-learn's regression refitted every round; what a rejection leaves alone; long runs."""

import math

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from tolerances import ACQUISITION_RTOL, POSTERIOR_ATOL

from companion.bounds.confidence import SrinivasDrawsWidth
from companion.core.errors import ParameterError
from companion.gp import FinitePosterior, SquaredExponential
from companion.papers.compressed.method import admission
from companion.papers.compressed.method.policy import ACQUISITIONS, CompressedBandit, choose
from companion.papers.compressed.method.posteriors import RefitPosterior, UpdatedPosterior
from companion.problems import FiniteProblem
from companion.simulate import run_policy

POINTS = np.linspace(-10, 10, 80)[:, None]
VALUES = (np.sin(POINTS) + np.cos(POINTS) + 0.1 * POINTS)[:, 0]
COVARIANCE = SquaredExponential(1.0)(POINTS)
NOISE = 0.01
PROBLEM = FiniteProblem("waves", POINTS, VALUES, NOISE**0.5, "made up")
WIDTH = SrinivasDrawsWidth(len(POINTS), 0.1)
INITIAL = [10, 55]


def bandit(acquisition, rule, posterior="engine"):
    return CompressedBandit(COVARIANCE, NOISE, acquisition, rule, WIDTH, INITIAL, posterior=posterior)


def noise(horizon, seed=0):
    return NOISE**0.5 * np.random.default_rng(seed).standard_normal(horizon)


def scores(acquisition, chosen, values, number):
    """Acquisition values from scikit-learn's posterior and the textbook formulas."""
    model = GaussianProcessRegressor(RBF(1.0), alpha=NOISE, optimizer=None).fit(POINTS[chosen], values)
    mean, sd = model.predict(POINTS, return_std=True)
    if acquisition == "ucb":
        beta = 2 * math.log(len(POINTS) * number**2 * math.pi**2 / (6 * 0.1))
        return mean + math.sqrt(beta) * sd
    incumbent = max(values) if acquisition == "ei" else mean.max()
    z = (mean - incumbent) / sd
    return (mean - incumbent) * norm.cdf(z) + sd * norm.pdf(z)


@pytest.mark.parametrize("rule", [admission.dense(), admission.information(0.2, NOISE)], ids=["dense", "info"])
@pytest.mark.parametrize("acquisition", ACQUISITIONS)
def test_every_choice_and_decision_is_the_one_of_a_refitted_regression(acquisition, rule):
    run = run_policy(bandit(acquisition, rule), PROBLEM, 32, noise(32))
    kept = set(run.diagnostics["kept_rounds"])
    chosen, values = list(run.query[:2]), list(run.observation[:2])
    for number in range(1, 31):
        expected = scores(acquisition, chosen, values, number)
        pick = run.query[number + 1]
        assert expected[pick] == pytest.approx(expected.max(), rel=ACQUISITION_RTOL)
        model = GaussianProcessRegressor(RBF(1.0), alpha=NOISE, optimizer=None).fit(POINTS[chosen], values)
        variance = model.predict(POINTS[[pick]], return_std=True)[1][0] ** 2
        assert run.diagnostics["variance"][number - 1] == pytest.approx(variance, abs=1e-7)
        assert (number in kept) == (variance > rule.threshold)
        if number in kept:
            chosen.append(pick)
            values.append(run.observation[number + 1])
        assert run.model_order[number + 1] == len(chosen)
    assert rule.reading == "dense" or len(kept) < 30


def test_small_variances_still_decide_and_none_below_zero_is_rooted():
    mean = np.zeros(3)
    assert choose("ucb", mean, np.array([1e-14, 4e-14, 1e-14]), 1.0, 0.0) == 1
    assert choose("ucb", mean, np.array([1e-14, -1e-17, 0.0]), 1.0, 0.0) == 0
    for acquisition in ("ei", "mpi"):
        assert choose(acquisition, mean, np.array([1e-14, 4e-14, 1e-14]), 0.0, 0.0) == 1
        assert choose(acquisition, np.array([0.0, 1.0, 0.5]), np.array([-1e-17, 1e-6, 1e-6]), 0.0, 0.5) == 1


@pytest.mark.parametrize("acquisition", ACQUISITIONS)
def test_a_threshold_of_zero_is_the_dense_run_pick_by_pick(acquisition):
    for seed in range(3):
        ours = run_policy(bandit(acquisition, admission.information(0.0, NOISE)), PROBLEM, 120, noise(120, seed))
        dense = run_policy(bandit(acquisition, admission.dense()), PROBLEM, 120, noise(120, seed))
        np.testing.assert_array_equal(ours.query, dense.query)
        np.testing.assert_array_equal(ours.model_order, dense.model_order)
    changed = run_policy(bandit(acquisition, admission.information(0.5, NOISE)), PROBLEM, 120, noise(120, 2))
    assert not np.array_equal(changed.query, dense.query)


@pytest.mark.parametrize("acquisition", ACQUISITIONS)
def test_a_rejected_round_leaves_everything_untouched(acquisition):
    policy = bandit(acquisition, admission.information(0.5, NOISE))
    generator, rejected = np.random.default_rng(5), 0
    for _ in range(60):
        batch = policy.ask(1)
        before = policy.posterior.mean.copy(), policy.posterior.variance.copy(), policy.model_order, policy._best
        told = VALUES[batch.query] + 0.1 * generator.standard_normal(len(batch))
        if len(policy.diagnostics()["variance"]) and not policy._keep:
            policy.tell(np.full(len(batch), 1e9))  # never looked at
            rejected += 1
            np.testing.assert_array_equal(policy.posterior.mean, before[0])
            np.testing.assert_array_equal(policy.posterior.variance, before[1])
            assert (policy.model_order, policy._best) == before[2:]
            assert VALUES[policy.recommend()] < 1e9
        else:
            policy.tell(told)
            assert policy.model_order > before[2]
    assert rejected > 10


@pytest.mark.parametrize("acquisition", ["ei", "mpi"])
@pytest.mark.parametrize("epsilon", [0.05, 0.5])
def test_after_the_first_rejection_the_choice_is_the_one_computed_again(acquisition, epsilon):
    policy = bandit(acquisition, admission.information(epsilon, NOISE))
    given, settled = noise(100, 7), 0
    for number in range(60):
        batch = policy.ask(1)
        if policy._settled is not None:
            assert policy._choose() == batch.query[0]
            settled += 1
        policy.tell(VALUES[batch.query] + given[number : number + len(batch)])
    assert settled > 5
    first = policy.diagnostics()["first_rejection"]
    assert policy.diagnostics()["kept_rounds"] == list(range(1, first))  # nothing is kept after it


@pytest.mark.parametrize("kind", ["update", "refit"])
@pytest.mark.parametrize("acquisition", ACQUISITIONS)
def test_other_posteriors_choose_the_same(acquisition, kind):
    rule = admission.information(0.1, NOISE)
    updated = run_policy(bandit(acquisition, rule), PROBLEM, 60, noise(60, 1))
    refitted = run_policy(bandit(acquisition, rule, kind), PROBLEM, 60, noise(60, 1))
    np.testing.assert_array_equal(updated.query, refitted.query)
    np.testing.assert_array_equal(updated.model_order, refitted.model_order)
    assert refitted.diagnostics["gain"] == pytest.approx(updated.diagnostics["gain"])


def test_the_three_posteriors_are_one():
    generator = np.random.default_rng(2)
    refitted, updated = RefitPosterior(COVARIANCE, NOISE), UpdatedPosterior(COVARIANCE, NOISE, capacity=4)
    engine = FinitePosterior(COVARIANCE, NOISE)
    refitted.refit()
    np.testing.assert_array_equal(refitted.variance, engine.variance)
    for index in generator.integers(len(POINTS), size=50).tolist():
        value = float(generator.standard_normal())
        for posterior in (refitted, updated, engine):
            posterior.observe(index, value)
    refitted.refit()
    for posterior in (refitted, updated):
        np.testing.assert_allclose(posterior.mean, engine.mean, atol=POSTERIOR_ATOL)
        np.testing.assert_allclose(posterior.variance, engine.variance, atol=POSTERIOR_ATOL)
        assert posterior.gain == pytest.approx(engine.gain)
        assert posterior.count == 50
        np.testing.assert_array_equal(posterior.indices, engine.indices)


@pytest.fixture(scope="module")
def thousand():
    points = np.linspace(-10, 10, 1000)[:, None]
    values = (np.sin(points) + np.cos(points) + 0.1 * points)[:, 0]
    return FiniteProblem("waves", points, values, 1e-3**0.5, "made up"), SquaredExponential(1.0)(points)


@pytest.mark.slow
@pytest.mark.parametrize("printed", [True, False])
def test_twenty_thousand_rounds_on_a_thousand_candidates(thousand, printed):
    problem, covariance = thousand
    horizon, variance = 20_000, 1e-3
    rule = admission.information(1e-4 if printed else admission.horizon_budget(horizon, 0.5), variance)
    policy = CompressedBandit(covariance, variance, "ucb", rule, SrinivasDrawsWidth(1000, 0.1), [100, 900])
    given = variance**0.5 * np.random.default_rng(0).standard_normal(horizon + 2)
    run = run_policy(policy, problem, horizon + 2, given)
    kept = run.diagnostics["kept_rounds"]
    assert run.model_order[-1] == len(kept) + 2
    first = run.diagnostics["first_rejection"]
    # n points leave at least v = noise/(n + noise) anywhere, so none can be rejected before 1/u - noise are kept.
    u = rule.threshold / variance
    assert first + 1 >= 1 / u - variance
    assert (first > 4990) == printed
    assert run.model_order[-1] < (0.5 if printed else 0.05) * horizon
    assert (
        np.asarray(run.diagnostics["variance"])[np.setdiff1d(np.arange(horizon), np.array(kept) - 1)] <= rule.threshold
    ).all()


def test_bad_calls_are_refused():
    with pytest.raises(ParameterError, match="acquisition"):
        bandit("pi", admission.dense())
    with pytest.raises(ParameterError, match="posterior"):
        bandit("ucb", admission.dense(), "rank-one")
    with pytest.raises(ParameterError, match="initial"):
        CompressedBandit(COVARIANCE, NOISE, "ei", admission.dense(), WIDTH)
    policy = bandit("ucb", admission.dense())
    with pytest.raises(ParameterError, match="observations"):
        policy.tell(np.zeros(1))
    policy.ask(5)
    with pytest.raises(ParameterError, match="ask"):
        policy.ask(5)
