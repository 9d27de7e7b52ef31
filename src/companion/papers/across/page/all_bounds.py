"""Table of the page on all bounds at one setting, and the numbers of its sentences; the words stand on the page."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from companion.bounds.trivial import two_digits
from companion.core.templates import significant
from companion.pages import Numbers, Table
from companion.pages.provenance import Provenance, stored
from companion.papers.across.problems.common import (
    AT,
    BATCH,
    BATCHES,
    DELTA,
    DIM,
    GAME,
    KERNEL,
    LENGTHSCALE,
    NOISE,
    NORM,
    RUNS,
    candidates,
)
from companion.papers.across.theory import bounds_at_settings, measured_regret
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.bounds_at_settings import rows
from companion.papers.across.theory.bounds_output import MODELS
from companion.papers.across.theory.measured_regret import with_measured


def provenance() -> Provenance:
    """Source of the numbers."""
    first, second = (
        stored(each.load().record.to_dict(), each.STORED) for each in (bounds_at_settings, measured_regret)
    )
    return first + second


def one_setting(quantity: str) -> pd.DataFrame:
    """Those of the setting shown."""
    found = rows(quantity)
    return found[found.kernel.isin((KERNEL, GAME)) & (found.dim == DIM) & (found.noise == NOISE)]


def in_order(found: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows in the order of the chapters."""
    order = list(BOUNDS)
    return sorted(found.to_dict("records"), key=lambda row: (order.index(row["id"]), row["batch"]))


def regret_table() -> tuple[Table, Numbers]:
    """Every regret bound at the setting shown, over the trivial bound, and from which horizon on it is informative."""
    lines = []
    for row in in_order(with_measured(one_setting("regret"))):
        form = BOUNDS[row["id"]]
        batch = f", m = {row['batch']}" if row["batch"] != BATCH else ""
        lines.append(
            {
                "regret of": form.rule + batch,
                "from": form.place,
                "constants": form.constants,
                "f": MODELS[form.model],
                "holds": form.held(DELTA),
                "over trivial": significant(row[f"T={AT}"], 2),
                "over random choice": significant(row[f"T={AT}"] * row["trivial"] / row["blind"], 2),
                "measured": significant(row["measured"], 2),
                "from T": from_horizon(row["says_from"]),
                "below random choice from": from_horizon(row["beats_blind_from"]),
            }
        )
    return Table(pd.DataFrame(lines), where=provenance()), page_numbers()


def width_table() -> tuple[Table, Numbers]:
    """Every width at the setting shown, for single points."""
    lines = []
    for row in in_order(one_setting("width")):
        form = BOUNDS[row["id"]]
        if row["batch"] == BATCH:
            lines.append(
                {
                    "width of": form.rule,
                    "from": form.place,
                    "constants": form.constants,
                    "f": MODELS[form.model],
                    "holds": form.held(DELTA),
                    f"at T = {AT}": significant(row[f"T={AT}"], 3),
                }
            )
    return Table(pd.DataFrame(lines), where=provenance()), page_numbers()


def _one_root_is_shortest(widths: pd.DataFrame) -> bool:
    """Whether, of the widths for a known norm and points chosen in any way, the one with one root is the shortest everywhere."""
    any_rule = widths.id.map(lambda name: BOUNDS[name].rule == "any")
    own = widths[(widths.model == "norm") & any_rule]
    least = own.loc[own.groupby(["kernel", "dim", "noise"])[f"T={AT}"].idxmin()]
    return bool((least.id == "sharper/mixture").all())


def from_horizon(first: float) -> str:
    """A horizon in two digits."""
    if not math.isfinite(first):
        return "none"
    return significant(two_digits(first))


def page_numbers() -> Numbers:
    """Settings, and the facts on which the page's words rest.

    ``earlier``: in every setting a bound for draws says something before any for a known norm. ``wider``: every theorem's width
    exceeds every experiment's; ``shortest``: see above. ``below``: no mean regret, nor the upper end of its interval, reaches a
    bound; ``slack``: the least bound over mean regret.
    """
    regret, widths = rows("regret"), rows("width")
    place = ["kernel", "dim", "noise"]
    first = regret[regret.kernel != GAME].groupby([*place, "model"]).says_from.min().unstack()
    column = f"T={AT}"
    in_experiments = widths[widths.reading == "experiment"][column]
    seen = with_measured(regret).dropna(subset=["measured", column])
    return Numbers(
        provenance(),
        runs=RUNS,
        below=bool((seen.highest < seen[column]).all()),
        slack=float((seen[column] / seen.measured).min()),
        points=candidates(DIM),
        noise=NOISE,
        lengthscale=LENGTHSCALE,
        norm=NORM,
        at=AT,
        batch=BATCHES[-1],
        settings=len(first),
        earlier=bool((first.prior < first.norm).all()),
        shortest=_one_root_is_shortest(widths),
        wider=bool(widths[widths.reading != "experiment"][column].min() > in_experiments.max()),
    )
