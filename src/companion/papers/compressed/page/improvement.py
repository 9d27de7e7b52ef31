"""Theorem 3.4 on runs of compressed EI: the bound in three forms, the constant R, and the step that fails."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from companion.checks.chain import Chain
from companion.pages import (
    Canvas,
    Numbers,
    Palette,
    Rows,
    Table,
    cells,
    charts,
    figure,
    frame,
    provenance_of,
    recorded,
    table,
)
from companion.pages.figures import DASHES
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.chain import improvement_chain, mean_chain
from companion.papers.compressed.theory.freeze import MILLION, allowed, first_arm
from companion.papers.compressed.theory.instances import E, Game, even_gain, gain_upper, played

#: Squared exponential on 50 points of [0, 1]; less noise than under UCB, so that EI gets somewhere.
NOISE_SD = 0.1
#: One round on many arms with little noise, where the printed divisor of (3.6) matters if R stops before the round.
QUIET_NOISE, QUIET_ARMS, QUIET_RUNS = (1e-2, 1e-3, 1e-4), 1000, 300
SPREAD = (0.25, 1.0, 4.0, 16.0)
FORMS = ("printed (3.6)", "line (9.27)", "established", "trivial")


@dataclass(frozen=True, eq=False)
class ImprovementStudy:
    """Compressed EI.

    Parameters
    ----------
    rows : by horizon T the medians over runs of regret, R and bounds, quartiles of R, and the share of runs above (3.6)
    chain : the sound part of the proof at the chapter's horizon, means over runs
    arms : by round, on independent arms of which the maximiser is never sampled: sums of variances at the choices and at
        the maximiser, and what (9.26) allows
    broken : the paper's treatment of the maximiser on the same arms
    sampled : number of times the maximiser is chosen there
    quiet : by noise standard deviation, the share of runs with more regret than (3.6) and than (9.27) allow in one round on
        many independent arms, with R over the state before the round; and than (3.6) with the state after it too (``later``)
    million : on a million arms, with R over all states of the infinite run: the shares of runs that stay with the first arm,
        and that have more regret than (3.6) and than (9.27) allow; the largest R among those that stay
    horizon, runs : of the chain
    points : candidates of the draws of the prior
    """

    rows: pd.DataFrame
    chain: Chain
    arms: pd.DataFrame
    broken: Chain
    sampled: int
    quiet: pd.DataFrame
    million: dict[str, float]
    horizon: int
    runs: int
    points: int


@recorded(first="seed")
def improvement_study(seed: int, horizon: int, alpha: float, improvement_runs: int) -> ImprovementStudy:
    """Play compressed EI for draws of the prior, and once on many independent arms.

    Parameters
    ----------
    seed : of functions, noise and first points
    horizon : T of the chain; the rows have T / 4 to 16 T
    alpha : of the budget
    improvement_runs : functions a horizon
    """
    rows: list[dict[str, float]] = []
    chains: list[Chain] = []
    for factor in SPREAD:
        rounds = max(2, round(horizon * factor))
        game = Game("se", 1, NOISE_SD, rounds, alpha, runs=improvement_runs, acquisition="ei", seed=seed)
        found = [improvement_chain(game, run) for run in range(improvement_runs)]
        rows.append(_row(game, found))
        chains = found if factor == 1.0 else chains
    arms = replace(E, seed=seed)
    sampled = int((played(arms).chosen[0] == played(arms).optimum[0]).sum())
    broken = improvement_chain(arms, 0, printed=True)
    return ImprovementStudy(
        pd.DataFrame(rows),
        mean_chain(chains),
        _arms(arms),
        broken,
        sampled,
        _quiet(seed),
        _million(seed),
        horizon,
        improvement_runs,
        game.size,
    )


def _row(game: Game, chains: list[Chain]) -> dict[str, float]:
    runs = played(game)
    values = {name: np.array([c.side[name] for c in chains]) for name in ("printed (3.6)", "line (9.27)", "trivial")}
    values["established"] = np.array([chain.steps[-1].value for chain in chains])
    score = runs.supremum_score
    return {
        "T": game.horizon,
        "regret": float(np.median(runs.regret)),
        "order": float(np.median(runs.order)),
        "R": float(np.median(score)),
        "R low": float(np.quantile(score, 0.25)),
        "R high": float(np.quantile(score, 0.75)),
        **{name: float(np.median(values[name])) for name in FORMS},
        "above": float((runs.regret > values["printed (3.6)"]).mean()),
        "vacuous": float((values["printed (3.6)"] > values["trivial"]).mean()),
    }


def _arms(game: Game) -> pd.DataFrame:
    """Sums of variances in the first run, round by round, and the right side of Lemma 9.5."""
    runs = played(game)
    kept = np.cumsum(runs.kept[0])
    ratio = game.variance / game.noise_variance
    gain = np.array([even_gain(int(count), game.size, ratio) for count in kept])
    rejected = runs.epsilon * (np.arange(1, runs.horizon + 1) - kept)
    return pd.DataFrame(
        {
            "t": np.arange(1, runs.horizon + 1),
            "chosen": np.cumsum(runs.variance[0]),
            "maximiser": np.cumsum(runs.optimum_variance[0]),
            "allowed": bounds.variance_sum_bound(game.noise_variance, gain, rejected),
        }
    )


@frame
def _quiet(seed: int) -> Rows:
    """Shares of runs above the printed bound and above (9.27), one round after the first observation."""
    for noise in QUIET_NOISE:
        game = Game("independent", 1, noise, 1, 0.5, runs=QUIET_RUNS, size=QUIET_ARMS, acquisition="ei", seed=seed)
        runs, beta = played(game), float(game.beta()[-1])
        arguments = (1, beta, game.noise_variance, gain_upper(game), game.alpha)
        shares = {
            name: float((runs.regret > bounds.theorem_34(*arguments, score, power)).mean())
            for name, score, power in (
                ("printed", runs.largest_score, 1.0),
                ("root", runs.largest_score, 0.5),
                ("later", runs.supremum_score, 1.0),
            )
        }
        yield {"noise": noise, "allowed": game.delta, **shares}


@recorded(first="seed")
def one_round(seed: int) -> Numbers:
    """Of one round on many arms with least noise: the share of runs above the printed bound, and above that with the root."""
    last = _quiet(seed).iloc[-1]
    return Numbers(
        arms=QUIET_ARMS, sd=last.noise, allowed=last.allowed, printed=last.printed, root=last["root"], runs=QUIET_RUNS
    )


def _million(seed: int) -> dict[str, float]:
    """Shares of runs above the printed bound and above (9.27) on a million arms, with the supremum over all times in R."""
    arms = replace(MILLION, seed=seed)
    runs = first_arm(arms)
    return {
        "stays": float(runs.stays.mean()),
        "R": float(runs.score[runs.stays].max(initial=0.0)),
        "printed": float((runs.regret > allowed(arms)).mean()),
        "root": float((runs.regret > allowed(arms, 0.5)).mean()),
    }


def exceeded_rows(study: ImprovementStudy) -> pd.DataFrame:
    """One row an instance and range of times in R: shares of runs with more regret than (3.6) and than (9.27) allow."""
    rows = [
        {
            "R is over": "all times",
            "arms": MILLION.size,
            "noise, sd": MILLION.noise_sd,
            "T": MILLION.horizon,
            "runs": MILLION.runs,
            "allowed": MILLION.delta,
            "above (3.6)": study.million["printed"],
            "above (9.27)": study.million["root"],
        }
    ]
    for row in study.quiet.to_dict("records"):
        shared = {"arms": QUIET_ARMS, "noise, sd": row["noise"], "T": 1, "runs": QUIET_RUNS, "allowed": row["allowed"]}
        shares = {"above (3.6)": row["printed"], "above (9.27)": row["root"]}
        rows.append({"R is over": "the T rounds", **shared, **shares})
    return pd.DataFrame(rows)


def improvement_numbers(study: ImprovementStudy) -> Numbers:
    """Both sides of (9.26), where (3.6) fails and for which R, what R is, and what the bounds are worth."""
    rows, last, quiet, million = study.rows, study.arms.iloc[-1], study.quiet, study.million
    over = rows["printed (3.6)"] / rows.trivial
    broken = [step.value for step in study.broken]
    return Numbers(
        study,
        size=E.size,
        sampled=study.sampled,
        rounds=len(study.arms),
        left=float(last.maximiser),
        right=float(last.allowed),
        chosen=float(last.chosen),
        falls=broken[-1] < broken[-2],
        above=float(rows.above.max()),
        points=study.points,
        variance=NOISE_SD**2,
        gap=float((rows["printed (3.6)"] / rows["line (9.27)"]).mean()),
        stays=million["stays"],
        score=million["R"],
        share=million["printed"],
        delta=MILLION.delta,
        alpha=MILLION.alpha,
        roots=max(million["root"], float(quiet.root.max())),
        noise=float(quiet.noise.iloc[-1]),
        quiet=float(quiet.printed.iloc[-1]),
        allowed=float(quiet.allowed.iloc[-1]),
        later=float(quiet.later.max()),
        low=float(rows.R.min()),
        high=float(rows.R.max()),
        least=float(over.min()),
        most=float(over.max()),
        nothing=bool((rows[list(FORMS[:3])].min(axis=1) > rows.trivial).all()),
        horizon=study.horizon,
        runs=study.runs,
        **cells(rows, "T = {T}: {}", ["regret", "R", *FORMS]),
    )


def named(statement: str) -> str:
    """A statement as the paper has it: Lemma 9.6 for lemma-9.6, eq. (9.20) for eq-9.20; a dash stays."""
    kind, _, number = statement.partition("-")
    if not number:
        return statement
    return f"eq. ({number})" if kind == "eq" else f"{kind.capitalize()} {number}".replace("-i", "(i)")


@figure(size=(9.2, 3.6))
def improvement(canvas: Canvas, palette: Palette, study: ImprovementStudy) -> None:
    """Regret of EI with the forms of its bound, the constant R, and the step that fails."""
    rows, arms = study.rows, study.arms
    left, middle, right = charts.row_of(canvas, 3, sharey=False)
    left.plot(rows["T"], rows.regret, "o-", color=palette.series[0], label="measured regret")
    colors = (palette.accent, palette.series[1], palette.series[2], palette.muted)
    for k, (name, color) in enumerate(zip(FORMS, colors, strict=True)):
        left.plot(rows["T"], rows[name], color=color, ls=DASHES[k + 1], label=name)
    charts.name_axes(left, "horizon T", "cumulative regret", "Bounds of EI", log="xy")
    left.set_ylim(top=float(rows[list(FORMS)].to_numpy().max()) * 60)
    charts.band(middle, rows["T"], rows["R low"], rows["R high"], palette.series[0])
    middle.plot(rows["T"], rows.R, "o-", color=palette.series[0])
    charts.name_axes(middle, "horizon T", title="The “constant” R", log="x")
    middle.set_ylim(bottom=0)
    right.plot(arms.t, arms.maximiser, color=palette.accent, ls="--", label="at the maximiser")
    right.plot(arms.t, arms.allowed, color=palette.ink, ls="-", label="allowed by (9.26)")
    right.plot(arms.t, arms.chosen, color=palette.series[0], ls="-.", label="at the choices")
    charts.name_axes(right, "round t", title="Summed variances, many arms")
    for axes in (left, right):
        axes.legend(loc="upper left")


def improvement_table(study: ImprovementStudy) -> Table:
    """The sound chain of the proof, and the broken one at the maximiser."""
    chains = {"compressed EI": study.chain, "independent arms": study.broken}
    rows = [charts.chain_rows({"value": chain}).assign(chain=name) for name, chain in chains.items()]
    table = pd.concat(rows, ignore_index=True)[["chain", "step", "why", "statement", "value"]]
    return Table(table, where=provenance_of(study), formats={"statement": named})


exceeded = table(exceeded_rows, formats=dict.fromkeys(("allowed", "above (3.6)", "above (9.27)"), "{:.2%}".format))
