"""A sweep small enough to be run many times, and a program that starts several processes on one folder at once.

``python sweeping.py FOLDER LOG SECONDS SHARD...`` runs one process for each of the shards, ``1/1`` for all of the plan; each
run takes SECONDS and leaves a line in LOG when it begins.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from companion.core.parameters import Parameter, ParameterSet
from companion.core.randomness import stream
from companion.policies import UniformRandom
from companion.problems import FiniteProblem
from companion.simulate import Experiment, Method, Task, run_policy, task_store
from companion.simulate.plan import Plan, RunRequest
from companion.simulate.sweep import Shard, run_sweep

PARAMETERS = ParameterSet(
    (
        Parameter("horizon", "int", 5, "evaluations", "ours", low=1, high=50),
        Parameter("noise", "float", 0.1, "noise sd", "ours", low=0),
    )
)


@dataclass(frozen=True)
class Setup:
    seed: int
    method: str
    horizon: int
    noise: float

    @property
    def policy(self) -> Any:
        return UniformRandom(9, stream(self.seed, self.method), batch_size=2)

    def run(self) -> Any:
        begun(f"{self.method} {self.seed} {self.noise}")
        values = stream(self.seed, "function").normal(size=9)
        problem = FiniteProblem("toy", np.arange(9.0)[:, None], values, 0.1, "ours")
        return run_policy(
            self.policy, problem, self.horizon, self.noise * stream(self.seed, "n").normal(size=self.horizon)
        )


def write_result(task: Task, result: Mapping[str, Any], folder: Path) -> Path:
    """Store one result, as it is stored behind a run."""
    return task_store._write_body(task, task_store._body(task, result, {"seconds": 0.0}), folder)


def begun(line: str) -> None:
    """Note that a run begins, and take the time that runs take here."""
    log, seconds = os.environ.get("SWEEPING_LOG"), float(os.environ.get("SWEEPING_SECONDS", "0"))
    if log:
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(descriptor, f"{line}\n".encode())  # one write: lines of several processes do not mix
        os.close(descriptor)
    time.sleep(seconds)


def setup(method: str, seed: int, parameters: dict[str, Any]) -> Setup:
    return Setup(seed, method, parameters["horizon"], parameters["noise"])


EXPERIMENT = Experiment("toy", "small", "nine points", (Method("one", "1"), Method("two", "2")), PARAMETERS, setup, "1")
PLAN = Plan.of([RunRequest(EXPERIMENT, ("one", "two"), tuple(range(12)), ({"noise": 0.1}, {"noise": 0.5}))])


def _run(folder: str, shard: str, start: Any) -> None:
    start.wait()
    run_sweep(PLAN, folder, Shard.parse(shard))


def main(folder: str, log: str, seconds: str, *shards: str) -> None:
    os.environ.update(SWEEPING_LOG=log, SWEEPING_SECONDS=seconds)
    context = multiprocessing.get_context("fork")
    start = context.Barrier(len(shards))
    started = [context.Process(target=_run, args=(folder, shard, start)) for shard in shards]
    for process in started:
        process.start()
    for process in started:
        process.join()
    sys.exit(max(process.exitcode or 0 for process in started))


if __name__ == "__main__":
    main(*sys.argv[1:])
