"""Read the printed book and say everything that is wrong with it: raw TeX, lost figures, dead links, wrong bookmarks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag
from pypdf import PdfReader
from pypdf.generic import IndirectObject
from pypdfium2 import PdfDocument

#: What is left of a formula that was not typeset: a command, a delimiter.
RAW = re.compile(r"\\[a-zA-Z]{2,}|\\[()\[\]]|\$")
_DRAWN = re.compile(rb"/([^\s/]+)\s+Do\b")
_SPACE = re.compile(r"\s+")


def faults(path: Path, page: BeautifulSoup) -> list[str]:
    """One line for everything that is wrong.

    Parameters
    ----------
    path : the printed book
    page : the page that was printed
    """
    reader = PdfReader(path)
    return [*raw_tex(path, page), *lost_figures(reader, page), *dead_links(reader), *wrong_bookmarks(reader, page)]


def raw_tex(path: Path, page: BeautifulSoup) -> Iterator[str]:
    """What looks like TeX in the text, and is not quoted as code on the page."""
    code = _SPACE.sub("", "".join(element.get_text() for element in page.select("pre, code")))
    for number, sheet in enumerate(PdfDocument(path), start=1):
        text = _SPACE.sub("", sheet.get_textpage().get_text_bounded())
        for found in RAW.finditer(text):
            if text[found.start() : found.end() + 3] not in code:
                yield f"page {number}: raw TeX: {text[max(found.start() - 20, 0) : found.end() + 40]}"
                break


def lost_figures(reader: PdfReader, page: BeautifulSoup) -> Iterator[str]:
    """Pictures that were to be printed, against those that were drawn."""
    wanted = len(page.select("img"))
    drawn = sum(_drawn(sheet) for sheet in reader.pages)
    if wanted != drawn:
        yield f"{drawn} pictures were drawn, {wanted} are on the page that was printed"


def _drawn(holder: Any, depth: int = 0) -> int:
    """Pictures that a sheet, or a form on it, draws."""
    things = (holder.get("/Resources") or {}).get("/XObject") or {}
    contents = holder.get_contents() if depth == 0 else holder
    calls = Counter(_DRAWN.findall(contents.get_data())) if contents is not None else Counter()
    total = 0
    for name, times in calls.items():
        thing = things["/" + name.decode()].get_object()
        total += times * (1 if thing["/Subtype"] == "/Image" else _drawn(thing, depth + 1))
    return total


def links(reader: PdfReader) -> Iterator[tuple[int, Any]]:
    """(sheet, where to) of every link: an address as text, a name or an explicit place."""
    for number, sheet in enumerate(reader.pages, start=1):
        for entry in sheet.get("/Annots") or ():
            entry = entry.get_object()
            if entry.get("/Subtype") != "/Link":
                continue
            action = (entry.get("/A") or {}).get_object() if entry.get("/A") else {}
            yield number, action.get("/URI", action.get("/D", entry.get("/Dest")))


def dead_links(reader: PdfReader) -> Iterator[str]:
    """Links to files, and to places that are not there."""
    names = set(reader.named_destinations)
    for number, target in links(reader):
        place = target.get_object() if isinstance(target, IndirectObject) else target
        if isinstance(place, list):
            continue
        if place is None or not (str(place).startswith(("https://", "http://", "mailto:")) or str(place) in names):
            yield f"page {number}: a link to {place}"


def bookmarks(reader: PdfReader, entries: Any = None, depth: int = 1) -> Iterator[tuple[int, str]]:
    """(depth, title) of every bookmark."""
    for entry in reader.outline if entries is None else entries:
        if isinstance(entry, list):
            yield from bookmarks(reader, entry, depth + 1)
        else:
            yield depth, _plain(str(entry.title))


def wrong_bookmarks(reader: PdfReader, page: BeautifulSoup) -> Iterator[str]:
    """The first place where bookmarks and headings of the page part, and raw TeX in any."""
    found, wanted = list(bookmarks(reader)), list(headings(page.find_all(re.compile(r"^h[1-6]$"))))
    for place, (one, other) in enumerate(zip_longest(found, wanted, fillvalue=(0, "nothing")), start=1):
        if one[0] != other[0] or not re.fullmatch(other[1], one[1]):
            yield f"bookmark {place} is {one}, the heading {other}; {len(found)} bookmarks, {len(wanted)} headings"
            break
    yield from (f"raw TeX in a bookmark: {title}" for _, title in found if RAW.search(title))


def headings(elements: Iterable[Tag]) -> Iterator[tuple[int, str]]:
    """(depth, pattern of the title) of headings; the depth counts the headings above, as bookmarks do."""
    above: list[int] = []
    for element in elements:
        level = int(element.name[1])
        while above and above[-1] >= level:
            above.pop()
        above.append(level)
        texts = element.find_all(string=True)
        parts = [".*" if text.find_parent(class_="math") else re.escape(_plain(text)) for text in texts]
        yield len(above), "".join(parts)


def _plain(text: str) -> str:
    return _SPACE.sub("", text)
