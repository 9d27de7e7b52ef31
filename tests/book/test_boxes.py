"""Boxes with theorems: a running number of the book's would look like a number of a paper's, so none carries one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion import registry

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "notebooks").glob("ch*.py"))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_boxes_are_not_numbered_and_references_to_them_say_their_number(source: Path) -> None:
    text = re.sub(r"^# ?", "", source.read_text(encoding="utf-8"), flags=re.MULTILINE)
    boxes = re.findall(r"```\{prf:\w+\}([^\n]*)\n((?::[^\n]*\n)*)", text)
    of_a_paper = source.stem.partition("_")[2] in registry.slugs()
    assert boxes or not of_a_paper, "every paper's chapter states its theorems"
    assert [title for title, options in boxes if ":nonumber:" not in options] == []
    # A reference without words of its own would show the number that a box does not have.
    assert [target for target in re.findall(r"\{prf:ref\}`([^`]*)`", text) if "<" not in target] == []
