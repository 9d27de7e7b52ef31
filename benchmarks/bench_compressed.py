"""Dense, compressed and sketched bandits side by side: CPU time as ratios within one run. Prints tables, stores nothing.

First table: whole runs on the example function of chapter 2, ratio to the dense method of the same acquisition, by updates
and with a full refit every round. Second: time of a round along a long run of UCB, in units of the compressed method's last
stretch, which is flat where the dictionary has stopped growing; a method leaves the table where its time is used up.
Third table: compressed UCB to its end, at the printed constants and at a budget that compresses early, beside the same
algorithm on scikit-learn's regression, fitted again whenever a point is kept, for as many rounds as its time allows. The
choices are checked to be identical before a ratio is printed.

Run with ``make bench``, or ``python benchmarks/bench_compressed.py [--quick]``.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import time

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from page import note
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from companion.bounds.confidence import SrinivasDrawsWidth
from companion.core.errors import CompanionError
from companion.gp.ties import lowest_argmax
from companion.papers.compressed.experiments.definitions import experiment
from companion.papers.compressed.experiments.runs import TIMED, ZERO, variants
from companion.papers.compressed.experiments.timing import OutOfTimeError, Timed, compared_times, rounds_within
from companion.papers.compressed.method.policy import ACQUISITIONS, POSTERIORS
from companion.policies import Batch

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


class RefittedRegression:
    """Algorithm 1 under UCB on scikit-learn's regression, fitted to the dictionary when it has grown."""

    def __init__(self, points: np.ndarray, values: Mapping[str, Any], threshold: float, initial: np.ndarray) -> None:
        self._points, self._threshold, self._initial = points, threshold, initial
        self._model = GaussianProcessRegressor(
            sk.RBF(values["lengthscale"]), alpha=values["noise_variance"], optimizer=None
        )
        self._width = SrinivasDrawsWidth(len(points), values["delta"])
        self._chosen: list[int] = []
        self._told: list[float] = []
        self._round, self._keep = 0, True
        self._asked, self._mean, self._sd = initial, np.zeros(len(points)), np.ones(len(points))

    @property
    def model_order(self) -> int:
        """Size of the dictionary."""
        return len(self._chosen)

    def ask(self, remaining: int) -> Batch:
        """The initial points, then one candidate a round."""
        if self._initial.size:
            self._initial = self._initial[:0]
            return Batch.plain(self._asked)
        self._round += 1
        best = lowest_argmax(self._mean + self._width.width(self._round) * self._sd)
        self._keep = bool(self._sd[best] ** 2 > self._threshold)
        self._asked = np.array([best], dtype=np.intp)
        return Batch.plain(self._asked)

    def tell(self, observations: np.ndarray) -> None:
        """Refit if the points are kept."""
        if self._keep:
            self._chosen += self._asked.tolist()
            self._told += observations.tolist()
            self._model.fit(self._points[self._chosen], np.array(self._told))
            self._mean, self._sd = self._model.predict(self._points, return_std=True)

    def recommend(self) -> int:
        """The point of the largest observation."""
        return self._chosen[int(np.argmax(self._told))]

    def diagnostics(self) -> dict[str, Any]:
        """Nothing."""
        return {}


class Listed(Timed):
    """A timed policy whose choices are listed."""

    def __init__(self, policy: Any, limit: float = np.inf) -> None:
        super().__init__(policy, limit)
        self.chosen: list[int] = []

    def ask(self, remaining: int) -> Batch:
        """As the policy behind."""
        batch = super().ask(remaining)
        self.chosen += batch.query.tolist()
        return batch


def watched(policy: Listed, _: Any) -> Listed:
    """In place of the policy that a run would have."""
    return policy


def to_the_end(horizon: int, limit: float) -> None:
    """CPU time of whole runs of compressed UCB, and that of scikit-learn's over as many rounds as it finishes in time."""
    print(
        f"\nCompressed UCB, T = {horizon}, 1,000 candidates: CPU seconds, beside the same rounds on scikit-learn's model"
    )
    print(f"{'budget':16}{'seconds':>9}{'M':>7}{'rounds of both':>16}{'theirs':>9}{'ours':>9}{'ratio':>9}")
    for label, values in (("printed", {}), ("T^-1/2", {"reading": "info-horizon"})):
        known = experiment(NAME)
        resolved = known.parameters.resolve({**values, "horizon": horizon})
        ready = known.ready("cgp-ucb", 0, resolved)
        ours = Listed(ready.policy)
        began = time.thread_time()
        run = ready.run(partial(watched, ours))
        spent = time.thread_time() - began
        initial = run.query[: ready.chapter.initial]
        regression = RefittedRegression(ready.chapter.problem.points, resolved, run.meta["threshold"], initial)
        peer = Listed(regression, limit)
        with contextlib.suppress(OutOfTimeError):
            ready.run(partial(watched, peer))
        both = len(peer.chosen)
        apart = np.flatnonzero(np.array(ours.chosen[:both]) != np.array(peer.chosen))
        if apart.size:
            raise CompanionError(f"{label}: the choices differ from round {apart[0] + 1 - len(initial)} on")
        batches = both - len(initial) + 1
        theirs, same = sum(peer.seconds), sum(ours.seconds[:batches])
        note(f"chapter 2, budget {label}: refitted scikit-learn", theirs / same, "x compressed UCB")
        print(
            f"{label:16}{spent:9.2f}{ours.orders[-1]:7d}{batches - 1:16d}{theirs:9.2f}{same:9.3f}{theirs / same:9.1f}",
            flush=True,
        )


def main() -> None:
    """All three tables."""
    parser = argparse.ArgumentParser(description="Time dense, compressed and sketched bandits, as ratios.")
    parser.add_argument("--quick", action="store_true", help="small sizes, a few seconds")
    options = parser.parse_args()
    if options.quick:
        whole_runs(100, 1)
        rounds(1000, 1.0)
        to_the_end(2000, 1.0)
    else:
        whole_runs(300, 3)
        rounds(20_000, 20.0)
        to_the_end(20_000, 20.0)


if __name__ == "__main__":
    main()
