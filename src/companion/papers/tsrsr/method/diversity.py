"""Repetition of points within a batch: all rules on common posteriors (Sections 1 and 2).

A posterior comes from a few noisy values of a prior draw on equally spaced points of [0, 1]. Every rule chooses one batch
on it, so a difference between rules is not one between the data they gathered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

from companion.core.randomness import stream
from companion.gp import FinitePosterior, gp_draw, grid, kernel_by_name
from companion.papers.tsrsr.method.round import DenseRound
from companion.papers.tsrsr.method.rules import (
    BUCB,
    DPPTS,
    TSRSR,
    UCBPE,
    BatchTS,
    BelieverEI,
    Rule,
    StochasticPolicy,
    draws_width,
)

#: Of the comparison: kernel and length-scale of the draw, candidates, observations, their noise, size of a batch.
PARAMETERS: dict[str, Any] = {
    "kernel": "se",
    "lengthscale": 0.1,
    "points": 60,
    "data": 8,
    "noise": 0.1,
    "batch_size": 10,
}

RULES: Mapping[str, Rule] = {
    "ts-rsr": TSRSR(),
    "bucb": BUCB(draws_width),
    "ucbpe": UCBPE(draws_width),
    "ts": BatchTS(),
    "sp": StochasticPolicy(initial=PARAMETERS["data"]),
    "qei": BelieverEI(),
    "dpp-ts": DPPTS(),
}


def posterior_round(seed: int, p: Mapping[str, Any]) -> tuple[DenseRound, np.ndarray]:
    """The round of one seed, and the candidates (N, 1).

    Parameters
    ----------
    seed : decides the function, the observed points and the noise
    p : as :data:`PARAMETERS`
    """
    points = grid(int(p["points"]), 1)
    kernel = kernel_by_name(p["kernel"], p["lengthscale"])
    generator = stream(seed, "tsrsr", "diversity", "data")
    values = gp_draw(kernel, points, generator)
    seen = generator.choice(len(points), size=int(p["data"]), replace=False)
    observed = values[seen] + p["noise"] * generator.standard_normal(len(seen))
    posterior = FinitePosterior(kernel(points), p["noise"] ** 2)
    for index, value in zip(seen, observed, strict=True):
        posterior.observe(int(index), float(value))
    covariance = np.stack([np.asarray(posterior.covariance_with(index)) for index in range(len(points))])
    return (
        DenseRound(0, posterior.mean[0], (covariance + covariance.T) / 2, p["noise"] ** 2, float(observed.max())),
        points,
    )


def compare(seed: int, p: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Share of distinct points, and mean distance of two points of the batch, for every rule on one posterior."""
    current, points = posterior_round(seed, p)
    found = {}
    for name, rule in RULES.items():
        chosen = rule.choose(current, int(p["batch_size"]), stream(seed, "tsrsr", "diversity", name))
        found[name] = {
            "distinct": len(set(chosen.tolist())) / len(chosen),
            "distance": float(pdist(points[chosen]).mean()),
        }
    return found
