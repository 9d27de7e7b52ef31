"""The certified optima once more, in outward-rounded interval arithmetic.

:func:`companion.problems.certify` computes in double precision with an allowance for rounding. Here the same maxima are
bounded with mpmath's intervals, whose ends are rounded outward, with another bound (the mean-value form), and formulas
written down a second time. What remains to be trusted is mpmath.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from mpmath import iv, mpf

from companion.problems import BENCHMARKS

iv.prec = 60

WIDTH = 1e-9
MOST_CELLS = 60_000

RATES = [
    row.split() for row in ("10 3 17 3.5 1.7 8", "0.05 10 17 0.1 8 14", "3 3.5 1.7 10 17 8", "17 8 0.05 10 0.1 14")
]
CENTRES = [
    row.split()
    for row in (
        "1312 1696 5569 124 8283 5886",
        "2329 4135 8307 3736 1004 9991",
        "2348 1451 3522 2883 3047 6650",
        "4047 8828 8732 5743 1091 381",
    )
]
A = [[iv.mpf(entry) for entry in row] for row in RATES]
P = [[iv.mpf(entry) / 10000 for entry in row] for row in CENTRES]
ALPHA = [iv.mpf(entry) for entry in ("1", "1.2", "3", "3.2")]

Box = list  # of intervals


def middle(interval) -> object:
    return iv.mpf((mpf(interval.a) + mpf(interval.b)) / 2)


def halves(interval) -> tuple[object, object]:
    centre = middle(interval)
    return iv.mpf([interval.a, centre.b]), iv.mpf([centre.a, interval.b])


def largest(interval) -> object:
    """Upper end of the absolute value."""
    return max(abs(mpf(interval.a)), abs(mpf(interval.b)))


def nothing_above(box: Box, threshold: float, value: Callable, gradient: Callable) -> int:
    """Cells it takes to show f <= threshold on the box by natural extensions and mean-value forms."""
    cells, waiting = 0, [box]
    while waiting:
        cell = waiting.pop()
        cells += 1
        assert cells <= MOST_CELLS, "the bound is too weak, or the maximum is above the threshold"
        if value(*cell).b <= threshold:
            continue
        centre = [middle(part) for part in cell]
        spread = sum(slope * (part - mid) for slope, part, mid in zip(gradient(*cell), cell, centre, strict=True))
        if (value(*centre) + spread).b <= threshold:
            continue
        waiting += [list(parts) for parts in itertools.product(*(halves(part) for part in cell))]
    return cells


def bird(x, y):
    return -(iv.sin(x) * iv.exp((1 - iv.cos(y)) ** 2) + iv.cos(y) * iv.exp((1 - iv.sin(x)) ** 2) + (x - y) ** 2)


def bird_gradient(x, y):
    upper, lower = iv.exp((1 - iv.cos(y)) ** 2), iv.exp((1 - iv.sin(x)) ** 2)
    by_x = -(iv.cos(x) * upper - 2 * iv.cos(y) * (1 - iv.sin(x)) * iv.cos(x) * lower + 2 * (x - y))
    by_y = -(2 * iv.sin(x) * (1 - iv.cos(y)) * iv.sin(y) * upper - iv.sin(y) * lower - 2 * (x - y))
    return by_x, by_y


def michalewicz(index: int) -> tuple[Callable, Callable]:
    def value(x):
        return iv.sin(x) * iv.sin(index * x**2 / iv.pi) ** 20

    def gradient(x):
        u = iv.sin(index * x**2 / iv.pi)
        inner = 40 * index * x / iv.pi * u**19 * iv.cos(index * x**2 / iv.pi)
        return (iv.cos(x) * u**20 + iv.sin(x) * inner,)

    return value, gradient


def hartmann_terms(x: Box) -> Box:
    return [ALPHA[i] * iv.exp(-sum((A[i][j] * (x[j] - P[i][j]) ** 2 for j in range(6)), iv.mpf(0))) for i in range(4)]


def stationary(weights: Box) -> Box:
    """Ranges of the coordinates, which are monotone in every weight: hulls over the corners."""
    ends = [{mpf(w.a), mpf(w.b)} for w in weights]
    ranges: Box = []
    for j in range(6):
        found = []
        for corner in itertools.product(*ends):
            w = [iv.mpf(end) for end in corner]
            found.append(sum(w[i] * A[i][j] * P[i][j] for i in range(4)) / sum(w[i] * A[i][j] for i in range(4)))
        ranges.append(iv.mpf([min(mpf(f.a) for f in found), max(mpf(f.b) for f in found)]))
    return ranges


def no_stationary_point_above(threshold: float, chart: int) -> int:
    """Cells of weights, relative to weight ``chart``, that it takes to exclude a stationary value above the threshold."""
    cells, waiting = 0, [[iv.mpf(1) if i == chart else iv.mpf([0, 1]) for i in range(4)]]
    while waiting:
        weights = waiting.pop()
        cells += 1
        assert cells <= MOST_CELLS, "the bound is too weak, or the maximum is above the threshold"
        x = stationary(weights)
        terms = hartmann_terms(x)
        ratios = [term / terms[chart] for term in terms]
        if any(r.b < w.a or r.a > w.b for r, w in zip(ratios, weights, strict=True)) or sum(terms).b <= threshold:
            continue
        centre = [middle(part) for part in x]
        slopes = [-2 * sum(terms[i] * A[i][j] * (x[j] - P[i][j]) for i in range(4)) for j in range(6)]
        spread = sum(slope * (part - mid) for slope, part, mid in zip(slopes, x, centre, strict=True))
        if (sum(hartmann_terms(centre)) + spread).b <= threshold:
            continue
        choices = [(w,) if i == chart else halves(w) for i, w in enumerate(weights)]
        waiting += [list(parts) for parts in itertools.product(*choices)]
    return cells


def hartmann_cells(margin: float) -> int:
    """Cells it takes to show that nothing exceeds the stored optimum by more than ``margin``."""
    optimum = BENCHMARKS["hartmann-6d"]().optimum
    return sum(no_stationary_point_above(optimum + margin, chart) for chart in range(4))


@pytest.mark.slow
def test_bird() -> None:
    problem = BENCHMARKS["bird-2d"]()
    at = [iv.mpf(float(x)) for x in problem.optimiser]
    assert bird(*at).a > problem.optimum - WIDTH
    box = [iv.mpf([-2, 2]) * iv.pi] * 2
    assert nothing_above(box, problem.optimum + WIDTH, bird, bird_gradient) > 100


@pytest.mark.slow
def test_michalewicz() -> None:
    problem, total = BENCHMARKS["michalewicz-10d"](), iv.mpf(0)
    for index, x in enumerate(problem.optimiser, 1):
        value, gradient = michalewicz(index)
        attained = value(iv.mpf(float(x)))
        total += attained
        # Where the maximum is 1, the bound by the first factor is enough.
        cells = nothing_above([iv.mpf([0, 1]) * iv.pi], float(attained.a) + WIDTH / 10, value, gradient)
        assert cells > 10 or attained.b >= 1
    assert total.a > problem.optimum - WIDTH
    assert total.b < problem.optimum + WIDTH


@pytest.mark.slow
def test_hartmann() -> None:
    problem = BENCHMARKS["hartmann-6d"]()
    assert sum(hartmann_terms([iv.mpf(float(x)) for x in problem.optimiser])).a > problem.optimum - WIDTH
    assert hartmann_cells(WIDTH) > 100


@pytest.mark.slow
def test_a_threshold_below_the_maximum_cannot_be_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "MOST_CELLS", 1000)
    with pytest.raises(AssertionError, match="above the threshold"):
        hartmann_cells(-1e-6)
    value, gradient = michalewicz(3)
    with pytest.raises(AssertionError, match="above the threshold"):
        nothing_above([iv.mpf([0, 1]) * iv.pi], float(value(iv.mpf(1.2849915)).a) - 1e-6, value, gradient)
