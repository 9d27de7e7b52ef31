"""The admission rules against entropies written out, and the kernel-distance rule of Lemma 7.1."""

import math

import numpy as np
import pytest
from tolerances import KERNEL_DISTANCE_ATOL

from companion.core.errors import ParameterError
from companion.gp import FinitePosterior, Matern, SquaredExponential, grid
from companion.papers.compressed.method import admission


def entropy(variance, noise_variance):
    return 0.5 * math.log(2 * math.pi * math.e * (variance + noise_variance))


@pytest.mark.parametrize("noise_variance", [1e-3, 0.25, 1.0])
@pytest.mark.parametrize("epsilon", [1e-4, 0.05, 0.3])
def test_info_keeps_what_raises_the_entropy_by_more_than_the_budget(noise_variance, epsilon):
    rule = admission.information(epsilon, noise_variance)
    variances = np.random.default_rng(0).uniform(0, 4 * noise_variance * math.expm1(2 * epsilon), 500)
    for variance in variances:
        assert rule.admits(variance) == (entropy(variance, noise_variance) > entropy(0.0, noise_variance) + epsilon)
    assert 300 < sum(rule.admits(variance) for variance in variances) < 450  # a quarter lies below the threshold


def test_raw_thresholds_the_entropy_itself():
    rule = admission.raw_entropy(1e-4, 1e-3)
    for variance in np.random.default_rng(1).uniform(0, 0.12, 200):
        assert rule.admits(variance) == (entropy(variance, 1e-3) > 1e-4)
    assert rule.threshold == pytest.approx(0.05756, abs=5e-6)  # quoted with five decimals


def test_unit_drops_the_noise():
    assert admission.unit_noise(1e-4).threshold == pytest.approx(2.0002e-4, abs=5e-9)
    assert admission.information(1e-4, 1e-3).threshold == pytest.approx(1e-3 * admission.unit_noise(1e-4).threshold)


@pytest.mark.parametrize(("horizon", "alpha"), [(100, 0.5), (20_000, 1.0), (7, 0.0)])
def test_the_horizons_budget_gives_u_equal_to_a_power(horizon, alpha):
    assert math.exp(2 * admission.horizon_budget(horizon, alpha)) - 1 == pytest.approx(horizon**-alpha)


def test_by_reading_names_every_rule():
    assert [admission.by_reading(name, 0.1, 0.5).reading for name in admission.READINGS] == list(admission.READINGS)
    assert admission.dense().admits(0.0)
    assert not admission.information(0.0, 0.5).admits(0.0)
    with pytest.raises(ParameterError, match="reading"):
        admission.by_reading("entropy", 0.1, 0.5)
    with pytest.raises(ParameterError, match="epsilon"):
        admission.information(-0.1, 0.5)


def distance(kernel, points, chosen, index, penalty):
    """min over v of |k(x,.) - sum_i v_i k(d_i,.)|^2 + penalty |v|^2, by least squares on a feature map of the points."""
    features = np.linalg.cholesky(kernel(points) + 1e-13 * np.eye(len(points)))
    columns = np.vstack([features[chosen].T, math.sqrt(penalty) * np.eye(len(chosen))])
    target = np.concatenate([features[index], np.zeros(len(chosen))])
    v, *_ = np.linalg.lstsq(columns, target, rcond=None)
    return float(np.sum((columns @ v - target) ** 2))


@pytest.mark.parametrize("kernel", [SquaredExponential(0.3), Matern(0.5, 0.3), Matern(2.5, 0.5)])
@pytest.mark.parametrize("dim", [1, 2])
def test_the_rule_is_the_kernel_distance_rule(kernel, dim):
    points, noise_variance, u = grid(30 if dim == 1 else 6, dim), 1e-2, 0.8
    posterior = FinitePosterior(kernel(points), noise_variance)
    rule = admission.information(0.5 * math.log1p(u), noise_variance)
    generator = np.random.default_rng(3)
    chosen, decisions = [], []
    for index in generator.integers(len(points), size=40):
        if chosen:
            squared = distance(kernel, points, chosen, index, noise_variance)
            assert posterior.variance[0, index] == pytest.approx(squared, abs=KERNEL_DISTANCE_ATOL)
            assert rule.admits(posterior.variance[0, index]) == (squared > noise_variance * u)
        decisions.append(rule.admits(posterior.variance[0, index]))
        if decisions[-1]:
            posterior.observe(int(index), 0.0)
            chosen.append(index)
    assert 0 < sum(decisions) < len(decisions)
