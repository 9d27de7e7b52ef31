"""Figures and tables of the section "The paper's experiments again"; all data come from the studies beside it."""

from __future__ import annotations

import numpy as np

from companion.pages import Canvas, Palette, Table, charts, figure, provenance_of, table
from companion.pages.figures import DASHES
from companion.pages.tables import smallest
from companion.papers.compressed.experiments.parameters import READINGS
from companion.papers.compressed.experiments.printed import CompressedResults
from companion.papers.compressed.experiments.runs import DENSE
from companion.papers.compressed.method.policy import ACQUISITIONS
from companion.papers.compressed.page.stored_runs import APART, CURVES, claim_rows, frozen_rows, part_rows, ratio_rows

#: Curves of Figures 1 to 3 by their label at the right end; the others are the dense one's and BKB's.
SHOWN = {"info-horizon": 0, "unit": 1, "raw": 2}


@figure(size=(9.0, 8.6))
def curves(canvas: Canvas, palette: Palette, evidence: CompressedResults, problem: str) -> None:
    """A figure of the paper again: average regret against round and clock, and model order, under three acquisitions."""
    panels = canvas.subplots(3, len(ACQUISITIONS), sharex="row", sharey="row")
    for column, acquisition in zip(panels.T, ACQUISITIONS, strict=True):
        # The printed rule makes the dense choices: its curve would hide the dense one.
        for label, model, variant in (entry for entry in CURVES if entry[2] != READINGS[0]):
            style = _curve_style(palette, label, variant)
            _curve(column, evidence, problem, f"{model}-{acquisition}", variant, style)
        charts.name_axes(column[0], "round", title=acquisition.upper(), log="y")
        charts.name_axes(column[1], "seconds", log="xy")
        charts.name_axes(column[2], "round", log="y")
    regret = "average regret" if problem == "example-function" else "average regret, sd of f"
    for axes, name in zip(panels[:, 0], (regret, regret, "model order"), strict=True):
        axes.set_ylabel(name)
        charts.plain_ticks(axes.yaxis)
    for axes in panels[(0, 2), :].ravel():
        charts.name_ends(axes, _short)
    charts.legend_above(canvas, panels[0, 0], 6)


def _curve_style(palette: Palette, label: str, variant: str) -> charts.Style:
    """Style of a curve: prominent for the methods compared, a broad line behind for dense, thin and grey for BKB."""
    if variant == DENSE:
        return {"color": palette.faint, "ls": "-", "lw": 5.0, "label": "dense"}
    if label not in SHOWN:
        return {"color": palette.muted, "ls": DASHES[3 if variant == "bkb-1" else 1], "lw": 1.0, "label": label}
    return charts.marked(palette, SHOWN[label], ms=4, markevery=(3 * SHOWN[label], 8), label=label)


def _short(label: str) -> str:
    """A label that fits beside a narrow panel."""
    return label.removeprefix("info-").replace(", q̄ =", "")


def _curve(
    column: np.ndarray, evidence: CompressedResults, problem: str, method: str, variant: str, style: charts.Style
) -> None:
    """One method in the three panels of a column: regret by round, regret by the clock, model order by round."""
    rows = evidence.curve("curves", problem, method, variant)
    clock = evidence.curve("clock", problem, method, variant)
    seconds = rows["round"].map(dict(zip(clock["round"], clock.seconds, strict=True)))
    drawn = ((rows["round"], rows.average_regret), (seconds, rows.average_regret), (rows["round"], rows.model_order))
    for axes, (across, values) in zip(column, drawn, strict=True):
        axes.plot(across, values, **style)


def ratios(evidence: CompressedResults, problem: str) -> Table:
    """A table of times as ratios."""
    rows = ratio_rows(evidence, problem)
    ours = rows[[label for label, *_ in CURVES[1:]]]
    less, more = ours.lt(1 - APART) & (rows.printed > 1).to_numpy()[:, None], ours.gt(1 + APART)
    turned = less | (more & (rows.printed < 1).to_numpy()[:, None])
    return Table(rows, where=provenance_of(evidence), digits=2, best=smallest(ours.T).T, turned=turned)


claims = table(claim_rows)
parts = table(part_rows)


frozen = table(frozen_rows, digits=3)
