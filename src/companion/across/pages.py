"""Picture and table of the page that asks when a bound says something; the words stand on the page."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.across.gains import LENGTHSCALE, NOISES, POINTS, candidates
from companion.across.horizons import ALPHA, DELTA, PAPERS, RATIO, Setting, averages, horizons, where
from companion.across.tried import FARTHEST, HORIZONS, PER_DECADE
from companion.report import Figure, Numbers, Table, charts
from companion.report.figures import Palette
from companion.report.tables import significant

TITLES = {
    "tsrsr": "TS-RSR, Theorem 1",
    "compressed": "Compressed UCB, Theorem 3.2(i)",
    "batched": "BPE, Theorem 1",
    "meanfield": "MF-GP-UCB, Theorem 4.1",
    "wdrbo": "WDRBO, Theorem 5",
}
FORMS = ("as printed", "sharper or repaired")
SHOWN = Setting(noise=0.3)
"""Setting of the picture, and the one that the figure to drag begins with."""
COMMON = {
    "line": SHOWN,
    "less noise": Setting(noise=0.1),
    "more noise": Setting(noise=1.0),
    "single points": Setting(noise=0.3, batch=1),
    "Matérn 3/2": Setting("matern32", noise=0.3),
    "square": Setting(dim=2, noise=0.3),
}
"""Columns of the table: each changes one thing of the first."""


def bounds_over_horizon() -> tuple[Figure, Numbers]:
    """All bounds over the trivial ones, printed on the left and sharper on the right."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = charts.row_of(canvas, 2)
        for k, paper in enumerate(PAPERS):
            found = averages(paper, SHOWN)
            for axes, values in zip(panels, found[:2], strict=True):
                axes.plot(HORIZONS, np.asarray(values) / found.trivial, label=TITLES[paper], **charts.look(palette, k))
        for axes, form in zip(panels, FORMS, strict=True):
            axes.axhline(1.0, color=palette.accent, ls=":", lw=1.2)
            charts.name_axes(axes, "evaluations T", title=form, log="xy")
            axes.set_ylim(0.05, 5e3)
        charts.name_axes(panels[0], y="bound over what any rule can lose")
        charts.legend_above(canvas, panels[0], 2)

    return Figure(draw, size=(8.4, 4.4), where=where()), page_numbers()


def horizon_table() -> tuple[Table, Numbers]:
    """From which horizon on every form says something, at :data:`COMMON`."""
    rows = []
    for paper in PAPERS:
        pairs = [horizons(paper, setting) for setting in COMMON.values()]
        for k, form in enumerate(FORMS):
            told = {name: about(pair[k]) for name, pair in zip(COMMON, pairs, strict=True)}
            rows.append({"theorem": TITLES[paper] if k == 0 else "", "form": form, **told})
    return Table(pd.DataFrame(rows), where=where()), page_numbers()


def about(horizon: float) -> str:
    """A horizon of the grid in two digits."""
    return significant(int(float(f"{horizon:.2g}"))) if math.isfinite(horizon) else "none"


def page_numbers() -> Numbers:
    """The settings, and the facts on which the page's words rest.

    ``tries``: T tried a decade. ``helps``: more noise brings TS-RSR's horizons forward, and no other's.
    """
    rising = {
        paper: [[horizons(paper, Setting(noise=noise))[k] for noise in NOISES] for k in (0, 1)] for paper in PAPERS
    }
    falling = rising.pop("tsrsr")
    cases = [horizons(paper, setting) for paper in PAPERS for setting in COMMON.values()]
    closed = [horizons("batched", setting)[0] for setting in COMMON.values()]
    single, batch = (horizons("tsrsr", COMMON[name]) for name in ("single points", "line"))
    return Numbers(
        noise=SHOWN.noise,
        less=COMMON["less noise"].noise,
        more=COMMON["more noise"].noise,
        batch=SHOWN.batch,
        line=candidates(1),
        side=POINTS[2],
        lengthscale=LENGTHSCALE,
        delta=DELTA,
        alpha=ALPHA,
        ratio=RATIO,
        tries=PER_DECADE,
        farthest=10**FARTHEST,
        first=about(min(horizons(paper, SHOWN)[0] for paper in PAPERS)),
        early=about(min(horizons(paper, SHOWN)[1] for paper in PAPERS)),
        late=about(max(horizons(paper, SHOWN)[1] for paper in PAPERS)),
        sharper=all(better <= printed for printed, better in cases),
        helps=all(sorted(row, reverse=True) == row and row[0] > row[-1] for row in falling)
        and all(sorted(row) == row for rows in rising.values() for row in rows),
        never=all(math.isinf(t) for t in closed),
        costs=single < batch,
        form=all(_moved_by_form(paper) for paper in ("batched", "meanfield")),
        rougher=all(
            ours >= line
            for paper in PAPERS
            for name in ("Matérn 3/2", "square")
            for line, ours in zip(horizons(paper, COMMON["line"]), horizons(paper, COMMON[name]), strict=True)
        ),
    )


def _moved_by_form(paper: str) -> bool:
    """Whether going from the printed to the better form moves a paper's horizon further than any change of setting."""
    printed, better = np.log(np.transpose([horizons(paper, setting) for setting in COMMON.values()]))
    settings = max(np.ptp(values[np.isfinite(values)]) for values in (printed, better) if np.isfinite(values).any())
    return bool((printed - better)[0] > settings)
