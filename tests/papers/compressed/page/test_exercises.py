"""Numbers of the solutions."""

import math
import re

import numpy as np
import pytest
from scipy.stats import norm

from companion.gp import FinitePosterior
from companion.papers.compressed.method import admission
from companion.papers.compressed.method.policy import CompressedBandit
from companion.papers.compressed.page import exercises, findings
from companion.problems import FiniteProblem
from companion.simulate import run_policy


def test_numbers_of_the_solutions_are_those_of_the_formulas():
    assert exercises.first().needed == math.ceil(1 / math.expm1(2e-4) - 1e-3)
    slopes = exercises.table()
    # Printed the other way round.
    np.testing.assert_allclose((slopes.one, slopes.half), (0.5, 0.75), atol=1e-4)
    assert (slopes.printed_one, slopes.printed_half) == (0.75, 0.5)
    assert 0 < exercises.best(0.1).least < 1


def test_the_width_outweighs_the_difference_when_it_is_said_to():
    found = exercises.outweighed()
    # Variances of the two arms by their precisions, after k + 1 and k looks.
    first, second = 1 / (1 + (found.looks + 1) / 0.1), 1 / (2 + found.looks / 0.1)
    for power, gap in ((found.power, 0.1), (found.wide, 1.0)):
        beta = 2 * math.log(2 * math.pi**2 / (6 * found.delta)) + 4 * power * math.log(10)
        assert math.sqrt(beta) * (math.sqrt(second) - math.sqrt(first)) == pytest.approx(gap, rel=1e-9)
    assert (round(found.power), round(found.wide)) == (64, 6461)


def test_three_arms_get_the_widths_of_the_lesson_and_both_ends_are_looked_at():
    told = []

    def play(*given):
        told.append(given)
        return [0, 1, 2, *([1, 1] if given[3] < 7 / 8 else [2, 2])]

    found = exercises.play_numbers(play, 5)
    assert (found.best, found.worst, found.below, found.above) == (True, True, [0, 1, 2, 1, 1], [0, 1, 2, 2, 2])
    covariance, values, noise, threshold, widths = told[0]
    assert covariance.tolist() == [[1, 0, 0.5], [0, 1, 0], [0.5, 0, 1]]
    assert (values.tolist(), noise, threshold) == ([-0.2, 1, -1], 1.0, 0.87)
    np.testing.assert_allclose(widths, [math.sqrt(2 * math.log(3 * t * t * math.pi**2 / 0.6)) for t in range(1, 6)])
    for wrong in ([0, 1, 2, 0, 1], [1, 0, 2, 2, 2]):
        said = exercises.play_numbers(lambda *given, wrong=wrong: wrong, 5)
        assert (said.best, said.worst) == (False, False)


def test_two_arms_of_the_exercise_are_what_the_algorithm_does():
    # Compressed EI on two independent arms, f = (3, 3.1), noise-free observations, the first arm as the initial point.
    rule = admission.information(0.5 * math.log(1.5), 0.01)
    policy = CompressedBandit(np.eye(2), 0.01, "ei", rule, 1.0, [0])
    problem = FiniteProblem("two-arms", np.arange(2.0)[:, None], np.array([3.0, 3.1]), 0.0, "made for this test")
    run = run_policy(policy, problem, 1001, np.zeros(1001))
    assert (run.query == 0).all()
    found = exercises.maximiser()
    assert found.chosen == pytest.approx(sum(run.diagnostics["variance"]))
    right = 2 / math.log(101) * (0.5 * math.log(101) + 0.5 * math.log(1.5) * 999)
    assert found.right == pytest.approx(right)
    assert right < 1000


def test_points_needed_before_a_rejection_are_those_of_a_single_arm():
    variance, copies = 1.0, 0
    while variance > 0.001 * math.expm1(2e-4):
        variance, copies = 1.0 / (1.0 / variance + 1000.0), copies + 1
    assert findings.needed() == copies


def test_the_log_is_the_exercises_and_its_solution_the_posteriors(root):
    text = (root / "notebooks" / "ch2_compressed.py").read_text(encoding="utf-8")
    printed = re.findall(r"^# \| ([A-D]) \| `\[([\d., ]+)\]` \|$", text, flags=re.MULTILINE)
    assert {angle: tuple(map(float, values.split(","))) for angle, values in printed} == exercises.LOG
    at = np.repeat(np.arange(4), [len(values) for values in exercises.LOG.values()])
    posterior = FinitePosterior(np.eye(4), exercises.LOG_NOISE)
    for place, value in zip(at, np.concatenate(list(exercises.LOG.values())), strict=True):
        posterior.observe(int(place), float(value))
    found, mean, sd = exercises.log(), posterior.mean[0], np.sqrt(posterior.variance[0])
    np.testing.assert_allclose([found[f"{angle}_mean"] for angle in "ABCD"], mean)
    np.testing.assert_allclose([found[f"{angle}_sd"] for angle in "ABCD"], sd)
    np.testing.assert_allclose([found[f"{angle}_upper"] for angle in "ABCD"], mean + 3 * sd)
    for width, played in ((found.leave - 0.01, "A"), (found.leave + 0.01, found.next)):
        assert "ABCD"[int(np.argmax(mean + width * sd))] == played


def test_what_further_evaluations_of_the_log_bring_is_the_mean_of_the_largest_mean():
    """By drawing the values that would be seen, and conditioning on them."""
    rng, runs, noise = np.random.default_rng(0), 400_000, exercises.LOG_NOISE
    count = np.array([len(values) for values in exercises.LOG.values()])
    total = np.array([sum(values) for values in exercises.LOG.values()])
    mean = total / (count + noise)
    f = mean + np.sqrt(noise / (count + noise)) * rng.standard_normal((runs, 4))
    for which in ("A", "B", "D", "ABB", "DDD", "BCD"):
        more = np.array([which.count(angle) for angle in exercises.LOG])
        seen = more * f + np.sqrt(noise * more) * rng.standard_normal((runs, 4))
        largest = ((total + seen) / (count + more + noise)).max(axis=1) - mean.max()
        brings = exercises.log_brings(which)
        assert brings == pytest.approx(largest.mean(), abs=4 * largest.std() / math.sqrt(runs)), which
    found = exercises.log()
    assert (found.one, found.free, found.kept) == ("D", "ABB", "DDD")
    assert found.D_brings == pytest.approx(1e4 * exercises.log_brings("D"))
    # Where two move, the closed form of the hint, which leaves out the others.
    apart, theta = mean[0] - mean[1], math.sqrt(noise * (1 / 5.1 - 1 / 6.1 + 1 / 4.1 - 1 / 6.1))
    closed = theta * norm.pdf(apart / theta) - apart * norm.cdf(-apart / theta)
    assert closed == pytest.approx(exercises.log_brings("ABB"), rel=1e-6)
    assert found.kept_brings < found.free_brings


def test_the_budget_of_the_log_counts_what_was_kept_before():
    assert [exercises.log_keeps(which) for which in ("A", "B", "BB", "BCD", "DDD", "CCC")] == [
        False,
        True,
        False,
        *[True] * 3,
    ]


def test_skipping_is_counted_against_keeping_everything_on_the_same_draws():
    found = exercises.budgets(0, 5)
    assert (found.first, found.second, found.third) == exercises.BUDGETS
    assert 5 == found.functions >= found.small >= found.large >= 0


def test_a_frozen_run_keeps_nothing_more(small):
    assert exercises.freeze(small).later == 0
