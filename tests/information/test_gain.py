"""Information gain of a set, greedy path and exchanges against the definition."""

import mpmath
import numpy as np
import pytest
from information.gain_cases import CASES, covariance
from tolerances import GAIN_NEAR_SINGULAR, GAIN_ROUNDING

from companion.core.errors import ConditioningError, ParameterError
from companion.core.randomness import stream
from companion.gp.ties import TOLERANCE
from companion.information import cumulative_information_gain, exchange, greedy_gain, information_gain


def definition(matrix, picks, noise):
    return 0.5 * np.linalg.slogdet(np.eye(len(picks)) + matrix[np.ix_(picks, picks)] / noise)[1]


@pytest.mark.parametrize("number", range(0, 80, 5))
def test_information_gain_is_its_definition_repeats_included(number):
    case = CASES[number]
    for picks, value in zip(case.multisets[:40], case.gains[:40], strict=len(case.gains) <= 40):
        assert information_gain(case.covariance, picks, case.noise_variance) == pytest.approx(value, abs=GAIN_ROUNDING)


def test_a_million_repeats_of_one_point_have_their_closed_form():
    matrix = np.array([[2.0, 0.5], [0.5, 1.0]])
    picks = np.zeros(10**6, dtype=int)
    assert information_gain(matrix, picks, 0.1) == pytest.approx(0.5 * np.log1p(10**6 * 2.0 / 0.1), rel=1e-12)


def test_empty_set_has_no_gain():
    assert information_gain(np.eye(3), [], 0.1) == 0.0
    assert cumulative_information_gain(np.eye(3), [], 0.1).shape == (0,)


def test_cumulative_gain_lists_the_gain_of_every_prefix():
    matrix = covariance("matern52", 12, stream(3, "prefix"))
    picks = np.array([3, 3, 0, 11, 5, 3, 7])
    expected = [definition(matrix, picks[: t + 1], 0.05) for t in range(len(picks))]
    np.testing.assert_allclose(cumulative_information_gain(matrix, picks, 0.05), expected, atol=GAIN_ROUNDING)


def test_near_singular_gain_agrees_with_sixty_digit_arithmetic():
    x = np.linspace(0, 1, 6)
    matrix = np.exp(-((x[:, None] - x[None]) ** 2) / (2 * 5.0**2))  # condition number above 1e16
    picks, noise = [0, 5, 2, 5], 1e-9
    with mpmath.workdps(60):
        exact = mpmath.matrix(len(picks))
        for i, a in enumerate(picks):
            for j, b in enumerate(picks):
                exact[i, j] = mpmath.mpf(float(matrix[a, b])) / mpmath.mpf(noise) + (i == j)
        expected = float(mpmath.log(mpmath.det(exact)) / 2)
    assert information_gain(matrix, picks, noise) == pytest.approx(expected, rel=GAIN_NEAR_SINGULAR)


def naive_greedy(matrix, steps, noise):
    """Try every candidate, take the best log-determinant; the lowest index among equals wins."""
    picks: list[int] = []
    for _ in range(steps):
        base = definition(matrix, picks, noise) if picks else 0.0
        added = np.array([definition(matrix, [*picks, i], noise) - base for i in range(len(matrix))])
        variance = np.expm1(2 * added) * noise
        # The definition resolves variances to about 1e-12 of the prior, coarser than the engine's tie tolerance.
        bar = variance.max() * (1 - TOLERANCE) - 1e-12 * matrix.max()
        picks.append(int(np.argmax(variance >= bar)))
    return picks


@pytest.mark.parametrize("family", ["se", "matern32", "matern52", "random", "low-rank", "identity", "duplicates"])
@pytest.mark.parametrize("noise", [0.01, 1.0])
def test_greedy_is_naive_greedy_with_the_lowest_index_on_ties(family, noise):
    matrix = covariance(family, 9, stream(11, "greedy", family))
    path = greedy_gain(matrix, 14, noise)
    picks = naive_greedy(matrix, 14, noise)
    assert path.indices.tolist() == picks
    expected = [definition(matrix, picks[: t + 1], noise) for t in range(14)]
    np.testing.assert_allclose(path.gains, expected, atol=GAIN_ROUNDING)


def test_greedy_on_equal_points_goes_round_in_index_order():
    assert greedy_gain(np.eye(3), 7, 0.5).indices.tolist() == [0, 1, 2, 0, 1, 2, 0]


def test_greedy_reports_the_largest_posterior_variance_before_and_after_each_pick():
    matrix, noise = covariance("matern52", 30, stream(5, "peaks")), 0.02
    path = greedy_gain(matrix, 40, noise)
    assert path.max_variance.shape == (41,)
    for t in range(41):
        a = path.indices[:t]
        solved = np.linalg.solve(matrix[np.ix_(a, a)] + noise * np.eye(t), matrix[a])
        posterior = np.diagonal(matrix) - (matrix[a] * solved).sum(axis=0)
        assert path.max_variance[t] == pytest.approx(posterior.max(), abs=GAIN_ROUNDING)


def test_exchanges_never_lose_and_end_where_no_single_exchange_helps():
    improved = 0
    for number in range(12):
        matrix, noise = covariance("se", 14, stream(number, "exchange")), 0.01
        start = greedy_gain(matrix, 5, noise).indices
        end = exchange(matrix, start, noise, passes=50)
        before, after = definition(matrix, start, noise), definition(matrix, end, noise)
        assert after >= before - GAIN_ROUNDING
        improved += after > before + 1e-4
        for j in range(5):
            for new in range(14):
                swapped = end.copy()
                swapped[j] = new
                assert definition(matrix, swapped, noise) <= after + 1e-6
    assert improved >= 3, "the problems were meant to contain greedy sets that are not locally optimal"


def test_exchange_leaves_its_input_alone_and_returns_it_where_removal_is_not_resolved():
    matrix, start = np.eye(3), np.array([0, 0, 0])
    assert sorted(exchange(matrix, start, 0.1).tolist()) == [0, 1, 2]
    assert start.tolist() == [0, 0, 0]
    assert exchange(matrix, start, 1e-9).tolist() == [0, 0, 0]


BAD_COVARIANCES = {
    "not square": np.ones((2, 3)),
    "not a matrix": np.ones(3),
    "empty": np.zeros((0, 0)),
    "nan": np.array([[1.0, np.nan], [np.nan, 1.0]]),
    "infinite": np.array([[np.inf]]),
    "asymmetric": np.array([[1.0, 0.5], [0.4, 1.0]]),
    "negative variance": np.diag([1.0, -1.0]),
    "all zero": np.zeros((2, 2)),
    "text": [["a", "b"], ["c", "d"]],
}


@pytest.mark.parametrize("name", BAD_COVARIANCES)
def test_bad_covariances_are_refused(name):
    for call in (lambda k: information_gain(k, [0], 0.1), lambda k: greedy_gain(k, 2, 0.1)):
        with pytest.raises(ParameterError, match="covariance"):
            call(BAD_COVARIANCES[name])


@pytest.mark.parametrize("noise", [0.0, -1.0, np.nan, np.inf, "0.1", True, None])
def test_bad_noise_is_refused(noise):
    for call in (lambda s: information_gain(np.eye(2), [0], s), lambda s: greedy_gain(np.eye(2), 2, s)):
        with pytest.raises(ParameterError, match="noise_variance"):
            call(noise)


@pytest.mark.parametrize("indices", [[2], [-1], [0.5], [[0, 1]], ["a"], [True]])
def test_bad_indices_are_refused(indices):
    with pytest.raises(ParameterError, match="indices"):
        information_gain(np.eye(2), indices, 0.1)


@pytest.mark.parametrize("horizon", [0, -3, 2.0, "5", True, None])
def test_bad_horizons_are_refused(horizon):
    with pytest.raises(ParameterError, match="horizon"):
        greedy_gain(np.eye(2), horizon, 0.1)


def test_noise_below_float64_resolution_is_an_error_not_a_number():
    with pytest.raises(ConditioningError):
        greedy_gain(np.eye(2), 3, 1e-20)
    with pytest.raises(ConditioningError):
        information_gain(np.ones((3, 3)) - 1e-3 * np.eye(3), [0, 1, 2], 1e-9)
