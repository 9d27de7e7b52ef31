"""Slips by kind, for the page that says what survives: a table of counts, and for each kind the places, with links."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from docutils import nodes

from companion.core.errors import ResultError
from companion.papers.across.shared_errors import KINDS, Slip, count, slips
from companion.reproduce.consequence import ERRORS
from companion_evidence import common, data, links, markup

HEADER = ("Kind", "Papers", "Causes", *(common.SEVERAL_AMOUNTS[name] for name in ERRORS), "Places", "Remarks")


def found(root: Path) -> tuple[list[data.Chapter], tuple[Slip, ...]]:
    """Chapters whose slips are sorted, and the slips."""
    chapters = data.chapters(root)
    all_of_them = slips([chapter.paper for chapter in chapters], root)
    return [chapter for chapter in chapters if any(slip.paper == chapter.paper for slip in all_of_them)], all_of_them


def overview(root: Path) -> nodes.table:
    """A line for each kind: in how many papers, from how many causes, how grave, in how many places."""
    chapters, known = found(root)
    rows = []
    for kind, title in KINDS.items():
        chosen = [slip for slip in known if slip.kind == kind]
        name = nodes.reference("", title, refuri=f"#slip-{kind}", internal=True)
        rows.append(_row(markup.cell(name), chosen, len(chapters)))
    rows.append(_row(markup.cell("All"), list(known), len(chapters)))
    return markup.table(HEADER, rows, ("evidence-summary",))


def _row(name: nodes.entry, chosen: list[Slip], papers: int) -> nodes.row:
    total, grave = count(chosen), Counter(slip.consequence for slip in chosen)
    shown = [f"{total.papers} of {papers}", total.causes, *(grave[one] for one in ERRORS), total.places, total.remarks]
    return markup.row([name, *(markup.cell(str(value), classes=("number",)) for value in shown)])


def places(root: Path, kind: str) -> list[nodes.Node]:
    """One kind: how often it was found, and below a fold every place, with how grave it is.

    Raises
    ------
    ResultError
        for an unknown kind
    """
    if kind not in KINDS:
        raise ResultError(f"{kind!r} is none of the kinds {', '.join(KINDS)}")
    chapters, known = found(root)
    chosen = [slip for slip in known if slip.kind == kind]
    total = count(chosen)
    told = f"{common.plural(total.causes, 'cause')} in {total.papers} of {common.plural(len(chapters), 'paper')}"
    told += f", {common.plural(total.places, 'place')}"
    told += f"; {common.plural(total.remarks, 'remark')} besides" if total.remarks else ""
    lists = [_list(root, chapter, [slip for slip in chosen if slip.paper == chapter.paper]) for chapter in chapters]
    return [markup.disclosure([told], [node for made in lists for node in made])]


def _list(root: Path, chapter: data.Chapter, chosen: list[Slip]) -> list[nodes.Node]:
    if not chosen:
        return []
    stored = data.load(root, chapter, "discrepancies")
    entries = {str(entry["id"]): entry for entry in stored.entries}
    items = []
    for slip in chosen:
        badge = markup.badge(common.AMOUNTS[slip.consequence], common.TONES[slip.consequence])
        item: list[str | nodes.Node] = [badge, " "]
        for number, lead in enumerate(slip.leads):
            link = to_entry(chapter, "discrepancies", lead)
            link += common.text(common.sentence(str(entries.get(lead, {"title": lead})["title"])), stored, lead, [])
            item += ["; " if number else "", link]
        items.append(item)
    return [markup.paragraph(f"{chapter.number}. {chapter.title.split(':')[0]}"), markup.bullets(items)]


def to_entry(chapter: data.Chapter, name: str, identifier: str) -> links.EvidenceLink:
    """A link, without its text, to an entry on the page of its chapter."""
    asker = f"{chapter.paper}/{name}/{identifier}"
    return links.to_page("", common.page_of(name, chapter), common.place(identifier), asker=asker)


def entry(root: Path, text: str) -> links.EvidenceLink:
    """What ``{entry}`` shows: the words before ``<paper/file/id>``, leading to the entry.

    Raises
    ------
    ResultError
        if there is no such entry, or if it is a suspicion that was not confirmed
    """
    parts = re.fullmatch(r"(.+?)\s*<([^/<>]+)/(ledger|discrepancies)/([^<>]+)>", text, flags=re.DOTALL)
    if parts is None:
        raise ResultError(f"{text!r} has not the form WORDS <paper/ledger/id> or WORDS <paper/discrepancies/id>")
    words, paper, name, identifier = parts.groups()
    chapter = next((known for known in data.chapters(root) if known.paper == paper), None)
    entries = data.load(root, chapter, name).entries if chapter else ()
    meant = next((one for one in entries if one["id"] == identifier), None)
    if chapter is None or meant is None:
        raise ResultError(f"{paper}/{name} has no entry {identifier!r}")
    if name == "discrepancies" and not meant["confirmed"]:
        raise ResultError(f"{paper}/{name}/{identifier} is not confirmed; write the sentence anew")
    link = to_entry(chapter, name, identifier)
    link += nodes.Text(" ".join(words.split()))
    return link
