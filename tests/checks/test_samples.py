"""Cases from arrays: the worst entry is shown, violations are counted, means are refuted beyond their error only."""

import math

import numpy as np
import pytest
from tolerances import FORMULA_RTOL

from companion.checks.samples import expectation, frequency, on_event, standard_error, worst


def test_the_worst_entry_is_reported_and_violations_are_counted():
    case = worst(np.array([1.0, 5.0, 2.0]), np.array([2.0, 3.0, 1.5]), "here")
    assert (case.lhs, case.rhs, case.holds, case.trials, case.failures) == (5.0, 3.0, False, 3, 2)
    assert worst(np.array([-3.0, -1.0]), np.array([-2.0, -1.0]), "here").holds


def test_on_an_event_only_its_runs_count():
    lhs, rhs = np.array([1.0, 5.0, 2.0]), 3.0
    (case,) = on_event(lhs, rhs, np.array([True, False, True]), "here")
    assert (case.holds, case.trials) == (True, 2)
    assert list(on_event(lhs, rhs, np.zeros(3, dtype=bool), "here")) == []


def test_failures_are_counted_for_a_frequency():
    lhs = np.r_[np.ones(30), np.zeros(270)]
    assert (frequency(lhs, 0.5, 0.1, "here").failures, frequency(lhs, 0.5, 0.1, "here").holds) == (30, True)
    assert not frequency(lhs, 0.5, 0.05, "here").holds


def test_an_expectation_is_refuted_only_beyond_its_error():
    sample = np.array([0.0, 2.0] * 50)  # mean 1, standard error near 0.1
    assert expectation(sample, 0.8, "here").holds
    assert not expectation(sample, 0.65, "here").holds
    assert standard_error(sample) == pytest.approx(1 / math.sqrt(99), rel=FORMULA_RTOL)
