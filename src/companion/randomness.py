"""Named generator streams from one integer seed.

A stream is addressed by the seed and a path of names, for example ``stream(7, "noise")``. Its content depends on
nothing else: not on the order in which streams are opened, not on the number of workers, not on which method runs.
Methods compared at one seed therefore share initial designs, noise and contexts (common random numbers).
"""

from __future__ import annotations

import hashlib

import numpy as np

from companion.errors import ParameterError


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
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= int(seed) < 2**63:
        raise ParameterError("seed", f"got {seed!r}", "an integer from 0 to 2**63 - 1")
    if not path:
        raise ParameterError("path", "is empty", "at least one stream name, e.g. 'noise'")
    # A digest of the names makes distinct paths distinct streams; SeedSequence decorrelates them.
    digest = hashlib.sha256("\x1f".join(f"{type(p).__name__}:{p}" for p in path).encode()).digest()
    words = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=int(seed), spawn_key=words)))
