"""The discrepancies' page: what was suspected of a paper's text, what the computation found, and how to see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes

from companion.checks.lead import SEVERITIES
from companion.reproduce.consequence import Consequence
from companion_evidence import common, links, markup
from companion_evidence.data import Chapter, Stored

Entry = Mapping[str, Any]


def build(root: Path, chapter: Chapter, files: Mapping[str, Stored]) -> tuple[nodes.section, list[str]]:
    """The chapter's part of the page, and what is wrong with texts in the file."""
    stored, faults = files["discrepancies"], list[str]()

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
        for title, entries in (("Confirmed", confirmed), ("Not confirmed", others)):
            if not entries:
                continue
            part = markup.section(title, f"discrepancies-{chapter.paper}-{title}", ("evidence-part",))
            part += common.tally("By severity:", common.counted(entries, "severity", SEVERITIES))
            # The most serious first; within a severity the order of the paper's list stays.
            for entry in sorted(entries, key=lambda entry: SEVERITIES.index(entry["severity"])):
                part += lead(entry, chapter, stored, faults, judged.get(entry["id"]))
            section += part

    return common.stored_section("discrepancies", chapter, stored, fill), faults


def lead(
    entry: Entry, chapter: Chapter, stored: Stored, faults: list[str], judged: Consequence | None = None
) -> nodes.section:
    """One suspicion, and what it amounts to where it was confirmed and judged."""

    def text(content: str) -> list[nodes.Node]:
        return common.text(content, stored, entry["id"], faults)

    def blocks(content: str) -> list[nodes.Node]:
        return common.body(content, stored, entry["id"], faults)

    identifier = common.anchor("discrepancies", chapter.paper, entry["id"])
    title = nodes.title("", f"{entry['id']}. ", *text(common.sentence(entry["title"])))
    found = nodes.section("", title, ids=[identifier], classes=["evidence-lead"])
    verdict = "confirmed" if entry["confirmed"] else "not confirmed"
    shown = judged if entry["confirmed"] else None
    amount = (
        [] if shown is None else [markup.badge(common.AMOUNTS[shown.consequence], common.TONES[shown.consequence]), " "]
    )
    found += markup.paragraph(
        markup.badge(entry["severity"], common.TONES[entry["severity"]]),
        " ",
        markup.badge(verdict, "bad" if entry["confirmed"] else "good"),
        " ",
        *amount,
        *text(entry["location"]),
    )
    numbers = [
        [*(text(key) if "$" in key else [markup.code(key)]), " = ", markup.describe(value)]
        for key, value in entry["values"].items()
    ]
    unfolded = markup.disclosure(["The numbers behind it"], [markup.bullets(numbers)]) if numbers else None
    statement: Sequence[nodes.Node] = []
    if entry["statement"]:
        target = common.anchor("ledger", chapter.paper, entry["statement"])
        asker = f"{stored.path}: {entry['id']}"
        link = links.to_page(common.spoken(entry["statement"]), common.LEDGER, target, asker=asker)
        statement = [markup.paragraph(link)]
    outcome = entry["consequence"] if entry["confirmed"] else entry.get("outcome") or entry["consequence"]
    cause = (
        [] if shown is None else [markup.paragraph(*text(common.full_stop(common.sentence(markup.words(shown.cause)))))]
    )
    found += markup.facts(
        [
            ("Printed", blocks(common.full_stop(common.sentence(entry["printed"])))),
            (
                "Found",
                [
                    *blocks(common.full_stop(common.sentence(entry["found"]))),
                    *([unfolded] if unfolded is not None else []),
                ],
            ),
            ("Consequence" if entry["confirmed"] else "Outcome", blocks(common.full_stop(common.sentence(outcome)))),
            ("Cause", cause),
            ("In the ledger", statement),
            ("See it", [markup.paragraph(markup.code(entry["command"]))]),
        ]
    )
    return found
