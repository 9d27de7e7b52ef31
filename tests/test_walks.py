"""How far a reader walks: files, calls and modules on the way from a command or a study to its answer.

Counts are of functions of the package, by ``sys.setprofile``, in a process of its own; what runs while a module is imported is
left out. They do not depend on the machine. Run as a script, this file prints the walk that it is given by name.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import companion

PACKAGE = Path(companion.__file__).parent


def walk(work: Callable[[], object]) -> Counter[str]:
    """Calls of functions by the file in which they stand."""
    calls: Counter[str] = Counter()

    def note(frame: Any, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_flags & inspect.CO_OPTIMIZED and code.co_filename.startswith(str(PACKAGE)):
            calls[Path(code.co_filename).relative_to(PACKAGE).as_posix()] += 1

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def command(*words: str) -> Callable[[], object]:
    from companion.cli import main

    def run() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            assert main(list(words)) == 0

    return run


def trial() -> Counter[str]:
    run = command("trial", "tsrsr", "theory", "ts-rsr", "--seed", "0")
    run()  # imports
    return walk(run)


def numbers() -> Counter[str]:
    from companion.papers.tsrsr.page import stored_runs

    results = stored_runs.load_paper_results()
    return walk(lambda: stored_runs.first_numbers(results))


def statement() -> Counter[str]:
    command("ledger", "tsrsr", "--id", "lemma-2")()
    return Counter(name for name in sys.modules if name.startswith("companion.papers.tsrsr.checks."))


def walked(name: str) -> Counter[str]:
    done = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Counter(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("name", "of", "least", "most"),
    [
        pytest.param("trial", lambda found: len([file for file in found if not file.startswith("cli/")]), 15, 26),
        pytest.param("numbers", lambda found: found.total(), 1_000, 12_000),
        pytest.param("statement", len, 1, 2),
    ],
    ids=["files from a command to its trial", "calls for the numbers of a sentence", "modules for a statement"],
)
def test_ways_are_short(name: str, of: Callable[[Counter[str]], int], least: int, most: int) -> None:
    found = walked(name)
    assert least <= of(found) <= most, found.most_common()


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"trial": trial, "numbers": numbers, "statement": statement}[sys.argv[1]]()))
