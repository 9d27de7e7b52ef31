"""What a terminal gets and a pipe does not: wrapped tables, colours, a sign of life."""

import io
import json
import os
import shlex
import subprocess
import sys
import time

import pytest

from companion.cli import show
from companion.core import terminal as signs

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


def test_what_is_piped_is_not_coloured_and_as_wide_as_COLUMNS_says_or_100(monkeypatch, capsys):
    assert show.table(HEADER, ROWS) == PIPED
    monkeypatch.setenv("COLUMNS", "50")
    assert max(map(len, show.table(HEADER, ROWS).splitlines())) <= 50
    monkeypatch.delenv("COLUMNS")
    wide = [("a", " ".join(["word"] * 40), "holds")]
    assert 90 <= max(map(len, show.table(HEADER, wide).splitlines())) <= 100
    assert "\x1b" not in show.table(HEADER, wide)


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
        monkeypatch.setattr(signs, "AFTER", 0.05)
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
    with signs.waiting("bounds"), signs.waiting("inside"):
        wait_for(screen, "bounds: at work for 00:")
    assert "inside" not in screen.getvalue()
    assert screen.getvalue().endswith("\r")  # and takes it away
    assert signs._RUNNING == []


def test_output_takes_the_sign_away_first(screen, capsys):
    screen = screen()
    with signs.waiting("gain"):
        wait_for(screen, "gain: at work")
        show.say("done")
        assert signs._RUNNING == []
        assert screen.getvalue().endswith("\r")  # nothing is left on the line


def test_a_bar_that_counts_stands_alone(screen):
    from tqdm import tqdm

    screen = screen()
    with tqdm(total=3, file=io.StringIO()), signs.waiting("ledger"):
        time.sleep(0.5)
    assert screen.getvalue() == ""


@pytest.mark.parametrize("lines", [False, True])
def test_without_a_terminal_lines_come_where_they_are_asked_for_and_ever_more_rarely(monkeypatch, lines):
    monkeypatch.setattr(signs, "AFTER", 0.02)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with signs.waiting("gain", lines):
        time.sleep(0.6)  # after 0.02, 0.06, 0.18 and 0.54 s
    told = sys.stderr.getvalue().splitlines()
    assert told == (["gain: at work for 0 s"] * 3 + ["gain: at work for 1 s"]) * lines or (
        lines and 2 <= len(told) <= 4
    )
    monkeypatch.setattr(signs, "AFTER", 30.0)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with signs.waiting("gain", lines):
        pass
    assert sys.stderr.getvalue() == ""


@pytest.mark.slow
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_program_says_on_standard_error_what_takes_long(form):
    """And nothing of it on standard output."""
    code = "from companion.core import terminal; terminal.AFTER = 0.05; from companion import cli; raise SystemExit(cli.main())"
    words = shlex.split("gain --kernel se --lengthscale 0.1 --dim 2 --points 20 --noise 0.1 --horizon 60")
    done = subprocess.run([sys.executable, "-c", code, *words, *form], capture_output=True, text=True, check=True)
    assert done.stderr.startswith("companion gain: at work for 0 s\n")
    assert "at work" not in done.stdout
    assert ("lower" in json.loads(done.stdout)) if form else done.stdout.startswith("maximum information gain")
    quick = [sys.executable, "-c", code.replace("0.05", "60"), *words]
    assert subprocess.run(quick, capture_output=True, text=True, check=True).stderr == ""


def test_every_command_is_at_work(command, monkeypatch):
    """By its own name; what is shown is a matter of the terminal."""
    seen = []
    monkeypatch.setattr("companion.cli.waiting", lambda name, _: seen.append(name) or signs.waiting(name))
    assert command("data", "status")[0] == 0
    assert seen == ["companion data"]


# -- encodings -----------------------------------------------------------------------------------------------------------

#: Commands whose texts have signs that old encodings lack.
SAID = (
    "errata batched",
    "errata wdrbo --json",
    "verdicts tsrsr",
    "ledger batched --id lemma-10 --jobs 1",
    "list wdrbo",
    "discrepancies batched --id E1 --jobs 1",
    "bounds --kernel se --lengthscale 0.2 --dim 1 --points 5 --noise 0.3 --horizon 10 --norm 1",
    "nosuchword\N{GREEK SMALL LETTER SIGMA}",
    "--help",
)
ENCODED = """
import io, json, shlex, sys
from companion.cli import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["companion", *shlex.split(words)]
    main()
    sys.stdout.flush()
    print()
"""


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "cp437", "cp850", "cp932", "cp1252"])
def test_every_stream_can_write_every_command(encoding, root):
    environment = os.environ | {"PYTHONIOENCODING": encoding, "OMP_NUM_THREADS": "1"}
    words = [sys.executable, "-c", ENCODED, json.dumps(SAID)]
    done = subprocess.run(words, env=environment, cwd=root, capture_output=True, check=False)
    err = done.stderr.decode(encoding)
    assert (done.returncode, "Error" in err, "nosuchword" in err) == (0, False, True)
    assert len(done.stdout.decode(encoding)) > 5_000


@pytest.mark.parametrize(
    ("text", "plain_text"),
    [
        ("\u03c3\u2212\u2013\u00e9\u0393", "sigma--eGamma".lower()),
        ("a\u00a0\u00b1\u00a0b\u00b2 \u2264 \u221a2\u2026", "a +- b2 <= sqrt2..."),
        ("\u4e2d", "?"),
    ],
)
def test_signs_that_ASCII_lacks_stay_readable(text, plain_text):
    show.for_every_stream()
    assert text.encode("ascii", "readable").decode() == plain_text
