"""One run taken apart: the chain, and which of its steps give away most."""

import dataclasses
import re

import pytest

from companion.bounds.ranges import norm_range
from companion.checks.chain import Chain, Step
from companion.pages.document import find_chapter
from companion.papers.batched.experiments import one_run
from companion.papers.batched.page import bound
from companion.papers.batched.problems.wheat import wheat


@pytest.fixture(scope="module")
def study():
    return one_run.bound_study(1, 120, 0.1, 0.1)


def test_bound_study_ends_above_where_it_starts(study):
    assert study.chain.holds
    assert study.chain.steps[0].name == "measured"
    assert study.chain.steps[-1].statement == "theorem-1"
    assert (study.batches.measured <= study.batches.realised).all()
    assert (study.batches.realised <= study.batches.certified * (1 + 1e-9)).all()
    assert bound.chain_factors(study).measured_over_bound <= 1


def test_the_steps_with_the_largest_factors_are_found(study):
    values = {"measured": 1.0, "first": 2.0, "second": 10.0, "certified gain": 30.0}
    chain = Chain("planted", tuple(Step(name, value, "", "") for name, value in values.items()), {"trivial": 9.0})
    n = bound.chain_factors(dataclasses.replace(study, chain=chain))
    assert n.by_size == ["second", "certified gain", "first"]
    assert n.given == pytest.approx({"first": 2.0, "second": 5.0, "certified gain": 3.0})
    assert (n.slack, n.summed, n.closed) == pytest.approx((30.0, 30 / 9, 30 / 9))


def test_the_theorem_is_not_taken_for_the_sum_it_starts_from(study):
    modelled, n = wheat(), bound.chain_factors(study)
    line = 120 * modelled.known_norm * norm_range(modelled.covariance)
    assert n.closed == pytest.approx(study.chain.steps[-1].value / line)
    assert n.summed == pytest.approx(study.batches.certified.sum() / study.batches.trivial.sum())
    assert n.closed > 5 * n.summed


def test_all_pictures_name_their_instance(root):
    cells = find_chapter(root, "batched").source.read_text(encoding="utf-8").split("# %%")
    figures = ("first_harvest(", "three_batches()", "bound.waterfall(", "bounds_over_time(", "comparisons(evidence)")
    for figure in figures:
        (cell,) = (each for each in cells if figure in each and "alt=" in each)
        caption = cell[: cell.index("alt=")]
        for name in (r"points\]\]|axis\]\]", r"\[\[(lengthscale|draw_scale)", r"noise \[\[noise"):
            assert re.search(name, caption), f"{figure}: its caption does not say {name}"
