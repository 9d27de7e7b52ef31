import numpy as np
import pytest
from tolerances import POOLED_RTOL

from companion.core.errors import ConditioningError, ParameterError
from companion.core.randomness import stream
from companion.gp import FinitePosterior, Matern, SquaredExponential, grid
from companion.papers.batched.method.pooled import PooledPosterior


def dense(covariance, noise_variance, picks, values):
    """Equations (15)-(16), one row per observation."""
    cross = covariance[picks]
    gram = covariance[np.ix_(picks, picks)] + noise_variance * np.eye(len(picks))
    mean = cross.T @ np.linalg.solve(gram, values)
    variance = covariance.diagonal() - np.einsum("ij,ij->j", cross, np.linalg.solve(gram, cross))
    gain = 0.5 * np.linalg.slogdet(gram / noise_variance)[1]
    return mean, variance, gain


@pytest.mark.parametrize("kernel", [Matern(1.5, 0.3), SquaredExponential(0.2)])
@pytest.mark.parametrize("noise_variance", [1.0, 1e-2])
def test_it_equals_the_dense_posterior_with_many_repeats(kernel, noise_variance):
    generator = stream(0, "pooled", str(kernel))
    covariance = kernel(generator.random((7, 2)))
    picks = generator.integers(0, 5, 300)  # candidates 5 and 6 are never observed
    values = generator.standard_normal(300)
    posterior = PooledPosterior(covariance, noise_variance)
    for start in (0, 100):  # told in two portions
        portion = picks[start : 100 if start == 0 else None]
        for index in portion:
            posterior.condition(int(index))
        posterior.tell(values[start : start + len(portion)][None, :])
    mean, variance, gain = dense(covariance, noise_variance, picks, values)
    assert posterior.mean[0] == pytest.approx(mean, rel=POOLED_RTOL, abs=POOLED_RTOL)
    assert posterior.variance[0] == pytest.approx(variance, rel=POOLED_RTOL)
    assert posterior.gain[0] == pytest.approx(gain, rel=POOLED_RTOL)
    assert np.array_equal(posterior.indices[0], picks)


@pytest.mark.parametrize("seed", range(5))
def test_its_picks_are_those_of_the_row_engine(seed):
    generator = stream(seed, "pooled picks")
    covariance = Matern(2.5, 0.2)(grid(4, 2))  # symmetric, so there are ties to break
    mask = generator.random(16) < 0.7
    pooled, rows = PooledPosterior(covariance, 0.04), FinitePosterior(covariance, 0.04)
    picked = pooled.select_max_variance(200, mask)
    assert np.array_equal(picked, rows.select_max_variance(200, mask))
    assert mask[picked].all()
    assert pooled.variance == pytest.approx(rows.variance, rel=POOLED_RTOL)


def test_ten_thousand_repeats_end_in_the_exact_variance():
    posterior = PooledPosterior(np.array([[1.0, 0.5], [0.5, 1.0]]), 1e-6)
    posterior.select_max_variance(10_000, np.array([True, False]))
    assert posterior.variance[0, 0] == pytest.approx(1 / (1 + 10_000 / 1e-6), rel=POOLED_RTOL)
    assert posterior.variance[0, 1] == pytest.approx(0.75, rel=POOLED_RTOL)


def test_bad_input_is_refused():
    with pytest.raises(ConditioningError, match="noise_variance"):
        PooledPosterior(np.eye(2), 1e-12)
    posterior = PooledPosterior(np.eye(2), 0.1)
    posterior.condition(1)
    for values in ([[np.nan]], [[1.0, 2.0]], [1.0]):
        with pytest.raises(ParameterError, match="values"):
            posterior.tell(values)
    with pytest.raises(ParameterError, match="index"):
        posterior.condition(2)
    with pytest.raises(ParameterError, match="candidates"):
        posterior.select_max_variance(1, np.zeros(2, dtype=bool))


def test_no_picks_are_none():
    posterior = PooledPosterior(np.asarray(SquaredExponential(0.2)(grid(5, 1))), 0.1)
    assert posterior.select_max_variance(0).shape == (1, 0)
