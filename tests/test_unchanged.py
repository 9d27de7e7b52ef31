"""What make test leaves out: nothing whose inputs are others, and nothing that was not seen to be green."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import unchanged

import companion
from companion.reproduce.meaning import meaning_of_modules
from companion.reproduce.record import Record
from companion.reproduce.stored import store_entries

PACKAGE = Path(companion.__file__).parent


class Cache(dict):
    def set(self, key, value):
        self[key] = value


def session(cache, depth="changed", **option):
    """A session as make test begins it."""
    options = {"keyword": "", "markexpr": "", "paper": None, "collectonly": False, **option}
    config = SimpleNamespace(
        cache=cache,
        option=SimpleNamespace(**options),
        args_source=pytest.Config.ArgsSource.TESTPATHS,
        getoption=lambda name: depth,
    )
    return unchanged.Lanes(config)


def report(test, outcome, keywords=()):
    return SimpleNamespace(
        nodeid=test, failed=outcome == "failed", skipped=outcome == "skipped", keywords=dict.fromkeys(keywords, 1)
    )


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A repository of three lanes, and a package of two modules."""
    files = {
        "tests/one/test_a.py": "from companion import first\n\ndef test_a():\n    assert first.value() == 1\n",
        "tests/two/test_b.py": "def test_b():\n    pass\n",
        "tests/book/test_c.py": "def test_c():\n    pass\n",
        "tests/shared.py": "",
        "tests/oracles/slow.py": "",
        "tests/test_all.py": "",
        "book/_ext/pages.py": "",
        "book/page.md": "A page",
        "book/api/papers/page.md": "made",
        ".gitignore": "build/\nbook/api/papers/\n",
        "requirements.lock": "numpy==1\n",
        "data/runs.csv": "a\n1\n",
        "companion/__init__.py": "",
        "companion/first.py": 'def value():\n    """One."""\n    return 1\n',
        "companion/second.py": "from companion.third import NUMBER\n\ndef other():\n    return NUMBER\n",
        "companion/third.py": "NUMBER = 3\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    lanes = {
        "one": unchanged.Lane(),
        "two": unchanged.Lane(("second",), ("data/*",)),
        "book": unchanged.Lane((), ("book/**/*",)),
    }
    monkeypatch.setattr(unchanged, "ROOT", tmp_path)
    monkeypatch.setattr(unchanged, "_generated", unchanged._generated.__wrapped__)
    monkeypatch.setattr(unchanged, "STATE", tmp_path / "tests" / "green.json")
    monkeypatch.setattr(unchanged, "LANES", lanes)
    monkeypatch.setattr(unchanged, "unchanged_evidence", lambda: iter(()))
    monkeypatch.setattr(
        unchanged,
        "meaning_of_modules",
        lambda *parts, sources: meaning_of_modules(*parts, sources=sources, package=tmp_path / "companion"),
    )
    return tmp_path


@pytest.mark.parametrize(
    ("file", "old", "new", "moved"),
    [
        ("companion/first.py", "return 1", "return 2", {"one"}),
        ("companion/third.py", "3", "4", {"two"}),
        ("companion/first.py", "One.", "The number one.", set()),
        ("companion/first.py", "def value()", "def value() -> int", set()),
        ("tests/two/test_b.py", "pass", "assert True", {"two"}),
        ("tests/two/test_b.py", "pass", "pass  # nothing", set()),
        ("tests/shared.py", "", "SIZE = 3", {"one", "two", "book"}),
        ("tests/oracles/slow.py", "", "SIZE = 3", {"one", "two", "book"}),
        ("requirements.lock", "1", "2", {"one", "two", "book"}),
        ("tests/test_all.py", "", "SIZE = 3", set()),
        ("book/_ext/pages.py", "", "from companion import first\n\nfirst.value()", {"book"}),
        ("book/page.md", "A page", "One page", {"book"}),
        ("book/api/papers/page.md", "made", "made anew", set()),
        ("data/runs.csv", "1", "2", {"two"}),
    ],
)
def test_a_lane_moves_with_what_it_rests_on_and_with_nothing_else(house, file, old, new, moved):
    before = {lane: unchanged.fingerprint(lane) for lane in unchanged.LANES}
    path = house / file
    path.write_text(path.read_text().replace(old, new) if old else new)
    assert {lane for lane in unchanged.LANES if unchanged.fingerprint(lane) != before[lane]} == moved


def test_a_moved_module_moves_no_lane(house):
    before = {lane: unchanged.fingerprint(lane) for lane in unchanged.LANES}
    (house / "companion" / "first.py").rename(house / "companion" / "primary.py")
    (house / "companion" / "third.py").rename(house / "companion" / "fourth.py")
    for file, old, new in (
        ("tests/one/test_a.py", "import first", "import primary as first"),
        ("companion/second.py", "third", "fourth"),
    ):
        (house / file).write_text((house / file).read_text().replace(old, new))
    assert {lane: unchanged.fingerprint(lane) for lane in unchanged.LANES} == before


def test_another_instruction_set_moves_every_lane(house, monkeypatch):
    before = {lane: unchanged.fingerprint(lane) for lane in unchanged.LANES}
    monkeypatch.setattr(unchanged.arithmetic, "in_use", lambda: "other")
    assert all(unchanged.fingerprint(lane) != before[lane] for lane in unchanged.LANES)


def test_what_has_passed_is_left_out_until_it_changes(house):
    cache = Cache()
    first = session(cache)
    assert first.left_out == []
    first.pytest_sessionfinish(0)
    assert session(cache).left_out == ["one", "two", "book"]
    assert session(cache, "full").left_out == []
    assert session(Cache()).left_out == ["book"], "in another clone what version control has"
    (house / "companion" / "first.py").write_text("def value():\n    return 2\n")
    assert session(cache).left_out == ["two", "book"]


@pytest.mark.parametrize(
    "doubt",
    [
        report("tests/two/test_b.py::test_b", "failed"),
        report("tests/two/test_b.py::test_b", "skipped", ["browser"]),
    ],
)
def test_a_failed_test_or_a_missing_browser_keeps_its_lane_from_being_green(house, doubt):
    cache = Cache()
    session(cache).pytest_sessionfinish(0)
    again = session(cache, "full")
    again.pytest_runtest_logreport(doubt)
    again.pytest_runtest_logreport(report("tests/one/test_a.py::test_a", "skipped"))
    again.pytest_sessionfinish(1)
    assert session(cache).left_out == ["one", "book"]


@pytest.mark.parametrize(
    "part", [{"keyword": "a"}, {"markexpr": "not slow"}, {"paper": "batched"}, {"collectonly": True}]
)
def test_a_run_of_some_tests_remembers_nothing(house, part):
    cache = Cache()
    session(cache, **part).pytest_sessionfinish(0)
    assert cache == {}
    assert not unchanged.STATE.exists()


def test_an_interrupted_run_remembers_nothing(house):
    cache = Cache()
    session(cache).pytest_sessionfinish(2)
    assert cache == {}


def test_what_was_green_is_as_it_was_before_the_tests(house):
    """A file that is edited while the tests run."""
    cache, lanes = Cache(), session(Cache())
    lanes.cache = cache
    (house / "companion" / "first.py").write_text("def value():\n    return 2\n")
    lanes.pytest_sessionfinish(0)
    assert session(cache).left_out == ["two", "book"]


@pytest.mark.parametrize(
    ("test", "lane"),
    [
        ("papers/batched/claims/test_verdicts.py", "papers/batched"),
        ("papers/test_setup.py", "papers"),
        ("book/test_browser.py", "book"),
        ("gp/test_finite.py", ""),
        ("test_files.py", ""),
    ],
)
def test_tests_belong_to_the_lane_of_their_folder(test, lane):
    assert unchanged.lane_of(unchanged.ROOT / "tests" / test) == lane


def test_stored_evidence_is_left_out_while_its_fingerprint_is_that_of_the_code(monkeypatch, tmp_path):
    now = {"drawn": "1", "same": "2", "other": "3", "none": "4"}
    monkeypatch.setattr(unchanged.papers, "chapters", lambda: ("across",))
    monkeypatch.setattr(unchanged.evidence, "fingerprints", lambda paper, name: now)
    monkeypatch.setattr(unchanged, "_drawn", lambda key, commit: key == "ledger across drawn")
    monkeypatch.setattr(unchanged, "results_folder", lambda paper: tmp_path)
    fingerprints = {"drawn": "1", "same": "2", "other": "9", "none": None, "removed": None}
    entries = [{"id": name, "fingerprint": value} for name, value in fingerprints.items()]
    path = store_entries(tmp_path, "ledger", entries, Record.now("", profile="paper", seeds=[], seconds=0.0))
    assert list(unchanged.unchanged_evidence()) == ["ledger across same"]
    content = json.loads(path.read_text())
    content["entries"][2]["fingerprint"] = "3"
    path.write_text(json.dumps(content))
    assert list(unchanged.unchanged_evidence()) == [], "an edited file proves nothing"


def test_one_entry_in_twenty_is_drawn_and_every_commit_draws_others():
    keys = [f"ledger batched lemma-{number}" for number in range(2000)]
    drawn = [{key for key in keys if unchanged._drawn(key, commit)} for commit in ("a1", "b2")]
    assert all(70 < len(each) < 130 for each in drawn)
    assert len(drawn[0] & drawn[1]) < 20


def test_a_test_is_slow_by_its_file_or_by_its_own_mark(request):
    """Never by both: a mark in a file that is slow as a whole says nothing, and could be taken to mean the others are fast."""
    shared = next(plugin for plugin in request.config.pluginmanager.get_plugins() if hasattr(plugin, "SLOW"))
    files = [path for path in shared.HERE.rglob("test_*.py") if shared._slow_as_a_whole(path)]
    assert len(files) > 50
    marked = [path.name for path in files if "mark." + "slow" in path.read_text(encoding="utf-8")]
    assert marked == []
    # Every pattern is of some file.
    assert [
        pattern for pattern in shared.SLOW if not any(p.relative_to(shared.HERE).match(pattern) for p in files)
    ] == []
