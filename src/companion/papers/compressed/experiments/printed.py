"""Tables 2-4 as printed, keyed like our runs, and helpers to compare both."""

from __future__ import annotations

import pandas as pd

from companion.core.arrays import Floats
from companion.core.errors import DataError
from companion.judge.reported import ReportedCell
from companion.judge.stored_runs import StoredRuns
from companion.papers.compressed.experiments import store
from companion.papers.compressed.experiments.parameters import READINGS
from companion.papers.compressed.experiments.runs import DENSE, PROBLEMS

PAPER = "compressed"
PROBLEM_OF = {
    "example_1d": "example-function",
    "rosenbrock_2d": "rosenbrock",
    "mnist_logistic_4d": "logistic-mnist",
}
MODEL_OF = {"uncompressed": "gp", "compressed": "cgp", "BKB": "bkb"}
#: The variants of ours that a printed row may stand for.
VARIANTS_OF = {"gp": (DENSE,), "cgp": READINGS, "bkb": ("bkb-5", "bkb-1")}


class CompressedResults(StoredRuns):
    """The stored runs beside the printed tables."""

    STORED, MAIN, KEY = store.STORED, "runs", ("problem", "variant", "posterior", "method")
    PROBLEMS = PROBLEMS

    @classmethod
    def named(cls, cell: ReportedCell) -> tuple[str, str]:
        """Our names of the problem and the method that a number is printed of."""
        acquisition, _, model = cell.method.partition("/")
        return PROBLEM_OF[cell.problem], f"{MODEL_OF[model]}-{acquisition.lower()}"

    def runs(self, problem: str, method: str, variant: str, column: str) -> Floats:
        """A column of our runs, one value a seed."""
        return self.column(column, problem, method, variant=variant)

    def times(
        self, problem: str, method: str, variant: str, posterior: str = "refit", column: str | None = None
    ) -> Floats:
        """A column of the timings, one value a seed; by default the time of the policy and of its evaluations."""
        if column is not None:
            return self.column(column, problem, method, "timings", variant=variant, posterior=posterior)
        rows = self.of(problem, method, "timings", variant=variant, posterior=posterior)
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

    def curve(self, table: str, problem: str, method: str, variant: str) -> pd.DataFrame:
        """Rows of ``curves`` or, with refits, ``clock``, by round; empty where there are none."""
        rows = self.tables[table]
        chosen = (rows.problem == problem) & (rows.method == method) & (rows.variant == variant)
        if table == "clock":
            chosen &= rows.posterior == "refit"
        return rows[chosen].sort_values("round")
