"""One picture of when robustness pays: regret over ERBO's against shift over radius."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.pages import Figure, Table, charts, where_of
from companion.pages.figures import MARKERS, Palette
from companion.papers.across.page.shifts import ROBUST, TITLES, shift_study
from companion.papers.across.shifts.tables import OWN


def shift_figure() -> Figure:
    """A panel for each robust rule, a line for each problem; filled marks stand after Holm's correction."""
    study = shift_study()

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = charts.row_of(canvas, 2)
        for axes, (method, title) in zip(panels, ROBUST.items(), strict=True):
            for k, (line, name) in enumerate(TITLES.items()):
                part = study.rows[(study.rows.line == line) & (study.rows.method == method)].sort_values("shift")
                across = part["shift"] + 0.03 * (k - 2.5)
                look: charts.Style = charts.marked(palette, k, mfc=palette.paper, capsize=2, label=name, ms=5)
                axes.errorbar(across, part.ratio, charts.bars(part, "ratio"), **look)
                shown = part.shown != 0
                axes.plot(across[shown], part.ratio[shown], MARKERS[k], color=palette.series[k], zorder=3, ms=5)
            axes.axhline(1.0, color=palette.muted, lw=0.9)
            charts.name_axes(axes, "shift over radius", title=title, log="y")
            charts.name_ticks(axes.xaxis, sorted(set(study.rows["shift"])))
        charts.name_ticks(panels[0].yaxis, (0.2, 0.5, 1.0, 2.0, 5.0, 10.0))
        charts.name_axes(panels[0], y="regret over ERBO's")
        charts.legend_above(canvas, panels[0], 3)

    return Figure(draw, size=(8.8, 4.4), where=where_of(study))


def width_table() -> Table:
    """Told the true law: the exact worst case over ERBO, by width."""
    study = shift_study()
    rows = [
        {
            "problem": TITLES.get(str(row.problem), row.problem),
            "width, standard deviations": row.width,
            "exact worst case over ERBO": f"{row.ratio:.2f} ({row.low:.2f} to {row.high:.2f})",
            "seeds": row.seeds,
            "differs": "yes" if row.differs else "–" if row.width == OWN else "not shown",
        }
        for row in study.widths.itertuples()
    ]
    return Table(pd.DataFrame(rows), where=where_of(study))
