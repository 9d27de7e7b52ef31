"""Many seeds at once on torch tensors beside the same seeds one by one. Prints a table and stores nothing.

Both ways run in one process, one after the other, and are timed in turns, so that a busy moment of the machine meets both;
what counts is the ratio, above one where seeds at once are faster: on the clock, in seconds of the processor, which matter
where others use it too, and on the clock for the choices alone, which is what tensors compute. Runs are whole otherwise: set-up,
choices, and accounting of regret. Before a ratio is printed, the choices of all seeds are checked to be the same.

Run with ``make bench``, or ``python benchmarks/bench_batches.py [--quick] [--seeds 50] [--threads 1 2] [--device cpu]``. The
threads are torch's; one by one a run has one thread.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from page import note

from companion import registry
from companion.simulate import Trajectory
from companion.simulate.replicate import single_threaded
from companion.simulate.vectorised import run_vectorised


@dataclass(frozen=True)
class Case:
    """One method of one experiment."""

    paper: str
    experiment: str
    method: str
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """As the table names it."""
        return f"{self.paper}/{self.experiment} {self.method}"


CASES = (
    Case("tsrsr", "theory", "ts-rsr"),
    Case("tsrsr", "theory", "bucb"),
    Case("tsrsr", "theory", "ts-rsr", {"points_per_axis": 400}),
    Case("tsrsr", "gp-2d", "bucb", {"batches": 5}),
    Case("compressed", "logistic", "gp-ucb", {"data": "digits"}),
    Case("compressed", "logistic", "gp-ei", {"data": "digits"}),
    Case("compressed", "example-function", "gp-ucb"),
    Case("compressed", "example-function", "cgp-ucb"),
    Case("compressed", "rosenbrock", "gp-ucb"),
    Case("compressed", "rosenbrock", "cgp-ei"),
)
QUICK = (Case("tsrsr", "theory", "bucb"), Case("compressed", "logistic", "gp-ucb", {"data": "digits", "horizon": 30}))


@dataclass(frozen=True)
class Timed:
    """Runs, the seconds they took on the clock, and those of the processor."""

    runs: list[Trajectory]
    clock: float
    processor: float


def timed(work: Callable[[], list[Trajectory]]) -> Timed:
    """Do it once."""
    clock, processor = time.perf_counter(), time.process_time()
    runs = work()
    return Timed(runs, time.perf_counter() - clock, time.process_time() - processor)


def one_by_one(case: Case, seeds: range) -> list[Trajectory]:
    """The loop."""
    experiment = registry.experiment(case.paper, case.experiment)
    with single_threaded():
        return [experiment.run(case.method, seed, case.values) for seed in seeds]


def at_once(case: Case, seeds: range, device: str, threads: int) -> list[Trajectory]:
    """The tensors."""
    experiment, declared = registry.experiment(case.paper, case.experiment), registry.get(case.paper).together
    assert declared is not None
    return run_vectorised(declared.value, experiment, case.method, seeds, case.values, device, threads)


def measure(case: Case, seeds: range, device: str, threads: int, repeats: int) -> str:
    """One line of the table."""
    at_once(case, seeds[:2], device, threads)  # libraries load and compile on first use
    clock, processor, choices = [], [], []
    for _ in range(repeats):
        single, many = timed(lambda: one_by_one(case, seeds)), timed(lambda: at_once(case, seeds, device, threads))
        for seed, own, run in zip(seeds, single.runs, many.runs, strict=True):
            if not np.array_equal(own.query, run.query):
                sys.exit(f"{case.label}: seed {seed} chooses otherwise; its time means nothing")
        clock.append(single.clock / many.clock)
        processor.append(single.processor / many.processor)
        choices.append(sum(run.seconds for run in single.runs) / sum(run.seconds for run in many.runs))
    note(f"{case.label}, {threads} thread(s): one by one", statistics.median(processor), "x seeds at once")
    alone = sum("together" not in run.meta for run in many.runs)
    ratios = "".join(f"{statistics.median(found):11.2f}" for found in (clock, processor, choices))
    return f"{case.label:38}{f'T={len(run)}':>7}{single.clock:9.2f}{many.clock:9.2f}{ratios}{alone:8}"


def main() -> None:
    """Print the table for each number of threads."""
    parser = argparse.ArgumentParser(description="Time many seeds at once beside the same seeds one by one.")
    parser.add_argument("--quick", action="store_true", help="two small cases on one thread")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--threads", type=int, nargs="+", help="torch's threads (default: 1 2; quick: 1)")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    for threads in options.threads or ([1] if options.quick else [1, 2]):
        print(f"\n{options.seeds} seeds, {options.device}, {threads} thread(s); torch {torch.__version__}")
        print(f"{'':45}{'seconds':>18}{'ratio':>33}{'run':>8}")
        print(f"{'':45}{'one by one':>9}{'at once':>8}{'clock':>11}{'processor':>11}{'choices':>11}{'alone':>8}")
        for case in QUICK if options.quick else CASES:
            print(measure(case, range(options.seeds), options.device, threads, options.repeats), flush=True)


if __name__ == "__main__":
    main()
