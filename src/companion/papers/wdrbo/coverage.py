"""How far a sample's empirical law is from the law it comes from, beside the radius of the experiments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from companion.errors import ParameterError
from companion.papers.wdrbo.laws import BurrXII, ClippedNormal, ContextLaw, Uniform
from companion.papers.wdrbo.newsvendor import SHAPE
from companion.papers.wdrbo.transport import sample_distance, sample_distance_in_space
from companion.randomness import stream

LAWS = {
    "clipped normal": ContextLaw((ClippedNormal(0.5, 0.2),)),
    "uniform": ContextLaw((Uniform(),)),
    "burr": ContextLaw((BurrXII(2.0, SHAPE),)),
    "clipped normal, twice": ContextLaw((ClippedNormal(0.5, 0.2), ClippedNormal(0.5, 0.2))),
    "uniform, twice": ContextLaw((Uniform(), Uniform())),
}
"""The laws of the seven problems' contexts."""
COUNTS = (5, 10, 20, 50, 100)
PLANE_COUNTS = (4, 8, 16, 32, 64, 128)
"""Sample sizes in one coordinate and in two, where they have to divide 512."""


def counts(law: str) -> tuple[int, ...]:
    """Sample sizes that are looked at for a law.

    Raises
    ------
    ParameterError
        for an unknown law
    """
    if law not in LAWS:
        raise ParameterError("law", f"got {law!r}", f"one of {', '.join(LAWS)}")
    return COUNTS if LAWS[law].dim == 1 else PLANE_COUNTS


def distances(law: str, seed: int, draws: int) -> dict[str, Any]:
    """Wasserstein distances of ``draws`` samples for each sample size: a list of lists, one list a size."""
    chosen, generator = LAWS[law], stream(seed, "wdrbo", "coverage")
    found = []
    for count in counts(law):
        samples = [chosen.sample(generator, count) for _ in range(draws)]
        if chosen.dim == 1:
            found.append([sample_distance(sample[:, 0], chosen.marginals[0]) for sample in samples])
        else:
            found.append([sample_distance_in_space(sample, chosen) for sample in samples])
    return {"distances": found}


def lemma_7_radius(count: int, decisions: int, contexts: int, delta: float = 0.1, log_covering: float = 0.0) -> float:
    r"""epsilon_t of (16), :math:`\sqrt{2D_{\mathcal C}^2(\log\frac1\delta+d_x\log(1+2tD_{\mathcal X})+\log\mathcal N)/t}`.

    Unit boxes, so that the diameters are square roots of the dimensions. A covering number is at least one: with the
    default ``log_covering`` this is the least that the formula can give, whatever the class of functions.

    Parameters
    ----------
    count : t
    decisions, contexts : d_x and d_c
    delta : failure probability
    log_covering : log of the covering number, nats
    """
    if not 0 < delta < 1:
        raise ParameterError("delta", f"got {delta!r}", "a number in (0, 1)")
    inside = math.log(1.0 / delta) + decisions * math.log(1.0 + 2.0 * count * math.sqrt(decisions)) + log_covering
    return float(np.sqrt(2.0 * contexts * inside / count))
