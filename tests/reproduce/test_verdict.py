"""Every verdict is reached where it belongs, and the rules that people use instead would be caught."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from tolerances import FOUR_ERRORS

from companion.errors import ParameterError
from companion.randomness import stream
from companion.reproduce.equivalence import Summary
from companion.reproduce.intervals import Interval, mean_interval, paired_interval
from companion.reproduce.verdict import (
    CELL_VERDICTS,
    Judgement,
    Part,
    cell_verdict,
    claim_entry,
    combined,
    entry,
    exact_claim,
    exact_verdict,
    exponent_claim,
    paired_claim,
    ranking_claim,
    same_ordering,
)

RECORD = {"command": "make something"}
CASES = {
    "equivalent": (Summary(10.0, 1.0, 200), Summary(10.1, 1.0, 200), 1.0, None),
    "compatible-underpowered": (Summary(10.0, 1.0, 3), Summary(10.1, 1.0, 200), 1.0, True),
    "same-ordering-different-level": (Summary(10.0, 1.0, 10), Summary(15.0, 1.0, 200), 1.0, True),
    "different": (Summary(10.0, 1.0, 10), Summary(15.0, 1.0, 200), 1.0, False),
    "not-testable": (None, Summary(15.0, 1.0, 200), 1.0, True),
}


@pytest.mark.parametrize("expected", CASES)
def test_every_verdict_is_reached(expected):
    assert set(CASES) == set(CELL_VERDICTS)
    assert cell_verdict(*CASES[expected]).verdict == expected


def test_an_unknown_order_is_no_printed_order():
    reported, ours, margin, _ = CASES["same-ordering-different-level"]
    assert cell_verdict(reported, ours, margin, None).verdict == "different"


def test_few_runs_never_make_two_numbers_equivalent():
    # Equal means, two reported runs: "p > 0.05, so they agree" would say equivalent.
    reported, ours = Summary(10.0, 3.0, 2), Summary(10.0, 3.0, 500)
    assert stats.ttest_ind_from_stats(10.0, 3.0, 2, 10.0, 3.0, 500, equal_var=False).pvalue > 0.9
    found = cell_verdict(reported, ours, 1.0, True)
    assert found.verdict == "compatible-underpowered"
    assert found.limit > 1.0
    assert "cannot show less than" in found.reason


def test_a_tiny_difference_seen_with_many_runs_is_still_equivalent():
    # "p < 0.05, so they differ" would say different.
    reported, ours = Summary(10.0, 1.0, 10_000), Summary(10.1, 1.0, 10_000)
    assert stats.ttest_ind_from_stats(10.0, 1.0, 10_000, 10.1, 1.0, 10_000).pvalue < 1e-9
    assert cell_verdict(reported, ours, 1.0, False).verdict == "equivalent"


def test_wrongly_called_equivalent_in_at_most_five_percent():
    generator = stream(3, "verdicts")
    count, wrong = 1500, 0
    for _ in range(count):
        theirs, ours = generator.standard_normal(10), generator.standard_normal(200) + 0.8
        reported, reproduced = (Summary(float(x.mean()), float(x.std(ddof=1)), len(x)) for x in (theirs, ours))
        wrong += cell_verdict(reported, reproduced, 0.8, None).verdict == "equivalent"
    assert wrong / count < 0.05 + FOUR_ERRORS * np.sqrt(0.05 * 0.95 / count)
    assert wrong > 0


def test_counts_are_equal_or_different():
    assert exact_verdict(4, 4).verdict == "equivalent"
    assert exact_verdict(3, 4).verdict == "different"
    assert exact_verdict(3, 4).difference.estimate == 1.0


def test_order_as_printed():
    up, down, open_ = Interval(2, 1, 3, 9), Interval(-2, -3, -1, 9), Interval(0.5, -1, 2, 9)
    assert same_ordering([(5.0, up), (-1.0, down)]) is True
    assert same_ordering([(5.0, up), (1.0, down)]) is False
    assert same_ordering([(5.0, up), (-1.0, open_)]) is True
    assert same_ordering([(5.0, open_), (-1.0, open_)]) is None
    assert same_ordering([]) is None


@pytest.mark.parametrize(
    ("low", "high", "smaller", "larger", "comparable"),
    [
        (-3.0, -2.0, "holds", "contradicted", "contradicted"),
        (-3.0, -0.5, "holds", "contradicted", "undecided"),
        (-0.5, 0.5, "undecided", "undecided", "holds"),
        (0.1, 0.5, "contradicted", "holds", "holds"),
        (-3.0, 3.0, "undecided", "undecided", "undecided"),
        (1.5, 3.0, "contradicted", "holds", "contradicted"),
    ],
)
def test_paired_claims(low, high, smaller, larger, comparable):
    interval = Interval((low + high) / 2, low, high, 30)
    assert paired_claim(interval, "smaller").verdict == smaller
    assert paired_claim(interval, "larger").verdict == larger
    assert paired_claim(interval, "comparable", 1.0).verdict == comparable


def test_pairing_decides_what_two_separate_intervals_leave_open():
    generator = stream(4, "pairs")
    functions = 10.0 * generator.standard_normal(40)
    first, second = functions + 0.1 * generator.standard_normal(40), functions + 0.3
    assert paired_claim(paired_interval(first, second), "smaller").verdict == "holds"
    one, two = mean_interval(first), mean_interval(second)
    assert one.high > two.low


def test_exponents():
    assert exponent_claim(Interval(0.52, 0.50, 0.54, 20), 0.5, 0.1).verdict == "holds"
    assert exponent_claim(Interval(0.75, 0.70, 0.80, 20), 0.5, 0.1).verdict == "contradicted"
    assert exponent_claim(Interval(0.55, 0.45, 0.65, 20), 0.5, 0.1).verdict == "undecided"


def brute_force_share(columns, repetitions, generator):
    """Share of bootstrap samples in which the means increase, one resample at a time."""
    hits = 0
    for _ in range(repetitions):
        seeds = [int(generator.integers(len(columns[0]))) for _ in columns[0]]
        means = [sum(column[seed] for seed in seeds) / len(seeds) for column in columns]
        hits += all(a < b for a, b in pairwise(means))
    return hits / repetitions


def test_ranking_against_a_bootstrap_one_resample_at_a_time():
    generator = stream(5, "ranking")
    values = {name: generator.standard_normal(25) + shift for name, shift in (("a", 0), ("b", 0.3), ("c", 0.5))}
    found = ranking_claim(values, "abc")
    share = float(found.reason.split(" in ")[1].split("%")[0]) / 100
    expected = brute_force_share([values[name] for name in "abc"], 3000, stream(6, "slow"))
    assert abs(share - expected) < FOUR_ERRORS * np.sqrt(0.25 / 3000)


def test_rankings_are_decided_both_ways_and_left_open():
    generator = stream(9, "rankings")
    common = 20.0 * generator.standard_normal(60)  # seeds that lift all methods alike must not matter
    values = {name: common + shift + generator.standard_normal(60) for name, shift in (("a", 0), ("b", 2), ("c", 4))}
    assert ranking_claim(values, "abc").verdict == "holds"
    assert ranking_claim(values, "acb").verdict == "contradicted"
    assert ranking_claim(values, "cba").verdict == "contradicted"
    noise = {name: generator.standard_normal(60) for name in "abc"}
    assert ranking_claim(noise, "abc").verdict != "holds"
    level = {"a": values["a"], "b": values["a"] + generator.standard_normal(60)}
    assert ranking_claim(level, "ab", significance=1e-6).verdict == "undecided"


def test_ranking_refuses_what_it_cannot_compare():
    with pytest.raises(ParameterError, match="order"):
        ranking_claim({"a": [1, 2], "b": [1, 2]}, ["a", "c"])
    with pytest.raises(ParameterError, match="values"):
        ranking_claim({"a": [1, 2], "b": [1, 2, 3]}, ["a", "b"])


def test_the_worst_part_decides():
    assert combined(["holds", "holds"]) == "holds"
    assert combined(["holds", "undecided"]) == "undecided"
    assert combined(["undecided", "not-testable"]) == "not-testable"
    assert combined(["not-testable", "contradicted", "holds"]) == "contradicted"
    with pytest.raises(ParameterError):
        combined([])
    with pytest.raises(ParameterError):
        combined(["equivalent"])


def test_entries_have_the_documented_shape():
    judged = cell_verdict(*CASES["equivalent"])
    found = entry(
        paper="p", source="Table 1", cell="c", metric="m", kind="cell", judgement=judged, record=RECORD,
        reported={"mean": 10.0, "spread": 1.0, "spread_kind": "sd", "n": 200}, reproduced=CASES["equivalent"][1],
    )  # fmt: skip
    assert found["reproduced"] == {"mean": 10.1, "sd": 1.0, "n": 200}
    assert found["difference"]["mean"] == pytest.approx(0.1)
    low, high = found["difference"]["ci95"]
    assert low < 0.1 < high
    assert {"paper", "source", "cell", "metric", "kind", "reported", "margin", "verdict", "reason", "record"} <= set(
        found
    )


def test_without_a_spread_there_is_a_difference_and_no_interval():
    judged = cell_verdict(*CASES["not-testable"], lacking="no spread")
    found = entry(
        paper="p", source="Table 1", cell="c", metric="m", kind="cell", judgement=judged, record=RECORD,
        reported={"mean": 10.0}, reproduced=CASES["not-testable"][1],
    )  # fmt: skip
    assert found["difference"] == {"mean": 5.0, "ci95": None}
    assert found["reason"] == "no spread"


def test_a_claim_shows_the_part_that_decided():
    parts = [
        Part("first", exact_claim(0, 3, "cases"), 1.0, 1.0),
        Part("second", paired_claim(Interval(2.0, 1.0, 3.0, 9), "smaller"), -4.0, 2.0),
    ]
    found = claim_entry(paper="p", source="Table 1", cell="c", metric="claim", parts=parts, record=RECORD)
    assert found["verdict"] == "contradicted"
    assert (found["reported"]["mean"], found["difference"]["ci95"]) == (-4.0, [1.0, 3.0])
    assert [part["verdict"] for part in found["parts"]] == ["holds", "contradicted"]


def test_a_verdict_of_the_wrong_kind_or_without_provenance_is_refused():
    common = {"paper": "p", "source": "s", "cell": "c", "metric": "m"}
    with pytest.raises(ParameterError, match="verdict"):
        entry(kind="claim", judgement=Judgement("equivalent", ""), record=RECORD, **common)
    with pytest.raises(ParameterError, match="record"):
        entry(kind="claim", judgement=Judgement("holds", ""), record={}, **common)


@pytest.mark.parametrize(
    "call",
    [
        lambda: paired_claim(Interval(0, -1, 1, 3), "lower"),
        lambda: paired_claim(Interval(0, -1, 1, 3), "comparable"),
        lambda: exact_claim(0, 0, "nothing"),
    ],
)
def test_senseless_claims_are_refused(call):
    with pytest.raises(ParameterError):
        call()
