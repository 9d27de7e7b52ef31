"""Statements and leads on the regret of compressed UCB and EI: verdicts, teeth, and what the verdicts rest on."""

import math

import numpy as np
import pytest
from tolerances import FORMULA_RTOL, PRINTED_3_DIGITS, SERIES_RTOL

from companion.papers.compressed.checks import improvement_acquisition as acquisition
from companion.papers.compressed.checks import improvement_regret as sums
from companion.papers.compressed.checks import regret_confidence as confidence
from companion.papers.compressed.checks import regret_gain as gains
from companion.papers.compressed.checks import regret_games as games
from companion.papers.compressed.checks import regret_rough as rough
from companion.papers.compressed.theory import bounds, freeze, instances

# -- Theorem 3.4 -------------------------------------------------------------------------------------------------------


def test_theorem_3_4_fails_for_little_noise_only():
    for game in (*games.IMPROVING, instances.E):
        assert all(case.holds for case in sums.theorem_3_4(game))
    first = {rounds: [next(sums.theorem_3_4(game, rounds=rounds)) for game in sums.QUIET] for rounds in (True, False)}
    rates = [case.lhs for case in first[True]]
    assert rates[0] < 0.1 < 0.15 < rates[1] < rates[2]
    assert [case.lhs for case in first[False]] == [0.0, 0.0, 0.0]


def test_theorem_3_4_fails_with_the_printed_supremum():
    """A first arm of value v and a million others: the run is followed by hand, and its bound computed from (3.6)."""
    arms = freeze.MILLION
    printed, root = (next(sums.theorem_3_4(arms, power=power)) for power in (1.0, 0.5))
    assert not printed.holds
    assert printed.failures > 100
    assert root.failures == 0
    runs = freeze.first_arm(arms)
    at = int(np.flatnonzero(runs.regret > freeze.allowed(arms))[0])
    beta = 2 * math.log(1e6 * 1e6 * math.pi**2 / 6e-4)
    tail = math.sqrt(2 * 1000 * math.log1p(1e4)) + 1000 * math.sqrt(math.log1p(1000**-0.1))
    front = math.sqrt(3 * (beta + 1 + runs.score[at] ** 2)) + math.sqrt(beta)
    assert freeze.allowed(arms)[at] == pytest.approx(front / math.log1p(1e4) * tail, rel=FORMULA_RTOL)


def test_its_counterexample_by_direct_sampling():
    """One observed arm, then an untried one: regret is the maximum of normal numbers less a fresh one; no model needed."""
    generator = np.random.default_rng(3)
    noise, size = 1e-8, 1000
    values = generator.standard_normal((2000, size))
    score = np.abs(values[:, 0])  # of the untried arms; that of the observed one is far smaller
    beta = 2 * math.log(size * math.pi**2 / 6 / 0.1)
    level = math.log1p(1 / noise)
    bound = (np.sqrt(3 * (beta + 1 + score**2)) + math.sqrt(beta)) / level * (math.sqrt(level) + math.sqrt(math.log(2)))
    rate = np.mean(values.max(axis=1) - values[:, 1] > bound)
    simulated = next(case.lhs for case in sums.theorem_3_4(sums.QUIET[2], rounds=True) if case.delta)
    assert rate > 0.3
    # Five standard errors of a difference of two rates, 300 and 2000 runs.
    assert abs(rate - simulated) < 5 * math.sqrt(0.25 / 300 + 0.25 / 2000)


def test_no_run_contradicts_the_line_with_the_root():
    for game in (*games.IMPROVING, instances.E, *sums.QUIET):
        assert all(case.holds for case in sums.theorem_3_4(game, power=0.5, rounds=True))


def test_a_tie_is_a_round_of_the_algorithm_on_the_event():
    tie = sums.Tie(3, 0.1, 0.3)
    beta = 2 * math.log(3 * math.pi**2 / 6 / 0.1)
    found, left, right = sums._tied(tie)
    assert found == pytest.approx(2 * math.sqrt(beta), rel=FORMULA_RTOL)
    assert left == pytest.approx(math.sqrt(beta) + 1, rel=FORMULA_RTOL)
    assert right == pytest.approx(math.sqrt(beta), rel=FORMULA_RTOL)


# -- what notes say ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("design", gains.DESIGNS)
def test_a_half_suffices_in_front_of_the_eigenvalues(design):
    assert all(case.holds for case in gains.eq_8_58(design, prefactor=0.5))
    hadamard = design.order * design.variance / (2 * design.noise_variance)
    assert gains.largest_gain(design) <= hadamard * (1 + SERIES_RTOL)


def test_the_density_at_zero_suffices_for_the_z_score():
    z = np.linspace(-8, 8, 321)
    sharper = 1 / math.sqrt(2 * math.pi) + np.maximum(-z, 0)
    assert np.all(acquisition.tau(-z) <= sharper * (1 + FORMULA_RTOL))


def test_lemma_9_5_is_an_equality_for_arms_tried_once():
    (case,) = sums.lemma_9_5(instances.B)
    assert case.lhs == pytest.approx(case.rhs, rel=SERIES_RTOL)


def test_the_printed_grid_term_fails_in_the_first_round_of_a_flat_function():
    """Its probability in closed form: |f| exceeds 1 + sqrt(beta) at once, f being one normal number."""
    game = games.FLAT[0]
    beta = float(confidence._schedule(game, 2, "lemma")[0])
    assert 0 <= beta < 0.1
    exact = math.erfc((1 + math.sqrt(beta)) / math.sqrt(2))
    assert exact > 1.5 * game.delta
    rate = next(case.lhs for case in confidence.lemma_8_7(game) if case.delta)
    assert rate >= exact - 4 * math.sqrt(exact / game.runs)  # later rounds can only add; four standard errors


def test_a_corrected_table_agrees_with_the_other_column():
    for dim in (1, 2, 4):
        for row in ("ucb1", "ucb2"):
            assert bounds.table_exponent(row, "a", dim) == bounds.table_exponent(row, "b", dim, printed=False)
            assert bounds.table_exponent(row, "b", dim) == bounds.table_exponent(row, "a", dim, printed=False)
        assert bounds.table_exponent("ei", "b", dim) == bounds.table_exponent("ei", "b", dim, printed=False)


# -- helpers -----------------------------------------------------------------------------------------------------------


def test_improvement_by_quadrature_against_monte_carlo_and_a_closed_form():
    assert acquisition.improvement_by_quadrature(np.zeros(1), np.ones(1), 0.0)[0] == pytest.approx(
        1 / math.sqrt(2 * math.pi), rel=SERIES_RTOL
    )
    sample = np.maximum(0.0, 0.3 + 0.8 * np.random.default_rng(0).standard_normal(400_000) - 0.5)
    found = acquisition.improvement_by_quadrature(np.array([0.3]), np.array([0.8]), 0.5)[0]
    assert abs(sample.mean() - found) < 4 * sample.std() / math.sqrt(len(sample))


def test_largest_gain_and_allocation_by_hand():
    design = gains.Design("independent", 1, 20, 0.5, 10)
    assert gains.largest_gain(design) == pytest.approx(5 * math.log(3), rel=FORMULA_RTOL)
    assert gains.largest_allocation(design) == pytest.approx(10 * math.log(3), rel=SERIES_RTOL)
    pair = gains.Design("se", 1, 2, 0.1, 3)
    correlation = math.exp(-0.5 / 0.3**2)
    two_one = np.array([[1, 1, correlation], [1, 1, correlation], [correlation, correlation, 1]])
    by_hand = 0.5 * math.log(np.linalg.det(np.eye(3) + two_one / 0.1))
    assert gains.largest_gain(pair) == pytest.approx(by_hand, rel=SERIES_RTOL)


# -- leads -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found(investigated):
    return investigated("compressed", modules=("regret", "improvement"))


def test_numbers_behind_the_leads(found):
    values = {identifier: entry["values"] for identifier, entry in found.items()}
    assert values["S8"]["slopes"]["p=1, a"] == pytest.approx(0.5, abs=PRINTED_3_DIGITS)
    assert values["S9"]["(8.61)"] == pytest.approx(2000, rel=FORMULA_RTOL)
    assert values["S9"]["proved"] == pytest.approx(
        math.sqrt(1000 / 1.8) + 100 * math.sqrt(math.log1p(0.1) / 2), rel=1e-9
    )
    assert values["S11"]["equal at"] == pytest.approx(0.582, abs=PRINTED_3_DIGITS)
    assert values["S13"]["runs"] == 5
    assert max(values["S13"]["right"]) < 0.3 * min(values["S13"]["left"])
    assert values["S22"]["gain"] == pytest.approx(values["S22"]["half"], rel=SERIES_RTOL)
    assert values["S25"]["needed"] == pytest.approx(-1.7 * 0.9 + 0.9**2, rel=SERIES_RTOL)
    assert values["S26"]["factor"] == pytest.approx(math.sqrt(2), rel=SERIES_RTOL)
    assert values["U2"]["constant"] == pytest.approx(8.0, rel=SERIES_RTOL)
    assert values["U3"]["ratio"] == pytest.approx(1.0, rel=SERIES_RTOL)
    assert values["U6"]["rates"]["all states"][2] == 0.0
    assert values["U6"]["all states"] == values["S11"]["all states"][0] > 10 * freeze.MILLION.delta
    assert 0.99 < values["U10"]["ratio"] < 1.0


# -- rough functions ---------------------------------------------------------------------------------------------------


def test_rough_draws_have_the_kernel():
    """Correlations up to five points apart, from 2 times 25,000 points; five standard errors of about 0.01."""
    drawn = rough._draws(rough.Rough(1e-4), np.random.default_rng(0))
    assert drawn.shape == (2, 25_000)
    for lag in range(6):
        found = float(np.mean(drawn[:, : -lag or None] * drawn[:, lag:]))
        assert found == pytest.approx(math.exp(-0.5 * (0.4 * lag) ** 2), abs=0.05)


def test_rough_maxima_are_those_of_upcrossings():
    """Rice: P(max > u) is about 1 - exp(-e^(-u^2/2) / (2 pi l)); the median of a draw's maximum from it."""
    found = rough.first_rounds(rough.Rough(1e-4, runs=200)).top
    median = math.sqrt(2.0 * math.log(1.0 / (2.0 * math.pi * 1e-4 * math.log(2.0))))
    assert np.median(found) == pytest.approx(median, abs=0.1)


def test_nothing_is_known_before_the_first_observation():
    found = rough.first_rounds(rough.Rough(1e-4, runs=200))
    assert found.near_mean[:, 0].tolist() == [0.0] * 200
    assert found.near_sd[:, 0].tolist() == [1.0] * 200
    assert found.near_sd[:, -1].mean() > 0.99
