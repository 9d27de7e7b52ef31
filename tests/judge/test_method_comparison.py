"""Methods compared over common seeds: resamples, paired tests with their correction, and power, against slower ways."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from tolerances import FOUR_ERRORS

from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.judge.method_comparison import contrasts, lowest, power, ranking_claim, runs_needed
from companion.judge.multiple_testing import holm


def brute_force_share(columns, repetitions, generator):
    """Share of bootstrap samples in which the means increase, one resample at a time."""
    hits = 0
    for _ in range(repetitions):
        seeds = [int(generator.integers(len(columns[0]))) for _ in columns[0]]
        means = [sum(column[seed] for seed in seeds) / len(seeds) for column in columns]
        hits += all(a < b for a, b in pairwise(means))
    return hits / repetitions


def test_ranking_against_a_bootstrap_one_resample_at_a_time():
    generator = stream(5, "ranking")
    values = {name: generator.standard_normal(25) + shift for name, shift in (("a", 0), ("b", 0.3), ("c", 0.5))}
    found = ranking_claim(values, "abc")
    share = float(found.reason.split(" in ")[1].split("%")[0]) / 100
    expected = brute_force_share([values[name] for name in "abc"], 3000, stream(6, "slow"))
    assert abs(share - expected) < FOUR_ERRORS * np.sqrt(0.25 / 3000)


def test_rankings_are_decided_both_ways_and_left_open():
    generator = stream(9, "rankings")
    common = 20.0 * generator.standard_normal(60)  # seeds that lift all methods alike must not matter
    values = {name: common + shift + generator.standard_normal(60) for name, shift in (("a", 0), ("b", 2), ("c", 4))}
    assert ranking_claim(values, "abc").verdict == "holds"
    assert ranking_claim(values, "acb").verdict == "contradicted"
    assert ranking_claim(values, "cba").verdict == "contradicted"
    noise = {name: generator.standard_normal(60) for name in "abc"}
    assert ranking_claim(noise, "abc").verdict != "holds"
    level = {"a": values["a"], "b": values["a"] + generator.standard_normal(60)}
    assert ranking_claim(level, "ab", significance=1e-6).verdict == "undecided"


def slightly_worse(count=60, errors=1.8):
    """Two columns: the first is larger by ``errors`` standard errors of the paired difference, about 96 % of resamples."""
    shape = stream(11, "slightly").standard_normal(count)
    shape = (shape - shape.mean()) / shape.std()
    return errors / np.sqrt(count) + shape, np.zeros(count)


def test_several_comparisons_are_corrected_for():
    """One reversal in 96 % of resamples contradicts a claim about that pair alone, and not the worst of six pairs."""
    worse, better = slightly_worse()
    pair = {"a": worse, "b": better}
    assert ranking_claim(pair, "ab").verdict == "contradicted"
    four = pair | {"c": better + 50.0, "d": better + 90.0}
    assert ranking_claim(four, "abcd").verdict == "undecided"
    clear = slightly_worse(errors=6.0)[0]
    assert ranking_claim(four | {"a": clear}, "abcd").verdict == "contradicted"


def test_ranking_refuses_what_it_cannot_compare():
    with pytest.raises(ParameterError, match="order"):
        ranking_claim({"a": [1, 2], "b": [1, 2]}, ["a", "c"])
    with pytest.raises(ParameterError, match="values"):
        ranking_claim({"a": [1, 2], "b": [1, 2, 3]}, ["a", "b"])


def verdict_on_lowest(values, name):
    return lowest(values, name, stream(7, "lowest"), {other: other for other in values})


def test_lowest_needs_all_others_above():
    generator = np.random.default_rng(1)
    base = generator.random(30)
    clear = {"ts-rsr": base, "ts": base + 1 + generator.random(30), "sp": base + 2}
    assert verdict_on_lowest(clear, "ts-rsr")[0].verdict == "holds"
    assert verdict_on_lowest(clear, "ts")[0].verdict == "contradicted"
    tied = clear | {"qei": base + 0.1 * generator.standard_normal(30)}
    assert verdict_on_lowest(tied, "ts-rsr")[0].verdict == "undecided"
    assert verdict_on_lowest({"ts-rsr": base, "ts": base}, "ts-rsr")[0].verdict == "undecided"


def test_lowest_among_many_is_corrected_for_their_number():
    """A rival below it in 96 % of resamples contradicts when it is the only one, and not as the best of five."""
    shape = np.random.default_rng(3).standard_normal(60)
    shape = (shape - shape.mean()) / shape.std()
    two = {"ts-rsr": 1.8 / np.sqrt(60) + shape, "ts": np.zeros(60)}
    assert verdict_on_lowest(two, "ts-rsr")[0].verdict == "contradicted"
    far = {name: np.full(60, 50.0) for name in ("bucb", "sp", "qei", "dpp-ts")}
    judgement, below = verdict_on_lowest(two | far, "ts-rsr")
    assert 0.95 < below["ts"] < 0.99
    assert judgement.verdict == "undecided"
    assert verdict_on_lowest(two | far | {"ts-rsr": 1.0 + shape}, "ts-rsr")[0].verdict == "contradicted"


def test_contrasts_are_paired_tests_corrected_for_the_family():
    generator = stream(3, "contrasts")
    one = {name: generator.standard_normal(30) for name in "abc"}
    pairs = {
        name: (values + shift, values**2) for (name, values), shift in zip(one.items(), (0.0, 1.0, 3.0), strict=True)
    }
    found = contrasts(pairs, 0.95, factor=0.5)
    expected = [stats.ttest_rel(first, 0.5 * second).pvalue for first, second in pairs.values()]
    assert [contrast.p for contrast in found] == pytest.approx(expected)
    assert [contrast.adjusted for contrast in found] == pytest.approx(holm(expected))
    assert [contrast.where for contrast in found] == list("abc")
    assert found[2].shown(0.05) == 1
    assert found[2].shown(found[2].adjusted) == 0
    same, shifted = contrasts({"same": (one["a"], one["a"]), "shifted": (np.ones(30), np.zeros(30))}, 0.95)
    assert (same.p, same.shown(0.05)) == (1.0, 0)
    assert (shifted.p, shifted.shown(0.05)) == (0.0, 1)
    with pytest.raises(ParameterError, match="pairs"):
        contrasts({}, 0.95)


def test_power_is_the_share_of_samples_that_tell():
    samples = stream(4, "power").normal(0.8, 1.0, (20_000, 10))
    seen = float((stats.ttest_1samp(samples, 0.0, axis=1).pvalue < 0.05).mean())
    assert abs(power(0.8, 10) - seen) < FOUR_ERRORS * np.sqrt(seen * (1 - seen) / 20_000)
    assert runs_needed(0.5, 0.8) == 34  # the textbook's number for a medium effect
    assert power(0.5, 34) >= 0.8 > power(0.5, 33)
    assert power(0.0, 10) == pytest.approx(0.05, abs=1e-6)
    assert runs_needed(1e-4, 0.8) is None


def test_power_of_two_groups_is_the_share_of_samples_that_tell():
    needed = runs_needed(0.8, 0.8, groups=2)
    assert power(0.8, needed, groups=2) >= 0.8 > power(0.8, needed - 1, groups=2)
    one, two = stream(5, "power").normal([[[0.8]], [[0.0]]], 1.0, (2, 4_000, needed))
    seen = float((stats.ttest_ind(one, two, axis=1).pvalue < 0.05).mean())
    assert abs(power(0.8, needed, groups=2) - seen) < FOUR_ERRORS * np.sqrt(seen * (1 - seen) / 4_000)
