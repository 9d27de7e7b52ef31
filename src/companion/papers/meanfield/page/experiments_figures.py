"""Figures and tables of the section "The paper's experiments again", from the stored runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from companion.core.arrays import Floats
from companion.pages import Canvas, Palette, Table, charts, figure, provenance_of, table
from companion.pages.figures import MARKERS
from companion.pages.tables import smallest
from companion.papers.meanfield.experiments.printed import NAME_OF, OURS, TITLE_OF, MeanFieldResults
from companion.papers.meanfield.page.problems import reading_rows
from companion.papers.meanfield.page.stored_runs import (
    METHODS,
    control_rows,
    final_rows,
    printed_rows,
    time_rows,
    variant_rows,
)

# -- the figures of the paper ------------------------------------------------------------------------------------------


@figure(size=(9.2, 5.0))
def curves(canvas: Canvas, palette: Palette, evidence: MeanFieldResults, problems: tuple[str, ...]) -> None:
    """Figure ``number`` of the paper again: best reward so far, and what the law behind it is worth."""
    shown = [name for name in problems if name in evidence.problems]
    panels = canvas.subplots(2, len(shown), squeeze=False, sharex=True)
    for (top, bottom), problem in zip(panels.T, shown, strict=True):
        for k, method in enumerate(METHODS):
            if method in evidence.methods(problem):
                _curve(top, evidence.best_so_far(problem, method), method, k, palette)
                bound = float(evidence.of(problem, method).upper_bound.iloc[0])
                gap = bound - evidence.best_so_far(problem, method, "law_reward")
                _curve(bottom, np.maximum(gap, 1e-6), method, k, palette)
        top.axhline(bound, color=palette.accent, ls=":", lw=1.3)
        top.set_title(f"{TITLE_OF[problem]}\n{evidence.label(problem)}", fontsize=9)
        charts.name_axes(bottom, "evaluation", log="y")
        charts.narrow_ticks(bottom)
    panels[0][0].set_ylabel("best reward so far")
    panels[1][0].set_ylabel("its law's regret")
    charts.legend_above(canvas, panels[0][0], 5)


def _curve(axes: Axes, runs: Floats, method: str, k: int, palette: Palette) -> None:
    mean, error = charts.mean_and_error(runs)
    across = np.arange(1, len(mean) + 1)
    style = charts.look(palette, charts.PLAIN if method == "random" else k)
    charts.band(axes, across, mean - charts.above_zero(mean, error), mean + error, style["color"], 0.2)
    axes.plot(across, mean, lw=2.2 if method == OURS else 1.3, label=NAME_OF[method], **style)
    at = slice(k * 7 % (len(mean) // 5), None, len(mean) // 5)
    axes.plot(across[at], mean[at], MARKERS[k], color=style["color"], ls="", ms=3.5)


def finals(evidence: MeanFieldResults, problems: tuple[str, ...]) -> Table:
    """Rewards at the end, and how far from the optimum they are."""
    rows = final_rows(evidence, problems)
    upward = {"best reward": -1.0, "reward of its law": -1.0, "its gap": 1.0, "law's gap": 1.0, "mean regret": 1.0}
    signed = pd.DataFrame({column: sign * rows[column] for column, sign in upward.items()})
    return Table(rows, where=provenance_of(evidence), digits=3, best=smallest(signed, rows.problem))


def times(evidence: MeanFieldResults) -> Table:
    """Table 2 as ratios."""
    rows = time_rows(evidence)
    slower = [pd.to_numeric(rows[f"{whose} ratio"].str.split().str[0], errors="coerce") for whose in ("printed", "our")]
    turned = slower[1].notna() & ((slower[0] > 1) != (slower[1] > 1)) & (rows.method != NAME_OF[OURS])
    return Table(
        rows,
        where=provenance_of(evidence),
        digits=3,
        turned=turned.to_frame("our ratio"),
        formats={"our seconds": lambda value: "–" if np.isnan(value) else f"{value:.2g}"},
    )


# -- settings, claims and differences ----------------------------------------------------------------------------------


def variants(evidence: MeanFieldResults, *settings: str) -> Table:
    """MF-GP-UCB with one setting changed, for the variants that set one of ``settings``."""
    rows = variant_rows(evidence)
    rows = rows[rows.setting.str.partition("=")[0].isin(settings)]
    regrets = [
        f"{own:.2f} / {plain:.2f}" for own, plain in zip(rows["mean regret"], rows["default's regret"], strict=True)
    ]
    shown = rows.drop(columns=["mean regret", "default's regret"]).assign(**{"regret / default's": regrets})
    return Table(with_interval(shown, "difference of the laws"), where=provenance_of(evidence), digits=3)


def with_interval(rows: pd.DataFrame, title: str) -> pd.DataFrame:
    """The difference and the ends of its interval as one column: the difference with its interval in brackets."""
    ends = ("difference", "95 % from", "to")
    texts = [f"{d:+.2g} ({low:.2g} to {high:.2g})" for d, low, high in rows[list(ends)].itertuples(index=False)]
    at = list(rows.columns).index("difference")
    kept = rows.drop(columns=list(ends))
    kept.insert(at, f"{title} (95 % interval)", texts)
    return kept


def controls(evidence: MeanFieldResults) -> Table:
    """The strongest of the companion's controls beside MF-GP-UCB."""
    rows = control_rows(evidence)
    return Table(with_interval(rows, "difference"), where=provenance_of(evidence), digits=3)


printed_penalty = table(printed_rows, digits=4)


penalty_readings = table(reading_rows)
