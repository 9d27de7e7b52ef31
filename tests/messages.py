"""Every refusal that tests see, whole, on one page: ``messages.md``.

A test says of which type a refusal is and which argument it names. Its words stand on the page, test by test, and are compared
at the end of every run: a message that the page does not have for its test is shown, with the nearest that it has, and fails
nothing. After a change of words ``make messages`` renews the page; ``COMPANION_MESSAGES=renew`` does the same to the part of it
that any call of pytest runs. What changes from call to call, a temporary folder or a digest, is replaced by its kind.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from companion import registry
from companion.core.errors import CompanionError

HERE = Path(__file__).resolve().parent
PAGE = HERE / "messages.md"
TITLE = (
    "# What is refused, and in which words\n\nWritten by `make messages`, see `messages.py`: read it, do not edit it.\n"
)

#: Messages by test, which is its file and its name without parameters.
Messages = dict[tuple[str, str], set[str]]

_VOLATILE = (
    (re.compile(rf"{re.escape(tempfile.gettempdir())}/(?:[^\s/'\",;:)]+/)*([^\s/'\",;:)]+)"), r"TMP/\1"),
    (re.compile(r"TMP/(?![\w-]+\.)[^\s/'\",;:)]+"), "TMP"),  # the folder of a test has a number
    (re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b(?:\.\.\.)?"), "HEX"),
    (re.compile(r"(?<=127\.0\.0\.1:)\d{4,}|[\d.]+(?= GB are free)"), "N"),  # a port, and the memory of this machine
    (re.compile(r"\b0?x[0-9a-f]{6,}(?=>)"), "HEX"),  # an address
    (re.compile(r"(?<=test_)(\w+\.py, line )\d+"), r"\1N"),
    (re.compile(r"(\d\.\d{5})\d+"), r"\1"),  # the last digits of a number are the machine's
)


def steady(text: str) -> str:
    """On one line, without what is another at the next call or in another checkout."""
    text = " ".join(text.replace(f"{HERE.parent}/", "").replace(str(HERE.parent), "REPOSITORY").split())
    for pattern, kind in _VOLATILE:
        text = pattern.sub(kind, text)
    return text


def read(page: str) -> Messages:
    """The messages of a page."""
    found: Messages = {}
    file = test = ""
    for mark, text in re.findall(r"^(##|###|-) (.*)$", page, re.MULTILINE):
        file, test = (text, "") if mark == "##" else (file, text if mark == "###" else test)
        if mark == "-":
            found.setdefault((file, test), set()).add(text)
    return found


def write(messages: Messages) -> str:
    """The page of messages, in the order of files and tests."""
    lines, last = [TITLE], ""
    for file, test in sorted(messages):
        lines += [f"## {file}\n"] if file != last else []
        lines += [f"### {test}", *(f"- {text}" for text in sorted(messages[file, test])), ""]
        last = file
    return "\n".join(lines)


def unknown(seen: Messages, stored: Mapping[tuple[str, str], set[str]]) -> list[str]:
    """A paragraph for each message that is not stored for its test."""
    faults = []
    for (file, test), texts in sorted(seen.items()):
        there = stored.get((file, test), set())
        for text in sorted(texts - there):
            (near,) = difflib.get_close_matches(text, there - texts, 1, 0.0) or ["(none)"]
            faults.append(f"{file}::{test}\n  now    {text}\n  stored {near}")
    return faults


class Recorder:
    """Listens to what ``pytest.raises`` has caught; workers hand it over with the report of their test."""

    def __init__(self) -> None:
        self.item: pytest.Item | None = None
        self.seen: Messages = {}
        self.skipped: set[tuple[str, str]] = set()
        self.faults: list[str] = []
        self.papers = set(registry.chapters())
        leave = pytest.RaisesExc.__exit__

        def listening(raises, kind, error, trace):  # type: ignore[no-untyped-def]
            caught = leave(raises, kind, error, trace)
            if (
                caught and isinstance(error, CompanionError) and not hasattr(error, "__notes__")
            ):  # Hypothesis adds notes
                self.record(type(error).__name__, str(error))
            return caught

        pytest.RaisesExc.__exit__ = listening  # type: ignore[method-assign]

    def record(self, kind: str, text: str) -> None:
        """Note a message of the test that runs, unless its inputs are drawn."""
        drawing = "hypothesis" in sys.modules and sys.modules["hypothesis"].currently_in_test_context()
        if self.item is not None and not drawing:
            self.item.user_properties.append(("message", f"{kind}: {steady(text)}"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        # What every paper is asked for, again and again, has the words of each; a new paper has none on the page.
        self.item = None if self.papers.intersection(re.split(r"[\[\]/-]", item.name)) else item

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file, _, test = report.nodeid.removeprefix("tests/").partition("::")
        place = (file, test.partition("[")[0])
        if report.skipped:
            self.skipped.add(place)
        if report.when == "teardown":
            texts = {str(text) for name, text in report.user_properties if name == "message"}
            self.seen.setdefault(place, set()).update(texts)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workerinput"):
            return
        stored = read(PAGE.read_text(encoding="utf-8"))
        if os.environ.get("COMPANION_MESSAGES") == "renew":
            PAGE.write_text(write(self.renewed(stored)), encoding="utf-8")
        else:
            self.faults = unknown(self.seen, stored)

    def renewed(self, stored: Messages) -> Messages:
        """What is seen, and what is stored of tests that are there and were not run, or not all of which could be."""
        kept: Messages = {}
        for (file, test), texts in stored.items():
            if (HERE / file).exists() and f"def {test.rpartition(':')[2]}(" in (HERE / file).read_text(
                encoding="utf-8"
            ):
                kept[file, test] = texts
        for place, texts in self.seen.items():
            kept[place] = texts | (kept.get(place, set()) if place in self.skipped else set())
        return {place: texts for place, texts in kept.items() if texts}

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.faults:
            terminalreporter.write_sep("=", "messages with new words; read them, then: make messages")
            terminalreporter.write_line("\n".join(self.faults))
