"""Picture of the section on stopping: what a promise costs."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure as Canvas

from companion.pages import Figure, charts
from companion.pages.figures import Palette
from companion.papers.across.page.when_to_stop import ARMS, LINE, NAMES, provenance, rows
from companion.papers.across.problems.common import DELTA

SHOWN = ("union", "probability", "lemma-6", "srinivas", "2.576", "1.96", "1.414", "0.447", "optuna", "plateau-10", "ei")
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
                right.plot([row.low, row.high], [y, y], color=color, ls="-", lw=1.4)
                right.plot(row.broken, y, mark, ms=5, **filled)
        left.axhline(3.5, color=palette.muted, lw=0.8)
        right.axhline(3.5, color=palette.muted, lw=0.8)
        right.axvline(DELTA, color=palette.muted, ls="--", lw=1.0)
        left.set_xscale("log")
        left.set_xticks([2, 5, 10, 20, 50, 100, 200], labels=["2", "5", "10", "20", "50", "100", "200"])
        left.minorticks_off()
        left.set_yticks(range(len(SHOWN)), labels=[NAMES[rule] for rule in SHOWN])
        left.set_ylim(len(SHOWN) - 0.5, -0.5)
        charts.name_axes(left, "evaluations, median", title="price")
        charts.name_axes(right, "share of broken promises", title="promise")
        charts.legend_above(canvas, left, 2)

    numbers = {
        f"{title}, {NAMES[rule]}: {words}": float(part.loc[rule, column])
        for title, part in panels.items()
        for rule in SHOWN
        for words, column in (("evaluations", "median"), ("broken", "broken"))
    }
    return Figure(draw, size=(9.6, 4.8), where=provenance(), numbers=numbers)
