"""Tables 1-3 as printed, keyed as our runs are, and what is needed to set both side by side."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd

from companion.judge.equivalence import Summary
from companion.judge.intervals import Interval
from companion.judge.reported import ReportedCell
from companion.judge.stored_runs import StoredRuns, summary
from companion.papers.batched.experiments import store
from companion.papers.batched.experiments.conclusions_claims import CLAIMS, judge
from companion.papers.batched.experiments.runs import MAIN, REPEATS, TIES

PAPER = "batched"
KERNEL_OF = {"Table 1": "se", "Table 2": "matern32", "Table 3": "matern52"}
TABLE_OF = {kernel: table for table, kernel in KERNEL_OF.items()}
REGRET, COUNT = "cumulative_regret", "number_of_batches"
LAST = 1000


def rule_of(cell: ReportedCell) -> str:
    """Our label of a printed row: ``orig`` or ``a=0.4``."""
    return "orig" if "Orig" in cell.method else cell.method.split(", ")[-1].replace(" ", "")


def printed_frame(cells: Iterable[ReportedCell]) -> pd.DataFrame:
    """Tables 1-3 as printed: kernel, rule, t (0 for the number of batches), value."""
    return pd.DataFrame(
        [
            {"kernel": KERNEL_OF[cell.source], "rule": rule_of(cell), "t": cell.at or 0, "value": cell.mean}
            for cell in cells
        ]
    )


class BatchedResults(StoredRuns):
    """The stored runs beside the printed tables.

    ``frame``, ``ties`` and ``repeats`` are described in :mod:`companion.papers.batched.experiments.store`.
    """

    STORED, MAIN = store.STORED, MAIN
    COLUMNS: ClassVar = {"problem": "kernel", "method": "rule"}

    @property
    def frame(self) -> pd.DataFrame:
        """One row per kernel, rule and seed."""
        return self.tables[self.MAIN]

    @property
    def ties(self) -> pd.DataFrame:
        """The same runs with ties broken at random."""
        return self.tables[TIES]

    @property
    def repeats(self) -> pd.DataFrame:
        """The original rule on fixed functions, with ten noise streams each."""
        return self.tables[REPEATS]

    @cached_property
    def reported(self) -> pd.DataFrame:
        """Tables 1-3 as :func:`printed_frame`."""
        return printed_frame(self.cells)

    @cached_property
    def _printed(self) -> dict[tuple[str, str, int], float]:
        return {(*self.named(cell), cell.at or 0): cell.mean for cell in self.cells}

    @classmethod
    def named(cls, cell: ReportedCell) -> tuple[str, str]:
        """Kernel and rule that a number is printed of."""
        return KERNEL_OF[cell.source], rule_of(cell)

    def printed(self, kernel: str, rule: str, t: int = LAST) -> float:
        """Regret at round ``t`` as printed; ``t = 0`` gives the number of batches."""
        return self._printed[kernel, rule, t]

    def gap(self, kernel: str, rule: str, t: int = LAST) -> float:
        """Printed regret of ``rule`` minus that of the original rule."""
        return self.printed(kernel, rule, t) - self.printed(kernel, "orig", t)

    def runs(self, kernel: str, rule: str, t: int = LAST, *, random_ties: bool = False) -> np.ndarray:
        """Our regret at round ``t``, one value a seed in the order of the seeds; random ties are stored for t = 1000."""
        return self.column(f"R{t}", kernel, rule, TIES if random_ties else self.MAIN)

    def summary(self, kernel: str, rule: str, t: int = LAST, *, random_ties: bool = False) -> Summary:
        """Mean, standard deviation and number of our runs."""
        return summary(self.runs(kernel, rule, t, random_ties=random_ties))

    def against(self, kernel: str, rule: str, other: str = "orig", t: int = LAST) -> Interval:
        """Paired interval of our regret with ``rule`` minus that with ``other``."""
        return self.paired(self.runs(kernel, rule, t), self.runs(kernel, other, t))

    def sizes(self, kernel: str, rule: str) -> tuple[int, ...]:
        """Batch sizes of our runs; they do not depend on the seed."""
        (text,) = self.of(kernel, rule).sizes.unique()
        return tuple(int(size) for size in text.split())

    @cached_property
    def judged(self) -> pd.DataFrame:
        """One row per claim of Appendix E: the claim, the paired difference with its interval, and the outcome."""
        return pd.DataFrame([{"claim": claim} | judge(self.frame, claim) for claim in CLAIMS])

    @cached_property
    def judged_with_random_ties(self) -> pd.DataFrame:
        """The same claims on the runs whose ties were broken at random."""
        return pd.DataFrame([{"claim": claim} | judge(self.ties, claim) for claim in CLAIMS])

    def spread_between_functions(self, kernel: str) -> tuple[float, float]:
        """Standard deviation of R_1000 (original rule): between functions, and between trials on one function."""
        base = self.frame[(self.frame.kernel == kernel) & (self.frame.rule == "orig")]
        within = self.repeats[self.repeats.kernel == kernel].groupby("function").R1000.var(ddof=1)
        return float(base.R1000.std(ddof=1)), float(np.sqrt(within.mean()))
