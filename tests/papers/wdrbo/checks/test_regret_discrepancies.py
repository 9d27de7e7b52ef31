"""Leads on regret, figures, tables and code: verdicts, and the tools that decide them."""

import math

import numpy as np
import pytest
from scipy import stats
from tolerances import FORMULA_RTOL, PRINTED_3_DIGITS

from companion import registry
from companion.checks.statement import by_id
from companion.papers.wdrbo.checks import (
    experiments_code_discrepancies,
    experiments_discrepancies,
    regret_discrepancies,
)
from companion.papers.wdrbo.problems.general import laws

ALL = registry.leads("wdrbo")


def test_numbers_of_the_counterexample():
    values = by_id(ALL, "E2").test().values
    assert values["violated_below"] == pytest.approx(0.0148, abs=PRINTED_3_DIGITS)
    assert values["proved_from"] == pytest.approx(0.398, abs=PRINTED_3_DIGITS)
    regrets, printed, ours = values["rows"]["0.001"]
    assert (regrets, printed, ours) == pytest.approx((50.0, 16.9, 144.0), rel=0.005)


def test_rarest_failure_is_a_failure():
    """At the delta found the needed inequality is an equation; at a larger one it holds."""
    log_delta = regret_discrepancies.rarest_failure() * math.log(10.0)
    assert -19.0 < log_delta / math.log(10.0) < -16.0
    t = 200
    p = 1.0 - math.exp(log_delta / t)
    harmonic = sum(1.0 / i for i in range(1, t + 1))
    gain = max(math.log1p(a) + math.log1p(t - 1 - a) for a in range(t))
    left = t * p + (1.0 - p) * harmonic
    right = 4.0 * gain + 16.0 / t * (math.log(6.0) - log_delta)
    assert left == pytest.approx(right, rel=1e-6)


def test_distance_of_laws_against_a_sample_based_one():
    told, true = laws("sd", True)
    u = (np.arange(20_000) + 0.5) / 20_000
    expected = stats.wasserstein_distance(told.quantile(u), true.quantile(u))
    assert experiments_discrepancies.distance(told, true) == pytest.approx(expected, rel=1e-4)
    shift = laws("sd", False)[0]
    moved = type(shift)(shift.mean + 0.25, shift.sd, shift.low + 0.25, shift.high + 0.25)
    assert experiments_discrepancies.distance(shift, moved) == pytest.approx(0.25, rel=FORMULA_RTOL)


def test_numbers_of_the_paper_numbering():
    assert regret_discrepancies.LABELS[6] == "Corollary"
    assert regret_discrepancies.LABELS[20] == "Lemma"
    assert set(regret_discrepancies.LABELS) == set(range(1, 23))


def test_the_published_penalty_has_no_gradient():
    share, same = experiments_code_discrepancies.penalty_gradient("code")
    assert same == 0.0
    assert share > 0.1


def test_biases():
    found = experiments_code_discrepancies.biases()
    assert found["ackley (text)"] == pytest.approx(1.074, abs=PRINTED_3_DIGITS)
    assert found["ackley (code)"] == pytest.approx(-0.249, abs=PRINTED_3_DIGITS)
