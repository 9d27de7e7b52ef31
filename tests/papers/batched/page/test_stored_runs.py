"""The stored runs of Appendix E: complete, read as printed, and what they say of its conclusions."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from companion.core import instruction_set
from companion.papers.batched.experiments import conclusions_claims
from companion.papers.batched.page import stored_runs


@pytest.fixture(scope="module")
def evidence():
    return stored_runs.load_paper_results()


def test_stored_results_cover_all_rules_and_two_hundred_functions(evidence):
    counts = evidence.frame.groupby(["kernel", "rule"]).seed.nunique()
    assert len(counts) == 12
    assert set(counts) == {200}
    assert not evidence.frame.duplicated(["kernel", "rule", "seed"]).any()
    ties = evidence.ties.groupby(["kernel", "rule"]).seed.nunique()
    assert set(ties) == {200}
    assert set(evidence.repeats.groupby(["kernel", "function"]).size()) == {10}


def test_reported_tables_are_read_as_printed(evidence):
    found = evidence.reported.set_index(["kernel", "rule", "t"]).value
    assert len(found) == 72  # 12 rows of five regrets and a number of batches
    assert found[("se", "orig", 1000)] == 197.91
    assert found[("matern32", "a=0.31", 200)] == 367.95
    assert found[("matern52", "a=0.5", 0)] == 3


def test_live_runs_equal_the_stored_ones(evidence):
    live = stored_runs.rerun_live(evidence, 1)
    assert len(live) == 12
    assert np.abs(live.live - live.stored).max() < 1e-2  # a few digits of a regret where the kernels are others
    if instruction_set.recorded(evidence.record["blas"]) == instruction_set.in_use():
        assert stored_runs.same(live).all()


def test_outcomes_turn_with_the_runs(evidence):
    found = stored_runs.conclusion_numbers(evidence)
    turned_round = {evidence.MAIN: evidence.frame.assign(R1000=-evidence.frame.R1000)}
    flipped = stored_runs.conclusion_numbers(dataclasses.replace(evidence, tables={**evidence.tables, **turned_round}))
    assert found.functions == evidence.frame.seed.nunique()
    assert found.contradicted <= flipped.holds  # what was larger is smaller now
    assert flipped.contradicted == {("matern32", "a=0.31")}


def test_where_a_difference_arises_and_how_often_separate_functions_would_show_it(evidence):
    n = stored_runs.conclusion_numbers(evidence)
    assert 0 < n.ten < n.own < 0.5
    late = {f"R{t}": evidence.frame.R1000 * t / 1000 for t in (200, 400)}  # every difference grows like t
    even = dataclasses.replace(evidence, tables={**evidence.tables, evidence.MAIN: evidence.frame.assign(**late)})
    assert stored_runs.conclusion_numbers(even).second == pytest.approx(0.2)
    assert n.second > 0.5


def test_live_runs_that_differ_are_measured_and_judged(evidence):
    kept = evidence.frame.assign(stored=evidence.frame.R1000, live=evidence.frame.R1000)
    n = stored_runs.live_numbers(evidence, kept.head(5).assign(live=lambda rows: rows.live * [1, 1, 1 + 2e-6, 1, 1]))
    assert (n.apart, n.turned) == (pytest.approx(2), set())
    turned = stored_runs.live_numbers(evidence, kept.assign(live=-kept.live)).turned
    assert ("matern32", "a=0.4") in turned


def test_the_two_rows_of_one_method_are_no_conclusion_of_the_paper(evidence):
    n = stored_runs.conclusion_numbers(evidence)
    assert n.compared == sum(claim.rule != "a=0.5" for claim in evidence.judged.claim)
    assert not {pair for pair in n.holds | n.contradicted | n.undecided if pair[1] == "a=0.5"}
    sizes = [np.array(sizes_of(rule)) for rule in ("orig", "a=0.5")]
    assert np.abs(sizes[0] - sizes[1]).max() == stored_runs.noise_numbers(evidence).apart


def sizes_of(rule):
    """Batch sizes of the rule from its definition, T = 1000."""
    sizes, left = [], 1000
    while left:
        power = 1 - 0.5 ** (len(sizes) + 1)
        want = (
            np.ceil(1000**power - 1e-9)
            if rule != "orig"
            else np.ceil(np.sqrt(1000 * (sizes[-1] if sizes else 1)) - 1e-9)
        )
        sizes.append(min(left, int(want)))
        left -= sizes[-1]
    return sizes


def test_the_end_by_hand():
    regret = {"orig": [(100, 0.5, False), (140, 0.1, True)], "a=0.4": [(110, 0.1, True), (150, 0.1, True)]}
    rows = [
        {"kernel": "matern32", "rule": rule, "seed": seed, "batches": 4 - (rule != "orig"), "R1000": whole}
        | {"recommended_regret": end, "maximiser_kept": kept}
        for rule, runs in regret.items()
        for seed, (whole, end, kept) in enumerate(runs)
    ]
    found = conclusions_claims.at_the_end(pd.DataFrame(rows)).set_index("rule").loc["a=0.4"]
    assert (found.fewer, found["kept"], found.regret) == (1, 1.0, pytest.approx(0.1))
    # ten more for every function, and 0.2 less a round at the end on average: level after fifty
    assert (found["sum"], found.difference, found.level) == pytest.approx((10, -0.2, 50))


def test_one_batch_fewer_is_judged_by_rule_and_by_intervals(evidence):
    def numbers(**columns):
        main = {evidence.MAIN: evidence.frame.assign(**columns)}
        return stored_runs.end_numbers(dataclasses.replace(evidence, tables={**evidence.tables, **main}))

    n, frame = stored_runs.end_numbers(evidence), evidence.frame
    assert (n.rows, n.better, n.worse, n.safer, n.costlier) == (4, 4, 2, True, True)
    rough = frame[(frame.kernel != "se") & (frame.batches == 3)]
    shares = rough.groupby(["kernel", "rule"]).maximiser_kept.mean()
    assert (n.kept_low, n.kept_high, len(shares)) == (shares.min(), shares.max(), 4)
    # pooled over rules the difference would be gone
    assert not numbers(maximiser_kept=np.resize([True, True, False], len(frame))).safer
    assert numbers(recommended_regret=-frame.recommended_regret).better == 0
    assert not numbers(R1000=-frame.R1000).costlier
