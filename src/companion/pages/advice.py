"""Advice on form: pages, errata and code that are longer, denser or otherwise arranged than usual here.

``python -m companion.pages.advice [SLUG]`` prints one line for each: the place, what is there, and what is usual. Nothing is
refused for it. What has to be so, because a reader is misled otherwise, or shut out, is a test.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion import registry
from companion.core.errors import CompanionError
from companion.core.files import checkout, reported_folder
from companion.current.data_digest import ERRATA
from companion.exports import errata
from companion.pages.document import RECORD, Chapter, lessons, read_notebook, read_source
from companion.pages.reading_length import (
    ANSWER,
    CHECK,
    before_exercises,
    before_given,
    exercise_texts,
    hinted,
    listings,
    main_line,
    numbers,
    running_text,
    tagged,
    texts_shown,
    words,
)

#: Of a lesson's main line, which is half an hour with its pictures; numbers in a hundred words of its sentences.
WORDS, NUMBERS = 2500, 2.5
#: Before the exercises of a lesson.
SHOWN = {"figure": 6, "table": 3}
#: Of the code that a lesson shows.
LINES, COLUMNS = 60, 76
#: Of a lesson, and those with code.
EXERCISES, CODED = 7, 3
#: Words of a paragraph of an erratum, lines of its program without imports, columns of such a line.
PARAGRAPH, PROGRAM, WIDTH = 70, 15, 88
#: Lines, of a function without its docstring.
MODULE, FUNCTION = 420, 60
#: Lines and columns of a program on a page of prose.
LISTING = 20, 80
#: Of the code that draws a picture, in lines.
DRAWN = 15
#: Words of the field that a lesson gives before it uses them, by what is found of them.
TERMS = {
    term: rf"(?<![\w-]){found}(?!\w)"
    for term, found in {
        **{name: name for name in ("trivial bound", "random choice", "sharper form", "best form", "cumulative regret")},
        **{name: name for name in ("terminal regret", "sum over batches", "staircase", "information gain")},
        **{name: name for name in ("resampling", "sampled maximum", "model order", "dictionary", "optimism", "radius")},
        **{name: name for name in ("reference distribution", "penalty", "fitted model", "BPE", "BUCB", "DPPTS", "qEI")},
        **{name: rf"{name}s?" for name in ("norm", "width", "context")},
        "scale": "(?<=of )scales?",
        "active": "active(?! learning)",
        "informative": "informative(?! about)",
        "record": "record(?!ed)",
    }.items()
}
#: Words of the house's own, and the field's.
OWN_WORDS = {
    "trivial line": "trivial bound",
    "blind line": "random choice",
    "T1a": "sum over batches",
    "alive": "active",
    "dense": "uncompressed",
    "a look": "an evaluation",
}
_INSTANCE = re.compile(r"(\d+)\s+points\b[^.]*?length-scale\s+([\d.]+\d)")
#: Behind the question.
LESSON_HEADINGS = (
    *("The method", "The bound, step by step", "Bound against measurement"),
    *("The experiment that decides", "Summary", "Exercises", "Parameters"),
)
#: Of the lesson that sets the papers side by side, which asks practitioners' questions.
GUIDE_HEADINGS = (
    *("Which width?", "Which method?", "When may I stop?", "What if the model is wrong?"),
    *("When is a bound informative?", "Summary", "Exercises", "Parameters"),
)
#: Of a record, which may have others between them.
RECORD_HEADINGS = ("Parameters", "The experiments again", "Settings", "Where we differ", "Run record")
_LEVEL = re.compile(r"\*Level [1-3] of 3, about \d+ minutes(?P<code>, with code)?\.\*")
_RULED = re.compile(r"^\s*\|(?:\s*:?-+:?\s*\|)+\s*$", flags=re.MULTILINE)
_SHOWN = re.compile(r'<figure class="companion-(?P<kind>figure|table)">')
_INCLUDED = re.compile(r"```\{literalinclude\} (?P<path>\S+)\n(?P<options>(?::.*\n)*)```")
_PROGRAM = re.compile(r"^```python\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
_DESCRIBED = re.compile(r"\A---\n.*?^\s+description: (.+?)$.*?^---$", flags=re.MULTILINE | re.DOTALL)
_DESCRIPTION = range(50, 161)


@dataclass(frozen=True)
class Advice:
    """One thing worth a look: where, what is there, and what is usual."""

    place: str
    what: str
    usual: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}; usual is {self.usual}"


def collect(root: Path, paper: str | None = None) -> list[Advice]:
    """All that is worth a look: of one paper or chapter above, or everywhere."""
    found = [one for lesson in lessons(root) if paper in (None, lesson.paper) for one in _of_chapter(lesson)]
    for slug in registry.declaring("leads") if paper is None else [paper] if registry.declares(paper, "leads") else []:
        found += _of_errata(root, slug)
    package = root / "src" / "companion"
    for path in sorted((package if paper is None else package / "papers" / paper).rglob("*.py")):
        found += of_module(path, path.relative_to(root).as_posix())
    if paper is None:
        for path in sorted((root / "book").glob("*.md")):
            found += of_prose(path)
    return found


def _of_chapter(lesson: Chapter) -> Iterator[Advice]:
    for page in lesson.pages:
        yield from of_record(page) if page.part == RECORD else of_lesson(page)


def _executed(page: Chapter) -> list[Any]:
    """Cells with what they show; none where the page was not executed yet."""
    return list(read_notebook(page.notebook).cells) if page.notebook.is_file() else []


def of_lesson(lesson: Chapter) -> Iterator[Advice]:
    """Of the page that everybody reads."""
    place, source, executed = lesson.source.name, read_source(lesson.source).cells, _executed(lesson)
    question, *rest = _headings(source) or [""]
    usual = GUIDE_HEADINGS if lesson.paper in registry.CROSS_PAPER else LESSON_HEADINGS
    if not question.endswith("?") or tuple(rest) != usual:
        yield Advice(place, f"sections {', '.join([question, *rest])}", f"a question, then {', '.join(usual)}")
    texts = list(main_line(source, texts_shown(executed)))
    if (count := sum(map(words, texts))) > WORDS:
        yield Advice(place, f"{count} words before the exercises", f"at most {WORDS}")
    if (found := numbers(running_text(executed))) > NUMBERS * count / 100:
        yield Advice(place, f"{found} numbers in {count} words", f"at most {NUMBERS} in a hundred")
    if early := before_given(TERMS, texts):
        yield Advice(place, f"used before given: {', '.join(early)}", "each emphasised where it is explained")
    for own, usual_word in OWN_WORDS.items():
        if re.search(rf"\b{own}\b", "\n".join(texts)):
            yield Advice(place, f"says {own}", usual_word)
    instances = {match.groups() for cell in before_exercises(executed) for match in _instances(cell)}
    if len(instances) > 1:
        named = "; ".join(f"{points} points, length-scale {scale}" for points, scale in sorted(instances))
        yield Advice(place, f"captions name {named}", "one instance, or a sentence that says why")
    kinds = [match["kind"] for cell in before_exercises(executed) for match in _shown(cell)]
    kinds += ["table" for cell in before_exercises(source) if cell.cell_type == "markdown" for _ in _ruled(cell)]
    for kind, most in SHOWN.items():
        if kinds.count(kind) > most:
            yield Advice(place, f"{kinds.count(kind)} {kind}s before the exercises", f"at most {most}")
    for number, cell in enumerate(executed):
        if any(match["kind"] == "figure" for match in _shown(cell)) and "remove-input" not in _tags(cell):
            yield Advice(place, f"cell {number} shows a figure and its code", "the tag remove-input")
    yield from _code(lesson)
    yield from _exercises(place, source)


def of_record(record: Chapter) -> Iterator[Advice]:
    """Of the page that a doubter reads."""
    place, source = record.source.name, read_source(record.source).cells
    found = _headings(source)
    own = [title for title in found if title in RECORD_HEADINGS]
    if tuple(own) != RECORD_HEADINGS or (found[0], found[-1]) != (own[0], own[-1]):
        usual = f"{', '.join(RECORD_HEADINGS)}, with others between"
        yield Advice(place, f"sections {', '.join(found)}", usual)
    if exercise_texts(source) or tagged(source, CHECK) or tagged(source, ANSWER):
        yield Advice(place, "has exercises", "to have them in the lesson")


def _headings(cells: Iterable[Any]) -> list[str]:
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return re.findall(r"^## (.+)$", text, flags=re.MULTILINE)


def _tags(cell: Any) -> list[str]:
    return list(cell.metadata.get("tags", []))


def _ruled(cell: Any) -> list[str]:
    return _RULED.findall(cell.source)


def _shown(cell: Any) -> Iterator[re.Match[str]]:
    """Figures and tables that an executed cell shows."""
    for output in cell.get("outputs", []):
        yield from _SHOWN.finditer(output.get("data", {}).get("text/html", ""))


def _instances(cell: Any) -> Iterator[re.Match[str]]:
    """Points and length-scale that the captions of an executed cell name."""
    for output in cell.get("outputs", []):
        for caption in re.findall(r"<figcaption>.*?</figcaption>", output.get("data", {}).get("text/html", "")):
            yield from _INSTANCE.finditer(caption)


def _code(lesson: Chapter) -> Iterator[Advice]:
    """Of the code that a lesson shows: its own cells, and definitions of the package."""
    place, own = lesson.source.name, listings(lesson)
    included = [definition(*which) for which in _included(lesson)]
    count = sum(len(lines) for _, lines in included) + sum(bool(x.strip()) for text in own for x in text.splitlines())
    if count > LINES:
        yield Advice(place, f"{count} lines of code are shown", f"at most {LINES}")
    if not own:
        yield Advice(place, "no code cell is shown", "one at least that a reader can copy")
    drawn = [sum(bool(line.strip()) for line in text.splitlines()) for text in own if ".subplots(" in text]
    if not drawn:
        yield Advice(place, "no picture is drawn by code that is shown", "one at least")
    for lines in (lines for lines in drawn if lines > DRAWN):
        yield Advice(place, f"a picture is drawn by {lines} lines", f"at most {DRAWN}")
    shown = [line for text in (*own, *(text for text, _ in included)) for line in text.splitlines()]
    for line in (line for line in shown if len(line) > COLUMNS):
        yield Advice(place, f"a line of {len(line)} columns, {line.strip()}", f"at most {COLUMNS}")


def _included(lesson: Chapter) -> Iterator[tuple[Path, str]]:
    """(module, name) of the package's own code that a page shows."""
    text = "\n".join(cell.source for cell in read_source(lesson.source).cells if cell.cell_type == "markdown")
    for match in _INCLUDED.finditer(text):
        if name := re.search(r":pyobject: (\S+)", match["options"]):
            yield (lesson.source.parent / match["path"]).resolve(), name[1]


def definition(path: Path, name: str) -> tuple[str, list[str]]:
    """Text of a function, method or class as a page shows it, and its lines without decorators and docstring."""
    scope: Any = ast.parse(text := path.read_text(encoding="utf-8"))
    for part in name.split("."):
        scope = next(node for node in ast.iter_child_nodes(scope) if getattr(node, "name", None) == part)
    lines = text.splitlines()
    first = min(node.lineno for node in (scope, *scope.decorator_list))
    said = _docstring(scope)
    own = [line for at, line in enumerate(lines[: scope.end_lineno], start=1) if at >= scope.lineno and at not in said]
    return "\n".join(lines[first - 1 : scope.end_lineno]), own


def _docstring(scope: Any) -> range:
    """Lines of a definition's docstring."""
    if ast.get_docstring(scope, clean=False) is None:
        return range(0)
    return range(scope.body[0].lineno, scope.body[0].end_lineno + 1)


def _exercises(place: str, source: list[Any]) -> Iterator[Advice]:
    levels = {label: _LEVEL.fullmatch(line) for label, line in exercise_texts(source).items()}
    coded = sum(bool(level and level["code"]) for level in levels.values())
    if len(levels) < EXERCISES or coded < CODED:
        yield Advice(place, f"{len(levels)} exercises, {coded} of them with code", f"at least {EXERCISES} and {CODED}")
    for label in (label for label, level in levels.items() if level is None):
        yield Advice(place, f"{label} says no level", "to begin '*Level 2 of 3, about 15 minutes[, with code].*'")
    for tag in (CHECK, ANSWER):
        if (found := len(tagged(source, tag))) != coded:
            yield Advice(place, f"{found} cells tagged {tag}", f"one for each of {coded} exercises with code")
    for label in (label for label, has_hint in hinted(source).items() if not has_hint):
        yield Advice(place, f"{label} has code and no hint", "a hint before its check")


def _of_errata(root: Path, paper: str) -> Iterator[Advice]:
    for path in sorted((reported_folder(paper, root) / ERRATA).glob("*.py")):
        yield from of_erratum(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))


def of_erratum(place: str, source: str) -> Iterator[Advice]:
    """Of an erratum, by its text; nothing of one that cannot be read."""
    try:
        erratum = errata.parse(Path(place).stem, source)
    except CompanionError:
        return
    for name in ("place", "printed", "wrong", "repair"):
        if (count := len(getattr(erratum, name).split())) > PARAGRAPH:
            yield Advice(place, f"{name} has {count} words", f"at most {PARAGRAPH}")
    begin = len(source.splitlines()) - len(erratum.program.splitlines())
    lines = {at: line for at, line in enumerate(source.splitlines(), start=1) if at > begin and line.strip()}
    counted = sum(not line.startswith(("import ", "from ", "#")) for line in lines.values())
    if counted > PROGRAM:
        yield Advice(place, f"its program has {counted} lines", f"at most {PROGRAM}")
    for at, line in lines.items():
        if len(line) > WIDTH:
            yield Advice(f"{place}:{at}", f"{len(line)} columns", f"at most {WIDTH}")


def of_module(path: Path, place: str) -> Iterator[Advice]:
    """Of a module of the package: its lines, and those of each function without its docstring."""
    text = path.read_text(encoding="utf-8")
    if (count := len(text.splitlines())) > MODULE:
        yield Advice(place, f"{count} lines", f"at most {MODULE}")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            lines = node.end_lineno - node.lineno + 1 - len(_docstring(node))
            if lines > FUNCTION:
                yield Advice(f"{place}:{node.lineno}", f"{node.name} has {lines} lines", f"at most {FUNCTION}")


def of_prose(path: Path) -> Iterator[Advice]:
    """Of a page that belongs to no chapter: its programs, and what it tells search engines."""
    text, (longest, widest) = path.read_text(encoding="utf-8"), LISTING
    place = f"{path.parent.name}/{path.name}"
    for match in _PROGRAM.finditer(text):
        lines, at = match[1].splitlines(), text.count("\n", 0, match.start(1)) + 1
        if (count := sum(bool(line.strip()) for line in lines)) > longest:
            yield Advice(f"{place}:{at}", f"a program of {count} lines", f"at most {longest}")
        for more, line in enumerate(lines):
            if len(line) > widest:
                yield Advice(f"{place}:{at + more}", f"{len(line)} columns", f"at most {widest}")
    if (told := _DESCRIBED.match(text)) and len(told[1]) not in _DESCRIPTION:
        usual = f"{_DESCRIPTION.start} to {_DESCRIPTION.stop - 1}"
        yield Advice(place, f"a description of {len(told[1])} characters", usual)


def main(arguments: list[str] | None = None) -> int:
    """Print the list; 0, whatever is on it."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        found = collect(checkout(), registry.slug_of(given[0]) if given else None)
    except CompanionError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    head = f"Worth a look, and no failure ({len(found)}):" if found else "Nothing of form is worth a look."
    sys.stdout.write("\n  ".join([head, *map(str, found)]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
