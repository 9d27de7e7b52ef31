"""A run as one page of HTML that needs nothing else: pictures and the typesetting of formulas are inside.

The book is built by Sphinx from all chapters together. A single run is not worth that: here the chapter's Markdown is
rendered by markdown-it with the few extensions that chapters use, and outputs are taken as they are.
"""

from __future__ import annotations

import ast
import html
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from markdown_it import MarkdownIt
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin
from nbformat import NotebookNode

import companion
from companion.core.files import repository_root

MATHJAX = "book/_static/mathjax/tex-svg-full.js"
#: Cells whose code, or whose outputs, a page leaves out or folds; see the tags of the chapters.
NO_CODE = {"remove-input", "remove-cell"}
NO_OUTPUT = {"remove-output", "remove-cell"}
FOLDED = {"hide-input", "exercise-solution", "exercise-check"}
_TARGET = re.compile(r"^(.*?)\s*<([^<>]+)>$", flags=re.DOTALL)
_KEY = re.compile(r"([a-z]+?)(\d{4})\w*")
_OPTION = re.compile(r"^:([a-z-]+): ?(.*)$")


def page(notebook: NotebookNode, command: str) -> str:
    """The page.

    Parameters
    ----------
    notebook : executed
    command : that made the run, shown at the head
    """
    body, root = _Body(), repository_root(Path(companion.__file__).resolve().parent)
    parts = [body.cell(cell) for cell in notebook.cells]
    content = _linked("\n".join(part for part in parts if part))
    heading = re.search(
        r"^# +(.+)$", "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown"), re.MULTILINE
    )
    values = {
        "title": html.escape(heading[1] if heading else command),
        "command": html.escape(command),
        "style": files("companion.pages").joinpath("page.css").read_text(encoding="utf-8"),
        "macros": json.dumps(_macros(root)),
        "content": content,
        "mathjax": (root / MATHJAX).read_text(encoding="utf-8"),
    }
    return re.sub(r"@(\w+)@", lambda found: values[found[1]], _PAGE)


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@title@</title>
<style>
@style@</style>
</head>
<body>
<main>
<p class="made-by"><code>@command@</code></p>
@content@
</main>
<script>window.MathJax = {tex: {macros: @macros@}, startup: {typeset: true}};</script>
<script>@mathjax@</script>
</body>
</html>
"""


class _Body:
    """Cells as HTML."""

    def __init__(self) -> None:
        self.markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
        for plugin in (amsmath_plugin, colon_fence_plugin, deflist_plugin, myst_block_plugin, myst_role_plugin):
            self.markdown.use(plugin)
        self.markdown.use(dollarmath_plugin, double_inline=True)
        rules: dict[str, Any] = {
            "fence": self._fence,
            "colon_fence": self._fence,
            "myst_role": lambda tokens, place, *_: _role(tokens[place].meta["name"], tokens[place].content),
            "myst_target": lambda tokens, place, *_: f'<a id="{html.escape(tokens[place].content)}"></a>\n',
            "myst_line_comment": lambda *_: "",
            "math_inline": lambda tokens, place, *_: rf"\({html.escape(tokens[place].content)}\)",
            "math_inline_double": lambda tokens, place, *_: _display(tokens[place].content),
            "math_block": lambda tokens, place, *_: _display(tokens[place].content),
            "math_block_label": lambda tokens, place, *_: _display(tokens[place].content, tokens[place].info),
            "amsmath": lambda tokens, place, *_: f'<div class="math">{html.escape(tokens[place].content)}</div>\n',
        }
        for name, rule in rules.items():
            self.markdown.renderer.rules[name] = rule  # type: ignore[attr-defined]

    def cell(self, cell: NotebookNode) -> str:
        """One cell, with its outputs."""
        if cell.cell_type != "code":
            return self.markdown.render(cell.source) if cell.cell_type == "markdown" else ""
        tags = set(cell.metadata.get("tags", []))
        code = (
            "" if tags & NO_CODE or not cell.source.strip() else f"<pre><code>{html.escape(cell.source)}</code></pre>"
        )
        if code and tags & FOLDED:
            code = f"<details><summary>code</summary>{code}</details>"
        shown = "" if tags & NO_OUTPUT else "\n".join(self._output(output) for output in cell.outputs)
        if shown and "hide-output" in tags:
            label = cell.metadata.get("mystnb", {}).get("code_prompt_show", "output")
            shown = f"<details><summary>{html.escape(label)}</summary>{shown}</details>"
        return "\n".join(part for part in (code, shown) if part)

    def _output(self, output: NotebookNode) -> str:
        if output.output_type == "stream":
            return f"<pre>{html.escape(output.text)}</pre>"
        data = output.get("data", {})
        if "text/html" in data:
            return str(data["text/html"])
        if "text/markdown" in data:
            return self.markdown.render(data["text/markdown"])
        if "image/png" in data:
            return f'<img alt="" src="data:image/png;base64,{data["image/png"]}">'
        return f"<pre>{html.escape(data['text/plain'])}</pre>" if "text/plain" in data else ""

    def _fence(self, tokens: Any, place: int, *_: Any) -> str:
        token = tokens[place]
        found = re.match(r"\{([\w:-]+)\}\s*(.*)", token.info.strip())
        if found is None:
            return f"<pre><code>{html.escape(token.content)}</code></pre>\n"
        name, argument = found[1], found[2]
        options, text = _options(token.content)
        if name == "figure-to-drag":
            return ""  # a script of the book's; the picture of the same idea stands above
        if name == "literalinclude":
            return f"<pre><code>{html.escape(_excerpt(argument, options.get('pyobject', '')))}</code></pre>\n"
        kind = name.rpartition(":")[2]
        title = "" if kind == "solution" else self.markdown.renderInline(argument)
        inner = self.markdown.render(text)
        label = f' id="{html.escape(options["label"])}"' if "label" in options else ""
        if kind == "dropdown" or "dropdown" in options.get("class", ""):
            summary = title if kind == "dropdown" else f"{kind.capitalize()} {title}"
            return f"<details{label}><summary>{summary}</summary>{inner}</details>\n"
        head = f"<strong>{kind.capitalize()}</strong> {title}".rstrip()
        return f'<section class="block"{label}><p>{head}</p>{inner}</section>\n'


def _display(tex: str, label: str = "") -> str:
    anchor = f' id="{html.escape(label)}"' if label else ""
    return f'<div class="math"{anchor}>\\[{html.escape(tex.strip())}\\]</div>\n'


def _options(content: str) -> tuple[dict[str, str], str]:
    """Options of a directive, ``:name: value`` a line at its head, and the text below them."""
    options, lines = {}, content.splitlines()
    if lines[:1] == ["---"]:  # the same as YAML between two rules
        end = lines.index("---", 1)
        return {str(k): str(v) for k, v in yaml.safe_load("\n".join(lines[1:end])).items()}, "\n".join(lines[end + 1 :])
    while lines and (found := _OPTION.match(lines[0])):
        options[found[1]] = found[2].strip()
        lines.pop(0)
    return options, "\n".join(lines)


def _role(name: str, content: str) -> str:
    """A reference: a link on the page where its target is there, see :func:`_linked`, and its words otherwise."""
    if name.startswith("cite"):
        works = "; ".join(
            _KEY.sub(lambda key: f"{key[1].capitalize()} {key[2]}", key.strip()) for key in content.split(",")
        )
        return html.escape(works if name == "cite:t" else f"({works})")
    found = _TARGET.match(content)
    words, target = (found[1], found[2]) if found else (content.replace("-", " "), content)
    return f'<a href="#{html.escape(target)}">{html.escape(words)}</a>'


def _linked(content: str) -> str:
    """Only links to what is on the page stay links."""
    ids = set(re.findall(r'\bid="([^"]+)"', content))
    return re.sub(
        r'<a href="#([^"]+)">(.*?)</a>',
        lambda found: found[0] if found[1] in ids else found[2],
        content,
        flags=re.DOTALL,
    )


def _excerpt(path: str, name: str) -> str:
    """Source of a class or function of the package, ``Class.method`` too."""
    text = (Path(companion.__file__).parent / path.partition("src/companion/")[2]).read_text(encoding="utf-8")
    body: list[ast.stmt] = ast.parse(text).body
    node: Any = None
    for part in name.split("."):
        node = next(one for one in body if getattr(one, "name", None) == part)
        body = getattr(node, "body", [])
    lines = text.splitlines()[min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1 : node.end_lineno]
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines)


def _macros(root: Path) -> dict[str, Any]:
    """TeX macros of the book."""
    configuration = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    return dict(configuration["sphinx"]["config"]["mathjax3_config"]["tex"]["macros"])
