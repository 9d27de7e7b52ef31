"""Do the confidence bounds of Proposition 1 hold, and how much wider are they than a run needs?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.judge.intervals import proportion_interval
from companion.pages import Canvas, Numbers, Palette, cells, charts, figure, recorded
from companion.papers.batched.experiments.definitions import experiment
from companion.papers.batched.page.example import play
from companion.papers.batched.problems.catalogue import KERNEL_TITLES
from companion.simulate import by_seed

#: Kernel, dimension and points per axis; length-scale 0.2, T = 300, a = 0.6 throughout.
CASES = (("se", 1, 60), ("matern52", 1, 60), ("matern32", 1, 60), ("matern52", 2, 10))
DELTAS = (0.5, 0.2, 0.1, 0.05)
LENGTHSCALE, HORIZON, RATIO = 0.2, 300, 0.6
#: The multiplier of the paper's experiments: beta = 2.
EXPERIMENT_WIDTH = float(np.sqrt(2.0))


@dataclass(frozen=True, eq=False)
class CoverageStudy:
    """One row per run (case, delta, seed, width, needed) and per case and delta (failures, runs, low, high)."""

    runs: pd.DataFrame
    failures: pd.DataFrame


@recorded(first="seed", count="runs")
def coverage_study(seed: int, runs: int, norm: float, noise: float) -> CoverageStudy:
    """BPE with the theory width on random functions of norm ``norm``: the width each run would have needed.

    A run fails at level delta when some |f - mu| exceeds the theory width times sigma, in any batch, at any candidate
    that has a posterior.
    """
    rows = []
    shared = {"lengthscale": LENGTHSCALE, "horizon": HORIZON, "a": RATIO, "norm": norm, "noise": noise}
    for kernel, dim, per_axis in CASES:
        task = partial(_runs, setting=shared | {"kernel": kernel, "dim": dim, "points_per_axis": per_axis})
        found = list(by_seed(task, seed, runs))
        for place, delta in enumerate(DELTAS):
            label = {"case": f"{KERNEL_TITLES[kernel]}, d = {dim}", "delta": delta}
            rows += [label | {"seed": at} | of_delta[place] for at, of_delta in found]
    frame = pd.DataFrame(rows)
    failures = []
    for (case, delta), part in frame.groupby(["case", "delta"], sort=False):
        interval = proportion_interval(int((part.needed > part.width).sum()), len(part))
        failures.append(
            {"case": case, "delta": delta, "failures": int((part.needed > part.width).sum()), "runs": len(part)}
            | {"low": interval.low, "high": interval.high, "width": float(part.width.iloc[0])}
        )
    return CoverageStudy(frame, pd.DataFrame(failures))


def _runs(seed: int, setting: dict[str, object]) -> list[dict[str, float]]:
    """Theory width, and the largest standardised error over all batches, at every delta.

    One function and its noise at all of them: runs that eliminate alike also sample alike.
    """
    played = [experiment("known-norm").run("bpe", seed, setting | {"delta": delta}) for delta in DELTAS]
    return [
        {"width": float(run.diagnostics["width"][0]), "needed": float(max(run.diagnostics["coverage"]["worst"]))}
        for run in played
    ]


@dataclass(frozen=True, eq=False)
class ErrorCurves:
    """Error over posterior standard deviation after the first batch, by run and candidate, and the theory's width there."""

    points: Floats
    errors: Floats
    width: float


@recorded(first="seed", count="runs")
def error_curves(seed: int, norm: float, noise: float, delta: float, runs: int = 8) -> ErrorCurves:
    """(f - mu)/sigma over the domain in runs of the second case of :data:`CASES`."""
    kernel, dim, per_axis = CASES[1]
    case = {"kernel": kernel, "dim": dim, "points_per_axis": per_axis, "lengthscale": LENGTHSCALE}
    setting = case | {"horizon": HORIZON, "a": RATIO, "norm": norm, "noise": noise, "delta": delta}
    played = [play("known-norm", "bpe", at, setting) for at in range(seed, seed + runs)]
    first = played[0].history[0]
    errors = [(one.problem.values - one.history[0].mean) / one.history[0].sd for one in played]
    return ErrorCurves(played[0].problem.points[:, 0], np.array(errors), first.width)


def curve_numbers(curves: ErrorCurves) -> Numbers:
    """Number of runs drawn, their largest error, and the correlation of errors at neighbouring candidates."""
    before, after = curves.errors[:, :-1].ravel(), curves.errors[:, 1:].ravel()
    return Numbers(
        curves,
        curves=len(curves.errors),
        width=curves.width,
        largest=float(np.abs(curves.errors).max()),
        alike=float(np.corrcoef(before, after)[0, 1]),
    )


def shown(study: CoverageStudy, delta: float = 0.1) -> pd.DataFrame:
    """The runs at one delta."""
    return study.runs[study.runs.delta == delta]


def coverage_numbers(study: CoverageStudy) -> Numbers:
    """Failures over all runs, and at delta = 0.1 the width of the theory beside the widths that the runs needed."""
    part = shown(study)
    cases = part.assign(above=part.needed > EXPERIMENT_WIDTH).groupby("case", sort=False, as_index=False)
    widths = cases.agg(
        width=("width", "min"), median=("needed", "median"), most=("needed", "max"), above=("above", "mean")
    )
    return Numbers(
        study,
        line_points=CASES[0][2],
        square_points=CASES[3][2] ** CASES[3][1],
        lengthscale=LENGTHSCALE,
        horizon=HORIZON,
        failures=int(study.failures.failures.sum()),
        runs=len(study.runs),
        draws=study.runs.groupby(["case", "seed"]).ngroups,
        theory=float(part.width.min()),
        experiments=EXPERIMENT_WIDTH,
        least=float(part.needed.min()),
        median=float(part.needed.median()),
        most=float(part.needed.max()),
        share=float((part.needed > EXPERIMENT_WIDTH).mean()),
        **cells(
            widths, "{case}: {}", {"width": "width", "median": "median", "most": "most", "above": "share above root 2"}
        ),
    )


@figure(size=(8.6, 3.6))
def coverage(canvas: Canvas, palette: Palette, study: CoverageStudy, curves: ErrorCurves) -> None:
    """Errors over the domain in a few runs, and the distribution of the width that a run needed."""
    part = shown(study)
    left, right = charts.row_of(canvas, 2, sharey=False)
    for k, errors in enumerate(curves.errors):
        left.plot(curves.points, errors, lw=1.1, **charts.look(palette, k % 3, ls="-"))
    for width, words, color, dashes in (
        (curves.width, "theory's width", palette.accent, "--"),
        (EXPERIMENT_WIDTH, "√2", palette.ink, ":"),
    ):
        for end in (width, -width):
            left.axhline(end, color=color, ls=dashes, lw=1.4)
        left.text(0.99, width + 0.1, words, color=color, fontsize=9, ha="right")
    reach = 1.2 * max(curves.width, float(np.abs(curves.errors).max()))
    left.set(xlim=(0, 1), ylim=(-reach, reach))
    charts.name_axes(left, "x", "(f−μ)/σ", "first batch")
    for k, (case, rows) in enumerate(part.groupby("case", sort=False)):
        above = 1 - np.arange(len(rows)) / len(rows)
        right.step(np.sort(rows.needed), above, label=case, **charts.look(palette, k))
    width = part.width.min()
    right.axvline(width, color=palette.accent, ls="--")
    right.axvline(EXPERIMENT_WIDTH, color=palette.ink, ls=":")
    right.text(width - 0.05, 0.5, "theory's", color=palette.accent, rotation=90, ha="right")
    right.text(EXPERIMENT_WIDTH - 0.05, 0.3, "√2", rotation=90, ha="right")
    charts.name_axes(right, "width w", "share of runs that need more than w", "all batches")
    right.set_xlim(1, None)
    right.legend(loc="upper center", bbox_to_anchor=(0.62, 1.0))
