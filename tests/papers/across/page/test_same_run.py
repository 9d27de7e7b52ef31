"""One run of four rules: it is the study's own, played a second time by other code, and its numbers follow from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.pages.figures import DARK, LIGHT
from companion.papers.across.experiments.study_play import INITIAL, Played, play
from companion.papers.across.page import same_run
from companion.papers.across.page.same_run import NOISE, PLACE, RULES, SameRun
from companion.papers.across.problems.functions import FUNCTIONS

RUN = same_run.same_run()


def differences(run: SameRun, study: dict[str, Played]) -> list[str]:
    """Rules that played or named something else in the study's first seed."""
    found = []
    for rule, played in study.items():
        named = np.repeat(played.recommended[0], np.diff(np.append(0, played.ends)))
        if not (np.array_equal(run.played[rule], played.query[0]) and np.array_equal(run.named[rule], named)):
            found.append(rule)
    return found


def test_it_is_the_first_seed_of_the_study_and_another_is_noticed() -> None:
    pytest.importorskip("torch")
    study = {rule: play(FUNCTIONS[PLACE], NOISE, entry, seeds=1) for rule, entry in RULES.items()}
    assert not differences(RUN, study)
    for rule in RULES:
        changed = RUN.played[rule].copy()
        changed[-1] = (changed[-1] + 1) % 400
        assert differences(replace(RUN, played={**RUN.played, rule: changed}), study) == [rule]


def test_all_begin_alike_and_pay_what_their_plays_lose() -> None:
    begun = [chosen[:INITIAL].tolist() for chosen in RUN.played.values()]
    assert all(each == begun[0] for each in begun)
    assert RUN.regret.min() == 0.0
    assert RUN.regret.mean() == pytest.approx(1.0), "a random play loses one"
    told = same_run.numbers(RUN)
    assert told.ei_plays == pytest.approx(np.mean(RUN.regret[RUN.played["EI"]]))
    assert told.ts_rsr_point == RUN.regret[RUN.named["TS-RSR"][-1]]
    assert told.order_plays == ["TS-RSR", "GP-UCB", "Thompson sampling", "EI"]
    assert told.order_point[0] == "EI"


def test_the_picture_is_drawn_for_both_pages_and_says_where_from() -> None:
    made = same_run.side_by_side(RUN)
    assert made.render(LIGHT).startswith(b"\x89PNG")
    assert made.render(DARK) != made.render(LIGHT)
    assert [source.seeds for source in made.where.sources] == [(0,)]
