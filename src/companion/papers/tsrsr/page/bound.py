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
from companion.information import gain_bracket
from companion.pages import Canvas, Numbers, Palette, Rows, charts, figure, frame, recorded
from companion.papers.tsrsr.problems.catalogue import SETTINGS, default_noise
from companion.papers.tsrsr.theory import bounds
from companion.papers.tsrsr.theory.runs import expected_chain, play
from companion.problems.running_example import LENGTHSCALE, NOISE, POINTS, running_function

#: The lesson's instance for captions.
PLACE = {"points": POINTS, "lengthscale": LENGTHSCALE}
#: A smaller one, for the studies of the record that play many runs: points and length-scale.
SMALL = (25, 0.2)
#: Noise beside the lesson's: with so much of it rho is small.
HIGH_NOISE = 1.0
#: Batch size and noise of the paper's experiments.
PAPER_BATCH, PAPER_NOISE = 5, 1e-3


def instance() -> Floats:
    """(N, N) prior covariance of the lesson's studies: that of the running example."""
    return running_function()[1]


def small_instance() -> Floats:
    """(N, N) prior covariance of :data:`SMALL`, squared exponential on the unit interval."""
    points, lengthscale = SMALL
    return np.asarray(SquaredExponential(lengthscale)(grid(points, 1)))


def line() -> float:
    """E(max f - min f) on the instance: times Tm it is the trivial bound, for any choice of points."""
    return prior_range(instance()).estimate


@dataclass(frozen=True, eq=False)
class BoundStudy:
    """The chain of the proof by noise, the trivial bound and the sharper form at its side; m, T, and functions behind a mean;
    what bounds the largest ratio at the chapter's noise, rho_m and a width."""

    chains: dict[float, Chain]
    batch: int
    batches: int
    runs: int
    rho: float
    width: float


# The expected range, the trivial bound, is simulated from a seed of its own.
@recorded(first="seed", fixed=(0,))
def bound_study(seed: int, batch: int, batches: int, noise: float, runs: int) -> BoundStudy:
    """Play TS-RSR without resampling, as the theory has it, and evaluate every line of the proof on the same runs.

    Parameters
    ----------
    seed : of functions, noise and draws
    batch, batches : m and T
    noise : standard deviation; :data:`HIGH_NOISE` is shown beside it
    runs : functions behind every mean
    """
    covariance, chains, trivial = instance(), {}, batch * batches * line()
    for sd in dict.fromkeys((noise, HIGH_NOISE)):
        generator = stream(seed, "tsrsr", "bound", f"{batches}x{batch}", f"noise {sd:g}")
        played = play(covariance, batches, batch, sd**2, runs, generator)
        chain = expected_chain(played, gain_bracket(covariance, batch * batches, sd**2).upper)
        chains[sd] = replace(chain, side={**chain.side, "trivial": trivial})
    n = batch * batches
    rho, width = bounds.variance_ratio(batch, noise**2), bounds.normal_width(2 * POINTS * n, 0.5 / n**2)
    return BoundStudy(chains, batch, batches, runs, rho, width)


def chain_numbers(study: BoundStudy) -> Numbers:
    """Slack of the two costliest steps, at the chapter's noise and at :data:`HIGH_NOISE`, and the bounds over the trivial one.

    ``draws``: largest cost of posterior draws in place of the truth; ``others``: largest slack of any other step. ``least``:
    the smallest bound over the trivial one at either noise. ``rho``, ``width``, ``ratio``: what the bound on the largest ratio
    is made of, and the mean largest ratio in its place.
    """
    lost = {
        noise: dict(zip([step.name for step in chain][1:], chain.ratios(), strict=True))
        for noise, chain in study.chains.items()
    }
    chains = list(study.chains.values())
    draws = [steps["sampled"] for steps in lost.values()]
    largest, bounded = ([steps.pop(name) for steps in lost.values()] for name in ("largest ratio", "ratio bound"))
    theorem, sharp = ([chain.steps[-1].value for chain in chains], [chain.side["sharp"] for chain in chains])
    trivial, n = chains[0].side["trivial"], study.batch * study.batches
    return Numbers(
        study,
        **PLACE,
        runs=study.runs,
        batch=study.batch,
        evaluations=n,
        rho=study.rho,
        width=study.width,
        ratio=study.rho * study.width / bounded[0],
        noise=next(iter(study.chains)),
        noise_high=list(study.chains)[-1],
        slack=chains[0].slack,
        slack_high=chains[-1].slack,
        draws=max(draws),
        largest=largest[0],
        largest_high=largest[-1],
        bounded=bounded[0],
        bounded_high=bounded[-1],
        others=max(value for steps in lost.values() for value in steps.values()),
        trivial=trivial,
        sharper=sharp,
        vacuous=theorem[0] / trivial,
        vacuous_sharper=sharp[0] / trivial,
        least=min(*theorem, *sharp) / trivial,
        holds=all(chain.holds and chain.steps[0].value < chain.side["sharp"] for chain in chains),
    )


#: Evaluations at which the instance is compared with that of the page on bounds.
LATER = 1000


@recorded(first=0)
def after_thousand() -> Numbers:
    """Theorem 1 and the sharper form over the trivial bound after :data:`LATER` evaluations in the paper's batches."""
    gain = gain_bracket(instance(), LATER, NOISE**2).upper
    given, trivial = (POINTS, LATER // PAPER_BATCH, PAPER_BATCH, NOISE**2, gain), LATER * line()
    return Numbers(theorem=bounds.theorem1(*given) / trivial, sharper_later=bounds.theorem1_sharp(*given) / trivial)


@recorded(random=False)
@frame
def vacuous() -> Rows:
    r"""For every column of the paper's tables, the least that bound over trivial bound can be, whatever the prior.

    With max k(x, x) = 1 the gain is at least that of one point, so :math:`c\gamma\ge1`, and both bounds can be divided by
    :math:`Tm\sqrt{8\log N}`. Theorem 1 is then at least :math:`\rho_m/\sqrt{Tm}` times the trivial bound, for every N and
    every kernel; the sharper form at least :math:`\bar\rho_m/(2\sqrt{Tm})`.

    Returns
    -------
    column, m, T, rho, theorem, sharp, and the number of batches below which Theorem 1 says nothing for sure
    """
    variance = default_noise("text") ** 2
    for column in SETTINGS.values():
        m, t = column.batch_size, column.batches
        rho, mean = bounds.variance_ratio(m, variance), bounds.mean_ratio(m, variance)
        yield {
            "problem": column.title,
            "m": m,
            "T": t,
            "ρₘ": rho,
            "Theorem 1 / trivial, at least": rho / math.sqrt(t * m),
            "sharper form / trivial, at least": mean / (2.0 * math.sqrt(t * m)),
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


#: The values beside the chain: their names, dashes, and the heights of their labels above the panel.
_BESIDE = (("trivial", ":", 1.0), ("sharp", "-.", 1.055))


@figure(size=(8.0, 4.6))
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
            axes.text(value, height, f"{words[name]} {significant(round(value))}", **place)
        # A telephone shows a panel at three quarters of its size.
        for text in (*axes.texts, *axes.get_yticklabels()):
            text.set_fontsize(9.5)
    charts.clear_factors(canvas)
