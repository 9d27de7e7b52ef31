"""The posterior of all candidates, from evaluations or as another library has it, in the form that stopping rules take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from companion.bounds.checks import real
from companion.core.arrays import Floats, Indices
from companion.core.errors import ParameterError, positive_number, whole_number
from companion.gp import FinitePosterior
from companion.gp.candidates import points_of
from companion.gp.kernels import Matern, SquaredExponential
from companion.gp.matrix import KernelMatrix
from companion.information import gain_bracket
from companion.information.gain_bounds import MAX_CANDIDATES
from companion.information.large_sets import gain_bracket_of_many


class Model(NamedTuple):
    """Part of a posterior that the rules use.

    ``cross(r)`` is (N,) the posterior covariance with candidate r, ``among(a)`` that among the candidates a; ``longer``
    gives the posterior of a larger noise variance, and ``gain_of(t)`` the largest gain of t points, where the prior is known.
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
) -> tuple[Model, Floats | None]:
    """The model behind the arguments of :func:`~companion.policies.stopping_certificate.certificate`, and the points."""
    first = {"candidates": candidates, "kernel": kernel, "noise_sd": noise_sd, "evaluated": evaluated, "values": values}
    if mean is None and covariance is None:
        for name, value in first.items():
            required(value, name, "candidates, kernel, noise_sd, evaluated and values, or mean and covariance")
        for name, value in (("evaluations", count), ("gain", gain)):
            if value is not None:
                raise ParameterError(name, "is given beside the evaluations", "mean and covariance with it, or neither")
        points = np.asarray(candidates, dtype=np.float64)
        points = points_of(points[:, None] if points.ndim == 1 else points)
        return model_of(points, kernel, positive_number("noise_sd", noise_sd), evaluated, values), points
    for name, value in first.items():
        if value is not None and name != "candidates":
            raise ParameterError(name, "is given beside a posterior", "one of the two")
    middle = np.asarray(required(mean, "mean", "(N,) beside the covariance"), dtype=np.float64).reshape(-1)
    matrix = np.asarray(required(covariance, "covariance", "(N, N) beside the mean"), dtype=np.float64)
    if matrix.shape != (len(middle), len(middle)) or not len(middle):
        raise ParameterError("covariance", f"has shape {matrix.shape}", f"({len(middle)}, {len(middle)}), as the mean")
    if not (np.isfinite(middle).all() and np.isfinite(matrix).all()):
        raise ParameterError("mean, covariance", "contain NaN or infinity", "finite numbers")
    if np.diagonal(matrix).min() < 0 or np.abs(matrix - matrix.T).max() > 1e-6 * max(np.abs(matrix).max(), 1e-300):
        raise ParameterError("covariance", "is not symmetric, or has a negative variance", "a covariance matrix")
    told = whole_number("evaluations", required(count, "evaluations", "how many there were"), 0)
    known = None if gain is None else real("gain", gain, 0.0)
    model = Model(middle, np.diagonal(matrix), matrix.__getitem__, lambda a: matrix[np.ix_(a, a)], told, gain=known)
    return model, None if candidates is None else points_of(
        np.asarray(candidates, dtype=np.float64).reshape(len(middle), -1)
    )


def model_of(points: Floats, kernel: Any, noise_sd: float, evaluated: Any, values: Any) -> Model:
    """The posterior of the candidates (N, d) after these evaluations, which may lie elsewhere too."""
    told, size = np.asarray(values, dtype=np.float64).reshape(-1), len(points)
    if not np.isfinite(told).all():
        raise ParameterError("values", "contain NaN or infinity", "finite numbers")
    given = np.asarray(evaluated)
    if given.size == 0:
        given = np.empty(0, dtype=np.int64)
    if given.dtype.kind in "iu" and given.ndim == 1:
        index, every = given.astype(np.int64), points
        if len(index) and (index.min() < 0 or index.max() >= size):
            raise ParameterError("evaluated", f"has {index.min()} to {index.max()}", f"indices from 0 to {size - 1}")
    else:
        where = points_of(given[:, None] if given.ndim == 1 else given, "evaluated")
        if where.shape[1] != points.shape[1]:
            raise ParameterError(
                "evaluated", f"have {where.shape[1]} coordinates", f"{points.shape[1]}, as the candidates"
            )
        index, every = _places(points, where)
    if len(index) != len(told):
        raise ParameterError("values", f"are {len(told)}", f"{len(index)}, one for each of the evaluated")
    prior = _prior(kernel, every, size)

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
        state.tell(told[None, :])
        rows = state.factor[0]
        return Model(
            state.mean[0, :size],
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
        )

    return posterior(noise_sd**2)


def _places(points: Floats, where: Floats) -> tuple[Indices, Floats]:
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
