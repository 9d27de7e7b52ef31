"""All bounds at common settings: what is stored is what is computed, and the page's words hold."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import pytest

from companion.core.arrays import Floats
from companion.papers.across.page import all_bounds
from companion.papers.across.problems.common import DIMS, GAME, KERNELS, NOISES
from companion.papers.across.theory import bounds_at_settings, measured_regret
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.bounds_table import bounds_table


def test_what_is_stored_is_what_is_computed() -> None:
    """One setting again, up to a thousand evaluations; its gains then have other anchors."""
    stored = bounds_at_settings.load().tables["sayings"]
    part = stored[(stored.kernel == "matern32") & (stored.dim == 1) & (stored.noise == 1.0)]
    again = list(bounds_at_settings.setting_rows("matern32", 1, 1.0, farthest=1000))
    assert {(row["id"], row["batch"]) for row in again} == set(zip(part.id, part.batch, strict=True))
    for row in again:
        kept = part[(part.id == row["id"]) & (part.batch == row["batch"])].iloc[0]
        for column in ("trivial", "T=100", "T=1000"):
            assert kept[column] == pytest.approx(row[column], rel=5e-3, nan_ok=True), row["id"]


def test_every_bound_falls_below_the_trivial_one_only_where_it_is_said_to() -> None:
    stored = bounds_at_settings.load().tables["sayings"]
    bounds = stored[stored.quantity == "regret"]
    assert len(bounds) > 300
    for row in bounds.to_dict("records"):
        for t in bounds_at_settings.SHOWN:
            if t >= row["says_from"]:
                assert row[f"T={t}"] < 1.0, row
        if math.isinf(row["says_from"]):
            assert not row[f"T={bounds_at_settings.SHOWN[-1]}"] < 1.0, row


def test_games_stand_once_and_every_model_is_there() -> None:
    stored = bounds_at_settings.load().tables["sayings"]
    of_game = stored.id.map(lambda name: BOUNDS[name].model == "game")
    assert ((stored.kernel == GAME) == of_game).all()
    assert {BOUNDS[name].model for name in stored.id} == {"prior", "norm", "game"}
    assert not stored.duplicated(["kernel", "dim", "noise", "id", "batch"]).any()


def test_other_horizons_of_a_table() -> None:
    place = {"kernel": "se", "lengthscale": 0.2, "points": 8, "noise": 0.3, "norm": 1.0, "farthest": 100}
    long, short = (bounds_table(**place, horizon=t) for t in (100, 40))
    name = "batched/prop-2/printed"
    assert long.over(name, [100]) == [pytest.approx(long[name].over_trivial)]
    assert long.over(name, [40])[0] == pytest.approx(short[name].over_trivial, rel=0.1)
    assert long.over("compressed/lemma-8.1/printed", [40])[0] == short["compressed/lemma-8.1/printed"].value


@pytest.mark.parametrize(
    ("name", "play"), [("gp-ucb", partial(measured_regret.ucb, dense=True)), ("bpe", measured_regret.bpe)]
)
def test_measured_regret_is_that_of_the_runs(name: str, play: Callable[[measured_regret.Instance], Floats]) -> None:
    table = measured_regret.load().tables["measured"]
    kept = table[(table.kernel == "matern32") & (table.dim == 1) & (table.noise == 1.0) & (table.played == name)].iloc[
        0
    ]
    assert kept.regret == pytest.approx(play(measured_regret.Instance("matern32", 1, 1.0)).mean(), rel=1e-3)
    assert kept.low < kept.regret < kept.high


def test_every_method_is_played_everywhere_and_no_bound_is_exceeded() -> None:
    table = measured_regret.load().tables["measured"]
    assert set(table.played) == set(measured_regret.PLAYED.values())
    assert set(measured_regret.PLAYED) <= set(BOUNDS)
    assert len(table) == len(KERNELS) * len(DIMS) * len(NOISES) * 6 + 2 * 6
    numbers = all_bounds.page_numbers()
    assert numbers.below is True
    assert numbers.slack > 1.0
