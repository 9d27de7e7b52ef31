"""A call that is interrupted after so many runs, for the tests of every paper's stored results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest


@contextmanager
def interrupted(module: ModuleType, count: int) -> Iterator[None]:
    """The block has to end in an interruption: ``module.compute`` makes ``count`` runs and no more."""
    real, made = module.compute, 0

    def stops(task: Any) -> Any:
        nonlocal made
        if made == count:
            raise KeyboardInterrupt
        made += 1
        return real(task)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "compute", stops)
        with pytest.raises(KeyboardInterrupt):
            yield
