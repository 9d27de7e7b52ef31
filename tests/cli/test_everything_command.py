"""``companion everything``: all runs again, in parts or at once, equal to what is stored, and every planted digit noticed."""

import csv
import hashlib
import json
import re
import subprocess
import sys

import pandas as pd
import pytest
from planted_store import FACTOR, METHODS, SEEDS, declared, folder, kernels, record_of, under
from printed import printed_json_fits_its_schema  # noqa: F401 - a fixture for every test here

from companion import registry
from companion.cli import everything_command
from companion.core import instruction_set
from companion.core.files import checkout
from companion.current import everything
from companion.current.everything import COSTS, Cost, hours_left
from companion.stored.runs import store

COUNT = 4 * len(METHODS) * SEEDS
WIDTH = FACTOR["width"]


@pytest.fixture
def root(tmp_path, monkeypatch):
    """The tables of a small paper, stored; their runs are not kept."""
    monkeypatch.setattr(everything_command, "checkout", lambda: tmp_path)
    monkeypatch.setattr(registry, "compared_sets", lambda paper: (declared(),) if paper == "batched" else ())
    monkeypatch.setenv("COMPANION_JOBS", "1")
    for name, value in FACTOR.items():
        monkeypatch.setitem(FACTOR, name, value)
    store(declared(), tmp_path, 1)
    for path in (folder(tmp_path) / "tasks").glob("**/*.json"):
        path.unlink()
    return tmp_path


def costs(root):
    return json.loads((root / COSTS).read_text())["batched/tables"]


def test_parts_are_shared_then_all_is_compared_and_nothing_is_made_twice(root, command):
    before = {path.name: path.read_bytes() for path in folder(root).glob("*.csv")}
    code, out, err = command("everything", "3", "--shard", "1/2", "--json")
    half = json.loads(out)["sets"][0]["missing"]
    assert (code, err, 0 < half < COUNT) == (0, "", True)
    (found,) = json.loads(out)["compared"]
    assert found["equal"] == found["rows"] == COUNT - half
    assert costs(root)["runs"] == COUNT - half
    assert command("everything", "batched/tables", "--shard", "2/2")[0] == 0
    (found,) = json.loads(command("everything", "3", "--json")[1])["compared"]
    assert (found["rows"], found["equal"], found["stored"]) == (COUNT + 4 * len(METHODS), found["rows"], False)
    assert {path.name: path.read_bytes() for path in folder(root).glob("*.csv")} == before
    assert costs(root)["runs"] == COUNT
    (root / COSTS).write_text(json.dumps({"batched/tables": costs(root) | {"megabytes": 0.5}}))
    command("everything", "3", "--shard", "1/2")
    assert costs(root)["runs"] == COUNT, "what more runs say stays"
    (one,) = json.loads(command("everything", "3", "--status", "--json")[1])["sets"]
    assert one["megabytes"] == costs(root)["megabytes"] > 10, "the most memory is of any run"
    assert f"{one['megabytes']:.0f}" in command("everything", "3", "--status")[1].splitlines()[1].split()


@pytest.mark.parametrize("shard", [(), ("--shard", "1/1")])
def test_a_planted_digit_is_named_and_stored_only_when_accepted(root, command, shard):
    path = folder(root) / "runs.csv"
    rows = list(csv.DictReader(path.open()))
    rows[7]["total"] = rows[7]["total"][:-1] + str((int(rows[7]["total"][-1]) + 5) % 10)
    pd.DataFrame(rows).to_csv(path, index=False, lineterminator="\n")
    content = record_of(root)
    content["settings"]["sha256"]["runs.csv"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder(root) / "tables.record.json").write_text(json.dumps(content))
    code, out, err = command("everything", "batched", *shard)
    assert (code, "1 apart" in out, "runs.csv, problem=" in out, "batched/tables differs" in err) == (
        1,
        True,
        True,
        True,
    )
    if shard:
        return
    with kernels("others"):
        code, _, err = command("everything", "batched", "--accept")
    assert (code, "--accept" in err) == (1, True), "no table is of two sets of kernels"
    assert command("everything", "batched", "--accept")[0] == 0
    assert command("everything", "batched")[0] == 0


def test_all_of_it_is_one_document(root, command, monkeypatch):
    monkeypatch.setattr(everything_command.settle_command, "execute", lambda *_, **__: sys.stdout.write("for people\n"))
    code, out, err = command("everything", "--json")
    assert (code, json.loads(out)["compared"][0]["name"], "for people" in err) == (1, "batched/tables", True)


def test_tables_that_are_missing_are_made(root, command):
    before = {path.name: path.read_bytes() for path in folder(root).glob("*.csv")}
    for path in folder(root).glob("*.*"):
        path.unlink()
    assert command("everything", "batched", "--shard", "1/3")[0] == 0
    assert not list(folder(root).glob("*.csv"))
    code, out, _ = command("everything", "batched")
    assert (code, "  stored" in out) == (0, True)
    assert {path.name: path.read_bytes() for path in folder(root).glob("*.csv")} == before
    assert record_of(root)["settings"]["cost"]["runs"] == COUNT


def test_runs_without_their_data_are_left_out_with_a_word(root, command):
    FACTOR["absent"] = "ts"
    code, out, _ = command("everything", "batched")
    assert (code, "40 rows: 40 equal" in out, "companion data status" in out) == (0, True, True)


def test_rows_of_other_kernels_are_made_with_these_in_a_process_of_its_own(root, command, monkeypatch):
    asked = []
    here = instruction_set.in_use()
    monkeypatch.setattr(instruction_set, "able", lambda name: True)

    def process(words, env, check):
        asked.append((words[3:], env[instruction_set.CHOICE]))
        return subprocess.CompletedProcess(words, 1)

    monkeypatch.setattr(everything_command.subprocess, "run", process)
    with kernels("others"):
        code, _, err = command("everything", "batched", "--shard", "1/9")
    assert (code, f"the kernels {here}" in err) == (1, True)
    assert asked == [
        (["everything", "batched/tables", f"--made-with={here}", "--jobs=1", "--backend=loky", "--shard=1/9"], here)
    ]


@pytest.mark.parametrize("width", [2.0, 2.0 + 1e-4, 10.0])
def test_where_the_kernels_are_not_here_the_cell_decides(root, command, monkeypatch, width):
    """Of a method that kernels send another way; of the others no digit that rounding does not explain."""
    FACTOR.update(chaotic="ts", width=width)
    monkeypatch.setattr(instruction_set, "able", lambda name: False)
    monkeypatch.setattr(instruction_set, "second", lambda: "third")
    monkeypatch.setattr(everything, "rows_of_other_instruction_sets", lambda runs, _, *which: under(runs)(*which))
    with kernels("other"):
        code, out, _ = command("everything", "batched", "--json")
    (found,) = json.loads(out)["compared"]
    own, moved = COUNT // len(METHODS), width != WIDTH
    assert (code, found["rows"], found["equal"] + found["within"]) == (int(moved), COUNT, 0 if moved else 2 * own)
    assert found["by_cell"] == (own if width < 3 else 0)
    assert len(found["apart"]) == COUNT - found["by_cell"] - found["within"] - found["equal"]


def test_rows_of_an_older_version_are_not_made_with_its_kernels(root, command, monkeypatch):
    FACTOR["width"] = 2.5
    monkeypatch.setattr(registry, "compared_sets", lambda paper: (declared(version=2),) if paper == "batched" else ())
    monkeypatch.setattr(instruction_set, "able", lambda name: False)
    monkeypatch.setattr(everything, "rows_of_other_instruction_sets", lambda *_: pytest.fail("made again"))
    with kernels("other"):
        code, out, _ = command("everything", "batched", "--json")
    (found,) = json.loads(out)["compared"]
    rows = [place for place in found["apart"] if place.startswith("runs.csv")]
    assert (code, len(rows), found["equal"]) == (1, COUNT, 0)


def test_what_it_costs_is_told_for_any_number_of_workers(root, command):
    content = record_of(root)
    content["settings"]["cost"] = {"runs": COUNT // 2, "core_seconds": 1800.0, "longest": 90.0}
    (folder(root) / "tables.record.json").write_text(json.dumps(content))
    told = json.loads(command("everything", "--status", "--jobs", "100", "--json")[1])
    assert (told["core_hours"], told["hours_left"]) == (1.0, 0.025)
    assert (
        "1.0 core hours for all; on 2 workers what is missing takes 0.5 hours"
        in command("everything", "--status", "--jobs", "2")[1]
    )
    assert hours_left([(Cost(7200.0, 60.0), 0.5), (Cost(36.0, 30.0), 1.0), (Cost(9e9), 0.0)], 4) == (900 + 30) / 3600


def test_the_page_on_rerunning_says_what_was_counted(command):
    said = re.search(
        r"from nothing take about (\d+) core hours", (checkout() / "book" / "rerun.md").read_text(encoding="utf-8")
    )
    assert abs(int(said[1]) - json.loads(command("everything", "--status", "--json")[1])["core_hours"]) < 1


@pytest.mark.parametrize(
    ("words", "name"), [(("nova",), "nova"), (("3/table",), "NAME"), (("--accept", "--status"), "--accept")]
)
def test_a_wrong_name_is_refused(root, command, words, name):
    code, _, err = command("everything", *words)
    assert (code, name in err) == (2, True)
