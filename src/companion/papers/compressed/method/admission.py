r"""Admission of points to the model: the rule (2.11)/(2.12), and the other readings of its wording.

Every reading is a threshold on the posterior variance at the selected point, known before anything is evaluated. With
noise variance :math:`\sigma^2` and budget :math:`\epsilon`, the information that an observation brings exceeds
:math:`\epsilon` exactly if the variance exceeds :math:`\bar\tau=\sigma^2u`, :math:`u=e^{2\epsilon}-1`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from companion.core.errors import ParameterError, non_negative, positive_number, whole_number

READINGS = ("dense", "info", "unit", "raw")


@dataclass(frozen=True)
class Admission:
    """Keep a point if the posterior variance there exceeds a threshold.

    Parameters
    ----------
    reading : one of :data:`READINGS`
    threshold : of the variance, in squared units of f; negative keeps everything
    """

    reading: str
    threshold: float

    def admits(self, variance: Any) -> Any:
        """Whether a point with this posterior variance is kept; of an array, for each."""
        return variance > self.threshold


def dense() -> Admission:
    """Keeps everything: the uncompressed algorithms."""
    return Admission("dense", -1.0)


def information(epsilon: float, noise_variance: float) -> Admission:
    r"""The paper's rule (2.12): :math:`\frac12\log(1+\sigma_D^2(x_t)/\sigma^2)>\epsilon`, the only one with a theorem."""
    return Admission(
        "info", positive_number("noise_variance", noise_variance) * math.expm1(2.0 * non_negative("epsilon", epsilon))
    )


def unit_noise(epsilon: float) -> Admission:
    r"""The rule with the noise factor dropped, as in (3.1): :math:`\sigma_D^2(x_t)>e^{2\epsilon}-1`."""
    return Admission("unit", math.expm1(2.0 * non_negative("epsilon", epsilon)))


def raw_entropy(epsilon: float, noise_variance: float) -> Admission:
    r"""The wording "conditional entropy exceeds epsilon": :math:`\frac12\log(2\pi e(\sigma^2+\sigma_D^2(x_t)))>\epsilon`."""
    entropy = math.exp(2.0 * non_negative("epsilon", epsilon)) / (2.0 * math.pi * math.e)
    return Admission("raw", entropy - positive_number("noise_variance", noise_variance))


def by_reading(reading: str, epsilon: float, noise_variance: float) -> Admission:
    """The rule of a reading, one of :data:`READINGS`."""
    if reading == "dense":
        return dense()
    if reading == "info":
        return information(epsilon, noise_variance)
    if reading == "unit":
        return unit_noise(epsilon)
    if reading == "raw":
        return raw_entropy(epsilon, noise_variance)
    raise ParameterError("reading", f"got {reading!r}", f"one of {', '.join(READINGS)}")


def horizon_budget(horizon: int, alpha: float) -> float:
    r"""The budget of Theorem 3.1 for T rounds: :math:`\epsilon=\frac12\log(1+T^{-\alpha})`, so that :math:`u=T^{-\alpha}`.

    Parameters
    ----------
    horizon : T
    alpha : at least 0; the theorem has it in (0, 1/p)
    """
    non_negative("alpha", alpha)
    return 0.5 * math.log1p(float(whole_number("horizon", horizon)) ** -alpha)
