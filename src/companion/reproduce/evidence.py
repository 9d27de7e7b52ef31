"""The evidence on a paper: ledger of statements, verdicts on reported numbers, discrepancies; computed and stored.

Each is a list of JSON objects. :func:`store` writes them to ``data/results/<paper>/{ledger,verdicts,discrepancies}.json``
with their record; the book's pages show these files. A stored entry has the *fingerprint* of what its outcome rests on, see
:func:`fingerprints`, and only what has another one is computed again.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion import papers
from companion.checks.statement import Statement, by_id
from companion.core import arithmetic
from companion.core.errors import ResultError
from companion.core.files import reported_folder, repository_root, results_folder
from companion.core.randomness import note_seeds, seeds_opened
from companion.reproduce.consequence import FILE as ERRORS_FILE
from companion.reproduce.consequence import attached
from companion.reproduce.consequence import load as load_consequences
from companion.reproduce.hashing import ANSWERS, own_part
from companion.reproduce.meaning import meaning
from companion.reproduce.multiple_testing import corrected
from companion.reproduce.ownership import of_location
from companion.reproduce.record import Record
from companion.reproduce.stored import StoredEntries, load_entries, store_entries
from companion.simulate.loop import plain
from companion.simulate.replicate import parallel_map, workers

if TYPE_CHECKING:
    from companion.papers.paper import Part
    from companion.reproduce.claims import Verdicts

Entries = list[dict[str, Any]]

PARTS: Mapping[str, Part] = {"ledger": "statements", "verdicts": "verdicts", "discrepancies": "leads"}
"""What is stored, and the part of a paper that declares it."""

FINGERPRINT = "fingerprint"

#: Definitions through which the tables of the repository are read.
_READERS = {f"companion.core.files.{name}" for name in ("repository_root", "results_folder", "reported_folder")}
#: Reported tables that hold words only; what they say of an entry is brought over without a computation.
_WORDS = {"inventory.csv", "leads.csv", "errors.csv", ANSWERS}


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
        (slug, entry.id)
        for slug in papers.having("statements", paper)
        for entry in _chosen(papers.statements(slug), only)
    ]
    return _spread(partial(_ledger_entry, teeth=teeth), wanted, jobs, "statements")


def discrepancies(
    paper: str | None = None, only: Collection[str] | None = None, teeth: bool = False, jobs: int | None = None
) -> Entries:
    """Investigate the suspected errors of one paper or of all; see :meth:`companion.checks.lead.Lead.investigate`.

    Besides, ``error`` says what a confirmed one amounts to; see :func:`companion.reproduce.consequence.attached`.

    Parameters
    ----------
    paper, only, teeth, jobs : as for :func:`ledger`
    """
    wanted = [(slug, lead.id) for slug in papers.having("leads", paper) for lead in _chosen(papers.leads(slug), only)]
    found = _spread(partial(_investigated, teeth=teeth), wanted, jobs, "leads")
    return [judged for slug in papers.having("leads", paper) for judged in _with_errors(slug, found)]


def _with_errors(paper: str, entries: Entries) -> Entries:
    return attached((entry for entry in entries if entry["paper"] == paper), load_consequences(paper))


def faults(entries: Entries) -> list[str]:
    """What an author has to mend: a tooth that does not bite proves nothing, and a confirmed lead needs a judgement.

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
    return found


def verdicts(paper: str | None = None, root: Path | None = None) -> Entries:
    """Reported beside reproduced numbers with their verdicts, and the tested claims, of one paper or of all.

    Cells that were tested have ``several``: whether they differ once all cells of their paper are counted; see
    :func:`companion.reproduce.multiple_testing.corrected`.

    Parameters
    ----------
    paper : as for :func:`ledger`
    root : repository; found from the current folder by default
    """
    found: Entries = []
    _begin("verdicts")
    for slug in papers.having("verdicts", paper):
        found += _judged(papers.part(slug, "verdicts").value, root)
    return found


def _judged(declared: Verdicts[Any], root: Path | None) -> Entries:
    return corrected(plain(declared.entries(root)))


def fingerprints(paper: str, name: str, root: Path | None = None) -> dict[str, str]:
    """What every outcome rests on, as one hash by the entry's id; verdicts are judged together and have one, under ``""``.

    It covers the definitions that the outcome reaches, with the versions of NumPy and SciPy
    (:mod:`companion.reproduce.meaning`), the instruction set, and, where these definitions read the repository's tables, the
    content of the paper's. It does not cover words: docstrings, messages, titles.

    Parameters
    ----------
    paper : slug
    name : one of :data:`PARTS`
    root : repository; found from the current folder by default
    """
    code: dict[str, tuple[str, ...]]
    if name == "verdicts":
        code = {"": (papers.part(paper, "verdicts").place, f"{__name__}:_judged")}
    else:
        declared = papers.statements(paper) if name == "ledger" else papers.leads(paper)
        code = {entry.id: (*entry.code, f"{__name__}:_outcome") for entry in declared}
    arithmetic_used, tables = arithmetic.in_use(), _tables(paper, root)
    found = {}
    for key, roots in code.items():
        reached = meaning(*roots)
        read = tables if _READERS & reached.definitions.keys() else ""
        found[key] = hashlib.sha256(repr([reached.digest, arithmetic_used, read]).encode()).hexdigest()
    return found


def _tables(paper: str, root: Path | None) -> str:
    """Digest of the stored runs and reported tables; what stands above the papers reads those of all."""
    place = repository_root() if root is None else root
    total = hashlib.sha256()
    for slug in papers.chapters() if paper in papers.ABOVE else (paper,):
        stored, reported = results_folder(slug, place), reported_folder(slug, place)
        files = [*stored.glob("*.csv"), *reported.rglob("*.csv"), *reported.rglob("*.toml")]
        for path in sorted(path for path in files if path.name not in _WORDS):
            total.update(repr([path.relative_to(place).as_posix(), path.read_bytes()]).encode())
        if (margins := place / "data" / "reported" / "margins.toml").is_file():
            total.update(own_part(margins, slug))
    return total.hexdigest()


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


def store(paper: str, root: Path | None = None, jobs: int | None = None, everything: bool = False) -> list[Stored]:
    """Compute what is not stored with its present fingerprint, bring over words, and write each file whole or not at all.

    Parameters
    ----------
    paper : slug
    root : repository; found from the current folder by default
    jobs : workers
    everything : compute also what has its present fingerprint

    Returns
    -------
    of each of the three files; a paper without one of the three parts has no such file. Each record has the seeds of all
    streams that its checks opened.
    """
    return [
        _stored(paper, name, root, jobs, everything) for name, part in PARTS.items() if papers.declares(paper, part)
    ]


def _stored(paper: str, name: str, root: Path | None, jobs: int | None, everything: bool) -> Stored:
    folder, now, began = results_folder(paper, root), fingerprints(paper, name, root), time.monotonic()
    kept = _kept(folder, name, paper)
    known: dict[str, dict[str, Any]] = {}
    marks: dict[str, set[str | None]] = {}
    for entry in () if kept is None or everything else kept.entries:
        known[_key(name, entry)] = entry
        marks.setdefault(_key(name, entry), set()).add(entry.get(FINGERPRINT))
    due = [key for key, value in now.items() if marks.get(key) != {value}]
    with seeds_opened() as opened:
        if name == "verdicts":
            entries = verdicts(paper, root) if due or kept is None else kept.entries
        else:
            made = {entry["id"]: entry for entry in _made(paper, name, due, jobs)} if due else {}
            entries = [made.get(key) or known[key] | words(paper, name, known[key]) for key in now]
        if name == "discrepancies":
            entries = _with_errors(paper, entries)
    entries = [entry | {FINGERPRINT: now[_key(name, entry)]} for entry in entries]
    if kept is not None and not due:
        record = kept.record  # words do not change what was computed, and when
    else:
        command = f"companion {name} {paper}" + (" --teeth" if name != "verdicts" else "") + " --json"
        seeds = sorted(opened | set(kept.record.seeds if kept is not None and known else ()))
        # What stands above the papers depends on all of them, so the hash of its code leaves none out.
        of = None if paper in papers.ABOVE else paper
        seconds = time.monotonic() - began
        record = Record.now(command, profile="paper", seeds=seeds, seconds=seconds, paper=of)
    path = store_entries(folder, name, entries, record)
    old = {_name(entry): _came_out(entry) for entry in (() if kept is None else kept.entries)}
    turned = tuple(
        f"{_name(entry)}: {old[_name(entry)]}, now {_came_out(entry)}"
        for entry in entries
        if old.get(_name(entry), _came_out(entry)) != _came_out(entry)
    )
    return Stored(path, len(entries), len(entries) if "" in due else len(due), turned, tuple(faults(entries)))


def _name(entry: dict[str, Any]) -> str:
    return str(entry["id"] if "id" in entry else ", ".join((entry["source"], entry["cell"], entry["metric"])))


def _came_out(entry: dict[str, Any]) -> str:
    """The status, the verdict, or whether a suspicion is confirmed."""
    if "confirmed" in entry:
        return "confirmed" if entry["confirmed"] else "not confirmed"
    return str(entry["status"] if "status" in entry else entry["verdict"])


def _kept(folder: Path, name: str, paper: str) -> StoredEntries | None:
    try:
        return load_entries(folder, name, f"companion evidence {paper}")
    except ResultError:  # missing or damaged: it is made
        return None


def _key(name: str, entry: dict[str, Any]) -> str:
    return "" if name == "verdicts" else str(entry["id"])


def _made(paper: str, name: str, only: Collection[str], jobs: int | None) -> Entries:
    return (ledger if name == "ledger" else discrepancies)(paper, only, teeth=True, jobs=jobs)


def words(paper: str, name: str, entry: dict[str, Any]) -> dict[str, Any]:
    """What the declaration says of a statement or lead that came out as ``entry`` says."""
    if name == "ledger":
        return plain(_described(paper, by_id(papers.statements(paper), entry["id"])))
    return plain(by_id(papers.leads(paper), entry["id"]).words(paper, entry["confirmed"]))


def _chosen(declared: Iterable[Any], only: Collection[str] | None) -> Iterator[Any]:
    known = list(declared)
    yield from known if only is None else (by_id(known, identifier) for identifier in only)


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


_BEGUN: list[str] = []
"""What this process computes at the moment: the ledger's statements, leads, or verdicts."""


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
    return plain(by_id(papers.leads(paper), identifier).investigate(paper, teeth))


def _ledger_entry(name: tuple[str, str], teeth: bool) -> dict[str, Any]:
    paper, identifier = name
    statement = by_id(papers.statements(paper), identifier)
    return plain(_described(paper, statement) | _outcome(statement, teeth))


def _described(paper: str, statement: Statement) -> dict[str, Any]:
    return {
        "paper": paper,
        "id": statement.id,
        "location": statement.location,
        "whose": of_location(statement.location),
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
    """What checking it gives; ``teeth`` also runs the wrong versions."""
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
