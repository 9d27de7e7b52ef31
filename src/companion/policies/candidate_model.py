"""The posterior of all candidates, from evaluations or as another library has it, in the form that stopping rules take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from companion.bounds.checks import real
from companion.core.arrays import Floats, Indices
from companion.core.errors import ParameterError, floats_of, positive_number, whole_number
from companion.core.tables import read_table
from companion.gp import FinitePosterior, Fitted
from companion.gp.candidates import points_of
from companion.gp.kernels import Matern, SquaredExponential
from companion.gp.matrix import KernelMatrix
from companion.information import gain_bracket
from companion.information.gain_bounds import MAX_CANDIDATES
from companion.information.large_sets import gain_bracket_of_many
from companion.policies.model_check import Check, check


class Model(NamedTuple):
    """Part of a posterior that the rules use.

    ``cross(r)`` is (N,) the posterior covariance with candidate r, ``among(a)`` that among the candidates a; ``longer``
    gives the posterior of a larger noise variance, and ``gain_of(t)`` the largest gain of t points, where the prior is known.
    ``check(norm)`` compares the values with the model, where they are known, and ``fitted`` says what of it was learnt from
    them.
    """

    mean: Floats
    variance: Floats
    cross: Callable[[int], Floats]
    among: Callable[[Indices], Floats]
    evaluations: int
    gain: Any = None
    longer: Callable[[float], Model] | None = None
    gain_of: Callable[[int], float] | None = None
    seen: Indices | None = None
    values: Floats | None = None
    dim: int = 1
    check: Callable[[float | None], Check] | None = None
    fitted: str = ""


def required(value: Any, name: str, what: str) -> Any:
    """The value; ParameterError where it is ``None``."""
    if value is None:
        raise ParameterError(name, "is missing", what)
    return value


def given_model(
    candidates: Any,
    kernel: Any,
    noise_sd: Any,
    evaluated: Any,
    values: Any,
    mean: Any,
    covariance: Any,
    count: Any,
    gain: Any,
    *,
    prior_mean: float = 0.0,
    standardise: bool = False,
    observed: Any = None,
) -> tuple[Model, Floats | None]:
    """The model behind the arguments of :func:`~companion.policies.stopping_certificate.certificate`, and the points."""
    words = ""
    if isinstance(kernel, Fitted):
        noise_sd, words = kernel.noise_sd if noise_sd is None else noise_sd, kernel.words
        if prior_mean or standardise:
            raise ParameterError(
                "prior_mean, standardise", "are given beside a fitted model", "none, which has its own"
            )
        kernel, prior_mean = kernel.kernel, kernel.mean
    first = {"candidates": candidates, "kernel": kernel, "noise_sd": noise_sd, "evaluated": evaluated, "values": values}
    if mean is None and covariance is None:
        for name, value in first.items():
            required(value, name, "candidates, kernel, noise_sd, evaluated and values, or mean and covariance")
        for name, value in (("evaluations", count), ("gain", gain), ("observed", observed)):
            if value is not None:
                raise ParameterError(name, "is given beside the evaluations", "mean and covariance with it, or neither")
        points = read_table(candidates).numbers
        points = points_of(points[:, None] if points.ndim == 1 else points)
        every = floats_of("values", values).reshape(-1)
        if standardise:
            if prior_mean:
                raise ParameterError("prior_mean", "is given beside standardise", "one of the two")
            kernel, prior_mean = standardised(kernel, every)
            words = f"mean and variance are those of the {len(every)} values"
        model = model_of(points, kernel, positive_number("noise_sd", noise_sd), evaluated, every, prior_mean)
        return model._replace(fitted=words), points
    for name, value in first.items():
        if value is not None and name not in ("candidates", "noise_sd"):
            raise ParameterError(name, "is given beside a posterior", "one of the two")
    if standardise:
        raise ParameterError("standardise", "is given beside a posterior", "the posterior in the units of the values")
    middle = floats_of("mean", required(mean, "mean", "(N,) beside the covariance")).reshape(-1)
    matrix = floats_of("covariance", required(covariance, "covariance", "(N, N) beside the mean"))
    if matrix.shape != (len(middle), len(middle)) or not len(middle):
        raise ParameterError("covariance", f"has shape {matrix.shape}", f"({len(middle)}, {len(middle)}), as the mean")
    if np.diagonal(matrix).min() < 0 or np.abs(matrix - matrix.T).max() > 1e-6 * max(np.abs(matrix).max(), 1e-300):
        raise ParameterError("covariance", "is not symmetric, or has a negative variance", "a covariance matrix")
    told = whole_number("evaluations", required(count, "evaluations", "how many there were"), 0)
    known = None if gain is None else real("gain", gain, 0.0)
    model = Model(middle, np.diagonal(matrix), matrix.__getitem__, lambda a: matrix[np.ix_(a, a)], told, gain=known)
    model = model._replace(check=_check_of(observed, noise_sd, prior_mean))
    return model, None if candidates is None else points_of(read_table(candidates).numbers.reshape(len(middle), -1))


def _check_of(observed: Any, noise_sd: Any, prior_mean: float) -> Callable[[float | None], Check] | None:
    """What compares the observed values with another library's prior; ``None`` where they are not given."""
    if observed is None:
        if noise_sd is not None:
            raise ParameterError(
                "noise_sd", "is given beside a posterior", "observed=(values, prior covariance) with it"
            )
        return None
    if not isinstance(observed, tuple) or len(observed) != 2:
        raise ParameterError(
            "observed", f"is {type(observed).__name__}", "(values (t,), their prior covariance (t, t))"
        )
    values, prior = floats_of("observed", observed[0]).reshape(-1), floats_of("observed", observed[1])
    if prior.shape != (len(values), len(values)):
        raise ParameterError("observed", f"has a covariance of shape {prior.shape}", f"({len(values)}, {len(values)})")
    noise = positive_number("noise_sd", required(noise_sd, "noise_sd", "of the observed values"))
    return lambda norm: check(prior, None, values, noise, prior_mean=prior_mean, norm=norm)


def standardised(kernel: Any, values: Floats) -> tuple[Any, float]:
    """The kernel times the variance of the values, and their mean: a model of standardised values in the values' own units.

    Raises
    ------
    ParameterError
        for fewer than two values, or equal ones

    Examples
    --------
    >>> import companion as cp, numpy as np
    >>> from companion.policies.candidate_model import standardised
    >>> standardised(cp.kernel("se", 0.3), np.array([60.0, 70.0, 80.0]))
    (SquaredExponential(lengthscale=0.3, variance=100.0), 70.0)
    """
    variance = float(np.var(values, ddof=1)) if len(values) > 1 else 0.0
    if not variance:
        got = f"are {len(values)}" if len(values) < 2 else "are all equal"
        raise ParameterError(
            "values", f"{got}, and their spread is asked for", "two different ones, or standardise=False"
        )
    mean = float(np.mean(values))
    if isinstance(kernel, Matern | SquaredExponential):
        return replace(kernel, variance=kernel.variance * variance), mean
    if callable(kernel):
        return (lambda x, y: variance * kernel(x, y)), mean
    return variance * np.asarray(kernel, dtype=np.float64), mean


def model_of(
    points: Floats, kernel: Any, noise_sd: float, evaluated: Any, told: Floats, prior_mean: float = 0.0
) -> Model:
    """The posterior of the candidates (N, d) after these evaluations, which may lie elsewhere too."""
    size, (index, every) = len(points), located(points, evaluated, told)
    prior, where = _prior(kernel, every, size), every[index]
    # A matrix has no rows for points; its own entries are the covariance of what was evaluated.
    known: Any = kernel if callable(kernel) else np.asarray(prior)[np.ix_(index, index)]

    def among(a: Indices) -> Floats:
        return prior.rows(a, a) if isinstance(prior, KernelMatrix) else prior[np.ix_(a, a)]

    def most(count: int) -> float:
        if isinstance(prior, KernelMatrix):
            return gain_bracket_of_many(kernel, points, count, noise_sd**2).upper
        return gain_bracket(prior[:size, :size], count, noise_sd**2).upper

    def posterior(noise: float) -> Model:
        state = FinitePosterior(prior, noise, capacity=max(len(index), 1))
        for at in index:
            state.condition(int(at))
        state.tell(told[None, :] - prior_mean)
        rows = state.factor[0]
        return Model(
            state.mean[0, :size] + prior_mean,
            state.variance[0, :size],
            lambda r: state.covariance_with(r)[:size],
            lambda a: among(a) - rows[:, a].T @ rows[:, a],
            len(index),
            gain=float(state.gain[0]),
            longer=lambda factor: posterior(noise_sd**2 * factor),
            gain_of=most,
            seen=index[index < size],
            values=told,
            dim=points.shape[1],
            check=lambda norm: check(
                known, where if callable(known) else None, told, noise_sd, prior_mean=prior_mean, norm=norm
            ),
        )

    return posterior(noise_sd**2)


def located(points: Floats, evaluated: Any, told: Floats) -> tuple[Indices, Floats]:
    """Where what was evaluated stands among the points with the further ones behind them, and all of these."""
    given = np.asarray(evaluated)
    if given.size == 0:
        given = np.empty(0, dtype=np.int64)
    if given.dtype.kind in "iu" and given.ndim == 1:
        index, every = given.astype(np.int64), points
        if len(index) and (index.min() < 0 or index.max() >= len(points)):
            raise ParameterError(
                "evaluated", f"has {index.min()} to {index.max()}", f"indices from 0 to {len(points) - 1}"
            )
    else:
        where = points_of(given[:, None] if given.ndim == 1 else given, "evaluated")
        if where.shape[1] != points.shape[1]:
            raise ParameterError(
                "evaluated", f"have {where.shape[1]} coordinates", f"{points.shape[1]}, as the candidates"
            )
        index, every = places_among(points, where)
    if len(index) != len(told):
        raise ParameterError("values", f"are {len(told)}", f"{len(index)}, one for each of the evaluated")
    return index, every


def places_among(points: Floats, where: Floats) -> tuple[Indices, Floats]:
    """The index of each of ``where`` among the points with the further ones behind them, and all of these."""
    every, scale = points, np.maximum(np.ptp(points, axis=0), 1e-300)
    index = np.empty(len(where), dtype=np.int64)
    for place, one in enumerate(where):
        apart = np.max(np.abs(every - one) / scale, axis=1)
        index[place] = int(np.argmin(apart))
        if apart[index[place]] > 1e-9:
            index[place], every = len(every), np.vstack([every, one])
    return index, every


def _prior(kernel: Any, every: Floats, size: int) -> Floats | KernelMatrix:
    if isinstance(kernel, Matern | SquaredExponential):
        return KernelMatrix(kernel, every) if size > MAX_CANDIDATES else kernel(every)
    if callable(kernel):
        return kernel(every, every)
    matrix = np.asarray(kernel, dtype=np.float64)
    if len(every) > size:
        raise ParameterError("evaluated", "has points that are no candidates", "indices, where the kernel is a matrix")
    if matrix.shape != (size, size):
        raise ParameterError("kernel", f"has shape {matrix.shape}", f"({size}, {size}), one row for each candidate")
    return matrix
