"""Tables 1-4 as printed, keyed like our runs, and helpers to compare both.

Everything is in the unit of the printed table: a printed 1.7 under "1e-3" is beside our regret divided by 1e-3.
"""

from __future__ import annotations

import csv
import math
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.core.files import reported_folder
from companion.judge.columns import Selection, selected
from companion.judge.equivalence import Summary
from companion.judge.intervals import Interval
from companion.judge.reported import ReportedCell
from companion.judge.stored_runs import StoredRuns, once, summary
from companion.papers.tsrsr.experiments import store
from companion.papers.tsrsr.experiments.runs import METHOD_NAMES
from companion.papers.tsrsr.problems.catalogue import SETTINGS
from companion.stored.results import unjoined

PAPER = "tsrsr"
METRIC = "simple_regret"
PROBLEM_OF = {
    "GP-RBF-prior-2D": "gp-2d",
    "GP-RBF-prior-3D": "gp-3d",
    "Ackley-2D": "ackley-2d",
    "Rosenbrock-2D": "rosenbrock-2d",
    "Bird-2D": "bird-2d",
    "Ackley-3D": "ackley-3d",
    "Hartmann-6D": "hartmann-6d",
    "Griewank-8D": "griewank-8d",
    "Michalewicz-10D": "michalewicz-10d",
    "Boston-NN-4D": "boston-4d",
    "Robot-3D": "robot-3d",
    "Robot-4D": "robot-4d",
}
METHOD_OF = {
    "DPPTS": "dpp-ts",
    "BUCB": "bucb",
    "UCBPE": "ucbpe",
    "SP": "sp",
    "TS": "ts",
    "qEI": "qei",
    "TS-RSR": "ts-rsr",
}
TITLE_OF = {name: title for title, name in PROBLEM_OF.items()}
NAME_OF = {method: name for name, method in METHOD_OF.items()} | {"random": "random search"}
OURS = "ts-rsr"
RIVALS = tuple(name for name in METHOD_OF.values() if name != OURS)


def last_place(cell: ReportedCell) -> float:
    """Unit of the last printed digit of a mean, 0.1 for 4.9; the tables print one decimal at least."""
    return 10.0 ** -len(repr(cell.mean).partition(".")[2])


def printed_ranks(root: Path | None = None) -> dict[tuple[str, str], int]:
    """The ranks that the tables print, by problem and method."""
    found = {}
    for path in sorted(reported_folder(PAPER, root).glob("table*.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                found[PROBLEM_OF[row["problem"]], METHOD_OF[row["method"]]] = int(row["rank"])
    return found


class TSRSRResults(StoredRuns):
    """The stored runs beside the printed tables."""

    STORED, MAIN = store.STORED, "final"
    USUAL: ClassVar = {"reading": "text"}
    PROBLEM_OF, METHOD_OF, PROBLEMS, METRIC, SPREAD = PROBLEM_OF, METHOD_OF, SETTINGS, METRIC, True

    @cached_property
    def ranks(self) -> dict[tuple[str, str], int]:
        """Ranks as printed, by problem and method."""
        return printed_ranks(self.root)

    def printed(self, problem: str, method: str) -> float:
        """A printed mean."""
        return self.cell(problem, method).mean

    def paper_runs(self, problem: str) -> int:
        """Runs behind a printed mean of the column."""
        return int(self.cell(problem, OURS).n or 0)

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """Rows that were run: the paper's seven and random search."""
        return tuple(name for name in METHOD_NAMES if any(self.has(problem, name) for problem in self.problems))

    def _rows(self, problem: str, method: str, reading: str, count: int | None) -> pd.DataFrame:
        rows = self.of(problem, method, reading=reading)
        return rows if count is None else rows[rows.seed < count]

    @once
    def runs(self, problem: str, method: str, reading: str = "text", count: int | None = None) -> Floats:
        """Our final simple regret, one value a seed, in the printed unit.

        Boston's is taken, as in the paper, above the best value that any method found in any run (text's reading only).
        """
        values = self._rows(problem, method, reading, count).regret.to_numpy(dtype=float)
        values = (values - self.offset(problem, reading)) / SETTINGS[problem].unit
        return selected(values, self._regret(problem, method, reading, count))

    def _regret(self, problem: str, method: str, reading: str, count: int | None, **per: str) -> Selection | None:
        """Names the rows of :meth:`runs`, or with ``per`` of :meth:`units`; none of the first ``count``."""
        if count is not None:
            return None
        of = self.selection("regret", problem, method, reading=reading)
        where = {"problem": problem, "reading": reading}
        above = {"above": {"table": of["table"], "where": where}} if self.offset(problem, reading) else {}
        unit = SETTINGS[problem].unit
        return {**of, **per, **above, **({} if unit == 1.0 else {"unit": unit})}

    @once
    def offset(self, problem: str, reading: str = "text") -> float:
        """Offset subtracted from stored regrets: zero except for Boston in the text's reading."""
        if problem != "boston-4d" or reading != "text":
            return 0.0
        return float(min(self.of(problem, method).regret.min() for method in self.methods))

    def units(self, problem: str, method: str, reading: str = "text", count: int | None = None) -> Floats:
        """Independent values: the runs, or their means over each function or goal where a problem has several."""
        values = self.runs(problem, method, reading, count)
        if SETTINGS[problem].functions == 1:
            return values
        function = self._rows(problem, method, reading, count).function.to_numpy()
        means = [values[function == number].mean() for number in np.unique(function)]
        return selected(means, self._regret(problem, method, reading, count, per="function"))

    def summary(self, problem: str, method: str, reading: str = "text", count: int | None = None) -> Summary:
        """Mean, standard deviation and number of our runs."""
        return summary(self.runs(problem, method, reading, count))

    @once
    def against(
        self, problem: str, method: str, other: str, reading: str = "text", count: int | None = None
    ) -> Interval:
        """Paired interval of the regret of ``method`` minus that of ``other``; a function is one value."""
        first, second = (self.units(problem, name, reading, count) for name in (method, other))
        return self.paired(first, second)

    @cached_property
    def curves(self) -> dict[tuple[str, str, str], Floats]:
        """(runs, T + 1) simple regret after the design and each batch, by reading, problem and method."""
        table = self.tables["curves"]
        return {
            (str(reading), str(problem), str(method)): np.stack([unjoined(text) for text in part.regret])
            for (reading, problem, method), part in table.groupby(["reading", "problem", "method"], sort=False)
        }

    def reported(self, cell: ReportedCell) -> Summary:
        """A printed mean with the standard deviation of one run: the printed spread divides by n, this by n - 1."""
        assert cell.n is not None  # every cell of Tables 1-4 has a number of runs
        return Summary(cell.mean, self.spread(cell) * math.sqrt(cell.n / (cell.n - 1)), cell.n)

    def spread(self, cell: ReportedCell) -> float:
        """The spread as printed, which is the margin; one printed as zero is some number that rounds to it."""
        return self.margins.margin(cell) or self.margins.claims["rounded_zero"] * last_place(cell)
