"""Runs made now beside the stored ones of the same seeds: how they are made, compared, and shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import pandas as pd

from companion.core import instruction_set
from companion.pages.sentences import Numbers, Sentence, say
from companion.simulate.replicate import parallel_map, workers
from companion.simulate.task_store import Task

Result = TypeVar("Result")


class Recorded(Protocol):
    """Stored runs."""

    @property
    def record(self) -> Mapping[str, Any]:
        """Their provenance; empty for runs made up on the spot."""


@dataclass(frozen=True)
class Again:
    """Comparison of a chapter's live runs with the stored ones, and its sentences.

    Attributes
    ----------
    tolerance : largest relative difference of equal runs, which comes from the number of stored digits
    pairs : columns that are compared, made now and stored; a run is equal if all are
    """

    tolerance: float
    pairs: Sequence[tuple[str, str]] = (("live", "stored"),)

    def same(self, live: pd.DataFrame) -> pd.Series:
        """Mask of live runs equal to their stored ones, by index."""
        return equal(live, self.tolerance, self.pairs)

    def say(self, live: pd.DataFrame, evidence: Recorded) -> Sentence:
        """Whether the live runs are the stored ones."""
        return say_again(live, self.same(live), evidence.record)


def rerun_tasks(tasks: Sequence[Task], compute: Callable[[Task], Result]) -> Iterator[tuple[Task, Result]]:
    """Every task with its result, computed by as many workers as there are."""
    return zip(tasks, parallel_map(compute, tasks, [task.label for task in tasks], workers(), "live"), strict=True)


def equal(live: pd.DataFrame, tolerance: float, pairs: Sequence[tuple[str, str]] = (("live", "stored"),)) -> pd.Series:
    """Mask of runs equal to their stored ones.

    Parameters
    ----------
    live : a row for every run, NaN where none is stored
    tolerance : largest relative difference, which comes from the number of stored digits
    pairs : columns that are compared, made now and stored; a run is equal if all are

    Returns
    -------
    True or False for each row with a stored value, by its index
    """
    both = live.dropna(subset=[stored for _, stored in pairs])
    close = [np.isclose(both[now], both[stored], rtol=tolerance, atol=tolerance**2) for now, stored in pairs]
    return pd.Series(np.all(close, axis=0), index=both.index)


def say_again(live: pd.DataFrame, same: pd.Series, record: Mapping[str, Any] | None) -> Sentence:
    """Count of live runs equal to the stored ones; if not all are, the reason, or a warning.

    Parameters
    ----------
    live : a row for every run
    same : of :func:`equal`
    record : of the stored runs
    """
    before, here = instruction_set.recorded(record["blas"] if record else []), instruction_set.in_use()
    numbers = Numbers(
        live,
        made=len(live),
        count=len(same),
        equal=int(same.sum()),
        before=instruction_set.MEANS.get(before, before or "another mixture"),
        here=instruction_set.MEANS.get(here, here or "a mixture"),
    )
    told = "Runs made now: [[made]]. Of those, [[count]] were stored before, and [[equal]] have the stored digits."
    if not len(same):
        return say("Runs made now: [[made]]. None of them was stored before.", numbers)
    if same.all():
        return say(
            "Runs made now: [[made]]. Of those, [[count]] were stored before; all have the stored digits.", numbers
        )
    if before == here:
        return say(f"**{told}**", numbers)
    return say(
        told + " The stored runs used a processor's instructions for [[before]], these runs those for [[here]]. "
        "Sums are then rounded differently, and where two points are almost equally good, a run may go another way.",
        numbers,
    )
