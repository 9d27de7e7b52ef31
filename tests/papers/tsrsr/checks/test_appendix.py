"""Statements and leads on the appendices: verdicts, teeth, and the tools that decide them."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tolerances import FORMULA_RTOL, POOLED_RTOL, PRINTED_3_DIGITS, SERIES_RTOL

from companion import registry
from companion.checks.samples import standard_error
from companion.checks.statement import by_id
from companion.gp import Matern, grid
from companion.information import information_gain
from companion.information.upper import spectral_bound
from companion.papers.tsrsr.checks import appendix_design as design
from companion.papers.tsrsr.checks import appendix_gain as gain
from companion.papers.tsrsr.checks import appendix_length as initial
from companion.papers.tsrsr.checks import appendix_plays as plays
from companion.papers.tsrsr.checks import appendix_practice as practice
from companion.papers.tsrsr.checks import appendix_regret as regret
from companion.papers.tsrsr.checks import appendix_settings as settings


def statement(identifier):
    return by_id(registry.statements("tsrsr"), identifier)


def test_the_printed_remark_holds_where_sds_are_equal():
    entry = statement("appC-neg")
    equal = practice.TwoArms((1.0, 0.9), (0.5, 0.5), 0.5)
    assert entry.cases(equal)[0].holds


def test_broken_bounds_on_means_are_broken_by_the_means_themselves():
    """A tooth of a mean plus four standard errors could bite on the errors alone; these do not."""
    crowd = plays.PLAIN[1]
    runs = plays.played(crowd)
    low = runs.regret.mean() - plays.ERRORS * standard_error(runs.regret)
    *_, without = statement("our-C").cases(crowd, with_ratio=False)
    assert low > without.rhs
    *_, root = statement("our-C").cases(crowd, batches=0.0)
    assert low > root.rhs


# -- enumeration -------------------------------------------------------------------------------------------------------


def brute_variance(covariance, seen, at, noise):
    if not seen:
        return covariance[at, at]
    gram = covariance[np.ix_(seen, seen)] + noise * np.eye(len(seen))
    return covariance[at, at] - covariance[at, seen] @ np.linalg.inv(gram) @ covariance[seen, at]


def test_enumeration_is_that_of_the_definition():
    setting = settings.DesignSetting("matern32", 2, 0.5, 2, 3, seed=4)
    covariance, points = settings.covariance_of(setting), list(settings.design_of(setting, "random"))
    found = settings.enumerated(setting, "random")
    pairs = list(itertools.combinations_with_replacement(range(6), 2))
    for number, history in ((0, []), (3, [2])):
        for place, pair in enumerate(pairs):
            before = [brute_variance(covariance, points + history, x, 0.25) for x in range(6)]
            after = [brute_variance(covariance, points + history + list(pair), x, 0.25) for x in range(6)]
            np.testing.assert_allclose(found.ratio[number, place], np.sqrt(np.array(before) / after), rtol=POOLED_RTOL)
            more = information_gain(covariance, points + history + list(pair), 0.25)
            less = information_gain(covariance, points + history, 0.25)
            assert found.information[number, place] == pytest.approx(more - less, rel=POOLED_RTOL)
    assert len(settings.enumerated(setting, "random", repeats=False).ratio[0]) == 15


def test_designs_are_what_they_are_called():
    setting = settings.DesignSetting("se", 1, 0.3, 2, 5, seed=1)
    covariance, chosen = settings.covariance_of(setting), settings.design_of(setting, "maximum variance")
    for count, index in enumerate(chosen):
        variances = [brute_variance(covariance, list(chosen[:count]), x, 0.09) for x in range(6)]
        assert variances[index] == pytest.approx(max(variances), rel=SERIES_RTOL)
    assert settings.design_of(setting, "one point repeated") == (0,) * 5
    assert settings.design_of(replace(setting, initial=0), "random") == ()


def test_lemma_11_over_sets_is_refuted_by_a_design_longer_than_the_candidates():
    setting = settings.DesignSetting("independent", 1, 1.0, 1, 60)
    assert settings.gain_of_sets(setting, 4) == pytest.approx(2.0 * math.log(2.0))
    assert settings.gain_of_sets(setting, 60) == pytest.approx(3.0 * math.log(2.0))
    # Each of the six arms is observed ten times, which leaves the variance 1/11.
    information, first = 0.5 * math.log(1.0 + 1.0 / 11.0), next(iter(design.lemma_11(setting, repeats=False)))
    assert (first.lhs, first.rhs) == pytest.approx((information, math.log(2.0) / 20.0))
    assert not first.holds
    assert all(case.holds for case in design.lemma_11(setting))


def test_settings_cover_kernels_dimensions_noises_and_long_designs():
    chosen = [*design.lemma_10_settings(), *design.lemma_11_settings()]
    assert {setting.prior for setting in chosen} == set(settings.PRIORS)
    assert {1, 2, 3} <= {setting.dim for setting in chosen}
    assert len({setting.noise_sd for setting in chosen}) >= 5
    long = sum(
        setting.initial >= setting.extra * settings.certified_gain(setting, setting.initial)
        for setting in design.lemma_11_settings()
    )
    assert long >= 10  # otherwise the last part of Lemma 11 would hardly be tested


# -- growth ------------------------------------------------------------------------------------------------------------


def test_growth_brackets_the_gain_and_its_lower_end_is_reached():
    problem = gain.GrowthProblem(1.5, 1, 40, 0.2, 0.5, 2)
    low, high = gain.growth(problem)
    covariance = np.asarray(Matern(1.5, 0.2)(grid(40, 1)))
    for copies, value in zip((1, 10, 100), low, strict=True):
        everything = np.repeat(np.arange(40), copies)
        assert value == pytest.approx(information_gain(covariance, everything, 0.25), rel=SERIES_RTOL)
    assert np.all(low <= high)


def test_the_constant_of_18_is_the_least_for_every_batch():
    for dim, printed in ((1, 3.777), (2, 8.851), (3, 14.194)):
        least = initial.smallest_constant(dim)
        assert least == pytest.approx(printed, abs=PRINTED_3_DIGITS)
        for batch in (2, 3, 7, 1000):
            own = initial.smallest_constant(dim, batch)
            assert own <= least
            assert initial.initial_length(dim, batch, own) == pytest.approx(batch**own, rel=1e-8)
            assert initial.initial_length(dim, batch, 1.01 * own) < batch ** (1.01 * own)
            assert initial.initial_length(dim, batch, 0.99 * own) > batch ** (0.99 * own)


# -- regret ------------------------------------------------------------------------------------------------------------


def test_expected_range_against_known_values_and_simulation():
    assert regret.expected_range(2) == pytest.approx(2.0 / math.sqrt(math.pi), rel=SERIES_RTOL)
    assert regret.expected_range(9) == pytest.approx(2.9700, abs=PRINTED_3_DIGITS)
    assert regret.expected_range(2, opposite=True) == pytest.approx(2.0 * math.sqrt(2.0 / math.pi), rel=SERIES_RTOL)
    half = np.random.default_rng(0).standard_normal((200_000, 4))
    widest = 2.0 * np.abs(half).max(axis=1)
    error = widest.std() / math.sqrt(len(widest))
    assert abs(widest.mean() - regret.expected_range(8, opposite=True)) < plays.ERRORS * error


def test_designs_are_just_long_enough():
    for play in regret.corollary_1_plays():
        length = plays.design_length(play)
        assert length >= play.batch * plays.gain_after(play, length)
        if length > 1:
            assert length - 1 < play.batch * plays.gain_after(play, length - 1)
        assert len(plays.design_indices(play)) == length


def test_lengths_needed_are_the_least_ones():
    problem = gain.GrowthProblem(1.5, 1, 60, 0.2, 1.0, 4)
    spectrum = problem.spectrum()
    lengths = initial.lengths_needed(problem)
    for batch, length in zip(initial.BATCHES, lengths, strict=True):
        assert batch * spectral_bound(spectrum, length, 1.0) <= length
        shorter = length - max(1, length // 5_000)
        assert batch * spectral_bound(spectrum, shorter, 1.0) > shorter


def test_acceptance_on_two_points_by_hand():
    independent = regret.TwoPoints((0.3, 0.0), (1.0, 2.0))
    assert independent.acceptance() == pytest.approx(1.0 - 0.5 * stats.norm.cdf(0.15), rel=regret.CDF_RTOL)
    assert regret.TwoPoints((0.0, 0.0), (1.0, 1.0), correlation=-0.999).acceptance() > 0.98


def test_runs_share_their_functions_with_and_without_resampling():
    play = practice.resampling_plays()[0]
    plain, redrawn = plays.played(play), plays.played(replace(play, resample=True))
    np.testing.assert_array_equal(plain.values, redrawn.values)
    assert plain.accepted == 1.0 > redrawn.accepted


def test_different_points_and_simple_regret_by_hand():
    runs = plays.played(plays.PLAIN[3])
    by_hand = [np.mean([len(set(batch)) for batch in run]) for run in runs.chosen]
    np.testing.assert_allclose(plays.distinct_per_batch(runs), by_hand, rtol=FORMULA_RTOL)
    left = [
        values.max() - values[chosen.ravel()].max() for values, chosen in zip(runs.values, runs.chosen, strict=True)
    ]
    np.testing.assert_allclose(plays.simple_regret(runs), left, atol=FORMULA_RTOL)


def test_low_maxima_occur_and_picks_are_recorded_with_their_own_sd():
    picks = practice.low_picks(practice.low_states()[3])
    assert len(picks) > 20
    for pick in picks:
        ratios = (pick.maximum - pick.mean) / pick.sd
        assert pick.maximum < pick.mean.max()
        assert ratios[pick.chosen] == pytest.approx(ratios.min(), rel=SERIES_RTOL)


def test_the_example_picks_the_well_known_point():
    pick = practice.two_arms_pick(practice.TwoArms((1.0, 0.9), (1.0, 0.01), 0.5))
    assert pick.chosen == 1
    assert practice.two_arms_pick(practice.TwoArms((1.0, 0.9), (1.0, 1.0), 0.5)).chosen == 0


# -- leads -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found(investigated):
    return investigated("tsrsr", modules=("appendix",))


def test_numbers_behind_the_leads(found):
    assert found["E9"]["values"]["ratios"] == pytest.approx([-0.5, -40.0])
    assert 0 < found["E9"]["values"]["other"] < found["E9"]["values"]["low"]
    resampled = found["E10"]["values"]
    assert 0.5 <= resampled["accepted"] < 1.0
    assert abs(resampled["plain"]) < 4 * resampled["errors"][0] < resampled["redrawn"]
    corollary = found["E11"]["values"]
    assert corollary["doubled"] == pytest.approx(2.0, rel=SERIES_RTOL)
    assert corollary["optima"][0] == pytest.approx(2.5076, abs=PRINTED_3_DIGITS)
    assert sum(corollary["stages"]) > 2 * corollary["direct"]
    assert found["U2"]["values"]["closest"] == pytest.approx(1.0, rel=POOLED_RTOL)
    assert found["U5"]["values"]["reached"] > 8
    assert np.mean(found["U5"]["values"]["random"]) > 3 * np.mean(found["U5"]["values"]["regret"])
