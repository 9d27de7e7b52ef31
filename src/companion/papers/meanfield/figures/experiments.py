"""Figures and tables on the problems and of the section "The paper's experiments again"; all data come from ``studies``."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator, NullLocator

from companion.papers.meanfield.claims.printed import NAME_OF, OURS, PROBLEM_OF, TITLE_OF
from companion.papers.meanfield.problems.catalogue import HORIZON
from companion.papers.meanfield.studies.findings import claim_rows, difference_rows
from companion.papers.meanfield.studies.paper import (
    METHODS,
    Evidence,
    control_rows,
    final_rows,
    leads,
    outcome,
    printed_rows,
    time_rows,
    variant_rows,
)
from companion.papers.meanfield.studies.problems import READINGS, PenaltyStudy
from companion.report import Figure, Palette, Table, say, where_of
from companion.report.evidence import Checked
from companion.report.figures import DASHES, MARKERS
from companion.report.text import Sentence

#: Ratio of the ends of a logarithmic axis below which more than powers of ten are marked.
TICKED = 30.0


def curves(evidence: Evidence, number: int, problems: tuple[str, ...]) -> Figure | Sentence:
    """Figure ``number`` of the paper again: best reward so far, and what the law behind it is worth."""
    shown = [name for name in problems if name in evidence.problems]
    if not shown:
        return say("Figure {number} is not among the stored runs.", number=number, where=evidence.where)

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(2, len(shown), squeeze=False, sharex=True)
        for column, problem in enumerate(shown):
            top, bottom = panels[0][column], panels[1][column]
            for k, method in enumerate(METHODS):
                if method in evidence.methods(problem):
                    color = palette.ink if method == "random" else palette.series[k]
                    _curve(top, evidence.best_so_far(problem, method), method, k, color)
                    bound = float(evidence.both.rows(problem, method).upper_bound.iloc[0])
                    gap = bound - evidence.best_so_far(problem, method, "law_reward")
                    _curve(bottom, np.maximum(gap, 1e-6), method, k, color)
            top.axhline(bound, color=palette.accent, ls=":", lw=1.3)
            top.set_title(f"{TITLE_OF[problem]}\n{evidence.label(problem)}", fontsize=9)
            bottom.set(yscale="log", xlabel="evaluation")
            _few_decades(bottom)
        panels[0][0].set_ylabel("best reward so far")
        panels[1][0].set_ylabel("its law's regret")
        canvas.legend(*panels[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=5)

    return Figure(
        draw,
        alt=f"{len(shown)} columns of two panels, for {', '.join(TITLE_OF[p] for p in shown)}. Above: mean best "
        f"reward so far of "
        "five methods with a dotted line at the certified optimum. Below: the regret of the law with the best reward. "
        + _last_in_words(evidence, shown),
        caption=f"Figure {number} of the paper again, on the data named above each column. Top: best reward so far, "
        f"mean of the "
        "stored seeds with bands of one standard error; dotted, the certified optimum. Bottom: how far the mean-field "
        "reward of the same law stays below it. The two differ by the luck of the draw.",
        size=(9.2, 5.0),
        where=evidence.where,
    )


def _curve(axes: Axes, runs: np.ndarray, method: str, k: int, color: str) -> None:
    mean = runs.mean(axis=0)
    error = runs.std(axis=0, ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.zeros_like(mean)
    across = np.arange(1, len(mean) + 1)
    style = ":" if method == "random" else DASHES[k]
    axes.plot(across, mean, color=color, ls=style, lw=2.2 if method == OURS else 1.3, label=NAME_OF[method])
    # A band may not reach below zero on a logarithmic axis.
    low = np.where(mean > 0, np.maximum(mean - error, 0.1 * mean), mean - error)
    axes.fill_between(across, low, mean + error, color=color, alpha=0.2, lw=0)
    step = len(mean) // 5
    axes.plot(across[k * 7 % step :: step], mean[k * 7 % step :: step], MARKERS[k], color=color, ls="", ms=3.5)


def _few_decades(axes: Axes) -> None:
    """Ticks at 1, 2 and 5 times powers of ten where a logarithmic axis spans little; round numbers where these are few."""
    low, high = axes.get_ylim()
    if high / low < TICKED:
        powers = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)))
        ticks = [tick for tick in np.outer(powers, (1, 2, 5)).ravel() if low <= tick <= high]
        if len(ticks) < 3:
            ticks = [tick for tick in MaxNLocator(4).tick_values(low, high) if low <= tick <= high]
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.yaxis.set_minor_locator(NullLocator())


def _last_in_words(evidence: Evidence, problems: list[str]) -> str:
    parts = []
    for problem in problems:
        other, interval = leads(evidence, problem)
        verdict = outcome(interval)
        words = verdict if verdict == "not told apart" else f"{verdict} it"
        parts.append(f"{TITLE_OF[problem]}, against {NAME_OF[other]}: MF-GP-UCB {words}")
    return f"After {HORIZON} evaluations: {'; '.join(parts)}."


def finals(evidence: Evidence, problems: tuple[str, ...]) -> Table | Sentence:
    """Rewards at the end, and how far from the optimum they are."""
    rows = final_rows(evidence, problems)
    if rows.empty:
        return say("These runs are not stored.", where=evidence.where)
    return Table(
        rows,
        caption="After the last evaluation: best reward (mean and standard deviation over seeds), the mean-field "
        "reward of its law, and what is missing to the certified optimum, in shares of what the uniform law misses: "
        "of the best reward, of its law, and on average over all laws played (mean regret), which is what the theorem bounds. "
        f"Data: {evidence.labels(problems)}.",
        where=evidence.where,
        digits=3,
    )


def times(evidence: Evidence) -> Table:
    """Table 2 as ratios."""
    return Table(
        time_rows(evidence),
        caption="Table 2 as ratios: of a method's time to MF-GP-UCB's on the same problem, and of MF-GP-UCB's to its "
        "own on Swarm. The paper's minutes are on processors it does not name, ours are CPU seconds of one core, so "
        "that only ratios can be compared. The last column is their quotient.",
        where=evidence.where,
        digits=3,
        formats={"our seconds": lambda value: "–" if np.isnan(value) else f"{value:.2g}"},
    )


def problems(rows: pd.DataFrame) -> Table:
    """The seven problems with their optima."""
    return Table(
        rows,
        caption="The problems of Section 5: what the stored runs used, with the reward of the uniform law and the "
        "certified optimum there; and the embedded stand-in that this page computes with, which is the same on every "
        "machine.",
        where=where_of(rows),
        digits=4,
        formats={"known to within": lambda value: f"{value:.0e}" if value else "0"},
    )


def penalties(study: PenaltyStudy) -> Figure:
    """The best laws of Swarm under both penalties."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        axes = canvas.subplots()
        width = 0.42 * (study.angles[1] - study.angles[0])
        for k, (reading, law) in enumerate(study.laws.items()):
            axes.bar(
                study.angles + (2 * k - 1) * width / 2, law, width, color=palette.series[k], label=READINGS[reading],
                hatch="//" if k else None, edgecolor=palette.paper, lw=0,
            )  # fmt: skip
        axes.axvline(np.pi / 2, color=palette.muted, ls=":", lw=1)
        axes.set(xlabel="angle x", ylabel="share of the agents", xlim=(0, np.pi))
        axes.set_xticks([0, np.pi / 4, np.pi / 2, 3 * np.pi / 4, np.pi], ["0", "π/4", "π/2", "3π/4", "π"])
        axes.legend()

    ours, printed = study.laws.values()
    return Figure(
        draw,
        alt=f"Bars of the share of agents against the angle. With the printed penalty one bar of {printed.max():.2f}; "
        f"with the weighted penalty {int((ours > 0).sum())} neighbouring bars around the upward direction, the largest "
        f"{ours.max():.2f}.",
        caption="The best laws of Swarm under both readings of the congestion penalty, from the solution of each "
        "program. The dotted line marks where a single agent would go.",
        size=(6.6, 3.0),
        where=where_of(study),
    )


def penalty_table(study: PenaltyStudy) -> Table:
    """Optimum and corners under both penalties."""
    return Table(
        study.rows,
        caption="What each penalty prefers: the optimum beside the best that agents can earn with one action for each "
        "context. As printed, Swarm's reward is a sum over the agents and not a mean.",
        where=where_of(study),
        digits=4,
    )


def penalty_readings(rows: pd.DataFrame) -> Table:
    """What the printed penalty could mean."""
    return Table(
        rows,
        caption="Every reading of Arena's penalty that was tried, and the largest reward that it allows to any teams. In the "
        "first three P are the shares of all agents; in the fourth an agent pays by the shares of its own team. The last two "
        "differ in the reward: the mean over pairs of agents counts each pair once, as the text says, or in both orders.",
        where=where_of(rows),
    )


def draws(rows: pd.DataFrame) -> Figure:
    """What playing the optimal law costs, by way of playing."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        axes = canvas.subplots()
        shown = (
            ("independent draws", "o", "-", palette.series[0], 1.7),
            ("(|A|−1)/8M", "", "--", palette.accent, 1.3),
            ("luckiest of a run", "s", "-.", palette.series[1], 1.7),
            ("whole numbers", "^", ":", palette.series[2], 1.7),
        )
        for name, marker, dashes, color, width in shown:
            axes.plot(rows.M, rows[name], marker=marker, ls=dashes, color=color, lw=width, label=name)
        axes.plot(
            rows.M, rows["uniform law"], color=palette.muted, ls=(0, (1, 3)), label="uniform law, infinite population"
        )
        axes.set(xscale="log", yscale="log", xlabel="agents M", ylabel="optimum minus reward")
        axes.set_xticks(list(rows.M), [f"{count:.0f}" for count in rows.M])
        axes.legend()

    few = rows.iloc[0]
    return Figure(
        draw,
        alt="Loss of the optimal law against the number of agents on logarithmic axes. Independent draws follow the "
        "line of slope "
        f"minus one, starting at {few['independent draws']:.3f}; the luckiest of a run is about half of it; whole "
        f"numbers "
        "fall twice as steeply.",
        caption="The optimal law of the bike-sharing stand-in, played by M bicycles: what it loses when every bicycle "
        "draws its "
        f"station, what the luckiest of {HORIZON} such populations loses, and what is lost when whole numbers are "
        f"dealt out. At {few['M']:.0f} bicycles the draws alone cost "
        f"{few['independent draws'] / few['uniform law']:.0%} of what the "
        "uniform law loses on the stand-in in an infinite population.",
        size=(6.8, 3.5),
        where=where_of(rows),
    )


def variants(evidence: Evidence, what: str, *settings: str) -> Table | Sentence:
    """MF-GP-UCB with one setting changed, for the variants that set one of ``settings``; ``what`` they are about."""
    rows = variant_rows(evidence)
    if len(rows):
        rows = rows[rows.setting.str.partition("=")[0].isin(settings)]
    if rows.empty:
        return say("No variants of {what} are stored.", what=what, where=evidence.where)
    regrets = [
        f"{own:.2f} / {plain:.2f}" for own, plain in zip(rows["mean regret"], rows["default's regret"], strict=True)
    ]
    shown = rows.drop(columns=["mean regret", "default's regret"]).assign(**{"regret / default's": regrets})
    return Table(
        with_interval(shown, "difference of the laws"),
        caption=f"How much depends on {what}: MF-GP-UCB with one thing changed, on the same seeds as the default. Best "
        "reward; mean-field reward of its law, of the default's, and the paired difference of the two (above zero the change "
        "helps); and mean regret, in shares of the uniform law's, beside the default's. "
        f"Data: {evidence.labels(dict.fromkeys(_names(rows.problem)))}.",
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


def _names(titles: Iterable[str]) -> list[str]:
    """Problems by their titles."""
    return [PROBLEM_OF[title] for title in titles]


def controls(evidence: Evidence) -> Table | Sentence:
    """The strongest of the companion's controls beside MF-GP-UCB."""
    rows = control_rows(evidence)
    if rows.empty:
        return say("No controls are stored.", where=evidence.where)
    return Table(
        with_interval(rows, "difference"),
        caption="Fairer opponents: annealing and the genetic algorithm with settings scaled to the rewards, random "
        "laws from all over the simplex, and an evolution strategy on laws. The strongest of the four on each "
        "problem, and by how much MF-GP-UCB's best reward exceeds its, paired. "
        f"Data: {evidence.labels(_names(rows.problem))}.",
        where=evidence.where,
        digits=3,
    )


def printed_penalty(evidence: Evidence) -> Table | Sentence:
    """Runs with the penalty as printed."""
    rows = printed_rows(evidence)
    if rows.empty:
        return say("No runs with the printed penalty are stored.", where=evidence.where)
    return Table(
        rows,
        caption="The stored runs with the penalty as printed: rewards of all five methods, and the certified "
        "optimum of the mean field. On Arena fifty agents can exceed it where their teams are unequal.",
        where=evidence.where,
        digits=4,
    )


def claims(checked: Checked) -> Table:
    """The claims about the experiments, part by part."""
    return Table(
        claim_rows(checked),
        caption="Every claim about the experiments, what was tested, and how it came out; at the end two questions of our own. "
        "A claim holds if all its "
        "parts hold. Where nearness to an optimum or to a printed reward is claimed, and the paper leaves open whether agents "
        "draw their actions or are dealt them, both ways are tested; a part on which they disagree is undecided.",
        where=checked.where,
        digits=3,
    )


def differences() -> Table:
    """Where text, inferred experiment and companion differ."""
    rows = difference_rows()
    return Table(
        rows,
        caption="What the text says of the experiments, what was most likely run as the numbers in it show, and what is "
        "done here.",
        where=where_of(rows),
    )
