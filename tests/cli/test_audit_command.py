"""``companion audit``, and the example on its page as a reader would copy it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "book" / "audit.md"


@pytest.fixture
def example(tmp_path, monkeypatch):
    """The page's three files in a folder; the value is the answer that the page shows."""
    page = PAGE.read_text(encoding="utf-8")
    tables = re.findall(r"^What .*?`(\S+)`.*?\n\n```text\n(.*?)```", page, flags=re.MULTILINE | re.DOTALL)
    margins = re.findall(r"`(margins\.toml)`.*?\n\n```toml\n(.*?)```", page, flags=re.DOTALL)
    assert [name for name, _ in (*tables, *margins)] == ["reported.csv", "reproduced.csv", "margins.toml"]
    for name, text in (*tables, *margins):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    [(call, answer)] = re.findall(r"```console\n\$ companion (.*?)\n(.*?)```", page, flags=re.DOTALL)
    return call.split(), answer


def test_the_page_shows_what_its_example_gives(example, command):
    call, answer = example
    code, out, err = command(*call)
    assert (code, out, err) == (0, answer, "")


def test_every_verdict_is_in_the_example_and_explained(example, command):
    call, _ = example
    code, out, _ = command(*call, "--json")
    assert code == 0
    words = set(json.loads(out)["verdicts"])
    assert words == set(re.findall(r"^\*([a-z-]+)\*$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE))


def test_a_table_for_programs(example, command):
    call, _ = example
    code, out, _ = command(*call, "--csv")
    assert (code, len(out.splitlines())) == (0, 7)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--csv", "--json"], "--csv"),
        (["--allow-late"], "--allow-late"),
        (["one more"], "one more"),
    ],
)
def test_bad_calls_are_refused_in_one_line(example, command, more, words):
    code, out, err = command(*example[0], *more)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err


def test_a_missing_file_is_named(example, command):
    code, out, err = command("audit", "reported.csv", "none.csv", "margins.toml")
    assert (code, out) == (2, "")
    assert err.startswith("companion audit: REPRODUCED:")
