"""The main line of a chapter, and its words: what is read by somebody who opens no fold, skips tables and does no exercise."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from companion.pages.document import Chapter, read_source

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
#: Parts of running text whose numbers are none that a reader has to follow: headings, roles, formulas, code, addresses, years.
_NOT_COUNTED = [
    re.compile(pattern, flags=re.MULTILINE | re.DOTALL)
    for pattern in (
        r"^#+ [^\n]*$",
        r"\{[\w:]+\}`[^`]*`",
        r"\$[^$]+\$|`[^`]+`",
        r"\]\([^)]*\)|<[^>]+>",
        r"\((?:19|20)\d\d[a-z]?\)",
        r"\bMatérn[ -]\d/\d",
    )
]
_HEADING = _NOT_COUNTED[0]
#: Where a word is given: emphasised, or alone in parentheses behind what it stands for.
_GIVEN = re.compile(r"\*{1,2}[^*\n]+\*{1,2}|\([^()\s]+\)")
_PLACE = r"\(?[A-Z]?\.?\d+(?:\.\d+)*(?:\(\w+\))?\)?"
#: What names a place: Theorem 3.2, Sections 4 and 5, Figures 2 to 4, eq. (12), chapter 6.
_LABEL = re.compile(
    r"\b(?:theorem|lemma|proposition|prop|corollary|assumption|definition|remark|section|sec|appendix|app|figure|fig|table|equation"
    r"|eq|line|step|rule|algorithm|chapter|page|exercise|reading|inequality|claim|problem)(?:s|es)?\.?\s+"
    rf"(?:{_PLACE})(?:\s*(?:,|–|-|and|or|to|,\s+and)\s*{_PLACE})*",
    flags=re.IGNORECASE,
)
#: A number that stands for itself: neither a part of a name, Ackley-2D, nor the exponent of one.
_NUMBER = re.compile(r"(?<![\w.,/-])[-−]?\d+(?:[.,/:]\d+)*(?:e[+-]?\d+)?(?![\w]|-[A-Za-z])")
#: Directives that are folded, show code, or belong to the exercises.
_SKIPPED = {"dropdown", "literalinclude", "code-cell", "raw", "exercise", "solution"}
#: Where the text stands among the arguments.
_SHOWN_BY = {"say": 0, "show": 1, "Table": 1}


#: Tags of a cell that checks a reader's function, and of one with an answer to it.
CHECK, ANSWER = "exercise-check", "exercise-solution"
#: Class of a hint, a fold between an exercise and its check.
HINT = "exercise-hint"
#: Tags of code that a page does not show, or does not begin by showing.
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell", "parameters"}
_CELL = "\0cell "
_EXERCISE = re.compile(r"```+\{exercise\} (?P<title>.+)\n:label: (?P<label>\S+)\n\n(?P<first>.+)")


def listings(chapter: Chapter, parameters: bool = False) -> list[str]:
    """Code cells whose input a page shows; if asked for, also the cell of parameters, which opens with a click."""
    cells = [cell for cell in read_source(chapter.source).cells if cell.cell_type == "code"]
    tags = [set(cell.metadata.get("tags", [])) for cell in cells]
    return [
        cell.source
        for cell, own in zip(cells, tags, strict=True)
        if not HIDDEN & own or (parameters and "parameters" in own)
    ]


def exercise_texts(cells: Iterable[Any]) -> dict[str, str]:
    """Label of every exercise of a page, and the first line of its text."""
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return {match["label"]: match["first"] for match in _EXERCISE.finditer(text)}


def hinted(cells: Iterable[Any]) -> dict[str, bool]:
    """Label of every exercise with code, and whether a hint stands between it and its check."""
    text = "\n\n".join(
        cell.source if cell.cell_type == "markdown" else f"{_CELL}{','.join(cell.metadata.get('tags', []))}"
        for cell in cells
    )
    found = list(_EXERCISE.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)]
    parts = {match["label"]: text[match.end() : end] for match, end in zip(found, ends, strict=True)}
    cut = {label: re.split(rf"{_CELL}\S*{CHECK}", part, maxsplit=1) for label, part in parts.items()}
    return {label: HINT in before for label, (before, *checked) in cut.items() if checked}


def tagged(cells: Iterable[Any], tag: str) -> list[str]:
    """Sources of the code cells with a tag, in their order."""
    return [cell.source for cell in cells if cell.cell_type == "code" and tag in cell.metadata.get("tags", [])]


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


def numbers(shown: str) -> int:
    """Numbers in the running text of a Markdown text, as it is shown."""
    text = _FENCE.sub(_inside, shown)
    for pattern in (*_NOT_READ, *_NOT_COUNTED):
        text = pattern.sub(" X ", text)
    return len(_NUMBER.findall(_LABEL.sub(" ", html.unescape(text))))


def before_exercises(cells: Iterable[Any]) -> Iterator[Any]:
    """Cells of a page up to the heading of its exercises."""
    for cell in cells:
        if cell.cell_type == "markdown" and re.search(r"^## Exercises$", cell.source, flags=re.MULTILINE):
            return
        yield cell


def running_text(executed: Iterable[Any]) -> str:
    """Sentences of an executed lesson's main line: without captions, tables, code and output."""
    texts = []
    for cell in before_exercises(executed):
        if cell.cell_type == "markdown":
            texts.append(cell.source)
        elif not _FOLDED & set(cell.metadata.get("tags", [])):
            texts += [output.get("data", {}).get("text/markdown", "") for output in cell.outputs]
    return "\n\n".join(texts)


def _inside(fence: re.Match[str]) -> str:
    """Text of a directive in the main line: title and text of a box, nothing of a fold, a listing or an exercise."""
    directive = re.match(r"\{([\w:-]+)\}(.*)", fence["head"].strip())
    if directive is None or directive[1] in _SKIPPED or ":class: dropdown" in fence["body"]:
        return "\n"
    # Behind the name of a figure to drag stands its address, behind that of a box its title.
    title = "" if directive[1] == "figure-to-drag" else directive[2]
    return f"{title}\n{_FENCE.sub(_inside, _OPTION.sub('', fence['body']))}\n"


def main_line(source: Iterable[Any], made: Mapping[str, str]) -> Iterator[str]:
    """Sentences and captions of every cell up to the exercises, in the order of reading.

    They are taken as they stand in the source, so that an author need not execute the chapter to know its length. What the
    package writes itself, such as the list of differences, is taken from ``made``.

    Parameters
    ----------
    source : cells of a chapter's ``.py`` file
    made : text by source of the cell that showed it, from :func:`texts_shown`
    """
    for cell in before_exercises(source):
        if cell.cell_type == "markdown":
            yield cell.source
        elif not _FOLDED & set(cell.metadata.get("tags", [])):
            yield "\n\n".join(_templates(cell.source)) or made.get(cell.source, "")


def before_given(terms: Mapping[str, str], texts: Iterable[str]) -> list[str]:
    """Terms that a text uses before it gives them: emphasised, or in the parentheses of what they abbreviate.

    Parameters
    ----------
    terms : regular expression by term
    texts : Markdown in the order of reading; headings and what no reader sees in passing are left out
    """
    text = "\n\n".join(texts)
    text = _HEADING.sub("", _FENCE.sub(_inside, text))
    for pattern in _NOT_READ:
        text = pattern.sub(" ", text)
    # A role is what it shows: the words before its target, or nothing.
    text = re.sub(r"\{[\w:]+\}`(?:([^`<]*)<[^`]*>)?[^`]*`", lambda role: role[1] or "", text)
    given = [emphasised.span() for emphasised in _GIVEN.finditer(text)]
    firsts = {term: re.search(pattern, text) for term, pattern in terms.items()}
    return [
        term for term, first in firsts.items() if first and not any(begin < first.start() < end for begin, end in given)
    ]


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
                    yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in text.values)
