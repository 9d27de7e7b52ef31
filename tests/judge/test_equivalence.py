"""Tests from printed summaries against the same tests on raw samples, and against simulation."""

import numpy as np
import pytest
from scipy import optimize, stats
from tolerances import FOUR_ERRORS, LIMIT_RTOL, SUMMARY_RTOL

from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.judge.equivalence import Summary, smallest_margin, two_one_sided, welch, welch_p_value


def summary(sample):
    return Summary(float(np.mean(sample)), float(np.std(sample, ddof=1)), len(sample))


def samples(name, shift=0.0, reported=10, reproduced=40, spread=2.0):
    generator = stream(7, "equivalence", name)
    return generator.standard_normal(reported) + shift, spread * generator.standard_normal(reproduced)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_welch_interval_is_that_of_the_raw_samples(level):
    theirs, ours = samples("interval", 0.3)
    expected = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(level)
    found = welch(summary(theirs), summary(ours), level)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=SUMMARY_RTOL)
    assert found.estimate == pytest.approx(ours.mean() - theirs.mean(), rel=SUMMARY_RTOL)


def test_p_value_is_that_of_the_raw_samples():
    theirs, ours = samples("p", 1.1)
    expected = stats.ttest_ind(ours, theirs, equal_var=False).pvalue
    assert welch_p_value(summary(theirs), summary(ours)) == pytest.approx(expected, rel=SUMMARY_RTOL)
    # Pooling the variances, the usual slip, gives something else.
    assert expected != pytest.approx(stats.ttest_ind(ours, theirs).pvalue, rel=0.01)


@pytest.mark.parametrize("margin", [0.5, 0.9, 1.4, 2.5])
def test_two_one_sided_tests_are_the_shorter_interval_inside_the_margin(margin):
    theirs, ours = samples("tost", 0.2, 12, 60)
    narrow = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.90)
    found = two_one_sided(summary(theirs), summary(ours), margin)
    assert found.shown == (-margin < narrow.low and narrow.high < margin)


def test_a_difference_as_large_as_the_margin_is_called_equivalent_in_five_percent():
    # Size of the test at its boundary. "No difference seen" as a rule would call most of these equivalent.
    generator = stream(8, "size")
    margin, runs, count = 1.5, 20, 2000
    theirs = generator.standard_normal((count, runs))
    ours = generator.standard_normal((count, runs)) + margin
    shown = sum(two_one_sided(summary(a), summary(b), margin).shown for a, b in zip(theirs, ours, strict=True))
    assert abs(shown / count - 0.05) < FOUR_ERRORS * np.sqrt(0.05 * 0.95 / count)


def test_smallest_margin_is_where_the_test_begins_to_show_equal_means():
    theirs, ours = Summary(4.0, 1.3, 10), Summary(4.0, 0.7, 25)
    found = smallest_margin(theirs, ours)
    limit = optimize.brentq(lambda m: two_one_sided(theirs, ours, m).p_value - 0.05, 1e-3, 10.0, xtol=1e-10)
    assert found == pytest.approx(limit, rel=LIMIT_RTOL)
    assert not two_one_sided(theirs, ours, 0.999 * found).shown
    assert two_one_sided(theirs, ours, 1.001 * found).shown


def test_ten_reported_runs_show_nothing_below_about_half_a_spread():
    # However many runs of ours: the limit is t_{9, 0.95} / sqrt(10).
    many = smallest_margin(Summary(0.0, 1.0, 10), Summary(0.0, 1.0, 10**7))
    assert many == pytest.approx(stats.t.ppf(0.95, 9) / np.sqrt(10), rel=1e-4)
    assert 0.5 < many < 0.6
    assert smallest_margin(Summary(0.0, 1.0, 40), Summary(0.0, 1.0, 10**7)) < 0.5 * many


@pytest.mark.parametrize(
    ("values", "name"),
    [((float("nan"), 1.0, 5), "mean"), ((0.0, -1.0, 5), "sd"), ((0.0, float("inf"), 5), "sd"), ((0.0, 1.0, 1), "n")],
)
def test_senseless_summaries_are_refused(values, name):
    with pytest.raises(ParameterError, match=rf"^{name}:"):
        Summary(*values)


def test_senseless_questions_are_refused():
    one, constant = Summary(0.0, 1.0, 5), Summary(0.0, 0.0, 5)
    with pytest.raises(ParameterError, match="margin"):
        two_one_sided(one, one, 0.0)
    with pytest.raises(ParameterError, match="significance"):
        two_one_sided(one, one, 1.0, 0.5)
    with pytest.raises(ParameterError, match="level"):
        welch(one, one, 1.0)
    with pytest.raises(ParameterError, match="both sides"):
        welch(constant, constant)
    assert welch(constant, one).low < 0.0
