"""What regret is without learning, against closed forms and by another route."""

import math

import numpy as np
import pytest
from tolerances import LINES_RTOL

from companion.bounds.trivial import Line
from companion.papers.meanfield.theory.bounds import corrected_bound, printed_bound
from companion.papers.meanfield.theory.runs import STANDARD, Game, game_payoffs
from companion.papers.meanfield.theory.unlearned import bound_curve, informative_from, unlearned


@pytest.mark.parametrize("actions", [0.5, 2.0])
def test_two_laws_have_the_closed_forms(actions):
    """With two laws, payoffs X and Y: E|X - Y| = sqrt(2 v / pi) and half of it for the largest, v = Var(X - Y)."""
    game = Game(parts=1, action_lengthscale=actions)
    # All agents in one action: g is f at that action and law. Actions differ by 1, the laws in both shares by 1.
    correlation = math.exp(-1.0 / (2 * actions**2)) * math.exp(-2.0 / (2 * game.law_lengthscale**2))
    spread = math.sqrt(2.0 * (2.0 - 2.0 * correlation) / math.pi)
    found = unlearned(game)
    assert found.range.estimate == pytest.approx(spread, rel=LINES_RTOL)
    assert found.fixed.estimate == pytest.approx(spread / 2, rel=LINES_RTOL)


@pytest.mark.slow
def test_every_fixed_law_costs_the_same_and_half_of_the_range():
    found = unlearned(STANDARD)
    # Another route: payoffs of games that are played, averaged under every law.
    payoff = np.einsum("rln,ln->rl", game_payoffs(STANDARD, 10_000, 5), STANDARD.weights)
    top = payoff.max(axis=1)
    assert found.fixed.estimate == pytest.approx(top.mean(), abs=0.03)
    assert found.range.estimate == pytest.approx((top - payoff.min(axis=1)).mean(), abs=0.04)
    for law in (0, 60, 100, 200):
        assert (top - payoff[:, law]).mean() == pytest.approx(found.fixed.estimate, abs=0.04)


@pytest.mark.slow
def test_curve_is_the_theorem_at_every_horizon():
    curve = bound_curve(STANDARD, 64)
    assert list(curve.rounds[:4]) == [1, 2, 3, 4]
    assert curve.rounds[-1] == 64
    for k in (0, 5, -1):
        t = int(curve.rounds[k])
        for values, bound in ((curve.corrected, corrected_bound), (curve.printed, printed_bound)):
            # Gains of one curve and of one horizon are certified apart, to within half a per cent.
            alone = bound(STANDARD.pieces(), t, 0.01, STANDARD.gain(t).upper).total
            assert values[k] == pytest.approx(alone, rel=5e-3)
    assert bound_curve(Game(noise_sd=1.0), 64).corrected[-1] > curve.corrected[-1]


def test_from_where_on_a_bound_is_below_a_line():
    rounds = 100.0 * np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    level = Line(1.0, 0.9, 1.1)
    over = np.array([4.0, 2.0, 2.0, 0.5, 0.25])
    assert (
        informative_from(rounds, over * rounds, level) == 566
    )  # straight on logarithmic axes: 400 times the root of two
    assert informative_from(rounds, 2.0 * rounds, level) == math.inf
    assert informative_from(rounds, 0.5 * rounds, level) == 100
    # Dipping under the line early and coming back is not enough.
    back = np.array([2.0, 0.5, 2.0, 0.5, 0.5])
    assert informative_from(rounds, back * rounds, level) == 566
