"""The second morning of the lesson's oven: one batch by Thompson sampling, and one by TS-RSR from the same draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.arrays import Floats
from companion.gp import FinitePosterior
from companion.judge.intervals import paired_interval
from companion.pages import Canvas, Numbers, Palette, charts, figure, recorded
from companion.pages.figures import MARKERS
from companion.pages.provenance import here
from companion.papers.tsrsr.method.round import DenseRound, Pending, WatchedRound
from companion.papers.tsrsr.method.rules import TSRSR
from companion.problems.running_example import LENGTHSCALE, NOISE, running_function

#: The first morning's recipes among the candidates, and the samples of a batch.
KNOWN, BATCH = (15, 35, 50, 65, 90), 5
#: Of their noise and of the posterior draws; with this seed the two batches differ much.
SEED = 5
#: Added to a covariance before the root of a draw; the lesson's code has the same.
JITTER = 1e-9


@dataclass(frozen=True)
class Picture:
    """A posterior and the batches that two rules chose from it.

    Parameters
    ----------
    x, values, mean : (N,) points, objective and posterior mean
    draws : (m, N) posterior draws, whose maximisers are the batch of Thompson sampling
    sd : (m + 1, N) standard deviation before the first choice and after each
    ratio : (m, N) the ratio that the i-th choice of TS-RSR minimised
    chosen, thompson : (m,) indices chosen by TS-RSR and by Thompson sampling from the same draws
    observations, baked : (n,), (m,) values at :data:`KNOWN` and, later, at the points that TS-RSR chose
    """

    x: Floats
    values: Floats
    mean: Floats
    draws: Floats
    sd: Floats
    ratio: Floats
    chosen: NDArray[np.intp]
    thompson: NDArray[np.intp]
    observations: Floats
    baked: Floats

    @property
    def maxima(self) -> Floats:
        """(m,) sampled maxima."""
        return np.asarray(self.draws.max(axis=1))


# The running function has a seed of its own.
@recorded(first=SEED, fixed=(0,))
def two_batches() -> Picture:
    """Observe the running function at :data:`KNOWN`, then choose a batch by either rule."""
    x, covariance, values = running_function()
    generator = np.random.default_rng(SEED)
    observations = values[list(KNOWN)] + NOISE * generator.standard_normal(len(KNOWN))
    posterior = FinitePosterior(covariance, NOISE**2)
    for index, value in zip(KNOWN, observations, strict=True):
        posterior.observe(index, float(value))
    left = np.stack([posterior.covariance_with(index) for index in range(len(x))])
    root = np.linalg.cholesky(left + JITTER * np.eye(len(x)))
    draws = posterior.mean[0] + generator.standard_normal((BATCH, len(x))) @ root.T
    current = DenseRound(1, posterior.mean[0].copy(), left, NOISE**2)
    # Both rules see one and the same sample.
    chosen = TSRSR(resample=False).choose(WatchedRound(current, given=draws), BATCH, generator)
    pending, sd, ratio = Pending(current), [], []
    for maximum, index in zip(draws.max(axis=1), chosen, strict=True):
        sd.append(pending.sd)
        ratio.append((maximum - current.mean) / pending.sd)
        pending.condition(int(index))
    return Picture(
        x,
        values,
        current.mean,
        draws,
        np.array([*sd, pending.sd]),
        np.array(ratio),
        chosen,
        np.argmax(draws, axis=1),
        observations,
        values[chosen] + NOISE * generator.standard_normal(BATCH),
    )


def closest(places: Floats) -> float:
    """Smallest distance between two of the places."""
    return float(np.diff(np.sort(places)).min())


def picture_numbers(picture: Picture) -> Numbers:
    """The instance, both batches, and how far apart their points lie; ``then``, ``now``: ratio where the first choice went."""
    first = int(picture.chosen[0])
    ours, theirs = picture.x[picture.chosen], picture.x[picture.thompson]
    return Numbers(
        picture,
        points=len(picture.x),
        lengthscale=LENGTHSCALE,
        noise=NOISE,
        known=len(KNOWN),
        factor=float(picture.sd[0, first] / picture.sd[1, first]),
        then=float(picture.ratio[0, first]),
        now=float(picture.ratio[1, first]),
        moved=bool(picture.chosen[1] != first),
        ours=ours,
        theirs=theirs,
        apart=closest(ours),
        spread=float(np.ptp(theirs)),
        maxima=picture.maxima,
        ratios=picture.ratio[np.arange(BATCH), picture.chosen],
    )


def beside_thompson(ours: ArrayLike, theirs: ArrayLike) -> Numbers:
    """Paired difference of the regrets (R, mornings) of TS-RSR and of Thompson sampling on R functions.

    ``early``: interval of the difference over the first two mornings, ``late``: over the others; ``ahead``: share of functions
    on which TS-RSR loses less in all.
    """
    first, second = np.asarray(ours), np.asarray(theirs)
    whole, early, late = (
        paired_interval(second[:, part].sum(axis=1), first[:, part].sum(axis=1))
        for part in (slice(None), slice(0, 2), slice(2, None))
    )
    ahead = first.sum(axis=1) < second.sum(axis=1)
    return Numbers(
        here(beside_thompson),
        drawn=whole.count,
        less=whole.estimate,
        less_low=whole.low,
        less_high=whole.high,
        early=[early.low, early.high],
        late=[late.low, late.high],
        ahead=float(ahead.mean()),
    )


@figure(size=(8.2, 3.0))
def draw_two_batches(canvas: Canvas, palette: Palette, picture: Picture) -> None:
    """The batch on one hill beside the one that spreads, on one posterior."""
    panels = charts.row_of(canvas, 2)
    x, mean, sd = picture.x, picture.mean, picture.sd[0]
    for axes, rule, batch in zip(
        panels, ("Thompson sampling", "TS-RSR"), (picture.thompson, picture.chosen), strict=True
    ):
        charts.band(axes, x, mean - 2 * sd, mean + 2 * sd, palette.muted)
        axes.plot(x, picture.values, color=palette.muted, ls=":", label="f, unknown")
        axes.plot(x, mean, color=palette.ink, label="posterior mean, ± 2 sd")
        axes.plot(x[list(KNOWN)], picture.observations, "+", color=palette.ink, ms=9, mew=1.8, label="known")
        lowest = float((mean - 2.3 * sd).min())
        for place in x[batch]:
            axes.axvline(place, color=palette.accent, lw=0.8, alpha=0.6)
        axes.plot(x[batch], np.full(BATCH, lowest), MARKERS[2], color=palette.accent, ms=7, label="next batch")
        charts.name_axes(axes, "recipe x", title=rule)
    panels[0].set_ylabel("quality f")
    # In a panel: above both it would be cut where a telephone stacks them.
    panels[0].legend(loc="upper left", bbox_to_anchor=(0.1, 1.02))
    panels[0].set_ylim(top=3.5)


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
        axes.set_xlim(-0.03, right)
    panels[0].set_ylabel("posterior mean")
    panels[0].legend(loc="lower right")
