"""Retained and rejected rounds apart: how much regret, uncertainty and information lies in either, and what the bound charges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from companion.papers.compressed.studies.regret import game_of
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.chain import split
from companion.papers.compressed.theory.instances import gain_upper, played
from companion.report import cells, key_numbers, recorded, say, where_of
from companion.report.text import Sentence

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


def show_parts(study: PartStudy) -> None:
    """Key numbers: shares of the rejected rounds at every alpha."""
    key_numbers(cells(study.rows, "alpha = {alpha:g}: {}", [*WHAT.values(), CHARGED]), where_of(study))


def least_regret(study: PartStudy) -> float:
    """The exponent at which the regret of all rounds is least."""
    total = study.rows["retained regret"] + study.rows["rejected regret"]
    return float(study.rows.alpha[total.idxmin()])


def _best(study: PartStudy) -> str:
    """Where the regret of all rounds is least, and against which exponents that is more than chance."""
    least = least_regret(study)
    if least == ALPHAS[-1]:
        return "Regret itself is least with everything kept."
    apart: list[str] = []
    alike: list[str] = []
    for alpha in ALPHAS:
        if alpha == least:
            continue
        # Every exponent has functions of its own: two independent samples of unequal variance.
        ours, other = study.regret[least].to_numpy(), study.regret[alpha].to_numpy()
        found = stats.ttest_ind(other, ours, equal_var=False).confidence_interval(0.95)
        gap = other.mean() - ours.mean()
        text = f"{gap:.1f} (95 % interval {found.low:.1f} to {found.high:.1f}) against $\\alpha={alpha:g}$"
        (apart if found.low > 0 else alike).append(text)
    clear = f"by {', '.join(apart)}" if apart else "though against no other exponent by more than chance"
    doubt = f"; not more than chance is {', '.join(alike)}" if apart and alike else ""
    return (
        f"The mean regret itself is least at $\\alpha={least:g}$: {clear}{doubt}. One reason may be that a rejected round leaves "
        "the posterior as it is, so that UCB stays where it is instead of going on to explore."
    )


def say_parts(study: PartStudy) -> Sentence:
    """What the rejected rounds carry, and what the theorem charges for them."""
    row = study.rows[study.rows.alpha == 0.5].iloc[0]
    charged = study.rows[CHARGED]
    return say(
        "At $\\alpha=\\frac12$, {rounds:.0%} of the rounds are rejected; they carry {regret:.0%} of the regret, "
        "{widths:.0%} of the widths and {information:.0%} of the information, and the theorem's second term is "
        "{charged:.0%} of its value. Over all exponents shown that share lies between {low:.0%} and {high:.0%}. At "
        "$\\alpha=1$ nothing can be rejected within the horizon, since $1/u=T$; the bound pays for it all the same, "
        "because it counts $T$ rejected rounds. {best}",
        rounds=row["rounds"],
        regret=row["regret"],
        widths=row["confidence widths"],
        information=row["information they would bring"],
        charged=row[CHARGED],
        best=_best(study),
        low=float(charged.min()),
        high=float(charged.max()),
        where=where_of(study),
    )
