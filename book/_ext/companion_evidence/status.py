"""The status page: a line for every chapter, and folded below it what has been stored, when, by which code, where."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes

from companion import papers
from companion.checks.statement import STATUSES
from companion.core.errors import ResultError
from companion.core.files import results_folder
from companion.pages.chapter import core_time, cost
from companion.reproduce import verify
from companion.reproduce.hashing import VERIFIED
from companion.reproduce.history import EXCUSED
from companion.reproduce.ownership import of_companion, of_paper
from companion.reproduce.record import Record
from companion.reproduce.verdict import CELL_VERDICTS, CLAIM_VERDICTS
from companion_evidence import common, markup
from companion_evidence.data import NAMES, Chapter, chapters, load

#: Words for what a verification says of the code.
STANDINGS = {verify.SAME: "unchanged", verify.CHANGED: "changed", verify.NEVER: "never verified"}


def page(root: Path) -> common.Made:
    """A line for every chapter, then its counts and records; and what is wrong with those."""
    rows, sections, faults = [], list[nodes.Node](), list[str]()
    for chapter in chapters(root):
        files = {name: load(root, chapter, name) for name in NAMES}
        runs, wrong = tables(root, chapter)
        records = {name: file.record for name, file in files.items() if file.record is not None} | runs
        told, sample = None, dict[str, Any]()
        try:
            told, sample = verified(root, chapter)
        except ResultError as error:
            wrong += [str(error)] if records else []
        spent = core_time(record.to_dict() for record in runs.values()) if runs else ""
        rows.append({"chapter": chapter, "told": STANDINGS.get(told), "sample": sample, "spent": spent})
        shown = {
            "records": {name: (record, took(record)) for name, record in records.items()},
            "facts": environment(list(records.values())) | excused(chapter),
            "files": files,
            "told": told,
            "sample": sample,
            "groups": groups,
            "verify": verify,
        }
        sections += common.render("status", kind="status", chapter=chapter, **shown)
        faults += wrong
    return [*common.render("overview", rows=rows), *sections], faults


def verified(root: Path, chapter: Chapter) -> tuple[str | None, dict[str, Any]]:
    """Whether the stored runs stand, and what their last verification noted, counted over all their sets of tables.

    Raises
    ------
    ResultError
        if the record of the verification is damaged
    """
    told = standing(chapter.paper, root)
    if told in (None, verify.NEVER):
        return told, {}
    found = json.loads((results_folder(chapter.paper, root) / VERIFIED).read_text("utf-8"))
    samples = [part["sample"] for part in (found, *found.get(verify.OTHERS, {}).values())]
    names = ("runs", "cells", "of", "rows", "equal", "within", "by_cell", "outdated")
    return told, found | {name: sum(sample.get(name, 0) for sample in samples) for name in names}


def excused(chapter: Chapter) -> dict[str, str]:
    """Records of the chapter that name no commit of the history, with the reason."""
    return {
        f"{path.rpartition('/')[2]}, known since": f"{reason}."
        for path, reason in EXCUSED.items()
        if path.split("/")[2] == chapter.paper
    }


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
            ("statements of the paper", "paper", of_paper(entries)),
            ("statements of the companion's own", "companion", of_companion(entries)),
        ):
            found.append((label, f"whose={owner}&status", common.counted(chosen, "status", STATUSES)))
    else:
        for kind, label in (("cell", "numbers"), ("claim", "claims"), ("question", "questions")):
            order = CELL_VERDICTS if kind == "cell" else CLAIM_VERDICTS
            found.append((label, f"kind={kind}&verdict", common.outcomes(common.of_kind(entries, kind), order)))
    return [group for group in found if group[2]]


def standing(paper: str, root: Path) -> str | None:
    """Whether the stored runs stand with the code of this book, see :func:`companion.reproduce.verify.standing`.

    ``None`` for a paper that declares no stored runs.
    """
    if not papers.declares(paper, "stored_runs"):
        return None
    return verify.standing(papers.stored_runs(paper), root)


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
