"""Statements of Appendix A on laws and their rounding: the discretisation, and averages under another law."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from companion.checks.cases import Case, at_most, none_of
from companion.checks.instance import Instance
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import kernel_by_name
from companion.gp.factor import draw_root
from companion.papers.meanfield.checks.proof_cases import TITLES, worst
from companion.papers.meanfield.method.agents import largest_remainder
from companion.papers.meanfield.theory.runs import lattice

#: How far the entries of a law may be from adding up to one: rounding of a few hundred of them.
LAW_TOLERANCE = 1e-9

#: Lattices of at most so many laws are listed, to count them and to search the nearest law.
ENUMERATED = 3000

# -- laws and their rounding -------------------------------------------------------------------------------------------


class Rounding(Instance, words="|A| = {actions}, |C| = {contexts}, tau = {parts}, {kind} laws"):
    """Random laws over ``actions`` in each of ``contexts``, and ``parts`` = tau per coordinate.

    ``kind`` is ``"dirichlet"`` (all laws alike), ``"sparse"`` (concentration 0.1) or ``"halves"``, laws whose probabilities
    lie half a part from two multiples of 1/tau, as far as they can.
    """

    actions: int
    contexts: int
    parts: int
    kind: str = "dirichlet"
    count: int = 500

    @property
    def size(self) -> int:
        """n = |A||C|."""
        return self.actions * self.contexts


@cache
def random_collections(instance: Rounding) -> Floats:
    """Laws (count, C, A) of the instance."""
    generator = stream(0, "meanfield", "statements", "laws", instance.where)
    shape = (instance.count, instance.contexts)
    if instance.kind != "halves":
        return generator.dirichlet(np.full(instance.actions, 0.1 if instance.kind == "sparse" else 1.0), shape)
    # An even number of entries at half a part; the rest of the mass is dealt in whole parts.
    half = 2 * (instance.actions // 2)
    whole = generator.multinomial(instance.parts - half // 2, np.full(instance.actions, 1.0 / instance.actions), shape)
    offset = np.where(np.arange(instance.actions) < half, 0.5, 0.0)
    return np.asarray((whole + offset) / instance.parts)


#: The discretisation's point for each of the laws (count, C, A), given tau.
Rule = Callable[[Floats, int], Floats]


def midpoints(laws: Floats, parts: int) -> Floats:
    """Of the tau cells of every coordinate, as printed."""
    return np.asarray((np.minimum(np.floor(laws * parts), parts - 1) + 0.5) / parts)


def multiples(laws: Floats, parts: int) -> Floats:
    """Of 1/tau, coordinate by coordinate."""
    return np.asarray(np.rint(laws * parts) / parts)


def remainders(laws: Floats, parts: int) -> Floats:
    """The lattice law by largest remainders, context by context."""
    rows = laws.reshape(-1, laws.shape[-1])
    return np.array([largest_remainder(row, parts) for row in rows]).reshape(laws.shape) / parts


def not_laws(points: Floats) -> NDArray[np.bool_]:
    """Mask (count,) of the points (count, C, A) that are not collections of distributions."""
    totals = np.abs(points.sum(axis=2) - 1.0).max(axis=1)
    return np.asarray((totals > LAW_TOLERANCE) | (points.min(axis=(1, 2)) < 0.0))


def roundings() -> Iterator[Rounding]:
    """From two actions to the sizes of the paper's experiments, few parts and many."""
    sizes = ((2, 1), (3, 1), (4, 1), (2, 2), (3, 2), (30, 1), (30, 5), (160, 1))
    for (actions, contexts), parts in product(sizes, (2, 7, 100)):
        for kind in ("dirichlet", "sparse"):
            yield Rounding(actions, contexts, parts, kind)
    for actions, contexts, parts in ((2, 1, 5), (4, 2, 10), (30, 1, 100), (5, 1, 9)):
        yield Rounding(actions, contexts, parts, "halves")


@statement(
    "A-discretisation",
    "construction",
    roundings,
    need("at least two whole parts", lambda instance: instance.parts >= 2, Rounding(2, 1, 1)),
    teeth={
        "coordinate by coordinate, to midpoints as printed": {"rule": midpoints},
        "coordinate by coordinate, to multiples of 1/tau": {"rule": multiples},
        "a quarter of the printed distance": {"distance": 0.25},
        "one coordinate per context fewer in the count": {"fewer": 1},
    },
    corrected=fix(
        r"the lattice of all laws with entries in $\{0,1/\tau,\dots,1\}$, rounded to by largest remainders: "
        r"$\|[\xi]-\xi\|_1\le n/(2\tau)$ and $|\Xi|=\binom{\tau+|A|-1}{|A|-1}^{|C|}\le\tau^n$ for whole $\tau\ge2$",
        other=True,
        rule=remainders,
        distance=0.5,
    ),
)
def discretisation(
    instance: Rounding, *, rule: Rule = midpoints, distance: float = 1.0, fewer: int = 0
) -> Iterator[Case]:
    r"""Each of the $n=|A||C|$ coordinates is cut into $\tau_t$ parts; the distribution $[\xi]_t\in\Xi_t$ next to $\xi$
    has $\|[\xi]_t-\xi\|_1\le n/\tau_t$, and $|\Xi_t|=\tau_t^{\,n}$

    Distances are summed over the contexts. Checked are that rounded laws are laws, the distance, the number of points
    (listed where there are few), and for the lattice that no other of its laws is nearer.
    """
    laws = random_collections(instance)
    points = rule(laws, instance.parts)
    where = f"{instance.where}, {rule.__name__}"
    yield none_of(int(not_laws(points).sum()), len(points), f"{where}: rounded laws that are no laws")
    apart = np.abs(points - laws).sum(axis=(1, 2))
    yield worst(apart, np.full(len(laws), distance * instance.size / instance.parts), f"{where}: distance")
    exponent = instance.size - fewer * instance.contexts
    per_context = math.comb(instance.parts + instance.actions - 1, instance.actions - 1)
    logarithm = instance.contexts * math.log(per_context)
    if rule is not remainders:
        logarithm = instance.size * math.log(instance.parts)
    elif per_context**instance.contexts <= ENUMERATED:
        listed = lattice(instance.actions, instance.contexts, instance.parts)
        logarithm = math.log(len(np.unique(listed.reshape(len(listed), -1), axis=0)))
        nearest = np.array([np.abs(listed - law).sum(axis=(1, 2)).min() for law in laws[:50]])
        yield worst(apart[:50], nearest, f"{where}: the nearest of all {len(listed)}")
    yield at_most(logarithm, exponent * math.log(instance.parts), f"{where}: logarithm of the number of points")


@dataclass(frozen=True)
class Heights:
    """Payoffs of ``actions`` actions, draws of a prior on [0, 1]^dim, and laws with their roundings.

    ``kernel="signs"``: the payoffs 1, -1, 1, -1, ... and the change of law .1, -.1, .1, ....
    """

    kernel: str
    dim: int
    actions: int
    parts: int
    count: int = 500

    @property
    def where(self) -> str:
        """In words."""
        return f"{TITLES.get(self.kernel, self.kernel)}, d = {self.dim}, |A| = {self.actions}, tau = {self.parts}"


@cache
def _heights(instance: Heights) -> tuple[Floats, Floats]:
    """Payoffs and changes of the law, both (count, A)."""
    if instance.kernel == "signs":
        signs = np.where(np.arange(instance.actions) % 2, -1.0, 1.0)[None]
        return signs, signs / (5 * instance.actions)
    generator = stream(0, "meanfield", "statements", "heights", instance.where)
    covariance = np.asarray(kernel_by_name(instance.kernel, 0.3)(generator.random((instance.actions, instance.dim))))
    root = draw_root(covariance)
    laws = random_collections(Rounding(instance.actions, 1, instance.parts, count=instance.count))
    change = (laws - remainders(laws, instance.parts))[:, 0]
    return np.asarray(generator.standard_normal((instance.count, instance.actions)) @ root.T), change


def heights() -> Iterator[Heights]:
    """Three kernels in one and two dimensions, few and many actions, and the payoffs that attain the bound."""
    for kernel, dim, actions in product(("se", "matern12", "matern52"), (1, 2), (2, 5, 30)):
        yield Heights(kernel, dim, actions, 7)
    yield Heights("signs", 1, 2, 10)
    yield Heights("signs", 1, 8, 40)


def norm(delta: Floats) -> Floats:
    """Sum of absolute values (count,) of rows (count, A)."""
    return np.asarray(np.abs(delta).sum(axis=1))


def printed_right(f: Floats, delta: Floats) -> Floats:
    r""":math:`\max_x|\delta_x|\sum_xf_x`, (count,)."""
    return np.asarray(np.abs(delta).max(axis=1) * f.sum(axis=1))


@statement(
    "A1-holder",
    "inequality",
    heights,
    teeth={
        "the printed sum": {"right": printed_right},
        "the sum with the norm of the whole change": {"right": lambda f, delta: norm(delta) * f.sum(axis=1)},
        "the largest payoff without its absolute value": {"right": lambda f, delta: norm(delta) * f.max(axis=1)},
        "nine tenths of it": {"factor": 0.9},
    },
    corrected=fix(
        r"$\sum_xf_x\delta_x\le\|\delta\|_1\max_x|f_x|$",
        other=True,
        right=lambda f, delta: norm(delta) * np.abs(f).max(axis=1),
    ),
)
def hoelder(
    instance: Heights, *, right: Callable[[Floats, Floats], Floats] = printed_right, factor: float = 1.0
) -> Case:
    r"""$\sum_xf(x,c,[\xi^\star]_t)\,([\xi^\star]_t-\xi^\star)(x|c)\le\max_{x,c'}\|([\xi^\star]_t-\xi^\star)(x|c')\|_1\sum_xf(x,c,[\xi^\star]_t)$

    The paper writes the norm of one number, :math:`\|\delta_x\|_1`; with the norm of the whole vector it is no better.
    """
    heights, change = _heights(instance)
    return worst((heights * change).sum(axis=1), factor * right(heights, change), instance.where)
