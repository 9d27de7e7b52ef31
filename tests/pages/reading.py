"""The main line of a chapter, and its words: what is read by somebody who opens no fold, skips tables and does no exercise."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

#: Thirty minutes at 200 words a minute; half of that says something.
LEAST, LIMIT = 3000, 6000
#: A cell with one of these tags shows no text, or folds it.
_FOLDED = {"remove-cell", "hide-cell", "hide-output", "remove-output"}
_FENCE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})(?P<head>[^\n]*)\n(?P<body>.*?)^(?P=fence)[ \t]*$", flags=re.MULTILINE | re.DOTALL
)
_OPTION = re.compile(r"^:[\w-]+:.*$", flags=re.MULTILINE)
#: Read by nobody in passing: folds, comments, labels, list numbers, tables, displayed formulas, citations.
_NOT_READ = [
    re.compile(pattern, flags=re.MULTILINE | re.DOTALL)
    for pattern in (
        r"<details.*?</details>",
        r"<!--.*?-->",
        r"^\(\S+\)=$",
        r"^\s*\d+\.\s",
        r"^\s*\|[^\n]*$",
        r"\$\$.*?\$\$",
        r"\{cite[^}]*\}`[^`]*`",
    )
]
#: Directives that are folded, show code, or belong to the exercises.
_SKIPPED = {"dropdown", "literalinclude", "code-cell", "raw", "exercise", "solution"}
#: Where the text stands among the arguments.
_SHOWN_BY = {"say": 0, "show": 1, "Table": 1}


def words(markdown: str) -> int:
    """Words of a Markdown text; a formula within a line, a piece of code and an inserted number are one word each."""
    text = _FENCE.sub(_inside, markdown)
    for pattern in _NOT_READ:
        text = pattern.sub(" ", text)
    text = re.sub(r"\{[\w:]+\}`(?:([^`<]*)<[^`]*>)?[^`]*`", lambda role: role[1] or "X", text)
    text = re.sub(r"\[\[[^\[\]]*\]\]", "X", text)
    text = re.sub(r"\$[^$]+\$|`[^`]+`", "X", text)
    text = re.sub(r"\]\([^)]*\)|<[^>]+>", " ", text)
    return sum(bool(re.search(r"\w", word)) for word in html.unescape(text).split())


def _inside(fence: re.Match[str]) -> str:
    """What is read of a directive at once: title and text of a box, nothing of a fold, a listing or an exercise."""
    directive = re.match(r"\{([\w:-]+)\}(.*)", fence["head"].strip())
    if directive is None or directive[1] in _SKIPPED or ":class: dropdown" in fence["body"]:
        return "\n"
    # Behind the name of a figure to drag stands its address, behind that of a box its title.
    title = "" if directive[1] == "figure-to-drag" else directive[2]
    return f"{title}\n{_FENCE.sub(_inside, _OPTION.sub('', fence['body']))}\n"


def main_line(source: Iterable[Any], made: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """(heading, words) of every cell up to the exercises, and of those after them.

    Sentences and captions are counted as they stand in the source, so that an author need not execute the chapter to
    know its length. What the package writes itself, such as the list of differences, is taken from ``made``.

    Parameters
    ----------
    source : cells of a chapter's ``.py`` file
    made : text by source of the cell that showed it, from :func:`texts_shown`
    """
    heading, exercises = "", False
    for cell in source:
        if cell.cell_type == "markdown":
            headings = re.findall(r"^(#+) (.+)$", cell.source, flags=re.MULTILINE)
            chapters = [title for level, title in headings if len(level) <= 2]
            exercises = chapters[-1] == "Exercises" if chapters else exercises
            heading = headings[-1][1] if headings else heading
            texts = [cell.source]
        elif _FOLDED & set(cell.metadata.get("tags", [])):
            texts = []
        else:
            texts = list(_templates(cell.source)) or [made.get(cell.source, "")]
        if not exercises:
            yield heading, sum(map(words, texts))


def texts_shown(executed: Iterable[Any]) -> dict[str, str]:
    """Sentences and captions that the code cells of an executed notebook show, by the source of the cell."""
    return {
        cell.source: "\n\n".join(_shown(output.get("data", {})) for output in cell.get("outputs", []))
        for cell in executed
        if cell.cell_type == "code"
    }


def _shown(data: Mapping[str, str]) -> str:
    if "text/markdown" in data:
        return data["text/markdown"]
    captions = re.findall(
        r"<(?:figcaption|caption)[^>]*>(.*?)</(?:figcaption|caption)>", data.get("text/html", ""), flags=re.DOTALL
    )
    return "\n\n".join(captions)


def _templates(source: str) -> Iterator[str]:
    """Sentences and captions that a cell gives to ``say``, ``show`` and ``Table``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SHOWN_BY:
            place = _SHOWN_BY[node.func.id]
            given = [keyword.value for keyword in node.keywords if keyword.arg in {"template", "caption"}]
            for text in [*node.args[place : place + 1], *given]:
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    yield text.value
                elif isinstance(text, ast.JoinedStr):
                    yield "".join(part.value if isinstance(part, ast.Constant) else "X" for part in text.values)
