"""Every stored run of every chapter made again from nothing: in which order, at what cost, and equal to what is stored or not.

A stage is a set of stored tables. Its runs wait in ``tasks/`` as those of a sweep do, so that a night may be interrupted and
many machines may share it. Rows are made with the kernels that made the stored ones (:mod:`companion.core.instruction_set`)
where the processor has them, and then have to be equal; others are judged as :mod:`companion.current.comparison` does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from companion import registry
from companion.core import instruction_set
from companion.core.errors import DataError, ResultError, known_as
from companion.core.files import results_folder, write_atomic
from companion.current.comparison import Comparison
from companion.current.recomputation import Part, Sample, made_rows, sample_of, stored_rows
from companion.current.verify import rows_of_other_instruction_sets
from companion.simulate.replicate import Workers, parallel_map
from companion.simulate.sweep import FAILURES, TASKS, Shard, is_done
from companion.simulate.task_store import Task, assemble, cost, kernels_used, metered, read_failure, total
from companion.stored.blocks import Item, Result
from companion.stored.provenance import machine
from companion.stored.record import Record
from companion.stored.runs import PaperRuns, instruction_set_of

#: What the runs of each set have cost when they were last made again, all or a part of them; below the repository.
COSTS = "data/current/costs.json"


@dataclass(frozen=True)
class Cost:
    """Processor seconds of all runs of a stage, and of the longest; ``measured`` if each was counted.

    Otherwise they follow from a part of the runs, or from clock and cores. ``megabytes``: the most a worker held, 0 if unknown.
    """

    seconds: float
    longest: float = 0.0
    measured: bool = True
    megabytes: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """Rows of a stage beside the stored ones, counted as in :class:`~companion.current.comparison.Compared`; which are apart."""

    rows: int
    equal: int
    within: int
    by_cell: int
    apart: tuple[str, ...]


@dataclass(frozen=True)
class Stage:
    """A set of stored tables, and its record where it is stored."""

    runs: PaperRuns[Any]
    record: Record | None
    root: Path

    @property
    def name(self) -> str:
        """Paper and set: ``batched/appendix_e``."""
        return f"{self.runs.paper}/{self.runs.name}"

    @property
    def tasks(self) -> Path:
        """Folder of finished runs."""
        return results_folder(self.runs.paper, self.root) / TASKS

    @property
    def cost(self) -> Cost:
        """Of all runs, as recorded."""
        settings = {} if self.record is None else self.record.settings
        if found := _costs(self.root).get(self.name) or settings.get("cost"):
            share, most = self.count / max(1, found["runs"]), found.get("megabytes", 0.0)
            return Cost(found["core_seconds"] * share, found.get("longest", 0.0), share <= 1.0, most)
        if self.record is None:
            return Cost(0.0, measured=False)
        return Cost(self.record.seconds * int(self.record.machine["cores"]), measured=False)

    @cached_property
    def _distinct(self) -> tuple[Task, ...]:
        return tuple({task.key(): task for _, task in self.runs.items}.values())

    @property
    def count(self) -> int:
        """Runs; one that several tables use counts once."""
        return len(self._distinct)

    @property
    def missing(self) -> int:
        """Runs that are not finished; all of a set that every call makes whole."""
        return self.count if self.runs.stored.whole else sum(not is_done(task, self.tasks) for task in self._distinct)

    @cached_property
    def made_with(self) -> Callable[[Task], str]:
        """Kernels that made the stored rows of a run; those in use where nothing is stored."""
        here = instruction_set.in_use()
        return (lambda task: here) if self.record is None else instruction_set_of(self.runs, self.record)

    def by_kernels(self) -> dict[str, PaperRuns[Any]]:
        """The runs by the kernels to make them with: those of the stored rows, or those in use where there are no others."""
        here, found = instruction_set.in_use(), dict[str, list[Item]]()
        for item in self.runs.items:
            wanted = self.made_with(item[1])
            found.setdefault(wanted if instruction_set.able(wanted) else here, []).append(item)
        return {kernels: replace(self.runs, only=tuple(items)) for kernels, items in found.items()}

    def compare(self, how: Workers, part: Shard | None = None) -> Outcome:
        """All rows that have a key, beside the stored ones; of a part, or where data are lacking, those of single runs."""
        items: Sequence[Item] = self.runs.items
        if some := part is not None or self.lacks_data:
            items = [(block, task) for block, task in items if self.runs.single(block, task) and self._has(task, part)]
        tasks = [task for _, task in items]
        results: Sequence[Result]
        if self.runs.stored.whole:
            names, work = [task.label for task in tasks], partial(metered, self.runs.compute)
            made_now = parallel_map(work, tasks, names, how, self.name)
            results = [result for result, _ in made_now]
            self._keep(total([spent for _, spent in made_now]))
        else:
            results = assemble(tasks, self.tasks)
        # Rows of other kernels than those of the stored ones are judged as in verify; what sums up such runs follows from them.
        # Where the stored ones are of an older version, no kernels explain a difference.
        here, whole = instruction_set.in_use(), self.runs.stored.whole
        used = [here if whole else kernels_used(task, self.tasks) for task in tasks]
        old = {id(item) for item in (self.runs.outdated(self.record) if self.record else ())}
        known = [(item, now) for item, now in zip(items, used, strict=True) if id(item) not in old]
        others = [item for item, now in known if now != self.made_with(item[1])]
        single = Part([item for item in others if self.runs.single(*item)])
        own = [name for name in self.runs.keys if name not in self.runs.summaries or not (some or single.items)]
        folder = results_folder(self.runs.paper, self.root)
        kept = {table: stored_rows(folder / f"{table}.csv", key) for table, key in self.runs.keys.items()}
        comparison = Comparison(self.runs, kept, partial(rows_of_other_instruction_sets, self.runs, how.jobs), how.jobs)
        by_key = {task.key(): result for task, result in zip(tasks, results, strict=True)}
        elsewhere = sample_of(self.runs, single, by_key)
        comparison.take(elsewhere, single, others=True)
        frames = self.runs.frames(items, results)
        made = {table: made_rows(frames[table], self.runs.keys[table]) for table in own}
        rest = {name: {at: row for at, row in made[name].items() if at not in elsewhere.rows[name]} for name in own}
        comparison.take(Sample(rest, {}, (), (), 0, 0), Part(), others=bool(others) and not single.items)
        if not some:
            comparison.miss((table, row) for table in own for row in kept[table] if row not in made[table])
        comparison.judge()
        apart: dict[str, list[str]] = {}
        for one in comparison.differences():
            apart.setdefault(f"{one.table}.csv, {one.row}: ", []).append(one.column)
        rows, equal, within, by_cell = (
            sum(getattr(one, kind) for one in comparison.tables()) for kind in ("rows", "equal", "within", "by_cell")
        )
        return Outcome(rows, equal, within, by_cell, tuple(row + ", ".join(columns) for row, columns in apart.items()))

    def _has(self, task: Task, part: Shard | None) -> bool:
        return (part is None or part.holds(task)) and not self.lacking(task)

    def lacking(self, task: Task) -> bool:
        """Whether a run found no data here."""
        note = read_failure(task, self.tasks / FAILURES)
        return note is not None and note["error"].startswith(DataError.__name__)

    @property
    def lacks_data(self) -> bool:
        """Whether something is left out, since its data are not here."""
        return bool(self.runs.left_out) or any(self.lacking(task) for _, task in self.runs.items)

    def store(self, jobs: int | None) -> None:
        """Write the tables; all kept runs have to be of the kernels in use, since a record knows of one set only."""
        others = {kernels_used(task, self.tasks) for _, task in self.runs.items if not self.runs.stored.whole}
        if foreign := sorted(others - {"", instruction_set.in_use()}):
            raise ResultError(
                f"finished runs of {self.name} are of the kernels {', '.join(foreign)}, and cannot be stored with those of "
                f"{instruction_set.in_use()}: remove {self.tasks}, and call again with --accept"
            )
        if self.runs.stored.whole and (tables := registry.get(self.runs.paper).store_tables) is not None:
            tables.value(self.root, [self.runs.name])
        else:
            self.runs.store(self.root, jobs)

    def note_cost(self, part: Shard | None) -> None:
        """Keep what the runs of a call have cost, unless more of them are known: of those the most memory may still be less."""
        self._keep(cost((task for task in self._distinct if self._has(task, part)), self.tasks))

    def _keep(self, counted: dict[str, Any]) -> None:
        known = _costs(self.root)
        found = known.get(self.name, {})
        most = max(each.get("megabytes", 0.0) for each in (counted, found))
        if counted["runs"] >= found.get("runs", 1):
            found = counted | {"date": f"{datetime.now(UTC):%Y-%m-%d}", "cpu": machine()["cpu"]}
        if found:
            known[self.name] = found | {"megabytes": most}
        write_atomic(self.root / COSTS, (json.dumps(known, indent=1, sort_keys=True) + "\n").encode())


def _costs(root: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((root / COSTS).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return found


def stages(root: Path, names: Sequence[str] = ()) -> Iterator[Stage]:
    """Every set in the order in which one may rest on another, or those that are named by paper or in full.

    Declared one after the other, since runs of a set may be read from the tables of one before.

    Raises
    ------
    ParameterError
        for a name that nothing has
    """
    sets = {
        f"{runs.paper}/{runs.name}": runs for paper in registry.chapters() for runs in registry.compared_sets(paper)
    }
    known = {*sets, *(name.partition("/")[0] for name in sets)}
    for name in names:
        known_as("NAME", name, sorted(known))
    for name, runs in sets.items():
        if not names or {name, runs.paper} & {*names}:
            yield Stage(_with_data(runs), _record(runs, root), root)


def _with_data(runs: PaperRuns[Any]) -> PaperRuns[Any]:
    """Without what needs data or a library that is not here."""
    for need in runs.needs(runs.plan):
        try:
            need.check(runs.module)
        except DataError:
            runs = runs.of(without=need.names)
    return runs


def _record(runs: PaperRuns[Any], root: Path) -> Record | None:
    try:
        return runs.load(root).record
    except ResultError:
        return None


def hours_left(found: Sequence[tuple[Cost, float]], jobs: int) -> float:
    """Hours on that many workers, of stages with costs and missing shares; each stage waits for its longest run."""
    return sum(max(cost.seconds * share / jobs, cost.longest * (share > 0)) for cost, share in found) / 3600.0
