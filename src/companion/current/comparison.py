"""Rows made again beside the stored ones: which are equal, within rounding, agree by their cell, or are apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from companion.core import instruction_set
from companion.current.agreement import (
    LEVEL,
    MORE,
    RELATIVE,
    TIMES,
    TRIED,
    Columns,
    Difference,
    Judged,
    Rows,
    group_of,
    judge,
    row_apart,
)
from companion.current.recomputation import Part, Sample, Under, computed_again
from companion.stored.blocks import Item
from companion.stored.runs import PaperRuns, cell_of
from companion.stored.runs import by_cell as grouped

#: A row: its table and its name.
Place = tuple[str, str]

#: Rows by the key of the task they come from, and by table.
ByRun = Mapping[str, Mapping[str, Rows]]

EQUAL, WITHIN, BY_CELL, APART = "equal", "within", "by_cell", "apart"


@dataclass(frozen=True)
class Compared:
    """Outcomes of a table's rows.

    Parameters
    ----------
    table : name
    rows, equal : compared, and those of them with the same digits
    within : further rows within :data:`~companion.current.agreement.RELATIVE` of the stored ones, made with other kernels
    by_cell : further rows whose cell agrees, see :class:`~companion.current.agreement.Judged`
    apart : the others
    largest : relative difference among all of them; 1 between a row and none
    """

    table: str
    rows: int
    equal: int
    within: int
    by_cell: int
    apart: int
    largest: float


class Comparison:
    """A paper's stored rows, and what was made again of them.

    Parameters
    ----------
    runs : of the paper
    kept : rows to compare with
    under, jobs : as of :func:`companion.current.verify.verify`
    """

    def __init__(
        self,
        runs: PaperRuns[Any],
        kept: Mapping[str, Rows],
        under: Under | None = None,
        jobs: int | None = None,
    ) -> None:
        self.runs, self.kept, self.under, self.jobs = runs, kept, under, jobs
        self.columns = {table: Columns(rows) for table, rows in kept.items()}
        self.samples: list[Sample] = []
        self.judged: list[Judged] = []
        self.more = 0
        self._apart: dict[Place, dict[str, float]] = {}
        self._different: dict[Place, list[Difference]] = {}
        self._others: set[Place] = set()
        self._agreeing: set[Place] = set()
        self._cells: dict[str, list[Item]] = {}
        self._summarised: dict[str, str] = {}

    def add(self, kernels: str, part: Part) -> None:
        """Compute runs, with the kernels that made what is stored where they are here, and compare."""
        here = instruction_set.in_use()
        if self.under is not None and kernels != here and instruction_set.able(kernels):
            found, others = self.under(kernels, part), False
        else:
            found, others = computed_again(self.runs, part, self.jobs), kernels != here
        self.take(found, part, others)

    def take(self, found: Sample, part: Part, others: bool) -> None:
        """Compare rows of runs that are computed; ``others`` if with other kernels than those of what is stored."""
        self.samples.append(found)
        for cell, items in grouped(part.items).items():
            self._cells.setdefault(cell, []).extend(items)
        self._summarised |= {table: cell_of(items[0][1]) for table, items in part.whole.items()}
        for table, fresh in found.rows.items():
            for name, row in fresh.items():
                self._compare((table, name), row, others)

    def _compare(self, place: Place, row: Mapping[str, str], others: bool) -> None:
        table, name = place
        stored = self.kept[table].get(name)
        if stored is None:
            self._apart[place] = {"-": 1.0}
            self._different[place] = [Difference(table, name, "-", "no such row", "a row")]
            return
        self._apart[place] = row_apart(self.columns[table], stored, row)
        self._different[place] = [Difference(table, name, c, stored.get(c, ""), row[c]) for c in self._apart[place]]
        if others:
            self._others.add(place)

    def miss(self, places: Iterable[Place]) -> None:
        """Count stored rows that were not made."""
        for place in places:
            self._apart[place] = {"-": 1.0}
            self._different[place] = [Difference(*place, "-", "a row", "no such row")]

    def tables(self) -> tuple[Compared, ...]:
        """Outcomes of each table's rows."""
        found = []
        for table in self.runs.keys:
            places = [place for place in self._apart if place[0] == table]
            count = Counter(self._outcome(place) for place in places)
            largest = max((value for place in places for value in self._apart[place].values()), default=0.0)
            if places:
                equal, within, by_cell, apart = (count[kind] for kind in (EQUAL, WITHIN, BY_CELL, APART))
                found.append(Compared(table, len(places), equal, within, by_cell, apart, float(largest)))
        return tuple(found)

    def differences(self) -> list[Difference]:
        """Every number that is another, of the rows that are apart."""
        rows = (texts for place, texts in self._different.items() if self._outcome(place) == APART)
        return [difference for texts in rows for difference in texts]

    def _outcome(self, place: Place) -> str:
        if not self._different[place]:
            return EQUAL
        if place in self._others and max(self._apart[place].values()) <= RELATIVE:
            return WITHIN
        return BY_CELL if place in self._agreeing else APART

    # -- by the cell ---------------------------------------------------------------------------------------------------

    def judge(self) -> None:
        """Judge the cells of the rows that other kernels may have sent another way."""
        cell = self._cell_of_rows()
        apart = {cell[place] for place in self._others if self._outcome(place) == APART}
        cells = {name: items for name, items in self._cells.items() if name in apart}
        if not cells:
            return
        here: ByRun = {key: rows for one in self.samples for key, rows in one.by_run.items()}
        worst = {
            name: max(max(self._apart[place].values(), default=0.0) for place in self._others if cell[place] == name)
            for name in cells
        }
        moved = self._moved(cells, here)
        tested = {name: self._tested(items, here) for name, items in cells.items()}
        level = LEVEL / max(1, sum(len(columns) for columns in tested.values()))
        found = {name: [self._judged(one, cells[name], here, level) for one in tested[name]] for name in cells}
        # The runs that gave the alarm do not sit in judgement: further seeds of their cells do, alone.
        alarmed = {name for name in cells if not all(one.inside for one in found[name])}
        still = {name for name in cells if worst[name] > TIMES * moved[name]}
        tried = [name for name in cells if name in alarmed | still][:TRIED]
        further = {name: self._further(name) if name in tried else [] for name in alarmed | still}
        fresh = computed_again(self.runs, Part([item for items in further.values() for item in items]), self.jobs)
        self.more = fresh.runs
        again = self._moved({name: further[name] for name in still if further[name]}, fresh.by_run)
        moved |= {name: max(value, moved[name]) for name, value in again.items()}
        for name in (name for name in alarmed if further[name]):
            found[name] = [
                one
                if one.inside
                else self._judged((one.table, one.cell, one.column), further[name], fresh.by_run, level)
                for one in found[name]
            ]
        for name, outcomes in found.items():
            known = worst[name] <= TIMES * moved[name]
            self.judged += [replace(one, moves=known, agrees=known and one.inside) for one in outcomes]
            if outcomes and known and all(one.inside for one in outcomes):
                self._agreeing |= {place for place, own in cell.items() if own == name}

    def _cell_of_rows(self) -> dict[Place, str]:
        """The cell that a row comes from: by its run, or, where it summarises one, the one computed for it."""
        of_key = {task.key(): cell for cell, items in self._cells.items() for _, task in items}
        found = {
            (table, name): of_key[key]
            for one in self.samples
            for key, tables in one.by_run.items()
            for table, rows in tables.items()
            for name in rows
        }
        return {place: found.get(place) or self._summarised.get(place[0], "") for place in self._others}

    def _moved(self, cells: Mapping[str, Sequence[Item]], here: ByRun) -> dict[str, float]:
        """The largest relative difference that a second set of kernels makes in some runs of each cell.

        Where there is no second set that is unknown, and may be any; the cell's mean then decides alone.
        """
        second = instruction_set.second()
        if self.under is None or not second:
            return dict.fromkeys(cells, np.inf)
        asked = {name: self._farthest(items, here) for name, items in cells.items()}
        there = self.under(second, Part([item for items in asked.values() for item in items])).by_run if asked else {}
        found = {}
        for name, items in asked.items():
            rows = [
                (table, here[key][table][row], there[key][table][row])
                for key in {task.key() for _, task in items} & set(there) & set(here)
                for table in here[key].keys() & there[key].keys()
                for row in here[key][table].keys() & there[key][table].keys()
            ]
            values = (max(row_apart(self.columns[table], *both).values(), default=0.0) for table, *both in rows)
            found[name] = max(values, default=0.0)
        return found

    def _farthest(self, items: Sequence[Item], here: ByRun) -> list[Item]:
        """A few runs of a cell, first those that are farthest from what is stored."""

        def distance(item: Item) -> float:
            rows = [(table, name) for table, rows in here.get(item[1].key(), {}).items() for name in rows]
            return max((value for place in rows for value in self._apart.get(place, {}).values()), default=0.0)

        return sorted(items, key=distance, reverse=True)[: MORE + 1]

    def _texts(self, items: Sequence[Item], here: ByRun) -> dict[Place, dict[str, dict[str, str]]]:
        """The rows of these runs, by table and the cell's name there."""
        found: dict[Place, dict[str, dict[str, str]]] = {}
        for key in {task.key(): None for _, task in items}:
            for table, rows in here.get(key, {}).items():
                for name, row in rows.items():
                    found.setdefault((table, group_of(row, self.runs.keys[table])), {})[name] = row
        return found

    def _tested(self, items: Sequence[Item], here: ByRun) -> list[tuple[str, str, str]]:
        """The columns that are apart in some of these runs: table, the cell's name there, and column."""
        found: dict[tuple[str, str, str], None] = {}
        for (table, group), rows in self._texts(items, here).items():
            for name, row in rows.items():
                apart = row_apart(self.columns[table], self.kept[table].get(name, {}), row)
                found |= {(table, group, column): None for column, value in apart.items() if value > RELATIVE}
        return list(found)

    def _judged(self, which: tuple[str, str, str], items: Sequence[Item], here: ByRun, level: float) -> Judged:
        table, group, column = which
        now = self._texts(items, here).get((table, group), {}).values()
        rows, key = self.kept[table].values(), self.runs.keys[table]
        stored = [row for row in rows if group_of(row, key) == group]
        return judge(which, [row[column] for row in stored], [row[column] for row in now], level)

    def _further(self, cell: str) -> list[Item]:
        """Further seeds of a cell, those that were not computed yet."""
        done = {task.key() for _, task in self._cells[cell]}
        more: dict[str, list[Item]] = {}
        for item in self.runs.items:
            if self.runs.single(*item) and item[1].key() not in done and cell_of(item[1]) == cell:
                more.setdefault(item[1].key(), []).append(item)
        return [item for items in list(more.values())[:MORE] for item in items]
