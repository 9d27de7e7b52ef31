"""Pictures of the section on stopping: what a promise costs, and which survives a wrong model."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure as Canvas

from companion.pages import Figure, charts
from companion.pages.figures import Palette
from companion.papers.across.experiments.stopping_play import FITTED_HALF, RIGHT
from companion.papers.across.page import when_to_stop
from companion.papers.across.page.when_to_stop import ARMS, ERRORS, JUDGED, LINE, NAMES, WORDS, provenance, rows
from companion.papers.across.problems.common import DELTA

SHOWN = ("union", "probability", "lemma-6", "srinivas", "2.576", "1.96", "1.414", "0.447", "optuna", "plateau-10", "ei")
PANELS = 4
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


def _short(rule: str) -> str:
    words = {
        "union": "posterior",
        "lemma-6": "TS-RSR's width",
        "differences": "one root, differences",
        "one-root": "one root",
    }
    return words.get(rule, f"width {rule}")


def survivors() -> Figure:
    """Share of runs that stop, and of broken promises, by error of the model, one mark a rule."""
    found = when_to_stop.survival()
    found = found[found["where"].isin(list(JUDGED)[:PANELS]) & (found.error != FITTED_HALF)]
    errors = [error for error in (RIGHT, *ERRORS) if error in set(found.error)]
    rules = list(dict.fromkeys(found["rule"]))
    shares = {"stopped": ("runs that stop", 1.05), "broken": ("broken promises", 0.63)}

    def draw(canvas: Canvas, palette: Palette) -> None:
        titles = list(dict.fromkeys(found["where"]))
        panels = canvas.subplots(len(shares), len(titles), sharey=True, sharex="row")
        looks: dict[str, charts.Style] = {
            rule: {"ls": "", "marker": "o", "ms": 4, "color": palette.series[k]} for k, rule in enumerate(rules)
        }
        looks["1.96"] |= {"marker": "s", "color": palette.accent}
        for row, (share, (words, most)) in zip(panels, shares.items(), strict=True):
            for axes, title in zip(row, titles, strict=True):
                for each in found[found["where"] == title].to_dict("records"):
                    look, y = looks[each["rule"]], errors.index(each["error"]) + 0.2 * (rules.index(each["rule"]) - 1)
                    if share == "broken":
                        axes.plot([each["low"], each["high"]], [y, y], color=look["color"], ls="-", lw=1.4)
                    axes.plot(each[share], y, **look)
                axes.set_xlim(-0.05 * most, most)
                charts.name_ticks(axes.xaxis, (0.0, 0.5, 1.0) if share == "stopped" else (0.0, 0.2, 0.4, 0.6))
                charts.name_axes(axes, words, title=title if share == "stopped" else "")
        for axes in panels[1]:
            axes.axvline(DELTA, color=palette.muted, ls="--", lw=1.0)
        for rule, look in looks.items():
            panels[0, 0].plot([], [], label=_short(rule), **look)
        panels[0, 0].set_yticks(range(len(errors)), labels=[WORDS[error] for error in errors])
        panels[0, 0].set_ylim(len(errors) - 0.5, -0.5)
        charts.legend_above(canvas, panels[0, 0], len(rules))

    numbers = {
        f"{row['where']}, {NAMES[row['rule']]}, {WORDS[row['error']]}: {share}": row[share]
        for row in found.to_dict("records")
        for share in shares
    }
    return Figure(draw, size=(9.6, 6.6), where=provenance(), numbers=numbers)
