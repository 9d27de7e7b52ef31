"""Numbers that say which stored rows they are of: what keeps the name, and what loses it."""

import numpy as np
import pytest

from companion.judge.columns import Column, selected, selection, taken
from companion.judge.equivalence import Summary, welch
from companion.judge.intervals import mean_interval, paired_interval
from companion.judge.ordering import same_ordering
from companion.judge.stored_runs import summary
from companion.judge.verdict import shifted

OURS, THEIRS = ({"table": "results/runs.csv", "where": {"method": name}, "column": "regret"} for name in "ab")


@pytest.fixture
def columns():
    return selected([1.0, 2.0, 4.0], OURS), selected([2.0, 2.0, 3.0], THEIRS)


@pytest.mark.parametrize(
    "change", [lambda v: v + 1.0, lambda v: 2.0 * v, np.log, lambda v: v[:2], lambda v: v.copy(), lambda v: v - v]
)
def test_other_numbers_lose_the_name(change, columns):
    assert selection(change(columns[0])) is None
    assert selection(columns[0]) == OURS


def test_a_mean_of_a_column_is_a_plain_number(columns):
    for value in (
        columns[0].mean(),
        np.mean(columns[0]),
        columns[0].std(ddof=1),
        columns[0].min(),
        columns[0] @ columns[1],
    ):
        assert type(value) is np.float64
    assert not isinstance(columns[0] + columns[1], Column)


def test_an_interval_names_its_rows(columns):
    first, second = columns
    assert mean_interval(first, minus=0.5).runs == {"first": OURS, "factor": 1.0, "sign": 1, "minus": 0.5}
    pair = {"first": OURS, "second": THEIRS, "sign": 1, "minus": 0.0, "factor": 1.2}
    assert paired_interval(first, second, factor=1.2).runs == pair
    assert paired_interval(first, np.asarray(second)).runs is None
    assert mean_interval([1.0, 2.0]).runs is None


def test_an_interval_less_a_number_says_so_or_names_nothing(columns):
    assert shifted(mean_interval(columns[0]), 2.0).runs["minus"] == 2.0
    between = paired_interval(*columns)
    assert shifted(between, 0.0).runs == between.runs
    assert shifted(between, 1.0).runs is None


def test_what_both_sides_are_above_cancels_only_in_their_difference(columns):
    first, second = (selected(side, {**selection(side), "above": {}}) for side in columns)
    assert paired_interval(first, second).runs["first"] == OURS
    assert "above" in paired_interval(first, second, factor=2.0).runs["first"]


def test_all_of_the_rows_keep_their_name_and_some_do_not(columns):
    assert selection(taken(columns[0], np.arange(3))) == OURS
    assert selection(taken(columns[0], np.arange(2))) is None


def test_names_reach_the_verdict_on_a_printed_number(columns):
    ours = summary(columns[0])
    assert welch(Summary(1.0, 1.0, 5), ours).runs == OURS
    between = paired_interval(*columns)
    found = same_ordering([(1.0, between)])
    assert found.runs == (between.runs,)
    assert set(found.to_dict()) == {"confirmed", "open", "reversed", "tied"}
