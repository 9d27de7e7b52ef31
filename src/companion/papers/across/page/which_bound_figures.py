"""Picture of the section that asks which bound says something."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.pages import Figure, Numbers, charts
from companion.pages.figures import Palette
from companion.papers.across.page.all_bounds import provenance
from companion.papers.across.page.which_bound import curve, numbers, regret_rows
from companion.papers.across.problems.common import AT, BATCH, DIM, GAME, HORIZONS, KERNEL, NOISE
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.informative_horizons import PAIRS, blind_over_line
from companion.papers.across.theory.measured_regret import PLAYED

SHOWN_FROM = 10
FORMS = ("the theorems", "their best forms")


def measured_points() -> dict[str, pd.Series]:
    """Measured regret over the trivial one in the setting of the picture, by method."""
    found = regret_rows()
    found = found[found.kernel.isin((KERNEL, GAME)) & (found.dim == DIM) & (found.noise == NOISE)]
    found = found[found.batch == BATCH].dropna(subset=["measured"]).set_index("id")
    return {method: found.loc[pair[1]] for method, pair in PAIRS.items() if pair[1] in PLAYED}


def blind_lines() -> tuple[float, float]:
    """The least and the largest cost of random choice over the trivial bound, in the setting of the picture."""
    found = [blind_over_line(name, KERNEL, DIM) for pair in PAIRS.values() for name in pair]
    return min(found), max(found)


def bounds_and_regret() -> Figure:
    """All bounds over what any choices could lose: theorems on the left, better forms in the middle, and measured regret beside.

    Legend: whose constants on the left, and in the middle. The band is random choice.
    """
    points = measured_points()

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(1, 3, sharey=True, width_ratios=(1.0, 1.0, 0.42))
        tried = np.array(HORIZONS)
        for place, axes in enumerate(panels[:2]):
            for k, (method, pair) in enumerate(PAIRS.items()):
                values = curve(pair[place])
                known = np.isfinite(values) & (tried >= SHOWN_FROM)
                words = ", ".join(dict.fromkeys(BOUNDS[name].constants for name in pair))
                axes.plot(tried[known], values[known], **charts.look(palette, k, label=f"{method}: {words}"))
            charts.name_axes(axes, "evaluations", title=FORMS[place], log="xy")
        for k, method in enumerate(PAIRS):
            if method in points:
                panels[2].plot(k, points[method].measured, **charts.marked(palette, k, ls="", ms=6, mfc=palette.paper))
        panels[2].set_xlim(-0.7, len(PAIRS) - 0.3)
        panels[2].set_xticks([])
        panels[2].set_title(f"measured,\nT = {AT}")
        for axes in panels:
            axes.axhline(1.0, color=palette.accent, ls=":", lw=1.2)
            axes.axhspan(*blind_lines(), color=palette.accent, alpha=0.25, lw=0)
            axes.set_ylim(5e-3, 1e4)
        charts.name_axes(panels[0], y="regret over the trivial bound")
        charts.legend_above(canvas, panels[0], 3)

    place = HORIZONS.index(AT)
    values = {
        f"{method}, {form}": curve(name)[place]
        for method, pair in PAIRS.items()
        for form, name in zip(FORMS, pair, strict=True)
    }
    values |= {f"{method}, measured": row.measured for method, row in points.items()}
    return Figure(draw, size=(8.4, 4.4), where=provenance(), numbers=values)


def on_page() -> tuple[Figure, Numbers]:
    """The picture for the page of bounds."""
    return bounds_and_regret(), numbers()
