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
#: The same with gradients that are computed when they are asked for.
Deferred = Callable[[Floats], tuple[Floats, Callable[[], Floats]]]

METHODS = ("adam", "projected", "lbfgs")
#: Probabilities below this are raised to it before logarithms are taken.
LOWEST = 1e-12
#: Sufficient increase, the number of past values a step may fall back behind, and halvings per step (Birgin et al., 2000).
ARMIJO, MEMORY, HALVINGS = 1e-4, 8, 25


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


def lbfgs(objective: Objective, starts: Floats, iterations: int = 60) -> Ends:
    """L-BFGS on the logits, one start after the other (scipy)."""
    shape = starts.shape[1:]
    laws, values, calls = np.empty_like(starts), np.empty(len(starts)), 0

    def negative(theta: Floats) -> tuple[float, Floats]:
        law = special.softmax(theta.reshape(1, *shape), axis=-1)
        value, gradient = objective(law)
        return -float(value[0]), -softmax_gradient(law, gradient).ravel()

    for s, theta in enumerate(logits(starts)):
        found = optimize.minimize(negative, theta.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": iterations})
        laws[s] = special.softmax(found.x.reshape(shape), axis=-1)
        values[s] = -float(found.fun)
        calls += int(found.nfev)
    return Ends(laws, values, calls)


def projected_gradient(objective: Objective, starts: Floats, iterations: int = 60, tolerance: float = 1e-7) -> Ends:
    """Spectral projected gradient (Birgin, Martinez, Raydan, 2000) on the probabilities themselves.

    Steps have the length of Barzilai and Borwein, are projected onto the simplices and halved until the value exceeds the
    smallest of the last few by a share of the predicted gain. Unlike a softmax, it reaches the boundary, and it stops
    by itself where the projected gradient is below ``tolerance``.
    """
    deferred = getattr(objective, "deferred", None) or _at_once(objective)
    laws = starts.copy()
    value, gradient = objective(laws)
    calls = 1
    keep = _Best(laws)
    keep.update(laws, value)
    history = np.full((MEMORY, len(laws)), np.inf)
    length = 1.0 / np.maximum(np.abs(project(laws + gradient) - laws).max(axis=(1, 2)), 1e-12)
    active = np.arange(len(laws))
    for iteration in range(iterations):
        history[iteration % MEMORY] = value
        here, steepest = laws[active], gradient[active]
        # One projection of both steps: for a dozen laws the calls cost more than the numbers.
        reached = project(np.concatenate([here + length[active, None, None] * steepest, here + steepest]))
        move, whole = reached[: len(here)] - here, reached[len(here) :] - here
        moving = np.abs(whole, out=whole).max(axis=(1, 2)) > tolerance
        if not moving.all():
            active, move, here, steepest = active[moving], move[moving], here[moving], steepest[moving]
        if not active.size:
            break
        slope = np.einsum("scx,scx->s", steepest, move)
        found = _search(deferred, here, move, slope, history.min(axis=0)[active])
        calls += found.calls
        change, turn = found.laws - here, found.gradients - steepest
        curvature = -np.einsum("scx,scx->s", change, turn)
        square = np.einsum("scx,scx->s", change, change)
        with np.errstate(divide="ignore", invalid="ignore"):
            length[active] = np.clip(np.where(curvature > 0, square / curvature, 1e6), 1e-8, 1e6)
        laws[active], value[active], gradient[active] = found.laws, found.values, found.gradients
        keep.update(laws, value)
        active = active[square > 0]
    return keep.ends(calls)


@dataclass(eq=False)
class _Step:
    laws: Floats
    values: Floats
    gradients: Floats
    calls: int


def _at_once(objective: Objective) -> Deferred:
    """An objective that has no ``deferred`` of its own."""

    def deferred(laws: Floats) -> tuple[Floats, Callable[[], Floats]]:
        value, gradient = objective(laws)
        return value, lambda: gradient

    return deferred


def _search(deferred: Deferred, laws: Floats, move: Floats, slope: Floats, reference: Floats) -> _Step:
    """Backtracking for every row at once; a row whose step never suffices stays where it is."""
    trial = laws + move
    value, gradient = deferred(trial)
    enough = value >= reference + ARMIJO * slope
    if enough.all():
        return _Step(trial, value, gradient(), 1)
    result = _Step(trial, value.copy(), gradient().copy() if enough.any() else np.empty_like(trial), 1)
    share, open_ = np.full(len(laws), 0.5), np.flatnonzero(~enough)
    for halving in range(1, HALVINGS):
        trial = laws[open_] + share[open_, None, None] * move[open_]
        if halving == HALVINGS - 1:
            trial = laws[open_]
        value, gradient = deferred(trial)
        result.calls += 1
        enough = value >= reference[open_] + ARMIJO * share[open_] * slope[open_]
        if halving == HALVINGS - 1:
            enough[:] = True
        done = open_[enough]
        if done.size:
            result.laws[done], result.values[done] = trial[enough], value[enough]
            result.gradients[done] = gradient()[enough]
        open_ = open_[~enough]
        if not open_.size:
            break
        share[open_] *= 0.5
    return result


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
    method : ``"adam"``, ``"projected"`` or ``"lbfgs"``
    steps : of Adam, or the most iterations of the others
    rate : of Adam
    perturbed : near starts with Gaussian noise of standard deviation ``spread`` on the logits
    far, screen : far starts, and laws they are chosen from
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
    recombined: int = 0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ParameterError("method", f"got {self.method!r}", f"one of {', '.join(METHODS)}")
        for name, low in (("steps", 1), ("perturbed", 0), ("far", 0), ("screen", 0), ("recombined", 0)):
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
            starts.append(pool[_spread_out(pool, score(pool), self.far, self.apart)])
        ends = self.climb(objective, np.concatenate(starts))
        contexts = known.shape[1]
        if not self.recombined or contexts == 1:
            return ends
        choice = _choices(self.screen, contexts, len(ends.laws), generator)
        mixed = ends.laws[choice, np.arange(contexts)]
        second = self.climb(objective, mixed[_spread_out(mixed, score(mixed), self.recombined, self.apart)])
        return Ends(
            np.concatenate([ends.laws, second.laws]),
            np.concatenate([ends.values, second.values]),
            ends.evaluations + second.evaluations,
        )

    def climb(self, objective: Objective, starts: Floats) -> Ends:
        """The chosen optimiser from ``starts`` (S, C, A)."""
        if self.method == "adam":
            return adam(objective, starts, self.steps, self.rate)
        climb = lbfgs if self.method == "lbfgs" else projected_gradient
        return climb(objective, starts, self.steps)

    def _near(self, known: Floats, generator: np.random.Generator) -> list[Floats]:
        noise = self.spread * generator.standard_normal((self.perturbed, *known.shape[1:]))
        shaken = special.softmax(logits(known[:1]) + noise, axis=-1)
        return [shaken, special.softmax(generator.uniform(size=(1, *known.shape[1:])), axis=-1)]


#: The paper's optimiser and rate, with the companion's number of steps and starts near laws already played.
PAPER_SEARCH = Search("adam", steps=100, rate=0.01, far=0)
#: The same with a rate at which a hundred steps suffice.
LOCAL_SEARCH = Search("adam", steps=100, rate=0.05, far=0)


def exact_search(contexts: int, actions: int, method: str = "projected") -> Search:
    """Best approximation of the argmax of Algorithm 1: from all over the product of simplices, boundary included.

    The fewer coordinates n = |A||C| there are, the more far starts it has: 4096 laws screened and 32 climbed from at n = 16
    and below, 512 and 6 from n = 128 on, where far starts are seldom the best and a round is dearer.
    """
    size = contexts * actions
    screen, far = min(4096, max(512, 65536 // size)), min(32, max(6, 512 // size))
    return Search(method, steps=60, far=far, screen=screen, recombined=8 if size < 128 else 0)


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
