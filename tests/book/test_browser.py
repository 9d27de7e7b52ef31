"""The book as a reader meets it: built without a warning, typeset, self-contained, in light and dark mode.

The book is built afresh into a temporary folder: a cached build would not repeat the warnings of unchanged pages.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from book import browser as looking

EXECUTABLE = looking.find_browser()
FEW = 5
needs_browser = pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on PATH: the book was not looked at")


@pytest.fixture(scope="module")
def html(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built book; fails on any warning."""
    place = tmp_path_factory.mktemp("book")
    command = Path(sys.executable).parent / "jupyter-book"
    run = subprocess.run(
        [str(command), "build", ".", "--path-output", str(place), "-W", "-n", "--keep-going", "-q"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    said = re.sub(r"\x1b\[[0-9;]*m", "", run.stderr)
    assert run.returncode == 0, f"the book does not build without warnings:\n{said[-6000:]}"
    return place / "_build" / "html"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    if EXECUTABLE is None:
        pytest.skip("no Chromium on PATH: the book was not looked at")
    with looking.chromium(EXECUTABLE) as browser:
        yield browser


def test_the_book_builds_without_a_warning(html: Path) -> None:
    assert (html / "book" / "index.html").is_file()


@pytest.mark.browser
@needs_browser
def test_every_page_is_typeset_and_self_contained(html: Path, chromium: Any) -> None:
    found = looking.pages(html)
    assert "book/index.html" in found
    problems, formulas = [], 0
    # Listings of the package are made by one template from text without mathematics: a few stand for all.
    listings = [page for page in found if page.startswith("_modules/")]
    with looking.serve(html) as base, looking.reader(chromium) as someone:
        for page in [page for page in found if page not in listings[FEW:]]:
            # Generated pages look alike in both modes; the book's own pages are looked at in each.
            own = page.startswith(("book/", "notebooks/")) and not page.startswith("book/api/")
            seen = looking.visit(someone, base, page, dark=own)
            formulas += seen.formulas
            problems += [f"{page}: {problem}" for problem in seen.problems]
    assert not problems, "\n".join(problems)
    assert formulas > 0, "no formula was typeset anywhere, so the check saw nothing"


SOUND = """<!doctype html><html data-theme="light"><head><meta charset="utf-8"><title>t</title>
<script>MathJax = {tex: {packages: {'[-]': ['noundefined']}}, options: {processHtmlClass: 'math'}}</script>
<script defer src="tex-svg-full.js"></script></head><body><article>BODY</article></body></html>"""

DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

BROKEN = {
    "untypeset mathematics": '<span class="math">\\(\\frac{1</span>',
    "TeX error": '<span class="math">\\(\\nosuchmacro\\)</span>',
    "a request to the outside": '<img alt="x" src="http://example.invalid/picture.png">',
    "a request that failed with 404": '<img alt="x" src="missing.png">',
    "a script error": "<script>throw new Error('broken')</script>",
    "an image without a text alternative": f'<img src="{DOT}">',
    "a figure without a caption": f'<div class="cell_output"><figure><img alt="x" src="{DOT}"></figure></div>',
    "a figure that shows 2 pictures": f'<figure class="companion-figure"><img alt="x" src="{DOT}"><img alt="x" '
    f'src="{DOT}"><figcaption>two</figcaption></figure>',
    "a caption that is hidden": f'<figure class="companion-figure"><img alt="x" src="{DOT}"><figcaption hidden>c'
    "</figcaption></figure>",
    "text too faint to read": '<p style="color: #ccc">faint</p>',
    "a stray formula delimiter": "<p>costs $x^2$ and more</p>",
}


@pytest.fixture
def page(root: Path, tmp_path: Path) -> Path:
    """A folder with MathJax in it, ready for one small page."""
    shutil.copy(root / "book" / "_static" / "mathjax" / "tex-svg-full.js", tmp_path)
    return tmp_path


@pytest.mark.browser
@needs_browser
def test_a_sound_page_passes(page: Path, chromium: Any) -> None:
    body = '<p>a <span class="math">\\(x^2\\)</span></p><div class="cell_output"><figure class="companion-figure">'
    body += f'<img alt="a dot" src="{DOT}"><figcaption>A dot.</figcaption></figure></div><pre>$ ls</pre>'
    (page / "page.html").write_text(SOUND.replace("BODY", body), encoding="utf-8")
    with looking.serve(page) as base, looking.reader(chromium) as someone:
        seen = looking.visit(someone, base, "page.html")
    assert seen.problems == []
    assert seen.formulas == 1


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("fault", BROKEN)
def test_each_fault_is_reported(fault: str, page: Path, chromium: Any) -> None:
    (page / "page.html").write_text(SOUND.replace("BODY", BROKEN[fault]), encoding="utf-8")
    with looking.serve(page) as base, looking.reader(chromium) as someone:
        seen = looking.visit(someone, base, "page.html")
    assert any(problem.startswith(fault) for problem in seen.problems), seen.problems


@pytest.mark.browser
@needs_browser
def test_a_fault_of_dark_mode_alone_is_reported(page: Path, chromium: Any) -> None:
    body = '<style>[data-theme="dark"] article { background: #111; color: #333 }</style><p>dim</p>'
    (page / "page.html").write_text(SOUND.replace("BODY", body), encoding="utf-8")
    with looking.serve(page) as base, looking.reader(chromium) as someone:
        assert looking.visit(someone, base, "page.html").problems == []
        (problem,) = looking.visit(someone, base, "page.html", dark=True).problems
    assert problem.startswith("text too faint to read")
    assert problem.endswith("(dark)")


def chapter_pages(html: Path) -> list[Path]:
    return sorted(html.glob("notebooks/ch*.html"))


def test_every_number_leads_to_its_command_in_two_clicks(html: Path) -> None:
    """One click opens the line that says where from; its command and its code are links that lead somewhere."""
    link = r'<a href="([^"#]*)#([^"]*)"><code class="(command|call)"'
    # What stored tables cost is told where their record knows it.
    run = r"commit (?:[0-9a-f]{10}|unknown).* · \d{4}-\d\d-\d\d( · .*\d s(?: in all)?| · .*\d s on one core.*)?</span>"
    for page in chapter_pages(html):
        lines = re.findall(
            r'<details class="companion-where">.*?</details>', page.read_text(encoding="utf-8"), re.DOTALL
        )
        assert len(lines) > 10, page.name
        for line in lines:
            for source in line.split('<span class="source">')[1:]:
                found = re.search(run, source)
                assert found, source
                assert found[1] or "make paper" in source, source
                targets = re.findall(link, source)
                assert [kind for *_, kind in targets] == ["command", "call"], source
                for address, anchor, _ in targets:
                    target = (page.parent / address).resolve().read_text(encoding="utf-8")
                    assert f'id="{anchor}"' in target, f"{address} has no {anchor}"


@pytest.mark.browser
@needs_browser
def test_where_from_is_folded_and_opens_on_a_click(html: Path, chromium: Any) -> None:
    (page, *_) = chapter_pages(html)
    with looking.serve(html) as base, looking.reader(chromium) as someone:
        opened = someone.new_page()
        opened.goto(f"{base}notebooks/{page.name}", wait_until="load")
        line = opened.locator("details.companion-where").first
        command = line.locator("a code.command").first
        assert not command.is_visible()
        line.locator("summary").click()
        assert command.is_visible()
        command.click()
        assert opened.url.startswith(f"{base}book/rerun.html#")
