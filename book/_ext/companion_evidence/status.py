"""The status page: what has been stored for every chapter, when, by which code, in which environment."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes

from companion.bounds.statement import STATUSES
from companion.errors import ResultError
from companion.files import results_folder
from companion.reproduce.record import Record, package_hash
from companion.reproduce.verdict import CELL_VERDICTS, CLAIM_VERDICTS
from companion_evidence import common, links, markup
from companion_evidence.data import NAMES, Chapter, Stored

HEADER = ("What", "Command", "Run", "Took", "Commit", "Code", "Code now")
SHORT = 12


def build(root: Path, chapter: Chapter, stored: Mapping[str, Stored]) -> tuple[nodes.section, list[str]]:
    """The chapter's part of the page, and what is wrong with its other records.

    Parameters
    ----------
    root : repository
    chapter : the chapter
    stored : its evidence, by the names of :data:`companion_evidence.data.NAMES`
    """
    section = common.chapter_section("status", chapter)
    section += counts(chapter, stored)
    runs, faults = tables(root, chapter)
    evidence = {name: file.record for name, file in stored.items() if file.record is not None}
    everything = {**evidence, **runs}
    if everything:
        now = package_hash(chapter.paper)
        section += verified(evidence, now, chapter)
        section += markup.table(HEADER, [line(name, record, now) for name, record in everything.items()])
        section += markup.facts(environment(list(everything.values())))
    return section, faults


def tables(root: Path, chapter: Chapter) -> tuple[dict[str, Record], list[str]]:
    """Records of the chapter's stored tables, by their names; and those that cannot be read."""
    found, faults = {}, []
    for path in sorted(results_folder(chapter.paper, root).glob("*.record.json")):
        try:
            found[path.name.removesuffix(".record.json")] = Record.from_dict(json.loads(path.read_text("utf-8")))
        except (ResultError, ValueError, TypeError, KeyError) as error:
            faults.append(f"{path} is damaged ({error}); make it again with: make paper CH={chapter.number}")
    return found, faults


def counts(chapter: Chapter, stored: Mapping[str, Stored]) -> nodes.definition_list:
    """What was found, each count a link to the entries that it counts."""
    pairs: list[tuple[str, Sequence[nodes.Node]]] = []
    for name in NAMES:
        missing = common.absent(chapter, stored[name])
        pairs.append((name.capitalize(), [missing if missing is not None else found(name, chapter, stored[name])]))
    return markup.facts(pairs)


def found(name: str, chapter: Chapter, stored: Stored) -> nodes.paragraph:
    """One line of counts."""
    entries, page = stored.entries, common.PAGES[name]
    if name == "discrepancies":
        confirmed = sum(entry["confirmed"] for entry in entries)
        link = links.to_page(f"{confirmed} confirmed", page, f"discrepancies-{chapter.paper}")
        return markup.paragraph(link, f", {len(entries) - confirmed} not confirmed")
    groups: list[tuple[str, str, tuple[str, ...], Sequence[Mapping[str, Any]]]] = [("", "status", STATUSES, entries)]
    if name == "verdicts":
        cells = [entry for entry in entries if entry["kind"] == "cell"]
        groups = [("numbers: ", "verdict", CELL_VERDICTS, cells)]
        for kind in ("claim", "question"):
            chosen = common.of_kind(entries, kind)
            groups += [(f"{kind}s: ", "verdict", CLAIM_VERDICTS, chosen)] if chosen else []
    parts: list[str | nodes.Node] = []
    for label, facet, order, chosen in groups:
        parts += ["; "] if parts else []
        parts += [f"{len(chosen)} {label or 'statements: '}"]
        for value, count in common.counted(chosen, facet, order).items():
            kind = {"numbers: ": "&kind=cell", "claims: ": "&kind=claim", "questions: ": "&kind=question"}.get(
                label, ""
            )
            query = f"?paper={chapter.paper}{kind}&{facet}={value}"
            parts += [links.to_page(f"{count} {markup.words(value)}", page, query=query), ", "]
        parts.pop()
    return markup.paragraph(*parts)


def verified(evidence: Mapping[str, Record], now: str, chapter: Chapter) -> nodes.paragraph:
    """Which commit the evidence speaks of, and whether the code has changed since."""
    record = evidence.get("ledger") or next(iter(evidence.values()), None)
    if record is None:
        return markup.paragraph("Nothing was verified yet.")
    line: list[str | nodes.Node] = ["Last verified: commit ", markup.code(record.commit[:10])]
    line += [" with uncommitted changes" if record.dirty else "", f", {common.day(record.date)}. "]
    if record.package == now:
        return markup.paragraph(*line, "The code is the same now.")
    return markup.paragraph(*line, "The code has changed since; ", markup.code(chapter.command), " verifies it again.")


def line(name: str, record: Record, now: str) -> nodes.row:
    """One stored result."""
    return markup.row(
        [
            markup.cell(name.replace("_", " ")),
            markup.cell(markup.code(record.command)),
            markup.cell(common.day(record.date)),
            markup.cell(f"{markup.number(record.seconds, 3)} s", classes=("number",)),
            markup.cell(common.commit(record.to_dict())),
            markup.cell(markup.code(record.package[:SHORT])),
            markup.cell("same" if record.package == now else "changed"),
        ]
    )


def environment(records: Sequence[Record]) -> list[tuple[str, Sequence[nodes.Node]]]:
    """Versions, linear algebra and machine; several values when the runs differ."""

    def distinct(values: Sequence[str]) -> list[nodes.Node]:
        return [markup.paragraph(" / ".join(dict.fromkeys(value for value in values if value)))]

    packages = dict.fromkeys(package for record in records for package in record.versions)
    versions = [
        f"{package} {' / '.join(dict.fromkeys(r.versions[package] for r in records if package in r.versions))}"
        for package in packages
    ]
    machines = [
        ", ".join(
            str(part)
            for part in (
                record.machine.get("cpu"),
                record.machine.get("architecture"),
                f"{record.machine.get('cores')} cores",
                record.machine.get("system"),
            )
            if part
        )
        for record in records
    ]
    return [
        ("Versions", [markup.paragraph(", ".join(versions))]),
        ("Linear algebra", distinct([", ".join(record.blas) for record in records])),
        ("Machine", distinct(machines)),
    ]
