r"""Small mean-field games in which Theorem 4.1 holds by construction, played by exact MF-GP-UCB many times at once.

A game has few actions, few contexts and a finite set of laws, the lattice of all collections whose probabilities are
multiples of 1/parts. The payoff f is a draw of the prior on all (x, c, xi); the argmax of Algorithm 1 is an enumeration, kernel
and noise are known, and the representative agent's own payoff is observed. The number of agents does not occur.

The set :math:`\Xi_t` of the proof is a coarser lattice inside the game's, so that :math:`[\xi^\star]_t` is a law that could
have been played. Everything the proof speaks about is recorded; arrays have the run first, then the round t - 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats, Indices
from companion.core.errors import ParameterError, positive_number, whole_number
from companion.core.randomness import stream
from companion.gp.data import cholesky
from companion.gp.factor import draw_root
from companion.gp.posterior import FinitePosterior
from companion.information import GainBracket, gain_bracket
from companion.papers.meanfield.method.acquisition import averaged, optimistic
from companion.papers.meanfield.method.agents import largest_remainder
from companion.papers.meanfield.method.kernel import AdditiveKernel, Plays, radial, squared_distances
from companion.papers.meanfield.theory.bounds import Pieces
from companion.papers.meanfield.theory.smoothness import derivative_covariance, tail_constants

COUPLINGS = ("product", "additive")
#: Paths from which the mean of the largest derivative is estimated; its standard error is about one in a hundred.
DERIVATIVE_PATHS = 4000


@dataclass(frozen=True)
class Game:
    r"""A finite game and its prior. The default is the chapter's standard instance: two actions, one context, 201 laws.

    The ``"product"`` kernel is :math:`k_{RBF}(x,x')\,k_{RBF}(c,c')\,\prod_ck_{RBF}(\xi_c,\xi_c')` with variance 1; ``"additive"``
    is Eq. (1), with variance 2 + |C|. Actions and contexts have the features 0, 1, 2, ...

    Parameters
    ----------
    actions, contexts : |A| and |C|
    parts : the game's laws have probabilities that are multiples of 1/parts
    action_lengthscale, law_lengthscale : of the kernel; contexts have the actions' length-scale
    noise_sd : R
    coupling : one of :data:`COUPLINGS`
    """

    actions: int = 2
    contexts: int = 1
    parts: int = 200
    action_lengthscale: float = 0.5
    law_lengthscale: float = 0.3
    noise_sd: float = 0.1
    coupling: str = "product"

    def __post_init__(self) -> None:
        whole_number("actions", self.actions, 2)
        whole_number("contexts", self.contexts)
        whole_number("parts", self.parts)
        positive_number("noise_sd", self.noise_sd)
        if self.coupling not in COUPLINGS:
            raise ParameterError("coupling", f"got {self.coupling!r}", "'product' or 'additive'")

    @property
    def where(self) -> str:
        """The game in words."""
        scales = f"length-scales {self.action_lengthscale:g} and {self.law_lengthscale:g}"
        return f"{self.coupling} kernel, |A| = {self.actions}, |C| = {self.contexts}, {scales}, R = {self.noise_sd:g}"

    @property
    def size(self) -> int:
        """n = |A||C|."""
        return self.actions * self.contexts

    @property
    def noise_variance(self) -> float:
        """R^2."""
        return self.noise_sd**2

    @property
    def variance(self) -> float:
        """kappa^2 = k(z, z)."""
        return 1.0 if self.coupling == "product" else self.kernel.variance(self.contexts)

    @property
    def kernel(self) -> AdditiveKernel:
        """Eq. (1) with the game's length-scales; the product kernel has the same summand for each context's law."""
        return AdditiveKernel(self.action_lengthscale, self.action_lengthscale, self.law_lengthscale)

    @property
    def laws(self) -> Floats:
        """All laws of the game, (L, C, A)."""
        return lattice(self.actions, self.contexts, self.parts)

    @property
    def weights(self) -> Floats:
        """p(c) xi(x|c) of every law, (L, n), contexts in the outer order; contexts are equally likely."""
        return self.laws.reshape(-1, self.size) / self.contexts

    @property
    def covariance(self) -> Floats:
        """Prior covariance of all z = (x, c, xi), (Ln, Ln); number l n + c |A| + x."""
        return _covariance(self)

    @property
    def divisors(self) -> tuple[int, ...]:
        """Divisors of ``parts``: numbers of parts whose lattice lies inside the game's."""
        return tuple(p for p in range(1, self.parts + 1) if self.parts % p == 0)

    def lattice_parts(self, cuts: float) -> int:
        r"""Parts of the lattice :math:`\Xi_t` for ``cuts`` tau_t: the fewest that are at least as many and fit into the game.

        From tau_t = parts on it is the whole game, so that rounding loses nothing any more.
        """
        return next((p for p in self.divisors if p >= cuts), self.parts)

    def rounded(self, law: int, cuts: float) -> int:
        r"""Number of :math:`[\xi]_t`, the law of :math:`\Xi_t` next to law number ``law``, by largest remainders."""
        return _rounding(self, self.lattice_parts(cuts))[law]

    def pieces(self, seed: int = 0) -> Pieces:
        """The theorem's constants, with a and b of Assumption 3.1 from simulated derivatives; see :meth:`tail`."""
        return _pieces(self, seed)

    def derivative_suprema(self, generator: np.random.Generator, count: int) -> Floats:
        r"""max over x, c and sup over xi of :math:`|\partial f/\partial\xi(x'|c')|` for ``count`` paths, x' = c' = 0.

        By symmetry all n coordinates have this law.
        """
        return _suprema(self, generator, count)

    def gain(self, horizon: int) -> GainBracket:
        """Certified bracket of the maximum information gain of ``horizon`` observations."""
        return _gain(self, horizon)


#: The chapter's standard instance.
STANDARD = Game()

STANDARD_HORIZON = 60
#: Games behind every mean that the chapter shows of the standard instance.
STANDARD_GAMES = 100


@dataclass(frozen=True, eq=False)
class GameRuns:
    r"""Trajectories of R runs of T rounds.

    Parameters
    ----------
    game : what was played
    width : (T,) multipliers of the posterior standard deviation
    payoffs : (R, L, n) f at every z
    best : (R,) number of :math:`\xi^\star`
    law, point : (R, T) number of the law played, and c |A| + x of the representative agent
    rounded : (R, T) number of :math:`[\xi^\star]_t`
    mean, sd : (R, T) :math:`\mu_{t-1},\sigma_{t-1}` at the representative agent's z
    average_sd, uniform_sd : (R, T) :math:`\sigma_{t-1}(\cdot,\xi_t)` averaged under p xi_t, and over all (x, c) alike
    acquisition : (R, T) :math:`\alpha_t(\xi_t)`
    acquisition_rounded : (R, T) :math:`\alpha_t([\xi^\star]_t)`
    acquisition_best : (R, T) :math:`\max\alpha_t`, which is the acquisition unless something else was played
    """

    game: Game
    width: Floats
    payoffs: Floats
    best: Indices
    law: Indices
    point: Indices
    rounded: Indices
    mean: Floats
    sd: Floats
    average_sd: Floats
    uniform_sd: Floats
    acquisition: Floats
    acquisition_rounded: Floats
    acquisition_best: Floats

    @cached_property
    def payoff(self) -> Floats:
        """(R, L) g of every law."""
        return np.einsum("rln,ln->rl", self.payoffs, self.game.weights)

    @cached_property
    def instantaneous(self) -> Floats:
        """(R, T) g(best) - g(played)."""
        return self._of_best() - np.take_along_axis(self.payoff, self.law, axis=1)

    @cached_property
    def regret(self) -> Floats:
        """(R,) R_T."""
        return np.asarray(self.instantaneous.sum(axis=1))

    @cached_property
    def discretisation(self) -> Floats:
        r"""(R, T) summands of R^A, :math:`g(\xi^\star)-g([\xi^\star]_t)`."""
        return self._of_best() - np.take_along_axis(self.payoff, self.rounded, axis=1)

    @cached_property
    def optimism(self) -> Floats:
        r"""(R, T) summands of R^C, :math:`g([\xi^\star]_t)-\alpha_t([\xi^\star]_t)`."""
        return np.take_along_axis(self.payoff, self.rounded, axis=1) - self.acquisition_rounded

    @cached_property
    def remainder(self) -> Floats:
        r"""(R, T) :math:`\alpha_t([\xi^\star]_t)-\alpha_t(\xi_t)`, which the argmax makes negative or zero."""
        return self.acquisition_rounded - self.acquisition

    @cached_property
    def exploration(self) -> Floats:
        r"""(R, T) summands of R^D, :math:`\alpha_t(\xi_t)-g(\xi_t)`."""
        return self.acquisition - np.take_along_axis(self.payoff, self.law, axis=1)

    def _of_best(self) -> Floats:
        return np.take_along_axis(self.payoff, self.best[:, None], axis=1)


def best_law(acquisition: Floats) -> Indices:
    """(R,) the first of the best laws, of acquisitions (R, L)."""
    return np.asarray(acquisition.argmax(axis=1))


def second_law(acquisition: Floats) -> Indices:
    """(R,) the second best law, to see what breaks."""
    return np.asarray(np.argsort(-acquisition, axis=1, kind="stable")[:, 1])


def play(
    game: Game,
    horizon: int,
    runs: int,
    width: Callable[[int], float],
    cuts: Callable[[int], float],
    seed: int = 0,
    choice: Callable[[Floats], Indices] = best_law,
) -> GameRuns:
    """MF-GP-UCB with an exact argmax, ``runs`` times with independent payoffs, noise and representative agents.

    Equal seeds share payoffs, noise and the uniform numbers behind the agents' draws, whatever the width.

    Parameters
    ----------
    game : prior, laws and noise
    horizon, runs : T and R
    width : what multiplies the posterior standard deviation in round t, from 1; ``lambda t: 0.0`` for no bonus
    cuts : tau_t, for the rounding of the best law; it does not change what is played
    seed : of everything random
    choice : the law that is played, from the acquisition
    """
    rounds, lanes = whole_number("horizon", horizon), np.arange(whole_number("runs", runs))
    weights, size = game.weights, game.size
    payoffs = game_payoffs(game, runs, seed)
    best = np.einsum("rln,ln->rl", payoffs, weights).argmax(axis=1)
    noise = game.noise_sd * stream(seed, "noise").standard_normal((runs, rounds))
    uniform = stream(seed, "agents").random((runs, rounds))
    model = FinitePosterior(game.covariance, game.noise_variance, replicates=runs, capacity=rounds)
    log: dict[str, list[NDArray[Any]]] = {}
    widths = np.array([width(t) for t in range(1, rounds + 1)])
    for t in range(rounds):
        mean, sd = (part.reshape(runs, len(weights), size) for part in (model.mean, model.sd))
        acquisition = averaged(weights, optimistic(mean, sd, widths[t]))
        law = choice(acquisition)
        ends = np.cumsum(weights[law], axis=1)
        point = (uniform[:, t, None] * ends[:, -1:] >= ends).sum(axis=1)
        rounded = np.array([game.rounded(int(number), cuts(t + 1)) for number in best])
        played_sd = sd[lanes, law]
        found = {
            "law": law,
            "point": point,
            "rounded": rounded,
            "mean": mean[lanes, law, point],
            "sd": played_sd[lanes, point],
            "average_sd": (played_sd * weights[law]).sum(axis=1),
            "uniform_sd": played_sd.mean(axis=1),
            "acquisition": acquisition[lanes, law],
            "acquisition_rounded": acquisition[lanes, rounded],
            "acquisition_best": acquisition.max(axis=1),
        }
        for name, array in found.items():
            log.setdefault(name, []).append(array)
        model.observe(law * size + point, payoffs[lanes, law, point] + noise[:, t])
    arrays: dict[str, Any] = {name: np.stack(entries, axis=1) for name, entries in log.items()}
    return GameRuns(game=game, width=widths, payoffs=payoffs, best=best, **arrays)


def game_payoffs(game: Game, runs: int, seed: int) -> Floats:
    """``runs`` joint draws of the payoff at every (law, context, action), (R, L, n)."""
    return payoff_draws(game, stream(seed, "payoff"), runs)


def payoff_draws(game: Game, generator: np.random.Generator, count: int) -> Floats:
    """The next ``count`` draws of a generator, (count, L, n)."""
    normal = generator.standard_normal((count, len(game.covariance)))
    return np.asarray((normal @ _root(game).T).reshape(count, -1, game.size))


@lru_cache(maxsize=32)
def theory_runs(
    game: Game = STANDARD,
    horizon: int = STANDARD_HORIZON,
    runs: int = 40,
    reading: str = "corrected",
    multiplier: str = "root",
    seed: int = 0,
    bonus: float = 1.0,
    choice: Callable[[Floats], Indices] = best_law,
) -> GameRuns:
    """:func:`play` with the theorem's schedule.

    Kept in memory, because several checks look at the same runs.

    Parameters
    ----------
    game, horizon, runs, seed, choice : see :func:`play`
    reading : ``"printed"`` or ``"corrected"``, of tau_t
    multiplier : of the posterior standard deviation: the ``"root"`` of beta_t, or ``"beta"`` itself, as the paper prints
    bonus : factor of the width, 1 in the theorem
    """
    schedule = game.pieces().width(reading)
    if multiplier not in ("root", "beta"):
        raise ParameterError("multiplier", f"got {multiplier!r}", "'root' or 'beta'")
    power = 0.5 if multiplier == "root" else 1.0
    return play(game, horizon, runs, lambda t: bonus * schedule.beta(t) ** power, schedule.cuts, seed, choice)


@lru_cache(maxsize=64)
def _compositions(actions: int, parts: int) -> NDArray[np.int64]:
    """All ways to deal ``parts`` to ``actions``, (L, A), in falling lexicographic order of the first action."""
    if actions == 1:
        return np.array([[parts]], dtype=np.int64)
    blocks = []
    for first in range(parts, -1, -1):
        rest = _compositions(actions - 1, parts - first)
        blocks.append(np.column_stack([np.full(len(rest), first, dtype=np.int64), rest]))
    return np.concatenate(blocks)


def lattice(actions: int, contexts: int, parts: int) -> Floats:
    """All laws (L, C, A) with probabilities that are multiples of 1/parts."""
    one = _compositions(actions, parts) / parts
    choice = np.indices((len(one),) * contexts).reshape(contexts, -1).T
    return np.asarray(one[choice])


@lru_cache(maxsize=16)
def _covariance(game: Game) -> Any:
    laws, n = game.laws, game.size
    context, action = np.divmod(np.tile(np.arange(n), len(laws)), game.actions)
    law = np.repeat(np.arange(len(laws)), n)
    if game.coupling == "additive":
        return game.kernel(Plays(action[:, None].astype(float), context[:, None].astype(float), laws[law]))
    between = radial(squared_distances(laws.reshape(len(laws), -1), laws.reshape(len(laws), -1)), game.law_lengthscale)
    return (
        between[np.ix_(law, law)] * _own(game)[np.ix_(context * game.actions + action, context * game.actions + action)]
    )


def _own(game: Game) -> Floats:
    """Covariance (n, n) of the representative agent's actions and contexts under the product kernel."""
    context, action = np.divmod(np.arange(game.size), game.actions)
    squared = np.subtract.outer(action, action) ** 2 + np.subtract.outer(context, context) ** 2
    return np.asarray(radial(squared.astype(np.float64), game.action_lengthscale))


@lru_cache(maxsize=16)
def _root(game: Game) -> Any:
    return draw_root(game.covariance)


@lru_cache(maxsize=64)
def _rounding(game: Game, parts: int) -> tuple[int, ...]:
    """Number of the law with ``parts`` parts next to each law of the game."""
    rows = _compositions(game.actions, game.parts)
    number = {tuple(row): index for index, row in enumerate(rows.tolist())}
    step = game.parts // parts
    one = np.array([number[tuple(step * largest_remainder(row / game.parts, parts))] for row in rows])
    choice = np.indices((len(rows),) * game.contexts).reshape(game.contexts, -1)
    return tuple(np.ravel_multi_index(tuple(one[choice]), (len(rows),) * game.contexts).tolist())


def _suprema(game: Game, generator: np.random.Generator, count: int) -> Floats:
    # Under Eq. (1) the derivative is that of one summand, free of x, c and the other contexts' laws.
    additive = game.coupling == "additive"
    laws = lattice(game.actions, 1 if additive else game.contexts, game.parts)
    flat = laws.reshape(len(laws), -1)
    root = cholesky(derivative_covariance(game.kernel, flat, 0))
    copies = 1 if additive else game.size
    normal = generator.standard_normal((copies, len(root), count))
    paths = np.einsum("lm,kmr->klr", root, normal)
    if not additive:
        paths = np.einsum("jk,klr->jlr", cholesky(_own(game)), paths)
    return np.asarray(np.abs(paths).max(axis=(0, 1)))


@lru_cache(maxsize=32)
def _pieces(game: Game, seed: int) -> Pieces:
    suprema = game.derivative_suprema(stream(seed, "derivatives"), DERIVATIVE_PATHS)
    mean = float(suprema.mean() + 3.0 * suprema.std(ddof=1) / math.sqrt(len(suprema)))
    constants = tail_constants(mean, 1.0 / game.law_lengthscale**2)
    return Pieces(game.actions, game.contexts, constants.a, constants.b, game.variance)


@lru_cache(maxsize=32)
def _gain(game: Game, horizon: int) -> GainBracket:
    return gain_bracket(game.covariance, horizon, game.noise_variance)
