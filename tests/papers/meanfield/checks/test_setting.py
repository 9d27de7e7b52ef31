"""Statements of Sections 2 to 5 and leads on them: verdicts, teeth, and the tools that decide them."""

import math

import numpy as np
import pytest
from scipy import stats
from tolerances import FORMULA_RTOL, FOUR_ERRORS, MEAN_FIELD_ATOL, PRINTED_3_DIGITS, QUOTED_3_DIGITS

from companion.core.errors import ParameterError
from companion.information import information_gain
from companion.papers.meanfield.checks import (
    agent_rewards,
    consequences,
    consequences_remarks,
    experiments_data,
    experiments_rewards,
    setting_kernel,
    setting_method,
    setting_model,
    theorem,
)
from companion.papers.meanfield.checks import experiments_discrepancies as experiment_findings
from companion.papers.meanfield.checks import setting_discrepancies as setting_leads
from companion.papers.meanfield.method import naive
from companion.papers.meanfield.method.widths import TheoryWidth
from companion.papers.meanfield.problems.catalogue import SETTINGS, meanfield_problem
from companion.papers.meanfield.theory import bounds

# -- tools -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETTINGS)
def test_rewards_by_agents_where_they_are_known(name):
    """All agents in one place, with one context each: the formulas by hand."""
    problem = meanfield_problem(name, agents=10, data="synthetic")
    actions, contexts = np.full(10, 3), np.arange(10) % problem.contexts
    found = agent_rewards.reward_by_agents(problem, actions, contexts)
    if name == "swarm":
        angle = 6.0 * math.pi / 29.0
        reward = 2 * math.pi**2 * (math.sin(angle) - math.cos(angle) ** 2) + 2 * math.sin(angle)
        expected = reward - 10 * math.log(2)
    elif name == "arena":
        # 5 against 5 in one place: of 90 ordered pairs 40 agree and 50 do not.
        expected = 2 * (40 - 50) / 90 - 10 * math.log(2)
    elif name == "ports":
        capacity, region = problem.details["capacity"], problem.details["region"]
        expected = -0.5 - 1 / capacity[3] + np.mean(contexts == region[3])
    else:
        q = problem.details["demand"][3]
        half = (1 + q) / 2
        rest = (1 - q) * math.log(2)
        expected = -0.5 * (math.log(1 / half) + q * math.log(q / half) + rest)
    assert found == pytest.approx(expected, abs=MEAN_FIELD_ATOL)


def test_upper_limits_cover_the_mean():
    """Of 2000 samples with mean zero about one in a hundred has a limit below zero."""
    generator = np.random.default_rng(0)
    below = sum(theorem.upper_limit(generator.standard_normal(12)) < 0 for _ in range(2000))
    assert below <= 20 + FOUR_ERRORS * math.sqrt(2000 * 0.01 * 0.99)
    assert below > 0


def test_plain_beta_is_the_theorems_where_that_exists():
    pieces = bounds.Pieces(3, 2, 2.0, 2.0)
    for t in (1, 7, 250):
        expected = TheoryWidth(3, 2, 2.0, 2.0).beta(t)
        assert setting_model.plain_beta(pieces, t) == pytest.approx(expected, rel=FORMULA_RTOL)
    assert setting_model.plain_beta(bounds.Pieces(2, 1, 2.0, 1e-6), 1) < 0
    # one action and context, two parts: the smallest beta that is ever quoted
    assert setting_model.plain_beta(bounds.Pieces(1, 1, 2.0, 2.0), 1, 2.0) == pytest.approx(-0.45, abs=0.005)


def test_bounded_regret_is_not_taken_for_the_printed_bound():
    """With tau_t as printed the flat game's bound is below the measured regret, by a factor of two."""
    case = theorem.thm_4_1_explicit_printed(theorem.TheoremInstance(theorem.FLAT, 120, 200, "beta"))
    assert case.rhs > 0
    assert case.lhs > 2 * case.rhs


def test_radial_covariances():
    distance = np.array([[0.0, 0.3]])
    for form, expected in (
        (setting_kernel.squared_form, math.exp(-0.09 / (2 * 0.04))),
        (setting_kernel.printed_form, math.exp(-0.3 / 0.4)),
        (setting_kernel.matern32_form, (1 + math.sqrt(3) * 1.5) * math.exp(-math.sqrt(3) * 1.5)),
    ):
        found = form(distance, 0.2)
        np.testing.assert_allclose(found, [[1.0, expected]], rtol=FORMULA_RTOL)


def test_table_gains_contain_a_design_of_their_own():
    crowd = consequences.Crowd()
    joint = np.indices((2, 2, 2)).reshape(3, -1).T.astype(float)
    apart = ((joint[:, None] - joint[None]) ** 2).sum(axis=2)
    covariance = np.exp(-apart / (2 * 0.25))
    even = np.arange(consequences.HORIZON) % 8
    design = information_gain(covariance, even, 0.01)
    bracket = consequences.crowd_gain(crowd, 3, "naive")
    assert design <= bracket.upper * (1 + FORMULA_RTOL)
    assert design >= 0.99 * bracket.lower
    assert bracket.upper <= consequences.ceiling(0.1)


def test_functions_that_take_agents_are_found():
    assert consequences_remarks.told_agents((bounds,))[0] == 0
    assert consequences_remarks.told_agents((naive,))[0] > 0


def test_widths_as_quoted():
    swarm, naive_swarm = consequences_remarks.log_widths(consequences_remarks.Sizes(50, 30, 1))
    assert math.exp(swarm) == pytest.approx(1032, rel=PRINTED_3_DIGITS)
    assert math.exp(naive_swarm) == pytest.approx(360, rel=QUOTED_3_DIGITS)
    taxi, naive_taxi = consequences_remarks.log_widths(consequences_remarks.Sizes(20_000, 160, 1))
    assert math.exp(taxi) == pytest.approx(6016, rel=PRINTED_3_DIGITS)
    assert math.exp(naive_taxi) == pytest.approx(203_027, rel=PRINTED_3_DIGITS)


def test_penalties_as_quoted():
    crowd, even = np.eye(30)[:1], np.full((1, 30), 1 / 30)
    found = [float(experiments_rewards.penalty(law, 10.0, p)[0]) for p in (0.0, 1.0) for law in (crowd, even)]
    np.testing.assert_allclose(found, [6.93, 9.84, 6.93, 0.328], rtol=QUOTED_3_DIGITS)


def test_the_best_swarm_as_quoted():
    phi = experiments_rewards.swarm_reward(np.linspace(0, 2 * math.pi, 30))
    law, value = experiments_rewards.best_law(phi, 10.0, 1.0)
    np.testing.assert_allclose(law[6:10], [0.218, 0.373, 0.317, 0.092], rtol=0, atol=PRINTED_3_DIGITS)
    assert value == pytest.approx(18.01344, rel=1e-6)
    assert experiments_rewards.best_law(phi, 10.0, 0.0)[1] == pytest.approx(14.718, abs=PRINTED_3_DIGITS)


def test_divergence_term_by_term():
    p, q = [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]
    expected = 0.5 * (stats.entropy(p, [0.375, 0.375, 0.25]) + stats.entropy(q, [0.375, 0.375, 0.25]))
    assert agent_rewards.divergence(p, q) == pytest.approx(expected, rel=FORMULA_RTOL)
    assert agent_rewards.divergence([1.0, 0.0], [0.0, 1.0]) == pytest.approx(math.log(2), rel=FORMULA_RTOL)


def test_a_problem_without_interaction_has_none():
    """One context: the reward is a function of its law alone, and the additive class misses nothing but noise."""
    assert abs(experiment_findings.interaction_share("swarm", 1.0)) < 1e-9
    assert experiment_findings.interaction_share("arena", 1.0) == pytest.approx(0.56, abs=0.05)


def test_horizons_of_powers_of_logarithms():
    for power in (30, 160):
        root = setting_leads._from_where(power)
        assert root == pytest.approx(power * math.log(root), rel=FORMULA_RTOL)
        assert 2 * root > power * math.log(2 * root)
    assert setting_leads._from_where(30) == pytest.approx(150, rel=QUOTED_3_DIGITS)


def test_unknown_problems_are_refused():
    class Stranger:
        name, actions, details = "stranger", 2, {}

    with pytest.raises(ParameterError, match="problem"):
        agent_rewards.reward_by_agents(Stranger(), np.zeros(2, dtype=int), np.zeros(2, dtype=int))


def test_exact_choices_are_the_policys_own():
    """The record of the algorithm has the law that was asked, and a maximiser of its own for comparison."""
    run = setting_method.Choices("swarm", 2, 8, 200)
    exact, kept = setting_method.worst_margin(run, "exact")
    assert kept == 0.0
    assert exact <= 1e-3
    assert setting_method.worst_margin(run, "random")[0] > exact


def test_quota_leaves_no_floor():
    play = experiments_data.Independent(8, 400, "even")
    assert experiments_data.exp_jsd_floor(play).holds
    assert not experiments_data.exp_jsd_floor(play, shared=experiments_data.by_quota).holds
