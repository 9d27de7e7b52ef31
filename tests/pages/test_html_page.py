"""The page of a run: what chapters are written in becomes HTML, and nothing is fetched from outside."""

from __future__ import annotations

import re

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from companion import registry
from companion.pages import html_page as module
from companion.pages.document import chapters, read_source
from companion.pages.html_page import page

TEXT = r"""# A chapter of $\R$

Let $a_1 < b_1$, see {prf:ref}`the lemma <lem-x>`, {ref}`elsewhere <not-here>` and {cite}`ma2026batched`.

$$f(x) \ge 0$$

```{prf:lemma} A lemma on $x$
:label: lem-x

It holds that $x_1$ *and* $x_2$.
```

:::{figure-to-drag} batches
:still: fig-three

Step through it.
:::

```{literalinclude} ../src/companion/papers/batched/method/policy.py
:pyobject: BPE.ask
```

| a | b |
|---|---|
| 1 | 2 |
"""


def body(*cells) -> str:
    return page(new_notebook(cells=list(cells)), "companion run x").partition("<main>")[2].partition("</main>")[0]


def html_of(source: str, *outputs, tags=()) -> str:
    return body(new_code_cell(source, outputs=list(outputs), metadata={"tags": list(tags)}))


def test_markdown_of_a_chapter() -> None:
    text = body(new_markdown_cell(TEXT))
    assert r"<h1>A chapter of \(\R\)</h1>" in text
    assert r"Let \(a_1 &lt; b_1\)" in text
    assert '<a href="#lem-x">the lemma</a>, elsewhere and (Ma 2026)' in text
    assert r"\[f(x) \ge 0\]" in text
    assert r'<section class="block" id="lem-x"><p><strong>Lemma</strong> A lemma on \(x\)</p>' in text
    assert r"\(x_1\) <em>and</em> \(x_2\)" in text
    assert "def ask(self" in text
    assert "<td>2</td>" in text
    for trace in ("Step through", "{prf", ":label:", "```", ":::", "literalinclude"):
        assert trace not in text


def test_code_and_outputs_follow_the_tags() -> None:
    stream = new_output("stream", text="a = <1>\n")
    assert "<pre><code>x &lt; 1</code></pre>\n<pre>a = &lt;1&gt;" in html_of("x < 1", stream)
    assert "x &lt; 1" not in html_of("x < 1", stream, tags=["remove-input"])
    assert "<details><summary>code</summary>" in html_of("x < 1", stream, tags=["hide-input"])
    folded = html_of("x", stream, tags=["hide-output", "remove-input"])
    assert "<details><summary>output</summary><pre>a = &lt;1&gt;" in folded
    shown = new_output("execute_result", data={"text/html": "<b>bold</b>", "text/plain": "plain"})
    assert "<b>bold</b>" in html_of("x", shown)
    assert "plain" not in html_of("x", shown)
    said = new_output("execute_result", data={"text/markdown": "so *it* is $x$", "text/plain": "plain"})
    assert r"<p>so <em>it</em> is \(x\)</p>" in html_of("x", said)


@pytest.fixture(scope="module")
def sources(root):
    return {chapter: read_source(chapter.source) for chapter in chapters(root)}


def test_all_chapters_leave_no_trace_of_their_markup(sources, monkeypatch) -> None:
    monkeypatch.setattr(module, "MATHJAX", "LICENSE")  # two megabytes less to go through, five times
    for chapter, source in sources.items():
        text = page(source, "companion run x").partition("<main>")[2].partition("</main>")[0]
        text = re.sub(r"<pre>.*?</pre>", "", text, flags=re.DOTALL)
        assert re.findall(r"\{[a-z:-]+\}`|^:::|^```|(?m:^:(?:label|class|pyobject):)", text) == []
        assert len(text) > 5000 or registry.is_draft(chapter.paper)


def test_nothing_is_fetched(sources) -> None:
    text = page(next(iter(sources.values())), "companion run x")
    assert "MathJax" in text
    assert len(text) > 2_000_000
    markup = re.sub(r"<script>.*?</script>|<style>.*?</style>", "", text, flags=re.DOTALL)
    assert re.findall(r"<(?:link|script|iframe|object|embed|source)\b[^>]*>", markup) == []
    assert all(src.startswith("data:") for src in re.findall(r'\bsrc="([^"]*)"', markup))
    (style,) = re.findall(r"<style>(.*?)</style>", text, flags=re.DOTALL)
    assert "url(" not in style
    assert "@import" not in style
