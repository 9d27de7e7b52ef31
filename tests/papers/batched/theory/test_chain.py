import math
from itertools import pairwise

import numpy as np
import pytest
from tolerances import CHAIN_RTOL

from companion.bounds.confidence import UnionBoundWidth
from companion.core.errors import AssumptionError, ParameterError
from companion.core.randomness import stream
from companion.gp import FinitePosterior, Matern, SquaredExponential, grid, rkhs_expansion
from companion.papers.batched.method.policy import BPE, BatchRecord, RobustBPE
from companion.papers.batched.method.sizes import constant_sizes, original_sizes, power_sizes
from companion.papers.batched.problems.catalogue import robust_problem
from companion.papers.batched.theory.chain import coverage, per_batch, regret_chain
from companion.problems import FiniteProblem
from companion.simulate import run_policy


def gain_ceiling(covariance, noise_variance, counts):
    """gamma_n <= greedy / (1 - 1/e) for a monotone submodular function."""
    design = FinitePosterior(covariance, noise_variance)
    found = {}
    for count in sorted(counts):
        design.select_max_variance(count - design.count)
        found[count] = float(design.gain[0]) / (1 - 1 / math.e)
    return found


def played(kernel, dim, axis, sizes, noise_sd, seed, norm=1.0):
    points = grid(axis, dim)
    function = rkhs_expansion(kernel, points, stream(seed, "f"), norm=norm)
    problem = FiniteProblem("x", points, function.values, noise_sd, "test")
    width = UnionBoundWidth(norm, len(points), len(sizes), 0.1)
    policy = BPE(kernel(points), noise_sd**2, sizes, width)
    run = run_policy(policy, problem, sum(sizes), noise_sd * stream(seed, "noise").standard_normal(sum(sizes)))
    upper = gain_ceiling(kernel(points), noise_sd**2, {*sizes, sum(sizes)})
    return policy, problem, run, upper


CASES = [
    # kernel, smoothness, dim, points per axis, noise sd, schedule, a
    (SquaredExponential(0.2), math.inf, 1, 40, 0.1, "power", 0.6),
    (SquaredExponential(0.3), math.inf, 2, 8, 0.5, "power", 0.75),
    (Matern(2.5, 0.2), 2.5, 1, 40, 0.02, "power", 0.6),
    (Matern(2.5, 0.2), 2.5, 1, 40, 0.1, "power", 0.5),  # Case 2: eta = 5/12
    (Matern(1.5, 0.3), 1.5, 2, 7, 0.2, "power", 0.4),  # Case 2: eta = 0.3
    (Matern(0.5, 0.5), 0.5, 1, 30, 1.0, "original", None),
    (Matern(1.5, 0.2), 1.5, 1, 40, 0.1, "original", None),
    (Matern(1.5, 0.2), 1.5, 1, 40, 0.1, "constant", None),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[5]}-{case[6]}")
@pytest.mark.parametrize("seed", range(3))
def test_every_inequality_of_the_chain_holds(case, seed):
    kernel, nu, dim, axis, noise_sd, schedule, a = case
    sizes = {
        "power": lambda: power_sizes(600, a),
        "original": lambda: original_sizes(600),
        "constant": lambda: constant_sizes(600, 3, nu, dim),
    }[schedule]()
    policy, problem, run, upper = played(kernel, dim, axis, sizes, noise_sd, seed)
    chain = regret_chain(
        policy.history, problem, gain_upper=upper, schedule=schedule, a=a, nu=nu, dim=dim, trivial=900.0
    )
    assert chain.violations() == ()
    assert chain.steps[0].value == pytest.approx(run.cumulative_regret[-1], rel=CHAIN_RTOL)
    assert chain.side == {"trivial": 900.0}
    last = {"power": "T1c: closed form", "original": "with factor B", "constant": "certified gain"}[schedule]
    assert chain.steps[-1].name == last
    for row in per_batch(policy.history, problem, gain_upper=upper):
        order = [row[key] for key in ("measured", "worst_active", "widths", "realised", "certified")]
        assert all(before <= after * (1 + 1e-9) for before, after in pairwise(order))


def test_the_values_are_the_formulas():
    sizes = power_sizes(500, 0.6)
    policy, problem, run, upper = played(Matern(2.5, 0.2), 1, 30, sizes, 0.1, 0)
    width = 1.0 + math.sqrt(2 * math.log(30 * len(sizes) / 0.1))
    c1 = 8 / math.log(1 + 100)
    bests, sds, gains = [], [], []
    regret = problem.values.max() - problem.values
    for record in policy.history:
        bests.append(record.size * max(regret[x] for x in np.flatnonzero(record.active)))
        sds.append(max(record.sd))
        gram = Matern(2.5, 0.2)(problem.points[record.query])
        gains.append(0.5 * np.linalg.slogdet(np.eye(record.size) + gram / 0.01)[1])
    chain = regret_chain(policy.history, problem, gain_upper=upper, schedule="power", a=0.6)
    first = 2 * sizes[0] * width
    expected = {
        "measured": sum(regret[run.query]),
        "worst active point": sum(bests),
        "four widths": first + sum(4 * n * width * s for n, s in zip(sizes[1:], sds, strict=False)),
        "realised gain": first
        + sum(
            2 * math.sqrt(c1) * width * sizes[i] * math.sqrt(gains[i - 1] / sizes[i - 1]) for i in range(1, len(sizes))
        ),
        "certified gain": first
        + sum(
            2 * math.sqrt(c1) * width * sizes[i] * math.sqrt(upper[sizes[i - 1]] / sizes[i - 1])
            for i in range(1, len(sizes))
        ),
        "T1b: in terms of T": 4 * width * 500**0.4
        + 4
        * math.sqrt(c1 * 500 * upper[500])
        * width
        * sum(500 ** (0.6 ** (i - 1) * -0.1) for i in range(2, len(sizes) + 1)),
        "T1c: closed form": 4
        * max(upper[500] ** -0.5, math.sqrt(c1))
        / (1 - 2 ** -(0.4 * 0.1))
        * width
        * math.sqrt(500 * upper[500]),
    }
    assert {step.name: step.value for step in chain} == pytest.approx(expected, rel=1e-9)


def sharp_record():
    """Two candidates whose bounds touch: f(0) = 3 on its upper bound 2 + 1, f(1) = -1 on its lower bound 0 - 1.

    LCB(0) = 1 = UCB(1), so candidate 1 survives with a regret of exactly four widths (width 4, sd 1/4).
    """
    both = np.array([True, True])
    common = {"width": 4.0, "active": both, "sampled": both, "survivors": both, "modelled": np.array([0, 1])}
    common |= {"sd": np.array([0.25, 0.25]), "gain": 1.0, "largest_sd": 0.25}
    design, later = np.array([0, 1]), np.full(5, 1)
    history = [
        BatchRecord(number=1, size=2, query=design, charged=design, mean=np.array([2.0, 0.0]), **common),
        BatchRecord(number=2, size=5, query=later, charged=later, mean=np.array([3.0, -1.0]), **common),
    ]
    return history, FiniteProblem("sharp", np.arange(2.0)[:, None], np.array([3.0, -1.0]), 0.5, "test")


def test_four_widths_cannot_be_improved_and_smaller_constants_are_caught():
    history, problem = sharp_record()
    rows = per_batch(history, problem)
    assert rows[1]["measured"] == rows[1]["worst_active"] == rows[1]["widths"] == 5 * 4.0
    chain = regret_chain(history, problem)
    assert chain.holds
    first = 2 * 2 * 4.0
    three_and_a_half = (first + 3.5 / 4 * 20.0) / chain["four widths"].value
    # The first batch has room of its own; without it, 3.5 widths fall short of the regret.
    assert rows[1]["measured"] > three_and_a_half * chain["four widths"].value - first


def test_lemma_9_is_nearly_sharp_and_half_of_its_constant_is_caught():
    # Independent arms, each sampled once at noise sd 10: sd^2 = 100/101 against C I / N = 1.
    arms, noise_sd = 20, 10.0
    values = np.linspace(-1, 1, arms)
    problem = FiniteProblem("arms", np.arange(arms)[:, None], values, noise_sd, "test")
    policy = BPE(np.eye(arms), noise_sd**2, (arms, 5 * arms), UnionBoundWidth(6.0, arms, 2, 0.1))
    run_policy(policy, problem, 6 * arms, noise_sd * stream(0, "n").standard_normal(6 * arms))
    chain = regret_chain(policy.history, problem)
    assert chain.holds
    assert [v.larger.name for v in chain.scaled("realised gain", 0.5).violations()] == ["realised gain"]
    ratio = dict(zip([step.name for step in chain][1:], chain.ratios(), strict=True))["realised gain"]
    assert 1.0 <= ratio < 1.02


def test_every_step_has_a_wrong_constant_that_is_caught():
    policy, problem, _, upper = played(Matern(2.5, 0.2), 1, 30, power_sizes(500, 0.6), 0.1, 0)
    chain = regret_chain(policy.history, problem, gain_upper=upper, schedule="power", a=0.6)
    for before, step in zip(chain.steps, chain.steps[1:], strict=False):
        too_small = 0.99 * before.value / step.value
        assert step.name in [v.larger.name for v in chain.scaled(step.name, too_small).violations()]


@pytest.mark.parametrize("refinement", ["none", "repaired"])
@pytest.mark.parametrize("name", ["toy-1d", "peak-2d"])
def test_the_robust_chain_holds_and_pays_six_for_four(name, refinement):
    modelled = robust_problem(name)
    sizes = power_sizes(800, 0.6)
    width = UnionBoundWidth(modelled.known_norm, modelled.problem.size, len(sizes), 0.1)
    nb = modelled.problem.neighbours
    policy = RobustBPE(modelled.covariance, 0.01, sizes, width, nb, refinement=refinement)
    run = run_policy(policy, modelled.problem, 800, 0.1 * stream(1, "n").standard_normal(800))
    upper = gain_ceiling(modelled.covariance, 0.01, {*sizes, 800})
    chain = regret_chain(policy.history, modelled.problem, gain_upper=upper, schedule="power", a=0.6)
    assert chain.violations() == ()
    assert chain["measured"].value == pytest.approx(run.cumulative_regret[-1], rel=CHAIN_RTOL)
    first = 2 * sizes[0] * policy.history[0].width
    later = chain["realised gain"].value - first
    assert chain["six widths"].value == pytest.approx(first + 1.5 * later, rel=CHAIN_RTOL)


def test_the_literal_reading_breaks_the_chain_at_its_first_link():
    modelled = robust_problem("toy-1d")
    sizes = power_sizes(800, 0.6)
    nb = modelled.problem.neighbours
    policy = RobustBPE(modelled.covariance, 0.01, sizes, 3.0, nb, reading="literal")
    run_policy(policy, modelled.problem, 800, 0.1 * stream(1, "n").standard_normal(800))
    rows = per_batch(policy.history, modelled.problem, require_valid=False)
    assert any(row["measured"] > row["worst_active"] for row in rows)


def test_a_run_whose_bounds_failed_is_refused():
    policy, problem, _, _ = played(Matern(2.5, 0.2), 1, 30, (50, 100), 0.1, 0)
    narrow = [BatchRecord(**{**record.__dict__, "width": 0.1}) for record in policy.history]
    assert not coverage(narrow, problem.values)["valid"]
    with pytest.raises(AssumptionError, match="confidence bound failed"):
        regret_chain(narrow, problem)
    assert not regret_chain(narrow, problem, require_valid=False).holds
    uneven = [BatchRecord(**{**r.__dict__, "width": r.width + r.number}) for r in policy.history]
    with pytest.raises(AssumptionError, match="different widths"):
        regret_chain(uneven, problem)


def test_a_width_below_the_height_of_the_function_is_refused():
    # |f| <= Psi <= width is what makes two widths cover the first batch; valid bounds alone do not.
    history, problem = sharp_record()
    small = [BatchRecord(**{**r.__dict__, "width": 2.0, "sd": 2 * r.sd, "largest_sd": 0.5}) for r in history]
    assert coverage(small, problem.values)["valid"]
    with pytest.raises(AssumptionError, match="above the width"):
        per_batch(small, problem)


def test_gains_must_be_known_at_every_batch():
    policy, problem, _, upper = played(Matern(2.5, 0.2), 1, 30, (50, 100), 0.1, 0)
    with pytest.raises(ParameterError, match="gain_upper"):
        regret_chain(policy.history, problem, gain_upper={10: 1.0})
    # A bound at a larger count also bounds the smaller one.
    larger = regret_chain(policy.history, problem, gain_upper={100: upper[100]})["certified gain"].value
    assert larger > regret_chain(policy.history, problem, gain_upper=upper)["certified gain"].value


def test_coverage_is_the_largest_standardised_error():
    history, problem = sharp_record()
    found = coverage(history, problem.values)
    assert found == {"worst": [4.0, 0.0], "valid": True}
    assert coverage(history, problem.values + 0.25) == {"worst": [5.0, 1.0], "valid": False}


@pytest.mark.slow
def test_the_theory_width_fails_in_fewer_than_a_share_delta_of_runs_and_half_of_it_in_many():
    points = grid(60, 1)
    kernel = Matern(2.5, 0.2)
    sizes = power_sizes(300, 0.6)
    covariance = kernel(points)
    full = UnionBoundWidth(1.0, 60, len(sizes), 0.1).width()
    worst = []
    for seed in range(150):
        function = rkhs_expansion(kernel, points, stream(seed, "f"))
        problem = FiniteProblem("x", points, function.values, 0.1, "test")
        policy = BPE(covariance, 0.01, sizes, full)
        run_policy(policy, problem, 300, 0.1 * stream(seed, "noise").standard_normal(300))
        worst.append(max(coverage(policy.history, problem.values)["worst"]))
    worst = np.array(worst)
    # 24 failures in 150 would be beyond the 99 % point of a binomial with probability 0.1.
    assert (worst > full).sum() < 24
    assert (worst > full / 2).sum() >= 24
