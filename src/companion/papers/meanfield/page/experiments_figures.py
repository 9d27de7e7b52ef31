"""Figures and tables on the problems and of the section "The paper's experiments again", from the studies beside it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from companion.core.arrays import Floats
from companion.pages import Palette, Table, charts, figure, table, where_of
from companion.pages.figures import MARKERS
from companion.pages.tables import significant, smallest
from companion.papers.meanfield.experiments.printed import NAME_OF, OURS, TITLE_OF
from companion.papers.meanfield.experiments.ranking_claims import AHEAD, BEHIND, MEASURES, OPEN
from companion.papers.meanfield.page.findings import claim_rows, difference_rows
from companion.papers.meanfield.page.followed import BLOCK
from companion.papers.meanfield.page.maps import Maps
from companion.papers.meanfield.page.places_figures import park, scale_bar
from companion.papers.meanfield.page.problems import READINGS, PenaltyStudy
from companion.papers.meanfield.page.standings import COMPARED, lead_rows
from companion.papers.meanfield.page.stored_runs import (
    METHODS,
    Evidence,
    control_rows,
    final_rows,
    printed_rows,
    time_rows,
    variant_rows,
)

# -- the problems ------------------------------------------------------------------------------------------------------


def problems(rows: pd.DataFrame) -> Table:
    """The seven problems with their optima; what belongs together shares a column."""
    pairs = {
        "uniform law, optimum": ("uniform law", "optimum, at most"),
        "the same, embedded": ("uniform law, stand-in", "best known, stand-in"),
    }
    sizes = [" / ".join(map(str, each)) for each in rows[["|A|, paper", "|A|, stored", "|A|, stand-in"]].to_numpy()]
    shown = rows[["problem", "M"]].assign(**{"|A|: printed / stored / embedded": sizes, "|C|": rows["|C|"]})
    shown["stored runs on"] = rows["stored runs on"]
    for title, ends in pairs.items():
        shown[title] = [", ".join(significant(value, 4) for value in each) for each in rows[list(ends)].to_numpy()]
    shown["known to within"] = rows["known to within"]
    return Table(
        shown,
        where=where_of(rows),
        formats={"known to within": lambda value: f"{value:.0e}" if value else "0"},
    )


@figure(size=(6.6, 3.0))
def penalties(canvas: Canvas, palette: Palette, study: PenaltyStudy) -> None:
    """The best laws of Swarm under both penalties."""
    axes = canvas.subplots()
    width = 0.42 * (study.angles[1] - study.angles[0])
    for k, (reading, law) in enumerate(study.laws.items()):
        place = study.angles + (2 * k - 1) * width / 2
        axes.bar(place, law, width, label=READINGS[reading], **_hatched(palette, k))
    axes.axvline(np.pi / 2, color=palette.muted, ls=":", lw=1)
    axes.set(xlabel="angle x", ylabel="share of the agents", xlim=(0, np.pi))
    axes.set_xticks([0, np.pi / 4, np.pi / 2, 3 * np.pi / 4, np.pi], ["0", "π/4", "π/2", "3π/4", "π"])
    axes.legend()


def _hatched(palette: Palette, k: int) -> charts.Style:
    """How the bars of the first and of the second of two laws look."""
    return {"color": palette.series[k], "hatch": "//" if k else None, "edgecolor": palette.paper, "lw": 0}


def penalty_table(study: PenaltyStudy) -> Table:
    """Optimum and corners under both penalties."""
    return Table(
        study.rows,
        where=where_of(study),
        digits=4,
    )


def penalty_readings(rows: pd.DataFrame) -> Table:
    """What the printed penalty could mean."""
    return Table(
        rows,
    )


@figure(size=(6.8, 3.5))
def draws(canvas: Canvas, palette: Palette, rows: pd.DataFrame) -> None:
    """What playing the optimal law costs, by way of playing."""
    axes = canvas.subplots()
    shown = (
        ("independent draws", "o", "-", palette.series[0], 1.7),
        ("(|A|−1)/8M", "", "--", palette.accent, 1.3),
        ("luckiest of a run", "s", "-.", palette.series[1], 1.7),
        ("whole numbers", "^", ":", palette.series[2], 1.7),
    )
    for name, marker, dashes, color, width in shown:
        axes.plot(rows.M, rows[name], marker=marker, ls=dashes, color=color, lw=width, label=name)
    uniform: charts.Style = {"color": palette.muted, "ls": (0, (1, 3)), "label": "uniform law, infinite population"}
    axes.plot(rows.M, rows["uniform law"], **uniform)
    charts.name_axes(axes, "agents M", "optimum minus reward", log="xy")
    axes.set_xticks(list(rows.M), [f"{count:.0f}" for count in rows.M])
    axes.legend()


# -- the figures of the paper ------------------------------------------------------------------------------------------


@figure(size=(9.2, 5.0))
def curves(canvas: Canvas, palette: Palette, evidence: Evidence, problems: tuple[str, ...]) -> None:
    """Figure ``number`` of the paper again: best reward so far, and what the law behind it is worth."""
    shown = [name for name in problems if name in evidence.problems]
    panels = canvas.subplots(2, len(shown), squeeze=False, sharex=True)
    for (top, bottom), problem in zip(panels.T, shown, strict=True):
        for k, method in enumerate(METHODS):
            if method in evidence.methods(problem):
                _curve(top, evidence.best_so_far(problem, method), method, k, palette)
                bound = float(evidence.of(problem, method).upper_bound.iloc[0])
                gap = bound - evidence.best_so_far(problem, method, "law_reward")
                _curve(bottom, np.maximum(gap, 1e-6), method, k, palette)
        top.axhline(bound, color=palette.accent, ls=":", lw=1.3)
        top.set_title(f"{TITLE_OF[problem]}\n{evidence.label(problem)}", fontsize=9)
        charts.name_axes(bottom, "evaluation", log="y")
        charts.narrow_ticks(bottom)
    panels[0][0].set_ylabel("best reward so far")
    panels[1][0].set_ylabel("its law's regret")
    charts.legend_above(canvas, panels[0][0], 5)


def _curve(axes: Axes, runs: Floats, method: str, k: int, palette: Palette) -> None:
    mean, error = charts.mean_and_error(runs)
    across = np.arange(1, len(mean) + 1)
    style = charts.look(palette, charts.PLAIN if method == "random" else k)
    charts.band(axes, across, mean - charts.above_zero(mean, error), mean + error, style["color"], 0.2)
    axes.plot(across, mean, lw=2.2 if method == OURS else 1.3, label=NAME_OF[method], **style)
    at = slice(k * 7 % (len(mean) // 5), None, len(mean) // 5)
    axes.plot(across[at], mean[at], MARKERS[k], color=style["color"], ls="", ms=3.5)


def finals(evidence: Evidence, problems: tuple[str, ...]) -> Table:
    """Rewards at the end, and how far from the optimum they are."""
    rows = final_rows(evidence, problems)
    upward = {"best reward": -1.0, "reward of its law": -1.0, "its gap": 1.0, "law's gap": 1.0, "mean regret": 1.0}
    signed = pd.DataFrame({column: sign * rows[column] for column, sign in upward.items()})
    return Table(
        rows,
        where=evidence.where,
        digits=3,
        best=smallest(signed, rows.problem),
    )


def times(evidence: Evidence) -> Table:
    """Table 2 as ratios."""
    rows = time_rows(evidence)
    slower = [pd.to_numeric(rows[f"{whose} ratio"].str.split().str[0], errors="coerce") for whose in ("printed", "our")]
    turned = slower[1].notna() & ((slower[0] > 1) != (slower[1] > 1)) & (rows.method != NAME_OF[OURS])
    return Table(
        rows,
        where=evidence.where,
        digits=3,
        turned=turned.to_frame("our ratio"),
        formats={"our seconds": lambda value: "–" if np.isnan(value) else f"{value:.2g}"},
    )


@figure(size=(9.0, 5.4))
def manhattan(canvas: Canvas, palette: Palette, maps: Maps) -> None:
    """Figure 4: demand and the laws of three methods on one colour scale."""
    panels = charts.row_of(canvas, len(maps.maps))
    top = max(float(np.nanmax(field)) for field in maps.maps.values())
    for axes, (title, field) in zip(panels, maps.maps.items(), strict=True):
        axes.set_facecolor(palette.paper)
        # Blocks are counted from the west and the south; rows of an image run from the top.
        image = axes.imshow(np.sqrt(field.T), origin="lower", aspect=0.94, vmin=0.0, vmax=np.sqrt(top))
        axes.set_title(f"{title}\ndivergence {maps.shown[title]:.3f}", fontsize=9.5)
        axes.set(xticks=[], yticks=[])
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.set(xlim=(-0.5, field.shape[0] - 0.5), ylim=(-0.5, field.shape[1] - 0.5))
    scale_bar(panels[0], 2.0, "2 km", palette, BLOCK[0])
    park(panels[0], palette)
    bar = canvas.colorbar(image, ax=panels, orientation="horizontal", shrink=0.6, aspect=40)
    ticks = [0.0, 0.25 * top, 0.5 * top, top]
    bar.set_ticks(list(np.sqrt(ticks)), labels=[f"{100 * value:.1f} %" for value in ticks])
    bar.set_label("share of the taxis, or of the demand")


@figure(size=(9.2, 4.0))
def leads(canvas: Canvas, palette: Palette, evidence: Evidence) -> None:
    """MF-GP-UCB against the strongest other method on every problem, by best reward and by regret, in three comparisons."""
    rows = lead_rows(evidence)
    problems = list(dict.fromkeys(rows.problem))
    panels = charts.row_of(canvas, len(MEASURES))
    colors = {AHEAD: palette.series[0], BEHIND: palette.series[1], OPEN: palette.muted}
    for axes, measure in zip(panels, MEASURES, strict=True):
        axes.axvline(0.0, color=palette.ink, lw=1)
        for row in rows[rows.measure == measure].itertuples():
            k = list(COMPARED).index(row.compared)
            at, color = problems.index(row.problem) + 0.26 * (k - 1), colors[row.verdict]
            axes.hlines(at, row.low, row.high, color=color, lw=2)
            axes.plot(row.lead, at, "os^"[k], color=color, ms=5.5)
        axes.set(title=f"by {measure}", xlim=(-1.2, 1.2))
        axes.set_xticks([-1, 0, 1], ["other better", "equal", "MF-GP-UCB better"])
        axes.grid(visible=False, axis="y")
    for k, words in enumerate(COMPARED):
        panels[0].plot([], [], "os^"[k], color=palette.ink, label=words)
    for verdict, color in colors.items():
        panels[0].plot([], [], color=color, lw=4, label="open" if verdict == OPEN else verdict)
    panels[0].set_yticks(range(len(problems)), problems)
    panels[0].invert_yaxis()
    charts.legend_above(canvas, panels[0], 6)


# -- settings, claims and differences ----------------------------------------------------------------------------------


def variants(evidence: Evidence, *settings: str) -> Table:
    """MF-GP-UCB with one setting changed, for the variants that set one of ``settings``."""
    rows = variant_rows(evidence)
    rows = rows[rows.setting.str.partition("=")[0].isin(settings)]
    regrets = [
        f"{own:.2f} / {plain:.2f}" for own, plain in zip(rows["mean regret"], rows["default's regret"], strict=True)
    ]
    shown = rows.drop(columns=["mean regret", "default's regret"]).assign(**{"regret / default's": regrets})
    return Table(
        with_interval(shown, "difference of the laws"),
        where=evidence.where,
        digits=3,
    )


def with_interval(rows: pd.DataFrame, title: str) -> pd.DataFrame:
    """The difference and the ends of its interval as one column: the difference with its interval in brackets."""
    ends = ("difference", "95 % from", "to")
    texts = [f"{d:+.2g} ({low:.2g} to {high:.2g})" for d, low, high in rows[list(ends)].itertuples(index=False)]
    at = list(rows.columns).index("difference")
    kept = rows.drop(columns=list(ends))
    kept.insert(at, f"{title} (95 % interval)", texts)
    return kept


def controls(evidence: Evidence) -> Table:
    """The strongest of the companion's controls beside MF-GP-UCB."""
    rows = control_rows(evidence)
    return Table(
        with_interval(rows, "difference"),
        where=evidence.where,
        digits=3,
    )


def printed_penalty(evidence: Evidence) -> Table:
    """Runs with the penalty as printed."""
    rows = printed_rows(evidence)
    return Table(
        rows,
        where=evidence.where,
        digits=4,
    )


claims = table(claim_rows, digits=3)
differences = table(difference_rows)
