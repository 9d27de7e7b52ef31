"""One picture of when robustness pays: regret over ERBO's against shift over radius."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from companion.pages import Figure, Table, charts, provenance_of
from companion.pages.figures import Palette
from companion.papers.across.experiments.shifts import OWN
from companion.papers.across.page.shifts import TITLES, shift_study
from companion.papers.wdrbo.experiments.general_claims import BLOCK, FIRST
from companion.papers.wdrbo.experiments.printed import TITLE_OF, WDRBOResults
from companion.papers.wdrbo.method.methods import READINGS
from companion.papers.wdrbo.page.delivery import Insurances
from companion.papers.wdrbo.page.robustness import data_driven_rows
from companion.papers.wdrbo.problems.general import RADIUS, laws
from companion.papers.wdrbo.problems.transport import law_distance

#: Rules whose break-evens are ringed: the first is better beyond.
MEETING = (("WDRBO", "ERBO"), ("WDRBO", "forecast updated"), ("forecast updated", "ERBO"))


def shift_figure(evidence: WDRBOResults, method: str) -> Figure:
    """Regret of a robust rule over ERBO's: on chapter 5's seven problems, and against shift over radius, a line for each problem;
    filled marks stand after Holm's correction."""
    study = shift_study()

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = charts.row_of(canvas, 2, width_ratios=(1, 1.35))
        _on_samples(left, palette, evidence, method)
        for k, (line, name) in enumerate(TITLES.items()):
            part = study.rows[(study.rows.line == line) & (study.rows.method == method)].sort_values("shift")
            charts.shown_marks(right, part["shift"] + 0.03 * (k - 2.5), part, "ratio", palette, k, label=name)
        one, two = evidence.pair("general", method, "erbo", variant=FIRST, block=BLOCK)
        star: charts.Style = {"color": palette.accent, "mec": palette.paper, "ms": 15, "ls": "none", "zorder": 4}
        right.plot(law_distance(*laws()) / RADIUS, one.mean() / two.mean(), "*", label="Figure 1 as published", **star)
        right.axhline(1.0, color=palette.ink, lw=1.2)
        charts.name_axes(right, "shift over radius", title="The reference is wrong by a shift", log="y")
        charts.name_ticks(right.xaxis, sorted(set(study.rows["shift"])))
        charts.name_ticks(left.yaxis, (0.2, 0.5, 1.0, 2.0, 5.0, 10.0))
        charts.legend_above(canvas, right, 4, fontsize=8.5)

    return Figure(draw, size=(8.8, 4.6), where=provenance_of(study) + provenance_of(evidence))


def _on_samples(axes: Axes, palette: Palette, evidence: WDRBOResults, method: str) -> None:
    """Regret over ERBO's on chapter 5's seven problems, with the settings of the text and of the code."""
    for k, reading in enumerate(READINGS):
        part = data_driven_rows(evidence, reading, method).query("column == 'total'")
        if len(part):
            across = part.problem.map(evidence.problems.index) + 0.2 * (k - 0.5)
            charts.shown_marks(axes, across, part, "ratio", palette, k, ls="none", label=f"settings of the {reading}")
    names = [TITLE_OF[name] for name in evidence.problems]
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right", fontsize=9)
    axes.axhline(1.0, color=palette.ink, lw=1.2)
    charts.name_axes(axes, y="regret over ERBO's", title="The reference is a sample", log="y")
    charts.name_ticks(axes.yaxis, (0.5, 1.0, 2.0, 5.0, 10.0))
    axes.legend(fontsize=9, loc="upper left")


def insurance_figure(evidence: WDRBOResults, insured: Insurances) -> Figure:
    """When caution pays: WDRBO over ERBO on chapter 5's seven problems; four rules on its delivery round, whose truth
    moves away from the forecast."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = charts.row_of(canvas, 2, sharey=False)
        _on_samples(left, palette, evidence, "wdrbo")
        rows = insured.rows[insured.rows.widens]
        for k, (rule, part) in enumerate(rows.groupby("rule", sort=False)):
            charts.band(right, part.distance, part.low, part.high, palette.series[k])
            right.plot(part.distance, part.regret, label=rule, **charts.marked(palette, k))
        meetings = zip(*(insured.meets(*pair) for pair in MEETING), strict=True)
        right.plot(*meetings, "o", mfc="none", mec=palette.ink, mew=1.6, ms=13, zorder=5, label="break-even")
        charts.name_axes(right, "distance of the truth from the forecast", "cumulative regret", "The forecast is wrong")
        right.set_ylim(bottom=0.0)
        right.legend(fontsize=9, loc="lower left", ncols=2)

    return Figure(draw, size=(8.0, 4.2), where=provenance_of(insured) + provenance_of(evidence))


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
    return Table(pd.DataFrame(rows), where=provenance_of(study))
