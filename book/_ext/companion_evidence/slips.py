"""Slips by kind, for the page that says what survives: a table of counts, and for each kind the places, with links."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from docutils import nodes

from companion.core.errors import ResultError
from companion.judge.consequence import ERRORS
from companion.papers.across.checks.shared_errors import KINDS, Slip, count, slips
from companion_evidence import common, data, links


def found(root: Path) -> tuple[list[data.Chapter], tuple[Slip, ...]]:
    """Chapters whose slips are sorted, and the slips."""
    chapters = data.chapters(root)
    all_of_them = slips([chapter.paper for chapter in chapters], root)
    return [chapter for chapter in chapters if any(slip.paper == chapter.paper for slip in all_of_them)], all_of_them


def shown(root: Path, kind: str = "") -> common.Made:
    """Of all kinds, how many papers, causes and places there are, and how grave; of one, every place below a fold.

    Raises
    ------
    ResultError
        for an unknown kind
    """
    chapters, known = found(root)
    if not kind:
        rows = {one: [slip for slip in known if slip.kind == one] for one in KINDS} | {"": list(known)}
        counts = {one: (count(chosen), Counter(slip.consequence for slip in chosen)) for one, chosen in rows.items()}
        amounts = {name: common.SEVERAL_AMOUNTS[name] for name in ERRORS}
        return common.render("slips", chapters=chapters, counts=counts, titles=KINDS, amounts=amounts), []
    if kind not in KINDS:
        raise ResultError(f"{kind!r} is none of the kinds {', '.join(KINDS)}")
    chosen = [slip for slip in known if slip.kind == kind]
    parts = []
    for chapter in chapters:
        stored = data.load(root, chapter, "discrepancies")
        titles = {str(entry["id"]): str(entry["title"]) for entry in stored.entries}
        parts.append((chapter, titles, common.Reader(stored.path), [s for s in chosen if s.paper == chapter.paper]))
    return common.render("places", total=count(chosen), chapters=parts, AMOUNTS=common.AMOUNTS), []


def entry(root: Path, text: str) -> list[nodes.Node]:
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
    asker = f"{paper}/{name}/{identifier}"
    place = common.place(identifier)
    return [links.to_page(" ".join(words.split()), common.page_of(name, chapter), place, asker=asker)]
