"""Every refusal that tests see, whole, on one page: ``messages.md``.

A test says of which type a refusal is and which argument it names. Its words stand on the page, test by test, and are compared
at the end of every run: a message that the page does not have for its test fails the run, with the nearest that it has. After
a change of words ``make messages`` renews the page; ``COMPANION_MESSAGES=renew`` does the same to the part of it that any call of
pytest runs. What changes from call to call, a temporary folder or a digest, is replaced by its kind.
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

from companion import papers
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
    for line in page.splitlines():
        if line.startswith("## "):
            file = line[3:]
        elif line.startswith("### "):
            test = line[4:]
        elif line.startswith("- "):
            found.setdefault((file, test), set()).add(line[2:])
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


def _is_there(path: Path, test: str) -> bool:
    return path.exists() and f"def {test.rpartition(':')[2]}(" in path.read_text(encoding="utf-8")


class Recorder:
    """Listens to what ``pytest.raises`` has caught; workers hand it over with the report of their test."""

    def __init__(self) -> None:
        self.item: pytest.Item | None = None
        self.seen: Messages = {}
        self.faults: list[str] = []
        leave = pytest.RaisesExc.__exit__

        def listening(raises, kind, error, trace):  # type: ignore[no-untyped-def]
            caught = leave(raises, kind, error, trace)
            if caught and isinstance(error, CompanionError):
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
        self.item = None if set(re.split(r"[\[\]/-]", item.name)) & set(papers.chapters()) else item

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            file, _, test = report.nodeid.removeprefix("tests/").partition("::")
            texts = {str(text) for name, text in report.user_properties if name == "message"}
            self.seen.setdefault((file, test.partition("[")[0]), set()).update(texts)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workerinput"):
            return
        stored = read(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
        if os.environ.get("COMPANION_MESSAGES") == "renew":
            there = {(file, test): texts for (file, test), texts in stored.items() if _is_there(HERE / file, test)}
            PAGE.write_text(write({k: v for k, v in {**there, **self.seen}.items() if v}), encoding="utf-8")
        elif faults := unknown(self.seen, stored):
            self.faults, session.exitstatus = faults, pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.faults:
            terminalreporter.write_sep(
                "=", "messages that tests/messages.md has not; after reading them: make messages"
            )
            terminalreporter.write_line("\n".join(self.faults))
