"""Vectorised runs of TS-RSR against the policy, and the bounds' closed forms against enumeration and quadrature."""

import itertools
import math

import numpy as np
import pytest
from tolerances import POSTERIOR_ATOL

from companion.core.errors import AssumptionError, ParameterError
from companion.gp import Matern, SquaredExponential, grid
from companion.information import gain_bracket, information_gain
from companion.papers.tsrsr.theory import bounds
from companion.papers.tsrsr.theory.runs import expected_chain, play

NOISE = 0.25
COVARIANCES = [SquaredExponential(0.2)(grid(12, 1)), Matern(1.5, 0.4)(grid(4, 2)), np.eye(5)]


@pytest.fixture(scope="module", params=range(3))
def runs(request):
    return play(COVARIANCES[request.param], 6, 3, NOISE, 200, np.random.default_rng(request.param))


def replayed(runs, run):
    """Posterior sd of every chosen point by direct inversion, and mu_t from the definition with unknown noise left out."""
    order = runs.chosen[run].ravel()
    found = []
    for count, index in enumerate(order):
        seen = order[:count]
        gram = runs.covariance[np.ix_(seen, seen)] + NOISE * np.eye(count)
        cross = runs.covariance[seen, index]
        found.append(runs.covariance[index, index] - cross @ np.linalg.solve(gram, cross) if count else 1.0)
    return np.array(found).reshape(runs.chosen.shape[1:])


def test_recorded_variances_are_conditioned_on_everything_before(runs):
    for run in (0, 17):
        np.testing.assert_allclose(runs.variance[run], replayed(runs, run), atol=POSTERIOR_ATOL)


def test_choices_minimise_the_ratio(runs):
    """In the first round mu = 0: the ratio is least at the largest sd, or, for a negative maximum, at the smallest."""
    for run in range(20):
        covariance = runs.covariance.copy()
        for maximum, index in zip(runs.sampled_maximum[run, 0], runs.chosen[run, 0], strict=True):
            variance = np.diag(covariance)
            best = variance.max() if maximum > 0 else variance.min()
            assert variance[index] == pytest.approx(best, abs=POSTERIOR_ATOL)
            column = covariance[:, index]
            covariance = covariance - np.outer(column, column) / (column[index] + NOISE)


def test_regret_is_that_of_the_recorded_points(runs):
    total = sum(runs.values[3].max() - runs.values[3][index] for index in runs.chosen[3].ravel())
    assert runs.regret[3] == pytest.approx(total)
    pieces = runs.bias + (runs.ratio * np.sqrt(runs.variance)).sum(axis=(1, 2))
    np.testing.assert_allclose(runs.sampled_regret, pieces, atol=POSTERIOR_ATOL)


def test_regret_falls_with_more_rounds():
    covariance = COVARIANCES[0]
    few, many = (play(covariance, rounds, 2, NOISE, 300, np.random.default_rng(0)) for rounds in (5, 40))
    assert many.regret.mean() / 80 < 0.6 * few.regret.mean() / 10


def test_resampling_accepts_at_least_half_and_raises_the_sampled_regret():
    kept = play(COVARIANCES[0], 5, 5, 1.0, 1000, np.random.default_rng(0), resample=True)
    assert 0.5 < kept.accepted < 0.95
    gap = kept.sampled_regret - kept.regret
    assert gap.mean() > 5 * gap.std() / math.sqrt(1000)


def test_chain_in_expectation_holds_and_notices_a_wrong_constant(runs):
    gain = gain_bracket(runs.covariance, 18, NOISE).upper
    chain = expected_chain(runs, gain)
    assert chain.holds
    assert chain.side["sharp"] < chain.steps[-1].value
    assert not chain.scaled("information gain", 0.3).holds
    with pytest.raises(ParameterError, match="resampled"):
        expected_chain(play(runs.covariance, 2, 2, NOISE, 20, np.random.default_rng(0), resample=True), gain)


@pytest.mark.parametrize("seed", range(40))
def test_variance_ratio_is_the_maximum_over_all_points_histories_and_sets(seed):
    generator = np.random.default_rng(seed)
    root = generator.standard_normal((4, 4))
    covariance = root @ root.T
    covariance /= np.diag(covariance).max()
    noise, extra = float(generator.uniform(0.05, 2.0)), int(generator.integers(1, 4))

    def variance(index, seen):
        if not seen:
            return covariance[index, index]
        gram = covariance[np.ix_(seen, seen)] + noise * np.eye(len(seen))
        cross = covariance[list(seen), index]
        return covariance[index, index] - cross @ np.linalg.solve(gram, cross)

    histories = [(), (0,), (1, 2), (3, 3)]
    most = max(
        variance(index, history) / variance(index, history + added)
        for history in histories
        for added in itertools.combinations_with_replacement(range(4), extra)
        for index in range(4)
    )
    assert bounds.variance_ratio(extra, noise) == pytest.approx(math.sqrt(most), rel=1e-9)


def test_theorem_1_by_hand_and_its_relatives():
    n, big = 12, 25
    c = 2 / math.log(1 + 1 / 0.3)
    first = 2 * math.sqrt(2 * math.log(4 * big * n**3)) * math.sqrt(1 + 3 / 0.3) * math.sqrt(n * c * 2.2)
    assert bounds.theorem1(big, 4, 3, 0.3, 2.2) == pytest.approx(first + math.sqrt(24 * n * math.log(big)))
    sharp = math.sqrt(1 + 1 / 0.3) * math.sqrt(2 + 2 * math.log(big / 2)) * math.sqrt(n * c * 2.2)
    assert bounds.theorem1_sharp(big, 4, 3, 0.3, 2.2) == pytest.approx(sharp)
    assert bounds.theorem1_sharp(big, 4, 3, 0.3, 2.2, resampled=True) > sharp
    for noise in (1e-6, 0.01, 1.0, 100.0):
        gain = information_gain(np.eye(2), [0], noise)  # gamma_1 with k = 1: the smallest gain that can occur
        assert bounds.theorem1(big, 4, 3, noise, gain) <= bounds.theorem1_one_term(big, 4, 3, noise, gain)


def test_corollary_needs_a_long_enough_design():
    assert bounds.corollary1(25, 10, 4, 1.0, 3.0, 12, 2.9) > bounds.theorem1(25, 10, 4, 1.0, 3.0, ratio=math.e)
    with pytest.raises(AssumptionError, match="corollary-1"):
        bounds.corollary1(25, 10, 4, 1.0, 3.0, 11, 2.9)
