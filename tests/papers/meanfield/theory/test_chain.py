"""The decomposition of regret on runs, and the chain from measured regret to the theorem's bound."""

import math

import numpy as np
import pytest
from tolerances import FORMULA_RTOL, SERIES_RTOL

from companion.core.errors import ParameterError
from companion.papers.meanfield.theory.bounds import Pieces, corrected_bound, printed_bound
from companion.papers.meanfield.theory.chain import regret_chain, sums, terms, theorem
from companion.papers.meanfield.theory.runs import Game, second_law, theory_runs

GAME = Game(2, 1, 40, law_lengthscale=0.4, noise_sd=0.2)
HORIZON, RUNS = 25, 30


@pytest.fixture(scope="module")
def played():
    return theory_runs(GAME, HORIZON, RUNS)


def test_terms_are_those_of_the_definitions(played):
    """Run by run and round by round, from the payoffs themselves."""
    found = sums(played)
    laws = GAME.laws.reshape(-1, 2)
    for run in (0, 7):
        values = np.array([law @ played.payoffs[run, number] for number, law in enumerate(laws)])
        at_law, at_rounded = values[played.law[run]], values[played.rounded[run]]
        parts = {
            "regret": values.max() - at_law,
            "discretisation": values.max() - at_rounded,
            "optimism": at_rounded - played.acquisition_rounded[run],
            "argmax": played.acquisition_rounded[run] - played.acquisition[run],
            "exploration": played.acquisition[run] - at_law,
        }
        for name, rounds in parts.items():
            assert found[name][run] == pytest.approx(rounds.sum(), rel=SERIES_RTOL, abs=SERIES_RTOL)


def test_the_regret_is_the_sum_of_its_terms(played):
    found = sums(played)
    four = sum(found[name] for name in ("discretisation", "optimism", "argmax", "exploration"))
    np.testing.assert_allclose(four, found["regret"], rtol=1e-9)
    assert (found["argmax"] <= 0).all()


def test_means_errors_and_bounds(played):
    bound = theorem(played)
    for term in terms(played, bound):
        values = sums(played)[term.name]
        assert term.mean == pytest.approx(values.mean())
        assert term.standard_error == pytest.approx(np.std(values) / math.sqrt(RUNS - 1))
        assert term.mean <= term.bound
    limits = {term.name: term.bound for term in terms(played, bound)}
    assert limits["regret"] == pytest.approx(
        limits["discretisation"] + limits["optimism"] + limits["exploration"], rel=FORMULA_RTOL
    )
    assert limits["argmax"] == 0.0
    with pytest.raises(ParameterError, match="runs"):
        terms(theory_runs(GAME, 2, 1), bound)
    assert len(terms(theory_runs(GAME, 2, 2), bound)) == len(limits), "two runs have a standard error"


def test_the_bound_is_the_theorems(played):
    gain = GAME.gain(HORIZON).upper
    assert theorem(played) == corrected_bound(GAME.pieces(), HORIZON, 0.04, gain)
    assert theorem(played, "printed") == printed_bound(GAME.pieces(), HORIZON, 0.04, gain)
    other = Pieces(2, 1, 3.0, 10.0)
    assert theorem(played, pieces=other, gain=50.0) == corrected_bound(other, HORIZON, 0.04, 50.0)
    with pytest.raises(ParameterError, match="reading"):
        theorem(played, "usual")


@pytest.mark.parametrize(("reading", "multiplier"), [("corrected", "root"), ("printed", "beta")])
def test_the_chain_holds_and_ends_at_the_theorem(reading, multiplier):
    runs = theory_runs(GAME, HORIZON, RUNS, reading=reading, multiplier=multiplier)
    chain = regret_chain(runs, reading)
    assert chain.holds, chain.violations()
    assert chain["measured"].value == pytest.approx(runs.regret.mean())
    assert chain["certified gain"].value == pytest.approx(theorem(runs, reading).total, rel=FORMULA_RTOL)
    assert all(ratio > 1 for ratio in chain.ratios())
    four = sum(chain.side.values())
    assert four == pytest.approx(chain["measured"].value, rel=SERIES_RTOL)


def test_steps_by_hand(played):
    chain, bound = regret_chain(played), theorem(played)
    fixed = bound.discretisation + bound.optimism
    width, d = played.width[-1], 2.0 / math.log1p(1 / 0.04)
    squares, gains = [], []
    for run in range(RUNS):
        squares.append(math.sqrt(HORIZON * sum(sd**2 for sd in played.sd[run])))
        gains.append(math.sqrt(HORIZON * d * sum(0.5 * math.log(1 + sd**2 / 0.04) for sd in played.sd[run])))
    assert chain["Cauchy-Schwarz"].value == pytest.approx(fixed + width * np.mean(squares), rel=SERIES_RTOL)
    assert chain["realised gain"].value == pytest.approx(fixed + width * np.mean(gains), rel=SERIES_RTOL)
    exploration = played.exploration.sum(axis=1).mean()
    assert chain["rounding bounded"].value == pytest.approx(fixed + exploration, rel=SERIES_RTOL)
    one = played.discretisation.sum(axis=1).mean() + bound.optimism + exploration
    assert chain["optimism bounded"].value == pytest.approx(one, rel=SERIES_RTOL)


def test_without_a_bonus_the_step_on_optimism_breaks():
    chain = regret_chain(theory_runs(GAME, HORIZON, RUNS, bonus=0.0), gain=1e-6)
    assert "optimism bounded" in [violation.larger.name for violation in chain.violations()]


def test_the_second_best_law_can_be_worse_than_the_rounded_one(played):
    second = theory_runs(GAME, HORIZON, RUNS, choice=second_law)
    assert (second.remainder > 0).any()
    assert not (played.remainder > 0).any()
    assert sum(regret_chain(second).side.values()) == pytest.approx(second.regret.mean(), rel=SERIES_RTOL)


def test_prior_variance_enters_where_the_paper_takes_one():
    """Eq. (1) has k(z, z) = 2 + |C|: the printed constant D is too small for it."""
    game = Game(2, 2, 6, law_lengthscale=0.5, coupling="additive")
    runs = theory_runs(game, 40, 20)
    assert regret_chain(runs).holds
    printed = regret_chain(runs, "printed", gain=game.gain(40).upper)
    names = [violation.larger.name for violation in printed.violations()]
    assert "realised gain" in names


def test_a_gain_that_is_too_small_is_noticed(played):
    chain = regret_chain(played, gain=1.0)
    assert [violation.larger.name for violation in chain.violations()] == ["certified gain"]
