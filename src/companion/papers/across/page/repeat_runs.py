"""Number of runs needed to see which of two methods is better: our stored results, drawn again.

For n runs a method, n of the stored seeds are drawn with replacement, and the means of two methods compared. Methods run with
one seed share what is random about the problem. So a seed is drawn for both at once, or, as in separate studies, for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.core.arrays import Floats, Integers
from companion.core.randomness import stream
from companion.judge.stored_runs import StoredRuns
from companion.pages.provenance import Provenance, stored
from companion.papers.batched.experiments import printed as batched
from companion.papers.batched.problems.catalogue import KERNEL_TITLES
from companion.papers.compressed.experiments import printed as compressed
from companion.papers.compressed.experiments.parameters import READINGS
from companion.papers.meanfield.experiments import printed as meanfield
from companion.papers.tsrsr.experiments import printed as tsrsr
from companion.papers.wdrbo.experiments import printed as wdrbo

#: Draws behind a probability, and the largest number of runs that is tried.
DRAWS, MOST = 1000, 200
ENOUGH = 0.9
DIGITS = 5


@dataclass(frozen=True, eq=False)
class Method:
    """A method on a problem: its name, the printed mean (``None`` where none is) and our results, the smaller the better."""

    name: str
    printed: float | None
    values: Floats


@dataclass(frozen=True, eq=False)
class Problem:
    """A problem: title, runs behind a printed mean (``None`` where not stated), and its methods from the best to the worst.

    The order is that of the printed means, or that of our means where the paper prints none.
    """

    title: str
    runs: int | None
    methods: tuple[Method, ...]


def problem(title: str, runs: int | None, methods: Sequence[Method]) -> Problem:
    """A problem with its methods put in order."""
    printed = all(method.printed is not None for method in methods)
    return Problem(
        title,
        runs,
        tuple(sorted(methods, key=lambda m: (m.printed if printed else float(m.values.mean()), m.name))),
    )


def shares(first: Floats, second: Floats, picks: Integers) -> tuple[Floats, Floats]:
    """In which share of the draws the mean of ``first`` is below that of ``second``, for 1, 2, ... runs a method.

    Parameters
    ----------
    first, second : results by seed
    picks : (draws + 1, runs) places of the seeds drawn

    Returns
    -------
    with common seeds, and with seeds of their own: those of ``second`` are then the ones of the draw before
    """
    one, two = first[picks], second[picks]
    together, apart = np.cumsum(one[1:] - two[1:], axis=1), np.cumsum(one[1:] - two[:-1], axis=1)
    return (together < 0).mean(axis=0), (apart < 0).mean(axis=0)


def needed(found: Floats, level: float = ENOUGH) -> int | None:
    """The number of runs from which on the share stays at the level at least; ``None`` where no number tried is enough."""
    below = np.flatnonzero(found < level)
    first = int(below[-1]) + 1 if below.size else 0
    return first + 1 if first < len(found) else None


# -- the papers' results -----------------------------------------------------------------------------------------------


def tsrsr_problems(root: Path | None = None) -> list[Problem]:
    """Final simple regret, in the printed units."""
    read = tsrsr.TSRSRResults.read(root)
    return [
        problem(
            tsrsr.TITLE_OF[name],
            read.paper_runs(name),
            [Method(title, read.printed(name, m), read.runs(name, m)) for title, m in tsrsr.METHOD_OF.items()],
        )
        for name in read.problems
    ]


def compressed_problems(root: Path | None = None) -> list[Problem]:
    """Average regret of all rounds; compression in its first reading, BKB with a constant of 5."""
    read = compressed.CompressedResults.read(root)
    kinds = {"dense": ("gp", "dense"), "compressed": ("cgp", READINGS[0]), "BKB": ("bkb", "bkb-5")}
    titles = {"example-function": "Example function", "rosenbrock": "Rosenbrock", "logistic-mnist": "Tuning on MNIST"}
    return [
        problem(
            title,
            None,
            [
                Method(f"{kind} {rule.upper()}", None, read.runs(name, f"{model}-{rule}", variant, "average_regret"))
                for rule in ("ucb", "ei", "mpi")
                for kind, (model, variant) in kinds.items()
            ],
        )
        for name, title in titles.items()
        if read.has(name)
    ]


def batched_problems(root: Path | None = None) -> list[Problem]:
    """Cumulative regret of 1,000 rounds."""
    read = batched.BatchedResults.read(root)
    rules: dict[str, list[str]] = {}
    for kernel, rule in read.kinds:
        rules.setdefault(kernel, []).append(rule)
    runs = {batched.KERNEL_OF[cell.source]: cell.n for cell in read.cells if cell.n is not None}
    return [
        problem(
            KERNEL_TITLES[kernel],
            runs[kernel],
            [
                Method(
                    "original sizes" if rule == "orig" else rule, read.printed(kernel, rule), read.runs(kernel, rule)
                )
                for rule in rules[kernel]
            ],
        )
        for kernel in batched.KERNEL_OF.values()
    ]


def meanfield_problems(root: Path | None = None) -> list[Problem]:
    """Distance of the best reward below the optimum, or a bound on it."""
    read = meanfield.MeanFieldResults.read(root)
    names = (meanfield.OURS, *meanfield.RIVALS)
    return [
        problem(
            title,
            read.printed(name, meanfield.OURS).n,
            [Method(meanfield.NAME_OF[m], None, read.gap(name, m)) for m in names if read.has(name, m)],
        )
        for title, name in meanfield.PROBLEM_OF.items()
        if read.has(name)
    ]


def wdrbo_problems(root: Path | None = None) -> list[Problem]:
    """Cumulative expected regret."""
    read = wdrbo.WDRBOResults.read(root)
    return [
        problem(
            wdrbo.TITLE_OF[name],
            read.paper_runs,
            [
                Method(wdrbo.label(m), None, read.of(name, m).total.to_numpy(dtype=float))
                for m in read.methods(published=True)
            ],
        )
        for name in read.problems
    ]


#: By paper: its results, and what reads them.
SOURCES: Mapping[str, tuple[Callable[[Path | None], list[Problem]], type[StoredRuns]]] = {
    "tsrsr": (tsrsr_problems, tsrsr.TSRSRResults),
    "compressed": (compressed_problems, compressed.CompressedResults),
    "batched": (batched_problems, batched.BatchedResults),
    "meanfield": (meanfield_problems, meanfield.MeanFieldResults),
    "wdrbo": (wdrbo_problems, wdrbo.WDRBOResults),
}
#: Papers that print the means of what is compared here.
PRINTED = frozenset({"tsrsr", "batched"})


def provenance(paper: str, root: Path | None = None) -> Provenance:
    """Source of the results of a paper."""
    runs = SOURCES[paper][1].STORED
    return stored(runs.load(root).record.to_dict(), runs)


def data(paper: str, root: Path | None = None) -> dict[str, Any]:
    """For the figure to drag: every problem with its methods in order and their results by seed, in :data:`DIGITS` digits."""
    found = SOURCES[paper][0](root)
    return {
        "problems": [
            {
                "title": each.title,
                "runs": each.runs,
                "printed": each.methods[0].printed is not None,
                "methods": [[m.name, [float(f"{v:.{DIGITS}g}") for v in m.values]] for m in each.methods],
            }
            for each in found
        ]
    }


def record(paper: str) -> tuple[dict[str, Any], Provenance]:
    """:func:`data` with where they come from."""
    return data(paper), provenance(paper)


record_tsrsr, record_compressed, record_batched, record_meanfield, record_wdrbo = (
    partial(record, paper) for paper in ("tsrsr", "compressed", "batched", "meanfield", "wdrbo")
)


def _apart(found: Problem) -> tuple[Method, Method]:
    """The best method and the next one whose results are others."""
    first, *rest = found.methods
    return first, next(method for method in rest if not np.array_equal(method.values, first.values))


def table(paper: str, root: Path | None = None) -> pd.DataFrame:
    """Probability that as many runs as the paper made show the best method ahead of the next with other results, by problem.

    Where the paper states no number of runs, it is that of ours.

    Returns
    -------
    problem, better, worse, printed (whether the order is), runs, together and apart (shares at that many runs), needed (runs
    for :data:`ENOUGH`, seeds drawn for both at once)
    """
    rows = []
    for each in SOURCES[paper][0](root):
        one, two = _apart(each)
        common = min(len(one.values), len(two.values))
        runs = each.runs or common
        generator = stream(0, "across", "repeats", paper, each.title)
        picks = generator.integers(0, common, (DRAWS + 1, max(MOST, runs)))
        both, own = shares(one.values[:common], two.values[:common], picks)
        rows.append(
            {
                "problem": each.title,
                "better": one.name,
                "worse": two.name,
                "printed": one.printed is not None,
                "runs": runs,
                "together": float(both[runs - 1]),
                "apart": float(own[runs - 1]),
                "needed": needed(both[:MOST]),
            }
        )
    return pd.DataFrame(rows)
