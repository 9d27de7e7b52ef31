"""The status page: a line for every chapter, and folded below it what has been stored, when, by which code, where."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
from companion_evidence import common, links, markup
from companion_evidence.data import Chapter, Stored

OVERVIEW = ("Chapter", "Code since the last verification", "Last verified", "Rows with the same digits", "Runs took")
HEADER = ("What", "Command", "Run", "Took", "Commit", "Code")
#: Words for what a verification says of the code, and their tone.
STANDINGS = {
    verify.SAME: ("unchanged", "good"),
    verify.CHANGED: ("changed", "bad"),
    verify.NEVER: ("never verified", "fair"),
}
SHORT = 12


def build(
    root: Path, chapter: Chapter, stored: Mapping[str, Stored], *, whole: bool = True
) -> tuple[nodes.section, list[str]]:
    """The chapter's part of the page, and what is wrong with its other records.

    Parameters
    ----------
    root : repository
    chapter : the chapter
    stored : its evidence, by the names of :data:`companion_evidence.data.NAMES`
    whole : always; there is no other page that has more
    """
    section = common.chapter_section("status", chapter)
    section += counts(chapter, stored)
    runs, faults = tables(root, chapter)
    evidence = {name: file.record for name, file in stored.items() if file.record is not None}
    everything = {**evidence, **runs}
    if everything:
        try:
            section += verified(root, chapter) or []
        except ResultError as error:
            faults.append(str(error))
        lines = [line(name, record) for name, record in everything.items()]
        facts = markup.facts([*environment(list(everything.values())), *excused(chapter)])
        section += markup.disclosure(["Every stored file"], [markup.table(HEADER, lines), facts])
    return section, faults


def overview(root: Path, chapter: Chapter) -> nodes.row:
    """The chapter's line of the table above all: whether its runs stand, when that was seen, and what they took."""
    name = markup.cell(f"{chapter.number}. ", links.to_page(chapter.title.split(":")[0], chapter.page))
    runs, _ = tables(root, chapter)
    spent = markup.cell(core_time(record.to_dict() for record in runs.values()) if runs else "–", classes=("number",))
    try:
        told = standing(chapter.paper, root)
    except ResultError:  # said where the chapter is
        told = None
    if told is None:
        return markup.row([name, *(markup.cell("–") for _ in range(3)), spent])
    mark = markup.cell(markup.badge(*STANDINGS[told]))
    if told == verify.NEVER:
        return markup.row([name, mark, markup.cell("–"), markup.cell("–"), spent])
    found, sample = last_sample(chapter, root)
    rows = markup.cell(f"{sample['equal']} of {sample['rows']}", classes=("number",))
    return markup.row([name, mark, markup.cell(common.day(str(found["date"]))), rows, spent])


def last_sample(chapter: Chapter, root: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """What was noted when the runs were verified last, and its counts, over all sets of tables that the chapter has."""
    found = json.loads((results_folder(chapter.paper, root) / VERIFIED).read_text("utf-8"))
    samples = [part["sample"] for part in (found, *found.get(verify.OTHERS, {}).values())]
    names = ("runs", "cells", "of", "rows", "equal", "within", "by_cell", "outdated")
    return found, {name: sum(sample.get(name, 0) for sample in samples) for name in names}


def excused(chapter: Chapter) -> list[tuple[str, Sequence[nodes.Node]]]:
    """Records of the chapter that name no commit of the history, with the reason."""
    return [
        (f"{path.rpartition('/')[2]}, known since", [markup.paragraph(f"{reason}.")])
        for path, reason in EXCUSED.items()
        if path.split("/")[2] == chapter.paper
    ]


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
    for name in chapter.names:
        missing = common.absent(chapter, stored[name])
        pairs.append((name.capitalize(), [missing if missing is not None else found(name, chapter, stored[name])]))
    return markup.facts(pairs)


def found(name: str, chapter: Chapter, stored: Stored) -> nodes.paragraph:
    """One line of counts."""
    entries, page = stored.entries, common.page_of(name, chapter)
    if name == "discrepancies":
        confirmed = sum(entry["confirmed"] for entry in entries)
        link = links.to_page(f"{confirmed} confirmed", page)
        return markup.paragraph(link, f", {len(entries) - confirmed} not confirmed")
    parts: list[str | nodes.Node] = []
    for label, query, counts in groups(name, entries):
        parts += ["; "] if parts else []
        parts += [f"{sum(counts.values())} {label}: "]
        for value, count in counts.items():
            parts += [links.to_page(f"{count} {markup.words(value)}", page, query=f"?{query}={value}"), ", "]
        parts.pop()
    return markup.paragraph(*parts)


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


def verified(root: Path, chapter: Chapter) -> nodes.paragraph | None:
    """The one place of the page that says whether the code has changed since the results were made.

    Raises
    ------
    ResultError
        if the record of the verification is damaged
    """
    told = standing(chapter.paper, root)
    if told is None:
        return None
    remedy = markup.code(f"make verify CH={chapter.number}")
    if told == verify.NEVER:
        return markup.paragraph("No sample of the stored runs has been made again yet; ", remedy, " makes one.")
    found, sample = last_sample(chapter, root)
    line: list[str | nodes.Node] = [
        f"Last verified: {sample['runs']} stored runs, from {sample['cells']} of {sample['of']} cells, were made again at ",
        "commit ",
        markup.code(common.commit(found)),
        f", {common.day(str(found['date']))}; {agreement(sample)}. ",
    ]
    if sample["outdated"]:
        line.append(
            f"{sample['outdated']} more are of an older version than the experiments declare, and have to be made again. "
        )
    if told == verify.SAME:
        return markup.paragraph(*line, "What they rest on has not changed in meaning since.")
    return markup.paragraph(
        *line, "What they rest on has changed since; ", remedy, " shows whether they still come out the same."
    )


def agreement(sample: Mapping[str, int]) -> str:
    """How many stored rows came out the same, and in which sense."""
    kinds = (("within", "agreed within the rounding of other kernels"), ("by_cell", "by their cell"))
    others = [f"{sample[name]} {words}" for name, words in kinds if sample.get(name)]
    return ", ".join([f"{sample['equal']} of {sample['rows']} stored rows had the same digits", *others])


def took(record: Record) -> str:
    """What a stored result took; of one made in several calls, what the record knows."""
    return cost(record.to_dict()) if "runs" in record.settings else f"{markup.number(record.seconds, 3)} s"


def line(name: str, record: Record) -> nodes.row:
    """One stored result."""
    return markup.row(
        [
            markup.cell(name.replace("_", " ")),
            markup.cell(markup.code(record.command)),
            markup.cell(common.day(record.date)),
            markup.cell(took(record), classes=("number",)),
            markup.cell(common.commit(record.to_dict())),
            markup.cell(markup.code(record.package[:SHORT])),
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
