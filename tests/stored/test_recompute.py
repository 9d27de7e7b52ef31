"""``companion verify --renew``: stored rows are brought up to the plan cell by cell, and no cell is of two sets of kernels."""

import shutil
from dataclasses import replace

import pandas as pd
import pytest
from planted_store import FACTOR, METHODS, SEEDS, compute, declared, folder, kernels, record_of
from sweeping import write_result

from companion.core import instruction_set
from companion.core.errors import ResultError
from companion.simulate.task_store import kernels_used
from companion.stored.recompute import Renewed, renew
from companion.stored.runs import CELLS, compute_runs, instruction_set_of, store

PROBLEMS = 4


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The tables, stored once, with means over all seeds; to be copied."""
    folder = tmp_path_factory.mktemp("kept")
    store(declared(averaged=SEEDS), folder, 1)
    return folder


@pytest.fixture
def root(kept, tmp_path, monkeypatch):
    for name, value in FACTOR.items():
        monkeypatch.setitem(FACTOR, name, value)
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    shutil.rmtree(folder(tmp_path) / "tasks")
    return tmp_path


def tables(runs, root):
    return runs.load(root).tables


def swept(runs, root, name, chosen=lambda task: True, width=None):
    """Finish the chosen runs with kernels of this name."""
    with kernels(name):
        FACTOR["width"], before = FACTOR["width"] if width is None else width, FACTOR["width"]
        compute_runs(replace(runs, only=tuple(item for item in runs.items if chosen(item[1]))), root, 1)
        FACTOR["width"] = before


def test_seeds_of_the_plan_that_are_not_stored_are_added_and_all_else_stays(root):
    before, longer = tables(declared(), root), declared(seeds=SEEDS + 2, averaged=SEEDS)
    assert renew(longer, root, 1) == Renewed(extended=12, runs=24)
    after = longer.load(root)
    old = after.tables["runs"][after.tables["runs"].seed < SEEDS].reset_index(drop=True)
    pd.testing.assert_frame_equal(old, before["runs"])
    pd.testing.assert_frame_equal(after.tables["means"], before["means"])
    assert len(after.tables["runs"]) == PROBLEMS * len(METHODS) * (SEEDS + 2)
    assert after.record.settings["runs"] == len(longer.items)
    (note,) = after.record.settings["renewed"]
    assert (note["cells"], note["extended"], note["cost"]["runs"]) == (0, 12, 24)
    assert note["kernels"] == instruction_set.in_use()
    assert CELLS not in after.record.settings
    assert renew(longer, root, 1) == Renewed()


def test_a_cell_with_a_new_seed_in_its_summary_is_made_whole(root):
    longer = declared(seeds=SEEDS + 1, averaged=SEEDS + 1)
    assert renew(longer, root, 1) == Renewed(cells=12, runs=12 * (SEEDS + 1))
    after = tables(longer, root)
    means = after["runs"].groupby(["problem", "method"], sort=False).total.mean()
    assert after["means"].set_index(["problem", "method"]).total.to_dict() == pytest.approx(means.to_dict(), rel=1e-8)


def test_with_other_kernels_a_cell_that_lacks_seeds_is_made_whole(root):
    """Without an addition none is touched, whatever kernels made it."""
    with kernels("other"):
        assert renew(declared(averaged=SEEDS), root, 1) == Renewed()
        plan = declared(averaged=SEEDS)
        more = [item for item in declared(seeds=SEEDS + 1).items if item[1].method == "ts" and item[1].seed == SEEDS]
        longer = replace(plan, only=(*plan.items, *more))
        assert renew(longer, root, 1) == Renewed(cells=PROBLEMS, runs=PROBLEMS * (SEEDS + 1))
    record = longer.load(root).record
    made = instruction_set_of(longer, record)
    assert {(task.method, made(task)) for _, task in longer.items} == {
        ("ts", "other"),
        ("ucb", instruction_set.recorded(record.blas)),
        ("random", instruction_set.recorded(record.blas)),
    }
    (entry,) = record.settings[CELLS]
    assert (entry["kernels"], len(entry["cells"])) == ("other", PROBLEMS)


def test_finished_cells_are_put_in_place_call_by_call_and_never_in_part(root, monkeypatch):
    plan = declared(averaged=SEEDS)
    first = instruction_set.recorded(plan.load(root).record.blas)
    before = tables(plan, root)
    monkeypatch.setitem(FACTOR, "width", 3.0)
    # All of ts, and all seeds but one of ucb.
    swept(plan, root, "other", lambda task: task.method == "ts" or (task.method == "ucb" and task.seed > 0))
    with monkeypatch.context() as nothing:
        nothing.setitem(FACTOR, "absent", "ts")
        done = renew(plan, root, 1, finished=True)
    assert done == Renewed(cells=PROBLEMS, runs=PROBLEMS * SEEDS, waiting=PROBLEMS)
    after = plan.load(root)
    for name in ("runs", "means"):
        old, new = (each[name].set_index(["problem", "method"]).total for each in (before, after.tables))
        assert (new.xs("ts", level=1) / old.xs("ts", level=1)).to_numpy() == pytest.approx(1.5, rel=1e-7)
        for method in ("ucb", "random"):
            assert new.xs(method, level=1).equals(old.xs(method, level=1))
    made = instruction_set_of(plan, after.record)
    assert {(task.method, made(task)) for _, task in plan.items} == {("ts", "other"), ("ucb", first), ("random", first)}
    # The same call again does nothing; the record and the tables stay.
    written = {path: path.read_bytes() for path in folder(root).glob("*.*")}
    assert renew(plan, root, 1, finished=True) == Renewed(waiting=PROBLEMS)
    assert written == {path: path.read_bytes() for path in folder(root).glob("*.*")}
    # Days later the rest is there.
    swept(plan, root, "other")
    with kernels("other"):
        assert renew(plan, root, 1, finished=True) == Renewed(cells=2 * PROBLEMS, runs=2 * PROBLEMS * SEEDS)
    record = plan.load(root).record
    assert {instruction_set_of(plan, record)(task) for _, task in plan.items} == {"other"} or CELLS in record.settings
    assert [(note["kernels"], note["cells"]) for note in record.settings["renewed"]] == [("other", 4), ("other", 8)]


def test_a_cell_whose_finished_runs_are_of_two_sets_of_kernels_waits_and_is_not_mixed(root):
    plan = declared(averaged=SEEDS)
    swept(plan, root, "other", lambda task: task.method == "ts" and task.seed < 2)
    swept(plan, root, "third", lambda task: task.method == "ts")
    assert {kernels_used(task, folder(root) / "tasks") for _, task in plan.items if task.method == "ts"} == {
        "other",
        "third",
    }
    before = record_of(root)
    assert renew(plan, root, 1, finished=True).cells == 0
    assert record_of(root) == before
    newer = replace(plan, only=tuple((part, replace(task, version=2)) for part, task in plan.items))
    swept(newer, root, "third", lambda task: task.method == "ts" and task.seed == 0)
    with pytest.raises(ResultError, match="with the kernels third"):
        renew(newer, root, 1)
    assert record_of(root) == before


def test_versions_are_known_cell_by_cell_until_all_are_there(root):
    plan = declared(averaged=SEEDS)
    newer = replace(plan, only=tuple((part, replace(task, version=2)) for part, task in plan.items))
    swept(newer, root, instruction_set.in_use(), lambda task: task.method == "ts")
    assert renew(newer, root, 1, finished=True) == Renewed(cells=PROBLEMS, runs=PROBLEMS * SEEDS)
    record = newer.load(root).record
    assert {task.method for _, task in newer.outdated(record)} == {"ucb", "random"}
    assert renew(newer, root, 1) == Renewed(cells=2 * PROBLEMS, runs=2 * PROBLEMS * SEEDS)
    record = newer.load(root).record
    assert (newer.outdated(record), record.settings["versions"], CELLS in record.settings) == ((), {"": 2}, False)


def test_a_finished_run_without_kernels_is_one_of_those_in_use(root):
    """Files written before they said so."""
    plan = declared(averaged=SEEDS)
    with kernels(""):
        for _, task in plan.items:
            write_result(task, plan.compute(task), folder(root) / "tasks")
    assert renew(plan, root, 1, finished=True) == Renewed()


def test_a_run_that_breaks_down_now_leaves_no_row_of_before(root):
    plan = replace(declared(averaged=SEEDS), compute=breaking)
    swept(plan, root, "other", lambda task: task.method == "ts")
    assert renew(plan, root, 1, finished=True).cells == PROBLEMS
    after = tables(plan, root)["runs"]
    assert set(after[after.method == "ts"].seed) == set(range(1, SEEDS))
    assert set(after[after.method == "ucb"].seed) == set(range(SEEDS))


def breaking(task):
    """The first seed of ts breaks down."""
    return compute(task) if task.seed or task.method != "ts" else {"failure": "ZeroDivisionError"}
