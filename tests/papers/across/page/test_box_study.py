"""Tables of the study on a box: made from a synthetic table, and the sayings that they put to the test."""

from __future__ import annotations

from dataclasses import replace

import pytest
from papers.across.experiments.test_box_study import synthetic

from companion.judge.intervals import Interval
from companion.judge.reported import load_margins
from companion.pages.provenance import Provenance
from companion.papers.across.experiments.box_study_analysis import BoxStudy
from companion.papers.across.experiments.study_analysis import Study
from companion.papers.across.method.rules import PLAIN, Entry
from companion.papers.across.page import box_study as page

MADE = BoxStudy(synthetic(), load_margins("across"))


@pytest.fixture(autouse=True)
def a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The synthetic table in place of the stored one."""
    monkeypatch.setattr(page, "evidence", lambda: MADE)
    monkeypatch.setattr(page, "provenance", Provenance)


@pytest.mark.parametrize("saying", page.SAYINGS)
def test_every_saying_is_shown_on_candidates(saying: page.Saying) -> None:
    assert page.on_candidates(saying, Study.read()).high < 0.0


def test_a_saying_is_confirmed_not_shown_or_turned_round() -> None:
    words = [page.verdict(Interval(sum(ends) / 2, *ends, 9)) for ends in ((-2.0, -1.0), (-1.0, 1.0), (1.0, 2.0))]
    assert words == [page.CONFIRMED, page.NOT_SHOWN, page.CONTRARY]
    saying = page.Saying("final", ("ei", PLAIN, 1), ("random", PLAIN, 1))
    table = MADE.table.copy()
    table.loc[(table.method == "ei") & (table.batch == 1), "point_100"] += 1.0
    assert page.verdict(page.on_box(saying, replace(MADE, table=table))) == page.CONTRARY
    table["point_100"] *= -1.0
    assert page.verdict(page.on_box(saying, replace(MADE, table=table))) == page.CONFIRMED


def test_the_tables_have_the_numbers_of_the_rankings() -> None:
    means = page.means_table().frame.set_index("rule")
    ranking = MADE.ranking("final", dim=4)
    for entry in ranking.order:
        shown = means.loc[page.named(entry), "the point after 100, d = 4"]
        assert float(shown.rstrip("*-")) == pytest.approx(ranking.means[entry].estimate, abs=5e-4)
        assert (entry in ranking.level, entry in ranking.worse) == (shown.endswith("*"), shown.endswith("-"))
    answers = page.answers_table().frame
    assert len(answers) == 25
    row = answers[(answers.noise == 0.3) & (answers["I pay for"] == "the point after 50")].iloc[0]
    assert row.rule == page.named(MADE.ranking("half", 1, 0.3).first)
    assert row.regret == MADE.ranking("half", 1, 0.3).means[MADE.ranking("half", 1, 0.3).first].estimate
    agreement = page.agreement_table().frame
    assert len(agreement) == len(page.SAYINGS)


@pytest.mark.parametrize(
    ("question", "rows"), [("initial points", 30), ("kernel", 30), ("length-scale", 24), ("fitting", 15)]
)
def test_effects_by_model_rule_and_dimension(question: str, rows: int) -> None:
    frame = page.effects_table(question).frame
    assert len(frame) == rows
    assert not frame.isna().any().any()


def test_rules_are_named_with_their_settings() -> None:
    assert page.named(Entry("ucb", 1, "2")) == "GP-UCB, width 2"
    assert page.named(Entry("nei", 5, PLAIN)) == "noisy EI"
