"""One run taken apart: the chain, and which of its steps give away most."""

import dataclasses
import re

import pytest

from companion.checks.chain import Chain, Step
from companion.pages.document import find_chapter
from companion.papers.batched.experiments import one_run
from companion.papers.batched.page import bound, rate


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


def test_all_pictures_of_the_bound_have_one_instance_and_name_it(root):
    assert (bound.POINTS, bound.LENGTHSCALE) == (rate.POINTS, rate.LENGTHSCALE) == (one_run.POINTS, one_run.LENGTHSCALE)
    cells = find_chapter(root, "batched").source.read_text(encoding="utf-8").split("# %%")
    for figure in ("three_batches(played)", "bound.waterfall(", "bounds_over_time(", "comparisons(evidence)"):
        (cell,) = (each for each in cells if figure in each and "alt=" in each)
        caption = cell[: cell.index("alt=")]
        for name in (r"points\]\]|axis\]\]", r"\[\[(lengthscale|draw_scale)", r"noise \[\[noise"):
            assert re.search(name, caption), f"{figure}: its caption does not say {name}"
