"""The finite-candidate engine beside its peers, on the same decisions. Prints tables and stores nothing.

Every method makes T maximum-variance picks on the same grid with the same fixed hyperparameters, observing a value
after each pick: the engine adds a row; BoTorch and scikit-learn are given all the data again at every step; BoTorch's
fantasy update conditions the previous model on one more point. Before a time is printed, the picks are checked to be
identical.

The second table compares T picks by ``select_max_variance``, and T observations one by one, with the T products of a vector
and the rows of the factor that are there, which is what any method takes that goes on after each observation. One matrix
product of the same number of floating-point operations, 2 (T^2 / 2) N, stands beside it as context: it reads the rows once,
and is 4 to 12 times as fast as the vectors on a processor with a small cache. The third fits the exponents with which this
time grows in T, N and the number of replicates, beside those of the product. The fourth has the same posteriors in NumPy and
on torch tensors of the processor, in turns; ``bench_batches.py --device cuda`` has the GPU. The last two are certified
brackets of the information gain, of a dense covariance and of many candidates.

On one thread all times are the processor's. On several they are those of the clock, which other programs disturb.

Run with ``make bench``, or ``python benchmarks/bench_engine.py [--quick] [--threads 1 2]``. Each thread count gets a
process of its own, because the linear-algebra libraries read it when they start.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from page import note

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
#: Limits: BoTorch's new model each step over the engine at the largest setting; T = 1,000 picks or observations over their
#: matrix-vector products alone; seconds of the certified gain of 900 points at T = 1,000.
TIMES_FASTER, ALONE_AT_MOST, GAIN_SECONDS = 60.0, 1.3, 1.0
#: Limits of the certified gain of 100,000 points in four dimensions at T = 200: seconds, and upper end over lower.
MANY_SECONDS, MANY_WIDTH = 30.0, 1.05
LENGTHSCALE = 0.2
NOISE_SD = 0.1
KERNEL = "matern52"


@dataclass(frozen=True)
class Setting:
    """A grid of [0, 1]^2, a number of picks, and how often each method is timed."""

    per_axis: int
    picks: int
    repeats: int

    @property
    def label(self) -> str:
        """As the tables name it."""
        return f"N={self.per_axis**2}, T={self.picks}"


FULL = (Setting(30, 50, 3), Setting(30, 200, 2), Setting(50, 50, 2), Setting(50, 200, 1))
QUICK = (Setting(30, 50, 1),)
PRODUCTS = (("se", 0.1), ("se", 0.02), ("matern32", 0.1), ("matern32", 0.02), ("matern52", 0.1), ("matern52", 0.02))


#: Replicates, points per axis and observations of NumPy's posteriors beside those on tensors.
TENSORS = ((1, 30, 100), (10, 30, 100), (50, 15, 100), (50, 30, 100), (100, 32, 60))


def seconds_now() -> float:
    """Of the processor on one thread, of the clock on several."""
    return time.process_time() if os.environ.get(THREAD_VARIABLES[0]) == "1" else time.perf_counter()


def verdict(kept: bool, limit: float, word: str = "at most") -> str:
    """The limit, and whether it is kept."""
    return f"   limit: {word} {limit:g}, {'kept' if kept else 'not kept'}"


def best_time(work: Callable[[], object], repeats: int, warm_up: bool = True) -> float:
    """Shortest of ``repeats`` runs in seconds, after one that is not counted."""
    if warm_up:
        work()
    times = []
    for _ in range(repeats):
        start = seconds_now()
        work()
        times.append(seconds_now() - start)
    return min(times)


def compare_peers(settings: Iterable[Setting]) -> None:
    """Table of times per run, and as multiples of the engine's."""
    from peers import METHODS, NEW_MODEL, Task, covariance_matrix

    print(f"\nOne pick, one value, T times; {KERNEL}, length-scale {LENGTHSCALE}, noise sd {NOISE_SD}")
    print(f"{'':15}{'method':35}{'seconds':>10}{'ms a step':>11}{'x engine':>10}   picks")
    for setting in settings:
        task = Task.on_grid(setting.per_axis, setting.picks, KERNEL, LENGTHSCALE, NOISE_SD)
        reference: list[int] = []
        engine = 0.0
        for name, method in METHODS.items():
            method(task, min(setting.picks, 20))  # warm-up: libraries compile and cache on first use
            seconds, picks = timed_picks(partial(method, task, task.picks), setting.repeats)
            if not reference:
                reference, engine = picks, seconds
            if picks != reference:
                first = next(i for i, pair in enumerate(zip(picks, reference, strict=True)) if len(set(pair)) > 1)
                sys.exit(f"{setting.label}: {name} differs from the engine at pick {first}; its time means nothing")
            beside = ""
            if name == NEW_MODEL and setting == FULL[-1]:
                beside = verdict(seconds / engine >= TIMES_FASTER, TIMES_FASTER, "at least")
            report(setting, name, seconds, engine, beside)
            if name.startswith(("BoTorch", "scikit")):
                limit = TIMES_FASTER if beside else None
                note(f"{setting.label}, {threads()}: {name}", seconds / engine, "x engine", limit, "least")
        setup = best_time(partial(covariance_matrix, task), setting.repeats)
        print(f"{'':15}({1e3 * setup:.0f} ms is the covariance matrix of all candidates, which repeated runs share)")


def report(setting: Setting, name: str, seconds: float, engine: float, beside: str) -> None:
    """One line of the first table."""
    per_step = 1e3 * seconds / setting.picks
    print(
        f"{setting.label:15}{name:35}{seconds:10.3f}{per_step:11.3f}{seconds / engine:10.2f}   identical{beside}",
        flush=True,
    )


def timed_picks(work: Callable[[], list[int]], repeats: int) -> tuple[float, list[int]]:
    """Shortest time, and the picks of the last run."""
    kept: list[list[int]] = []
    seconds = best_time(lambda: kept.append(work()), repeats, warm_up=False)
    return seconds, kept[-1]


def threads() -> str:
    """Of this process, in words."""
    count = os.environ[THREAD_VARIABLES[0]]
    return f"{count} thread{'s' if count != '1' else ''}"


def compare_product(per_axis: int, picks: int, repeats: int, kernels: Iterable[tuple[str, float]]) -> None:
    """Table of T picks and T observations against their matrix-vector products, and one matrix product of the same work."""
    import numpy as np

    from companion.gp import FinitePosterior, grid, kernel_by_name

    size = per_axis**2
    generator = np.random.default_rng(0)
    left, right = generator.standard_normal((picks // 2, picks)), generator.standard_normal((picks, size))
    places, out = generator.integers(size, size=picks), np.empty(size)

    def vectors() -> None:
        for count in range(1, picks):
            np.matmul(right[:count, 0], right[:count], out=out)

    print(f"\nT={picks} on N={size}, {threads()}: over {picks} products of a vector and the rows that are there")
    print(
        f"{'kernel':12}{'noise sd':>9}{'vectors ms':>12}{'one product':>13}{'picks':>7}{'one by one':>12}   (x vectors)"
    )
    points = grid(per_axis, 2)
    for name, sd in kernels:
        covariance = kernel_by_name(name, LENGTHSCALE)(points)
        found = []
        for _ in range(repeats + 1):  # interleaved, so that a busy moment of the machine meets all of them
            least, product = best_time(vectors, 1, False), best_time(lambda: left @ right, 2, warm_up=False)
            posterior, single = (FinitePosterior(covariance, sd**2, capacity=picks) for _ in range(2))
            start = seconds_now()
            posterior.select_max_variance(picks)
            between = seconds_now()
            for place in places:
                single.observe(np.array([place]), 0.0)
            found.append((least, product, between - start, seconds_now() - between))
        least, product, select, single_time = (min(column) for column in zip(*found[1:], strict=True))
        for what, spent in (("picks", select), ("observed one by one", single_time)):
            label = f"T={picks} {what}, N={size}, {name} {sd}, {threads()}"
            note(label, spent / least, "x products alone", ALONE_AT_MOST)
        ratios = f"{product / least:13.2f}{select / least:7.2f}{single_time / least:12.2f}"
        kept = max(select, single_time) <= ALONE_AT_MOST * least
        print(f"{name:12}{sd:9}{1e3 * least:12.1f}{ratios}" + verdict(kept, ALONE_AT_MOST), flush=True)


def growth(repeats: int) -> None:
    """Exponents of T picks in T and N, and of observing one by one in the number of replicates, beside the product's."""
    import numpy as np

    generator = np.random.default_rng(0)
    ladders = {
        "T": [(900, picks, 1) for picks in (250, 500, 1000, 2000)],
        "N": [(per_axis**2, 500, 1) for per_axis in (20, 30, 40, 60)],
        "replicates": [(900, 100, replicates) for replicates in (4, 8, 16, 32)],
    }
    print(f"\nGrowth of the time in each size, {KERNEL}: fitted exponents, and the steepest step between two sizes")
    print(f"{'size':12}{'engine':>8}{'steepest':>10}{'product':>9}   sizes; times over the product's")
    for label, sizes in ladders.items():
        ours, least = [], []
        for size, picks, replicates in sizes:
            left = generator.standard_normal((replicates, picks // 2, picks))
            right = generator.standard_normal((replicates, picks, size))
            work = several_posteriors(size, picks, replicates)
            best = [(work(), best_time(partial(np.matmul, left, right), 1, warm_up=False)) for _ in range(repeats + 1)]
            ours.append(min(own for own, _ in best[1:]))
            least.append(min(product for _, product in best[1:]))
        varied = [dict(zip(("N", "T", "replicates"), size, strict=True))[label] for size in sizes]
        axis, own, product = np.log(varied), np.log(ours), np.log(least)
        fitted, limit = np.polyfit(axis, own, 1)[0], np.polyfit(axis, product, 1)[0]
        steepest = float((np.diff(own) / np.diff(axis)).max())
        ratios = ", ".join(f"{size}: {a / b:.1f}" for size, a, b in zip(varied, ours, least, strict=True))
        note(f"growth of picks in {label}, {threads()}: exponent", float(fitted), f"(product {limit:.2f})")
        print(f"{label:12}{fitted:8.2f}{steepest:10.2f}{limit:9.2f}   {ratios}", flush=True)


def several_posteriors(size: int, picks: int, replicates: int) -> Callable[[], float]:
    """Seconds of ``picks`` picks after set-up: in blocks for one replicate, one by one with its value for several."""
    import numpy as np

    from companion.gp import FinitePosterior, grid, kernel_by_name

    covariance = kernel_by_name(KERNEL, LENGTHSCALE)(grid(round(size**0.5), 2))
    generator = np.random.default_rng(0)
    indices = generator.integers(size, size=(picks, replicates))

    def work() -> float:
        posterior = FinitePosterior(covariance, NOISE_SD**2, replicates=replicates, capacity=picks)
        start = seconds_now()
        if replicates == 1:
            posterior.select_max_variance(picks)
        else:
            for index in indices:
                posterior.observe(index, 0.0)
        return seconds_now() - start

    return work


def observed(posterior: Any, indices: Any, values: Any) -> float:
    """Seconds of the observations, (T, R) each."""
    start = seconds_now()
    for index, value in zip(indices, values, strict=True):
        posterior.observe(index, value)
    return seconds_now() - start


def compare_tensors(cells: Iterable[tuple[int, int, int]], repeats: int) -> None:
    """Table of R posteriors that observe T points each: FinitePosterior in NumPy beside ReplicatePosterior on tensors."""
    import numpy as np

    from companion.gp import FinitePosterior, grid, kernel_by_name
    from companion.gp.replicates import ReplicatePosterior

    print(f"\nR posteriors, one observation after the other, {threads()}: NumPy, and torch tensors on the processor")
    print(f"{'':24}{'NumPy ms':>10}{'tensors':>10}   (x NumPy)")
    generator = np.random.default_rng(0)
    for replicates, per_axis, count in cells:
        size = per_axis**2
        covariance = kernel_by_name(KERNEL, LENGTHSCALE)(grid(per_axis, 2))
        indices, values = generator.integers(size, size=(count, replicates)), generator.normal(size=(count, replicates))
        pairs = []
        for _ in range(repeats + 1):  # in turns, so that a busy moment of the machine meets both
            made: Any = FinitePosterior(covariance, NOISE_SD**2, replicates=replicates, capacity=count)
            own = observed(made, indices, values)
            made = ReplicatePosterior(covariance, NOISE_SD**2, replicates, count)
            pairs.append((own, observed(made, indices, values)))
        ratio = statistics.median(tensors / own for own, tensors in pairs[1:])
        label = f"R={replicates}, N={size}, T={count}"
        note(f"{label}, {threads()}: tensors on the processor", ratio, "x NumPy")
        print(f"{label:24}{1e3 * min(own for own, _ in pairs[1:]):10.1f}{ratio:10.2f}", flush=True)


def certified_gain(repeats: int) -> None:
    """Seconds of the certified bracket of the maximum information gain, the least of one run and as many more."""
    from companion.gp import grid, kernel_by_name
    from companion.information import gain_bracket

    print("\nCertified maximum information gain, 900 points, T = 1,000")
    for name in ("se", "matern32", "matern52"):
        covariance = kernel_by_name(name, LENGTHSCALE)(grid(30, 2))
        work = partial(gain_bracket, covariance, 1000, NOISE_SD**2)
        start = seconds_now()
        found = work()
        spent = min([seconds_now() - start, *(best_time(work, 1, warm_up=False) for _ in range(repeats))])
        bracket = f"{found.lower:.2f} to {found.upper:.2f}"
        note(f"certified gain, 900 points, T=1000, {name}, {threads()}", spent, "seconds", GAIN_SECONDS)
        print(f"{name:12}{spent:8.2f} s   {bracket:18}" + verdict(spent <= GAIN_SECONDS, GAIN_SECONDS), flush=True)


def gain_of_many() -> None:
    """Seconds and width of the bracket of a hundred thousand points."""
    import numpy as np

    from companion.gp import kernel_by_name
    from companion.information.large_sets import gain_bracket_of_many

    points = np.random.default_rng(0).uniform(size=(100_000, 4))
    start = seconds_now()
    found = gain_bracket_of_many(kernel_by_name("se", 2 * LENGTHSCALE), points, 200, NOISE_SD**2)
    spent, wide = seconds_now() - start, found.upper / found.lower
    label = f"certified gain, 100,000 points, d=4, T=200, {threads()}"
    print(f"\n{label}: {spent:.1f} s, {found.lower:.2f} to {found.upper:.2f}")
    note(label, spent, "seconds", MANY_SECONDS)
    note(label, wide, "upper over lower", MANY_WIDTH)


def run(quick: bool) -> None:
    """All tables, in this process and with its number of threads."""
    import numpy as np
    import sklearn
    import torch

    warnings.simplefilter("ignore", DeprecationWarning)  # linear_operator calls torch.jit.script, which is deprecated
    import botorch
    import gpytorch

    torch.set_num_threads(int(os.environ[THREAD_VARIABLES[0]]))
    print(f"\n== {threads()} of {os.cpu_count()} =={'=' * 60}")
    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, torch {torch.__version__}, gpytorch "
        f"{gpytorch.__version__}, botorch {botorch.__version__}, scikit-learn {sklearn.__version__}; float64"
    )
    if quick:
        compare_product(50, 1000, 2, PRODUCTS[2:4])
        compare_peers(QUICK)
        growth(1)
        compare_tensors(TENSORS[1:2], 3)
        certified_gain(0)
        return
    compare_product(50, 1000, 7, PRODUCTS)
    growth(3)
    compare_tensors(TENSORS, 5)
    certified_gain(2)
    gain_of_many()
    compare_peers(FULL)


def main() -> None:
    """Start one process for each thread count."""
    parser = argparse.ArgumentParser(
        description="Time the engine beside BoTorch, GPyTorch, scikit-learn and one product."
    )
    parser.add_argument("--quick", action="store_true", help="one small setting on one thread, a quarter of a minute")
    parser.add_argument("--threads", type=int, nargs="+", help="thread counts (default: 1 2; quick: 1)")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        run(options.quick)
        return
    for threads in options.threads or ([1] if options.quick else [1, 2]):
        if threads < 1:
            parser.error("--threads: positive numbers")
        environment = os.environ | dict.fromkeys(THREAD_VARIABLES, str(threads))
        command = [sys.executable, __file__, "--here", *(["--quick"] if options.quick else [])]
        if subprocess.run(command, env=environment, check=False).returncode:
            sys.exit(1)


if __name__ == "__main__":
    main()
