"""Tables 1-3 as printed, keyed as our runs are, and what is needed to set both side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.files import repository_root
from companion.papers.batched.plan import store
from companion.papers.batched.plan.runs import TABLES
from companion.reproduce.equivalence import Summary
from companion.reproduce.intervals import Interval, paired_interval
from companion.reproduce.reported import Margins, ReportedCell, load_margins, load_tables

PAPER = "batched"
KERNEL_OF = {"Table 1": "se", "Table 2": "matern32", "Table 3": "matern52"}
TABLE_OF = {kernel: table for table, kernel in KERNEL_OF.items()}
REGRET, COUNT = "cumulative_regret", "number_of_batches"
LAST = 1000


def rule_of(cell: ReportedCell) -> str:
    """Our label of a printed row: ``orig`` or ``a=0.4``."""
    return "orig" if "Orig" in cell.method else cell.method.split(", ")[-1].replace(" ", "")


def printed_frame(root: Path | None = None) -> pd.DataFrame:
    """Tables 1-3 as printed: kernel, rule, t (0 for the number of batches), value."""
    return pd.DataFrame(
        [
            {"kernel": KERNEL_OF[cell.source], "rule": rule_of(cell), "t": cell.at or 0, "value": cell.mean}
            for cell in load_tables(PAPER, root)
        ]
    )


@dataclass(frozen=True, eq=False)
class SideBySide:
    """The printed tables, the frozen margins, and our stored runs with their record.

    Attributes
    ----------
    cells : every printed number
    margins : from ``margins.toml``
    frame, ties, repeats : see :mod:`companion.papers.batched.plan.store`
    record : provenance of the runs
    """

    cells: tuple[ReportedCell, ...]
    margins: Margins
    frame: pd.DataFrame
    ties: pd.DataFrame
    repeats: pd.DataFrame
    record: Mapping[str, Any]

    @cached_property
    def _printed(self) -> dict[tuple[str, str, int], float]:
        return {(KERNEL_OF[cell.source], rule_of(cell), cell.at or 0): cell.mean for cell in self.cells}

    def printed(self, kernel: str, rule: str, t: int = LAST) -> float:
        """Regret at round ``t`` as printed; ``t = 0`` gives the number of batches."""
        return self._printed[kernel, rule, t]

    def gap(self, kernel: str, rule: str, t: int = LAST) -> float:
        """Printed regret of ``rule`` minus that of the original rule."""
        return self.printed(kernel, rule, t) - self.printed(kernel, "orig", t)

    def runs(self, kernel: str, rule: str, t: int = LAST, *, random_ties: bool = False) -> np.ndarray:
        """Our regret at round ``t``, one value a seed in the order of the seeds; random ties are stored for t = 1000."""
        table = self.ties if random_ties else self.frame
        part = table[(table.kernel == kernel) & (table.rule == rule)].sort_values("seed")
        return part[f"R{t}"].to_numpy(dtype=float)

    def summary(self, kernel: str, rule: str, t: int = LAST, *, random_ties: bool = False) -> Summary:
        """Mean, standard deviation and number of our runs."""
        values = self.runs(kernel, rule, t, random_ties=random_ties)
        return Summary(float(values.mean()), float(values.std(ddof=1)), len(values))

    def against(self, kernel: str, rule: str, other: str = "orig", t: int = LAST) -> Interval:
        """Paired interval of our regret with ``rule`` minus that with ``other``."""
        confidence = self.margins.confidence
        return paired_interval(self.runs(kernel, rule, t), self.runs(kernel, other, t), confidence)

    def sizes(self, kernel: str, rule: str) -> tuple[int, ...]:
        """Batch sizes of our runs; they do not depend on the seed."""
        part = self.frame[(self.frame.kernel == kernel) & (self.frame.rule == rule)]
        (text,) = part.sizes.unique()
        return tuple(int(size) for size in text.split())


def side_by_side(root: Path | None = None) -> SideBySide:
    """Read everything.

    Raises
    ------
    DataError
        for faulty reported tables or margins
    ResultError
        when the stored runs are missing or damaged, naming the command that makes them
    """
    base = repository_root() if root is None else root
    stored = store.load(base)
    frame, ties, repeats = (stored.tables[name] for name in TABLES)
    return SideBySide(
        load_tables(PAPER, base), load_margins(PAPER, base), frame, ties, repeats, stored.record.to_dict()
    )
