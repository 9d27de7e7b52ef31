"""What fails as printed holds with its repair: the ledger says so of every statement that has one."""

import pytest

from companion import registry
from companion.checks.statement import CORRECTED, FAILS
from companion.core.files import results_folder
from companion.stored.results import load_entries


@pytest.mark.parametrize("paper", registry.declaring("statements"))
def test_every_repair_was_seen_to_hold(paper):
    entries = load_entries(results_folder(paper), "ledger", f"companion evidence {paper}").entries
    ledger = {entry["id"]: entry for entry in entries}
    for statement in registry.statements(paper):
        if statement.correction is not None:
            entry = ledger[statement.id]
            assert entry["status"] == (CORRECTED if statement.correction.constant else FAILS), statement.id
            assert f"holds so: {statement.correction.text}" in entry["reason"], statement.id
