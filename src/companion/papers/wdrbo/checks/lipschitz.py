"""Statements: which kernels have Lipschitz features (Assumption 1, Section 7.1, Lemma 11)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from companion.checks.cases import Case, at_most
from companion.checks.instance import Instance
from companion.checks.statement import need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import kernel_by_name
from companion.gp.kernels import Matern
from companion.papers.wdrbo.theory.games import TITLES, kernel_lipschitz

#: Distances of pairs, in length-scales. Closer ones lose the difference 2 - 2k to rounding.
SPACINGS = np.logspace(-3, 1, 60)


@dataclass(frozen=True)
class Family:
    """A stationary kernel on R^dim; one length-scale, or one for every coordinate."""

    kernel: str
    lengthscale: float | tuple[float, ...]
    dim: int

    @property
    def scales(self) -> tuple[float, ...]:
        """The length-scales; the shortest is that of the steepest direction."""
        return self.lengthscale if isinstance(self.lengthscale, tuple) else (self.lengthscale,)

    @property
    def where(self) -> str:
        """The kernel in words."""
        return f"{TITLES[self.kernel]}, d = {self.dim}, length-scale {', '.join(f'{scale:g}' for scale in self.scales)}"

    def ratios(self) -> Floats:
        """Feature distance over Euclidean distance for pairs along every axis and in 20 random directions."""
        kernel = kernel_by_name(self.kernel, self.lengthscale)
        random = stream(0, "wdrbo", "statements", "directions", self.dim).standard_normal((20, self.dim))
        directions = np.vstack([np.eye(self.dim), random / np.linalg.norm(random, axis=1, keepdims=True)])
        steps = (min(self.scales) * SPACINGS[:, None, None] * directions).reshape(-1, self.dim)
        covariance = kernel(steps, np.zeros((1, self.dim)))[:, 0]
        return np.asarray(np.sqrt(2.0 - 2.0 * covariance) / np.linalg.norm(steps, axis=1))


def families() -> Iterator[Family]:
    """Three kernels, one and three dimensions, short and long length-scales, and one for every coordinate."""
    for kernel in ("se", "matern32", "matern52"):
        for dim in (1, 3):
            for scale in (0.05, 0.3, 1.0, 3.0):
                yield Family(kernel, scale, dim)
        yield Family(kernel, (0.1, 0.5, 2.0), 3)


SMOOTH = need(
    "k(., z) twice differentiable at z, which Matérn 1/2 is not",
    lambda family: math.isfinite(kernel_lipschitz(family.kernel, 1.0)),
    Family("matern12", 0.3, 1),
)


@statement(
    "assump-1",
    "inequality",
    families,
    SMOOTH,
    teeth={"0.999 of the constant": {"share": 0.999}, "mean length-scale in place of the shortest": {"scale": np.mean}},
)
def assump_1(family: Family, *, share: float = 1.0, scale: Callable[[tuple[float, ...]], float] = min) -> Case:
    r"""There is an $L$ with $\norm{k(\cdot,z)-k(\cdot,z')}_k\le L\norm{z-z'}$ for all $z,z'$

    :math:`L=\sqrt{-r''(0)}`, for all distances, because :math:`1-\cos u\le u^2/2` under the spectral measure. Left is the
    largest ratio over pairs 0.001 to 10 length-scales apart.
    """
    constant = share * kernel_lipschitz(family.kernel, float(scale(family.scales)))
    return at_most(float(family.ratios().max()), constant, family.where)


# -- Section 7.1 -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Profile:
    """A kernel r(s) of the distance, with the constant of Section 7.1 and the correct one.

    Parameters
    ----------
    name : in words
    shape : r
    claimed : the constant of Section 7.1 (None: only that there is one)
    constant : :math:`\\sqrt{-r''(0)}`
    bent : r'', for Lemma 11
    """

    name: str
    shape: Callable[[Floats], Floats]
    claimed: float | None
    constant: float
    bent: Callable[[Floats], Floats] | None = None
    smooth: bool = True

    def ratios(self, spacings: Floats = SPACINGS) -> Floats:
        """Feature distance over distance."""
        top = float(self.shape(np.zeros(1))[0])
        return np.asarray(np.sqrt(np.maximum(2.0 * top - 2.0 * self.shape(spacings), 0.0)) / spacings)


def _matern(smoothness: float, lengthscale: float, claimed: float | None) -> Profile:
    kernel = Matern(smoothness, lengthscale)
    constant = math.sqrt(smoothness / (smoothness - 1.0)) / lengthscale if smoothness > 1 else math.inf
    name = f"Matérn {smoothness * 2:.0f}/2, sqrt(2 nu) r / l, l = {lengthscale:g}"
    return Profile(name, lambda s: kernel.radial((s / lengthscale) ** 2), claimed, constant, smooth=smoothness > 1)


def parametrisations() -> tuple[Profile, ...]:
    """Both kernels of Section 7.1 as one may write them, at the length-scales of the experiments, and smoother Matérns."""
    return (
        Profile("exp(-s^2/2)", lambda s: np.exp(-(s**2) / 2), 1.0, 1.0),
        Profile("(1 + s) exp(-s)", lambda s: (1 + s) * np.exp(-s), 1.0, 1.0),
        Profile("exp(-s^2)", lambda s: np.exp(-(s**2)), 1.0, math.sqrt(2.0)),
        Profile("exp(-s^2/2l^2), l = 0.3", lambda s: np.exp(-((s / 0.3) ** 2) / 2), 1.0, 1 / 0.3),
        Profile("exp(-s^2/2l^2), l = 3", lambda s: np.exp(-((s / 3.0) ** 2) / 2), 1.0, 1 / 3.0),
        *(_matern(1.5, scale, 1.0) for scale in (0.05, 1.0, 3.0)),
        *(_matern(nu, scale, None) for nu in (2.5, 3.5, 4.5) for scale in (0.3, 1.0)),
    )


def of_the_source() -> tuple[Profile, ...]:
    """Both kernels as the source of Section 7.1 writes them, at unit scale, and smoother Matérns."""
    return tuple(profile for profile in parametrisations() if profile.claimed in (None, profile.constant))


def claimed(profile: Profile) -> float:
    """L = 1 where Section 7.1 says so; elsewhere it says only that there is one."""
    return profile.constant if profile.claimed is None else profile.claimed


@statement(
    "rem-7.1",
    "inequality",
    of_the_source,
    need(r"$\nu\ge\frac32$", lambda profile: profile.smooth, _matern(0.5, 1.0, None)),
    teeth={"0.999 of the constants": {"share": 0.999}, "L = 1 for every kernel": {"constant": lambda profile: 1.0}},
    depends="assump-1",
)
def rem_7_1(profile: Profile, *, constant: Callable[[Profile], float] = claimed, share: float = 1.0) -> Case:
    r"""Assumption 1 holds with $L=1$ for the SE and the Matérn-3/2 kernel (Van Waarde and Sepulchre, 2022, Proposition 2),
    and for every Matérn kernel with $\nu=p+\frac12$, $p\ge1$

    Left is the largest ratio of feature distance to distance, over distances from 0.001 to 10.
    """
    return at_most(float(profile.ratios().max()), share * constant(profile), profile.name)


# -- Lemma 11 ----------------------------------------------------------------------------------------------------------


class Cut(Instance, words="{profile.name}, epsilon = {epsilon:g}"):
    """A kernel r with its second derivative, and the epsilon of the proof."""

    profile: Profile
    epsilon: float


def bent_profiles() -> tuple[Profile, ...]:
    """Five kernels with their second derivatives."""
    root3, root5 = math.sqrt(3.0), math.sqrt(5.0)
    return (
        Profile("exp(-s^2/2)", lambda s: np.exp(-(s**2) / 2), 1.0, 1.0, lambda s: (s**2 - 1) * np.exp(-(s**2) / 2)),
        Profile(
            "4 exp(-2 s^2)", lambda s: 4 * np.exp(-2 * s**2), None, 4.0, lambda s: (64 * s**2 - 16) * np.exp(-2 * s**2)
        ),
        Profile(
            "Matérn 3/2",
            lambda s: (1 + root3 * s) * np.exp(-root3 * s),
            None,
            root3,
            lambda s: 3 * (root3 * s - 1) * np.exp(-root3 * s),
        ),
        Profile(
            "Matérn 5/2",
            lambda s: (1 + root5 * s + 5 * s**2 / 3) * np.exp(-root5 * s),
            None,
            math.sqrt(5 / 3),
            lambda s: 5 / 3 * (5 * s**2 - root5 * s - 1) * np.exp(-root5 * s),
        ),
        Profile(
            "1 / (1 + s^2)", lambda s: 1 / (1 + s**2), None, math.sqrt(2), lambda s: (6 * s**2 - 2) / (1 + s**2) ** 3
        ),
    )


_ROUGH = Profile("exp(-s)", lambda s: np.exp(-s), None, math.inf, lambda s: np.exp(-s), smooth=False)


def cuts() -> Iterator[Cut]:
    """Five kernels, epsilon from 0.1 to 5."""
    for profile in bent_profiles():
        for epsilon in (0.1, 0.5, 1.0, 2.0, 5.0):
            yield Cut(profile, epsilon)


@statement(
    "lemma-11",
    "inequality",
    cuts,
    need(r"$r'(0)=0$", lambda cut: cut.profile.smooth, Cut(_ROUGH, 1.0)),
    teeth={
        "the first entry alone": {"near": lambda curve: 0.0},
        "the curvature at the end of the interval": {"near": itemgetter(-1)},
        "0.999 of M": {"share": 0.999},
    },
)
def lemma_11(cut: Cut, *, near: Callable[[Floats], float] = np.max, far: float = 2.0, share: float = 1.0) -> Case:
    r"""$k=r(\norm{x-x'})$ positive definite, $r$ twice continuously differentiable near 0 with $r'(0)=0$: $d(x,x')\le
    M\norm{x-x'}$, $M=\max\{2\sqrt{r(0)}/\epsilon,\max_{[0,\epsilon]}\sqrt{-r''}\}$

    With the positive part under the root. Left is the largest d/s over distances from 0.001 to 10.
    """
    assert cut.profile.bent is not None
    curve = -cut.profile.bent(np.linspace(0.0, cut.epsilon, 2001))
    first = far * math.sqrt(float(cut.profile.shape(np.zeros(1))[0])) / cut.epsilon
    bound = share * max(first, math.sqrt(max(float(near(curve)), 0.0)))
    return at_most(float(cut.profile.ratios().max()), bound, cut.where)
