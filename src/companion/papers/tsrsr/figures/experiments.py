"""Figures and tables of the section "The paper's experiments again"; all data come from ``studies``."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from companion.papers.tsrsr.claims import ranking
from companion.papers.tsrsr.claims.printed import NAME_OF, OURS, RIVALS, TITLE_OF
from companion.papers.tsrsr.plan import store
from companion.papers.tsrsr.studies import factors as factor_study
from companion.papers.tsrsr.studies.findings import difference_rows, left_rows
from companion.papers.tsrsr.studies.live import live_rows
from companion.papers.tsrsr.studies.paper import (
    FIGURES,
    METHODS,
    READINGS,
    Evidence,
    beside,
    outcomes,
    own_pairs,
    ranking_rows,
)
from companion.papers.tsrsr.studies.readings import FLOOR, reading_rows, variant_rows
from companion.report import Figure, Palette, Table, charts, say, stored, where_of
from companion.report.figures import MARKERS
from companion.report.text import Sentence

#: TS-RSR first, so that it has the first colour everywhere; random search is drawn muted.
DRAWN = (OURS, *RIVALS, "random")
#: Most panels beside each other.
MOST_BESIDE = 3


def curves(evidence: Evidence, number: int) -> Figure | Sentence:
    """Figure ``number`` of the paper again: mean simple regret after each batch with standard errors, both readings."""
    problems = [name for name in FIGURES[number] if name in evidence.problems]
    if not problems:
        return _left_out(number, evidence)

    # Two panels a row when there are many: four beside each other are too small to read.
    wide = len(problems) if len(problems) <= MOST_BESIDE else MOST_BESIDE - 1
    blocks = [problems[start : start + wide] for start in range(0, len(problems), wide)]

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(len(READINGS) * len(blocks), wide, squeeze=False)
        for k, row in enumerate(panels):
            block, reading = blocks[k // len(READINGS)], list(READINGS)[k % len(READINGS)]
            for axes, problem in zip(row, block, strict=False):
                _curves_of(axes, evidence, reading, problem, palette)
                axes.set_title(f"{TITLE_OF[problem]}, {reading}")
                if reading == "code":
                    axes.set_xlabel("batch")
            for axes in row[len(block) :]:
                axes.set_axis_off()
            row[0].set_ylabel("simple regret")
        charts.legend_above(canvas, panels[0][0], 8 if wide > 2 else 4)

    count = {problem: evidence.paper_runs(problem) for problem in problems}
    names = (
        f"{next(iter(count.values()))}"
        if len(set(count.values())) == 1
        else ", ".join(f"{number} on {TITLE_OF[problem]}" for problem, number in count.items())
    )
    ends = any(
        (runs.mean(axis=0) == 0).any() for (_, problem, _), runs in evidence.curves.items() if problem in problems
    )
    return Figure(
        draw,
        alt=f"For {', '.join(TITLE_OF[p] for p in problems)} two panels each, the text's reading above and the code's below: "
        "mean simple regret of seven methods and random search against the batch. "
        + _lowest_in_words(evidence, problems),
        caption=f"Figure {number} of the paper again: simple regret after each batch, mean of the paper's number of runs "
        f"({names}) with bars of one standard error; the design comes before batch 1. Above: as the text describes the "
        "experiment. Below: as the published code runs it."
        + (" A curve ends where the mean regret is zero." if ends else ""),
        size=(8.8, 0.6 + 2.4 * len(READINGS) * len(blocks)),
        where=evidence.where,
    )


def _curves_of(axes: Axes, evidence: Evidence, reading: str, problem: str, palette: Palette) -> None:
    for k, method in enumerate(DRAWN):
        runs = evidence.curves.get((reading, problem, method))
        if runs is None:
            continue
        style = charts.look(palette, charts.PLAIN if method == "random" else k)
        mean, error = charts.mean_and_error(runs)
        across, shown, low = np.arange(len(mean)), np.where(mean > 0, mean, np.nan), charts.above_zero(mean, error)
        axes.plot(across, shown, lw=2.2 if method == OURS else 1.2, label=NAME_OF[method], **style)
        # Marks and bars of every method in other places.
        step = max(len(mean) // 6, 1)
        at = slice(k % step, None, step)
        mark = {"fmt": MARKERS[k % len(MARKERS)], "color": style["color"], "ms": 3, "lw": 0.9, "zorder": 3}
        axes.errorbar(across[at], shown[at], [low[at], error[at]], **mark)
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 5, 10]))
    charts.narrow_ticks(axes)


def _lowest_in_words(evidence: Evidence, problems: list[str]) -> str:
    parts = []
    for problem in problems:
        for reading in READINGS:
            final = {
                m: evidence.curves[reading, problem, m][:, -1].mean()
                for m in METHODS
                if (reading, problem, m) in evidence.curves
            }
            if final:
                parts.append(f"{TITLE_OF[problem]}, {reading}: {NAME_OF[min(final, key=lambda name: final[name])]}")
    return f"Lowest at the end: {'; '.join(parts)}."


def _left_out(number: int, evidence: Evidence) -> Sentence:
    names = ", ".join(TITLE_OF[name] for name in FIGURES[number])
    return say("Not among the stored runs: {names}.", names=names, where=evidence.where)


def reported_beside_ours(evidence: Evidence, number: int) -> Table | Sentence:
    """A table of the paper beside ours."""
    rows = beside(evidence, number)
    if rows.empty:
        return _left_out(number, evidence)
    return Table(
        rows,
        caption=f"Table {number} again: mean ± standard deviation [rank] of the final simple regret, in the unit beside the "
        "problem. Printed; ours from the paper's number of runs in both readings; and the mean of all our runs in the text's "
        "reading with the half-width of its 95 % interval.",
        where=evidence.where,
    )


_SHOWN = {
    ranking.AS_PRINTED: ("as printed", 0, "o"),
    ranking.REVERSED: ("reversed", 1, "X"),
    ranking.NOT_APART: ("not told apart", None, "s"),
    ranking.APART: ("apart, printed equal", 2, "D"),
}


def comparisons(evidence: Evidence) -> Figure:
    """TS-RSR against each rival on each problem: what is printed, what all our runs say, what the paper's number could."""
    own = own_pairs(outcomes(evidence))
    problems = list(evidence.pairs())

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = charts.row_of(canvas, 2)
        shown = {
            key: (label, marker, palette.faint if color is None else palette.series[color])
            for key, (label, color, marker) in _SHOWN.items()
        }
        for axes, column in ((left, "all"), (right, "few")):
            for row in own.itertuples():
                _, marker, shade = shown[getattr(row, column)]
                place = (RIVALS.index(row.second), problems.index(row.problem))
                edge, ink = (palette.muted, palette.ink) if shade == palette.faint else (palette.ink, palette.paper)
                axes.plot(*place, marker, color=shade, ms=11, mec=edge, mew=0.6)
                sign = "<" if row.printed < 0 else ">" if row.printed > 0 else "="
                axes.text(*place, sign, color=ink, ha="center", va="center", fontsize=8)
            axes.set_xticks(range(len(RIVALS)), [NAME_OF[name] for name in RIVALS])
            axes.set_xlim(-0.6, len(RIVALS) - 0.4)
            axes.grid(visible=False)
        left.set_title("All our runs")
        right.set_title("The paper's number of runs")
        left.set_yticks(range(len(problems)), [TITLE_OF[name] for name in problems])
        left.set_ylim(len(problems) - 0.5, -0.5)
        for label, marker, shade in shown.values():
            left.plot([], [], marker, color=shade, ms=9, mec=palette.ink, mew=0.6, label=label)
        charts.legend_above(canvas, left, 4)

    counts = {label: int((own["all"] == key).sum()) for key, (label, _, _) in _SHOWN.items()}
    return Figure(
        draw,
        alt="A grid of problems by rivals of TS-RSR, once for all our runs and once for the paper's number of runs; each "
        "mark says whether the printed order holds. Over all runs: "
        + ", ".join(f"{label} {count}" for label, count in counts.items())
        + ".",
        caption="TS-RSR against each rival. The sign inside is the printed order: “&lt;” where the paper's mean for TS-RSR "
        "is smaller. Circle: our paired 95 % interval lies on the printed side of zero; cross: on the other side; grey "
        "square: it holds zero. Right: the same with no more runs than the paper made.",
        size=(9.0, 4.8),
        where=evidence.where,
    )


def rankings(evidence: Evidence) -> Table:
    """Who is first, and how the pairs came out."""
    return Table(
        ranking_rows(evidence),
        caption="Rankings, problem by problem: the method with the lowest mean in print and in all our runs of both "
        "readings; whether TS-RSR has the lowest mean in ours (bootstrap over runs), whatever the tables say; and, in the "
        "text's reading, how the pairs of methods came out over all our runs, and for how many of them the paper's number of "
        "runs would see our difference with high probability.",
        where=evidence.where,
    )


def readings(evidence: Evidence) -> Table:
    """Levels and rankings in the two readings."""
    return Table(
        reading_rows(evidence),
        caption="Two readings of one experiment, at the paper's number of runs. Mean final regret of TS-RSR; |log₂|: median "
        "distance of the methods' levels to the printed ones, in factors of two; and Kendall's rank correlation τ between "
        f"the orders of the methods. Units as in the tables; for the distances regrets below {FLOOR:g} units count as "
        f"{FLOOR:g}.",
        where=evidence.where,
        digits=3,
    )


def variants(evidence: Evidence) -> Table:
    """Settings that are not the paper's."""
    return Table(
        variant_rows(evidence).rename(columns={"low": "95 % from", "high": "to"}),
        caption="How much depends on a setting: BUCB with constant widths, and TS-RSR without resampling, beside the same "
        "method with the default setting on the same seeds (text's reading): mean final regrets, and their paired difference "
        "with its 95 % interval (functions, where there are several, are what is independent).",
        where=evidence.where,
        digits=3,
    )


def live(runs: pd.DataFrame, evidence: Evidence) -> Table:
    """Runs made now beside the stored and the printed ones."""
    return Table(
        live_rows(runs, evidence),
        caption="Runs made when this page was computed. A shorter run is the beginning of the stored one with the same seed; "
        "the printed mean is that after all batches, of other draws, so only its size can be compared.",
        where=where_of(runs),
        digits=3,
    )


def differences() -> Table:
    """Where text and code differ."""
    return Table(
        difference_rows(),
        caption="What the text says of the experiments and what the published code does. “Here” marks a choice of the "
        "companion's where the text leaves one.",
    )


def factors(evidence: Evidence) -> Table:
    """One difference between the readings at a time; before these runs are made, what they are to be."""
    made = store.load_factors()
    if made is None:
        rows = factor_study.planned_rows()
        return Table(rows, caption="The settings that are changed one at a time.", where=where_of(rows))
    return Table(
        factor_study.factor_rows(evidence, made),
        caption="One setting changed at a time. Mean final regret of TS-RSR and, in brackets, its place among TS-RSR, TS, "
        "DPPTS and BUCB; + or -: higher or lower than with nothing changed; *: apart from the best rival (paired 95 % "
        "intervals).",
        where=evidence.where + stored(made.record.to_dict(), store.store),
    )


def left() -> Table:
    """Where our reading of the code still is not the code."""
    return Table(
        left_rows(),
        caption="What the published code does and our reading of it does not. What it does to a ranking was not tried.",
    )
