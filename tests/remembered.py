"""Which tests can be left out: what they rest on is as it was when they were last green.

Of every file of tests the fast ones are remembered on this machine, in pytest's cache, and the slow ones in
``data/current/tests.json``, for every clone. What they rest on has a fingerprint: the definitions that the file, its helpers
and its ``conftest.py`` reach, besides those parts of the package that they run in processes of their own, the files that they
read, the locked libraries and the instruction set. ``pytest --depth changed`` leaves out what is remembered.
"""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from companion.core import instruction_set
from companion.current.fingerprint import fingerprint as fingerprint_of_code
from companion.current.stamps import Stamp, Stamps, digest

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
SLOW, FAST = "slow", "fast"
CACHE = "companion/green"

_PAGES = ("notebooks/*.py", "notebooks/*.ipynb", "notebooks/*.json", "notebooks/profiles/**/*")
_DATA = ("data/reported/**/*", "data/results/**/*", "data/golden/**/*", "data/*.*", "data/optunahub/**/*")
_BOOK = ("book/**/*", ".ci/**/*", "_config.yml", "_toc.yml", "CITATION.cff", "notebooks/assignments/*")
_ROOT = (".github/**/*", "*.*", "Makefile")
#: By folder of the tests, the longest that fits: parts of the package that run in other processes, and files that are read.
RESTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "": (("",), (*_PAGES, *_DATA, *_BOOK, *_ROOT)),
    **dict.fromkeys(("bounds", "checks", "core", "gp", "information", "policies", "problems"), ((), ())),
    "book": ((), (*_PAGES, *_DATA, *_BOOK)),
    "classroom": (("classroom",), ("notebooks/assignments/*", "src/companion/classroom/*.txt")),
    "cli": (("cli",), (*_PAGES, *_DATA, "src/companion/cli/skeleton/**/*")),
    "current": (("current",), _DATA),
    "golden": ((), ("data/golden/*", "book/golden.md")),
    "api": (("api",), (*_DATA, "notebooks/*.py", "book/library.md")),
    "pages": (("pages",), (*_PAGES, *_DATA)),
    "papers": ((), (*_PAGES, *_DATA, "book/*.md", "book/references.bib")),
    "stored": (("stored",), _DATA),
    "judge": (("judge",), _DATA),
    "exports": (("exports",), (*_DATA, "src/companion/exports/*")),
    "simulate": (("simulate",), ()),
}


def _paper(folder: str) -> tuple[str, ...]:
    """Files that the tests of one paper read."""
    slug = folder.split("/")[1]
    return (
        *(f"data/{part}/{slug}/**/*" for part in ("results", "reported")),
        "data/reported/*.toml",
        f"notebooks/*_{slug}*.py",
    )


def rests_on(folder: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Parts of the package, and files, that tests of a folder below ``tests`` rest on besides what they name."""
    if folder.startswith("papers/") and not folder.startswith("papers/across"):
        return (), _paper(folder)
    return next(RESTS[part] for part in (folder, folder.partition("/")[0], "") if part in RESTS)


@functools.cache
def _content(patterns: tuple[str, ...]) -> str:
    ignored = [line.strip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()]
    generated = tuple(line for line in ignored if line.startswith("book/"))
    files = sorted({path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()})
    kept = [path for path in files if not path.relative_to(ROOT).as_posix().startswith(generated) and _ours(path)]
    return digest([[path.relative_to(ROOT).as_posix(), digest(path.read_bytes())] for path in kept])


def _ours(path: Path) -> bool:
    return {"__pycache__", "tasks", "_build"}.isdisjoint(path.parts)


@functools.cache
def _sources(test: Path) -> tuple[Path, ...]:
    """A file of tests, every ``conftest.py`` above it, and what these import from ``tests``."""
    found: dict[Path, None] = {}
    waiting = [test, *(folder / "conftest.py" for folder in test.parents if folder.is_relative_to(TESTS))]
    while waiting:
        path = waiting.pop()
        if path in found or not path.is_file() or path == Path(__file__):
            continue
        found[path] = None
        for node in ast.walk(ast.parse(path.read_bytes())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            for name in names:
                place = Path(*name.split(".")).with_suffix(".py")
                waiting += [
                    path.parent / place,
                    TESTS / place,
                    *(TESTS / "book" / place,) * (test.parent.name == "book"),
                ]
    return tuple(sorted(found))


def fingerprint(test: Path) -> str:
    """Of all that the tests of a file rest on."""
    packages, patterns = rests_on(test.parent.relative_to(TESTS).as_posix().removeprefix("."))
    paths = [*_sources(test), *((ROOT / "book" / "_ext").rglob("*.py") if test.parent == TESTS / "book" else ())]
    reached = fingerprint_of_code(parts=packages, sources=[path.read_text(encoding="utf-8") for path in sorted(paths)])
    return digest(reached.digest, _content(patterns), _content(("requirements.lock",)), instruction_set.in_use())


class Remembered:
    """What was green; what is green now is added at the end."""

    def __init__(self, config: pytest.Config) -> None:
        assert config.cache is not None
        self.cache, self.everything = config.cache, config.getoption("--depth") == "full"
        self.stamps = Stamps(ROOT, "tests")
        self.green: dict[str, str] = config.cache.get(CACHE, {})
        files = sorted(TESTS.rglob("test_*.py"))
        self.now = {path.relative_to(TESTS).as_posix(): fingerprint(path) for path in files}
        self.asked, self.ended, self.doubted = Counter[str](), Counter[str](), set[str]()
        self.left_out_now: list[str] = []

    def left_out(self) -> list[str]:
        """``slow papers/test_ledger.py``: the tests of these files that can be left out."""
        if self.everything:
            return []
        self.left_out_now = self._unchanged()
        return self.left_out_now

    def _unchanged(self) -> list[str]:
        known = [f"{SLOW} {name}" for name, now in self.now.items() if (s := self.stamps.get(name)) and s.code == now]
        return [*known, *(f"{FAST} {name}" for name, now in self.now.items() if self.green.get(name) == now)]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: Any) -> None:
        """What a worker has collected: all of them collect the same."""
        self.asked = Counter(getattr(node, "workeroutput", {}).get("groups", {})) or self.asked

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count what has passed; doubt a file in which a test has failed, or has not found a browser."""
        group = group_of(report.nodeid.partition("::")[0], report.keywords)
        if report.failed or (report.skipped and "browser" in report.keywords):
            self.doubted.add(group)
        elif report.when == "teardown":
            self.ended[group] += 1

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Remember the files whose tests were all run and are green, and forget the others that were run."""
        asked = self.asked or Counter(getattr(session.config, "groups", {}))
        part = any("::" in word for word in session.config.args)  # then a file was not collected as a whole
        for group in set() if part else {*self.ended, *self.doubted}:
            speed, name = group.split(" ", 1)
            good = group not in self.doubted and self.ended[group] == asked.get(group) and name in self.now
            if speed == FAST:
                self.green = {**self.green, name: self.now[name] if good else ""}
            elif good:
                self.stamps.set(name, Stamp(self.now[name], "-", "green"))
            elif group in self.doubted:
                self.stamps.drop(name)
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.left_out_now:
            session.exitstatus = pytest.ExitCode.OK  # everything is left out
        self.cache.set(CACHE, self.green)
        self.stamps.keep(self.now)
        self.stamps.write()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was left out."""
        if out := Counter(group.partition(" ")[0] for group in self.left_out_now):
            terminalreporter.write_line(
                f"Left out, as nothing has changed that they rest on: fast tests of {out[FAST]} files, slow ones of {out[SLOW]}. "
                "To run all: make test FULL=yes"
            )


def group_of(path: str, keywords: Iterable[str]) -> str:
    """The tests that are remembered together: the fast or the slow ones of a file, a path below the repository."""
    kinds = set(keywords)
    return f"{SLOW if kinds & {'slow', 'browser'} else FAST} {path.removeprefix('tests/')}"
