"""What is said of a page for search engines, previews and reference managers, and where a chapter can be opened."""

from __future__ import annotations

import io
import json
import logging
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.core import publish_doctree
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from pybtex.database import parse_file, parse_string

from book import crawl

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import companion_metadata as metadata  # noqa: E402
from companion_chapters import cite  # noqa: E402

BASE = "https://example.org/gp/"
REPOSITORY, ELSEWHERE = "https://github.com/somebody/bandits", "https://git.example.org/a/b"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SHOWN = f'<img class="only-light" alt="A" src="data:image/png;base64,{PIXEL}">'
TITLE = "A book that is built for a test"
CHAPTERS = {
    "ch3_batched": "How few batches are enough, asks {cite:t}`ma2026batched`, and answers in a handful of words.",
    "ch3_batched_record": "All that a doubter of batches wants to see, in one long row after another.",
    "ch6_side_by_side": "Which of the widths of {cite:t}`srinivas2010gaussian` and of others should one take?",
}

Build = Callable[..., Path]


def notebook(title: str, text: str) -> nbformat.NotebookNode:
    shown = new_output("display_data", {"text/html": SHOWN})
    cells = [new_markdown_cell(f"# {title}\n\n{text}"), new_code_cell("draw()", execution_count=1, outputs=[shown])]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    """Build a book of two chapters, two pages of prose and a first page; settings come by name."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    source = tmp_path / "source"
    (source / "notebooks").mkdir(parents=True)
    for name in ("CITATION.cff", "book/references.bib"):
        shutil.copy(ROOT / name, source)
    (source / "index.md").write_text(
        "---\nmyst:\n  html_meta:\n    description: Said by hand, and long enough to say what a book is about.\n"
        "    'property=og:title': By hand\n---\n\n# A book\n\nShort.\n\n```{how-to-cite}\n```\n\n"
        "```{toctree}\nplain\nempty\n" + "".join(f"notebooks/{name}\n" for name in CHAPTERS) + "```\n"
    )
    (source / "plain.md").write_text(
        '# Plain\n\n*Emphasis* holds "quotes" & signs. With $x_1$ nobody can\nread it. A second one of words.\n\n'
        "```{bibliography}\n```\n"
    )
    (source / "empty.md").write_text("# Nearly empty\n")
    for name, text in CHAPTERS.items():
        nbformat.write(notebook(name, text), source / "notebooks" / f"{name}.ipynb")
        (source / "notebooks" / f"{name}.py").write_text(f"# %% [markdown]\n# # {name}\n#\n# {text}\n")
    # One lesson for each paper of the book, without a page in this one.
    works = {"ch1_tsrsr": "ren_tsrsr", "ch2_compressed": "bedi_compressed"}
    works |= {"ch4_meanfield": "steinberg_meanfield", "ch5_wdrbo": "micheli_wdrbo"}
    for name, key in works.items():
        (source / "notebooks" / f"{name}.py").write_text(f"# {{cite}}`{key}`\n")
    before = list(logging.getLogger("sphinx").handlers)

    def made(theme: str = "basic", **settings: Any) -> Path:
        own = ["myst_nb", "sphinxcontrib.bibtex", "companion_pictures", "companion_metadata"]
        config = {
            "project": "The book",
            "html_title": TITLE,
            "extensions": own + (["sphinx_book_theme"] if theme == "sphinx_book_theme" else []),
            "bibtex_bibfiles": ["references.bib"],
            "source_suffix": {
                ".md": "myst-nb",
                ".ipynb": "myst-nb",
            },  # Sphinx would add to its own default, for later tests too
            "html_theme": theme,
            "html_static_path": [str(ROOT / "book" / "_static")],
            "nb_execution_mode": "off",
            "myst_enable_extensions": ["dollarmath"],
            **settings,
        }
        warned, html = io.StringIO(), tmp_path / "html"
        with patch_docutils(str(source)), docutils_namespace():
            trees = str(tmp_path / "trees")
            Sphinx(str(source), None, str(html), trees, "html", config, io.StringIO(), warned, freshenv=True).build()
        assert warned.getvalue() == ""
        crawl.read.cache_clear()
        return html

    yield made
    logging.getLogger("sphinx").handlers[:] = before


def described(html: Path) -> dict[str, str]:
    return {path.stem: crawl.read(path).said("description")[0] for path in html.rglob("*.html")}


def test_with_an_address_all_is_said_and_without_one_nothing_absolute(build: Build) -> None:
    html = build()
    assert crawl.untold(html) == []
    assert any("claims" in line for line in crawl.untold(html, BASE))
    told = described(html)
    assert told["index"] == "Said by hand, and long enough to say what a book is about."
    assert crawl.read(html / "index.html").said("og:title") == ["By hand"]
    assert told["plain"] == "Emphasis holds “quotes” & signs. A second one of words."
    assert told["empty"] == "A page of “A book that is built for a test”: Nearly empty."
    assert told["search"] == "A page of “A book that is built for a test”: Search."
    assert told["ch3_batched"].startswith("How few batches are enough, asks Ma")
    shown = {name: crawl.read(html / f"{name}.html").said("og:image")[0] for name in ("plain", "notebooks/ch3_batched")}
    assert shown["plain"] == "_static/readme.png"
    assert (html / "notebooks" / shown["notebooks/ch3_batched"]).is_file()
    html = build(html_baseurl=BASE.rstrip("/"))
    assert crawl.untold(html, BASE) == []
    assert crawl.untold(html), "a book with an address is no book without one"
    assert crawl.untold(build()) == [], "nothing is left of it"


def resource(html: Path, page: str) -> dict[str, Any]:
    return json.loads("".join(crawl.read(html / "notebooks" / f"{page}.html").data))


def test_programs_learn_what_a_chapter_is_about(build: Build) -> None:
    html = build(html_baseurl=BASE)
    one, record, above = (resource(html, name) for name in CHAPTERS)
    assert one["about"] == one["citation"] == record["about"]
    (paper,) = one["about"]
    assert (paper["name"], paper["datePublished"]) == ("Batched Kernelized Bandits: Refinements and Extensions", "2026")
    assert [author["name"] for author in paper["author"]] == ["Chenkai Ma", "Keqin Chen", "Jonathan Scarlett"]
    assert paper["url"] == "https://arxiv.org/abs/2603.12627"
    assert len(above["about"]) == 5
    assert one["url"] == f"{BASE}notebooks/ch3_batched.html"
    assert one["isPartOf"]["url"] == f"{BASE}index.html"
    page = crawl.read(html / "notebooks" / "ch3_batched.html")
    assert page.said("citation_author") == [author["name"] for author in one["author"]]
    assert page.said("citation_reference") == [
        "citation_title=Batched Kernelized Bandits: Refinements and Extensions; citation_author=Chenkai Ma; "
        "citation_author=Keqin Chen; citation_author=Jonathan Scarlett"
    ]
    assert page.said("citation_publication_date") == []


def entries(path: Path) -> list[str]:
    """Keys of the entries that a page offers for copying."""
    text = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").find_all("pre")[-1].get_text()
    return re.findall(r"(?m)^@\w+\{(\w+),", text)


def test_every_chapter_ends_with_how_to_cite_it(build: Build) -> None:
    html = build(companion_repository=ELSEWHERE)
    book = "gp_bandit_companion"
    for name in ("ch3_batched", "ch3_batched_record"):
        assert entries(html / "notebooks" / f"{name}.html") == [book, "ma2026batched"]
    papers = entries(html / "index.html")
    assert papers[0] == book
    assert len(set(papers)) == len(papers) == 6
    assert entries(html / "notebooks" / "ch6_side_by_side.html") == papers
    text = (html / "index.html").read_text(encoding="utf-8")
    assert f"url = {{{ELSEWHERE}}}" in text
    assert "year" not in text[text.index(book) : text.index("ren_tsrsr")]


def test_what_is_to_be_copied_is_bibtex(tmp_path: Path) -> None:
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    people = [{"name": "The group's name"}, {"family-names": "de la Fuente", "given-names": "Ana"}]
    changed = {**cff, "authors": people, "date-released": "2027-01-02"}
    (tmp_path / "CITATION.cff").write_text(yaml.safe_dump(changed), encoding="utf-8")
    config = SimpleNamespace(html_baseurl=BASE, companion_repository=REPOSITORY, bibtex_bibfiles=[])
    app: Any = SimpleNamespace(srcdir=str(tmp_path), config=config)
    (entry,) = parse_string("".join(cite.bibtex(app, ())), "bibtex").entries.values()
    assert [(one.first_names, one.prelast_names, one.last_names) for one in entry.persons["author"]] == [
        ([], [], ["{The group's name}"]),
        (["Ana"], ["de", "la"], ["Fuente"]),
    ]
    assert (entry.fields["year"], entry.fields["url"]) == ("2027", BASE)


def test_the_citation_names_the_works_of_the_bibliography() -> None:
    """Titles and authors stand in two files, for two kinds of readers."""
    works = parse_file(str(ROOT / "book" / "references.bib")).entries
    known = {metadata.scholarly(work)["name"]: metadata.scholarly(work)["author"] for work in works.values()}
    for work in yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]:
        named = [f"{one['given-names']} {one['family-names']}" for one in work["authors"]]
        assert [author["name"] for author in known[work["title"]]] == named


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("One *two* three. Four, five", ["One two three."]),
        ("See e.g. there. Is it :math:`x`? So it is!", ["See e.g. there.", "So it is!"]),
        ("A list:\n\n- An item is no prose.\n\nThe end.", ["The end."]),
        (".. note:: A note is none.\n\nThe end.", ["The end."]),
    ],
)
def test_sentences_are_prose_without_formulas(text: str, said: list[str]) -> None:
    assert list(metadata.sentences(publish_doctree(text))) == said


def test_what_is_raw_is_read_without_its_tags_and_folds() -> None:
    raw = "<b>12 &lt; 13</b><details><summary>where</summary>from</details>"
    paragraph = nodes.paragraph("", "Always ", nodes.raw("", raw, format="html"), nodes.Text("."))
    tree = publish_doctree("")
    tree += paragraph
    assert list(metadata.sentences(tree)) == ["Always 12 < 13."]


def test_a_description_is_neither_short_nor_long() -> None:
    assert metadata.description(["A" * 49 + "."], "T", "B") == "A" * 49 + "."
    assert metadata.description(["A."], "T", "B") == "A. A page of “B”: T."
    words = metadata.description(["word " * 50], "T", "B")
    assert len(words) <= metadata.MOST
    assert re.fullmatch(r"(word )+…", words)


def buttons(html: Path, page: str) -> list[str]:
    soup = BeautifulSoup((html / page).read_text(encoding="utf-8"), "html.parser")
    hosts = ("mybinder.org", "colab.research.google.com", "codespaces.new")
    links = {str(link["href"]): None for link in soup.find_all("a", href=True)}
    return [link for link in links if any(f"//{host}/" in link for host in hosts)]


def test_a_chapter_opens_elsewhere_once_there_is_a_repository(build: Build) -> None:
    theme = "sphinx_book_theme"
    assert buttons(build(theme), "notebooks/ch3_batched.html") == []
    html = build(theme, companion_repository=f"{REPOSITORY}/")
    assert buttons(html, "notebooks/ch3_batched.html") == [
        "https://mybinder.org/v2/gh/somebody/bandits/main?urlpath=lab/tree/notebooks/ch3_batched.ipynb",
        "https://colab.research.google.com/github/somebody/bandits/blob/main/notebooks/ch3_batched.ipynb",
        "https://codespaces.new/somebody/bandits?quickstart=1",
    ]
    assert buttons(html, "plain.html") == []
    # The repository's notebooks have solutions; and other hosts than GitHub are not known to all three.
    assert (
        buttons(build(theme, companion_repository=REPOSITORY, companion_solutions=False), "notebooks/ch3_batched.html")
        == []
    )
    assert buttons(build(theme, companion_repository=ELSEWHERE), "notebooks/ch3_batched.html") == []
