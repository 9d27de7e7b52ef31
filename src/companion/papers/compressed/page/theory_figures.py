"""Figures and tables of one run and of the sections on the bounds; all data come from the studies beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.pages import Palette, Table, charts, figure, table, where_of
from companion.pages.figures import DASHES, MARKERS
from companion.pages.tables import significant
from companion.papers.compressed.page.improvement import FORMS as IMPROVEMENT_FORMS
from companion.papers.compressed.page.improvement import ImprovementStudy, exceeded_rows
from companion.papers.compressed.page.parts import CHARGED, WHAT, PartStudy, beside_least
from companion.papers.compressed.page.picture import Freeze, Picture
from companion.papers.compressed.page.regret import BEFORE, FORMS, BoundStudy

#: Marks of rejected and of kept rounds: marker, number of the colour, name.
_OUTCOMES = (("x", 1, "rejected"), ("o", 0, "kept"))


@figure(size=(8.8, 4.8))
def one_run(canvas: Canvas, palette: Palette, picture: Picture) -> None:
    """Where every round plays and whether it is kept: over the domain, by what it would teach, and summed up."""
    rounds = np.arange(1, len(picture.kept) + 1)
    grid = canvas.subplots(2, 2, sharex="col", width_ratios=(1.25, 1))
    (function, gain), (choices, total) = grid
    x, mean, sd = picture.x, picture.mean, picture.sd
    charts.band(function, x, mean - 2 * sd, mean + 2 * sd, palette.muted)
    function.plot(x, mean, color=palette.muted, ls="--", label="posterior mean, ± 2 sd")
    function.plot(x, picture.values, color=palette.ink, ls="-", lw=1.3, label="f, unknown")
    for shown, (marker, color, outcome) in zip((~picture.kept, picture.kept), _OUTCOMES, strict=True):
        style: charts.Style = {"ls": "none", "marker": marker, "color": palette.series[color], "label": outcome}
        function.plot(x[picture.chosen[shown]], picture.values[picture.chosen[shown]], **style, ms=5)
        choices.plot(x[picture.chosen[shown]], rounds[shown], **style, ms=4)
        gain.plot(rounds[shown], picture.gain[shown], **style, ms=4)
    gain.axhline(picture.budget, color=palette.ink, ls="--", lw=1.2)
    place: charts.Style = {"xytext": (-2, 4), "textcoords": "offset points", "ha": "right", "fontsize": 8.5}
    gain.annotate("budget ε", (rounds[-1], picture.budget), **place)
    charts.name_axes(function, y="f", title="After the last round")
    charts.name_axes(choices, "x", "round t", "Where each round plays")
    choices.set_xlim(x[0], x[-1])
    choices.invert_yaxis()
    charts.name_axes(gain, title="What the round would teach, nats", log="y")
    charts.name_axes(total, "round t", title="What was learnt, nats")
    for taught, ls, shade, words in (
        (picture.dense_gain, ":", palette.ink, f"all {rounds[-1]} points"),
        (picture.gain * picture.kept, "-", palette.series[0], f"{picture.copies.sum()} points"),
    ):
        total.step(rounds, np.cumsum(taught), ls=ls, color=shade, where="post")
        below = place | ({"xytext": (-2, -12)} if ls == "-" else {})
        total.annotate(words, (rounds[-1], taught.sum()), **below | {"color": shade})
    total.set_ylim(0, 1.12 * picture.dense_gain.sum())
    charts.legend_above(canvas, function, 4)


@figure(size=(8.6, 3.1))
def frozen_choices(canvas: Canvas, palette: Palette, study: Freeze) -> None:
    """Where UCB and EI play from round to round under a large budget, from the same two points."""
    names = {"ucb": "UCB", "ei": "Expected improvement"}
    for axes, (name, title) in zip(charts.row_of(canvas, 2), names.items(), strict=True):
        chosen, kept = study.x[study.chosen[name]], study.kept[name]
        rounds = np.arange(1, len(kept) + 1)
        axes.axhline(study.best, color=palette.ink, ls="--", lw=1.2, label="maximiser")
        for shown, (marker, color, outcome) in zip((~kept, kept), _OUTCOMES, strict=True):
            axes.plot(rounds[shown], chosen[shown], marker, color=palette.series[color], ms=5, label=outcome)
        charts.name_axes(axes, "round t", title=title, log="x")
        axes.set_ylim(-0.03, 1.03)
    canvas.axes[0].set_ylabel("where it plays")
    charts.legend_above(canvas, canvas.axes[0], 3)


# -- the bounds --------------------------------------------------------------------------------------------------------


def constants(rows: pd.DataFrame) -> Table:
    """Every explicit constant of the theorems."""
    return Table(rows)


#: What is promised or measured, of all constants.
PROMISED = ("⌈1/u − σ²⌉", "M_T", "bound", "R_T", "T(max f − min f)")


def promises(rows: pd.DataFrame) -> Table:
    """The constants that promise something, and what was measured."""
    return Table(rows[rows.symbol.isin(PROMISED)], where=where_of(rows))


@figure(size=(8.8, 3.8))
def bound(canvas: Canvas, palette: Palette, study: BoundStudy) -> None:
    """Measured regret with the forms of the bound and the trivial one over the horizon."""
    rows = study.rows
    left, right = charts.row_of(canvas, 2, sharey=False)
    charts.band(left, rows["T"], rows.low, rows.high, palette.series[0])
    left.plot(rows["T"], rows.regret, "o-", color=palette.series[0], label="measured regret")
    colors = [*palette.series[1 : len(FORMS)], palette.accent]
    for k, (name, color) in enumerate(zip(FORMS, colors, strict=True)):
        style: charts.Style = {"color": color, "ls": DASHES[k + 1], "label": name}
        left.plot(rows["T"], rows[name], **style)
        right.plot(rows["T"], rows[name] / rows.trivial, marker=MARKERS[k], **style)
    left.plot(rows["T"], rows.trivial, color=palette.muted, ls=":", label="trivial bound")
    charts.name_axes(left, "horizon T", "cumulative regret", "Regret and bounds", log="xy")
    left.legend()
    right.axhline(1.0, color=palette.muted, ls=":")
    charts.name_axes(right, "horizon T", "over the trivial bound", "When are they informative?", log="x")
    right.set_ylim(bottom=0)


@figure(size=(8.8, 4.8))
def waterfall(canvas: Canvas, palette: Palette, study: BoundStudy, words: Mapping[str, str]) -> None:
    """What each inequality of the proof gives away.

    Parameters
    ----------
    study : with the chains
    words : what a step does, by its name, as the page says it
    """
    added = len(next(iter(study.chains.values()))) - BEFORE
    chains = {
        title: replace(chain, steps=tuple(replace(step, name=words[step.name], statement="") for step in chain))
        for title, chain in study.chains.items()
    }
    steps = charts.waterfall(chains, (), last=added)
    steps(canvas, palette)
    for axes, (title, chain) in zip(canvas.axes, chains.items(), strict=True):
        first, last = (significant(chain.steps[k].value, 3) for k in (0, -1))
        axes.set_title(f"{words.get(title, title)}: from {first} to {last}\n")
        axes.tick_params(axis="y", labelsize=8.5)
        for name, value, shade, side in (
            ("trivial", chain.side["trivial"], palette.muted, "right"),
            ("printed", chain.steps[-1].value, palette.accent, "left"),
        ):
            axes.axvline(value, color=shade, ls=":", lw=1.3)
            place: charts.Style = {"transform": axes.get_xaxis_transform(), "va": "bottom", "ha": side}
            axes.text(value, 1.0, f"{name} {significant(value, 3)}", color=shade, fontsize=8, **place)
    charts.clear_factors(canvas)


def named(statement: str) -> str:
    """A statement as the paper has it: Lemma 9.6 for lemma-9.6, eq. (9.20) for eq-9.20; a dash stays."""
    kind, _, number = statement.partition("-")
    if not number:
        return statement
    return f"eq. ({number})" if kind == "eq" else f"{kind.capitalize()} {number}".replace("-i", "(i)")


@figure(size=(8.8, 4.3))
def parts(canvas: Canvas, palette: Palette, study: PartStudy) -> None:
    """Shares of the rejected rounds, and what the theorem charges for them."""
    rows = study.rows
    left, right = charts.row_of(canvas, 2, sharey=False)
    alpha = "exponent α of the budget"
    for k, name in enumerate(WHAT.values()):
        left.plot(rows.alpha, rows[name], label=name, **charts.marked(palette, k))
    left.plot(rows.alpha, rows[CHARGED], label=CHARGED, **charts.marked(palette, 4, color=palette.accent, lw=2.2))
    charts.name_axes(left, alpha, "share", "Share of the rejected rounds")
    left.set_ylim(-0.03, 1.03)
    for k, kind in enumerate(("retained", "rejected")):
        right.plot(rows.alpha, rows[f"{kind} regret"], label=f"{kind} rounds", **charts.marked(palette, k))
    total = rows["retained regret"] + rows["rejected regret"]
    right.plot(rows.alpha, total, color=palette.ink, ls="-", marker=MARKERS[2], label="all rounds")
    charts.name_axes(right, alpha, "cumulative regret", "Where the regret comes from")
    right.set_ylim(bottom=0)
    for axes, columns in ((left, 2), (right, 3)):
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=columns)


least_table = table(beside_least, digits=3)


@figure(size=(9.2, 3.6))
def improvement(canvas: Canvas, palette: Palette, study: ImprovementStudy) -> None:
    """Regret of EI with the forms of its bound, the constant R, and the step that fails."""
    rows, arms = study.rows, study.arms
    left, middle, right = charts.row_of(canvas, 3, sharey=False)
    left.plot(rows["T"], rows.regret, "o-", color=palette.series[0], label="measured regret")
    colors = (palette.accent, palette.series[1], palette.series[2], palette.muted)
    for k, (name, color) in enumerate(zip(IMPROVEMENT_FORMS, colors, strict=True)):
        left.plot(rows["T"], rows[name], color=color, ls=DASHES[k + 1], label=name)
    charts.name_axes(left, "horizon T", "cumulative regret", "Bounds of EI", log="xy")
    left.set_ylim(top=float(rows[list(IMPROVEMENT_FORMS)].to_numpy().max()) * 60)
    charts.band(middle, rows["T"], rows["R low"], rows["R high"], palette.series[0])
    middle.plot(rows["T"], rows.R, "o-", color=palette.series[0])
    charts.name_axes(middle, "horizon T", title="The “constant” R", log="x")
    middle.set_ylim(bottom=0)
    right.plot(arms.t, arms.maximiser, color=palette.accent, ls="--", label="at the maximiser")
    right.plot(arms.t, arms.allowed, color=palette.ink, ls="-", label="allowed by (9.26)")
    right.plot(arms.t, arms.chosen, color=palette.series[0], ls="-.", label="at the choices")
    charts.name_axes(right, "round t", title="Summed variances, many arms")
    for axes in (left, right):
        axes.legend(loc="upper left")


def improvement_table(study: ImprovementStudy) -> Table:
    """The sound chain of the proof, and the broken one at the maximiser."""
    chains = {"compressed EI": study.chain, "independent arms": study.broken}
    rows = [charts.chain_rows({"value": chain}).assign(chain=name) for name, chain in chains.items()]
    table = pd.concat(rows, ignore_index=True)[["chain", "step", "why", "statement", "value"]]
    return Table(table, where=where_of(study), formats={"statement": named})


def exceeded(study: ImprovementStudy) -> Table:
    """Where the printed bound of EI is exceeded, and for which R."""
    shares = dict.fromkeys(("allowed", "above (3.6)", "above (9.27)"), "{:.2%}".format)
    return Table(exceeded_rows(study), where=where_of(study), formats=shares)
