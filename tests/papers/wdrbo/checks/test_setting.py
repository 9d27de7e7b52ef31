"""Statements and leads on the band, the Lipschitz bounds, Wasserstein balls and empirical laws of contexts."""

import itertools
import math

import numpy as np
import pytest
from scipy import optimize, stats
from tolerances import FORMULA_RTOL, INNER_AGREEMENT, INNER_ROUNDING

from companion.papers.wdrbo.checks import (
    band_lipschitz_discrepancies,
    band_sample_discrepancies,
    lipschitz,
    lipschitz_band,
    setting_band,
    wasserstein,
)
from companion.papers.wdrbo.checks import wasserstein_algorithm as algorithm
from companion.papers.wdrbo.checks import wasserstein_class as classes
from companion.papers.wdrbo.checks import wasserstein_data as data
from companion.papers.wdrbo.checks import wasserstein_sample as samples
from companion.papers.wdrbo.theory import bounds, covering
from companion.papers.wdrbo.theory.games import Game

# -- which cases fail --------------------------------------------------------------------------------------------------


def test_the_printed_norm_bound_fails_only_above_one():
    for band in lipschitz_band.lipschitz_bands():
        failing = [case for case in lipschitz_band.lemma_3(band) if not case.holds]
        assert (len(failing) > 0) == (band.lam > 1.0), band.where
        assert all(case.where.endswith("(b)") for case in failing)


def test_the_band_of_one_arm_is_nearly_tight():
    """2000 paths, failure rate 0.07: within a factor two of delta, above it with a tenth less."""
    arm = setting_band.OneArm(1.0, 1.0)
    _, case = setting_band.lemma_1(arm)
    assert 0.05 <= case.lhs <= 0.1
    assert list(setting_band.lemma_1(arm, scale=0.9))[-1].lhs > 0.12


def test_paths_of_one_arm_are_the_recursion_of_least_squares():
    arm = setting_band.OneArm(0.5, 0.7, horizon=40, runs=5)
    misses, log_det = setting_band.misses_of(arm)
    gram = np.ones((17, 17))
    assert log_det[0, 16] == pytest.approx(np.linalg.slogdet(np.eye(17) + gram / 0.5)[1], rel=1e-9)
    # (V + lambda)^(-1/2) times the sum of the noise is what the width bounds; the increments are the noise.
    totals = misses * np.sqrt(np.arange(1, 41) + 0.5)
    assert np.abs(totals[:, 0]).max() < 4 * 0.7
    assert (np.abs(np.diff(totals, axis=1)) < 5 * 0.7).all()


def test_the_index_of_the_gain_matters_in_the_first_round():
    game = Game(horizon=1, runs=5)
    assert setting_band.largest_log_det(game, 1) == pytest.approx(math.log(2.0), rel=1e-6)
    failing = [case.where for case in setting_band.def_gamma(game, index=-1) if not case.holds]
    assert len(failing) == 2
    assert all(case.holds for case in setting_band.def_gamma(game))


def test_constants_of_section_7_1_fail_where_they_should():
    failing = {profile.name for profile in lipschitz.parametrisations() if not lipschitz.rem_7_1(profile).holds}
    assert "exp(-s^2/2)" not in failing
    assert "(1 + s) exp(-s)" not in failing
    assert {"exp(-s^2)", "Matérn 3/2, sqrt(2 nu) r / l, l = 1"} <= failing


@pytest.mark.parametrize("profile", lipschitz.bent_profiles(), ids=lambda profile: profile.name)
def test_second_derivatives_are_those_of_the_kernels(profile):
    places, step = np.array([0.3, 1.1, 2.5]), 1e-4
    differences = profile.shape(places + step) - 2 * profile.shape(places) + profile.shape(places - step)
    np.testing.assert_allclose(profile.bent(places), differences / step**2, atol=1e-5)
    assert profile.constant == pytest.approx(math.sqrt(-profile.bent(np.zeros(1))[0]), rel=FORMULA_RTOL)


# -- balls -------------------------------------------------------------------------------------------------------------


def transport_distance(one, other, costs):
    """W_1 by a linear program over plans."""
    m = len(one)
    equal = np.vstack([np.kron(np.eye(m), np.ones(m)), np.kron(np.ones(m), np.eye(m))])
    found = optimize.linprog(costs.ravel(), A_eq=equal, b_eq=np.concatenate([one, other]), method="highs")
    return found.fun


def test_members_of_a_ball_lie_in_it_and_the_teeths_members_outside():
    for ball in list(wasserstein.balls())[4:60:7]:
        for share in (1.0, 1.5):
            for law in ball.members(share, 3):
                distance = transport_distance(ball.centre, law, ball.distances)
                assert distance <= share * ball.radius + INNER_AGREEMENT


def test_balls_cover_all_kinds():
    found = list(wasserstein.balls())
    assert len(found) == 200
    for kind, dim in itertools.product(("rough", "smooth", "kinked", "linear"), (1, 2, 3)):
        assert {ball.radius for ball in found if (ball.kind, ball.dim) == (kind, dim)} >= {0.0, 0.05, 1.0}


def test_two_arms_attain_every_term_of_the_rough_rule():
    ratios = [algorithm.ours_sampled_L(arms) for arms in algorithm.two_arms()]
    assert all(case.holds for case in ratios)
    assert sum(case.lhs > 0.999 * case.rhs for case in ratios) == 3


def test_the_algorithm_is_not_taken_for_another():
    """Decisions of other rules do not attain the maximum of (13)."""
    for rule in ("nominal", "rough"):
        game = Game(horizon=20, runs=12, rule=rule)
        broken = [case.where for case in algorithm.alg_1(game) if not case.holds]
        assert len(broken) == 1
        assert broken[0].endswith("decisions")


# -- samples -----------------------------------------------------------------------------------------------------------


def test_tails_against_enumeration():
    for tail, sign in itertools.product((samples.Tail(0.1, 7, 0.2), samples.Tail(0.9, 5, 0.5)), (1, -1)):
        total = 0.0
        for outcome in itertools.product((0, 1), repeat=tail.contexts):
            share = sum(outcome) / tail.contexts
            chance = math.prod(tail.high if one else 1 - tail.high for one in outcome)
            # h = -c; its largest rise over the ball moves mass to 0, that of -h to 1.
            risk = min(tail.radius, tail.high if sign > 0 else 1 - tail.high)
            total += chance * (-tail.high > -share + risk + 1e-12)
        assert tail.exact(sign) == pytest.approx(total, rel=1e-9, abs=1e-15)


def test_largest_deviations_of_a_class_by_loops():
    sample = samples.Finite(4, 0.0, 2, 3, 6)
    upper, lower = samples.deviations(sample)
    law, values, support = sample.law(), sample.values(), sample.support
    counts = sample._stream("draws").multinomial(6, law, size=samples.DRAWS)
    for draw in (0, 1, 999):
        gaps = [
            sum(law[a] * row[a] for a in range(4)) - sum(counts[draw][a] * row[a] for a in range(4)) / 6
            for row in values.reshape(-1, 4)
        ]
        assert upper[draw] == pytest.approx(max(gaps), abs=INNER_ROUNDING)
        assert lower[draw] == pytest.approx(-min(gaps), abs=INNER_ROUNDING)
    slopes = np.abs(np.diff(values, axis=2)) / np.diff(support)
    np.testing.assert_allclose(slopes.max(axis=2), 1.0, rtol=1e-9)


def test_a_radius_for_one_tail_does_not_cover_both():
    sample = samples.Finite(2, 0.5, 1, 0, 200)
    assert samples.lemma_19(sample, scale=samples.TUNED, tails=samples.upper_tail).holds
    assert not samples.lemma_19(sample, scale=samples.TUNED).holds
    # The normal limit of the upper tail is a tenth; 1.28 standard deviations of the mean of a fair context.
    radius = bounds.radius(200, 1.0, 0.1, 0.0, math.log(2), samples.TUNED, unchecked=True)
    assert radius == pytest.approx(stats.norm.ppf(0.9) * 0.5 / math.sqrt(200), rel=1e-9)


def test_only_the_slips_of_lemma_18_fail():
    failing = [case.where for case in samples.lemma_18.all_cases() if not case.holds]
    assert failing
    assert all("h = -c" in where or "(64)" in where for where in failing)


def test_contexts_of_the_data_driven_centre():
    """With all contexts the deviations are those that the simulator recorded."""
    game = data.data_games()[0]
    found = data.play(game)
    for t, (gaps, steep, _) in data._shifts(game, 0).items():
        if t <= game.horizon:
            largest = np.where(gaps > 0, gaps / steep, 0.0).max(axis=1)
            np.testing.assert_allclose(largest, found.deviation[:, t - 1], rtol=1e-7)


def test_the_slack_of_lemma_7_is_the_one_that_it_prints():
    """By itself, with no radius beside it: with both, any slack would pass."""
    game = data.data_games()[0]
    found = {case.where: case.failures for case in data.lemma_7(game, scale=0.0, slack=0.02)}
    expected = {}
    for t, (gaps, _, norm) in data._shifts(game, 0).items():
        allowed = 0.02 * (1 + 2 * game.lipschitz * norm) / (t - 1)
        expected[f"{game.where}, n = {t - 1}: (16) at its least"] = int((gaps > allowed[:, None]).any(axis=1).sum())
    assert {where: found[where] for where in expected} == expected
    assert any(0 < failures < game.runs for failures in expected.values())


# -- classes -----------------------------------------------------------------------------------------------------------


def test_lower_and_upper_covering_numbers_of_the_simplest_class():
    """Multiples of one function between -1 and 1 with m tiny: ceil(1 / rho) intervals cover, and no fewer."""
    cover = classes.Cover(1, 10.0, 1.0, 1e-9, 1.0, 0.01)
    assert cover.volume() == pytest.approx(math.log(100), rel=1e-9)
    assert cover.upper() >= cover.volume()


def test_features_leave_out_what_the_bound_says():
    cover = classes.Cover(2, 0.3, 0.25, 1.0, 1.0, 0.01)
    for degree in (0, 5, 20):
        worst = math.sqrt(covering.left_out(degree, 0.3, 2)) * (1.0 + 2.0)
        assert cover.left_out(degree) == pytest.approx(worst, rel=1e-4)


def test_lemma_23_fails_for_every_constant_as_printed():
    cover = classes.Cover(2, 0.3, 0.5, 1.0, 1.0, 0.1)
    assert [case.holds for case in classes.lemma_23(cover)] == [False] * 4
    assert all(case.holds for case in classes.lemma_23(cover, cases=classes.with_width))


def test_what_is_missing_from_the_class():
    games = classes.class_games()
    assert {game.lam > 1 for game in games} == {True, False}
    for game in games:
        broken = {case.where.rsplit(": ", 1)[1] for case in classes.class_U(game, lower=-1.0) if not case.holds}
        expected = {"beta"} if game.lam > 1 else {"slope"} if game.lam < 1 else set()
        assert broken == expected, game.where


# -- leads -------------------------------------------------------------------------------------------------------------


def test_numbers_of_the_leads():
    slips = band_sample_discrepancies.slips_of_lemma_18().values
    assert slips["plus"] == pytest.approx(1 - 0.99**40, rel=1e-9)  # at least one context of forty
    assert slips["claimed"] == pytest.approx(math.exp(-5), rel=1e-9)
    assert slips["risk"] == pytest.approx(2.0, rel=1e-9)
    assert slips["copies"] == pytest.approx(1.8 - 0.2, rel=1e-9)
    norm = band_lipschitz_discrepancies.bracket_of_the_norm().values
    assert norm["left"] - norm["printed"] == pytest.approx(0.5, rel=1e-9)  # B - B / sqrt(lambda)
    slope = band_lipschitz_discrepancies.slope_of_the_width().values
    assert 0.8 * slope["bound"] < slope["slope"] < slope["steepest"] < slope["bound"]


def test_a_centre_with_the_future_is_biased():
    """With the round's own context in the centre the decision often depends on it, and the squared widths move by some
    percent: far more than rounding, and less than a half, as one context of t has the weight 1 / t.
    """
    values = band_sample_discrepancies.centre_with_the_future().values
    assert 0.05 < values["share"] < 1.0
    assert 1e-3 < abs(values["ratio"] - 1.0) < 0.5


@pytest.mark.parametrize("dim", [1, 2])
def test_nets_reach_every_point(dim):
    points = np.stack(np.meshgrid(*([np.linspace(0, 1, 21)] * dim)), axis=-1).reshape(-1, dim)
    size = band_lipschitz_discrepancies._greedy_net(points, 0.3)
    # No net of the interval can have fewer than 1 / 0.6, none of the square fewer than its area over that of a disc.
    assert (1 / 0.6 if dim == 1 else 1 / (math.pi * 0.09)) <= size <= (1 + 2 * math.sqrt(dim) / 0.3) ** dim


def test_indicators_on_a_simplex_are_a_lipschitz_class():
    """Corners one apart: an indicator rises by one over a distance of one; deviations by loops over a few draws."""
    small = samples.Corners(5, 0.0, 1, 3, 7)
    values, law = small.values(), small.law()
    assert set(np.unique(values)) <= {0.0, 1.0}
    assert values.shape == (1, 4, 5)
    assert law.sum() == pytest.approx(1.0)
    upper, lower = samples.deviations(small)
    counts = small._stream("draws").multinomial(7, law, size=samples.DRAWS)[:20]
    for row, high, low in zip(counts, upper, lower, strict=False):
        gaps = [sum(v * (p - c / 7) for v, p, c in zip(h, law, row, strict=True)) for h in values[0]]
        assert high == pytest.approx(max(gaps), abs=1e-12)
        assert low == pytest.approx(max(-gap for gap in gaps), abs=1e-12)


def test_a_large_class_comes_within_a_factor_of_two_and_a_half_of_the_radius():
    """Half of 8192 fair indicators: the largest of 4096 normal numbers of sd 1/2 exceeds 1.88 in half of the draws; the
    indicators vary a little less, and depend on each other a little."""
    large = samples.Corners(64, 0.0, 1, 4095, 200)
    upper, lower = samples.deviations(large)
    median = float(np.median(np.maximum(upper, lower))) * math.sqrt(200)
    expected = 0.5 * stats.norm.isf(0.5 * (1 - 0.5 ** (1 / 4096)))
    assert median == pytest.approx(expected, rel=0.08)
