"""``companion verify``: what is said of the code and of the numbers, and with which kernels rows are made."""

import json
from dataclasses import replace

import pytest
from planted_store import declared
from printed import printed_json_fits_its_schema  # noqa: F401 - a fixture for every test here

from companion.cli import main, verify_command
from companion.core import instruction_set
from companion.current import verify
from companion.current.comparison import Compared
from companion.current.recomputation import Part
from companion.current.verify import Verification, rows_of_other_instruction_sets
from companion.stored import recompute
from companion.stored.recompute import Renewed

FOUND = Verification("batched", 0, 12, 12, 12, 13, 13, (), 0, (), ("times",))


@pytest.fixture
def verified(monkeypatch):
    """What the command is told; the value sets it."""
    told = [FOUND]
    monkeypatch.setattr(verify_command.registry, "compared_sets", lambda paper: (declared(),))
    monkeypatch.setattr(verify, "verify", lambda runs, rows, seed, jobs, under: told[-1])
    return lambda **values: told.append(replace(FOUND, **values))


def test_a_difference_is_shown_with_both_values_and_what_to_do(verified, capsys):
    verified(different=(verify.Difference("runs", "a", "total", "1.0", "2.0"),))
    assert main(["verify", "batched"]) == 1
    printed = capsys.readouterr().out
    assert "runs.csv, a: total is stored as 1.0, now 2.0" in printed
    assert "--renew" in printed


@pytest.mark.parametrize("former", [["--against", "main"], ["--print"]])
def test_former_options_say_what_to_do_instead(verified, capsys, former):
    assert main(["verify", "batched", *former]) == 2
    assert capsys.readouterr().err.startswith(f"companion verify: {former[0]}: ")


def test_the_rows_of_every_table_are_counted_in_text_and_in_json(verified, capsys):
    tables = (Compared("runs", 12, 1, 7, 3, 1, 0.25), Compared("means", 1, 1, 0, 0, 0, 0.0))
    verified(tables=tables, kernels=instruction_set.PORTABLE, made_with=(instruction_set.WIDE,))
    assert main(["verify", "batched"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["runs", "12", "1", "7", "3", "1", "0.25"] in lines
    assert ["means", "1", "1", "0", "0", "0", "0"] in lines
    assert main(["verify", "batched", "--json"]) == 0
    first, _ = json.loads(capsys.readouterr().out)["tables"]
    assert (first["within"], first["by_cell"], first["apart"], first["largest"]) == (7, 3, 1, 0.25)


@pytest.mark.parametrize("able", [True, False])
def test_the_kernels_that_give_the_stored_digits_are_named_where_the_processor_has_them(
    verified, capsys, monkeypatch, able
):
    monkeypatch.setattr(instruction_set, "able", lambda kernels: able)
    verified(kernels=instruction_set.PORTABLE, made_with=(instruction_set.PORTABLE, instruction_set.WIDE))
    assert main(["verify", "batched"]) == 0
    printed = capsys.readouterr().out
    assert ("COMPANION_KERNELS=SkylakeX companion trial batched" in printed) is able
    assert f"COMPANION_KERNELS={instruction_set.PORTABLE}" not in printed
    assert ("AVX-512, which this processor lacks" in printed) is not able


def test_finished_cells_are_put_in_place_and_nothing_is_computed(verified, capsys, monkeypatch):
    asked = []

    def renew(runs, jobs, finished):
        asked.append(finished)
        return Renewed(cells=2, runs=10, waiting=1)

    monkeypatch.setattr(recompute, "renew", renew)
    assert main(["verify", "batched", "--renew", "finished", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "paper": "batched",
        "cells": 2,
        "extended": 0,
        "runs": 10,
        "waiting": 1,
    }
    assert main(["verify", "batched", "--renew"]) == 0
    assert asked == [True, False]
    assert main(["verify", "--renew", "batched", "batched"]) == 2


@pytest.mark.parametrize("content", ["{", "[]", '{"single": [99999], "whole": {}}', '{"single": [0]}'])
def test_runs_that_are_not_there_cannot_be_asked_for(verified, tmp_path, capsys, content):
    path = tmp_path / "runs.json"
    path.write_text(content)
    assert main(["verify", "batched", "--only", str(path)]) == 2
    assert "--only" in capsys.readouterr().err


def test_runs_are_asked_for_in_a_process_with_the_named_kernels(monkeypatch):
    runs, asked = declared(), {}
    part = Part(runs.items[3:5], {"means": runs.items[:2]})

    def run(command, env, stdout, check):
        asked["kernels"] = env[instruction_set.CHOICE]
        path = next(word for word in command if word.startswith("--only=")).removeprefix("--only=")
        with open(path, encoding="utf-8") as file:
            asked["part"] = Part.at(runs, json.load(file))
        found = {"rows": {}, "by_run": {}, "empty": [], "absent": [], "runs": 4, "cells": 2}
        return type("Done", (), {"returncode": 0, "stdout": json.dumps(found)})

    monkeypatch.setattr(verify.subprocess, "run", run)
    assert rows_of_other_instruction_sets(runs, 1, "Other", part).runs == 4
    assert asked["kernels"] == "Other"
    assert asked["part"].items == part.items
