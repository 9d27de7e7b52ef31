"""Small runs that show the method, kept batch by batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from companion.bounds.confidence import SelfNormalizedWidth
from companion.core.arrays import Flags, Floats
from companion.information import gain_bracket
from companion.pages import Canvas, Numbers, Palette, Rows, Table, charts, figure, frame, here, provenance_of, recorded
from companion.papers.batched.experiments.definitions import experiment
from companion.papers.batched.experiments.one_run import RATIO, run_of, theory_bpe, theory_width
from companion.papers.batched.method.policy import BPE, BatchRecord
from companion.papers.batched.method.sizes import power_sizes
from companion.papers.batched.problems.wheat import wheat
from companion.papers.batched.theory.chain import coverage
from companion.policies import GPUCB, Policy
from companion.policies.ucb import BatchUCB
from companion.problems import FiniteProblem
from companion.problems.running_example import LENGTHSCALE
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
    return _played(setup.modelled.problem, setup.policy, setup.noise)


#: Evaluations and width of the lesson's listing.
HORIZON, FIXED_WIDTH = 1000, 2.0


@dataclass(frozen=True, eq=False)
class Runs:
    """The lesson's function, played with a fixed width and, on the same noise, with the theory's; and its norm."""

    fixed: Played
    theory: Played
    norm: float


@recorded(first="seed")
def wheat_runs(seed: int, delta: float) -> Runs:
    """BPE on the lesson's function with the sizes of its listing, once for each width."""
    modelled, sizes = wheat(), power_sizes(HORIZON, RATIO)
    problem, played = modelled.problem, []
    noise = problem.noise_sd * np.random.default_rng(seed).standard_normal(HORIZON)
    fixed = BPE(modelled.covariance, problem.noise_sd**2, sizes, FIXED_WIDTH)
    for policy in (fixed, theory_bpe(modelled, sizes, delta)):
        run_policy(policy, problem, HORIZON, noise)
        played.append(_played(problem, policy, noise))
    return Runs(played[0], played[1], modelled.known_norm)


def _played(problem: FiniteProblem, policy: BPE, noise: Floats) -> Played:
    """What a policy did that has seen these errors, in their order."""
    history = tuple(policy.history)
    errors = np.split(noise, np.cumsum([record.size for record in history])[:-1])
    observed = tuple(problem.values[record.query] + z for record, z in zip(history, errors, strict=True))
    return Played(problem, history, observed)


def run_numbers(study: Runs) -> Numbers:
    """Sizes, survivors and regret of every batch, and whether the maximiser is among the survivors."""
    runs, problem = (study.fixed, study.theory), study.fixed.problem
    active, active_theory = ([int(record.survivors.sum()) for record in played.history] for played in runs)
    regret, best = problem.optimum - problem.values, problem.optimum_index
    half = problem.size // 2
    return Numbers(
        study,
        points=problem.size,
        lengthscale=LENGTHSCALE,
        noise_sd=problem.noise_sd,
        evaluations=HORIZON,
        ratio=RATIO,
        batches=len(active),
        norm=study.norm,
        sizes=[record.size for record in study.fixed.history],
        first_size=study.fixed.history[0].size,
        fixed=FIXED_WIDTH,
        theory=study.theory.history[0].width,
        active=active,
        active_theory=active_theory,
        first=active[0],
        first_theory=active_theory[0],
        lost=[float(regret[record.query].sum()) for record in study.fixed.history],
        random=HORIZON * float(regret.mean()),
        lower_hill=[bool(record.survivors[:half].any()) for record in study.fixed.history],
        valid=[all(played.valid(batch) for batch in range(len(active))) for played in runs],
        kept=all(played.history[-1].survivors[best] for played in runs),
    )


#: Runs of the comparison with rules that keep their data, and the ratios of BPE's sizes in it; B-UCB has those of the first.
RIVAL_RUNS, RIVAL_RATIOS = 20, (RATIO, 0.4)
FEWER = [len(power_sizes(HORIZON, a)) for a in RIVAL_RATIOS]


@recorded(first="seed", count=RIVAL_RUNS)
@frame
def rivals(seed: int, horizon: int, delta: float) -> Rows:
    """GP-UCB, B-UCB and BPE on the lesson's function: a row a rule and noise seed, with both regrets.

    All have the fixed width; B-UCB and BPE are played with the theory's width, too, in the same batches. ``shrunk`` is by how
    much a batch of B-UCB after the first shrinks a standard deviation at most; ``valid`` and ``active`` are of BPE, whether f
    stays in the band and the maximiser active.
    """
    modelled = wheat()
    covariance, variance = modelled.covariance, modelled.problem.noise_sd**2
    sizes, fewer = (power_sizes(horizon, a) for a in RIVAL_RATIOS)
    wide = theory_width(modelled, len(sizes), delta)
    rules: dict[str, Callable[[], Policy]] = {
        "GP-UCB": lambda: GPUCB(covariance, variance, FIXED_WIDTH, horizon),
        "B-UCB": lambda: BatchUCB(covariance, variance, FIXED_WIDTH, sizes),
        "BPE": lambda: BPE(covariance, variance, sizes, FIXED_WIDTH),
        "BPE, fewer": lambda: BPE(covariance, variance, fewer, FIXED_WIDTH),
        "B-UCB, wide": lambda: BatchUCB(covariance, variance, wide, sizes),
        "BPE, wide": lambda: theory_bpe(modelled, sizes, delta),
    }
    for number in range(seed, seed + RIVAL_RUNS):
        for rule, make in rules.items():
            policy = make()
            run = run_of(policy, modelled, horizon, number)
            shrunk = max(policy.shrunk[1:]) if isinstance(policy, BatchUCB) else None
            valid, active = _kept_by(policy, modelled.problem) if isinstance(policy, BPE) else (None, None)
            facts = {"end": run.recommended_regret, "shrunk": shrunk, "valid": valid, "active": active}
            yield {"rule": rule, "seed": number, "regret": float(run.cumulative_regret[-1])} | facts


def _kept_by(policy: BPE, problem: FiniteProblem) -> tuple[bool, bool]:
    """Whether f stayed in the band, and the maximiser active."""
    return coverage(policy.history, problem.values)["valid"], bool(policy.active[problem.optimum_index])


@recorded(random=False)
def adaptive_width(delta: float) -> Numbers:
    """The width that a proof for points chosen in any way asks for, with the gain of all plots: B-UCB's, before its batches."""
    modelled = wheat()
    gain = gain_bracket(modelled.covariance, HORIZON, modelled.problem.noise_sd**2).upper
    return Numbers(adaptive=SelfNormalizedWidth(modelled.known_norm, delta).width(gain=gain))


def rival_numbers(runs: pd.DataFrame) -> Numbers:
    """Mean regrets by rule, and how they compare seed by seed."""
    regret = runs.pivot(index="seed", columns="rule", values="regret")
    means, rules = regret.mean(), runs.groupby("rule")
    bpe = runs[runs.rule == "BPE"]
    return Numbers(
        runs,
        noise_seeds=len(regret),
        sequential=float(means["GP-UCB"]),
        bucb=float(means["B-UCB"]),
        bucb_wide=float(means["B-UCB, wide"]),
        batched=[float(means[rule]) for rule in ("BPE", "BPE, fewer")],
        batched_wide=float(means["BPE, wide"]),
        fewer=FEWER,
        least=float(regret[["BPE", "BPE, fewer"]].min(axis=1).div(regret["GP-UCB"]).min()),
        least_bucb=min(float((regret[f"BPE{w}"] / regret[f"B-UCB{w}"]).min()) for w in ("", ", wide")),
        ends=rules.end.mean().to_dict(),
        missed=int((~bpe.valid.astype(bool)).sum()),
        eliminated=int((~bpe.active.astype(bool)).sum()),
        shrunk=float(runs.shrunk.max()),
    )


def rivals_table(runs: pd.DataFrame, theory: float) -> Table:
    """The rules, their years and widths, and the two regrets; ``theory`` is the theory's width."""
    (five, three), formats = FEWER, {"width": "{:.1f}", "cumulative regret": "{:.0f}", "terminal regret": "{:.4f}"}
    rows = []
    for rule, part in runs.groupby("rule", sort=False):
        name, _, how = str(rule).partition(", ")
        years = {"fewer": three}.get(how, HORIZON if name == "GP-UCB" else five)
        width = theory if how == "wide" else FIXED_WIDTH
        row = {"rule": name, "years": years, "width": width, "cumulative regret": part.regret.mean()}
        rows.append(
            row
            | {"of all runs": f"{part.regret.min():.0f} to {part.regret.max():.0f}", "terminal regret": part.end.mean()}
        )
    return Table(
        pd.DataFrame(rows), formats={name: text.format for name, text in formats.items()}, where=provenance_of(runs)
    )


def harvest_table(values: Mapping[str, Sequence[float]]) -> Table:
    """What each plot of the exercise's mixtures yields."""
    frame = pd.DataFrame(values).T.rename(columns=lambda plot: f"plot {plot + 1}").rename_axis("mixture").reset_index()
    return Table(frame, formats=dict.fromkeys(frame.columns[1:], "{:.1f}".format), where=here(harvest_table))


def harvest_numbers(values: Mapping[str, Sequence[float]], noise: float, width: float, total: int) -> Numbers:
    """For the exercise on one harvest of independent mixtures: who stays active, and from when on a second is worth it.

    Parameters
    ----------
    values : by mixture, as many for each
    noise, width : standard deviation of the noise, and w
    total : T, from which the next size follows by equation (5)
    """
    plots, variance = len(next(iter(values.values()))), noise**2
    mean = {name: sum(seen) / (plots + variance) for name, seen in values.items()}
    reach = width * math.sqrt(variance / (plots + variance))
    bar = max(mean.values()) - reach
    active = [name for name, middle in mean.items() if middle + reach >= bar]
    size = math.ceil(math.sqrt(total * plots * len(values)))
    each, named = size // len(active), max(active, key=mean.__getitem__)
    rivals = {x: max((y for y in active if y != x), key=mean.__getitem__) for x in active}
    worst = {x: mean[rival] - mean[x] + 2 * reach for x, rival in rivals.items()}
    after, cost, now = 2 * width * math.sqrt(variance / (each + variance)), each * sum(worst.values()), worst[named]
    found = {"reach": reach, "bar": bar, "each": each, "after": after, "cost": cost, "now": now}
    row = {"means": list(mean.values()), "active": active, "size": size, "rival": rivals[named]}
    return Numbers(here(harvest_numbers), **row, **found, plots=cost / (now - after))


@figure(size=(4.6, 2.6))
def first_harvest(canvas: Canvas, palette: Palette, study: Runs) -> None:
    """What is known after the first batch: its points and their values."""
    axes, record = canvas.subplots(), study.fixed.history[0]
    x = study.fixed.problem.points[record.query, 0]
    axes.vlines(x, 0, study.fixed.observed[0], color=palette.series[2], lw=1.5)
    axes.plot(x, study.fixed.observed[0], "o", color=palette.series[4], ms=7)
    axes.axhline(0, color=palette.muted, lw=1)
    charts.name_axes(axes, "share of the second parent", "yield, tonnes")


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
