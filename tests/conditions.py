"""What a paper tells the tests that every paper has to pass: ``tests/papers/<slug>/conditions.py``, found by its folder."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path
from typing import Any

HERE = Path(__file__).parent / "papers"
#: Names that a paper may leave out, and what they then are; every other one is asked for.
OPTIONAL: dict[str, Any] = {"LONG": {}, "OTHERS": {}}


@cache
def _read(paper: str) -> dict[str, Any]:
    return run_path(str(HERE / paper / "conditions.py"))


def conditions(paper: str, name: str) -> Any:
    """What a paper says under a name; :class:`LookupError` that names the file where it says nothing."""
    found = {**OPTIONAL, **_read(paper)}
    if name not in found:
        raise LookupError(f"tests/papers/{paper}/conditions.py has no {name}; see test_setup.py and its neighbours")
    return found[name]


def inside(room: str, module: str) -> str | None:
    """Name of a module of a room that is a package; ``None`` where there is none, or the room is one module."""
    try:
        return f"{room}.{module}" if find_spec(f"{room}.{module}") else None
    except ModuleNotFoundError:
        return None
