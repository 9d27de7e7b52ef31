"""Many seeds at once on torch tensors beside the same seeds one by one. Prints a table and stores nothing.

Both ways run in one process, one after the other, and are timed in turns, so that a busy moment of the machine meets both;
what counts is the ratio. Every run is whole: set-up, choices, and accounting of regret. Beside it stands the same ratio for
the choices alone, which is what tensors compute. Before a ratio is printed, the choices of all seeds are checked to be the
same.

Run with ``make bench``, or ``python benchmarks/bench_batches.py [--quick] [--seeds 50] [--threads 1 2] [--device cpu]``. The
threads are torch's; one by one a run has one thread.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from companion import papers
from companion.simulate import Trajectory
from companion.simulate.replicate import single_threaded
from companion.simulate.together import run_together


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
    Case("compressed", "logistic", "gp-ucb", {"data": "digits"}),
    Case("compressed", "logistic", "gp-ei", {"data": "digits"}),
    Case("compressed", "example-function", "gp-ucb"),
    Case("compressed", "example-function", "cgp-ucb"),
    Case("compressed", "rosenbrock", "gp-ucb"),
    Case("compressed", "rosenbrock", "cgp-ei"),
)
QUICK = (Case("tsrsr", "theory", "bucb"), Case("compressed", "logistic", "gp-ucb", {"data": "digits", "horizon": 30}))


def one_by_one(case: Case, seeds: range) -> tuple[float, list[Trajectory]]:
    """Seconds and runs."""
    experiment = papers.experiment(case.paper, case.experiment)
    began = time.perf_counter()
    with single_threaded():
        runs = [experiment.run(case.method, seed, case.values) for seed in seeds]
    return time.perf_counter() - began, runs


def at_once(case: Case, seeds: range, device: str) -> tuple[float, list[Trajectory]]:
    """Seconds and runs."""
    experiment, declared = papers.experiment(case.paper, case.experiment), papers.module(case.paper, "plan.together")
    assert declared is not None
    began = time.perf_counter()
    runs = run_together(declared.TOGETHER, experiment, case.method, seeds, case.values, device)
    return time.perf_counter() - began, runs


def measure(case: Case, seeds: range, device: str, repeats: int) -> str:
    """One line of the table."""
    at_once(case, seeds[:2], device)  # libraries load and compile on first use
    whole, choices, alone = [], [], 0
    for _ in range(repeats):
        slow, single = one_by_one(case, seeds)
        fast, many = at_once(case, seeds, device)
        for seed, own, run in zip(seeds, single, many, strict=True):
            if not np.array_equal(own.query, run.query):
                sys.exit(f"{case.label}: seed {seed} chooses otherwise; its time means nothing")
        whole.append(slow / fast)
        choices.append(sum(run.seconds for run in single) / sum(run.seconds for run in many))
        alone = sum("together" not in run.meta for run in many)
    size = f"T={len(single[0])}"
    return (
        f"{case.label:38}{size:>7}{slow:9.2f}{fast:9.2f}{statistics.median(whole):9.2f}"
        f"{statistics.median(choices):10.2f}{alone:8}   identical"
    )


def main() -> None:
    """Print the table for each number of threads."""
    parser = argparse.ArgumentParser(description="Time many seeds at once beside the same seeds one by one.")
    parser.add_argument("--quick", action="store_true", help="two small cases")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="torch's threads (default: 1 2)")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    for threads in options.threads:
        torch.set_num_threads(threads)
        print(f"\n{options.seeds} seeds, {options.device}, {threads} thread(s); torch {torch.__version__}")
        header = f"{'':38}{'':7}{'one by':>9}{'at':>9}{'ratio,':>9}{'ratio,':>10}{'run':>8}"
        print(f"{header}\n{'':38}{'':7}{'one, s':>9}{'once, s':>9}{'whole':>9}{'choices':>10}{'alone':>8}   choices")
        for case in QUICK if options.quick else CASES:
            print(measure(case, range(options.seeds), options.device, options.repeats), flush=True)


if __name__ == "__main__":
    main()
