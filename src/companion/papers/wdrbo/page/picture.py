"""The Wasserstein ball and the Lipschitz penalty in a picture: two decisions, told contexts, and the worst law of a ball."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import SquaredExponential, rkhs_expansion
from companion.pages import Numbers, recorded
from companion.papers.wdrbo.method.inner import lipschitz_constant, wasserstein

#: Possible contexts on [0, 1], and how many of them have been seen.
NODES, TOLD = 201, 8
LENGTHSCALE, CENTRES = 0.1, 8
#: Of the two rewards: the first is steep in the context, the second gentle.
NORMS = (1.2, 0.4)
#: By how much the steep decision is ahead under the reference; so far that penalty and worst case turn at different radii.
LEAD = 0.35
RADII = np.linspace(0.0, 0.3, 61)
#: Stands for a cost of zero, of which nothing is a multiple.
TINY = 1e-12


@dataclass(frozen=True, eq=False)
class Picture:
    """Two rewards as functions of the context, and their worst means over balls around the seen contexts.

    Parameters
    ----------
    contexts : (C,) possible contexts
    values : (2, C) rewards
    told : (C,) weights of the seen contexts
    worst : (C,) weights of the worst law for the first decision, at ``radius``
    means : (2,) under the reference
    lipschitz : (2,) smallest constants in the context
    exact : (2, radii) worst means, and ``penalised``: mean minus radius times constant
    radius : of the ball in the picture
    names : of both decisions
    """

    contexts: Floats
    values: Floats
    told: Floats
    worst: Floats
    means: Floats
    lipschitz: Floats
    exact: Floats
    penalised: Floats
    radius: float
    names: tuple[str, ...] = ("steep decision", "gentle decision")

    def switch(self, kind: str) -> float:
        """Smallest radius of the grid at which the gentle decision is preferred, by ``exact`` or ``penalised`` values."""
        values = getattr(self, kind)
        turned = np.flatnonzero(values[1] > values[0])
        return float(RADII[turned[0]]) if len(turned) else float("inf")


@recorded(first="seed")
def ball_picture(seed: int, radius: float) -> Picture:
    """Two rewards from the same kernel, one of larger norm and ahead in the mean; exact transport for every radius."""
    generator = stream(seed, "wdrbo", "picture")
    support = np.linspace(0.0, 1.0, NODES)[:, None]
    values = np.stack(
        [rkhs_expansion(SquaredExponential(LENGTHSCALE), support, generator, norm, CENTRES).values for norm in NORMS]
    )
    told = np.bincount(generator.choice(NODES, TOLD, replace=False), minlength=NODES) / TOLD
    values[0] += values[1] @ told + LEAD - values[0] @ told
    means, steep = values @ told, lipschitz_constant(values, support)
    exact = np.stack([wasserstein(values, support, told, float(r)).value for r in RADII], axis=1)
    worst = wasserstein(values[:1], support, told, radius).weights[0]
    penalised = means[:, None] - RADII * steep[:, None]
    return Picture(support[:, 0], values, told, worst, means, steep, exact, penalised, radius)


def picture_numbers(picture: Picture) -> Numbers:
    """Cost of the worst law and charge of the penalty, (2,) each, at the radius drawn; radii where the choice turns."""
    at = int(np.abs(RADII - picture.radius).argmin())
    exact = picture.means - picture.exact[:, at]
    paid = picture.means - picture.penalised[:, at]
    return Numbers(
        picture,
        lengthscale=LENGTHSCALE,
        radius=float(RADII[at]),
        exact=exact,
        paid=paid,
        ratio=float(paid[0] / max(exact[0], TINY)),
        means=picture.means,
        lipschitz=picture.lipschitz,
        early=picture.switch("penalised"),
        late=picture.switch("exact"),
    )
