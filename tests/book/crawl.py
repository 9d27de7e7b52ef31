"""Read a built book without a browser: links that lead nowhere, ids that stand twice, what is said of pages, and what all weighs.

``python tests/book/crawl.py book/_build/html`` prints it.
"""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Addresses in these attributes have to be there.
ATTRIBUTES = ("href", "src")
#: Loaded by nobody: pieces of the theme.
PIECES = "_static/"
#: Listings of code, which ask search engines to pass by, and pages that are made for looking up.
LISTINGS, UNLISTED = "_modules/", ("search.html", "genindex.html")
#: What previews of links ask every page for.
PREVIEW = ("og:title", "og:description", "og:type", "og:image")
#: Scripts that hold data.
DATA = "application/ld+json"


@dataclass
class Page(HTMLParser):
    """Ids and links of one page."""

    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    #: Name and content of the tags in its head, and the address that it claims.
    told: list[tuple[str, str]] = field(default_factory=list)
    claimed: list[str] = field(default_factory=list)
    redirects: bool = False
    #: Descriptions for programs.
    data: list[str] = field(default_factory=list)
    _in_data: bool = False
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
        if tag == "meta":
            self.told.append((str(told.get("name", told.get("property"))), told.get("content") or ""))
            self.redirects |= (told.get("http-equiv") or "").lower() == "refresh"
        if tag == "link" and told.get("rel") == "canonical":
            self.claimed.append(str(told.get("href")))
        self._in_data = tag == "script" and told.get("type") == DATA
        if tag == "img" and told.get("src"):
            for mode, found in self.pictures.items():
                other = {"light": "dark", "dark": "light"}[mode]
                if f"only-{other}" not in (told.get("class") or ""):
                    found.add(str(told["src"]))

    def handle_endtag(self, tag: str) -> None:
        self._in_data = False

    def handle_data(self, data: str) -> None:
        if self._in_data:
            self.data.append(data)

    def said(self, name: str) -> list[str]:
        """Contents of the tags whose name begins so."""
        return [content for key, content in self.told if key.startswith(name)]


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


def untold(folder: Path, base: str = "") -> list[str]:
    """One line for everything that search engines and previews of links should be told of a page, and are not, or wrongly.

    Parameters
    ----------
    folder : of the built book
    base : address of that folder on the web; without one no page may claim an address
    """
    found, seen = [], dict[str, str]()
    pages = {path.relative_to(folder).as_posix(): read(path) for path in sorted(folder.rglob("*.html"))}
    pages = {name: page for name, page in pages.items() if PIECES not in name and not page.redirects}
    for name, page in pages.items():
        told = page.said("description")
        if len(told) != 1 or not told[0] or set(told[0]) & set("\\$\0"):
            found.append(f"{name}: described by {told}")
        found += [f"{name}: the description of {seen[one]}" for one in told if one in seen]
        seen |= dict.fromkeys(told, name)
        if not name.startswith(LISTINGS):
            found += [f"{name}: {len(page.said(key))} of {key}" for key in PREVIEW if len(page.said(key)) != 1]
            found += _of_address(name, page, base)
    listed = {f"{base}{name}" for name in pages if not name.startswith(LISTINGS) and name not in UNLISTED}
    sitemap = folder / "sitemap.xml"
    mapped = re.findall("<loc>(.*?)</loc>", sitemap.read_text(encoding="utf-8")) if sitemap.exists() else []
    if sorted(mapped) != (sorted(listed) if base else []):
        found.append(f"the sitemap has {sorted(mapped)}")
    return found


def _of_address(name: str, page: Page, base: str) -> Iterator[str]:
    """What is wrong with the addresses that a page claims."""
    if page.claimed != ([base + name] if base else []):
        yield f"{name}: claims {page.claimed}"
    places = [*page.said("og:image"), *page.said("og:url")]
    if any(place.startswith("http") != bool(base) or not place.startswith(base) for place in places):
        yield f"{name}: shows {places}"
    of_chapter = bool(base) and name.startswith("notebooks/")
    kinds = [json.loads(data)["@type"] for data in page.data]
    if kinds != (["LearningResource"] if of_chapter else []) or bool(page.said("citation_")) != of_chapter:
        yield f"{name}: is {kinds} for programs, with {len(page.said('citation_'))} tags"


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
    wrong, (site, pages) = [*faults(folder), *untold(folder)], weights(folder)
    heaviest = sorted(pages.items(), key=lambda item: -item[1])[:10]
    lines = [*wrong, f"{len(wrong)} faults on {len(pages)} pages", f"site {site:.1f} MB"]
    sys.stdout.write("\n".join([*lines, *(f"{size:6.2f} MB {page}" for page, size in heaviest)]) + "\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
