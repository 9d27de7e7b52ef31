"""Verdicts on paper 3: complete, recomputed by other means, and changed by a changed number."""

import csv
import json
import math
import shutil
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sentences import numbers, turned
from tolerances import SUMMARY_RTOL

from companion.bounds.confidence import SelfNormalizedWidth
from companion.core.errors import CompanionError, ResultError
from companion.judge import evidence
from companion.judge.reported import load_claims, load_margins
from companion.judge.verdict import CELL_VERDICTS, CLAIM_VERDICTS, combined, far_apart
from companion.papers.batched.experiments import tables_claims as claims_tables
from companion.papers.batched.experiments import theory_claims as claims_theory
from companion.papers.batched.experiments import verdicts
from companion.papers.batched.experiments.conclusions_claims import CLAIMS, COMPARABLE
from companion.papers.batched.experiments.printed import BatchedResults


@pytest.fixture(scope="module")
def entries(root):
    return evidence.verdicts("batched", root)


@pytest.fixture(scope="module")
def runs(root):
    return pd.read_csv(root / "data" / "results" / "batched" / "appendix_e.csv")


def cell(entries, source, rule, metric):
    (found,) = [e for e in entries if (e["source"], e["cell"], e["metric"]) == (source, rule, metric)]
    return found


def claim(entries, identifier):
    (found,) = [e for e in entries if e["kind"] == "claim" and e["cell"] == identifier]
    return found


@pytest.fixture
def copied(root, tmp_path):
    """The repository's data where numbers can be changed."""
    for part in ("reported", "results/batched"):
        shutil.copytree(root / "data" / part, tmp_path / "data" / part, ignore=shutil.ignore_patterns("tasks"))
    return tmp_path


def replaced(folder, file, old, new):
    path = folder / "data" / "reported" / "batched" / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def cells(folder):
    """Entries of the printed numbers alone."""
    results = BatchedResults.read(folder)
    return [verdicts.VERDICTS.cell_entry(results, one) for one in results.cells]


def test_every_printed_number_and_every_claim_is_there_once(root, entries):
    cells = [e for e in entries if e["kind"] == "cell"]
    assert len({(e["source"], e["cell"], e["metric"]) for e in cells}) == len(cells) == 72
    assert sum(e["metric"].startswith("cumulative_regret") for e in cells) == 60
    printed = Counter()
    for number in (1, 2, 3):
        with (root / "data" / "reported" / "batched" / f"table{number}.csv").open(encoding="utf-8") as file:
            printed.update((f"Table {number}", float(row["mean"])) for row in csv.DictReader(file))
    assert Counter((e["source"], e["reported"]["mean"]) for e in cells) == printed
    with (root / "data" / "reported" / "batched" / "claims.csv").open(encoding="utf-8") as file:
        ids = [row["id"] for row in csv.DictReader(file)]
    assert [e["cell"] for e in entries if e["kind"] == "claim"] == [*ids, "same-method-twice"]


def test_every_entry_has_a_verdict_a_reason_and_a_record(entries):
    for found in entries:
        assert found["verdict"] in (CELL_VERDICTS if found["kind"] == "cell" else CLAIM_VERDICTS)
        assert found["reason"]
        assert found["record"]["command"]
        assert found["record"]["versions"]
    json.dumps(entries, allow_nan=False)


def test_reproduced_numbers_are_those_of_the_stored_runs(entries, runs):
    part = runs[(runs.kernel == "matern52") & (runs.rule == "a=0.36")].R400
    found = cell(entries, "Table 3", "a=0.36", "cumulative_regret_at_t=400")
    assert found["reproduced"]["mean"] == pytest.approx(part.mean(), rel=SUMMARY_RTOL)
    assert found["reproduced"]["sd"] == pytest.approx(part.std(), rel=SUMMARY_RTOL)
    assert found["reproduced"]["n"] == len(part) == 200


def test_without_a_printed_spread_no_regret_is_tested(entries):
    regrets = [e for e in entries if e["metric"].startswith("cumulative_regret")]
    untested, tested = regrets[0], regrets[0]["if_spread_as_ours"]
    for found in entries:
        if found["metric"].startswith("cumulative_regret"):
            assert found["verdict"] == "not-testable"
            assert found["difference"]["ci95"] is None
            # Another reason than a tested number has, and the same for all.
            assert turned(found["reason"], tested["reason"])
            assert not turned(found["reason"], untested["reason"])


@pytest.mark.parametrize(
    ("source", "kernel", "rule", "t"),
    [("Table 1", "se", "orig", 200), ("Table 2", "matern32", "a=0.31", 400), ("Table 3", "matern52", "orig", 1000)],
)
def test_assumed_verdicts_by_another_route(entries, runs, source, kernel, rule, t):
    """Welch by SciPy on an artificial sample that has the printed mean and our spread; TOST as its 90 % interval."""
    ours = runs[(runs.kernel == kernel) & (runs.rule == rule)][f"R{t}"].to_numpy()
    found = cell(entries, source, rule, f"cumulative_regret_at_t={t}")
    shape = np.arange(10.0) - 4.5
    theirs = found["reported"]["mean"] + shape * ours.std(ddof=1) / shape.std(ddof=1)
    test = stats.ttest_ind(ours, theirs, equal_var=False)
    wide, narrow = test.confidence_interval(0.95), test.confidence_interval(0.90)
    assumed, margin = found["if_spread_as_ours"], 0.1 * found["reported"]["mean"]
    assert assumed["difference"]["ci95"] == pytest.approx([wide.low, wide.high], rel=SUMMARY_RTOL)
    assert assumed["margin"] == pytest.approx(margin)
    # the statistic of Welch's test is the difference in standard errors
    assert assumed["standard_errors"] == pytest.approx(test.statistic, rel=SUMMARY_RTOL)
    inside = -margin < narrow.low and narrow.high < margin
    assert (assumed["verdict"] == "equivalent") == inside
    assert (assumed["verdict"] == "compatible-underpowered") == (not inside and wide.low <= 0 <= wide.high)


def test_the_power_limit_is_said_where_it_binds(entries):
    assumed = [e["if_spread_as_ours"] for e in entries if "if_spread_as_ours" in e]
    assert len(assumed) == 60
    plain = next(e for e in assumed if e["verdict"] == "compatible-underpowered" and e["smallest_margin"] < e["margin"])
    for found in assumed:
        assert 0.5 < found["smallest_margin_in_sd"] < 0.6
        if found["verdict"] == "compatible-underpowered":
            binds = found["smallest_margin"] >= found["margin"]
            assert turned(plain["reason"], found["reason"]) == binds
            assert float(f"{found['smallest_margin']:.4g}") in numbers(found["reason"])
        assert found["verdict"] != "equivalent" or found["smallest_margin"] < found["margin"]


def test_percentiles_by_counting(entries, runs):
    found = cell(entries, "Table 2", "orig", "cumulative_regret_at_t=1000")
    ours = runs[(runs.kernel == "matern32") & (runs.rule == "orig")].R1000.to_numpy()
    printed = found["reported"]["mean"]
    assert found["percentile_of_single_runs"] == pytest.approx(100 * sum(ours < printed) / 200)
    # A mean of ten new functions is nearly normal.
    sd = ours.std(ddof=1) / math.sqrt(10)
    assert found["percentile_of_ten_run_means"] == pytest.approx(
        100 * stats.norm.cdf((printed - ours.mean()) / sd), abs=3
    )


def test_batch_counts_are_exact(entries):
    counts = [e for e in entries if e["metric"] == "number_of_batches"]
    assert len(counts) == 12
    different = [(e["source"], e["cell"]) for e in counts if e["verdict"] == "different"]
    assert different == [("Table 3", "a=0.5")]
    assert {e["verdict"] for e in counts} == {"equivalent", "different"}


def test_claims_agree_with_the_nine_conclusions_of_the_chapter(entries, runs):
    """Each conclusion once more by SciPy's paired t interval."""
    parts = {part["what"]: part for e in entries if e["kind"] == "claim" for part in e["parts"]}
    shown = 0
    for conclusion in CLAIMS:
        table = runs[runs.kernel == conclusion.kernel].pivot(index="seed", columns="rule", values="R1000")
        interval = stats.ttest_rel(table[conclusion.rule], table["orig"]).confidence_interval(0.95)
        part = parts.get(f"{claims_tables.KERNEL_TITLES[conclusion.kernel]}: {conclusion.wording}")
        if part is None:
            assert conclusion.rule == "a=0.5"  # the two equal rows are claims of their own
            continue
        shown += 1
        assert part["difference"]["ci95"] == pytest.approx([interval.low, interval.high], rel=SUMMARY_RTOL)
        if conclusion.says == "smaller":
            expected = "holds" if interval.high < 0 else "contradicted" if interval.low > 0 else "undecided"
            assert part["verdict"] == expected
        assert part["random_ties"]["verdict"] in CLAIM_VERDICTS
    assert shown == 7


def test_both_tie_rules_are_judged(entries, root):
    ties = pd.read_csv(root / "data" / "results" / "batched" / "appendix_e_ties.csv")
    table = ties[ties.kernel == "se"].pivot(index="seed", columns="rule", values="R1000")
    expected = []
    for rule in ("a=0.6", "a=0.65"):
        interval = stats.ttest_rel(table[rule], table["orig"]).confidence_interval(0.95)
        expected.append("holds" if interval.high < 0 else "contradicted" if interval.low > 0 else "undecided")
    found = claim(entries, "se-larger-a-smaller")
    assert [part["random_ties"]["verdict"] for part in found["parts"] if "random_ties" in part] == expected
    worst = next(word for word in ("contradicted", "undecided", "holds") if word in expected)
    assert found["verdict_with_random_ties"] == worst
    assert worst != found["verdict"]
    # A conclusion that comes out otherwise with random ties says how in its reason, and no other one does.
    for entry in (found, claim(entries, "matern52-smaller")):
        for part in entry["parts"]:
            if "random_ties" in part:
                tied = part["random_ties"]["verdict"]
                assert (tied in part["reason"]) == (tied != part["verdict"]) == (entry is found)
                assert part["reason"] in entry["reason"]
    assert sum("verdict_with_random_ties" in e for e in entries) == 5


def test_margin_of_comparable_is_the_one_committed_before_the_runs(root):
    assert load_margins("batched", root).claims["comparable"] == COMPARABLE


def test_equal_rows_differ_by_what_is_printed_and_hardly_in_our_runs(entries, runs):
    found = claim(entries, "same-method-twice")
    assert found["verdict"] == "contradicted"
    for part, kernel, gap in zip(
        found["parts"], ("matern32", "matern52"), (469.56 - 505.8, 310.01 - 321.77), strict=True
    ):
        assert part["reported"] == pytest.approx(gap)
        table = runs[runs.kernel == kernel].pivot(index="seed", columns="rule", values="R1000")
        assert part["reproduced"]["mean"] == pytest.approx((table["a=0.5"] - table["orig"]).mean(), rel=SUMMARY_RTOL)
        readings = found["chance_of_printed_gap"][kernel]["t=1000"]
        # Two independent ten-function means: the textbook standard deviation.
        expected = math.sqrt((table["a=0.5"].var() + table["orig"].var()) / 10)
        assert readings["nothing"]["sd"] == pytest.approx(expected, rel=0.03)
        assert readings["functions-and-noise"]["at_least"] == 0.0
        assert readings["functions"]["sd"] < readings["nothing"]["sd"] / 5


def verdict_of(test, results):
    return combined([part.judgement.verdict for part in test(results)[0]])


def test_a_curve_bent_within_a_batch_is_not_linear(root):
    results = BatchedResults.read(root)
    bent = replace(
        results, tables={**results.tables, results.MAIN: results.frame.assign(R500=results.frame.R500 + 40.0)}
    )
    assert verdict_of(claims_tables.linear_in_batch, results) == "holds"
    assert verdict_of(claims_tables.linear_in_batch, bent) == "contradicted"


def test_one_seed_with_another_regret_at_200_is_another_design(root):
    results = BatchedResults.read(root)
    frame = results.frame.copy()
    row = frame.index[(frame.kernel == "matern52") & (frame.rule == "a=0.5") & (frame.seed == 17)]
    frame.loc[row, "R200"] += 1e-6
    assert verdict_of(claims_tables.same_design, results) == "holds"
    assert (
        verdict_of(claims_tables.same_design, replace(results, tables={**results.tables, results.MAIN: frame}))
        == "contradicted"
    )


def test_without_the_gain_in_its_width_stableopt_loses_no_factor(root, monkeypatch):
    results = BatchedResults.read(root)
    assert verdict_of(claims_theory.simple_regret_factor, results) == "holds"
    constant = SelfNormalizedWidth.width
    monkeypatch.setattr(SelfNormalizedWidth, "width", lambda self, t=None, gain=None: constant(self, gain=1.0))
    assert verdict_of(claims_theory.simple_regret_factor, results) == "contradicted"


def test_a_bound_for_fixed_batches_of_another_order_is_noticed(root, monkeypatch):
    results, bound = BatchedResults.read(root), claims_theory.fixed_lower_bound
    assert verdict_of(claims_theory.adaptive_no_stronger, results) == "holds"
    monkeypatch.setattr(claims_theory, "fixed_lower_bound", lambda f, t, b: bound(f, t, b) * t**0.2)
    assert verdict_of(claims_theory.adaptive_no_stronger, results) == "contradicted"


def test_a_rule_with_more_batches_is_noticed(root, monkeypatch):
    results, count = BatchedResults.read(root), claims_theory.power_batch_count
    assert verdict_of(claims_theory.fewer_batches, results) == "holds"
    monkeypatch.setattr(claims_theory, "power_batch_count", lambda t, a: count(t, a) + 1)
    assert verdict_of(claims_theory.fewer_batches, results) == "contradicted"


def test_a_swapped_count_changes_its_verdict_and_the_claim(copied, entries):
    before = {(e["source"], e["cell"], e["metric"]): e["verdict"] for e in entries}
    replaced(
        copied,
        "table3.csv",
        "number_of_batches,batches,3,,unstated,,,rule",
        "number_of_batches,batches,4,,unstated,,,rule",
    )
    after = {(e["source"], e["cell"], e["metric"]): e["verdict"] for e in verdicts.VERDICTS.entries(copied)}
    changed = {key: (before[key], after[key]) for key in before if before[key] != after[key]}
    assert changed == {
        ("Table 3", "a=0.5", "number_of_batches"): ("different", "equivalent"),
        ("Table 3", "matern52-0.5-batches", "claim"): ("contradicted", "holds"),
    }


def test_a_swapped_regret_changes_what_its_cell_says(copied, entries):
    replaced(copied, "table3.csv", ",264.06,", ",464.06,")
    key = ("Table 3", "a=0.36", "cumulative_regret_at_t=1000")
    before, after = cell(entries, *key), cell(cells(copied), *key)
    assert before["if_spread_as_ours"]["verdict"] == "different"
    assert after["if_spread_as_ours"]["verdict"] != "different"
    assert after["percentile_of_single_runs"] > before["percentile_of_single_runs"]


def test_cells_that_cannot_be_tested_and_are_far_apart_say_so(copied, entries):
    far = {(entry["cell"], entry["metric"].rpartition("=")[2]) for entry in far_apart(entries)}
    assert far == {("orig", "200"), *((rule, str(t)) for rule in ("a=0.36", "a=0.4") for t in range(200, 1001, 200))}
    assert {entry["verdict"] for entry in far_apart(entries)} == {"not-testable"}
    replaced(copied, "table3.csv", ",264.06,", ",464.06,")
    assert len(far_apart(cells(copied))) == len(far) - 1


def test_a_printed_spread_makes_a_cell_testable(copied):
    replaced(copied, "table3.csv", ",321.77,,unstated,10,", ",321.77,1.5,sd,10,")
    found = cell(cells(copied), "Table 3", "orig", "cumulative_regret_at_t=1000")
    assert found["verdict"] == "compatible-underpowered"
    assert found["margin"] == 1.5
    assert found["difference"]["ci95"] is not None
    assert "if_spread_as_ours" not in found


def test_a_wider_printed_gap_is_contradicted_and_our_own_gap_is_not(copied, root):
    ours = BatchedResults.read(root).against("matern52", "a=0.5").estimate
    replaced(copied, "table3.csv", ",310.01,", f",{321.77 + ours:.4f},")
    name = "same-method-twice"
    parts = claim(verdicts.VERDICTS.entries(copied, {name}), name)["parts"]
    assert [part["verdict"] for part in parts] == ["contradicted", "holds"]


def test_claims_and_tests_have_to_match(copied, root):
    results, claims = BatchedResults.read(root), load_claims("batched", root)
    with pytest.raises(CompanionError, match="footnote-10"):
        verdicts.VERDICTS.claim_entries(results, [entry for entry in claims if entry.id != "footnote-10"])


def test_an_edited_result_is_noticed(copied):
    path = copied / "data" / "results" / "batched" / "appendix_e.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("1", "2", 1), encoding="utf-8")
    with pytest.raises(ResultError, match="make paper CH=3"):
        verdicts.VERDICTS.entries(copied)
