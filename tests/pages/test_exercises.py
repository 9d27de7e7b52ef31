"""Exercises with code: it is checked by code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exercises import ANSWER, CHECK, answers_of, parameters_of, refusal, spoiling, tagged

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


EVERY = [(stem, name) for stem in STEMS for name in (answers_of(stem) if tagged(stem, CHECK) else ())]


def first_call(stem: str, name: str) -> tuple[Any, ...]:
    """With what a check calls an answer first."""
    calls: list[tuple[Any, ...]] = []
    refusal(stem, name, lambda *given: calls.append(given))
    return calls[0]


@pytest.mark.parametrize(("stem", "name"), EVERY)
def test_a_forgotten_return_is_called_so(stem: str, name: str) -> None:
    assert "returned None" in refusal(stem, name, lambda *given: None)


@pytest.mark.parametrize(("stem", "name"), EVERY)
def test_a_changed_argument_is_named(stem: str, name: str) -> None:
    answer = answers_of(stem)[name]
    arrays = [place for place, given in enumerate(first_call(stem, name)) if isinstance(given, list | np.ndarray)]
    assert arrays
    for place in arrays:
        argument = parameters_of(answer)[place]
        assert refusal(stem, name, spoiling(answer, place)) == f"{name} changed its argument {argument}"
