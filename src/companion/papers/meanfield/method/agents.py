"""A population of M agents: contexts, actions drawn from a law, and the representative agent."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats, Indices
from companion.core.errors import ParameterError, whole_number

PLAYS = ("iid", "quota")
#: Entries of the table with which large populations are drawn, a power of two.
TABLE = 4096


def draw_contexts(weights: ArrayLike, agents: int, generator: np.random.Generator, quota: bool = False) -> Indices:
    """Contexts (M,) of the agents, as indices.

    Parameters
    ----------
    weights : (C,) p(c)
    agents : M
    quota : as many agents of each context as p(c) M says, to within one, instead of independent draws; the agents of a
        context are then a random subset
    """
    whole_number("agents", agents)
    weights = _distribution("weights", weights)
    if quota:
        return generator.permutation(np.repeat(np.arange(len(weights)), largest_remainder(weights, agents)))
    return _draw(weights, agents, generator)


def play_law(law: ArrayLike, contexts: ArrayLike, generator: np.random.Generator, play: str = "iid") -> Indices:
    """Actions (M,) of agents with ``contexts`` (M,) who follow ``law`` (C, A).

    Parameters
    ----------
    law : one distribution per context
    contexts : indices
    generator : of the draws
    play : ``"iid"``, every agent draws from its context's law, the paper's wording; or ``"quota"``, the agents of a
        context share out the actions as closely to the law as whole numbers allow, which agent gets which being random

    Raises
    ------
    ParameterError
        for an unknown way to play or a law that is not one distribution per context
    """
    if play not in PLAYS:
        raise ParameterError("play", f"got {play!r}", f"one of {', '.join(PLAYS)}")
    laws = np.asarray(law, dtype=np.float64)
    who = np.asarray(contexts, dtype=np.intp)
    actions = np.empty(len(who), dtype=np.intp)
    for context in range(len(laws)):
        row = _distribution("law", laws[context])
        members = np.flatnonzero(who == context)
        if play == "quota":
            dealt = np.repeat(np.arange(len(row)), largest_remainder(row, len(members)))
            actions[members] = generator.permutation(dealt)
        else:
            actions[members] = _draw(row, len(members), generator)
    return actions


def empirical_law(
    actions: ArrayLike, contexts: ArrayLike, shape: tuple[int, int], law: ArrayLike | None = None
) -> Floats:
    """Frequencies (C, A) of the actions among the agents of each context.

    Parameters
    ----------
    actions, contexts : (M,) indices
    shape : (C, A)
    law : what to return for a context without agents; uniform by default
    """
    counts = np.zeros(shape)
    np.add.at(counts, (np.asarray(contexts), np.asarray(actions)), 1.0)
    totals = counts.sum(axis=1, keepdims=True)
    empty = np.full(shape, 1.0 / shape[1]) if law is None else np.asarray(law, dtype=np.float64)
    return np.where(totals > 0, counts / np.maximum(totals, 1.0), empty)


def representative(actions: Indices, contexts: Indices, generator: np.random.Generator) -> tuple[int, int]:
    """Action and context of one agent, every agent being equally likely."""
    agent = int(generator.integers(len(actions)))
    return int(actions[agent]), int(contexts[agent])


def largest_remainder(weights: Floats, total: int) -> Indices:
    """Whole numbers that sum to ``total``, each within one of weight times total; ties go to the lowest index."""
    ideal = weights * total
    counts = np.floor(ideal + 1e-9).astype(np.intp)
    missing = total - int(counts.sum())
    order = np.argsort(-(ideal - counts), kind="stable")
    counts[order[:missing]] += 1
    return counts


def _draw(weights: Floats, count: int, generator: np.random.Generator) -> Indices:
    """The number of ends at most each uniform number, by bisection or from a table of where to begin to count: the same."""
    ends, last = np.cumsum(weights), np.flatnonzero(weights)[-1]
    ends, uniform = ends / ends[-1], generator.random(count)
    if count < TABLE:
        return np.minimum(np.searchsorted(ends, uniform, side="right"), last).astype(np.intp)
    begins = np.searchsorted(ends, np.arange(TABLE) / TABLE, side="right")
    found = begins[(uniform * TABLE).astype(np.intp)]
    rising = np.flatnonzero(ends[found] <= uniform)
    while rising.size:
        found[rising] += 1
        rising = rising[ends[found[rising]] <= uniform[rising]]
    return np.minimum(found, last).astype(np.intp)


def _distribution(name: str, weights: ArrayLike) -> Floats:
    row = np.asarray(weights, dtype=np.float64)
    if row.ndim != 1 or not len(row) or not (row >= -1e-12).all() or not abs(row.sum() - 1.0) < 1e-9:
        raise ParameterError(name, "is not a distribution", "numbers that are >= 0 and sum to 1")
    row = np.maximum(row, 0.0)
    return np.asarray(row / row.sum())
