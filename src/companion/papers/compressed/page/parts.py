"""Retained and rejected rounds apart: regret, uncertainty and information in either, and the bound's charge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.judge.equivalence import Summary, welch
from companion.pages import Canvas, Numbers, Palette, Rows, cells, charts, figure, frame, recorded, table
from companion.pages.figures import MARKERS
from companion.papers.compressed.page.regret import game_of
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.chain import split
from companion.papers.compressed.theory.instances import gain_upper, played

ALPHAS = (0.125, 0.25, 0.5, 0.75, 1.0)
#: What is split, as the keys of :func:`~companion.papers.compressed.theory.chain.split` and in words.
WHAT = {
    "rounds": "rounds",
    "regret": "regret",
    "widths": "confidence widths",
    "information": "information they would bring",
}
CHARGED = "second term of Theorem 3.2"


@dataclass(frozen=True, eq=False)
class PartStudy:
    """Means over runs by alpha (``rows``: totals of both kinds of rounds, and shares of the rejected ones), and the regret of
    every run by alpha (``regret``)."""

    rows: pd.DataFrame
    regret: pd.DataFrame
    horizon: int
    runs: int


@recorded(first="seed")
def part_study(seed: int, horizon: int, noise_variance: float, functions: int) -> PartStudy:
    """Split runs of compressed UCB at several exponents of the budget.

    Returns
    -------
    rows of alpha, model order, retained and rejected totals, and under the names of :data:`WHAT` and :data:`CHARGED` the
    share of the rejected rounds
    """
    rows, regret = [], {}
    for alpha in ALPHAS:
        game = game_of(seed, horizon, noise_variance, alpha, functions)
        runs, gain = played(game), gain_upper(game)
        totals = pd.DataFrame([split(runs, run) for run in range(functions)]).mean()
        regret[alpha] = runs.regret
        arguments = (horizon, float(runs.beta[-1]), noise_variance, gain, alpha)
        charged = bounds.theorem_32(*arguments, parts="rejected") / bounds.theorem_32(*arguments)
        row = {"alpha": alpha, "order": float(runs.order.mean()), **totals.to_dict()}
        for key, name in WHAT.items():
            both = totals[f"retained {key}"] + totals[f"rejected {key}"]
            row[name] = float(totals[f"rejected {key}"] / both) if both else 0.0
        rows.append({**row, CHARGED: float(np.mean(charged))})
    return PartStudy(pd.DataFrame(rows), pd.DataFrame(regret), horizon, functions)


def least_regret(study: PartStudy) -> float:
    """The exponent at which the regret of all rounds is least."""
    total = study.rows["retained regret"] + study.rows["rejected regret"]
    return float(study.rows.alpha[total.idxmin()])


@frame
def beside_least(study: PartStudy) -> Rows:
    """Mean regret by exponent, and how much more than the least it is, with the 95 % interval of the difference."""
    least = least_regret(study)
    for alpha in ALPHAS:
        ours, other = study.regret[least].to_numpy(), study.regret[alpha].to_numpy()
        row = {
            "α": alpha,
            "mean regret": float(other.mean()),
            "more than the least": np.nan,
            "from": np.nan,
            "to": np.nan,
        }
        if alpha != least:
            # Every exponent has functions of its own: two independent samples of unequal variance.
            at_least, at_this = (Summary(float(x.mean()), float(x.std(ddof=1)), len(x)) for x in (ours, other))
            found = welch(at_least, at_this)
            row |= {"more than the least": float(other.mean() - ours.mean()), "from": found.low, "to": found.high}
        yield row


def part_numbers(study: PartStudy) -> Numbers:
    """Shares of the rejected rounds at exponents 1/2 and 1, and the exponent of least regret."""
    half, one = (study.rows[study.rows.alpha == alpha].iloc[0] for alpha in (0.5, 1.0))
    return Numbers(
        study,
        rounds=half["rounds"],
        regret=half["regret"],
        charged=half[CHARGED],
        rejected_at_one=one["rounds"],
        charged_at_one=one[CHARGED],
        best=least_regret(study),
        falling=bool((study.rows[[*WHAT.values(), CHARGED]].diff().iloc[1:] <= 0).all().all()),
        rising=bool((study.rows["retained regret"].diff().iloc[1:] >= 0).all())
        and bool((study.rows["rejected regret"].diff().iloc[1:] <= 0).all()),
        horizon=study.horizon,
        runs=study.runs,
        **cells(study.rows, "alpha = {alpha:g}: {}", [*WHAT.values(), CHARGED]),
    )


@figure(size=(8.8, 4.3))
def parts(canvas: Canvas, palette: Palette, study: PartStudy) -> None:
    """Shares of the rejected rounds, and the theorem's charge for them."""
    rows = study.rows
    left, right = charts.row_of(canvas, 2, sharey=False)
    alpha = "exponent α of the budget"
    for k, name in enumerate(WHAT.values()):
        left.plot(rows.alpha, rows[name], label=name, **charts.marked(palette, k))
    left.plot(rows.alpha, rows[CHARGED], label=CHARGED, **charts.marked(palette, 4, color=palette.accent, lw=2.2))
    charts.name_axes(left, alpha, "share", "Share of the rejected rounds")
    left.set_ylim(-0.03, 1.03)
    for k, kind in enumerate(("retained", "rejected")):
        right.plot(rows.alpha, rows[f"{kind} regret"], label=f"{kind} rounds", **charts.marked(palette, k))
    total = rows["retained regret"] + rows["rejected regret"]
    right.plot(rows.alpha, total, color=palette.ink, ls="-", marker=MARKERS[2], label="all rounds")
    charts.name_axes(right, alpha, "cumulative regret", "Where the regret comes from")
    right.set_ylim(bottom=0)
    for axes, columns in ((left, 2), (right, 3)):
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=columns)


least_table = table(beside_least, digits=3)
