"""Robustness by the shift over the radius: its grids are those of the theory's simulator, and chapters 5 and 6 say one thing."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tolerances import CHAIN_RTOL

from companion.pages.document import find_chapter
from companion.papers.across.experiments.shifts import grid_regret
from companion.papers.across.page import shifts
from companion.papers.wdrbo.theory.runs import Game, play

SMALL = Game(decisions=8, contexts=6, horizon=12, lam=0.01, noise=0.1, radius=0.2, runs=4, seed=3)


@pytest.mark.parametrize("rule", ["nominal", "lipschitz", "exact"])
def test_shifts_of_none_and_of_one_radius_are_the_simulators(rule: str) -> None:
    for truth, shift in (("centre", 0.0), ("worst", 1.0)):
        game = replace(SMALL, rule=rule, truth=truth)
        np.testing.assert_allclose(grid_regret(game, shift), play(game).regret.sum(axis=1), rtol=CHAIN_RTOL)


def test_the_worst_law_is_within_the_shift_whatever_the_rule_expects() -> None:
    """With the told law true the radius changes nothing for a rule that does not know it; a larger shift costs it more."""
    lost = [grid_regret(replace(SMALL, rule="nominal"), shift).mean() for shift in (0.0, 1.0, 3.0)]
    assert lost == sorted(lost)
    doubled = grid_regret(replace(SMALL, rule="nominal", radius=0.4), 0.5)
    np.testing.assert_allclose(doubled, grid_regret(replace(SMALL, rule="nominal"), 1.0), rtol=CHAIN_RTOL)


def test_rows_are_ratios_over_common_seeds() -> None:
    found, _ = shifts._cells()
    rows = shifts.shift_study().rows.set_index(["line", "method", "shift"])
    one, two = (found["grid, radius 0.1", 1.0, "own", name] for name in ("wdrbo-exact", "erbo"))
    row = rows.loc["grid, radius 0.1", "wdrbo-exact", 1.0]
    assert (row.seeds, row.ratio) == (len(one), pytest.approx(one.mean() / two.mean()))
    assert row.low < row.ratio < row.high
    # Both signs of a symmetric problem, seed by seed; of the newsvendor each for itself.
    up, down = (found["camel", side, "own", "wdrbo"] for side in (2.0, -2.0))
    base = sum(found["camel", side, "own", "erbo"] for side in (2.0, -2.0))
    assert rows.loc["camel", "wdrbo", 2.0].ratio == pytest.approx((up + down).mean() / base.mean())
    up, base = (found["newsvendor", 2.0, "own", name] for name in ("wdrbo", "erbo"))
    assert rows.loc["newsvendor up", "wdrbo", 2.0].ratio == pytest.approx(up.mean() / base.mean())


def test_chapters_5_and_6_say_the_same_sentence(root: Path) -> None:
    texts = [find_chapter(root, number).text for number in (5, 6)]
    said = [re.findall(r"^(?:- )?\*\*A ball of laws\*\* .*$", text, re.M) for text in texts]
    assert [len(lines) for lines in said] == [1, 1]
    assert said[1][0].removeprefix("- ").startswith(said[0][0])
