"""Quantities that need no run: batch counts, the sum that replaces the factor B, the hard class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.gp import Kernel, Matern, SquaredExponential
from companion.pages import Canvas, Numbers, Palette, Table, charts, figure, provenance_of, recorded
from companion.pages.figures import DASHES
from companion.papers.batched.problems.hard_class import (
    HALF_HEIGHT,
    BumpFamily,
    ClassProperties,
    HardClass,
    class_properties,
    leakage_constant,
)
from companion.papers.batched.theory.counts import (
    batch_count_table,
    first_log2_above,
    geometric_sum_table,
    geometric_terms,
)

#: Values of a shown beside the original rule: near eta of the Matérn-3/2 kernel in two dimensions, then larger.
SHOWN_RATIOS = (0.31, 0.4, 0.5, 0.6, 0.75)
#: Values of a above one half whose constant is compared with B.
SUM_RATIOS = (0.52, 0.6, 0.75)


@recorded(random=False)
def batch_counts() -> pd.DataFrame:
    """Batches of rules (5) and (6) with the bounds of Proposition 3, horizons from 10 to 10^12, eight per decade."""
    horizons = sorted({round(10 ** (k / 8)) for k in range(8, 97)})
    return pd.DataFrame(batch_count_table(horizons, SHOWN_RATIOS))


#: Ratios and largest horizon of the search for small horizons at which the printed lower bound fails.
SMALL_RATIOS, SMALL_HORIZON = (0.5, 0.8, 0.9), 100


@recorded(random=False)
def small_horizons() -> pd.DataFrame:
    """Batches of rule (6) below its printed lower bound, proviso left out: every failure up to :data:`SMALL_HORIZON`."""
    small = pd.DataFrame(batch_count_table(range(3, SMALL_HORIZON + 1), SMALL_RATIOS)).dropna(subset=["a"])
    return small[small.batches < small.lower.astype(int)]


def count_numbers(counts: pd.DataFrame, broken: pd.DataFrame) -> Numbers:
    """Batches at the last horizon, and where Proposition 3 needs its proviso; ``broken`` from :func:`small_horizons`."""
    far = counts[counts.horizon == counts.horizon.max()]
    power = counts[counts.rule == "power"].astype({"lower": int, "proviso": bool})
    gained = counts.groupby(counts.a.fillna(0.0)).batches.agg(np.ptp)
    by_ratio = power.pivot(index="horizon", columns="a", values="batches").sort_index(axis=1)
    return Numbers(
        counts,
        broken,
        orig=int(far[far.a.isna()].batches.iloc[0]),
        fewest=int(far[far.a == SHOWN_RATIOS[0]].batches.iloc[0]),
        most=int(far.batches.max()),
        gained=int(gained.max()),
        smaller_needs_more=int((by_ratio.diff(axis=1) < 0).sum().sum()),
        above_upper=int((power.batches > power.upper).sum()),
        below_lower=int(((power.batches < power.lower) & power.proviso).sum()),
        first=int(broken.horizon.min()),
        first_a=broken.a[broken.horizon == broken.horizon.min()].tolist(),
        last=int(broken.horizon.max()),
        last_half=int(broken.horizon[broken.a == 0.5].max()),
        last_a=broken.a[broken.horizon == broken.horizon.max()].tolist(),
    )


@recorded(random=False)
def factor_against_constant() -> pd.DataFrame:
    """For the ratios of :data:`SUM_RATIOS`, at T = 1000: the U_i (``terms``), their sum (``sum``), without the first
    (``later``), and over its last term (``ratio``), the constant that bounds the latter, and B; and the least integer log2 T at
    which B exceeds the constant.
    """
    length = float(np.log2(1000))
    rows = pd.DataFrame(geometric_sum_table([length], [(a, 0.5) for a in SUM_RATIOS]))
    terms = [geometric_terms(length, a) for a in rows.a]
    return rows.assign(
        terms=[each.tolist() for each in terms],
        sum=[float(each.sum()) for each in terms],
        later=[float(each[1:].sum()) for each in terms],
        crossover=[first_log2_above(a, c) for a, c in zip(rows.a, rows.constant, strict=True)],
    )


def sum_numbers(prices: pd.DataFrame, counts: pd.DataFrame) -> Numbers:
    """The sum, its constant and the factor B, at T = 1000 and far out."""
    at, best = prices.set_index("a"), prices.sort_values("constant").iloc[0]
    return Numbers(
        prices,
        counts,
        best_a=float(best.a),
        best=float(best.constant),
        cross=int(best.crossover),
        sum_at=float(at["sum"][0.6]),
        later=float(at.later[0.6]),
        terms=at.terms[0.6],
        constant_at=float(at.constant[0.6]),
        batches_at=int(at.batches[0.6]),
        most_batches=int(counts.batches.max()),
    )


#: Horizons of the table of batches.
READ_AT = (10**2, 10**3, 10**6, 10**9, 10**12)


def count_table(counts: pd.DataFrame) -> Table:
    """Batches by rule and horizon."""
    read = counts[counts.horizon.isin(READ_AT)].fillna({"a": 0.0}).pivot(index="a", columns="horizon", values="batches")
    raised = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    rows = read.rename(
        index=lambda a: f"a = {a:g}" if a else "original",
        columns=lambda t: "T = 10" + f"{np.log10(t):.0f}".translate(raised),
    )
    return Table(rows.rename_axis("sizes").rename_axis(None, axis=1).reset_index(), where=provenance_of(counts))


@dataclass(frozen=True, eq=False)
class HardClassView:
    """A class to draw in one dimension, one in two, and measured properties of several."""

    line: HardClass
    plane: HardClass
    rows: pd.DataFrame


@recorded(random=False)
def hard_class(norm: float) -> HardClassView:
    """Build the lower-bound classes of norm ``norm`` (Psi) and verify their properties on grids."""
    cases: list[tuple[str, Kernel, int, float]] = [
        ("Matérn 3/2, d = 1", Matern(1.5, 0.2), 1, 0.1),
        ("Matérn 3/2, d = 1", Matern(1.5, 0.2), 1, 0.01),
        ("Matérn 5/2, d = 1", Matern(2.5, 0.2), 1, 0.01),
        ("SE, d = 1", SquaredExponential(0.1), 1, 0.01),
        ("Matérn 3/2, d = 2", Matern(1.5, 0.3), 2, 0.1),
        ("SE, d = 2", SquaredExponential(0.15), 2, 0.1),
    ]
    built, rows = [], []
    for label, kernel, dim, relative in cases:
        bumps = BumpFamily(kernel, dim, norm).build(relative * norm)
        built.append(bumps)
        points = bumps.grid(15 if dim == 1 else 5)
        rows.append(_row(label, bumps, class_properties(bumps, points), dim))
    return HardClassView(built[0], built[4], pd.DataFrame(rows))


def _row(label: str, bumps: HardClass, seen: ClassProperties, dim: int) -> dict[str, object]:
    return {
        "kernel": label,
        "ε": bumps.epsilon,
        "functions M": bumps.size,
        "norm / Ψ": seen.norm,
        "norm on the grid / Ψ": seen.restricted_norms[1],
        "ε-optimal for at most": seen.multiplicity,
        "regret outside own cell / ε": seen.outside_regret,
        "leakage": seen.leakage,
        "its bound": leakage_constant(dim),
    }


def class_numbers(view: HardClassView) -> Numbers:
    """Sizes of the two classes that are drawn, and the worst of the measured properties over all of them."""
    rows = view.rows
    return Numbers(
        view,
        line=view.line.size,
        cell=2 * HALF_HEIGHT,
        owners=int(rows["ε-optimal for at most"].max()),
        outside=float(rows["regret outside own cell / ε"].min()),
        norm=float(rows["norm on the grid / Ψ"].max()),
        leakage=float((rows["leakage"] / rows["its bound"]).max()),
    )


@figure()
def draw_batch_counts(canvas: Canvas, palette: Palette, counts: pd.DataFrame) -> None:
    """Number of batches against the horizon for each rule, and one rule between the bounds of Proposition 3."""
    left, right = charts.row_of(canvas, 2)
    for k, (a, part) in enumerate(counts.groupby(counts.a.fillna(0.0))):
        label = "orig, rule (5)" if a == 0 else f"a = {a:g}"
        # A small vertical shift keeps lines that coincide visible.
        left.step(part.horizon, part.batches + 0.06 * (k - 2), where="post", label=label, ls=DASHES[k])
    left.legend(ncols=2, loc="upper left")
    part = counts[counts.a == 0.6]
    upper, lower = part.upper, part.lower.astype(float).where(part.proviso.astype(bool))
    bound: charts.Style = {"color": palette.accent, "where": "post"}
    right.fill_between(part.horizon, lower, upper, step="post", color=palette.accent, alpha=0.2)
    right.step(part.horizon, upper, ls="--", label="upper bound (19)", **bound)
    right.step(part.horizon, lower, ls=":", label="lower bound (20)", **bound)
    right.step(part.horizon, part.batches, label="B, counted", where="post", **charts.look(palette, 0))
    right.legend(loc="upper left")
    charts.name_axes(left, "horizon T", "number of batches B", "Rules (5) and (6)", log="x")
    charts.name_axes(right, "horizon T", title="Rule (6) with a = 0.6 between its bounds", log="x")
    left.set_ylim(0, 16)


@figure(size=(8.6, 3.3))
def draw_hard_class(canvas: Canvas, palette: Palette, view: HardClassView) -> None:
    """The lower-bound class in one and in two dimensions."""
    left, right = charts.row_of(canvas, 2, width_ratios=(1.7, 1), sharey=False)
    x = np.linspace(0, 1, 1401)[:, None]
    bumps, plane = view.line, view.plane
    for m, values in enumerate(bumps.values(x)):
        left.plot(x[:, 0], values / bumps.epsilon, lw=1.2, **charts.look(palette, m % 3))
    left.axhline(1, color=palette.accent, lw=1, ls="--")
    for edge in np.arange(bumps.cells + 1) / bumps.cells:
        left.axvline(edge, color=palette.muted, lw=0.5)
    charts.name_axes(left, "x", "f / ε", f"Matérn 3/2, d = 1: {bumps.size} functions")
    left.set(xlim=(0, 1), ylim=(0, 2.15))
    side = np.linspace(0, 1, 141)
    points = np.stack(np.meshgrid(side, side, indexing="ij"), -1).reshape(-1, 2)
    middle = plane.cells * (plane.cells // 2) + plane.cells // 2
    surface = plane.values(points)[middle].reshape(141, 141).T / plane.epsilon
    image = right.imshow(surface, origin="lower", extent=(0, 1, 0, 1), cmap=palette.map, vmin=0, vmax=2)
    right.contour(side, side, surface, levels=[1.0], colors=[palette.accent], linewidths=1.4)
    for edge in np.arange(plane.cells + 1) / plane.cells:
        right.axvline(edge, color="#ffffff", lw=0.4, alpha=0.6)
        right.axhline(edge, color="#ffffff", lw=0.4, alpha=0.6)
    charts.name_axes(right, r"$x_1$", r"$x_2$", f"d = 2: one of {plane.size}")
    right.set_aspect("equal")
    for axes in (left, right):
        axes.grid(visible=False)
    canvas.colorbar(image, ax=right, label="f / ε", shrink=0.85)
