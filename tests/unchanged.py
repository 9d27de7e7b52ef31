"""Which slow tests can be left out: what they rest on is as it was when they were last green.

A slow test belongs to the *lane* of its folder, ``papers/batched`` or ``book``. What the lane rests on has a fingerprint:
the meaning of its part of the package, floors included, and of all that its tests name
(:mod:`companion.reproduce.meaning`), the files that it reads, its tests, the locked libraries, the instruction set. An
entry of the evidence is a lane of its own, whose fingerprint is stored with the entry. ``pytest --depth changed``
runs the slow tests of lanes that have another fingerprint than when all of them passed, and of evidence besides a part that the
commit draws. Which lanes of :data:`COMMITTED` are green is known in every clone, of the others in pytest's cache.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from companion import papers
from companion.core import arithmetic
from companion.core.errors import ResultError
from companion.core.files import results_folder, write_atomic
from companion.reproduce import evidence
from companion.reproduce.meaning import meaning_of_modules
from companion.reproduce.provenance import git_commit
from companion.reproduce.stored import load_entries

ROOT = Path(__file__).resolve().parent.parent
STATE = ROOT / "tests" / "green.json"
#: Lanes whose state is in version control, as that of the evidence is: pages, what makes them, and the evidence packed.
COMMITTED = ("book", "pages", "reproduce/crate")
#: One unchanged entry of the evidence in so many is computed again at every commit.
DRAWN = 20


@dataclass(frozen=True)
class Lane:
    """What the slow tests of a folder rest on, besides what they name: parts of the package, and files by pattern."""

    packages: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


PAGES = ("notebooks/*.py", "notebooks/*.ipynb", "notebooks/*.json", "notebooks/profiles/**/*")
DATA = ("data/**/*",)
LANES: Mapping[str, Lane] = {
    **{
        f"papers/{slug}": Lane(
            (f"papers.{slug}",),
            (
                f"data/results/{slug}/*.csv",
                f"data/reported/{slug}/*",
                "data/reported/*.toml",
                f"notebooks/*_{slug}*.py",
            ),
        )
        for slug in papers.slugs()
    },
    "papers": Lane(("papers",), (*DATA, "notebooks/*.py")),
    "papers/across": Lane(("papers",), (*DATA, "notebooks/*.py")),
    "book": Lane(
        (),
        (*PAGES, *DATA, "book/**/*", ".ci/**/*", "_config.yml", "_toc.yml", "CITATION.cff", "notebooks/assignments/*"),
    ),
    "classroom": Lane(("classroom",), ("notebooks/assignments/*", "src/companion/classroom/*.txt")),
    "cli": Lane(("cli", "simulate"), ("src/companion/cli/skeleton/**/*", "notebooks/*.py")),
    "reproduce/crate": Lane(("reproduce.crate",), (*DATA, "src/companion/reproduce/crate/*")),
    "pages": Lane(("pages",), PAGES),
    "simulate": Lane(("simulate",)),
    "golden": Lane((), ("data/golden/*", "book/golden.md")),
}


def lane_of(test: Path) -> str:
    """The lane of a file of tests: its folder, the longest of :data:`LANES`; empty for the tests that guard the whole."""
    place = test.relative_to(ROOT / "tests").parent
    found = [path.as_posix() for path in (place, *place.parents) if path.as_posix() in LANES]
    return found[0] if found else ""


def fingerprint(lane: str) -> str:
    """Hash of all that the slow tests of a lane rest on."""
    about, tests = LANES[lane], ROOT / "tests"
    own = [path for path in (tests / lane).rglob("*.py") if lane_of(path) == lane]
    helpers = [path for path in (*tests.glob("*.py"), *(tests / "oracles").glob("*.py")) if path.name not in _APART]
    extensions = (ROOT / "book" / "_ext").rglob("*.py") if lane == "book" else ()
    code = sorted(path for path in (*own, *helpers, *extensions) if path.parent != tests or path.stem[:5] != "test_")
    reached = meaning_of_modules(*about.packages, sources=[path.read_text(encoding="utf-8") for path in code])
    files = {ROOT / "requirements.lock", *(path for pattern in about.files for path in ROOT.glob(pattern))}
    total = hashlib.sha256(repr([reached.digest, arithmetic.in_use()]).encode())
    for path in sorted(path for path in files - set(code) if _kept(path)):
        content = path.read_bytes()
        text = ast.dump(ast.parse(content)).encode() if path.suffix == ".py" else content
        total.update(repr([path.relative_to(ROOT).as_posix(), hashlib.sha256(text).hexdigest()]).encode())
    return total.hexdigest()


#: Decides what runs, and tests nothing.
_APART = ("unchanged.py",)
_PASSING = {"__pycache__", "tasks", "_build", "verified.json"}


def _kept(path: Path) -> bool:
    """Whether a file is the repository's and no run's; what the book generates is named in .gitignore."""
    place = path.relative_to(ROOT)
    return path.is_file() and _PASSING.isdisjoint(place.parts) and not place.as_posix().startswith(_generated())


@cache
def _generated() -> tuple[str, ...]:
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in ignored if line.startswith("book/"))


def unchanged_evidence() -> Iterator[str]:
    """``ledger batched lemma-1``: entries whose stored fingerprint is that of the code here, less those that are drawn."""
    commit = git_commit(ROOT)[0]
    for paper in papers.chapters():
        for name in (name for name, part in evidence.PARTS.items() if papers.declares(paper, part)):
            try:
                stored = load_entries(results_folder(paper), name, "").entries
            except ResultError:  # a test of its own says so
                continue
            now = evidence.fingerprints(paper, name)
            for entry in stored:
                key = str(entry.get("id", ""))
                if entry.get(evidence.FINGERPRINT) == now.get(key, "") and not _drawn(f"{name} {paper} {key}", commit):
                    yield f"{name} {paper} {key}"


def _drawn(key: str, commit: str) -> bool:
    return int.from_bytes(hashlib.sha256(f"{commit} {key}".encode()).digest()[:8]) % DRAWN == 0


class Lanes:
    """The part of ``make test`` that knows what was green: chooses, watches, remembers, and says so at the end."""

    CACHE = "companion/green"

    def __init__(self, config: pytest.Config) -> None:
        assert config.cache is not None
        self.config, self.cache, self.doubted = config, config.cache, set[str]()
        self.now = {lane: fingerprint(lane) for lane in LANES}  # before the tests, during which a file may change
        self.left_out = self._unchanged() if config.getoption("--depth") == "changed" else []

    def _unchanged(self) -> list[str]:
        green = {**committed(), **self.cache.get(self.CACHE, {})}
        return [*(lane for lane in LANES if green.get(lane) == self.now[lane]), *dict.fromkeys(unchanged_evidence())]

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker what is left out."""
        node.workerinput["left_out"] = self.left_out

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Doubt a lane in which a test has failed, or has not found a browser."""
        if report.failed or (report.skipped and "browser" in report.keywords):
            self.doubted.add(lane_of(ROOT / report.nodeid.partition("::")[0]))

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Remember the green lanes, where every test was asked for and has ended."""
        option, asked = self.config.option, self.config.args_source
        chosen = option.keyword or option.markexpr or option.paper or option.collectonly
        if asked != pytest.Config.ArgsSource.TESTPATHS or chosen or exitstatus > 1:
            return
        seen = {lane: self.now[lane] for lane in LANES if lane not in {*self.left_out, *self.doubted}}
        known = {lane: value for lane, value in self.cache.get(self.CACHE, {}).items() if lane not in self.doubted}
        self.cache.set(self.CACHE, known | seen)
        state = committed() | {lane: seen[lane] for lane in COMMITTED if lane in seen}
        if state != committed():
            write_atomic(STATE, (json.dumps(state, indent=1, sort_keys=True) + "\n").encode())

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name what was left out."""
        lanes = [name for name in self.left_out if " " not in name]
        what = [
            f"{len(self.left_out) - len(lanes)} entries of the evidence",
            *(f"slow tests of {lane}" for lane in lanes),
        ]
        if self.left_out:
            terminalreporter.write_line(
                f"Left out, since nothing has changed that they rest on: {', '.join(what)}. To run all: make test FULL=yes"
            )


def committed() -> dict[str, str]:
    """Fingerprints of lanes at which they are green, by version control."""
    return dict(json.loads(STATE.read_text(encoding="utf-8"))) if STATE.is_file() else {}
