"""Small runs that show the method, kept batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from companion.bounds.confidence import UnionBoundWidth
from companion.core.arrays import Flags, Floats
from companion.pages import Canvas, Numbers, Palette, Rows, charts, figure, frame, recorded
from companion.papers.batched.experiments.definitions import experiment
from companion.papers.batched.method.policy import BPE, BatchRecord
from companion.papers.batched.method.sizes import power_sizes
from companion.policies import GPUCB
from companion.problems import FiniteProblem
from companion.problems.running_example import LENGTHSCALE, NOISE, running_interpolant
from companion.simulate import run_policy


@dataclass(frozen=True, eq=False)
class Played:
    """A problem and what a batched policy did on it.

    Parameters
    ----------
    problem : with the true values
    history : one record per batch
    observed : the observations of every batch, in the order of its queries
    """

    problem: FiniteProblem
    history: tuple[BatchRecord, ...]
    observed: tuple[Floats, ...]

    def bounds(self, batch: int) -> tuple[Floats, Floats]:
        """Lower and upper confidence bounds after a batch, by its place from 0; not a number without a posterior."""
        record = self.history[batch]
        ends = np.full((2, self.problem.size), np.nan)
        ends[:, record.modelled] = record.mean + np.outer((-record.width, record.width), record.sd)
        return ends[0], ends[1]

    def valid(self, batch: int) -> bool:
        """Whether f lies within the bounds at every candidate with a posterior."""
        lower, upper = self.bounds(batch)
        return bool((np.isnan(lower) | ((lower <= self.problem.values) & (self.problem.values <= upper))).all())


def play(name: str, method: str, seed: int, setting: dict[str, object]) -> Played:
    """A run of one of the chapter's experiments, kept batch by batch."""
    setup = experiment(name).ready(method, seed, setting)
    setup.run()
    assert isinstance(setup.policy, BPE)
    history, problem = tuple(setup.policy.history), setup.modelled.problem
    ends = np.cumsum([record.size for record in history])[:-1]
    noise = np.split(setup.noise, ends)
    observed = tuple(problem.values[record.query] + z for record, z in zip(history, noise, strict=True))
    return Played(problem, history, observed)


#: The runs that are drawn: three batches on the interpolant of the running function, which has a norm.
HORIZON, RATIO, FIXED_WIDTH = 60, 0.5, 2.0


@dataclass(frozen=True, eq=False)
class Batches:
    """The running example, played with a fixed width and, on the same noise, with the theory's; and its norm."""

    fixed: Played
    theory: Played
    norm: float


def _running() -> tuple[FiniteProblem, Floats, float]:
    """The running example with its covariance and norm."""
    x, covariance, values, norm = running_interpolant()
    problem = FiniteProblem("running example", x[:, None], values, NOISE, "interpolates a draw of the prior")
    return problem, covariance, norm


# The running function has a seed of its own.
@recorded(first="seed", fixed=(0,))
def drawn_batches(seed: int, delta: float) -> Batches:
    """BPE on the running example, once for each width."""
    problem, covariance, norm = _running()
    values = problem.values
    sizes = power_sizes(HORIZON, RATIO)
    noise = np.split(NOISE * np.random.default_rng(seed).standard_normal(HORIZON), np.cumsum(sizes)[:-1])
    played = []
    for width in (FIXED_WIDTH, UnionBoundWidth(norm, problem.size, len(sizes), delta).width()):
        policy, observed = BPE(covariance, NOISE**2, sizes, width), []
        for place, z in enumerate(noise):
            observed.append(values[policy.ask(sum(sizes[place:])).query] + z)
            policy.tell(observed[-1])
        played.append(Played(problem, tuple(policy.history), tuple(observed)))
    return Batches(played[0], played[1], norm)


def drawn_numbers(study: Batches) -> Numbers:
    """Sizes, survivors of every batch for both widths, and whether the maximiser is among them."""
    runs = (study.fixed, study.theory)
    alive, alive_theory = ([int(record.survivors.sum()) for record in played.history] for played in runs)
    return Numbers(
        study,
        points=study.fixed.problem.size,
        lengthscale=LENGTHSCALE,
        noise_sd=NOISE,
        evaluations=HORIZON,
        batches=len(study.fixed.history),
        norm=study.norm,
        sizes=[record.size for record in study.fixed.history],
        sizes_first=study.fixed.history[0].size,
        fixed=FIXED_WIDTH,
        theory=study.theory.history[0].width,
        alive=alive,
        first=alive[0],
        last=alive[-1],
        alive_theory=alive_theory,
        first_theory=alive_theory[0],
        last_theory=alive_theory[-1],
        valid=[all(played.valid(batch) for batch in range(len(played.history))) for played in runs],
        kept=all(played.history[-1].survivors[played.problem.optimum_index] for played in runs),
    )


#: Runs of the comparison with GP-UCB, and the ratios of rule (6) in it.
RIVAL_RUNS, RIVAL_RATIOS = 20, (0.6, 0.4)


@recorded(first="seed", count=RIVAL_RUNS, fixed=(0,))
@frame
def without_batches(seed: int, horizon: int) -> Rows:
    """Regret of GP-UCB and of BPE on the running example, one width for both: a row a noise seed, a column a policy."""
    problem, covariance, _ = _running()
    for number in range(seed, seed + RIVAL_RUNS):
        noise = NOISE * np.random.default_rng(number).standard_normal(horizon)
        policies: dict[str, GPUCB | BPE] = {"GP-UCB": GPUCB(covariance, NOISE**2, FIXED_WIDTH, horizon)}
        for a in RIVAL_RATIOS:
            policies[f"a = {a:g}"] = BPE(covariance, NOISE**2, power_sizes(horizon, a), FIXED_WIDTH)
        yield {name: run_policy(one, problem, horizon, noise).cumulative_regret[-1] for name, one in policies.items()}


def rival_numbers(regret: pd.DataFrame) -> Numbers:
    """Mean regret of GP-UCB and of BPE, and the least that BPE lost at a seed over what GP-UCB did."""
    means, sequential = regret.mean(), regret["GP-UCB"]
    return Numbers(
        regret,
        noise_seeds=len(regret),
        sequential=float(means["GP-UCB"]),
        batched=[float(means[f"a = {a:g}"]) for a in RIVAL_RATIOS],
        least=float(regret.drop(columns="GP-UCB").min(axis=1).div(sequential).min()),
    )


@figure(size=(9.0, 4.9))
def three_batches(canvas: Canvas, palette: Palette, study: Batches) -> None:
    """Every batch of two runs: band, points, the line that decides, who is eliminated, and what was forgotten."""
    panels = canvas.subplots(2, len(study.fixed.history), sharex=True, sharey=True)
    for row, played in zip(panels, (study.fixed, study.theory), strict=True):
        for batch, axes in enumerate(row):
            _draw_batch(axes, played, batch, palette)
    words = ("width", "theory's width")
    for axes, played, name in zip(panels[:, 0], (study.fixed, study.theory), words, strict=True):
        axes.set_ylabel(f"{name} {played.history[0].width:.3g}", fontsize=10.5)
    low, high = study.fixed.problem.values.min(), study.fixed.problem.values.max()
    reach = high - low
    panels[0, 0].set(xlim=(0, 1), ylim=(low - 0.55 * reach, high + 0.35 * reach))
    _name_parts(panels[0], study.fixed, palette)
    for axes in panels[1]:
        axes.set_xlabel("x")


def _draw_batch(axes: Axes, played: Played, batch: int, palette: Palette) -> None:
    record, problem = played.history[batch], played.problem
    x, (lower, upper) = problem.points[:, 0], played.bounds(batch)
    step = x[1] - x[0]
    charts.band(axes, x, lower, upper, palette.series[0], 0.3)
    axes.plot(x, problem.values, color=palette.ink, lw=1.2, ls="-")
    for before in range(batch):
        axes.plot(
            x[played.history[before].query],
            played.observed[before],
            "o",
            color=palette.muted,
            ms=3,
            mfc="none",
            mew=0.5,
            alpha=0.55,
        )
    axes.plot(x[record.query], played.observed[batch], "o", color=palette.series[0], ms=3.4, mew=0)
    bar = float(np.nanmax(np.where(record.active, lower, np.nan)))
    axes.axhline(bar, color=palette.accent, ls="--", lw=1.3)
    shade(axes, x, record, palette)
    for first, last in stretches(record.survivors):
        axes.axvspan(x[first] - step / 2, x[last] + step / 2, ymax=0.035, color=palette.series[2], lw=0)
    best = problem.optimum_index
    axes.plot(x[best], problem.values[best], "*", color=palette.accent, ms=9, mec=palette.paper, mew=0.6)
    title = f"Batch {record.number}: {record.size} points, {int(record.survivors.sum())} survive"
    axes.set_title(title, fontsize=9.8)
    axes.grid(visible=False)


def _name_parts(panels: Sequence[Axes], played: Played, palette: Palette) -> None:
    """Words beside what they name, in the first two panels."""
    first, second = panels[:2]
    x, problem = played.problem.points[:, 0], played.problem
    record = played.history[0]
    plate: charts.Style = {"fontsize": 8.5, "va": "center", "transform": first.get_xaxis_transform()}
    gone = max(stretches(~record.survivors), key=lambda run: run[1] - run[0])
    first.text(0.02, 0.95, "eliminated now", color=palette.ink, **plate)
    alive = max(stretches(record.survivors), key=lambda run: run[1] - run[0])
    first.text(x[sum(alive) // 2], 0.075, "alive", ha="center", color=palette.series[2], **plate)
    bar = float(played.bounds(0)[0][record.active].max())
    first.text(0.01, bar, "best lower bound", color=palette.accent, fontsize=8.5, va="bottom")
    worst = int(problem.values.argmin())
    first.annotate(
        "f", (x[worst], problem.values[worst]), xytext=(0, -11), textcoords="offset points", fontsize=10, ha="center"
    )
    place = {**plate, "transform": second.get_xaxis_transform()}
    second.text(0.02, 0.95, "eliminated", color=palette.ink, **place)
    second.text(0.02, 0.88, "before", color=palette.ink, **place)
    old = record.query[int(np.argmin(np.abs(x[record.query] - x[sum(gone) // 2])))]
    seen = played.observed[0][record.query.tolist().index(old)]
    where = (x[old], seen)
    arrow = {"arrowstyle": "-", "color": palette.ink, "lw": 0.6}
    away: charts.Style = {"xytext": (4, -38), "textcoords": "offset points", "fontsize": 8.5, "arrowprops": arrow}
    second.annotate("forgotten", where, color=palette.ink, **away)


def shade(axes: Axes, x: Floats, record: BatchRecord, palette: Palette) -> None:
    """Plain where candidates are eliminated now, hatched where they were before."""
    step = x[1] - x[0]
    for which, hatch in ((~record.active, "////"), (record.active & ~record.survivors, "")):
        for first, last in stretches(which):
            place = (x[first] - step / 2, x[last] + step / 2)
            axes.axvspan(*place, lw=0, fc=(palette.muted, 0.2), ec=(palette.muted, 0.5), hatch=hatch)


def stretches(which: Flags) -> list[tuple[int, int]]:
    """First and last index of every stretch of marked points."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], which.astype(int), [0]])))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


#: Boxes of the picture of dependence: place, words, and index of their colour in the palette; none for what is drawn in ink.
_BOXES: dict[str, tuple[tuple[float, float], str, int | None]] = {
    "points 1": ((0.09, 0.72), "points\nof batch 1", 0),
    "noise 1": ((0.09, 0.2), "noise\nof batch 1", 1),
    "values 1": ((0.29, 0.46), "values\nof batch 1", None),
    "survivors": ((0.48, 0.72), "survivors", 2),
    "points 2": ((0.67, 0.72), "points\nof batch 2", 0),
    "noise 2": ((0.67, 0.2), "noise\nof batch 2", 1),
    "posterior 2": ((0.88, 0.46), "posterior\nof batch 2", None),
}
#: The way of the first batch's noise to the next points, and the other arrows.
_WAY = (("noise 1", "values 1"), ("values 1", "survivors"), ("survivors", "points 2"))
_OTHERS = (("points 1", "values 1"), ("points 2", "posterior 2"), ("noise 2", "posterior 2"))


@figure(size=(8.6, 2.6))
def dependence(canvas: Canvas, palette: Palette) -> None:
    """Dependence from one batch to the next, and the arrow that forgetting cuts."""
    axes = canvas.subplots()
    axes.set(xlim=(0, 1), ylim=(0.08, 0.84))
    axes.axis("off")
    boxes = {}
    for name, (place, words, color) in _BOXES.items():
        edge = palette.ink if color is None else palette.series[color]
        box: charts.Style = {"boxstyle": "round,pad=0.5", "facecolor": palette.paper, "edgecolor": edge, "lw": 1.6}
        boxes[name] = axes.text(*place, words, ha="center", va="center", fontsize=10, color=palette.ink, bbox=box)
    arrow: charts.Style = {"arrowstyle": "-|>", "color": palette.ink, "lw": 1.3, "shrinkA": 0, "shrinkB": 2}
    way, cut = (arrow | {"color": color, "lw": 2} for color in (palette.series[1], palette.accent))
    kinds = ((_WAY, way), (_OTHERS, arrow), ((("values 1", "posterior 2"),), cut | {"ls": "--"}))
    for start, end, style in ((*pair, style) for pairs, style in kinds for pair in pairs):
        ends = {"patchA": boxes[start].get_bbox_patch(), "patchB": boxes[end].get_bbox_patch()}
        axes.annotate("", _BOXES[end][0], _BOXES[start][0], arrowprops=style | ends)
    axes.plot(0.48, 0.46, "X", color=palette.accent, ms=15, mec=palette.paper)
    axes.text(
        0.48, 0.34, "BPE cuts this arrow:\nold data are forgotten", ha="center", va="center", color=palette.accent
    )
