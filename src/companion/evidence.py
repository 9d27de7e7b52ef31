"""The evidence on a paper: ledger of statements, verdicts on reported numbers, discrepancies; computed and stored.

Each is a list of JSON objects. :func:`store` writes them to ``data/results/<paper>/{ledger,verdicts,discrepancies}.json``
with their record; the book's pages show these files.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from companion import papers
from companion.checks import lead as leads
from companion.checks import statement as ledger_entries
from companion.checks.statement import Statement
from companion.files import results_folder
from companion.randomness import note_seeds, seeds_opened
from companion.reproduce.consequence import attached
from companion.reproduce.consequence import load as load_consequences
from companion.reproduce.record import Record
from companion.reproduce.several import corrected
from companion.reproduce.stored import store_entries
from companion.reproduce.whose import of_location
from companion.simulate.loop import plain
from companion.simulate.replicate import parallel_map, workers

Entries = list[dict[str, Any]]


def ledger(
    paper: str | None = None, identifier: str | None = None, teeth: bool = False, jobs: int | None = None
) -> Entries:
    """Check the statements of one paper or of all, in the paper's order.

    Parameters
    ----------
    paper : slug, or ``None`` for every paper that declares statements
    identifier : only the statement of this id
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
        for entry in _chosen(papers.statements(slug), identifier, ledger_entries.by_id)
    ]
    return _spread(partial(_ledger_entry, teeth=teeth), wanted, jobs, "statements")


def discrepancies(paper: str | None = None, identifier: str | None = None, jobs: int | None = None) -> Entries:
    """Investigate the suspected errors of one paper or of all; see :meth:`companion.checks.lead.Lead.investigate`.

    Besides, ``error`` says what a confirmed one amounts to; see :func:`companion.reproduce.consequence.attached`.

    Parameters
    ----------
    paper, identifier, jobs : as for :func:`ledger`
    """
    wanted = [
        (slug, lead.id)
        for slug in papers.having("leads", paper)
        for lead in _chosen(papers.leads(slug), identifier, leads.by_id)
    ]
    found = _spread(_investigated, wanted, jobs, "leads")
    tables = {slug: load_consequences(slug) for slug in papers.having("leads", paper)}
    return [
        judged for slug, rows in tables.items() for judged in attached((e for e in found if e["paper"] == slug), rows)
    ]


def verdicts(paper: str | None = None, root: Path | None = None) -> Entries:
    """Reported beside reproduced numbers with their verdicts, and the tested claims, of one paper or of all.

    Cells that were tested have ``several``: whether they differ once all cells of their paper are counted; see
    :func:`companion.reproduce.several.corrected`.

    Parameters
    ----------
    paper : as for :func:`ledger`
    root : repository; found from the current folder by default
    """
    found: Entries = []
    _begin("verdicts")
    for slug in papers.having("claims.verdicts", paper):
        module = papers.module(slug, "claims.verdicts")
        assert module is not None  # having() has found it
        found += corrected(plain(module.VERDICTS.entries(root)))
    return found


def store(paper: str, root: Path | None = None, jobs: int | None = None) -> list[Path]:
    """Compute all three for one paper and write them, each file whole or not at all.

    Parameters
    ----------
    paper : slug
    root : repository; found from the current folder by default
    jobs : workers

    Returns
    -------
    the files written; a paper without one of the three modules gets no such file. Each record has the seeds of all
    streams that its checks opened.
    """
    folder = results_folder(paper, root)
    makers: dict[str, Callable[[], Entries]] = {
        "ledger": lambda: ledger(paper, teeth=True, jobs=jobs),
        "verdicts": lambda: verdicts(paper, root),
        "discrepancies": lambda: discrepancies(paper, jobs=jobs),
    }
    room = {"ledger": "statements", "verdicts": "claims.verdicts", "discrepancies": "leads"}
    written = []
    for name, make in makers.items():
        if not papers.declares(paper, room[name]):
            continue
        began = time.monotonic()
        with seeds_opened() as opened:
            entries = make()
        command = f"companion {name} {paper}" + (" --teeth" if name == "ledger" else "") + " --json"
        seconds = time.monotonic() - began
        # What stands above the papers depends on all of them, so the hash of its code leaves none out.
        of = None if paper in papers.ABOVE else paper
        record = Record.now(command, profile="paper", seeds=sorted(opened), seconds=seconds, paper=of)
        written.append(store_entries(folder, name, entries, record))
    return written


def _chosen(declared: Iterable[Any], identifier: str | None, find: Callable[[Iterable[Any], str], Any]) -> list[Any]:
    return list(declared) if identifier is None else [find(declared, identifier)]


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


def _investigated(name: tuple[str, str]) -> dict[str, Any]:
    paper, identifier = name
    return plain(leads.by_id(papers.leads(paper), identifier).investigate(paper))


def _ledger_entry(name: tuple[str, str], teeth: bool) -> dict[str, Any]:
    paper, identifier = name
    statement = ledger_entries.by_id(papers.statements(paper), identifier)
    outcome = statement.judge()
    began = time.perf_counter()
    bites = {bite.name: bite for bite in statement.bites()} if teeth else {}
    seconds = outcome.seconds + time.perf_counter() - began
    shown = [
        {
            "name": tooth.name,
            "caught": bites[tooth.name].caught if teeth else None,
            "where": bites[tooth.name].where if teeth else "",
        }
        for tooth in statement.teeth
    ]
    return plain(
        {
            "paper": paper,
            "id": statement.id,
            "location": statement.location,
            "whose": of_location(statement.location),
            "kind": statement.kind,
            "status": outcome.status,
            "lhs": outcome.lhs,
            "rhs": outcome.rhs,
            "slack": outcome.slack,
            "trials": outcome.trials,
            "failures": outcome.failures,
            "delta": outcome.delta,
            "seconds": seconds,
            "reason": outcome.reason,
            "teeth": shown,
            "title": statement.title,
            "latex": statement.latex,
            "where": outcome.where,
            "assumptions": [assumption.text for assumption in statement.assumptions],
            "depends": list(statement.depends),
            "correction": statement.correction.text if statement.correction is not None else "",
            "anchor": statement.anchor,
            "code": _code(statement),
        }
    )


def _code(statement: Statement) -> dict[str, str] | None:
    """Module and name of the function that evaluates the statement."""
    if statement.evaluate is None:
        return None
    return {"module": statement.evaluate.__module__, "name": statement.evaluate.__qualname__}
