"""Stored results drawn again: shares counted by hand, the order asked for, and what the pages are given."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from companion.papers.across.page import repeat_runs
from companion.papers.across.page.repeat_runs import SOURCES, Method, needed, problem, shares


def test_shares_are_those_of_a_count_by_hand() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.integers(0, 4, (2, 7)).astype(float)
    picks = rng.integers(0, 7, (31, 9))
    found = shares(first, second, picks)
    for n in range(1, 10):
        means = [(first[p[:n]].mean(), second[p[:n]].mean()) for p in picks]
        together = [one < other - 1e-12 for one, other in means[1:]]
        apart = [means[k + 1][0] < means[k][1] - 1e-12 for k in range(30)]
        assert [f[n - 1] for f in found] == [pytest.approx(np.mean(together)), pytest.approx(np.mean(apart))]


def test_with_many_runs_the_better_mean_is_seen_and_a_tie_never() -> None:
    rng = np.random.default_rng(3)
    values, picks = rng.standard_normal(40), rng.integers(0, 40, (200, 300))
    together, apart = shares(values, values + 0.5, picks)
    assert together.min() == 1.0, "with common seeds a constant difference is seen at once"
    assert apart[0] < 0.9 < apart[-1]
    assert shares(values, values, picks)[0].max() == 0.0


def test_enough_is_where_the_share_stays() -> None:
    assert needed(np.array([0.5, 0.95, 0.8, 0.9, 0.97])) == 4
    assert needed(np.array([0.9, 1.0])) == 1
    assert needed(np.array([1.0, 0.7])) is None


def test_the_order_is_the_printed_one_where_means_are_printed() -> None:
    values = np.array([1.0, 2.0])
    printed = problem("p", 10, [Method("b", 3.0, values), Method("a", 2.0, values + 5)])
    assert [method.name for method in printed.methods] == ["a", "b"]
    ours = problem("p", None, [Method("b", None, values), Method("a", None, values + 5)])
    assert [method.name for method in ours.methods] == ["b", "a"]


@pytest.mark.parametrize("paper", SOURCES)
def test_every_paper_has_its_problems(paper: str) -> None:
    data = repeat_runs.data(paper)
    assert data["problems"]
    for each in data["problems"]:
        assert len(each["methods"]) >= 2
        assert each["printed"] == (paper in repeat_runs.PRINTED)
        assert len({name for name, _ in each["methods"]}) == len(each["methods"])
        assert all(np.isfinite(values).all() and len(values) >= 5 for _, values in each["methods"])
        if not each["printed"]:
            means = [np.mean(values) for _, values in each["methods"]]
            assert all(one <= other * (1 + 1e-4) + 1e-12 for one, other in pairwise(means))
    assert len(json.dumps(data)) < 40_000
    assert repeat_runs.provenance(paper).sources


def test_methods_with_the_same_results_are_no_pair() -> None:
    same = np.array([1.0, 2.0])
    found = problem("p", None, [Method(name, None, same) for name in "ab"] + [Method("c", None, same + 1)])
    assert [method.name for method in repeat_runs._apart(found)] == ["a", "c"]


def test_the_table_agrees_with_itself() -> None:
    rows = repeat_runs.table("batched")
    assert rows.runs.tolist() == [10, 10, 10]
    assert rows.printed.all()
    assert rows[["together", "apart"]].to_numpy().min() >= 0
    sure = rows[rows.together >= repeat_runs.ENOUGH]
    assert (sure.needed <= sure.runs).all()
    assert rows.equals(repeat_runs.table("batched")), "drawn from a stated seed"
