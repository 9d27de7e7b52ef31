"""Recipes of ``book/library.md``: a whole program in a block of Python, and below it a block of text with what it prints.

``python tests/book/recipes.py`` runs them all and writes what they print into the page.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "book" / "library.md"
_RECIPE = re.compile(
    r"^## (?P<title>.+?)\n.*?^```python\n(?P<code>.*?)^```\n\n```text\n(?P<output>.*?)^```\n", re.M | re.S
)


@dataclass(frozen=True)
class Recipe:
    title: str
    code: str
    output: str


def recipes(text: str) -> list[Recipe]:
    return [Recipe(**found.groupdict()) for found in _RECIPE.finditer(text)]


def printed(recipe: Recipe, folder: Path) -> str:
    """What the program prints, run in a folder of its own and with names of its own."""
    out = io.StringIO()
    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(recipe.code, f"<{recipe.title}>", "exec"), {"__name__": "recipe"})
    finally:
        os.chdir(before)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def main(chosen: str = "") -> None:
    """Write the outputs of all recipes, or of those whose title has these words, into the page."""
    text = PAGE.read_text(encoding="utf-8")
    for recipe in recipes(text):
        if chosen not in recipe.title:
            continue
        began = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            now = printed(recipe, Path(folder))
        sys.stdout.write(f"{recipe.title}: {time.process_time() - began:.1f} s\n{now}\n")
        text = text.replace(f"{recipe.code}```\n\n```text\n{recipe.output}", f"{recipe.code}```\n\n```text\n{now}")
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    from companion.core import instruction_set

    instruction_set.pin()
    main(*sys.argv[1:])
