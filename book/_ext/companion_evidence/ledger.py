"""The ledger's page: one statement a row, with its claim, check and teeth to unfold below it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes

from companion.checks.statement import STATUSES
from companion.reproduce.whose import of_companion, of_paper, whose
from companion_evidence import common, links, markup
from companion_evidence.data import Chapter, Stored

Entry = Mapping[str, Any]
DASH = "\N{EN DASH}"
HEADER = ("Statement", "Kind", "Status", "Left", "Right", "Slack", "Failures", "δ", "Teeth", "See")


def build(root: Path, chapter: Chapter, files: Mapping[str, Stored]) -> tuple[nodes.section, list[str]]:
    """The chapter's part of the page.

    Parameters
    ----------
    root : repository
    chapter : the chapter
    files : its evidence, by name; statements link to the discrepancies that are about them

    Returns
    -------
    the section, and what is wrong with texts in the file
    """
    stored, leads, faults = files["ledger"], files["discrepancies"].entries, list[str]()

    def fill(section: nodes.section) -> None:
        groups = (("of the paper", of_paper(stored.entries)), ("of the companion's own", of_companion(stored.entries)))
        for of_whom, entries in groups:
            if entries:
                counts = common.counted(entries, "status", STATUSES)
                section += common.tally(f"{common.plural(len(entries), 'statement')} {of_whom}", counts)
        section += teeth_line(stored.entries)
        rows = [line for entry in stored.entries for line in entry_rows(entry, chapter, stored, leads, faults)]
        section += markup.table(HEADER, rows, ("evidence-ledger",))

    return common.stored_section("ledger", chapter, stored, fill), faults


def teeth_line(entries: Sequence[Entry]) -> nodes.paragraph:
    """How many perturbed versions were run and caught."""
    caught = [tooth["caught"] for entry in entries for tooth in entry["teeth"]]
    missed = caught.count(False)
    line = f"Perturbed versions: {len(caught)}, of which the checks caught {caught.count(True)}"
    line += f" and MISSED {missed}" if missed else ""
    line += f"; {caught.count(None)} were not run" if None in caught else ""
    return markup.paragraph(line + ".", classes=("evidence-tally",))


def slack(entry: Entry) -> str:
    """Right side over left side; files hold null for an infinite one, which needs a left side of zero.

    Where the left side is negative the ratio says nothing, and none is shown.
    """
    if entry["lhs"] is not None and entry["lhs"] < 0:
        return DASH
    if entry["slack"] is None and entry["lhs"] == 0 and entry["rhs"]:
        return markup.number(math.copysign(math.inf, entry["rhs"]))
    return markup.number(entry["slack"], 3)


def entry_rows(
    entry: Entry, chapter: Chapter, stored: Stored, leads: Sequence[Entry], faults: list[str]
) -> list[nodes.row]:
    """Two rows: the numbers, and below them the statement to unfold."""
    asker = f"{stored.path}: {entry['id']}"
    caught = [tooth["caught"] for tooth in entry["teeth"]]
    bitten = f"{caught.count(True)}/{len(caught)}" if caught else DASH
    see: list[str | nodes.Node] = []
    if entry["anchor"]:
        page = f"notebooks/{entry['chapter']}" if entry.get("chapter") else chapter.page
        see.append(links.to_page("chapter", page, entry["anchor"], asker=asker))
    if entry["code"]:
        module, name = entry["code"]["module"], entry["code"]["name"]
        see += [" ", links.to_code("code", module, name, asker=asker)]
    numbers = [
        markup.number(entry["lhs"]),
        markup.number(entry["rhs"]),
        slack(entry),
        " of ".join(markup.describe(entry[field]) for field in ("failures", "trials")) if entry["trials"] else DASH,
        markup.number(entry["delta"], 3),
        bitten,
    ]
    identifier = common.anchor("ledger", chapter.paper, entry["id"])
    first = markup.row(
        [
            markup.cell(
                links.to_page(common.spoken(entry["id"]), common.LEDGER, identifier),
                markup.span(*common.text(entry["location"], stored, entry["id"], faults), classes=("evidence-place",)),
                classes=("evidence-name",),
            ),
            markup.cell(markup.words(entry["kind"])),
            markup.cell(markup.badge(entry["status"], common.TONES[entry["status"]])),
            *[markup.cell(number, classes=("number",)) for number in numbers],
            markup.cell(*see, classes=("evidence-see",)),
        ],
        common.facets(chapter.paper, kind=entry["kind"], status=entry["status"], whose=whose(entry)),
        identifier,
    )
    title = common.text(common.sentence(entry["title"]), stored, entry["id"], faults)
    unfolded = markup.disclosure(title, details(entry, chapter, stored, leads, faults))
    return [first, markup.row([markup.cell(unfolded, columns=len(HEADER))], ("evidence-more",))]


def details(
    entry: Entry, chapter: Chapter, stored: Stored, leads: Sequence[Entry], faults: list[str]
) -> list[nodes.Node]:
    """What unfolds: claim, assumptions, dependencies, outcome, teeth, and the command."""
    name, asker = entry["id"], f"{stored.path}: {entry['id']}"

    def text(content: str) -> list[nodes.Node]:
        return common.text(content, stored, name, faults)

    rests: list[str | nodes.Node] = []
    for other in entry["depends"]:
        target = common.anchor("ledger", chapter.paper, other)
        rests += [", "] if rests else []
        rests.append(links.to_page(common.spoken(other), common.LEDGER, target, asker=asker))
    related: list[str | nodes.Node] = []
    for lead in (lead for lead in leads if lead["statement"] == name):
        target = common.anchor("discrepancies", chapter.paper, lead["id"])
        related += ["; "] if related else []
        related.append(links.to_page(lead["id"], common.DISCREPANCIES, target, asker=asker))
        related += [": ", *text(lead["title"]), "" if lead["confirmed"] else " (not confirmed)"]
    needs = markup.bullets([text(item) for item in entry["assumptions"]])
    outcome = text(common.full_stop(common.sentence(entry["reason"] or markup.words(entry["status"]))))
    pairs: list[tuple[str, Sequence[nodes.Node]]] = [
        ("Claim", common.body(entry["latex"], stored, name, faults)),
        ("Needs", [needs] if entry["assumptions"] else []),
        ("Rests on", [markup.paragraph(*rests)] if rests else []),
        ("Correction", [markup.paragraph(*text(entry["correction"]))] if entry["correction"] else []),
        ("Outcome", [markup.paragraph(*outcome)]),
        ("Note", [markup.paragraph(*text(entry["note"]))] if entry.get("note") else []),
        ("Tightest case", [markup.paragraph(*text(entry["where"]))] if entry["where"] else []),
        ("Teeth", [markup.bullets([tooth_line(tooth, text) for tooth in entry["teeth"]])] if entry["teeth"] else []),
        ("Discrepancies", [markup.paragraph(*related)] if related else []),
        ("Check it", [markup.paragraph(*command(entry))]),
    ]
    return [markup.facts(pairs)]


def command(entry: Entry) -> list[str | nodes.Node]:
    """What a reader types, and how long it took."""
    typed = f"companion ledger {entry['paper']} --id {entry['id']}" + (" --teeth" if entry["teeth"] else "")
    found: list[str | nodes.Node] = [markup.code(typed)]
    if entry["trials"] and entry["seconds"] is not None:
        found.append(f" ({markup.number(entry['seconds'], 2)} s)")
    return found


def tooth_line(tooth: Entry, text: Any) -> list[str | nodes.Node]:
    """One perturbed version, whether the check caught it, and on which case."""
    said, tone = {True: ("caught", "good"), False: ("missed", "bad"), None: ("not run", "quiet")}[tooth["caught"]]
    found: list[str | nodes.Node] = [*text(tooth["name"]), ": ", markup.badge(said, tone)]
    if tooth.get("where"):
        found += [" at ", *text(tooth["where"])]
    return found
