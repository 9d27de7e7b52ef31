"""The methods that the paper compares, and ours: what each one maximises, given data.

Contexts and decisions are in units of their boxes, [0, 1] in every coordinate; n is the number of observed contexts. A
method makes its acquisition function afresh in every round. Where the published code does something else than the text
says, ``reading="code"`` follows the code.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from companion.bounds.confidence import normal_width
from companion.core.arrays import Floats
from companion.core.errors import ParameterError, known_as, whole_number
from companion.papers.wdrbo.method.acquisitions import (
    Acquisition,
    BallAcquisition,
    ContextualAcquisition,
    PenalisedAcquisition,
    WassersteinBall,
    least_rule,
    mean_rule,
    published_variation_rule,
    variation_rule,
)
from companion.papers.wdrbo.method.context_table import DiscrepancyAcquisition, TableAcquisition
from companion.papers.wdrbo.method.critical_line import CriticalLineBall
from companion.papers.wdrbo.method.discrepancy_ball import Minmax
from companion.papers.wdrbo.method.maximiser import sobol
from companion.papers.wdrbo.method.minmax import MinmaxAcquisition
from companion.papers.wdrbo.method.model import Surrogate

READINGS = ("text", "code")

#: Certified gap that the inner problems of DRBO-MMD reach, relative to the range of U over the contexts.
DISCREPANCY_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Settings:
    """Settings that the paper leaves open and the published code sets.

    Parameters
    ----------
    width : 1.5, the number beta_t that multiplies the posterior standard deviation in every method
    radius : epsilon_n = radius / sqrt(n) of the Wasserstein balls; 0.3 in the published code
    fixed_radius : epsilon_n = radius for all n, as in the general setting
    confidence : 1 - delta of the discrepancy ball's radius (2 + sqrt(2 log(1/delta))) / sqrt(n)
    lipschitz_nodes : nodes per axis of L(x), by number of context coordinates
    lipschitz_region : L(x) is taken over the whole ``box`` of contexts, as (13) says, or over the bounding box of the
        ball's ``atoms``: far from all mass the surrogate extrapolates, and its slopes there can rule the penalty
    support_nodes : nodes per axis that join the atoms in the exact Wasserstein ball
    floor_nodes : nodes per axis where DRBO-KDE looks for the smallest value
    stable_nodes : nodes per axis of StableOpt's box
    discrepancy_nodes : contexts, in all, of DRBO-MMD; a product grid with this many or a few more
    minmax_nodes : the same of DRBO-MMD minmax
    samples : draws from the density estimate in SBO-KDE, and ``robust_samples`` in DRBO-KDE
    reading : ``text`` or ``code``
    """

    width: float = 1.5
    radius: float = 0.3
    fixed_radius: bool = False
    confidence: float = 0.9
    lipschitz_nodes: tuple[int, ...] = (101, 21, 7)
    lipschitz_region: str = "box"
    support_nodes: tuple[int, ...] = (201, 17, 7)
    floor_nodes: tuple[int, ...] = (129, 33, 9)
    stable_nodes: tuple[int, ...] = (65, 17, 7)
    discrepancy_nodes: int = 100
    minmax_nodes: int = 1024
    samples: int = 512
    robust_samples: int = 1024
    reading: str = "text"

    def __post_init__(self) -> None:
        if self.reading not in READINGS:
            raise ParameterError("reading", f"got {self.reading!r}", f"one of {', '.join(READINGS)}")
        if self.lipschitz_region not in ("box", "atoms"):
            raise ParameterError("lipschitz_region", f"got {self.lipschitz_region!r}", "'box' or 'atoms'")
        if not (self.width >= 0 and self.radius >= 0 and 0 < self.confidence < 1):
            raise ParameterError(
                "width, radius, confidence",
                f"got {self.width}, {self.radius}, {self.confidence}",
                "width and radius of at least 0, confidence in (0, 1)",
            )
        for name in ("discrepancy_nodes", "minmax_nodes", "samples", "robust_samples"):
            whole_number(name, getattr(self, name))

    def radius_at(self, count: int) -> float:
        """epsilon_n."""
        return self.radius if self.fixed_radius else self.radius / math.sqrt(count)


@dataclass(frozen=True, eq=False)
class Situation:
    """Input of a method when it chooses.

    Parameters
    ----------
    surrogate : of all data, on (x, c), or on x alone for methods that ignore the context
    contexts : (n, d_c) observed contexts, in [0, 1]
    atoms, weights : centre of the Wasserstein ball: the observed contexts, or what the learner is given
    settings : see :class:`Settings`
    stream : ``stream(name)`` gives a generator of this round; ``stream(name, 0)`` one that is the same in all rounds
    """

    surrogate: Surrogate
    contexts: Floats
    atoms: Floats
    weights: Floats
    settings: Settings
    stream: Callable[..., np.random.Generator]

    @property
    def count(self) -> int:
        """n."""
        return len(self.contexts)

    @property
    def as_published(self) -> bool:
        """Whether the published code is followed."""
        return self.settings.reading == "code"


@dataclass(frozen=True)
class ContextMethod:
    """A method by name.

    Parameters
    ----------
    name, label, summary : on the command line, in figures, in one sentence
    build : makes the acquisition function
    uses_context : its model is on (x, c)
    cheap_search : in the published code, 64 raw points and 5 starts instead of 1024 and 10
    """

    name: str
    label: str
    summary: str
    build: Callable[[Situation], Acquisition] = field(repr=False)
    uses_context: bool = True
    cheap_search: bool = False


def product_grid(per_axis: int, dim: int) -> Floats:
    """Equally spaced points of [0, 1]^dim, ends included, (per_axis**dim, dim)."""
    axes = np.meshgrid(*[np.linspace(0.0, 1.0, per_axis)] * dim, indexing="ij")
    return np.stack([axis.ravel() for axis in axes], axis=1)


def _nodes(counts: tuple[int, ...], dim: int) -> Floats:
    return product_grid(counts[min(dim, len(counts)) - 1], dim)


def _wdrbo(view: Situation) -> Acquisition:
    settings, dim = view.settings, view.contexts.shape[1]
    nodes = _nodes(settings.lipschitz_nodes, dim)
    if settings.lipschitz_region == "atoms":
        low, high = view.atoms.min(axis=0), view.atoms.max(axis=0)
        nodes = low + (high - low) * nodes
    if view.as_published:
        # Drawn once for the whole run; the penalty is a constant to the search.
        nodes = view.stream("lipschitz", 0).uniform(size=(100, dim))
    radius = settings.radius_at(view.count)
    return PenalisedAcquisition(
        view.surrogate, view.atoms, view.weights, settings.width, radius, nodes, not view.as_published
    )


def _wdrbo_exact(view: Situation) -> Acquisition:
    settings = view.settings
    grid = _nodes(settings.support_nodes, view.contexts.shape[1])
    support = np.concatenate([view.atoms, grid])
    centre = np.concatenate([view.weights, np.zeros(len(grid))])
    ball = WassersteinBall(support, centre, settings.radius_at(view.count))
    return BallAcquisition(view.surrogate, support, settings.width, ball)


def _erbo(view: Situation) -> Acquisition:
    rule = mean_rule(view.weights)
    return ContextualAcquisition(view.surrogate, view.atoms, view.settings.width, rule, view.weights)


def _gp_ucb(view: Situation) -> Acquisition:
    # The library that the published code calls takes the square root of the number it is given.
    width = math.sqrt(view.settings.width) if view.as_published else view.settings.width
    one = np.ones(1)
    return ContextualAcquisition(view.surrogate, np.zeros((1, 0)), width, mean_rule(one), one)


def density_samples(contexts: Floats, count: int, generator: np.random.Generator) -> Floats:
    """Draws (count, d_c) from the Gaussian product kernel density estimate, clipped to [0, 1].

    Bandwidth h_k = (4 / (d_c + 2))^{1/(d_c + 4)} n^{-1/(d_c + 4)} sd_k, sd with divisor n (Huang et al. 2024).
    """
    n, dim = contexts.shape
    bandwidth = (4.0 / (dim + 2)) ** (1.0 / (dim + 4)) * n ** (-1.0 / (dim + 4)) * contexts.std(axis=0)
    chosen = contexts[generator.integers(0, n, count)]
    return np.clip(chosen + bandwidth * generator.standard_normal((count, dim)), 0.0, 1.0)


def _often(view: Situation) -> type[ContextualAcquisition]:
    """Class that takes U at some hundred contexts: the published search asks thousands of times; a table pays for itself."""
    return TableAcquisition if view.as_published else ContextualAcquisition


def _sbo_kde(view: Situation) -> Acquisition:
    count = view.settings.samples
    support = density_samples(view.contexts, count, view.stream("density"))
    even = np.full(count, 1.0 / count)
    return _often(view)(view.surrogate, support, view.settings.width, mean_rule(even), even)


def _drbo_kde(view: Situation) -> Acquisition:
    settings, (n, dim) = view.settings, view.contexts.shape
    count = settings.robust_samples
    samples = density_samples(view.contexts, count, view.stream("density"))
    delta = n ** (-2.0 / (4 + dim))
    if view.as_published:
        # Mapped as u (low - high) + low: outside the box of contexts. One draw serves the whole round.
        floor, rule = -sobol(view.stream("floor"), 1024, dim), published_variation_rule(count, delta)
    else:
        floor, rule = _nodes(settings.floor_nodes, dim), variation_rule(count, delta)
    centre = np.concatenate([np.full(count, 1.0 / count), np.zeros(len(floor))])
    return TableAcquisition(view.surrogate, np.concatenate([samples, floor]), settings.width, rule, centre)


def _discrepancy_setting(view: Situation, total: int) -> tuple[Floats, Floats, float]:
    """Grid (m, d_c), empirical weights on it, radius."""
    dim = view.contexts.shape[1]
    per_axis = math.ceil(round(total ** (1.0 / dim), 9))
    grid = product_grid(per_axis, dim)
    if view.as_published and dim > 1:
        grid = np.repeat(np.linspace(0.0, 1.0, per_axis)[:, None], dim, axis=1)  # the diagonal only
    nearest_node = np.linalg.norm(view.contexts[:, None, :] - grid, axis=2).argmin(axis=1)
    centre = np.bincount(nearest_node, minlength=len(grid)) / view.count
    return grid, centre, discrepancy_radius(view.count, view.settings.confidence)


def discrepancy_radius(count: int, confidence: float) -> float:
    r""":math:`(2+\sqrt{2\log(1/\alpha)})/\sqrt n`, the radius of DRBO-MMD after n contexts, with 1 - alpha the confidence."""
    return (2.0 + normal_width(1, 1.0 - confidence)) / math.sqrt(count)


def _context_kernel(view: Situation, a: Floats, b: Floats) -> Floats:
    return view.surrogate.kernel(a, b, slice(len(view.surrogate.lengthscale) - a.shape[1], None))


def _drbo_mmd(view: Situation) -> Acquisition:
    grid, centre, radius = _discrepancy_setting(view, view.settings.discrepancy_nodes)
    ball = CriticalLineBall(_context_kernel(view, grid, grid), centre, radius, DISCREPANCY_TOLERANCE)
    return DiscrepancyAcquisition(view.surrogate, grid, view.settings.width, ball)


def _drbo_mmd_minmax(view: Situation) -> Acquisition:
    grid, centre, radius = _discrepancy_setting(view, view.settings.minmax_nodes)
    # The kernel's diagonal is one; where there is no mass, its columns are not needed.
    atoms = np.flatnonzero(centre)
    kp = _context_kernel(view, grid, grid[atoms]) @ centre[atoms]
    away = np.sqrt(np.maximum(1.0 - 2.0 * kp + centre @ kp, 0.0))
    minmax = Minmax(centre, away, radius, view.settings.reading)
    return MinmaxAcquisition(view.surrogate, grid, view.settings.width, minmax)


def _stableopt(view: Situation) -> Acquisition:
    n, dim = view.contexts.shape
    mean = view.contexts.mean(axis=0)
    spread = view.contexts.std(axis=0, ddof=1) if n > 1 else np.zeros(dim)
    if view.as_published:
        # u (low - high) + low with low = mean - sd. One draw serves the whole round.
        box = mean - spread - 2.0 * spread * sobol(view.stream("box"), 1024, dim)
    else:
        low, high = np.clip(mean - spread, 0.0, 1.0), np.clip(mean + spread, 0.0, 1.0)
        box = low + (high - low) * _nodes(view.settings.stable_nodes, dim)
    even = np.full(len(box), 1.0 / len(box))
    return _often(view)(view.surrogate, box, view.settings.width, least_rule, even)


#: All methods by name, in the order of the paper's figures with ours beside WDRBO.
METHODS: dict[str, ContextMethod] = {
    method.name: method
    for method in (
        ContextMethod("wdrbo", "WDRBO", "mean over observed contexts minus radius times Lipschitz constant", _wdrbo),
        ContextMethod("wdrbo-exact", "WDRBO, exact (ours)", "exact worst case over the Wasserstein ball", _wdrbo_exact),
        ContextMethod("erbo", "ERBO", "mean over observed contexts", _erbo),
        ContextMethod("gp-ucb", "GP-UCB", "ignores the context", _gp_ucb, uses_context=False),
        ContextMethod("sbo-kde", "SBO-KDE", "mean over draws from a density estimate", _sbo_kde),
        ContextMethod(
            "drbo-kde", "DRBO-KDE", "worst case in total variation around a density estimate", _drbo_kde, True, True
        ),
        ContextMethod(
            "drbo-mmd", "DRBO-MMD", "worst case in maximum mean discrepancy on a context grid", _drbo_mmd, True, True
        ),
        ContextMethod(
            "drbo-mmd-minmax", "DRBO-MMD minmax", "closed-form approximation of that worst case", _drbo_mmd_minmax
        ),
        ContextMethod("stableopt", "StableOpt", "worst context within a standard deviation of the mean", _stableopt),
    )
}


def method_by_name(name: str) -> ContextMethod:
    """The method of that name.

    Raises
    ------
    ParameterError
        if there is none
    """
    return METHODS[known_as("method", name, METHODS)]
