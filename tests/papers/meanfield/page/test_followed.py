"""Runs followed law by law: they are the stored runs' beginnings, and a crowd is excluded only where none can be."""

import numpy as np
import pytest

from companion.papers.meanfield.page import followed, idea
from companion.papers.meanfield.page.problems import embedded
from companion.papers.meanfield.page.stored_runs import load_paper_results


@pytest.fixture(scope="module")
def evidence():
    return load_paper_results()


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


def test_permutations_have_one_law_and_counts_are_right():
    study = idea.permutations()
    said = idea.idea_numbers(study)
    assert (said.orders, said.few, said.joints, said.laws, said.same) == (12, 4, 81, 15, True)
    assert len({tuple(row) for row in study.joint}) == 12
    one, other = study.joint[list(idea.SHOWN)]
    assert (one != other).all()


def test_maps_begin_with_the_uniform_law_and_end_with_the_demand():
    study = followed.map_rounds(0, 20)
    titles = list(study.maps)
    assert (titles[0], titles[-1]) == ("uniform law", "demand")
    for field in study.maps.values():
        assert np.nansum(field) == pytest.approx(1.0)
    assert study.apart["demand"] == 0.0
    assert followed.map_round_numbers(study).closed < 1
