"""Answers on a box: rankings by the protocol, marks, curves, and the signs of what a factor adds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from papers.across.experiments.test_box_study import synthetic

from companion.judge.reported import load_margins
from companion.papers.across.experiments.box_study_analysis import BoxStudy
from companion.papers.across.method.rules import PLAIN, Entry
from companion.papers.across.page import box_answers, decide
from companion.papers.across.page.box_answers import LEVEL_WITH, OPEN, WORSE, key_of, ranked, widened

MARGINS = load_margins("across")


@pytest.fixture(scope="module")
def study() -> BoxStudy:
    return BoxStudy(synthetic(), MARGINS)


def test_a_ranking_marks_worse_open_and_level_and_names_the_commonest_first() -> None:
    noise = np.random.default_rng(0).normal(0.0, 0.001, (4, 30))
    rules = [Entry("ts-rsr", 1, PLAIN), Entry("ucb", 1, "2"), Entry("ts", 1, PLAIN), Entry("random", 1, PLAIN)]
    wide = np.where(np.arange(30) < 15, 0.35, -0.25)  # behind by more than a hundredth, and by no test
    values = dict(zip(rules, [0.1 + noise[0], 0.105 + noise[1], 0.1 + wide + noise[2], 0.3 + noise[3]], strict=True))
    rows = ranked(values, MARGINS)
    # The second is shown to be worse by a paired test, however close; so it is not level.
    assert [(row[0], row[4]) for row in rows] == [
        ("ts-rsr -", LEVEL_WITH),
        ("ucb 2", WORSE),
        ("ts -", OPEN),
        ("random -", WORSE),
    ]
    same = values | {rules[1]: 0.1005 + np.random.default_rng(1).normal(0.0, 0.01, 30)}
    assert [row[0] for row in ranked(same, MARGINS)][:2] == ["ucb 2", "ts-rsr -"]
    assert {row[4] for row in ranked(same, MARGINS)[:2]} == {LEVEL_WITH}


def test_rankings_are_the_protocols_and_only_of_what_was_run(study: BoxStudy) -> None:
    found = box_answers.rankings(study)
    assert len(found) == 5 * 5 * 4 + 5 * 4
    for key, rows in found.items():
        _, model, measure, batch, noise, dim = key.split()
        if model == "known":
            assert {row[0] for row in rows} == {"ucb 2", "nei -", "ts -"}
            assert (batch, noise) == ("1", "0.1")
            continue
        of = study.ranking(measure, int(batch), float(noise), int(dim))
        assert rows[0][0] == key_of(of.first)
        assert {row[0] for row in rows if row[4] == LEVEL_WITH} == set(map(key_of, of.level))
        assert {row[0] for row in rows if row[4] == WORSE} == set(map(key_of, of.worse))
        assert ("bpe 1" in {row[0] for row in rows}) == (batch == "1" and measure != "rounds")


def test_fitting_costs_what_the_fitted_model_has_more_than_the_true_one(study: BoxStudy) -> None:
    found, entry = box_answers.effects(study)["box fitting final"], Entry("nei", 1, PLAIN)
    test = study.effects("fitting", "final")["known", 10, entry, 2]
    more = -test.difference.estimate
    assert found["known, nei -, 2"][0] == pytest.approx(more, rel=0.01)
    assert found["known, nei -, 2"][1] <= more <= found["known, nei -, 2"][2]
    assert found["known, nei -, 2"][4] == 10


def test_the_best_width_is_compared_with_the_others() -> None:
    best, more = widened({"1": np.array([0.3, 0.4]), "2": np.array([0.1, 0.1]), "3": np.array([0.2, 0.3])}, 0.95)
    assert best == "2"
    assert {name: each[0] for name, each in more.items()} == {"1": 0.25, "3": 0.15}


def test_a_table_that_is_not_there_says_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(decide, "results_folder", lambda paper: tmp_path)
    assert decide.boxed() == {}
