"""Common choices of everything compared in chapter 6 and on the page of bounds, each decided here and nowhere else.

Kernels, candidates and noise of the common settings; and the defaults: the failure probability, the
norm, one evaluation in a batch, the regulariser. ``companion bounds`` takes its defaults from here as well, and from
:class:`~companion.bounds.bound.BoundSetting`.
"""

from __future__ import annotations

from companion.bounds.bound import BoundSetting
from companion.stored.results import StoredSet

LENGTHSCALE = 0.2
#: Points an axis of [0, 1]^d, by d; every kernel has the length-scale :data:`LENGTHSCALE` and variance 1.
POINTS = {1: 50, 2: 10, 3: 5}
#: Settings in which bounds and methods are compared; noise by its standard deviation.
KERNELS, DIMS, NOISES = ("se", "matern52", "matern32"), (1, 2), (0.1, 0.3, 1.0)
#: Stands for the kernel of a mean-field game, which is its own.
GAME = "game"
#: The one setting that is shown where one is.
KERNEL, DIM, NOISE = "se", 1, 0.3

#: Failure probability of whatever holds with a probability.
DELTA = 0.1
#: Psi and B: of functions of known norm.
NORM = 1.0
#: Evaluations in a batch of TS-RSR where nothing is said, and those for which its bounds are shown; the others have none.
BATCH, BATCHES = BoundSetting.batch, (1, 5)
#: Of the naive rival in a mean-field game.
AGENTS = 10

#: Evaluations at which measured regret stands beside bounds, and runs behind every mean.
AT, RUNS = 1000, 40


FARTHEST, PER_DECADE = 6, 8
#: Of evaluations, at which bounds are compared with the trivial bound: eight a decade, up to a million.
HORIZONS = tuple(sorted({round(10 ** (k / PER_DECADE)) for k in range(FARTHEST * PER_DECADE + 1)}))


def stored_set(
    name: str, *tables: str, module: str = "companion.papers.across.experiments.store", whole: bool = False
) -> StoredSet:
    """A set of stored tables of this chapter, by default one table of its name, and the command that makes it."""
    command = f"python -m companion.papers.across.experiments {name}"
    return StoredSet("across", module, command, tables or (name,), name, whole)


def regulariser_of(noise: float) -> float:
    """lambda of chapter 5 where nothing is said: the noise variance, as the model of every other paper has it."""
    return noise**2


def candidates(dim: int) -> int:
    """Points of the grid in d dimensions."""
    return POINTS[dim] ** dim
