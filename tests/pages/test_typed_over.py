"""Committed pages cannot be typed over: seven kinds of tampering with copies of the real ones, each five times, all noticed."""

from __future__ import annotations

import base64
import copy
import json
import random
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from companion.pages.checking import check
from companion.pages.document import Chapter, Problem, chapters, read_notebook
from companion.pages.seal import is_sealed, output_digests

ROOT = Path(__file__).resolve().parents[2]
STEMS = [chapter.stem for chapter in chapters(ROOT)]

Cell = dict[str, Any]
#: A place: index of the cell, and the kind of data of its first output.
Place = tuple[int, str]

_TABLE_NUMBER = re.compile(r"(<td[^>]*>[^<\d]*)(\d)")
_CAPTION_NUMBER = re.compile(r"(<figcaption[^>]*>[^<\d]*)(\d)")
_SENTENCE_NUMBER = re.compile(r"(?s)^([^<\d]*)(\d)")
_PICTURE = re.compile(r"data:image/png;base64,([A-Za-z0-9+/=]+)")


@cache
def committed(stem: str) -> str:
    """Text of a committed notebook, read once."""
    return (ROOT / "notebooks" / f"{stem}.ipynb").read_text(encoding="utf-8")


@cache
def before(stem: str) -> frozenset[Problem]:
    """What is wrong with the page as it is committed; between a change and the next execution it may be stale."""
    return frozenset(check(Chapter(ROOT / "notebooks" / f"{stem}.py", ROOT)))


def text_of(cell: Cell, kind: str) -> str:
    """One kind of data of a cell's first output, which a notebook file holds as a list of lines."""
    outputs = cell.get("outputs") or [{}]
    return "".join(outputs[0].get("data", {}).get(kind, ""))


def places(notebook: dict[str, Any], kind: str, pattern: re.Pattern[str]) -> list[Place]:
    """Where a page shows such a thing; without one, the test is not for this page."""
    found = [(n, kind) for n, cell in enumerate(notebook["cells"]) if pattern.search(text_of(cell, kind))]
    return found or pytest.skip("the page shows none")


def put(cell: Cell, kind: str, text: str) -> None:
    cell["outputs"][0]["data"][kind] = text.splitlines(keepends=True)


def another_digit(match: re.Match[str]) -> str:
    return f"{match[1]}{(int(match[2]) + 1) % 10}"


def number(kind: str, pattern: re.Pattern[str]) -> Callable[[dict[str, Any], random.Random], int]:
    """One digit of one number becomes the next."""

    def tamper(notebook: dict[str, Any], rng: random.Random) -> int:
        index, _ = rng.choice(places(notebook, kind, pattern))
        text = text_of(notebook["cells"][index], kind)
        found = rng.choice(list(pattern.finditer(text)))
        put(notebook["cells"][index], kind, text[: found.start()] + another_digit(found) + text[found.end() :])
        return index

    return tamper


def picture(notebook: dict[str, Any], rng: random.Random) -> int:
    """One byte of a picture, well inside the file, is another."""
    index, kind = rng.choice(places(notebook, "text/html", _PICTURE))
    text = text_of(notebook["cells"][index], kind)
    found = rng.choice(list(_PICTURE.finditer(text)))
    content = bytearray(base64.b64decode(found[1]))
    content[rng.randrange(100, len(content))] ^= 1
    put(
        notebook["cells"][index],
        kind,
        text[: found.start(1)] + base64.b64encode(content).decode() + text[found.end(1) :],
    )
    return index


def dropped(notebook: dict[str, Any], rng: random.Random) -> int:
    """A cell has lost what it shows."""
    index = rng.choice([n for n, cell in enumerate(notebook["cells"]) if cell.get("outputs")])
    notebook["cells"][index]["outputs"] = []
    return index


def script(notebook: dict[str, Any], rng: random.Random) -> int:
    """A script at the end of an output, or an output of its own."""
    line = "<script>document.title = 'x'</script>"
    if rng.random() < 0.5:
        index, kind = rng.choice(places(notebook, "text/html", re.compile("<")))
        put(notebook["cells"][index], kind, f"{text_of(notebook['cells'][index], kind)}\n{line}")
    else:
        index = rng.choice([n for n, cell in enumerate(notebook["cells"]) if "outputs" in cell])
        added = {"output_type": "display_data", "data": {"text/html": [line]}, "metadata": {}}
        notebook["cells"][index]["outputs"].append(added)
    return index


PAGES = {
    "number in a table": number("text/html", _TABLE_NUMBER),
    "number in a sentence": number("text/markdown", _SENTENCE_NUMBER),
    "number in a caption": number("text/html", _CAPTION_NUMBER),
    "picture": picture,
    "outputs dropped": dropped,
    "script": script,
}


RECORDS: dict[str, Callable[[dict[str, Any], random.Random], None]] = {
    "seconds": lambda content, rng: content["record"].update(seconds=content["record"]["seconds"] + rng.random()),
    "commit": lambda content, rng: content["record"].update(commit=f"{rng.getrandbits(160):040x}"),
}


@pytest.fixture
def page(request: pytest.FixtureRequest, tmp_path: Path) -> Chapter:
    """A copy of one committed page beside the repository's data."""
    stem = request.param
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "data").symlink_to(ROOT / "data")
    for suffix in (".py", ".record.json"):
        shutil.copy(ROOT / "notebooks" / f"{stem}{suffix}", tmp_path / "notebooks")
    (tmp_path / "notebooks" / f"{stem}.ipynb").write_text(committed(stem), encoding="utf-8")
    return Chapter(tmp_path / "notebooks" / f"{stem}.py", tmp_path)


def new_problems(page: Chapter) -> list[Problem]:
    """What is wrong with the copy and not with the page that is committed."""
    known = {(problem.cell, problem.text) for problem in before(page.stem)}
    return [problem for problem in check(page) if (problem.cell, problem.text) not in known]


@pytest.mark.parametrize("page", STEMS, indirect=True)
def test_a_copy_is_as_good_as_the_page(page: Chapter) -> None:
    assert new_problems(page) == []
    content = json.loads(page.record.read_text(encoding="utf-8"))
    assert is_sealed(content)
    assert content["outputs"] == output_digests(read_notebook(page.notebook))


@pytest.mark.parametrize("page", STEMS, indirect=True)
@pytest.mark.parametrize("kind", PAGES)
def test_a_page_that_was_typed_over_is_noticed(kind: str, page: Chapter) -> None:
    """Every kind on every page, at a place of its own."""
    notebook = copy.deepcopy(json.loads(committed(page.stem)))
    index = PAGES[kind](notebook, random.Random(f"{kind} {page.stem}"))
    page.notebook.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    first = new_problems(page)[0]
    assert str(first).startswith(f"{page.stem}.ipynb: cell {index}: its outputs are not those that execution made")
    assert first.text.endswith(f"; run: {page.mend}")


@pytest.mark.parametrize("page", STEMS, indirect=True)
@pytest.mark.parametrize("kind", RECORDS)
def test_a_record_that_was_typed_over_is_noticed(kind: str, page: Chapter) -> None:
    content = json.loads(page.record.read_text(encoding="utf-8"))
    RECORDS[kind](content, random.Random(f"{kind} {page.stem}"))
    page.record.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    (problem,) = new_problems(page)
    assert str(problem) == (
        f"{page.stem}.ipynb: has lost its record: a field of {page.stem}.record.json was changed after execution wrote "
        f"it; run: {page.mend}"
    )


def leaves(content: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every plain value of a JSON document, and to every empty container."""
    if isinstance(content, dict | list) and content:
        items = content.items() if isinstance(content, dict) else enumerate(content)
        return [leaf for key, value in items for leaf in leaves(value, (*path, key))]
    return [path]


@pytest.mark.parametrize("stem", STEMS)
def test_every_field_of_a_record_is_under_its_seal(stem: str) -> None:
    text = (ROOT / "notebooks" / f"{stem}.record.json").read_text(encoding="utf-8")
    ways = leaves(json.loads(text))
    assert {("record", "date"), ("record", "dirty"), ("outputs", 0), ("seal",)} <= set(ways)
    for way in ways:
        content = json.loads(text)
        place = content
        for key in way[:-1]:
            place = place[key]
        place[way[-1]] = "another"
        assert not is_sealed(content), way
        del place[way[-1]]
        assert not is_sealed(content), way


@pytest.mark.parametrize("page", STEMS, indirect=True)
def test_an_added_cell_is_named(page: Chapter) -> None:
    notebook = json.loads(committed(page.stem))
    rng = random.Random(page.stem)
    index = rng.choice([n for n, cell in enumerate(notebook["cells"]) if cell["cell_type"] == "code"])
    output = {"output_type": "stream", "name": "stdout", "text": ["regret = 0\n"]}
    added = {"cell_type": "code", "id": "added", "metadata": {}, "source": ["'new'"], "execution_count": 1}
    notebook["cells"].insert(index, added | {"outputs": [output]})
    page.notebook.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    problems = [problem for problem in new_problems(page) if problem.cell == index]
    assert problems[0].text.startswith("a code cell was added or is missing")
    assert problems[0].text.endswith(f"; run: {page.mend}")


@pytest.mark.parametrize("page", STEMS, indirect=True)
def test_a_count_that_is_missing_is_noticed(page: Chapter) -> None:
    notebook = json.loads(committed(page.stem))
    index = random.Random(page.stem).choice(
        [n for n, cell in enumerate(notebook["cells"]) if cell["cell_type"] == "code"]
    )
    notebook["cells"][index]["execution_count"] = None
    page.notebook.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert {problem.cell for problem in new_problems(page)} == {index}
