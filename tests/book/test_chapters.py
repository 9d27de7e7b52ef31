"""What is made of a chapter's outputs: numbers and addresses of figures, one *where from* a section, links to the paper."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from docutils import nodes
from docutils.core import publish_doctree
from nbformat.v4 import new_code_cell, new_output
from pybtex.database import Entry

from book import browser as looking
from companion.pages.document import RECORD, Chapter, lessons, read_notebook
from companion.pages.provenance import Provenance, Source

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import companion_chapters  # noqa: E402
from companion_chapters import captions, head, identity, moved, sources  # noqa: E402

EXECUTABLE = looking.find_browser()
ONE = Source("make notebooks CH=3", "book", (0,), "companion.papers.x.page.y.run", "run(seed=0)")
TWO = Source("companion run 3", "paper", (0,), "companion.papers.x.page.y.run", "run()", "commit a · b · 8 s")


def figure(caption: str, *of: Source) -> str:
    return f'<figure class="companion-figure"><img><figcaption>{caption}</figcaption>{Provenance(of).html()}</figure>'


def table(caption: str, *of: Source) -> str:
    return f'<figure class="companion-table"><figcaption>{caption}</figcaption>{Provenance(of).html()}</figure>'


def output(cell: int, html: str) -> nodes.container:
    return nodes.container("", nodes.raw("", html, format="html"), nb_element="cell_code", cell_index=cell)


CELLS = ["show(theory.one_run(shown), 'words')", "show(Table(rows.head(3)), 'words')", "say('words', n)", "2 +"]


@pytest.fixture
def page() -> nodes.document:
    """Two sections, the second with a section below it."""
    tree = publish_doctree(
        "A\n==\n\none\n\nB\n==\n\ntwo\n\nC\n--\n\nthree\n", settings_overrides={"doctitle_xform": False}
    )
    first, second = (node for node in tree.children if isinstance(node, nodes.section))
    first += [output(0, figure("First.", ONE)), output(2, Provenance((ONE, TWO)).html())]
    second.insert(2, output(1, table("Second.", TWO)))
    (below,) = (node for node in second.children if isinstance(node, nodes.section))
    below += [output(0, figure("Third.", ONE)), output(3, figure("Fourth."))]
    return tree


@pytest.fixture
def app() -> Any:
    domain = SimpleNamespace(labels={}, anonlabels={})
    env = SimpleNamespace(docname="notebooks/ch3_x", get_domain=lambda name: domain)
    return SimpleNamespace(env=env, domain=domain)


def html(tree: nodes.Node) -> str:
    return "\n".join(node.astext() for node in tree.findall(nodes.raw))


def test_figures_and_tables_are_numbered_by_chapter_and_named_after_their_code(page, app) -> None:
    shown = captions.number(app, page, CELLS)
    told = [(one.label, one.identifier) for one in shown.values()]
    # The last cell is no code: its section gives the name.
    assert told == [
        ("Figure 3.1", "fig-one-run"),
        ("Table 3.1", "tab-rows"),
        ("Figure 3.2", "fig-one-run-2"),
        ("Figure 3.3", "fig-c"),
    ]
    text = html(page)
    assert '<figure class="companion-figure" id="fig-one-run">' in text
    number = '<a class="companion-number" href="#fig-one-run" title="Link to this figure">Figure 3.1</a> First.'
    assert f"<figcaption>{number}" in text
    assert app.domain.labels["ch3-tab-rows"] == ("notebooks/ch3_x", "tab-rows", "Table 3.1")


def test_the_record_goes_on_with_the_numbers_of_the_lesson(page, app) -> None:
    lesson = [
        new_code_cell(CELLS[0], outputs=[new_output("display_data", {"text/html": figure("A.", ONE)})]),
        new_code_cell(CELLS[1], outputs=[new_output("display_data", {"text/html": table("B.", ONE)})]),
        *(
            new_code_cell(
                "show(a)", outputs=[new_output("display_data", {"text/html": figure("C.")})], metadata={"tags": [tag]}
            )
            for tag in ("remove-output", "exercise-solution")
        ),
    ]
    assert captions.outputs(lesson, set()) == [("figure", "one-run"), ("table", "rows"), ("figure", "a")]
    before = captions.outputs(lesson, {"exercise-solution"})
    app.env.docname = "notebooks/ch3_x_record"
    told = [(one.label, one.identifier) for one in captions.number(app, page, CELLS, before).values()]
    assert told[:2] == [("Figure 3.2", "fig-one-run-2"), ("Table 3.2", "tab-rows-2")]
    assert app.domain.labels["ch3-fig-one-run-2"][0] == "notebooks/ch3_x_record"


def test_a_page_that_is_no_chapter_numbers_from_one(page, app) -> None:
    app.env.docname = "book/certificate"
    assert [one.label for one in captions.number(app, page, CELLS).values()][:2] == ["Figure 1", "Table 1"]
    assert "fig-one-run" in app.domain.labels


def test_where_from_stands_once_a_section_and_names_what_was_made(page, app) -> None:
    sources.gather(page, captions.number(app, page, CELLS))
    blocks = [node.astext() for node in page.findall(nodes.raw) if "<details" in node.astext()]
    assert [re.findall(r'<div id="([^"]*)">', block) for block in blocks] == [["where-a"], ["where-b"], ["where-c"]]
    first = blocks[0]
    assert first.count('<span class="source">') == 2, "a run that made two things is named once"
    assert '<span class="users"> · for <a href="#fig-one-run">Figure 3.1</a> and the text</span></span>' in first
    assert '<span class="users"> · for the text</span></span></div></details>' in first
    assert ONE.key in first, "what the record is looked up by stays"
    assert re.fullmatch(r'<details class="companion-where">.*?</details>', first), (
        "the record's extension finds it whole"
    )
    text = html(page)
    assert text.count("<details") == 3
    assert '<a class="companion-from" href="#where-a">where from</a></figcaption>' in text
    assert "where-" not in text[text.index("Fourth.") : text.index("</figure>", text.index("Fourth."))]


def test_the_block_stands_at_the_end_of_its_section_before_those_below(page, app) -> None:
    sources.gather(page, captions.number(app, page, CELLS))
    second = [node for node in page.children if isinstance(node, nodes.section)][1]
    kinds = [
        "block" if "where-b" in getattr(node, "rawsource", "") + node.astext() else node.tagname for node in second
    ]
    assert kinds.index("section") == len(kinds) - 1
    assert 'id="where-b"' in second.children[-2].astext()


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("show(theory.waterfall(measured), 'x')", "waterfall"),
        ("show(experiments.curves(evidence, 2, which='code'), 'x')", "curves-2-code"),
        ("show(picture.draw_one_run(shown), 'x')", "one-run"),
        ("show(Figure(lambda canvas, _: draw(canvas), size=(8, 3)), 'x')", "draw"),
        ("rows = paper.levels(e)\nshow(Table(rows), 'x')", "levels"),
        ("a = b\nb = a\nshow(Table(a), 'x')", "a"),
        ("checked_table(checked)", "checked-table"),
        ("show(Table(rows[rows.n > 2]), 'x')", "rows"),
        ("show(Table(frame.rename(columns=names)), 'x')", "frame"),
        ("x = 1", ""),
        ("", ""),
        ("%magic", ""),
    ],
)
def test_names_come_from_the_code_of_a_cell(source: str, name: str) -> None:
    assert identity.name_of(source) == name


@pytest.mark.parametrize("chapter", lessons(ROOT), ids=lambda chapter: chapter.stem)
def test_every_output_of_this_repository_has_a_name_of_its_own(chapter: Any) -> None:
    names = []
    for cell in (cell for page in chapter.pages for cell in read_notebook(page.notebook).cells):
        shown = [o.get("data", {}).get("text/html", "") for o in cell.get("outputs", [])]
        if any("companion-figure" in text or "companion-table" in text for text in shown):
            names.append(identity.name_of(cell.source))
            assert ast.parse(cell.source)
    assert "" not in names
    # Of two with one name, the second's address would depend on the order.
    assert [name for name, count in Counter(names).items() if count > 2] == []


def test_links_of_the_paper_are_those_that_the_bibliography_states() -> None:
    entry = Entry("misc", fields={"eprint": "2603.12627", "note": "Code: https://example.org/x"})
    assert head.links(entry, "") == [
        ("The paper: ", "arXiv:2603.12627", "https://arxiv.org/abs/2603.12627"),
        ("its authors’ code: ", "example.org/x", "https://example.org/x"),
    ]
    assert head.links(Entry("misc", fields={"doi": "10.1/2"}), "https://r/p.py") == [
        ("The paper: ", "doi:10.1/2", "https://doi.org/10.1/2"),
        ("", "source of this page", "https://r/p.py"),
    ]
    assert head.links(Entry("misc", fields={"note": "Code: none"}), "") == []


def test_chapters_have_their_own_numbers_in_the_contents() -> None:
    """Sphinx numbers by position, addresses and evidence by the number in the file's name: they have to be the same."""
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    numbered = [page["file"] for part in parts if part.get("numbered") for page in part["chapters"]]
    assert [part["numbered"] for part in parts if part.get("numbered")] == [1], "titles only, and in one part"
    own = [captions.chapter_number(page) for page in numbered]
    assert own == list(range(1, len(own) + 1))
    listed = {page["file"]: page.get("sections", []) for part in parts for page in part["chapters"]}
    for chapter in lessons(ROOT):
        records = [{"file": f"notebooks/{page.stem}"} for page in chapter.pages if page.part == RECORD]
        found = listed[f"notebooks/{chapter.stem}"]
        assert found[: len(records)] == records, "a record is the first section of its lesson"


def ids(chapter: Chapter) -> set[str]:
    """Places of a page, by its source: headings, labels, and what has moved."""
    text = re.sub(r"^# ?", "", chapter.source.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {
        old for block in re.findall(r"^:::\{moved\}\n(.*?)^:::$", text, re.M | re.S) for old, _ in moved.pairs(block)
    }
    found |= set(re.findall(r"^\((\S+)\)=$", text, re.MULTILINE))
    titles = re.findall(r"^#{2,3} (.+)$", text, re.MULTILINE)
    return found | {nodes.make_id(re.sub(r"\{[\w:]+\}`([^`<]*)[^`]*`|[$`*]", r"\1", title)) for title in titles}


@pytest.mark.parametrize("chapter", lessons(ROOT), ids=lambda chapter: chapter.stem)
def test_old_addresses_of_sections_lead_on(chapter: Chapter) -> None:
    """``anchors.txt`` has the sections of every chapter as long as it was one page."""
    lines = Path(__file__).with_name("anchors.txt").read_text(encoding="utf-8").splitlines()
    old = {anchor for stem, anchor in map(str.split, lines) if stem == chapter.stem}
    assert old <= ids(chapter), "write the missing ones into {moved} at the end of the lesson"


@pytest.fixture
def split(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A chapter of two pages, of which the lesson says what has moved; calls give its HTML, and what was warned of."""
    domain = SimpleNamespace(labels={"ch3-x": ("notebooks/ch3_x_record", "ch3-x", "Text & code")})
    domain.labels["ch3-fig-levels"] = ("notebooks/ch3_x_record", "fig-levels", "Figure 3.7")
    tocs = {
        "notebooks/ch3_x_record": [("resampling", "Resampling")],
        "notebooks/ch3_x": [("the-method", "The method")],
    }
    env = SimpleNamespace(get_domain=lambda name: domain, tocs={})
    for name, titles in tocs.items():
        links = [nodes.reference("", words, anchorname=f"#{place}") for place, words in titles]
        env.tocs[name] = nodes.bullet_list("", *links)
    builder = SimpleNamespace(format="html", get_relative_uri=lambda page, target: f"{target[10:]}.html")
    warned: list[str] = []
    monkeypatch.setattr(moved._LOGGER, "warning", lambda text, *words, location: warned.append(text % words))

    def lead_on(*places: tuple[str, str]) -> tuple[nodes.document, list[str]]:
        tree = publish_doctree("The method\n==========\n\none\n", settings_overrides={"doctitle_xform": False})
        tree += moved.MovedPlaces(places=list(places))
        moved.lead_on(SimpleNamespace(env=env, builder=builder), tree, "notebooks/ch3_x")  # type: ignore[arg-type]
        return tree, warned

    return lead_on


def test_what_has_moved_is_linked_under_its_old_id(split: Any) -> None:
    lines = moved.pairs("resampling\n\ntext-and-code | ch3-x\nfig-levels\nthe-claim | the-method")
    tree, warned = split(*lines)
    links = re.findall(r'<a id="([^"]*)" href="([^"]*)">([^<]*)</a>', html(tree))
    assert links == [
        ("resampling", "ch3_x_record.html#resampling", "Resampling"),
        ("text-and-code", "ch3_x_record.html#ch3-x", "Text &amp; code"),
        ("fig-levels", "ch3_x_record.html#fig-levels", "Figure 3.7"),
    ]
    assert html(tree).startswith('<details class="companion-moved"><summary>')
    (section,) = (node for node in tree.children if isinstance(node, nodes.section))
    assert section["ids"] == ["the-method", "the-claim"], "a section of the page itself has its old id besides"
    assert warned == []


def test_an_old_address_that_would_lead_nowhere_is_a_warning(split: Any) -> None:
    tree, warned = split(("gone", "gone"))
    assert warned == ["neither page of the chapter has a place called 'gone'"]
    assert list(tree.findall(nodes.raw)) == []


@pytest.mark.browser
@pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on PATH: the book was not looked at")
def test_the_search_puts_pages_above_the_api() -> None:
    text = Path(companion_chapters.__file__).with_name(companion_chapters.SCORER).read_text(encoding="utf-8")
    found = [["book/api/gp", "GP", "", None, 40, "gp.md", "title"], ["book/notation", "N", "", None, 2, "n.md", "text"]]
    assert EXECUTABLE is not None
    with looking.chromium(EXECUTABLE) as browser:
        scores = browser.new_page().evaluate(f"found => {{ {text}; return found.map(Scorer.score); }}", found)
    assert scores[0] < scores[1] == 2


def test_every_id_stands_once() -> None:
    body = '<div class="a" id="x"><p id="x">the text id="x" stays</p><section id="y"><p class="b" id="y">z</p></section></div>'
    context = {"body": body}
    companion_chapters.each_id_once(None, "p", "page.html", context, None)  # type: ignore[arg-type]
    expected = '<div class="a" id="x"><p>the text id="x" stays</p><section id="y"><p class="b">z</p></section></div>'
    assert context["body"] == expected


DOUBTED = """<!doctype html><html data-content_root="../" lang="en"><head><title>A page — Book</title>HEAD</head><body>
<section id="s"><h2>Section</h2><figure class="companion-figure" id="fig-one"><img alt="x"><figcaption>
<a class="companion-number" href="#fig-one">Figure 3.4</a> It falls. <a class="companion-from" href="#where-s">where from</a>
</figcaption></figure><details class="companion-where"><summary>where from</summary><div id="where-s">
<span class="source">make it · seed 0<span class="users"> · for <a href="#fig-one">Figure 3.4</a></span></span>
<span class="source">make other</span></div></details></section>
<script>SCRIPT</script></body></html>"""


@pytest.mark.browser
@pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on PATH: the book was not looked at")
@pytest.mark.parametrize("repository", ["", "https://example.invalid/repository/"])
def test_a_doubt_is_prepared_from_a_page_opened_from_a_folder(repository: str, tmp_path: Path) -> None:
    script = (ROOT / "book" / "_static" / "doubt.js").read_text(encoding="utf-8")
    told = f'<meta name="companion-repository" content="{repository}">' if repository else ""
    (tmp_path / "notebooks").mkdir()
    path = tmp_path / "notebooks" / "page.html"
    path.write_text(DOUBTED.replace("SCRIPT", script).replace("HEAD", told), encoding="utf-8")
    assert EXECUTABLE is not None
    with looking.chromium(EXECUTABLE) as browser:
        page = browser.new_page()
        page.goto(path.as_uri())
        assert page.locator("button.companion-doubt").count() == 2
        page.locator("#fig-one button.companion-doubt").click()
        text = page.locator("dialog textarea").input_value()
        assert text.startswith("Doubt: Figure 3.4, A page\n")
        assert "Place: notebooks/page.html#fig-one (Figure 3.4)" in text
        assert "It says: Figure 3.4 It falls." in text
        assert "- make it · seed 0" in text
        assert "make other" not in text, "only what this figure was made from"
        links = page.locator("dialog a").evaluate_all("found => found.map(link => link.href)")
        assert len(links) == bool(repository)
        assert all(link.startswith("https://example.invalid/repository/issues/new?title=Doubt") for link in links)
        page.get_by_role("button", name="Copy the text").click()
        page.wait_for_function("document.querySelector('.companion-told').textContent")
        page.keyboard.press("Escape")
        assert not page.locator("dialog").is_visible()
        # A link to the sources of a section opens them.
        page.locator(".companion-from").click()
        page.locator("#where-s").wait_for(state="visible")
