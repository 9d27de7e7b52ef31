"""Templates: parts of numbers, and lists as they are written apart from pages. See also ``tests/pages/test_text.py``."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from companion.core.errors import ParameterError
from companion.core.templates import filled, names_in

NUMBERS = {
    "game": SimpleNamespace(runs=40),
    "rates": np.array([0.5, 0.25]),
    "by rule": {"a=1": 3, 0.5: (7, 8)},
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("[[game.runs]] runs", "40 runs"),
        ("[[rates.1:.3f]]", "0.250"),
        ("[[rates:.1f]]", "0.5, 0.2"),
        ("[[by rule.a=1]]", "3"),
        ("[[range]] and [[count]]", "1, 2 and 10000"),
    ],
)
def test_parts_and_lists_without_a_number_of_digits(template, text):
    assert filled(template, NUMBERS | {"range": range(1, 3), "count": 10_000}, None) == text


@pytest.mark.parametrize("name", ["game.seeds", "rates.2", "by rule.b", "count"])
def test_a_part_that_is_not_there_is_named(name):
    with pytest.raises(ParameterError, match=f"no number is called '{name}'; expected one of: game, rates, by rule"):
        filled(f"[[{name}]]", NUMBERS)


def test_names_are_those_of_whole_numbers():
    assert names_in("[[by rule.a=1:.1f]] of [[ game.runs ]], {x} [[1]]") == {"by rule", "game"}
