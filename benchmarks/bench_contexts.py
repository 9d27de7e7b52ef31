"""Chapter 5: processor time of a trial of every method, in units of ERBO's. Prints a table a problem, stores nothing.

At one seed all methods have the same design, contexts and noise. Trials run in one process and in turns, each seed beginning
with another method, and every ratio is taken within a seed; what is printed is the median over seeds, in all and by parts:
fitting the model, making the acquisition function, the worst case over the ball, the Lipschitz constant; the rest is
evaluating the acquisition function, and the search.

Run with ``make bench``, or ``python benchmarks/bench_contexts.py [--quick] [--problems general newsvendor] [--seeds 2]``.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Sequence

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

from page import note

from companion.papers.wdrbo.experiments.definitions import experiment
from companion.papers.wdrbo.experiments.timing import PARTS, compared_times
from companion.papers.wdrbo.method.methods import METHODS

UNIT = "erbo"
#: Most that a trial may cost, in units of ERBO's.
LIMITS = {"drbo-mmd": 6.0, "drbo-mmd-minmax": 6.0}
#: A line of contexts, and two coordinates of them, where robust methods cost most.
PROBLEMS = ("general", "branin")


def table(name: str, horizon: int, seeds: Sequence[int]) -> None:
    """Every method on one problem."""
    parameters = experiment(name).parameters.resolve({"horizon": horizon})
    found = [compared_times(name, tuple(METHODS), seed, parameters) for seed in seeds]
    own = statistics.median(times[UNIT]["total"] for times in found)
    print(f"\n{name}, {horizon} rounds, {len(seeds)} seeds; a trial of {UNIT} takes {own:.2f} processor seconds")
    print(f"{'method':18}{'x ' + UNIT:>9}" + "".join(f"{part:>11}" for part in (*PARTS, "rest")) + f"{'limit':>9}")
    for method in METHODS:

        def ratio(part: str, method: str = method) -> float:
            return statistics.median(times[method][part] / times[UNIT]["total"] for times in found)

        total, parts = ratio("total"), [ratio(part) for part in PARTS]
        limit = LIMITS.get(method)
        beside = "" if limit is None else f"{limit:9.0f}   {'kept' if total <= limit else 'exceeded'}"
        shown = "".join(f"{part:11.2f}" for part in (*parts, total - sum(parts)))
        if limit is not None:
            note(f"chapter 5, {name}: {method}", total, f"x {UNIT}", limit)
        print(f"{method:18}{total:9.2f}{shown}{beside}", flush=True)


def main() -> None:
    """A table a problem."""
    parser = argparse.ArgumentParser(description="Time a trial of every method of chapter 5, in units of ERBO's.")
    parser.add_argument("--quick", action="store_true", help="one problem, short trials, one seed")
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS), help=f"default: {' '.join(PROBLEMS)}")
    parser.add_argument(
        "--horizon", type=int, default=100, help="rounds after the design (default: 100, as in the paper)"
    )
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    if options.quick:
        table(PROBLEMS[0], 15, range(1))
        return
    for name in options.problems:
        table(name, options.horizon, range(options.seeds))


if __name__ == "__main__":
    main()
