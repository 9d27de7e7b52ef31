"""Settings in which the statements of the appendices are checked: priors, designs, and the enumeration of collections."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product

import numpy as np

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import FinitePosterior, grid, kernel_by_name
from companion.information import gain_bracket, greedy_gain, information_gain
from companion.information.gain import gain_by_determinant
from companion.papers.tsrsr.theory import bounds

Points = tuple[int, ...]

#: Kernels of points, with their names in words.
KERNELS = {
    "se": "squared exponential",
    "matern12": "Matérn 1/2",
    "matern32": "Matérn 3/2",
    "matern52": "Matérn 5/2",
    "linear": "linear kernel",
}

#: Covariances without points, with their names in words.
ARMS = {
    "independent": "independent arms",
    "random": "random covariance",
    "opposite": "opposite pairs",
}

PRIORS = KERNELS | ARMS

#: Largest number of candidates whose multisets are enumerated.
ENUMERABLE = 8

CACHED = 1024


@dataclass(frozen=True)
class DesignSetting:
    """A prior on ``size`` candidates, ``initial`` points of a design, and ``extra`` points (m) after it.

    Parameters
    ----------
    prior, dim : a name of :data:`PRIORS`; points of [0, 1]^dim, where it has points
    noise_sd : sigma_n
    extra, initial : m and T_0
    seed : of the candidates, of random designs and of histories
    size : N; a regular grid where it exceeds :data:`ENUMERABLE`
    design : how the T_0 points are chosen, where the statement leaves it open
    """

    prior: str
    dim: int
    noise_sd: float
    extra: int
    initial: int
    seed: int = 0
    size: int = 6
    design: str = "maximum variance"

    @property
    def where(self) -> str:
        """The setting in words."""
        place = f", d = {self.dim}" if self.prior in KERNELS else ""
        design = "" if self.design == "maximum variance" else f" ({self.design})"
        return (
            f"{PRIORS[self.prior]}{place}, {self.size} candidates, noise {self.noise_sd:g}, m = {self.extra}, "
            f"T_0 = {self.initial}{design}, seed {self.seed}"
        )

    @property
    def noise_variance(self) -> float:
        """sigma_n^2."""
        return self.noise_sd**2


@lru_cache(maxsize=CACHED)
def covariance_of(setting: DesignSetting) -> Floats:
    """Prior covariance of the candidates, (N, N), with a largest variance of 1."""
    generator = stream(setting.seed, "tsrsr", "statements", "design", setting.prior, setting.dim)
    size = setting.size
    if setting.prior == "independent":
        return np.eye(size)
    if setting.prior == "opposite":
        return np.kron(np.eye(size // 2), np.array([[1.0, -1.0], [-1.0, 1.0]]))
    if setting.prior == "random":
        root = generator.standard_normal((size, size))
        wishart = root @ root.T
        return np.asarray(wishart / wishart.diagonal().max())
    regular = size > ENUMERABLE
    points = grid(round(size ** (1 / setting.dim)), setting.dim) if regular else generator.random((size, setting.dim))
    if setting.prior == "linear":
        points = points / np.linalg.norm(points, axis=1).max()
        return np.asarray(points @ points.T)
    return np.asarray(kernel_by_name(setting.prior, 0.2 if regular else 0.4)(points))


def conditioned(covariance: Floats, points: Points, noise_variance: float) -> Floats:
    """Posterior covariance after noisy observations at ``points``, repeats allowed, by one dense solve."""
    if not points:
        return covariance
    at = list(points)
    gram = covariance[np.ix_(at, at)] + noise_variance * np.eye(len(at))
    return np.asarray(covariance - covariance[:, at] @ np.linalg.solve(gram, covariance[at]))


@lru_cache(maxsize=CACHED)
def design_of(setting: DesignSetting, how: str) -> Points:
    """Indices of the T_0 points: of largest posterior variance (Lemma 11), ``"random"`` or ``"one point repeated"``."""
    if setting.initial == 0:
        return ()
    if how == "one point repeated":
        return (0,) * setting.initial
    if how == "random":
        generator = stream(setting.seed, "tsrsr", "statements", "random design")
        return tuple(int(index) for index in generator.integers(setting.size, size=setting.initial))
    posterior = FinitePosterior(covariance_of(setting), setting.noise_variance, capacity=setting.initial)
    return tuple(int(index) for index in posterior.select_max_variance(setting.initial)[0])


@dataclass(frozen=True, eq=False)
class Enumeration:
    """All ways to add m points after the design.

    Parameters
    ----------
    ratio : (H, M, N) sigma(x) / sigma(x | A) after history h, for the M collections A and the points x; history 0 is empty
    information : (H, M) I(f; y_A | design, history h)
    """

    ratio: Floats
    information: Floats


@lru_cache(maxsize=CACHED)
def enumerated(setting: DesignSetting, how: str, repeats: bool = True) -> Enumeration:
    """Every collection of m points, with or without repeats, after no history, every single point, and random ones.

    Fewer than m points need not be enumerated: a further one raises both ratio and information.
    """
    collect = combinations_with_replacement if repeats else combinations
    added = np.array(list(collect(range(setting.size), setting.extra)))
    generator = stream(setting.seed, "tsrsr", "statements", "histories")
    longer = [tuple(int(i) for i in generator.integers(setting.size, size=n)) for n in (2, 3, 5, 12)]
    histories: list[Points] = [(), *((index,) for index in range(setting.size)), *longer]
    prior, design, noise = covariance_of(setting), design_of(setting, how), setting.noise_variance
    ratios, gains = [], []
    for history in histories:
        current = conditioned(prior, design + history, noise)
        among = current[added[:, :, None], added[:, None, :]] + noise * np.eye(added.shape[1])
        cross = current[added]
        variance = current.diagonal()
        after = variance - np.sum(cross * np.linalg.solve(among, cross), axis=1)
        ratios.append(np.sqrt(variance / after))
        gains.append(gain_by_determinant(current[added[:, :, None], added[:, None, :]], noise))
    return Enumeration(np.array(ratios), np.array(gains))


@lru_cache(maxsize=CACHED)
def remaining(setting: DesignSetting, how: str, repeats: bool = True) -> tuple[float, float]:
    """rho_m(D) and C_m(D): enumerated on few candidates, else the closed form and a greedy collection's information.

    The latter two are those with repeats, so that without them there have to be few candidates.
    """
    if setting.size <= ENUMERABLE:
        found = enumerated(setting, how, repeats)
        return float(found.ratio.max()), float(found.information[0].max())
    posterior = conditioned(covariance_of(setting), design_of(setting, how), setting.noise_variance)
    posterior = (posterior + posterior.T) / 2.0
    greedy = greedy_gain(posterior, setting.extra, setting.noise_variance)
    ratio = bounds.variance_ratio(setting.extra, setting.noise_variance, float(posterior.diagonal().max()))
    return ratio, float(greedy.gains[-1])


@lru_cache(maxsize=CACHED)
def certified_gain(setting: DesignSetting, points: int) -> float:
    """Upper end of the bracket on the maximum information gain of ``points`` points, repeats allowed."""
    return gain_bracket(covariance_of(setting), points, setting.noise_variance).upper


@lru_cache(maxsize=CACHED)
def gain_of_sets(setting: DesignSetting, points: int) -> float:
    """The maximum information gain over all sets of at most ``points`` candidates, by enumeration."""
    prior, noise = covariance_of(setting), setting.noise_variance
    sets = combinations(range(setting.size), min(points, setting.size))
    return max(information_gain(prior, chosen, noise) for chosen in sets)


def small_settings(initials: tuple[int, ...], most: int) -> list[DesignSetting]:
    """Six candidates: all priors, three dimensions, five noise levels including the paper's, and m from 1 to ``most``."""
    noises = (0.001, 0.1, 0.3, 1.0, 10.0)
    kernels = [
        DesignSetting(
            prior, dim, noises[place % 5], 1 + place % most, initials[(place // 2) % len(initials)], seed=place
        )
        for place, (dim, prior, _) in enumerate(product((1, 2, 3), KERNELS, range(2)))
    ]
    arms = [
        DesignSetting(prior, 1, noise, extra, initials[place % len(initials)], seed=place)
        for place, (prior, noise, extra) in enumerate(product(ARMS, noises, (1, min(3, most))))
    ]
    return kernels + arms
