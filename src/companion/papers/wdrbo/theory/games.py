"""Configurations of the simulator: grids of decisions and contexts, functions of known norm, laws of the contexts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from companion.core.arrays import Floats
from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.gp import grid, kernel_by_name, rkhs_expansion
from companion.gp.kernels import KERNEL_TITLES
from companion.papers.wdrbo.problems.general import TOLD, TRUE, GeneralExample

TITLES = {
    **KERNEL_TITLES,
    "independent": "independent arms",
}
#: Of choosing x: (13); the worst case (8); (13) with a constant from few pairs of contexts; no penalty; the third best of
#: the sampled rule.
RULES = ("lipschitz", "exact", "sampled", "nominal", "rough")

#: Pairs of contexts from which ``rule="sampled"`` takes the Lipschitz constant: too few, on purpose.
SAMPLED_PAIRS = 3


@dataclass(frozen=True)
class Game:
    """``runs`` runs of T rounds of one configuration; the default is the statements' standard instance.

    Parameters
    ----------
    kernel, lengthscale : on the joint space of decisions and contexts; ``"independent"``: no two points share anything
    decisions, contexts : points per axis
    decision_dim, context_dim : numbers of axes, each [0, 1]
    lam, noise, norm, delta : lambda, R, B and delta
    horizon, runs : T and the number of runs
    setting : ``"general"``: the centre moves with t and the truth lies in the ball; ``"data"``: a fixed truth, the centre
        is made of the t - 1 contexts seen (uniform in the first round)
    radius, decay : epsilon_t = radius t^-decay; in the data-driven setting radius (t - 1)^-decay, and the diameter first
    truth : in the general setting: ``"worst"`` law of the ball for the chosen decision, or the ``"centre"``; in both:
        ``"figure 1"``: reference and truth are bells with the parameters of Figure 1, the same in all rounds
    rule : one of :data:`RULES`
    function : ``"expansion"`` of 8 kernel translates with norm B, or ``"last"``: B k(., z_N), or ``"figure 1"``: the reward
        of Figure 1, with the decision for |y|, whose norm on the grid must not exceed B
    law : of the noise, ``"normal"`` or ``"sign"`` (both are R-sub-Gaussian)
    """

    kernel: str = "se"
    lengthscale: float = 0.3
    decisions: int = 12
    contexts: int = 12
    decision_dim: int = 1
    context_dim: int = 1
    lam: float = 1.0
    noise: float = 0.1
    norm: float = 1.0
    delta: float = 0.1
    horizon: int = 60
    runs: int = 100
    setting: str = "general"
    radius: float = 0.1
    decay: float = 0.0
    truth: str = "worst"
    rule: str = "lipschitz"
    function: str = "expansion"
    law: str = "normal"
    seed: int = 0

    @property
    def where(self) -> str:
        """The configuration in words."""
        dims = "" if self.kernel == "independent" else f", d = {self.decision_dim}+{self.context_dim}"
        ball = f"radius {self.radius:g}" + (f" t^-{self.decay:g}" if self.decay else "")
        more = "" if self.rule == "lipschitz" else f", {self.rule} rule"
        return (
            f"{TITLES[self.kernel]}{dims}, lambda = {self.lam:g}, R = {self.noise:g}, B = {self.norm:g}, "
            f"{'data-driven' if self.setting == 'data' else 'general'}, {ball}{more}, T = {self.horizon}, {self.runs} runs"
        )

    @property
    def size(self) -> int:
        """N, the number of pairs."""
        return len(decisions_of(self)) * len(contexts_of(self))

    @property
    def context_diameter(self) -> float:
        """Largest distance of two contexts; 0 for a single one."""
        return math.sqrt(self.context_dim) if self.contexts > 1 else 0.0

    @property
    def lipschitz(self) -> float:
        """L of Assumption 1."""
        return kernel_lipschitz(self.kernel, self.lengthscale)

    def radius_at(self, t: int) -> float:
        """epsilon_t of round t = 1, 2, ..."""
        if self.setting == "general":
            return self.radius * t**-self.decay
        return self.radius * (t - 1) ** -self.decay if t > 1 else self.context_diameter


def kernel_lipschitz(kernel: str, lengthscale: float) -> float:
    r"""Smallest L of Assumption 1, :math:`\sqrt{-r''(0)}`: 1/l for SE, :math:`\sqrt{\nu/(\nu-1)}/l` for Matérn.

    Infinite for Matérn 1/2 and for independent points of a continuum.
    """
    if kernel == "se":
        return 1.0 / lengthscale
    smoothness = {"matern32": 1.5, "matern52": 2.5}.get(kernel)
    return math.inf if smoothness is None else math.sqrt(smoothness / (smoothness - 1.0)) / lengthscale


@cache
def _axes(per_axis: int, dim: int) -> Floats:
    found = grid(per_axis, dim) if per_axis > 1 else np.full((1, dim), 0.5)
    found.setflags(write=False)
    return found


def decisions_of(game: Game) -> Floats:
    """(X, d_x) the decisions."""
    return _axes(game.decisions, game.decision_dim)


def contexts_of(game: Game) -> Floats:
    """(C, d_c) the contexts."""
    return _axes(game.contexts, game.context_dim)


def points_of(game: Game) -> Floats:
    """(N, d) all pairs, the context running fastest."""
    x, c = decisions_of(game), contexts_of(game)
    return np.hstack([np.repeat(x, len(c), axis=0), np.tile(c, (len(x), 1))])


def covariance_of(game: Game) -> Floats:
    """(N, N) covariance of all pairs."""
    if game.kernel == "independent":
        return np.eye(game.size)
    return np.asarray(kernel_by_name(game.kernel, game.lengthscale)(points_of(game)))


def functions_of(game: Game) -> Floats:
    """(runs, N) functions of norm B."""
    if game.function == "figure 1":
        slack, context = points_of(game).T[:, :, None]
        return np.tile(GeneralExample(math.nan)((1 + slack) / 2, context), (game.runs, 1))
    if game.function == "last":
        return np.tile(game.norm * covariance_of(game)[-1], (game.runs, 1))
    kernel, points = kernel_by_name(game.kernel, game.lengthscale), points_of(game)
    generator = stream_of(game, "function")
    return np.stack([rkhs_expansion(kernel, points, generator, game.norm, 8).values for _ in range(game.runs)])


def bump_laws(points: Floats, count: int, generator: np.random.Generator) -> Floats:
    """(count, C) laws on the points: Gaussian bumps with random centres and widths between 0.05 and 0.3."""
    middle = generator.random((count, 1, points.shape[1]))
    spread = generator.uniform(0.05, 0.3, (count, 1))
    weights = np.exp(-0.5 * np.sum((points - middle) ** 2, axis=2) / spread**2) + 1e-12
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def bell(points: Floats, mean: float, sd: float) -> Floats:
    """(C,) the normal density on the points of one coordinate, scaled to sum to one."""
    weights = np.exp(-0.5 * ((points - mean) / sd) ** 2)
    return np.asarray(weights / weights.sum())


def laws_of(game: Game) -> tuple[Floats, Floats | None]:
    """(T, C) the references of the general setting, and (C,) the truth where it is the same in all rounds."""
    points = contexts_of(game)
    if game.truth == "figure 1":
        told, true = (bell(points[:, 0], *law) for law in (TOLD, TRUE))
        return np.tile(told, (game.horizon, 1)), true
    bumps = bump_laws(points, game.horizon, stream_of(game, "laws"))
    return bumps, bumps[0] if game.setting == "data" else None


def noise_of(game: Game) -> Floats:
    """(runs, T) noise of the observations."""
    shape = (game.runs, game.horizon)
    generator = stream_of(game, "noise")
    if game.law == "sign":
        return game.noise * generator.choice(np.array([-1.0, 1.0]), size=shape)
    return game.noise * generator.standard_normal(shape)


def stream_of(game: Game, name: str) -> np.random.Generator:
    """A stream that neither the rule nor the radius nor lambda touches, so that these meet the same functions."""
    return stream(game.seed, "wdrbo", "statements", game.kernel, game.decisions, game.contexts, game.context_dim, name)


def check(game: Game) -> None:
    """Raise :class:`ParameterError` for a setting, truth, rule, function or law that does not exist."""
    known = {
        "setting": ("general", "data"),
        "truth": ("worst", "centre", "figure 1"),
        "rule": RULES,
        "function": ("expansion", "last", "figure 1"),
        "law": ("normal", "sign"),
    }
    for name, allowed in known.items():
        if getattr(game, name) not in allowed:
            raise ParameterError(name, f"got {getattr(game, name)!r}", f"one of {', '.join(allowed)}")
