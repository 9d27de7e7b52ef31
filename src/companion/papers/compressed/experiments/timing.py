"""CPU time of every round, spent inside a policy: the quantity in Tables 2 to 4 and in a plot of time per step.

Measured by the clock of the calling thread, so that other processes on the machine count little; linear algebra has to run
on one thread. Times differ from machine to machine: only their ratios within one call are compared.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats
from companion.papers.compressed.experiments.definitions import average_regret, checkpoints, experiment
from companion.policies import Batch, Policy
from companion.simulate import Trajectory


class OutOfTimeError(Exception):
    """The policy's CPU time has passed its limit; raised before the next round begins."""


class Timed:
    """A policy whose rounds are timed.

    Parameters
    ----------
    policy : asked and told
    limit : CPU seconds after which the run is broken off

    Attributes
    ----------
    seconds : CPU seconds of every batch, asking and telling together
    orders : model order after every batch
    """

    def __init__(self, policy: Policy, limit: float = np.inf) -> None:
        self._policy, self._limit = policy, limit
        self.seconds: list[float] = []
        self.orders: list[int] = []
        self._total = 0.0

    @property
    def model_order(self) -> int:
        """Of the policy behind."""
        return int(getattr(self._policy, "model_order", 0))

    def ask(self, remaining: int) -> Batch:
        """As the policy behind, timed."""
        if self._total > self._limit:
            raise OutOfTimeError
        began = time.thread_time()
        batch = self._policy.ask(remaining)
        self.seconds.append(time.thread_time() - began)
        return batch

    def tell(self, observations: Floats) -> None:
        """As the policy behind, timed."""
        began = time.thread_time()
        self._policy.tell(observations)
        self.seconds[-1] += time.thread_time() - began
        self._total += self.seconds[-1]
        self.orders.append(self.model_order)

    def recommend(self) -> int:
        """As the policy behind."""
        return self._policy.recommend()

    def diagnostics(self) -> dict[str, Any]:
        """As the policy behind."""
        return self._policy.diagnostics()


def timed_run(name: str, method: str, seed: int, values: Mapping[str, Any]) -> tuple[Trajectory, Floats]:
    """One run, and the CPU seconds (T + 1,) of its initial points and of every round."""
    watches: list[Timed] = []

    def wrap(policy: Policy) -> Policy:
        watches.append(Timed(policy))
        return watches[-1]

    run = experiment(name).ready(method, seed, values).run(wrap)
    return run, np.array(watches[0].seconds)


def rounds_within(
    name: str, method: str, seed: int, values: Mapping[str, Any], limit: float
) -> tuple[Floats, NDArray[np.intp]]:
    """CPU seconds and model orders of the rounds that fit into ``limit`` CPU seconds, initial points first."""
    watches: list[Timed] = []

    def wrap(policy: Policy) -> Policy:
        watches.append(Timed(policy, limit))
        return watches[-1]

    with contextlib.suppress(OutOfTimeError):
        experiment(name).ready(method, seed, values).run(wrap)
    return np.array(watches[0].seconds), np.array(watches[0].orders, dtype=np.intp)


def clock_regret(run: Trajectory, seconds: Floats, end: float) -> float:
    r"""Average regret against clock time, averaged over the time from the first round to ``end``.

    :math:`\frac1{\tau}\int_0^\tau\bar r(s)\,ds`, where :math:`\bar r(s)` is the average regret of the rounds finished by
    time s: before the first one ends it is that of the first, after the last one it stays. Lower is better.

    Parameters
    ----------
    run : with its initial points
    seconds : (T,) of every round after them, objective included where it counts
    end : tau, seconds
    """
    curve = average_regret(run)
    clock = np.minimum(np.cumsum(seconds), end)
    held = np.diff(np.append(clock, end))
    return float((curve @ held + curve[0] * clock[0]) / end)


def compared_times(
    name: str, seed: int, values: Mapping[str, Any], variants: Sequence[tuple[str, str, Mapping[str, Any]]]
) -> list[dict[str, Any]]:
    """Times of several methods on one seed, one after the other in this process, after a short run that is not counted.

    Parameters
    ----------
    name, seed : experiment and seed, shared
    values : parameters of all
    variants : label, method and further parameters of each; the first is the one the clock of the others is held against

    Returns
    -------
    one object a variant: variant, method, seconds (policy), objective_seconds, evaluations, clock_regret, and clock, the
    seconds of both that have passed at the checkpoints
    """
    timed_run(name, variants[0][1], seed, {**values, **variants[0][2], "horizon": 5})
    found, end = [], None
    for label, method, more in variants:
        run, spent = timed_run(name, method, seed, {**values, **more})
        first = int(run.meta["initial"])
        objective = np.asarray(run.diagnostics["objective_seconds"])[first:]
        total = spent[1:] + objective
        end = float(total.sum()) if end is None else end
        found.append(
            {
                "variant": label,
                "method": method,
                "seconds": float(spent[1:].sum()),
                "objective_seconds": float(objective.sum()),
                "evaluations": int(np.asarray(run.diagnostics["evaluated"])[first:].sum()),
                "clock_regret": clock_regret(run, total, end),
                "clock": np.cumsum(total)[checkpoints(len(total)) - 1],
            }
        )
    return found


def step_times(seconds: Floats, orders: NDArray[np.intp]) -> dict[str, Any]:
    """Median and mean time of a round, total time and model order at the ends of up to 30 stretches of rounds."""
    ends = checkpoints(len(seconds) - 1)[1:]
    total, rows, begin = np.cumsum(seconds), [], 1
    for end in ends.tolist():
        part = seconds[begin : end + 1]
        typical = {"median_seconds": float(np.median(part)), "mean_seconds": float(np.mean(part))}
        rows.append({"round": end, **typical, "total_seconds": float(total[end]), "model_order": int(orders[end])})
        begin = end + 1
    return {"rows": rows}
