"""Pictures of the section on stopping: what a promise costs, and which survives a wrong model."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure as Canvas

from companion.pages import Figure, charts
from companion.pages.figures import Palette
from companion.papers.across.common import DELTA
from companion.papers.across.page import when_to_stop
from companion.papers.across.page.when_to_stop import ARMS, ERRORS, LINE, NAMES, rows, where
from companion.papers.across.page.wrong_model import WORDS
from companion.papers.across.stopping.runs import PLACES, RIGHT

SHOWN = ("union", "probability", "lemma-6", "srinivas", "2.576", "1.96", "1.414", "0.447", "optuna", "plateau-10", "ei")
LEAST = 2e-4
"""Where a share of zero is drawn on the logarithmic axis."""


def price() -> Figure:
    """Evaluations against broken promises, on a smooth line and on independent arms."""
    panels = {"a smooth line": rows(LINE), "fifty independent arms": rows(ARMS)}

    def draw(canvas: Canvas, palette: Palette) -> None:
        for axes, (title, part) in zip(charts.row_of(canvas, 2), panels.items(), strict=True):
            last = PLACES["arms" if "arms" in title else "line"][2]
            for rule in SHOWN:
                row = part.loc[rule]
                at = float(row["median"]) if np.isfinite(row["median"]) else float(last)
                color = palette.series[0] if row.promised else palette.accent
                axes.plot([at, at], [max(row.low, LEAST), max(row.high, LEAST)], color=color, ls="-", lw=1.2)
                axes.plot(
                    at,
                    max(row.broken, LEAST),
                    "o" if row.promised else "s",
                    color=color,
                    mfc=color if row.promised else palette.paper,
                )
                axes.annotate(
                    _short(rule), (at, max(row.broken, LEAST)), (5, 4), textcoords="offset points", fontsize=7
                )
            axes.axhline(DELTA, color=palette.muted, ls="--", lw=1.0)
            axes.set(xscale="log", yscale="log")
            axes.set_ylim(LEAST * 0.7, 1.2)
            charts.name_axes(axes, "evaluations, median", title=title)
        axes = canvas.axes[0]
        axes.set_ylabel("share of broken promises")

    numbers = {
        f"{title}, {NAMES[rule]}: broken": float(part.loc[rule].broken)
        for title, part in panels.items()
        for rule in SHOWN
    }
    return Figure(draw, size=(9.6, 4.6), where=where(), numbers=numbers)


def _short(rule: str) -> str:
    words = {
        "union": "posterior, closed form",
        "probability": "posterior, sampled",
        "lemma-6": "Lemma 6",
        "srinivas": "Srinivas et al.",
        "optuna": "Optuna",
        "plateau-10": "no gain in 10",
        "ei": "EI small",
    }
    return words.get(rule, rule)


def survivors() -> Figure:
    """Share of broken promises by error of the model, one panel a setting, one mark a rule."""
    found = when_to_stop.survival()
    errors = (RIGHT, *ERRORS)
    words = WORDS | {RIGHT: "nothing wrong", "norm/2": "norm half", "norm*2": "norm double"}

    def draw(canvas: Canvas, palette: Palette) -> None:
        titles = list(dict.fromkeys(found["where"]))
        for axes, title in zip(charts.row_of(canvas, len(titles)), titles, strict=True):
            part = found[found["where"] == title]
            for k, rule in enumerate(dict.fromkeys(part["rule"])):
                color = palette.accent if rule == "1.96" else palette.series[k]
                for row in part[part["rule"] == rule].itertuples():
                    y = errors.index(str(row.error)) + 0.2 * (k - 1)
                    axes.plot([row.low, row.high], [y, y], color=color, ls="-", lw=1.4)
                    label = _short(rule) if row.error == RIGHT else None
                    axes.plot(row.broken, y, "s" if rule == "1.96" else "o", ms=4, color=color, label=label)
            axes.axvline(DELTA, color=palette.muted, ls="--", lw=1.0)
            axes.set_yticks(range(len(errors)), labels=[words[error] for error in errors])
            axes.set_ylim(len(errors) - 0.5, -0.5)
            axes.set_xlim(-0.02, 1.0)
            axes.legend(fontsize=7, loc="lower right")
            charts.name_axes(axes, "broken", title=title)

    numbers = {
        f"{row['where']}, {NAMES[row['rule']]}, {words[row['error']]}": row["broken"]
        for row in found.to_dict("records")
    }
    return Figure(draw, size=(10.4, 4.2), where=where(), numbers=numbers)
