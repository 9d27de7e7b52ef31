"""Stored runs beside the printed numbers: one key says which run a row is of, the same in all papers.

A run is told apart by the block of the plan that asks for it, its problem, the reading of the paper, the variant (a setting
changed), the method, and the seed. A table has those of these columns in which its runs differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.core.errors import DataError, ParameterError
from companion.core.files import repository_root
from companion.reproduce.columns import Selection, selected, selection
from companion.reproduce.equivalence import Summary
from companion.reproduce.intervals import Interval, mean_interval, paired_interval
from companion.reproduce.ordering import Ordering
from companion.reproduce.reported import Margins, ReportedCell, load_margins, load_tables
from companion.reproduce.stored import StoredSet
from companion.reproduce.verdict import Judgement, cell_verdict

#: What tells runs apart besides their seed.
KEY = ("block", "problem", "reading", "variant", "method")


@dataclass(frozen=True, eq=False)
class Runs:
    """The printed tables of a paper, the frozen margins, and our stored runs with their record.

    Attributes
    ----------
    cells : every printed number
    margins : from ``margins.toml``
    tables : by name; of :attr:`STORED`
    record : provenance of the runs
    root : repository; found from the current folder by default
    """

    cells: tuple[ReportedCell, ...]
    margins: Margins
    tables: Mapping[str, pd.DataFrame]
    record: Mapping[str, Any]
    root: Path | None = field(default=None, repr=False)

    #: What is stored.
    STORED: ClassVar[StoredSet]
    #: The table with one row a run.
    MAIN: ClassVar[str]
    #: Values of the key that are meant where nothing is said.
    USUAL: ClassVar[Mapping[str, str]] = {}
    #: Columns of the key, and what stored tables call them if not by that name.
    KEY: ClassVar[tuple[str, ...]] = KEY
    COLUMNS: ClassVar[Mapping[str, str]] = {}

    #: Our names of the printed problems and methods.
    PROBLEM_OF: ClassVar[Mapping[str, str]] = {}
    METHOD_OF: ClassVar[Mapping[str, str]] = {}
    #: Problems in the order of the paper, and the methods without which one counts as not run.
    PROBLEMS: ClassVar[Iterable[str]] = ()
    NEEDED: ClassVar[tuple[str, ...]] = ()
    #: Of every printed number, where all have the same; and whether each has a spread.
    METRIC: ClassVar[str] = ""
    SPREAD: ClassVar[bool] = False

    @classmethod
    def check(cls, cells: tuple[ReportedCell, ...]) -> None:
        """Whether the printed numbers are of the kind that the paper's tests expect.

        Raises
        ------
        DataError
            naming the first that is not
        """
        for cell in cells:
            if cls.METRIC and (cell.metric != cls.METRIC or (cls.SPREAD and cell.summary is None)):
                spread = " with its spread and a number of runs of at least 2" if cls.SPREAD else ""
                raise DataError(f"{cell.where}: expected a {cls.METRIC}{spread}")

    @classmethod
    def read(cls, root: Path | None = None) -> Self:
        """Read the stored runs and the printed tables.

        Raises
        ------
        DataError
            for faulty reported tables or margins
        ResultError
            when the stored runs are missing or damaged, naming the command that makes them
        """
        base = repository_root() if root is None else root
        cells = load_tables(cls.STORED.paper, base)
        cls.check(cells)
        stored = cls.STORED.load(base)
        return cls(cells, load_margins(cls.STORED.paper, base), stored.tables, stored.record.to_dict(), base)

    # -- runs ------------------------------------------------------------------------------------------------------------

    @cached_property
    def _groups(self) -> dict[str, dict[tuple[str, ...], pd.DataFrame]]:
        return {}

    def _grouped(self, table: str) -> dict[tuple[str, ...], pd.DataFrame]:
        """Rows of a table by its key, in the order of their seeds, which are the index and a column."""
        if table not in self._groups:
            rows = self.tables[table]
            if "variant" in rows:
                rows = rows.fillna({"variant": ""})
            groups = rows.groupby([self.COLUMNS.get(name, name) for name in self._names(table)])
            self._groups[table] = {
                tuple(map(str, key)): part.set_index("seed", drop=False).rename_axis(None).sort_index()
                for key, part in groups
            }
        return self._groups[table]

    @property
    def kinds(self) -> list[tuple[str, ...]]:
        """The keys of the main table that were run."""
        return list(self._grouped(self.MAIN))

    def _names(self, table: str) -> list[str]:
        columns = self.tables[table].columns
        return [name for name in self.KEY if self.COLUMNS.get(name, name) in columns]

    def _chosen(self, table: str, problem: str, where: Mapping[str, str]) -> dict[str, str]:
        """What is fixed of the key by a call, and by what is usual."""
        names = self._names(table)
        odd = [name for name in where if name not in names]
        if odd:
            raise ParameterError(odd[0], f"is no column of {table!r} that tells runs apart", ", ".join(names))
        return {name: value for name, value in {**self.USUAL, "problem": problem, **where}.items() if name in names}

    def _key(self, table: str, chosen: Mapping[str, str], method: str) -> tuple[str, ...]:
        return tuple(method if name == "method" else chosen[name] for name in self._names(table))

    def of(self, problem: str, method: str, table: str = "", **where: str) -> pd.DataFrame:
        """Rows of one kind of run, one a seed and in the order of the seeds, which are the index too.

        Parameters
        ----------
        table : of :attr:`tables`; the main one by default
        where : block, reading, variant, if not the usual ones

        Raises
        ------
        KeyError
            if there are no such runs
        """
        table = table or self.MAIN
        return self._grouped(table)[self._key(table, self._chosen(table, problem, where), method)]

    def has(self, problem: str, *methods: str, table: str = "", **where: str) -> bool:
        """Whether there are runs of all the methods on a problem, or of any method if none is named.

        Raises
        ------
        ParameterError
            for a method that is a reading, variant or block of the table: these are named, ``reading="code"``
        """
        table = table or self.MAIN
        groups, chosen = self._grouped(table), self._chosen(table, problem, where)
        for method in methods:
            self._refuse(table, method)
        if methods:
            return all(self._key(table, chosen, method) in groups for method in methods)
        places = [(self._names(table).index(name), value) for name, value in chosen.items()]
        return any(all(key[place] == value for place, value in places) for key in groups)

    def _refuse(self, table: str, method: str) -> None:
        """Refuse a reading, variant or block given as a method: no run has it, and the answer would be a silent no."""
        names = self._names(table)
        columns = {names[place] for key in self._grouped(table) for place, value in enumerate(key) if value == method}
        if columns and "method" not in columns:
            raise ParameterError("method", f"{method!r} is a {min(columns)}", f"{min(columns)}={method!r}")

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """Problems that were run, in the order of the paper."""
        return tuple(name for name in self.PROBLEMS if self.has(name, *self.NEEDED))

    def column(self, name: str, problem: str, method: str, table: str = "", **where: str) -> Floats:
        """(seeds,) of the rows of :meth:`of`, which the values name."""
        values = self.of(problem, method, table, **where)[name]
        return selected(values, self.selection(name, problem, method, table, **where))

    def selection(self, column: str, problem: str, method: str, table: str = "", **where: str) -> Selection:
        """Names the rows of :meth:`of` and a column; see :mod:`companion.reproduce.columns`."""
        table = table or self.MAIN
        key = self._key(table, self._chosen(table, problem, where), method)
        names = (self.COLUMNS.get(name, name) for name in self._names(table))
        return {"table": f"results/{table}.csv", "where": dict(zip(names, key, strict=True)), "column": column}

    # -- what is printed -------------------------------------------------------------------------------------------------

    @classmethod
    def named(cls, cell: ReportedCell) -> tuple[str, str]:
        """Our names of the problem and the method that a number is printed of."""
        return cls.PROBLEM_OF[cell.problem], cls.METHOD_OF[cell.method]

    @cached_property
    def _cells(self) -> dict[tuple[str, str], ReportedCell]:
        return {self.named(cell): cell for cell in self.cells}

    def cell(self, problem: str, method: str) -> ReportedCell:
        """The number printed of a problem and method, by our names."""
        return self._cells[problem, method]

    # -- comparison ------------------------------------------------------------------------------------------------------

    def mean(self, values: Floats, minus: float = 0.0) -> Interval:
        """Mean of independent values less a fixed number, with its interval at the frozen level."""
        return mean_interval(values, self.margins.confidence, minus)

    def paired(self, first: Floats, second: Floats, factor: float = 1.0) -> Interval:
        """Mean of ``first - factor * second`` over common seeds, with its interval at the frozen level."""
        return paired_interval(first, second, self.margins.confidence, factor)

    def judge(
        self, reported: Summary | None, ours: Summary, margin: float, ordering: Ordering, lacking: str = ""
    ) -> Judgement:
        """:func:`companion.reproduce.verdict.cell_verdict` at the frozen levels."""
        margins = self.margins
        levels = {"significance": margins.significance, "confidence": margins.confidence}
        return cell_verdict(reported, ours, margin, ordering, lacking=lacking, **levels)


def summary(values: Floats) -> Summary:
    """Mean, standard deviation and number.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.reproduce.results import summary
    >>> summary(np.array([1.0, 2.0, 3.0]))
    Summary(mean=2.0, sd=1.0, n=3)
    """
    return Summary(float(np.mean(values)), float(np.std(values, ddof=1)), len(values), selection(values))
