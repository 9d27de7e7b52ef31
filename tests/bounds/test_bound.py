"""A bound as an object: what it assumes of a setting, where it is not stated, and which entry of a ledger it names."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from companion.bounds.assumption import Premise
from companion.bounds.bound import GAUSSIAN_NOISE, Bound, BoundSetting, never
from companion.checks.statement import Assumption
from companion.core.errors import AssumptionError

SETTING = BoundSetting(100, 50, 0.1, 0.1, gain=math.sqrt, regularised=math.sqrt, regulariser=0.01, norm=2.0)
LONG = Premise("T is at least 3", lambda s: s.horizon >= 3, seen=lambda s: f"{s.horizon}")
BOUND = Bound(
    "lemma-2/printed",
    "Lemma 2",
    "a title",
    lambda s: s.known("norm") * s.gain(s.horizon),
    paper="tsrsr",
    rule="any",
    model="norm",
    assumes=(LONG, GAUSSIAN_NOISE),
    misses=2,
)


def test_an_assumption_holds_is_trusted_or_fails() -> None:
    assert isinstance(LONG, Assumption)
    states = BOUND.checked(SETTING)
    assert [(each.state, each.detail) for each in states][1:] == [
        ("holds", "largest 1"),
        ("holds", "100"),
        ("trusted", ""),
    ]
    assert states[0].text == "the norm of f is at most 2"
    assert states[-1].text.endswith("standard deviation 0.1")
    assert BOUND.checked(replace(SETTING, horizon=2))[2].state == "fails"
    # Where what f is does not fit, nothing else is said.
    assert [each.state for each in BOUND.checked(replace(SETTING, norm=None))] == ["fails", "holds"]


def test_a_value_at_another_horizon_is_nan_where_it_is_not_stated() -> None:
    assert BOUND.at(SETTING, 9) == 6.0
    assert math.isnan(BOUND.at(SETTING, 2))
    assert math.isnan(BOUND.at(replace(SETTING, norm=None), 9))
    assert math.isnan(replace(BOUND, value=never("it contains what is not known")).at(SETTING, 9))
    with pytest.raises(AssumptionError):
        SETTING.known("kernel")


def test_ids_entries_and_probability() -> None:
    assert (BOUND.id, BOUND.ledger, BOUND.held(0.1)) == ("tsrsr/lemma-2/printed", "lemma-2", "prob. 0.8")
    assert replace(BOUND, entry="our-C").ledger == "our-C"
    assert (replace(BOUND, paper="").id, replace(BOUND, paper="").ledger) == ("lemma-2/printed", "")
    assert replace(BOUND, misses=0, reading="experiment").held(0.1) == "–"
