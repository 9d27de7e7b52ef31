"""What a terminal gets and a pipe does not: wrapped tables, colours, a sign of life."""

import io
import sys
import time

import pytest

from companion.cli import show
from companion.core import progress

HEADER = ("name", "meaning", "outcome")
ROWS = [("a_long_name", "what this is about, in many words that do not fit", "holds"), ("b", "short", "fails")]
PIPED = """\
name         meaning                                            outcome
a_long_name  what this is about, in many words that do not fit  holds
b            short                                              fails"""


@pytest.fixture
def terminal(monkeypatch, capsys):
    """Standard output is a terminal of so many columns."""

    def of(columns):
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)

    return of


def plain(text):
    return text.replace("\x1b[32m", "").replace("\x1b[31m", "").replace("\x1b[33m", "").replace("\x1b[0m", "")


def test_what_is_piped_is_neither_wrapped_nor_coloured(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "30")
    assert show.table(HEADER, ROWS) == PIPED


@pytest.mark.parametrize("columns", [44, 50, 60])
def test_a_table_fits_the_terminal_and_breaks_no_word(terminal, columns):
    terminal(columns)
    lines = plain(show.table(HEADER, ROWS)).splitlines()
    assert max(map(len, lines)) <= columns
    assert len(lines) > 3
    meaning = " ".join(line[13:columns].partition("  ")[0].strip() for line in lines[1:-1])
    assert meaning.startswith(ROWS[0][1])
    terminal(200)
    assert plain(show.table(HEADER, ROWS)) == PIPED


def test_what_cannot_fit_keeps_its_words(terminal):
    terminal(10)
    words = plain(show.table(HEADER, ROWS)).split()
    assert {"a_long_name", "meaning", "outcome"} <= set(words)


def test_outcomes_have_a_colour_and_NO_COLOR_takes_it(terminal, monkeypatch):
    terminal(200)
    told = show.table(HEADER, ROWS)
    assert "\x1b[32mholds\x1b[0m" in told
    assert "\x1b[31mfails\x1b[0m" in told
    assert show.outcome("not-testable") == "not-testable"
    (line,) = show.teeth({"teeth": [{"name": "twice", "caught": False, "where": "T = 3"}]})
    assert line == "  tooth: twice: \x1b[31mDOES NOT BITE\x1b[0m T = 3"
    monkeypatch.setenv("NO_COLOR", "1")
    assert show.table(HEADER, ROWS) == PIPED


def test_the_catalogue_of_outcomes_knows_every_status_and_verdict():
    """What is neither good nor bad is left as it is, and said here."""
    from companion.checks.statement import STATUSES
    from companion.judge.verdict import CELL_VERDICTS, CLAIM_VERDICTS

    without = {"not-checkable", "not-testable", "compatible-underpowered", "same-ordering-different-level"}
    assert {*STATUSES, *CELL_VERDICTS, *CLAIM_VERDICTS} - without <= set(show.COLOURS)


class Screen(io.StringIO):
    """Standard error that is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def screen(monkeypatch):
    def opened():  # in the test itself: pytest gives each phase a standard error of its own
        monkeypatch.setattr(progress, "AFTER", 0.05)
        monkeypatch.setattr(sys, "stderr", Screen())
        return sys.stderr

    return opened


def wait_for(screen, text):
    deadline = time.monotonic() + 120
    while text not in screen.getvalue() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert text in screen.getvalue()


def test_long_work_says_that_it_is_at_work(screen):
    screen = screen()
    with progress.waiting("bounds"), progress.waiting("inside"):
        wait_for(screen, "bounds: at work for 00:")
    assert "inside" not in screen.getvalue()
    assert screen.getvalue().endswith("\r")  # and takes it away
    assert progress._RUNNING == []


def test_output_takes_the_sign_away_first(screen, capsys):
    screen = screen()
    with progress.waiting("gain"):
        wait_for(screen, "gain: at work")
        show.say("done")
        assert progress._RUNNING == []
        assert screen.getvalue().endswith("\r")  # nothing is left on the line


def test_a_bar_that_counts_stands_alone(screen):
    from tqdm import tqdm

    screen = screen()
    with tqdm(total=3, file=io.StringIO()), progress.waiting("ledger"):
        time.sleep(0.5)
    assert screen.getvalue() == ""


def test_without_a_terminal_nothing_is_shown(monkeypatch):
    monkeypatch.setattr(progress, "AFTER", 0.05)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress.waiting("gain"):
        time.sleep(0.3)
    assert sys.stderr.getvalue() == ""


def test_every_command_is_at_work(command, monkeypatch):
    """By its own name; what is shown is a matter of the terminal."""
    seen = []
    monkeypatch.setattr("companion.cli.waiting", lambda name: seen.append(name) or progress.waiting(name))
    assert command("data", "status")[0] == 0
    assert seen == ["companion data"]
