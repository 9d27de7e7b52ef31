import math

import numpy as np
import pytest
from tolerances import FORMULA_RTOL

from companion.core.errors import ParameterError
from companion.papers.batched.method.sizes import eta, power_sizes
from companion.papers.batched.theory import rates

INF = math.inf
KERNELS = [(INF, 1), (INF, 2), (INF, 3), (0.5, 1), (1.5, 1), (1.5, 2), (2.5, 2)]
INSTANCES = [(10**k, batches, nu, dim) for k in range(3, 13) for batches in range(2, 6) for nu, dim in KERNELS]


@pytest.mark.parametrize("rule", rates.RULES)
def test_batches_are_balanced(rule):
    seen = 0
    for horizon, batches, nu, dim in INSTANCES:
        if rule == "constant" and nu == INF and horizon <= 1.2 * math.log(horizon) ** (dim + 1):
            continue
        ratios = rates.balance_ratios(rule, horizon, batches, nu, dim)
        assert ratios.shape == (batches - 1,)
        assert np.all((ratios >= 2 ** -eta(nu, dim)) & (ratios <= 2))
        assert np.all((ratios > 0.996) & (ratios < 1.002))  # the ceilings hardly matter
        seen += 1
    assert seen > 250


def test_another_power_of_the_logarithm_is_not_balanced():
    right = rates.balance_ratios("reference", 10**6, 3, INF, 2, log_exponent=2 * 0.25)
    np.testing.assert_allclose(right, rates.balance_ratios("reference", 10**6, 3, INF, 2), rtol=FORMULA_RTOL)
    assert np.all(rates.balance_ratios("reference", 10**6, 3, INF, 2, log_exponent=2 * 0.5) > 2)
    assert np.all(rates.balance_ratios("constant", 10**6, 3, INF, 2, log_exponent=2 * 0.5) < 2**-0.5)


def test_relative_length_vanishes_when_the_number_of_batches_grows():
    smooth = [rates.least_relative_length(10**6, batches, INF, 2) for batches in (4, 5, 6, 8, 11, 16)]
    np.testing.assert_allclose(smooth, [0.526, 0.303, 0.163, 0.043, 0.0055, 0.0002], atol=6e-4)
    rough = [rates.least_relative_length(10**6, batches, 1.5, 2) for batches in (4, 16)]
    np.testing.assert_allclose(rough, [0.231, 0.0], atol=6e-4)


def test_lemma_12_never_has_more_logarithms_than_lemma_11():
    for batches in range(2, 20):
        for nu, dim in KERNELS:
            older, newer = (rates.regret_exponents(lemma, batches, nu, dim) for lemma in (11, 12))
            assert older[0] == newer[0]
            assert newer[1] < older[1]
    assert rates.regret_exponents(12, 4, 1.5, 2)[1] <= eta(1.5, 2)
    assert rates.regret_exponents(12, 2, INF, 3) == (pytest.approx(2 / 3), pytest.approx(4 / 3))
    assert rates.regret_exponents(11, 2, INF, 3) == (pytest.approx(2 / 3), pytest.approx(1 + 0.5))


def test_simple_regret_exponents():
    rough = rates.simple_regret_exponents(1.5, 2)
    assert rough == {"upper": (pytest.approx(-0.3), pytest.approx(0.3)), "lower": (pytest.approx(-0.3), 0.0)}
    # sqrt(gamma_T / T) with gamma_T = T^{1-2 eta} (log T)^{2 eta}
    assert rough["upper"][0] == pytest.approx(((1 - 2 * 0.3) - 1) / 2)
    assert rates.simple_regret_exponents(INF, 2) == {"upper": (-0.5, 1.5), "lower": (-0.5, 0.5)}


def test_first_batch_is_dominated():
    a, exponent, horizon = 0.4, 0.3, 1e6
    u1, u2 = horizon ** (1 - a), horizon ** (a * (exponent - a)) * math.sqrt(horizon * horizon ** (1 - 2 * exponent))
    assert math.log(u2 / u1) / math.log(horizon) == pytest.approx(rates.first_batch_exponent(a, exponent))
    assert rates.first_batch_exponent(a, exponent) > 0 > rates.first_batch_exponent(0.2, exponent)


def test_envelope_drift_holds_before_the_last_batch_and_fails_in_it():
    for horizon in (100, 1000, 10**6):
        for a in (0.31, 0.5, 0.75):
            sizes = power_sizes(horizon, a)
            for power in (-2.0, -0.5, 0.0, 0.5, 2.0):
                drift = max((math.log(n) / math.log(horizon)) ** power for n in sizes[:-1])
                assert drift <= rates.envelope_drift(horizon, a, power) * (1 + FORMULA_RTOL)
    assert power_sizes(100, 0.5)[-1] == 1  # log 1 = 0: a negative power is not even defined there


def test_bad_arguments_are_refused():
    with pytest.raises(ParameterError, match=r"^rule: got 'older'"):
        rates.balance_ratios("older", 1000, 3, INF, 2)
    with pytest.raises(ParameterError, match=r"^lemma: got 13"):
        rates.regret_exponents(13, 3, INF, 2)
    with pytest.raises(ParameterError, match=r"^a: got 1"):
        rates.first_batch_exponent(1.0, 0.3)
