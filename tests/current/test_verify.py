"""``companion verify``: every planted digit, changed constant and other random stream in the sample is noticed."""

import csv
import hashlib
import io
import json
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from planted_store import FACTOR, SEEDS, declared, folder, kernels, record_of, under

from companion import registry
from companion.core import instruction_set
from companion.core.errors import ParameterError, ResultError
from companion.current import agreement
from companion.current.recomputation import computed_again, sample
from companion.current.run_artefacts import RunSets
from companion.current.settle import settle
from companion.current.verify import verify
from companion.stored.recompute import Renewed, renew
from companion.stored.runs import CELLS, cell_name, store


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The tables, stored once; to be copied."""
    folder = tmp_path_factory.mktemp("kept")
    store(declared(), folder, 1)
    return folder


@pytest.fixture
def root(kept, tmp_path, monkeypatch):
    for name, value in FACTOR.items():
        monkeypatch.setitem(FACTOR, name, value)
    return shutil.copytree(kept, tmp_path, dirs_exist_ok=True)


def plant(root, table, key, column, text=None):
    """Change the last digit of one number, and mend the record's checksum: a fault that only a recomputation shows."""
    path = folder(root) / f"{table}.csv"
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    (row,) = [row for row in rows if all(str(row[name]) == str(value) for name, value in key.items())]
    last = row[column][-1]
    row[column] = row[column][:-1] + str((int(last) + 1) % 10) if text is None else text
    pd.DataFrame(rows).to_csv(path, index=False, lineterminator="\n")
    record = folder(root) / "tables.record.json"
    content = json.loads(record.read_text())
    content["settings"]["sha256"][f"{table}.csv"] = hashlib.sha256(path.read_bytes()).hexdigest()
    record.write_text(json.dumps(content))


def test_all_rows_agree(root):
    found = verify(declared(), rows=12, root=root, jobs=1)
    assert (found.passed, found.different) == (True, ())
    assert (found.cells, found.of, found.equal) == (12, 12, found.rows)
    assert found.rows == 12 + 1  # every run's row, and one mean
    assert found.not_compared == ("times",)


def test_a_set_of_tables_is_settled_by_a_sample_and_what_was_typed_is_named(root, monkeypatch):
    monkeypatch.setattr(registry, "compared_sets", lambda paper: (declared(),) if paper == "batched" else ())
    monkeypatch.setenv("COMPANION_BACKEND", "sequential")
    kind = RunSets(root, seconds=1e3)
    assert settle([kind], jobs=1).differences == []
    assert settle([RunSets(root)], jobs=1).current == 1
    monkeypatch.setitem(FACTOR, "width", 3.0)
    assert settle([RunSets(root)], jobs=1).compared == 0, "its fingerprint is that of another module"
    assert settle([RunSets(root, seconds=0)], jobs=1, everything=True).differences != [], "two runs in any case"
    assert settle([RunSets(root, seconds=0)], jobs=1).compared == 1, "what was found is not forgotten"
    found = settle([kind], jobs=1, everything=True).differences
    assert {one.artefact for one in found} == {"runs/batched/tables"}
    assert any("column" in one.place or "total" in one.place for one in found)
    monkeypatch.setitem(FACTOR, "width", 2.0)
    assert settle([kind], jobs=1).differences == []
    git = ["git", "-C", str(root), "-c", "user.name=nobody", "-c", "user.email=nobody@example.invalid"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "runs"]):
        subprocess.run([*git, *words], check=True)
    plant(root, "runs", {"problem": "a", "method": "ucb", "seed": 4}, "kept", "5")
    found = settle([kind], jobs=1).differences
    assert ("5", "4") in {(one.new, one.old) for one in found}, found


@pytest.mark.slow
@pytest.mark.parametrize("column", ["total", "kept", "curve"])
def test_a_changed_last_digit_in_any_column_of_the_sample_is_noticed(root, column):
    single, _ = sample(declared(), 12, 0)
    for _, task in single:
        key = {"problem": task.experiment, "method": task.method, "seed": task.seed}
        before = {path: path.read_bytes() for path in folder(root).glob("*.*")}
        plant(root, "runs", key, column)
        found = verify(declared(), rows=12, root=root, jobs=1)
        assert not found.passed
        assert [(one.table, one.column) for one in found.different] == [("runs", column)]
        assert found.equal == found.rows - 1
        for path, content in before.items():
            path.write_bytes(content)


def test_a_changed_summary_of_the_sample_is_noticed(root):
    _, whole = sample(declared(), 12, 0)
    task = whole["means"][0][1]
    plant(root, "means", {"problem": task.experiment, "method": task.method}, "total")
    found = verify(declared(), rows=12, root=root, jobs=1)
    assert [(one.table, one.column) for one in found.different] == [("means", "total")]


@pytest.mark.parametrize(("name", "value"), [("width", 2.0 + 1e-6), ("stream", "design")])
def test_a_changed_constant_and_another_stream_are_noticed_in_every_row(root, monkeypatch, name, value):
    verify(declared(), rows=12, root=root, jobs=1)
    monkeypatch.setitem(FACTOR, name, value)
    found = verify(declared(), rows=12, root=root, jobs=1)
    assert found.equal == 0
    assert {one.column for one in found.different} >= {"total"}


def test_a_row_that_is_not_stored_is_noticed(root):
    path = folder(root) / "runs.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-SEEDS]))
    record = folder(root) / "tables.record.json"
    content = json.loads(record.read_text())
    content["settings"]["sha256"]["runs.csv"] = hashlib.sha256(path.read_bytes()).hexdigest()
    record.write_text(json.dumps(content))
    found = verify(declared(), rows=12, root=root, jobs=1)
    assert [one.stored for one in found.different] == ["no such row"]


def test_damaged_tables_are_refused_before_any_run(root, monkeypatch):
    path = folder(root) / "runs.csv"
    path.write_bytes(path.read_bytes().replace(b"ucb", b"ucB", 1))
    monkeypatch.setitem(FACTOR, "absent", "everything would run")
    with pytest.raises(ResultError, match=r"runs.csv is not the table"):
        verify(declared(), rows=12, root=root, jobs=1)


def test_runs_whose_data_are_not_here_are_counted(root, monkeypatch):
    monkeypatch.setitem(FACTOR, "absent", "ts")
    found = verify(declared(), rows=12, root=root, jobs=1)
    assert len(found.absent) >= 4
    assert (found.passed, found.different) == (True, ())


def test_runs_of_an_older_version_are_counted_and_not_compared(root, monkeypatch):
    """One method declares its next version and gives other numbers; the others are compared as before."""
    newer = [(part, replace(task, version=2) if task.method == "ts" else task) for part, task in declared().items]
    runs = replace(declared(), only=tuple(newer))
    stored = runs.load(root).record
    assert {task.method for _, task in runs.outdated(stored)} == {"ts"}
    assert runs.outdated(replace(stored, settings={**stored.settings, "versions": {"": 2}})) == ()
    found = verify(runs, rows=12, root=root, jobs=1)
    assert (found.outdated, found.of, found.different) == (4 * SEEDS, 8, ())
    assert runs.versions == {"": 2}


def test_outdated_runs_are_made_again_and_all_other_rows_are_left(root, monkeypatch):
    newer = [(part, replace(task, version=2) if task.method == "ts" else task) for part, task in declared().items]
    before = declared().load(root)
    monkeypatch.setitem(FACTOR, "width", 3.0)
    assert renew(replace(declared(), only=tuple(newer)), root, 1) == Renewed(cells=4, runs=4 * SEEDS)
    after = replace(declared(), only=tuple(newer)).load(root)
    for name in ("runs", "means"):
        one, other = before.tables[name].set_index("problem"), after.tables[name].set_index("problem")
        pd.testing.assert_frame_equal(one[one.method != "ts"], other[other.method != "ts"])
        np.testing.assert_allclose(other.total[other.method == "ts"], 1.5 * one.total[one.method == "ts"], rtol=1e-8)
    pd.testing.assert_frame_equal(before.tables["times"], after.tables["times"])
    # A row is in the place of the one before, also where a part of its name is empty.
    pd.testing.assert_frame_equal(
        before.tables["runs"][["problem", "method", "seed"]], after.tables["runs"][["problem", "method", "seed"]]
    )
    # Of a run made again, only what was found now is in the record.
    widths = after.record.settings["widths"]
    assert {label: width for label, width in widths.items() if "ts" in label} == {
        task.label: 3.0 for _, task in newer if task.method == "ts" and task.seed == 1
    }
    assert {width for label, width in widths.items() if "ts" not in label} == {2.0}
    assert after.record.settings["renewed"][0]["cost"]["runs"] == 4 * SEEDS
    assert after.record.settings["cost"] == before.record.settings["cost"]
    # Nothing is outdated any more: nothing is made, nothing is written.
    written = {path: path.read_bytes() for path in folder(root).glob("*.*")}
    assert renew(replace(declared(), only=tuple(newer)), root, 1) == Renewed()
    assert written == {path: path.read_bytes() for path in folder(root).glob("*.*")}
    assert replace(declared(), only=tuple(newer)).outdated(after.record) == ()


def test_a_row_that_is_stored_twice_is_refused(root):
    path = folder(root) / "runs.csv"
    path.write_text(path.read_text() + path.read_text().splitlines()[3] + "\n")
    record = folder(root) / "tables.record.json"
    content = json.loads(record.read_text())
    content["settings"]["sha256"]["runs.csv"] = hashlib.sha256(path.read_bytes()).hexdigest()
    record.write_text(json.dumps(content))
    with pytest.raises(ResultError, match="two rows"):
        verify(declared(), rows=12, root=root, jobs=1)


def test_successive_seeds_go_through_all_cells_and_through_runs(root):
    runs = declared()
    windows = [sample(runs, 4, seed)[0] for seed in range(3)]
    cells = [{(task.experiment, task.method) for _, task in window} for window in windows]
    assert all(len(part) == 4 for part in cells)
    assert len(set.union(*cells)) == 12
    assert len({task.seed for seed in range(20) for _, task in sample(runs, 4, seed)[0]}) == SEEDS
    again = sample(runs, 4, 1)[0]
    assert [task.key() for _, task in again] == [task.key() for _, task in windows[1]]


def test_where_every_table_is_a_summary_whole_cells_alone_are_computed():
    runs = declared()
    stored = replace(runs.stored, tables=("means",))
    summaries = replace(runs, stored=stored, tables={"means": runs.tables["means"]}, row=None)
    single, whole = sample(summaries, 12, 0)
    assert single == []
    assert len(whole["means"]) > 1


@pytest.mark.parametrize(("name", "value"), [("rows", 0), ("rows", 2.5), ("seed", -1)])
def test_bad_numbers_are_refused(root, name, value):
    with pytest.raises(ParameterError, match=name):
        verify(declared(), root=root, **{name: value})


def test_a_whole_number_in_a_column_with_gaps_is_the_same_number():
    assert agreement.same_text("3.0", "3")
    assert not agreement.same_text("3.0", "3.1")
    assert float("0.30000000000000004") == float("0.30000000000000005")
    assert not agreement.same_text("0.30000000000000004", "0.30000000000000005")
    assert not agreement.same_text("", "0")
    assert not agreement.same_text("a", "b")


# -- with other kernels than those of the stored rows ------------------------------------------------------------------

#: Seeds of a cell, enough to tell a mean that has moved.
MANY = 20


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Tables of a method that other kernels send another way, and of two that they do not; to be copied."""
    folder = tmp_path_factory.mktemp("many")
    FACTOR["chaotic"] = "ts"
    store(declared(seeds=MANY), folder, 1)
    FACTOR["chaotic"] = ""
    return folder


@pytest.fixture
def elsewhere(many, tmp_path, monkeypatch):
    """A processor that lacks the kernels of the stored tables, and has two other sets; the value is the root."""
    for name, value in {**FACTOR, "chaotic": "ts"}.items():
        monkeypatch.setitem(FACTOR, name, value)
    monkeypatch.setattr(instruction_set, "able", lambda name: False)
    monkeypatch.setattr(instruction_set, "second", lambda: "third")
    shutil.copytree(many, tmp_path, dirs_exist_ok=True)
    with kernels("other"):
        yield tmp_path


def compared_elsewhere(root, **how):
    """A sample whose whole cell is of the method that kernels send another way."""
    runs = declared(seeds=MANY)
    seed = next(seed for seed in range(99) if sample(runs, 12, seed)[1]["means"][0][1].method == "ts")
    return verify(runs, rows=12, seed=seed, root=root, jobs=1, **{"under": under(runs)} | how)


def counts(found, table):
    (one,) = (one for one in found.tables if one.table == table)
    return one.rows, one.equal, one.within, one.by_cell, one.apart


def test_last_digits_are_rounding_and_a_run_that_goes_another_way_is_judged_by_its_cell(elsewhere):
    found = compared_elsewhere(elsewhere)
    rows, equal, within, by_cell, apart = counts(found, "runs")
    assert (rows, equal + within, by_cell, apart) == (12, 8, 4, 0)
    assert within > 0
    assert counts(found, "means") == (1, 0, 0, 1, 0)
    assert (found.passed, found.different) == (True, ())
    assert {one.cell for one in found.judged if one.moves and one.agrees} == {
        f"problem={problem}, method=ts, note=" for problem in "abcd"
    }


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), [("width", 2.0 * 1.25), ("width", 2.0 + 1e-4), ("stream", "design")])
def test_a_changed_constant_and_another_stream_are_seen_with_other_kernels_too(elsewhere, monkeypatch, name, value):
    """A method that no kernels send another way has no such excuse, and its rows are apart."""
    monkeypatch.setitem(FACTOR, name, value)
    found = compared_elsewhere(elsewhere)
    assert not found.passed
    assert counts(found, "runs")[4] >= 8
    assert {one.row.split("method=")[1].split(",")[0] for one in found.different} >= {"ucb", "random"}


@pytest.mark.slow
def test_a_cell_whose_mean_has_moved_is_apart_after_further_seeds(elsewhere, monkeypatch):
    monkeypatch.setitem(FACTOR, "width", 10.0)
    found = compared_elsewhere(elsewhere)
    assert counts(found, "runs") == (12, 0, 0, 0, 12)
    moved = [one for one in found.judged if "method=ts" in one.cell and one.column == "total"]
    assert len(moved) == 4
    assert all(one.moves and not one.agrees and not one.inside for one in moved)
    # Five further seeds of some cells, of the others the one that was made again, and of one all seeds.
    assert found.more in ((agreement.TRIED - 1) * agreement.MORE, agreement.TRIED * agreement.MORE)
    assert sorted({one.runs for one in found.judged if one.column == "total"}) == [1, agreement.MORE, MANY]


def test_without_a_second_set_of_kernels_the_means_of_cells_decide(elsewhere, monkeypatch):
    monkeypatch.setattr(instruction_set, "second", lambda: "")
    found = compared_elsewhere(elsewhere)
    assert (found.passed, counts(found, "runs")[3]) == (True, 4)
    monkeypatch.setitem(FACTOR, "width", 10.0)
    assert not compared_elsewhere(elsewhere).passed


def test_rows_are_made_with_the_kernels_of_their_cell_where_these_are_here(elsewhere, monkeypatch):
    """Then digits have to be equal, and each cell has its own kernels."""
    runs = declared(seeds=MANY)
    path = folder(elsewhere) / "tables.record.json"
    content = record_of(elsewhere)
    first = instruction_set.recorded(content["blas"])
    own = sorted({cell_name(task) for _, task in runs.items if task.experiment == "a"})
    content["settings"][CELLS] = [{"kernels": "other", "version": 1, "cells": own}]
    path.write_text(json.dumps(content))
    monkeypatch.setattr(instruction_set, "able", lambda name: name == first)
    monkeypatch.setattr(instruction_set, "second", lambda: "")
    asked = []

    def process(name, part):
        asked.append((name, {task.experiment for _, task in part.single}))
        with kernels(""):
            return computed_again(runs, part, 1)

    found = compared_elsewhere(elsewhere, under=process)
    assert asked == [(first, {"b", "c", "d"})]
    assert found.made_with == tuple(sorted([first, "other"]))
    # Rows of a were stored with the first kernels and are said to be of others: with those, they are other digits.
    assert {one.row.split(",")[0] for one in found.different} == {"problem=a"}
