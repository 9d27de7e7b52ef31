"""What chapter 6 states itself: as stored, with teeth that bite; and a damaged table is noticed."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace

import pandas as pd
import pytest

from companion import registry
from companion.checks.statement import HOLDS, by_id
from companion.core.files import repository_root, results_folder
from companion.judge.ownership import COMPANION, of_paper
from companion.pages.document import find_chapter
from companion.papers.across.checks import which_width
from companion.papers.across.experiments import widths
from companion.papers.across.theory import bounds_at_settings, measured_regret
from companion.stored.results import load_entries

OURS = registry.statements("across")
KEPT = {
    entry["id"]: entry for entry in load_entries(results_folder("across"), "ledger", "companion evidence 6").entries
}
PAGE = find_chapter(repository_root(), "across").text


def test_all_are_stored_hold_and_are_the_companions() -> None:
    assert list(KEPT) == [statement.id for statement in OURS]
    assert {entry["status"] for entry in KEPT.values()} == {HOLDS}
    assert {entry["whose"] for entry in KEPT.values()} == {COMPANION}
    assert of_paper(KEPT.values()) == []
    assert {statement.anchor for statement in OURS} <= set(re.findall(r"^# \(([\w-]+)\)=$", PAGE, flags=re.MULTILINE))


def larger(
    table: str, column: str, factor: float, rows: Callable[[pd.DataFrame], pd.Series]
) -> Callable[[pd.DataFrame], None]:
    """Damage: some rows of a column multiplied."""

    def damage(found: pd.DataFrame) -> None:
        found.loc[rows(found), column] *= factor

    return damage


DAMAGE = {
    "coverage": (widths, "width_coverage", "covered", 0.85, lambda t: t.id == "tsrsr/lemma-6/printed"),
    "short-widths": (widths, "width_coverage", "high", 1.2, lambda t: t.id == "sharper/mixture"),
    "nothing-to-save": (widths, "width_coverage", "enough_high", 0.9, lambda t: t.id == "sharper/mixture"),
    "defaults": (widths, "width_defaults", "width", 2.0, lambda t: t.library == "keras-tuner"),
    "cheaper": (widths, "width_regret", "high", 3.0, lambda t: t.id == "library/optuna"),
    "bounds-hold": (measured_regret, "measured", "high", 8.0, lambda t: t.played == "gp-ucb"),
    "below-trivial": (measured_regret, "measured", "high", 3.0, lambda t: t.played == "bpe"),
    "horizons": (bounds_at_settings, "sayings", "trivial", 1.2, lambda t: t.id == "batched/prop-2/printed"),
    "better-forms": (bounds_at_settings, "sayings", "says_from", 1e5, lambda t: t.id == "meanfield/thm-4.1/repaired"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_table_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, table, column, factor, rows = DAMAGE[name]
    found = module.load()
    tables = {key: frame.copy() for key, frame in found.tables.items()}
    larger(table, column, factor, rows)(tables[table])
    monkeypatch.setattr(module, "load", lambda: SimpleNamespace(tables=tables, record=found.record))
    assert not all(case.holds for case in by_id(OURS, name).all_cases())


def test_the_promises_are_those_of_all_theorems() -> None:
    assert len(list(which_width.promises())) == 24
    assert len(list(which_width.too_short())) == 7
