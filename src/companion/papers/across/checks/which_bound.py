"""Statements of chapter 6 on bounds: above the measured regret, below the trivial bound from the stated horizon."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from companion.checks.cases import Case, at_most, worst_of
from companion.checks.instance import Instance
from companion.checks.statement import statement
from companion.papers.across.problems.common import BATCHES, DIMS, GAME, HORIZONS, KERNELS, NOISES
from companion.papers.across.theory import bounds_at_settings, measured_regret
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.bounds_at_settings import rows
from companion.papers.across.theory.informative_horizons import PAIRS, case_of
from companion.papers.across.theory.measured_regret import with_measured


class BoundSetting(Instance, words="{kernel}, d = {dim}, noise {noise:g}"):
    """One of the common settings, or the game of a dimension with some noise."""

    kernel: str
    dim: int
    noise: float

    def of(self, found: Any) -> Any:
        """The rows of a stored table for this setting."""
        return found[(found.kernel == self.kernel) & (found.dim == self.dim) & (found.noise == self.noise)]


def settings() -> Iterator[BoundSetting]:
    """All of them."""
    for kernel, dim, noise in product((*KERNELS, GAME), DIMS, NOISES):
        yield BoundSetting(kernel, dim, noise)


def name_of(row: Any, at: BoundSetting) -> str:
    """A bound in words."""
    return f"{row['id']}, m = {row['batch']}, {at.where}"


@statement("bounds-hold", "inequality", settings, teeth={"a tenth of every bound": {"part": 0.1}})
def above_regret(at: BoundSetting, *, part: float = 1.0) -> Case:
    """At 1,000 evaluations every printed, repaired or sharper bound lies above the measured mean regret of its method, and above
    the upper end of its interval."""
    found = at.of(with_measured(rows("regret"))).dropna(subset=["measured", f"T={measured_regret.AT}"])
    return worst_of(
        (row["highest"], part * row[f"T={measured_regret.AT}"], name_of(row, at)) for row in found.to_dict("records")
    )


@statement("below-trivial", "inequality", settings, teeth={"half of the range": {"part": 0.5}})
def below_trivial(at: BoundSetting, *, part: float = 1.0) -> Case:
    """At 1,000 evaluations no method's mean regret, nor the upper end of its interval, reaches the trivial bound: what the worst
    choices could lose on average."""
    lines = at.of(rows("regret")).assign(model=lambda found: [BOUNDS[each].model for each in found.id])
    levels = lines.groupby("model").trivial.first()
    models = {each: BOUNDS[name].model for name, each in measured_regret.PLAYED.items()}
    played = at.of(measured_regret.load().tables["measured"]).to_dict("records")
    where = ((f"{row['played']}, m = {row['batch']}, {at.where}", row, levels[models[row["played"]]]) for row in played)
    return worst_of((row["high"], part * measured_regret.AT * level, name) for name, row, level in where)


@statement(
    "horizons",
    "inequality",
    lambda: (at for at in settings() if at.kernel != GAME),
    teeth={"a tenth too early": {"moved": 0.9}, "a tenth too late": {"moved": 1.1}},
)
def first_horizons(at: BoundSetting, *, moved: float = 1.0) -> Iterator[Case]:
    """From the stated horizon on, which is right to 5 %, a bound is below the trivial bound, at each horizon tried, eight a
    decade up to a million; 2 % before the stated one it is not. A bound counts whole batches, so that it rises at each new
    one and falls until the next: both are said up to a batch."""
    case = case_of(at.kernel, at.dim, at.noise)
    for row in at.of(rows("regret")).to_dict("records"):
        if not math.isfinite(row["says_from"]):
            continue
        bound, first = BOUNDS[row["id"]], round(moved * row["says_from"])
        name, setting = name_of(row, at), _batched(case, row)
        # The stored gains are rounded up in their fifth digit, and below some hundred points have no chords between them.
        whole = setting.batch * math.ceil(first * 1.05 / setting.batch)
        tried = [min(whole, HORIZONS[-1]), *(t for t in HORIZONS if t > whole)]
        yield worst_of(
            (bound.at(setting, t) / t / row["trivial"], 1.0, f"{name}, T = {t}") for t in tried if t <= 10**6
        )
        before = math.floor(first / 1.02)
        earlier = [
            bound.at(setting, t) / t / row["trivial"] for t in range(max(before - setting.batch, 0) + 1, before + 1)
        ]
        if earlier and not math.isnan(value := max(earlier)):
            yield at_most(1.0, value, f"{name}, before T = {first}, at {before}")


def _batched(case: Any, row: Any) -> Any:
    return replace(case, batch=int(row["batch"]))


@statement("better-forms", "inequality", settings, teeth={"printed and better exchanged": {"exchanged": True}})
def no_later(at: BoundSetting, *, exchanged: bool = False) -> Iterator[Case]:
    """Where a bound is stated as printed and in a better form, the better form is below the trivial bound from the same
    horizon on or from an earlier one."""
    table = bounds_at_settings.load().tables["sayings"]
    for (printed, better), batch in product(PAIRS.values(), BATCHES):
        pair = [at.of(table[(table.id == name) & (table.batch == batch)]) for name in (printed, better)]
        if printed == better or any(part.empty for part in pair):
            continue
        first, second = (float(part.says_from.iloc[0]) for part in (pair[::-1] if exchanged else pair))
        yield at_most(second, first, f"{better}, m = {batch}, {at.where}")
