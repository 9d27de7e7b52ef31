"""Five bounds at common settings: those of the chapters, and the horizons from which they say something."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from companion.across import gains, horizons, pages
from companion.across.horizons import PAPERS, Setting, averages
from companion.across.tried import HORIZONS, horizon
from companion.bounds.confidence import UnionBoundWidth
from companion.errors import FindingError
from companion.information import gain_bracket, maximum_gain_of_grid
from companion.papers.batched.method.sizes import power_sizes
from companion.papers.batched.theory.bounds import theorem1_closed
from companion.papers.compressed.theory.bounds import finite_beta, theorem_32
from companion.papers.meanfield.theory.bounds import corrected_bound
from companion.papers.meanfield.theory.runs import Game
from companion.papers.tsrsr.theory.bounds import theorem1, theorem1_sharp
from companion.papers.wdrbo.theory import bounds as wdrbo
from companion.report import show
from companion.report.text import filled

PAGE = (Path(__file__).parents[2] / "book" / "when.md").read_text(encoding="utf-8")


def test_each_bound_is_the_chapters_with_a_certified_gain() -> None:
    """Called as the chapters' own listings do, with gains that were computed now."""
    noise, t, setting = 0.1, 1000, Setting(noise=0.1, batch=5)
    at = HORIZONS.index(t)
    gain = maximum_gain_of_grid("se", lengthscale=0.2, dim=1, points_per_axis=50, noise_sd=noise, horizon=t).upper
    of_unit_noise = maximum_gain_of_grid(
        "se", lengthscale=0.2, dim=1, points_per_axis=50, noise_sd=1.0, horizon=t
    ).upper
    width = UnionBoundWidth(1.0, 50, len(power_sizes(t, 0.6)), 0.1).width()
    beta = wdrbo.width(2 * of_unit_noise, noise, 1.0, 1.0, 0.1)
    game = Game(noise_sd=noise)
    wanted = {
        "tsrsr": (theorem1(50, t // 5, 5, noise**2, gain), theorem1_sharp(50, t // 5, 5, noise**2, gain)),
        "compressed": (theorem_32(t, float(finite_beta(t, 50, 0.1)), noise**2, gain, alpha=0.5), None),
        "batched": (theorem1_closed(t, 0.6, gain, width, noise), None),
        "meanfield": (
            None,
            corrected_bound(game.pieces(), t, noise**2, gain_bracket(game.covariance, t, noise**2).upper).total,
        ),
        "wdrbo": tuple(
            wdrbo.cumulative(beta, t, 2 * of_unit_noise, 1.0, 0.1, t * 2 * 0.1 * 1.5, form)
            for form in ("appendix", "ours")
        ),
    }
    for paper, forms in wanted.items():
        for ours, bound in zip(averages(paper, setting)[:2], forms, strict=True):
            if bound is not None:
                assert ours[at] * t == pytest.approx(float(bound), rel=0.01), paper  # brackets differ a little in width


@pytest.mark.parametrize("paper", PAPERS)
def test_bounds_over_T_are_finite_from_some_horizon_on_and_fall_in_the_end(paper: str) -> None:
    for values in averages(paper, Setting())[:2]:
        stated = values[np.isfinite(values)]
        assert len(stated) > 30
        assert np.isnan(values[: len(values) - len(stated)]).all()
        assert (np.diff(values[-10:]) < 0).all()


def test_a_horizon_is_the_first_from_which_on_it_stays_so() -> None:
    values = np.linspace(3, 0.5, len(HORIZONS))
    assert horizon(values, 1.0) == HORIZONS[int(np.argmax(values < 1))]
    values[-3] = 2.0
    assert horizon(values, 1.0) == HORIZONS[-2]
    values[-1] = math.nan
    assert horizon(values, 1.0) == math.inf
    assert horizon(np.zeros(len(HORIZONS)), 1.0) == HORIZONS[0]


def test_the_record_is_small_and_whole() -> None:
    data, where = horizons.record()
    assert len(data["gains"]) == 5 * len(gains.POINTS) * len(gains.NOISES)
    assert sum(map(len, map(str, data["gains"].values()))) < 40_000
    assert gains.COMMAND in where.text()


def test_the_words_of_the_page_hold() -> None:
    shown = re.findall(r"```\{computed-figure\} (\S+)\n((?::[^\n]*\n)+)\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(shown) == 2
    for function, options, caption in shown:
        _, numbers = getattr(pages, function.rpartition(".")[2])()
        facts = re.findall(r":true-if: (.*)\n", options)[0].split()
        assert facts
        assert all(numbers[name] is True for name in facts), function
        assert "[[" not in filled(caption, numbers)


def test_a_word_that_no_longer_holds_stops_the_page() -> None:
    table, numbers = pages.horizon_table()
    with pytest.raises(FindingError):
        show(table, "No longer so.", numbers, true_if={"never": not numbers.never})
