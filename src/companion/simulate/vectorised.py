"""Many seeds of one method at once, on tensors, in place of one after the other.

A paper says which of its methods can be run so, and how (:class:`Vectorised`). What comes back are the choices, and nothing
else: they are then played again in each seed's own set-up, by the same loop that plays a policy, which does the accounting
of regret. A run has the same regret as alone to the last digit if its choices are the same; tests compare them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats, Indices
from companion.core.errors import CompanionError, ParameterError, whole_number
from companion.policies import Batch
from companion.simulate.experiment import Experiment
from companion.simulate.loop import Trajectory
from companion.simulate.replicate import single_threaded

NOT_TOGETHER = "its seeds cannot be run at once"


@dataclass(frozen=True, eq=False)
class Played:
    """Choices of one seed.

    Parameters
    ----------
    sizes : evaluations of each batch, in order; they add up to T
    query : (T,) evaluated candidates
    observed : (T,) values that the choices rest on
    orders : points in the model after each batch
    recommended : the candidate reported as the best
    diagnostics : as the policy's own
    doubtful : whether a choice could rest on rounding; the others then mean nothing
    """

    sizes: Sequence[int]
    query: Indices
    observed: Floats
    orders: Sequence[int]
    recommended: int
    diagnostics: dict[str, Any]
    doubtful: bool = False


@dataclass(frozen=True)
class World:
    """What :attr:`Together.play` is given.

    Parameters
    ----------
    experiment, method : names
    seeds : distinct
    setups : one a seed, as the experiment makes them, made lean
    parameters : as set-ups take them, the same for all
    device : as torch names it
    check : called with the bytes that are needed, before memory is taken
    """

    experiment: str
    method: str
    seeds: Sequence[int]
    setups: Sequence[Any]
    parameters: Any
    device: str
    check: Callable[[int], None]


@dataclass(frozen=True)
class Vectorised:
    """A paper's methods that run many seeds at once; ``together`` in its declaration.

    Parameters
    ----------
    reason : ``reason(experiment, method, parameters)``, why the seeds go one after the other; empty if they need not
    lean : ``lean(setup, first)``, the set-up without what the first one has as well: its policy is replaced by an
        :class:`Opening`, and what is equal at all seeds is the first one's
    play : the choices at every seed
    """

    reason: Callable[[str, str, Any], str]
    lean: Callable[[Any, Any], Any]
    play: Callable[[World], list[Played]]


class Opening(NamedTuple):
    """First points of a policy."""

    query: Indices


class Replay:
    """A policy that repeats what was chosen, and stops if it is told other values than the choices rest on."""

    def __init__(self, played: Played) -> None:
        self._played = played
        self._ends = np.cumsum((0, *played.sizes))
        self._told = 0

    @property
    def model_order(self) -> int:
        """Points in the model now."""
        return int(self._played.orders[self._told - 1]) if self._told else 0

    def _part(self) -> slice:
        return slice(int(self._ends[self._told]), int(self._ends[self._told + 1]))

    def ask(self, remaining: int) -> Batch:
        """The next batch."""
        return Batch.plain(self._played.query[self._part()])

    def tell(self, observations: NDArray[np.float64]) -> None:
        """Compare the values with those that were used."""
        if not np.array_equal(observations, self._played.observed[self._part()]):
            raise CompanionError(f"batch {self._told + 1} was chosen after other values than its own run observes")
        self._told += 1

    def recommend(self) -> int:
        """The candidate reported as the best."""
        return self._played.recommended

    def diagnostics(self) -> dict[str, Any]:
        """As the policy's own."""
        return self._played.diagnostics


def run_vectorised(
    together: Vectorised,
    experiment: Experiment[Any],
    method: str,
    seeds: Sequence[int],
    values: Any = None,
    device: str = "cpu",
    threads: int = 1,
) -> list[Trajectory]:
    """The runs of ``experiment.run(method, seed, values)`` for all seeds, computed at once.

    ``meta["together"]`` says on which device and with how many seeds; it is missing where a seed was run alone because a
    choice could rest on rounding. ``seconds`` is a run's share of the time in which all were chosen.

    Parameters
    ----------
    together : of the experiment's paper
    experiment, method, seeds, values : as for :meth:`~companion.simulate.Experiment.run`
    device : ``cpu``, ``cuda`` or ``cuda:1``
    threads : of the processor; more than one pays only where nothing else uses it

    Raises
    ------
    ParameterError
        for a method whose seeds cannot be run at once, a device that is not here, or more memory than is free

    Examples
    --------
    >>> from companion import registry
    >>> from companion.papers.tsrsr.experiments.vectorised import TOGETHER
    >>> theory = registry.experiment("tsrsr", "theory")
    >>> runs = run_vectorised(TOGETHER, theory, "bucb", seeds=[0, 1, 2], values={"batches": 4})
    >>> [round(float(run.cumulative_regret[-1]), 2) for run in runs]
    [12.2, 9.9, 11.91]
    """
    from companion.simulate.tensors import check_memory, device_named, torch_threads  # needs torch

    name = device_named(device)
    parameters = experiment.parameters.typed(values or {})
    if reason := together.reason(experiment.name, method, parameters):
        raise ParameterError("method", f"{method!r}: {NOT_TOGETHER}, {reason}")
    setups: list[Any] = []
    for seed in seeds:
        setup = experiment.ready(method, seed, parameters)
        setups.append(together.lean(setup, setups[0] if setups else setup))
    began = time.perf_counter()

    def check(need: int) -> None:
        check_memory(need, name, len(seeds))

    world = World(experiment.name, method, tuple(seeds), setups, parameters, name, check)
    with single_threaded(), torch_threads(whole_number("threads", threads)):
        played = together.play(world)
    share = (time.perf_counter() - began) / len(seeds)
    runs = []
    for seed, setup, choices in zip(seeds, setups, played, strict=True):
        if choices.doubtful:
            with single_threaded():
                runs.append(experiment.run(method, seed, parameters))
            continue
        again = replace(setup, policy=Replay(choices))
        run = replace(experiment, setup=lambda *_, again=again: again).run(method, seed, parameters)
        runs.append(replace(run, seconds=share).with_meta(together={"device": name, "seeds": len(seeds)}))
    return runs
