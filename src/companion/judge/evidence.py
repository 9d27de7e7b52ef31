"""The evidence on a paper: ledger of statements, verdicts on reported numbers, discrepancies; computed and stored.

Each is a list of JSON objects. :func:`store` writes them to ``data/results/<paper>/{ledger,verdicts,discrepancies}.json``
with their record; the book's pages show these files. Which entries are due says :mod:`companion.current.evidence`.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion import registry
from companion.checks.statement import Statement
from companion.core.errors import ResultError
from companion.core.files import results_folder
from companion.core.randomness import note_seeds, seeds_opened
from companion.judge.consequence import FILE as ERRORS_FILE
from companion.judge.consequence import attached
from companion.judge.consequence import load as load_consequences
from companion.judge.multiple_testing import corrected
from companion.judge.ownership import of_location
from companion.simulate.loop import plain
from companion.simulate.replicate import parallel_map, workers
from companion.stored.record import Record
from companion.stored.results import StoredEntries, load_entries, store_entries

if TYPE_CHECKING:
    from companion.checks.suspected_error import SuspectedError
    from companion.judge.claims import Verdicts
    from companion.registry.paper import Part

Entries = list[dict[str, Any]]

#: What is stored, and the part of a paper that declares it.
PARTS: Mapping[str, Part] = {"ledger": "statements", "verdicts": "verdicts", "discrepancies": "leads"}


def ledger(
    paper: str | None = None, only: Collection[str] | None = None, teeth: bool = False, jobs: int | None = None
) -> Entries:
    """Check the statements of one paper or of all, in the paper's order.

    Parameters
    ----------
    paper : slug, or ``None`` for every paper that declares statements
    only : ids of the statements wanted; all by default
    teeth : also run the perturbed versions; otherwise ``caught`` is ``None``
    jobs : workers, see :func:`companion.simulate.replicate.workers`

    Returns
    -------
    one object per statement: paper, id, location, whose, kind, status, lhs, rhs, slack, trials, failures, delta, seconds,
    reason, teeth (name, caught, where), and what its page shows besides

    Raises
    ------
    ParameterError
        for an unknown paper or id
    """
    wanted = [
        (slug, one.id) for slug in registry.declaring("statements", paper) for one in registry.statements(slug, only)
    ]
    return _spread(partial(_ledger_entry, teeth=teeth), wanted, jobs, "statements")


def discrepancies(
    paper: str | None = None, only: Collection[str] | None = None, teeth: bool = False, jobs: int | None = None
) -> Entries:
    """Investigate the suspected errors of one paper or of all; see :meth:`.SuspectedError.investigate`.

    Besides, ``error`` says what a confirmed one amounts to; see :func:`companion.judge.consequence.attached`.

    Parameters
    ----------
    paper, only, teeth, jobs : as for :func:`ledger`
    """
    wanted = [(slug, lead.id) for slug in registry.declaring("leads", paper) for lead in registry.leads(slug, only)]
    found = _spread(partial(_investigated, teeth=teeth), wanted, jobs, "leads")
    return [judged for slug in registry.declaring("leads", paper) for judged in _with_errors(slug, found)]


def _with_errors(paper: str, entries: Entries) -> Entries:
    return attached((entry for entry in entries if entry["paper"] == paper), load_consequences(paper))


def faults(entries: Entries) -> list[str]:
    """Faults for the author to mend: a wrong version that passes proves nothing, a confirmed error needs a judgement,
    and a lead of which something fails as printed is confirmed.

    Parameters
    ----------
    entries : of :func:`ledger` or :func:`discrepancies`; teeth that were not run are no fault
    """
    found = []
    for entry in entries:
        name = f"{entry['paper']} {entry.get('id')}"
        blunt = [tooth["name"] for tooth in entry.get("teeth", ()) if tooth["caught"] is False]
        found += [f"{name}: the tooth {tooth!r} does not bite" for tooth in blunt]
        if entry.get("confirmed") and entry["error"] is None:
            found.append(f"{name}: confirmed, and has no row in data/reported/{entry['paper']}/{ERRORS_FILE}")
        words = f"{entry.get('outcome')} {entry.get('found')}"
        if entry.get("confirmed") is False and (failing := _FAILING.search(words)):
            found.append(f"{name}: not confirmed, and says {failing[0]!r}: what fails as printed is confirmed")
    return found


# A step that fails is an error of what is printed, whether or not its conclusion can be saved.
_FAILING = re.compile(r"\b(fails?|false|wrong)\b(\s+there)?\s+as (written|printed)", re.IGNORECASE)


def verdicts(paper: str | None = None, root: Path | None = None) -> Entries:
    """Reported beside reproduced numbers with their verdicts, and the tested claims, of one paper or of all.

    Cells that were tested have ``several``: whether they differ once all cells of their paper are counted; see
    :func:`companion.judge.multiple_testing.corrected`.

    Parameters
    ----------
    paper : as for :func:`ledger`
    root : repository; found from the current folder by default
    """
    found: Entries = []
    _begin("verdicts")
    for slug in registry.declaring("verdicts", paper):
        found += _judged(registry.part(slug, "verdicts").value, root)
    return found


def _judged(declared: Verdicts[Any], root: Path | None) -> Entries:
    return corrected(plain(declared.entries(root)))


@dataclass(frozen=True)
class Stored:
    """A file of evidence that was brought up to date.

    Parameters
    ----------
    path : of the file
    entries, computed : how many it has, and how many were computed now
    turned : entries that came out otherwise than before, ``lemma-2: holds, now fails``
    faults : what has to be mended, of all entries, computed now or not; see :func:`faults`
    """

    path: Path
    entries: int
    computed: int
    turned: tuple[str, ...]
    faults: tuple[str, ...]


def store(paper: str, name: str, due: Collection[str], root: Path | None = None, jobs: int | None = None) -> Stored:
    """Compute entries, bring over the words of the others, and write the file whole or not at all.

    Parameters
    ----------
    paper : slug
    name : one of :data:`PARTS`
    due : ids of the entries to compute, besides those that are not stored; verdicts are judged together, under ``""``
    root : repository; found from the current folder by default
    jobs : workers

    Returns
    -------
    what was written. The record has the seeds of all streams that the checks opened.
    """
    folder, began = results_folder(paper, root), time.monotonic()
    kept = stored_entries(paper, name, root)
    stored: Entries = [] if kept is None else kept.entries
    known = {key_of(name, entry): entry for entry in stored}
    wanted = [""] if name == "verdicts" else [entry.id for entry in declared(paper, name)]
    due = [key for key in wanted if key in due or key not in known]
    with seeds_opened() as opened:
        if name == "verdicts":
            entries = verdicts(paper, root) if due else stored
        else:
            made = {entry["id"]: entry for entry in compute(paper, name, due, jobs)} if due else {}
            entries = [made.get(key) or known[key] | words(paper, name, known[key]) for key in wanted]
        if name == "discrepancies":
            entries = _with_errors(paper, entries)
    if kept is not None and not due:
        record = kept.record  # words do not change what was computed, and when
    else:
        command = f"companion {name} {paper}" + (" --teeth" if name != "verdicts" else "") + " --json"
        seeds = sorted(opened | set(kept.record.seeds if kept is not None and len(due) < len(wanted) else ()))
        record = Record.now(command, profile="paper", seeds=seeds, seconds=time.monotonic() - began)
    path = folder / f"{name}.json"
    if kept is None or entries != kept.entries or record != kept.record:
        store_entries(folder, name, entries, record)
    old, new = ({_name(entry): _came_out(entry) for entry in listed} for listed in (stored, entries))
    turned = tuple(f"{key}: {old[key]}, now {came}" for key, came in new.items() if old.get(key, came) != came)
    return Stored(path, len(entries), len(entries) if "" in due else len(due), turned, tuple(faults(entries)))


def _name(entry: dict[str, Any]) -> str:
    return str(entry["id"] if "id" in entry else ", ".join((entry["source"], entry["cell"], entry["metric"])))


def _came_out(entry: dict[str, Any]) -> str:
    """The status, the verdict, or whether a suspicion is confirmed."""
    if "confirmed" in entry:
        return "confirmed" if entry["confirmed"] else "not confirmed"
    return str(entry["status"] if "status" in entry else entry["verdict"])


def stored_entries(paper: str, name: str, root: Path | None = None) -> StoredEntries | None:
    """Stored content; ``None`` if it is missing or damaged."""
    try:
        return load_entries(results_folder(paper, root), name, f"companion evidence {paper}")
    except ResultError:
        return None


def declared(paper: str, name: str, only: Collection[str] | None = None) -> Sequence[Statement | SuspectedError]:
    """The statements or leads behind a file; ``only`` those of some ids."""
    return registry.statements(paper, only) if name == "ledger" else registry.leads(paper, only)


def key_of(name: str, entry: Mapping[str, Any]) -> str:
    """Name of an entry; verdicts have one name together."""
    return "" if name == "verdicts" else str(entry["id"])


def compute(paper: str, name: str, only: Collection[str], jobs: int | None = None) -> Entries:
    """Entries of a file made now, with their wrong versions; all of the verdicts."""
    if name == "verdicts":
        return verdicts(paper)
    return (ledger if name == "ledger" else discrepancies)(paper, only, teeth=True, jobs=jobs)


def words(paper: str, name: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Words of the declaration on a statement or suspected error with the outcome of ``entry``."""
    (one,) = declared(paper, name, [entry["id"]])
    return plain(_described(paper, one) if isinstance(one, Statement) else one.words(paper, entry["confirmed"]))


def _spread(work: Callable[[tuple[str, str]], Any], wanted: list[tuple[str, str]], jobs: int | None, label: str) -> Any:
    """One call per (paper, id). What is sent to a worker is the name: checks are functions, which do not travel."""
    found = parallel_map(
        partial(_watched, work, label), wanted, [" ".join(pair) for pair in wanted], workers(jobs), label
    )
    for _, opened in found:
        note_seeds(opened)
    return [entry for entry, _ in found]


def _watched(work: Callable[[tuple[str, str]], Any], label: str, name: tuple[str, str]) -> tuple[Any, set[int]]:
    """An entry, and the seeds of the streams that it opened here, which may be a worker."""
    _begin(label)
    with seeds_opened() as opened:
        entry = work(name)
    return entry, opened


#: What this process computes at the moment: the ledger's statements, leads, or verdicts.
_BEGUN: list[str] = []


def _begin(label: str) -> None:
    """Forget what the ledger's checks left in caches before the leads begin, and so on.

    A result taken from a cache opens no stream. So within a label whoever computes a result first opens its streams, and
    all seeds of a label together do not depend on the number of workers.
    """
    if [label] == _BEGUN:
        return
    _BEGUN[:] = [label]
    for name, module in list(sys.modules.items()):
        if name.startswith("companion."):
            for value in list(vars(module).values()):
                if callable(clear := getattr(value, "cache_clear", None)):
                    clear()


def _investigated(name: tuple[str, str], teeth: bool) -> dict[str, Any]:
    paper, identifier = name
    (lead,) = registry.leads(paper, [identifier])
    return plain(lead.investigate(paper, teeth))


def _ledger_entry(name: tuple[str, str], teeth: bool) -> dict[str, Any]:
    paper, identifier = name
    (statement,) = registry.statements(paper, [identifier])
    return plain(_described(paper, statement) | _outcome(statement, teeth))


def _described(paper: str, statement: Statement) -> dict[str, Any]:
    return {
        "paper": paper,
        "id": statement.id,
        "location": statement.location,
        "whose": of_location(statement.location),
        "role": statement.role,
        "numbered": statement.numbered,
        "kind": statement.kind,
        "title": statement.title,
        "latex": statement.latex,
        "assumptions": [assumption.text for assumption in statement.assumptions],
        "depends": list(statement.depends),
        "correction": statement.correction.text if statement.correction is not None else "",
        "anchor": statement.anchor,
        "code": _code(statement),
    }


def _outcome(statement: Statement, teeth: bool) -> dict[str, Any]:
    """Outcome of the check; ``teeth`` also runs the wrong versions."""
    outcome = statement.judge()
    began = time.perf_counter()
    bites = {bite.name: bite for bite in statement.bites()} if teeth else {}
    return {
        "status": outcome.status,
        "lhs": outcome.lhs,
        "rhs": outcome.rhs,
        "slack": outcome.slack,
        "trials": outcome.trials,
        "failures": outcome.failures,
        "delta": outcome.delta,
        "seconds": outcome.seconds + time.perf_counter() - began,
        "reason": outcome.reason,
        "where": outcome.where,
        "teeth": [
            {
                "name": tooth.name,
                "caught": bites[tooth.name].caught if teeth else None,
                "where": bites[tooth.name].where if teeth else "",
            }
            for tooth in statement.teeth
        ],
    }


def _code(statement: Statement) -> dict[str, str] | None:
    """Module and name of the function that evaluates the statement."""
    if statement.evaluate is None:
        return None
    return {"module": statement.evaluate.__module__, "name": statement.evaluate.__qualname__}
