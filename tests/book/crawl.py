"""Read a built book without a browser: links that lead nowhere, ids that stand twice, and what everything weighs.

``python tests/book/crawl.py book/_build/html`` prints it.
"""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Addresses in these attributes have to be there.
ATTRIBUTES = ("href", "src")
#: Loaded by nobody: pieces of the theme.
PIECES = "_static/"


@dataclass
class Page(HTMLParser):
    """Ids and links of one page."""

    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    #: Of light and of dark pages; the others are in both.
    pictures: dict[str, set[str]] = field(default_factory=lambda: {"light": set(), "dark": set()})

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" and value:
                self.ids.append(value)
            elif value and (name in ATTRIBUTES or (name == "name" and tag == "a")):
                (self.links if name in ATTRIBUTES else self.ids).append(value)
        told = dict(attributes)
        if tag == "img" and told.get("src"):
            for mode, found in self.pictures.items():
                other = {"light": "dark", "dark": "light"}[mode]
                if f"only-{other}" not in (told.get("class") or ""):
                    found.add(str(told["src"]))


@functools.cache
def read(path: Path) -> Page:
    """A page of a finished book, read once."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def faults(folder: Path) -> list[str]:
    """One line for every link inside a book that leads nowhere and for every id that a page has twice."""
    found = []
    pages = {path: read(path) for path in sorted(folder.rglob("*.html")) if PIECES not in path.as_posix()}
    for path, page in pages.items():
        name = path.relative_to(folder).as_posix()
        found += [f"{name}: the id {i!r} stands twice" for i in sorted({i for i in page.ids if page.ids.count(i) > 1})]
        for link in sorted(set(page.links)):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                found.append(f"{name}: nothing at {link}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                found.append(f"{name}: no such place as {link}")
    return found


def weights(folder: Path) -> tuple[float, dict[str, float]]:
    """Megabytes of all files of a book, and of every page with its pictures in the heavier of the two modes."""
    size = {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        if PIECES not in path.as_posix():
            modes = read(path).pictures.values()
            drawn = max(sum(size.get((path.parent / unquote(link)).resolve(), 0) for link in mode) for mode in modes)
            pages[path.relative_to(folder).as_posix()] = (size[path] + drawn) / 1e6
    return sum(size.values()) / 1e6, pages


def main(folder: Path) -> int:
    """Print faults and weights; 1 where there are faults."""
    wrong, (site, pages) = faults(folder), weights(folder)
    heaviest = sorted(pages.items(), key=lambda item: -item[1])[:10]
    lines = [*wrong, f"{len(wrong)} faults on {len(pages)} pages", f"site {site:.1f} MB"]
    sys.stdout.write("\n".join([*lines, *(f"{size:6.2f} MB {page}" for page, size in heaviest)]) + "\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
