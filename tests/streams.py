"""Which streams a piece of code opens, from whatever module it does so."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from companion.core.randomness import stream


class Opened(list[tuple[str, int, tuple[Any, ...]]]):
    """Module, seed and names of every stream opened, in their order."""

    def seeds(self, *apart: str) -> set[int]:
        """Seeds of the streams, but for those opened by rooms that are named."""
        return {seed for module, seed, _ in self if not any(f".{room}." in f"{module}." for room in apart)}

    def twice(self, seed: int) -> list[tuple[Any, ...]]:
        """Names of streams of this seed that were opened more than once: what two uses share, unless it is meant."""
        names = [names for _, own, names in self if own == seed]
        return sorted({one for one in names if names.count(one) > 1}, key=str)


def watched(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """A list that grows with every stream opened until the test ends."""
    opened = Opened()

    def watching(module: str) -> Any:
        def open_it(seed: int, *names: Any) -> np.random.Generator:
            opened.append((module, int(seed), names))
            return stream(seed, *names)

        return open_it

    for name, module in list(sys.modules.items()):
        if name.startswith("companion.") and name != stream.__module__ and getattr(module, "stream", None) is stream:
            monkeypatch.setattr(module, "stream", watching(name))
    return opened
