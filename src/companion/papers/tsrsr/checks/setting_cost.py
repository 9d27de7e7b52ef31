"""Statement: cost of choosing a batch, in counted operations (Section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from companion.checks.cases import Case, at_most, exponent
from companion.checks.instance import Instance
from companion.checks.statement import statement
from companion.core.arrays import Floats, Indices
from companion.gp.factor import draw_root
from companion.gp.ties import lowest_argmin
from companion.judge.intervals import slope_interval
from companion.papers.tsrsr.checks.setting_models import ARMS, KERNEL_TITLES, Model, positive_noise, updated
from companion.papers.tsrsr.method.round import DenseRound, WatchedRound
from companion.papers.tsrsr.method.rules import TSRSR

BATCHES = (5, 10, 20, 40, 80)


class Counted(np.ndarray):
    """An array that counts the elements its elementwise functions and reductions go through, in :attr:`total`.

    A function of several arrays counts the elements of its result, a reduction those of its argument, a product of
    matrices one multiplication for each pair of elements. Copies, look-ups and comparisons of single numbers are free.
    """

    total = 0

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Count, and go on with plain arrays."""
        plain = [np.asarray(entry) if isinstance(entry, Counted) else entry for entry in inputs]
        out = kwargs.get("out")
        if out is not None:
            kwargs["out"] = tuple(np.asarray(entry) if isinstance(entry, Counted) else entry for entry in out)
        result = getattr(ufunc, method)(*plain, **kwargs)
        if method == "reduce":
            Counted.total += np.size(plain[0])
        else:
            Counted.total += np.size(result) * (np.shape(plain[0])[-1] if ufunc is np.matmul else 1)
        if out is not None:
            return out[0]
        return np.asarray(result).view(Counted) if np.ndim(result) else result


class Selection(Instance, words="{model.where}, {count} points observed"):
    """Batches to be chosen after ``count`` observations, of one model."""

    model: Model
    count: int = 10


def selections() -> Iterator[Selection]:
    """Three kernels in two dimensions, and independent arms."""
    for kernel in KERNEL_TITLES:
        yield Selection(Model(kernel, 1, 0.5))
        yield Selection(Model(kernel, 2, 0.1), 0)
    yield Selection(Model(ARMS, 1, 1.0))


@lru_cache(maxsize=256)
def operations(selection: Selection, batch: int, scheme: Scheme) -> tuple[int, tuple[int, ...]]:
    """Counted operations of choosing ``batch`` points with one scheme, and the points."""
    model, noise = selection.model, selection.model.noise_sd**2
    seen = model.stream("cost").integers(len(model.points), size=selection.count)
    posterior = updated(model.covariance, seen, noise)
    normal = model.stream("cost", "draws").standard_normal((max(BATCHES), len(posterior)))[:batch]
    root = draw_root(posterior)
    Counted.total = 0
    draws = np.asarray(normal.view(Counted) @ root.T)
    picks = scheme(Round(model, seen, posterior, noise, draws))
    return Counted.total, tuple(int(pick) for pick in picks)


class Round(NamedTuple):
    """Input of a scheme: the observed points, the posterior covariance, and one draw for every place."""

    model: Model
    seen: Indices
    posterior: Floats
    noise: float
    draws: Floats


Scheme = Callable[[Round], Indices]


def by_columns(current: Round) -> Indices:
    """The package's rule, which computes a covariance column of every pick, O((1 + i) N) for the i-th."""
    size = len(current.posterior)
    dense = DenseRound(0, np.zeros(size).view(Counted), current.posterior.view(Counted), current.noise)
    watched = WatchedRound(dense, given=current.draws.view(Counted))
    return TSRSR(resample=False).choose(watched, len(current.draws), current.model.stream("cost", "rule"))


def by_covariance(current: Round) -> Indices:
    """Equation (4) with mean 0 and a covariance of all candidates that is updated after every pick, O(N^2)."""
    _, _, posterior, noise, draws = current
    covariance, picks = posterior.copy().view(Counted), []
    for maximum in draws.view(Counted).max(axis=1):
        ratio = maximum / np.sqrt(np.einsum("ii->i", covariance).view(Counted))
        picks.append(lowest_argmin(np.asarray(ratio)))
        Counted.total += len(ratio)
        column = covariance[:, picks[-1]]
        scaled = column / (column[picks[-1]] + noise)
        covariance = covariance - column[:, None] * scaled[None, :]
    return np.array(picks, dtype=np.intp)


def by_inverse(current: Round) -> Indices:
    """Equation (4) with mean 0 and equation (2) for every pick: n^3 / 3 for a factor, N n^2 for the variances."""
    model, seen, _, noise, draws = current
    covariance, picks = model.covariance, list[int]()
    for maximum in draws.view(Counted).max(axis=1):
        known = np.concatenate([seen, np.array(picks, dtype=np.intp)]).astype(np.intp)
        cross = covariance[known]
        solved = np.linalg.solve(cross[:, known] + noise * np.eye(len(known)), cross)
        Counted.total += len(known) ** 3 // 3 + len(known) ** 2 * len(covariance)
        variance = (covariance.diagonal() - (cross * solved).sum(axis=0)).view(Counted)
        Counted.total += 2 * cross.size
        picks.append(lowest_argmin(np.asarray(maximum / np.sqrt(variance))))
    return np.array(picks, dtype=np.intp)


@statement(
    "alg-cost",
    "rate",
    selections,
    positive_noise(Selection(Model("se", 1, 0.0))),
    teeth={
        "the matrix of equation (2) solved anew for every pick": {"scheme": by_inverse},
        "only the columns of the picks are kept": {"scheme": by_columns},
        "a square root of m": {"power": 0.5},
    },
    depends="eq-4",
)
def alg_cost(selection: Selection, *, scheme: Scheme = by_covariance, power: float = 1.0) -> Iterator[Case]:
    """The operations of choosing a batch grow linearly in $m$

    Counted operations of the m draws, of the m minimisations and of what keeps the standard deviations up to date, for
    :math:`m` from 5 to 80: their growth exponent, and the operations for twice the points.
    """
    counts = [operations(selection, batch, scheme)[0] for batch in BATCHES]
    fit = slope_interval(np.log(BATCHES), np.log(counts))
    yield exponent(fit.low, fit.high, power, f"{selection.where}: exponent of the operations", allowance=1e-9)
    for batch, one, two in zip(BATCHES, counts, counts[1:], strict=False):
        yield at_most(two, 2.0**power * one, f"{selection.where}: operations for m = {2 * batch} and twice m = {batch}")
