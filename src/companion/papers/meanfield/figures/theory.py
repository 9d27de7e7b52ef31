"""Figures and tables of the sections on the bound; all data come from ``studies``."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.papers.meanfield.problems.catalogue import HORIZON
from companion.papers.meanfield.studies.bound import (
    READINGS,
    TAIL,
    BoundStudy,
    between,
    passages,
    worth_rows,
)
from companion.papers.meanfield.studies.rates import IDLE, KERNELS, GainStudy, part
from companion.report import Figure, Palette, Table, where_of
from companion.report.figures import DASHES, MARKERS
from companion.reproduce.intervals import Interval

GAME = "two actions, one context, 201 laws, product kernel with length-scales 0.5 and 0.3"


#: First horizon at which the lines of the bounds are drawn.
FROM = 8


def bound(study: BoundStudy) -> Figure:
    """Measured regret and bound of both readings, and what is lost without learning, over the number of rounds."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        noises = list(dict.fromkeys(study.rows.noise))
        panels = canvas.subplots(1, len(noises), sharey=True, squeeze=False)[0]
        for axes, noise in zip(panels, noises, strict=True):
            curve = study.curves[noise]
            shown = curve.rounds >= min(FROM, study.rows["T"].min())
            across = curve.rounds[shown]
            for k, reading in enumerate(READINGS):
                rows = study.rows[(study.rows.noise == noise) & (study.rows.reading == reading)]
                color, dashes = palette.series[k], DASHES[k]
                axes.fill_between(rows["T"], rows.low, rows.high, color=color, alpha=0.25, lw=0)
                axes.plot(
                    rows["T"], rows.regret, MARKERS[k], ls=dashes, color=color, label=f"measured, {reading} width"
                )
                height = (curve.corrected if reading == "corrected" else curve.printed)[shown]
                axes.plot(across, height, color=palette.accent, ls=dashes, lw=1.4, label=f"bound, {reading}")
            for level, dashes, label in (
                (study.idle.range, ":", "range of the payoff, T times"),
                (study.idle.fixed, "-.", "one law for ever"),
            ):
                axes.plot(across, level.estimate * across, color=palette.muted, ls=dashes, lw=1.6, label=label)
            axes.set(xscale="log", yscale="log", xlabel="rounds T", title=f"noise {noise:g}")
        panels[0].set_ylabel("cumulative regret")
        canvas.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)

    corrected = study.rows[study.rows.reading == "corrected"]
    times = corrected.bound / corrected.regret
    passes = "; ".join(
        f"with noise {noise:g} {between(passages(study, noise)['range'], curve.rounds[-1])}"
        for noise, curve in study.curves.items()
    )
    return Figure(
        draw,
        alt="Panels on logarithmic axes for two noise levels. Two parallel lines of slope one are what is lost without "
        "learning. Measured regret with the corrected width is lowest and flattens; the corrected bound starts above both "
        f"lines, {times.min():.0f} to {times.max():.0f} times the measured regret, and passes under the upper one {passes}. "
        "Measured regret with the printed width keeps close below the lower line at first, and its bound is far above "
        "everything.",
        caption=f"Expected regret of exact MF-GP-UCB on the standard game ({GAME}), mean over {study.runs} games with its "
        "95 % interval, and Theorem 4.1 with all constants, as printed and corrected. The information gain is the upper end "
        "of a certificate. The two grey lines are what is lost without learning. Upper one: the range of the payoff in every "
        "round, which no play can exceed. Lower one: one law, chosen without looking and kept. Both are measured on "
        f"{study.idle.range.count:,} games of their own. A bound above the upper line says nothing. The corrected one "
        f"passes under it {passes}.",
        size=(8.8, 4.0),
        where=where_of(study),
    )


def worth(study: BoundStudy) -> Table:
    """Regret, both bounds and what is lost without learning, at the study's number of rounds."""
    return Table(
        worth_rows(study),
        caption=f"What the bounds are worth at T = {study.rounds}: measured regret, what is lost without learning, and the "
        "two bounds; then between which two T the corrected bound passes under the lines of the figure. The lines' 95 % "
        f"intervals are within {_relative(study.idle.range):.1%} and {_relative(study.idle.fixed):.1%} of them.",
        where=where_of(study),
    )


def _relative(level: Interval) -> float:
    return (level.high - level.estimate) / level.estimate


def waterfall(study: BoundStudy) -> Figure:
    """What each inequality of the corrected proof gives away."""
    chains = {noise: chain for (noise, reading), chain in study.chains.items() if reading == "corrected"}

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(1, len(chains), sharex=True, sharey=True, squeeze=False)[0]
        top = max(chain.steps[-1].value for chain in chains.values())
        least = min(chain.steps[0].value for chain in chains.values())
        for axes, (noise, chain) in zip(panels, chains.items(), strict=True):
            values = [step.value for step in chain]
            for k, (step, value) in enumerate(zip(chain, values, strict=True)):
                start = values[k - 1] if k else least / 6
                last = k == len(values) - 1
                color = palette.series[0] if k == 0 else palette.accent if last else palette.series[1]
                axes.barh(k, value - start, left=start, color=color, height=0.62)
                text = f"{value:.3g}" if k == 0 else f"× {value / values[k - 1]:.2g}"
                axes.text(value * 1.1, k, text, va="center", fontsize=8.5)
                if step.statement:
                    axes.text(
                        start * 0.93, k, step.statement, va="center", ha="right", fontsize=7.5, color=palette.muted
                    )
            axes.set(xscale="log", xlabel="regret", title=f"noise {noise:g}: {chain.slack:.0f} times in all")
            axes.set_xlim(least / 6, top * 3)
            axes.grid(visible=False, axis="y")
        panels[0].set_yticks(range(len(values)), [step.name for step in chain])
        panels[0].invert_yaxis()

    return Figure(
        draw,
        alt="Waterfall charts for two noise levels on a logarithmic axis, from the measured regret down to the "
        "corrected theorem. "
        + ". ".join(
            f"With noise {noise:g} the last bar ends at {chain.slack:.0f} times the first"
            for noise, chain in chains.items()
        )
        + ".",
        caption=f"The decomposition of Appendix A as a chain, T = {study.rounds}: each bar starts where the previous "
        f"one ends, "
        "its label says how much the inequality gives away, and the grey word names the ledger's entry. The step from "
        "the measured regret to three terms leaves out the fourth, which is not positive because the law played "
        "maximises the acquisition.",
        size=(8.8, 3.9),
        where=where_of(study),
    )


def chain_table(study: BoundStudy) -> Table:
    """The steps of the corrected chain with their reasons."""
    chains = {noise: chain for (noise, reading), chain in study.chains.items() if reading == "corrected"}
    rows = []
    for steps in zip(*chains.values(), strict=True):
        row: dict[str, object] = {"step": steps[0].name, "why": steps[0].reason, "statement": steps[0].statement or "–"}
        rows.append(row | {f"noise {noise:g}": step.value for noise, step in zip(chains, steps, strict=True)})
    return Table(
        pd.DataFrame(rows),
        caption="The same numbers with the reason of each step. The first is measured, the last promised.",
        where=where_of(study),
    )


def terms_table(study: BoundStudy) -> Table:
    """The four terms of the decomposition, measured and bounded."""
    names = {
        "regret": "regret",
        "discretisation": "Rᴬ, rounding",
        "optimism": "Rᶜ, optimism that fails",
        "argmax": "left out: not the best acquisition",
        "exploration": "Rᴰ, exploration",
    }
    rows = []
    for (noise, reading), found in study.terms.items():
        if reading == "corrected":
            rows += [
                {
                    "noise": noise,
                    "term": names[term.name],
                    "measured": term.mean,
                    "± standard error": term.standard_error,
                    "bound": term.bound,
                }
                for term in found
            ]
    return Table(
        pd.DataFrame(rows),
        caption="The regret and its four terms, measured on the same runs, beside what the corrected theorem has for "
        "each. Negative terms help.",
        where=where_of(study),
        digits=3,
        formats={"noise": "{:g}".format},
    )


def constants(rows: pd.DataFrame) -> Table:
    """The constants of the theorem for three of the paper's problems."""
    return Table(
        rows,
        caption=f"The constants for three problems of the paper with a = {TAIL[0]:g} and b = {TAIL[1]:g} in Assumption 3.1; "
        "the corrected ones have the prior variance κ² of equation (1), which the printed proof takes for one: the mean of the "
        "largest slope, three versions of the term that does not grow, and the width. Discrepancy E9 has the corrected term "
        "without this factor, which is smaller.",
        where=where_of(rows),
        digits=4,
    )


def gains(study: GainStudy) -> Figure:
    """Certified information gain against the number of agents for the kernels of Table 1."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        axes = canvas.subplots()
        for k, (kernel, name) in enumerate(KERNELS.items()):
            rows = part(study, kernel)
            axes.fill_between(rows.index, rows.lower, rows.upper, color=palette.series[k], alpha=0.3, lw=0)
            axes.plot(rows.index, rows.upper, MARKERS[k], ls=DASHES[k], color=palette.series[k], label=name)
        axes.axhline(study.ceiling, color=palette.accent, ls=":", lw=1.4, label="ceiling where k(z, z) ≤ 1")
        ticks = [1, 2, 3, 5, 8, 20, 60, 240]
        axes.set(xscale="log", yscale="log", xlabel="agents M", ylabel="information gain, nats")
        axes.set_xticks(ticks, [str(t) for t in ticks])
        axes.legend(loc="lower right")

    law = part(study, "law")
    naive = part(study, "naive")
    return Figure(
        draw,
        alt="Information gain against the number of agents on logarithmic axes. The kernel on all actions rises "
        "exponentially to "
        f"the ceiling within {naive.index.max()} agents; the sum over agents rises in proportion; the mean-field "
        f"kernel levels off at {law.upper.iloc[-1]:.0f} nats and stays there up to {law.index.max()} agents.",
        caption="Table 1, the part that can be computed: the maximum information gain, both "
        "certified ends "
        f"(they nearly coincide), for agents with two actions each ({study.crowd.where}).",
        size=(7.0, 3.8),
        where=where_of(study),
    )


def hidden(rows: pd.DataFrame) -> Table:
    """Powers of log T and widths on the paper's problems."""
    return Table(
        rows.rename(columns={IDLE: "log₁₀ T, additive"}),
        caption="Table 1 on the seven problems (printed sizes, one feature of actions, and of contexts where there "
        "are several): the power of log T under the root, for MF-GP-UCB with one kernel on everything and "
        "with the additive kernel that is run; the T beyond which such a power, with the factor |C| in the additive "
        f"row, is below T; and the two widths at T = {HORIZON}.",
        where=where_of(rows),
        digits=3,
    )
