"""Runs that are shown being compressed."""

import math

import numpy as np
import pytest

from companion.papers.compressed.page import picture
from companion.problems.running_example import running_function


def test_picture_keeps_what_exceeds_the_budget_and_ends_with_the_posterior_of_what_it_kept():
    shown = picture.one_run(0, 40)
    np.testing.assert_array_equal(shown.kept, shown.gain > shown.budget)
    assert shown.copies.sum() == shown.kept.sum()
    assert shown.budget == pytest.approx(0.5 * math.log1p(40**-0.5))
    # The variance at the end by a dense solve with all stored copies.
    x, covariance, _ = running_function()
    stored = np.repeat(np.arange(len(x)), shown.copies)
    noisy = covariance[np.ix_(stored, stored)] + 0.01 * np.eye(len(stored))
    variance = 1.0 - np.einsum("ij,ij->j", covariance[stored], np.linalg.solve(noisy, covariance[stored]))
    np.testing.assert_allclose(shown.sd**2, variance, atol=1e-8)
    assert shown.total == pytest.approx(0.5 * np.linalg.slogdet(noisy / 0.01)[1])
    assert picture.picture_numbers(shown).brought == pytest.approx(shown.total), "the rounds add up"


def test_first_rejection_counts_from_one():
    assert picture.first_rejection(np.array([True, True, False, True])) == 3
    assert picture.first_rejection(np.ones(4, dtype=bool)) == 0


def test_a_rejection_freezes_expected_improvement_and_not_ucb():
    study = picture.freeze(0, 3, 120)
    n = picture.freeze_numbers(study)
    assert (n.runs, n.ei_moves) == (3, 0)
    assert n.ucb_moves > 0
    for name in ("ucb", "ei"):
        rows = study.ends[study.ends.acquisition == name]
        assert n[f"{name}_bad"] == (rows["last"] > picture.BAD).sum()
        assert len(study.chosen[name]) == len(study.kept[name])
    first = picture.first_rejection(study.kept["ei"])
    assert first > 0
    assert len(set(study.chosen["ei"][first - 1 :])) == 1
