"""Runs of consecutive seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from companion.simulate import replicate

Result = TypeVar("Result")


def by_seed(task: Callable[[int], Result], first: int, count: int) -> Iterator[tuple[int, Result]]:
    """Every seed from ``first`` on with what ``task`` gives for it."""
    seeds = range(first, first + count)
    return zip(seeds, replicate(task, seeds), strict=True)
