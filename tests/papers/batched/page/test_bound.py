"""One run taken apart: the chain, and which of its steps give away most."""

import dataclasses

import pytest

from companion.checks.chain import Chain, Step
from companion.papers.batched.experiments import one_run
from companion.papers.batched.page import bound


@pytest.fixture(scope="module")
def study():
    return one_run.bound_study(1, 120, 1.0, 0.1, 0.1)


def test_bound_study_ends_above_where_it_starts(study):
    for chain in study.chains.values():
        assert chain.holds
        assert chain.steps[0].name == "measured"
        assert chain.steps[-1].statement == "theorem-1"
    assert (study.batches.measured <= study.batches.realised).all()
    assert (study.batches.realised <= study.batches.certified * (1 + 1e-9)).all()
    assert bound.chain_factors(study).measured_over_bound <= 1


def test_the_steps_with_the_largest_factors_are_found(study):
    values = {"measured": 1.0, "first": 2.0, "second": 10.0, "third": 30.0}
    chain = Chain("planted", tuple(Step(name, value, "", "") for name, value in values.items()), {"trivial": 9.0})
    n = bound.chain_factors(dataclasses.replace(study, chains={"se": chain}))
    assert (n.largest_steps, n.second_steps, n.third_steps) == ({"second"}, {"third"}, {"first"})
    assert (n.largest, n.second) == pytest.approx((5.0, 3.0))
    assert (n.slack, n.kernels) == ([30], ["SE"])


def test_the_theorem_is_not_taken_for_the_sum_it_starts_from(study):
    closed = one_run.closed_over_trivial(study)
    # The ends of the square are uncorrelated, so that f of norm 1 ranges over the root of 2.
    line = 120 * 2**0.5
    assert closed == pytest.approx(sorted(chain.steps[-1].value / line for chain in study.chains.values()), rel=1e-3)
    assert closed[0] > 5 * one_run.over_trivial(study)
