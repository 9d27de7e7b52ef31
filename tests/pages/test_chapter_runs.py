"""Runs at other parameters: a copy is run, the committed notebook stays, and a failure leaves no result."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
from pathlib import Path

import nbformat
import papermill
import pytest
from pages.conftest import SOURCE, repository

from companion.core.errors import ParameterError
from companion.pages.chapter_runs import _label, profile_values, run
from companion.pages.document import LESSON, RECORD, Chapter, NotebookError, chapters, find_chapter, find_pages, lessons
from companion.stored.record import Record


def last_output(path: Path) -> str:
    return nbformat.read(path, as_version=4).cells[-1].outputs[0].text


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", [3, "3", "ch3", "batched", "ch3_batched"])
def test_a_chapter_has_several_names(chapter: Chapter, name: str | int) -> None:
    assert find_chapter(chapter.root, name).stem == "ch3_batched"


@pytest.fixture
def record(chapter: Chapter) -> Chapter:
    """The second page of the chapter; it shares a name with the first and has one of its own."""
    path = chapter.source.with_name("ch3_batched_record.py")
    path.write_text(SOURCE.replace("rounds", "trials").replace("label = ", "rounds = 9  # of both, count\nlabel = "))
    (chapter.profiles / "smoke.yaml").write_text("rounds: 2\ntrials: 5\n", encoding="utf-8")
    return Chapter(path, chapter.root)


def test_a_chapter_has_two_pages_with_one_number_paper_and_folder_of_profiles(
    chapter: Chapter, record: Chapter
) -> None:
    assert [(page.number, page.paper, page.part) for page in (chapter, record)] == [
        (3, "batched", LESSON),
        (3, "batched", RECORD),
    ]
    assert chapter.pages == record.pages == (chapter, record) == tuple(chapters(chapter.root))
    assert lessons(chapter.root) == [chapter]
    assert chapter.split
    assert record.split
    assert chapter.profiles == record.profiles
    assert chapter.mend == record.mend == "make notebooks CH=3"
    assert record.record.name == "ch3_batched_record.record.json"
    for name in (3, "ch3", "batched"):
        assert find_pages(chapter.root, name) == (chapter, record)
    for page in (chapter, record):
        assert find_pages(chapter.root, page.stem) == find_pages(chapter.root, str(page.notebook)) == (page,)


def test_a_chapter_without_a_record_is_one_page(chapter: Chapter) -> None:
    assert (chapter.pages, chapter.split, find_pages(chapter.root, 3)) == ((chapter,), False, (chapter,))


def test_a_page_takes_from_the_profile_what_it_has(chapter: Chapter, record: Chapter) -> None:
    assert profile_values(chapter, "smoke") == {"rounds": 2}
    assert profile_values(record, "smoke") == {"rounds": 2, "trials": 5}
    (chapter.profiles / "smoke.yaml").write_text("trails: 5\n", encoding="utf-8")
    for page in (chapter, record):
        with pytest.raises(ParameterError, match=r"^trails:"):
            run(page, "smoke", root=chapter.root)
    with pytest.raises(ParameterError):
        run(chapter, overrides={"trials": 4}, root=chapter.root)
    assert not (chapter.root / "runs").exists()


def test_a_run_uses_profile_then_overrides_and_writes_a_record(chapter: Chapter) -> None:
    text = chapter.source.read_text(encoding="utf-8")
    chapter.source.write_text(text.replace("# %%\nprint", f"{SHOWN}\n# %%\nprint"), encoding="utf-8")
    before = contents(chapter.root)
    result = run(chapter, "smoke", {"label": "other"}, root=chapter.root)
    assert last_output(result.notebook).startswith("other 2 ")
    assert result.parameters == {"seed": 3, "rounds": 2, "label": "other"}
    assert result.notebook == chapter.root / "runs" / "ch3_batched" / "smoke-label=other.ipynb"
    record = Record.from_dict(json.loads(result.record.read_text(encoding="utf-8")))
    assert record.command == "companion run ch3_batched --profile smoke -p label=other"
    assert (record.profile, record.seeds, dict(record.settings)) == ("smoke", (3,), dict(result.parameters))
    after = contents(chapter.root)
    assert {name: after[name] for name in before} == before
    assert all(name.startswith("runs/") for name in after.keys() - before.keys())
    assert {name.partition("ch3_batched/")[2] for name in after.keys() - before.keys()} == {
        result.notebook.name,
        result.record.name,
        result.page.name,
        *(f"{result.notebook.stem}/{path.name}" for path in result.tables),
    }
    what_is_shown_is_kept_with_all_digits(result)


#: A table and a figure with its numbers, as chapters show them.
SHOWN = """# %% [markdown]
# ## Thirds & more

# %%
import pandas as pd

from companion.pages import Figure, Table, show

Table(pd.DataFrame({"n": [1, 2], "share": [1 / 3, float("nan")], "word": ["a", "b"]}), "Shares, in <em>parts</em> of $x<1$")

# %%
n = {"third": 1 / 3, "count": 7, "word": "yes", "row": [1, 0.5]}
show(Figure(lambda canvas, palette: None), "Nothing.", n, alt="nothing")
"""


def what_is_shown_is_kept_with_all_digits(result) -> None:
    names = [path.name for path in result.tables]
    assert names == ["01-thirds-more.csv", "key_numbers.csv", "tables.json"]
    assert result.tables[0].read_text() == f"n,share,word\n1,{1 / 3},a\n2,,b\n"
    rows = list(csv.DictReader(io.StringIO(result.tables[1].read_text())))
    assert [(row["section"], row["name"], row["value"], row["shown"]) for row in rows] == [
        ("Thirds & more", "third", str(1 / 3), "0.3333"),
        ("Thirds & more", "count", "7", "7"),
        ("Thirds & more", "word", "", "yes"),
        ("Thirds & more", "row, 1 of 2", "1", "1"),
        ("Thirds & more", "row, 2 of 2", "0.5", "0.5000"),
    ]
    told = json.loads(result.tables[2].read_text())
    assert told["command"] == "companion run ch3_batched --profile smoke -p label=other"
    assert told["tables"][0]["caption"] == "Shares, in parts of $x<1$"
    assert [column["type"] for column in told["tables"][0]["columns"]] == ["number", "number", "text"]
    assert told["sha256"][names[0]] == hashlib.sha256(result.tables[0].read_bytes()).hexdigest()
    text = result.page.read_text(encoding="utf-8")
    assert "<h2>Thirds &amp; more</h2>" in text
    assert "companion-table" in text


def test_the_book_profile_needs_no_file(chapter: Chapter, tmp_path: Path) -> None:
    result = run(chapter, output_dir=tmp_path / "out", root=chapter.root)
    assert result.notebook == tmp_path / "out" / "book.ipynb"
    assert last_output(result.notebook).startswith("a 4 ")
    assert not (chapter.root / "runs").exists()


def test_a_failed_run_leaves_no_result(tmp_path: Path) -> None:
    chapter = repository(tmp_path, f"{SOURCE}\n# %%\nprint(1 / (rounds - 2))\n")
    with pytest.raises(NotebookError) as caught:
        run(chapter, "smoke", root=tmp_path)
    assert [path.name for path in (tmp_path / "runs" / "ch3_batched").iterdir()] == ["smoke.failed.ipynb"]
    assert "smoke.failed.ipynb" in str(caught.value)
    run(chapter, "book", root=tmp_path)
    run(chapter, "smoke", {"rounds": 3}, root=tmp_path)
    assert (tmp_path / "runs" / "ch3_batched" / "book.ipynb").is_file()


def test_a_failed_run_keeps_an_earlier_result(chapter: Chapter) -> None:
    first = run(chapter, "smoke", root=chapter.root).notebook
    kept = first.read_bytes()
    text = chapter.source.read_text(encoding="utf-8")
    chapter.source.write_text(f"{text}\n# %%\nraise KeyError('x')\n", encoding="utf-8")
    with pytest.raises(NotebookError, match="KeyError"):
        run(chapter, "smoke", root=chapter.root)
    assert first.read_bytes() == kept
    assert not list(first.parent.glob("*.partial*"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"profile": "smok"}, "Did you mean 'smoke'"),
        ({"overrides": {"round": 3}}, "Did you mean 'rounds'"),
    ],
)
def test_what_does_not_exist_is_refused_before_any_work(arguments: dict, said: str, chapter: Chapter) -> None:
    with pytest.raises(ParameterError) as caught:
        run(chapter, root=chapter.root, **arguments)
    assert said in str(caught.value)
    assert not (chapter.root / "runs").exists()


@pytest.mark.parametrize("name", ["smoke.html", "smoke.ipynb", "smoke.json", "smoke.failed.ipynb"])
def test_a_folder_in_the_way_of_a_result_is_named_before_any_work(
    name: str, chapter: Chapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = chapter.root / "runs" / "ch3_batched" / name
    place.mkdir(parents=True)
    refused_at_once(chapter, monkeypatch, f"{place} is a folder")


@pytest.mark.parametrize(
    ("name", "said"), [("runs", "is no folder that can"), ("runs/ch3_batched/smoke", "is no folder, in")]
)
def test_a_file_in_the_way_of_a_folder_is_named_before_any_work(
    name: str, said: str, chapter: Chapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = chapter.root / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch()
    refused_at_once(chapter, monkeypatch, f"{place} {said}")


def test_a_place_that_cannot_be_written_is_named_before_any_work(
    chapter: Chapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Permissions do not hold for the superuser, who may run this.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    refused_at_once(chapter, monkeypatch, f"{chapter.root} is no folder that can be written")
    assert not (chapter.root / "runs").exists()


def refused_at_once(chapter: Chapter, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setattr(papermill, "execute_notebook", lambda *words, **more: pytest.fail("a kernel started"))
    with pytest.raises(NotebookError, match=re.escape(said)) as caught:
        run(chapter, "smoke", root=chapter.root)
    assert "\n" not in str(caught.value)


def test_an_unknown_chapter_is_refused(chapter: Chapter) -> None:
    with pytest.raises(ParameterError, match="ch3_batched"):
        run("bached", root=chapter.root)


@pytest.mark.parametrize("text", ["- 1\n", "rounds: [1\n", "1: 2\n"])
def test_a_broken_profile_is_refused(text: str, chapter: Chapter) -> None:
    (chapter.profiles / "odd.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match=r"odd\.yaml"):
        profile_values(chapter, "odd")


@pytest.mark.parametrize(
    ("given", "label"),
    [
        ({}, "book"),
        ({"horizon": 2000}, "book-horizon=2000"),
        ({"exponents": [0.1, 0.2], "seed": 7}, "book-exponents=0.1,0.2-seed=7"),
        ({"label": "../up"}, r"book-label-[0-9a-f]{8}"),
        ({"label": "a b"}, r"book-label-[0-9a-f]{8}"),
        ({f"parameter_{k}": k for k in range(9)}, r"book-parameter_0-.{50,80}-[0-9a-f]{8}"),
    ],
)
def test_a_runs_files_are_named_by_what_was_set(given: dict[str, object], label: str) -> None:
    assert re.fullmatch(label.replace(".1,0.2", r"\.1,0\.2"), _label("book", given, given))


def test_names_that_were_cut_are_still_apart() -> None:
    assert _label("book", {"label": "a b"}, {"label": "a b"}) != _label("book", {"label": "a/b"}, {"label": "a/b"})
