"""Which width loses least by every play, and how that depends on how long one plays: from :mod:`..theory.longer_runs`."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.pages import Figure, Numbers, charts
from companion.pages.figures import Palette
from companion.pages.provenance import Provenance, stored
from companion.papers.across.theory import longer_runs
from companion.papers.across.theory.longer_runs import DRAWS, PLACES, TIMES, WIDTHS

#: Places as pages call them.
TITLES = {"line": "our reactor", "noisy line": "with three times the noise", "square": "with two settings to tune"}
#: Evaluations of which pages speak.
EARLY, MIDDLE, LATE = 20, 40, 100


def provenance() -> Provenance:
    """Source of the numbers."""
    return stored(longer_runs.load().record.to_dict(), longer_runs.STORED)


def table(place: str) -> pd.DataFrame:
    """Rows of a place by evaluations and width."""
    found = longer_runs.load().tables["longer"]
    return found[found.problem == place].set_index(["evaluations", "width"])


def best(place: str, t: int) -> float:
    """The width of least mean regret after so many evaluations."""
    return float(table(place).regret[t].idxmin())


def open_to(place: str, t: int) -> tuple[float, float]:
    """The shortest and the longest width that is not shown to lose more than the best."""
    behind = table(place).behind_low[t]
    level = behind[behind <= 0.0].index
    return float(level.min()), float(level.max())


def numbers() -> Numbers:
    """Best widths by place and evaluations; facts: ``early``, ``late`` say what holds at all places.

    ``early``: after :data:`EARLY` evaluations width one is not shown to lose more than the best one. ``middle``: after
    :data:`MIDDLE` the best is one and a half. ``late``: from :data:`LATE` on it is at least two, and width one is shown to lose
    more. ``in_doubt``: then half of two costs more than three does. ``one_more``: what a run with width one loses at the
    farthest, over the least.
    """
    told: dict[str, Any] = {f"best_{place.replace(' ', '_')}_{t}": best(place, t) for place in PLACES for t in TIMES}
    tables, late = {place: table(place) for place in PLACES}, [t for t in TIMES if t >= LATE]
    told["early"] = all(open_to(place, EARLY)[0] <= 1.0 <= best(place, EARLY) <= 1.25 for place in PLACES)
    told["middle"] = all(best(place, MIDDLE) == 1.5 for place in PLACES)
    told["late"] = all(best(p, t) >= 2.0 and open_to(p, t)[0] > 1.0 for p in PLACES for t in late)
    told["in_doubt"] = all(each.regret[t, 1.0] > each.regret[t, 3.0] for each in tables.values() for t in late)
    told["longer"] = all(best(p, TIMES[0]) < best(p, MIDDLE) < best(p, LATE) <= best(p, TIMES[-1]) for p in PLACES)
    last = tables["line"].regret[TIMES[-1]]
    told["one_more"] = float(last[1.0] / last.min())
    tried = {"tried": len(WIDTHS), "narrowest": min(WIDTHS), "widest": max(WIDTHS)}
    return Numbers(
        provenance(), draws=DRAWS, early_at=EARLY, middle_at=MIDDLE, late_at=LATE, last_at=TIMES[-1], **told, **tried
    )


def best_width() -> Figure:
    """Best width over the number of evaluations, at every place; of the first, the widths that are not shown to lose more."""
    curves = {place: [best(place, t) for t in TIMES] for place in PLACES}
    low, high = zip(*(open_to("line", t) for t in TIMES), strict=True)

    def draw(canvas: Canvas, palette: Palette) -> None:
        axes = canvas.subplots()
        axes.fill_between(TIMES, low, high, color=palette.series[0], alpha=0.2, lw=0)
        for k, (place, widths) in enumerate(curves.items()):
            axes.plot(TIMES, widths, **charts.marked(palette, k, label=TITLES[place]))
        axes.set(xscale="log", ylim=(0.0, 3.0))
        axes.set_xticks(TIMES, labels=[str(t) for t in TIMES])
        charts.name_axes(axes, "evaluations", "best width by every play")
        charts.legend_above(canvas, axes, 1)

    numbers: dict[str, Any] = {f"{TITLES[place]}, after {t}": best(place, t) for place in PLACES for t in TIMES}
    numbers |= {"ours, not shown to lose more, from": list(low), "to": list(high)}
    return Figure(draw, size=(4.0, 3.6), where=provenance(), numbers=numbers)
