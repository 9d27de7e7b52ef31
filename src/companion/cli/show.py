"""Output of the commands: plain tables for people, strict JSON for programs."""

from __future__ import annotations

import codecs
import csv
import io
import json
import math
import os
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import cyclopts

from companion import registry
from companion.core import terminal
from companion.core.errors import CompanionError, ParameterError
from companion.core.files import finite, results_folder, strict_json
from companion.core.terminal import aligned

if TYPE_CHECKING:
    from companion.problems.datasets import DataUsed

_GOOD = ("holds", "equivalent", "bites", "ok")
_BAD = ("fails", "different", "contradicted", "DOES NOT BITE", "missing", "failed")
_BETWEEN = ("holds-with-corrected-constant", "confirmed", "undecided", "equivalent, yet different")
#: Outcomes that have a colour on a terminal: its number there.
COLOURS = dict.fromkeys(_GOOD, 32) | dict.fromkeys(_BAD, 31) | dict.fromkeys(_BETWEEN, 33)

#: Seconds of work for which starting workers takes longer than they save; most characters of a line of a paragraph, and those of
#: any line in a pipe.
SOON, WIDEST, PIPED = 2.0, 120, 100


#: What stands for signs that a stream lacks; Greek letters go by their names, letters with accents without.
_PLAIN = (
    dict.fromkeys("−–—", "-")
    | dict.fromkeys("“”", '"')
    | {"‘": "'", "’": "'", "×": "x", "·": "*", "…": "...", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "±": "+-"}
    | {"∞": "inf", "√": "sqrt", "∈": "in", "→": "->", "ℓ": "l"}
)


def readable(error: UnicodeError) -> tuple[str, int]:
    """What stands for signs that an encoding lacks: ``sigma`` for the letter, ``e`` for one with an accent."""
    assert isinstance(error, UnicodeEncodeError)
    found = []
    for sign in error.object[error.start : error.end]:
        letter = re.match(r"GREEK (?:SMALL|CAPITAL) LETTER (?:FINAL )?(\w+)", unicodedata.name(sign, ""))
        bare = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
        found.append(_PLAIN.get(sign) or (letter[1].lower() if letter else bare) or "?")
    return "".join(found), error.end


def for_every_stream() -> None:
    """Let standard output and standard error write what their encoding lacks (cp437, cp932, ASCII) in other signs."""
    codecs.register_error("readable", readable)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="readable")


def say(text: str = "") -> None:
    """One line on standard output."""
    terminal.hush()
    sys.stdout.write(f"{text}\n")


def columns() -> int:
    """Characters of a line: those of the terminal, or through a pipe what COLUMNS says, and :data:`PIPED` without it."""
    return shutil.get_terminal_size((PIPED, 24)).columns


def outcome(word: str) -> str:
    """An outcome in its colour, on a terminal and without NO_COLOR."""
    plain = word not in COLOURS or not sys.stdout.isatty() or os.environ.get("NO_COLOR")
    return word if plain else f"\x1b[{COLOURS[word]}m{word}\x1b[0m"


def paragraphs(lines: Iterable[str]) -> str:
    """Every line wrapped, what follows indented."""
    width = min(WIDEST, columns())
    return "\n".join(textwrap.fill(line, width, subsequent_indent="    ", break_long_words=False) for line in lines)


@cyclopts.Parameter(name="*")
@dataclass(frozen=True)
class Output:
    """In which form a command answers: text for people, or one JSON document.

    Attributes
    ----------
    given : the words of the command line, for the records of what it has computed
    """

    json: Annotated[bool, cyclopts.Parameter(help="print JSON")] = False
    given: Annotated[tuple[str, ...], cyclopts.Parameter(parse=False)] = ()

    def give(self, content: Any, told: Callable[[], str], rows: Any = None) -> int:
        """``content`` as JSON or, as ``rows``, as CSV where that is asked for, else what is told to people; 0, for success."""
        if self.json:
            say_json(content)
        elif getattr(self, "csv", False):
            say_csv(content if rows is None else rows)
        else:
            say(told())
        return 0

    def say(self, line: str) -> None:
        """A line for people, which a JSON document leaves out."""
        if not self.json:
            say(line)


@cyclopts.Parameter(name="*")
@dataclass(frozen=True)
class TableOutput(Output):
    """As :class:`Output`, or a table as CSV."""

    csv: Annotated[bool, cyclopts.Parameter(help="print CSV, a row an entry")] = False

    def __post_init__(self) -> None:
        if self.json and self.csv:
            raise ParameterError("--csv", "is given beside --json", "one of the two")


TEXT, TABLE = Output(), TableOutput()


def say_csv(records: Iterable[Mapping[str, Any]]) -> None:
    """A row a record: fields inside others get names such as ``reported_mean``; deeper ones, and lists of them, are JSON."""
    flat = [dict(_flat(record)) for record in records]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(name for row in flat for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    say(text.getvalue().rstrip("\n"))


def _flat(record: Mapping[str, Any], above: str = "") -> Iterable[tuple[str, Any]]:
    for name, value in record.items():
        if isinstance(value, Mapping) and not above:
            yield from _flat(value, f"{name}_")
            continue
        if isinstance(value, list | tuple) and all(isinstance(one, str | int | float) for one in value):
            value = "; ".join(map(str, value))
        nested = isinstance(value, Mapping | list | tuple)
        yield above + name, json.dumps(finite(value), ensure_ascii=False) if nested else value


def say_json(content: object) -> None:
    """``content`` as one JSON document; NaN and infinities, which JSON lacks, become null."""
    text = strict_json(content)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = re.sub(r"[^\x00-\x7f]", lambda sign: json.dumps(sign[0])[1:-1], text)
    say(text)


def require_none(faults: Sequence[str]) -> None:
    """After a command's output: end with code 1 and one line that names every fault, if there are any."""
    if faults:
        sys.stdout.flush()
        raise CompanionError("; ".join(faults))


def table(header: Sequence[str], rows: Iterable[Sequence[object]], numeric: bool = False) -> str:
    """Aligned columns, as wide as the page if they can be: text to the left, numbers (``numeric``) to the right."""
    cells = [list(header), *[[str(cell) for cell in row] for row in rows]]
    return aligned(cells, range(len(header)) if numeric else (), columns(), outcome)


def data_line(used: DataUsed) -> str:
    """Data of a run, and how to get the real ones if these are a stand-in."""
    from companion.problems.datasets import VARIABLE

    hint = "" if used.real else f"; for the real data see 'companion data status', then set {VARIABLE}"
    return f"data: {used.choice} ({used.title}){hint}"


def number(value: float | None) -> str:
    """Four significant digits; a dash where there is no number or it is infinite."""
    return "-" if value is None or not math.isfinite(value) else f"{value:.4g}"


def worker_count(jobs: int | None) -> int | None:
    """Workers asked for by ``--jobs``; by default what COMPANION_JOBS says, and one per core without it."""
    if jobs is not None:
        return jobs
    return None if os.environ.get("COMPANION_JOBS") else -1


def workers_for(name: str, jobs: int | None, paper: str | None, only: str | None) -> int | None:
    """As :func:`worker_count`; by default one where the entries took under :data:`SOON` seconds when they were stored."""
    count = worker_count(jobs)
    if count != -1 or jobs is not None:
        return count
    from companion.stored.results import load_entries

    chosen = registry.chapters() if paper is None else (paper,)
    try:
        stored = [load_entries(results_folder(one), name, "").entries for one in chosen]
    except CompanionError:  # of a paper that is being written
        return count
    entries = (entry for of in stored for entry in of if only in (None, entry["id"]))
    return 1 if sum(entry.get("seconds", 0.0) for entry in entries) < SOON else count


def teeth(entry: Mapping[str, Any]) -> list[str]:
    """A line for every wrong version of a statement or lead: whether its check caught it, and where."""
    words = {None: "not run", True: outcome("bites"), False: outcome("DOES NOT BITE")}
    return [f"  tooth: {tooth['name']}: {words[tooth['caught']]} {tooth['where']}".rstrip() for tooth in entry["teeth"]]
