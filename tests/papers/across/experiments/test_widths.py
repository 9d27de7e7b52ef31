"""What is stored about widths: promises kept, failures caught, a block computed again, defaults of libraries."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from tolerances import STORED_RTOL

from companion.core.errors import ParameterError, ResultError
from companion.papers.across.experiments import width_arms, width_coverage, width_grid_runs, widths
from companion.papers.across.experiments.width_rules import Rule
from companion.papers.across.method import library_widths
from companion.papers.across.page import which_width

(ARMS,) = [place for place in width_arms.INSTANCES if place.name == "50 arms"]
TABLES = widths.load().tables
COVERED, BLOCKS, DEFAULTS = TABLES["width_coverage"], TABLES["width_blocks"], TABLES["width_defaults"]


def test_every_promise_is_kept_within_its_interval() -> None:
    own = COVERED[COVERED.promised & (COVERED.factor == 1.0)]
    # Four on functions of known norm and on each of four instances made from them, two on draws and on arms that are drawn.
    assert len(own) == 4 * 5 + 2 * 2
    assert (own.runs == len(width_coverage.SEEDS) * width_grid_runs.BLOCK).all()
    assert widths.broken_promises(COVERED) == []


def test_a_width_that_is_too_short_is_caught() -> None:
    """The check of promises fails for every width that has to fail, told as if it were the theorem's."""
    found = widths.caught(COVERED)
    assert found == dict.fromkeys(width_coverage.MUST_FAIL, True)
    for place, name, factor in width_coverage.MUST_FAIL:
        short = COVERED[(COVERED.instance == place) & (COVERED.id == name) & (COVERED.factor == factor)]
        assert widths.broken_promises(short.assign(promised=True, factor=1.0)) == [f"{name} on {place}"]
    with pytest.raises(ResultError):
        widths.caught(COVERED[COVERED.instance != "one arm"])


def test_the_sharper_width_has_next_to_nothing_to_save_on_one_arm() -> None:
    own = COVERED[(COVERED.id == "sharper/mixture") & (COVERED.factor == 1.0)].set_index("instance")
    large, small = own.loc["one arm"], own.loc["one arm, small steps"]
    assert small.high < 0.95
    assert small.enough_high > 0.95
    assert small.covered < large.covered


@pytest.mark.parametrize(
    "name", ["sharper/mixture", "classical/chowdhury-gopalan", "batched/prop-1/printed", "library/optuna"]
)
def test_a_block_on_the_grid_computed_again(name: str) -> None:
    again(name, "random functions", lambda rule, seed: width_grid_runs.block(rule, "norm", seed))


@pytest.mark.parametrize("name", ["classical/chowdhury-gopalan", "batched/prop-1/printed", "library/botorch"])
def test_a_block_of_arms_computed_again(name: str) -> None:
    def play(rule: Rule, seed: int) -> width_grid_runs.Played:
        return width_grid_runs.Played(width_arms.block(rule, ARMS, seed, width_arms.path(rule, ARMS)), np.zeros(1))

    again(name, ARMS.name, play)


def again(name: str, place: str, play: Callable[..., width_grid_runs.Played], seed: int = 3) -> None:
    horizon = width_grid_runs.HORIZON if place in width_coverage.GRID else ARMS.horizon
    (rule,) = [each for each in width_coverage.rules(DEFAULTS, horizon) if each.id == name]
    kept = BLOCKS[(BLOCKS.instance == place) & (BLOCKS.id == name) & (BLOCKS.seed == seed)]
    kept = kept[(kept.points == "batches") | (rule.promise != "batches")]
    (row,) = kept.to_dict("records")
    found = play(rule, seed)
    assert found.ratio.max() == pytest.approx(row["largest"], rel=STORED_RTOL)
    assert int((found.ratio > 1.0).sum()) == row["failures"]
    if place in width_coverage.GRID:
        assert found.regret.mean() == pytest.approx(row["regret"], rel=STORED_RTOL)


def test_blocks_add_up_to_what_is_said_of_all_runs() -> None:
    key = ["instance", "id", "points"]
    full = COVERED[COVERED.factor == 1.0].set_index(key)
    failures = BLOCKS.groupby(key).failures.sum()
    np.testing.assert_allclose(1.0 - failures / full.runs, full.covered.loc[failures.index])
    regret = TABLES["width_regret"].set_index(key).regret
    np.testing.assert_allclose(BLOCKS.groupby(key).regret.mean().loc[regret.index], regret)


LIBRARIES = {"botorch": "botorch", "scikit-optimize": "skopt", "bayesian-optimization": "bayes_opt", "optuna": "optuna"}


@pytest.mark.slow
@pytest.mark.parametrize("library", library_widths.CALLED)
def test_the_default_of_an_installed_library_is_the_stored_one(library: str) -> None:
    if importlib.util.find_spec(LIBRARIES[library]) is None:
        pytest.skip(f"{library} is not installed")
    found = library_widths.CALLED[library]()
    assert found.called
    for t in library_widths.SHOWN:
        assert found.width(t, 1) == pytest.approx(library_widths.stored_width(DEFAULTS, library, t, 1), rel=STORED_RTOL)


def test_rows_of_a_library_that_is_not_installed_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> library_widths.Default:
        raise ModuleNotFoundError("No module named 'optuna'")

    monkeypatch.setattr(library_widths, "CALLED", {"optuna": absent})
    found = pd.DataFrame(list(library_widths.rows(DEFAULTS)))
    pd.testing.assert_frame_equal(
        found[found.library == "optuna"], DEFAULTS[DEFAULTS.library == "optuna"].reset_index(drop=True)
    )
    assert set(found.library) == {"optuna", *(each[0] for each in library_widths.CITED)}
    for kept in (None, DEFAULTS[DEFAULTS.library != "optuna"]):
        with pytest.raises(ModuleNotFoundError):
            list(library_widths.rows(kept))


def test_every_default_stands_beside_the_coverage_of_its_own_width() -> None:
    assert set(which_width.RUN_AS) == set(DEFAULTS.library)
    assert set(library_widths.SAYS) <= set(DEFAULTS.library)
    for library, run in which_width.RUN_AS.items():
        assert which_width.at(run) == pytest.approx(which_width.at(f"library/{library}"), rel=0.01)
    shown = which_width.said_table().frame.set_index("library")
    covered = COVERED[(COVERED.factor == 1.0) & (COVERED.points != "batches")].set_index(["id", "instance"]).covered
    for library, place in (("physbo", "draws"), ("optunahub", "50 arms"), ("trieste", "one arm")):
        assert shown[place][library] == f"{covered[which_width.RUN_AS[library], place]:.1%}"
    assert shown["50 arms"]["optuna"] == "–"


def test_a_width_called_95_percent_does_not_cover_so_often() -> None:
    """OptunaHub's text on the root of 2, on every instance."""
    full = COVERED[(COVERED.factor == 1.0) & (COVERED.id == which_width.RUN_AS["optunahub"])]
    assert set(which_width.COVERED_ON) <= set(full.instance)
    assert (full[full.points != "batches"].high < 0.95).all()


def test_stored_defaults() -> None:
    assert set(DEFAULTS.library) == {*library_widths.CALLED, *(each[0] for each in library_widths.CITED)}
    for t, used in ((10, 10), (30, 20), (100, 50), (1000, 500)):
        if t in (10, 100, 1000) or t <= library_widths.ROUNDS:
            square = 0.4 * math.log(2 * used**2 * math.pi**2 / 0.6)
            assert library_widths.stored_width(DEFAULTS, "optuna", t, 2) == pytest.approx(math.sqrt(square))
    assert library_widths.stored_width(DEFAULTS, "botorch", 7, 1) == pytest.approx(math.sqrt(0.2))
    with pytest.raises(ParameterError):
        library_widths.stored_width(DEFAULTS, "optuna", 777, 1)


def test_defaults_in_units_of_a_theorem() -> None:
    table = widths.in_units_of("compressed/lemma-8.1/printed", "se", 1, 0.1)
    assert list(table.columns) == list(library_widths.SHOWN)
    needed = [math.sqrt(2 * math.log(50 * t**2 * math.pi**2 / 0.6)) for t in library_widths.SHOWN]
    kappa = pd.Series(2.576 / np.array(needed), index=table.columns)
    np.testing.assert_allclose(table.loc["bayesian-optimization"], kappa, rtol=1e-3)
    assert (table < 1.0).all().all()
