"""Runs followed law by law: they are the stored runs' beginnings, and a crowd is excluded only where none can be."""

import numpy as np
import pytest

from companion.papers.meanfield.page import followed, idea
from companion.papers.meanfield.page.problems import embedded
from companion.papers.meanfield.page.stored_runs import load_paper_results


@pytest.fixture(scope="module")
def evidence():
    return load_paper_results()


def test_agents_follow_the_law_that_was_asked_for():
    study = followed.swarm_rounds(3, 30)
    assert (study.counts.sum(axis=1) == 50).all()
    # Nobody takes an action that the law excludes.
    assert (study.counts[study.laws == 0] == 0).all()
    other = followed.swarm_rounds(3, 30, "paper", study.rounds)
    np.testing.assert_array_equal(other.rounds, study.rounds)
    # Both searches begin with the same random laws.
    np.testing.assert_array_equal(other.every[:10], study.every[:10])
    said = followed.swarm_numbers(study, other)
    assert said.crowded == (study.crowds > 0.9).sum()
    assert said.tried <= said.crowded


def test_two_searches_are_compared_run_by_run():
    found = followed.swarm_searches(3, 30, 2)
    assert list(found.seed) == [3, 4]
    for row in found.itertuples():
        exact, other = (followed.swarm_rounds(row.seed, 30, search) for search in ("exact", "paper"))
        assert row.crowded == sum(max(law) > 0.9 for law in exact.crowds[:, None])
        assert row.final == pytest.approx(exact.every[27:].mean() / exact.uniform)
        assert row.ratio == pytest.approx(other.every.sum() / exact.every.sum())
    said = followed.swarm_search_numbers(found)
    assert (said.best, said.worst) == (found.final.min(), found.final.max())
    assert said.cheaper == sum(found.ratio < 1)


def test_shown_rounds_are_the_crowded_ones():
    crowds = np.full(40, 0.1)
    assert list(followed.shown_rounds(crowds, 10)) == [5, 8, 16, 24, 40]
    crowds[[3, 14, 20, 29]] = 0.95
    assert list(followed.shown_rounds(crowds, 10)) == [5, 15, 21, 30, 40]


@pytest.mark.parametrize("name", ["swarm", "arena", "bikes", "taxi-a"])
def test_no_crowded_law_exceeds_its_bound(evidence, name, monkeypatch):
    problem = embedded(name)
    # The bound for the embedded demand, of which the laws below are made.
    monkeypatch.setattr(type(evidence), "optimal", lambda self, which: problem.optimal)
    bound = followed.best_crowded(evidence, name)
    generator, laws = np.random.default_rng(0), []
    for _ in range(400):
        corner = np.eye(problem.actions)[generator.integers(problem.actions, size=problem.contexts)]
        rest = problem.optimal if generator.random() < 0.5 else generator.dirichlet(np.ones(problem.actions))
        share = generator.uniform(0.9, 1.0)
        laws.append(share * corner + (1.0 - share) * rest)
    laws = np.array(laws) / np.sum(laws, axis=2, keepdims=True)
    assert (followed.crowding(problem, laws) > 0.9).all()
    rewards = problem.reward(laws)
    assert rewards.max() <= bound
    # And it is no idle bound: the best of these laws come near it, on the scale of the uniform law's regret.
    assert bound - rewards.max() < 0.6 * (problem.optimum - problem.reward(problem.uniform()[None])[0]) + 0.2


def test_far_from_what_was_played_the_acquisition_is_a_straight_line():
    corner = followed.first_corner(0, 40)
    said = followed.first_corner_numbers(corner)
    assert (said.asked > 0.9, said.rising) == (True, True)
    assert said.bend < 1e-6
    bent = followed.first_corner_numbers(
        followed.Corner(corner.share, corner.share**2, 0 * corner.bonus, corner.truth, 1.0, 1)
    )
    assert bent.bend > 0.1


def test_permutations_have_one_law_and_counts_are_right():
    study = idea.permutations()
    said = idea.idea_numbers(study)
    assert (said.orders, said.few, said.joints, said.laws, said.same) == (6, 4, 256, 35, True)
    assert len({tuple(row) for row in study.joint}) == 6


def test_maps_begin_with_the_uniform_law_and_end_with_the_demand():
    study = followed.map_rounds(0, 20)
    titles = list(study.maps)
    assert (titles[0], titles[-1]) == ("uniform law", "demand")
    for field in study.maps.values():
        assert np.nansum(field) == pytest.approx(1.0)
    assert study.apart["demand"] == 0.0
    assert followed.map_round_numbers(study).closed < 1
