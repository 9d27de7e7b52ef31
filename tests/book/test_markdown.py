"""The Markdown twin of a page: what is in it, and that faults of a built book's twins are seen."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
import pytest

from book import twins

sys.path.insert(0, str(Path(__file__).parents[2] / "book" / "_ext"))
import companion_figures
import companion_markdown

PAGES = frozenset({"notebooks/ch1", "book/ledger"})


def written(body: str) -> str:
    return companion_markdown.twin(body, "notebooks/ch1", PAGES).strip()


SHOWN = {
    "formulas stand between dollars": (
        r'<p>at <span class="math notranslate">\(x_1*y_2*z\)</span></p><div class="math">\[a &lt; b\]</div>',
        "at $x_1*y_2*z$\n\n$$\na < b\n$$",
    ),
    "strokes end no cell": (
        r'<table><tr><th>a|b</th></tr><tr><td>c|d <span class="math">\(\|f\|\,|x|\)</span></td></tr></table>',
        "| a\\|b |\n| --- |\n| c\\|d $\\Vert f\\Vert \\,\\vert x\\vert$ |",
    ),
    "code keeps its lines": (
        '<div class="highlight-ipython3"><pre><span></span><span class="n">a_b</span> = 1\n\n\n\nc\n</pre></div>',
        "```python\na_b = 1\n\n\n\nc\n```",
    ),
    "a fence is longer than those within": ("<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"),
    "links lead to twins": (
        '<p><a href="../book/ledger.html#x">a</a> <a href="../_modules/m.html#f">b</a> <a href="#c">c</a></p>',
        "[a](../book/ledger.md) [b](../_modules/m.html) c",
    ),
    "of a picture one stays, and its caption": (
        '<figure><a class="companion-enlarge only-light" href="l.png"><img class="only-light" alt="A dot." src="l.png"></a>'
        '<a class="companion-enlarge only-dark" href="d.png"><img class="only-dark" alt="A dot." src="d.png"></a>'
        '<figcaption>Seen. <a class="companion-from" href="#w">where from</a></figcaption></figure>',
        "![A dot.](l.png)\n\nSeen.",
    ),
    "of a figure to drag its words stay, how it opens, and where it is": (
        '<h1>T<a class="headerlink" href="#t">#</a></h1><div class="companion-drag"><div class="drag-try"><p>Drag.</p></div>'
        '<div class="drag-stage" data-figure="horizon" data-start="noise=0.1" data-fixed="paper=tsrsr&amp;kernel=se&amp;dim=1">'
        '</div><p class="drag-teaches">It teaches.</p></div>',
        "# T\n\nDrag.\n\n[On the page](ch1.html#drag-horizon) a figure to drag stands here. Its controls, as it opens: "
        "Noise (0.1); Evaluations (1000); Batch size or agents (1).\n\nIt teaches.",
    ),
    "solutions stand at the end, below their exercise": (
        '<div class="exercise"><p class="admonition-title">Exercise 1.1 (A)</p><p>Do it.</p></div>'
        '<div class="solution"><p class="admonition-title">Solution to <a href="#a">Exercise 1.1 (A)</a></p><p>Done.</p></div>'
        '<div class="exercise"><p class="admonition-title">Exercise 1.2 (B)</p><p>And this.</p></div>'
        '<div class="cell tag_exercise-solution"><pre>b</pre></div><h2>Parameters</h2>',
        "**Exercise 1.1 (A)**\n\nDo it.\n\n**Exercise 1.2 (B)**\n\nAnd this.\n\n## Parameters\n\n## Solutions\n\n"
        "### Solution to Exercise 1.1 (A)\n\nDone.\n\n### Solution to Exercise 1.2 (B)\n\n```\nb\n```",
    ),
    "what a row unfolds stands below the table": (
        "<table><thead><tr><th>name</th><th>n</th></tr></thead><tbody><tr><td>one</td><td>1</td></tr>"
        '<tr><td colspan="2"><details><summary>More</summary><pre>x  y</pre></details></td></tr><tr><td>two</td><td>2</td></tr>'
        '<tr><td colspan="2"><details><summary>More</summary><p>z</p></details></td></tr></tbody></table>',
        "| name | n |\n| --- | --- |\n| one | 1 |\n| two | 2 |\n\n"
        "#### one\n\n**More**\n\n```\nx  y\n```\n\n#### two\n\n**More**\n\nz",
    ),
    "boxes begin with their title": (
        '<div class="exercise admonition"><p class="admonition-title">Exercise 1</p><section><p>Do it.</p></section></div>',
        "**Exercise 1**\n\nDo it.",
    ),
    "a signature is code": (
        '<dl><dt class="sig"><span>f</span>(<em>x_y</em>)<a class="headerlink" href="#f">#</a></dt><dd><p>It is.</p></dd></dl>',
        "`f(x_y)`\n:   It is.",
    ),
}


@pytest.mark.parametrize("what", SHOWN)
def test_a_twin_says_what_the_page_shows(what: str) -> None:
    body, text = SHOWN[what]
    assert written(body) == text


HEAD = '<link rel="alternate" type="text/markdown" href="page.md"><a href="page.md">.md</a>'


def faults(folder: Path, text: str, head: str = HEAD, listed: str = "- [T](page.md): a page") -> list[str]:
    (folder / "page.html").write_text(head, encoding="utf-8")
    (folder / "page.md").write_text(text, encoding="utf-8")
    (folder / "llms.txt").write_text(listed, encoding="utf-8")
    return twins.faults(folder)


def test_a_sound_twin_passes(tmp_path: Path) -> None:
    text = "# T\n\na < b, $x<y>z$, `<div>`, [x](page.md#a), <https://example.invalid>\n\n```html\n<p>data:image/png</p>\n```\n"
    assert faults(tmp_path, text) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("# T\n\n<div>x</div>", "page: <div>"),
        ("# T\n\n![x](data:image/png;base64,aa)", "page: data:image/"),
        ("# T\n\na &amp; b", "page: &amp;"),
        ("# T\n\n[x](no.md)", "page.md: nothing at no.md"),
        ("x", "page: begins without its title"),
    ],
)
def test_what_is_wrong_with_a_twin_is_seen(text: str, fault: str, tmp_path: Path) -> None:
    assert fault in faults(tmp_path, text)


def test_a_twin_that_nothing_leads_to_is_seen(tmp_path: Path) -> None:
    assert faults(tmp_path, "# T", head="") == ["page: no link to its twin"]
    assert faults(tmp_path, "# T", listed="") == ["llms.txt names page.md 0 times"]
    (tmp_path / "page.md").unlink()
    assert "page: no twin" in twins.faults(tmp_path)


def test_what_a_chapter_shows_and_its_twin_does_not_is_seen() -> None:
    shown = '<img class="only-light" alt="A &lt; b" src="x"><table><tr><td class="number">1.5</td></tr></table>'
    cell = nbformat.v4.new_code_cell("a = 1\n", outputs=[nbformat.v4.new_output("stream", text="two\n")])
    cell.outputs.append(nbformat.v4.new_output("display_data", {"text/html": shown}))
    hidden = nbformat.v4.new_code_cell("secret()", metadata={"tags": ["remove-input"]})
    notebook = nbformat.v4.new_notebook(cells=[cell, hidden, nbformat.v4.new_markdown_cell("words")])
    whole = "a = 1 two ![A < b](x) | 1.5 |"
    assert twins.left_out(notebook, whole) == []
    for part in ("a = 1", "two", "![A < b](", "| 1.5 |"):
        assert twins.left_out(notebook, whole.replace(part, "")) == [part]


DRAGGED = """<article class="bd-article"><p>One <span class="math">\\(x^2\\)</span> and <a href="a.html">two</a>, said before.</p>
<div class="companion-drag"><div class="drag-try"><p>Drag the ring to the end.</p></div>
<div class="drag-stage" data-figure="batch"></div>
<p class="drag-teaches">It teaches.</p></div><div class="solution"><p>Worked out.</p></div></article>"""


def test_prose_that_a_page_has_and_its_twin_lacks_is_seen() -> None:
    text = written(DRAGGED)
    assert twins.unsaid(DRAGGED, text) == []
    for words in ("Drag the ring to the end.", "It teaches.", "One $x^2$ and [two](a.html), said before."):
        assert words in text
        assert len(twins.unsaid(DRAGGED, text.replace(words, ""))) == 1
    link = "[On the page](ch1.html#drag-batch)"
    assert twins.unsaid(DRAGGED, text.replace(link, "")) == ["no way to the figure to drag batch"]


def test_a_solution_that_stands_openly_is_seen() -> None:
    text = written(DRAGGED)
    assert twins.given_away(text) == []
    assert twins.given_away("**Solution to Exercise 1**\n\nx\n\n" + text) == ["**Solution to Exercise 1**"]


SCRIPTS = {path.stem.partition("_")[2]: path for path in companion_figures.SCRIPTS.glob("*_*.js")}


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_every_control_of_a_figure_is_named(name: str) -> None:
    text = SCRIPTS[name].read_text(encoding="utf-8")
    found = companion_figures.opening(name)
    assert len(found) == sum(text.count(f"F.{kind}(") for kind in ("range", "steps", "menu", "seed"))
    assert all(f'"{label}"' in text or label == "Seed" for label, _ in found)
    assert sum(bool(value) for _, value in found) >= len(found) / 4
