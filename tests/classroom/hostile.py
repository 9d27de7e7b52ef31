"""Submissions that try to get more than they earned, or to do harm, as they stand in ``hostile.txt`` and ``notes.txt``."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Attack(NamedTuple):
    """A submission, whether the other answers have to keep their points, and whether every rung is tried each time."""

    name: str
    code: str
    keeps: bool
    everywhere: bool


HONEST = 7
BEFORE = """import ctypes, gc, os, signal, sys, threading, time
import numpy as np
libc = ctypes.CDLL(None, use_errno=True)
def quiet(act, *given):
    try:
        return act(*given)
    except BaseException:
        pass
"""
LONG = {"QUESTIONS": "x?\n" * 100_000, "BRACKETS": "(" * 199 + ")" * 199, "MINUS": "-" * 300_000 + "1", "NUL": "\0"}


def blocks(name: str) -> list[tuple[str, str]]:
    """Heading and text of each part of a file."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return [tuple(block.split("\n", 1)) for block in text.split("\n=== ")[1:]]  # type: ignore[misc]


def _attack(heading: str, code: str) -> Attack:
    name, *_ = heading.partition(" *")[0].partition(" +")[0].partition(" raw")
    for word, text in LONG.items():
        code = code.replace(word, text)
    before = "" if heading.endswith(" raw") else BEFORE
    return Attack(name, before + code.replace("f(T)", "original_sizes(T)"), " *" not in heading, " +" in heading)


ATTACKS = [_attack(*block) for block in blocks("hostile.txt")]
NOTES = [(name, *(f"{BEFORE}said = 0\n{part}" for part in code.split("---\n"))) for name, code in blocks("notes.txt")]
