r"""Test of a told Gaussian-process model against the values that were observed, valid at every look.

Under the told model the values have a density p. Let q be a mixture, with weights fixed beforehand, of the densities that the
values have where the mean, the variance, the length-scales or the noise are others. Whatever chose the points,

.. math:: E_t=\frac{q(y_1,\dots,y_t)}{p(y_1,\dots,y_t)}

is then a martingale with mean 1 under the told model, because the probabilities of the choices cancel. By Ville's inequality
(1939) it reaches 1/alpha in at most a share alpha of all runs, however often one looks. Where it does, the values contradict the
model.

Not every contradiction breaks a promise. Where the true prior covariance is K' and the noise variance s', a predictor with
weights w has the mean squared error :math:`(1,-w)^\top K'(1,-w)+s'\lVert w\rVert^2`. That is at most what the told model
claims if :math:`K-K'` is positive semi-definite and s' at most the told noise variance: its promises are then only wider than
they need be. So the q that refuses has no smaller variances and noises and no longer length-scales; what only these explain is
a note.

For a function of norm at most B and sub-Gaussian noise there is no density; then

.. math:: Q_t=r^\top(K+\sigma^2I)^{-1}r\le B^2+\sigma^{-2}\sum_{i\le t}\varepsilon_i^2,

since the left side is the smallest squared norm plus squared residual of any function, and f is one. The same mixture of scales
bounds the sum of squares at all times.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from companion.core.arrays import Flags, Floats
from companion.core.errors import positive_number
from companion.gp.candidates import points_of
from companion.gp.kernels import Kernel, Matern, SquaredExponential

#: Largest share of runs under the told model that are refused at any look.
LEVEL = 1e-6
#: The first so many values are tested: what contradicts a model shows long before.
MOST = 1_000
#: Up to so many values other length-scales are compared, each of which costs an eigendecomposition.
MOST_SCALES = 300

#: Weight of a quantity that is as told; its other values share the rest.
_AS_TOLD = 0.5
#: Factors of the prior variance and of the noise variance, and of the length-scales: of all, or of one coordinate's.
_FACTORS = 10.0 ** np.arange(-6, 9)
_SHORTER = (0.01, 0.1)
_SCALES = (*_SHORTER, 10.0, 100.0)
#: An alternative is not excluded where the values are this many times less likely, or less.
_LIKELY = 20.0
#: Standard deviations of the true mean around the told one, in prior standard deviations.
_SHIFTS = np.array([0.0, 3.0, 30.0, 300.0, 3e3, 3e4, 3e5])
#: Factors of a sum of squares, where only a norm is told.
_SQUARES = 10.0 ** (np.arange(1, 33) / 4)
#: Smallest noise variance that float64 resolves, in units of prior variance times number of values.
_RESOLVED = 1e-13
#: Alternatives explain the values nearly as well where their log-densities are so close.
_CLOSE = 7.0
#: A single value that has this share of the chi-square is named.
_ALONE = 0.9


def contradiction(
    kernel: Any,
    points: ArrayLike | None,
    values: ArrayLike,
    noise_sd: float,
    *,
    prior_mean: float = 0.0,
    norm: float | None = None,
) -> str:
    """What the observed values contradict in the told model, in one line; empty where nothing.

    Parameters
    ----------
    kernel : prior covariance: of :mod:`companion.gp`, a function of two arrays, or the matrix (t, t) of the observed points
    points : (t, d) where the values were observed; ``None`` beside a matrix
    values : (t,), in the units of the model, in the order of their observation
    noise_sd : standard deviation of the noise
    prior_mean : of the values
    norm : the function is told to have at most this norm; without it to be a draw of the prior

    Returns
    -------
    At most a share :data:`LEVEL` of all runs whose model is right ever gets a line, however often this is called in a run

    Notes
    -----
    For a norm the noise has to be sub-Gaussian: then the mean of exp(s e^2 / sigma^2) is at most (1 - 2 s)^(-1/2) for s < 1/2.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.policies.model_check import contradiction
    >>> line, yields = cp.grid(6, dim=1), [61.2, 66.0, 70.3, 74.1, 71.8, 68.4]
    >>> contradiction(cp.kernel("matern52", 0.3, variance=25.0), line, yields, 1.0, prior_mean=68.0)
    ''
    >>> print(contradiction(cp.kernel("matern52", 0.3), line, yields, 1.0))
    the 6 values have chi-square 7,419 where 6 is expected: a mean of about 67 and a variance of about 15 would be plausible
    """
    return check(kernel, points, values, noise_sd, prior_mean=prior_mean, norm=norm).contradicted


class Check(NamedTuple):
    """Result of comparing values with a told model.

    ``contradicted`` is the line of :func:`contradiction`. ``cautious`` says what would explain values that lie closer together
    than the told model has them; its promises hold then. ``untested`` are the told quantities that nothing tests: the values
    are at least a twentieth as likely with a tenth of the length-scales, or with ten times the variance or the noise_sd.
    """

    contradicted: str
    cautious: str = ""
    untested: tuple[str, ...] = ()


def check(
    kernel: Any,
    points: ArrayLike | None,
    values: ArrayLike,
    noise_sd: float,
    *,
    prior_mean: float = 0.0,
    norm: float | None = None,
) -> Check:
    """The line of :func:`contradiction`, whose arguments these are, and what nothing tests.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.policies.model_check import check
    >>> check(cp.kernel("matern52", 0.3), cp.grid(3, dim=1), [0.1, 0.9, 0.2], 0.1).untested
    ('length-scale', 'noise_sd')
    """
    residual = np.asarray(values, dtype=np.float64).reshape(-1)[:MOST] - prior_mean
    noise, count = positive_number("noise_sd", noise_sd) ** 2, len(residual)
    if not count:
        return Check("")
    where = None if points is None else points_of(np.reshape(points, (len(np.asarray(points)), -1)))[:count]
    kernels = _kernels(kernel, where, count)
    told = kernels[0][2]
    spread = float(told[0, 0])
    if norm is not None:
        return Check(_of_norm(float(_log_densities(told, residual, noise, spread)[1][_TOLD]), count, norm))
    grids = [_log_densities(matrix, residual, noise, spread) for _, _, matrix in kernels]
    plain = np.array([logs for logs, *_ in grids]) - grids[0][0][_TOLD]
    weighed = plain + np.log([weight for weight, *_ in kernels])[:, None, None, None] + _LOG_WEIGHTS
    shorter = np.array([any(f" {factor:g} times" in words for factor in _SHORTER) for _, words, _ in kernels])
    no_longer = shorter | (np.arange(len(kernels)) == 0)
    untested = _untested(plain, shorter)
    if not _exceeds(weighed):
        return Check("", "", untested)
    observed = _observed(told, residual, noise)
    if not residual.any():
        return Check("", f"{observed}: a noise_sd near 0 would be plausible, and promise more", untested)
    dangerous = np.where(_NO_SMALLER & no_longer[:, None, None, None], weighed, -math.inf)
    wrong = _exceeds(dangerous)
    which, shift, variance, jitter = _simplest(dangerous if wrong else weighed)
    square, moved = (float(grid[shift, variance, jitter]) for grid in grids[which][1:])
    scale = square / count
    sd = math.sqrt(spread * _FACTORS[variance] * scale)
    parts = [
        f"a mean of about {_rounded(prior_mean + moved)}" if abs(moved) > sd else "",
        _about("variance", spread, _FACTORS[variance] * scale, variance == _ONE),
        kernels[which][1],
        _about("noise_sd", noise_sd, math.sqrt(_FACTORS[jitter] * scale), jitter == _ONE),
    ]
    words = f"{observed}: {' and '.join(filter(None, parts)) or 'another model'} would be plausible"
    if wrong:
        return Check(words)
    repeats = 0 if where is None else count - len(np.unique(np.column_stack([where, residual]), axis=0))
    copied = f"; {repeats} repeat another row exactly, which promises too much if rows were copied" if repeats else ""
    return Check("", f"{words}, and promise more{copied}", untested)


def _exceeds(weighed: Floats) -> bool:
    return bool(np.logaddexp.reduce(weighed, axis=None) >= -math.log(LEVEL))


def _simplest(weighed: Floats) -> tuple[int, ...]:
    """Place of the best explanation but for little: noise and length-scales as told first, then the smallest variance."""
    changed = (np.arange(len(weighed)) > 0)[:, None, None, None] + (_FACTORS != 1.0).astype(np.float64)
    effort = np.where(weighed > weighed.max() - _CLOSE, changed + 0.05 * np.log10(_FACTORS)[:, None], math.inf)
    best = int(np.argmax(np.where(effort == effort.min(), weighed, -math.inf)))
    return tuple(int(place) for place in np.unravel_index(best, weighed.shape))


def _untested(ratios: Floats, shorter: Flags) -> tuple[str, ...]:
    """Quantities whose dangerous alternative is at least a twentieth as likely; ``ratios`` are logarithms, without weights."""
    dangerous = {
        "length-scale": ratios[(shorter, *_TOLD)],
        "variance": ratios[0, 0, _ONE + 1, _ONE],
        "noise_sd": ratios[0, 0, _ONE, _ONE + 2],
    }
    return tuple(name for name, logs in dangerous.items() if np.max(logs, initial=-math.inf) > -math.log(_LIKELY))


_ONE = int(np.flatnonzero(_FACTORS == 1.0)[0])
#: Place of the told model in the grid of (shift, variance, noise variance).
_TOLD = (0, _ONE, _ONE)


def _log_weights() -> Floats:
    """Logarithms of the weights of the grid, (shifts, variances, noise variances)."""
    axes = []
    for size, told in zip((len(_SHIFTS), len(_FACTORS), len(_FACTORS)), _TOLD, strict=True):
        axis = np.full(size, (1.0 - _AS_TOLD) / (size - 1))
        axis[told] = _AS_TOLD
        axes.append(np.log(axis))
    return axes[0][:, None, None] + axes[1][:, None] + axes[2]


_LOG_WEIGHTS = _log_weights()
#: Alternatives with at least the told variance and noise, (variances, noise variances): a promise may be too narrow there.
_NO_SMALLER = (_FACTORS[:, None] >= 1.0) & (_FACTORS >= 1.0)


def _kernels(kernel: Any, where: Floats | None, count: int) -> list[tuple[float, str, Floats]]:
    """Weight, words and covariance (t, t) of the told kernel, which is the first, and of those with other length-scales."""
    if not isinstance(kernel, Matern | SquaredExponential):
        given = kernel(where, where) if callable(kernel) else np.asarray(kernel, dtype=np.float64)
        return [(1.0, "", given[:count, :count])]
    assert where is not None
    others: list[tuple[str, Kernel]] = []
    if 1 < count <= MOST_SCALES:
        dim = where.shape[1]
        each = np.broadcast_to(np.asarray(kernel.lengthscale, dtype=np.float64), (dim,))
        several = "length-scales" if dim > 1 else "length-scale"
        for factor in _SCALES:
            others.append((f"{several} {factor:g} times as long", replace(kernel, lengthscale=tuple(each * factor))))
        for place in range(dim if dim > 1 else 0):
            for factor in _SHORTER:
                scales = tuple(float(s) * (factor if k == place else 1.0) for k, s in enumerate(each))
                words = f"a length-scale of coordinate {place + 1} {factor:g} times as long"
                others.append((words, replace(kernel, lengthscale=scales)))
    rest = (1.0 - _AS_TOLD) / len(others) if others else 0.0
    return [(1.0 - rest * len(others), "", kernel(where)), *((rest, words, one(where)) for words, one in others)]


def _log_densities(matrix: Floats, residual: Floats, noise: float, spread: float) -> tuple[Floats, Floats, Floats]:
    r"""Log-density of the values, up to a constant, their chi-square and the shift of the mean, for the grid of alternatives.

    In the basis of eigenvectors of K the covariance :math:`vK+n\sigma^2I+s^2\mathbf 1\mathbf 1^\top` is a diagonal and a rank
    one, so that a grid of (s, v, n) costs one decomposition.
    """
    eigenvalues, vectors = np.linalg.eigh(matrix)
    kept = np.maximum(eigenvalues, 0.0)
    turned, ones = vectors.T @ residual, vectors.sum(axis=0)
    floor = _RESOLVED * len(residual) * max(spread, float(matrix.diagonal().max()))
    jitter = np.maximum(_FACTORS[None, :] * noise, np.maximum(_FACTORS, 1.0)[:, None] * floor)
    diagonal = _FACTORS[:, None, None] * kept + jitter[:, :, None]
    square = (turned**2 / diagonal).sum(axis=-1)
    cross, sum_of_ones = (turned * ones / diagonal).sum(axis=-1), (ones**2 / diagonal).sum(axis=-1)
    shift = (_SHIFTS**2 * spread)[:, None, None]
    inflated = 1.0 + shift * sum_of_ones
    squares = square - shift * cross**2 / inflated
    return -0.5 * (squares + np.log(diagonal).sum(axis=-1) + np.log(inflated)), squares, shift * cross / inflated


def _of_norm(square: float, count: int, norm: float) -> str:
    """The same for a function of norm at most ``norm``."""

    def excess(bound: float) -> float:
        logs = 0.5 * (square - bound**2) * (1.0 - 1.0 / _SQUARES) - 0.5 * count * np.log(_SQUARES)
        return float(np.logaddexp.reduce(logs)) - math.log(len(_SQUARES)) + math.log(LEVEL)

    if excess(norm) < 0:
        return ""
    needed = float(brentq(excess, norm, math.sqrt(square) + norm))
    return (
        f"the {count} values cost a squared norm of {square:,.4g} where {norm**2 + count:,.4g} is expected: "
        f"a norm above {_rounded(needed)}, or more noise, would be plausible"
    )


def _observed(matrix: Floats, residual: Floats, noise: float) -> str:
    """Chi-square of the values, and the one without which it would be small."""
    count = len(residual)
    jitter = max(noise, 1e-10 * float(matrix.diagonal().max()))
    inverse = np.linalg.inv(matrix + jitter * np.eye(count))
    solved = inverse @ residual
    square = float(residual @ solved)
    words = f"the {count} values have chi-square {square:,.4g} where {count} is expected"
    without = solved**2 / inverse.diagonal()  # what the chi-square falls by where a value is left out
    worst = int(np.argmax(without))
    if square > count > 2 and without[worst] > _ALONE * square:
        words += f", nearly all of it from value {worst + 1}"
    return words


def _about(name: str, told: float, factor: float, as_told: bool) -> str:
    return "" if as_told else f"a {name} of about {_rounded(told * factor)}"


def _rounded(number: float) -> str:
    return f"{float(f'{number:.2g}'):,g}"
