"""A rule on a function at 50 seeds at once, and the stored numbers of the runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats, Indices
from companion.core.randomness import stream
from companion.gp import FinitePosterior, Matern, PriorDraws, SquaredExponential
from companion.gp.kernels import Kernel
from companion.papers.across.method.rules import Entry, ScaledRounds, choices, kept, sizes
from companion.papers.across.problems.functions import HORIZON, INITIAL, SIZE, Function, candidates

SEEDS = 50
#: Evaluations after which the recommended point is looked at.
CHECKPOINTS = tuple(range(10, HORIZON + 1, 10))
EARLY, HALF, ROUNDS = 30, 50, 10
#: A run is near the best candidate, or has found it, once its recommended point has a regret of at most this share of the gap.
TOLERANCES = {"near": 0.05, "found": 0.01}


@dataclass(frozen=True, eq=False)
class Played:
    """Runs of a rule on a function.

    Attributes
    ----------
    query : (R, T) candidates played
    observed : (R, T) what was seen there; NaN where nothing was evaluated
    ends : plays after each round, from the initial points on
    recommended : (R, rounds) candidate of the largest posterior mean after each round, given all observations
    """

    query: Indices
    observed: Floats
    ends: Indices
    recommended: Indices


def noise_of(problem: Function, share: float, seeds: int = SEEDS) -> Floats:
    """(R, T) noise of every evaluation, the same for all rules."""
    normal = [stream(seed, "study", problem.name, "noise").standard_normal(HORIZON) for seed in range(seeds)]
    return share * problem.spread * np.array(normal)


def design_of(problem: Function, seeds: int = SEEDS) -> Indices:
    """(R, 10) initial points, the same for all rules but BPE, which designs its first batch itself."""
    return np.array(
        [stream(seed, "study", problem.name, "design").choice(SIZE, INITIAL, replace=False) for seed in range(seeds)]
    )


def modelled(problem: Function, model: str) -> tuple[Kernel, float]:
    """The kernel of a model, right or wrong, and its noise standard deviation over the true one.

    Smoother is the squared exponential in place of a Matérn kernel; rougher is Matérn 1/2; the length-scale stays.
    """
    kernel = problem.kernel
    if model in ("noise/2", "noise*2"):
        return kernel, 0.5 if model == "noise/2" else 2.0
    if model == "right":
        return kernel, 1.0
    length = kernel.lengthscale
    assert isinstance(length, float)
    if model in ("lengthscale/2", "lengthscale*2"):
        return replace(kernel, lengthscale=length * (0.5 if model == "lengthscale/2" else 2.0)), 1.0
    return (SquaredExponential(length) if model == "smoother" else Matern(0.5, length)), 1.0


def play(problem: Function, share: float, entry: Entry, seeds: int = SEEDS, model: str = "right") -> Played:
    """Play all rounds.

    Parameters
    ----------
    share : standard deviation of the noise over the range of f
    model : ``right``, or what is wrong about it, see :func:`modelled`
    """
    from companion.gp.replicates import ReplicatePosterior  # needs torch, which who reads a table does without

    noise, sd = noise_of(problem, share, seeds), share * problem.spread
    kernel, factor = modelled(problem, model)
    variance = (factor * sd) ** 2
    covariance = np.asarray(kernel(candidates(problem.dim)))
    prior = PriorDraws.on_points(kernel, candidates(problem.dim))
    full = ReplicatePosterior(covariance, variance, seeds, HORIZON)
    active: NDArray[np.bool_] = np.ones((seeds, SIZE), dtype=bool)
    generators = [stream(seed, "study", problem.name, "rule", entry.rule, entry.batch) for seed in range(seeds)]
    best = np.full(seeds, -np.inf)
    query, observed = np.zeros((seeds, 0), dtype=np.intp), np.zeros((seeds, 0))
    ends, recommended = [], []
    for number, size in enumerate(sizes(entry)):
        batch: FinitePosterior | None = None
        if entry.rule == "bpe":
            batch = FinitePosterior(covariance, variance, replicates=seeds, capacity=size)
            chosen = batch.select_max_variance(size, active)
        elif number == 0:
            chosen = design_of(problem, seeds)
        else:
            chosen = choices(entry, ScaledRounds(number - 1, full, prior, generators, best), size)
        seen = problem.values[chosen] + noise[:, query.shape[1] : query.shape[1] + size]
        for place in range(size):
            at = chosen[:, place]
            makes = number == 0 or kept(entry, full.variance.numpy()[np.arange(seeds), at], variance)
            makes = np.broadcast_to(makes, seeds)
            full.observe(at, seen[:, place], makes)
            seen[~makes, place] = np.nan
        if batch is not None:
            batch.tell(seen)
            margin = entry.number(SIZE) * batch.sd
            lower = np.where(active, batch.mean - margin, -np.inf).max(axis=1, keepdims=True)
            active &= batch.mean + margin >= lower
        best = np.fmax(best, np.nanmax(seen, axis=1, initial=-np.inf, where=~np.isnan(seen)))
        query, observed = np.concatenate([query, chosen], axis=1), np.concatenate([observed, seen], axis=1)
        ends.append(query.shape[1])
        recommended.append(full.mean.argmax(dim=1).numpy().copy())
    return Played(query, observed, np.array(ends), np.array(recommended).T)


def row(problem: Function, played: Played) -> dict[str, Any]:
    """Stored numbers: means over the seeds with their standard errors, and counts of runs.

    Regrets are in units of :attr:`~companion.papers.across.problems.functions.Function.gap`, so that playing at random has one.
    """
    regret = (problem.values.max() - problem.values) / problem.gap
    reported = regret[played.recommended]

    def after(plays: int) -> Floats:
        """Regret of the point recommended after the last round that ends by then."""
        last = max(int(np.searchsorted(played.ends, plays, side="right")) - 1, 0)
        return np.asarray(reported[:, last])

    largest = played.query[np.arange(len(played.query)), np.nanargmax(played.observed, axis=1)]
    numbers = {
        "cumulative": regret[played.query].mean(axis=1),
        "early": after(EARLY),
        "half": after(HALF),
        "final": after(HORIZON),
        "rounds": reported[:, min(ROUNDS, len(played.ends)) - 1],
        "observed": regret[largest],
    }
    found: dict[str, Any] = {}
    for name, values in numbers.items():
        found |= {name: float(values.mean()), f"{name}_se": float(values.std(ddof=1) / np.sqrt(len(values)))}
    found["evaluations"] = float((~np.isnan(played.observed)).sum(axis=1).mean())
    for name, tolerance in TOLERANCES.items():
        found |= {f"{name}_{plays}": int((after(plays) <= tolerance).sum()) for plays in CHECKPOINTS}
    return found
