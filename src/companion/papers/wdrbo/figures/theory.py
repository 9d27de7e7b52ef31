"""Figures of the sections on the bound; all data come from ``studies``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure as Canvas

from companion.papers.wdrbo.studies.bound import DATA, GENERAL, BoundStudy, end_rows
from companion.papers.wdrbo.studies.constants import GROWING, ConstantStudy
from companion.papers.wdrbo.studies.constants import READINGS as FORMS
from companion.papers.wdrbo.studies.picture import NAMES, RADII, Picture
from companion.papers.wdrbo.studies.radius import CHANCE, CONSTANTS, EXPERIMENT, SHARE, RadiusStudy
from companion.report import Figure, Palette, Table, charts, where_of


def ball(picture: Picture) -> Figure:
    """Two rewards over the context, the told and the worst law, and worst means against the radius."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        grid = canvas.add_gridspec(2, 2, height_ratios=(1.6, 1))
        top = canvas.add_subplot(grid[0, 0])
        bottom = canvas.add_subplot(grid[1, 0], sharex=top)
        right = canvas.add_subplot(grid[:, 1])
        for k, name in enumerate(NAMES):
            top.plot(picture.contexts, picture.values[k], label=name, **charts.look(palette, k))
            right.plot(RADII, picture.exact[k], color=palette.series[k], ls="-", label=f"{name}, worst case")
            right.plot(RADII, picture.penalised[k], color=palette.series[k], ls=":", label=f"{name}, penalised")
        told, worst = np.flatnonzero(picture.told), np.flatnonzero(picture.worst > 1e-9)
        at = picture.contexts
        bottom.vlines(at[told], 0, picture.told[told], color=palette.ink, lw=2, label="told")
        bottom.vlines(at[worst], 0, -picture.worst[worst], color=palette.accent, lw=2, label="worst for the steep one")
        bottom.axhline(0, color=palette.muted, lw=0.8)
        bottom.set(xlabel="context c", ylabel="mass")
        bottom.set_yticks([])
        bottom.legend(ncols=2, loc="lower center", bbox_to_anchor=(0.5, 0.98), fontsize=8)
        top.set(ylabel="reward", title="Two decisions")
        top.legend()
        right.axvline(picture.radius, color=palette.muted, lw=0.9)
        right.set(xlabel=r"radius $\varepsilon$", title="Worth of both over the ball")
        right.legend()

    return Figure(
        draw,
        size=(8.8, 4.6),
        where=where_of(picture),
    )


def constants(study: ConstantStudy) -> Figure:
    """Regret and bounds against the regulariser, and bound over regret against the rounds."""

    def draw(canvas: Canvas, palette: Palette) -> None:
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

    return Figure(
        draw,
        size=(8.8, 3.7),
        where=where_of(study),
    )


def bound(study: BoundStudy) -> Figure:
    """Measured regret, both bounds and the trivial one against the rounds, in both settings."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = charts.row_of(canvas, 2)
        shown: tuple[tuple[str, str, charts.Style], ...] = (
            ("regret", "mean regret", {"color": palette.series[0], "marker": "o", "ls": "-"}),
            ("largest", "largest of all runs", {"color": palette.series[0], "marker": "v", "ls": ":"}),
            ("trivial", "trivial, 2BT", {"color": palette.muted, "ls": ":"}),
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
        panels[0].set_ylim(bottom=float(study.rows.low.min()) / 6)

    return Figure(
        draw,
        size=(8.8, 3.7),
        where=where_of(study),
    )


def bound_table(study: BoundStudy) -> Table:
    """The same at the last round in numbers."""
    return Table(end_rows(study), where=where_of(study), digits=3)


def waterfall(study: BoundStudy) -> Figure:
    """The proof's inequalities one by one, in both settings."""
    chains = {}
    for setting in (GENERAL, DATA):
        chain, printed = study.chains[setting, "ours"], study.chains[setting, "printed"]
        chains[setting] = replace(chain, side={**chain.side, "printed": printed.steps[-1].value})
    return Figure(
        charts.waterfall(chains, (charts.TRIVIAL, ("printed", "printed", "--", "accent")), repaired=True),
        size=(8.8, 4.6),
        where=where_of(study),
    )


def chain_table(study: BoundStudy) -> Table:
    """The steps of the chains with their reasons."""
    forms = {"ours": "repaired", "printed": "printed"}
    chains = {f"{setting}, {forms[form]}": chain for (setting, form), chain in study.chains.items()}
    return Table(
        charts.chain_rows(chains, f"{GENERAL}, repaired"),
        where=where_of(study),
    )


def radii(study: RadiusStudy) -> Figure:
    """All radii against the number of contexts."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = charts.row_of(canvas, 2, width_ratios=(1.35, 1), sharey=False)
        rows = study.radii
        titles = {
            "theory": "Lemma 7, explicit covering number",
            "least": "Lemma 7, lower bound on it",
            "single": "Lemma 7, covering number one",
            "practice": r"used: $0.3/\sqrt{n}$",
            "needed": f"needed in {SHARE:.0%} of runs",
        }
        colors = (palette.accent, *palette.series)
        for k, (name, title) in enumerate(titles.items()):
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

    return Figure(
        draw,
        size=(9.0, 3.9),
        where=where_of(study),
    )


def _tick(name: str) -> str:
    words = {CHANCE: "by lot", f"{CONSTANTS[0]:g}/√n": "0 (ERBO)"}
    return words.get(name, name.replace(", ", ",\n"))
