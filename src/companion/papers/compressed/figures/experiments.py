"""Figures and tables of the section "The paper's experiments again"; all data come from ``studies``."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.papers.compressed.method.policy import ACQUISITIONS
from companion.papers.compressed.plan.runs import DENSE
from companion.papers.compressed.studies.live import live_rows
from companion.papers.compressed.studies.paper import (
    CURVES,
    Evidence,
    claim_rows,
    frozen_rows,
    part_rows,
    ratio_rows,
)
from companion.papers.compressed.studies.printed_settings import printed_rows, setting_rows
from companion.report import Figure, Palette, Table, charts, where_of
from companion.report.figures import DASHES, MARKERS


def curves(evidence: Evidence, problem: str) -> Figure:
    """A figure of the paper again: average regret against round and clock, and model order, under three acquisitions."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(3, len(ACQUISITIONS), sharex="row", sharey="row")
        for column, acquisition in zip(panels.T, ACQUISITIONS, strict=True):
            for k, (label, model, variant) in enumerate(CURVES):
                color = palette.ink if variant == DENSE else palette.series[k - 1]
                style: charts.Style = {"color": color, "ls": DASHES[k], "marker": MARKERS[k], "ms": 4, "label": label}
                width, first = (2.6, 0) if k == 0 else (1.4, 3 * k % 7)
                style |= {"lw": width, "markevery": (first, 8)}
                _curve(column, evidence, problem, f"{model}-{acquisition}", variant, style)
            charts.name_axes(column[0], "round", title=acquisition.upper(), log="y")
            charts.name_axes(column[1], "seconds", log="xy")
            charts.name_axes(column[2], "round", log="y")
        regret = "average regret" if problem == "example-function" else "average regret, sd of f"
        for axes, name in zip(panels[:, 0], (regret, regret, "model order"), strict=True):
            axes.set_ylabel(name)
            charts.plain_ticks(axes.yaxis)
        charts.legend_above(canvas, panels[0, 0], 4)

    return Figure(draw, size=(9.0, 8.6), where=evidence.where)


def _curve(
    column: np.ndarray, evidence: Evidence, problem: str, method: str, variant: str, style: charts.Style
) -> None:
    """One method in the three panels of a column: regret by round, regret by the clock, model order by round."""
    rows = evidence.curve("curves", problem, method, variant)
    clock = evidence.curve("clock", problem, method, variant)
    seconds = rows["round"].map(dict(zip(clock["round"], clock.seconds, strict=True)))
    drawn = ((rows["round"], rows.average_regret), (seconds, rows.average_regret), (rows["round"], rows.model_order))
    for axes, (across, values) in zip(column, drawn, strict=True):
        axes.plot(across, values, **style)


def ratios(evidence: Evidence, problem: str) -> Table:
    """A table of times as ratios."""
    return Table(ratio_rows(evidence, problem), where=evidence.where, digits=2)


def claims(evidence: Evidence) -> Table:
    """Verdicts by reading."""
    return Table(claim_rows(evidence), where=evidence.where)


def parts(evidence: Evidence) -> Table:
    """The parts of Figures 1 to 3 that depend on the rule."""
    return Table(part_rows(evidence), where=evidence.where)


def frozen(evidence: Evidence) -> Table:
    """What happens after the first rejection."""
    return Table(frozen_rows(evidence), where=evidence.where, digits=3)


def settings() -> Table:
    """Settings of the three experiments."""
    return Table(setting_rows())


def printed_times(evidence: Evidence) -> Table:
    """Table 4 as printed."""
    return Table(printed_rows(evidence, "Table 4"), where=evidence.where)


def live(runs: pd.DataFrame) -> Table:
    """Runs made now beside the stored ones."""
    return Table(live_rows(runs), where=where_of(runs))
