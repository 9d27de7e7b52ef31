"""Stored runs beside the printed numbers: one key says which run a row is of, the same in all papers.

A run is told apart by the block of the plan that asks for it, its problem, the reading of the paper, the variant (a setting
changed), the method, and the seed. A table has those of these columns in which its runs differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, ClassVar, Concatenate, ParamSpec, Self, TypeVar

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.core.errors import DataError, ParameterError
from companion.core.files import repository_root
from companion.judge.columns import Selection, selected, selection
from companion.judge.equivalence import Summary
from companion.judge.intervals import Interval, mean_interval, paired_interval
from companion.judge.ordering import Ordering
from companion.judge.reported import Margins, ReportedCell, load_margins, load_tables
from companion.judge.verdict import Judgement, cell_verdict
from companion.stored.results import StoredSet

#: What tells runs apart besides their seed.
KEY = ("block", "problem", "reading", "variant", "method")


P = ParamSpec("P")
T = TypeVar("T")
AnyRuns = TypeVar("AnyRuns", bound="StoredRuns")


def once(compute: Callable[Concatenate[AnyRuns, P], T]) -> Callable[Concatenate[AnyRuns, P], T]:
    """Compute a function of stored runs, or a method of theirs, once for the same runs and arguments; arrays are read-only."""

    @wraps(compute)
    def known(runs: AnyRuns, /, *args: P.args, **named: P.kwargs) -> T:
        computed, call = vars(runs).setdefault("_computed", {}), (compute, args, *named.items())
        if call not in computed:
            computed[call] = compute(runs, *args, **named)
            if isinstance(computed[call], np.ndarray):
                computed[call].flags.writeable = False
        found: T = computed[call]
        return found

    return known


class _Groups:
    """Rows of a table, grouped by what tells its runs apart.

    Attributes
    ----------
    name : of the table
    key, columns : names of the key, and what the table calls them
    rows : by the words of the key; in the order of their seeds, which are the index and a column
    """

    def __init__(self, name: str, table: pd.DataFrame, key: Iterable[str], columns: Mapping[str, str]) -> None:
        if "variant" in table:
            table = table.fillna({"variant": ""})
        self.name = name
        self.key = tuple(word for word in key if columns.get(word, word) in table.columns)
        self.columns = [columns.get(word, word) for word in self.key]
        self.rows = {
            tuple(map(str, words)): part.set_index("seed", drop=False).rename_axis(None).sort_index()
            for words, part in table.groupby(self.columns)
        }
        self._pairs = [frozenset(zip(self.key, words, strict=True)) for words in self.rows]

    def any(self, fixed: Mapping[str, str]) -> bool:
        """Whether there are rows with these words, whatever the others are."""
        wanted = frozenset(filter(lambda pair: pair[0] in self.key, fixed.items()))
        return any(map(wanted.issubset, self._pairs))

    @cached_property
    def _columns_of(self) -> dict[str, list[str]]:
        """In which columns a word stands."""
        found: dict[str, list[str]] = {}
        for column, word in sorted(set().union(*self._pairs)):
            found.setdefault(word, []).append(column)
        return found

    def refuse(self, method: str) -> None:
        """Refuse a reading, variant or block given as a method: no run has it, and the answer would be a silent no."""
        if (columns := self._columns_of.get(method)) and "method" not in columns:
            raise ParameterError("method", f"{method!r} is a {columns[0]}", f"{columns[0]}={method!r}")


@dataclass(frozen=True, eq=False)
class StoredRuns:
    """The stored runs of a paper with their record, beside its printed tables and the frozen margins.

    A paper's own class says what its tables and columns are called, and what several judgements or studies compute of them.

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

    @once
    def _groups(self, table: str) -> _Groups:
        return _Groups(table, self.tables[table], self.KEY, self.COLUMNS)

    @property
    def kinds(self) -> list[tuple[str, ...]]:
        """The keys of the main table that were run."""
        return list(self._groups(self.MAIN).rows)

    def _found(self, table: str, where: Mapping[str, str]) -> tuple[_Groups, dict[str, str]]:
        """A table, and the words that a call or what is usual fixes of its key."""
        groups = self._groups(table or self.MAIN)
        for name in where:
            if name not in groups.key and name != "problem" and name != "method":
                problem = f"is no column of {groups.name!r} that tells runs apart"
                raise ParameterError(name, problem, ", ".join(groups.key))
        return groups, {**self.USUAL, **where}

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
        groups, fixed = self._found(table, {"problem": problem, "method": method, **where})
        return groups.rows[tuple(map(fixed.__getitem__, groups.key))]

    def has(self, problem: str, *methods: str, table: str = "", **where: str) -> bool:
        """Whether there are runs of all the methods on a problem, or of any method if none is named.

        Raises
        ------
        ParameterError
            for a method that is a reading, variant or block of the table: these are named, ``reading="code"``
        """
        groups, fixed = self._found(table, {"problem": problem, **where})
        for method in methods:
            groups.refuse(method)
        return all(groups.any({**fixed, "method": method}) for method in methods) if methods else groups.any(fixed)

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """Problems that were run, in the order of the paper."""
        return tuple(name for name in self.PROBLEMS if self.has(name, *self.NEEDED))

    def column(self, name: str, problem: str, method: str, table: str = "", **where: str) -> Floats:
        """(seeds,) of the rows of :meth:`of`, which the values name."""
        values = self.of(problem, method, table, **where)[name]
        return selected(values, self.selection(name, problem, method, table, **where))

    def selection(self, column: str, problem: str, method: str, table: str = "", **where: str) -> Selection:
        """Names the rows of :meth:`of` and a column; see :mod:`companion.judge.columns`."""
        groups, fixed = self._found(table, {"problem": problem, "method": method, **where})
        key = dict(zip(groups.columns, map(fixed.__getitem__, groups.key), strict=True))
        return {"table": f"results/{groups.name}.csv", "where": key, "column": column}

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
        """:func:`companion.judge.verdict.cell_verdict` at the frozen levels."""
        margins = self.margins
        levels = {"significance": margins.significance, "confidence": margins.confidence}
        return cell_verdict(reported, ours, margin, ordering, lacking=lacking, **levels)


def summary(values: Floats) -> Summary:
    """Mean, standard deviation and number.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.judge.stored_runs import summary
    >>> summary(np.array([1.0, 2.0, 3.0]))
    Summary(mean=2.0, sd=1.0, n=3)
    """
    return Summary(float(np.mean(values)), float(np.std(values, ddof=1)), len(values), selection(values))
