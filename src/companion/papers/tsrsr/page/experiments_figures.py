"""Figures and tables of the section "The paper's experiments again"; all data come from the studies beside it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, MultipleLocator, PercentFormatter

from companion.pages import Canvas, Figure, Palette, Table, charts, figure, provenance_of, table
from companion.pages.figures import DASHES, MARKERS
from companion.pages.tables import smallest
from companion.papers.tsrsr.experiments import ranking_claims
from companion.papers.tsrsr.experiments.printed import NAME_OF, OURS, RIVALS, TITLE_OF, TSRSRResults
from companion.papers.tsrsr.page.readings import READINGS
from companion.papers.tsrsr.page.stored_runs import (
    FIGURES,
    beside,
    lead_rows,
    outcomes,
    own_pairs,
    pairs,
    rank_rows,
    ranking_rows,
)

#: Drawn in this order: the prominent ones last.
DRAWN = ("random", *RIVALS, OURS)
#: Most panels beside each other.
MOST_BESIDE = 3


def curves(evidence: TSRSRResults, number: int) -> Figure:
    """Figure ``number`` of the paper again: mean simple regret after each batch with standard errors, both readings."""
    problems = [name for name in FIGURES[number] if name in evidence.problems]
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
        for axes in panels.ravel():
            charts.name_ends(axes)

    return Figure(
        draw,
        size=(8.8, 0.2 + 2.4 * len(READINGS) * len(blocks)),
        where=provenance_of(evidence),
    )


def _curves_of(axes: Axes, evidence: TSRSRResults, reading: str, problem: str, palette: Palette) -> None:
    """TS-RSR and its best rival stand out, as eight curves of equal weight cannot be followed; all have their names."""
    runs = {method: evidence.curves[key] for method in DRAWN if (key := (reading, problem, method)) in evidence.curves}
    best = min((name for name in RIVALS if name in runs), key=lambda name: runs[name][:, -1].mean(), default="")
    for k, (method, values) in enumerate(runs.items()):
        mean, error = charts.mean_and_error(values)
        across, shown, low = np.arange(len(mean)), np.where(mean > 0, mean, np.nan), charts.above_zero(mean, error)
        place = (OURS, best).index(method) if method in (OURS, best) else None
        style = charts.look(palette, charts.PLAIN if method == "random" else place or 0)
        if place is None and method != "random":
            style = {"color": palette.muted, "ls": DASHES[k % len(DASHES)]}
        label = NAME_OF[method].removesuffix(" search") + (" 0" if mean[-1] == 0 else "")
        axes.plot(across, shown, lw=2.4 if method == OURS else 1.8 if method == best else 0.9, label=label, **style)
        if place is not None:
            step = max(len(mean) // 6, 1)
            at = slice(place * step // 2, None, step)  # bars of the two in other places
            mark = {"fmt": MARKERS[place], "color": style["color"], "ms": 3.5, "lw": 0.9, "zorder": 3}
            axes.errorbar(across[at], shown[at], [low[at], error[at]], **mark)
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 5, 10]))
    charts.narrow_ticks(axes)


def reported_beside_ours(evidence: TSRSRResults, number: int) -> Table:
    """A table of the paper beside ours; the lowest means and reversals stand out."""
    best, turned = marks(evidence, number)
    return Table(beside(evidence, number), where=provenance_of(evidence), best=best, turned=turned)


#: Where the bars of :func:`leads` are cut, as a share of the larger regret; the end of one that is cut is written there.
_REACH = 1.7


@figure(size=(9.2, 4.6))
def leads(canvas: Canvas, palette: Palette, evidence: TSRSRResults) -> None:
    """TS-RSR minus its best rival on every problem in both readings: all our runs, and the paper's number of them."""
    rows = lead_rows(evidence)
    panels = charts.row_of(canvas, len(READINGS))
    small: charts.Style = {"va": "center", "fontsize": 9}
    plate = {"facecolor": palette.paper, "edgecolor": "none", "pad": 0.5}
    for axes, reading in zip(panels, READINGS, strict=True):
        part = rows[rows.reading == reading].reset_index()
        axes.axvline(0.0, color=palette.ink, lw=1)
        few: charts.Style = {"color": palette.faint, "lw": 5, "label": "the paper’s number of runs"}
        axes.hlines(part.index, part["few low"], part["few high"], **few)
        for sign, (low, high) in enumerate(((-np.inf, 0.0), (0.0, np.inf))):
            shown = part[(part.high < high) & (part.low > low)]
            _interval(axes, shown, palette.series[sign], ("TS-RSR ahead", "best rival ahead")[sign])
        _interval(axes, part[(part.low <= 0) & (part.high >= 0)], palette.muted, "open")
        for row in part.itertuples():
            axes.text(1.02, row.Index, row.rival, transform=axes.get_yaxis_transform(), **small)
        for sign, cut in ((-1, part[["low", "few low"]].min(axis=1)), (1, part[["high", "few high"]].max(axis=1))):
            side = "right" if sign > 0 else "left"
            for place, end in cut[sign * cut > _REACH].items():
                words = f"{100 * end:.0f} %".replace("-", "−")
                axes.plot(sign * _REACH, place, "<>"[sign > 0], color=palette.ink, ms=6, clip_on=False)
                axes.text(0.94 * sign * _REACH, place, words, ha=side, bbox=plate, **small)
        axes.set(
            xlim=(-_REACH, _REACH),
            title=f"settings of the {reading}",
            xlabel="TS-RSR better  ←   difference   →  rival better",
        )
        axes.xaxis.set_major_locator(MultipleLocator(1.0))
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
        axes.grid(visible=False, axis="y")
    panels[0].set_yticks(range(len(part)), part.problem)
    panels[0].invert_yaxis()
    # Below the first panel: above both it would be cut where a telephone stacks them.
    panels[0].legend(loc="upper center", bbox_to_anchor=(0.4, -0.16), ncols=2)


def _interval(axes: Axes, rows: pd.DataFrame, color: str, label: str) -> None:
    """Intervals from all runs, and the values they are about."""
    axes.hlines(rows.index, rows.low, rows.high, color=color, lw=1.6)
    axes.plot(rows.lead, rows.index, "o", color=color, ms=6, label=label)


_SHOWN = {
    ranking_claims.AS_PRINTED: ("as printed", 0, "o"),
    ranking_claims.REVERSED: ("reversed", 1, "X"),
    ranking_claims.NOT_APART: ("not told apart", None, "s"),
    ranking_claims.APART: ("apart, printed equal", 2, "D"),
}


@figure(size=(9.0, 4.8))
def comparisons(canvas: Canvas, palette: Palette, evidence: TSRSRResults) -> None:
    """TS-RSR against each rival on each problem: as printed, by all our runs, and by the paper's number of runs."""
    own = own_pairs(outcomes(evidence))
    problems = list(pairs(evidence, "text"))
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


def average_ranks(evidence: TSRSRResults) -> Table:
    """The methods by average rank over the problems."""
    rows = rank_rows(evidence)
    return Table(
        rows,
        where=provenance_of(evidence),
        digits=2,
        best=smallest(rows.drop(columns=["reading", "runs"]).T.astype(float)).T,
    )


rankings = table(ranking_rows)


#: Columns of :func:`companion.papers.tsrsr.page.stored_runs.beside` that a reading's comparisons over all runs judge.
JUDGED = {"text": "ours, text, all runs", "code": "ours, code"}


def marks(evidence: TSRSRResults, number: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Of the rows of table ``number``: the lowest of the paper's methods in each column, and the reversed comparisons."""
    rows = beside(evidence, number)
    columns = [name for name in rows.columns if name.startswith(("printed", "ours"))]
    # A rank of one; the column of all runs is not ranked in the table.
    best = rows[columns].apply(lambda column: column.str.endswith("[1]"))
    turned = pd.DataFrame(data=False, index=rows.index, columns=list(JUDGED.values()))
    problems = [name for name in FIGURES[number] if name in evidence.problems]
    place = {key: list(part.index) for key, part in rows.groupby("problem", sort=False)}
    for problem, at in zip(problems, place.values(), strict=True):
        ranks = ranking_claims.ranks(evidence, problem, "text")
        first = [NAME_OF[name] for name, rank in ranks.items() if rank == 1]
        best.loc[at, JUDGED["text"]] = rows.loc[at, "method"].isin(first)
        for reading, column in JUDGED.items():
            own = own_pairs(outcomes(evidence, reading))
            reversed_ = own[(own.problem == problem) & (own["all"] == ranking_claims.REVERSED)]
            turned.loc[at, column] = rows.loc[at, "method"].isin([NAME_OF[name] for name in reversed_.second])
    return best, turned
