r"""The first rounds on a very rough function, where the confidence parameter of Lemma 8.7 is least generous.

With length-scale l on [0, 1] the maximum of a draw is about :math:`\sqrt{2\log(1/(2\pi l))}`, and the parameter of the lemma is
about :math:`2\log(1/l)`: the ratio of the square to it tends to one as l falls, so that half of it is not enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import fft

from companion.checks.instance import Instance
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.papers.compressed.method import admission
from companion.papers.compressed.theory import bounds

#: Distance of the points that a function is drawn at, in length-scales. Between them it may be larger, which could only
#: make more runs fail.
SPACING = 0.4

#: Points beyond which the kernel is below 2e-22.
REACH = 25


class Rough(Instance, words="UCB, SE, d = 1, rough, noise {noise_sd:g}, T = {horizon}, {runs} runs"):
    """UCB for draws of the squared exponential prior on [0, 1], every candidate far from the data being as good as new."""

    lengthscale: float
    delta: float = 0.3
    horizon: int = 6
    noise_sd: float = 0.1
    runs: int = 120
    kernel: str = "se"
    dim: int = 1
    alpha: float = 0.5
    acquisition: str = "ucb"
    variance: float = 1.0
    compact: bool = True
    form: str = "grid"

    @property
    def rounds(self) -> Floats:
        """(T,) 1..T."""
        return np.arange(1.0, self.horizon + 1.0)

    @property
    def tails(self) -> tuple[float, float]:
        """(a, b) of the derivative tails."""
        return bounds.derivative_tail(self.lengthscale)


@dataclass(frozen=True, eq=False)
class FirstRounds:
    """Of R runs and T rounds: the maximum (R,), and posterior mean and standard deviation at [x*]_t (R, T)."""

    top: Floats
    near_mean: Floats
    near_sd: Floats


def _draws(rough: Rough, generator: np.random.Generator) -> Floats:
    """(2, N) two independent draws at the points, by the Fourier transform of a ring that is longer by their reach."""
    count = math.ceil(1.0 / (SPACING * rough.lengthscale))
    ring = fft.next_fast_len(count + 2 * REACH)
    steps = np.minimum(np.arange(ring), ring - np.arange(ring))
    powers = np.maximum(fft.fft(np.exp(-0.5 * (SPACING * steps) ** 2)).real, 0.0)
    normal = generator.standard_normal(ring) + 1j * generator.standard_normal(ring)
    drawn = fft.fft(np.sqrt(powers / ring) * normal)[:count]
    return np.array([drawn.real, drawn.imag])


def _posterior(at: Floats, seen: Floats, values: Floats, noise: float) -> tuple[Floats, Floats]:
    """Mean and sd at positions in length-scales."""
    if not len(seen):
        return np.zeros(len(at)), np.ones(len(at))
    gram = np.exp(-0.5 * np.subtract.outer(seen, seen) ** 2) + noise * np.eye(len(seen))
    cross = np.exp(-0.5 * np.subtract.outer(seen, at) ** 2)
    weights = np.linalg.solve(gram, cross)
    return weights.T @ values, np.sqrt(np.maximum(1.0 - np.sum(cross * weights, axis=0), 0.0))


@cache
def first_rounds(rough: Rough) -> FirstRounds:
    r"""The runs; [x*]_t lies on the grid of Lemma 8.7, with :math:`\lceil\tau_t\rceil` points."""
    generator = stream(0, "compressed", "rough", f"{rough.lengthscale:g}", rough.form)
    beta = bounds.compact_beta(rough.rounds, 1, 1.0, *rough.tails, rough.delta, form=rough.form, unchecked=True)
    cells = np.ceil(bounds.grid_per_axis(rough.rounds, 1, 1.0, *rough.tails, rough.delta, union=2))
    rule = admission.information(admission.horizon_budget(rough.horizon, rough.alpha), rough.noise_sd**2)
    shape = (rough.runs, rough.horizon)
    top, near_mean, near_sd = np.zeros(rough.runs), np.zeros(shape), np.zeros(shape)
    pair = np.zeros((0, 0))
    for run in range(rough.runs):
        pair = _draws(rough, generator) if run % 2 == 0 else pair
        f = pair[run % 2]
        star = int(np.argmax(f))
        top[run] = f[star]
        seen: list[int] = []
        observed: list[float] = []
        for t in range(rough.horizon):
            positions, values = SPACING * np.array(seen, float), np.array(observed)
            # Far from the data all candidates are tied; one of them stands for all.
            fresh = (t + 1) * len(f) // (rough.horizon + 1)
            around = [np.arange(max(i - REACH, 0), min(i + REACH + 1, len(f))) for i in seen]
            candidates = np.unique(np.concatenate([*around, [fresh]]))
            mean, spread = _posterior(SPACING * candidates, positions, values, rough.noise_sd**2)
            pick = int(np.argmax(mean + math.sqrt(beta[t]) * spread))
            at = SPACING * rough.lengthscale * star
            near = (min(math.floor(at * cells[t]), cells[t] - 1) + 0.5) / cells[t] / rough.lengthscale
            found = _posterior(np.array([near]), positions, values, rough.noise_sd**2)
            near_mean[run, t], near_sd[run, t] = found[0][0], found[1][0]
            if rule.admits(spread[pick] ** 2):
                seen.append(int(candidates[pick]))
                observed.append(float(f[candidates[pick]] + rough.noise_sd * generator.standard_normal()))
    return FirstRounds(top, near_mean, near_sd)
