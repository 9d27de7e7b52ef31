"""Figures of the sections on the bound; all data come from ``studies``."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.papers.wdrbo.studies.bound import DATA, GENERAL, BoundStudy
from companion.papers.wdrbo.studies.constants import GROWING, ConstantStudy
from companion.papers.wdrbo.studies.constants import READINGS as FORMS
from companion.papers.wdrbo.studies.picture import NAMES, RADII, Picture
from companion.papers.wdrbo.studies.radius import CHANCE, CONSTANTS, EXPERIMENT, SHARE, RadiusStudy
from companion.report import Figure, Palette, Table, where_of
from companion.report.figures import DASHES, MARKERS


def ball(picture: Picture) -> Figure:
    """Two rewards over the context, the told and the worst law, and worst means against the radius."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        grid = canvas.add_gridspec(2, 2, height_ratios=(1.6, 1))
        top = canvas.add_subplot(grid[0, 0])
        bottom = canvas.add_subplot(grid[1, 0], sharex=top)
        right = canvas.add_subplot(grid[:, 1])
        for k, name in enumerate(NAMES):
            top.plot(picture.contexts, picture.values[k], color=palette.series[k], ls=DASHES[k], label=name)
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
        alt="Left, top: rewards of a steep and of a flat decision over the context. Left, bottom: equal masses at the "
        "seen contexts above the axis, and below it the masses of the worst law, moved towards lower rewards of the "
        "steep decision. Right: worst means falling with the radius, and below each a straight dotted line, the "
        "penalised value.",
        caption="What a Wasserstein ball does. Left: the worst law moves the told masses downhill, by no more than "
        "the radius on "
        f"average (drawn for radius {picture.radius:g}). Right: worst mean over the ball (solid) and the paper's "
        f"stand-in for it, mean "
        "minus radius times Lipschitz constant (dotted), which is a straight line below it. Where the lines of the "
        "two decisions cross, the robust choice turns from the one that is better on average to the one that depends "
        "less on the context.",
        size=(8.8, 4.6),
        where=where_of(picture),
    )


def constants(study: ConstantStudy) -> Figure:
    """Regret and bounds against the regulariser, and bound over regret against the rounds."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = canvas.subplots(1, 2)
        rows = study.rows
        left.plot(rows["lambda"], rows.regret, color=palette.series[0], marker="o", label="regret")
        for k, (name, title) in enumerate(FORMS.items()):
            color = palette.series[2] if name == "ours" else palette.accent
            left.plot(rows["lambda"], rows[name], color=color, ls=("--", "-", "-.")[k], label=title)
        left.set(xscale="log", yscale="log", xlabel=r"regulariser $\lambda$", ylabel=f"regret of {study.rounds} rounds")
        left.set_title("Regret and bounds")
        left.legend()
        for k, lam in enumerate(GROWING):
            part = study.growing[study.growing["lambda"] == lam]
            right.plot(
                part["rounds"],
                part.appendix / part.regret,
                color=palette.accent,
                marker=MARKERS[k],
                ls=DASHES[k],
                mfc="none",
            )
            right.plot([], [], color=palette.muted, marker=MARKERS[k], ls=DASHES[k], label=rf"$\lambda={lam:g}$")
            right.plot(
                part["rounds"], part.ours / part.regret, color=palette.series[2], marker=MARKERS[k], ls=DASHES[k], ms=3
            )
        right.axhline(1, color=palette.ink, lw=1)
        right.plot([], [], color=palette.accent, label="printed, appendix")
        right.plot([], [], color=palette.series[2], label="repaired")
        right.set(
            xscale="log", yscale="log", xlabel="rounds T", ylabel="bound over regret", title="As rounds are added"
        )
        right.legend(ncols=2)

    violated = study.rows[study.rows.regret > study.rows.appendix]
    return Figure(
        draw,
        alt=f"Left: for regularisers from one down, the regret is constant, the repaired bound lies above it, and both "
        f"printed bounds fall below it at {len(violated)} of the regularisers shown. Right: bound over regret against "
        f"the rounds for {len(GROWING)} regularisers; the repaired one stays above one.",
        caption="More arms than rounds that have nothing in common, one context, no noise, and all of f on the arm "
        "tried last: every round costs one unit, whatever the regulariser. Left: the printed bounds shrink with it, "
        "below the regret. Right: the ratio to the regret, where the three curves of the repaired bound coincide; below "
        "the line at one a bound is false.",
        size=(8.8, 3.7),
        where=where_of(study),
    )


def bound(study: BoundStudy) -> Figure:
    """Measured regret, both bounds and the trivial one against the rounds, in both settings."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(1, 2, sharey=True)
        for axes, setting in zip(panels, (GENERAL, DATA), strict=True):
            part = study.rows[study.rows.setting == setting]
            axes.fill_between(part["rounds"], part.low, part.high, color=palette.series[0], alpha=0.3, lw=0)
            axes.plot(part["rounds"], part.regret, color=palette.series[0], marker="o", ls="-", label="mean regret")
            axes.plot(
                part["rounds"], part.largest, color=palette.series[0], marker="v", ls=":", label="largest of all runs"
            )
            axes.plot(part["rounds"], part.trivial, color=palette.muted, ls=":", label="trivial, 2BT")
            axes.plot(part["rounds"], part.ours, color=palette.series[2], ls="-.", label="repaired bound")
            axes.plot(part["rounds"], part.appendix, color=palette.accent, ls="--", label="printed bound")
            axes.set(yscale="log", xlabel="rounds T", title=f"{setting} setting")
        panels[0].set_ylabel("cumulative expected regret")
        panels[0].legend(ncols=2, loc="lower right", fontsize=7.5)
        panels[0].set_ylim(bottom=float(study.rows.low.min()) / 6)

    ends = study.rows[study.rows.rounds == study.rounds]
    return Figure(
        draw,
        alt="Two panels, cumulative regret against rounds on a logarithmic axis. From below: mean regret, the largest "
        "run, the trivial bound, the repaired and the printed bound. "
        + " ".join(
            f"At the end of the {row['setting']} setting the repaired bound is {row['ours'] / row['regret']:.0f} "
            f"times the mean regret."
            for row in ends.to_dict("records")
        ),
        caption=f"Measured cumulative expected regret of Algorithm 1 (mean of {study.runs} runs with a 95 % interval, "
        f"and the largest) "
        "below the bounds with all their constants. The maximal information gain enters by the upper end of its "
        "certificate; widths and Lipschitz constants are those of the runs, as in the theorems. Left: the true law is "
        "the worst in the ball for the chosen decision. Right: contexts from one law, the radius of Lemma 7 with the "
        "covering number set to one.",
        size=(8.8, 3.7),
        where=where_of(study),
    )


def waterfall(study: BoundStudy) -> Figure:
    """The proof's inequalities one by one, in both settings."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(1, 2, sharex=True, sharey=True)
        chains = {setting: study.chains[setting, "ours"] for setting in (GENERAL, DATA)}
        least = min(chain.steps[0].value for chain in chains.values()) / 3
        top = max(chain.steps[-1].value for chain in chains.values())
        names: list[str] = []
        # Labels stand on a plate, as the vertical lines pass behind them.
        plate = {"facecolor": palette.paper, "edgecolor": "none", "pad": 0.6}
        for axes, (setting, chain) in zip(panels, chains.items(), strict=True):
            values, names = [step.value for step in chain], [step.name for step in chain]
            for k, (step, value) in enumerate(zip(chain, values, strict=True)):
                start = values[k - 1] if k else least
                color = palette.series[0] if k == 0 else palette.series[1] if k < len(values) - 1 else palette.series[2]
                low, high = min(start, value), max(start, value)
                axes.barh(k, high - low, left=low, color=color, height=0.62)
                axes.vlines(value, k - 0.31, k + 0.31, color=color, lw=1.5)
                text = f"{value:.3g}" if k == 0 else f"× {value / values[k - 1]:.2g}"
                axes.text(high * 1.1, k, text, va="center", fontsize=8.5, bbox=plate)
                if step.statement and k:
                    name = {"va": "center", "ha": "right", "fontsize": 7.5, "color": palette.muted, "bbox": plate}
                    axes.text(low * 0.92, k, step.statement, **name)
            printed = study.chains[setting, "printed"].steps[-1].value
            for value, label, dashes in ((chain.side["trivial"], "trivial", ":"), (printed, "printed", "--")):
                axes.axvline(value, color=palette.accent if label == "printed" else palette.muted, ls=dashes, lw=1.2)
                side = "right" if label == "trivial" else "left"
                axes.text(value, -0.8, f" {label} ", color=palette.muted, va="center", ha=side, fontsize=8)
            axes.set(xscale="log", xlabel="regret", title=f"{setting}: {chain.slack:.0f} times in all\n")
            axes.set_xlim(least, top * 4)
            axes.grid(visible=False, axis="y")
        panels[0].set_yticks(range(len(names)), names)
        panels[0].invert_yaxis()

    return Figure(
        draw,
        alt="Waterfall charts for both settings on a logarithmic axis, from the measured regret to the repaired bound. "
        + " ".join(
            f"In the {setting} setting the last bar ends at {study.chains[setting, 'ours'].slack:.0f} times the first."
            for setting in (GENERAL, DATA)
        ),
        caption=f"The proofs of Theorems 5 and 9 as chains over {study.rounds} rounds, average of {study.runs} runs: "
        f"each bar starts "
        "where the previous one ends, and its label says how much the inequality gives away. The last three steps "
        "have the companion's constants. The vertical lines mark the trivial bound and where the chain ends with the "
        "printed constants.",
        size=(8.8, 4.6),
        where=where_of(study),
    )


def chain_table(study: BoundStudy) -> Table:
    """The steps of the chains with their reasons."""
    listed = {key: tuple(chain) for key, chain in study.chains.items()}
    rows = []
    for k, step in enumerate(listed[GENERAL, "ours"]):
        row = {"step": step.name, "why": step.reason, "statement": step.statement or "–"}
        for (setting, form), steps in listed.items():
            row[f"{setting}, {'printed' if form == 'printed' else 'repaired'}"] = steps[k].value  # type: ignore[assignment]
        rows.append(row)
    return Table(
        pd.DataFrame(rows),
        caption="The same numbers with the reason of each step, with the constants as printed and as repaired (the "
        "forms differ in the last three steps). The first is measured, the last promised.",
        where=where_of(study),
    )


def radii(study: RadiusStudy) -> Figure:
    """All radii against the number of contexts."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = canvas.subplots(1, 2, width_ratios=(1.35, 1))
        rows = study.radii
        for k, (name, title) in enumerate(
            (
                ("theory", "Lemma 7, explicit covering number"),
                ("least", "Lemma 7, lower bound on it"),
                ("single", "Lemma 7, covering number one"),
                ("practice", r"used: $0.3/\sqrt{n}$"),
                ("needed", f"needed in {SHARE:.0%} of runs"),
            )
        ):
            color = palette.accent if k == 0 else palette.series[k - 1]
            left.plot(rows.contexts, rows[name], color=color, ls=DASHES[k], marker=MARKERS[k], ms=3.5, label=title)
        left.axhline(float(rows.diameter.iloc[0]), color=palette.ink, lw=1)
        left.text(float(rows.contexts.max()), 1.15 * float(rows.diameter.iloc[0]), "diameter", ha="right", fontsize=8)
        left.axvline(EXPERIMENT, color=palette.muted, lw=0.9)
        left.set(xscale="log", yscale="log", xlabel="contexts n", ylabel="radius", title="The radius")
        left.set_ylim(bottom=float(rows.needed.min()) / 3e3)
        left.legend(fontsize=7.5, loc="lower left")
        regret = study.regret
        across = np.arange(len(regret))
        bars = [regret.regret - regret.low, regret.high - regret.regret]
        right.errorbar(regret.regret, across, xerr=bars, fmt="o", color=palette.series[0], capsize=2)
        right.axvline(float(regret.regret.iloc[0]), color=palette.muted, lw=0.9, ls=":")
        right.set_yticks(across, [_tick(name) for name in regret.radius], fontsize=7.5)
        right.invert_yaxis()
        right.set(xlabel=f"regret of {study.rounds} rounds", title="What it does", xscale="log")
        ticks = [v for v in (2, 5, 10, 20, 50, 100) if 0.6 * regret.regret.min() < v < 1.6 * regret.regret.max()]
        right.set_xticks(ticks, [str(v) for v in ticks])

    row = study.at(EXPERIMENT)
    return Figure(
        draw,
        alt="Left: five radii falling with the number of contexts on logarithmic axes, the explicit formula of Lemma 7 far above "
        "the diameter of the set of "
        f"contexts and the radius in use far below it. After {EXPERIMENT} contexts they are {row.theory:.0f} and "
        f"{row.practice:.3f}; the formula is at least {row.least:.2f}. Right: mean "
        "regret with intervals by radius, from zero to that of the formula, and for decisions by lot.",
        caption="Left: Lemma 7's radius with an upper and with a lower bound on its covering number, what would remain were "
        "there only one function to cover, the radius of the experiments, and the smallest that kept Lemma 7's inequality in "
        f"{SHARE:.0%} of the runs under eight laws. The vertical line marks the length of the experiments. Right: mean regret "
        "of the simulated learner with each of these radii (95 % intervals); the dotted line is radius zero.",
        size=(9.0, 3.9),
        where=where_of(study),
    )


def _tick(name: str) -> str:
    words = {CHANCE: "by lot", f"{CONSTANTS[0]:g}/√n": "0 (ERBO)"}
    return words.get(name, name.replace(", ", ",\n"))
