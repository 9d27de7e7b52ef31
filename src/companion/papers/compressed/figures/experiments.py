"""Figures and tables of the section "The paper's experiments again"; all data come from ``studies``."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.papers.compressed.method.policy import ACQUISITIONS
from companion.papers.compressed.parameters import READINGS
from companion.papers.compressed.plan.runs import DENSE
from companion.papers.compressed.studies.live import live_rows
from companion.papers.compressed.studies.paper import (
    CURVES,
    PLACES,
    TITLES,
    Evidence,
    claim_rows,
    frozen_rows,
    part_rows,
    ratio_rows,
)
from companion.papers.compressed.studies.printed_settings import printed_rows, setting_rows
from companion.report import Figure, Palette, Table, charts, say, where_of
from companion.report.figures import DASHES, MARKERS
from companion.report.text import Sentence


def curves(evidence: Evidence, problem: str) -> Figure | Sentence:
    """A figure of the paper again: average regret against round and clock, and model order, under three acquisitions."""
    if not evidence.has(problem):
        return _left_out(evidence, problem)

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

    figure, _ = PLACES[problem]
    seeds = evidence.of(problem, "gp-ucb", variant=DENSE).seed.nunique()
    return Figure(
        draw,
        alt=f"Nine panels for {TITLES[problem]}: columns UCB, EI and MPI; rows average regret against the round, average "
        "regret against CPU time, and model order against the round, for the dense method, four readings of the rule and two "
        f"settings of BKB. {_last_in_words(evidence, problem)}",
        caption=f"{figure} again: {TITLES[problem]}, means over {seeds} seeds. Top: average regret against the round. "
        "Middle: the same against CPU time with the posterior computed anew every round"
        + (", training times included" if problem.startswith("logistic") else "")
        + ". Bottom: model order."
        + ("" if problem == "example-function" else " Regret is in standard deviations of f over the candidates.")
        + " The printed rule (info-printed) lies on the dense curve.",
        size=(9.0, 8.6),
        where=evidence.where,
    )


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


def _last_in_words(evidence: Evidence, problem: str) -> str:
    parts = []
    for acquisition in ACQUISITIONS:
        dense = evidence.runs(problem, f"gp-{acquisition}", DENSE, "model_order").mean()
        ours = [evidence.runs(problem, f"cgp-{acquisition}", reading, "model_order").mean() for reading in READINGS]
        listed = ", ".join(f"{reading} {value:.0f}" for reading, value in zip(READINGS, ours, strict=True))
        parts.append(f"{acquisition.upper()}: dense {dense:.0f}, {listed}")
    return f"Model orders at the end: {'; '.join(parts)}."


def _left_out(evidence: Evidence, problem: str) -> Sentence:
    return say("Not among the stored runs: {name}.", name=TITLES[problem], where=evidence.where)


def ratios(evidence: Evidence, problem: str) -> Table | Sentence:
    """A table of times as ratios."""
    if not evidence.has(problem):
        return _left_out(evidence, problem)
    _, table = PLACES[problem]
    return Table(
        ratio_rows(evidence, problem),
        caption=f"{table} as ratios: time over that of the uncompressed method of the same acquisition, printed and ours, "
        "mean over seeds, with the posterior computed anew every round and with the companion's engine"
        + ("; the stored training times of what was evaluated count" if problem.startswith("logistic") else "")
        + ". Absolute times belong to a machine and are not compared.",
        where=evidence.where,
        digits=2,
    )


def claims(evidence: Evidence) -> Table:
    """Verdicts by reading."""
    return Table(
        claim_rows(evidence),
        caption="Claims about the experiments that depend on the rule, under every reading; those about the clock with the "
        "posterior computed anew every round, and with the companion's engine. The verdict of record is that of "
        "info-printed, the rule and constants as printed; the parts of each test are on the verdicts page.",
        where=evidence.where,
    )


def parts(evidence: Evidence) -> Table:
    """The parts of Figures 1 to 3 that depend on the rule."""
    margins = evidence.margins.claims
    return Table(
        part_rows(evidence),
        caption="The two claims of every figure that depend on the rule, apart for each acquisition: average regret at most "
        f"{margins['comparable']:g} times the dense one's, and the last point kept within {margins['settled_within']:.0%} of "
        f"the rounds in {margins['settled_runs']:.0%} of the runs; the rounds are those of our horizon, as the paper prints "
        "none. Under EI and MPI an order settles by construction once anything is rejected.",
        where=evidence.where,
    )


def frozen(evidence: Evidence) -> Table:
    """What happens after the first rejection."""
    return Table(
        frozen_rows(evidence),
        caption="From the first rejection on (median over seeds of its round): points kept later, average regret, and the "
        "regret of the last round, beside the dense method's. Under the printed constants nothing is rejected.",
        where=evidence.where,
        digits=3,
    )


def settings() -> Table:
    """Settings of the three experiments."""
    return Table(
        setting_rows(),
        caption="Settings of the three experiments. A dash: the paper does not say, and the choice is the companion's.",
    )


def printed_times(evidence: Evidence) -> Table:
    """Table 4 as printed."""
    return Table(
        printed_rows(evidence, "Table 4"),
        caption="Table 4 of the paper as printed: clock time in hours.",
        where=evidence.where,
    )


def live(runs: pd.DataFrame) -> Table:
    """Runs made now beside the stored ones."""
    return Table(
        live_rows(runs),
        caption="Runs made when this page was computed beside the stored ones of the same seeds.",
        where=where_of(runs),
    )
