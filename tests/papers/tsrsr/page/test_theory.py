"""The chapter's own studies: the picture, the bound, what batches cost, repeated points, and the exercises."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from scipy import stats

from companion.information import gain_bracket
from companion.papers.tsrsr.page import batches, bound, duplicates, exercises, multisets, picture
from companion.papers.tsrsr.theory import bounds


def test_picture_shows_what_the_rule_minimises():
    shown = picture.two_batches()
    assert shown.thompson.tolist() == shown.draws.argmax(axis=1).tolist()
    for i, index in enumerate(shown.chosen):
        ratio = (shown.draws[i].max() - shown.mean) / shown.sd[i]
        assert index == np.argmin(ratio)
        assert shown.sd[i + 1, index] < shown.sd[i, index]
    # The standard deviation after the batch, by a dense solve with data and batch together.
    x = shown.x[[*picture.KNOWN, *shown.chosen]]

    def kernel(a, b):
        return np.exp(-0.5 * ((a[:, None] - b[None, :]) / picture.LENGTHSCALE) ** 2)

    dense = kernel(x, x) + picture.NOISE**2 * np.eye(len(x))
    across = kernel(x, shown.x)
    variance = 1 - np.einsum("ij,ij->j", across, np.linalg.solve(dense, across))
    np.testing.assert_allclose(shown.sd[-1] ** 2, variance, atol=1e-8)


def test_two_arms_are_what_simulation_gives():
    table = multisets.two_arms(np.array([4, 10])).set_index("n")
    assert table.loc[4, "sum"] == 3.0  # 1 + 1 + 1/2 + 1/2
    assert table.loc[4, "lemma 5, sets"] == pytest.approx(2.0)
    assert table.loc[10, "sum"] == pytest.approx(2 * (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5))
    generator = np.random.default_rng(0)
    pairs = generator.standard_normal((200_000, 2))
    per_point = (pairs.max(axis=1) - pairs[:, 0]).mean()
    assert table.loc[10, "regret"] / 10 == pytest.approx(per_point, abs=4 * 0.6 / math.sqrt(len(pairs)))


def test_set_reading_fails_where_it_is_said_to_and_not_before():
    lemma, theorem = multisets.first_failures()
    before, at = multisets.two_arms(np.array([theorem - 1, theorem])).to_dict("records")
    assert before["regret"] <= before["theorem 1, sets"]
    assert at["regret"] > at["theorem 1, sets"]
    rows = multisets.two_arms(np.array([lemma - 1, lemma])).to_dict("records")
    assert rows[0]["sum"] <= rows[0]["lemma 5, sets"] * (1 + 1e-12)
    assert rows[1]["sum"] > rows[1]["lemma 5, sets"]
    wide = multisets.two_arms(np.arange(1, 400))
    assert (wide["sum"] <= wide["lemma 5, multisets"]).all()


def test_enumeration_meets_the_closed_form_and_sets_fall_short():
    study = multisets.multiset_study(3, 2)
    np.testing.assert_allclose(study.ratios.multisets, study.ratios.closed, rtol=1e-9)
    several = study.ratios[study.ratios.m > 1]
    assert (several.sets < several.closed * (1 - 1e-6)).all()


def test_bound_study_ends_above_where_it_starts():
    study = bound.bound_study(1, 3, 8, 0.1, 30)
    assert list(study.chains) == [0.1, bound.HIGH_NOISE]
    for chain in study.chains.values():
        assert chain.steps[0].name == "measured"
        assert chain.steps[-1].statement == "theorem-1"
        assert chain.holds
        assert chain.steps[0].value <= chain.side["sharp"] <= chain.steps[-1].value
    assert bound.chain_numbers(study).holds
    chain = study.chains[0.1]
    low = dataclasses.replace(chain, side={**chain.side, "sharp": 0.0})
    other = dataclasses.replace(study, chains={**study.chains, 0.1: low})
    assert not bound.chain_numbers(other).holds, "a bound below the regret is noticed"


def test_trivial_line_is_the_range_of_the_function_and_not_a_bound_of_it():
    found = bound.line()
    # Another route: nested draws by a Cholesky factor with a little noise, from another generator.
    root = np.linalg.cholesky(bound.instance() + 1e-9 * np.eye(bound.POINTS))
    functions = np.random.default_rng(8).standard_normal((10_000, bound.POINTS)) @ root.T
    assert found == pytest.approx(np.ptp(functions, axis=1).mean(), abs=0.05)
    assert found < 0.5 * bounds.trivial_bound(bound.POINTS, 1)
    study = bound.bound_study(1, 3, 8, 1.0, 10)
    assert study.chains[1.0].side["trivial"] == pytest.approx(24 * found)


def test_least_ratio_to_the_trivial_bound_is_below_the_ratio_for_any_instance():
    for row in bound.vacuous().to_dict("records"):
        variance = bound.PAPER_NOISE**2
        for candidates in (2, 1000, 10**6):
            # With the smallest gain there can be: that of a single point.
            gain = 0.5 * math.log1p(1 / variance)
            printed = bounds.theorem1(candidates, row["T"], row["m"], variance, gain)
            sharp = bounds.theorem1_sharp(candidates, row["T"], row["m"], variance, gain)
            trivial = bounds.trivial_bound(candidates, row["T"] * row["m"])
            assert printed / trivial >= row["Theorem 1 / trivial, at least"]
            assert sharp / trivial >= row["sharper form / trivial, at least"]


def test_batch_study_has_the_blind_and_the_sequential_end():
    study = batches.batch_study(0, 20, 60)
    part = study.rows[study.rows.noise == 1.0].set_index("m")
    assert list(part.index) == [1, 2, 4, 5, 10, 20]
    assert part.loc[20, "first"] == pytest.approx(part.loc[20, "regret"])
    assert part.loc[20, "regret"] > part.loc[1, "regret"]
    ends = {"excess low": -0.01, "excess high": 0.04}
    flat = dataclasses.replace(study, rows=study.rows.assign(regret=1.0, **ends))
    found = batches.batch_numbers(flat)
    assert (found.cheap, found.cheap_high, found.most) == (20, 20, 0.04)
    rising = study.rows.assign(regret=study.rows.m.astype(float), **{"excess high": study.rows.m - 1.0})
    steep = batches.batch_numbers(dataclasses.replace(study, rows=rising))
    assert (steep.cheap, steep.factor, steep.factor_high) == (1, 20, 20)
    assert (steep.ten, steep.ten_high) == (10, 10)
    # So few functions that every interval holds zero: no rise shows, and none is excluded.
    wide = dict(zip(("excess low", "excess high"), np.outer((-0.5, 0.5), study.rows.m > 1), strict=True))
    assert batches.batch_numbers(dataclasses.replace(study, rows=study.rows.assign(**wide))).cheap == 1
    # What the rise stays below is rounded up.
    odd = {"excess low": 0.0, "excess high": 0.1412}
    assert batches.batch_numbers(dataclasses.replace(study, rows=study.rows.assign(**odd))).most == 0.15
    # Regret like m^2 grows four times from m = 10 to 20.
    square = batches.batch_numbers(dataclasses.replace(study, rows=rising.assign(regret=rising.m.astype(float) ** 2)))
    assert (square.before, square.last, square.growth) == (10, 20, [4.0, 4.0])
    assert square.printed_factor < square.blind_factor[0]
    flat_numbers = batches.batch_numbers(flat)
    assert flat_numbers.printed_factor >= flat_numbers.blind_factor[0]
    assert found.bounds_faster
    assert not square.bounds_faster


def test_excess_of_a_batch_size_is_that_of_paired_runs():
    study = batches.batch_study(0, 20, 60)
    part = study.rows[study.rows.noise == 0.1].set_index("m")
    runs = {
        m: batches._play(bound.instance(), 0, 20 // m, m, 0.1, 60, "batch").regret  # the same functions for every m
        for m in (1, 5)
    }
    low, high = stats.ttest_rel(runs[5], runs[1]).confidence_interval(0.95)
    assert part.loc[5, "excess low"] == pytest.approx(low / runs[1].mean())
    assert part.loc[5, "excess high"] == pytest.approx(high / runs[1].mean())


def test_initial_design_lowers_rho_and_corollary_1_says_when_it_is_below_e():
    study = batches.design_study(0, 40, 20)
    exact = study.ratios.exact
    assert (exact.diff().dropna() <= 1e-12).all()
    assert (exact <= study.ratios.sharper).all()
    assert (study.ratios.sharper <= study.ratios["lemma 11"]).all()
    at = study.ratios.set_index("initial")
    assert at["lemma 11"].loc[study.needed] <= math.e < at["lemma 11"].loc[study.needed - 1]
    found = batches.design_numbers(study)
    assert at.exact.loc[found.enough] <= math.e < at.exact.loc[found.enough - 1]
    assert list(study.regret.initial) == [0, 10, 20]


def test_duplicates_are_counted_as_the_rules_choose():
    study = duplicates.duplicate_study(0, 4, 2)
    assert len(study.common) == 4 * 7
    assert study.common.distinct.between(0.1, 1).all()
    assert len(study.along) == 2 * 2 * 2 * duplicates.SETTING["batches"]
    ours = study.along.rule == "ts-rsr"
    for shares, sign in ((1.0, 0), (1.0 - 0.5 * ours, -1), (0.5 + 0.5 * ours, 1)):
        found = duplicates.duplicate_numbers(dataclasses.replace(study, along=study.along.assign(distinct=shares)))
        assert (found.along_ours > found.along_theirs, found.along_high < 0, found.same) == (
            sign > 0,
            sign < 0,
            sign == 0,
        )


def test_a_negative_numerator_prefers_a_small_standard_deviation():
    found = exercises.negative_numbers()
    np.testing.assert_allclose(found.ratios, [-0.5, -40])
    assert (found.chosen, found.again) == (2, 1)


def test_a_thompson_batch_on_two_arms_is_all_one_arm_as_often_as_it_should_be():
    found = exercises.arms_numbers(0, 400)
    assert found.exact == 2 / 2**5
    assert stats.binomtest(round(400 * found.same), 400, found.exact).pvalue > 1e-3
    assert found.share == 1


def test_no_observations_elsewhere_do_more_than_those_of_a_point_of_largest_variance():
    """Exercise 1, with a point of variance 0.1 that is perfectly correlated with one of variance 1."""
    prior, root = np.array([[0.1, math.sqrt(0.1)], [math.sqrt(0.1), 1.0]]), bounds.variance_ratio(5, 1.0)
    for at, limit in ((0, math.sqrt(1.5)), (1, root)):
        gram = prior[at, at] * np.ones((5, 5)) + np.eye(5)
        left = 0.1 - prior[0, at] ** 2 * np.linalg.inv(gram).sum()
        assert math.sqrt(0.1 / left) == pytest.approx(limit)


def test_the_bound_on_the_bias_uses_the_certified_gain():
    found = exercises.bias_numbers(0, 40)
    gain = gain_bracket(bound.instance(), 50, 0.01).upper
    count = len(bound.instance())
    width = math.sqrt(2 * math.log(2 * count * 10 / 0.1))
    assert found.allowed == pytest.approx(width * math.sqrt(501) * math.sqrt(50 * 2 / math.log(101) * gain))
    assert found.low < found.mean < found.high


def test_the_picture_says_what_the_next_choice_finds():
    shown = picture.two_batches()
    first, found = shown.chosen[0], picture.picture_numbers(shown)
    then, now = ((shown.maxima[i] - shown.mean[first]) / shown.sd[i, first] for i in (0, 1))
    assert (found.then, found.now) == (pytest.approx(then), pytest.approx(now))
    assert found.factor == pytest.approx(shown.sd[0, first] / shown.sd[1, first])


def test_two_functions_do_not_tell_which_rule_is_better_and_a_hundred_do():
    ours, theirs = np.array([[1.0, 1.0, 1.0], [0.5, 0.3, 0.2]]), np.array([[1.0, 1.0, 0.0], [0.5, 0.5, 3.0]])
    few = picture.beside_thompson(ours, theirs)
    assert (few.drawn, few.ahead) == (2, 0.5)
    assert few.less == pytest.approx(1.0)
    assert few.less_low < 0 < few.less_high
    many = picture.beside_thompson(np.tile(ours, (50, 1)), np.tile(theirs, (50, 1)))
    assert many.less_low > 0
    # 0.2 on every other function in the first two, and 0.9 on average later.
    assert many.early == pytest.approx([0.1 - 0.02, 0.1 + 0.02], abs=1e-3)
    assert many.late[0] > 0.4


def test_what_stopping_loses_is_the_expected_maximum_above_the_largest_mean():
    """By other draws, of a posterior by a dense solve, at the values of the table."""
    found = exercises.stop_numbers(picture.two_batches())
    at = [round(100 * found[f"x{k}"]) for k in range(10)]
    y = np.array([found[f"y{k}"] for k in range(10)])
    for count, stated in ((5, found.before), (10, found.now)):
        prior, some = bound.instance(), at[:count]
        gain = np.linalg.solve(prior[np.ix_(some, some)] + 0.01 * np.eye(count), prior[some])
        mean, left = y[:count] @ gain, prior - prior[:, some] @ gain
        root = np.linalg.cholesky(left + 1e-9 * np.eye(len(left)))
        draws = mean + np.random.default_rng(3).standard_normal((20_000, len(left))) @ root.T
        assert stated == pytest.approx(100 * (draws.max(axis=1).mean() - mean.max()), rel=0.1)


def test_a_batch_without_resampling_is_split_with_the_chance_of_its_signs():
    """Every pattern of sampled maxima above and below zero, played by the rule itself."""
    for size in (1, 2, 3, 5):
        chance = 0.0
        for above in itertools.product((True, False), repeat=size):
            counts = np.zeros(2)
            for positive in above:
                ratio = (1.0 if positive else -1.0) / np.sqrt(1 / (1 + counts / 0.01))
                counts[np.argmin(ratio)] += 1
            chance += (abs(counts[0] - counts[1]) <= 1) * math.prod(0.75 if each else 0.25 for each in above)
        assert exercises.split_chance(size) == pytest.approx(chance, rel=1e-12)
    assert exercises.split_chance(5) == 117 / 128
