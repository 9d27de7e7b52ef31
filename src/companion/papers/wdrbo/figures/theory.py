"""Figures of the sections on the bound; all data come from ``studies``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure as Canvas

from companion.papers.wdrbo.studies.bound import DATA, GENERAL, BoundStudy
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
        alt="Left, top: rewards of a steep and of a flat decision over the context. Left, bottom: equal masses at the seen "
        "contexts above the axis, and below it the masses of the worst law, moved towards lower rewards of the steep "
        "decision. Right: worst means falling with the radius, and below each a straight dotted line, the penalised value.",
        caption="What a Wasserstein ball does. Left: the worst law moves the told masses downhill, by no more than the "
        f"radius on average (drawn for radius {picture.radius:g}). Right: worst mean over the ball (solid) and the paper's "
        "stand-in for it, mean minus radius times Lipschitz constant (dotted), which is a straight line below it. Where the "
        "lines of the two decisions cross, the robust choice turns from the one that is better on average to the one that "
        "depends less on the context.",
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

    violated = study.rows[study.rows.regret > study.rows.appendix]
    return Figure(
        draw,
        alt="Left: for regularisers from one down, the regret is constant, the repaired bound lies above it, and both "
        f"printed bounds fall below it at {len(violated)} of the regularisers shown. Right: bound over regret against the "
        f"rounds for {len(GROWING)} regularisers; the repaired one stays above one.",
        caption="More arms than rounds that have nothing in common, one context, no noise, and all of f on the arm tried "
        "last: every round costs one unit, whatever the regulariser. Left: the printed bounds shrink with it, below the "
        "regret. Right: the ratio to the regret, where the three curves of the repaired bound coincide; below the line at "
        "one a bound is false.",
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

    ends = study.rows[study.rows.rounds == study.rounds]
    return Figure(
        draw,
        alt="Two panels, cumulative regret against rounds on a logarithmic axis. From below: mean regret, the largest run, "
        "the trivial bound, the repaired and the printed bound. "
        + " ".join(
            f"At the end of the {row['setting']} setting the repaired bound is {row['ours'] / row['regret']:.0f} times the "
            "mean regret."
            for row in ends.to_dict("records")
        ),
        caption=f"Measured cumulative expected regret of Algorithm 1 (mean of {study.runs} runs with a 95 % interval, and "
        "the largest) below the bounds with all their constants. The maximal information gain enters by the upper end of its "
        "certificate; widths and Lipschitz constants are those of the runs, as in the theorems. Left: the true law is the "
        "worst in the ball for the chosen decision. Right: contexts from one law, the radius of Lemma 7 with the covering "
        "number set to one.",
        size=(8.8, 3.7),
        where=where_of(study),
    )


def waterfall(study: BoundStudy) -> Figure:
    """The proof's inequalities one by one, in both settings."""
    chains = {}
    for setting in (GENERAL, DATA):
        chain, printed = study.chains[setting, "ours"], study.chains[setting, "printed"]
        chains[setting] = replace(chain, side={**chain.side, "printed": printed.steps[-1].value})
    return Figure(
        charts.waterfall(chains, (charts.TRIVIAL, ("printed", "printed", "--", "accent")), repaired=True),
        alt="Waterfall charts for both settings on a logarithmic axis, from the measured regret to the repaired bound. "
        + " ".join(
            f"In the {setting} setting the last bar ends at {study.chains[setting, 'ours'].slack:.0f} times the first."
            for setting in (GENERAL, DATA)
        ),
        caption=f"The proofs of Theorems 5 and 9 as chains over {study.rounds} rounds, average of {study.runs} runs: each "
        "bar starts where the previous one ends, and its label says how much the inequality gives away. The last three steps "
        "have the companion's constants. The vertical lines mark the trivial bound and where the chain ends with the printed "
        "constants.",
        size=(8.8, 4.6),
        where=where_of(study),
    )


def chain_table(study: BoundStudy) -> Table:
    """The steps of the chains with their reasons."""
    forms = {"ours": "repaired", "printed": "printed"}
    chains = {f"{setting}, {forms[form]}": chain for (setting, form), chain in study.chains.items()}
    return Table(
        charts.chain_rows(chains, f"{GENERAL}, repaired"),
        caption="The same numbers with the reason of each step, with the constants as printed and as repaired (the forms "
        "differ in the last three steps). The first is measured, the last promised.",
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

    row = study.at(EXPERIMENT)
    return Figure(
        draw,
        alt="Left: five radii falling with the number of contexts on logarithmic axes, the explicit formula of Lemma 7 far "
        f"above the diameter of the set of contexts and the radius in use far below it. After {EXPERIMENT} contexts they are "
        f"{row.theory:.0f} and {row.practice:.3f}; the formula is at least {row.least:.2f}. Right: mean regret with "
        "intervals by radius, from zero to that of the formula, and for decisions by lot.",
        caption="Left: Lemma 7's radius with an upper and with a lower bound on its covering number, what would remain were "
        "there only one function to cover, the radius of the experiments, and the smallest that kept Lemma 7's inequality in "
        f"{SHARE:.0%} of the runs under eight laws. The vertical line marks the length of the experiments. Right: mean "
        "regret of the simulated learner with each of these radii (95 % intervals); the dotted line is radius zero.",
        size=(9.0, 3.9),
        where=where_of(study),
    )


def _tick(name: str) -> str:
    words = {CHANCE: "by lot", f"{CONSTANTS[0]:g}/√n": "0 (ERBO)"}
    return words.get(name, name.replace(", ", ",\n"))
