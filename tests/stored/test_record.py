"""Records: whole, read back, and without the names of people and machines."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

import companion
from companion.core.errors import ResultError
from companion.stored.provenance import checkout_commit, linear_algebra, machine
from companion.stored.record import Record


def test_a_record_survives_json() -> None:
    record = Record.now("companion run 3", profile="book", seeds=[1, 2], seconds=1.23456, settings={"T": 10})
    assert Record.from_dict(json.loads(json.dumps(record.to_dict()))) == record
    assert record.commit == ""
    assert record.seconds == 1.235
    assert record.date.endswith("+00:00")
    assert record.versions["companion"] == companion.__version__


def test_results_that_leave_the_repository_name_its_commit_and_former_fields_are_passed_over() -> None:
    record = Record.now("x", profile="own", seeds=[], seconds=0, outside=True)
    assert record.commit == checkout_commit()
    stored = record.to_dict()
    assert Record.from_dict({**stored, "package": "0" * 64, "dirty": False}) == record
    assert "commit" not in Record.now("x", profile="own", seeds=[], seconds=0).to_dict()


def commits(stored: Any) -> list[str]:
    """Commits that a stored result names, at any depth: a history that is rewritten loses them."""
    if isinstance(stored, dict):
        named = [str(value) for key, value in stored.items() if key == "commit"]
        return [*named, *(one for value in stored.values() for one in commits(value))]
    if isinstance(stored, list):
        return [one for value in stored for one in commits(value)]
    return [stored] if isinstance(stored, str) and re.fullmatch("[0-9a-f]{10}|[0-9a-f]{40}", stored) else []


def test_no_stored_result_names_a_commit(root: Path) -> None:
    assert commits({"record": {"commit": "lost"}, "rows": [{"code": "32c6b42e65"}]}) == ["lost", "32c6b42e65"]
    files = sorted(
        path for path in (root / "data" / "results").rglob("*.json") if "tasks" not in path.parts
    )  # those hold unfinished runs
    assert len(files) > 20
    assert {str(path): commits(json.loads(path.read_text(encoding="utf-8"))) for path in files} == {
        str(path): [] for path in files
    }


def test_a_record_of_another_version_is_refused() -> None:
    stored = Record.now("x", profile="book", seeds=[], seconds=0).to_dict()
    for broken in ({k: v for k, v in stored.items() if k != "seeds"}, {**stored, "colour": 1}):
        with pytest.raises(ResultError, match=r"seeds|colour"):
            Record.from_dict(broken)


def test_records_hold_no_host_name_and_no_path() -> None:
    text = json.dumps(Record.now("x", profile="book", seeds=[], seconds=0).to_dict())
    assert os.uname().nodename not in text
    assert str(Path.home()) + "/" not in text
    assert not any("/" in line for line in linear_algebra())
    assert machine()["cores"] >= 1


def test_a_record_cannot_be_changed() -> None:
    record = Record.now("x", profile="book", seeds=[], seconds=0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.seconds = 1.0  # type: ignore[misc]
