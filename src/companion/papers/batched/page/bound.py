"""One run of BPE taken apart: Proposition 2 batch by batch, and the chain from measured regret to Theorem 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from companion.bounds.bound import BoundSetting
from companion.bounds.trivial import horizon
from companion.core.arrays import Floats
from companion.gp import kernel_by_name
from companion.information import gain_bracket_curve
from companion.pages import Numbers, cells, charts, recorded
from companion.papers.batched.experiments.one_run import KERNELS, LENGTHSCALE, BoundStudy
from companion.papers.batched.problems.catalogue import KERNEL_TITLES, grid_covariance
from companion.papers.batched.theory.bounds import trivial_bound
from companion.papers.batched.theory.stated import BOUNDS


def batch_numbers(study: BoundStudy) -> Numbers:
    """Proposition 2 beside the measured regret and the trivial bound, batch by batch and summed over them."""
    rows = study.batches
    total = rows.groupby("kernel", sort=False)[["certified", "trivial"]].sum()
    over_measured = {column: rows[column] / rows.measured for column in ("realised", "trivial")}
    return Numbers(
        study,
        horizon=study.horizon,
        measured_over_bound=float((rows.measured / rows.realised).max()),
        least_over_trivial=float((rows.realised / rows.trivial).min()),
        bound_least=float(over_measured["realised"].min()),
        bound_most=float(over_measured["realised"].max()),
        trivial_least=float(over_measured["trivial"].min()),
        trivial_most=float(over_measured["trivial"].max()),
        total_least=float((total.certified / total.trivial).min()),
        total_most=float((total.certified / total.trivial).max()),
        bracket=float((study.gains.upper / study.gains.lower).max()) - 1,
        **cells(rows, "{kernel}, batch {batch} ({size}): {}", ["measured", "realised", "certified"]),
    )


def chain_factors(study: BoundStudy) -> Numbers:
    """How far the closed form is from the measured regret, by kernel, and the two steps with the largest factors."""
    chains = study.chains.values()
    ratios = [np.array(chain.ratios()) for chain in chains]
    steps = [[step.name for step in chain][1:] for chain in chains]
    order = [np.argsort(-ratio) for ratio in ratios]
    named = [
        pair for names, ratio in zip(steps, ratios, strict=True) for pair in zip(names, ratio.tolist(), strict=True)
    ]
    return Numbers(
        study,
        kernels=[KERNEL_TITLES[kernel] for kernel in study.chains],
        slack=[round(chain.slack) for chain in chains],
        largest=min(float(ratio[at[0]]) for ratio, at in zip(ratios, order, strict=True)),
        second=min(float(ratio[at[1]]) for ratio, at in zip(ratios, order, strict=True)),
        widths_factor=max((factor for name, factor in named if name == "four widths"), default=np.nan),
        largest_steps={names[at[0]] for names, at in zip(steps, order, strict=True)},
        second_steps={names[at[1]] for names, at in zip(steps, order, strict=True)},
        third_steps={names[at[2]] for names, at in zip(steps, order, strict=True)},
        **charts.chain_numbers(study.chains, {"trivial": "trivial bound"}),
    )


#: Horizons tried for every doubling, and the ratios of rule (6) in the table of horizons.
PER_OCTAVE, RATIOS, COARSE_POINTS, FARTHEST = 4, (0.6, 0.75), 50, 10**7


@recorded(random=False)
def break_even(norm: float, noise: float, delta: float) -> pd.DataFrame:
    """From which horizon on every form of Theorem 1 lies below the trivial bound, by kernel and a; infinite if none tried.

    On :data:`COARSE_POINTS` points of [0, 1]. T1a needs the gain at all batch sizes, for which that of the next larger
    horizon tried is an upper bound.
    """
    steps = range(1 + int(PER_OCTAVE * np.log2(FARTHEST / 4)))
    horizons = sorted({round(4 * 2 ** (k / PER_OCTAVE)) for k in steps})
    rows = []
    for kernel in KERNELS:
        covariance = grid_covariance(kernel_by_name(kernel, LENGTHSCALE), COARSE_POINTS, 1)
        gains = np.array([bracket.upper for bracket in gain_bracket_curve(covariance, horizons, noise**2)])
        for a in RATIOS:
            forms = _forms(horizons, a, horizons, gains, norm, noise, delta)
            line = trivial_bound(1, norm, covariance)
            found = {name: horizon(values, line, horizons) for name, values in forms.items()}
            rows.append({"kernel": KERNEL_TITLES[kernel], "a": a} | found)
    return pd.DataFrame(rows)


FORMS = {"T1a": "prop-2/printed", "T1b": "theorem-1/summed", "T1c": "theorem-1/printed"}
"""Forms of Theorem 1, by the names of their bounds."""


def _forms(
    evaluations: Sequence[int], a: float, known: Sequence[int], gains: Floats, norm: float, noise: float, delta: float
) -> dict[str, list[float]]:
    """T1a, T1b and T1c an evaluation at every horizon; ``gains`` are upper bounds on gamma at the horizons ``known``."""

    def gain(points: float) -> float:
        return float(gains[np.searchsorted(known, points)])

    setting = BoundSetting(1, COARSE_POINTS, noise, delta, gain, gain, noise**2, norm=norm, ratio=a)
    stated = {bound.name: bound for bound in BOUNDS}
    return {name: [stated[form].at(setting, t) / t for t in evaluations] for name, form in FORMS.items()}


def break_even_numbers(rows: pd.DataFrame) -> Numbers:
    """The ranges of the table, with what was tried."""
    ends = {f"{name}_{end}": getattr(rows[f"T1{name}"], end)() for name in "abc" for end in ("min", "max")}
    whole = {name: int(value) if np.isfinite(value) else np.inf for name, value in ends.items()}
    return Numbers(rows, points=COARSE_POINTS, farthest=FARTHEST, per=PER_OCTAVE, **whole)
