"""The analysis of Appendix E: on planted tables, where the right conclusion is known."""

import numpy as np
import pandas as pd
import pytest

from companion.core.randomness import stream
from companion.papers.batched.experiments.conclusions_claims import CLAIMS, Claim, judge, paired, table
from companion.papers.batched.experiments.runs import RULES, rule_blocks, rule_label


def planted(shift: float, spread: float, count: int = 60) -> pd.DataFrame:
    """Runs in which ``a=0.4`` differs from ``orig`` by ``shift`` on average, with functions of very different level."""
    generator = stream(5, "planted")
    level = 400 + 200 * generator.standard_normal(count)
    difference = shift + spread * generator.standard_normal(count)
    rows = [
        {"kernel": "matern32", "rule": rule, "seed": seed, "batches": 3, "R1000": value}
        for rule, values in (("orig", level), ("a=0.4", level + difference))
        for seed, value in enumerate(values)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("says", "shift", "outcome"),
    [
        ("smaller", -40, "holds"), ("smaller", 40, "contradicted"), ("smaller", 0, "undecided"),
        ("larger", 40, "holds"), ("larger", -40, "contradicted"), ("larger", 0, "undecided"),
        ("comparable", 0, "holds"), ("comparable", 120, "contradicted"), ("comparable", -120, "contradicted"),
    ],
)  # fmt: skip
def test_a_claim_is_judged_by_the_interval_of_paired_differences(says, shift, outcome):
    # The level varies ten times as much as the difference: an unpaired comparison could not decide any of these.
    found = judge(planted(shift, spread=20), Claim("matern32", "a=0.4", says, "planted"))
    assert found["outcome"] == outcome
    assert found["low"] < found["difference"] < found["high"]


def test_ten_functions_agree_as_often_as_the_normal_law_says():
    frame = planted(10.0, spread=30.0, count=200)
    found = judge(frame, Claim("matern32", "a=0.4", "larger", "planted"))
    _, differences = paired(frame, "matern32", "a=0.4")
    from scipy import stats

    # Ten new functions, so no finite-population correction.
    spread = differences.std() / np.sqrt(10)
    assert found["ten_agree"] == pytest.approx(stats.norm.sf(-differences.mean() / spread), abs=0.005)


def test_every_table_row_of_the_paper_is_a_task_and_every_claim_is_about_one():
    wanted = [task for block in rule_blocks("appendix_e", [3, 4]) for task in block.tasks]
    assert len(wanted) == 2 * sum(len(rules) for rules in RULES.values())
    rules = {(t.parameters["kernel"], t.parameters["schedule"], t.parameters["a"]) for t in wanted}
    assert ("matern32", "power", 0.31) in rules
    labels = {(kernel, rule_label(a)) for kernel, values in RULES.items() for a in values}
    assert {(claim.kernel, claim.rule) for claim in CLAIMS} == {pair for pair in labels if pair[1] != "orig"}


def test_table_has_the_papers_layout():
    frame = planted(0.0, 1.0)
    shown = table(frame, "matern32", range(10))
    assert list(shown.rule) == ["orig", "a=0.4"]
    assert shown["t=1000"].iloc[0] == pytest.approx(frame[(frame.rule == "orig") & (frame.seed < 10)].R1000.mean())
