"""Print the built book into one file: ``python .ci/editions/pdf.py book/_build/html build/companion.pdf`` (``make pdf``).

The built pages are bound into one (:mod:`bound`), a headless Chromium typesets and prints it, twice, since the numbers of
pages in the table of contents are known only after the first time. What was printed is then read (:mod:`check`).
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bound
import check
from bs4 import BeautifulSoup
from playwright.sync_api import Page as Window
from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter

HERE = Path(__file__).parent
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: Milliseconds: thousands of formulas are typeset, and hundreds of pages laid out.
PATIENCE = 900_000
#: The width of the column on upright pages, 170 mm, in pixels of a style sheet.
COLUMN = round(170 / 25.4 * 96)
_NUMBER = (
    "(pages) => document.querySelectorAll('[data-for]').forEach((e) => (e.textContent = pages[e.dataset.for] ?? ''))"
)


@contextmanager
def opened(page: BeautifulSoup, built: Path) -> Iterator[Window]:
    """The page in a headless browser, in the width of paper.

    Raises
    ------
    RuntimeError
        where there is no browser
    """
    browser_path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if browser_path is None:
        raise RuntimeError("no Chromium on PATH, and nothing else here prints a page: apt install chromium")
    # Beside the book's pictures and style sheets, which it refers to.
    with (
        tempfile.NamedTemporaryFile("w", dir=built, suffix=".html", encoding="utf-8") as file,
        sync_playwright() as player,
    ):
        file.write(str(page))
        file.flush()
        browser = player.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        window = browser.new_page(viewport={"width": COLUMN, "height": 1000}, color_scheme="light")
        window.set_default_timeout(PATIENCE)
        window.emulate_media(media="print")
        window.goto(Path(file.name).as_uri(), wait_until="load")
        yield window
        browser.close()


def pages_by_name(path: Path) -> dict[str, int]:
    """The page of every named place of a printed book."""
    reader = PdfReader(path)
    return {
        name.removeprefix("/"): int(reader.get_destination_page_number(place) or 0) + 1
        for name, place in reader.named_destinations.items()
    }


def typeset(window: Window) -> list[str]:
    """Wait for the formulas, and fit everything into the column; what is wrong with the page."""
    return [
        str(problem) for problem in window.evaluate((HERE / "fit.js").read_text(encoding="utf-8").split("\n", 1)[1])
    ]


def printed(window: Window, target: Path) -> None:
    """Print the open page, with bookmarks, and with its structure for those who listen."""
    window.pdf(path=str(target), prefer_css_page_size=True, print_background=True, outline=True, tagged=True)


def make(page: BeautifulSoup, built: Path, target: Path) -> list[str]:
    """Print a page that was bound; what is wrong with it."""
    style = page.find("style")
    style.string = (HERE / "print.css").read_text(encoding="utf-8")  # type: ignore[union-attr]
    target.parent.mkdir(parents=True, exist_ok=True)
    with opened(page, built) as window:
        problems = typeset(window)
        printed(window, target)
        first = pages_by_name(target)
        window.evaluate(_NUMBER, first)
        printed(window, target)
    if pages_by_name(target) != first:
        problems.append("places moved to other pages when the table of contents got its numbers")
    writer = PdfWriter(target, incremental=True)
    writer.add_metadata({"/Author": page.select_one(".author").get_text(strip=True)})  # type: ignore[union-attr]
    writer.page_mode = "/UseOutlines"
    writer.write(target)
    return [*problems, *check.faults(target, page)]


def main() -> int:
    """Print, and say how much."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("built", type=Path)
    parser.add_argument("target", type=Path)
    chosen = parser.parse_args()
    built = chosen.built.resolve()
    page = bound.bind(built, bound.title_page(HERE.parents[1]))
    try:
        problems = make(page, built, chosen.target)
    except RuntimeError as error:
        problems = [str(error)]
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        size, sheets = chosen.target.stat().st_size / 1e6, len(PdfReader(chosen.target).pages)
        print(f"The book on paper is {chosen.target}: {sheets} pages, {size:.0f} MB")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
