import numpy as np
import pytest
from scipy import stats

from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.judge.intervals import mean_interval, paired_interval, proportion_interval, slope_interval


@pytest.mark.slow
def test_mean_interval_covers_at_its_level_and_not_more():
    # 4,000 samples of five normals: coverage 0.90 +- 4 binomial standard errors; a normal quantile would give 0.85.
    draws = stream(1, "coverage").standard_normal((4000, 5)) + 2.0
    hits = sum(2.0 in mean_interval(row, 0.9) for row in draws)
    assert abs(hits / 4000 - 0.9) < 4 * np.sqrt(0.9 * 0.1 / 4000)


def test_paired_interval_is_the_t_test_on_differences():
    generator = stream(2, "pairs")
    ours, theirs = generator.standard_normal(12), generator.standard_normal(12)
    found = paired_interval(ours, theirs)
    expected = stats.ttest_rel(ours, theirs).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    assert found.estimate == pytest.approx(np.mean(ours - theirs))
    assert found.columns("gap") == {"gap": found.estimate, "low": found.low, "high": found.high}


def test_proportion_interval_inverts_the_binomial_tails():
    found = proportion_interval(3, 40)
    assert stats.binom.sf(2, 40, found.low) == pytest.approx(0.025, rel=1e-6)
    assert stats.binom.cdf(3, 40, found.high) == pytest.approx(0.025, rel=1e-6)
    assert proportion_interval(0, 10).low == 0.0


def test_slope_interval_against_the_normal_equations():
    x = np.linspace(0, 3, 9)
    y = 0.7 * x + stream(3, "slope").standard_normal(9)
    design = np.column_stack([np.ones(9), x])
    coefficients, residual, *_ = np.linalg.lstsq(design, y, rcond=None)
    error = np.sqrt(residual[0] / 7 * np.linalg.inv(design.T @ design)[1, 1])
    found = slope_interval(x, y)
    assert found.estimate == pytest.approx(coefficients[1])
    assert found.high - found.low == pytest.approx(2 * stats.t.ppf(0.975, 7) * error)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: mean_interval([1.0]), "values"),
        (lambda: mean_interval([1.0, np.nan]), "values"),
        (lambda: mean_interval([1.0, 2.0], level=1.0), "level"),
        (lambda: paired_interval([1.0, 2.0], [1.0, 2.0, 3.0]), "theirs"),
        (lambda: proportion_interval(5, 4), "successes"),
        (lambda: slope_interval([1, 2, 3], [1, 2]), "y"),
    ],
)
def test_bad_input_names_the_argument(call, name):
    with pytest.raises(ParameterError, match=f"^{name}"):
        call()
