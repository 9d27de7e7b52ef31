"""Maximisation over collections of distributions, a product of simplices, with exact gradients from many starts.

An objective takes laws (S, C, A) and returns values (S,) with gradients (S, C, A), probabilities being free coordinates.
All starts climb together, so that one round costs a few hundred small matrix products.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number, whole_number
from companion.gp.optimise import Adam

Objective = Callable[[Floats], tuple[Floats, Floats]]

METHODS = ("adam", "projected")
#: Probabilities below this are raised to it before logarithms are taken.
LOWEST = 1e-12
#: Sufficient increase, the number of past values a step may fall back behind, and halvings per step (Birgin et al., 2000).
ARMIJO, MEMORY, HALVINGS = 1e-4, 8, 25
#: Calls of the objective by L-BFGS-B: from each of two starts, and from the best law; and the relative rise that ends it.
FIRST, LAST, RISE = 15, 100, 1e-7
#: Actions of one context from which most starts lead to one maximum, which takes a projected gradient hundreds of steps.
MANY = 85
#: Shares of another action that are mixed with the best law known.
SHARES = (0.1, 0.25, 0.5)


@dataclass(frozen=True, eq=False)
class Ends:
    """Ends of the starts.

    Parameters
    ----------
    laws : (S, C, A) the best laws seen from each start
    values : (S,) their values
    evaluations : calls of the objective, each for up to S laws
    """

    laws: Floats
    values: Floats
    evaluations: int

    @property
    def best(self) -> int:
        """Index of the largest value, the first on ties."""
        return int(np.argmax(self.values))

    def joined(self, other: Ends) -> Ends:
        """The ends of both, one after the other."""
        laws, values = np.concatenate([self.laws, other.laws]), np.concatenate([self.values, other.values])
        return Ends(laws, values, self.evaluations + other.evaluations)


def logits(laws: Floats) -> Floats:
    """Coordinates whose softmax is ``laws``, with mean 0 over actions; probabilities are at least ``LOWEST``."""
    logarithms = np.log(np.maximum(laws, LOWEST))
    return np.asarray(logarithms - logarithms.mean(axis=-1, keepdims=True))


def project(points: Floats) -> Floats:
    """Euclidean projection of every row (..., A) onto the probability simplex."""
    size = points.shape[-1]
    rows = points.reshape(-1, size)
    falling = np.negative(rows)
    falling.sort(axis=-1)
    np.negative(falling, out=falling)
    excess = np.add.accumulate(falling, axis=-1)
    excess -= 1.0
    falling *= np.arange(1, size + 1)
    support = np.add.reduce(falling > excess, axis=-1)
    threshold = excess[np.arange(len(rows)), support - 1] / support
    moved = rows - threshold[:, None]
    return np.maximum(moved, 0.0, out=moved).reshape(points.shape)


def softmax_gradient(laws: Floats, gradient: Floats) -> Floats:
    """Gradient with respect to the logits: xi(x|c) {G(x|c) - sum_x' xi(x'|c) G(x'|c)}."""
    return np.asarray(laws * (gradient - np.sum(laws * gradient, axis=-1, keepdims=True)))


def adam(objective: Objective, starts: Floats, steps: int = 100, rate: float = 0.05) -> Ends:
    """Adam on the logits (Kingma, 2014), the paper's optimiser; it prints rate .01 and no number of steps."""
    theta = logits(starts)
    moments, keep = Adam(theta, fresh=(1.0 - 0.9, 1.0 - 0.999)), _Best(starts)
    for _ in range(steps):
        laws = special.softmax(theta, axis=-1)
        value, gradient = objective(laws)
        keep.update(laws, value)
        theta = theta + moments.step(softmax_gradient(laws, gradient), rate)
    laws = special.softmax(theta, axis=-1)
    keep.update(laws, objective(laws)[0])
    return keep.ends(steps + 1)


def lbfgs(objective: Objective, starts: Floats, calls: int = 100) -> Ends:
    r"""L-BFGS-B (Byrd et al., 1995) on weights z >= 0 of laws z / sum z, one start after the other (scipy).

    Bounds, unlike a softmax, let it reach the boundary. With G the gradient at the law,

    .. math:: \partial\alpha/\partial z(x|c)=\{G(x|c)-\sum_{x'}\xi(x'|c)G(x'|c)\}/\sum_{x'}z(x'|c)
    """
    shape = starts.shape[1:]
    laws, values, used = np.empty_like(starts), np.empty(len(starts)), 0

    def negative(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(shape)
        total = weights.sum(axis=-1, keepdims=True)
        if not total.all():  # a step so long that no weight is left: worse than the start, to be shortened
            return 2.0 * abs(first) + 1.0, np.zeros_like(flat)
        law = weights / total
        value, gradient = objective(law[None])
        return -float(value[0]), (((law * gradient[0]).sum(axis=-1, keepdims=True) - gradient[0]) / total).ravel()

    bounds = optimize.Bounds(0.0, np.inf)
    options = {"maxfun": calls, "ftol": RISE, "gtol": 1e-7}
    for s, start in enumerate(starts):
        first = negative(start.ravel())[0]
        found = optimize.minimize(negative, start.ravel(), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        weights = found.x.reshape(shape)
        laws[s], values[s] = weights / weights.sum(axis=-1, keepdims=True), -float(found.fun)
        used += int(found.nfev)
    return Ends(laws, values, used)


def projected_gradient(objective: Objective, starts: Floats, iterations: int = 60, tolerance: float = 1e-7) -> Ends:
    """Spectral projected gradient (Birgin, Martinez, Raydan, 2000) on the probabilities themselves.

    Steps have the length of Barzilai and Borwein, are projected onto the simplices and halved until the value exceeds the
    smallest of the last few by a share of the predicted gain. Unlike a softmax, it reaches the boundary, and it stops
    by itself where the projected gradient is below ``tolerance``. Every start goes at its own pace: a call of the objective
    has the next step of some and a halved step of others.
    """
    laws = starts.copy()
    value, gradient = objective(laws)
    calls, keep = 1, _Best(laws)
    keep.update(laws, value)
    count = len(laws)
    history, taken, share = np.full((count, MEMORY), np.inf), np.zeros(count, dtype=np.intp), np.ones(count)
    length = 1.0 / np.maximum(np.abs(project(laws + gradient) - laws).max(axis=(1, 2)), 1e-12)
    move, slope, active = np.empty_like(laws), np.empty(count), np.arange(count)
    while True:
        fresh = active[share[active] == 1.0]
        if fresh.size:
            here, steepest = laws[fresh], gradient[fresh]
            # One projection of both steps: for a dozen laws the calls cost more than the numbers.
            reached = project(np.concatenate([here + length[fresh, None, None] * steepest, here + steepest]))
            move[fresh], whole = reached[: len(fresh)] - here, reached[len(fresh) :] - here
            slope[fresh] = np.einsum("scx,scx->s", steepest, move[fresh])
            history[fresh, taken[fresh] % MEMORY] = value[fresh]
            ended = (np.abs(whole).max(axis=(1, 2)) <= tolerance) | (taken[fresh] == iterations)
            share[fresh[ended]] = 0.0
        active = active[share[active] > 0.5**HALVINGS]
        if not active.size:
            return keep.ends(calls)
        trial = laws[active] + share[active, None, None] * move[active]
        found, turned = objective(trial)
        calls += 1
        enough = found >= history[active].min(axis=1) + ARMIJO * share[active] * slope[active]
        share[active[~enough]] *= 0.5
        if not (rows := active[enough]).size:
            continue
        change, turn = trial[enough] - laws[rows], turned[enough] - gradient[rows]
        curvature, square = -np.einsum("scx,scx->s", change, turn), np.einsum("scx,scx->s", change, change)
        with np.errstate(divide="ignore", invalid="ignore"):
            length[rows] = np.clip(np.where(curvature > 0, square / curvature, 1e6), 1e-8, 1e6)
        laws[rows], value[rows], gradient[rows] = trial[enough], found[enough], turned[enough]
        keep.update(laws, value)
        share[rows] = 1.0
        taken[rows] += 1


class _Best:
    """The best law seen from every start."""

    def __init__(self, starts: Floats) -> None:
        self._laws, self._values = starts.copy(), np.full(len(starts), -np.inf)

    def update(self, laws: Floats, values: Floats) -> None:
        better = values > self._values
        self._laws[better], self._values[better] = laws[better], values[better]

    def ends(self, evaluations: int) -> Ends:
        return Ends(self._laws, self._values, evaluations)


@dataclass(frozen=True)
class Search:
    """Starts and optimiser of one round.

    The near starts are laws already played, some of them with noise on the logits, and a softmax of uniform numbers: with
    ``far=0`` the search is local, as the paper's Adam must have been. The far starts are the best of ``screen`` laws drawn
    from all over the product of simplices, its vertices included, no two of them closer than ``apart``.

    Parameters
    ----------
    method : ``"adam"``; or ``"projected"``, a projected gradient whose best end goes on by L-BFGS-B
    steps : of Adam, or the most iterations of the projected gradient; with none, L-BFGS-B starts from the best near and the
        best far start, and goes on from the better end
    rate : of Adam
    perturbed : near starts with Gaussian noise of standard deviation ``spread`` on the logits
    far, screen : far starts, and random laws they are chosen from
    mixed : they are chosen also from mixtures of the best law known with each action, in shares ``SHARES``
    apart : smallest total variation between far starts, averaged over contexts
    recombined : with several contexts, so many more starts that take each context's law from another end of the first
        climb: a kernel that is additive over contexts has such maxima
    """

    method: str = "projected"
    steps: int = 60
    rate: float = 0.05
    perturbed: int = 2
    spread: float = 0.3
    far: int = 6
    screen: int = 512
    apart: float = 0.05
    mixed: bool = False
    recombined: int = 0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ParameterError("method", f"got {self.method!r}", f"one of {', '.join(METHODS)}")
        for name, low in (("steps", 0), ("perturbed", 0), ("far", 0), ("screen", 0), ("recombined", 0)):
            whole_number(name, getattr(self, name), low)
        positive_number("rate", self.rate)
        positive_number("spread", self.spread)
        if self.far > self.screen:
            raise ParameterError("far", f"got {self.far}", f"at most screen = {self.screen}")

    def __call__(
        self,
        objective: Objective,
        incumbents: ArrayLike,
        generator: np.random.Generator,
        value: Callable[[Floats], Floats] | None = None,
    ) -> Ends:
        """Climb from every start.

        Parameters
        ----------
        objective : values and gradients
        incumbents : (n, C, A) laws to start near, best first, at least one
        generator : of the starts
        value : the objective without its gradient, used for screening; from ``objective`` by default
        """
        known = np.asarray(incumbents, dtype=np.float64)
        if known.ndim != 3 or not len(known):
            raise ParameterError("incumbents", f"have shape {known.shape}", "(n, C, A), at least one")
        starts = [known, *self._near(known, generator)]
        score = value if value is not None else lambda laws: objective(laws)[0]
        if self.far:
            pool = random_laws(self.screen, known.shape[1:], generator)
            if self.mixed:
                vertices = np.eye(known.shape[2])[:, None]
                pool = np.concatenate([pool, *((1 - share) * known[0] + share * vertices for share in SHARES)])
            starts.append(pool[_spread_out(pool, score(pool), self.far, self.apart)])
        ends = self.climb(objective, np.concatenate(starts))
        contexts = known.shape[1]
        if self.recombined and contexts > 1:
            choice = _choices(self.screen, contexts, len(ends.laws), generator)
            mixed = ends.laws[choice, np.arange(contexts)]
            more = mixed[_spread_out(mixed, score(mixed), self.recombined, self.apart)]
            ends = ends.joined(self.climb(objective, more))
        if self.method == "adam":
            return ends
        if not self.steps and self.far:
            near = len(known) + self.perturbed + 1
            leaders = [int(np.argmax(ends.values[:near])), near + int(np.argmax(ends.values[near:]))]
            ends = ends.joined(lbfgs(objective, ends.laws[leaders], FIRST))
        return ends.joined(lbfgs(objective, ends.laws[[ends.best]], LAST))

    def climb(self, objective: Objective, starts: Floats) -> Ends:
        """Adam or the projected gradient from ``starts`` (S, C, A)."""
        if self.method == "adam":
            return adam(objective, starts, self.steps, self.rate)
        return projected_gradient(objective, starts, self.steps)

    def _near(self, known: Floats, generator: np.random.Generator) -> list[Floats]:
        noise = self.spread * generator.standard_normal((self.perturbed, *known.shape[1:]))
        shaken = special.softmax(logits(known[:1]) + noise, axis=-1)
        return [shaken, special.softmax(generator.uniform(size=(1, *known.shape[1:])), axis=-1)]


#: The paper's optimiser and rate, with the companion's number of steps and starts near laws already played.
PAPER_SEARCH = Search("adam", steps=100, rate=0.01, far=0)
#: The same with a rate at which a hundred steps suffice.
LOCAL_SEARCH = Search("adam", steps=100, rate=0.05, far=0)


def exact_search(contexts: int, actions: int) -> Search:
    """Best approximation of the argmax of Algorithm 1: from all over the product of simplices, boundary included.

    The fewer coordinates n = |A||C| there are, the more far starts it has, up to 32. Of one context, most maxima not near a
    law already played mix few actions, often one with the best such law: with those mixtures a small screen is enough. From
    ``MANY`` actions on it has one far start, of 64, and L-BFGS-B alone climbs. Several contexts have maxima of their own in each,
    and so up to 4096 laws are screened and climbs are longer.
    """
    size = contexts * actions
    if contexts == 1:
        if actions >= MANY:
            return Search(steps=0, far=1, screen=64)
        screen, far = min(4096, max(192, 65536 // size**2)), min(32, max(6, 384 // size))
        return Search(steps=8, far=far, screen=screen, mixed=True)
    screen, far = min(4096, max(512, 65536 // size)), min(32, max(6, 512 // size))
    return Search(steps=60, far=far, screen=screen, recombined=8 if size < 128 else 0)


def random_laws(count: int, shape: tuple[int, ...], generator: np.random.Generator) -> Floats:
    """``count`` laws (count, C, A): a quarter vertices, the rest Dirichlet of concentrations .1, .5 and 1, in turn."""
    contexts, actions = shape
    vertices = np.eye(actions)[_choices(count // 4, contexts, actions, generator)]
    rest = count - len(vertices)
    concentration = np.array([0.1, 0.5, 1.0])[np.arange(rest) % 3][:, None, None]
    gamma = generator.standard_gamma(np.broadcast_to(concentration, (rest, contexts, actions)))
    gamma = np.maximum(gamma, 1e-300)
    return np.concatenate([vertices, gamma / gamma.sum(axis=-1, keepdims=True)])


def _choices(count: int, contexts: int, actions: int, generator: np.random.Generator) -> NDArray[np.intp]:
    """One action per context (k, C): all combinations if they are at most ``count``, else ``count`` random ones."""
    if contexts * np.log(actions) <= np.log(max(count, 1)):
        every = np.indices((actions,) * contexts).reshape(contexts, -1).T
        return np.asarray(every, dtype=np.intp)
    return generator.integers(actions, size=(count, contexts))


#: Laws that are compared with those taken at once.
SPREAD_BLOCK = 64


def _spread_out(pool: Floats, scores: Floats, count: int, apart: float) -> list[int]:
    """Indices of the best of the pool, skipping those within ``apart`` of one already taken."""
    order, chosen = np.argsort(-scores, kind="stable"), list[int]()
    # In blocks, since in a crowd of equal laws nearly all are skipped.
    for block in np.split(order, range(SPREAD_BLOCK, len(order), SPREAD_BLOCK)):
        left = block
        if chosen:
            left = block[(_half_distances(pool[block][:, None], pool[chosen]) >= apart).all(axis=1)]
        known = len(chosen)
        for index in left:
            if known == len(chosen) or _half_distances(pool[chosen[known:]], pool[index]).min() >= apart:
                chosen.append(int(index))
            if len(chosen) == count:
                return chosen
    return chosen


def _half_distances(first: Floats, second: Floats) -> Floats:
    """Total-variation distances of laws (..., C, A), averaged over contexts."""
    return np.asarray(0.5 * np.abs(first - second).sum(axis=-1).mean(axis=-1))
