"""What the pages share: names of pages and anchors, the tone of a verdict, records, counts, chapters without evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes

from companion.core.errors import DataError
from companion.reproduce import consequence
from companion.reproduce.consequence import Consequence
from companion.reproduce.ownership import PAPER, whose
from companion_evidence import links, markup
from companion_evidence.data import Chapter, Stored

TONES = {
    "holds": "good",
    "holds-with-corrected-constant": "fair",
    "fails": "bad",
    "not-checkable": "quiet",
    "equivalent": "good",
    "compatible-underpowered": "fair",
    "same-ordering-different-level": "fair",
    "different": "bad",
    "not-testable": "quiet",
    "contradicted": "bad",
    "undecided": "quiet",
    "major": "bad",
    "medium": "fair",
    "minor": "quiet",
    "equivalent-yet-different": "fair",
    "substance": "bad",
    "constants": "fair",
    "misprint": "quiet",
    "none": "quiet",
}
#: Of which an error is, in a count; ``none`` is a remark and no error.
AMOUNTS = {"substance": "of substance", "constants": "of constants", "misprint": "misprint", "none": "no error"}
SEVERAL_AMOUNTS = AMOUNTS | {"misprint": "misprints", "none": "no errors"}

_PREFIXES = {"app": "Appendix", "eq": "Equation", "prop": "Proposition"}


def page_of(name: str, chapter: Chapter) -> str:
    """The page of one kind of a chapter's evidence."""
    return f"book/{name}/{chapter.stem}"


def anchor(page: str, paper: str, identifier: str) -> str:
    """Id that an entry had while one page held all papers; links of old lead to it."""
    return nodes.make_id(f"{page}-{paper}-{identifier}")


def place(identifier: str) -> str:
    """Id of an entry on the page of its chapter: short, and the same however the page is arranged."""
    return nodes.make_id(identifier)


def permalink(identifier: str) -> nodes.reference:
    """The address of an entry, to be copied."""
    shown = f"#{identifier}"
    link = nodes.reference("", shown, refuri=shown, internal=True, classes=["evidence-permalink"])
    link["reftitle"] = "Link to this entry"
    return link


def formerly(page: str, paper: str, identifier: str) -> nodes.inline:
    """An empty place with an entry's old id."""
    return nodes.inline("", "", ids=[anchor(page, paper, identifier)])


def spoken(identifier: str) -> str:
    """An inventory id in words: ``prop-3`` is Proposition 3."""
    first, _, rest = identifier.partition("-")
    return f"{_PREFIXES.get(first, first.capitalize())} {rest}".replace("-", " ").strip()


def facets(paper: str, **values: str) -> list[str]:
    """Classes that the filters of a page read."""
    return ["evidence-row", *(f"facet-{name}--{value}" for name, value in ({"paper": paper} | values).items())]


def counted(entries: Iterable[Mapping[str, Any]], field: str, order: Iterable[str]) -> dict[str, int]:
    """How many entries have which value, in the given order; values that do not occur are left out."""
    found = Counter(str(entry[field]) for entry in entries)
    return {value: found[value] for value in order if found[value]}


def kind(entry: Mapping[str, Any]) -> str:
    """``cell`` or ``claim``, or ``question`` where it is the companion that asks and not the paper that claims."""
    return "question" if entry["kind"] == "claim" and whose(entry) != PAPER else str(entry["kind"])


def outcome(entry: Mapping[str, Any]) -> str:
    """The verdict, where ``equivalent`` is told apart from equivalent with an interval that leaves out zero."""
    return f"{entry['verdict']}-yet-different" if entry.get("also_different") else str(entry["verdict"])


def outcomes(entries: Iterable[Mapping[str, Any]], order: Iterable[str]) -> dict[str, int]:
    """How many entries came out how, by :func:`outcome`, in the order of the verdicts."""
    found = Counter(map(outcome, entries))
    names = [name for verdict in order for name in (verdict, f"{verdict}-yet-different")]
    return {name: found[name] for name in names if found[name]}


def amounts(
    root: Path, chapter: Chapter, files: Mapping[str, Stored]
) -> tuple[tuple[Consequence, ...] | None, list[str]]:
    """What the chapter's confirmed suspicions amount to, and what is wrong with that table; ``None`` without one."""
    try:
        rows = consequence.load(chapter.paper, root)
    except DataError as error:
        return None, [str(error)]
    if rows is None:
        return None, []
    leads = files["discrepancies"].entries
    known = [str(entry["id"]) for entry in leads], [str(entry["id"]) for entry in files["ledger"].entries]
    faults = [f"errors.csv of {chapter.paper}: there is no {name!r}" for name in consequence.unknown(rows, *known)]
    faults += [
        f"errors.csv of {chapter.paper}: the confirmed lead {name!r} has no row"
        for name in consequence.unjudged(rows, leads)
    ]
    return rows, faults


def amounting(rows: Iterable[Consequence], leads: Iterable[Mapping[str, Any]], what: str) -> dict[str, int]:
    """Number of ``causes`` or ``places`` per consequence, from the gravest, without what does not occur."""
    counts = consequence.counts(rows, leads)
    return {name: found[what] for name, found in counts.items() if found[what]}


def of_kind(entries: Iterable[Mapping[str, Any]], wanted: str) -> list[Any]:
    """The verdicts of one :func:`kind`, in their order."""
    return [entry for entry in entries if kind(entry) == wanted]


def tally(what: str, counts: Mapping[str, int]) -> nodes.paragraph:
    """One line: what is counted, then a badge for each value with its count."""
    line = markup.paragraph(what, classes=("evidence-tally",))
    for value, count in counts.items():
        line += [
            nodes.Text(" "),
            markup.span(f"{count} ", markup.badge(value, TONES[value]), classes=("evidence-count",)),
        ]
    return line


def chapter_section(page: str, chapter: Chapter) -> nodes.section:
    """A chapter's part of a page."""
    return markup.section(
        chapter.heading, f"{page}-{chapter.paper}", ("evidence-chapter", f"facet-paper--{chapter.paper}")
    )


def absent(chapter: Chapter, stored: Stored) -> nodes.paragraph | None:
    """What stands in place of evidence that is missing or cannot be trusted; ``None`` when it is there."""
    if stored.missing:
        return markup.paragraph(
            "No stored evidence yet: run ", markup.code(chapter.command), ".", classes=("evidence-absent",)
        )
    if stored.record is None:
        return markup.paragraph(
            "The stored evidence cannot be read. Make it again with ",
            markup.code(chapter.command),
            ".",
            classes=("evidence-absent",),
        )
    return None


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def text(content: str, stored: Stored, name: str, faults: list[str]) -> list[nodes.Node]:
    """Stored text as nodes; text with a broken formula is shown as it is, and reported."""
    try:
        return markup.inline(content)
    except ValueError as error:
        faults.append(f"{stored.path}: {name}: {error}")
        return [nodes.Text(content)]


def body(content: str, stored: Stored, name: str, faults: list[str]) -> list[nodes.Node]:
    """Like :func:`text`, with paragraphs and displayed formulas."""
    try:
        return markup.blocks(content)
    except ValueError as error:
        faults.append(f"{stored.path}: {name}: {error}")
        return [markup.paragraph(content)]


def sentence(content: str) -> str:
    """``content`` with a capital at its beginning, as in a table or list of full sentences."""
    return content[:1].upper() + content[1:]


def full_stop(content: str) -> str:
    """``content`` with a full stop, where it has none."""
    done = content.rstrip().endswith((".", "!", "?", "$$")) or not content.strip()
    return content if done else f"{content.rstrip()}."


def onward(name: str, chapter: Chapter, words: str) -> nodes.paragraph:
    """The way from counts to what was counted."""
    return markup.paragraph(links.to_page(words, page_of(name, chapter)), ".")


def stored_section(page: str, chapter: Chapter, stored: Stored, fill: Callable[[nodes.section], None]) -> nodes.section:
    """A chapter's part of a page that shows one stored file: its content, where it is from, or why there is none."""
    section = chapter_section(page, chapter)
    missing = absent(chapter, stored)
    if missing is not None:
        section += missing
        return section
    fill(section)
    assert stored.record is not None  # absent() has looked
    section += where_from(stored.record.to_dict()) or []
    return section


def where_from(record: Mapping[str, Any] | None) -> nodes.paragraph | None:
    """A record in one small line: command, date, seconds, seeds, commit, code."""
    if not record or not record.get("command"):
        return None
    parts: list[str | nodes.Node] = ["Made by ", markup.code(str(record["command"]))]
    if record.get("date"):
        parts.append(f", {day(str(record['date']))}")
    if isinstance(record.get("seconds"), int | float):
        parts.append(f", {markup.number(record['seconds'], 3)} s")
    if record.get("seeds"):
        parts.append(f", {seeds(record['seeds'])}")
    if record.get("commit"):
        parts.append(f", commit {commit(record)}")
    if record.get("package"):
        parts.append(f", code {str(record['package'])[:12]}")
    return markup.paragraph(*parts, ".", classes=("companion-where",))


def day(date: str) -> str:
    """Date and minute of an ISO 8601 time in UTC."""
    return date.replace("T", " ")[:16] + " UTC"


def commit(record: Mapping[str, Any]) -> str:
    """First letters of the commit, and whether the checkout had changes."""
    return str(record["commit"])[:10] + (" with changes" if record.get("dirty") else "")


def seeds(values: Iterable[int]) -> str:
    """Seeds in few words."""
    listed = list(values)
    if len(listed) > 1 and listed == list(range(listed[0], listed[0] + len(listed))):
        return f"seeds {listed[0]} to {listed[-1]}"
    return ("seed " if len(listed) == 1 else "seeds ") + ", ".join(str(value) for value in listed)
