"""A book without solutions: gone from the page, from what is searched and from what is downloaded; with them by default."""

from __future__ import annotations

import io
import json
import logging
import re
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import companion_solutions  # noqa: E402

TEXT = """# A page

```{exercise} Add
:label: ex-add

*Level 1 of 3, about 5 minutes, with code.* Write `add`.
```

```{dropdown} Hint
:class-container: exercise-hint

Begin with the larger one.
```

````{solution} ex-add
:class: dropdown

It is kowtow.

```{note}
Inside onyx.
```
````

After it.
"""


#: A solution whose words are filled with numbers stands in a cell that says so, and in its output.
FILLED = "```{solution} ex-add\n:class: dropdown\n\nThe quokka is 5.\n```\n"


def cell(source: str, printed: str, *tags: str) -> nbformat.NotebookNode:
    shown = nbformat.v4.new_output("stream", name="stdout", text=printed)
    return nbformat.v4.new_code_cell(source, outputs=[shown], execution_count=1, metadata={"tags": list(tags)})


def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> tuple[Path, str]:
    """The built pages, and what Sphinx warned of."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    source = tmp_path / "source"
    source.mkdir(exist_ok=True)
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell(TEXT),
            cell("check = 1", "checked\n", "hide-input", "exercise-check"),
            cell("zephyr = 1", "zephyr printed\n", "hide-input", "exercise-solution"),
            nbformat.v4.new_code_cell(
                f'say("""\n{FILLED}""", n)',
                outputs=[nbformat.v4.new_output("display_data", data={"text/markdown": FILLED})],
                execution_count=2,
                metadata={"tags": ["remove-input"]},
            ),
        ]
    )
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    nbformat.write(notebook, source / "index.ipynb")
    monkeypatch.setenv(companion_solutions.VARIABLE, said)
    warned, config = (
        io.StringIO(),
        {
            "extensions": ["myst_nb", "sphinx_design", "sphinx_exercise", "companion_solutions"],
            "source_suffix": {
                ".md": "myst-nb",
                ".ipynb": "myst-nb",
            },  # Sphinx would add to its own default, for later tests too
            "html_theme": "basic",
            "nb_execution_mode": "off",
            "nb_render_markdown_format": "myst",
            "html_sourcelink_suffix": "",
        },
    )
    handlers = list(logging.getLogger("sphinx").handlers)
    try:
        with patch_docutils(str(source)), docutils_namespace():
            html, trees = str(tmp_path / "html"), str(tmp_path / "trees")
            Sphinx(str(source), None, html, trees, "html", config, io.StringIO(), warned).build()
    finally:
        logging.getLogger("sphinx").handlers[:] = handlers
    return tmp_path / "html", warned.getvalue()


def test_solutions_are_left_out_and_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ("kowtow", "onyx", "zephyr", "quokka")
    for again, said in enumerate(("no", "yes", "", "no")):
        html, warned = build(tmp_path, monkeypatch, said)
        assert warned == ""
        page = (html / "index.html").read_text(encoding="utf-8")
        download = (html / "_sources" / "index.ipynb").read_text(encoding="utf-8")
        search = (html / "searchindex.js").read_text(encoding="utf-8")
        for secret in secrets:
            # Sphinx keeps a word whose last page is gone in its index, with no page to it: only a new one is looked at.
            places = (page, download, search)[: 2 if again else 3]
            assert {secret in text for text in places} == {said != "no"}, (said, secret)
        links = re.findall(r"Solution to( ?)<a[^>]*>([^<]*)", page)
        assert bool(links) == (said != "no")
        assert all(blank and words.startswith("Exercise") for blank, words in links)
        for kept in ("Write", "Begin with the larger one", "check", "After it"):
            assert kept in page
            assert kept in download
        assert json.loads(download)["cells"], "it still is a notebook"


def test_a_word_that_is_neither_yes_nor_no_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(companion_solutions.VARIABLE, "false")
    with pytest.raises(ValueError, match="SOLUTIONS=false: yes or no is meant"):
        companion_solutions.wanted()


def test_make_hands_the_word_on() -> None:
    assert "COMPANION_SOLUTIONS=$(SOLUTIONS)" in (ROOT / "Makefile").read_text(encoding="utf-8")
