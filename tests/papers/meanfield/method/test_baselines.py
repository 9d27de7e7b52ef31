"""Searches over joint actions against the rules written out, brute force and dense formulas."""

import math

import numpy as np
import pytest
from oracles.meanfield_reference import RandomActions
from scipy import stats
from tolerances import POSTERIOR_ATOL, SIGNIFICANCE

from companion.core.errors import ParameterError
from companion.papers.meanfield.method import naive as naive_module
from companion.papers.meanfield.method import turbo as turbo_module
from companion.papers.meanfield.method.baselines import GeneticAlgorithm, ScaledAnnealing, SimulatedAnnealing
from companion.papers.meanfield.method.naive import NaiveGPUCB
from companion.papers.meanfield.method.turbo import NOISES, RATES, HammingTuRBO, _distinct, fit_hamming, hamming_change
from companion.papers.meanfield.method.widths import PracticeWidth

GOAL = np.arange(12) % 4


def likeness(joint):
    """Share of agents that do what the goal says: the optimum is 1."""
    return float(np.mean(joint == GOAL[: len(joint)]))


def drive(search, rounds, reward=likeness):
    asked, values = [], []
    for _ in range(rounds):
        asked.append(search.ask())
        values.append(reward(asked[-1]))
        search.tell(values[-1])
    return np.array(asked), np.array(values)


def test_annealing_changes_one_agent_of_the_accepted_state():
    search = SimulatedAnnealing(12, 4, np.random.default_rng(0), temperature=0.05, cooling=0.95)
    state, best, values = None, -math.inf, []
    for _ in range(200):
        joint = search.ask()
        if state is not None:
            assert np.count_nonzero(joint != state) == 1
        values.append(likeness(joint))
        search.tell(values[-1])
        kept = np.array_equal(search._state, joint)
        assert kept or np.array_equal(search._state, state)
        assert kept or values[-1] <= best
        state, best = search._state.copy(), max(best, values[-1])
    assert np.mean(values[-50:]) > 0.8


def test_annealing_accepts_with_the_stated_probability():
    search = SimulatedAnnealing(12, 4, np.random.default_rng(1), temperature=2.0)
    search._value = 1.0
    assert search.acceptance(0.0) == pytest.approx(math.exp(-0.5))
    assert search.acceptance(-1000.0) == pytest.approx(1e-5)
    search.temperature = 1.0
    assert search.acceptance(0.0) == pytest.approx(math.exp(-1.0))
    assert search.acceptance(1.5) == 1.0


def test_annealing_accepts_as_often_as_it_says():
    accepted = 0
    for seed in range(2000):
        search = SimulatedAnnealing(3, 4, np.random.default_rng(seed), temperature=1.0, cooling=1.0)
        search.ask()
        search.tell(0.0)
        second = search.ask()
        search.tell(-1.0)
        accepted += np.array_equal(search._state, second)
    assert stats.binomtest(accepted, 2000, math.exp(-1.0)).pvalue > SIGNIFICANCE


def test_temperature_falls_by_a_fifth_per_evaluation():
    search = SimulatedAnnealing(12, 4, np.random.default_rng(2))
    drive(search, 30)
    assert search.temperature == pytest.approx(100 * 0.8**30)


def test_scaled_annealing_suits_its_temperature_to_the_rewards():
    ends = []
    for scale in (1.0, 1e-3):
        search = ScaledAnnealing(12, 4, np.random.default_rng(3), horizon=100)
        asked, values = drive(search, 100, lambda joint, s=scale: s * likeness(joint))
        assert search.temperature == pytest.approx(1e-3 * np.std(values[:10]), rel=1e-6)
        ends.append(asked)
    np.testing.assert_array_equal(*ends)


def test_genetic_algorithm_never_repeats_and_improves():
    search = GeneticAlgorithm(12, 4, np.random.default_rng(4), offset=None)
    asked, values = drive(search, 400)
    assert len({joint.tobytes() for joint in asked}) == 400
    assert search.generations == 10
    assert values[-40:].mean() > values[:40].mean() + 0.2


def test_children_are_crossed_at_one_point_and_mutated_once():
    """With two kinds of parents, all zeros and all ones, a child is one block of each and one odd gene."""
    search = GeneticAlgorithm(30, 6, np.random.default_rng(5), population=4, elites=2)
    zeros, ones = np.zeros(30, dtype=np.int32), np.ones(30, dtype=np.int32)
    search._elite = [(1.0, zeros), (0.5, ones)]
    search._generation = [(0.0, zeros), (0.0, ones)]
    for _ in range(30):
        search._made.clear()  # a repeated child would be mutated again
        for child in search._children():
            fewest = min(
                np.count_nonzero(child != np.concatenate([np.full(cut, a), np.full(30 - cut, 1 - a)]))
                for cut in range(31)
                for a in (0, 1)
            )
            assert fewest <= 1


def test_elites_are_the_best_ever_and_the_offset_flattens_the_draw():
    search = GeneticAlgorithm(12, 4, np.random.default_rng(6))
    _, values = drive(search, 130)
    assert [value for value, _ in search._elite] == sorted(values, reverse=True)[:10]
    small = np.array([0.0, 0.01, 0.02])
    np.testing.assert_allclose(search.shares(small), (small + 1.0) / 3.03)
    scaled = GeneticAlgorithm(12, 4, np.random.default_rng(6), offset=None).shares(small)
    np.testing.assert_allclose(scaled, scaled * 0 + np.array([0.1, 0.6, 1.1]) / 1.8)


def test_hamming_distances_of_candidates_are_those_of_brute_force():
    rng = np.random.default_rng(7)
    search = HammingTuRBO(40, 5, rng, initial=6, candidates=50)
    drive(search, 9, lambda joint: float(joint[0]))
    incumbent = search._joint[2]
    who, what, used = search.candidates(incumbent)
    found = search._distances[2] + hamming_change(search._joint, incumbent, who, what, used)
    for i in range(50):
        joint = incumbent.copy()
        joint[who[i, used[i]]] = what[i, used[i]]
        np.testing.assert_array_equal(found[i], np.count_nonzero(search._joint != joint, axis=1))
    direct = np.count_nonzero(search._joint[:, None] != search._joint[None], axis=2)
    np.testing.assert_array_equal(search._distances, direct)


@pytest.mark.parametrize(("high", "width"), [(9, 4), (5000, 20)])
def test_changed_agents_are_distinct_and_uniform(high, width):
    drawn = _distinct(high, 3000, width, np.random.default_rng(8))
    assert all(len(set(row)) == width for row in drawn.tolist())
    counts = np.histogram(drawn, bins=9, range=(0, high))[0]
    assert stats.chisquare(counts).pvalue > SIGNIFICANCE


def test_hamming_fit_is_the_best_of_the_grid():
    rng = np.random.default_rng(9)
    joint = rng.integers(3, size=(15, 20))
    relative = np.count_nonzero(joint[:, None] != joint[None], axis=2) / 20
    targets = np.linalg.cholesky(np.exp(-5 * relative) + 0.01 * np.eye(15)) @ rng.standard_normal(15)

    def likelihood(rate, noise):
        gram = np.exp(-rate * relative) + noise * np.eye(15)
        scale = targets @ np.linalg.solve(gram, targets) / 15
        return stats.multivariate_normal(np.zeros(15), scale * gram).logpdf(targets)

    best = max((likelihood(rate, noise), rate, noise) for rate in RATES for noise in NOISES)
    assert fit_hamming(relative, targets) == pytest.approx(best[1:])


def test_hamming_posterior_is_the_dense_one():
    rng = np.random.default_rng(10)
    search = HammingTuRBO(15, 4, rng, initial=5)
    drive(search, 12, lambda joint: float(joint.sum()))
    targets = (search._values - search._values.mean()) / search._values.std()
    new = rng.integers(4, size=(6, 15))
    apart = np.count_nonzero(new[:, None] != search._joint[None], axis=2) / 15
    gram = np.exp(-search._rate * search._distances / 15) + search._noise * np.eye(12)
    cross = np.exp(-search._rate * apart)
    scale = targets @ np.linalg.solve(gram, targets) / 12
    mean, variance = search._predict(targets, apart)
    np.testing.assert_allclose(mean, cross @ np.linalg.solve(gram, targets), atol=POSTERIOR_ATOL)
    expected = scale * (1 - np.einsum("nt,tn->n", cross, np.linalg.solve(gram, cross.T)))
    np.testing.assert_allclose(variance, expected, atol=POSTERIOR_ATOL)


def test_trust_region_grows_shrinks_and_starts_afresh():
    search = HammingTuRBO(40, 4, np.random.default_rng(11), initial=2, candidates=5, failures=4)
    rewards = iter([0.0, 0.0, *range(1, 4), *[-1.0] * 60])
    drive(search, 40, lambda joint: float(next(rewards)))
    # 32 at first, 40 = min(48, M) after three successes, then a third less after every four failures
    assert search.radii[:5] == [32] * 5
    assert search.radii[5:9] == [40] * 4
    assert search.radii[9:13] == [26] * 4
    assert search.radii[13:17] == [17] * 4
    later = iter([-1.0] * 60)
    drive(search, 20, lambda joint: float(next(later)))
    assert search.restarts == 1


def test_turbo_fits_in_every_round_at_first_and_then_in_every_fifth(monkeypatch):
    counts = []

    def fit(relative, targets):
        counts.append(len(targets))
        return fit_hamming(relative, targets)

    monkeypatch.setattr(turbo_module, "fit_hamming", fit)
    drive(HammingTuRBO(12, 4, np.random.default_rng(18), initial=45, candidates=5), 62)
    assert counts == [45, 46, 47, 48, 49, 50, 55, 60]


def test_turbo_changes_at_most_the_radius_and_climbs():
    search = HammingTuRBO(12, 4, np.random.default_rng(12), initial=10, candidates=300)
    _, values = drive(search, 80)
    chance = drive(RandomActions(12, 4, np.random.default_rng(12)), 80)[1]
    assert values[-20:].mean() > chance.mean() + 0.25
    search.radius = 2
    _, _, used = search.candidates(search._joint[0])
    assert used.sum(axis=1).max() <= 2
    assert used.sum(axis=1).min() >= 1


def test_naive_gp_ucb_maximises_exactly_where_it_lists():
    features = np.array([[0.0], [0.4], [1.0]])
    search = NaiveGPUCB(features, 2, np.random.default_rng(13), PracticeWidth(1.5), initial=4)
    assert search.listed
    asked, values = drive(search, 7, lambda joint: float(-((features[joint].sum() - 1.3) ** 2)))
    found = search.ask()
    targets = (values - values.mean()) / values.std()
    every = np.array([(i, j) for i in range(3) for j in range(3)])

    def gram(one, two):
        apart = ((features[one][:, None] - features[two][None]) ** 2).sum(axis=(2, 3))
        return search._scale * np.exp(-apart / (2 * search._lengthscale**2))

    inverse = np.linalg.inv(gram(asked, asked) + search._noise * np.eye(7))
    cross = gram(every, asked)
    variance = search._scale - np.einsum("nt,ts,ns->n", cross, inverse, cross)
    score = cross @ inverse @ targets + 1.5 * np.sqrt(np.maximum(variance, 0))
    assert score[np.flatnonzero((every == found).all(axis=1))[0]] == pytest.approx(score.max(), abs=1e-6)


def test_naive_climb_reaches_a_joint_action_no_single_agent_improves(monkeypatch):
    monkeypatch.setattr(naive_module, "LISTED", 1)
    features = np.linspace(0, 1, 4)[:, None]
    search = NaiveGPUCB(features, 6, np.random.default_rng(14), initial=5, steps=200)
    assert not search.listed
    drive(search, 15, lambda joint: float(likeness(joint)))

    def score(squared):
        return np.exp(-squared) @ np.linspace(-1, 1, 15)

    value, joint = search._climb(search._joint[3], score)
    assert value == pytest.approx(float(score(search._to_data(joint[None]))[0]), abs=1e-9)
    for agent in range(6):
        for action in range(4):
            other = joint.copy()
            other[agent] = action
            assert score(search._to_data(other[None]))[0] <= value + 1e-9


def test_naive_climb_goes_on_where_one_block_of_agents_cannot_improve():
    """The nearer to the datum the better, one agent a step: blocks without a wrong agent are passed over."""
    search = NaiveGPUCB(np.eye(4), 12, np.random.default_rng(16), initial=5, steps=300, block=2)
    drive(search, 1)
    wrong = (search._joint[0] + 1) % 4
    value, joint = search._climb(wrong, lambda squared: -squared.sum(axis=1))
    assert value == 0.0
    np.testing.assert_array_equal(joint, search._joint[0])


def test_naive_gp_ucb_does_not_care_for_the_unit_of_the_features():
    features = np.array([[0.0, 1.0], [0.3, 0.0], [1.0, 0.4]])
    runs = [drive(NaiveGPUCB(scale * features, 3, np.random.default_rng(17), initial=6), 12)[0] for scale in (1, 256)]
    np.testing.assert_array_equal(*runs)


@pytest.mark.slow
def test_naive_gp_ucb_beats_random_with_few_agents():
    search = NaiveGPUCB(np.eye(4), 6, np.random.default_rng(15), PracticeWidth(1.0))
    assert drive(search, 60)[1].max() >= drive(RandomActions(6, 4, np.random.default_rng(15)), 60)[1].max()
    assert search.best_value == 1.0


def test_protocol_and_recommendation():
    search = SimulatedAnnealing(12, 4, np.random.default_rng(18))
    with pytest.raises(ParameterError, match="value"):
        search.tell(1.0)
    asked, values = drive(search, 20)
    np.testing.assert_array_equal(search.recommend(), asked[int(np.argmax(values))])
    search.ask()
    with pytest.raises(ParameterError, match="tell"):
        search.ask()
    with pytest.raises(ParameterError, match="actions"):
        RandomActions(3, 1, np.random.default_rng(0))
