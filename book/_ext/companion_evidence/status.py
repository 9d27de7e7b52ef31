"""The status page: a line for every chapter, and folded below it what has been stored, when, by which code, where."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes

from companion.checks.statement import STATUSES
from companion.core.errors import ResultError
from companion.core.files import results_folder
from companion.current.origin import origin
from companion.judge.ownership import WORDS, of_companion, of_paper, of_part
from companion.judge.verdict import CELL_VERDICTS, CLAIM_VERDICTS
from companion.pages.chapter import core_time, cost
from companion.stored.record import Record
from companion_evidence import common, markup
from companion_evidence.data import NAMES, Chapter, chapters, load


def page(root: Path) -> common.Made:
    """A line for every chapter, then its counts and records; and what is wrong with those."""
    rows, sections, faults = [], list[nodes.Node](), list[str]()
    for chapter in chapters(root):
        files = {name: load(root, chapter, name) for name in NAMES}
        runs, wrong = tables(root, chapter)
        records = {name: file.record for name, file in files.items() if file.record is not None} | runs
        origins = {name: stored_by(root, chapter, name) for name in records}
        spent = core_time(record.to_dict() for record in runs.values()) if runs else ""
        of_runs, of_evidence = (
            ", ".join(dict.fromkeys(filter(None, map(origins.get, names)))) for names in (runs, NAMES)
        )
        rows.append({"chapter": chapter, "runs": of_runs, "evidence": of_evidence, "spent": spent})
        shown = {
            "records": {name: (record, took(record)) for name, record in records.items()},
            "origins": origins,
            "facts": environment(list(records.values())),
            "files": files,
            "groups": groups,
        }
        sections += common.render("status", kind="status", chapter=chapter, **shown)
        faults += wrong
    return [*common.render("overview", rows=rows), *sections], faults


def stored_by(root: Path, chapter: Chapter, name: str) -> str:
    """Day and commit that stored a file last, by version control."""
    file = f"{name}.json" if name in NAMES else f"{name}.record.json"
    known = origin(root, results_folder(chapter.paper, Path()).joinpath(file).as_posix())
    return f"{known.date[:10]}, {known.commit[:10]}" if known and known.commit else ""


def tables(root: Path, chapter: Chapter) -> tuple[dict[str, Record], list[str]]:
    """Records of the chapter's stored tables, by their names; and those that cannot be read."""
    found, faults = {}, []
    for path in sorted(results_folder(chapter.paper, root).glob("*.record.json")):
        try:
            found[path.name.removesuffix(".record.json")] = Record.from_dict(json.loads(path.read_text("utf-8")))
        except (ResultError, ValueError, TypeError, KeyError) as error:
            faults.append(f"{path} is damaged ({error}); make it again with: make paper CH={chapter.number}")
    return found, faults


def groups(name: str, entries: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, dict[str, int]]]:
    """What is counted apart: in words, how a link asks for it, and the counts; what is empty is left out."""
    found: list[tuple[str, str, dict[str, int]]] = []
    if name == "ledger":
        for label, owner, chosen in (
            *((words, f"paper&role={name}", of_part(of_paper(entries), name)) for name, words in WORDS.items()),
            ("statements of the companion's own", "companion", of_companion(entries)),
        ):
            found.append((label, f"whose={owner}&status", common.counted(chosen, "status", STATUSES)))
    else:
        for kind, label in (("cell", "numbers"), ("claim", "claims"), ("question", "questions")):
            order = CELL_VERDICTS if kind == "cell" else CLAIM_VERDICTS
            found.append((label, f"kind={kind}&verdict", common.outcomes(common.of_kind(entries, kind), order)))
    return [group for group in found if group[2]]


def took(record: Record) -> str:
    """What a stored result took; of one made in several calls, what the record knows."""
    return cost(record.to_dict()) if "runs" in record.settings else f"{markup.number(record.seconds, 3)} s"


def environment(records: Sequence[Record]) -> dict[str, str]:
    """Versions, linear algebra and machine; several values when the runs differ."""

    def distinct(values: Iterable[str]) -> str:
        return " / ".join(dict.fromkeys(value for value in values if value))

    packages = dict.fromkeys(package for record in records for package in record.versions)
    versions = {package: distinct(record.versions.get(package, "") for record in records) for package in packages}
    return {
        "Versions": ", ".join(f"{package} {version}" for package, version in versions.items()),
        "Linear algebra": distinct(", ".join(record.blas) for record in records),
        "Machine": distinct(machine(record.machine) for record in records),
    }


def machine(known: Mapping[str, Any]) -> str:
    """A machine in one line."""
    parts = (known.get("cpu"), known.get("architecture"), f"{known.get('cores')} cores", known.get("system"))
    return ", ".join(str(part) for part in parts if part)
