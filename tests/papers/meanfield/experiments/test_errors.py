"""Errors by consequence and by cause: every lead and every statement that fails as printed stands in the table once."""

import csv
from collections import defaultdict

import pytest

from companion import registry
from companion.checks.statement import CORRECTED, FAILS
from companion.core.files import results_folder
from companion.stored.results import load_entries

CONSEQUENCES = {"substance", "constants", "misprint", "none"}
PREFIX = "statement:"


@pytest.fixture(scope="module")
def rows(root):
    with (root / "data" / "reported" / "meanfield" / "errors.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_lead_and_every_failing_statement_is_there_once(rows):
    stored = load_entries(results_folder("meanfield"), "ledger", "").entries
    failing = {PREFIX + entry["id"] for entry in stored if entry["status"] in (FAILS, CORRECTED)}
    names = [row["lead"] for row in rows]
    assert len(names) == len(set(names))
    assert set(names) == {lead.id for lead in registry.leads("meanfield")} | failing
    assert {row["consequence"] for row in rows} == CONSEQUENCES
    assert all(row["cause"] and row["cause"] == row["cause"].lower() for row in rows)


def test_a_lead_has_the_cause_of_the_statement_that_it_breaks(rows):
    table = {row["lead"]: row for row in rows}
    pairs = 0
    for lead in registry.leads("meanfield"):
        statement = table.get(PREFIX + lead.statement)
        if statement is not None and table[lead.id]["cause"] != "unfounded":
            assert statement["cause"] == table[lead.id]["cause"], lead.id
            assert statement["consequence"] == table[lead.id]["consequence"], lead.id
            pairs += 1
    assert pairs > 10


def test_a_statement_that_fails_is_an_error_and_its_cause_a_confirmed_lead(rows):
    confirmed = {
        e["id"] for e in load_entries(results_folder("meanfield"), "discrepancies", "").entries if e["confirmed"]
    }
    leads = defaultdict(set)
    for row in rows:
        if not row["lead"].startswith(PREFIX):
            leads[row["cause"]].add(row["lead"])
    for row in rows:
        if row["lead"].startswith(PREFIX):
            assert row["consequence"] != "none"
            assert leads[row["cause"]] & confirmed, row
        elif row["consequence"] != "none":
            assert row["lead"] in confirmed, row
    # The three statements on the penalty are one formula.
    assert [row["lead"] for row in rows if row["cause"] == "penalty"] == [
        "E12",
        *(PREFIX + name for name in ("exp-penalty", "exp-swarm-opt", "exp-arena-fig3")),
    ]
