"""Figures of the sections on the bound; all data come from the studies beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure as Canvas

from companion.pages import Palette, charts, figure
from companion.pages.tables import significant
from companion.papers.wdrbo.page.bound import DATA, GENERAL, BoundStudy
from companion.papers.wdrbo.page.constants import GROWING, ConstantStudy
from companion.papers.wdrbo.page.constants import READINGS as FORMS
from companion.papers.wdrbo.page.radius import CHANCE, CONSTANTS, EXPERIMENT, SHARE, RadiusStudy


@figure(size=(8.8, 3.7))
def constants(canvas: Canvas, palette: Palette, study: ConstantStudy) -> None:
    """Regret and bounds against the regulariser, and bound over regret against the rounds."""
    left, right = charts.row_of(canvas, 2, sharey=False)
    rows, printed, repaired = study.rows, palette.accent, palette.series[2]
    left.plot(rows["lambda"], rows.regret, color=palette.series[0], marker="o", label="regret")
    for k, (name, title) in enumerate(FORMS.items()):
        color = repaired if name == "ours" else printed
        left.plot(rows["lambda"], rows[name], color=color, ls=("--", "-", "-.")[k], label=title)
    title = f"regret of {study.rounds} rounds"
    charts.name_axes(left, r"regulariser $\lambda$", title, "Regret and bounds", log="xy")
    left.legend()
    for k, lam in enumerate(GROWING):
        part = study.growing[study.growing["lambda"] == lam]
        style = charts.marked(palette, k)
        right.plot(part["rounds"], part.appendix / part.regret, mfc="none", **style | {"color": printed})
        right.plot([], [], label=rf"$\lambda={lam:g}$", **style | {"color": palette.muted})
        right.plot(part["rounds"], part.ours / part.regret, ms=3, **style | {"color": repaired})
    right.axhline(1, color=palette.ink, lw=1)
    right.plot([], [], color=printed, label="printed, appendix")
    right.plot([], [], color=repaired, label="repaired")
    charts.name_axes(right, "rounds T", "bound over regret", "As rounds are added", log="xy")
    right.legend(ncols=2)


@figure(size=(8.8, 3.1))
def bound(canvas: Canvas, palette: Palette, study: BoundStudy) -> None:
    """Measured regret, both bounds and the trivial one against the rounds, in both settings."""
    panels = charts.row_of(canvas, 2)
    shown: tuple[tuple[str, str, charts.Style], ...] = (
        ("regret", "mean regret", {"color": palette.series[0], "marker": "o", "ls": "-"}),
        ("largest", "largest of all runs", {"color": palette.series[0], "marker": "v", "ls": ":"}),
        ("trivial", "trivial bound", {"color": palette.muted, "ls": ":"}),
        ("ours", "repaired bound", {"color": palette.series[2], "ls": "-."}),
        ("appendix", "printed bound", {"color": palette.accent, "ls": "--"}),
    )
    for axes, setting in zip(panels, (GENERAL, DATA), strict=True):
        part = study.rows[study.rows.setting == setting]
        charts.band(axes, part["rounds"], part.low, part.high, palette.series[0], 0.3)
        for column, label, style in shown:
            axes.plot(part["rounds"], part[column], label=label, **style)
        charts.name_axes(axes, "rounds T", title=f"{setting} setting", log="y")
    panels[0].set_ylabel("cumulative expected regret")
    panels[0].legend(ncols=2, loc="lower right", fontsize=7.5)
    # With few runs an interval may reach below zero, which a logarithmic axis has not.
    lowest = study.rows[["low", "regret", "trivial"]]
    panels[0].set_ylim(bottom=float(lowest[lowest > 0].min().min()) / 6)


@figure(size=(8.8, 3.9))
def waterfall(canvas: Canvas, palette: Palette, study: BoundStudy, words: Mapping[str, str]) -> None:
    """The proof's inequalities one by one, in both settings.

    Parameters
    ----------
    study : see :func:`companion.papers.wdrbo.page.bound.bound_study`
    words : what to call a step on the page, by its name
    """
    chains = {}
    for setting in (GENERAL, DATA):
        chain, printed = study.chains[setting, "ours"], study.chains[setting, "printed"]
        steps = tuple(replace(step, name=words[step.name], statement="") for step in chain)
        chains[setting] = replace(chain, steps=steps, side={**chain.side, "printed": printed.steps[-1].value})
    bars = charts.waterfall(chains, (charts.TRIVIAL, ("printed", "printed", "--", "accent")), repaired=True)
    bars(canvas, palette)
    for axes, (setting, chain) in zip(canvas.axes, chains.items(), strict=True):
        first, last = (significant(chain.steps[k].value, 3) for k in (0, -1))
        axes.set_title(f"{setting}: from {first} to {last}\n")
        for text in axes.texts:  # the lines beside the bars, with their values
            if (name := text.get_text().strip()) in chain.side:
                text.set_text(f" {name} {significant(chain.side[name], 3)} ")
    charts.clear_factors(canvas)


#: What the radii are called, the theory's first.
RADII = {
    "theory": "Lemma 7, explicit covering number",
    "least": "Lemma 7, at least",
    "single": "Lemma 7, covering number one",
    "practice": r"used: $0.3/\sqrt{n}$",
    "needed": f"needed in {SHARE:.0%} of runs",
}


@figure(size=(8.0, 2.2))
def to_scale(canvas: Canvas, palette: Palette, study: RadiusStudy) -> None:
    """The radii after as many contexts as the experiments have rounds, as lengths beside the set of contexts."""
    row = study.at(EXPERIMENT)
    lengths = {"set of contexts": float(row.diameter)} | {
        RADII[name]: float(row[name]) for name in reversed(RADII) if name != "single"
    }
    edge = 1.3 * float(row.diameter)
    axes = canvas.subplots()
    colors = (palette.ink, palette.series[2], palette.series[0], palette.accent, palette.accent)
    for k, (length, color) in enumerate(zip(lengths.values(), colors, strict=True)):
        axes.barh(k, min(length, edge), color=color, height=0.34 if k == 0 else 0.5)
        if length > edge:
            axes.plot(edge, k, ">", color=color, ms=13, clip_on=False)
        text = significant(length, 3)
        inside = length > 0.8 * edge
        place = ((edge if length > edge else length) - 0.02, "right") if inside else (length + 0.015, "left")
        axes.text(place[0], k, text, ha=place[1], va="center", color=palette.paper if inside else palette.ink)
    axes.axvline(lengths["set of contexts"], color=palette.ink, lw=1, ls=":")
    axes.set_yticks(range(len(lengths)), list(lengths))
    axes.set(xlim=(0, edge), xlabel="length, in units of the context")
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")


@figure(size=(9.0, 3.9))
def radii(canvas: Canvas, palette: Palette, study: RadiusStudy) -> None:
    """All radii against the number of contexts."""
    left, right = charts.row_of(canvas, 2, width_ratios=(1.35, 1), sharey=False)
    rows = study.radii
    colors = (palette.accent, *palette.series)
    for k, (name, title) in enumerate(RADII.items()):
        left.plot(rows.contexts, rows[name], ms=3.5, label=title, **charts.marked(palette, k, color=colors[k]))
    diameter = float(rows.diameter.iloc[0])
    left.axhline(diameter, color=palette.ink, lw=1)
    left.text(float(rows.contexts.max()), 1.15 * diameter, "diameter", ha="right", fontsize=8)
    left.axvline(EXPERIMENT, color=palette.muted, lw=0.9)
    charts.name_axes(left, "contexts n", "radius", "The radius", log="xy")
    left.set_ylim(bottom=float(rows.needed.min()) / 3e3)
    left.legend(fontsize=7.5, loc="lower left")
    regret = study.regret
    across = np.arange(len(regret))
    style: charts.Style = {"fmt": "o", "color": palette.series[0], "capsize": 2}
    right.errorbar(regret.regret, across, xerr=charts.bars(regret, "regret"), **style)
    right.axvline(float(regret.regret.iloc[0]), color=palette.muted, lw=0.9, ls=":")
    right.set_yticks(across, [_tick(name) for name in regret.radius], fontsize=7.5)
    right.invert_yaxis()
    charts.name_axes(right, f"regret of {study.rounds} rounds", title="What it does", log="x")
    inside = 0.6 * regret.regret.min(), 1.6 * regret.regret.max()
    charts.name_ticks(right.xaxis, [v for v in (2, 5, 10, 20, 50, 100) if inside[0] < v < inside[1]])


def _tick(name: str) -> str:
    words = {CHANCE: "drawn uniformly", f"{CONSTANTS[0]:g}/√n": "0 (ERBO)"}
    return words.get(name, name.replace(", ", ",\n"))
