"""Bounds for all points of a box: above those of every grid inside, and none that uses the number of candidates."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import companion as cp
from companion.api.bounds import bounds_table, further
from companion.bounds.bound import SEVERAL, BoundSetting
from companion.bounds.trivial import lines_of_box, norm_range, prior_range
from companion.core.errors import AssumptionError, ParameterError
from companion.information import box as boxes
from companion.information import gain_bracket_curve
from companion.information.box import UnitBox, gain_bracket_of_box, gain_curve_of_box
from companion.papers.across.theory.bounds import BOUNDS

LINE = {"kernel": "se", "lengthscale": 0.3, "dim": 1, "noise_sd": 0.3, "horizon": 40, "norm": 1.0}
REASON = "the box has infinitely many candidates, and this uses their number"
NEVER = {"wdrbo/thm-5/printed", "wdrbo/thm-9/printed", "compressed/theorem-3.4/printed"}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Smaller scans."""
    for name, value in {"SCAN": 2_000, "BEST": 60}.items():
        monkeypatch.setattr(boxes, name, value)


@pytest.mark.parametrize(
    ("changes", "points"),
    [
        ({}, (4, 7, 13)),
        ({"kernel": "matern52", "lengthscale": 0.5, "noise_sd": 0.1, "batch": 7}, (4, 7, 13)),
        ({"kernel": "matern32", "lengthscale": 0.6, "regulariser": 1.0}, (3, 5, 9)),
        ({"dim": 2, "lengthscale": (0.4, 0.9)}, (3, 5, 9)),
    ],
)
def test_widths_of_the_box_are_at_least_those_of_grids_inside(
    changes: dict[str, object], points: tuple[int, ...]
) -> None:
    setting = {**LINE, **changes}
    whole = bounds_table(**setting, domain="box")
    compared = [row for row in whole.rows if row.applies and row.form.model == "norm"]
    assert {"sharper/mixture", "classical/chowdhury-gopalan", "wdrbo/lemma-1/printed"} < {r.form.id for r in compared}
    for count in points:
        grid = bounds_table(**setting, points=count)
        for row in compared:
            # Both ends are certified: the grid's may be above its true gain by its own slack.
            slack = grid.gains["noise"].upper / grid.gains["noise"].lower
            assert row.value * slack >= grid[row.form.id].value, (row.form.id, count)
        assert whole.gains["noise"].upper >= grid.gains["noise"].lower
    kernel = cp.kernel(setting["kernel"], setting["lengthscale"])
    alone = cp.certified_gain(kernel, 40, noise_sd=setting["noise_sd"], domain="box", dim=setting["dim"])
    assert (alone.lower, alone.upper) == (whole.gains["noise"].lower, whole.gains["noise"].upper)
    far = bounds_table(**setting, domain="box", farthest=300)
    assert [row.value for row in far.rows] == pytest.approx(
        [row.value for row in whole.rows], rel=0, abs=0, nan_ok=True
    )


def test_every_bound_uses_the_number_of_candidates_or_has_a_value() -> None:
    """With all that bounds may ask for given, and the assumptions of each met."""
    given = {"actions": 2, "agents": 3, "batches": 3, "initial": 39, "regulariser": 0.5, "lipschitz": 1.0}
    found = bounds_table(**{**LINE, "noise_sd": 1.0, **given}, domain="box")
    assert len(found.rows) == len(BOUNDS) + len(further())
    by_number = {row.form.id for row in found.rows if row.reason == REASON}
    unfit = {row.form.id: row.reason for row in found.rows if row.reason not in ("", REASON)}
    assert set(unfit) == NEVER, unfit
    for row in found.rows:
        assert row.applies == math.isfinite(row.value)
        other = replace(found.case, candidates=50)
        if row.form.id in by_number:
            assert math.isnan(row.form.at(found.case, 40))
            values = [row.form.value(replace(other, candidates=n, trace=float(n))) for n in (50, 5_000)]
            assert values[0] < values[1], row.form.id
        elif row.applies and row.form.id != "compressed/theorem-3.2-ii/repaired":
            assert row.form.value(other) == row.value
    assert "compressed/theorem-3.2-i/printed" in by_number
    assert found["compressed/theorem-3.2-ii/repaired"].applies
    assert found.to_json()["meta"]["size"] is None
    assert found.to_json()["meta"]["domain"] == "box"
    assert "all points of the box [0,1]^1, kernel se" in str(found)


def test_one_place_refuses_the_number() -> None:
    case = BoundSetting(10, None, 0.1, 0.1, gain=math.sqrt, regularised=math.sqrt, regulariser=0.01)
    assert SEVERAL.at(case).state == "holds"
    with pytest.raises(AssumptionError, match=REASON):
        _ = case.size
    assert replace(case, candidates=7).size == 7


# -- the curve ---------------------------------------------------------------------------------------------------------

ASKED = [1, 2, 3, 7, 8, 20, 30, 31, 33, 59, 60, 100, 480, 700]


def wrong_ends(between: Callable[..., boxes.BoxBracket]) -> list[int]:
    """Horizons at which a curve made with these anchors contradicts a dense grid's."""
    kernel = cp.kernel("matern52", 0.3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boxes, "_between", between)
        found = gain_curve_of_box(UnitBox(kernel, 1), ASKED, 0.05, 30)
    grid = gain_bracket_curve(kernel(cp.grid(60, 1)), ASKED, 0.05)
    return [
        t for t, own, other in zip(ASKED, found, grid, strict=True) if own.upper < other.lower or own.lower > own.upper
    ]


def of_the_anchor_below(anchors: tuple[boxes.BoxBracket, ...], picks: int) -> boxes.BoxBracket:
    return [each for each in anchors if each.horizon <= picks][-1]


def without_the_factor(anchors: tuple[boxes.BoxBracket, ...], picks: int) -> boxes.BoxBracket:
    upper = min(each.upper for each in anchors)
    return replace(of_the_anchor_below(anchors, picks), upper=upper)


def with_its_root(anchors: tuple[boxes.BoxBracket, ...], picks: int) -> boxes.BoxBracket:
    below = of_the_anchor_below(anchors, picks)
    return replace(below, upper=below.upper * (picks / below.horizon) ** 0.1)


def test_between_anchors_the_ends_hold_and_faults_are_seen() -> None:
    assert wrong_ends(boxes._between) == []
    for fault in (of_the_anchor_below, without_the_factor, with_its_root):
        assert wrong_ends(fault), fault.__name__


def test_anchors_are_certified_by_themselves_and_the_rest_follow() -> None:
    kernel = cp.kernel("se", 0.3)
    found = dict(zip(ASKED, gain_curve_of_box(UnitBox(kernel, 1), ASKED, 0.05, 30), strict=True))
    for t in (1, 2, 8, 30):
        assert found[t] == gain_bracket_of_box(kernel, 1, t, 0.05)
    assert set(found[31].ends) == {"fewer picks"}
    assert set(found[7].ends) == set(found[100].ends) == {"fewer picks", "more picks"}
    assert found[3].upper == pytest.approx(min(found[2].upper * 1.5, found[8].upper))
    assert (found[20].lower, found[20].horizon) == (found[8].lower, 20)


# -- the trivial bound --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["se", "matern52", "matern32"])
@pytest.mark.parametrize("scale", [0.05, 0.3, 2.0])
def test_the_line_for_draws_is_above_a_grids_but_not_by_much(name: str, scale: float) -> None:
    kernel = cp.kernel(name, scale)
    found = lines_of_box(kernel, 1, 3.0)
    grid = prior_range(kernel(cp.grid(100, 1)))
    assert grid.low <= found["prior"] <= 1.35 * grid.high
    assert found["norm"] == pytest.approx(3.0 * norm_range(kernel(np.array([[0.0], [1.0]]))))


def test_where_no_bound_for_draws_applies_there_is_no_line() -> None:
    for name, dim in (("se", 2), ("matern12", 1)):
        assert math.isnan(lines_of_box(cp.kernel(name, 0.2), dim)["prior"])


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "problem", "hint"),
    [
        ({"points": 5}, "points", "a box is all its points"),
        ({"candidates": [[0.0]]}, "candidates", "a box is all its points"),
        ({"covariance": [[1.0]]}, "covariance", "a box is all its points"),
        ({"dim": None}, "dim", "the number of coordinates"),
        ({"dim": None, "lengthscale": [0.2]}, "dim", "the number of coordinates"),
        ({"dim": 21}, "dim", "from 1 to 20"),
        ({"dim": 3, "lengthscale": (0.1, 0.2)}, "lengthscale", "3 coordinates"),
        ({"kernel": None}, "kernel", "is missing"),
        ({"kernel": "matrn52"}, "kernel", "Did you mean 'matern52'"),
        ({"domain": "bix"}, "domain", "grid or box"),
        ({"domain": "grid"}, "candidates", "Or domain box"),
    ],
)
def test_what_does_not_fit_a_box(changes: dict[str, object], problem: str, hint: str) -> None:
    with pytest.raises(ParameterError, match=hint) as refused:
        bounds_table(**{**LINE, "domain": "box", **changes})
    assert str(refused.value).startswith(problem)


def test_a_length_scale_a_coordinate_tells_the_dimension() -> None:
    found = bounds_table(**{**LINE, "dim": None, "lengthscale": (0.9, 2.0), "horizon": 4}, domain="box")
    assert found.conditions.place["dim"] == 2
