"""Every confirmed lead and every statement that needs a repair is sorted by what follows from it, and by its cause."""

import csv
import json

from companion import registry
from companion.checks.statement import by_id
from companion.papers.wdrbo.checks.band_lipschitz_discrepancies import REGULARISERS, no_regulariser_left

CONSEQUENCES = {"substance", "constants", "misprint", "none"}


def sorted_errors(root):
    with (root / "data" / "reported" / "wdrbo" / "errors.csv").open(newline="") as file:
        return {row["lead"]: row for row in csv.DictReader(file)}


def test_each_error_is_sorted_once(root):
    rows = sorted_errors(root)
    with (root / "data" / "results" / "wdrbo" / "ledger.json").open() as file:
        ledger = json.load(file)["entries"]
    broken = {f"statement:{entry['id']}" for entry in ledger if entry["status"] not in ("holds", "not-checkable")}
    assert set(rows) == {lead.id for lead in registry.leads("wdrbo") if lead.id.startswith("E")} | broken
    assert {row["consequence"] for row in rows.values()} <= CONSEQUENCES
    assert all(row["cause"] == row["cause"].strip().lower() != "" for row in rows.values())


def test_a_statement_has_the_cause_of_a_lead_on_it(root):
    rows = sorted_errors(root)
    causes = {row["cause"] for name, row in rows.items() if not name.startswith("statement:")}
    assert {row["cause"] for name, row in rows.items() if name.startswith("statement:")} <= causes


def test_no_regulariser_meets_all_steps_of_corollary_10():
    """By the ranges read off the text: 1/lambda <= 1, sqrt(lambda) <= 1, 0 < lambda < 1."""
    values = sorted({*REGULARISERS, 1.0})
    assert not [lam for lam in values if 1.0 / lam <= 1.0 and lam**0.5 <= 1.0 and 0.0 < lam < 1.0]
    found = by_id(registry.leads("wdrbo"), "E23").test()
    assert found.confirmed
    assert found.values["all"] == 0
    assert found.values["without lemma 23"] == [1.0]
    assert found.values["(59)"][0] == found.values["Lemma 7"][1] == 1.0
    assert found.values["Lemma 23"][1] < 1.0
    assert vars(found) == vars(no_regulariser_left())
