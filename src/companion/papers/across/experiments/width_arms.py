r"""Instances made to need a large width: one arm pulled for ever, and many independent arms.

On one arm, the error over the posterior's standard deviation *is* the root of the left side of the bound in ``forms.classical``,
which fails when a supermartingale that starts at 1 exceeds 1/delta. For Gaussian noise it is a martingale, falling to zero where
it never does: the probability of failure comes near to delta as T grows and as steps get small, which they do for much noise. A
shorter width has then nothing left to save. With large steps the martingale oversteps the limit, and failures are rarer.

On N independent arms the largest of N errors counts, none of which tells anything about another: what a union bound over
candidates pays for. f is the norm times one arm, or a draw of the prior. Arms are pulled in turn: no choice looks at the noise.

A posterior of independent arms is one of single numbers:

.. math:: \mu(x)=\frac{\sum_{s:x_s=x}y_s}{n_x+\lambda},\qquad \sigma^2(x)=\frac{\lambda}{n_x+\lambda}.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise

import numpy as np

from companion.bounds.bound import BoundSetting
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.papers.across.experiments.width_grid_runs import BLOCK, Kind
from companion.papers.across.experiments.width_rules import Rule
from companion.papers.across.problems.common import DELTA, regulariser_of
from companion.papers.batched.method.sizes import power_sizes


@dataclass(frozen=True)
class Arms:
    """An instance: number of arms, of pulls, kind of f, its norm where f is not a draw, standard deviation of the noise."""

    name: str
    count: int
    horizon: int
    kind: Kind
    norm: float = 1.0
    noise: float = 1.0


INSTANCES = (
    Arms("one arm", 1, 1000, "norm"),
    Arms("one arm, norm 4", 1, 1000, "norm", 4.0),
    Arms("one arm, small steps", 1, 25_000, "norm", noise=5.0),
    Arms("50 arms", 50, 200, "norm"),
    Arms("50 arms, drawn", 50, 200, "prior"),
)


def gain_of(count: int, noise_variance: float, points: float) -> float:
    """The largest gain of so many pulls of independent arms: all arms equally often, up to one."""
    each, more = divmod(int(points), count)
    once = np.log1p(np.array([each, each + 1]) / noise_variance) / 2.0
    return float((count - more) * once[0] + more * once[1])


def case(arms: Arms) -> BoundSetting:
    """The instance as a setting."""
    gain = partial(gain_of, arms.count, arms.noise**2)
    return BoundSetting(
        arms.horizon, arms.count, arms.noise, DELTA, gain, gain, regulariser_of(arms.noise), norm=arms.norm
    )


def values_and_noise(arms: Arms, seed: int, runs: int = BLOCK) -> tuple[Floats, Floats]:
    """(R, N) functions and (R, T) noise of a block."""
    if arms.kind == "prior":
        values = stream(seed, "widths", "arms").standard_normal((runs, arms.count))
    else:
        values = np.zeros((runs, arms.count))
        values[:, 0] = arms.norm
    return values, arms.noise * stream(seed, "widths", "pulls").standard_normal((runs, arms.horizon))


def needed(values: Floats, noise: Floats, regulariser: float) -> Floats:
    """(R, T + 1) largest error over standard deviation before every round, and after the last: the width that would do."""
    runs, count = values.shape
    sums, found = np.zeros((runs, count)), np.empty((runs, noise.shape[1] + 1))
    each = np.abs(values)
    found[:, 0] = each.max(axis=1)
    for t in range(1, noise.shape[1] + 1):
        arm, pulls = (t - 1) % count, (t - 1) // count + 1
        sums[:, arm] += values[:, arm] + noise[:, t - 1]
        error = np.abs(values[:, arm] - sums[:, arm] / (pulls + regulariser))
        each[:, arm] = error * np.sqrt((pulls + regulariser) / regulariser)
        found[:, t] = each.max(axis=1)
    return found


@lru_cache(maxsize=2)
def _before(arms: Arms, seed: int, regulariser: float) -> Floats:
    """:func:`needed` before every round of a block: the same whichever width is judged."""
    return needed(*values_and_noise(arms, seed), regulariser)[:, :-1]


def path(rule: Rule, arms: Arms) -> Floats:
    """(T,) the width in every round: the gain is deterministic here."""
    regulariser, width = arms.noise**2 * rule.inflation(arms.horizon), rule.widths(case(arms))
    # Pulled in turn, so many pulls gain as much as any.
    gains = (gain_of(arms.count, regulariser, t) for t in range(arms.horizon))
    return np.array([float(width(t, np.array([gain]))[0]) for t, gain in enumerate(gains, 1)])


def block(rule: Rule, arms: Arms, seed: int, widths: Floats, believed: Arms | None = None) -> Floats:
    """(R,) largest error over width times standard deviation in the runs of a block, with the widths of :func:`path`.

    Posteriors and widths are those of what is ``believed``, where that is something else.
    """
    model = believed or arms
    if rule.promise == "batches":
        values, noise = values_and_noise(arms, seed)
        ends = np.cumsum((0, *power_sizes(arms.horizon, case(model).ratio)))
        last = [needed(values, noise[:, a:b], model.noise**2)[:, -1] for a, b in pairwise(ends)]
        return np.asarray(np.max(last, axis=0) / widths[-1])
    before = _before(arms, seed, model.noise**2 * rule.inflation(arms.horizon))
    return np.asarray((before / widths).max(axis=1))
