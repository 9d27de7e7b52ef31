"""Chapter 6 is found by its name, and is no paper where papers are counted; its studies and pictures."""

from __future__ import annotations

import numpy as np
import pytest

from companion import registry
from companion.core.errors import ParameterError
from companion.core.files import repository_root
from companion.pages.document import find_chapter
from companion.pages.figures import LIGHT, Figure
from companion.papers.across.page import live, which_bound, which_width
from companion.papers.across.page import which_bound_figures as bound_figures
from companion.papers.across.page import which_width_figures as width_figures
from companion.papers.across.problems.common import HORIZONS


def test_it_is_asked_for_like_a_paper_and_is_none() -> None:
    for name in ("6", "ch6", "across", "ch6_side_by_side"):
        assert registry.slug_of(name) == "across"
        assert find_chapter(repository_root(), name).paper == "across"
    assert "across" not in registry.slugs()
    assert "across" not in registry.declaring("statements")
    assert registry.declaring("statements", "across") == ("across",)
    assert all(paper != "across" for paper, _ in registry.experiments())
    with pytest.raises(ParameterError):
        registry.slug_of("ch6_batched")
    with pytest.raises(ParameterError):
        registry.experiments("acros")


def test_a_wide_enough_width_covers_and_a_short_one_does_not() -> None:
    place = {
        "kernel": "se",
        "lengthscale": 0.3,
        "dim": 1,
        "points": 15,
        "noise": 0.2,
        "norm": 1.0,
        "horizon": 20,
        "runs": 30,
    }
    shares = [live.numbers(live.own_runs(3, width=width, **place), width, 0.1).covered for width in (0.05, 20.0)]
    assert shares == [0.0, 1.0]


def test_the_width_that_was_needed_is_the_largest_error() -> None:
    """By another way: from the posterior of every round, computed anew."""
    from companion.core.randomness import stream
    from companion.gp import grid, kernel_by_name
    from companion.gp.sampling import rkhs_expansion

    own = live.own_runs(1, "se", 0.3, 1, 12, 0.2, 1.0, 3, 2.0, 2)
    draws, kernel, places = stream(1, "across", "own width"), kernel_by_name("se", 0.3), grid(12, 1)
    values = np.array([rkhs_expansion(kernel, places, draws, 1.0).values for _ in range(2)])
    errors, covariance = 0.2 * draws.standard_normal((2, 3)), np.asarray(kernel(places))
    for run in range(2):
        chosen: list[int] = []
        needed = 0.0
        for t in range(3):
            noisy = covariance[np.ix_(chosen, chosen)] + 0.04 * np.eye(t)
            weights = np.linalg.solve(noisy, covariance[chosen])
            mean = (values[run, chosen] + errors[run, :t]) @ weights
            sd = np.sqrt(np.diag(covariance) - np.sum(covariance[chosen] * weights, axis=0))
            needed = max(needed, float(np.max(np.abs(values[run] - mean) / sd)))
            chosen.append(int(np.argmax(np.round(mean + 2.0 * sd, 9))))
        assert own.needed[run] == pytest.approx(needed)
        assert own.regret[run] == pytest.approx(3 * values[run].max() - values[run, chosen].sum())


def test_curves_pass_through_what_is_stored() -> None:
    for name in ("tsrsr/our-C/sharper", "batched/theorem-1/printed", "meanfield/thm-4.1/repaired"):
        row = which_bound.row_of(name, which_bound.KERNEL, which_bound.DIM, which_bound.NOISE)
        assert row is not None
        assert which_bound.curve(name)[HORIZONS.index(1000)] == pytest.approx(float(row["T=1000"]), rel=5e-3)


@pytest.mark.parametrize("figure", [width_figures.over_horizon, width_figures.bought, bound_figures.bounds_and_regret])
def test_pictures_are_drawn_and_say_where_from(figure: object) -> None:
    made = figure()  # type: ignore[operator]
    assert isinstance(made, Figure)
    assert made.render(LIGHT).startswith(b"\x89PNG")
    assert made.where.sources


def test_tables_have_every_library_and_bound() -> None:
    assert len(which_width.defaults_table().frame) == len(which_width.said_table().frame) == 9
    named = list(which_bound.horizon_table().frame["bound of"].replace("", None).dropna())
    assert named.pop(1) == "TS-RSR, batches of 5"
    assert named == list(which_bound.PAIRS)
