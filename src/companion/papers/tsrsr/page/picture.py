"""One batch being chosen in one dimension: posterior, sampled maxima, and the ratio that each point minimises."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import FinitePosterior, PriorDraws, SquaredExponential
from companion.judge.intervals import paired_interval
from companion.pages import Canvas, Numbers, Palette, charts, figure, recorded
from companion.pages.figures import MARKERS
from companion.pages.provenance import here
from companion.papers.tsrsr.method.round import FiniteRound, Pending, WatchedRound
from companion.papers.tsrsr.method.rules import TSRSR
from companion.problems.running_example import LENGTHSCALE, NOISE, running_function

#: The example: a few noisy observations of the running function, and one batch.
OBSERVED, BATCH = 6, 4


@dataclass(frozen=True, eq=False)
class Picture:
    """A posterior and the batch that TS-RSR chose from it.

    Parameters
    ----------
    x, values, mean : (N,) points, objective and posterior mean
    draws : (m, N) posterior draws, whose maximisers are the batch of Thompson sampling
    sd : (m + 1, N) standard deviation before the first choice and after each
    maxima : (m,) sampled maxima
    ratio : (m, N) the ratio that the i-th choice minimised
    chosen, thompson : (m,) indices chosen by TS-RSR and by Thompson sampling from the same draws
    observed, observations : places and values of the data
    """

    x: Floats
    values: Floats
    mean: Floats
    draws: Floats
    sd: Floats
    maxima: Floats
    ratio: Floats
    chosen: NDArray[np.intp]
    thompson: NDArray[np.intp]
    observed: Floats
    observations: Floats


# The running function has a seed of its own.
@recorded(first="seed", fixed=(0,))
def one_batch(seed: int) -> Picture:
    """Observe the running function at a few random places, then choose one batch from the posterior."""
    x, covariance, values = running_function()
    prior = PriorDraws.on_points(SquaredExponential(LENGTHSCALE), x[:, None])
    data = stream(seed, "tsrsr", "picture", "data")
    observed = data.choice(len(x), OBSERVED, replace=False)
    observations = values[observed] + NOISE * data.standard_normal(OBSERVED)
    posterior = FinitePosterior(covariance, NOISE**2)
    for index, value in zip(observed, observations, strict=True):
        posterior.observe(int(index), float(value))
    current = FiniteRound(0, posterior, prior, float(observations.max()))
    generator = stream(seed, "tsrsr", "picture", "rule")
    draws = _draws_above(current, generator)
    maxima = draws.max(axis=1)
    # Both rules see one and the same sample.
    chosen = TSRSR(resample=False).choose(WatchedRound(current, given=draws), BATCH, generator)
    pending, sd, ratio = Pending(current), [], []
    for maximum, index in zip(maxima, chosen, strict=True):
        sd.append(pending.sd)
        ratio.append((maximum - current.mean) / pending.sd)
        pending.condition(int(index))
    return Picture(
        x,
        values,
        current.mean.copy(),
        draws,
        np.array([*sd, pending.sd]),
        maxima,
        np.array(ratio),
        chosen,
        np.argmax(draws, axis=1),
        x[observed],
        observations,
    )


def _draws_above(current: FiniteRound, generator: np.random.Generator) -> Floats:
    """One draw a place of the batch, each repeated until it exceeds the largest mean, as in App. C."""
    kept: list[Floats] = []
    while len(kept) < BATCH:
        draw = current.draws(generator, 1)[0]
        if draw.max() > current.mean.max():
            kept.append(draw)
    return np.array(kept)


def closest(places: Floats) -> float:
    """Smallest distance between two of the places."""
    return float(np.diff(np.sort(places)).min())


def picture_numbers(picture: Picture) -> Numbers:
    """Spread of the batch, beside that of the maximisers of the same draws."""
    first, maxima = int(picture.chosen[0]), picture.maxima
    before, after = float(picture.sd[0, first]), float(picture.sd[1, first])
    return Numbers(
        picture,
        points=len(picture.x),
        lengthscale=LENGTHSCALE,
        noise=NOISE,
        observed=OBSERVED,
        factor=before / after if after > 0 else math.inf,
        then=float(picture.ratio[0, first]),
        now=float(picture.ratio[1, first]),
        lower=bool(maxima[1] < maxima[0]),
        moved=bool(picture.chosen[1] != first),
        places=picture.x[picture.chosen],
        ours=closest(picture.x[picture.chosen]),
        theirs=closest(picture.x[picture.thompson]),
        maxima=maxima,
        ratios=picture.ratio[np.arange(len(maxima)), picture.chosen],
        places_of_thompson=picture.x[picture.thompson],
    )


def beside_thompson(ours: ArrayLike, theirs: ArrayLike) -> Numbers:
    """Paired difference of the regrets (R,) of TS-RSR and of Thompson sampling, and share of functions with TS-RSR lower."""
    difference, first, second = paired_interval(theirs, ours), np.asarray(ours), np.asarray(theirs)
    return Numbers(
        here(beside_thompson),
        drawn=difference.count,
        less=difference.estimate,
        less_low=difference.low,
        less_high=difference.high,
        ahead=float((first < second).mean()),
        here_ahead=bool(first[0] < second[0]),
    )


@figure(size=(8.2, 4.8))
def draw_one_batch(canvas: Canvas, palette: Palette, picture: Picture) -> None:
    """Posterior with sampled maxima, and the ratio as the batch grows."""
    top, bottom = canvas.subplots(2, 1, sharex=True, height_ratios=(1.3, 1))
    x, mean, sd = picture.x, picture.mean, picture.sd[0]
    charts.band(top, x, mean - 2 * sd, mean + 2 * sd, palette.muted)
    top.plot(x, picture.values, color=palette.muted, ls=":", label="f, unknown")
    top.plot(x, mean, color=palette.ink, ls="-", label="posterior mean, ± 2 sd")
    top.plot(picture.observed, picture.observations, "+", color=palette.ink, ms=9, mew=1.8, label="data")
    lowest = float((mean - 2.2 * sd).min())
    for i, index in enumerate(picture.chosen):
        line, thompson = charts.look(palette, i), x[picture.thompson[i]]
        mark = {"marker": MARKERS[i], "color": palette.series[i], "mec": palette.paper}
        top.axhline(picture.maxima[i], lw=1.1, **line)
        top.plot(x[index], mean[index], ms=8, zorder=5, **mark)
        # To the left of a point that has a neighbour on its right.
        gaps = x[picture.chosen] - x[index]
        crowded = bool(((gaps > 0) & (gaps < 0.04)).any())
        top.annotate(
            str(i + 1),
            (x[index], mean[index]),
            (-13 if crowded else 5, -13),
            textcoords="offset points",
            weight="bold",
        )
        top.plot(thompson, lowest, **mark | {"mec": palette.series[i]}, ms=6, mfc="none", mew=1.5, clip_on=False)
        bottom.plot(x, picture.ratio[i], label=f"choice {i + 1}", **line)
        bottom.plot(x[index], picture.ratio[i, index], ms=8, zorder=5, **mark)
    top.set(ylabel="f", title="What is known")
    left = float(x[picture.thompson].min())
    top.annotate("Thompson sampling ", (left, lowest), (-8, 0), textcoords="offset points", ha="right", va="center")
    top.legend(loc="lower left")
    bottom.set_title("Gap over uncertainty")
    smallest = float(picture.ratio.min())
    bottom.set(yscale="log", ylim=(0.7 * smallest, 60 * smallest), ylabel="ratio Ψ", xlabel="x", xlim=(-0.01, 1.01))
    charts.plain_ticks(bottom.yaxis)


@figure(size=(8.2, 3.6))
def plane(canvas: Canvas, palette: Palette, picture: Picture) -> None:
    """The rule in the plane of standard deviation and mean: from the sampled maximum, the line that falls least."""
    panels = charts.row_of(canvas, 2, sharex=True)
    for i, axes in enumerate(panels):
        sd, mean, maximum, chosen = picture.sd[i], picture.mean, picture.maxima[i], picture.chosen[i]
        right = 1.06 * float(picture.sd[0].max())
        across = np.array([0.0, right])
        axes.plot(sd, mean, ".", color=palette.muted, ms=4, label="candidates")
        axes.plot(0.0, maximum, "D", color=palette.accent, ms=7, clip_on=False, label="sampled maximum")
        axes.plot(across, maximum - picture.ratio[i, chosen] * across, color=palette.series[0], label="smallest ratio")
        axes.plot(sd[chosen], mean[chosen], "o", color=palette.series[0], mec=palette.paper, ms=9, label="chosen")
        if i:
            first = picture.chosen[0]
            axes.annotate(
                "choice 1, now known better",
                (sd[first], mean[first]),
                (0.3, 0.9),
                textcoords="axes fraction",
                arrowprops={"arrowstyle": "-", "color": palette.muted},
            )
        charts.name_axes(axes, "standard deviation", title=f"Choice {i + 1}")
        axes.set_xlim(0.0, right)
    panels[0].set_ylabel("posterior mean")
    charts.legend_above(canvas, panels[0], 4)
