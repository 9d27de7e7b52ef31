"""Every refusal on one page, for reading aloud: what the tests have seen of each place that raises an error of the package.

``COMPANION_ATLAS=atlas.md python -m pytest tests/cli tests/library ...`` writes the page, in one process. For each place it has
the shortest message seen, and in the end the places of which these tests have seen none.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import FrameType

import companion
from companion.core import errors
from companion.core.errors import CompanionError

PACKAGE = Path(companion.__file__).resolve().parent


class Atlas:
    """Listens to every error of the package that is made, from now to the end of the tests."""

    def __init__(self, page: Path) -> None:
        self.page = page
        self.seen: dict[tuple[str, int], str] = {}
        CompanionError.__init__ = self._listening()

    def _listening(self):
        def made(error: CompanionError, *words: object) -> None:
            Exception.__init__(error, *words)
            place = _place(sys._getframe(1))
            text = " ".join(str(words[0] if words else "").split())
            if place and text and len(text) <= len(self.seen.get(place, text)):
                self.seen[place] = f"{type(error).__name__}: {text[:400]}"

        return made

    def pytest_sessionfinish(self) -> None:
        """Write the page."""
        every = places()
        found = {place: self.seen.get(place) for place in sorted(every | self.seen.keys())}
        lines = [f"# {sum(map(bool, found.values()))} refusals, of {len(found)} places", ""]
        file = ""
        for (name, line), text in found.items():
            lines += ["", f"## {name}", ""] if text and name != file else []
            file = name if text else file
            lines += [f"- {text} ({line})"] if text else []
        lines += [
            "",
            "## Not seen",
            "",
            *(f"- {name}, line {line}" for (name, line), text in found.items() if not text),
        ]
        self.page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _place(frame: FrameType | None) -> tuple[str, int] | None:
    """The nearest line of the package that is not in the module of errors; of one in it, who has called that."""
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(PACKAGE) and path.name != "errors.py" and frame.f_code.co_name != "__init__":
            return str(path.relative_to(PACKAGE)), _start(path, frame.f_lineno)
        frame = frame.f_back
    return None


_STARTS: dict[Path, dict[int, int]] = {}


def _start(path: Path, line: int) -> int:
    """First line of the statement that this line is in."""
    if path not in _STARTS:
        _STARTS[path] = {}
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.stmt) and not hasattr(node, "body"):
                _STARTS[path] |= dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), node.lineno)
    return _STARTS[path].get(line, line)


def places() -> set[tuple[str, int]]:
    """File and line of every statement of the package that raises one of its errors by name."""
    names = {name for name in vars(errors) if name.endswith("Error")}
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                called = node.exc.func
                if (called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")) in names:
                    found.add((str(path.relative_to(PACKAGE)), node.lineno))
    return found
