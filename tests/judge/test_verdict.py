"""Every verdict is reached where it belongs, and the rules that people use instead would be caught."""

import numpy as np
import pytest
from scipy import stats
from tolerances import FOUR_ERRORS

from companion import registry
from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.judge.claims import Verdicts
from companion.judge.equivalence import Summary
from companion.judge.intervals import Interval, mean_interval, paired_interval
from companion.judge.ordering import Ordering, same_ordering
from companion.judge.reported import Margins, ReportedClaim
from companion.judge.stored_runs import StoredRuns
from companion.judge.verdict import (
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
)

RECORD = {"command": "make something"}
ALL, SOME, TURNED = Ordering(confirmed=3), Ordering(confirmed=2, open=1), Ordering(confirmed=2, reversed=1)
CASES = {
    "equivalent": (Summary(10.0, 1.0, 200), Summary(10.1, 1.0, 200), 1.0, None),
    "compatible-underpowered": (Summary(10.0, 1.0, 3), Summary(10.1, 1.0, 200), 1.0, ALL),
    "same-ordering-different-level": (Summary(10.0, 1.0, 10), Summary(15.0, 1.0, 200), 1.0, ALL),
    "different": (Summary(10.0, 1.0, 10), Summary(15.0, 1.0, 200), 1.0, TURNED),
    "not-testable": (None, Summary(15.0, 1.0, 200), 1.0, ALL),
}


@pytest.mark.parametrize("expected", CASES)
def test_every_verdict_is_reached(expected):
    assert set(CASES) == set(CELL_VERDICTS)
    assert cell_verdict(*CASES[expected]).verdict == expected


@pytest.mark.parametrize("ordering", [None, Ordering(), Ordering(tied=3), SOME, TURNED])
def test_only_an_order_confirmed_in_all_its_pairs_is_the_printed_order(ordering):
    reported, ours, margin, _ = CASES["same-ordering-different-level"]
    assert cell_verdict(reported, ours, margin, ordering).verdict == "different"
    assert (
        cell_verdict(reported, ours, margin, Ordering(confirmed=1, tied=2)).verdict == "same-ordering-different-level"
    )


def test_few_runs_never_make_two_numbers_equivalent():
    # Equal means, two reported runs: "p > 0.05, so they agree" would say equivalent.
    reported, ours = Summary(10.0, 3.0, 2), Summary(10.0, 3.0, 500)
    assert stats.ttest_ind_from_stats(10.0, 3.0, 2, 10.0, 3.0, 500, equal_var=False).pvalue > 0.9
    found = cell_verdict(reported, ours, 1.0, ALL)
    assert found.verdict == "compatible-underpowered"
    assert found.limit > 1.0
    assert "cannot show less than" in found.reason


def test_a_tiny_difference_seen_with_many_runs_is_still_equivalent():
    # "p < 0.05, so they differ" would say different.
    reported, ours = Summary(10.0, 1.0, 10_000), Summary(10.1, 1.0, 10_000)
    assert stats.ttest_ind_from_stats(10.0, 1.0, 10_000, 10.1, 1.0, 10_000).pvalue < 1e-9
    found = cell_verdict(reported, ours, 1.0, TURNED)
    assert found.verdict == "equivalent"
    assert found.also_different


@pytest.mark.parametrize("shift", [0.0, 0.05, 0.3, 0.6, 3.0])
def test_yet_different_is_said_where_an_equivalent_interval_leaves_out_zero(shift):
    """By SciPy's Welch test on samples with exactly these moments, and its interval of level 0.90 for the equivalence."""
    shape = np.arange(30.0) - 14.5
    sample = shape / shape.std(ddof=1)
    test = stats.ttest_ind(10.0 + shift + sample, 10.0 + sample, equal_var=False)
    narrow, wide = test.confidence_interval(0.90), test.confidence_interval(0.95)
    found = cell_verdict(Summary(10.0, 1.0, 30), Summary(10.0 + shift, 1.0, 30), 1.0, None)
    inside = narrow.low > -1.0 and narrow.high < 1.0
    assert (found.verdict == "equivalent") == inside
    assert found.also_different == (inside and not wide.low <= 0.0 <= wide.high)
    assert found.p_value == pytest.approx(test.pvalue)


@pytest.mark.slow
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
    assert same_ordering([(5.0, up), (-1.0, down)]) == Ordering(confirmed=2)
    assert same_ordering([(5.0, up), (1.0, down)]) == Ordering(confirmed=1, reversed=1)
    assert same_ordering([(5.0, up), (-1.0, open_), (0.0, up)]) == Ordering(confirmed=1, open=1, tied=1)
    assert same_ordering([]) == Ordering()
    judged = [same_ordering([(5.0, up), (-1.0, other)]).as_printed for other in (down, open_, up)]
    assert judged == [True, False, False]


@pytest.mark.parametrize(
    ("low", "high", "smaller", "larger", "comparable"),
    [
        (-3.0, -2.0, "holds", "contradicted", "contradicted"),
        (-3.0, -0.5, "holds", "contradicted", "undecided"),
        (-0.5, 0.5, "undecided", "undecided", "holds"),
        (0.1, 0.5, "contradicted", "holds", "holds"),
        (-3.0, 3.0, "undecided", "undecided", "undecided"),
        (1.5, 3.0, "contradicted", "holds", "contradicted"),
        # Undecided on either side of zero: the ends decide, not the estimate.
        (-3.0, 1.0, "undecided", "undecided", "undecided"),
        (-1.0, 3.0, "undecided", "undecided", "undecided"),
        (-0.9, 0.1, "undecided", "undecided", "holds"),
        (-0.1, 0.9, "undecided", "undecided", "holds"),
        # An end on the border is not beyond it.
        (-3.0, 0.0, "undecided", "undecided", "undecided"),
        (0.0, 0.5, "undecided", "undecided", "holds"),
        (-1.0, 0.5, "undecided", "undecided", "undecided"),
        (-0.5, 1.0, "undecided", "undecided", "undecided"),
        (1.0, 3.0, "contradicted", "holds", "undecided"),
        (-3.0, -1.0, "holds", "contradicted", "undecided"),
    ],
)
@pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
def test_paired_claims(low, high, smaller, larger, comparable, place):
    interval = Interval(low + place * (high - low), low, high, 30)
    assert paired_claim(interval, "smaller").verdict == smaller
    assert paired_claim(interval, "larger").verdict == larger
    assert paired_claim(interval, "comparable", 1.0).verdict == comparable


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(1.2, 1.8, "holds"), (1.2, 2.6, "undecided"), (2.1, 2.6, "contradicted")]
)
def test_exponents_have_their_allowance_on_both_sides(low, high, verdict):
    """Claimed 1.5, allowance 0.5; the mirror image about 1.5 has the same verdict."""
    assert exponent_claim(Interval((low + high) / 2, low, high, 9), 1.5, 0.5).verdict == verdict
    assert exponent_claim(Interval(3.0 - (low + high) / 2, 3.0 - high, 3.0 - low, 9), 1.5, 0.5).verdict == verdict


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


def a_cell(case, **printed):
    reported = {"mean": 10.0, "spread": 1.0, "spread_kind": "sd", "n": 10} | printed
    return entry(
        paper="p", source="Table 1", cell="c", metric="m", kind="cell", judgement=cell_verdict(*case), record=RECORD,
        reported=reported, reproduced=case[1],
    )  # fmt: skip


def test_a_cell_says_whether_another_verdict_was_possible():
    without = a_cell(CASES["not-testable"], spread=None)
    assert without["one_outcome"] is True
    assert without["one_outcome_reason"]
    # Printed in full and not rerun: with runs there would be a verdict.
    left_out = entry(
        paper="p", source="Table 1", cell="c", metric="m", kind="cell", judgement=Judgement("not-testable", "no runs"),
        record=RECORD, reported={"mean": 10.0, "spread": 1.0, "spread_kind": "sd", "n": 10},
    )  # fmt: skip
    assert left_out["one_outcome"] is False
    for name in CELL_VERDICTS[:4]:
        assert a_cell(CASES[name])["one_outcome"] is False
    # Three printed runs: even equal means leave t_{2, 0.95} / sqrt(3) = 1.69 standard deviations open.
    assert a_cell(CASES["compatible-underpowered"])["never_equivalent"] is True
    assert a_cell(CASES["equivalent"])["never_equivalent"] is False


class Nothing(StoredRuns):
    STORED = registry.stored_runs("batched").stored


def test_what_is_in_no_file_of_claims_is_the_companions():
    tests = dict.fromkeys(("printed", "remark"), lambda _: ([Part("x", Judgement("holds", "so"))], {}))
    claims = [
        ReportedClaim("printed", "Section 1", "a is better", "runs"),
        ReportedClaim("remark", "Figure 1", "the caption says otherwise", "reading", whose="companion"),
    ]
    asked = [(ReportedClaim("asked", "Table 1", "is it so", "runs"), tests["printed"])]
    verdicts = Verdicts(Nothing, lambda results, cell: {}, tests, asked=asked)
    found = verdicts.claim_entries(Nothing((), Margins(0.05, 0.95, {}, {}), {}, RECORD), claims)
    assert {e["cell"]: e["whose"] for e in found} == {"printed": "paper", "remark": "companion", "asked": "companion"}


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


def test_what_does_not_vary_has_no_spread_and_no_number_of_runs():
    part = Part("count", exact_claim(0, 1, "cases"), 4.0, 4)
    found = claim_entry(paper="p", source="Table 1", cell="c", metric="claim", parts=[part], record=RECORD)
    assert found["reproduced"] == found["parts"][0]["reproduced"] == {"mean": 4.0, "sd": None, "n": None}


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
