"""The record beside a notebook: made by execution, bound to it, and no part of its bytes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import nbformat
import pytest
from pages.conftest import SOURCE, repository, reseal

from companion.core.errors import ResultError, StaleOutputError
from companion.pages.checking import check, check_fresh, notes
from companion.pages.document import Chapter, read_source
from companion.pages.execution import execute
from companion.pages.page_record import live_keys, page_record, read_page_record
from companion.pages.running import run
from companion.reproduce.record import Record

STUDY = (
    SOURCE
    + """
# %%
from dataclasses import dataclass

from companion.pages import Numbers, recorded, say


@dataclass(frozen=True)
class Result:
    mean: float


@recorded(first="seed")
def mean_of(seed, rounds):
    return Result(values.mean())


result = mean_of(seed, rounds)
say("The mean is [[mean]].", Numbers(result, mean=result.mean))
"""
)


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Chapter:
    chapter = repository(tmp_path_factory.mktemp("record"), STUDY)
    execute(chapter)
    return chapter


@pytest.fixture
def restored(executed: Chapter) -> Chapter:
    """The executed chapter, whose record a test may change."""
    kept = executed.record.read_bytes()
    yield executed
    executed.record.write_bytes(kept)


def test_execution_writes_a_record_of_itself(executed: Chapter) -> None:
    content = read_page_record(executed.record)
    record = Record.from_dict(content["record"])
    assert (record.command, record.profile, record.seeds) == ("make notebooks CH=3", "book", (3,))
    assert record.seconds > 0
    assert content["hashes"] == executed.hashes()
    ((key, study),) = content["studies"].items()
    assert study["call"] == "mean_of(seed=3, rounds=4)"
    assert [key] == [found for found, _ in live_keys(nbformat.read(executed.notebook, as_version=4))]
    assert check(executed) == []


def test_the_notebook_holds_nothing_that_differs_on_the_next_execution(executed: Chapter) -> None:
    text = executed.notebook.read_text(encoding="utf-8")
    content = read_page_record(executed.record)
    assert content["record"]["commit"][:10] not in text
    assert content["record"]["date"][:10] not in text
    assert execute(executed).read_text(encoding="utf-8") == text


def test_only_changed_inputs_count_as_uncommitted_changes(tmp_path: Path) -> None:
    chapter = repository(tmp_path, STUDY)

    def git(*words: str) -> None:
        identity = ["-c", "user.name=A Tester", "-c", "user.email=tester@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *words], check=True, capture_output=True)

    def dirty() -> bool:
        return json.loads(page_record(chapter, {}, read_source(chapter.source), tmp_path / "none", 1.0))["record"][
            "dirty"
        ]

    for folder in ("src", "data"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "file").write_text("1\n", encoding="utf-8")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "inputs")
    assert not dirty()
    execute(chapter)  # makes a notebook and a record that are not committed
    assert not dirty()
    git("add", "-A")
    git("commit", "-q", "-m", "outputs")
    chapter.notebook.write_text("changed", encoding="utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "green.json").write_text("{}", encoding="utf-8")
    assert not dirty()
    chapter.source.write_text(STUDY + "\n# %%\n1\n", encoding="utf-8")
    assert dirty()


def test_a_committed_page_that_was_made_with_changes_is_refused(tmp_path: Path) -> None:
    chapter = repository(tmp_path, STUDY)

    def git(*words: str) -> None:
        identity = ["-c", "user.name=A Tester", "-c", "user.email=tester@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *words], check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "source")
    chapter.source.write_text(STUDY + "\n# %%\n1\n", encoding="utf-8")
    execute(chapter)
    assert check(chapter) == [], "what is not committed yet may wait"
    (note,) = notes([chapter])
    assert note.startswith("will be refused once it is committed: ")
    assert "uncommitted changes" in note
    git("add", "-A")
    git("commit", "-q", "-m", "page and source at once")
    (problem,) = check(chapter)
    assert "uncommitted changes; commit what it is made from, then run: make notebooks CH=3" in str(problem)
    execute(chapter)
    assert check(chapter) == []
    git("commit", "-q", "-a", "-m", "page")
    assert check(chapter) == []
    assert list(notes([chapter])) == []


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda chapter: chapter.record.unlink(), "is missing"),
        (lambda chapter: chapter.record.write_text("{", encoding="utf-8"), "is damaged"),
        (lambda chapter: reseal(chapter, record={}), "lacks blas"),
        (lambda chapter: reseal(chapter, hashes={"package": "x", "notebook": "y"}), "belongs to another execution"),
        (lambda chapter: reseal(chapter, studies={}), "lacks 1 of the studies"),
    ],
)
def test_a_notebook_without_its_own_record_is_stale(spoil, said: str, restored: Chapter) -> None:
    check_fresh(restored)
    spoil(restored)
    with pytest.raises(StaleOutputError, match=f"{said}.* run: make notebooks CH=3"):
        check_fresh(restored)


def test_a_damaged_record_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.record.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ResultError, match=r"x\.record\.json is damaged"):
        read_page_record(tmp_path / "x.record.json")


def test_a_run_shows_the_command_that_was_given(executed: Chapter, tmp_path: Path) -> None:
    result = run(executed, "smoke", {"seed": 8}, output_dir=tmp_path, root=executed.root)
    outputs = nbformat.read(result.notebook, as_version=4).cells[-1].outputs[0].data
    command = "companion run ch3_batched --profile smoke -p seed=8"
    assert f'<code class="command">{command}</code> · profile smoke · seed 8 · ' in outputs["text/markdown"]
    assert f"\n{command}, profile smoke, seed 8, mean_of(seed=8, rounds=2)" in outputs["text/plain"]
    assert json.loads(result.record.read_text(encoding="utf-8"))["command"] == command
