"""The chapter's parameters, studies and stored results hold together."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest
from sentences import numbers, turned

from companion import arithmetic
from companion.papers.batched.studies import bound, confidence, counting, findings, lower, paper, rate, robust
from companion.report import evidence as stored_evidence


@pytest.fixture(scope="module")
def evidence():
    return paper.load_paper_results()


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
    live = paper.rerun_live(evidence, 1)
    assert len(live) == 12
    assert np.abs(live.live - live.stored).max() < 1e-2  # a few digits of a regret where the kernels are others
    if arithmetic.recorded(evidence.record["blas"]) == arithmetic.in_use():
        assert paper.same(live).all()


def test_sentences_are_filled_from_the_results_given(evidence):
    text = findings.say_findings(evidence).markdown
    assert "{" not in text.replace("{prf:ref}", "")
    contradicted = paper.say_conclusions(evidence).markdown
    turned_round = {evidence.MAIN: evidence.frame.assign(R1000=-evidence.frame.R1000)}
    flipped = dataclasses.replace(evidence, tables={**evidence.tables, **turned_round})
    assert turned(contradicted, paper.say_conclusions(flipped).markdown)
    assert evidence.frame.seed.nunique() in numbers(text)


def test_what_the_chapter_says_of_the_evidence_follows_from_it():
    checked = findings.load_checked()
    text = stored_evidence.say_checked(checked).markdown
    assert len(checked.ledger) in numbers(text)
    failing = [entry for entry in checked.ledger if entry["status"] == "fails"]
    assert failing
    assert all(entry["title"] in text for entry in failing)
    mended = [entry | {"status": "holds"} for entry in checked.ledger]
    other = stored_evidence.say_checked(dataclasses.replace(checked, ledger=mended)).markdown
    assert numbers(other).count(len(mended)) == numbers(text).count(len(mended)) + 1  # all of them, and all hold
    assert failing[0]["title"] not in other
    grave = [e for e in checked.discrepancies if e["confirmed"] and e["severity"] != "minor"]
    listed = stored_evidence.say_differences(checked).markdown
    assert all(entry["found"][1:] in listed and entry["command"] in listed for entry in grave)
    assert len(re.findall(r"(?m)^\d+\. ", listed)) == len(grave)  # items of the list


def test_coverage_study_counts_failures_against_each_runs_own_width():
    study = confidence.coverage_study(0, 3, 1.0, 0.1)
    assert len(study.runs) == 3 * len(confidence.CASES) * len(confidence.DELTAS)
    recomputed = (study.runs.needed > study.runs.width).groupby([study.runs.case, study.runs.delta]).sum()
    listed = study.failures.set_index(["case", "delta"]).failures
    assert (recomputed.sort_index() == listed.sort_index()).all()
    widths = study.runs.groupby("delta").width.min()
    assert widths.is_monotonic_decreasing  # a smaller delta asks for a larger width


def test_bound_study_ends_above_where_it_starts():
    study = bound.bound_study(1, 120, 1.0, 0.1, 0.1)
    for chain in study.chains.values():
        assert chain.holds
        assert chain.steps[0].name == "measured"
        assert chain.steps[-1].statement == "theorem-1"
    assert (study.batches.measured <= study.batches.realised).all()
    assert (study.batches.realised <= study.batches.certified * (1 + 1e-9)).all()


def test_rate_study_recovers_a_planted_exponent():
    horizons = np.array([250, 500, 1000, 2000])
    frame = pd.DataFrame(
        [
            {"kernel": "se", "rule": "orig", "horizon": t, "seed": s, "regret": (s + 1) * t**0.37}
            for t in horizons
            for s in (0, 1)
        ]
    )
    gains = pd.DataFrame([{"kernel": "se", "horizon": t, "lower": 1.0, "upper": t**0.2} for t in horizons])
    slopes = rate._slopes(frame, gains).iloc[0]
    assert slopes.slope == pytest.approx(0.37)
    assert slopes.bound == pytest.approx(0.6)


def test_lower_bound_holds_for_the_players_and_would_notice_a_player_told_the_answer():
    study = lower.lower_bound_study(0, 400, 1)
    assert (lower.class_means(study).max(axis=1) > study.value).all()
    told = lower.LowerBoundStudy(
        study.curve, study.slopes, study.measured.assign(regret=0.0), study.value, study.horizon
    )
    assert (lower.class_means(told).max(axis=1) < told.value).all()
    assert turned(lower.say_lower_bound(study).markdown, lower.say_lower_bound(told).markdown)


def test_robust_study_charges_regret_at_the_worst_neighbour():
    study = robust.robust_study(0, 60, 2, 0.1)
    for name, problem in study.problems.items():
        assert problem.optimum_index != problem.robust_optimum_index, name
        # What the ordinary optimum loses when displaced: the problem is a real test of robustness.
        assert problem.robust_regret[problem.optimum_index] > 0.05
    assert len(study.final) == 2 * 2 * len(robust.METHODS) * 2


def test_crossover_of_the_factor_b_is_where_the_count_first_exceeds_the_constant():
    from companion.papers.batched.theory.counts import power_batch_count_log2

    for row in counting.factor_against_constant().itertuples():
        b = (1 - row.a) * (row.a - 0.5)
        assert row.constant == pytest.approx(2**b / (2**b - 1))
        assert power_batch_count_log2(row.crossover, row.a) > row.constant
        assert power_batch_count_log2(row.crossover - 1, row.a) <= row.constant


def test_small_horizons_lists_every_failure_of_the_lower_bound_without_its_proviso():
    """Batches by the rule in integers, the bound from its formula."""
    found = {(row.horizon, row.a) for row in counting.small_horizons().itertuples()}
    expected = set()
    for a in counting.SMALL_RATIOS:
        for horizon in range(3, counting.SMALL_HORIZON + 1):
            left, batches = horizon, 0
            while left > 0:
                batches += 1
                left -= min(left, int(np.ceil(horizon ** (1 - a**batches) - 1e-9)))
            if batches < np.floor(np.log(np.log(horizon) / np.log(np.log(horizon))) / np.log(1 / a)):
                expected.add((horizon, a))
    assert found == expected


def test_the_two_rows_of_one_method_are_no_conclusion_of_the_paper(evidence):
    text, claims = paper.say_conclusions(evidence).markdown, evidence.judged.claim
    own = paper._same_experiment(evidence)
    before, found, _ = text.partition(own)
    assert found
    assert sum(claim.rule != "a=0.5" for claim in claims) in numbers(before)
    assert all((claim.wording in before) == (claim.rule != "a=0.5") for claim in claims)
    sizes = [np.array(sizes_of(rule)) for rule in ("orig", "a=0.5")]
    assert np.abs(sizes[0] - sizes[1]).max() in numbers(own)


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


def test_draws_are_told_apart_from_runs_of_the_confidence_study():
    study = confidence.coverage_study(0, 2, 1.0, 0.1)
    said = numbers(confidence.say_coverage(study).markdown)
    draws = 2 * len(confidence.CASES)
    assert (draws, len(study.runs)) == (8, 32)
    assert {draws, draws * len(confidence.DELTAS)} <= set(said)
