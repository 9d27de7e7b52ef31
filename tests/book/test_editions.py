"""The book for paper and for a folder: what is bound, what is said to be wrong with a print, which builds are the same."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from book import browser as looking

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / ".ci" / "editions"), str(ROOT / ".ci" / "sphinx")]

import archive  # noqa: E402
import bound  # noqa: E402
import check  # noqa: E402
import compare  # noqa: E402
import pdf  # noqa: E402

EXECUTABLE = looking.find_browser()
needs_browser = pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on PATH: nothing was printed")

_HEAD = """<html><head><link rel="stylesheet" href="../_static/{sheet}.css?v=1">
<script>window.MathJax = {{"tex": {{}}, "options": {{}}}}</script><script src="../_static/mathjax/tex.js"></script></head>
<body>{nav}<article class="bd-article">{text}</article></body></html>"""
_NAV = """<nav class="bd-docs-nav"><ul><li><a class="reference internal" href="#">Home</a></li></ul>
<p class="caption"><span>Papers</span></p><ul><li><a class="reference internal" href="../notebooks/ch1_a.html">1. First</a>
<ul><li><a class="reference internal" href="notation.html">Below</a></li></ul></li></ul>
<p class="caption"><span>API</span></p><ul><li><a class="reference internal" href="api/gp.html">Names</a></li></ul></nav>"""
_CHAPTER = """<section id="first"><h1>1. First<a class="headerlink" href="#first">#</a></h1>
<p>See <a href="../book/notation.html#words">words</a>, <a href="../book/api/gp.html#f">code</a>, <a href="#gone">gone</a>,
<a href="https://example.org">outside</a>, <a href="#ex">the exercise</a>.</p>
<img class="only-light" src="../_images/a.png" loading="lazy"><img class="only-dark" src="../_images/b.png">
<details class="admonition hide above-input"><summary>Show</summary><pre>code behind a figure</pre></details>
<details class="sd-dropdown"><summary>Card</summary><p>in full</p></details>
<div class="companion-drag"><div class="drag-try"><p>Step through.</p></div><div class="drag-stage"></div>
<p class="drag-teaches">It teaches.</p></div>
<section id="exercises"><h2>Exercises</h2><div class="exercise" id="ex"><span class="caption-number">Exercise 1.1</span></div>
<div class="solution" id="sol"><p>It is so.</p></div></section>
<section id="record"><h2>Record</h2><p>Last.</p></section></section>"""
_BELOW = """<section id="first"><h1>Below</h1><p id="words">Words.</p>
<table class="evidence-table"><tbody><tr id="row"><td>claim</td></tr>
<tr><td><details class="evidence-details"><summary>More</summary><dl class="evidence-facts"><dt>Claim</dt><dd>it holds</dd>
<dt>Tightest case</dt><dd>somewhere</dd></dl></details></td></tr></tbody></table></section>"""


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A built book of three pages and one that is left out."""
    texts = {
        "book/index": ("base", _NAV, '<section id="home"><h1>Home</h1></section>'),
        "notebooks/ch1_a": ("chapters", "", _CHAPTER),
        "book/notation": ("base", "", _BELOW),
        "book/api/gp": ("base", "", '<section id="f"><h1>Names</h1></section>'),
    }
    for name, (sheet, nav, text) in texts.items():
        path = tmp_path / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_HEAD.format(sheet=sheet, nav=nav, text=text), encoding="utf-8")
    return tmp_path


def test_the_table_of_contents_is_that_of_the_pages(built: Path) -> None:
    assert bound.contents(built) == [
        bound.Place(1, "Home", "book/index"),
        bound.Place(1, "Papers"),
        bound.Place(2, "1. First", "notebooks/ch1_a"),
        bound.Place(3, "Below", "book/notation"),
    ]


def test_pages_are_bound_with_links_inside_and_headings_below_their_parts(built: Path) -> None:
    page = bound.bind(built, '<h1 class="book-title">Title</h1>')
    assert [(h.name, h.get_text()) for h in page.find_all(["h1", "h2", "h3", "h4"])] == [
        ("h1", "Title"),
        ("h1", "Contents"),
        ("h1", "Home"),
        ("h1", "Papers"),
        ("h2", "1. First"),
        ("h3", "Exercises"),
        ("h3", "Record"),
        ("h3", "Solutions"),
        ("h3", "Below"),
    ]
    chapter = page.select_one("#notebooks-ch1_a p")
    assert [(link.get_text(), link["href"]) for link in chapter.select("a")] == [
        ("words", "#book-notation--words"),
        ("outside", "https://example.org"),
        ("the exercise", "#notebooks-ch1_a--ex"),
    ]
    assert "code" in chapter.get_text(), "a link to what is left out stays as text"
    known = [element["id"] for element in page.find_all(id=True)]
    assert len(known) == len(set(known))
    assert {link["href"][1:] for link in page.select('a[href^="#"]')} <= set(known)
    assert [sheet["href"] for sheet in page.select("link")] == ["_static/base.css?v=1", "_static/chapters.css?v=1"]


def test_paper_gets_no_dark_pictures_no_folds_and_solutions_last(built: Path) -> None:
    page = bound.bind(built, '<h1 class="book-title">Title</h1>')
    assert [(image["src"], "loading" in image.attrs) for image in page.find_all("img")] == [("_images/a.png", False)]
    text = page.get_text(" ", strip=True)
    assert "code behind a figure" not in text
    assert "in full" in text
    assert "It teaches." in text
    assert "Step through" not in text
    assert text.index("Last.") < text.index("It is so.")
    assert "it holds" in text
    assert "somewhere" not in text
    assert not page.find_all(["details", "button", "summary"])


def test_the_title_page_names_every_record() -> None:
    page = BeautifulSoup(bound.title_page(ROOT), "html.parser")
    assert len(page.select("tbody tr")) == len(list((ROOT / "notebooks").glob("ch*.record.json")))
    assert page.select_one(".book-title").get_text(strip=True)
    assert "$" not in page.get_text()


DOT = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_IMAGE = f'<img src="{DOT}" width="20" height="20" alt="dot">'
_READY = "window.MathJax = {startup: {promise: Promise.resolve(), document: {math: []}}}"
_SOUND = f"""<!doctype html><html lang="en"><head><title>T</title><style></style><script>{_READY}</script></head><body>
<section class="title"><h1 class="book-title">T</h1><p class="author">A</p></section>
<nav class="book-contents"><h1 id="contents">Contents</h1><p><a href="#one">One</a><span data-for="one"></span></p></nav>
<section class="page" id="one"><h1>One</h1><h2>Two</h2><p>Words, <a href="https://example.org">outside</a>. <code>$x</code></p>
{_IMAGE}</section></body></html>"""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, BeautifulSoup, list[str]]:
    """A small book on paper, and what is wrong with it."""
    if EXECUTABLE is None:
        pytest.skip("no Chromium on PATH: nothing was printed")
    folder = tmp_path_factory.mktemp("paper")
    page = BeautifulSoup(_SOUND, "html.parser")
    problems = pdf.make(page, folder, folder / "book.pdf")
    return folder / "book.pdf", page, problems


@pytest.mark.browser
def test_a_sound_print_has_bookmarks_and_page_numbers(sound: tuple[Path, BeautifulSoup, list[str]]) -> None:
    path, _, problems = sound
    reader = pdf.PdfReader(path)
    assert problems == []
    assert list(check.bookmarks(reader)) == [(1, "T"), (1, "Contents"), (1, "One"), (2, "Two")]
    assert reader.metadata.author == "A"
    assert pdf.pages_by_name(path) == {"one": 3}
    assert "3" in reader.pages[1].extract_text().split("One")[1]


@pytest.mark.browser
@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        ("Words", r"Words \frac12", "raw TeX"),
        ("Words", "Words $y$", "raw TeX"),
        (
            f'<img src="{DOT}" width="20" height="20" alt="dot">',
            f'<img src="{DOT}" style="display: none" alt="dot">',
            "0 pictures",
        ),
        (f'src="{DOT}"', 'src="lost.png"', "no picture"),
        ("https://example.org", "other.html", "a link to file:"),
        ("<h2>Two</h2>", '<h2 style="display: none">Two</h2>', "bookmark 4"),
        ("Words", f"Words <span style='white-space: nowrap'>{'word ' * 60}</span>", "wider than its column"),
    ],
)
def test_what_is_wrong_with_a_print_is_said(before: str, after: str, fault: str, tmp_path: Path) -> None:
    if EXECUTABLE is None:
        pytest.skip("no Chromium on PATH: nothing was printed")
    assert before in _SOUND
    broken = BeautifulSoup(_SOUND.replace(before, after), "html.parser")
    problems = pdf.make(broken, tmp_path, tmp_path / "book.pdf")
    assert any(fault in problem for problem in problems), problems


def test_the_archive_is_the_folder_and_the_same_each_time(
    built: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("archives")
    count = archive.pack(built, place / "one.zip")
    archive.pack(built, place / "two.zip")
    assert (place / "one.zip").read_bytes() == (place / "two.zip").read_bytes()
    with zipfile.ZipFile(place / "one.zip") as packed:
        names = {name.removeprefix(f"{archive.FOLDER}/") for name in packed.namelist()}
        assert names == {path.relative_to(built).as_posix() for path in built.rglob("*") if path.is_file()}
    assert count == len(names)


def test_builds_are_the_same_only_with_the_same_pages_and_places(built: Path) -> None:
    one = compare.pages(built)
    assert one["book/notation.html"] == {"first", "words", "row"}
    assert not list(compare.differences(one, one))
    other: dict[str, Any] = {**one, "book/notation.html": {"first", "row", "new"}}
    del other["book/api/gp.html"]
    assert list(compare.differences(one, other)) == [
        "book/api/gp.html: only in the first build",
        "book/notation.html#new: only in the second build",
        "book/notation.html#words: only in the first build",
    ]


def test_plain_sphinx_has_every_extension_but_those_of_jupyter_book() -> None:
    import runpy

    import yaml

    asked = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["sphinx"]["config"]["extensions"]
    before = list(sys.path)
    conf = runpy.run_path(str(ROOT / ".ci" / "sphinx" / "conf.py"))
    sys.path[:] = before
    assert set(asked) - set(conf["extensions"]) == conf["ITS_OWN"]
    assert (Path(conf["html_static_path"][0]) / "companion.css").is_file()
    assert all(Path(name).is_file() for name in conf["bibtex_bibfiles"])
