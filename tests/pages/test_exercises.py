"""Exercises with code: it is checked by code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from exercises import ANSWER, CHECK, tagged

from companion.core.files import repository_root
from companion.pages.document import chapters

STEMS = [chapter.stem for chapter in chapters(repository_root(Path(__file__).parent))]


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
