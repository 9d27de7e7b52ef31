"""The runs behind a paper's tables, shared by several processes: each once, and the same tables however they were divided."""

from __future__ import annotations

import json
import multiprocessing
import os
from dataclasses import replace
from pathlib import Path

import pytest
from cli.conftest import command  # noqa: F401 - a fixture
from printed import printed_json_fits_its_schema  # noqa: F401 - a fixture for every test here

from companion import registry
from companion.cli import sweep_command
from companion.core.errors import ResultError
from companion.simulate.sweep import Shard
from companion.simulate.task_store import Task
from companion.stored.blocks import Block, RunTable
from companion.stored.results import StoredSet
from companion.stored.runs import PaperRuns, compute_runs, store

COUNT = 14
LOG, FAILS = "SHARED_RUNS_LOG", "SHARED_RUNS_FAIL"


def compute(task: Task) -> dict[str, float]:
    if os.environ.get(FAILS) == str(task.seed):
        raise ZeroDivisionError("nothing left")
    if path := os.environ.get(LOG):  # a worker that another test has started knows of no log
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(descriptor, f"{task.method} {task.seed}\n".encode())
        os.close(descriptor)
    return {"regret": task.seed / 3}


def declared(name: str = "tables", methods: tuple[str, ...] = ("one", "two")) -> PaperRuns[None]:
    return PaperRuns(
        # Any paper's own runs would do for the fingerprint.
        stored=StoredSet(
            "batched", "companion.papers.batched.experiments.store", "make paper CH=3", (f"{name}_runs",), name
        ),
        blocks=lambda plan: [
            Block("runs", [Task("toy/small", method, {}, seed) for method in methods for seed in range(COUNT)])
        ],
        compute=compute,
        tables={f"{name}_runs": RunTable(("seed",), compared=False)},
    )


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(LOG, str(tmp_path / "log"))
    monkeypatch.setenv("COMPANION_JOBS", "1")
    return tmp_path / "log"


def tables(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (root / "data" / "results" / "batched").glob("*.csv")}


def part(root: Path, shard: str) -> None:
    compute_runs(declared(), root, 1, Shard.parse(shard))


@pytest.mark.slow
def test_processes_with_a_shard_each_compute_every_run_once(tmp_path: Path, log: Path) -> None:
    store(declared(), tmp_path / "alone", 1)
    log.unlink()
    context = multiprocessing.get_context("fork")
    started = [context.Process(target=part, args=(tmp_path / "shared", f"{i}/3")) for i in (1, 2, 3)]
    for process in started:
        process.start()
    for process in started:
        process.join()
    assert [process.exitcode for process in started] == [0, 0, 0]
    lines = log.read_text().splitlines()
    assert len(lines) == len(set(lines)) == 2 * COUNT
    assert not tables(tmp_path / "shared")
    store(declared(), tmp_path / "shared", 1)
    assert len(log.read_text().splitlines()) == 2 * COUNT
    assert tables(tmp_path / "shared") == tables(tmp_path / "alone") != {}


@pytest.mark.slow
def test_an_interrupted_call_resumes_to_the_same_tables_with_any_number_of_workers(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(declared(), tmp_path / "whole", 1)
    log.unlink()
    runs = declared()

    def stops(task: Task) -> dict[str, float]:
        if log.exists() and len(log.read_text().splitlines()) == 9:
            raise KeyboardInterrupt
        return compute(task)

    with pytest.raises(KeyboardInterrupt):
        store(replace(runs, compute=stops), tmp_path / "stopped", 1)
    assert not tables(tmp_path / "stopped")
    with pytest.raises(ResultError, match="make paper CH=3"):
        runs.load(tmp_path / "stopped")
    store(runs, tmp_path / "stopped", 2)
    assert tables(tmp_path / "stopped") == tables(tmp_path / "whole") != {}
    settings = runs.load(tmp_path / "stopped").record.settings
    assert (settings["runs"], settings["computed"]) == (2 * COUNT, 2 * COUNT - 9)


def test_processes_with_the_same_runs_take_different_orders(tmp_path: Path, log: Path) -> None:
    for name in ("first", "second"):
        compute_runs(declared(), tmp_path / name, 1)
    lines = log.read_text().splitlines()
    assert sorted(lines[: 2 * COUNT]) == sorted(lines[2 * COUNT :])
    assert lines[: 2 * COUNT] != lines[2 * COUNT :]


def test_a_run_that_fails_is_named_and_the_others_are_kept(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FAILS, "5")
    with pytest.raises(ResultError):
        store(declared(), tmp_path, 1)
    assert not tables(tmp_path)
    monkeypatch.delenv(FAILS)
    store(declared(), tmp_path, 1)
    assert len(log.read_text().splitlines()) == 2 * COUNT
    assert len(tables(tmp_path)) == 1


def test_the_command_runs_shares_and_merges(tmp_path, command, monkeypatch, log):  # noqa: F811
    monkeypatch.setattr(sweep_command, "checkout", lambda: tmp_path)
    monkeypatch.setattr(registry, "every_set_of_runs", lambda paper: (declared(), declared("more", ("three",))))
    code, out, err = command("sweep", "ch3", "--shard", "1/2", "--json")
    first = json.loads(out)
    assert (code, err) == (0, "")
    assert 0 < first["computed"] == first["done"] < 3 * COUNT
    code, _, err = command("sweep", "3", "merge")
    assert (code, err) == (
        1,
        f"companion sweep: {3 * COUNT - first['done']} of {3 * COUNT} runs are not there yet, so nothing is merged; "
        "'companion sweep batched status' says which\n",
    )
    assert command("sweep", "batched", "--shard", "2/2")[0] == 0
    lines = command("sweep", "batched", "status")[1].splitlines()
    assert [line.split() for line in lines[1:]] == [
        *(["toy/small", method, "14", "0", "0"] for method in ("one", "two", "three")),
        ["all", "42", "0", "0"],
    ]
    code, out, _ = command("sweep", "batched", "merge", "--json")
    assert code == 0
    assert [Path(name).name for name in json.loads(out)["tables"]] == ["tables_runs.csv", "more_runs.csv"]
    assert set(tables(tmp_path)) == {"tables_runs.csv", "more_runs.csv"}
    assert len(log.read_text().splitlines()) == 3 * COUNT
    code, _, err = command("sweep", "batched", "--out", tmp_path)
    assert (code, "--out" in err) == (2, True)


@pytest.mark.parametrize("paper", registry.slugs())
def test_every_paper_names_all_that_it_stores(paper: str) -> None:
    sets = registry.every_set_of_runs(paper)
    assert sets[0].name == registry.stored_runs(paper).name
    keys = [task.key() for runs in sets for _, task in runs.items]
    assert len({runs.name for runs in sets}) == len(sets)
    assert len(keys) >= len(registry.stored_runs(paper).items)


def test_a_set_that_is_made_whole_is_made_anew_by_every_call(tmp_path: Path, log: Path) -> None:
    runs = declared()
    whole = replace(runs, stored=replace(runs.stored, whole=True))
    for calls in (1, 2):
        store(whole, tmp_path / "whole", 1)
        assert len(log.read_text().splitlines()) == calls * 2 * COUNT
    assert not (tmp_path / "whole" / "data" / "results" / "batched" / "tasks").exists()
    store(runs, tmp_path / "kept", 1)
    assert tables(tmp_path / "whole") == tables(tmp_path / "kept")
