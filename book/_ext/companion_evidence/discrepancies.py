"""The discrepancies' page: what was suspected of a paper's text, what the computation found, and how to see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes

from companion.checks.lead import SEVERITIES
from companion.reproduce.consequence import Consequence
from companion_evidence import arrays, common, ledger, links, markup
from companion_evidence.data import Chapter, Stored

Entry = Mapping[str, Any]


def build(
    root: Path, chapter: Chapter, files: Mapping[str, Stored], *, whole: bool = True
) -> tuple[nodes.section, list[str]]:
    """The chapter's part of the page, all entries or counts only, and what is wrong with texts in the file."""
    stored, faults = files["discrepancies"], list[str]()
    titles = {entry["id"]: str(entry["title"]) for entry in files["ledger"].entries}

    def fill(section: nodes.section) -> None:
        rows, wrong = common.amounts(root, chapter, files)
        faults.extend(wrong)
        judged = {row.lead: row for row in rows or ()}
        confirmed = [entry for entry in stored.entries if entry["confirmed"]]
        others = [entry for entry in stored.entries if not entry["confirmed"]]
        section += markup.paragraph(
            f"{common.plural(len(stored.entries), 'suspicion')} tested: {len(confirmed)} confirmed, {len(others)} not.",
            classes=("evidence-tally",),
        )
        if rows:
            section += common.tally("Causes of the confirmed ones:", common.amounting(rows, stored.entries, "causes"))
        if not whole:
            section += common.onward("discrepancies", chapter, f"The {common.plural(len(stored.entries), 'suspicion')}")
            return
        for title, entries in (("Confirmed", confirmed), ("Not confirmed", others)):
            if not entries:
                continue
            part = markup.section(title, f"discrepancies-{chapter.paper}-{title}", ("evidence-part",))
            part += common.tally("By severity:", common.counted(entries, "severity", SEVERITIES))
            # The most serious first; within a severity the order of the paper's list stays.
            for entry in sorted(entries, key=lambda entry: SEVERITIES.index(entry["severity"])):
                part += lead(entry, chapter, stored, titles, faults, judged.get(entry["id"]))
            section += part

    return common.stored_section("discrepancies", chapter, stored, fill), faults


def lead(
    entry: Entry,
    chapter: Chapter,
    stored: Stored,
    titles: Mapping[str, str],
    faults: list[str],
    judged: Consequence | None = None,
) -> nodes.section:
    """One suspicion, and what it amounts to where it was confirmed and judged."""

    def text(content: str) -> list[nodes.Node]:
        return common.text(content, stored, entry["id"], faults)

    identifier = common.place(entry["id"])
    title = nodes.title("", "", *text(common.sentence(entry["title"])))
    found = nodes.section("", title, ids=[identifier], classes=["evidence-lead"])
    verdict = "confirmed" if entry["confirmed"] else "not confirmed"
    shown = judged if entry["confirmed"] else None
    amount = (
        [] if shown is None else [markup.badge(common.AMOUNTS[shown.consequence], common.TONES[shown.consequence]), " "]
    )
    found += markup.paragraph(
        common.formerly("discrepancies", chapter.paper, entry["id"]),
        markup.badge(entry["severity"], common.TONES[entry["severity"]]),
        " ",
        markup.badge(verdict, "bad" if entry["confirmed"] else "good"),
        " ",
        *amount,
        *text(entry["location"]),
        " ",
        common.permalink(identifier),
    )
    told = "What is printed, what was found, and what follows" if entry["confirmed"] else "What was suspected and found"
    found += markup.disclosure([told], [markup.facts(facts(entry, chapter, stored, titles, faults, shown))])
    return found


def facts(
    entry: Entry,
    chapter: Chapter,
    stored: Stored,
    titles: Mapping[str, str],
    faults: list[str],
    shown: Consequence | None,
) -> list[tuple[str, Sequence[nodes.Node]]]:
    """What unfolds, by what it is."""

    def sentences(content: str) -> list[nodes.Node]:
        return common.body(common.full_stop(common.sentence(content)), stored, entry["id"], faults)

    def text(content: str) -> list[nodes.Node]:
        return common.text(content, stored, entry["id"], faults)

    statement: Sequence[nodes.Node] = []
    if entry["statement"]:
        asker = f"{stored.path}: {entry['id']}"
        link = links.to_page("", common.page_of("ledger", chapter), common.place(entry["statement"]), asker=asker)
        link += text(titles.get(entry["statement"], common.spoken(entry["statement"])))
        statement = [markup.paragraph(link)]
    outcome = entry["consequence"] if entry["confirmed"] else entry.get("outcome") or entry["consequence"]
    return [
        ("Printed", sentences(entry["printed"])),
        ("Found", sentences(entry["found"])),
        ("Consequence" if entry["confirmed"] else "Outcome", sentences(outcome)),
        ("Cause", [] if shown is None else sentences(markup.words(shown.cause))),
        ("Wrong versions", ledger.teeth_list(entry, text)),
        ("Numbers", arrays.values(entry["values"], entry.get("columns", {}))),
        ("In the ledger", statement),
        ("See it", [markup.paragraph(markup.code(entry["command"]))]),
    ]
