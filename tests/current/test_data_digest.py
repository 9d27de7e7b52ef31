"""What pages and evidence read of a paper's data is one digest, which its sentences leave alone."""

from __future__ import annotations

import pytest

from companion.checks.inventory import SENTENCES as FILES
from companion.current.data_digest import SENTENCES, data_digest


@pytest.mark.parametrize(("name", "counts"), [("table1.csv", True), *((name, False) for name in SENTENCES)])
def test_tables_count_and_sentences_do_not(name, counts, tmp_path):
    folder = tmp_path / "data" / "reported" / "tsrsr"
    folder.mkdir(parents=True)
    before = data_digest("tsrsr", tmp_path)
    (folder / name).write_text("E1 = 'one'")
    assert (data_digest("tsrsr", tmp_path) != before) == counts


def test_the_files_are_those_that_the_inventory_reads():
    assert sorted(SENTENCES) == sorted(file for _, file in FILES.values())
