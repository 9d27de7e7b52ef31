"""Runs that are shown being compressed, and when skipping helps."""

import math

import numpy as np
import pytest

from companion.papers.compressed.page import picture
from companion.papers.compressed.theory import runs as theory
from companion.problems.running_example import running_function

V = picture.VARIANCE


def test_picture_keeps_what_exceeds_the_budget_and_ends_with_the_posterior_of_what_it_kept():
    shown = picture.one_run(0)
    small = shown.small
    np.testing.assert_array_equal(small.kept, small.gain > shown.budget)
    assert shown.budget == pytest.approx(0.5 * math.log1p(300**-0.5))
    # The posterior at the end by a solve with all stored copies.
    _, covariance, values = running_function()
    np.testing.assert_array_equal(shown.values, values)
    for model in (shown.full, small):
        stored, seen = model.chosen[model.kept], model.seen[model.kept]
        noisy = covariance[np.ix_(stored, stored)] + V * np.eye(len(stored))
        weights = np.linalg.solve(noisy, covariance[stored])
        np.testing.assert_allclose(model.mean, weights.T @ seen, atol=1e-7)
        np.testing.assert_allclose(model.sd**2, 1.0 - np.einsum("ij,ij->j", covariance[stored], weights), atol=1e-8)
        assert model.regret == pytest.approx(np.mean(values.max() - values[model.chosen]))
    assert shown.full.kept.all()
    stored = small.chosen[small.kept]
    assert shown.copies == max(np.sum(stored == place) for place in stored)
    noisy = covariance[np.ix_(stored, stored)] / V + np.eye(len(stored))
    assert shown.total == pytest.approx(0.5 * np.linalg.slogdet(noisy)[1])
    assert picture.picture_numbers(shown).brought == pytest.approx(shown.total), "the rounds add up"


def test_what_skipping_saves_is_counted_after_the_first_rejection_and_by_the_distance_from_the_peak():
    _, covariance, _ = running_function()
    rng, values = np.random.default_rng(0), np.zeros((1, 101))
    values[0, 50] = 1.0
    runs = theory.play(covariance, np.full(4, 4.0), V, 0.01, 1, rng, values=values)
    chosen, kept = np.array([[0, 44, 43, 50]]), np.array([[True, False, True, True]])
    told = type(runs)(
        **{name: getattr(runs, name) for name in runs.__dataclass_fields__} | {"chosen": chosen, "kept": kept}
    )
    later = np.cumsum(~kept, axis=1) > 0
    found = picture._losses(told, later, covariance)
    # The first round came before the rejection; 44 is six hundredths from the peak, half a length-scale.
    assert (found["far"], found["far_regret"], found["near_regret"]) == (1, 1, 1)
    assert found["regret"] == 0.75
    sd = math.sqrt(runs.optimum_variance[0, -1])
    assert found["above"] == pytest.approx(runs.optimum_mean[0, -1] + 2 * sd - 1)


def test_both_rules_see_the_same_functions_and_the_numbers_are_means_and_counts():
    rows = picture.skipping(3, 4)
    n = picture.skipping_numbers(rows)
    wide = rows[rows.width == picture.THEORY]
    assert len(wide) == n.functions == 4
    assert n.fewer == sum(wide.small_regret < wide.full_regret)
    assert n.saved == pytest.approx(300 * (wide.full_regret - wide.small_regret).mean())
    short = rows[rows.width == "2"].reset_index(drop=True)
    lost = rows.groupby("width")[["small_regret", "full_regret"]].mean()
    assert (n.widths, n.least) == (4, lost.min().min() == pytest.approx(short.full_regret.mean()))
    saved = (wide.reset_index(drop=True).small_regret - short.full_regret).to_numpy()
    assert n.shorter_low < saved.mean()
    shown = picture.widths(rows)
    assert shown.frame.width.tolist() == [picture.THEORY, "3", "2", "1"]
    assert shown.frame["round, skip"][0] == pytest.approx(wide.small_regret.mean())
    assert shown.best.iloc[:, :2].to_numpy().sum() == 1, "one pair of width and rule loses least"
    # Up to the first rejection both runs are one: all that is saved is saved after it.
    after = wide.full_far_regret + wide.full_near_regret - wide.small_far_regret - wide.small_near_regret
    np.testing.assert_allclose(300 * (wide.full_regret - wide.small_regret), after, atol=1e-9)
    assert (wide.filter(regex="point|regret") >= 0).all().all()
