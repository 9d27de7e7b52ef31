"""What is wrong with the Markdown twins of a built book, and with the list of its pages for programs."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup

from book import browser

#: Pages that are no text: listings of code, and the search.
OTHERS = ("_modules/", "_static/", "search.html")
#: What of a page its twin has in another form, or not at all.
ELSEWHERE = frozenset(
    {
        "companion-where",
        "companion-from",
        "companion-doubt",
        "companion-moved",
        "companion-take-away",
        "companion-paper",
    }
    | {"headerlink", "above-input", "admonition-title", "evidence-permalink", "evidence-filters", "companion-source"}
)
# Code and formulas may look like anything.
_RAW = re.compile(
    r"^ *(`{3,})[^`]*$.*?^ *\1$|(`+)(?!`).+?(?<!`)\2(?!`)|\$\$.+?\$\$|\$[^$]+\$", re.DOTALL | re.MULTILINE
)
_LEFT = re.compile(r"</?[a-z][\w-]*(?:\s[^<>]*)?/?>|&(?:[a-z]+|#\d+);|data:\w+/", re.IGNORECASE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def named(folder: Path) -> list[str]:
    """Pages that have to have a twin, without suffix."""
    return [page.removesuffix(".html") for page in browser.pages(folder) if not page.startswith(OTHERS)]


def dead(folder: Path, path: Path) -> Iterator[str]:
    """Links of a Markdown file that lead to no file."""
    for link in _LINK.findall(_RAW.sub("", path.read_text(encoding="utf-8"))):
        place = html.unescape(link).partition("#")[0]
        if not re.match(r"[a-z]+:", place) and not (path.parent / place).is_file():
            yield f"{path.relative_to(folder).as_posix()}: nothing at {link}"


def faults(folder: Path) -> list[str]:
    """Pages without twin or without a link to it, leftovers of HTML in twins, links that lead nowhere, pages not listed once."""
    found, listed = [], folder / "llms.txt"
    pages = _LINK.findall(listed.read_text(encoding="utf-8")) if listed.is_file() else []
    found += [
        f"llms.txt names {name}.md {pages.count(f'{name}.md')} times"
        for name in named(folder)
        if pages.count(f"{name}.md") != 1
    ]
    found += list(dead(folder, listed)) if pages else []
    for name in named(folder):
        page, path = (folder / f"{name}.html").read_text(encoding="utf-8"), folder / f"{name}.md"
        if not path.is_file():
            found.append(f"{name}: no twin")
            continue
        if (
            f'<link rel="alternate" type="text/markdown" href="{path.name}">' not in page
            or f'<a href="{path.name}"' not in page
        ):
            found.append(f"{name}: no link to its twin")
        text = path.read_text(encoding="utf-8")
        found += [f"{name}: {left}" for left in _LEFT.findall(_RAW.sub("", text))]
        found += dead(folder, path)
        if not text.startswith("# "):
            found.append(f"{name}: begins without its title")
    return found


def left_out(notebook: Any, text: str) -> list[str]:
    """Code that a chapter shows, what it prints, pictures and cells of tables that are not in its twin."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        tags = cell.metadata.get("tags", [])
        wanted = [] if {"remove-input", "remove-cell"} & set(tags) else [cell.source.strip()]
        for output in [] if {"remove-output", "remove-cell"} & set(tags) else cell.outputs:
            wanted += [output.text.strip()] if output.output_type == "stream" else []
            shown = output.get("data", {}).get("text/html", "")
            wanted += [
                f"![{html.unescape(alt)}](" for alt in re.findall(r'<img class="only-light" alt="([^"]*)"', shown)
            ]
            wanted += [f"| {html.unescape(cell)} |" for cell in re.findall(r'<td class="number">([^<|]+)</td>', shown)]
        found += [part for part in wanted if part not in text]
    return found


# What is left of prose to be compared: words and numbers, without the marks of either form.
_WORDS = re.compile(r"[^\W_]+")
_ADDRESS = re.compile(r"(?<=\])\([^)\s]*\)")


def _plain(text: str) -> str:
    return " ".join(_WORDS.findall(text))


def unsaid(body: str, text: str) -> list[str]:
    """Paragraphs of a page's article that its twin has not, and figures to drag to which it shows no way."""
    article, said = BeautifulSoup(body, "html.parser").select_one("article.bd-article"), _plain(_ADDRESS.sub("", text))
    for part in article.find_all(class_=ELSEWHERE):
        part.decompose()
    paragraphs = [paragraph.get_text() for paragraph in article.find_all(["p", "figcaption"])]
    found = [paragraph[:80] for paragraph in paragraphs if _plain(paragraph) not in said]
    for stage in article.select(".companion-drag > .drag-stage"):
        if f".html#drag-{stage['data-figure']})" not in text:
            found.append(f"no way to the figure to drag {stage['data-figure']}")
    return found


def given_away(text: str) -> list[str]:
    """Solutions above the heading behind which they belong."""
    before, *_ = text.partition("\n## Solutions\n")
    return re.findall(r"^.*Solution to .*$", before, re.MULTILINE)
