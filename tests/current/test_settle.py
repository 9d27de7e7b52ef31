"""Results and their stamps: what is due is compared, what is equal is noted, what differs is shown by place."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from companion.core.errors import ParameterError
from companion.current.origin import FILE, Origin, listing, origin, origins
from companion.current.settle import Kind, settle, shortened, unlike
from companion.current.stamps import Stamps, digest


class Squares(Kind):
    """Numbers in a file, of which the code makes the squares; ``code`` and ``made`` say what code there is."""

    name = "squares"

    def __init__(self, root, code="1", made=lambda n: float(n * n)):
        super().__init__(root)
        self.version, self.made, self.again, self.renewed = code, made, [], []

    def names(self):
        return ["one/2", "one/3", "two/4"]

    def code(self, name):
        return f"{self.version}{name}"

    def text(self, name):
        return digest((self.root / "text").read_text()) if (self.root / "text").exists() else ""

    def files(self, name):
        return [f"data/{name.replace('/', '-')}.json"]

    def content(self, name, read):
        return json.loads(read(self.files(name)[0]))

    def result(self, name, read):
        return digest(read(self.files(name)[0]))

    def compare(self, names, jobs):
        from companion.current.settle import Difference, reader

        for name in names:
            self.again.append(name)
            old, new = self.content(name, reader(self.root)), {"value": self.made(int(name[-1]))}
            yield name, [Difference(f"squares/{name}", *each) for each in unlike(old, new, left_out=["seconds"])]

    def store(self, names, jobs):
        for name in names:
            path = self.root / self.files(name)[0]
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps({"value": self.made(int(name[-1])), "seconds": 1.5}))
            yield f"{name} stored"

    def renew_text(self, names):
        self.renewed += names


def git(root: Path, *words: str) -> str:
    identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.invalid"]
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-C", str(root), *identity, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with results and stamps, committed."""
    settle([Squares(tmp_path)], accept=["all"])
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "results")
    return tmp_path


def stamps(root: Path) -> bytes:
    return Stamps(root, "squares").path.read_bytes()


def edit(root: Path, old: str, new: str, name: str = "one-2") -> None:
    path = root / "data" / f"{name}.json"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_what_is_current_is_not_made_again(root):
    kind = Squares(root)
    report = settle([kind])
    assert (report.current, report.compared, kind.again) == (3, 0, [])
    assert settle([kind], everything=True).compared == 3


def test_other_code_with_equal_results_costs_a_comparison_and_moves_stamps_alone(root):
    kind = Squares(root, code="2", made=lambda n: n**2 * (1 + 1e-13))
    report = settle([kind])
    assert (report.compared, report.differences) == (3, [])
    assert git(root, "diff", "--stat", "--name-only").split() == ["data/current/squares.json"]
    assert settle([kind]).compared == 0


def test_a_number_that_moves_is_named_until_it_is_accepted(root):
    before = stamps(root)
    kind = Squares(root, code="2", made=lambda n: float(n**2 + (n == 3)))
    for _ in range(2):
        (found,) = settle([kind]).differences
        assert str(found) == "squares/one/3: value: stored 9.0, now 10.0"
    assert stamps(root) != before, "the two others are current"
    assert settle([kind], only=["squares/two"]).differences == []
    assert settle([kind], accept=["squares/one/3"]).accepted == ["one/3 stored"]
    assert settle([kind]).differences == []


def test_what_is_accepted_and_cannot_be_stored_stays_a_difference_and_is_told_when_found(root):
    class Partly(Squares):
        stores_whole = False

        def store(self, names, jobs):
            return []

    told = []
    kind = Partly(root, code="2", made=lambda n: 0.0)
    assert len(settle([kind], accept=["squares/one"], say=told.append).differences) == 2
    assert told[-2:] == [f"squares/one/{n}: value: stored {n * n}.0, now 0.0" for n in (2, 3)]
    assert len(settle([kind]).differences) == 3


def test_what_storing_writes_besides_is_current_too(root):
    class Together(Squares):
        """The squares of a folder stand in one file, so that storing one of them writes the other."""

        def store(self, names, jobs):
            return super().store([*names, *self.rewritten(names)], jobs)

        def rewritten(self, names):
            return [name for name in self.names() if name not in names and name[:3] in {one[:3] for one in names}]

    moved = [Together(root, code="2", made=lambda n: float(n))]
    assert settle(moved, accept=["squares/one/2"]).accepted == ["one/2 stored", "one/3 stored"]
    found = settle(moved)
    assert (found.current, found.compared, {one.artefact for one in found.differences}) == (2, 1, {"squares/two/4"})


def test_two_errors_that_cancel_in_the_mean_are_two_differences(root):
    kind = Squares(root, code="2", made=lambda n: float(n * n + {2: 1, 3: -1, 4: 0}[n]))
    assert [one.artefact for one in settle([kind]).differences] == ["squares/one/2", "squares/one/3"]


@pytest.mark.parametrize(("old", "new"), [("4.0", "4.5"), ("1.5", "1.6")])
@pytest.mark.parametrize("committed", [False, True])
def test_what_was_typed_is_shown_beside_what_was_stored(root, old, new, committed):
    edit(root, old, new)
    if committed:
        git(root, "commit", "-q", "-a", "-m", "typed")
    (found,) = settle([Squares(root)]).differences
    assert (found.artefact, found.old, found.new) == ("squares/one/2", old, new)


def test_without_a_history_what_was_typed_is_compared_with_what_is_made(tmp_path):
    settle([Squares(tmp_path)], accept=["all"])
    edit(tmp_path, "4.0", "4.5")
    (found,) = settle([Squares(tmp_path)]).differences
    assert (found.old, found.new) == ("4.5", "4.0")


@pytest.mark.parametrize("content", ["", "{", '{"one/2": "x"}', "<<<<<<< ours\n{}\n", "[1]"])
def test_lost_and_damaged_stamps_cost_a_comparison(root, content):
    before = stamps(root)
    Stamps(root, "squares").path.write_text(content)
    assert settle([Squares(root)]).compared == 3
    assert stamps(root) == before


def test_a_typed_stamp_is_a_comparison_too(root):
    before = stamps(root)
    Stamps(root, "squares").path.write_bytes(before.replace(b"1one/2", b"1one/9"))
    report = settle([Squares(root)])
    assert (report.compared, report.differences) == (1, [])
    assert stamps(root) == before


def test_a_stamp_that_was_wrong_goes(root):
    kind = Squares(root, made=lambda n: 0.0)
    assert settle([kind]).differences == [], "its fingerprint does not see what has changed"
    assert len(settle([kind], everything=True).differences) == 3
    assert len(settle([kind]).differences) == 3


def test_words_are_brought_over_and_nothing_is_made_again(root):
    kind = Squares(root)
    (root / "text").write_text("other words")
    assert settle([kind]).compared == 0
    assert kind.renewed == ["one/2", "one/3", "two/4"]
    assert settle([kind]).current == 3
    assert len(kind.renewed) == 3


def test_nothing_is_noted_where_digits_cannot_be_compared(root):
    before = stamps(root)
    kind = Squares(root, code="2")
    kind.exact = False
    assert settle([kind]).compared == 3
    assert stamps(root) == before


def test_a_result_that_is_not_there_is_a_difference(tmp_path):
    with pytest.raises(FileNotFoundError):
        settle([Squares(tmp_path)])
    assert len(settle([Squares(tmp_path)], accept=["squares"]).accepted) == 3


@pytest.mark.parametrize("argument", ["only", "accept"])
def test_an_unknown_name_is_refused_with_the_nearest(root, argument):
    with pytest.raises(ParameterError, match=f"^{argument}: .*squares/one/3"):
        settle([Squares(root)], **{argument: ["squares/one/1"]})


def test_a_changed_value_is_a_difference_wherever_it_stands():
    kept = {"a": [1.0, {"b": 2}], "c": "x", "d": 1e-20, "n": None}
    assert list(unlike(kept, {**kept, "a": [1.0 + 1e-12, {"b": 2}], "d": 0.0})) == []
    for other in (
        {**kept, "a": [1.0 + 1e-5, {"b": 2}]},
        {**kept, "a": [1.0, {"b": 3}]},
        {**kept, "a": [1.0]},
        {**kept, "a": [1, {"b": 2}]},
        {**kept, "c": "y"},
        {**kept, "e": 1},
        {**kept, "n": 0.0},
        {name: value for name, value in kept.items() if name != "n"},
    ):
        assert len(list(unlike(kept, other))) == 1, other
    assert list(unlike({"a": 1.0}, {"a": 1.0 + 1e-15}, exact=True)) != []
    assert list(unlike({"a": 1.0, "s": 2.0}, {"a": 1.0, "s": 3.0}, left_out=["s"])) == []


def test_long_texts_are_shown_where_they_differ():
    words = [f"w{n}" for n in range(4000)]
    old, new = shortened(" ".join(words), " ".join([*words[:3000], "other", *words[3001:]]))
    assert ("w3000" in old, "other" in new, "w2999" in old, len(old) < 200) == (True,) * 4
    old, new = shortened("x" * 5000 + "1", "x" * 5000 + "2")
    assert max(len(old), len(new)) < 500


def test_origins_are_those_of_version_control_or_of_a_release(root, tmp_path):
    head, date = git(root, "log", "-1", "--format=%H %cI").split()
    assert origin(root.resolve(), "data/one-2.json") == Origin(head, date)
    released = listing(root.resolve())
    edit(root, "4.0", "4.5")
    origins.cache_clear()
    assert origin(root.resolve(), "data/one-2.json") == Origin()
    git(root, "commit", "-q", "-a", "-m", "typed")
    origins.cache_clear()
    assert origin(root.resolve(), "data/one-2.json").commit != head
    assert origin(root.resolve(), "data/one-3.json").commit == head
    archive = tmp_path / "archive"
    (archive / "data").mkdir(parents=True)
    assert origin(archive, "data/one-2.json") is None
    (archive / FILE).write_bytes(released)
    origins.cache_clear()
    assert origin(archive, "data/one-2.json") == Origin(head, date)
