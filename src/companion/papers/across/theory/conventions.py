"""Quantities that people give in another convention than the one here: each is refused by its name, with what to give instead."""

from __future__ import annotations

from collections.abc import Iterable

from companion.core.errors import ParameterError, nearest

_SD = "Give noise_sd, the standard deviation: the root of the variance"
_GAIN = "Give nothing: the largest gain is computed and certified here, in nats, 1/2 log det(I + K / noise_sd^2)"
_REALISED = f"{_GAIN}. For points that were in fact chosen give realised_gain, half their log det"
_WIDTH = "Give nothing: every paper's own width is computed. It multiplies the posterior sd, and is the root of most papers' beta"
_UNIT = (
    "Use a kernel with variance 1: divide f, the noise and the bound by the prior standard deviation; the norm stays"
)
_HORIZON = "Give horizon, the number of evaluations: rounds times the batch size"
_DELTA = "Give delta, the probability of failure: one minus the confidence"
_BATCH = "Give batch, the number of evaluations in a batch"
_SCALES = "Give lengthscale: one number, or one for each coordinate"

#: By name: what to give instead.
WRONG: dict[str, str] = {
    "noise_variance": _SD,
    "noise_var": _SD,
    "sigma2": _SD,
    "variance": f"{_SD}. {_UNIT}",
    "precision": "Give noise_sd, the standard deviation: one over the root of the precision",
    "snr": "Give noise_sd, the standard deviation, in units of the prior's: one over the root of the ratio of variances",
    "gain": _REALISED,
    "gamma": f"{_REALISED}. A kernel's gamma is 1 / (2 lengthscale^2)",
    "information_gain": _REALISED,
    "log_det": _REALISED,
    "logdet": _REALISED,
    "beta": _WIDTH,
    "sqrt_beta": _WIDTH,
    "width": _WIDTH,
    "kappa": _WIDTH,
    "confidence": _DELTA,
    "level": _DELTA,
    "rounds": _HORIZON,
    "iterations": _HORIZON,
    "steps": _HORIZON,
    "budget": f"{_HORIZON}; or alpha, the exponent of the compressed budget",
    "batch_size": _BATCH,
    "q": _BATCH,
    "epsilon": "Give alpha, the exponent of the compressed budget, or radius, of the ball of laws",
    "lam": "Give regulariser",
    "nu": "Give the kernel by name: matern12, matern32 or matern52",
    "lengthscales": _SCALES,
    "ls": _SCALES,
    "outputscale": _UNIT,
    "amplitude": _UNIT,
    "prior_variance": _UNIT,
    "norm_squared": "Give norm, not its square",
    "rkhs_norm": "Give norm",
    "correlation": "Give covariance, with the prior variances on its diagonal",
}


def refuse(given: str, known: Iterable[str]) -> ParameterError:
    """The error for an argument that there is not.

    Parameters
    ----------
    given : as the caller wrote it, ``noise_variance`` or ``--noise-variance``
    known : arguments that there are
    """
    bare = given.strip("-").replace("-", "_").lower()
    if bare in WRONG:
        return ParameterError(given, "is another convention than the one here", remedy=WRONG[bare])
    return ParameterError(given, "is not an argument", f"one of {', '.join(known)}", nearest(given, known))


def check_delta(delta: float) -> None:
    """Refuse a percentage or a level of confidence in the place of a probability of failure.

    Raises
    ------
    ParameterError
        unless it lies between 0 and one half
    """
    expected = "a probability of failure in (0, 0.5]"
    if 1.0 <= delta <= 100.0:
        share = delta / 100.0 if delta < 50.0 else 1.0 - delta / 100.0
        raise ParameterError("delta", f"got {delta:g}, which looks like a percentage", expected, f"Is it {share:g}?")
    if 0.5 < delta < 1.0:
        problem = f"got {delta:g}, which looks like a level of confidence"
        raise ParameterError("delta", problem, expected, f"Is it {1.0 - delta:g}?")
    if not 0.0 < delta <= 0.5:
        raise ParameterError("delta", f"got {delta!r}", expected)
