"""Tables 1 and 2 as printed, keyed as our runs are, and the stored runs beside them.

The paper prints times and no regret. A printed time is beside ours as a ratio to the time of ERBO on the same function.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.judge.columns import pair_of, selected, selection
from companion.judge.reported import ReportedCell
from companion.judge.stored_runs import StoredRuns
from companion.papers.wdrbo.experiments import store
from companion.papers.wdrbo.experiments.runs import METHOD_NAMES, PUBLISHED, SEVEN
from companion.papers.wdrbo.method.methods import METHODS, READINGS
from companion.stored.results import unjoined

PAPER, METRIC, BASE = "wdrbo", "wall_time", "erbo"
#: The paper's own number of seeds (Sec. 5), however many are stored.
PAPER_SEEDS = 15
PROBLEM_OF = {"Ackley": "ackley", "Branin": "branin"}
METHOD_OF = {
    "WDRBO": "wdrbo",
    "ERBO": "erbo",
    "GP-UCB": "gp-ucb",
    "SBO-KDE": "sbo-kde",
    "DRBO-KDE": "drbo-kde",
    "DRBO-MMD": "drbo-mmd",
    "DRBO-MMD Minmax": "drbo-mmd-minmax",
    "StableOpt": "stableopt",
}
TITLE_OF = {
    "newsvendor": "Newsvendor",
    "camel": "Three-hump camel",
    "ackley": "Ackley",
    "hartmann": "Hartmann",
    "branin": "Branin",
    "portfolio-normal": "Portfolio, normal",
    "portfolio-uniform": "Portfolio, uniform",
    "general": "Figure 1's example",
}


def label(method: str) -> str:
    """A method's name in the paper."""
    return METHODS[method].label


@dataclass(frozen=True)
class Curve:
    """Mean regret by round and its standard error over ``runs`` seeds, of one kind."""

    mean: Floats
    error: Floats
    runs: int


class WDRBOResults(StoredRuns):
    """The stored runs beside the printed tables."""

    STORED, MAIN = store.STORED, "runs"
    USUAL: ClassVar = {"block": "figures", "reading": "text", "variant": ""}
    PROBLEM_OF, METHOD_OF, METRIC, PROBLEMS, NEEDED = PROBLEM_OF, METHOD_OF, METRIC, SEVEN, ("wdrbo",)

    def variants(self, problem: str, block: str) -> list[tuple[str, str]]:
        """Variants and methods of a block that were run on a problem, in the text's reading."""
        return [(v, m) for b, p, reading, v, m in self.kinds if (b, p, reading) == (block, problem, "text")]

    @property
    def paper_runs(self) -> int:
        """The paper's number of seeds, or where fewer are stored these."""
        return min(PAPER_SEEDS, int(self.record["settings"]["paper_runs"]))

    def methods(self, reading: str = "text", *, published: bool = False) -> tuple[str, ...]:
        """Methods that were run on all of :attr:`problems`; with ``published`` the paper's eight alone."""
        listed = PUBLISHED if published else METHOD_NAMES
        return tuple(m for m in listed if self.problems and all(self.has(p, m, reading=reading) for p in self.problems))

    def readings(self) -> list[str]:
        """Readings in which WDRBO was run on all problems."""
        return [name for name in READINGS if all(self.has(problem, "wdrbo", reading=name) for problem in self.problems)]

    def pair(
        self,
        problem: str,
        first: str,
        second: str,
        column: str = "total",
        count: int | None = None,
        **where: str,
    ) -> tuple[Floats, Floats]:
        """A column of two cells over their common seeds, or those below ``count``; ``where`` is as in :meth:`of`."""
        one, two = (self.of(problem, method, **where)[column] for method in (first, second))
        values = aligned(one, two, count)
        if not len(values[0]) == len(one) == len(two):
            return values
        return self.column(column, problem, first, **where), self.column(column, problem, second, **where)

    def matrix(self, methods: tuple[str, ...], column: str = "total", reading: str = "text") -> Floats:
        """(seeds, problems, methods) of a column, over the seeds that all these cells have."""
        cells = [[self.of(p, m, reading=reading)[column] for m in methods] for p in self.problems]
        shared = sorted(set.intersection(*(set(cell.index) for row in cells for cell in row)))
        return np.array([[cell.loc[shared].to_numpy(dtype=float) for cell in row] for row in cells]).transpose(2, 0, 1)

    def marks(self, problem: str, method: str, **where: str) -> Floats:
        """Cumulative regret (seeds, 10) of one cell at the stored rounds."""
        return np.array([unjoined(str(text)) for text in self.of(problem, method, **where).cumulative])

    @cached_property
    def _curves(self) -> dict[tuple[str, ...], pd.Series]:
        table = self.tables["curves"].fillna({"variant": ""})
        keys = ["block", "problem", "reading", "variant", "method"]
        return {tuple(str(row[name]) for name in keys): row for _, row in table.iterrows()}

    def curve(
        self,
        kind: str,
        problem: str,
        method: str,
        reading: str = "text",
        variant: str = "",
        block: str = "figures",
    ) -> Curve | None:
        """Mean and standard error by round over the paper's number of seeds; none for a cell that was not run."""
        row = self._curves.get((block, problem, reading, variant, method))
        if row is None:
            return None
        error = unjoined(str(row[f"{kind}_se"]))
        return Curve(unjoined(str(row[kind])), error, int(row.runs))

    def common(self, problem: str, reading: str = "text") -> dict[str, Floats]:
        """Cumulative regret of every method that was run on a problem, over the seeds that all of them have."""
        found = {
            m: self.of(problem, m, reading=reading).total for m in METHOD_NAMES if self.has(problem, m, reading=reading)
        }
        shared = sorted(set.intersection(*(set(column.index) for column in found.values()))) if found else []
        return {method: column.loc[shared].to_numpy(dtype=float) for method, column in found.items()}

    # -- times -----------------------------------------------------------------------------------------------------

    def timed(self, problem: str, method: str = BASE, reading: str = "text") -> bool:
        """Whether times were taken."""
        return self.has(problem, method, table="timings", reading=reading)

    def seconds(self, problem: str, method: str, part: str = "total", reading: str = "text") -> Floats:
        """Processor seconds of a run, or of a part of it, one value a seed."""
        return self.column(part, problem, method, "timings", reading=reading)

    def ratios(self, problem: str, method: str, other: str = BASE) -> Floats:
        """Time over that of another method in the same process, one value a seed."""
        return self.seconds(problem, method) / self.seconds(problem, other)

    def log_ratios(self, above: tuple[str, str], below: tuple[str, str], reading: str = "text") -> Floats:
        """Logarithm of the ratio of two times, each of a problem and a method, one value a seed."""
        one, two = (self.seconds(*side, reading=reading) for side in (above, below))
        first, second = (selected(np.log(side), {**(selection(side) or {}), "log": True}) for side in (one, two))
        return selected(np.log(one / two), pair_of(first, second, 1.0))

    def printed(self, problem: str, method: str) -> float:
        """A printed time, s; both tables print the same."""
        return self.cell(problem, method).mean

    def printed_ratio(self, cell: ReportedCell) -> float:
        """A printed time over that of ERBO on the same function."""
        return cell.mean / self.printed(PROBLEM_OF[cell.problem], BASE)


def aligned(one: pd.Series, two: pd.Series, count: int | None = None) -> tuple[Floats, Floats]:
    """Two columns over their common seeds, or those below ``count``."""
    shared = [seed for seed in one.index if seed in two.index and (count is None or seed < count)]
    return one.loc[shared].to_numpy(dtype=float), two.loc[shared].to_numpy(dtype=float)
