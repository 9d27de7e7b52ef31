"""A part of each of the stored tables of chapter 6, made again, has the stored rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from companion import registry
from companion.core import instruction_set
from companion.core.files import results_folder
from companion.current.recomputation import Part, computed_again
from companion.papers.across.experiments import store
from companion.stored.runs import PaperRuns

SETS = {runs.name: runs for runs in store.table_sets()}
#: Of the sets that have a part which takes a second or two: its method.
QUICK = {"measured": "gp-ucb", "steps": "gp-ucb", "widths": "library/botorch"}
TIMES = {"study_seconds", "shipped_seconds", "box_study_seconds"}


def test_every_stored_table_is_compared_or_made_from_one_that_is() -> None:
    derived = {"width_defaults", "width_coverage", "width_regret"}
    for runs in registry.compared_sets("across"):
        assert set(runs.tables) <= set(runs.keys) | derived | TIMES
        stored = runs.load().tables
        for table, key in runs.keys.items():
            assert not stored[table].duplicated(list(key)).any(), f"{table}: {key} does not name a row"


def one_part(runs: PaperRuns[Any], method: str) -> PaperRuns[Any]:
    """The set with the first part of a method alone."""
    part = next(item for item in runs.items if item[1].method == method and item[1].parameters.get("noise", 0.1) == 0.1)
    return replace(runs, only=(part,))


@pytest.mark.parametrize("name", QUICK)
def test_a_part_made_again_has_the_stored_rows(name: str) -> None:
    runs = one_part(SETS[name], QUICK[name])
    if instruction_set.in_use() != instruction_set.recorded(runs.load().record.blas):
        # Rows of runs that choose by the last digit differ then; blocks of a constant width do not.
        runs = one_part(SETS["widths"], QUICK["widths"])
    again = computed_again(runs, Part(runs.items), 1)
    compared = {table: rows for table, rows in again.rows.items() if rows}
    assert compared
    for table, rows in compared.items():
        kept = pd.read_csv(results_folder("across") / f"{table}.csv", dtype=str, keep_default_na=False)
        by_key = {tuple(row[k] for k in runs.keys[table]): row for row in kept.to_dict("records")}
        for row in rows.values():
            stored = by_key[tuple(row[k] for k in runs.keys[table])]
            assert all(stored[k] == "" for k in set(stored) - set(row)), "a column that other parts fill"
            assert {k: v.removesuffix(".0") for k, v in row.items()} == {k: stored[k].removesuffix(".0") for k in row}


def test_the_parts_are_all_of_the_tables() -> None:
    for name, runs in SETS.items():
        rows = sum(len(runs.load().tables[table]) for table in runs.keys)
        parts = len(runs.items)
        assert parts <= rows
        if name in ("measured", "steps"):
            assert parts == rows
    blocks = [item for item in SETS["widths"].items if item[0].part == "width_blocks"]
    assert len(blocks) == len(SETS["widths"].load().tables["width_blocks"])
