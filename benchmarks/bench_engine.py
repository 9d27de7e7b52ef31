"""The finite-candidate engine beside its peers, on the same decisions. Prints two tables and stores nothing.

Every method makes T maximum-variance picks on the same grid with the same fixed hyperparameters, observing a value
after each pick: the engine adds a row; BoTorch and scikit-learn are given all the data again at every step; BoTorch's
fantasy update conditions the previous model on one more point. Before a time is printed, the picks are checked to be
identical. The second table compares T picks by ``select_max_variance`` with one matrix product of the same number of
floating-point operations, 2 (T^2 / 2) N: the least that any method that forms the factor can take.

Run with ``make bench``, or ``python benchmarks/bench_engine.py [--quick] [--threads 1 2]``. Each thread count gets a
process of its own, because the linear-algebra libraries read it when they start.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
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


def best_time(work: Callable[[], object], repeats: int, warm_up: bool = True) -> float:
    """Shortest of ``repeats`` runs in seconds, after one that is not counted."""
    if warm_up:
        work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def compare_peers(settings: Iterable[Setting]) -> None:
    """Table of times per run, and as multiples of the engine's."""
    from peers import METHODS, Task, covariance_matrix

    print(f"\nOne pick, one value, T times; {KERNEL}, length-scale {LENGTHSCALE}, noise sd {NOISE_SD}")
    print(f"{'':15}{'method':35}{'seconds':>10}{'ms a step':>11}{'x engine':>10}   picks")
    for setting in settings:
        task = Task.on_grid(setting.per_axis, setting.picks, KERNEL, LENGTHSCALE, NOISE_SD)
        reference, engine = None, None
        for name, method in METHODS.items():
            picks = method(task, min(setting.picks, 20))  # warm-up: libraries compile and cache on first use
            seconds, picks = timed_picks(lambda method=method, task=task: method(task, task.picks), setting.repeats)
            if reference is None:
                reference, engine = picks, seconds
            if picks != reference:
                first = next(i for i, pair in enumerate(zip(picks, reference, strict=True)) if len(set(pair)) > 1)
                sys.exit(f"{setting.label}: {name} differs from the engine at pick {first}; its time means nothing")
            report(setting, name, seconds, engine)
        setup = best_time(lambda task=task: covariance_matrix(task), setting.repeats)
        print(f"{'':15}({1e3 * setup:.0f} ms of the engine's time is the covariance matrix, which repeated runs share)")


def report(setting: Setting, name: str, seconds: float, engine: float) -> None:
    """One line of the first table."""
    per_step = 1e3 * seconds / setting.picks
    print(f"{setting.label:15}{name:35}{seconds:10.3f}{per_step:11.3f}{seconds / engine:10.2f}   identical", flush=True)


def timed_picks(work: Callable[[], list[int]], repeats: int) -> tuple[float, list[int]]:
    """Shortest time, and the picks of the last run."""
    kept: list[list[int]] = []
    seconds = best_time(lambda: kept.append(work()), repeats, warm_up=False)
    return seconds, kept[-1]


def compare_product(per_axis: int, picks: int, repeats: int) -> None:
    """Table of ``select_max_variance`` against one matrix product of the same work."""
    import numpy as np

    from companion.gp import FinitePosterior, grid, kernel_by_name

    size = per_axis**2
    generator = np.random.default_rng(0)
    left, right = generator.standard_normal((picks // 2, picks)), generator.standard_normal((picks, size))
    operations = 2 * (picks // 2) * picks * size
    print(
        f"\nT={picks} picks on N={size} against ({picks // 2} x {picks}) @ ({picks} x {size}), {operations:.3g} operations"
    )
    print(f"{'kernel':12}{'noise sd':>9}{'product ms':>12}{'engine ms':>11}{'ratio':>7}{'with set-up':>13}")
    points = grid(per_axis, 2)
    for name, sd in PRODUCTS:
        covariance = kernel_by_name(name, LENGTHSCALE)(points)
        ours, whole, product = [], [], []
        for _ in range(repeats + 1):  # interleaved, so that a busy moment of the machine meets all of them
            product.append(best_time(lambda: left @ right, 2, warm_up=False))
            start = time.perf_counter()
            posterior = FinitePosterior(covariance, sd**2, capacity=picks)
            ready = time.perf_counter()
            posterior.select_max_variance(picks)
            end = time.perf_counter()
            ours.append(end - ready)
            whole.append(end - start)
        fastest, select, total = min(product[1:]), min(ours[1:]), min(whole[1:])
        print(
            f"{name:12}{sd:9}{1e3 * fastest:12.1f}{1e3 * select:11.1f}{select / fastest:7.2f}{total / fastest:13.2f}",
            flush=True,
        )


def run(quick: bool) -> None:
    """Both tables, in this process and with its number of threads."""
    import numpy as np
    import sklearn
    import torch

    warnings.simplefilter("ignore", DeprecationWarning)  # linear_operator calls torch.jit.script, which is deprecated
    import botorch
    import gpytorch

    threads = int(os.environ[THREAD_VARIABLES[0]])
    torch.set_num_threads(threads)
    print(f"\n== {threads} thread{'s' if threads > 1 else ''} of {os.cpu_count()} =={'=' * 60}")
    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, torch {torch.__version__}, gpytorch "
        f"{gpytorch.__version__}, botorch {botorch.__version__}, scikit-learn {sklearn.__version__}; float64"
    )
    if quick:
        compare_product(50, 1000, 3)
        compare_peers(QUICK)
    else:
        compare_product(50, 1000, 7)
        compare_peers(FULL)


def main() -> None:
    """Start one process for each thread count."""
    parser = argparse.ArgumentParser(
        description="Time the engine beside BoTorch, GPyTorch, scikit-learn and one product."
    )
    parser.add_argument("--quick", action="store_true", help="one small setting, under half a minute")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="thread counts (default: 1 2)")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        run(options.quick)
        return
    for threads in options.threads:
        if threads < 1:
            parser.error("--threads: positive numbers")
        environment = os.environ | dict.fromkeys(THREAD_VARIABLES, str(threads))
        command = [sys.executable, __file__, "--here", *(["--quick"] if options.quick else [])]
        if subprocess.run(command, env=environment, check=False).returncode:
            sys.exit(1)


if __name__ == "__main__":
    main()
