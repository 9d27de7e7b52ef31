"""The ledger's page: one statement a row, with its claim, check and teeth to unfold below it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes

from companion.checks.statement import STATUSES
from companion.reproduce.ownership import of_companion, of_paper, whose
from companion_evidence import common, links, markup
from companion_evidence.data import Chapter, Stored

Entry = Mapping[str, Any]
DASH = "\N{EN DASH}"
HEADER = ("Statement", "Kind", "Status", "Left", "Right", "Slack", "Failures", "δ", "Wrong versions caught", "See")


def build(
    root: Path, chapter: Chapter, files: Mapping[str, Stored], *, whole: bool = True
) -> tuple[nodes.section, list[str]]:
    """The chapter's part of the page.

    Parameters
    ----------
    root : repository
    chapter : the chapter
    files : its evidence, by name; statements link to the discrepancies that are about them
    whole : with all entries; else counts only, and a link to the page that has them

    Returns
    -------
    the section, and what is wrong with texts in the file
    """
    stored, leads, faults = files["ledger"], files["discrepancies"].entries, list[str]()
    titles = {entry["id"]: str(entry["title"]) for entry in stored.entries}

    def fill(section: nodes.section) -> None:
        groups = (("of the paper", of_paper(stored.entries)), ("of the companion's own", of_companion(stored.entries)))
        for of_whom, entries in groups:
            if entries:
                counts = common.counted(entries, "status", STATUSES)
                section += common.tally(f"{common.plural(len(entries), 'statement')} {of_whom}", counts)
        section += teeth_line(stored.entries)
        if not whole:
            section += common.onward("ledger", chapter, f"The {common.plural(len(stored.entries), 'statement')}")
            return
        rows = [line for entry in stored.entries for line in entry_rows(entry, chapter, stored, leads, titles, faults)]
        section += each_once(markup.table(HEADER, rows, ("evidence-ledger",)))

    return common.stored_section("ledger", chapter, stored, fill), faults


def each_once(shown: nodes.table) -> nodes.table:
    """The table with every id once: statements may share the function that evaluates them."""
    seen = set[str]()
    for node in shown.findall(nodes.Element):
        node["ids"] = [identifier for identifier in node["ids"] if identifier not in seen]
        seen.update(node["ids"])
    return shown


def teeth_line(entries: Sequence[Entry]) -> nodes.paragraph:
    """How many perturbed versions were run and caught."""
    caught = [tooth["caught"] for entry in entries for tooth in entry["teeth"]]
    missed = caught.count(False)
    line = f"Versions that are wrong on purpose: {len(caught)}, of which the checks caught {caught.count(True)}"
    line += f" and MISSED {missed}" if missed else ""
    line += f"; {caught.count(None)} were not run" if None in caught else ""
    blunt = sum("blunt" in entry for entry in entries)
    line += f". Of the statements that hold, {blunt} could not have failed as printed" if blunt else ""
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


#: What the two sides are, where they are not the sides of a formula.
SIDES = {"probability": ("rate of failure", "allowed rate"), "rate": ("exponent", "exponent")}


def entry_rows(
    entry: Entry,
    chapter: Chapter,
    stored: Stored,
    leads: Sequence[Entry],
    titles: Mapping[str, str],
    faults: list[str],
) -> list[nodes.row]:
    """Two rows: the numbers, and below them the statement to unfold."""
    caught = [tooth["caught"] for tooth in entry["teeth"]]
    bitten = f"{caught.count(True)}/{len(caught)}" if caught else DASH
    units = SIDES.get(entry["kind"], ("", "")) if entry["lhs"] is not None else ("", "")
    sides = [
        [markup.number(entry[side]), *([markup.span(unit, classes=("evidence-place",))] if unit else [])]
        for side, unit in zip(("lhs", "rhs"), units, strict=True)
    ]
    numbers: list[list[str | nodes.Node]] = [
        *sides,
        [slack(entry)],
        [" of ".join(markup.describe(entry[field]) for field in ("failures", "trials")) if entry["trials"] else DASH],
        [markup.number(entry["delta"], 3)],
        [bitten],
    ]
    first = markup.row(
        [
            name_cell(entry, chapter, stored, faults),
            markup.cell(markup.words(entry["kind"])),
            markup.cell(
                markup.badge(entry["status"], common.TONES[entry["status"]]),
                *([" ", markup.badge("could not fail", "quiet")] if entry.get("blunt") else []),
            ),
            *[markup.cell(*number, classes=("number",)) for number in numbers],
            markup.cell(*places(entry, chapter, stored), classes=("evidence-see",)),
        ],
        common.facets(chapter.paper, kind=entry["kind"], status=entry["status"], whose=whose(entry)),
        common.place(entry["id"]),
    )
    inside = details(entry, chapter, stored, leads, titles, faults)
    unfolded = markup.disclosure(["The claim, how it came out, and how the check was tested"], inside)
    return [first, markup.row([markup.cell(unfolded, columns=len(HEADER))], ("evidence-more",))]


def name_cell(entry: Entry, chapter: Chapter, stored: Stored, faults: list[str]) -> nodes.entry:
    """What the statement says in a few words, where it stands in the paper, and its address."""
    title = common.text(common.sentence(entry["title"]), stored, entry["id"], faults)
    return markup.cell(
        common.formerly("ledger", chapter.paper, entry["id"]),
        markup.span(*title, classes=("evidence-title",)),
        markup.span(
            *common.text(entry["location"], stored, entry["id"], faults),
            " ",
            common.permalink(common.place(entry["id"])),
            classes=("evidence-place",),
        ),
        classes=("evidence-name",),
    )


def places(entry: Entry, chapter: Chapter, stored: Stored) -> list[str | nodes.Node]:
    """Links to the statement's place in its chapter and to the function that evaluates it."""
    asker = f"{stored.path}: {entry['id']}"
    see: list[str | nodes.Node] = []
    if entry["anchor"]:
        page = f"notebooks/{entry['chapter']}" if entry.get("chapter") else chapter.page
        see.append(links.to_page("chapter", page, entry["anchor"], asker=asker))
    if entry["code"]:
        module, name = entry["code"]["module"], entry["code"]["name"]
        see += [" ", links.to_code("code", module, name, asker=asker)]
    return see


def details(
    entry: Entry,
    chapter: Chapter,
    stored: Stored,
    leads: Sequence[Entry],
    titles: Mapping[str, str],
    faults: list[str],
) -> list[nodes.Node]:
    """What unfolds: claim, assumptions, dependencies, outcome, teeth, and the command."""
    name, asker = entry["id"], f"{stored.path}: {entry['id']}"

    def text(content: str) -> list[nodes.Node]:
        return common.text(content, stored, name, faults)

    rests: list[str | nodes.Node] = []
    for other in entry["depends"]:
        rests += ["; "] if rests else []
        link = links.to_page("", common.page_of("ledger", chapter), common.place(other), asker=asker)
        link += text(titles.get(other, common.spoken(other)))
        rests.append(link)
    related: list[str | nodes.Node] = []
    for lead in (lead for lead in leads if lead["statement"] == name):
        related += ["; "] if related else []
        link = links.to_page("", common.page_of("discrepancies", chapter), common.place(lead["id"]), asker=asker)
        link += text(lead["title"])
        related += [link, "" if lead["confirmed"] else " (not confirmed)"]
    needs = markup.bullets([text(item) for item in entry["assumptions"]])
    outcome = text(common.full_stop(common.sentence(entry["reason"] or markup.words(entry["status"]))))
    pairs: list[tuple[str, Sequence[nodes.Node]]] = [
        ("Claim", common.body(entry["latex"], stored, name, faults)),
        ("Needs", [needs] if entry["assumptions"] else []),
        ("Rests on", [markup.paragraph(*rests)] if rests else []),
        ("Correction", [markup.paragraph(*text(entry["correction"]))] if entry["correction"] else []),
        ("Outcome", [markup.paragraph(*outcome)]),
        ("Could not fail", [markup.paragraph(*text(common.full_stop(entry["blunt"])))] if entry.get("blunt") else []),
        ("Note", [markup.paragraph(*text(entry["note"]))] if entry.get("note") else []),
        ("Tightest case", [markup.paragraph(*text(entry["where"]))] if entry["where"] else []),
        ("Wrong versions", teeth_list(entry, text)),
        ("Suspected errors", [markup.paragraph(*related)] if related else []),
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


def teeth_list(entry: Entry, text: Any) -> list[nodes.Node]:
    """The perturbed versions of a statement or lead, one a line."""
    lines = [tooth_line(tooth, text) for tooth in entry.get("teeth", ())]
    return [markup.bullets(lines)] if lines else []


def tooth_line(tooth: Entry, text: Any) -> list[str | nodes.Node]:
    """One perturbed version, whether the check caught it, and on which case."""
    said, tone = {True: ("caught", "good"), False: ("missed", "bad"), None: ("not run", "quiet")}[tooth["caught"]]
    found: list[str | nodes.Node] = [*text(tooth["name"]), ": ", markup.badge(said, tone)]
    if tooth.get("where"):
        found += [" at ", *text(tooth["where"])]
    return found
