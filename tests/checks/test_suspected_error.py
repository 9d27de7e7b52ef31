"""Sentences of findings: every name finds its number, and every number its name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.checks.inventory import sentences
from companion.checks.suspected_error import Finding, suspected_error
from companion.core.errors import CompanionError, ParameterError

SENTENCE = "[[broken]] of [[runs]] runs, [[rates]] at $n=1$"


def told(*values, sentence=SENTENCE, **numbers):
    found = suspected_error("E1", teeth={"none": {}})(lambda: Finding(True))
    return replace(found, sentence=sentence).found(Finding(True, *values, **numbers))


def test_numbers_are_those_that_are_stored_and_those_given_besides():
    assert told({"broken": 1200, "stored": 1}, runs=4000, rates=[0.5, 0.25]) == "1200 of 4000 runs, 0.5, 0.25 at $n=1$"


@pytest.mark.parametrize(
    ("arguments", "numbers", "message"),
    [
        (
            ({"broken": 1},),
            {"runs": 2},
            "the sentence of E1: no number is called 'rates'; expected one of: broken, runs",
        ),
        (({},), {"broken": 1, "runs": 2, "rates": 3, "left": 4}, "the sentence of E1: does not take left"),
        (({"broken": 1},), {"broken": 1, "runs": 2, "rates": 3}, "the sentence of E1: is given two of broken"),
    ],
)
def test_a_missing_and_an_unused_number_are_named(arguments, numbers, message):
    with pytest.raises(ParameterError, match=message):
        told(*arguments, **numbers)


def test_what_is_no_name_is_not_left_in_the_sentence():
    with pytest.raises(ParameterError, match=r"the sentence of E1: has '\[\[2 runs\]\] of 3'; expected"):
        told({"of": 3}, sentence="[[2 runs]] of [[of]]")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "lacks E1, E2"),
        ("E1 = 'a'\nE2 = 'b'\nE3 = 'c'", "has E3, which the inventory beside it lacks"),
        ("E1 = 'a'\nE2 = ' '", "E2 is ' '; expected a sentence"),
        ("E1 = 3\nE2 = 'b'", "E1 is 3; expected a sentence"),
    ],
)
def test_every_lead_has_its_sentences(text, message, tmp_path):
    (tmp_path / "findings.toml").write_text(text)
    with pytest.raises(CompanionError, match=message):
        sentences(tmp_path / "findings.toml", ["E1", "E2"], every=True)


def test_notes_are_there_for_some_and_their_lines_are_joined(tmp_path):
    assert sentences(tmp_path / "notes.toml", ["lemma-1", "lemma-2"]) == {}
    (tmp_path / "notes.toml").write_text("lemma-1 = '''\none\ntwo\n'''\n")
    assert sentences(tmp_path / "notes.toml", ["lemma-1", "lemma-2"]) == {"lemma-1": "one two"}
