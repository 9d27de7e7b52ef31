"""``companion new-paper SLUG``: a small chapter that works, to be replaced piece by piece."""

from __future__ import annotations

import contextlib
import json
import keyword
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from companion.cli.arguments import text
from companion.cli.show import TEXT, Output
from companion.core.errors import ParameterError
from companion.core.files import checkout, write_atomic
from companion.registry import RECORD

#: Most letters of a slug, which is part of many names of files.
LONGEST = 40
#: Folder of the skeleton, and where each of its folders goes in a checkout.
SKELETON = Path(__file__).parent / "skeleton"
PLACES = {
    "paper": "src/companion/papers/{slug}/{name}",
    "reported": "data/reported/{slug}/{name}",
    "tests": "tests/papers/{slug}/{name}",
}
PAGES = {"lesson.py": "notebooks/ch{number}_{slug}.py", "record.py": f"notebooks/ch{{number}}_{{slug}}{RECORD}.py"}
PROFILES = "notebooks/profiles/ch{number}_{slug}/{name}"
#: Lines of ``_toc.yml`` that the new chapter's follow: those of the last chapter, with its record below it.
LAST = re.compile(
    r"^(?P<dent> *)- file: notebooks/ch\d+_\w+\n(?:(?P=dent) +[^\n]+\n)*(?!.*- file: notebooks/ch)",
    flags=re.MULTILINE | re.DOTALL,
)
LISTED = "- file: notebooks/ch{number}_{slug}\n  sections:\n    - file: notebooks/ch{number}_{slug}" + f"{RECORD}\n"
STEPS = ("git add -A && git commit -m 'Chapter {number} begins'", "make chapter CH={number}", "make check PAPER={slug}")


def execute(
    slug: Annotated[str, text("SLUG", "name of the paper's folder: lower-case letters, digits and '_'")],
    /,
    *,
    title: Annotated[str, text("TITLE", "of the chapter (default: the slug)")] = "",
    output: Output = TEXT,
) -> int:
    """Write a small chapter that works, to be replaced piece by piece.

    Example: companion new-paper gpucb --title "GP-UCB"
    """
    root = checkout()
    slug = _slug(slug, root)
    from companion.pages.document import lessons

    number = 1 + max(chapter.number or 0 for chapter in lessons(root))
    written = write(root, slug, number, title)
    steps = [step.format(number=number, slug=slug) for step in STEPS]
    begun = f"\nChapter {number} works, and says nothing yet. What it shows is computed, and looked at, by:"
    lines = [*written, begun, *(f"  {step}" for step in steps), "CONTRIBUTING.md says what to replace, in which order."]
    content = {"paper": slug, "chapter": number, "files": written, "next": steps}
    return output.give(content, lambda: "\n".join(lines))


def write(root: Path, slug: str, number: int, title: str) -> list[str]:
    """Write every file and the lines of ``_toc.yml``; what is written, relative to ``root``. The title may be empty."""
    shown = title or slug.replace("_", " ").capitalize()
    values = {"slug": slug, "number": str(number), "title": shown, "given": json.dumps(title, ensure_ascii=False)}
    files = {}
    for template in sorted(SKELETON.rglob("*.tmpl")):
        kind, *below = template.relative_to(SKELETON).with_suffix("").parts
        name = "/".join(below)
        pattern = PLACES.get(kind, PAGES.get(name, PROFILES))
        text = template.read_text(encoding="utf-8")
        for key, value in values.items():
            text = text.replace(f"@{key}@", value)
        files[pattern.format(**values, name=name)] = text
    contents = (root / "_toc.yml").read_text(encoding="utf-8")
    last = LAST.search(contents)
    if last is None:
        raise ParameterError("_toc.yml", "names no chapter", "a line '- file: notebooks/chN_<slug>'")
    lines = textwrap.indent(LISTED.format(**values), last["dent"])
    files["_toc.yml"] = contents[: last.end()] + lines + contents[last.end() :]
    _write_all(root, files)
    return list(files)


def _write_all(root: Path, files: Mapping[str, str]) -> None:
    """All of the files, of which the last is there before, or none: half a paper would be in the way of the next call."""
    *fresh, _ = files
    folders = {folder for place in fresh for folder in (root / place).parents if not folder.exists()}
    try:
        for place, text in files.items():
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            write_atomic(root / place, text.encode())
    except BaseException:
        undone = [(root / place).unlink for place in fresh] + [folder.rmdir for folder in sorted(folders, reverse=True)]
        for undo in undone:
            with contextlib.suppress(OSError):  # what is not there, or the first error again, which says more
                undo()
        raise


def _slug(name: str, root: Path) -> str:
    """The slug, refused before anything is written."""
    if not re.fullmatch(rf"[a-z][a-z0-9_]{{,{LONGEST - 1}}}(?<!{RECORD})", name) or keyword.iskeyword(name):
        allowed = f"up to {LONGEST} lower-case letters, digits and '_', beginning with a letter, not ending in {RECORD}"
        raise ParameterError("SLUG", f"got {name!r}", allowed)
    taken = [place.format(slug=name, name="").rstrip("/") for place in PLACES.values()]
    there = next((place for place in taken if _holds_something(root / place)), None)
    if there is not None:
        raise ParameterError("SLUG", f"{there} is there already", "the slug of a new paper")
    return name


def _holds_something(folder: Path) -> bool:
    """Whether there is more than what Python leaves of a paper that was taken out again."""
    return any(path.is_file() and path.parent.name != "__pycache__" for path in (folder, *folder.rglob("*")))
