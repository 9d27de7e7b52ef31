"""Tests of the conclusions drawn from Figures 1-3 and Tables 2-4, on the stored runs, under every reading of the rule.

A claim about the compressed method is judged by the rule and the constants as printed; beside that verdict stands the one of
every other reading, so that one can see which of them, if any, produces what the figures show.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats
from companion.judge.claim_tests import beyond, every, needs, paired, ruled
from companion.judge.claims import Parts, Test
from companion.judge.intervals import mean_interval
from companion.judge.verdict import HOLDS, Part, combined
from companion.papers.compressed.experiments.parameters import READINGS
from companion.papers.compressed.experiments.printed import CompressedResults
from companion.papers.compressed.experiments.runs import DENSE as DENSE
from companion.papers.compressed.method.policy import ACQUISITIONS

PRINTED = READINGS[0]
ABSENT = "left out of the runs: the trainings of its configurations were not stored"


def against(what: str, values: ArrayLike, bound: float, says: str, level: float, of: str = "") -> Part:
    """Whether the mean of independent values is smaller or larger than a fixed bound; ``of`` names their difference."""
    found = mean_interval(values, level)
    reason = f"mean {found.estimate:.4g}, interval {found.low:.4g} to {found.high:.4g}, bound {bound:.4g}"
    return beyond(what, found, bound, says, reason, reproduced=found.estimate, interval_of=of)


def beside_dense(
    results: CompressedResults, what: str, pair: tuple[Floats, Floats], says: str, factor: float, of: str
) -> Part:
    """Ours and the dense method's, paired over seeds; shown is the ratio of the means."""
    ours, dense = pair
    share = float(ours.mean() / dense.mean())
    return paired(results, what, ours, dense, says, factor, reproduced=share, interval_of=of)


def by_reading(
    results: CompressedResults, parts_of: Callable[[str], Sequence[Part]], fixed: Sequence[Part] = ()
) -> Parts:
    """Parts of the rule as printed, and the verdict of every reading.

    Parameters
    ----------
    parts_of : reading -> tested parts
    fixed : parts that do not depend on the reading
    """
    found = {reading: [*parts_of(reading), *fixed] for reading in READINGS}
    verdicts = {
        reading: {
            "verdict": combined([part.judgement.verdict for part in parts]),
            "reason": "; ".join(f"{p.what}: {p.judgement.verdict} ({p.judgement.reason})" for p in parts),
        }
        for reading, parts in found.items()
    }
    holding = [reading for reading, entry in verdicts.items() if entry["verdict"] == HOLDS]
    return found[PRINTED], {"readings": verdicts, "readings_that_hold": holding}


def comparable(results: CompressedResults, problem: str, reading: str) -> list[Part]:
    """Average regret at T below a multiple of the dense one, paired over seeds, for every acquisition."""
    factor, found = results.margins.claims["comparable"], []
    for acquisition in ACQUISITIONS:
        ours = results.runs(problem, f"cgp-{acquisition}", reading, "average_regret")
        dense = results.runs(problem, f"gp-{acquisition}", DENSE, "average_regret")
        what = f"{acquisition.upper()}: average regret less than {factor:g} times the dense one"
        of = f"compressed minus {factor:g} times dense average regret"
        found.append(beside_dense(results, what, (ours, dense), "smaller", factor, of))
    return found


def settles(results: CompressedResults, problem: str, reading: str) -> list[Part]:
    """The last point is kept within the first part of the rounds, in most of the runs, for every acquisition."""
    within, least, found = results.margins.claims["settled_within"], results.margins.claims["settled_runs"], []
    for acquisition in ACQUISITIONS:
        rows = results.of(problem, f"cgp-{acquisition}", variant=reading)
        share = float((rows.last_kept <= within * rows.horizon).mean())
        rejecting = int(rows.first_rejection.notna().sum())
        frozen = " (final by construction from the first rejection on)" if acquisition != "ucb" and rejecting else ""
        reason = f"in {share:.0%} of {len(rows)} runs; {rejecting} reject at all{frozen}"
        what = f"{acquisition.upper()}: last point kept within {within:g} of the rounds"
        found.append(ruled(what, share >= least, share < least, reason, reproduced=share))
    return found


def growth(results: CompressedResults, table: str, problem: str) -> list[Part]:
    """Dense orders grow by one a round; the sizes of BKB's dictionaries grow over the second half of the rounds."""
    slopes = np.concatenate([results.runs(problem, f"gp-{name}", DENSE, "slope") for name in ACQUISITIONS])
    found = [every("dense", np.abs(slopes - 1.0) <= 1e-6, "runs that grow by one point a round")]
    rows, bound = results.tables[table], results.margins.claims["growth"]
    for variant in ("bkb-5", "bkb-1"):
        for acquisition in ACQUISITIONS:
            chosen = (rows.problem == problem) & (rows.variant == variant) & (rows.method == f"bkb-{acquisition}")
            values = rows[chosen].slope.to_numpy(dtype=float)
            what = f"{variant}, {acquisition.upper()}: points a round over the second half"
            of = f"points a round, minus the bound {bound:g}"
            found.append(against(what, values, bound, "larger", results.margins.confidence, of))
    return found


def figure(problem: str) -> Test[CompressedResults]:
    """Figures 2 and 3: comparable regret, an order that settles, and growing orders of the other two methods."""

    @needs(problem, problem, reason=ABSENT)
    def test(results: CompressedResults) -> Parts:
        fixed = growth(results, "runs", problem)
        return by_reading(results, lambda r: [*comparable(results, problem, r), *settles(results, problem, r)], fixed)

    return test


def order_ratios(results: CompressedResults, problem: str, acquisition: str, reading: str) -> Floats:
    """(seeds,) dense over compressed model order at T."""
    dense = results.runs(problem, f"gp-{acquisition}", DENSE, "model_order")
    return dense / results.runs(problem, f"cgp-{acquisition}", reading, "model_order")


def orders_of_magnitude(results: CompressedResults) -> Parts:
    """Dense over compressed model order at T on the example function."""
    problem, factor = "example-function", results.margins.claims["orders"]

    def part(acquisition: str, reading: str) -> Part:
        ratios = order_ratios(results, problem, acquisition, reading)
        what, of = f"{acquisition.upper()}: dense over compressed model order", f"the ratio, minus the bound {factor:g}"
        return against(what, ratios, factor, "larger", results.margins.confidence, of)

    return by_reading(results, lambda reading: [part(name, reading) for name in ACQUISITIONS])


def clock_tradeoff(results: CompressedResults) -> Parts:
    """Average regret against clock time is lower than dense under UCB and EI, and not under MPI."""
    problem = "example-function"

    def part(acquisition: str, reading: str) -> Part:
        ours, dense = (
            results.times(problem, method, variant, column="clock_regret")
            for method, variant in ((f"cgp-{acquisition}", reading), (f"gp-{acquisition}", DENSE))
        )
        says = "larger" if acquisition == "mpi" else "smaller"
        what = f"{acquisition.upper()}: area {says} than the dense one"
        return beside_dense(results, what, (ours, dense), says, 1.0, "compressed minus dense area")

    return by_reading(results, lambda reading: [part(name, reading) for name in ACQUISITIONS])


def clock(problem: str) -> Test[CompressedResults]:
    """Compressed over dense time below one and BKB over dense above one, with refits; the same with updates beside it."""

    @needs(problem, problem, reason=ABSENT)
    def test(results: CompressedResults) -> Parts:
        (parts, extra), (_, updates) = (_clock_parts(results, problem, name) for name in ("refit", "engine"))
        return parts, {**extra, "engine": updates}

    return test


def _clock_parts(results: CompressedResults, problem: str, posterior: str) -> Parts:
    def part(method: str, variant: str, says: str) -> Part:
        ratios = results.time_ratios(problem, method, variant, posterior)
        what = f"{method}, {variant}: time over the dense one"
        return against(what, ratios, 1.0, says, results.margins.confidence, "the ratio of times, minus 1")

    fixed = [part(f"bkb-{acquisition}", "bkb-5", "larger") for acquisition in ACQUISITIONS]
    return by_reading(
        results, lambda reading: [part(f"cgp-{name}", reading, "smaller") for name in ACQUISITIONS], fixed
    )


def share(results: CompressedResults) -> Parts:
    """22 % by arithmetic on the nine cells of Table 4."""
    ratios = results.compressed_ratios("Table 4")
    right = [abs(ratio - 0.22) <= results.margins.claims["rounding"] for ratio in ratios.values()]
    told = f"printed ratios that round to 0.22, of {', '.join(f'{name} {ratio:.4f}' for name, ratio in ratios.items())}"
    mean = float(np.mean(list(ratios.values())))
    return [every("Table 4", right, told, reported=0.22, reproduced=mean)], {"ratios": ratios}


def same_start(results: CompressedResults) -> Parts:
    """Initial points with their values agree between all methods of a run."""
    runs, found = results.tables["runs"], []
    for problem in results.problems:
        counts = runs[runs.problem == problem].groupby("seed").start.nunique()
        found.append(every(problem, counts == 1, "seeds at which all methods share their start"))
    return found, {}


def zero_budget(results: CompressedResults) -> Parts:
    """At a budget of zero the choices are those of the dense method, seed by seed."""
    found = []
    for problem in results.problems:
        for acquisition in ACQUISITIONS:
            dense = results.of(problem, f"gp-{acquisition}", variant=DENSE).choices.to_numpy()
            ours = results.of(problem, f"cgp-{acquisition}", variant="budget-zero").choices.to_numpy()
            found.append(every(f"{problem}, {acquisition.upper()}", ours == dense, "runs with the same choices"))
    return found, {}


def example_figure(kind: str) -> Test[CompressedResults]:
    """The three claims of Figure 1: ``comparable``, ``settles``, ``growth``."""
    problem = "example-function"
    if kind == "growth":
        return lambda results: (growth(results, "growth", problem), {})
    test = comparable if kind == "comparable" else settles
    return lambda results: by_reading(results, lambda reading: test(results, problem, reading))


TESTS: dict[str, Test[CompressedResults]] = {
    "example-comparable": example_figure("comparable"),
    "example-settles": example_figure("settles"),
    "example-growth": example_figure("growth"),
    "orders-of-magnitude": orders_of_magnitude,
    "clock-tradeoff": clock_tradeoff,
    "example-clock": clock("example-function"),
    "rosenbrock-curves": figure("rosenbrock"),
    "rosenbrock-clock": clock("rosenbrock"),
    "logistic-curves": figure("logistic-mnist"),
    "logistic-share": share,
    "logistic-clock": clock("logistic-mnist"),
    "same-start": same_start,
    "zero-budget": zero_budget,
}


def log_means(frame: Any) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of the horizons and of the means over seeds, for a fitted exponent."""
    return np.log(frame.index.to_numpy(dtype=float)), np.log(frame.mean(axis=1).to_numpy())


def log_ratio(values: ArrayLike, reference: float) -> np.ndarray:
    """Natural logarithm of values over a reference."""
    return np.log(np.asarray(values, dtype=float)) - math.log(reference)
