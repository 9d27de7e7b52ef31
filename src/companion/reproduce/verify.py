"""Whether the present code still gives the stored digits: a sample of the stored runs is computed again and compared.

How the sample is drawn says :mod:`companion.reproduce.again`. Times are not compared. When all rows agree,
``data/results/<paper>/verified.json`` says so, with the meaning of the code, and the tables count as results of this code;
see :func:`standing`.

Digits depend on the linear algebra of the machine (:mod:`companion.core.arithmetic`). With the kernels that made a row its digits
have to be equal; what agrees with others says :mod:`companion.reproduce.agreement`. Digit for digit, other machines can
compare with what an older commit, whose code was verified, gives there: :mod:`companion.reproduce.baseline`.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from companion.core import arithmetic
from companion.core.errors import ResultError, whole_number
from companion.core.files import results_folder, strict_json, write_atomic
from companion.reproduce.again import Part, Under, current_runs, sample, stored_rows
from companion.reproduce.agreement import Difference, Judged, Rows
from companion.reproduce.comparison import Compared, Comparison
from companion.reproduce.hashing import VERIFIED
from companion.reproduce.provenance import INPUTS, git_commit, machine
from companion.reproduce.record import Record
from companion.reproduce.runs import PaperRuns, by_cell, kernels_of

ROWS = 40
"""Runs in a sample, and the fewest whose agreement is recorded, where a paper has so many cells."""

SAME, CHANGED, NEVER = "same", "changed", "never verified"

_SHORT = 12
"""Digits kept of a definition's hash: enough to name what changed."""


@dataclass(frozen=True)
class Verification:
    """What a sample showed.

    Parameters
    ----------
    paper, seed : as asked for
    runs, cells, of : runs computed again, the cells they lie in, and all cells
    rows, equal, within, by_cell : of all tables, see :class:`~companion.reproduce.comparison.Compared`
    different : every number that is another in a row that is apart
    outdated : stored runs of an older version than their experiment declares; they are not compared
    absent : runs of the sample whose data are not here, by label
    not_compared : stored tables without a row that can be compared
    recorded : whether :data:`~companion.reproduce.hashing.VERIFIED` was written
    against : commit whose code gave the other rows; empty where these are the stored ones
    code, changed : whether the code is the one that was verified, and what of it is not
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
    recorded: bool
    against: str = ""
    within: int = 0
    by_cell: int = 0
    code: str = NEVER
    changed: tuple[str, ...] = ()
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
    """Several sets of one paper as one: counts add up, and it is recorded if each of them is."""
    first = found[0]
    counts = ("runs", "cells", "of", "rows", "equal", "within", "by_cell", "outdated", "more")
    sums: dict[str, Any] = {name: sum(getattr(one, name) for one in found) for name in counts}
    lists: dict[str, Any] = {
        name: tuple(item for one in found for item in getattr(one, name))
        for name in ("different", "absent", "not_compared", "tables", "judged")
    }
    names: dict[str, Any] = {
        name: tuple(sorted({item for one in found for item in getattr(one, name)})) for name in ("changed", "made_with")
    }
    worst = max((one.code for one in found), key=(SAME, CHANGED, NEVER).index)
    return replace(first, **sums, **lists, **names, code=worst, recorded=all(one.recorded for one in found))


@dataclass(frozen=True)
class Baseline:
    """What an older commit gives for the same sample, on this machine.

    Parameters
    ----------
    commit : its full name
    rows : by table and key
    verified : whether its code was verified, for the very tables that are stored now
    """

    commit: str
    rows: Mapping[str, Rows]
    verified: bool


def verify(
    runs: PaperRuns[Any],
    rows: int = ROWS,
    seed: int = 0,
    root: Path | None = None,
    jobs: int | None = None,
    against: Callable[[], Baseline] | None = None,
    under: Under | None = None,
) -> Verification:
    """Compute a sample of the stored runs again and compare the digits.

    Rows are made with the kernels that made the stored ones where the processor has them; otherwise with those in use, and
    then :mod:`companion.reproduce.agreement` says what agrees.

    Parameters
    ----------
    runs : of one paper
    rows : runs in the sample, at most one of a cell while there are cells enough
    seed : which part of the cells, and which run of each
    root : repository; found from the current folder by default
    jobs : workers, see :func:`companion.simulate.replicate.workers`
    against : what to compare with; by default the stored tables
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
    known = code(runs, root)
    baseline = None if against is None else against()
    current, outdated = current_runs(runs, record)
    kept = {name: stored_rows(folder / f"{name}.csv", key) for name, key in runs.keys.items()}
    comparison = Comparison(
        runs, kept if baseline is None else baseline.rows, baseline is not None, known == SAME, under, jobs
    )
    parts = _by_kernels(current, record, Part(*sample(current, rows, seed)))
    for kernels, part in parts.items():
        comparison.add(kernels, part)
    if baseline is not None:
        comparison.look_for_gone()
    comparison.judge()
    again, tables = comparison.samples, comparison.tables()
    failures = record.settings.get("failures", {})
    empty = [label for one in again for label in one.empty if label not in failures]
    outcome = Verification(
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
        recorded=False,
        against="" if baseline is None else baseline.commit,
        within=sum(one.within for one in tables),
        by_cell=sum(one.by_cell for one in tables),
        code=known,
        changed=changed(runs, root),
        kernels=arithmetic.in_use(),
        made_with=tuple(sorted(parts)),
        tables=tables,
        judged=tuple(comparison.judged),
        more=comparison.more,
    )
    enough = not outcome.absent and outcome.cells >= min(ROWS, outcome.of)
    if outcome.passed and enough and (baseline is None or baseline.verified):
        # That all digits were equal once says more of the same code and tables than that they agree.
        if outcome.equal == outcome.rows or standing(runs, root) != SAME or not _by_digits(runs, folder):
            _write(runs, outcome, folder)
        outcome = replace(outcome, recorded=True)
    return outcome


def _by_digits(runs: PaperRuns[Any], folder: Path) -> bool:
    """Whether all digits were equal when these runs were compared last."""
    found = noted(runs, folder)
    return found is not None and found["sample"]["equal"] == found["sample"]["rows"]


def _by_kernels(runs: PaperRuns[Any], record: Record, part: Part) -> dict[str, Part]:
    """The runs of a sample by the kernels that made what is stored of them."""
    made = kernels_of(runs, record)
    names = dict.fromkeys(made(task) for _, task in part.items)
    return {
        name: Part(
            [item for item in part.single if made(item[1]) == name],
            {table: items for table, items in part.whole.items() if made(items[0][1]) == name},
        )
        for name in names
    }


def standing(runs: PaperRuns[Any], root: Path | None = None) -> str:
    """Whether the stored tables are those that the present code was seen to give.

    Returns
    -------
    ``"same"``; ``"changed"`` where code or tables are others than when they were verified; or ``"never verified"``
    """
    folder = results_folder(runs.paper, root)
    stored = noted(runs, folder)
    if stored is None:
        return NEVER
    same = stored["meaning"] == runs.meaning.digest and stored["tables"] == checksums(runs, folder)
    return SAME if same else CHANGED


def code(runs: PaperRuns[Any], root: Path | None = None) -> str:
    """Whether the code, with its libraries, is the one that was verified, whatever tables are stored: as :func:`standing`."""
    stored = noted(runs, results_folder(runs.paper, root))
    if stored is None:
        return NEVER
    return SAME if stored["meaning"] == runs.meaning.digest else CHANGED


def changed(runs: PaperRuns[Any], root: Path | None = None) -> tuple[str, ...]:
    """Definitions and libraries that are not as they were when the tables were verified, by name."""
    stored = noted(runs, results_folder(runs.paper, root))
    if stored is None or stored["meaning"] == runs.meaning.digest:
        return ()
    now, before = runs.meaning, stored["definitions"]
    here = {name: value[:_SHORT] for name, value in now.definitions.items()}
    # A definition that only moved has the hash that it had.
    new = [name for name, value in here.items() if value not in before.values()]
    gone = [f"{name} (gone)" for name, value in before.items() if value not in here.values() and name not in here]
    libraries = [f"{name} {number}" for name, number in now.versions.items() if stored["versions"].get(name) != number]
    return (*new, *gone, *libraries)


OTHERS = "others"
"""Field of :data:`~companion.reproduce.hashing.VERIFIED` that has the sets of tables beside a paper's runs, by name."""


def noted(runs: PaperRuns[Any], folder: Path) -> dict[str, Any] | None:
    """What was noted when these runs were compared last; ``None`` if they never were.

    Raises
    ------
    ResultError
        if the file is damaged
    """
    try:
        content: dict[str, Any] = json.loads((folder / VERIFIED).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError:
        raise ResultError(
            f"{folder / VERIFIED} is damaged; make it again with: companion verify {runs.paper}"
        ) from None
    found = content.get(OTHERS, {}).get(runs.name) if runs.beside else content
    return found if found and "meaning" in found else None


def _kept_beside(runs: PaperRuns[Any], content: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The whole file with the note on these runs in its place."""
    path = folder / VERIFIED
    before: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    others = before.get(OTHERS, {})
    if runs.beside:
        return {**before, OTHERS: {**others, runs.name: content}}
    return {**content, OTHERS: others} if others else content


def _write(runs: PaperRuns[Any], outcome: Verification, folder: Path) -> None:
    commit, dirty = git_commit(inputs=INPUTS)
    content = {
        "paper": runs.paper,
        "meaning": runs.meaning.digest,
        "definitions": {name: value[:_SHORT] for name, value in runs.meaning.definitions.items()},
        "versions": dict(runs.meaning.versions),
        "sample": {
            name: getattr(outcome, name)
            for name in ("seed", "runs", "cells", "of", "rows", "equal", "within", "by_cell", "outdated")
        },
        "tables": checksums(runs, folder),
        "against": outcome.against,
        "kernels": sorted(set(arithmetic.kernels())),
        "made_with": list(outcome.made_with),
        "date": datetime.datetime.now(datetime.UTC).replace(microsecond=0).isoformat(),
        "commit": commit,
        "dirty": dirty,
        "machine": machine(),
    }
    whole = _kept_beside(runs, content, folder)
    write_atomic(folder / VERIFIED, (strict_json(whole, indent=1) + "\n").encode())


def checksums(runs: PaperRuns[Any], folder: Path) -> dict[str, str]:
    """SHA-256 of each stored table."""
    return {name: hashlib.sha256((folder / f"{name}.csv").read_bytes()).hexdigest() for name in runs.tables}
