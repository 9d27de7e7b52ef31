"""Named generator streams from one integer seed.

A stream is addressed by the seed and a path of names, for example ``stream(7, "noise")``. Its content depends on
nothing else: not on the order in which streams are opened, not on the number of workers, not on which method runs.
Methods compared at one seed therefore share initial designs, noise and contexts (common random numbers).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from companion.core.errors import ParameterError

#: Sets that are told the seed of every stream opened; see :func:`seeds_opened`.
_WATCHING: list[set[int]] = []


@contextmanager
def seeds_opened() -> Iterator[set[int]]:
    """The set of seeds whose streams are opened inside the block, by this process; it grows as they are.

    What a number owes to chance is read off the run in this way, and need not be remembered. A result taken from a cache
    opens no stream, and a worker process has to hand its set over, see :func:`note_seeds`.

    Examples
    --------
    >>> from companion.core.randomness import seeds_opened, stream
    >>> with seeds_opened() as seeds:
    ...     _ = stream(7, "noise").normal()
    >>> seeds
    {7}
    """
    seen: set[int] = set()
    _WATCHING.append(seen)
    try:
        yield seen
    finally:
        # By identity: two empty sets are equal.
        _WATCHING[:] = [other for other in _WATCHING if other is not seen]


def note_seeds(seeds: set[int]) -> None:
    """Tell every block of :func:`seeds_opened` of streams that another process opened."""
    for seen in _WATCHING:
        seen |= seeds


def stream(seed: int, *path: str | int) -> np.random.Generator:
    """Generator of the stream ``path`` under ``seed``.

    Parameters
    ----------
    seed : non-negative integer below 2**63
    path : names and indices, e.g. ``("noise",)`` or ``("function", 3)``; at least one

    Raises
    ------
    ParameterError
        if the seed is not such an integer or the path is empty

    Examples
    --------
    >>> import companion as cp
    >>> one, two = cp.stream(7, "noise"), cp.stream(7, "noise")
    >>> bool(one.normal() == two.normal())
    True
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= int(seed) < 2**63:  # type: ignore[redundant-expr] # callers need not be typed
        raise ParameterError("seed", f"got {seed!r}", "an integer from 0 to 2**63 - 1")
    if not path:
        raise ParameterError("path", "is empty", "at least one stream name, e.g. 'noise'")
    # A digest of the names makes distinct paths distinct streams; SeedSequence decorrelates them.
    digest = hashlib.sha256("\x1f".join(f"{type(p).__name__}:{p}" for p in path).encode()).digest()
    note_seeds({int(seed)})
    words = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=int(seed), spawn_key=words)))
