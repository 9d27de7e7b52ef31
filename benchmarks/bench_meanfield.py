"""Processor time of a late round of MF-GP-UCB, a fit among five, beside what others would run in its place.

Three rows for each number of actions: TuRBO-1 from BoTorch's parts (``turbo.py``), which fits every round and searches the
unit cube, whose points are laws once they are divided by their sum; the chapter's TuRBO on joint actions of 1,000 agents;
and one fit of scikit-learn's regression, no round at all, as a unit that is easy to have. All have seen as many
observations; MF-GP-UCB and TuRBO-1 the same ones. The rules differ, so their choices do too. Timed in turns, medians. Prints,
stores nothing. Run with ``make bench``, or ``python benchmarks/bench_meanfield.py [--quick]``.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import numpy as np
from page import note
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from turbo import Turbo

from companion.papers.meanfield.method.policy import MeanFieldGPUCB
from companion.papers.meanfield.method.turbo import HammingTuRBO

OBSERVED, ROUNDS, AGENTS = 245, 5, 1000


def reward(law: np.ndarray) -> float:
    """The more even, the better."""
    return -float(np.square(law).sum())


def mean_field(laws: np.ndarray, values: np.ndarray) -> Callable[[], None]:
    """Rounds of MF-GP-UCB after these observations."""
    rng = np.random.default_rng(0)
    actions = laws.shape[1]
    run = MeanFieldGPUCB(rng.uniform(size=(actions, 2)), np.zeros((1, 1)), [1.0], rng, initial=10)
    for law, value in zip(laws, values, strict=True):
        run.model.add(int(rng.integers(actions)), 0, law[None, :], float(value))

    def rounds() -> None:
        for _ in range(ROUNDS):
            run.tell(0, 0, reward(run.ask()))

    return rounds


def turbo(laws: np.ndarray, values: np.ndarray) -> Callable[[], None]:
    """A round of TuRBO-1 after these observations."""
    run = Turbo(laws / laws.max(axis=1, keepdims=True), values)

    def one() -> None:
        point = run.ask()
        run.tell(point, reward(point / point.sum()))

    return one


def hamming(actions: int) -> Callable[[], None]:
    """Rounds of the chapter's TuRBO after as many observations; a fit among five."""
    run = HammingTuRBO(AGENTS, actions, np.random.default_rng(0), initial=OBSERVED)
    for _ in range(OBSERVED):
        run.tell(reward(np.bincount(run.ask(), minlength=actions) / AGENTS))

    def rounds() -> None:
        for _ in range(ROUNDS):
            run.tell(reward(np.bincount(run.ask(), minlength=actions) / AGENTS))

    return rounds


def regression(laws: np.ndarray, values: np.ndarray) -> Callable[[], None]:
    """A fit of scikit-learn."""

    def fit() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a length-scale at its end is a fit as dear as any
            kernel = ConstantKernel() * RBF() + WhiteKernel(1e-4)
            GaussianProcessRegressor(kernel, normalize_y=True).fit(laws, values)

    return fit


def compare(actions: int, repeats: int) -> None:
    """Rows for one number of actions."""
    rng = np.random.default_rng(0)
    laws = rng.dirichlet(np.full(actions, 5.0), OBSERVED)
    values = -np.square(laws).sum(axis=1) + 1e-3 * rng.normal(size=OBSERVED)
    works = {
        "MF-GP-UCB": (mean_field(laws, values), ROUNDS),
        "TuRBO-1, BoTorch's parts": (turbo(laws, values), 1),
        f"the chapter's TuRBO, {AGENTS} agents": (hamming(actions), ROUNDS),
        "a fit of scikit-learn": (regression(laws, values), 1),
    }
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, (work, count) in works.items():
            began = time.process_time()
            work()
            seconds[name].append((time.process_time() - began) / count)
    middle = {name: statistics.median(found) for name, found in seconds.items()}
    ours = middle["MF-GP-UCB"]
    for name, spent in middle.items():
        if name != "MF-GP-UCB":
            note(f"chapter 4, {actions} actions: {name}", spent / ours, "x MF-GP-UCB")
        print(f"{actions:7}  {name:36}{1e3 * spent:12.0f}{spent / ours:12.2f}", flush=True)


def main() -> None:
    """Rows for each number of actions."""
    parser = argparse.ArgumentParser(description="Time a late round of MF-GP-UCB beside TuRBO's.")
    parser.add_argument("--quick", action="store_true", help="the smaller number of actions, once")
    options = parser.parse_args()
    print(
        f"\nA round after {OBSERVED} observations, processor time\n{'actions':>7}  {'':36}{'ms':>12}{'x MF-GP-UCB':>12}"
    )
    for actions in (30,) if options.quick else (30, 394):
        compare(actions, 1 if options.quick else 3)


if __name__ == "__main__":
    main()
