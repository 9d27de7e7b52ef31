"""Pictures of the certified information gain, of candidates and of a box, for the page that explains it."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure as Canvas

from companion.core.arrays import Floats
from companion.gp.kernels import Matern
from companion.gp.matrix import KernelMatrix
from companion.gp.sampling import grid
from companion.information.box import gain_bracket_of_box
from companion.information.comparison import HORIZONS, Instance, instances
from companion.information.cover import Score, interpolation
from companion.information.design import relax
from companion.information.gain_bounds import UPPER_BOUNDS, gain_bracket
from companion.information.large_sets import Pivots
from companion.pages import charts
from companion.pages.figures import Figure, Palette
from companion.pages.sentences import Numbers

#: Excess over the lower end, in per cent, below which a bound is drawn at the bottom of the panel.
FLOOR = 0.01
#: Evaluations from which points on the line begin to repeat what is known.
LATE = 20


def excess(instance: Instance, bound: str) -> Floats:
    """(H,) by how many per cent an upper bound lies above the lower end, at each horizon."""
    return np.array([100.0 * (bracket.ends[bound] / bracket.lower - 1.0) for bracket in instance.brackets])


def certified_gain() -> tuple[Figure, Numbers]:
    """Both ends against T, and by how much each upper bound exceeds the lower end."""
    cases = instances()

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(2, len(cases), sharex=True, sharey="row", height_ratios=(1, 1.5))
        for k, (above, below, case) in enumerate(zip(*panels, cases, strict=True)):
            ends = [(bracket.lower, bracket.upper) for bracket in case.brackets]
            lower, upper = np.transpose(ends)
            trivial = 0.5 * np.array(HORIZONS) * np.log1p(1.0 / case.noise**2)
            above.plot(HORIZONS, trivial, color=palette.muted, ls=":", label="T times the gain of one point")
            charts.band(above, HORIZONS, lower, upper, palette.accent, 0.6)
            above.plot(HORIZONS, upper, color=palette.accent, ls="--", label="upper end")
            above.plot(HORIZONS, lower, color=palette.ink, lw=1.2, ls="-", label="lower end")
            charts.name_axes(above, y="" if k else "gain, nats", log="xy")
            above.set_title(f"{case.name},\nnoise {case.noise:g}")
            for j, bound in enumerate(UPPER_BOUNDS):
                style = charts.marked(palette, j, ms=3.5)
                below.plot(HORIZONS, np.maximum(excess(case, bound), FLOOR), label=bound, **style)
            charts.name_axes(below, "evaluations T", "" if k else "above the lower end, %", log="xy")
            below.set_ylim(0.7 * FLOOR, 2e3)
            ticks = (FLOOR, 0.1, 1, 10, 100, 1000)
            below.yaxis.set_ticks(ticks, labels=[f"≤ {FLOOR:g}", *(f"{tick:g}" for tick in ticks[1:])])
            charts.name_ticks(below.xaxis, (1, 10, 100, 1000))
        panels[0][0].set_ylim(0.2, 600)
        charts.name_ticks(panels[0][0].yaxis, (1, 10, 100))
        panels[0][0].legend(loc="upper left", fontsize=8.5)
        panels[1][0].legend(loc="upper right", ncols=2, fontsize=8.5)

    return Figure(draw, size=(8.8, 5.4)), certificate_numbers()


def certificate_numbers() -> Numbers:
    """Width of the brackets, and the smallest bound by place.

    ``others``: the least, from :data:`LATE` evaluations on, by which the submodular and the spectral bound exceed the lower
    end on the line; ``greedy``: by how much the maximum can exceed what the greedy rule finds, in per cent.
    """
    cases = smooth, rough, arms = instances()
    widths = [100.0 * (bracket.ratio - 1.0) for case in cases for bracket in case.brackets]
    late = np.array(HORIZONS) >= LATE
    design, submodular, spectral = (excess(smooth, name)[late] for name in ("design", "submodular", "spectral"))
    return Numbers(
        least=min(HORIZONS),
        most=max(HORIZONS),
        late=LATE,
        line=len(smooth.covariance),
        square=len(rough.covariance),
        arms=len(arms.covariance),
        widest=max(widths),
        others=float(np.minimum(submodular, spectral).min()),
        greedy=100.0 / (np.e - 1.0),
        one_point=all(case.brackets[0].source == "submodular" for case in cases),
        designs_on_line=bool((design < np.minimum(submodular, spectral)).all()),
        spectral_at_last=all(case.brackets[-1].source == "spectral" for case in (rough, arms)),
        within_greedy=max(widths) < 100.0 / (np.e - 1.0),
    )


# -- the box -----------------------------------------------------------------------------------------------------------

#: On the line, and in the square with as many picks.
KERNEL, NOISE, PICKS = Matern(2.5, 0.2), 0.3, 20
#: Cells of the covers that are drawn, and points an axis of the grids.
CELLS, GRIDS = (24, 96), (2, 3, 4, 6, 9, 13, 19)


def gain_of_box() -> tuple[Figure, Numbers]:
    """The score of a design on a line below its bound on cells, and grids beside the box."""
    score, far = _score(), interpolation(KERNEL)
    places, amplitude = np.linspace(0.0, 1.0, 961)[:, None], np.sqrt(score.prior)
    line = score(places)
    tops = {
        count: (np.maximum(roots[:-1], roots[1:]) + amplitude * far(1.0 / count / 0.2)) ** 2
        for count in CELLS
        for roots in [np.sqrt(score(np.linspace(0.0, 1.0, count + 1)[:, None]))]
    }
    box = gain_bracket_of_box(KERNEL, 2, PICKS, NOISE**2)
    grids = [gain_bracket(KERNEL(grid(count, 2)), PICKS, NOISE**2) for count in GRIDS]

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = canvas.subplots(1, 2)
        left.plot(places[:, 0], line, color=palette.ink, lw=1.4, label="score")
        for count, style, color in zip(CELLS, (":", "-"), (palette.muted, palette.accent), strict=True):
            left.stairs(
                tops[count],
                np.linspace(0, 1, count + 1),
                baseline=None,
                color=color,
                ls=style,
                label=f"bound, {count} cells",
            )
        left.set_ylim(0.0, 1.15 * float(tops[CELLS[0]].max()))
        charts.name_axes(left, "x", "score")
        left.legend(loc="lower center", fontsize=8.5)
        charts.band(right, GRIDS, [box.lower] * len(GRIDS), [box.upper] * len(GRIDS), palette.accent, 0.4)
        right.plot(
            GRIDS,
            [each.upper for each in grids],
            color=palette.muted,
            ls="--",
            marker="v",
            ms=4,
            label="grid, upper end",
        )
        right.plot(GRIDS, [each.lower for each in grids], color=palette.ink, marker="^", ms=4, label="grid, lower end")
        right.plot([], [], color=palette.accent, lw=5, alpha=0.4, label="box, both ends")
        charts.name_axes(right, "points an axis", "gain, nats", log="x")
        charts.name_ticks(right.xaxis, GRIDS)
        right.legend(loc="lower right", fontsize=8.5)

    numbers = Numbers(
        picks=PICKS,
        coarse=100.0 * (float(tops[CELLS[0]].max() / line.max()) - 1.0),
        fine=100.0 * (float(tops[CELLS[1]].max() / line.max()) - 1.0),
        few=CELLS[0],
        many=CELLS[1],
        width=100.0 * (box.ratio - 1.0),
        cells=box.cells,
        above=all(
            (top >= np.maximum.reduceat(line[:-1], np.arange(0, 960, 960 // n))).all() for n, top in tops.items()
        ),
        contained=all(each.lower <= box.upper for each in grids),
    )
    return Figure(draw, size=(8.8, 3.2)), numbers


def _score() -> Score:
    """Of a nearly optimal design on a line."""
    matrix, everywhere = KernelMatrix(KERNEL, grid(41, 1)), np.arange(41)
    pivots = Pivots.of(matrix, everywhere, matrix.rows(everywhere, everywhere), NOISE**2, 1e-3, 41)
    features = pivots.features(everywhere)
    return Score.of(pivots, relax(features, PICKS, np.full(41, 1 / 41), 40, 1e-3), features, PICKS)
