"""The bounds at common settings: those of the chapters, and the horizons from which they say something."""

from __future__ import annotations

import importlib
import math
import re
from pathlib import Path

import numpy as np
import pytest

from companion.bounds.confidence import UnionBoundWidth
from companion.core.errors import FindingError
from companion.core.templates import filled
from companion.information import gain_bracket, maximum_gain_of_grid
from companion.pages import show
from companion.papers.across.page import informative_horizons, which_bound
from companion.papers.across.problems import common
from companion.papers.across.problems.common import BATCHES, GAME, HORIZONS
from companion.papers.across.theory import bounds_at_settings, gains
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.informative_horizons import PAIRS, horizon_of, line_of, over_line
from companion.papers.batched.method.sizes import power_sizes
from companion.papers.batched.theory.bounds import theorem1_closed
from companion.papers.compressed.theory.bounds import finite_beta, theorem_32
from companion.papers.meanfield.theory.bounds import corrected_bound
from companion.papers.meanfield.theory.runs import Game
from companion.papers.tsrsr.theory.bounds import theorem1, theorem1_sharp
from companion.papers.wdrbo.theory import bounds as wdrbo

PAGE = (Path(__file__).parents[4] / "book" / "bounds.md").read_text(encoding="utf-8")


def test_each_bound_is_the_chapters_with_a_certified_gain() -> None:
    """Called as the chapters' own listings do, with gains that were computed now."""
    noise, t = 1.0, 1000
    gain = maximum_gain_of_grid("se", lengthscale=0.2, dim=1, points_per_axis=50, noise_sd=noise, horizon=t).upper
    width = UnionBoundWidth(1.0, 50, len(power_sizes(t, 0.6)), 0.1).width()
    beta = wdrbo.width(2 * gain, noise, 1.0, noise**2, 0.1)
    game = Game(noise_sd=noise)
    of_game = gain_bracket(game.covariance, t, noise**2).upper
    wanted = {
        "TS-RSR": (theorem1(50, t // 5, 5, noise**2, gain), theorem1_sharp(50, t // 5, 5, noise**2, gain)),
        # Theorem 1 of Srinivas et al. (2010), by hand.
        "GP-UCB": (math.sqrt(8 / math.log(1 + noise**-2) * t * float(finite_beta(t, 50, 0.1)) * gain), None),
        "compressed UCB": (theorem_32(t, float(finite_beta(t, 50, 0.1)), noise**2, gain, alpha=0.5), None),
        "BPE": (theorem1_closed(t, 0.6, gain, width, noise), None),
        "MF-GP-UCB": (None, corrected_bound(game.pieces(), t, noise**2, of_game).total),
        "WDRBO": tuple(wdrbo.cumulative(beta, t, 2 * gain, noise**2, 0.1, 0.0, form) for form in ("appendix", "ours")),
    }
    for method, values in wanted.items():
        for name, bound in zip(PAIRS[method], values, strict=True):
            if bound is not None:
                ours = over_line(name, "se", 1, noise, batch=5)[HORIZONS.index(t)] * line_of(name, "se", 1) * t
                assert ours == pytest.approx(float(bound), rel=0.01), name  # brackets differ a little in width


@pytest.mark.parametrize("name", sorted({name for pair in PAIRS.values() for name in pair}))
def test_bounds_over_the_line_are_stated_from_some_horizon_on_and_fall_in_the_end(name: str) -> None:
    values = over_line(name, "se", 1, 1.0)
    stated = values[np.isfinite(values)]
    assert len(stated) > 30
    assert np.isnan(values[: len(values) - len(stated)]).all()
    assert (np.diff(values[-10:]) < 0).all()


def test_stored_horizons_are_those_of_the_stored_gains() -> None:
    """Two routes to every horizon shown: gains certified anew, and the stored ones, which are rounded up in their fifth digit."""
    table = bounds_at_settings.load().tables["sayings"]
    table = table[table.id.isin({name for pair in PAIRS.values() for name in pair})]
    assert len(table) > 150
    for row in table.to_dict("records"):
        kernel = common.KERNELS[0] if row["kernel"] == GAME else row["kernel"]
        found = horizon_of(row["id"], kernel, row["dim"], row["noise"], row["batch"])
        assert found == pytest.approx(row["says_from"], rel=0.005), row


def test_the_record_is_small_and_whole() -> None:
    data, where = informative_horizons.record()
    assert len(data["gains"]) == 5 * len(common.POINTS) * len(gains.NOISES)
    assert len(data["lines"]) == len(data["blind"]) == (2 * 4 + 1) * len(common.POINTS)
    assert data["since"].keys() == data["gains"].keys()
    assert max(data["since"].values()) < 1000
    assert sum(map(len, map(str, data["gains"].values()))) < 40_000
    assert gains.STORED.command in where.text()
    line, same = informative_horizons.record_on_line()
    assert same == where
    assert len(line["gains"]) == 2 * len(gains.NOISES), "the kernel's and the game's"
    assert set(line["lines"]) == {"se 1 prior", "se 1 norm", "game 1 game"}
    assert all(
        data[name][place] == value
        for name in ("gains", "since", "lines", "blind")
        for place, value in line[name].items()
    )


def test_the_words_of_the_page_hold() -> None:
    shown = re.findall(r"```\{computed-figure\} (\S+)\n((?::[^\n]*\n)+)\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(shown) == 4
    for function, options, caption in shown:
        module, _, name = function.rpartition(".")
        _, numbers = getattr(importlib.import_module(module), name)()
        facts = re.findall(r":true-if: (.*)\n", options)[0].split()
        assert facts
        assert all(numbers[name] is True for name in facts), function
        assert "[[" not in filled(caption, numbers)


def test_a_word_that_no_longer_holds_stops_the_page() -> None:
    table, numbers = which_bound.horizons_on_page()
    with pytest.raises(FindingError):
        show(table, "No longer so.", numbers, true_if={"closed": not numbers.closed})


def test_batches_stand_in_the_table_of_horizons_where_there_are_any() -> None:
    rows = which_bound.horizon_table().frame
    titles = [title for title in rows["bound of"] if title]
    assert len(titles) == len(PAIRS) + len(BATCHES) - 1
    assert {BOUNDS[name].held(common.DELTA) for pair in PAIRS.values() for name in pair} == set(rows["holds"])
