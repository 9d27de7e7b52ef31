"""What make test leaves out: nothing whose inputs are others, and nothing that was not seen to be green."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest
import remembered

from companion.current.fingerprint import fingerprint as fingerprint_of_code


class Cache(dict):
    def set(self, key, value):
        self[key] = value


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A repository with three files of tests, and a package of three modules."""
    files = {
        "tests/one/test_a.py": "from companion import first\n\ndef test_a():\n    assert first.value() == 1\n",
        "tests/two/test_b.py": "import helper\n\ndef test_b():\n    pass\n",
        "tests/book/test_c.py": "def test_c():\n    pass\n",
        "tests/conftest.py": "",
        "tests/two/conftest.py": "",
        "tests/helper.py": "",
        "book/_ext/pages.py": "",
        "book/page.md": "A page",
        "book/made/page.md": "made",
        ".gitignore": "build/\nbook/made/\n",
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
    rests = {"": ((), ()), "one": ((), ()), "two": (("second",), ("data/*",)), "book": ((), ("book/**/*",))}
    monkeypatch.setattr(remembered, "ROOT", tmp_path)
    monkeypatch.setattr(remembered, "TESTS", tmp_path / "tests")
    monkeypatch.setattr(remembered, "RESTS", rests)
    for name in ("_content", "_sources"):
        monkeypatch.setattr(remembered, name, getattr(remembered, name).__wrapped__)

    def of_code(parts, sources):
        return fingerprint_of_code(parts=parts, sources=sources, package=tmp_path / "companion")

    monkeypatch.setattr(remembered, "fingerprint_of_code", of_code)
    return tmp_path


def fingerprints(house):
    return {path.parent.name: remembered.fingerprint(path) for path in (house / "tests").rglob("test_*.py")}


@pytest.mark.parametrize(
    ("file", "old", "new", "moved"),
    [
        ("companion/first.py", "return 1", "return 2", {"one"}),
        ("companion/third.py", "3", "4", {"two"}),
        ("companion/first.py", "One.", "The number one.", set()),
        ("companion/first.py", "def value()", "def value() -> int", set()),
        ("tests/two/test_b.py", "pass", "assert True", {"two"}),
        ("tests/two/test_b.py", "pass", "pass  # nothing", set()),
        ("tests/conftest.py", "", "SIZE = 3", {"one", "two", "book"}),
        ("tests/two/conftest.py", "", "SIZE = 3", {"two"}),
        ("tests/helper.py", "", "SIZE = 3", {"two"}),
        ("requirements.lock", "1", "2", {"one", "two", "book"}),
        ("book/_ext/pages.py", "", "from companion import first\n\nfirst.value()", {"book"}),
        ("book/page.md", "A page", "One page", {"book"}),
        ("book/made/page.md", "made", "made anew", set()),
        ("data/runs.csv", "1", "2", {"two"}),
    ],
)
def test_tests_rest_on_what_they_reach_and_read_and_on_nothing_else(house, file, old, new, moved):
    before = fingerprints(house)
    path = house / file
    path.write_text(path.read_text().replace(old, new) if old else new)
    assert {name for name, value in fingerprints(house).items() if value != before[name]} == moved


def run(cache, asked, reports, depth="changed", args=("tests",)):
    """A session in which these tests were collected and reported; what is left out the next time."""
    config = SimpleNamespace(cache=cache, getoption=lambda name: depth, groups=Counter(asked), args=list(args))
    session = remembered.Remembered(config)
    for group, outcome in reports:
        speed, name = group.split(" ")
        keywords = {"slow": 1} if speed == "slow" else {"browser": 1} if speed == "browser" else {}
        made = SimpleNamespace(
            nodeid=f"tests/{name}::test", failed=outcome == "failed", skipped=outcome == "skipped", keywords=keywords
        )
        for when in ("setup", "call", "teardown"):
            session.pytest_runtest_logreport(SimpleNamespace(when=when, **vars(made)))
    session.left_out()
    ending = SimpleNamespace(config=config, exitstatus=5)
    session.pytest_sessionfinish(ending, 5)
    assert (ending.exitstatus == 0) == bool(session.left_out_now), "no test is green only where all are left out"
    return remembered.Remembered(config).left_out()


def test_a_file_whose_tests_were_all_run_and_green_is_left_out_and_no_other(house):
    cache = Cache()
    fast, slow, page = "fast one/test_a.py", "slow two/test_b.py", "browser book/test_c.py"
    assert run(cache, {}, []) == []
    assert run(cache, {fast: 2}, [(fast, "passed")]) == [], "one of two"
    assert run(cache, {fast: 1}, [(fast, "passed")], args=["tests/one/test_a.py::test_a"]) == [], "asked for alone"
    assert run(cache, {fast: 2}, [(fast, "passed"), (fast, "passed")]) == [fast]
    assert run(cache, {slow: 1}, [(slow, "passed")]) == [slow, fast]
    assert run(Cache(), {}, []) == [slow], "slow tests are remembered in every clone"
    assert run(cache, {"slow book/test_c.py": 1}, [(page, "skipped")]) == [slow, fast], "without a browser"
    assert run(cache, {fast: 1}, [(fast, "failed")]) == [slow]
    assert run(cache, {slow: 1}, [(slow, "failed")]) == []
    assert run(cache, {fast: 1}, [(fast, "passed")], depth="full") == []
    (house / "companion" / "first.py").write_text("def value():\n    return 3\n")
    assert run(cache, {}, []) == []


def test_nothing_is_written_where_nothing_has_changed(house):
    slow = "slow two/test_b.py"
    run(Cache(), {slow: 1}, [(slow, "passed")])
    path = house / "data" / "current" / "tests.json"
    before = path.read_bytes()
    run(Cache(), {}, [])
    run(Cache(), {slow: 1}, [(slow, "passed")])
    assert path.read_bytes() == before
