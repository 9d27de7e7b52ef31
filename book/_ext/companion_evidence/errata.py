"""What the page for a paper's authors shows: what holds, each erratum with its program and what it prints, and answers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from companion.core.errors import ResultError
from companion.exports import errata
from companion_evidence import common, data

NAME = "errata"


def chapters(root: Path) -> list[data.Chapter]:
    """Chapters with such a page: those about one paper."""
    return [chapter for chapter in data.chapters(root) if not chapter.above]


def shown(root: Path, paper: str = "") -> common.Made:
    """The page of a paper; without one, how many errata each paper has, and how many of them were answered."""
    found = {chapter.paper: chapter for chapter in chapters(root)}
    absent = {slug: lacking for slug, chapter in found.items() if (lacking := _absent(root, chapter))}
    if not paper:
        rows = [(chapter, None if slug in absent else _counted(root, slug)) for slug, chapter in found.items()]
        amounts = [common.AMOUNTS[name] for name in errata.GRAVE]
        return common.render("errata_counts", rows=rows, amounts=amounts), []
    if paper not in found:
        raise ResultError(f"no chapter about {paper!r} has a page of the {NAME}")
    chapter, read = found[paper], common.Reader(root / "data" / "reported" / paper)
    if paper in absent:
        return common.render("errata", chapter=chapter, missing=absent[paper], told=None), []
    told, faults = errata.document(paper, root)
    leads = {str(entry["id"]) for entry in data.load(root, chapter, "discrepancies").entries}
    said = {name: getattr(errata, name)(told) for name in ("what_holds", "how_to_answer", "what_is_ours")}
    made = common.render("errata", chapter=chapter, told=told, read=read, leads=leads, AMOUNTS=common.AMOUNTS, **said)
    return made, [*faults, *read.faults]


def _absent(root: Path, chapter: data.Chapter) -> data.Stored | None:
    """The first of the chapter's files of evidence that cannot be read; their own pages say why."""
    files = (data.load(root, chapter, name) for name in data.NAMES)
    return next((stored for stored in files if stored.record is None), None)


def _counted(root: Path, paper: str) -> tuple[list[int], int]:
    """Errata of each of :data:`~companion.exports.errata.GRAVE`, and answers."""
    found, wanted, _ = errata.collect(paper, root)
    of = Counter(entry["consequence"] for entry in wanted if entry["id"] in found)
    return [of[name] for name in errata.GRAVE], len(errata.answers(paper, root))
