"""One run of GP-UCB on the running example at three widths: where each plays, and what plays and point lose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from matplotlib.figure import Figure as Canvas

from companion.core.arrays import Floats, Indices
from companion.pages import Numbers, Provenance, charts, figure, recorded
from companion.pages.figures import Palette
from companion.problems.running_example import NOISE, running_function

#: BoTorch's, a short one and one as long as a theorem's; evaluations; and the seed of the noise.
WIDTHS, ROUNDS, SEED = {"too short": 0.45, "short": 1.0, "long": 5.0}, 40, 0


@dataclass(frozen=True, eq=False)
class SameRun:
    """By name of the width: candidates played, (T,), and the one named; temperatures, (N,), and yields, (N,)."""

    played: Mapping[str, Indices]
    named: Mapping[str, int]
    points: Floats
    values: Floats
    where: Provenance = field(default_factory=Provenance, compare=False)

    def lost(self, name: str) -> tuple[float, float]:
        """Regret of all plays, and of the point named."""
        regret = self.values.max() - self.values
        return float(regret[self.played[name]].sum()), float(regret[self.named[name]])


@recorded(first=SEED)
def same_run() -> SameRun:
    """The same noise for all widths, played as the lesson's own cells play; named is the largest posterior mean."""
    points, covariance, values = running_function()
    played, named = dict[str, Indices](), dict[str, int]()
    for name, width in WIDTHS.items():
        generator, at = np.random.default_rng(SEED), np.zeros(ROUNDS, dtype=np.intp)
        mean, left = np.zeros(len(values)), covariance
        for t in range(ROUNDS):
            at[t] = i = int(np.argmax(mean + width * np.sqrt(np.maximum(np.diag(left), 1e-12))))
            gain = left[i] / (left[i, i] + NOISE**2)
            mean = mean + gain * (values[i] + NOISE * generator.standard_normal() - mean[i])
            left = left - np.outer(gain, left[i])
        played[name], named[name] = at, int(np.argmax(mean))
    return SameRun(played, named, points, values)


def numbers(run: SameRun) -> Numbers:
    """By width the regret of all plays and of the point named."""
    told: dict[str, float] = {}
    for name, width in WIDTHS.items():
        key = name.replace(" ", "_")
        told |= {key: width} | dict(zip((f"{key}_plays", f"{key}_point"), run.lost(name), strict=True))
    return Numbers(run, rounds=ROUNDS, noise=NOISE, **told)


@figure(size=(8.0, 3.0))
def side_by_side(canvas: Canvas, palette: Palette, run: SameRun) -> None:
    """A panel a width: the yield, circles at the temperatures played with their area for the days, a star at the point named."""
    for k, (axes, (name, width)) in enumerate(zip(charts.row_of(canvas, 3, sharey=True), WIDTHS.items(), strict=True)):
        axes.plot(run.points, run.values, color=palette.muted, ls="-", lw=1.2)
        at, days = np.unique(run.played[name], return_counts=True)
        axes.scatter(run.points[at], run.values[at], s=18 * days, fc="none", ec=palette.series[k], lw=1.3, zorder=3)
        best = run.named[name]
        axes.plot(run.points[best], run.values[best], "*", ms=10, color=palette.ink, zorder=4)
        axes.text(0.03, 0.96, f"{name}: all plays\nlose {run.lost(name)[0]:.1f}", transform=axes.transAxes, va="top")
        axes.set_ylim(-2.2, 3.9)
        charts.name_axes(axes, "temperature", "yield" if k == 0 else "", title=f"width {width:g}")
