"""What ``make test`` looks at by turn is all looked at in the end, and all of it everywhere else."""

from __future__ import annotations

import shared

ITEMS = list("abcdefg")


def test_every_item_has_its_turn(monkeypatch):
    monkeypatch.setenv("TESTED_PAGES", "due")
    drawn = []
    for commit in range(3):
        monkeypatch.setattr(shared, "git_commit", lambda commit=commit: (f"{commit:040x}", False))
        drawn.append(shared.by_turn(ITEMS, 3))
    assert sorted(item for turn in drawn for item in turn) == ITEMS
    assert {len(turn) for turn in drawn} == {2, 3}


def test_all_are_looked_at_where_nobody_asks_for_turns(monkeypatch):
    monkeypatch.setattr(shared, "git_commit", lambda: ("0" * 40, False))
    for asked in ("all", ""):
        monkeypatch.setenv("TESTED_PAGES", asked)
        assert shared.by_turn(ITEMS, 3) == ITEMS
    monkeypatch.setenv("TESTED_PAGES", "due")
    monkeypatch.setattr(shared, "git_commit", lambda: ("unknown", False))
    assert shared.by_turn(ITEMS, 3) == ITEMS
