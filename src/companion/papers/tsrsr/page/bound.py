"""Theorem 1 with its constants beside measured regret, and the proof taken apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from companion.bounds.trivial import prior_range
from companion.checks.chain import Chain
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.core.templates import significant
from companion.gp import SquaredExponential, grid
from companion.information import gain_bracket_curve
from companion.judge.intervals import mean_interval
from companion.pages import Canvas, Numbers, Palette, Rows, cells, charts, figure, frame, recorded
from companion.papers.tsrsr.problems.catalogue import SETTINGS, default_noise
from companion.papers.tsrsr.theory import bounds
from companion.papers.tsrsr.theory.runs import TheoryRuns, expected_chain, play

#: The instance of all theory studies: squared exponential on 25 points of [0, 1].
POINTS, LENGTHSCALE = 25, 0.2
#: The same for captions.
PLACE = {"points": POINTS, "lengthscale": LENGTHSCALE}
#: Noise beside the chapter's: little of it makes rho large.
LOW_NOISE = 0.1
#: Batch size and noise of the paper's experiments.
PAPER_BATCH, PAPER_NOISE = 5, 1e-3


def instance() -> Floats:
    """(N, N) prior covariance of the theory studies."""
    return np.asarray(SquaredExponential(LENGTHSCALE)(grid(POINTS, 1)))


def line() -> float:
    """E(max f - min f) on the instance: times Tm it is the trivial bound, for any choice of points."""
    return prior_range(instance()).estimate


@dataclass(frozen=True, eq=False)
class BoundStudy:
    """Regret and bounds by noise and number of batches (``rows``), chains by noise, and their number of batches."""

    rows: pd.DataFrame
    chains: dict[float, Chain]
    batch: int
    batches: int
    runs: int


# The expected range, the trivial bound, is simulated from a seed of its own.
@recorded(first="seed", fixed=(0,))
def bound_study(seed: int, batch: int, batches: int, noise: float, runs: int) -> BoundStudy:
    """Play TS-RSR without resampling, as the theory has it, and evaluate all bounds on the same instance.

    Parameters
    ----------
    seed : of functions, noise and draws
    batch, batches : m, and the T at which the proof is taken apart; regret is shown for T / 4 to 4 T
    noise : standard deviation; :data:`LOW_NOISE` is shown beside it
    runs : functions a point of a curve
    """
    covariance = instance()
    rows, chains = [], {}
    shown = sorted({max(1, round(batches * 2.0**k)) for k in range(-2, 3)} | {batches})
    for sd in dict.fromkeys((noise, LOW_NOISE)):
        curve = gain_bracket_curve(covariance, [batch * count for count in shown], sd**2)
        for rounds, bracket in zip(shown, curve, strict=True):
            result = _play(covariance, seed, rounds, batch, sd, runs)
            average = mean_interval(result.regret)
            arguments = (POINTS, rounds, batch, sd**2, bracket.upper)
            rows.append(
                {
                    "noise": sd,
                    "batches": rounds,
                    **average.columns("regret"),
                    "theorem 1": bounds.theorem1(*arguments),
                    "sharper form": bounds.theorem1_sharp(*arguments),
                    "trivial": rounds * batch * line(),
                    "gain": bracket.upper,
                    "bracket": bracket.upper / bracket.lower,
                }
            )
            if rounds == batches:
                chain = expected_chain(result, bracket.upper)
                trivial = rounds * batch * line()
                chains[sd] = replace(chain, side={**chain.side, "trivial": trivial})
    return BoundStudy(pd.DataFrame(rows), chains, batch, batches, runs)


def _play(covariance: Floats, seed: int, rounds: int, batch: int, noise: float, runs: int) -> TheoryRuns:
    generator = stream(seed, "tsrsr", "bound", f"{rounds}x{batch}", f"noise {noise:g}")
    return play(covariance, rounds, batch, noise**2, runs, generator)


def bound_numbers(study: BoundStudy) -> Numbers:
    """Ratios of measured regret, the sharper form, the theorem and the trivial bound; ``at``: at the chapter's T."""
    rows = study.rows
    ends = rows[rows.batches == study.batches]
    at = ends.iloc[0]
    times, gain = rows["theorem 1"] / rows.regret, rows["theorem 1"] / rows["sharper form"]
    return Numbers(
        study,
        **PLACE,
        runs=study.runs,
        batch=study.batch,
        batches=study.batches,
        noise=float(at.noise),
        noise_low=LOW_NOISE,
        exceeded=int((rows.high > rows["sharper form"]).sum() + (rows.high > rows["theorem 1"]).sum()),
        useful=int((rows["theorem 1"] < rows.trivial).sum() + (rows["sharper form"] < rows.trivial).sum()),
        loose=float(at["theorem 1"] / at.regret),
        vacuous=float(at["theorem 1"] / at.trivial),
        sharper=float(at["theorem 1"] / at["sharper form"]),
        low=float(times.min()),
        high=float(times.max()),
        better_low=float(gain.min()),
        bracket=float(rows.bracket.max() - 1),
        between=bool(rows["sharper form"].between(rows.regret, rows["theorem 1"]).all()),
        **cells(ends, "noise {noise:g}: {}", ["regret", "sharper form", "theorem 1", "trivial"]),
    )


def chain_numbers(study: BoundStudy) -> Numbers:
    """Slack of the two costliest steps, at the chapter's noise and at :data:`LOW_NOISE`.

    ``draws``: largest cost of posterior draws in place of the truth; ``others``: largest slack of any other step.
    """
    lost = {
        noise: dict(zip([step.name for step in chain][1:], chain.ratios(), strict=True))
        for noise, chain in study.chains.items()
    }
    chains = list(study.chains.values())
    draws = [steps["sampled"] for steps in lost.values()]
    largest, bounded = ([steps.pop(name) for steps in lost.values()] for name in ("largest ratio", "ratio bound"))
    return Numbers(
        study,
        **PLACE,
        runs=study.runs,
        batch=study.batch,
        batches=study.batches,
        noise=next(iter(study.chains)),
        noise_low=list(study.chains)[-1],
        slack=chains[0].slack,
        slack_low=chains[-1].slack,
        draws=max(draws),
        largest=largest[0],
        largest_low=largest[-1],
        bounded=bounded[0],
        bounded_low=bounded[-1],
        others=max(value for steps in lost.values() for value in steps.values()),
        trivial=[chain.side["trivial"] for chain in chains],
        sharper=[chain.side["sharp"] for chain in chains],
    )


@recorded(random=False)
@frame
def vacuous() -> Rows:
    r"""For every column of the paper's tables, the least that bound over trivial bound can be, whatever the prior.

    With max k(x, x) = 1 the gain is at least that of one point, so :math:`c\gamma\ge1`, and both bounds can be divided by
    :math:`Tm\sqrt{8\log N}`. Theorem 1 is then at least :math:`\rho_m/\sqrt{Tm}` times the trivial bound, for every N and
    every kernel; the sharper form at least :math:`\rho_{m-1}/(2\sqrt{Tm})`.

    Returns
    -------
    column, m, T, rho, theorem, sharp, and the number of batches below which Theorem 1 says nothing for sure
    """
    variance = default_noise("text") ** 2
    for column in SETTINGS.values():
        m, t = column.batch_size, column.batches
        rho, before = bounds.variance_ratio(m, variance), bounds.variance_ratio(m - 1, variance)
        yield {
            "problem": column.title,
            "m": m,
            "T": t,
            "ρₘ": rho,
            "Theorem 1 / trivial, at least": rho / math.sqrt(t * m),
            "sharper form / trivial, at least": before / (2.0 * math.sqrt(t * m)),
            "vacuous up to T of at least": math.floor(rho**2 / m),
        }


def paper_ratio() -> float:
    """rho_5 at the noise level of the paper's experiments, with prior variance 1."""
    return bounds.variance_ratio(PAPER_BATCH, PAPER_NOISE**2)


def vacuous_numbers(rows: pd.DataFrame) -> Numbers:
    """Least values of both bounds over the trivial one, and number of batches up to which they are vacuous."""
    least, sharp = rows["Theorem 1 / trivial, at least"], rows["sharper form / trivial, at least"]
    return Numbers(
        rows,
        least=float(least.min()),
        sharp=float(sharp.min()),
        horizon=int(rows["vacuous up to T of at least"].min()),
    )


#: Numbers of single evaluations at which the bounds are compared.
SINGLE = (10, 100, 1000, 10_000)


@recorded(first=0)
@frame
def single_rows() -> Rows:
    """Theorem 1, the sharper form and the bound for single points on the instance, each over the trivial bound."""
    for noise in (1.0, LOW_NOISE):
        for count, bracket in zip(SINGLE, gain_bracket_curve(instance(), SINGLE, noise**2), strict=True):
            given, trivial = (noise**2, bracket.upper), count * line()
            yield {
                "noise": noise,
                "T": count,
                "Theorem 1": bounds.theorem1(POINTS, count, 1, *given) / trivial,
                "sharper form": bounds.theorem1_sharp(POINTS, count, 1, *given) / trivial,
                "width without T": bounds.single_points(POINTS, count, *given) / trivial,
            }


def single_numbers(rows: pd.DataFrame) -> Numbers:
    """The instance, and by how much the bound for single points is below the sharper form."""
    below = rows["sharper form"] / rows["width without T"]
    return Numbers(rows, **PLACE, least=float(below.min()), most=float(below.max()))


@figure(size=(8.6, 3.6))
def bound(canvas: Canvas, palette: Palette, study: BoundStudy) -> None:
    """Measured regret with Theorem 1, the sharper form and the trivial bound over the number of batches."""
    panels = charts.row_of(canvas, len(study.chains))
    for axes, (noise, part) in zip(panels, study.rows.groupby("noise", sort=False), strict=True):
        charts.band(axes, part.batches, part.low, part.high, palette.series[0])
        axes.plot(part.batches, part.regret, "o-", color=palette.series[0], label="measured regret")
        axes.plot(part.batches, part["sharper form"], color=palette.series[2], ls="-.", label="sharper form")
        axes.plot(part.batches, part["theorem 1"], color=palette.accent, ls="--", label="Theorem 1")
        axes.plot(part.batches, part.trivial, color=palette.muted, ls=":", label="trivial bound")
        charts.name_axes(axes, "batches T", title=f"noise {noise:g}", log="xy")
        axes.set_xticks(list(part.batches), [str(t) for t in part.batches])
    panels[0].set_ylabel("cumulative regret")
    charts.legend_above(canvas, panels[0], 4)


#: The values beside the chain: their names, dashes, and the heights of their labels above the panel.
_BESIDE = (("trivial", ":", 1.0), ("sharp", "-.", 1.07))


@figure(size=(8.8, 4.0))
def waterfall(canvas: Canvas, palette: Palette, study: BoundStudy, words: Mapping[str, str]) -> None:
    """Plots the slack of each inequality of the proof, with the values at both ends and beside it.

    Parameters
    ----------
    study : with the chains
    words : description of a step, by its name, and names of the values beside the chain, as the page says them
    """
    chains = {f"noise {noise:g}": chain for noise, chain in study.chains.items()}
    charts.waterfall(canvas, palette, chains, (), words=words)
    for axes, (title, chain) in zip(canvas.axes, chains.items(), strict=True):
        first, last = (significant(round(chain.steps[k].value)) for k in (0, -1))
        axes.set_title(f"{title}: from {first} to {last}\n\n")
        for name, dashes, height in _BESIDE:
            value = chain.side[name]
            axes.axvline(value, color=palette.muted, ls=dashes, lw=1.3)
            place: charts.Style = {"transform": axes.get_xaxis_transform(), "va": "bottom", "ha": "center"}
            axes.text(value, height, f"{words[name]} {significant(round(value))}", fontsize=8, **place)
    charts.clear_factors(canvas)
