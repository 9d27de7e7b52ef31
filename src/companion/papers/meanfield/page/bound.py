"""Theorem 4.1 with its constants beside measured regret, as printed and corrected, and the proof taken apart."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field, replace

import pandas as pd

from companion.bounds.trivial import two_digits
from companion.checks.chain import Chain
from companion.core.templates import significant
from companion.information import GainBracket
from companion.judge.intervals import mean_interval
from companion.pages import Canvas, Numbers, Palette, Rows, Table, cells, charts, figure, frame, provenance_of, recorded
from companion.papers.meanfield.theory.bounds import (
    Pieces,
    corrected_bound,
    own_display,
    printed_bound,
    printed_discretisation,
)
from companion.papers.meanfield.theory.chain import Term, regret_chain, terms, theorem
from companion.papers.meanfield.theory.runs import Game, GameRuns, theory_runs
from companion.papers.meanfield.theory.unlearned import BoundCurve, Unlearned, bound_curve, informative_from, unlearned

#: By reading, how tau_t and beta_t are taken and what multiplies the standard deviation.
READINGS = {"corrected": "root", "printed": "beta"}
#: Constants a and b of Assumption 3.1 where the theorem is evaluated on the paper's problems.
TAIL = (2.0, 2.0)
#: Noise beside the chapter's.
HIGH_NOISE = 1.0
#: The town, its payoff a draw of the prior: stations a half apart with length-scale 0.3 are actions 1 apart with 0.6.
TOWN = Game(actions=3, parts=15, action_lengthscale=0.6, law_lengthscale=0.3, coupling="additive")


@dataclass(frozen=True, eq=False)
class BoundStudy:
    """Regret and bounds by noise, reading and number of rounds (``rows``); chains and terms by noise and reading.

    ``idle`` is what is lost without learning, the same for every noise; ``curves`` has the bounds at further T, by noise.
    """

    rows: pd.DataFrame
    chains: dict[tuple[float, str], Chain]
    terms: dict[tuple[float, str], tuple[Term, ...]]
    rounds: int
    runs: int
    idle: Unlearned
    curves: dict[float, BoundCurve] = field(default_factory=dict)


# The game's smoothness constants are quantiles of simulated paths, from a seed of their own.
@recorded(first="seed", fixed=(0,))
def bound_study(seed: int, rounds: int, noise: float, runs: int) -> BoundStudy:
    """Exact MF-GP-UCB on :data:`TOWN` with the widths of both readings; all horizons see the same payoffs.

    Parameters
    ----------
    seed : of payoffs, noise and agents
    rounds : T at which the proof is taken apart; regret is shown for T / 8 to 2 T
    noise : standard deviation; :data:`HIGH_NOISE` is shown beside it
    runs : games behind every mean
    """
    rows: list[dict[str, object]] = []
    idle = unlearned(TOWN)
    curves: dict[float, BoundCurve] = {}
    chains: dict[tuple[float, str], Chain] = {}
    parts: dict[tuple[float, str], tuple[Term, ...]] = {}
    shown = [max(1, round(rounds * 2.0**k)) for k in range(-3, 2)]
    for sd in dict.fromkeys((noise, HIGH_NOISE)):
        game = replace(TOWN, noise_sd=sd)
        brackets = {t: game.gain(t) for t in shown}
        curves[sd] = bound_curve(game)
        for reading, multiplier in READINGS.items():
            played = {t: theory_runs(game, t, runs, reading, multiplier, seed) for t in shown}
            rows += [_row(game, played[t], reading, brackets[t], idle) for t in shown]
            taken = played[rounds]
            chains[sd, reading] = regret_chain(taken, reading, gain=brackets[rounds].upper)
            parts[sd, reading] = terms(taken, theorem(taken, reading, gain=brackets[rounds].upper))
    return BoundStudy(pd.DataFrame(rows), chains, parts, rounds, runs, idle, curves)


def _shown(first: float) -> float:
    return float(two_digits(first)) if math.isfinite(first) else math.inf


def _row(game: Game, runs: GameRuns, reading: str, bracket: GainBracket, idle: Unlearned) -> dict[str, object]:
    t, average = len(runs.width), mean_interval(runs.regret)
    bound = corrected_bound if reading == "corrected" else functools.partial(printed_bound, unchecked=True)
    found = bound(game.pieces(), t, game.noise_variance, bracket.upper)
    return {
        "noise": game.noise_sd,
        "reading": reading,
        "T": t,
        **average.columns("regret"),
        "bound": found.total,
        "exploration": found.exploration,
        "range": t * idle.range.estimate,
        "fixed law": t * idle.fixed.estimate,
        "gain": bracket.upper,
        "bracket": bracket.upper / bracket.lower,
        "width": float(runs.width[t - 1]),
        "union": 2.0 * game.pieces().log_count(t, reading),
    }


def at(study: BoundStudy, noise: float, reading: str, t: int | None = None) -> pd.Series:
    """One row of a study, at its number of rounds by default."""
    rows = study.rows
    return rows[(rows.noise == noise) & (rows.reading == reading) & (rows["T"] == (t or study.rounds))].iloc[0]


def passages(study: BoundStudy, noise: float, reading: str = "corrected") -> dict[str, float]:
    """From which T on a bound is below the payoff's range, and below one law for ever."""
    curve = study.curves[noise]
    bound = curve.corrected if reading == "corrected" else curve.printed
    return {
        "range": informative_from(curve.rounds, bound, study.idle.range),
        "fixed law": informative_from(curve.rounds, bound, study.idle.fixed),
    }


def instance() -> Numbers:
    """The town whose payoff is a draw of the prior; places of stations are half their numbers."""
    return Numbers(
        stations=TOWN.actions,
        laws=len(TOWN.laws),
        parts=TOWN.parts,
        lengthscale=TOWN.law_lengthscale,
        variance=TOWN.variance,
    )


def bound_numbers(study: BoundStudy) -> Numbers:
    """Bounds beside regret at every point, and at the study's T what the corrected one and both widths are worth."""
    rows, noises = study.rows, list(study.curves)
    first = noises[0]
    ours, theirs = (at(study, first, name) for name in READINGS)
    under = {noise: passages(study, noise) for noise in noises}
    return Numbers(
        study,
        runs=study.runs,
        exceeding=int((rows.high > rows.bound).sum()),
        rounds=study.rounds,
        noise=first,
        bound=float(ours.bound),
        least=float(rows.bound[rows["T"] == study.rounds].min()),
        range=float(ours["range"]),
        within=max((level.high - level.estimate) / level.estimate for level in (study.idle.range, study.idle.fixed)),
        informative=_shown(under[first]["range"]),
        better=_shown(under[first]["fixed law"]),
        printed_from=min(passages(study, noise, "printed")["range"] for noise in noises),
        other_noise=noises[-1],
        other_informative=_shown(under[noises[-1]]["range"]),
        width_factor=float(theirs.width / ours.width),
        share=float(ours.regret / ours["fixed law"]),
        printed_share=float(theirs.regret / theirs["fixed law"]),
        fixed=float(ours["fixed law"]),
        **cells(rows[rows["T"] == study.rounds], "noise {noise:g}, {reading}: {}", ["regret", "bound", "width"]),
    )


def chain_numbers(study: BoundStudy) -> Numbers:
    """Losses of the corrected chains, and their largest steps, by noise; factors and terms at the first noise."""
    chains = [chain for (_, reading), chain in study.chains.items() if reading == "corrected"]
    lost = [dict(zip([step.name for step in list(chain)[1:]], chain.ratios(), strict=True)) for chain in chains]
    found = {term.name: term for term in study.terms[next(iter(study.terms))[0], "corrected"]}
    shown = {name: round(term.mean, 1) for name, term in found.items()}
    printed = [at(study, noise, "printed") for noise in study.curves]
    ours = at(study, next(iter(study.curves)), "corrected")
    ends = [chain.steps[-1].value for chain in chains]
    return Numbers(
        study,
        rounds=study.rounds,
        noises=list(study.curves),
        slacks=[chain.slack for chain in chains],
        beyond=min(end / row["range"] for end, row in zip(ends, printed, strict=True)),
        farther=max(row.bound / end for end, row in zip(ends, printed, strict=True)),
        least_farther=min(row.bound / end for end, row in zip(ends, printed, strict=True)),
        steps=[tuple(sorted(each, key=each.__getitem__, reverse=True)) for each in lost],
        noise=next(iter(study.curves)),
        other=list(study.curves)[-1],
        slack=chains[0].slack,
        other_slack=chains[-1].slack,
        optimism_factor=lost[0]["optimism bounded"],
        cauchy_factor=lost[0]["Cauchy-Schwarz"],
        optimism_last=lost[-1]["optimism bounded"],
        cauchy_last=lost[-1]["Cauchy-Schwarz"],
        rounding=found["discretisation"].mean,
        rounding_bound=found["discretisation"].bound,
        adds_up=abs(sum(shown.values()) - 2 * shown["regret"]) < 1e-9,
        gained=-found["optimism"].mean,
        optimism=found["optimism"].mean,
        width=float(ours.width),
        beta=float(ours.width**2),
        union=float(ours["union"]),
        alone=math.sqrt(ours.width**2 - ours["union"]),
    )


@figure(size=(4.3, 3.8))
def bound(canvas: Canvas, palette: Palette, study: BoundStudy) -> None:
    """Measured regret with the repaired width, both bounds, and what is lost without learning, at the first noise."""
    axes, noise = canvas.subplots(), next(iter(study.curves))
    curve = study.curves[noise]
    shown = curve.rounds >= min(FROM, study.rows["T"].min())
    across = curve.rounds[shown]
    rows = study.rows[(study.rows.noise == noise) & (study.rows.reading == "corrected")]
    charts.band(axes, rows["T"], rows.low, rows.high, palette.series[0])
    axes.plot(rows["T"], rows.regret, label="measured", **charts.marked(palette, 0))
    for height, dashes, name in ((curve.corrected, "-", "bound, repaired"), (curve.printed, "--", "bound, printed")):
        axes.plot(across, height[shown], color=palette.accent, ls=dashes, lw=1.8, label=name)
    for level, dashes, name in ((study.idle.range, ":", "trivial bound"), (study.idle.fixed, "-.", "random choice")):
        axes.plot(across, level.estimate * across, color=palette.muted, ls=dashes, lw=1.8, label=name)
    charts.name_axes(axes, "evaluations T", "cumulative regret", log="xy")
    charts.legend_above(canvas, axes, 2, fontsize=10)


@figure(size=(4.3, 4.2))
def waterfall(canvas: Canvas, palette: Palette, study: BoundStudy) -> None:
    """Loss by each inequality of the corrected proof at the first noise, from the regret to the bound."""
    noise = next(iter(study.curves))
    chain, row = study.chains[noise, "corrected"], at(study, noise, "printed")
    ends = " to ".join(significant(step.value, 3) for step in (chain.steps[0], chain.steps[-1]))
    beside = {"range": float(row["range"]), "printed": float(row.bound)}
    lines: tuple[charts.Beside, ...] = (
        ("range", "trivial bound", ":", "muted"),
        ("printed", "printed", "--", "accent"),
    )
    charts.waterfall(canvas, palette, {ends: replace(chain, side=beside)}, lines, words=WORDS, repaired=True)
    (axes,) = canvas.axes
    axes.set_xlim(right=2.5 * row.bound)
    for label in axes.texts:
        label.set_fontsize(10)
    charts.clear_factors(canvas)


def terms_table(study: BoundStudy) -> Table:
    """The regret at the first noise and the four terms of its decomposition, measured and bounded."""
    names = {
        "regret": "regret",
        "discretisation": "rounding the best law (slopes and changed weights)",
        "optimism": "optimism: payoff of the rounded best law minus its acquisition (failed upper bounds)",
        "argmax": "left out: acquisition of the rounded best law minus the largest acquisition",
        "exploration": "exploration: acquisition minus payoff of the law announced",
    }
    rows = [
        {"term": names[term.name], "measured": term.mean, "± standard error": term.standard_error, "bound": term.bound}
        for term in study.terms[next(iter(study.curves)), "corrected"]
    ]
    return Table(pd.DataFrame(rows), where=provenance_of(study), digits=3, formats={"measured": tenths})


def tenths(value: float) -> str:
    """A number to one digit behind the point, so that shown terms add up to the shown sum."""
    return f"{value:.1f}".replace("-", "−")


# -- the constants -----------------------------------------------------------------------------------------------------


@recorded(random=False)
@frame
def constants() -> Rows:
    r"""The bounds on R^A for three problems with a = b = 2: as the appendix ends, as its own display has it, corrected.

    The last is :func:`~companion.papers.meanfield.theory.bounds.corrected_discretisation` at T = 250 with kappa^2 = 2 + |C|.
    """
    for title, actions, contexts in (("Swarm", 30, 1), ("Maritime", 30, 5), ("NYC (a)", 160, 1)):
        pieces = Pieces(actions, contexts, *TAIL, 2.0 + contexts)
        corrected = corrected_bound(pieces, 250, 0.01, 1.0)
        yield {
            "problem": title,
            "n = |A||C|": pieces.size,
            "slope, printed": pieces.printed_slope,
            "slope, corrected": pieces.slope,
            "Rᴬ, printed end": printed_discretisation(pieces),
            "Rᴬ, printed four lines before": own_display(pieces, 250, unchecked=True),
            "Rᴬ, corrected": corrected.discretisation,
            "Rᶜ, corrected": corrected.optimism,
            "β₂₅₀, printed": pieces.beta(250),
            "√β₂₅₀, corrected": math.sqrt(pieces.beta(250, "corrected")),
        }


def constant_numbers(rows: pd.DataFrame) -> Numbers:
    """Effect of the correction on the term that does not grow, and beta_T beside it."""
    end, display, fixed = (rows[f"Rᴬ, {name}"] for name in ("printed end", "printed four lines before", "corrected"))
    return Numbers(
        rows,
        display=float((display / end).min()),
        share=float((fixed / end).max()),
        beta=float(rows["β₂₅₀, printed"].min()),
        root=float(rows["√β₂₅₀, corrected"].max()),
        a=TAIL[0],
        b=TAIL[1],
    )


#: First horizon at which the lines of the bounds are drawn.
FROM = 8


#: The steps in words, by their names in the chain.
WORDS = {
    "measured": "measured regret",
    "three terms": "a negative term left out",
    "optimism bounded": "optimism counted\nonly where it fails",
    "rounding bounded": "rounding: its bound",
    "Cauchy-Schwarz": "Cauchy–Schwarz, and the\nlargest width for all",
    "realised gain": "each variance by the\ninformation gained",
    "certified gain": "the most that T evaluations\ncan tell: the theorem",
}
