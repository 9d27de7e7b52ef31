r"""Mean, variance, length-scales and noise of a Gaussian process from data, by the marginal likelihood.

.. math:: \log p(y)=-\tfrac12(y-m)^\top(K+\sigma^2I)^{-1}(y-m)-\tfrac12\log\det(K+\sigma^2I)-\tfrac n2\log2\pi
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number
from companion.core.optional_libraries import with_advice
from companion.core.randomness import stream
from companion.core.terminal import waiting
from companion.gp.candidates import looks_like_covariance, points_of
from companion.gp.fitted import Fitted
from companion.gp.kernels import kernel_by_name

PRIORS = {None: "maximum likelihood", "dimension-scaled": "priors, length-scales by Hvarfner et al. (2024)"}
#: Values at most, where a step of the search takes a second; and the ranges from which on a length-scale says that its column
#: does not matter.
MOST, LONG = 2000, 10.0
#: Ends of the search of log noise variance, mean, log variance and log length-scales, in spreads of values and ranges of columns.
ENDS = np.array([[math.log(1e-6), math.log(10)], [-30, 30], [math.log(1e-4), math.log(1e5)], [-7.0, 7.0]])
#: A logarithm's standard error from which on nothing is determined: the interval spans a factor of 350 each way.
UNDETERMINED = 3.0
#: Starts, steps from each of them on at most so many rows, and how many are followed to the end on all.
STARTS, STEPS, ROWS, FOLLOWED = 24, 10, 200, 4


@with_advice()
def fit(
    points: ArrayLike,
    values: ArrayLike,
    kernel: str = "matern52",
    *,
    ard: bool = True,
    noise_sd: float | None = None,
    mean: float | None = None,
    prior: str | None = "dimension-scaled",
    seed: int = 0,
) -> Fitted:
    r"""Kernel, mean and noise fitted to data, in their units and with standard errors; needs the extra ``torch``.

    Parameters
    ----------
    points : (n, d), or (n,) on a line; a data frame gives its columns their names
    values : (n,) one for each point, 3 to 2,000
    kernel : by its name, as for :func:`companion.kernel`
    ard : whether every column has a length-scale of its own; otherwise all share one, in their common unit
    noise_sd, mean : in units of the values, to keep them; fitted where ``None``
    prior : ``"dimension-scaled"``: the posterior density is largest, with the priors below. ``None``: the likelihood is, and few
        values then end in a model without noise or with columns that matter by chance
    seed : of starts of the search that are drawn

    Raises
    ------
    ParameterError
        for data that nothing can be fitted to, or an argument out of range
    LibraryError
        where GPyTorch is not installed

    Notes
    -----
    Priors are, in ranges and in standard deviations of the values: on length-scales
    LogNormal(:math:`\sqrt2+\tfrac12\log d,\sqrt3`) of Hvarfner, Hellsten and Nardi (2024), also BoTorch's; on the logarithms of
    variance and noise variance :math:`N(0,1.5^2)` and :math:`N(-3,2^2)`, which leave noise from a thirtieth of the spread to all
    of it. BoTorch keeps the variance at 1, and expects noise of an eighth of the spread or less. ``benchmarks/bench_fit.py``
    compares. A theorem's promise for a model told beforehand does not cover one that was fitted to the values.

    Examples
    --------
    >>> import companion as cp
    >>> x = cp.grid(30, dim=1)
    >>> heat = 70 + 2 * cp.gp_draw(cp.Matern(2.5, 0.3), x, cp.stream(0, "f")) + 0.1 * cp.stream(0, "noise").normal(size=30)
    >>> found = cp.fit(x, heat)
    >>> print(f"noise {found.noise_sd:.1f}, length-scale {found.kernel.lengthscale:.1f}, {found.words}")
    noise 0.1, length-scale 0.3, fitted to 30 values by GPyTorch
    """
    given, columns = np.asarray(points, dtype=object), tuple(map(str, getattr(points, "columns", ())))
    x = points_of(given[:, None] if given.ndim == 1 else given, "points")
    columns = columns or tuple(f"x{place + 1}" for place in range(x.shape[1]))
    try:
        y = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("values", "do not convert to numbers", "(n,) numbers") from None
    scales = x.shape[1] if ard else 1
    for wrong, *message in _faults(x, y, columns, kernel, prior, scales, mean):
        if wrong:
            raise ParameterError(*message)
    noise = None if noise_sd is None else positive_number("noise_sd", noise_sd)
    order = np.lexsort([y, *x.T])  # rows in an order that is theirs alone
    x, y, width = x[order] - x.min(axis=0), y[order], np.ptp(x, axis=0)
    width, centre, spread = width if ard else np.full_like(width, width.max()), float(y.mean()), float(y.std())
    told = [noise and 2 * math.log(noise / spread), None if mean is None else (mean - centre) / spread]
    ends = np.vstack([ENDS[:3], *[ENDS[3:]] * scales])
    for place, number in enumerate(told):
        ends[place] = ends[place] if number is None else number
    with waiting("fit"):
        from companion.gp.marginal_likelihood import standard_regression  # needs GPyTorch

        family, inputs, targets = kernel_by_name(kernel, 1.0), x / width, (y - centre) / spread
        step, scaled = -(-len(y) // ROWS), prior is not None
        part = standard_regression(family, inputs[::step], targets[::step], scales, scaled)
        whole, plain = (standard_regression(family, inputs, targets, scales, priors) for priors in (scaled, False))
        tried = [part.minimise(start, ends, STEPS) for start in _starts(scales, x.shape[1], seed)]
        followed = [whole.minimise(one.x, ends) for one in sorted(tried, key=lambda one: one.fun)[:FOLLOWED]]
        best = min(followed, key=lambda one: one.fun)
        if best.fun >= 1e6:
            raise ParameterError("noise_sd", "is too small: no covariance of these points has a factor", "more")
        stuck = (ends[:, 0] < ends[:, 1]) & (np.abs(best.x[:, None] - ends) < 1e-6).any(axis=1)
        sd = _standard_errors(whole, best.x, (ends[:, 0] < ends[:, 1]) & ~stuck)
        density = -len(y) * (plain.loss(best.x)[0] + math.log(spread))
    lengths = (np.exp(best.x[3:]) * width[:scales]).tolist()
    fitted = kernel_by_name(kernel, tuple(lengths) if scales > 1 else lengths[0], math.exp(best.x[2]) * spread**2)
    middle = float(centre + spread * best.x[1] if mean is None else mean)
    noise = noise or spread * math.exp(0.5 * best.x[0])
    sd = np.where(stuck, math.nan, sd * [0.5, spread, *[1.0] * (scales + 1)])
    found = Fitted(fitted, middle, noise, columns, tuple(sd.tolist()), len(y), density, PRIORS[prior])
    return replace(found, notes=tuple(_notes(found, best.x, stuck)))


def _faults(x: Floats, y: Floats, columns: Any, kernel: Any, prior: Any, scales: int, mean: Any) -> Iterator[Any]:
    """What may be wrong: whether it is, and the parts of the message. Later ones rest on earlier ones."""
    count, failed = len(x), int(np.sum(~np.isfinite(y)))
    yield looks_like_covariance(x), "points", "are a covariance matrix", "the points (n, d) themselves"
    yield y.shape != (count,), "values", f"have shape {y.shape}", f"({count},), one for each of {count} points"
    yield failed, "values", f"{failed} of {count} are NaN or infinite", "numbers", "Leave out what failed"
    yield not 3 <= count <= MOST, "values", f"are {count}", f"3 to {MOST:,}; time grows with their cube"
    varies = 1e-12 * float(np.abs(y).max()) < float(np.ptp(y)) < 1e150
    yield not varies, "values", f"are all {y[0]:g}", "at least two different ones, less than 1e150 apart"
    alike = ~(np.ptp(x, axis=0) > 1e-12 * np.abs(x).max(axis=0))
    yield alike.all(), "points", "are one point, repeated", "different ones"
    place = int(np.argmax(alike))
    got = f"are all {x[0, place]:g} in column {columns[place]}, of which nothing can be learnt"
    yield alike.any(), "points", got, "columns that vary", "Leave it out, of candidates too"
    yield not isinstance(kernel, str), "kernel", f"got {kernel!r}", "the name of one: its numbers are what is fitted"
    yield prior not in PRIORS, "prior", f"got {prior!r}", "'dimension-scaled' or None"
    got = f"are {count}, too few for {scales + 3} numbers by likelihood alone"
    yield prior is None and count < scales + 3, "values", got, "at least as many, or prior='dimension-scaled'"
    real = isinstance(mean, int | float | np.number) and math.isfinite(mean)
    yield mean is not None and not real, "mean", f"got {mean!r}", "a finite number, or None where it is to be fitted"


def _starts(scales: int, dim: int, seed: int) -> Iterator[Floats]:
    """Equal length-scales of several sizes, then some that differ; in the cube, distances grow with the root of d."""
    generator = stream(seed, "fit", scales)
    for place in range(STARTS):
        size = (
            np.full(scales, (0.1, 0.3, 1.0, 3.0)[place % 4])
            if place < 8
            else 5.0 * 0.01 ** generator.uniform(size=scales)
        )
        noise = (1e-3, 0.1)[place // 4] if place < 8 else 1e-4 ** generator.uniform()
        yield np.array([math.log(noise), 0.0, 0.0, *np.log(size * math.sqrt(dim))])


def _standard_errors(regression: Any, found: Floats, inside: Any) -> Floats:
    """Of the numbers ``inside``, from central differences of the gradient; NaN where nothing is determined, 0 for others.

    The mean's is compared in prior standard deviations.
    """
    units, sd = np.ones(len(found)), np.zeros(len(found))
    units[1] = math.exp(0.5 * found[2])
    steps = 1e-3 * np.diag(units)[inside]
    slopes = np.array([regression.loss(found + step)[1] - regression.loss(found - step)[1] for step in steps]) / 2e-3
    hessian = len(regression.train_targets) * (slopes * units)[:, inside]
    sizes, vectors = linalg.eigh(0.5 * (hessian + hessian.T))
    # What is flat, or bends the other way, gets a standard error that says so.
    spread = np.sqrt((vectors**2 / np.maximum(sizes, 0.25 / UNDETERMINED**2)).sum(axis=1))
    sd[inside] = np.where(spread < UNDETERMINED, spread, math.nan)
    return sd * units


def _notes(found: Fitted, numbers: Floats, stuck: Any) -> Iterator[str]:
    """A sentence for every number that ran into a limit or is not determined."""
    for place, (name, value) in enumerate(found.numbers.items()):
        if place > 2 and numbers[place] > math.log(LONG):
            column = name.removeprefix("length-scale of ").replace("length-scale", "any column")
            yield f"the values do not show that {column} matters: its length-scale is over {LONG:g} times its range"
        elif stuck[place]:
            yield f"{name} is at the end of the search, {value:.3g}"
        elif math.isnan(found.log_sd[place]):
            yield f"the values do not determine {name}"
