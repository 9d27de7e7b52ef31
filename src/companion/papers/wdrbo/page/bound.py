"""Theorems 5 and 9 with every constant beside measured regret, and their proofs taken apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from companion.checks.chain import Chain
from companion.core.arrays import Floats
from companion.core.templates import significant
from companion.information import gain_bracket_curve
from companion.judge.intervals import mean_interval
from companion.pages import Canvas, Numbers, Palette, charts, figure, recorded
from companion.papers.wdrbo.page.delivery import delivery, delivery_numbers, games
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.chain import covering_slack, decompose, regret_chain
from companion.papers.wdrbo.theory.runs import Game, Runs, covariance_of, play

#: The two settings; in the second the radius is (16) with the covering number replaced by one, the least it can be.
GENERAL, DATA = "general", "data-driven"
#: Rounds at which regret and bounds are compared, in units of the chapter's rounds.
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)
#: Of rho_t in Lemma 7: what its proof gives.
COPIES = 2.0


@dataclass(frozen=True, eq=False)
class BoundStudy:
    """Regret and bounds by setting and rounds, and the chains at the last one.

    Parameters
    ----------
    rows : setting, rounds, regret with an interval, bounds, what the worst and what random choices lose, certified gain and
        width of its bracket
    chains : by setting and constants, averages over the runs in which the band held
    held : by setting, runs in which Lemma 1's band held in all rounds
    above : by setting, runs whose regret exceeds the repaired bound at any of the rounds shown
    """

    rows: pd.DataFrame
    chains: dict[tuple[str, str], Chain]
    held: dict[str, int]
    above: dict[str, int]
    rounds: int
    runs: int


def slack_of(found: Runs) -> Floats:
    """rho_t of a data-driven game, zero in the general setting; (runs, T)."""
    game = found.game
    if game.setting == "general":
        return np.zeros_like(found.regret)
    return covering_slack(found.beta, game.lam, game.lipschitz, COPIES)


@recorded(first="seed")
def bound_study(seed: int, runs: int, rounds: int, radius: float, noise: float) -> BoundStudy:
    """Play Algorithm 1 on the delivery round and evaluate both bounds with the certified upper end of the information gain.

    Parameters
    ----------
    seed : of contexts and noise
    runs : each with contexts and noise of its own
    rounds : T at which the proof is taken apart
    radius : of the ball in the general setting
    noise : R, the root of lambda
    """
    rows, chains, held, above = [], {}, {}, {}
    lost = delivery_numbers(delivery(radius, noise))
    for setting, game in zip((GENERAL, DATA), games(seed, runs, rounds, radius, noise), strict=True):
        found = play(game)
        slack = slack_of(found)
        upper = _gains(game, rounds)
        paid = np.cumsum(2.0 * found.radius * found.at_optimum + 2.0 * slack, axis=1)
        exceeded = np.zeros(runs, dtype=bool)
        for t in _shown(rounds):
            regret = found.regret[:, :t].sum(axis=1)
            right = {
                name: bounds.cumulative(
                    found.beta[:, t - 1],
                    t,
                    2.0 * upper[n][0],
                    game.lam,
                    game.delta,
                    paid[:, t - 1],
                    name,
                    unchecked=True,  # the reader sets lambda
                )
                for name, n in (("appendix", t - 1), ("ours", t))
            }
            exceeded |= regret > right["ours"]
            rows.append(_row(setting, t, regret, right, upper[t], lost))
        held[setting], above[setting] = int(found.event.sum()), int(exceeded.sum())
        parts = decompose(found, slack)
        for constants, n in (("printed", rounds - 1), ("ours", rounds)):
            chain = regret_chain(parts, constants, gain=2.0 * upper[n][0])
            chains[setting, constants] = replace(chain, side={**chain.side, "trivial": lost.worst * rounds})
    return BoundStudy(pd.DataFrame(rows), chains, held, above, rounds, runs)


def _shown(rounds: int) -> list[int]:
    return sorted({max(2, round(share * rounds)) for share in SHARES})


def _gains(game: Game, rounds: int) -> dict[int, tuple[float, float]]:
    """Certified upper end of the gain (with its factor one half) and upper over lower end, by number of points."""
    wanted = sorted({n for t in _shown(rounds) for n in (t - 1, t)})
    curve = gain_bracket_curve(covariance_of(game), wanted, game.lam)
    return {n: (bracket.upper, bracket.ratio) for n, bracket in zip(wanted, curve, strict=True)}


def _row(
    setting: str, t: int, regret: Floats, right: dict[str, Floats], gain: tuple[float, float], lost: Numbers
) -> dict[str, object]:
    average = mean_interval(regret)
    return {
        "setting": setting,
        "rounds": t,
        **average.columns("regret"),
        "largest": float(regret.max()),
        **{name: float(values.mean()) for name, values in right.items()},
        "trivial": lost.worst * t,
        "random": lost.chance * t,
        "gain": gain[0],
        "bracket": gain[1],
    }


def bound_numbers(study: BoundStudy) -> Numbers:
    """Distances between regret, repaired bound and trivial bound."""
    ends = _ends(study)
    times = ends.ours / ends.regret
    return Numbers(
        study,
        runs=study.runs,
        rounds=study.rounds,
        times_general=float(times[GENERAL]),
        times_data=float(times[DATA]),
        above=sum(study.above.values()),
        held=study.held,
        over_random=float(ends.regret[GENERAL] / ends.random[GENERAL]),
        empty=bool((study.rows[["ours", "appendix"]].min(axis=1) >= study.rows.trivial).all()),
    )


def _ends(study: BoundStudy) -> pd.DataFrame:
    """The rows of the last round, by setting."""
    return study.rows[study.rows.rounds == study.rounds].set_index("setting").loc[[GENERAL, DATA]]


#: The two steps of the proof at which the radius is paid.
LAW_CHANGES = ("told law at the benchmark", "true law at the choice")


def chain_numbers(study: BoundStudy) -> Numbers:
    """Loss in the first step of the repaired proof, through the radius, and in all others; steps that fail as printed."""
    values: dict[str, float] = {}
    largest = []
    for name, setting in (("general", GENERAL), ("data", DATA)):
        chain = study.chains[setting, "ours"]
        ratios = {step.name: ratio for step, ratio in zip(chain.steps[1:], chain.ratios(), strict=True)}
        band, radius = ratios["optimism"], math.prod(ratios[step] for step in LAW_CHANGES)
        values |= {f"slack_{name}": chain.slack, f"band_{name}": band, f"radius_{name}": radius}
        values[f"rest_{name}"] = chain.slack / (band * radius)
        largest.append(max(ratios, key=ratios.__getitem__))
    broken = {key: chain.violations() for key, chain in study.chains.items()}
    return Numbers(
        study,
        runs=study.runs,
        rounds=study.rounds,
        largest=largest,
        broken=sum(len(broken[setting, "ours"]) for setting in (GENERAL, DATA)),
        slips=[step.larger.name for setting in (GENERAL, DATA) for step in broken[setting, "printed"]],
        **values,
    )


@figure(size=(7.8, 3.1))
def bound(canvas: Canvas, palette: Palette, study: BoundStudy) -> None:
    """Measured regret, both bounds and the trivial one against the rounds, in both settings."""
    panels = charts.row_of(canvas, 2)
    shown: tuple[tuple[str, str, charts.Style], ...] = (
        ("regret", "mean regret", {"color": palette.series[0], "marker": "o", "ls": "-"}),
        ("trivial", "trivial bound", {"color": palette.muted, "ls": ":"}),
        ("ours", "repaired bound", {"color": palette.series[2], "ls": "-."}),
        ("appendix", "printed bound", {"color": palette.accent, "ls": "--"}),
    )
    for axes, setting in zip(panels, (GENERAL, DATA), strict=True):
        part = study.rows[study.rows.setting == setting]
        charts.band(axes, part["rounds"], part.low, part.high, palette.series[0], 0.3)
        for column, label, style in shown:
            axes.plot(part["rounds"], part[column], label=label, **style)
        charts.name_axes(axes, "evaluations", title=f"{setting} setting", log="y")
    panels[0].set_ylabel("cumulative regret")
    panels[0].legend(ncols=2, loc="lower right", fontsize=9)
    # With few runs an interval may reach below zero, which a logarithmic axis has not.
    lowest = study.rows[["low", "regret", "trivial"]]
    panels[0].set_ylim(bottom=float(lowest[lowest > 0].min().min()) / 6)


@figure(size=(7.2, 5.0))
def waterfall(canvas: Canvas, palette: Palette, study: BoundStudy, words: Mapping[str, str]) -> None:
    """The proof's inequalities one by one, in both settings.

    Parameters
    ----------
    study : see :func:`companion.papers.wdrbo.page.bound.bound_study`
    words : what to call a step on the page, by its name
    """
    chains = {}
    for setting in (GENERAL, DATA):
        chain, printed = study.chains[setting, "ours"], study.chains[setting, "printed"]
        chains[setting] = replace(chain, side={**chain.side, "printed": printed.steps[-1].value})
    beside: tuple[charts.Beside, ...] = (charts.TRIVIAL, ("printed", "printed", "--", "accent"))
    charts.waterfall(canvas, palette, chains, beside, words=words, repaired=True)
    for axes, (setting, chain) in zip(canvas.axes, chains.items(), strict=True):
        first, last = (significant(chain.steps[k].value, 3) for k in (0, -1))
        axes.set_title(f"{setting}: from {first} to {last}\n")
        for text in axes.texts:  # the lines beside the bars, with their values
            if (name := text.get_text().strip()) in chain.side:
                text.set_text(f" {name} {significant(chain.side[name], 3)} ")
    charts.clear_factors(canvas)
