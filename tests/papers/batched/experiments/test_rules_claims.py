"""Every rule of chapter 3 that judges a claim on stored runs, planted just inside and just outside its frozen margin."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from planted import WOBBLE, C, H, U, around, verdicts
from tolerances import SUMMARY_RTOL

from companion.judge.ordering import Ordering
from companion.judge.reported import load_margins, load_tables
from companion.papers.batched.experiments import tables_claims
from companion.papers.batched.experiments import theory_claims as claims_theory
from companion.papers.batched.experiments import verdicts as cell_verdicts
from companion.papers.batched.experiments.printed import BatchedResults, rule_of
from companion.papers.batched.experiments.runs import MAIN, RULES, TIES, rule_label
from companion.papers.batched.experiments.store import CURVE


@pytest.fixture(scope="module")
def made(root):
    """Results with the runs of these rules; ties broken at random give the same unless they are given."""
    cells, margins = load_tables("batched", root), load_margins("batched", root)

    def make(frame, ties=None):
        return BatchedResults(cells, margins, {MAIN: frame, TIES: frame if ties is None else ties}, {}, root)

    return make


def runs(kernel, levels, sizes="64 332 604", at=(1000,)):
    """Rows of (6,) regrets at round 1000, or at others too: there they are in proportion."""
    return pd.DataFrame(
        [
            {
                "kernel": kernel,
                "rule": rule,
                "seed": seed,
                "batches": 3,
                "sizes": sizes if isinstance(sizes, str) else sizes[rule],
            }
            | {f"R{t}": value * t / 1000 for t in at}
            for turn, (rule, level) in enumerate(levels.items())
            for seed, value in enumerate(around(level, 1e-3, turn) if np.ndim(level) == 0 else level)
        ]
    )


@pytest.mark.parametrize(
    ("claim", "kernel", "rules", "smaller"),
    [
        ("se-larger-a-smaller", "se", ("a=0.6", "a=0.65"), True),
        ("matern32-0.4-smaller", "matern32", ("a=0.4",), True),
        ("matern32-0.31-worse", "matern32", ("a=0.31",), False),
        ("matern52-smaller", "matern52", ("a=0.36", "a=0.4"), True),
    ],
)
def test_a_smaller_regret_is_that_of_the_rule_named(made, claim, kernel, rules, smaller):
    """One rule after the other turned round, which turns its part and no other; ties are judged by their own runs."""
    good, bad = (9.0, 11.0) if smaller else (11.0, 9.0)
    for turned in (None, *rules):
        frame = runs(kernel, {"orig": 10.0} | {rule: bad if rule == turned else good for rule in rules})
        found, extra = tables_claims.TESTS[claim](
            made(frame, runs(kernel, {"orig": 10.0} | dict.fromkeys(rules, 10.0)))
        )
        assert verdicts(found)[: len(rules)] == [C if rule == turned else H for rule in rules]
        assert [part.extra["random_ties"]["verdict"] for part in found[: len(rules)]] == [U] * len(rules)
        assert extra["verdict_with_random_ties"] == U
        for part, rule in zip(found, rules, strict=False):
            assert part.reproduced == pytest.approx((bad if rule == turned else good) - 10.0)
            assert part.extra["relative"] == pytest.approx(part.reproduced / 10.0)
            assert part.extra["share_of_seeds_with_less_regret"] == float(part.reproduced < 0)


@pytest.mark.parametrize(("level", "expected"), [(11.4, H), (8.6, H), (11.6, C), (8.4, C), (11.5, U), (8.5, U)])
def test_comparable_is_within_fifteen_percent_of_the_original_rule(made, level, expected):
    frame = runs("se", {"orig": 10.0, "a=0.52": level})
    found, _ = tables_claims.TESTS["se-0.52-comparable"](made(frame))
    assert verdicts(found)[0] == expected
    assert found[0].extra["random_ties"]["verdict"] == expected
    assert verdicts(found)[1:] == [H, H]  # batch counts as printed


@pytest.mark.parametrize(("beside", "expected"), [(0.0, H), (1.0, C), (-1.0, C)])
def test_the_printed_gap_of_two_equal_rows_is_ours_or_is_not(made, monkeypatch, beside, expected):
    """469.56 against 505.8 in Table 2."""
    monkeypatch.setattr(tables_claims, "chance_of_gap", lambda *_: {})
    gap = 469.56 - 505.8
    found, _ = tables_claims._same_rows(
        made(runs("matern32", {"orig": 500.0, "a=0.5": 500.0 + gap + beside})), ("matern32",)
    )
    assert verdicts(found) == [expected]
    assert (found[0].reported, found[0].reproduced) == (pytest.approx(gap), pytest.approx(gap + beside))
    assert found[0].judgement.difference.estimate == pytest.approx(beside, abs=1e-9)


@pytest.mark.parametrize(
    ("second", "expected"), [("64 332 604", H), ("64 335 601", H), ("64 336 600", C), ("60 336 604", C)]
)
def test_equal_rows_differ_by_at_most_three_points_a_batch(made, monkeypatch, second, expected):
    monkeypatch.setattr(tables_claims, "chance_of_gap", lambda *_: {})
    frame = runs("matern32", {"orig": 500.0, "a=0.5": 500.0}, {"orig": "64 332 604", "a=0.5": second})
    found, _ = tables_claims.equal_rows(made(frame))
    assert verdicts(found) == [expected, C]  # the printed rows are 36 apart


@pytest.mark.parametrize(
    ("second", "at_200", "expected"),
    [
        ("64 332 604", 0.0, H),
        ("63 333 604", 0.0, C),
        ("64 136 800", 0.0, H),
        ("64 135 801", 0.0, C),
        ("64 332 604", 1e-9, C),
    ],
)
def test_one_design_up_to_round_200_is_one_first_batch_and_a_second_beyond_it(
    made, monkeypatch, second, at_200, expected
):
    monkeypatch.setattr(tables_claims, "chance_of_gap", lambda *_: {})
    frames = []
    for kernel in ("matern32", "matern52"):
        frame = runs(
            kernel, {"orig": around(10.0), "a=0.5": around(10.0)}, {"orig": "64 332 604", "a=0.5": second}, (200, 1000)
        )
        frame.loc[(frame.rule == "a=0.5") & (frame.seed == 4), "R200"] += at_200
        frames.append(frame)
    assert verdicts(tables_claims.same_design(made(pd.concat(frames)))[0]) == [expected] * 2


def test_batches_are_linear_up_to_a_hundredth_of_the_last_regret(made, monkeypatch):
    """Bent by 0.9 and by 1.1 per cent of the regret at round 1000, one slope a batch taken away."""
    monkeypatch.setattr(tables_claims, "RULES", {"se": RULES["se"][:1]})
    rule = rule_label(RULES["se"][0])
    sizes = "200 800"
    shape = np.zeros(len(CURVE))
    shape[list(CURVE).index(500)] = 1.0
    own = np.abs(tables_claims.residuals((200, 800), CURVE, shape)).max()
    for share, expected in ((0.009, H), (0.011, C)):
        curve = np.array(CURVE, dtype=float) + share * 1000.0 / own * shape
        rows = [
            {"kernel": "se", "rule": rule, "seed": seed, "batches": 2, "sizes": sizes}
            | {f"R{t}": value * (1 + 1e-6 * step) for t, value in zip(CURVE, curve, strict=True)}
            for seed, step in enumerate(WOBBLE)
        ]
        found, _ = tables_claims.linear_in_batch(made(pd.DataFrame(rows)))
        assert found[0].judgement.verdict == expected
        assert abs(found[0].reproduced) == pytest.approx(share * 1000.0, rel=1e-3)


def test_residuals_by_hand():
    """Times 2, 4, 6 and batches of four and two: the increment from 4 to 6 has a slope of its own, the first is in the other."""
    assert tables_claims.residuals((4, 2), (2, 4, 6), (0.0, 3.0, 4.0)) == pytest.approx([0.0, 0.0])
    # One batch: increments 3 and 1 over two rounds each, their mean is two.
    assert tables_claims.residuals((6,), (2, 4, 6), (0.0, 3.0, 4.0)) == pytest.approx([1.0, -1.0])


def test_orders_of_the_gain_are_the_printed_ones():
    assert claims_theory.growth(10_000, 1.5, 1) == pytest.approx(10.0)
    assert claims_theory.growth(1_000_000, 2.5, 1) == pytest.approx(10.0)
    assert claims_theory.growth(1000, float("inf"), 2) == pytest.approx(6.907755**3, rel=1e-6)


def test_a_row_stands_to_all_others_of_its_column_as_printed(made):
    """Planted at the printed means every order is confirmed; with one row moved past it, that one is reversed."""
    rules = [rule_label(a) for a in RULES["se"]]
    results = made(runs("se", dict.fromkeys(rules, 1.0)))
    cell = next(c for c in results.cells if (c.source, c.method, c.at) == ("Table 1", results.cells[0].method, 1000))
    printed = {rule: results.printed("se", rule) for rule in rules}
    own = rule_of(cell)
    as_printed = cell_verdicts._ordering(made(runs("se", printed)), cell)
    assert as_printed == Ordering(confirmed=len(rules) - 1)
    other = next(rule for rule in rules if rule != own)
    moved = printed | {other: 2 * printed[own] - printed[other]}
    assert cell_verdicts._ordering(made(runs("se", moved)), cell) == Ordering(confirmed=len(rules) - 2, reversed=1)


def test_batch_counts_stand_at_round_zero_beside_regrets_at_their_rounds(made):
    """Twelve rows of Tables 1-3: a count and five regrets each."""
    frame = made(runs("se", {"orig": 1.0})).reported
    assert frame.t.value_counts().to_dict() == dict.fromkeys((0, 200, 400, 600, 800, 1000), 12)
    counts = frame[frame.t == 0]
    assert set(counts.value) <= set(range(2, 20))
    printed = made(runs("se", {"orig": 1.0})).printed
    assert all(printed(row.kernel, row.rule, 0) == row.value for row in counts.itertuples())


def test_the_chance_of_a_gap_is_that_of_means_of_ten_functions(made):
    """Rows that differ by the same at every function: with shared functions and noise the gap of two means is always that."""
    level = np.linspace(100.0, 900.0, 40)
    frame = pd.concat(
        [
            pd.DataFrame({"kernel": "matern32", "rule": rule, "seed": range(40), "R200": level + more})
            for rule, more in (("orig", 0.0), ("a=0.5", 3.0))
        ]
    )
    results = made(frame)
    found = tables_claims.chance_of_gap(results, "matern32", 200)
    gap = results.printed("matern32", "a=0.5", 200) - results.printed("matern32", "orig", 200)
    assert found["gap"] == pytest.approx(gap)
    shared, own = found["functions-and-noise"], found["nothing"]
    assert shared["sd"] == pytest.approx(0.0, abs=1e-9)
    assert (shared["at_least"], shared["at_most"]) == (float(abs(gap) <= 3.0), float(abs(gap) >= 3.0))
    # Twenty of forty without replacement, in two groups of ten: the variance of a difference of their means.
    assert own["sd"] == pytest.approx(np.sqrt(2 * level.var(ddof=1) / 10), rel=0.05)
    assert own["at_least"] + own["at_most"] == pytest.approx(1.0, abs=1e-3)


def test_trials_with_noise_of_their_own_vary_as_the_runs_of_one_function_do(monkeypatch):
    """Whatever lies between two functions, it is in both means of a difference."""
    trials = np.array([[1.0, 2.0, 6.0], [100.0, 103.0, 109.0]])
    rows = [(f, seed, value) for f, values in enumerate(trials) for seed, value in enumerate(values)]
    repeats = pd.DataFrame(rows, columns=["function", "seed", "R1000"]).assign(kernel="se")
    monkeypatch.setattr(tables_claims, "TRIALS", 2)
    found = tables_claims._own_noise(SimpleNamespace(repeats=repeats), "se", np.random.default_rng(0))
    # A difference of two means of two trials; of distinct functions the two halves add, of one they are its own.
    assert {name: values.mean() == pytest.approx(0.0, abs=0.1) for name, values in found.items()} == dict.fromkeys(
        found, True
    )
    own = trials.var(axis=1, ddof=1)
    assert found["functions"].var() == pytest.approx(2 * own.mean() / 2, rel=0.05)
    assert found["one-function"].var() == pytest.approx(2 * own.mean() / 2, rel=0.05)


def test_residuals_of_a_curve_with_one_slope_per_batch_vanish_only_for_its_own_batches():
    sizes, slopes = (64, 332, 604), (2.0, 0.5, 0.01)
    curve = np.cumsum(np.repeat(slopes, sizes))
    times = (200, 400, 600, 800, 1000)
    values = [curve[t - 1] for t in times]
    assert np.abs(tables_claims.residuals(sizes, times, values)).max() < 1e-9
    assert np.abs(tables_claims.residuals((64, 132, 804), times, values)).max() > 1.0


def test_simple_regret_bounds_by_hand():
    # T = 1000, a = 0.6: batches 16, 84, 225, 409, 266; Matern 5/2 in one dimension, so gamma_n = n^(1/6).
    batched, sequential = claims_theory.simple_bounds(1000, 2.5, 1)
    constant = 2.0 / math.log(1.0 + 100.0)
    width = 1.0 + math.sqrt(2.0 * math.log(2500 * 5 / 0.1))
    assert batched == pytest.approx(6.0 * width * math.sqrt(constant * 409 ** (1 / 6) / 409), rel=SUMMARY_RTOL)
    gamma = 1000 ** (1 / 6)
    adaptive = 1.0 + math.sqrt(2.0 * (gamma + math.log(10.0)))
    assert sequential == pytest.approx(adaptive * math.sqrt(4.0 * constant * gamma / 1000), rel=SUMMARY_RTOL)


def test_fixed_batches_have_the_larger_lower_bound_by_the_classes_themselves():
    """With κ for one batch the classes are taller, so the bound for fixed batches exceeds the one for adaptive ones."""
    from companion.gp import Matern
    from companion.papers.batched.problems.hard_class import BumpFamily
    from companion.papers.batched.theory.lower import regret_lower_bound

    family = BumpFamily(Matern(1.5, 0.2), 1, 1.0)
    fixed, adaptive = claims_theory.fixed_lower_bound(family, 10**6, 3), regret_lower_bound(family, 10**6, 3, 1.0).value
    assert 3.0 < fixed / adaptive <= 9.0 * 1.01  # a factor B from the share, and up to B from the height
