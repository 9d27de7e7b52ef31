"""Runs of both algorithms with the sizes of every rule: their summary, their bounds, the structured problems."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from oracles.gp_reference import log_determinant_gain
from tolerances import FORMULA_RTOL, GAIN_RTOL, SERIES_RTOL

from companion.core.errors import ParameterError
from companion.papers.batched.method.sizes import constant_sizes, older_constant_sizes
from companion.papers.batched.theory.robust_runs import RobustSetting, gain_upper, one_run, refined, runs, summary

SMALL = RobustSetting("matern52", 1, 0.1, 100, a=0.6)
PATH = RobustSetting("se", 1, 0.1, 2_000, a=0.6, problem="path")


@pytest.mark.parametrize("setting", [SMALL, replace(SMALL, robust=False), replace(PATH, horizon=300)])
def test_summary_of_a_run_against_its_definition(setting):
    played = one_run(setting, 3)
    run, values, relation = summary(played), played.problem.values, played.problem.neighbourhood.relation
    worst = np.array([values[row].min() for row in relation])
    regret = worst.max() - worst
    for i, record in enumerate(played.history):
        assert run.base[i] == pytest.approx(sum(regret[x] for x in record.charged), rel=SERIES_RTOL)
        assert run.query[i] == pytest.approx(sum(regret[x] for x in record.query), rel=SERIES_RTOL)
        gain = log_determinant_gain(played.modelled.covariance, setting.noise_sd**2, record.query)
        assert run.gains[i] == pytest.approx(gain, rel=GAIN_RTOL)
    assert run.last_base == regret[played.history[-1].charged[-1]]


@pytest.mark.slow
def test_bounds_of_a_run_against_the_printed_formula():
    run = runs(SMALL)[0]
    constant = 2 / math.log(1 + 1 / 0.1**2)
    width = 1.0 + math.sqrt(2 * math.log(30 * len(run.sizes) / 0.2))
    expected = [2 * width * run.sizes[0]]
    for n, before, gain in zip(run.sizes[1:], run.sizes, run.gains, strict=False):
        expected.append(6 * width * math.sqrt(constant * gain / before) * n)
    assert run.bounds(6.0) == pytest.approx(expected, rel=SERIES_RTOL)
    without = run.bounds(6.0, norm=0.0)
    assert without == pytest.approx(np.array(expected) * (width - 1.0) / width, rel=SERIES_RTOL)
    assert run.bounds(6.0, first=1.0)[0] == pytest.approx(expected[0] / 2, rel=FORMULA_RTOL)


def test_certified_gains_exceed_every_realised_one_and_decrease_per_point():
    upper = gain_upper(SMALL)
    for run in runs(SMALL):
        assert all(gain <= upper[n] * (1 + GAIN_RTOL) for n, gain in zip(run.sizes, run.gains, strict=True))
    counts = sorted(upper)
    assert all(upper[m] / m >= upper[n] / n * (1 - FORMULA_RTOL) for m, n in pairwise(counts))


def test_on_the_path_only_the_reading_of_the_algorithm_decides_about_linear_regret():
    played = one_run(PATH, 0)
    last = played.history[-1]
    assert set(last.query) == {0, 1}  # arm 1 is a neighbour of arm 0, the only survivor
    assert set(last.charged) == {0}
    run = summary(played)
    assert run.base[1:].sum() == 0.0
    assert run.query[-1] > 0.4 * 2 * PATH.height * last.size  # half of the rounds, at regret 2h


@pytest.mark.slow
def test_a_dropped_arm_is_not_sampled_and_decides_the_elimination():
    setting = RobustSetting("se", 1, 1.0, rule="given", given=(30, 8_000, 100), problem="dropped")
    printed, repaired = refined(setting, "printed")[0], refined(setting, "repaired")[0]
    for played in (printed, repaired):
        assert set(played.history[0].query) == {0, 1, 2}
        assert set(played.history[1].query) == {0, 2}
    assert list(np.flatnonzero(printed.history[1].survivors)) == [0, 1, 2]
    assert list(np.flatnonzero(repaired.history[1].survivors)) == [0, 1]


def test_an_unknown_problem_is_refused():
    with pytest.raises(ParameterError, match="problem"):
        one_run(replace(PATH, problem="ring"), 0)


def test_the_settings_of_the_fixed_rules_use_the_paper_sizes():
    older = RobustSetting("se", 1, 0.1, 500, "older", batches=3, robust=False)
    assert older.sizes == older_constant_sizes(500, 3, math.inf, 1)
    assert replace(older, rule="constant").sizes == constant_sizes(500, 3, math.inf, 1)
