"""The stored evidence says what it said: same entries, outcomes, numbers and teeth."""

from __future__ import annotations

import copy
import importlib.util
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("kept", Path(__file__).with_name("kept.py"))
kept = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(kept)


def test_no_entry_of_the_evidence_has_changed_unseen():
    before, now = kept.kept(), kept.lines()
    papers = {line[0] for line in before}
    now = [line for line in now if line[0] in papers]
    changed = sorted({line[:3] for line in {*before} ^ {*now}})
    assert not changed, f"{changed[:10]}: look at them, then python tests/papers/kept.py"
    assert now == before, "the same entries in another order"


ENTRY = {
    "id": "a",
    "title": "one sentence",
    "status": "holds",
    "seconds": 1.0,
    "lhs": 0.25,
    "teeth": [{"name": "b", "caught": True}],
}


@pytest.mark.parametrize(
    "change", [{"lhs": 0.25001}, {"teeth": [{"name": "b", "caught": False}]}, {"teeth": []}, {"lhs": None}]
)
def test_a_changed_number_or_tooth_is_seen(change):
    assert kept.digest(ENTRY | change) != kept.digest(ENTRY)


@pytest.mark.parametrize("change", [{"seconds": 9.0}, {"lhs": 0.25 + 1e-12}, {"title": "another sentence"}])
def test_times_sentences_and_last_digits_are_left_out(change):
    assert kept.digest(copy.deepcopy(ENTRY) | change) == kept.digest(ENTRY)
