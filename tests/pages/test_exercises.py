"""Exercises: enough of them, each with its level and time, and code that is checked by code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from exercises import ANSWER, CHECK, statements, tagged

from companion.core.files import repository_root
from companion.pages.document import chapters

STEMS = [chapter.stem for chapter in chapters(repository_root(Path(__file__).parent))]
LEVEL = re.compile(r"\*Level [1-3] of 3, about \d+ minutes(?P<code>, with code)?\.\*")


@pytest.mark.parametrize("stem", STEMS)
def test_a_chapter_has_seven_exercises_and_three_ask_for_code(stem: str) -> None:
    first = statements(stem)
    unmarked = [label for label, line in first.items() if not LEVEL.fullmatch(line)]
    assert not unmarked, "these exercises do not say their level and minutes"
    assert len(first) >= 7
    coded = sum(bool(match["code"]) for line in first.values() if (match := LEVEL.fullmatch(line)))
    assert coded >= 3
    assert coded == len(tagged(stem, CHECK)) == len(tagged(stem, ANSWER))


@pytest.mark.slow
@pytest.mark.parametrize("stem", STEMS)
def test_a_check_passes_its_answer_as_a_reader_copies_both(stem: str, tmp_path: Path) -> None:
    for check, answer in zip(tagged(stem, CHECK), tagged(stem, ANSWER), strict=True):
        script = tmp_path / "copied.py"
        script.write_text(f"{check}\n\n{answer}", encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-W", "error", str(script)], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
