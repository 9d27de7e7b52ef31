"""Stored runs as artefacts that :mod:`companion.current.settle` compares with what the code gives."""

from __future__ import annotations

import csv
import functools
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from companion import registry
from companion.core.errors import CompanionError
from companion.core.files import results_folder
from companion.current.fingerprint import Fingerprint, fingerprint
from companion.current.settle import Difference, Kind, Read
from companion.current.stamps import digest
from companion.current.verify import ROWS, rows_of_other_instruction_sets, verify
from companion.stored import blocks
from companion.stored.runs import PaperRuns


def _seconds_of_a_run(runs: PaperRuns[Any], root: Path) -> float:
    """Processor time of one run, as far as the record knows it."""
    record = runs.load(root).record
    if cost := record.settings.get("cost"):
        return float(cost["core_seconds"]) / max(1, int(cost["runs"]))
    return record.seconds * int(record.machine["cores"]) / max(1, len(runs.items))


def code_of(runs: PaperRuns[Any]) -> Fingerprint:
    """Fingerprint of the code behind the numbers of stored runs."""
    return _code_of(*(f"{runs.module}:{name}" for name in runs.roots))


@functools.cache
def _code_of(*roots: str) -> Fingerprint:
    return fingerprint(*roots, f"{blocks.__name__}:frames")


class RunSets(Kind):
    """Sets of stored tables, ``batched/appendix_e``, by a sample of their runs; see :mod:`companion.current.verify`."""

    name = "runs"
    #: Runs are made again where their experiment declares another version; other numbers of the same version stay a difference.
    stores_whole = False

    def __init__(self, root: Path, seconds: float = 4.0) -> None:
        """``seconds`` of processor time is about what the runs of a set may take: two of them are made in any case."""
        super().__init__(root)
        self.seconds = seconds
        self._sets: dict[str, PaperRuns[Any]] = {
            f"{runs.paper}/{runs.name}": runs
            for paper in registry.chapters()
            if registry.declares(paper, "stored_runs")
            for runs in registry.compared_sets(paper)
        }

    def names(self) -> Sequence[str]:
        """Every set that a paper declares."""
        return list(self._sets)

    def code(self, name: str) -> str:
        """Of the code behind the numbers."""
        return digest(code_of(self._sets[name]).digest)

    def files(self, name: str) -> Sequence[str]:
        """Its tables and their record."""
        runs = self._sets[name]
        folder = results_folder(runs.paper, Path()).as_posix()
        return [*(f"{folder}/{table}.csv" for table in runs.tables), f"{folder}/{runs.name}.record.json"]

    def result(self, name: str, read: Read) -> str:
        """Of the bytes of its files."""
        return digest(*(read(path) for path in self.files(name)))

    def content(self, name: str, read: Read) -> Any:
        """Tables by line and column, and the record."""
        found: dict[str, Any] = {}
        for path in self.files(name):
            lines, file = read(path).decode(), path.rpartition("/")[2]
            if path.endswith(".json"):
                found[file] = json.loads(lines)
            else:
                rows = csv.DictReader(io.StringIO(lines, newline=""))
                found[file] = {f"line {number}": row for number, row in enumerate(rows, 2)}
        return found

    def compare(self, names: Sequence[str], jobs: int | None) -> Iterator[tuple[str, list[Difference]]]:
        """Compute a sample of the runs again, drawn by the code's fingerprint."""
        for name in names:
            runs, seed = self._sets[name], int(self.code(name)[:6], 16)
            try:
                rows = max(2, min(ROWS, int(self.seconds / max(1e-3, _seconds_of_a_run(runs, self.root)))))
                found = verify(runs, rows, seed, self.root, jobs, partial(rows_of_other_instruction_sets, runs, jobs))
            except CompanionError as error:
                yield name, [Difference(f"runs/{name}", "-", "a result", str(error))]
                continue
            yield (
                name,
                [
                    Difference(f"runs/{name}", f"{one.table}.csv, {one.row}, {one.column}", one.stored, one.now)
                    for one in found.different
                ],
            )

    def store(self, names: Sequence[str], jobs: int | None) -> Iterable[str]:
        """Make outdated and missing runs again."""
        from companion.stored.recompute import renew

        for name in names:
            done = renew(self._sets[name], self.root, jobs)
            yield f"{name}: {done.cells} cells made anew, {done.extended} with more seeds, {done.runs} runs"
