"""Stored tables: whole or noticed."""

from __future__ import annotations

import json
import math

import pandas as pd
import pytest

from companion.core.errors import ResultError
from companion.core.randomness import stream
from companion.stored.record import Record
from companion.stored.results import csv_bytes, load_entries, load_tables, store_entries, store_tables

NAMES = ("runs", "runs_ties")


def tables(count=40):
    draws = stream(0, "stored").normal(size=(count, 2))
    return {
        "runs": pd.DataFrame({"seed": range(count), "regret": draws[:, 0]}),
        "runs_ties": pd.DataFrame({"x": draws[:, 1]}),
    }


def record(seconds=12.5):
    return Record.now("make paper CH=9", profile="paper", seeds=range(3), seconds=seconds, settings={"runs": 40})


def load(folder):
    return load_tables(folder, "runs", NAMES, "make paper CH=9")


def test_numbers_come_back_exactly_with_their_record(tmp_path):
    written = tables()
    store_tables(tmp_path, "runs", written, record())
    stored = load(tmp_path)
    for name in NAMES:
        pd.testing.assert_frame_equal(stored.tables[name], written[name], check_exact=True)
    assert (stored.record.command, stored.record.seconds, stored.record.settings["runs"]) == (
        "make paper CH=9",
        12.5,
        40,
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_flipped_byte_of_a_table_is_noticed_each_time(tmp_path, name):
    store_tables(tmp_path, "runs", tables(), record())
    path = tmp_path / f"{name}.csv"
    intact = path.read_bytes()
    random = stream(1, "flips")
    for place in random.integers(len(intact), size=50):
        flipped = bytearray(intact)
        flipped[place] ^= 1 << int(random.integers(8))
        path.write_bytes(bytes(flipped))
        with pytest.raises(ResultError):
            load(tmp_path)
    path.write_bytes(intact)
    load(tmp_path)


def test_a_table_without_its_record_and_a_record_of_another_table_are_refused(tmp_path):
    store_tables(tmp_path, "runs", tables(), record())
    store_tables(tmp_path / "other", "runs", tables(41), record())
    (tmp_path / "runs.csv").write_bytes((tmp_path / "other" / "runs.csv").read_bytes())
    with pytest.raises(ResultError, match="not the table"):
        load(tmp_path)
    (tmp_path / "runs.record.json").write_text("{")
    with pytest.raises(ResultError, match="damaged"):
        load(tmp_path)
    (tmp_path / "runs.record.json").unlink()
    with pytest.raises(ResultError):
        load(tmp_path)


def test_storing_the_same_tables_again_keeps_the_record_of_their_computation(tmp_path):
    path = store_tables(tmp_path, "runs", tables(), record(100.0))
    before = path.read_bytes()
    store_tables(tmp_path, "runs", tables(), record(0.5))
    assert path.read_bytes() == before
    store_tables(tmp_path, "runs", tables(41), record(0.5))
    assert json.loads(path.read_text())["seconds"] == 0.5
    assert len(load(tmp_path).tables["runs"]) == 41


def test_a_write_that_stops_between_tables_is_noticed(tmp_path, monkeypatch):
    from companion.stored import results as stored

    store_tables(tmp_path, "runs", tables(), record())
    real, calls = stored.write_atomic, []

    def stops(path, content):
        calls.append(path.name)
        if len(calls) == 2:
            raise KeyboardInterrupt
        real(path, content)

    monkeypatch.setattr(stored, "write_atomic", stops)
    with pytest.raises(KeyboardInterrupt):
        store_tables(tmp_path, "runs", tables(41), record())
    with pytest.raises(ResultError, match="not the table"):
        load(tmp_path)
    monkeypatch.undo()
    store_tables(tmp_path, "runs", tables(41), record())
    assert len(load(tmp_path).tables["runs"]) == 41


ENTRIES = [{"id": "lemma-1", "slack": math.inf, "title": "größer"}, {"id": "lemma-2", "slack": 1.25, "title": ""}]


def test_entries_come_back_with_infinities_as_null(tmp_path):
    store_entries(tmp_path, "ledger", ENTRIES, record())
    stored = load_entries(tmp_path, "ledger", "make evidence CH=9")
    assert stored.entries == [ENTRIES[0] | {"slack": None}, ENTRIES[1]]
    assert stored.record.command == "make paper CH=9"


def test_edited_damaged_and_missing_entries_are_refused(tmp_path):
    with pytest.raises(ResultError):
        load_entries(tmp_path, "ledger", "make evidence CH=9")
    path = store_entries(tmp_path, "ledger", ENTRIES, record())
    intact = path.read_text(encoding="utf-8")
    for wrong in (intact.replace("1.25", "9.25"), intact[:-40], intact.replace('"entries"', '"entry"')):
        path.write_text(wrong, encoding="utf-8")
        with pytest.raises(ResultError, match="make evidence CH=9"):
            load_entries(tmp_path, "ledger", "make evidence CH=9")


def test_columns_give_the_bytes_that_a_frame_gives():
    columns = {
        "text": ["a,b", 'say "x"', None, "line\nbreak", ""],
        "number": [0.1, 1e-300, float("nan"), float("inf"), -0.0],
        "count": [1, None, 3, 10**18, -5],
        "flag": [True, False, None, True, False],
    }
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})
    frame["number"] = frame["number"].astype(float)
    assert csv_bytes(columns) == csv_bytes(frame)
