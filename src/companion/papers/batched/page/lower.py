"""The explicit lower bound of Theorem 2, and three players on the functions that prove it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from companion.gp import Matern, SquaredExponential
from companion.pages import Canvas, Numbers, Palette, Rows, cells, charts, figure, frame, recorded
from companion.papers.batched.experiments.definitions import HARD_METHODS, experiment
from companion.papers.batched.page.example import play
from companion.papers.batched.problems.hard_class import BumpFamily
from companion.papers.batched.theory.lower import lower_bound_exponents, regret_lower_bound
from companion.simulate import replicate

#: Kernel and number of batches of the bound's curves, with smoothness and dimension for the exponent.
CURVES = (
    ("Matérn 3/2, B = 2", Matern(1.5, 0.2), 2, 1.5),
    ("Matérn 3/2, B = 3", Matern(1.5, 0.2), 3, 1.5),
    ("SE, B = 2", SquaredExponential(0.1), 2, np.inf),
    ("SE, B = 3", SquaredExponential(0.1), 3, np.inf),
)
BATCHES, NOISE = 3, 1.0
#: The players' confidence width. With the theory's width no player eliminates anything at these horizons, and the
#: adaptive one never adapts; the bound holds for every player, so each is given a width small enough to make it play.
MULTIPLIER = 1.0


@dataclass(frozen=True, eq=False)
class LowerBoundStudy:
    """Explicit bound by curve and horizon; measured mean regret by method, class and width; the bound at that horizon."""

    curve: pd.DataFrame
    slopes: pd.DataFrame
    measured: pd.DataFrame
    value: float
    horizon: int


@recorded(first="seed", count="seeds")
def lower_bound_study(seed: int, horizon: int, seeds: int, most: int = 8) -> LowerBoundStudy:
    """Evaluate Theorem 2 for T from 10^3 to 10^8, and play its classes at ``horizon`` with ``seeds`` noise streams.

    Of every class at most ``most`` functions are played, spread evenly over the domain.
    """
    rows, slopes = [], []
    horizons = np.round(np.logspace(3, 8, 11)).astype(int)
    for label, kernel, batches, nu in CURVES:
        family = BumpFamily(kernel, 1, 1.0)
        values = [regret_lower_bound(family, int(t), batches, NOISE).value for t in horizons]
        rows += [{"curve": label, "horizon": int(t), "value": v} for t, v in zip(horizons, values, strict=True)]
        slope = float(np.polyfit(np.log(horizons), np.log(values), 1)[0])
        slopes.append({"curve": label, "slope": slope, "exponent": lower_bound_exponents(batches, nu, 1)[0]})
    bound = regret_lower_bound(BumpFamily(Matern(1.5, 0.2), 1, 1.0), horizon, BATCHES, NOISE)
    measured = []
    for method in (m.name for m in HARD_METHODS):
        for number, chosen in enumerate(bound.classes, 1):
            members = np.unique(np.linspace(0, chosen.size - 1, min(most, chosen.size)).round().astype(int))
            for member in members:
                task = partial(_regret, method=method, number=number, member=int(member), horizon=horizon)
                mean = float(np.mean(replicate(task, range(seed, seed + seeds))))
                measured.append({"method": method, "class": number, "member": int(member), "regret": mean})
    return LowerBoundStudy(pd.DataFrame(rows), pd.DataFrame(slopes), pd.DataFrame(measured), bound.value, horizon)


def _regret(seed: int, method: str, number: int, member: int, horizon: int) -> float:
    place = {"class_number": number, "member": member, "horizon": horizon, "batches": BATCHES}
    model = {"noise": NOISE, "lengthscale": 0.2, "width": "fixed", "multiplier": MULTIPLIER}
    run = experiment("hard-class").run(method, seed, {**place, **model})
    return float(run.cumulative_regret[-1])


@recorded(first="seed")
@frame
def with_theory_width(seed: int, horizon: int) -> Rows:
    """Per player and class: the share of candidates that the theory's width eliminates, on the middle function of the class."""
    bound = regret_lower_bound(BumpFamily(Matern(1.5, 0.2), 1, 1.0), horizon, BATCHES, NOISE)
    setting: dict[str, object] = {"horizon": horizon, "batches": BATCHES, "noise": NOISE, "lengthscale": 0.2}
    for method in (m.name for m in HARD_METHODS):
        for number, chosen in enumerate(bound.classes, 1):
            place = {"class_number": number, "member": chosen.size // 2}
            last = play("hard-class", method, seed, setting | place).history[-1]
            yield {"method": method, "class": number, "eliminated": 1 - float(last.survivors.mean())}


def class_means(study: LowerBoundStudy) -> pd.DataFrame:
    """Mean regret per method (rows) and class (columns)."""
    return study.measured.groupby(["method", "class"], sort=False).regret.mean().unstack()


def player_numbers(study: LowerBoundStudy, wide: pd.DataFrame) -> Numbers:
    """The bound beside the worst class mean of every player, how far its slopes are from the theorem's exponents, and what
    the theory's width eliminates; ``wide`` from :func:`with_theory_width`.
    """
    worst = class_means(study).max(axis=1)
    return Numbers(
        study,
        wide,
        horizon=study.horizon,
        rough_scale=CURVES[0][1].lengthscale,
        smooth_scale=CURVES[2][1].lengthscale,
        noise_sd=NOISE,
        value=study.value,
        eliminated=float(wide.eliminated.max()),
        factor=float(worst.min()) / study.value,
        adaptive=float(worst["bpe-adaptive"]),
        others=float(worst.drop("bpe-adaptive").min()),
        width=MULTIPLIER,
        gap=float((study.slopes.slope - study.slopes.exponent).abs().max()),
        worst=worst.to_dict(),
        **cells(study.slopes, "{curve}: {}", ["slope", "exponent"]),
    )


@figure(size=(6.0, 3.4))
def lower_bound(canvas: Canvas, palette: Palette, study: LowerBoundStudy) -> None:
    """The explicit bound over the horizon."""
    axes = canvas.subplots()
    for k, (label, part) in enumerate(study.curve.groupby("curve", sort=False)):
        slope = study.slopes[study.slopes.curve == label].iloc[0]
        text = f"{label}: {slope.slope:.2f} ({slope.exponent:.2f})"
        axes.plot(part.horizon, part.value, label=text, **charts.look(palette, k))
    charts.name_axes(axes, "horizon T", "explicit lower bound", log="xy")
    axes.legend(title="slope (exponent of the theorem)", title_fontsize=8.5)
