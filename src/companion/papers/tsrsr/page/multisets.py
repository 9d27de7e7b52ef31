"""Multisets over which gamma and rho are maxima: the closed form of rho against enumeration, and why sets do not suffice."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.pages import Canvas, Numbers, Palette, Rows, charts, figure, frame, recorded
from companion.pages.figures import MARKERS
from companion.papers.tsrsr.theory import bounds

#: Enumerated instances: N points, all histories of at most H points, all multisets of m further ones.
POINTS, HISTORY, LARGEST = 4, 2, 4
NOISES = (1.0, 0.3, 0.1)
#: Noise standard deviation of the two-arm example: with 1, everything can be checked by hand.
ARMS, ARM_NOISE = 2, 1.0


@dataclass(frozen=True, eq=False)
class MultisetStudy:
    """``ratios``: m, noise, instance, enumerated rho (multisets and sets), closed form. ``arms``: the two-arm example."""

    ratios: pd.DataFrame
    arms: pd.DataFrame


@recorded(first="seed", count="instances")
def multiset_study(seed: int, instances: int) -> MultisetStudy:
    """Enumerate rho_m on random covariances, and evaluate Lemma 5 and Theorem 1 on two independent arms.

    Parameters
    ----------
    seed, instances : random covariances, one a seed
    """
    rows = []
    for at in range(seed, seed + instances):
        covariance = _random_covariance(at)
        for noise in NOISES:
            for extra in range(1, LARGEST + 1):
                many, few = enumerated_ratio(covariance, noise**2, extra)
                largest = float(covariance.diagonal().max())
                closed = bounds.variance_ratio(extra, noise**2, largest)
                rows.append(
                    {"m": extra, "noise": noise, "instance": at, "multisets": many, "sets": few, "closed": closed}
                )
    return MultisetStudy(pd.DataFrame(rows), two_arms(np.unique(np.geomspace(1, 20_000, 60).round().astype(int))))


def _random_covariance(seed: int) -> Floats:
    generator = stream(seed, "tsrsr", "multisets")
    root = generator.standard_normal((POINTS, POINTS)) * generator.uniform(0.2, 1.0, POINTS)
    covariance = root @ root.T
    return np.asarray(covariance / covariance.diagonal().max())


def enumerated_ratio(covariance: Floats, noise_variance: float, extra: int) -> tuple[float, float]:
    r"""rho_m by its definition: the largest :math:`\sigma_\tau(x)/\sigma_\tau(x\mid A)` found by trying everything.

    Parameters
    ----------
    covariance : (N, N) prior
    noise_variance : sigma_n^2
    extra : m, the size of A

    Returns
    -------
    with A over multisets of m points, and over sets of at most m points, histories of at most :data:`HISTORY` points
    """
    many, few = 1.0, 1.0
    points = range(len(covariance))
    histories = [h for size in range(HISTORY + 1) for h in itertools.combinations_with_replacement(points, size)]
    for history in histories:
        before = _conditioned(covariance, history, noise_variance)
        for chosen in itertools.combinations_with_replacement(points, extra):
            after = _conditioned(before, chosen, noise_variance)
            many = max(many, float(np.sqrt(before.diagonal() / after.diagonal()).max()))
        for size in range(1, min(extra, len(covariance)) + 1):
            for subset in itertools.combinations(points, size):
                after = _conditioned(before, subset, noise_variance)
                few = max(few, float(np.sqrt(before.diagonal() / after.diagonal()).max()))
    return many, few


def _conditioned(covariance: Floats, chosen: tuple[int, ...], noise_variance: float) -> Floats:
    """Posterior covariance after observing ``chosen``, one rank-one step a point."""
    for index in chosen:
        column = covariance[:, index]
        covariance = covariance - np.outer(column, column) / (column[index] + noise_variance)
    return covariance


@frame
def two_arms(counts: NDArray[np.int64]) -> Rows:
    r"""Two independent arms, noise sd 1, alternated: the left side of Lemma 5, both readings of its right side, and Theorem 1.

    Before the j-th visit an arm has variance 1/j, so Lemma 5's sum over n points is about twice a harmonic number. With
    one batch of m points chosen before any observation, :math:`\E R=m\,\E(\max f-f(x))=m/\sqrt\pi`.
    """
    set_gain = ARMS / 2.0 * math.log1p(1.0 / ARM_NOISE**2)
    for n in map(int, counts):
        visits = [n // 2 + n % 2, n // 2]
        gain = sum(0.5 * math.log1p(count / ARM_NOISE**2) for count in visits)
        total = sum(1.0 / j for count in visits for j in range(1, count + 1))
        set_ratio = bounds.variance_ratio(1, ARM_NOISE**2)  # a further distinct arm says nothing about this one
        yield {
            "n": n,
            "sum": total,
            "lemma 5, sets": bounds.variance_sum_bound(ARM_NOISE**2, min(gain, set_gain)),
            "lemma 5, multisets": bounds.variance_sum_bound(ARM_NOISE**2, gain),
            "regret": n / math.sqrt(math.pi),
            "theorem 1, sets": bounds.theorem1(ARMS, 1, n, ARM_NOISE**2, min(gain, set_gain), set_ratio),
            "theorem 1, multisets": bounds.theorem1(ARMS, 1, n, ARM_NOISE**2, gain),
        }


def first_failures() -> tuple[int, int]:
    """Smallest n for which Lemma 5, and smallest m for which Theorem 1, fails on two arms when read with sets."""
    table = two_arms(np.arange(1, 10))
    lemma = int(table[table["sum"] > table["lemma 5, sets"] * (1 + 1e-12)].n.iloc[0])
    low, high = 1, 2
    while not _fails(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _fails(middle) else (middle, high)
    return lemma, high


@dataclass(frozen=True, eq=False)
class Failures:
    """Sizes at which the statements fail on two arms when read with sets: Lemma 5 from n, Theorem 1 from m; and n = 4 in full."""

    lemma: int
    theorem: int
    four: pd.Series


@recorded(random=False)
def failure_study() -> Failures:
    """The set reading on two independent arms; see :func:`first_failures` and :func:`two_arms`."""
    return Failures(*first_failures(), two_arms(np.array([4])).iloc[0])


def _fails(m: int) -> bool:
    row = two_arms(np.array([m])).iloc[0]
    return bool(row.regret > row["theorem 1, sets"])


def arms_numbers() -> Numbers:
    """Four evaluations of two arms in both readings, and the sizes from which Lemma 5 and Theorem 1 fail with sets."""
    failures = failure_study()
    row = failures.four
    return Numbers(
        failures,
        sum=float(row["sum"]),
        sets=float(row["lemma 5, sets"]),
        multisets=float(row["lemma 5, multisets"]),
        lemma=failures.lemma,
        theorem=failures.theorem,
    )


def multiset_numbers(study: MultisetStudy) -> Numbers:
    """Agreement of enumeration with the closed form, and four evaluations of two arms in both readings."""
    ratios = study.ratios
    return arms_numbers() | Numbers(
        study,
        count=len(ratios),
        apart=round(float((ratios.multisets / ratios.closed - 1).abs().max()), 9),
        short=float((ratios.closed / ratios.sets).max()),
        most=int(ratios.m.max()),
        closed={
            f"noise {noise:g}": part.drop_duplicates("m").closed.tolist() for noise, part in ratios.groupby("noise")
        },
    )


@figure(size=(9.4, 3.5))
def multisets(canvas: Canvas, palette: Palette, study: MultisetStudy, failures: Failures) -> None:
    """rho by closed form and by enumeration; Lemma 5 and Theorem 1 on two arms in both readings."""
    arms = study.arms
    left, middle, right = charts.row_of(canvas, 3, sharey=False)
    for k, (noise, part) in enumerate(study.ratios.groupby("noise", sort=False)):
        color = palette.series[k]
        across = np.arange(1, int(part.m.max()) + 1)
        closed = [float(part[part.m == m].closed.iloc[0]) for m in across]
        left.plot(across, closed, label=f"closed form, noise {noise:g}", **charts.look(palette, k))
        left.plot(part.m - 0.06, part.multisets, MARKERS[k], color=color, ms=5, mfc="none")
        left.plot(part.m + 0.1, part.sets, "x", color=color, ms=4, alpha=0.7)
    left.plot([], [], "o", color=palette.muted, mfc="none", label="enumerated, multisets")
    left.plot([], [], "x", color=palette.muted, label="enumerated, sets")
    charts.name_axes(left, "m", r"$\rho_m$", "The factor of a batch", log="y")
    left.set_xticks(across)
    left.set_ylim(top=float(study.ratios.closed.max()) * 9)
    left.legend(loc="upper left", fontsize=7.5)
    few = arms[arms.n <= 60]
    for axes, rows, value, name, fails in (
        (middle, few, "sum", "lemma 5", failures.lemma),
        (right, arms, "regret", "theorem 1", failures.theorem),
    ):
        axes.plot(rows.n, rows[value], label="left side", **charts.look(palette, 0))
        for dashes, kind in (("--", "sets"), (":", "multisets")):
            axes.plot(rows.n, rows[f"{name}, {kind}"], color=palette.accent, ls=dashes, label=f"right side, {kind}")
        axes.axvline(fails, color=palette.muted, lw=0.8)
    charts.name_axes(middle, "evaluations n", title="Lemma 5, two arms")
    middle.set_ylim(0, 1.5 * float(few["lemma 5, multisets"].max()))
    charts.name_axes(right, "batch size m", title="Theorem 1, two arms, one batch", log="xy")
    right.set_ylim(top=3e3 * float(arms["theorem 1, multisets"].max()))
    for axes in (middle, right):
        axes.legend(loc="upper left")
