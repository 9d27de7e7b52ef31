"""Statements and leads on TS-RSR's proof: verdicts, teeth, and the tools that decide them."""

import itertools
import math

import numpy as np
import pytest
from tolerances import FORMULA_RTOL, KNOWN_NORM_RTOL, POOLED_RTOL, PRINTED_3_DIGITS, SERIES_RTOL

from companion.checks.samples import standard_error
from companion.core.errors import ParameterError
from companion.information import information_gain
from companion.papers.tsrsr.checks import proof
from companion.papers.tsrsr.checks import proof_events as events
from companion.papers.tsrsr.checks import proof_gaussian as gaussian
from companion.papers.tsrsr.checks import proof_runs as tools
from companion.papers.tsrsr.theory import bounds

TWO_ARMS = tools.Game("independent", 1, 10.0, 1, 2, 20_000, size=2)


@pytest.mark.parametrize(
    "change", [{}, {"ratio": tools.ratio_of_sets}, {"event": np.all, "ratio": tools.ratio_of_sets}]
)
def test_only_what_is_claimed_on_the_event_fails_in_lemma_4_with_either_error(change):
    broken = [case.where for case in events.lemma_4.all_cases(**change) if not case.holds]
    assert broken
    assert all("on the event" in where for where in broken)


def test_expectations_are_below_their_bounds_by_more_than_the_noise():
    """The ledger refutes beyond three standard errors; the bounds hold with three standard errors to spare as well."""
    for game in (*tools.all_games(), *tools.CROWDED[1:], *proof.LONG):
        regret = tools.played(game).regret
        settings = (game.size, game.rounds, game.batch, game.noise_variance, tools.gain(game))
        assert regret.mean() + 3 * standard_error(regret) < bounds.theorem1(*settings, ratio=tools.ratio(game))
    game = tools.Game("se", 1, 100.0, 20, 5, 400)
    squares = tools.played(game).sampled_regret ** 2
    unit = 24 * math.log(25)
    assert 100 * unit < squares.mean() - 3 * standard_error(squares)
    assert squares.mean() + 3 * standard_error(squares) < 100**2 * unit


# -- tools -------------------------------------------------------------------------------------------------------------


def test_the_first_batch_of_two_arms_costs_what_it_must():
    """Nothing is known, so every query costs E max(f1, f2) = 1 / sqrt(pi)."""
    game = tools.CROWDED[1]
    regret = tools.played(game).regret / game.evaluations
    assert abs(regret.mean() - 1 / math.sqrt(math.pi)) < 4 * standard_error(regret)  # four standard errors


def test_events_against_their_definition():
    runs = tools.played(TWO_ARMS)
    width = math.sqrt(2 * math.log(2 * 2 * 2 / 0.3))
    both = (runs.sampled_deviation[:, 0, 0] <= width) & (runs.sampled_deviation[:, 0, 1] <= width)
    either = (runs.sampled_deviation[:, 0, 0] <= width) | (runs.sampled_deviation[:, 0, 1] <= width)
    np.testing.assert_array_equal(events.draws_inside(TWO_ARMS, 0.3), both)
    np.testing.assert_array_equal(events.draws_inside(TWO_ARMS, 0.3, np.any), either)
    single = math.erfc(width / math.sqrt(2))
    exact = 1 - (1 - single) ** 4  # two arms, two independent draws
    assert abs((~both).mean() - exact) < 4 * math.sqrt(exact / len(both))  # four standard errors
    narrow = math.sqrt(2 * math.log(2 * 2 * 1 / 0.3))
    inside = (np.abs(runs.values) <= narrow).all(axis=1)  # prior: mean 0, sd 1
    np.testing.assert_array_equal(events.function_inside(TWO_ARMS, 0.3), inside)


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_readings_of_gain_and_ratio_against_enumeration(batch):
    game = tools.Game("random", 1, 0.4, 1, batch, 1, size=4)
    prior, noise = tools.prior(game), game.noise_variance

    def variances(seen):
        gram = prior[np.ix_(seen, seen)] + noise * np.eye(len(seen))
        return np.diag(prior) - np.sum(prior[list(seen)] * np.linalg.solve(gram, prior[list(seen)]), axis=0)

    many = list(itertools.combinations_with_replacement(range(4), batch))
    few = list(itertools.combinations(range(4), batch))
    histories = [(), (0,), (1, 2), (3, 3)]
    exact = {
        name: max((variances(past) / variances(past + more)).max() for past in histories for more in collection) ** 0.5
        for name, collection in (("multisets", many), ("sets", few))
    }
    assert exact["multisets"] == pytest.approx(tools.ratio(game), rel=SERIES_RTOL)
    assert exact["sets"] <= tools.ratio_of_sets(game) * (1 + SERIES_RTOL)
    assert max(information_gain(prior, more, noise) for more in many) <= tools.gain(game) * (1 + SERIES_RTOL)
    assert max(information_gain(prior, more, noise) for more in few) <= tools.gain_of_sets(game) * (1 + SERIES_RTOL)


def test_both_readings_of_two_arms_by_hand():
    game = tools.Game("independent", 1, 1.0, 1, 20, 1, size=2)
    assert tools.ratio_of_sets(game) == pytest.approx(math.sqrt(2), rel=FORMULA_RTOL)
    assert tools.ratio(game) == pytest.approx(math.sqrt(21), rel=FORMULA_RTOL)
    assert tools.gain_of_sets(game) == pytest.approx(math.log(2), rel=SERIES_RTOL)
    assert math.log(11) <= tools.gain(game) * (1 + SERIES_RTOL)  # ten observations of either arm
    assert tools.gain(game) == pytest.approx(math.log(11), rel=5e-3)  # the certificate is this narrow


@pytest.mark.parametrize("rule", ["greedy", "in turn", "one point", "random", "TS-RSR"])
def test_variances_along_a_sequence_by_dense_solves(rule):
    sequence = gaussian.Sequence("matern32", 2, 0.4, 3, 4, rule)
    prior, query = sequence.prior(), sequence.chosen()
    assert len(query) == 12

    def direct(count, index):
        seen = query[:count]
        gram = prior[np.ix_(seen, seen)] + 0.16 * np.eye(count)
        return prior[index, index] - prior[seen, index] @ np.linalg.solve(gram, prior[seen, index])

    everything = [direct(count, index) for count, index in enumerate(query)]
    rounds = [direct(count // 4 * 4, index) for count, index in enumerate(query)]
    np.testing.assert_allclose(gaussian.given_all_before(sequence), everything, rtol=POOLED_RTOL)
    np.testing.assert_allclose(gaussian.given_rounds_before(sequence), rounds, rtol=POOLED_RTOL)


def test_an_unknown_rule_is_refused():
    with pytest.raises(ParameterError, match="rule"):
        gaussian.Sequence("se", 1, 0.4, 3, 4, "best").chosen()


def test_second_moment_of_a_maximum_against_known_values():
    assert gaussian.largest_square(1) == pytest.approx(1.0, rel=SERIES_RTOL)
    assert gaussian.largest_square(2) == pytest.approx(1 + 2 / math.pi, rel=SERIES_RTOL)
    squares = (np.random.default_rng(0).standard_normal((100_000, 10)) ** 2).max(axis=1)
    assert abs(squares.mean() - gaussian.largest_square(10)) < 4 * standard_error(squares)  # four standard errors


def test_drawn_vectors_have_the_covariance_they_claim():
    vector = gaussian.Vector("matern32", 1, 25, draws=4000)
    draws, _, sd = gaussian._sample(vector)
    wanted = np.outer(sd, sd) * tools.covariance("matern32", 1, 25)
    # Products of two normal numbers have a standard deviation of at most sqrt(2) sd sd.
    assert np.all(np.abs(draws.T @ draws / 4000 - wanted) < 5 * math.sqrt(2 / 4000) * np.outer(sd, sd))
    assert sd[0] == 1.0
    np.testing.assert_allclose(np.diag(tools.covariance("random", 1, 20)), 1.0, rtol=FORMULA_RTOL)


def test_the_growth_of_a_known_curve_is_found():
    """Regret that adds up to sqrt(n) has exponent one half, a constant one per query has one."""
    game = proof.LONG[0]
    root = np.diff(np.sqrt(np.arange(1001))) * np.linspace(0.9, 1.1, 5)[:, None]
    assert proof._growth(game, root, 0.5).lhs == pytest.approx(0.5, rel=SERIES_RTOL)
    constant = proof._growth(game, np.ones((5, 1000)), 0.5)
    assert constant.lhs == pytest.approx(1.0, rel=SERIES_RTOL)
    assert not constant.holds


# -- leads -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found(investigated):
    return investigated("tsrsr", modules=("theory_formulas", "theory_runs"))


def test_numbers_behind_the_confirmed_leads(found):
    values = {identifier: entry["values"] for identifier, entry in found.items()}
    assert values["E1"]["regret"] == pytest.approx(1e4 / math.sqrt(math.pi), rel=FORMULA_RTOL)
    assert values["E1"]["theorem sets"] == pytest.approx(3491, rel=PRINTED_3_DIGITS)
    assert values["E1"]["variances"] == pytest.approx(2 * sum(1 / j for j in range(1, 21)), rel=FORMULA_RTOL)
    assert values["E2"]["left"] == pytest.approx(-(1 + math.sqrt(0.01 / 1.01)), rel=FORMULA_RTOL)
    # Twice the tabled expectation of the largest of nine normal numbers.
    assert values["E4"]["first"] == 9
    assert values["E4"]["range"] == pytest.approx(2 * 1.485013, rel=PRINTED_3_DIGITS)
    assert values["E5"]["rho 5"] == pytest.approx(math.sqrt(1 + 5e6), rel=KNOWN_NORM_RTOL)
    assert values["E5"]["least"] == pytest.approx(math.sqrt((1 + 5e6) / 250), rel=KNOWN_NORM_RTOL)
    assert values["E8"]["stated"] == pytest.approx(2.0, rel=FORMULA_RTOL)
    # By hand: x = (1, 0) and a = (1, 1) / sqrt(2), noise variance 0.01.
    assert values["E13"]["alone"] == pytest.approx(1 / math.sqrt(1 - 0.5 / 1.01), rel=SERIES_RTOL)
    assert values["E15"]["prefactors"]["1"] == pytest.approx(22.73, rel=PRINTED_3_DIGITS)
    assert values["E15"]["sharp"] < values["E15"]["one term"] < values["E15"]["two terms"]


def test_numbers_behind_the_dismissed_leads(found):
    values = {identifier: entry["values"] for identifier, entry in found.items()}
    # The worst case is D = 1 near delta = 0.79, where erfc(sqrt(log(1/delta))) / delta is largest.
    delta = np.linspace(0.001, 0.999, 999)
    exact = max(math.erfc(math.sqrt(math.log(1 / d))) / d for d in delta)
    assert values["U1"]["worst"] == pytest.approx(exact, rel=FORMULA_RTOL)
    assert values["U3"]["moment"] == pytest.approx(1 + 2 / math.pi, rel=SERIES_RTOL)
    assert abs(values["U4"]["mean"]) < 3 * values["U4"]["error"]
    assert values["U7"]["enumerated"] < 1.0
    assert values["U8"]["evaluations"] == [400, 250]
