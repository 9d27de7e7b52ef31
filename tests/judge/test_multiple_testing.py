"""Corrections for several comparisons against their definitions, and that they change no verdict."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tolerances import FORMULA_RTOL

from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.judge.multiple_testing import benjamini_hochberg, corrected, counts, holm


def step_down(p, level):
    """Holm's procedure as it is defined: reject the smallest while it is at most level / (hypotheses left)."""
    rejected, left = set(), sorted(range(len(p)), key=lambda i: p[i])
    while left and p[left[0]] <= level / len(left):
        rejected.add(left.pop(0))
    return rejected


def step_up(p, level):
    """Benjamini and Hochberg: the largest k with p_(k) <= k level / n; reject the k smallest."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    best = max((k for k in range(1, len(p) + 1) if p[order[k - 1]] <= k * level / len(p)), default=0)
    return set(order[:best])


@pytest.mark.parametrize("seed", range(20))
def test_adjusted_values_reject_what_the_procedures_reject(seed):
    generator = stream(seed, "several")
    p = np.concatenate([generator.random(15), generator.random(8) ** 6])
    for level in (0.01, 0.05, 0.2):
        assert set(np.flatnonzero(holm(p) <= level)) == step_down(p, level)
        assert set(np.flatnonzero(benjamini_hochberg(p) <= level)) == step_up(p, level)


#: Of other libraries, with the versions and calls that gave them.
STORED = json.loads((Path(__file__).parent / "data" / "multiple_comparisons.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("family", STORED["corrections"], ids=lambda family: family["name"])
def test_adjusted_values_are_those_of_statsmodels(family):
    assert holm(family["p"]) == pytest.approx(family["holm"], rel=FORMULA_RTOL)
    assert benjamini_hochberg(family["p"]) == pytest.approx(family["benjamini_hochberg"], rel=FORMULA_RTOL)
    backwards = holm(family["p"][::-1])
    assert backwards[::-1] == pytest.approx(family["holm"], rel=FORMULA_RTOL)


def test_under_no_difference_holm_errs_once_in_twenty_families():
    generator = stream(0, "families")
    wrong = sum(bool((holm(generator.random(30)) < 0.05).any()) for _ in range(2000))
    plain = sum(bool((generator.random(30) < 0.05).any()) for _ in range(2000))
    assert wrong / 2000 < 0.07
    assert plain / 2000 > 0.7, "without a correction most families would have a difference"


def cell(p, **more):
    return {"kind": "cell", "cell": str(p), "verdict": "different", "p_value": p} | more


def test_a_papers_cells_are_corrected_together_and_keep_their_verdicts():
    p = [0.001, 0.012, 0.028, 0.04, 0.2]
    assumed = {"verdict": "different", "p_value": 0.04}
    entries = [*map(cell, p), cell(None), cell(None, if_spread_as_ours=assumed), {"kind": "claim", "verdict": "holds"}]
    found = corrected(entries)
    assert [entry["verdict"] for entry in found] == [entry["verdict"] for entry in entries]
    assert counts(found) == {"tests": 5, "differs": 4, "differs_benjamini_hochberg": 3, "differs_holm": 2}
    assert [entry["several"]["p_holm"] for entry in found[:5]] == pytest.approx([0.005, 0.048, 0.084, 0.084, 0.2])
    assert "several" not in found[5]
    assert found[6]["if_spread_as_ours"]["several"]["tests"] == 1
    assert "several" not in assumed, "what was given is left as it was"
    assert counts([]) == {"tests": 0, "differs": 0, "differs_benjamini_hochberg": 0, "differs_holm": 0}


def test_what_is_no_probability_is_refused():
    with pytest.raises(ParameterError, match="p_values"):
        holm([0.1, 1.2])
    with pytest.raises(ParameterError, match="p_values"):
        benjamini_hochberg([[0.1]])
