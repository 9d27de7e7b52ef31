"""Parts of claims: each holds, fails and stays open where it should, and shows the numbers that it was given."""

import numpy as np
import pytest

from companion.judge.claim_tests import beside_printed, beyond, every, needs, paired, power_law, ruled
from companion.judge.intervals import Interval
from companion.judge.reported import load_margins
from companion.judge.stored_runs import StoredRuns
from companion.judge.verdict import CONTRADICTED, HOLDS, NOT_TESTABLE, UNDECIDED


@pytest.fixture(scope="module")
def results(root):
    return StoredRuns((), load_margins("meanfield", root), {}, {})


LOW, HIGH = np.array([1.0, 1.2, 0.9, 1.1]), np.array([2.0, 2.3, 2.1, 1.8])


@pytest.mark.parametrize(
    ("first", "second", "says", "factor", "verdict"),
    [
        (LOW, HIGH, "smaller", 1.0, HOLDS),
        (LOW, HIGH, "larger", 1.0, CONTRADICTED),
        (LOW, HIGH, "smaller", 0.1, CONTRADICTED),  # 1.05 against 0.205
        (LOW, LOW[::-1], "smaller", 1.0, UNDECIDED),
    ],
)
def test_paired_difference(results, first, second, says, factor, verdict):
    part = paired(results, "regret", first, second, says, factor, reproduced=1.05)
    assert part.judgement.verdict == verdict
    assert part.judgement.difference.estimate == pytest.approx(np.mean(first - factor * second))
    assert (part.what, part.reproduced) == ("regret", 1.05)


@pytest.mark.parametrize(
    ("bound", "says", "verdict"),
    [(3.0, "smaller", HOLDS), (3.0, "larger", CONTRADICTED), (2.0, "smaller", UNDECIDED), (1.0, "larger", HOLDS)],
)
def test_an_estimate_beside_a_bound(bound, says, verdict):
    part = beyond("ratio", Interval(2.0, 1.5, 2.5, 4), bound, says)
    assert part.judgement.verdict == verdict
    assert part.judgement.difference == Interval(2.0 - bound, 1.5 - bound, 2.5 - bound, 4)
    assert beyond("ratio", Interval(2.0, 1.5, 2.5, 4), bound, says, "told").judgement.reason == "told"


@pytest.mark.parametrize(("claimed", "verdict"), [(0.5, HOLDS), (1.5, CONTRADICTED)])
def test_exponent(results, claimed, verdict):
    x = np.array([10.0, 100.0, 1000.0, 10000.0])
    part = power_law(results, "growth", x, 3.0 * x**0.5, claimed, reported=claimed)
    assert part.judgement.verdict == verdict
    assert part.reproduced == pytest.approx(0.5)
    assert part.reported == claimed


def test_every_case_counts():
    assert every("sizes", [True, True, True], "runs").judgement.verdict == HOLDS
    part = every("sizes", np.array([True, False, True]), "runs")
    assert part.judgement.verdict == CONTRADICTED
    assert "2 of 3" in part.judgement.reason
    assert every("one fact", False, "x").judgement.verdict == CONTRADICTED


@pytest.mark.parametrize(
    ("holds", "fails", "verdict"),
    [(True, False, HOLDS), (False, True, CONTRADICTED), (False, False, UNDECIDED)],
)
def test_own_rule(holds, fails, verdict):
    assert ruled("what", holds, fails, "why").judgement.verdict == verdict


def test_lacking_runs_are_absent():
    class Stub:
        def __init__(self, stored):
            self.stored = stored

        def has(self, problem, *methods, **where):
            return (problem, methods, where) == self.stored

    @needs("Swarm", "swarm", "ours", variant="paper")
    def test(_results):
        return [every("fact", True, "why")], {"more": 1}

    parts, extra = test(Stub(("swarm", ("ours",), {"variant": "paper"})))
    assert (parts[0].judgement.verdict, extra) == (HOLDS, {"more": 1})
    parts, extra = test(Stub(("swarm", ("ours",), {"variant": "other"})))
    assert ([part.what for part in parts], extra) == (["Swarm"], {})
    assert parts[0].judgement.verdict == NOT_TESTABLE


@pytest.mark.parametrize(
    ("printed", "margin", "word"), [(1.05, 0.5, "within"), (3.0, 0.5, "outside"), (1.1, 0.05, "undecided")]
)
def test_ratio_beside_a_printed_one(printed, margin, word):
    found = beside_printed(LOW, printed, margin, 0.95)
    assert found["verdict"] == word
    half = 3.182446305284263 * LOW.std(ddof=1) / 2.0  # Student's t, three degrees of freedom, over the root of four
    assert found["ci95"] == pytest.approx([LOW.mean() - half, LOW.mean() + half])
    assert (found["mean"], found["sd"], found["n"]) == pytest.approx((LOW.mean(), LOW.std(ddof=1), 4))
