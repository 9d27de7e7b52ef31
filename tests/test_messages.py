"""The page of refusals: other words are noticed and the nearest shown, and what is volatile is not compared."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from messages import HERE, PAGE, Messages, read, steady, unknown, write

STORED: Messages = {
    ("gp/test_a.py", "test_one"): {"ParameterError: n: got 0; expected 1 or more", "DataError: x.csv is not there"},
    ("gp/test_a.py", "test_two"): {"ParameterError: m: got 0; expected 1 or more"},
    ("test_b.py", "test_one"): {"ResultError: gone"},
}


def test_a_page_is_read_as_it_was_written() -> None:
    assert read(write(STORED)) == STORED


def test_the_page_is_in_the_form_that_is_written() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert write(read(page)) == page


def test_other_words_are_shown_beside_the_nearest() -> None:
    seen = {("gp/test_a.py", "test_one"): {"ParameterError: n: got 0; expected at least 1"}}
    (fault,) = unknown(seen, STORED)
    assert fault.splitlines() == [
        "gp/test_a.py::test_one",
        "  now    ParameterError: n: got 0; expected at least 1",
        "  stored ParameterError: n: got 0; expected 1 or more",
    ]


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (("gp/test_a.py", "test_two"), "ParameterError: n: got 0; expected 1 or more"),  # another test's words
        (("test_new.py", "test_one"), "ResultError: gone"),
        (("gp/test_a.py", "test_two"), "DataError: m: got 0; expected 1 or more"),  # another type
    ],
)
def test_words_belong_to_their_test_and_their_type(place: tuple[str, str], text: str) -> None:
    assert len(unknown({place: {text}}, STORED)) == 1


def test_a_part_of_the_tests_sees_a_part_of_the_messages() -> None:
    assert unknown({place: set(list(texts)[:1]) for place, texts in list(STORED.items())[:2]}, STORED) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"no {tempfile.gettempdir()}/pytest-of-me/pytest-7/test_x0/runs.csv, line 2", "no TMP/runs.csv, line 2"),
        (f"out: {tempfile.gettempdir()}/pytest-of-me/pytest-7/test_x0: is full", "out: TMP: is full"),
        (f"{HERE.parent}/data/sources.toml\n says", "data/sources.toml says"),
        ("has SHA-256 a764c4a2479d..., expected 10", "has SHA-256 HEX, expected 10"),
        ("got 0.30000000000000004 and 1000000", "got 0.30000 and 1000000"),
        ("http://127.0.0.1:39923/a.csv, 21.0 GB are free", "http://127.0.0.1:N/a.csv, N GB are free"),
    ],
)
def test_what_changes_from_call_to_call_is_replaced(text: str, expected: str) -> None:
    assert steady(text) == expected


@pytest.mark.slow
def test_a_refusal_is_recorded_with_its_test(tmp_path: Path) -> None:
    """A run of its own, whose page has no words for it, shows them, and is as green as its tests."""
    (tmp_path / "conftest.py").write_text(
        "from messages import Recorder\n\n\ndef pytest_configure(config):\n    config.pluginmanager.register(Recorder())\n"
    )
    (tmp_path / "test_planted.py").write_text(
        "import pytest\n\nfrom companion.core.errors import ParameterError\n\n\ndef test_planted():\n"
        "    with pytest.raises(ParameterError):\n        raise ParameterError('n', 'planted words')\n"
    )
    words = [sys.executable, "-m", "pytest", "-q", f"--rootdir={tmp_path}", "-o", f"pythonpath={HERE}", str(tmp_path)]
    variables = {name: value for name, value in os.environ.items() if name != "COMPANION_MESSAGES"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path, env=variables)
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout + done.stderr
    assert "test_planted.py::test_planted\n  now    ParameterError: n: planted words\n" in done.stdout
