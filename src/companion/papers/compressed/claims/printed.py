"""Tables 2-4 as printed, keyed as our runs are, and what is needed to set both side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from companion.arrays import Floats
from companion.errors import DataError
from companion.papers.compressed.parameters import READINGS
from companion.papers.compressed.plan import store
from companion.papers.compressed.plan.runs import DENSE, PROBLEMS
from companion.reproduce.reported import Margins, ReportedCell, load_margins, load_tables

PAPER = "compressed"
PROBLEM_OF = {
    "example_1d": "example-function",
    "rosenbrock_2d": "rosenbrock",
    "mnist_logistic_4d": "logistic-mnist",
}
MODEL_OF = {"uncompressed": "gp", "compressed": "cgp", "BKB": "bkb"}
VARIANTS_OF = {"gp": (DENSE,), "cgp": READINGS, "bkb": ("bkb-5", "bkb-1")}
"""The variants of ours that a printed row may stand for."""


@dataclass(frozen=True, eq=False)
class SideBySide:
    """The printed tables, the frozen margins, and our stored runs with their record.

    Attributes
    ----------
    cells : every printed number
    margins : from ``margins.toml``
    tables : see :mod:`companion.papers.compressed.plan.store`
    record : provenance of the runs
    """

    cells: tuple[ReportedCell, ...]
    margins: Margins
    tables: Mapping[str, pd.DataFrame]
    record: Mapping[str, Any]

    @cached_property
    def _runs(self) -> dict[tuple[str, str, str], pd.DataFrame]:
        keys = ["problem", "method", "variant"]
        return {key: part.sort_values("seed") for key, part in self.tables["runs"].groupby(keys)}

    @cached_property
    def _timings(self) -> dict[tuple[str, str, str, str], pd.DataFrame]:
        keys = ["problem", "posterior", "method", "variant"]
        return {key: part.sort_values("seed") for key, part in self.tables["timings"].groupby(keys)}

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """Problems that were run, in the order of the paper."""
        present = {problem for problem, _, _ in self._runs}
        return tuple(name for name in PROBLEMS if name in present)

    def has(self, problem: str) -> bool:
        """Whether the problem was run."""
        return problem in self.problems

    def runs(self, problem: str, method: str, variant: str, column: str) -> Floats:
        """A column of our runs, one value a seed."""
        return self._runs[problem, method, variant][column].to_numpy(dtype=float)

    def part(self, problem: str, method: str, variant: str) -> pd.DataFrame:
        """Rows of our runs, by seed."""
        return self._runs[problem, method, variant]

    def times(
        self, problem: str, method: str, variant: str, posterior: str = "refit", column: str | None = None
    ) -> Floats:
        """A column of the timings, one value a seed; by default the time of the policy and of what it evaluated."""
        rows = self._timings[problem, posterior, method, variant]
        if column is not None:
            return rows[column].to_numpy(dtype=float)
        return (rows.seconds + rows.objective_seconds).to_numpy(dtype=float)

    def time_ratios(
        self, problem: str, method: str, variant: str, posterior: str = "refit", column: str | None = None
    ) -> Floats:
        """Time over that of the dense method of the same acquisition in the same process, one value a seed."""
        acquisition = method.partition("-")[2]
        dense = self.times(problem, f"gp-{acquisition}", DENSE, posterior, column)
        return self.times(problem, method, variant, posterior, column) / dense

    def printed_ratio(self, cell: ReportedCell) -> float:
        """A printed time over the uncompressed one of the same table and acquisition."""
        acquisition = cell.method.partition("/")[0]
        base = [c.mean for c in self.cells if (c.problem, c.method) == (cell.problem, f"{acquisition}/uncompressed")]
        if len(base) != 1:
            raise DataError(f"{cell.where}: there is no single uncompressed time of {cell.problem} under {acquisition}")
        return cell.mean / base[0]

    def compressed_ratios(self, source: str) -> dict[str, float]:
        """Compressed over uncompressed time of a printed table, by acquisition."""
        return {
            cell.method.partition("/")[0]: self.printed_ratio(cell)
            for cell in self.cells
            if cell.source == source and cell.method.endswith("/compressed")
        }

    def tradeoff(self, rule: str, column: str) -> pd.DataFrame:
        """Values of a rule of the trade-off study, horizons in rows and seeds in columns."""
        rows = self.tables["tradeoff"]
        return rows[rows.rule == rule].pivot(index="horizon", columns="seed", values=column)


def method_of(cell: ReportedCell) -> str:
    """Our name of a printed row."""
    acquisition, _, model = cell.method.partition("/")
    return f"{MODEL_OF[model]}-{acquisition.lower()}"


def side_by_side(root: Path | None = None) -> SideBySide:
    """Read everything.

    Raises
    ------
    DataError
        for faulty reported tables or margins
    ResultError
        when the stored runs are missing or damaged, naming the command that makes them
    """
    stored = store.load(root)
    return SideBySide(load_tables(PAPER, root), load_margins(PAPER, root), stored.tables, stored.record.to_dict())
