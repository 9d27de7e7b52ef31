"""Small problems whose maximum information gain is found by listing every multiset: the oracle of the bounds."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from companion.core.randomness import stream

FAMILIES = ("se", "matern32", "matern52", "low-rank", "random", "identity", "duplicates", "unequal")
NOISES = (1e-4, 1e-2, 0.1, 1.0, 10.0)
COUNT = 280


@dataclass(frozen=True)
class Case:
    family: str
    covariance: np.ndarray
    horizon: int
    noise_variance: float
    gains: np.ndarray  # of every multiset
    multisets: np.ndarray

    @property
    def maximum(self) -> float:
        return float(self.gains.max())

    @property
    def repeats_needed(self) -> bool:
        """Whether every multiset without repeats is strictly worse."""
        distinct = np.array([len(set(row)) == len(row) for row in self.multisets.tolist()])
        return not distinct.any() or float(self.gains[distinct].max()) < self.maximum - 1e-6


def covariance(family: str, size: int, generator: np.random.Generator) -> np.ndarray:
    points = generator.random((size, 2))
    distance = cdist(points, points) / generator.choice([0.05, 0.2, 0.6, 3.0])
    if family == "se":
        return np.exp(-(distance**2) / 2)
    if family == "matern32":
        return (1 + np.sqrt(3) * distance) * np.exp(-np.sqrt(3) * distance)
    if family == "matern52":
        return (1 + np.sqrt(5) * distance + 5 * distance**2 / 3) * np.exp(-np.sqrt(5) * distance)
    if family == "identity":
        return np.eye(size)
    if family == "duplicates":
        twice = np.repeat(points, 2, axis=0)[:size]
        return np.exp(-(cdist(twice, twice) ** 2) / 0.1)
    if family == "unequal":
        return np.diag(10.0 ** generator.uniform(-3, 1, size))
    factor = generator.standard_normal((size, 1 + size // 3 if family == "low-rank" else size))
    return factor @ factor.T


def all_gains(matrix: np.ndarray, horizon: int, noise_variance: float) -> tuple[np.ndarray, np.ndarray]:
    """1/2 log det(I + K_AA / sigma^2) for every multiset A of the given size, straight from the definition."""
    multisets = np.array(list(itertools.combinations_with_replacement(range(len(matrix)), horizon)))
    blocks = matrix[multisets[:, :, None], multisets[:, None, :]] / noise_variance + np.eye(horizon)
    return 0.5 * np.linalg.slogdet(blocks)[1], multisets


def make(number: int) -> Case:
    generator = stream(number, "gain-cases")
    family = FAMILIES[number % len(FAMILIES)]
    size, horizon = int(generator.integers(1, 7)), int(generator.integers(1, 6))
    noise = float(generator.choice(NOISES))
    matrix = covariance(family, size, generator)
    gains, multisets = all_gains(matrix, horizon, noise)
    return Case(family, matrix, horizon, noise, gains, multisets)


CASES = tuple(make(number) for number in range(COUNT))
