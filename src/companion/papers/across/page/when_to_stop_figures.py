"""Picture of the section on stopping: what a promise costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure as Canvas

from companion.pages import Figure, charts
from companion.pages.figures import Palette
from companion.papers.across.page.when_to_stop import ARMS, LINE, provenance, rows
from companion.papers.across.problems.common import DELTA

#: Rules of the picture, by what they are called there; the first three are proved.
SHOWN = {
    "union": "posterior, closed form",
    "probability": "sampled, upper limit",
    "lemma-6": "width for draws",
    "1.96": "width 1.96",
    "0.447": "width 0.45",
    "optuna": "Optuna's terminator",
    "plateau-10": "no better in ten",
    "ei": "small EI",
}
PROVED = 3
PLACED = {"a smooth line": (LINE, "o"), "fifty independent arms": (ARMS, "D")}


def price() -> Figure:
    """Evaluations and broken promises, one row a rule, on a smooth line and on independent arms."""
    panels = {title: rows(place) for title, (place, _) in PLACED.items()}

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = charts.row_of(canvas, 2, sharey=True)
        for k, (title, part) in enumerate(panels.items()):
            mark = PLACED[title][1]
            for place, rule in enumerate(SHOWN):
                row, y = part.loc[rule], place + 0.22 * (2 * k - 1)
                color = palette.series[k]
                filled: dict[str, Any] = {"color": color, "mfc": color if row.promised else palette.paper}
                label = title if place == 0 else None
                left.plot(row["median"], y, mark, ms=5, label=label, **filled)
                right.plot([row.low, row.high], [y, y], "|-", color=palette.ink, ms=8, lw=1.0, clip_on=False)
                right.plot(row.broken, y, mark, ms=4.5, clip_on=False, zorder=3, **filled)
        for axes in (left, right):
            axes.axhline(PROVED - 0.5, color=palette.muted, lw=0.8)
        right.axvline(DELTA, color=palette.muted, ls="--", lw=1.0)
        # Roots spread the small shares, which would lie on each other.
        right.set_xscale("function", functions=(lambda x: np.sqrt(np.maximum(x, 0.0)), np.square))
        right.set_xlim(0.0, 1.0)
        charts.name_ticks(right.xaxis, (0.0, 0.02, DELTA, 0.3, 0.6, 1.0))
        left.set_xscale("log")
        left.set_xticks([2, 5, 20, 50, 200], labels=["2", "5", "20", "50", "200"])
        left.minorticks_off()
        left.set_yticks(range(len(SHOWN)), labels=list(SHOWN.values()), fontsize=9.5, color=palette.ink)
        left.set_ylim(len(SHOWN) - 0.5, -0.5)
        charts.name_axes(left, "evaluations, median", title="price")
        charts.name_axes(right, "broken promises", title="promise")
        charts.legend_above(canvas, left, 2)

    numbers = {
        f"{title}, {name}: {words}": float(part.loc[rule, column])
        for title, part in panels.items()
        for rule, name in SHOWN.items()
        for words, column in (("evaluations", "median"), ("broken", "broken"))
    }
    return Figure(draw, size=(6.4, 4.8), where=provenance(), numbers=numbers)
