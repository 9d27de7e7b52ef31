r"""Mean, variance, length-scales and noise of a Gaussian process from data, by the marginal likelihood.

.. math:: \log p(y)=-\tfrac12(y-m)^\top(K+\sigma^2I)^{-1}(y-m)-\tfrac12\log\det(K+\sigma^2I)-\tfrac n2\log2\pi

Likelihood and gradient are GPyTorch's, the search is SciPy's L-BFGS-B over logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number
from companion.core.optional_libraries import with_advice
from companion.core.progress import waiting
from companion.core.randomness import stream
from companion.gp.candidates import looks_like_covariance, points_of
from companion.gp.data import cholesky
from companion.gp.fitted import Fitted
from companion.gp.kernels import kernel_by_name

DIMENSION_SCALED = "dimension-scaled"
#: In words.
PRIORS = {None: "maximum likelihood", DIMENSION_SCALED: "dimension-scaled priors (Hvarfner et al., 2024)"}
#: Values at most: at so many a step of the search takes a second.
MOST = 2000
#: Ends of the search, in ranges of a column and standard deviations of the values: logarithms of length-scale, variance and
#: noise variance, and the mean.
ENDS = (
    (math.log(1e-3), math.log(1e3)),
    (math.log(1e-4), math.log(1e5)),
    (math.log(1e-6), math.log(10.0)),
    (-30.0, 30.0),
)
#: Ranges of a column from which on a length-scale says that it does not matter.
LONG = 10.0
#: Standard error of a logarithm from which on the values do not determine a number: its interval spans a factor of 350 each way.
UNDETERMINED = 3.0
#: Starts, steps from each of them on at most so many rows, and how many are followed to the end.
STARTS, STEPS, ROWS, FOLLOWED = 16, 10, 200, 4


@with_advice()
def fit(
    points: ArrayLike,
    values: ArrayLike,
    kernel: str = "matern52",
    *,
    ard: bool = True,
    noise_sd: float | None = None,
    mean: float | None = None,
    prior: str | None = DIMENSION_SCALED,
    seed: int = 0,
) -> Fitted:
    r"""Kernel, mean and noise fitted to data, with their standard errors; needs the extra ``torch``.

    Inside, columns are scaled to their range and values to mean 0 and variance 1. Everything given back is in own units.

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

    Returns
    -------
    :class:`~companion.gp.fitted.Fitted`

    Raises
    ------
    ParameterError
        for data that nothing can be fitted to, or an argument out of range
    LibraryError
        where GPyTorch is not installed

    Notes
    -----
    The priors are, in ranges and in standard deviations of the values: on length-scales
    LogNormal(:math:`\sqrt2+\tfrac12\log d,\sqrt3`) of Hvarfner, Hellsten and Nardi (2024), also BoTorch's; on the logarithms of
    variance and noise variance :math:`N(0,1.5^2)` and :math:`N(-3,2^2)`, which leave noise from a thirtieth of the spread to all
    of it. BoTorch keeps the variance at 1, and expects noise of an eighth of the spread or less. ``benchmarks/bench_fit.py``
    compares.

    A theorem's promise for a model told beforehand does not cover one that was fitted to the values.

    Examples
    --------
    >>> import companion as cp
    >>> x = cp.grid(30, dim=1)
    >>> heat = 70 + 2 * cp.gp_draw(cp.Matern(2.5, 0.3), x, cp.stream(0, "f")) + 0.1 * cp.stream(0, "noise").normal(size=30)
    >>> found = cp.fit(x, heat)
    >>> print(f"noise {found.noise_sd:.1f}, length-scale {found.kernel.lengthscale:.1f}, {found.words}")
    noise 0.1, length-scale 0.3, fitted to 30 values by GPyTorch
    """
    names, x, y = _data(points, values)
    if not isinstance(kernel, str):
        raise ParameterError("kernel", f"got {kernel!r}", "the name of one: its numbers are what is fitted")
    family = kernel_by_name(kernel, 1.0)
    if prior not in (None, DIMENSION_SCALED):
        raise ParameterError("prior", f"got {prior!r}", f"{DIMENSION_SCALED!r} or None")
    width, centre, scale = np.ptp(x, axis=0), float(y.mean()), float(y.std())
    width = width if ard else np.full_like(width, width.max())
    scales = len(width) if ard else 1
    if prior is None and len(y) < scales + 3:
        got = f"are {len(y)}, too few for {scales + 3} numbers by likelihood alone"
        raise ParameterError("values", got, f"at least as many, or prior={DIMENSION_SCALED!r}")
    noise = None if noise_sd is None else 2.0 * math.log(positive_number("noise_sd", noise_sd) / scale)
    told = noise, None if mean is None else (_number(mean) - centre) / scale
    from companion.gp.marginal_likelihood import one_thread, standard_loss  # needs GPyTorch

    with waiting("fit"), one_thread():

        def loss(step: int) -> Any:
            data = (x / width)[::step], (y - centre)[::step] / scale
            return standard_loss(family, *data, scales, told, prior is not None)

        free = np.array([True] * (scales + 1) + [number is None for number in told])
        ends = np.array([ENDS[0]] * scales + list(ENDS[1:]))
        found = np.array([0.0] * (scales + 1) + [number or 0.0 for number in told])
        found[free] = _search(loss, scales, x.shape[1], free, ends[free], len(y), seed)
        stuck = free & (np.abs(found[:, None] - ends) < 1e-6).any(axis=1)
        sd = _standard_errors(loss(1), found, free, stuck)
    lengths = tuple(float(each) for each in np.exp(found[:scales]) * width[:scales])
    model = (
        kernel_by_name(kernel, lengths if scales > 1 else lengths[0], math.exp(found[scales]) * scale**2),
        centre + scale * float(found[-1]) if mean is None else float(mean),
        scale * math.exp(0.5 * found[-2]) if noise_sd is None else float(noise_sd),
    )
    units = np.array([1.0] * (scales + 1) + [0.5, scale])
    named = Fitted(*model, names, tuple((sd * units).tolist()), len(y), _log_likelihood(*model, x, y), PRIORS[prior])
    return replace(named, notes=_notes(named, found, stuck))


def _number(mean: Any) -> float:
    try:
        number = math.nan if isinstance(mean, bool | str) else float(mean)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError("mean", f"got {mean!r}", "a finite number, or None where it is to be fitted")
    return number


def _data(points: Any, values: Any) -> tuple[tuple[str, ...], Floats, Floats]:
    """Names of columns, points (n, d) with their least coordinates at 0 and values (n,), in an order that is theirs alone."""
    names = tuple(map(str, getattr(points, "columns", ())))
    given = np.asarray(points, dtype=object)
    x = points_of(given[:, None] if given.ndim == 1 else given, "points")
    try:
        y = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("values", "do not convert to numbers", "(n,) numbers") from None
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    if looks_like_covariance(x):
        raise ParameterError("points", "are a covariance matrix", "the points (n, d) themselves")
    if y.shape != (len(x),):
        raise ParameterError("values", f"have shape {y.shape}", f"({len(x)},), one for each of {len(x)} points")
    if bad := int(np.sum(~np.isfinite(y))):
        raise ParameterError("values", f"{bad} of {len(y)} are NaN or infinite", "numbers", "Leave out what failed")
    if not 3 <= len(y) <= MOST:
        why = "a line goes through two" if len(y) < 3 else "time grows with their cube: take some of them"
        raise ParameterError("values", f"are {len(y)}", f"3 to {MOST:,}, for {why}")
    if not 1e-12 * float(np.abs(y).max()) < float(np.ptp(y)) < 1e150:
        raise ParameterError("values", f"are all {y[0]:g}", "at least two different ones, less than 1e150 apart")
    names = names or tuple(f"x{number}" for number in range(1, x.shape[1] + 1))
    alike = ~(np.ptp(x, axis=0) > 1e-12 * np.abs(x).max(axis=0))
    if alike.all():
        raise ParameterError("points", "are one point, repeated", "different ones")
    if alike.any():
        place = int(np.argmax(alike))
        got = f"are all {x[0, place]:g} in column {names[place]}, of which nothing can be learnt"
        raise ParameterError("points", got, "columns that vary", "Leave it out, of candidates too")
    x = x - x.min(axis=0)
    order = np.lexsort([y, *x.T])
    return names, x[order], y[order]


def _search(
    loss: Callable[[int], Any], scales: int, dim: int, free: Any, ends: Floats, count: int, seed: int
) -> Floats:
    """The free numbers at the least loss: some steps from each start on some of the rows, then the best to the end on all."""
    generator, starts = stream(seed, "fit", scales), []
    for place in range(STARTS):
        # Equal length-scales of several sizes first, then some that differ; in the cube, distances grow with the root of d.
        even = np.full(scales, math.log(0.1) + (place % 4) * math.log(3.0))
        logs = even if place < 8 else generator.uniform(math.log(0.05), math.log(5.0), scales)
        noise = math.log((1e-3, 0.1)[place // 4]) if place < 8 else generator.uniform(math.log(1e-4), 0.0)
        starts.append(np.array([*(logs + 0.5 * math.log(dim)), 0.0, noise, 0.0])[free])
    part = loss(-(-count // ROWS))
    tried = sorted((part.minimise(start, ends, STEPS) for start in starts), key=lambda one: one.fun)
    whole = loss(1)
    followed = [whole.minimise(one.x, ends) for one in tried[:FOLLOWED]]
    best = min(followed, key=lambda one: one.fun)
    if best.fun >= whole.outside:
        raise ParameterError("noise_sd", "is so small that no covariance of these points has a factor", "a larger one")
    return np.asarray(best.x)


def _standard_errors(loss: Any, found: Floats, free: Any, stuck: Any) -> Floats:
    """Of all numbers, from central differences of the gradient; 0 where told, NaN where stuck or not determined.

    The mean's is compared in prior standard deviations.
    """
    inside, sd = free & ~stuck, np.where(free, math.nan, 0.0)
    units = np.ones(len(found))
    units[-1] = math.exp(0.5 * found[-3])
    steps = 1e-3 * np.diag(units)[inside][:, free]
    rows = [(loss(found[free] + step)[1] - loss(found[free] - step)[1]) / 2e-3 for step in steps]
    hessian = len(loss.regression.train_targets) * (np.array(rows) * units[free])[:, inside[free]]
    sizes, vectors = linalg.eigh(0.5 * (hessian + hessian.T))
    # What is flat, or bends the other way, gets a standard error that says so.
    spread = np.sqrt((vectors**2 / np.maximum(sizes, UNDETERMINED**-2 / 4.0)).sum(axis=1))
    sd[inside] = np.where(spread < UNDETERMINED, spread, math.nan) * units[inside]
    return sd


def _log_likelihood(kernel: Any, mean: float, noise_sd: float, x: Floats, y: Floats) -> float:
    covariance = kernel(x)
    covariance[np.diag_indices(len(y))] += noise_sd**2
    lower = cholesky(covariance)
    solved = linalg.solve_triangular(lower, y - mean, lower=True)
    return float(-0.5 * solved @ solved - np.log(lower.diagonal()).sum() - 0.5 * len(y) * math.log(2.0 * math.pi))


def _notes(named: Fitted, found: Floats, stuck: Any) -> tuple[str, ...]:
    """A sentence for every number that ran into a limit or is not determined."""
    notes = []
    scales = len(found) - 3
    for place, (name, value) in enumerate(named.numbers.items()):
        if place < scales and found[place] > math.log(LONG):
            column = name.removeprefix("length-scale of ") if len(named.names) == scales else "any column"
            notes.append(
                f"the values do not show that {column} matters: its length-scale is over {LONG:g} times its range"
            )
        elif stuck[place]:
            notes.append(f"{name} is at the end of the search, {value:.3g}")
        elif math.isnan(named.log_sd[place]):
            notes.append(f"the values do not determine {name}")
    return tuple(notes)
