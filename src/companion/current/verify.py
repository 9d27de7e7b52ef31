"""Recheck of stored digits: a sample of the stored runs is computed again and compared.

How the sample is drawn says :mod:`companion.current.recomputation`. Times are not compared. Digits depend on the linear
algebra of the machine (:mod:`companion.core.instruction_set`): with the kernels that made a row they have to be equal; what
agrees with others says :mod:`companion.current.agreement`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from companion.core import instruction_set
from companion.core.errors import ResultError, whole_number
from companion.core.files import results_folder
from companion.current.agreement import Difference, Judged
from companion.current.comparison import Compared, Comparison
from companion.current.recomputation import Part, Sample, Under, current_runs, sample, stored_rows
from companion.stored.record import Record
from companion.stored.runs import PaperRuns, by_cell, instruction_set_of

#: Runs in a sample.
ROWS = 40


@dataclass(frozen=True)
class Verification:
    """Outcome of a sample.

    Parameters
    ----------
    paper, seed : as asked for
    runs, cells, of : runs computed again, the cells they lie in, and all cells
    rows, equal, within, by_cell : of all tables, see :class:`~companion.current.comparison.Compared`
    different : every number that is another in a row that is apart
    outdated : stored runs of an older version than their experiment declares; they are not compared
    absent : runs of the sample whose data are not here, by label
    not_compared : stored tables without a row that can be compared
    kernels, made_with : those in use, and those of the stored rows of the sample
    tables, judged : table by table, and what was judged by its cell
    more : further runs computed for that
    """

    paper: str
    seed: int
    runs: int
    cells: int
    of: int
    rows: int
    equal: int
    different: tuple[Difference, ...]
    outdated: int
    absent: tuple[str, ...]
    not_compared: tuple[str, ...]
    within: int = 0
    by_cell: int = 0
    kernels: str = ""
    made_with: tuple[str, ...] = ()
    tables: tuple[Compared, ...] = ()
    judged: tuple[Judged, ...] = ()
    more: int = 0

    @property
    def passed(self) -> bool:
        """Whether something was compared and everything agrees."""
        return self.rows > 0 and not self.different


def together(found: Sequence[Verification]) -> Verification:
    """Several sets of one paper as one: counts add up."""
    counts = ("runs", "cells", "of", "rows", "equal", "within", "by_cell", "outdated", "more")
    sums: dict[str, Any] = {name: sum(getattr(one, name) for one in found) for name in counts}
    lists: dict[str, Any] = {
        name: tuple(item for one in found for item in getattr(one, name))
        for name in ("different", "absent", "not_compared", "tables", "judged")
    }
    made_with = tuple(sorted({item for one in found for item in one.made_with}))
    return replace(found[0], **sums, **lists, made_with=made_with)


def verify(
    runs: PaperRuns[Any],
    rows: int = ROWS,
    seed: int = 0,
    root: Path | None = None,
    jobs: int | None = None,
    under: Under | None = None,
) -> Verification:
    """Compute a sample of the stored runs again and compare the digits.

    Rows are made with the kernels that made the stored ones where the processor has them; otherwise with those in use, and
    then :mod:`companion.current.agreement` says what agrees.

    Parameters
    ----------
    runs : of one paper
    rows : runs in the sample, at most one of a cell while there are cells enough
    seed : which part of the cells, and which run of each
    root : repository; found from the current folder by default
    jobs : workers, see :func:`companion.simulate.replicate.workers`
    under : without it, nothing is computed with other kernels than those in use

    Raises
    ------
    ParameterError
        if ``rows`` or ``seed`` is no such number
    ResultError
        if the stored tables are missing or damaged
    """
    whole_number("rows", rows, 1)
    whole_number("seed", seed, 0, 2**31 - 1)
    record = runs.load(root).record
    folder = results_folder(runs.paper, root)
    current, outdated = current_runs(runs, record)
    comparison = Comparison(
        runs, {name: stored_rows(folder / f"{name}.csv", key) for name, key in runs.keys.items()}, under, jobs
    )
    parts = _by_kernels(current, record, Part(*sample(current, rows, seed)))
    for kernels, part in parts.items():
        comparison.add(kernels, part)
    comparison.judge()
    again, tables = comparison.samples, comparison.tables()
    failures = record.settings.get("failures", {})
    empty = [label for one in again for label in one.empty if label not in failures]
    return Verification(
        paper=runs.paper,
        seed=seed,
        runs=sum(one.runs for one in again),
        cells=sum(one.cells for one in again),
        of=len(by_cell(current.items)),
        rows=sum(one.rows for one in tables),
        equal=sum(one.equal for one in tables),
        different=(*(Difference("-", label, "-", "rows", "none") for label in empty), *comparison.differences()),
        outdated=outdated,
        absent=tuple(label for one in again for label in one.absent),
        not_compared=tuple(name for name in runs.tables if name not in runs.keys),
        within=sum(one.within for one in tables),
        by_cell=sum(one.by_cell for one in tables),
        kernels=instruction_set.in_use(),
        made_with=tuple(sorted(parts)),
        tables=tables,
        judged=tuple(comparison.judged),
        more=comparison.more,
    )


def _by_kernels(runs: PaperRuns[Any], record: Record, part: Part) -> dict[str, Part]:
    """The runs of a sample by the kernels that made what is stored of them."""
    made = instruction_set_of(runs, record)
    names = dict.fromkeys(made(task) for _, task in part.items)
    return {
        name: Part(
            [item for item in part.single if made(item[1]) == name],
            {table: items for table, items in part.whole.items() if made(items[0][1]) == name},
        )
        for name in names
    }


def rows_of_other_instruction_sets(runs: PaperRuns[Any], jobs: int | None, kernels: str, part: Part) -> Sample:
    """Compute runs with another set of kernels, which is chosen before NumPy is loaded and so needs a process of its own.

    Parameters
    ----------
    runs : of a paper, one of :func:`companion.registry.compared_sets`
    jobs : as in :func:`verify`
    kernels : by their name in :mod:`companion.core.instruction_set`
    part : what to compute

    Raises
    ------
    ResultError
        if the process fails; what it said stands above
    """
    with tempfile.NamedTemporaryFile("w", prefix="companion-runs-", suffix=".json", encoding="utf-8") as file:
        json.dump(part.places(runs), file)
        file.flush()
        words = ["verify", runs.paper, f"--set={runs.name}", f"--only={file.name}"]
        words += [] if jobs is None else [f"--jobs={jobs}"]
        environment = os.environ | {instruction_set.CHOICE: kernels}
        command = [sys.executable, "-m", "companion", *words]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise ResultError(f"runs of {runs.paper} could not be made with the kernels {kernels}, see above")
    found = json.loads(done.stdout)
    return Sample(**{name: found[name] for name in (entry.name for entry in fields(Sample))})
