"""Dense, compressed and sketched bandits side by side: CPU time as ratios within one run. Prints tables, stores nothing.

First table: whole runs on the example function of chapter 2, ratio to the dense method of the same acquisition, by updates
and with a full refit every round. Second: time of a round along a long run of UCB, in units of the compressed method's last
stretch, which is flat where the dictionary has stopped growing; a method leaves the table where its time is used up.

Run with ``make bench``, or ``python benchmarks/bench_compressed.py [--quick]``.
"""

from __future__ import annotations

import argparse
import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import numpy as np

from companion.papers.compressed.paper_scale import TIMED, ZERO, variants
from companion.papers.compressed.policy import ACQUISITIONS, POSTERIORS
from companion.papers.compressed.timing import compared_times, rounds_within

NAME = "example-function"
STRETCHES = 10


def whole_runs(horizon: int, seeds: int) -> None:
    """Ratios of whole runs, medians over seeds."""
    print(f"\nCPU time over the dense method's, T = {horizon}, 1,000 candidates, median of {seeds} seeds")
    print(f"{'variant':14}" + "".join(f"{a + ', ' + p:>16}" for a in ACQUISITIONS for p in TIMED))
    ratios: dict[str, list[float]] = {}
    for acquisition in ACQUISITIONS:
        chosen = [entry for entry in variants(acquisition) if entry[0] != ZERO and not entry[0].endswith("own")]
        for posterior in TIMED:
            values = {"horizon": horizon, "posterior": posterior}
            found = [compared_times(NAME, seed, values, chosen) for seed in range(seeds)]
            for place, (label, _, _) in enumerate(chosen):
                each = [rows[place]["seconds"] / rows[0]["seconds"] for rows in found]
                ratios.setdefault(label, []).append(float(np.median(each)))
    for label, row in ratios.items():
        print(f"{label:14}" + "".join(f"{ratio:16.2f}" for ratio in row), flush=True)


def rounds(horizon: int, limit: float) -> None:
    """Median time of a round in ten stretches of a long run, over the compressed method's last one."""
    methods = [
        (f"{model}, {posterior}", method, {**values, "posterior": posterior})
        for posterior in POSTERIORS
        for model, method, values in (("compressed", "cgp-ucb", {"reading": "info-horizon"}), ("dense", "gp-ucb", {}))
    ]
    print(
        f"\nMedian CPU time of a round of UCB, in ten stretches of {horizon // STRETCHES} rounds; model order at the end"
    )
    unit = None
    for label, method, values in methods:
        seconds, orders = rounds_within(NAME, method, 0, {**values, "horizon": horizon}, limit)
        length = horizon // STRETCHES
        parts = np.split(seconds[1:], range(length, len(seconds) - 1, length))
        medians = [float(np.median(part)) for part in parts if len(part)]
        unit = medians[-1] if unit is None else unit
        shown = "".join(f"{median / unit:9.1f}" for median in medians)
        stopped = "" if len(seconds) > horizon else f"   out of time after {len(seconds) - 1} rounds"
        print(f"{label:20}{shown}   M = {orders[-1]}{stopped}", flush=True)


def main() -> None:
    """Both tables."""
    parser = argparse.ArgumentParser(description="Time dense, compressed and sketched bandits, as ratios.")
    parser.add_argument("--quick", action="store_true", help="small sizes, a few seconds")
    options = parser.parse_args()
    if options.quick:
        whole_runs(100, 1)
        rounds(2000, 2.0)
    else:
        whole_runs(300, 3)
        rounds(20_000, 20.0)


if __name__ == "__main__":
    main()
