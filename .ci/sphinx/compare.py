"""Compare two builds of the book: ``python .ci/sphinx/compare.py book/_build/html build/sphinx/html``.

Both have to have the same pages, and every page the same places to link to; what differs is printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from bs4 import BeautifulSoup

#: Files of builders, not of the book: Jupyter Book leads from here to the first page, Sphinx puts a page of its own.
NOT_COMPARED = ("_static/", "index.html", "search.html", "genindex.html", "py-modindex.html")


def pages(built: Path) -> dict[str, set[str]]:
    """The ids in the text of every page, by its address."""
    found = {}
    for path in sorted(built.rglob("*.html")):
        name = path.relative_to(built).as_posix()
        if not name.startswith(NOT_COMPARED):
            soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
            text = soup.select_one("article") or soup
            found[name] = {str(element["id"]) for element in text.find_all(id=True)}
    return found


def differences(one: dict[str, set[str]], other: dict[str, set[str]]) -> Iterator[str]:
    """A line for every page, and every place, that only one of the builds has."""
    for name in sorted(one.keys() | other.keys()):
        if name not in other or name not in one:
            yield f"{name}: only in the {'first' if name in one else 'second'} build"
            continue
        for place in sorted(one[name] ^ other[name]):
            yield f"{name}#{place}: only in the {'first' if place in one[name] else 'second'} build"


def main() -> int:
    """Compare, and say how it came out."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    chosen = parser.parse_args()
    one, other = pages(chosen.first), pages(chosen.second)
    found = list(differences(one, other))
    for line in found:
        print(line)
    if not found:
        print(f"The same {len(one)} pages and {sum(map(len, one.values()))} places to link to in both builds.")
    return 1 if found or not one else 0


if __name__ == "__main__":
    raise SystemExit(main())
