"""The data-driven radius: the theory's, the one needed, the one used; and its effect on the regret."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.judge.intervals import mean_interval, paired_interval
from companion.pages import Canvas, Numbers, Palette, cells, charts, figure, recorded
from companion.papers.wdrbo.checks.regret_runs import DataGame
from companion.papers.wdrbo.theory import covering
from companion.papers.wdrbo.theory.radii import PRACTICE, TRUTHS
from companion.papers.wdrbo.theory.radii import radii as radii_of
from companion.papers.wdrbo.theory.runs import Game, bump_laws, contexts_of, expected, play, stream_of

#: Numbers of contexts at which formula (16) is evaluated.
CONTEXTS = (5, 10, 20, 50, 100, 10**3, 10**4, 10**5, 10**6, 10**7, 10**8, 10**9)
#: Rounds of the paper's experiments.
EXPERIMENT = 100
#: a of the radius a / sqrt(n) in the simulated runs; the published experiments take 0.3.
CONSTANTS = (0.0, 0.03, 0.1, 0.3, 1.0, 3.0)
SINGLE, THEORY, CHANCE = "Lemma 7, covering number one", "Lemma 7, explicit covering number", "decisions by lot"
#: Of the runs, in which a radius has to be enough.
SHARE = 0.9


@dataclass(frozen=True)
class TheoryGame(DataGame):
    """A data-driven game with the radius (16), its covering number replaced by an explicit upper bound."""

    def radius_at(self, t: int) -> float:
        """epsilon_t from t - 1 contexts; the diameter in the first round."""
        if t == 1:
            return self.context_diameter
        return covering.theory_radius(
            t - 1,
            self.lam,
            self.noise,
            self.norm,
            self.delta,
            self.lengthscale,
            self.decision_dim,
            self.context_dim,
        )


@dataclass(frozen=True, eq=False)
class RadiusStudy:
    """Radii by number of contexts, and regret by radius.

    Parameters
    ----------
    radii : see :class:`companion.papers.wdrbo.theory.radii.RadiusRow`
    regret : rule, mean regret with an interval, paired difference to radius zero, share of the largest possible regret
    law : what the formula is evaluated for
    enough_from : first number of contexts of the grid from which the explicit radius is below the diameter
    """

    radii: pd.DataFrame
    regret: pd.DataFrame
    law: Mapping[str, float]
    rounds: int
    runs: int
    enough_from: float

    def at(self, count: int) -> pd.Series:
        """The radii after ``count`` contexts."""
        return self.radii.set_index("contexts").loc[count]


@recorded(first="seed", count=8)
def radius_study(seed: int, runs: int, rounds: int, regulariser: float, noise: float) -> RadiusStudy:
    """Formula (16) beside the smallest radius that would have done in nine of ten runs under eight true laws.

    Parameters
    ----------
    seed : of the first law, its functions, contexts and noise
    runs, rounds : of the simulator
    regulariser, noise : lambda and R
    """
    common = {"lam": regulariser, "noise": noise, "horizon": rounds, "runs": runs, "seed": seed}
    game = Game(setting="data", radius=PRACTICE, decay=0.5, **common)  # type: ignore[arg-type]
    radii = pd.DataFrame([vars(row) for row in radii_of(game, CONTEXTS)])
    below = radii[radii.theory < radii.diameter]
    rules: dict[str, Game] = {
        f"{a:g}/√n": Game(setting="data", radius=a, decay=0.5, **common)  # type: ignore[arg-type]
        for a in CONSTANTS
    }
    rules[SINGLE], rules[THEORY] = DataGame(**common), TheoryGame(**common)  # type: ignore[arg-type]
    law = {"regulariser": regulariser, "noise": noise, "lengthscale": game.lengthscale, "delta": game.delta}
    return RadiusStudy(
        radii,
        pd.DataFrame(_regrets(rules)),
        law,
        rounds,
        runs,
        float(below.contexts.iloc[0]) if len(below) else float("inf"),
    )


def _regrets(rules: Mapping[str, Game]) -> list[dict[str, object]]:
    totals = {name: play(game).regret.sum(axis=1) for name, game in rules.items()}
    totals[CHANCE] = _by_lot(rules[THEORY])
    base = totals[f"{CONSTANTS[0]:g}/√n"]
    rows = []
    for name, values in totals.items():
        average, gap = mean_interval(values), paired_interval(values, base)
        rows.append(
            {
                "radius": name,
                **average.columns("regret"),
                "minus radius 0": gap.estimate,
                "difference low": gap.low,
                "difference high": gap.high,
            }
        )
    return rows


def _by_lot(game: Game) -> Floats:
    """(runs,) expected cumulative regret of decisions drawn uniformly, under the same functions and law."""
    law = bump_laws(contexts_of(game), game.horizon, stream_of(game, "laws"))[0]
    reward = expected(play(game).values, law)
    return np.asarray(game.horizon * (reward.max(axis=1) - reward.mean(axis=1)))


def _from(count: float) -> str:
    return f"{count:.0e} contexts" if np.isfinite(count) else "no number tried"


def radius_numbers(study: RadiusStudy) -> Numbers:
    """The radii after as many contexts as the experiments have rounds, and the arguments of the formula."""
    row = study.at(EXPERIMENT)
    power = math.log10(study.enough_from) if math.isfinite(study.enough_from) else float("nan")
    return Numbers(
        study,
        **study.law,
        n=EXPERIMENT,
        share=SHARE,
        rounds=study.rounds,
        law_runs=study.runs,
        laws=TRUTHS,
        least=float(row.least / row.diameter),
        theory=float(row.theory / row.diameter),
        single=float(row.single),
        needed=float(row.needed),
        times=float(row.single / row.needed),
        practice=float(row.practice),
        power=power,
        power_before=power - 1.0,
        **cells(study.regret, "radius {radius}: {}", ["regret"]),
    )


def regret_numbers(study: RadiusStudy) -> Numbers:
    """Regret with the theory's radius and without one; which other radius is shown to do better than none."""
    rows = study.regret.set_index("radius")
    none = f"{CONSTANTS[0]:g}/√n"
    shown = rows.index[rows["difference high"] < 0].tolist()
    return Numbers(
        study,
        zero=float(rows.regret[none]),
        theory=float(rows.regret[THEORY]),
        low=float(rows["difference low"][THEORY]),
        lot=float(rows.regret[CHANCE]),
        better=shown,
    )


#: Names of the radii, the theory's first.
RADII = {
    "theory": "Lemma 7, explicit covering number",
    "least": "Lemma 7, at least",
    "single": "Lemma 7, covering number one",
    "practice": r"used: $0.3/\sqrt{n}$",
    "needed": f"needed in {SHARE:.0%} of runs",
}


@figure(size=(9.0, 3.9))
def radii(canvas: Canvas, palette: Palette, study: RadiusStudy) -> None:
    """All radii against the number of contexts."""
    left, right = charts.row_of(canvas, 2, width_ratios=(1.35, 1), sharey=False)
    rows = study.radii
    colors = (palette.accent, *palette.series)
    for k, (name, title) in enumerate(RADII.items()):
        left.plot(rows.contexts, rows[name], ms=3.5, label=title, **charts.marked(palette, k, color=colors[k]))
    diameter = float(rows.diameter.iloc[0])
    left.axhline(diameter, color=palette.ink, lw=1)
    left.text(float(rows.contexts.max()), 1.15 * diameter, "diameter", ha="right", fontsize=8)
    left.axvline(EXPERIMENT, color=palette.muted, lw=0.9)
    charts.name_axes(left, "contexts n", "radius", "The radius", log="xy")
    left.set_ylim(bottom=float(rows.needed.min()) / 3e3)
    left.legend(fontsize=7.5, loc="lower left")
    regret = study.regret
    across = np.arange(len(regret))
    style: charts.Style = {"fmt": "o", "color": palette.series[0], "capsize": 2}
    right.errorbar(regret.regret, across, xerr=charts.bars(regret, "regret"), **style)
    right.axvline(float(regret.regret.iloc[0]), color=palette.muted, lw=0.9, ls=":")
    right.set_yticks(across, [_tick(name) for name in regret.radius], fontsize=7.5)
    right.invert_yaxis()
    charts.name_axes(right, f"regret of {study.rounds} rounds", title="What it does", log="x")
    inside = 0.6 * regret.regret.min(), 1.6 * regret.regret.max()
    charts.name_ticks(right.xaxis, [v for v in (2, 5, 10, 20, 50, 100) if inside[0] < v < inside[1]])


def _tick(name: str) -> str:
    words = {CHANCE: "drawn uniformly", f"{CONSTANTS[0]:g}/√n": "0 (ERBO)"}
    return words.get(name, name.replace(", ", ",\n"))
