"""Pictures of the section that asks which width."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.pages import Figure, cells, charts
from companion.pages.figures import Palette
from companion.papers.across.experiments import width_coverage, widths
from companion.papers.across.experiments.width_rules import published
from companion.papers.across.method.library_widths import SHOWN as READ_AT
from companion.papers.across.page.which_width import AT, NAMES, PLACE, at, full, provenance
from companion.papers.across.theory import width_schedules
from companion.papers.across.theory.informative_horizons import case_of

#: By what f is: widths that are proved for it, and some that are used.
PANELS = {
    "functions of known norm": (
        ("classical/chowdhury-gopalan", "batched/self-normalised", "sharper/mixture", "batched/prop-1/printed"),
        ("meanfield/experiments", "wdrbo/experiments", "batched/experiments"),
    ),
    "draws of the prior": (
        ("compressed/lemma-8.1/printed", "tsrsr/lemma-6/printed"),
        ("library/bayesian-optimization", "library/optuna", "library/scikit-optimize", "library/botorch"),
    ),
}
SHORT = {"classical/chowdhury-gopalan": "Chowdhury, Gopalan", "compressed/lemma-8.1/printed": "Srinivas, finite set"}


def over_horizon() -> Figure:
    """Widths over T, those of theorems in colour, those that are used in grey."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        for axes, (title, (proved, used)) in zip(charts.row_of(canvas, 2), PANELS.items(), strict=True):
            for k, name in enumerate(proved):
                values = [at(name, t) for t in width_schedules.SHOWN]
                label = SHORT.get(name, NAMES[name])
                axes.plot(width_schedules.SHOWN, values, **charts.look(palette, k, label=label))
            for name in used:
                known = READ_AT if name.startswith("library/") else width_schedules.SHOWN
                values = [at(name, t) for t in known]
                if len(set(values)) == 1 or known == width_schedules.SHOWN:
                    known, values = width_schedules.SHOWN, [values[0]] * len(width_schedules.SHOWN)
                axes.plot(known, values, color=palette.muted, ls="-", lw=1.0, label=NAMES[name])
            charts.name_axes(axes, "evaluations T", title=title, log="xy")
            axes.set_ylim(0.35, 20.0)
            charts.narrow_ticks(axes)
            charts.name_ends(axes, apart=0.065)
        charts.name_axes(canvas.axes[0], y="width")

    last = {NAMES[name]: at(name) for panel in PANELS.values() for names in panel for name in names}
    return Figure(draw, size=(8.4, 3.8), where=provenance(), numbers=last)


TITLES = {"random functions": "random functions", "draws": "draws of the prior"}


def regret_rows() -> pd.DataFrame:
    """Regret of GP-UCB with every width, with the width at the last evaluation."""
    found = widths.load().tables["width_regret"]
    found = found[(found.points == "GP-UCB") & (found.id != "classical/srinivas-norm")]
    return found.assign(width=[last_width(name) for name in found.id])


def last_width(name: str) -> float:
    """Width in the last round; TS-RSR's published code grows with the round."""
    if name != "tsrsr/published-code":
        return at(name)
    return published(case_of(**PLACE, horizon=AT))


KINDS = ("its theorem holds here", "library's default", "other widths")


def _point(palette: Palette, k: int) -> charts.Style:
    """A point of one of :data:`KINDS`, filled where the theorem holds."""
    return charts.marked(palette, k, ls="", mfc=palette.paper if k else palette.series[k])


def bought() -> Figure:
    """Regret over width, for functions of known norm and for draws."""
    rows = regret_rows()

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = charts.row_of(canvas, 2, sharey=False)
        for axes, place in zip(panels, width_coverage.GRID, strict=True):
            part = rows[rows.instance == place]
            promised = set(full()[full().promised & (full().instance == place) & (full().points == "GP-UCB")].id)
            for row in part.to_dict("records"):
                library = row["id"].startswith("library/")
                k = 0 if row["id"] in promised else 1 if library else 2
                spread = [[row["regret"] - row["low"]], [row["high"] - row["regret"]]]
                axes.errorbar(row["width"], row["regret"], spread, **_point(palette, k))
            for k, words in enumerate(KINDS):
                axes.plot([], [], **_point(palette, k), label=words)
            charts.name_axes(axes, f"width at T = {AT}", title=TITLES[place], log="x")
            charts.name_ticks(axes.xaxis, (0.5, 1.0, 2.0, 4.0, 8.0))
            axes.set_ylim(bottom=0.0)
        charts.name_axes(panels[0], y=f"regret of {AT} evaluations")
        charts.legend_above(canvas, panels[0], 3)

    numbers = cells(rows[rows.instance.isin(tuple(width_coverage.GRID))], "{id}, {instance}: {}", ["regret"])
    return Figure(draw, size=(8.4, 3.6), where=provenance(), numbers=numbers)
