"""Figures and tables of the sections on the bounds; all data come from ``studies``."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from companion.checks.chain import Chain
from companion.papers.compressed.studies.improvement import FORMS as IMPROVEMENT_FORMS
from companion.papers.compressed.studies.improvement import ImprovementStudy
from companion.papers.compressed.studies.parts import CHARGED, WHAT, PartStudy, least_regret
from companion.papers.compressed.studies.regret import FORMS, SIZE, BoundStudy
from companion.report import Figure, Palette, Table, where_of
from companion.report.figures import DASHES, MARKERS


def constants(rows: pd.DataFrame) -> Table:
    """Every explicit constant of the theorems."""
    return Table(
        rows,
        caption="The constants of the theorems on one instance: squared exponential kernel on the unit interval, and "
        "the chapter's horizon, noise variance and exponent. “Ours” marks the companion's bounds on the model order; "
        "Theorem 3.1 has a constant that it does not name, so it promises no number.",
        where=where_of(rows),
    )


def bound(study: BoundStudy) -> Figure:
    """Measured regret with the forms of the bound and the trivial one over the horizon."""
    rows = study.rows

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = canvas.subplots(1, 2)
        left.fill_between(rows["T"], rows.low, rows.high, color=palette.series[0], alpha=0.25, lw=0)
        left.plot(rows["T"], rows.regret, "o-", color=palette.series[0], label="measured regret")
        for k, name in enumerate(FORMS):
            last = k == len(FORMS) - 1
            color = palette.accent if last else palette.series[k + 1]
            left.plot(rows["T"], rows[name], color=color, ls=DASHES[k + 1], label=name)
        left.plot(rows["T"], rows.trivial, color=palette.muted, ls=":", label="trivial bound")
        left.set(xscale="log", yscale="log", xlabel="horizon T", ylabel="cumulative regret", title="Regret and bounds")
        left.legend()
        for k, name in enumerate(FORMS):
            last = k == len(FORMS) - 1
            color = palette.accent if last else palette.series[k + 1]
            right.plot(
                rows["T"], rows[name] / rows.trivial, color=color, ls=DASHES[k + 1], marker=MARKERS[k], label=name
            )
        right.axhline(1.0, color=palette.muted, ls=":")
        right.set(
            xscale="log", xlabel="horizon T", ylabel="over the trivial bound", title="When do they say something?"
        )
        right.set_ylim(bottom=0)

    times = rows["Theorem 3.2"] / rows.regret
    return Figure(
        draw,
        alt="Left: on logarithmic axes the measured regret grows slowly with the horizon; the forms of the bound lie "
        "above it, the "
        f"theorem {times.min():.0f} to {times.max():.0f} times, and the trivial bound rises with slope one. Right: "
        f"the forms over the trivial bound fall with the horizon; the theorem's last value is "
        f"{rows['Theorem 3.2'].iloc[-1] / rows.trivial.iloc[-1]:.2f}.",
        caption=f"Mean cumulative regret of compressed UCB over {study.runs} draws of the prior ({SIZE} points, "
        f"squared exponential kernel, α = {study.alpha:g}) with its 95 % interval, beside the forms of the bound at "
        f"each run's model "
        "order. Right: a form above the dotted line says less than the range of the function.",
        size=(8.8, 3.8),
        where=where_of(study),
    )


def waterfall(study: BoundStudy) -> Figure:
    """What each inequality of the proof gives away, with the rejected rounds' part of the first steps."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(1, len(study.chains), sharex=True, sharey=True, squeeze=False)[0]
        for axes, (title, chain) in zip(panels, study.chains.items(), strict=True):
            _waterfall_of(axes, chain, study, palette)
            axes.set(xscale="log", xlabel="regret", title=f"{title}: {chain.slack:.0f} times in all\n")
        panels[0].set_yticks(range(len(list(chain))), [step.name for step in chain])
        panels[0].invert_yaxis()

    return Figure(
        draw,
        alt="Waterfall charts for two instances on a logarithmic axis, from the measured regret down to Theorem 3.2. "
        + ". ".join(
            f"On {title} the last bar ends at {chain.slack:.0f} times the first"
            for title, chain in study.chains.items()
        )
        + ".",
        caption=f"The proof of Theorem 3.2(i) as a chain, T = {study.horizon}, α = {study.alpha:g}, means over "
        f"{study.runs} runs: "
        "each bar starts where the previous one ends, and its label says how much the inequality gives away. From "
        "“budget” on the steps are those that compression adds. The dotted line is the trivial bound.",
        size=(8.8, 4.2),
        where=where_of(study),
    )


def _waterfall_of(axes: Axes, chain: Chain, study: BoundStudy, palette: Palette) -> None:
    values = [step.value for step in chain]
    least = min(other.steps[0].value for other in study.chains.values())
    top = max(other.steps[-1].value for other in study.chains.values())
    for k, value in enumerate(values):
        start = values[k - 1] if k else least / 6
        color = palette.series[0] if k == 0 else palette.series[1] if k < 4 else palette.accent
        axes.barh(k, value - start, left=start, color=color, height=0.62)
        text = f"{value:.3g}" if k == 0 else f"× {value / values[k - 1]:.2f}"
        axes.text(value * 1.12, k, text, va="center", fontsize=8.5)
    axes.axvline(chain.side["trivial"], color=palette.muted, ls=":", lw=1.3)
    axes.text(chain.side["trivial"], -0.75, "trivial", color=palette.muted, va="center", ha="center", fontsize=8)
    axes.set_xlim(least / 6, top * 5)
    axes.grid(visible=False, axis="y")


def chain_table(study: BoundStudy) -> Table:
    """The steps of the chain with their reasons."""
    rows = []
    for steps in zip(*study.chains.values(), strict=True):
        row = {"step": steps[0].name, "why": steps[0].reason, "statement": steps[0].statement or "–"}
        rows.append(row | {title: step.value for title, step in zip(study.chains, steps, strict=True)})
    for kind in ("retained", "rejected"):
        for what in ("rounds", "regret", "widths", "information"):
            row = {"step": f"{kind} rounds: {what}", "why": "part of the measured numbers", "statement": "–"}
            rows.append(row | {title: chain.side[f"{kind} {what}"] for title, chain in study.chains.items()})
    return Table(
        pd.DataFrame(rows),
        caption="The same numbers with the reason of each step, and the two kinds of rounds apart: how many, their "
        "regret, their confidence widths, and the information their observations bring or would have brought.",
        where=where_of(study),
    )


def parts(study: PartStudy) -> Figure:
    """Shares of the rejected rounds, and what the theorem charges for them."""
    rows, best = study.rows, least_regret(study)

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = canvas.subplots(1, 2)
        for k, name in enumerate(WHAT.values()):
            left.plot(rows.alpha, rows[name], color=palette.series[k], ls=DASHES[k], marker=MARKERS[k], label=name)
        left.plot(
            rows.alpha, rows[CHARGED], color=palette.accent, ls=DASHES[4], marker=MARKERS[4], lw=2.2, label=CHARGED
        )
        left.set(
            xlabel="exponent α of the budget", ylabel="share", ylim=(-0.03, 1.03), title="Share of the rejected rounds"
        )
        left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2)
        for k, kind in enumerate(("retained", "rejected")):
            right.plot(
                rows.alpha,
                rows[f"{kind} regret"],
                color=palette.series[k],
                ls=DASHES[k],
                marker=MARKERS[k],
                label=f"{kind} rounds",
            )
        total = rows["retained regret"] + rows["rejected regret"]
        right.plot(rows.alpha, total, color=palette.ink, ls="-", marker=MARKERS[2], label="all rounds")
        right.set(xlabel="exponent α of the budget", ylabel="cumulative regret", title="Where the regret comes from")
        right.set_ylim(bottom=0)
        right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=3)

    return Figure(
        draw,
        alt="Left: against the exponent of the budget, the share of rejected rounds among rounds, regret, widths and "
        "information; all fall to zero at exponent one. The second term's share of the theorem falls too, but stays "
        "above zero. Right: regret of retained rounds rises with the exponent, that of rejected rounds falls, and "
        "the mean of their sum is "
        f"least at exponent {best:g}, little below that at its neighbours.",
        caption=f"Retained and rejected rounds apart, T = {study.horizon}, means over {study.runs} runs. Left: the "
        f"share of the "
        "rejected rounds in what is measured, and of the second term in the theorem. Right: regret of either kind.",
        size=(8.8, 4.3),
        where=where_of(study),
    )


def improvement(study: ImprovementStudy) -> Figure:
    """Regret of EI with the forms of its bound, the constant R, and the step that fails."""
    rows, arms = study.rows, study.arms

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, middle, right = canvas.subplots(1, 3)
        left.plot(rows["T"], rows.regret, "o-", color=palette.series[0], label="measured regret")
        colors = (palette.accent, palette.series[1], palette.series[2], palette.muted)
        for k, (name, color) in enumerate(zip(IMPROVEMENT_FORMS, colors, strict=True)):
            left.plot(rows["T"], rows[name], color=color, ls=DASHES[k + 1], label=name)
        left.set(xscale="log", yscale="log", xlabel="horizon T", ylabel="cumulative regret", title="Bounds of EI")
        left.set_ylim(top=float(rows[list(IMPROVEMENT_FORMS)].to_numpy().max()) * 60)
        left.legend(loc="upper left")
        middle.fill_between(rows["T"], rows["R low"], rows["R high"], color=palette.series[0], alpha=0.25, lw=0)
        middle.plot(rows["T"], rows.R, "o-", color=palette.series[0])
        middle.set(xscale="log", xlabel="horizon T", title="The “constant” R")
        middle.set_ylim(bottom=0)
        right.plot(arms.t, arms.maximiser, color=palette.accent, ls="--", label="at the maximiser")
        right.plot(arms.t, arms.allowed, color=palette.ink, ls="-", label="allowed by (9.26)")
        right.plot(arms.t, arms.chosen, color=palette.series[0], ls="-.", label="at the choices")
        right.set(xlabel="round t", title="Summed variances, many arms")
        right.legend(loc="upper left")

    last = arms.iloc[-1]
    return Figure(
        draw,
        alt="Left: measured regret of compressed EI far below the forms of its bound, which lie above or at the "
        "trivial bound. Middle: median and quartiles of R against the horizon. Right: on many independent arms the "
        "summed variance at the "
        f"maximiser reaches {last.maximiser:.0f}, above the allowed {last.allowed:.0f}; at the choices it is "
        f"{last.chosen:.0f}.",
        caption=f"Expected improvement, medians over {study.runs} runs. Left: measured regret, the printed bound, the "
        f"last line of "
        "its proof, and what the proof establishes. Middle: R with its quartiles. Right: one run on independent arms; "
        "eq. (9.26) says that the dashed line stays below the solid one.",
        size=(9.2, 3.6),
        where=where_of(study),
    )


def improvement_table(study: ImprovementStudy) -> Table:
    """The sound chain of the proof, and the broken one at the maximiser."""
    rows = [
        {
            "chain": "compressed EI",
            "step": step.name,
            "why": step.reason,
            "statement": step.statement or "–",
            "value": step.value,
        }
        for step in study.chain
    ]
    rows += [
        {
            "chain": "independent arms",
            "step": s.name,
            "why": s.reason,
            "statement": s.statement or "–",
            "value": s.value,
        }
        for s in study.broken
    ]
    falls = bool(np.any(np.diff([step.value for step in study.broken]) < 0))
    return Table(
        pd.DataFrame(rows),
        caption=f"The proof of Theorem 3.4 step by step. First chain: as far as it is sound, T = {study.horizon}, "
        f"means over {study.runs} runs. Second chain: the paper's treatment of the maximiser on independent arms; "
        + ("its last value is below the one before, so the step is wrong." if falls else "no step falls here."),
        where=where_of(study),
    )
