"""``--csv`` where there is a table: the fields of ``--json``, a row an entry; and entries in full by ``--id``."""

import csv
import io
import json

import pytest

from companion import registry
from companion.cli import show


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(
    "words",
    [
        ("ledger", "batched", "--id", "eq-47", "--teeth"),
        ("discrepancies", "batched", "--id", "E1"),
        ("verdicts", "batched", "--id", "orig"),
        ("verdicts", "compressed"),
    ],
)
def test_the_columns_are_the_fields_of_the_json(command, words):
    entries = json.loads(command(*words, "--json")[1])
    code, out, err = command(*words, "--csv")
    found = rows(out)
    assert (code, err, len(found)) == (0, "", len(entries))
    for entry, row in zip(entries, found, strict=True):
        for name, value in entry.items():
            if isinstance(value, dict):
                assert {f"{name}_{inner}" for inner in value} <= set(row)
            elif isinstance(value, str | int) and not isinstance(value, bool):
                assert row[name] == str(value)
            elif isinstance(value, list) and value and isinstance(value[0], dict):
                assert len(json.loads(row[name])) == len(value)
    assert {"reported_mean", "difference_ci95"} <= set(found[0]) or words[0] != "verdicts"


def test_list_has_a_row_a_parameter_and_the_chapters_own(command):
    found = rows(command("list", "batched", "--csv")[1])
    own = [row["name"] for row in found if not row["experiment"]]
    assert own == list(registry.chapter_parameters("batched").names)
    one = registry.experiment("batched", "appendix-e")
    assert [row["name"] for row in found if row["experiment"] == "appendix-e"] == list(one.parameters.names)
    assert {row["methods"] for row in found if row["experiment"] == "appendix-e"} == {"bpe"}
    assert len(rows(command("list", "--csv")[1])) > len(found)
    assert all(row["experiment"] == "robust" for row in rows(command("list", "3", "robust", "--csv")[1]))


def test_list_of_a_paper_ends_with_the_chapters_parameters_and_what_they_mean(command):
    out = command("list", "batched")[1]
    own = out.partition("batched, the chapter: companion run 3 -p name=value\n")[2].splitlines()
    assert [line.split()[0] for line in own[1:]] == list(registry.chapter_parameters("batched").names)
    (horizon,) = (line for line in own if line.startswith("horizon"))
    assert "rounds T at which the proof is taken apart" in horizon
    assert "the chapter:" not in command("list", "batched", "robust")[1]


@pytest.mark.parametrize("words", [("list",), ("ledger", "3"), ("verdicts", "3"), ("discrepancies", "3")])
def test_one_form_at_a_time(command, words):
    code, out, err = command(*words, "--json", "--csv")
    assert (code, out) == (2, "")
    assert err.startswith(f"companion {words[0]}: --csv:")


def test_a_claim_in_full_says_why_it_is_undecided(command):
    code, out, _ = command("verdicts", "tsrsr", "--id", "gp-lowest-mean")
    assert code == 0
    assert "claim, undecided:" in out
    assert "resamples" in out
    assert "claim: TS-RSR has the lowest mean" in out
    cell = command("verdicts", "batched", "--id", "orig")[1]
    assert "cumulative_regret_at_t=200, regret" in cell
    assert "reproduced: 188.6, sd 75.44, 200 runs" in cell
    code, out, err = command("verdicts", "batched", "--id", "footnote-1")
    assert (code, out) == (2, "")
    assert "id: got 'footnote-1'" in err


def test_numbers_of_verdicts_say_what_they_are(command):
    lines = command("verdicts", "compressed")[1].splitlines()
    assert [line.endswith("numbers are") for line in lines].count(True) == 2
    (clock,) = (line for line in lines if line.startswith("Section 4.1") and "clock-tradeoff" in line)
    assert clock.endswith("compressed minus dense area")
    assert any(line.endswith("clock_time, h") for line in lines)


@pytest.mark.parametrize(
    ("asked", "seconds", "workers"),
    [
        ((None, "batched", None), {"a": 1.0, "b": 1.5}, -1),
        ((None, "batched", None), {"a": 0.4, "b": 1.5}, 1),
        ((None, "batched", "a"), {"a": 1.0, "b": 9.5}, 1),
        ((None, "batched", "b"), {"a": 1.0, "b": 9.5}, -1),
        ((3, "batched", None), {"a": 0.1}, 3),
        ((-1, "batched", None), {"a": 0.1}, -1),
    ],
)
def test_workers_are_started_for_more_than_two_seconds_of_work(monkeypatch, asked, seconds, workers):
    monkeypatch.delenv("COMPANION_JOBS", raising=False)
    entries = [{"id": name, "seconds": value} for name, value in seconds.items()]
    monkeypatch.setattr("companion.stored.results.load_entries", lambda *_: Stored(entries))
    assert show.workers_for("ledger", *asked) == workers
    monkeypatch.setenv("COMPANION_JOBS", "2")
    assert show.workers_for("ledger", *asked) == (None if asked[0] is None else workers)


class Stored:
    def __init__(self, entries):
        self.entries = entries


def test_where_nothing_is_stored_yet_there_are_workers(monkeypatch):
    monkeypatch.delenv("COMPANION_JOBS", raising=False)

    def missing(*_):
        from companion.core.errors import ResultError

        raise ResultError("none")

    monkeypatch.setattr("companion.stored.results.load_entries", missing)
    assert show.workers_for("ledger", None, "batched", None) == -1
