"""The finite population, and the loop on a problem whose optimum SLSQP knows."""

import json
from functools import partial

import numpy as np
import pytest
from oracles.meanfield_reference import Congestion, RandomActions
from scipy import stats
from tolerances import FOUR_ERRORS, ROUNDING_SLACK, SIGNIFICANCE

from companion.core.errors import CompanionError, ParameterError
from companion.core.randomness import stream
from companion.papers.meanfield.method.agents import (
    TABLE,
    draw_contexts,
    empirical_law,
    largest_remainder,
    play_law,
    representative,
)
from companion.papers.meanfield.method.loop import Population, best_value, run_action_policy, run_law_policy
from companion.papers.meanfield.method.policy import MeanFieldGPUCB, RandomLaws

LAW = np.array([[0.5, 0.0, 0.3, 0.2], [0.1, 0.6, 0.3, 0.0]])
WEIGHTS = np.array([0.25, 0.75])
PROBLEM = Congestion([[0.9, 0.6, 0.3, 0.1], [0.0, 0.2, 0.7, 0.4]], 1.0, WEIGHTS)


def test_independent_play_is_multinomial_in_each_context():
    rng = np.random.default_rng(0)
    contexts = draw_contexts(WEIGHTS, 200_000, rng)
    assert stats.binomtest(int((contexts == 1).sum()), 200_000, 0.75).pvalue > SIGNIFICANCE
    actions = play_law(LAW, contexts, rng)
    for c in range(2):
        counts = np.bincount(actions[contexts == c], minlength=4)
        possible = LAW[c] > 0
        assert counts[~possible].sum() == 0
        assert stats.chisquare(counts[possible], LAW[c][possible] * counts.sum()).pvalue > SIGNIFICANCE


def test_variance_of_independent_play_is_binomial_and_of_quota_play_nearly_none():
    rng, contexts = np.random.default_rng(1), np.zeros(40, dtype=np.intp)
    shares = {
        play: [np.mean(play_law(LAW[:1], contexts, rng, play) == 0) for _ in range(2000)] for play in ("iid", "quota")
    }
    expected = 0.25 / 40
    assert abs(np.var(shares["iid"]) - expected) < FOUR_ERRORS * expected * np.sqrt(2 / 2000)
    assert set(shares["quota"]) == {0.5}


@pytest.mark.parametrize("concentration", [0.02, 0.3, 2.0])
def test_large_populations_are_drawn_as_by_bisection(concentration):
    """Inverse transform sampling from the same uniform numbers, with probabilities of zero and ends that fall between entries."""
    law = np.random.default_rng(3).dirichlet(np.full(200, concentration))
    law[law < 1e-9] = 0.0
    law /= law.sum()
    ends = np.cumsum(law)
    for agents in (TABLE - 1, TABLE, 5 * TABLE):
        found = play_law(law[None], np.zeros(agents, dtype=np.intp), np.random.default_rng(4))
        uniform = np.random.default_rng(4).random(agents)
        expected = (uniform[:, None] >= (ends / ends[-1])[None]).sum(axis=1)
        np.testing.assert_array_equal(found, expected)


def test_quota_play_gives_every_agent_the_same_chance():
    rng, contexts = np.random.default_rng(2), np.zeros(10, dtype=np.intp)
    first = [play_law(LAW[:1], contexts, rng, "quota")[0] for _ in range(4000)]
    assert stats.chisquare(np.bincount(first, minlength=4)[[0, 2, 3]], 4000 * LAW[0, [0, 2, 3]]).pvalue > SIGNIFICANCE


@pytest.mark.parametrize("seed", range(5))
def test_largest_remainder_is_the_closest_whole_allocation(seed):
    weights = np.random.default_rng(seed).dirichlet(np.ones(3))
    found = largest_remainder(weights, 7)
    every = [(i, j, 7 - i - j) for i in range(8) for j in range(8 - i)]
    best = min(np.abs(np.array(counts) - 7 * weights).sum() for counts in every)
    assert found.sum() == 7
    assert np.abs(found - 7 * weights).sum() == pytest.approx(best, abs=ROUNDING_SLACK)


def test_quota_contexts_have_their_exact_shares_in_random_order():
    contexts = draw_contexts(WEIGHTS, 400, np.random.default_rng(3), quota=True)
    assert np.bincount(contexts).tolist() == [100, 300]
    assert np.any(np.diff(contexts) < 0)


def test_empirical_law_counts_agents_by_context():
    found = empirical_law([0, 0, 2, 3], [0, 0, 0, 1], (3, 4), np.full((3, 4), 0.25))
    np.testing.assert_allclose(found, [[2 / 3, 0, 1 / 3, 0], [0, 0, 0, 1], [0.25] * 4])


@pytest.mark.slow
def test_representative_follows_law_and_weights():
    rng, draws = np.random.default_rng(4), 8000
    counts = np.zeros((2, 4))
    for _ in range(draws):
        contexts = draw_contexts(WEIGHTS, 3, rng)
        x, c = representative(play_law(LAW, contexts, rng), contexts, rng)
        counts[c, x] += 1
    expected = WEIGHTS[:, None] * LAW
    assert counts[expected == 0].sum() == 0
    assert stats.chisquare(counts[expected > 0], draws * expected[expected > 0]).pvalue > SIGNIFICANCE


@pytest.mark.parametrize("law", [np.full((2, 4), 0.3), np.array([[1.5, -0.5, 0, 0], [1, 0, 0, 0]])])
def test_what_is_no_law_is_refused(law):
    with pytest.raises(ParameterError, match="law"):
        play_law(law, np.array([0, 1]), np.random.default_rng(0))


def run(seed=0, policy=None, horizon=25, noise=None, keep_laws=True, **population):
    policy = policy or RandomLaws((2, 4), stream(seed, "random"))
    noise = np.zeros(horizon) if noise is None else noise
    return run_law_policy(
        policy, PROBLEM, Population(60, **population), horizon, noise, partial(stream, seed), {"who": "test"}, keep_laws
    )


def test_regret_is_that_of_the_laws_in_an_infinite_population():
    found = run()
    laws = found.points.reshape(25, 2, 4)
    average = [
        sum(
            WEIGHTS[c] * law[c, x] * (PROBLEM.merit[c, x] - sum(WEIGHTS[d] * law[d, x] for d in range(2)))
            for c in range(2)
            for x in range(4)
        )
        for law in laws
    ]
    np.testing.assert_allclose(found.instantaneous_regret, PROBLEM.optimum - np.array(average), atol=ROUNDING_SLACK)
    np.testing.assert_allclose(found.cumulative_regret, np.cumsum(found.instantaneous_regret))
    assert (found.instantaneous_regret > -1e-9).all()
    assert found.meta["regret_from"] == "optimum"


def test_finite_reward_tends_to_the_mean_field():
    found = run_law_policy(
        RandomLaws((2, 4), stream(0, "random")), PROBLEM, Population(200_000), 5, np.zeros(5), partial(stream, 0)
    )
    gaps = np.array(found.diagnostics["reward"]) - found.diagnostics["mean_field_reward"]
    assert np.abs(gaps).max() < FOUR_ERRORS / np.sqrt(200_000)
    assert np.abs(np.array(run().diagnostics["reward"]) - run().diagnostics["mean_field_reward"]).max() > 1e-3


class Recorder(RandomLaws):
    def __init__(self, seed=0):
        super().__init__((2, 4), stream(seed, "random"))
        self.told = []

    def tell(self, action, context, value, law=None):
        super().tell(action, context, value, law)
        self.told.append((action, context, value, law))


def test_agent_observation_is_the_representatives_own_payoff():
    record = Recorder()
    noise = np.linspace(-0.5, 0.5, 25)
    found = run(policy=record, noise=noise, observation="agent")
    laws = found.points.reshape(25, 2, 4)
    for t, (x, c, value, law) in enumerate(record.told):
        assert law is None
        assert value == pytest.approx(PROBLEM.payoff(laws[[t]])[0, c, x] + noise[t], abs=ROUNDING_SLACK)
    system = run(noise=noise)
    np.testing.assert_allclose(system.observation, np.array(system.diagnostics["reward"]) + noise)
    assert not np.allclose(system.observation, found.observation)


def test_empirical_law_can_be_told_instead():
    record = Recorder()
    run(policy=record, told_law="empirical", quota_contexts=True)
    counts = np.array([law for *_, law in record.told]) * np.array([15.0, 45.0])[None, :, None]
    np.testing.assert_allclose(counts, np.rint(counts), atol=1e-9)


def test_methods_at_one_seed_share_contexts_and_draws():
    one, two, other = run(3), run(3), run(4)
    np.testing.assert_array_equal(one.observation, two.observation)
    assert not np.array_equal(one.observation, other.observation)


def test_contexts_are_redrawn_or_kept():
    seen = []
    problem = Congestion(PROBLEM.merit, 1.0, WEIGHTS)
    problem.agent_reward = lambda actions, contexts: seen.append(contexts.copy()) or 0.0
    for redraw in (True, False):
        population = Population(60, redraw=redraw)
        run_law_policy(RandomLaws((2, 4), stream(0, "r")), problem, population, 4, np.zeros(4), partial(stream, 0))
    assert any(not np.array_equal(seen[0], later) for later in seen[1:4])
    assert all(np.array_equal(seen[4], later) for later in seen[5:])
    np.testing.assert_array_equal(seen[0], seen[4])


def test_joint_actions_are_charged_for_their_frequencies():
    contexts = draw_contexts(WEIGHTS, 60, stream(0, "contexts", 0), quota=True)
    found = run_action_policy(
        RandomActions(60, 4, stream(0, "a")), PROBLEM, contexts, 30, np.full(30, 0.25), keep_laws=True
    )
    laws = found.points.reshape(30, 2, 4)
    np.testing.assert_allclose(found.instantaneous_regret, PROBLEM.optimum - PROBLEM.reward(laws), atol=ROUNDING_SLACK)
    # With exact shares of the contexts and this reward, M agents earn what their frequencies earn in the limit.
    np.testing.assert_allclose(found.diagnostics["reward"], found.diagnostics["mean_field_reward"], atol=1e-12)
    np.testing.assert_allclose(found.observation, np.array(found.diagnostics["reward"]) + 0.25)
    best = int(np.argmax(found.diagnostics["reward"]))
    np.testing.assert_allclose(found.diagnostics["best_law"], laws[best])
    assert found.recommended_regret == pytest.approx(found.simple_regret[-1])


@pytest.mark.slow
def test_mf_gp_ucb_through_the_loop_beats_random_and_serialises():
    policy = MeanFieldGPUCB(PROBLEM.action_features, PROBLEM.context_features, WEIGHTS, stream(0, "mf"))
    found, chance = run(policy=policy, horizon=60), run(horizon=60)
    assert found.instantaneous_regret[-15:].mean() < 0.5 * chance.instantaneous_regret[-15:].mean()
    record = json.loads(json.dumps(found.to_json()))
    assert len(record["diagnostics"]["fits"]) > 5
    assert np.shape(record["diagnostics"]["recommended_law"]) == (2, 4)


def test_upper_bound_goes_before_the_optimum():
    class Bounded(Congestion):
        upper_bound = 5.0

    assert best_value(Bounded(PROBLEM.merit)) == (5.0, "upper_bound")
    with pytest.raises(ParameterError, match="optimum"):
        best_value(object())


def test_bad_input_is_refused_before_any_round():
    class Blind:
        actions, contexts, context_weights, optimum = 4, 2, WEIGHTS, 1.0

    policy = Recorder()
    with pytest.raises(ParameterError, match="payoff"):
        run_law_policy(policy, Blind(), Population(5, observation="agent"), 3, np.zeros(3), partial(stream, 0))
    with pytest.raises(ParameterError, match="noise"):
        run(policy=policy, noise=np.zeros(3))
    for bad in ({"play": "all"}, {"observation": "mean"}, {"told_law": "true"}):
        with pytest.raises(ParameterError):
            Population(5, **bad)
    with pytest.raises(CompanionError, match="shape"):
        run(policy=RandomLaws((1, 4), stream(0, "x")))
    assert not policy.told
