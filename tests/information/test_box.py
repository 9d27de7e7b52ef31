"""The gain of a box: valid beside points found otherwise and beside every grid; each dropped term is seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import companion as cp
from companion.core.errors import ParameterError
from companion.gp.matrix import KernelMatrix
from companion.information import box, gain_bracket
from companion.information import cover as covers
from companion.information import product as products
from companion.information.box import gain_bracket_of_box
from companion.information.cover import interpolation
from companion.information.gain import information_gain
from companion.information.large_sets import Pivots
from companion.information.product import product_bound

KERNELS = [("se", 0.3), ("matern52", 0.4), ("matern32", 0.5), ("matern12", 0.6)]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Smaller scans and covers."""
    for name, value in {"SCAN": 2_000, "BEST": 60}.items():
        monkeypatch.setattr(box, name, value)
    monkeypatch.setattr(covers, "WORK", 3e9)


def found_otherwise(kernel, dim: int, horizon: int, noise: float, seed: int) -> float:
    """The largest gain of so many points, by ascents from many starts."""

    def less(flat: np.ndarray) -> float:
        points = np.clip(flat, 0.0, 1.0).reshape(horizon, dim)
        return -0.5 * np.linalg.slogdet(np.eye(horizon) + kernel(points) / noise)[1]

    starts = cp.stream(seed, "box", "test").uniform(size=(300, horizon * dim)).round(1)
    best = sorted(starts, key=less)[:4]
    return max(-minimize(less, each, method="Nelder-Mead", options={"maxiter": 300}).fun for each in best)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_points_found_otherwise_lie_between_the_ends(seed: int) -> None:
    name, scale = KERNELS[seed % 4]
    kernel, dim, horizon, noise = cp.kernel(name, scale), 1 + seed % 2, 1 + seed % 3, (0.01, 0.1, 1.0)[seed % 3]
    best, found = found_otherwise(kernel, dim, horizon, noise, seed), gain_bracket_of_box(kernel, dim, horizon, noise)
    assert best <= found.upper
    assert best <= found.lower * 1.001
    assert found.ratio < 1.3
    own = information_gain(kernel(found.points), found.lower_indices, noise)
    assert own == pytest.approx(found.lower)
    assert found.points.min() >= 0.0
    assert found.points.max() <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "scale"), KERNELS)
@pytest.mark.parametrize(("dim", "horizon", "noise"), [(1, 30, 0.01), (2, 60, 0.1)])
def test_the_box_contains_every_grid(name: str, scale: float, dim: int, horizon: int, noise: float) -> None:
    kernel = cp.kernel(name, scale)
    found = gain_bracket_of_box(kernel, dim, horizon, noise)
    for count in (2, 5, 12):
        points = cp.grid(count, dim)
        grid = gain_bracket(kernel(points), horizon, noise)
        assert grid.lower <= found.upper
        assert grid.lower <= found.lower * 1.002
    assert found.ratio < (1.6 if name == "matern12" else 1.1)


@pytest.mark.slow
def test_more_picks_gain_no_less() -> None:
    kernel = cp.kernel("matern52", (0.2, 0.6))
    found = [gain_bracket_of_box(kernel, 2, t, 0.05) for t in (1, 2, 5, 20, 80, 400)]
    lowers, uppers = ([getattr(each, end) for each in found] for end in ("lower", "upper"))
    assert lowers == sorted(lowers)
    assert uppers == sorted(uppers)
    assert found[0].upper == pytest.approx(0.5 * np.log1p(1 / 0.05))


@pytest.mark.parametrize(("name", "scale"), KERNELS)
def test_interpolation_errs_by_no_more(name: str, scale: float) -> None:
    kernel = cp.kernel(name, scale)
    for t in (0.01, 0.1, 0.5, 2.0):
        ends, share = np.array([[0.0], [t * scale]]), np.linspace(0, 1, 201)
        inside = (share * t * scale)[:, None]
        weights = np.stack([1 - share, share], axis=1)
        squares = (
            1.0 + ((weights @ kernel(ends)) * weights).sum(axis=1) - 2 * (weights * kernel(inside, ends)).sum(axis=1)
        )
        worst = np.sqrt(max(squares.max(), 0.0))
        assert worst <= interpolation(kernel)(t) * (1 + 1e-6) + 1e-9
        assert t > 0.1 or worst >= 0.9 * interpolation(kernel)(t)


def test_work_that_is_spent_leaves_a_wider_upper_end(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = cp.kernel("matern32", 0.3)
    right = gain_bracket_of_box(kernel, 2, 30, 0.1)
    monkeypatch.setattr(covers, "WORK", 1e6)
    wide = gain_bracket_of_box(kernel, 2, 30, 0.1)
    assert wide.spent
    assert not right.spent
    assert right.upper < wide.upper <= wide.ends["one point"]


def test_what_is_refused() -> None:
    kernel = cp.kernel("se", 0.3)
    for arguments, name in (
        ((kernel, 0, 5, 0.1), "dim"),
        ((kernel, 21, 5, 0.1), "dim"),
        ((kernel, 1, 0, 0.1), "horizon"),
        ((kernel, 1, 5, 0.0), "noise_variance"),
        ((cp.kernel("se", (0.1, 0.2)), 3, 5, 0.1), "lengthscale"),
        ((cp.Matern(1.0, 0.2), 1, 5, 0.1), "nu"),
    ):
        with pytest.raises(ParameterError, match=name):
            gain_bracket_of_box(*arguments)
    for more, name in (
        ({"domain": "ball", "dim": 1}, "domain"),
        ({"dim": 1}, "domain"),
        ({"domain": "box"}, "dim"),
        ({"domain": "box", "dim": 1, "candidates": [[0.0]]}, "candidates"),
    ):
        with pytest.raises(ParameterError, match=name):
            cp.certified_gain(kernel, 5, 0.1, **more)
    with pytest.raises(ParameterError, match="covariance"):
        cp.certified_gain(np.eye(2), 5, 0.1, domain="box", dim=1)


# -- the rough kernel's cells: each term of their upper end in its worst corner -----------------------------------------------


def one_cell(scale: float, noise: float, slack: float | None = None) -> tuple[covers.Score, float]:
    """A score that falls along k(x, 0) = k(x, 1) with a negative weight at 1, and the upper end of the box as a single cell."""
    kernel = cp.kernel("matern12", scale)
    matrix = KernelMatrix(kernel, np.array([[0.0], [1.0]]))
    pivots = Pivots.of(matrix, np.arange(2), matrix.rows(np.arange(2), np.arange(2)), noise, 1e-9, 2)
    pivots = replace(pivots, slack=pivots.slack if slack is None else slack)
    weights = np.zeros(2)
    weights[pivots.chosen] = [2.0, -1.0] if pivots.chosen[0] == 0 else [-1.0, 2.0]
    axis = pivots.root.T @ weights[pivots.chosen]
    axis /= np.linalg.norm(axis)
    score = covers.Score(pivots, axis[:, None], np.array([0.9]), 1.0, 0.0, 3)
    end, cells, spent, _ = covers.cover(score, np.array([scale]), 1e9, interpolation(kernel))
    assert (cells, spent) == (1, False)
    return score, end


def test_negative_weights_count_in_a_cell_of_the_rough_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest score of the cell is at the corner towards the negative weight, and the upper end is just above it."""
    monkeypatch.setattr(covers, "TOLERANCE", 0.0)
    score, end = one_cell(40.0, 1.0)
    scores = score(np.linspace(0, 1, 401)[:, None])
    assert scores.argmax() in (0, 400)
    centre = float(score(np.array([[0.5]]))[0])
    _, losing, gaining = score.near(np.array([[0.5]]))
    assert gaining[0] > 0.2 * losing[0] > 0
    assert scores.max() <= end
    assert end - centre <= 1.1 * (scores.max() - centre)


def test_a_cell_without_extent_has_its_score_and_three_allowances(monkeypatch: pytest.MonkeyPatch) -> None:
    """Features, weights and their products may each be off by what rounding does at tiny noise."""
    score, end = one_cell(1e9, 1.0, slack=1e-3)
    centre = float(score(np.array([[0.5]]))[0])
    assert end == pytest.approx(min(centre + 3e-3 * score.floor, score.prior), rel=1e-6)


# -- parts of the box, and products over the axes -------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dim", "horizon", "noise"), [(1, 3, 0.01), (2, 2, 0.1), (2, 4, 1.0), (1, 40, 0.05), (2, 60, 0.1)]
)
def test_products_bound_what_is_found(dim: int, horizon: int, noise: float) -> None:
    kernel = cp.SquaredExponential(0.3, 2.0)
    found = product_bound(kernel, np.full(dim, 0.3), horizon, noise)
    best = found_otherwise(kernel, dim, horizon, noise, 1) if horizon < 5 else 0.0
    grid = gain_bracket(kernel(cp.grid(40 if dim == 1 else 12, dim)), horizon, noise)
    assert max(best, grid.lower) <= found <= 1.15 * grid.upper


def test_products_count_every_direction_and_score(monkeypatch: pytest.MonkeyPatch) -> None:
    """One charge too few, or the score without what the features leave, is below the gain of points that exist."""
    kernel = cp.SquaredExponential(0.05)
    least = gain_bracket(kernel(cp.grid(200, 1)), 12, 0.01).lower
    right, shrunk = product_bound(kernel, np.full(1, 0.05), 12, 0.01), products.shrunk
    assert least <= right
    monkeypatch.setattr(
        products, "shrunk", lambda loads, tail, horizon: (*(all_ := shrunk(loads, tail, horizon))[:2], all_[2] * 0.9)
    )
    assert product_bound(kernel, np.full(1, 0.05), 12, 0.01) < least
    monkeypatch.setattr(products, "shrunk", lambda loads, tail, horizon: shrunk(loads, tail, horizon // 2))
    assert product_bound(kernel, np.full(1, 0.05), 12, 0.01) < least


@pytest.mark.slow
def test_parts_bound_the_whole_and_faults_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forced to cut; with half the picks of a part forgotten, the end is below the lower one."""
    kernel = cp.kernel("matern12", 0.3)
    plain = gain_bracket_of_box(kernel, 2, 60, 0.05)
    monkeypatch.setattr(box, "WIDE", 0.0)
    certified = box._certified

    def cut(fault=lambda scales, lower: (scales, lower)) -> float:
        def only_parts(scales, lower, error, known, share):
            if share == box.LEFT[0]:
                return (np.inf, *certified(scales, lower, error, known, share)[1:])
            return certified(*fault(scales, lower), error, np.inf, share)

        monkeypatch.setattr(box, "_certified", only_parts)
        return gain_bracket_of_box(kernel, 2, 60, 0.05).ends["parts"]

    assert plain.lower <= cut()
    assert cut(lambda scales, lower: (scales, box._Lower(lower.kernel, lower.noise, lower.horizon // 2))) < plain.lower
