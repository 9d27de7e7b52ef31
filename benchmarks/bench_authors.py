"""The authors' published code and the chapters' reading of it, run in turn: processor seconds, and the regret in the end.

``COMPANION_AUTHORS`` names a folder with ``tsrsr`` and ``wdrbo``, clones of https://github.com/rafflesintown/TSRSR and
https://github.com/frmicheli/WDRBO, and ``packages``, what they pin and need: ``pip install --no-deps --target packages
botorch==0.13.0 gpytorch==1.14 linear-operator==0.6 jaxtyping==0.2.38 cvxpy==1.6.3 osqp==0.6.7.post3 qdldl scs clarabel imageio
tqdm wadler-lindig pyre-extensions typing-inspect mypy-extensions multipledispatch pyro-ppl pyro-api opt-einsum``. None of it
is in this repository. Without the folder, what was recorded (``authors.json``) is shown, with date and machine.

Both sides run the same problem for as many rounds, on one thread, each run in a process of its own and counted after the
imports, without their evaluation of the expected regret (655,360 points a round in chapter 5). Random numbers differ, so
regrets can agree in distribution only: means with standard errors, and a permutation test that the means are equal.

Run with ``make bench``, or ``python benchmarks/bench_authors.py [--cases ackley/erbo] [--pairs 5] [--record]``.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from page import note
from scipy import stats

from companion import registry
from companion.papers.wdrbo.problems.catalogue import chapter_problem
from companion.stored.provenance import machine

FOLDER, RECORDED = "COMPANION_AUTHORS", Path(__file__).with_name("authors.json")
SIDES, LEAST = ("theirs", "ours"), 10.0
#: Ours: paper, experiment, method. Theirs: names of the problem and of the method.
CASES = {
    "ackley/gp-ucb": (("wdrbo", "ackley", "gp-ucb"), ("Ackley", "UCB")),
    "bird/ts-rsr": (("tsrsr", "bird-2d", "ts-rsr"), ("Bird", "ts_rsr")),
    "ackley/erbo": (("wdrbo", "ackley", "erbo"), ("Ackley", "EmpiricalUCB")),
    "ackley/sbo-kde": (("wdrbo", "ackley", "sbo-kde"), ("Ackley", "SBOKDE")),
    "ackley/wdrbo": (("wdrbo", "ackley", "wdrbo"), ("Ackley", "WassersteinUCB")),
}


def our_run(paper: str, name: str, method: str, seed: int) -> tuple[float, float]:
    """Seconds, and the final regret: simple in chapter 1, cumulative after the design in chapter 5."""
    chosen, began = registry.experiment(paper, name), time.process_time()
    found = chosen.run(method, seed, {"reading": "code"})
    spent = time.process_time() - began
    return spent, float((found.simple_regret if paper == "tsrsr" else found.cumulative_regret)[-1])


def their_batches(problem: str, acquisition: str, seed: int) -> tuple[float, float]:
    """The same of chapter 1's code: 50 batches of five after 15 points, no plots."""
    code, problems = import_module("src.bayesian_optimization_siam"), import_module("src.benchmark_functions_2D")
    objective = getattr(problems, problem)()
    told = argparse.Namespace(objective=problem.lower(), seed=seed, n_workers=5, n_ysamples=1)
    chosen, began = {"acquisition_function": acquisition, "grid_density": 30, "args": told}, time.process_time()
    run = code.BatchBayesianOptimization(objective, objective.domain, objective.arg_min, told.n_workers, **chosen)
    run.optimize(n_iters=50, n_runs=1, n_pre_samples=15, random_search=1000, plot=False)
    return time.process_time() - began, float(run._regret(np.max(run.Y)))


def their_contexts(problem: str, optimiser: str, seed: int) -> tuple[float, float]:
    """The same of chapter 5's code: 100 rounds after five points; its constants are no optima, so ours stands for them."""
    import torch

    problems, optimizers = import_module("Benchmark.Test_Function"), import_module("wdrbo.optimizers")
    np.random.seed(seed)  # noqa: NPY002  (their code draws from this stream)
    torch.manual_seed(seed)
    made = getattr(problems, problem)(negate=True).to(dtype=torch.float64)
    made.can_calculate_stochastic = False
    began = time.process_time()
    run = getattr(optimizers, f"{optimiser}_Optimizer")(made, init_size=5, running_rounds=105, beta=1.5)
    points = run.run_opt()[0][5:]
    spent = time.process_time() - began
    expected = np.array([float(made.evaluate_stochastic(point)) for point in points])
    return spent, float(np.sum(chapter_problem(problem.lower(), "code").optimum - expected))


def run_alone(case: str, side: str, seed: int) -> dict[str, float]:
    """A run in a process of its own, in a folder that is removed."""
    words = [sys.executable, str(Path(__file__).resolve()), "--one", case, side, str(seed)]
    found = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    if side == "theirs":
        home = Path(os.environ[FOLDER]).resolve()
        found["PYTHONPATH"] = f"{home / 'packages'}{os.pathsep}{home / CASES[case][0][0]}"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(words, cwd=folder, env=found, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout))


def shown(case: str, found: dict[str, Any]) -> None:
    """A line: median seconds, geometric mean of the ratios with its 95 % interval, regrets."""
    pairs, chapter = len(found["ours"]), registry.get(CASES[case][0][0]).number
    seconds, regrets = (
        [np.array([run[what] for run in found[side]]) for side in SIDES] for what in ("seconds", "regret")
    )
    logs = np.log(seconds[0] / seconds[1])
    half = stats.t.ppf(0.975, pairs - 1) * stats.sem(logs)
    low, ratio, high = np.exp([logs.mean() - half, logs.mean(), logs.mean() + half])
    test = stats.permutation_test(regrets, lambda a, b: a.mean() - b.mean(), n_resamples=9999, rng=0)
    spent = "".join(f"{np.median(times):9.2f}" for times in seconds)
    means = "".join(f"{regret.mean():11.4g} ± {stats.sem(regret):<7.2g}" for regret in regrets)
    when = f"{pairs} pairs, {found['date']}, {found['cpu']}"
    print(f"{case:15}{spent}{ratio:7.1f}  {low:5.1f} to {high:5.1f}{means}{test.pvalue:7.2f}  {when}", flush=True)
    note(f"chapter {chapter}: authors' code, {case}", float(ratio), "x ours", LEAST, "least")


def main() -> None:
    """A line a case."""
    parser = argparse.ArgumentParser(description="Run the authors' code and the chapters' reading of it in turn.")
    parser.add_argument("--quick", action="store_true", help="show what was recorded")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--pairs", type=int, default=5, help="at least 2")
    parser.add_argument("--record", action="store_true", help="keep what was found, pair by pair")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        case, side, seed = options.one
        own, other = CASES[case]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            theirs = their_batches if own[0] == "tsrsr" else their_contexts
            seconds, regret = our_run(*own, int(seed)) if side == "ours" else theirs(*other, int(seed))
        print(json.dumps({"seconds": seconds, "regret": regret}))
        return
    recorded = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    print(f"\n{'':15}{'theirs':>9}{'ours':>9}{'ratio':>7}  {'95 %':14}  regret of theirs     of ours          p equal")
    for case in options.cases:
        if os.environ.get(FOLDER) and not options.quick:
            stamp = {"date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}", "cpu": machine()["cpu"]}
            turns: list[dict[str, Any]] = []
            for seed in range(max(2, options.pairs)):
                turns.append({side: run_alone(case, side, seed) for side in SIDES})
                recorded[case] = stamp | {side: [turn[side] for turn in turns] for side in SIDES}
                if options.record and seed:
                    RECORDED.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
        if case in recorded:
            shown(case, recorded[case])


if __name__ == "__main__":
    main()
