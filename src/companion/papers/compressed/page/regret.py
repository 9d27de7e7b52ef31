"""Theorem 3.2 with its constants beside measured regret, and its proof taken apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from companion.bounds.trivial import horizon as horizon_below
from companion.bounds.trivial import horizon_of_curve, prior_range, two_digits
from companion.checks.chain import Chain
from companion.core.arrays import Floats
from companion.core.templates import significant
from companion.gp import SquaredExponential, grid
from companion.information import gain_bracket_curve
from companion.information.between_horizons import UpperEnds
from companion.judge.intervals import mean_interval
from companion.pages import Canvas, Numbers, Palette, Table, cells, charts, figure, here, provenance_of, recorded
from companion.pages.figures import DASHES, MARKERS
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.chain import mean_chain, regret_chain
from companion.papers.compressed.theory.instances import Game, gain_upper, played
from companion.papers.compressed.theory.order import covering_order, order_sandwich
from companion.problems.running_example import LENGTHSCALE, POINTS

#: Of the width. Candidates and length-scale are the lesson's example's; its function is one draw of the prior used here.
DELTA = 0.1
PLACE = {"points": POINTS, "lengthscale": LENGTHSCALE}
#: Rounds at which regret meets the bounds, as multiples of the chapter's.
SPREAD = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
#: Runs behind a mean that is one of many.
FEW = 8
#: Steps of the chain, the measured regret among them, that the proof for GP-UCB has too.
BEFORE = 4
#: Eqs. (8.26) and (8.31) of the proof, and where it ends.
FORMS = ("first line", "middle", "theorem")


def game_of(seed: int, horizon: int, noise_variance: float, alpha: float, runs: int) -> Game:
    """Compressed UCB on draws of the prior of the lesson's example."""
    sd = math.sqrt(noise_variance)
    return Game("se", 1, sd, horizon, alpha, runs=runs, size=POINTS, lengthscale=LENGTHSCALE, seed=seed, delta=DELTA)


@dataclass(frozen=True, eq=False)
class BoundStudy:
    """Regret and bounds by horizon (``rows``), the mean chain, and their subject."""

    rows: pd.DataFrame
    chain: Chain
    horizon: int
    noise_variance: float
    alpha: float
    runs: int


@recorded(first="seed")
def bound_study(seed: int, horizon: int, noise_variance: float, alpha: float, functions: int) -> BoundStudy:
    """Play compressed UCB for draws of the prior and evaluate every form of the bound at each run's own model order.

    Parameters
    ----------
    seed : of functions and noise
    horizon : T of the chain; regret is shown for T / 4 to 8 T
    noise_variance : of observation and model
    alpha : of the budget
    functions : draws a horizon
    """
    rows = []
    for rounds in sorted({max(2, round(horizon * factor)) for factor in SPREAD}):
        rows.append(_row(game_of(seed, rounds, noise_variance, alpha, functions)))
    game = game_of(seed, horizon, noise_variance, alpha, functions)
    chain = mean_chain([regret_chain(game, run) for run in range(functions)])
    return BoundStudy(pd.DataFrame(rows), chain, horizon, noise_variance, alpha, functions)


def forms(game: Game) -> dict[str, Floats]:
    """(R,) forms of the bound that the proof passes through, in its order."""
    runs, gain = played(game), gain_upper(game)
    beta, noise = float(runs.beta[-1]), game.noise_variance
    return {
        "first line": bounds.root_bound(game.horizon, beta, noise, runs.gain, runs.rejected_gain),
        "middle": bounds.split_bound(game.horizon, beta, noise, gain, game.epsilon),
        "theorem": bounds.theorem_32(game.horizon, beta, noise, gain, game.alpha),
    }


def _row(game: Game) -> dict[str, float]:
    runs, found = played(game), forms(game)
    average = mean_interval(runs.regret)
    trivial = bounds.trivial_bound(runs.values, game.horizon)
    return {
        "T": game.horizon,
        **average.columns("regret"),
        "order": float(runs.order.mean()),
        **{name: float(values.mean()) for name, values in found.items()},
        "trivial": float(trivial.mean()),
        "above": float((runs.regret > found["theorem"]).mean()),
        "largest ratio": float((runs.regret / found["theorem"]).max()),
    }


def bound_numbers(study: BoundStudy) -> Numbers:
    """Both ends of the bound beside regret and the trivial bound; from horizon ``sharp`` on the sharpest form says more."""
    rows = study.rows
    ratio = rows["theorem"] / rows.regret
    sharp = horizon_of_curve(rows["T"].tolist(), (rows["first line"] / rows.trivial).tolist())
    return Numbers(
        study,
        above=float(rows.above.max()),
        low=float(ratio.min()),
        high=float(ratio.max()),
        largest=float(rows["largest ratio"].max()),
        useful=int((rows["theorem"] < rows.trivial).sum()),
        sharp=two_digits(sharp) if math.isfinite(sharp) else math.nan,
        sharp_on=math.isfinite(sharp),
        last=float(rows["theorem"].iloc[-1] / rows.trivial.iloc[-1]),
        end=int(rows["T"].iloc[-1]),
        falling=bool((rows[list(FORMS)].div(rows.trivial, axis=0).diff().iloc[1:] < 0).all().all()),
        runs=study.runs,
        **PLACE,
        noise=study.noise_variance,
        alpha=study.alpha,
        **cells(rows, "T = {T}: {}", ["regret", "order", *FORMS, "trivial"]),
    )


def chain_numbers(study: BoundStudy) -> Numbers:
    """Bound over regret (``slack``), what the steps before the budget's cost and those from it on, among these that to the
    largest gain, which GP-UCB's proof has, too, and all others of these (``compression``).
    """
    chain = study.chain
    ratios, steps = chain.ratios(), [step.value for step in chain]
    gain = ratios[[step.name for step in chain].index("certified gain") - 1]
    return Numbers(
        study,
        slack=chain.slack,
        trivial=chain.side["trivial"],
        widths=ratios[0],
        first=ratios[0] == max(ratios),
        before=steps[BEFORE - 1] / steps[0],
        added=steps[-1] / steps[BEFORE - 1],
        gain=gain,
        compression=steps[-1] / steps[BEFORE - 1] / gain,
        vacuous=steps[-1] > chain.side["trivial"],
        rounds=study.horizon,
        noise=study.noise_variance,
        alpha=study.alpha,
        runs=study.runs,
        **PLACE,
    )


#: Horizons at which the theorem is tried on the page's own numbers, before the gap is looked through.
TRIED = tuple(round(10 ** (k / 8)) for k in range(8, 49))


@recorded(first=0)
def first_informative(noise_variance: float, alpha: float) -> Numbers:
    """From which T on Theorem 3.2(i), with the gain of T points, is below the trivial bound (``first``, in two digits), and
    below what blind choices cost on average (``beats``)."""
    covariance = np.asarray(SquaredExponential(LENGTHSCALE)(grid(POINTS, 1)))
    gain = UpperEnds.of(gain_bracket_curve(covariance, TRIED, noise_variance))

    def an_evaluation(t: int) -> float:
        beta = float(bounds.finite_beta(t, POINTS, DELTA))
        return float(bounds.theorem_32(t, beta, noise_variance, gain(t), alpha)) / t

    line = prior_range(covariance).estimate
    first, beats = (two_digits(horizon_below(an_evaluation, level, TRIED)) for level in (line, 0.5 * line))
    return Numbers(here(first_informative), first=first, beats=beats)


@figure(size=(8.8, 3.8))
def bound(canvas: Canvas, palette: Palette, study: BoundStudy) -> None:
    """Measured regret with the forms of the bound and the trivial one over the horizon."""
    rows = study.rows
    left, right = charts.row_of(canvas, 2, sharey=False)
    charts.band(left, rows["T"], rows.low, rows.high, palette.series[0])
    left.plot(rows["T"], rows.regret, "o-", color=palette.series[0], label="measured regret")
    colors = [*palette.series[1 : len(FORMS)], palette.accent]
    for k, (name, color) in enumerate(zip(FORMS, colors, strict=True)):
        style: charts.Style = {"color": color, "ls": DASHES[k + 1], "label": name}
        left.plot(rows["T"], rows[name], **style)
        right.plot(rows["T"], rows[name] / rows.trivial, marker=MARKERS[k], **style)
    left.plot(rows["T"], rows.trivial, color=palette.muted, ls="-", lw=1.0, label="trivial bound")
    charts.name_axes(left, "rounds T", "cumulative regret", "Regret and bounds", log="xy")
    left.legend()
    right.axhline(1.0, color=palette.muted, ls=":")
    charts.name_axes(right, "rounds T", "over the trivial bound", "When are they informative?", log="x")
    right.set_ylim(bottom=0)


@figure(size=(5.0, 4.6))
def waterfall(canvas: Canvas, palette: Palette, study: BoundStudy, words: Mapping[str, str]) -> None:
    """Plots the slack of each inequality of the proof.

    Parameters
    ----------
    study : with the chain
    words : description of a step, by its name, as the page says it
    """
    chain = study.chain
    charts.waterfall(canvas, palette, {"": chain}, (), words=words, last=len(chain) - BEFORE)
    (axes,) = canvas.axes
    first, last = (significant(chain.steps[k].value, 3) for k in (0, -1))
    axes.set_title(f"From {first} to {last}\n")
    for name, value, shade, side in (
        ("trivial bound", chain.side["trivial"], palette.muted, "right"),
        ("theorem", chain.steps[-1].value, palette.accent, "left"),
    ):
        axes.axvline(value, color=shade, ls=":", lw=1.3)
        place: charts.Style = {"transform": axes.get_xaxis_transform(), "va": "bottom", "ha": side}
        axes.text(value, 1.0, f"{name} {significant(value, 3)}", color=shade, fontsize=8, **place)
    charts.clear_factors(canvas)


# -- every constant ----------------------------------------------------------------------------------------------------


@recorded(first="seed")
def constants(seed: int, horizon: int, noise_variance: float, alpha: float, functions: int) -> pd.DataFrame:
    """Every explicit constant of Theorems 3.1, 3.2, Corollary 3.3 and Theorem 3.4 on the chapter's instance.

    Returns
    -------
    statement, symbol, meaning, value; data-dependent values are means over ``functions`` runs of UCB, or over a few of EI
    and of the compact set
    """
    game = game_of(seed, horizon, noise_variance, alpha, functions)
    runs, gain = played(game), float(gain_upper(game).mean())
    u = math.expm1(2.0 * game.epsilon)
    beta = float(runs.beta[-1])
    least, largest = order_sandwich(u, noise_variance, POINTS, horizon)
    covering = covering_order(SquaredExponential(LENGTHSCALE), 1, u, noise_variance)
    arguments = (horizon, beta, noise_variance, gain, alpha)
    rows: list[tuple[str, str, str, float]] = [
        ("Theorem 3.1", "ε", "budget, nats", game.epsilon),
        ("Theorem 3.1", "u", "exp(2ε) − 1 = T⁻ᵅ", u),
        ("Theorem 3.1", "σ²u", "threshold of the variance", noise_variance * u),
        ("Theorem 3.1", "u⁻ᵖ", "printed order; its constant Y is not named", 1.0 / u),
        ("Theorem 3.1, ours", "⌈1/u − σ²⌉", "least model order of any rule", least),
        ("Theorem 3.1, ours", "X⌈1/u − σ²⌉", "largest on X candidates", largest),
        ("Theorem 3.1, ours", "N⌈2/u⌉", "largest on the whole interval", covering),
        ("Theorem 3.1", "M_T", "model order, measured", float(runs.order.mean())),
        ("Theorem 3.2(i)", "β_T", f"at failure level δ = {DELTA:g}", beta),
        ("Theorem 3.2(i)", "C₁", "8 / log(1 + σ⁻²)", bounds.gain_constant(noise_variance)),
        ("Theorem 3.2(i)", "γ", "gain of M_T points, certified upper end", gain),
        ("Theorem 3.2(i)", "first term", "retained rounds", float(bounds.theorem_32(*arguments, parts="retained"))),
        ("Theorem 3.2(i)", "second term", "rejected rounds", float(bounds.theorem_32(*arguments, parts="rejected"))),
        ("Theorem 3.2(i)", "bound", "sum of both", float(bounds.theorem_32(*arguments))),
        *_compact_rows(seed, horizon, noise_variance, alpha),
    ]
    if alpha == 0.5:
        for form in ("printed", "explicit"):
            value = bounds.corollary_33(horizon, beta, noise_variance, POINTS, form=form)
            words = "as printed" if form == "printed" else "with the constants that its proof gives"
            rows.append(("Corollary 3.3", "bound", words, value))
        rows.append(("Corollary 3.3", "Z₁", "of the printed form", bounds.z_one(noise_variance, POINTS)))
    rows += _improvement_rows(game)
    rows.append(
        (
            "trivial",
            "T(max f − min f)",
            "holds for any choice",
            float(bounds.trivial_bound(runs.values, horizon).mean()),
        )
    )
    rows.append(("measured", "R_T", "mean regret of compressed UCB", float(runs.regret.mean())))
    return pd.DataFrame(rows, columns=["statement", "symbol", "meaning", "value"])


def _compact_rows(seed: int, horizon: int, noise_variance: float, alpha: float) -> list[tuple[str, str, str, float]]:
    """Theorem 3.2(ii): a fine grid stands for the interval."""
    game = Game(
        "se", 1, math.sqrt(noise_variance), horizon, alpha, runs=FEW, size=401, compact=True, form="theorem", seed=seed
    )
    runs, beta = played(game), float(game.beta()[-1])
    a, b = game.tails
    gain = float(gain_upper(game).mean())
    bound = bounds.theorem_32(horizon, beta, noise_variance, gain, alpha, compact=True)
    return [
        ("Theorem 3.2(ii)", "a", "of the derivative tails, from Rice's formula", a),
        ("Theorem 3.2(ii)", "b", "the same", b),
        ("Theorem 3.2(ii)", "β_T", "with 2 in place of X", beta),
        ("Theorem 3.2(ii)", "π²/6", "sum of t⁻²", bounds.BASEL),
        ("Theorem 3.2(ii)", "bound", "sum of all terms", float(bound)),
        (
            "Theorem 3.2(ii)",
            "R_T",
            f"mean regret of {runs.regret.size} runs on the interval",
            float(runs.regret.mean()),
        ),
    ]


def _improvement_rows(ucb: Game) -> list[tuple[str, str, str, float]]:
    """Theorem 3.4 on the same instance under EI."""
    game = replace(ucb, acquisition="ei", runs=FEW)
    runs, gain = played(game), gain_upper(game)
    beta, score = float(runs.beta[-1]), runs.supremum_score
    arguments = (game.horizon, beta, game.noise_variance, gain, game.alpha, score)
    return [
        ("Theorem 3.4", "R", "mean over runs of the largest z-score, all states of the run", float(score.mean())),
        (
            "Theorem 3.4",
            "log(1 + σ⁻²)",
            "divisor as printed; its root in (9.27)",
            math.log1p(1.0 / game.noise_variance),
        ),
        ("Theorem 3.4", "bound", "as printed, (3.6)", float(np.mean(bounds.theorem_34(*arguments)))),
        ("Theorem 3.4", "bound", "with the root, (9.27)", float(np.mean(bounds.theorem_34(*arguments, power=0.5)))),
        ("Theorem 3.4", "R_T", "mean regret of compressed EI", float(runs.regret.mean())),
    ]


def constant_numbers(rows: pd.DataFrame) -> Numbers:
    """The least of the bounds on regret beside the trivial one."""
    bounded = rows[rows.symbol == "bound"].value
    return Numbers(rows, least=float(bounded.min()), trivial=float(rows[rows.statement == "trivial"].value.iloc[0]))


#: What is promised or measured, of all constants.
PROMISED = ("⌈1/u − σ²⌉", "M_T", "bound", "R_T", "T(max f − min f)")


def promises(rows: pd.DataFrame) -> Table:
    """The constants that promise something, and the measured values."""
    return Table(rows[rows.symbol.isin(PROMISED)], where=provenance_of(rows))
