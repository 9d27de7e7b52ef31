"""The printed cumulative bound beside the repaired one, on arms that have nothing in common, for small regularisers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from companion.pages import Canvas, Numbers, Palette, cells, charts, figure, recorded
from companion.papers.wdrbo.checks.regret_runs import new_arms
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.bounds import crossing
from companion.papers.wdrbo.theory.chain import trivial_line
from companion.papers.wdrbo.theory.runs import play

REGULARISERS = tuple(float(10.0**-k) for k in np.linspace(0.0, 4.0, 9))
#: Regularisers at which the bounds are followed as the number of rounds grows.
GROWING = (1.0, 1e-2, 1e-3)
#: Rounds, in units of the chapter's.
SHARE = (0.02, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
#: Rounds at which the two bounds are compared at lambda = 1.
HORIZONS = tuple(int(10.0**k) for k in range(1, 7))
READINGS = {"main": "printed, main text", "appendix": "printed, appendix", "ours": "repaired"}


@dataclass(frozen=True, eq=False)
class ConstantStudy:
    """Regret and bounds by regulariser (``rows``) and by rounds (``growing``), and two thresholds of lambda.

    Parameters
    ----------
    violated_below : the printed (57) is exceeded for large T
    proved_from : it follows from the repaired bound
    shares : at lambda = 1, the repaired bound over the printed one, by rounds
    """

    rows: pd.DataFrame
    growing: pd.DataFrame
    rounds: int
    violated_below: float
    proved_from: float
    shares: Mapping[int, float]


def _row(lam: float, rounds: int) -> dict[str, float]:
    """Regret and all bounds; the maximal log determinant is known here: every arm once."""
    game = new_arms(lam, rounds)
    runs = play(game)
    before, after = (n * math.log1p(1.0 / lam) for n in (rounds - 1, rounds))
    beta = float(runs.beta[0, -1])
    row = {"lambda": lam, "rounds": rounds, "regret": float(runs.regret.sum()), "trivial": trivial_line(game) * rounds}
    for reading in READINGS:
        gain = after if reading == "ours" else before
        row[reading] = float(bounds.cumulative(beta, rounds, gain, lam, game.delta, reading=reading, unchecked=True))
    return row


def share_of_printed(rounds: int) -> float:
    """The repaired bound over (57) on the arms at lambda = 1, where beta is B in both."""
    game, each = new_arms(1.0, rounds), math.log(2.0)
    ours = bounds.cumulative(game.norm, rounds, rounds * each, 1.0, game.delta, reading="ours")
    printed = bounds.cumulative(game.norm, rounds, (rounds - 1) * each, 1.0, game.delta)
    return float(ours / printed)


@recorded(first=0)
def constant_study(rounds: int) -> ConstantStudy:
    """More orthonormal arms than rounds, one context, no noise, all of f on the arm that is tried last.

    Parameters
    ----------
    rounds : T where all regularisers are compared
    """
    rows = pd.DataFrame([_row(lam, rounds) for lam in REGULARISERS])
    counts = sorted({max(1, round(share * rounds)) for share in SHARE})
    growing = pd.DataFrame([_row(lam, count) for lam in GROWING for count in counts])
    violated = float(brentq(lambda lam: crossing(lam) - 1.0, 1e-6, 1.0))
    proved = float(brentq(lambda lam: bounds.small_width_factor(lam) - 2.0, 1e-2, 1.0))
    shares = {count: share_of_printed(count) for count in HORIZONS}
    return ConstantStudy(rows, growing, rounds, violated, proved, shares)


def constant_numbers(study: ConstantStudy) -> Numbers:
    """Failures of the printed bounds, ratio of the repaired one to the regret, and both beside one another."""
    rows = study.rows
    failing = {name: rows["lambda"][rows.regret > rows[name]].tolist() for name in READINGS}
    last, ours = rows.iloc[-1], pd.concat([rows, study.growing])
    below = max(failing["appendix"], default=float("nan"))
    smaller = rows["lambda"][rows["lambda"] <= below].tolist()
    return Numbers(
        study,
        rounds=study.rounds,
        below=below,
        all_below=bool(smaller) and failing["main"] == failing["appendix"] == smaller,
        lam=float(last["lambda"]),
        regret=float(last.regret),
        promised=float(last.appendix),
        exceeded=int((ours.regret > ours.ours).sum()),
        low=float((ours.ours / ours.regret).min()),
        high=float((ours.ours / ours.regret).max()),
        first=HORIZONS[0],
        last=HORIZONS[-1],
        least=study.shares[HORIZONS[0]],
        most=study.shares[HORIZONS[-1]],
        violated=study.violated_below,
        proved=study.proved_from,
        curves=len(GROWING),
        shares={f"T = {count}": share for count, share in study.shares.items()},
        **cells(rows.iloc[::2], "lambda {lambda:g}: {}", ["regret", *READINGS]),
    )


@figure(size=(8.8, 3.7))
def draw_constants(canvas: Canvas, palette: Palette, study: ConstantStudy) -> None:
    """Regret and bounds against the regulariser, and bound over regret against the rounds."""
    left, right = charts.row_of(canvas, 2, sharey=False)
    rows, printed, repaired = study.rows, palette.accent, palette.series[2]
    left.plot(rows["lambda"], rows.regret, color=palette.series[0], marker="o", label="regret")
    for k, (name, title) in enumerate(READINGS.items()):
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
