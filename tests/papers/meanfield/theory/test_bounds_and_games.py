"""Theorem 4.1's pieces and the games that the proof is checked on, against brute force and printed or quoted numbers."""

import inspect
import itertools
import math

import mpmath
import numpy as np
import pytest
from oracles.peers import gpytorch_posterior
from scipy import integrate
from tolerances import FORMULA_RTOL, FOUR_ERRORS, GAME_ATOL, POSTERIOR_ATOL, QUOTED_3_DIGITS

from companion.core.errors import AssumptionError, ParameterError
from companion.core.randomness import stream
from companion.papers.meanfield.theory import bounds
from companion.papers.meanfield.theory.bounds import Pieces
from companion.papers.meanfield.theory.runs import STANDARD, Game, game_payoffs, lattice, play, second_law, theory_runs

SMALL = Game(actions=2, contexts=2, parts=4)
ADDITIVE = Game(actions=3, contexts=2, parts=2, coupling="additive")


# -- bounds --------------------------------------------------------------------------------------------------------------


def test_pieces_by_hand():
    pieces = Pieces(3, 2, a=1.5, b=0.4)
    inner = math.log(1.5 * 6)
    assert pieces.printed_slope == pytest.approx(0.4 * (inner + math.sqrt(math.pi) / 2), rel=FORMULA_RTOL)
    assert pieces.slope == pytest.approx(math.sqrt(0.4) * (math.sqrt(inner) + math.sqrt(math.pi) / 2), rel=FORMULA_RTOL)
    assert pieces.cuts(5) == pytest.approx(6 * 25 * pieces.printed_slope, rel=FORMULA_RTOL)
    assert pieces.cuts(5, "corrected") == math.ceil(6 * 25 * pieces.slope)
    assert pieces.log_count(5) == pytest.approx(6 * math.log(pieces.cuts(5)), rel=FORMULA_RTOL)
    count = mpmath.mpf(pieces.cuts(5, "corrected")) ** 6
    expected = 2 * mpmath.log(6 * count * 25 / mpmath.sqrt(2 * mpmath.pi))
    assert pieces.beta(5, "corrected") == pytest.approx(float(expected), rel=FORMULA_RTOL)
    assert float(mpmath.zeta(2, derivative=1)) == pytest.approx(bounds.ZETA_PRIME_2, rel=FORMULA_RTOL)


@pytest.mark.parametrize(("a", "b", "actions"), [(2.0, 2.0, 30), (1.0, 0.01, 2), (8.6, 44.4, 2), (50.0, 1.0, 5)])
def test_the_slope_bounds_the_tail_integral(a, b, actions):
    """Where the printed value does not: for small b."""
    pieces = Pieces(actions, 1, a, b)
    start = math.sqrt(b * math.log(a * actions))
    tail = integrate.quad(lambda level: a * actions * math.exp(-(level**2) / b), start, math.inf)[0]
    assert pieces.slope >= start + tail
    if b < 0.1:
        assert pieces.printed_slope < start + tail


@pytest.mark.parametrize(
    ("sizes", "printed", "display", "corrected"),
    [((30, 1), 40.0, 101.2, 4.6), ((30, 5), 66.5, 192.0, 2.5), ((160, 1), 355.0, 1046.0, 9.6)],
)
def test_the_printed_constant_is_below_the_papers_own_display(sizes, printed, display, corrected):
    pieces = Pieces(*sizes, 2.0, 2.0)
    assert bounds.printed_discretisation(pieces) == pytest.approx(printed, rel=QUOTED_3_DIGITS)
    assert bounds.own_display(pieces, 250) == pytest.approx(display, rel=QUOTED_3_DIGITS)
    assert bounds.corrected_discretisation(pieces, 250) == pytest.approx(corrected, rel=5 * QUOTED_3_DIGITS)


def test_rounding_costs_add_up_round_by_round():
    pieces = bounds.Pieces(3, 2, 8.6, 44.5, 2.0)
    width, total = pieces.width("corrected"), math.pi**2 / 12
    for t, found in enumerate(bounds.roundings(pieces, 30), start=1):
        cuts = width.cuts(t)
        spread = math.sqrt(2 * (math.log(2 * pieces.size) + pieces.size * math.log(cuts)))
        total += math.sqrt(pieces.variance) * pieces.actions * spread / (2 * cuts)
        assert found == pytest.approx(total, rel=FORMULA_RTOL)


def test_a_slope_near_zero_by_hand():
    """1/G exceeds n, and tau_t is below one in the first rounds."""
    pieces = Pieces(2, 1, 2.0, 1e-3)
    assert 1 / pieces.printed_slope > 2
    assert bounds.printed_prefactor(pieces) == pytest.approx(math.sqrt(16) * 2, rel=FORMULA_RTOL)
    cuts = [4e-3 / 2 * t**2 * (math.log(4) + math.sqrt(math.pi) / 2) for t in range(1, 21)]
    assert cuts[0] < 1 < cuts[-1]
    terms = [4 * math.sqrt(4 * math.log(c)) / c for c in cuts if c > 1]
    assert bounds.own_display(pieces, 20, unchecked=True) == pytest.approx(
        math.pi**2 / 6 + sum(terms), rel=FORMULA_RTOL
    )


def test_both_bounds_add_up():
    pieces = Pieces(2, 1, 8.6, 44.4, variance=3.0)
    printed = bounds.printed_bound(pieces, 60, 0.01, 30.0, unchecked=True)
    spread = math.sqrt(60 * 2 / math.log(101) * 30)
    assert printed.exploration == pytest.approx(pieces.beta(60) * spread, rel=FORMULA_RTOL)
    assert printed.optimism == pytest.approx(math.pi**2 / 6, rel=FORMULA_RTOL)
    root, beta = (bounds.corrected_bound(pieces, 60, 0.01, 30.0, m) for m in ("root", "beta"))
    spread = math.sqrt(60 * 6 / math.log(301) * 30)
    assert root.exploration == pytest.approx(math.sqrt(pieces.beta(60, "corrected")) * spread, rel=FORMULA_RTOL)
    assert beta.exploration == pytest.approx(pieces.beta(60, "corrected") * spread, rel=FORMULA_RTOL)
    assert root.optimism == beta.optimism == pytest.approx(math.sqrt(3) * math.pi**2 / 6, rel=FORMULA_RTOL)
    assert root.total == root.discretisation + root.optimism + root.exploration
    second = sum(
        math.sqrt(3) * 2 / (2 * c) * math.sqrt(2 * math.log(2 * 2 * c**2))
        for c in (pieces.cuts(t, "corrected") for t in range(1, 61))
    )
    assert root.discretisation == pytest.approx(math.pi**2 / 12 + second, rel=FORMULA_RTOL)


def test_nothing_asks_for_the_number_of_agents():
    for item in vars(bounds).values():
        if callable(item) and getattr(item, "__module__", "") == bounds.__name__:
            assert not {"agents", "M", "population"} & set(inspect.signature(item).parameters)


def test_bad_constants_are_refused():
    with pytest.raises(AssumptionError, match="below 1"):
        Pieces(2, 1, 0.1, 1.0)
    with pytest.raises(ParameterError, match="reading"):
        Pieces(2, 1, 1.0, 1.0).cuts(3, "as printed")
    with pytest.raises(ParameterError, match="multiplier"):
        bounds.corrected_bound(Pieces(2, 1, 1.0, 1.0), 5, 0.1, 1.0, "square")
    with pytest.raises(ParameterError, match="gain"):
        bounds.printed_bound(Pieces(2, 1, 1.0, 1.0), 5, 0.1, -1.0)


# -- games ---------------------------------------------------------------------------------------------------------------


def test_the_lattice_has_every_law_once():
    laws = lattice(3, 2, 4)
    assert laws.shape == (math.comb(6, 2) ** 2, 2, 3)
    np.testing.assert_allclose(laws.sum(axis=2), 1.0, rtol=FORMULA_RTOL)
    assert len({tuple(np.rint(4 * law).astype(int).ravel()) for law in laws}) == len(laws)


def test_a_law_weighs_its_contexts_alike():
    game = Game(actions=2, contexts=3, parts=2)
    number = next(k for k, law in enumerate(game.laws) if law.tolist() == [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    np.testing.assert_allclose(game.weights[number], np.array([2, 0, 1, 1, 0, 2]) / 6, rtol=FORMULA_RTOL)


@pytest.mark.parametrize("game", [SMALL, ADDITIVE])
def test_covariance_entry_by_entry(game):
    laws, n = game.laws, game.size
    picks = np.random.default_rng(0).integers(len(laws) * n, size=(60, 2))

    def radial(u, v, scale):
        return math.exp(-float(np.sum((np.asarray(u) - np.asarray(v)) ** 2)) / (2 * scale**2))

    for i, j in picks:
        (one, p), (other, q) = divmod(int(i), n), divmod(int(j), n)
        (c, x), (d, y) = divmod(p, game.actions), divmod(q, game.actions)
        by_law = [radial(laws[one, k], laws[other, k], game.law_lengthscale) for k in range(game.contexts)]
        action, context = radial(x, y, game.action_lengthscale), radial(c, d, game.action_lengthscale)
        expected = action * context * math.prod(by_law)
        if game.coupling == "additive":
            expected = action + context + sum(by_law)
        assert game.covariance[i, j] == pytest.approx(expected, abs=GAME_ATOL)
    assert game.covariance.diagonal() == pytest.approx(game.variance)


def test_rounding_goes_to_a_nearest_law_of_the_coarser_lattice():
    game = Game(actions=3, parts=12)
    for cuts in (1, 2.5, 4, 5, 13):
        parts = game.lattice_parts(cuts)
        assert parts == min([p for p in (1, 2, 3, 4, 6, 12) if p >= cuts], default=12)
        coarse = lattice(3, 1, parts)
        for number, law in enumerate(game.laws):
            rounded = game.laws[game.rounded(number, cuts)]
            assert np.abs(parts * rounded - np.rint(parts * rounded)).max() < GAME_ATOL
            nearest = np.abs(coarse - law).sum(axis=(1, 2)).min()
            assert np.abs(rounded - law).sum() == pytest.approx(nearest, abs=GAME_ATOL)


def test_payoffs_have_the_priors_covariance():
    payoffs = game_payoffs(SMALL, 4000, 3).reshape(4000, -1)
    expected = SMALL.covariance
    error = np.sqrt((expected**2 + np.outer(expected.diagonal(), expected.diagonal())) / 4000)
    assert (np.abs(payoffs.T @ payoffs / 4000 - expected) < 1.5 * FOUR_ERRORS * error).all()


@pytest.mark.slow
def test_a_run_replayed_with_gpytorch():
    """Posterior, acquisition and choice of the last round from the record of the rounds before it."""
    rounds = 6
    runs = play(SMALL, rounds, 3, lambda t: 1.0 + t, lambda t: 2.0, seed=5)
    n, weights = SMALL.size, SMALL.weights
    index = runs.law * n + runs.point
    noise = SMALL.noise_sd * _noise(5, 3, rounds)
    flat = runs.payoffs.reshape(3, -1)
    for run in range(3):
        values = flat[run, index[run]] + noise[run]
        found = gpytorch_posterior(SMALL.covariance, SMALL.noise_variance, index[run, :-1], values[:-1])
        mean, sd = found.mean.reshape(-1, n), np.sqrt(found.variance).reshape(-1, n)
        acquisition = ((mean + (1.0 + rounds) * sd) * weights).sum(axis=1)
        law, point = runs.law[run, -1], runs.point[run, -1]
        assert acquisition[law] == pytest.approx(acquisition.max(), abs=POSTERIOR_ATOL)
        assert runs.acquisition[run, -1] == pytest.approx(acquisition.max(), abs=POSTERIOR_ATOL)
        assert runs.mean[run, -1] == pytest.approx(mean[law, point], abs=POSTERIOR_ATOL)
        assert runs.sd[run, -1] == pytest.approx(sd[law, point], abs=POSTERIOR_ATOL)
        assert runs.average_sd[run, -1] == pytest.approx(sd[law] @ weights[law], abs=POSTERIOR_ATOL)
        assert runs.uniform_sd[run, -1] == pytest.approx(sd[law].mean(), abs=POSTERIOR_ATOL)
        rounded = runs.rounded[run, -1]
        assert runs.acquisition_rounded[run, -1] == pytest.approx(acquisition[rounded], abs=POSTERIOR_ATOL)
        assert runs.best[run] == int(
            np.argmax([(runs.payoffs[run, k] * weights[k]).sum() for k in range(len(weights))])
        )


def _noise(seed, runs, rounds):
    return stream(seed, "noise").standard_normal((runs, rounds))


@pytest.mark.slow
def test_the_decomposition_adds_up():
    runs = theory_runs(STANDARD, 30, 20, seed=2)
    total = runs.discretisation + runs.optimism + runs.remainder + runs.exploration
    np.testing.assert_allclose(total, runs.instantaneous, rtol=0, atol=GAME_ATOL)
    assert (runs.remainder <= 0).all()
    assert (runs.instantaneous >= -GAME_ATOL).all()
    np.testing.assert_allclose(runs.regret, runs.instantaneous.sum(axis=1), rtol=FORMULA_RTOL)
    second = theory_runs(STANDARD, 30, 20, seed=2, choice=second_law)
    assert (second.acquisition <= second.acquisition_best).all()
    assert (second.remainder > 0).any()


@pytest.mark.slow
def test_the_representative_agent_follows_the_law():
    """The first round has no data: one law for all runs, and agents that draw from it."""
    runs = play(STANDARD, 1, 4000, lambda t: 1.0, lambda t: 2.0, seed=1)
    (law,) = set(runs.law[:, 0])
    share = STANDARD.weights[law]
    found = np.bincount(runs.point[:, 0], minlength=2) / 4000
    assert (np.abs(found - share) <= FOUR_ERRORS * np.sqrt(share * (1 - share) / 4000)).all()


def test_a_run_is_reproducible_and_noise_does_not_depend_on_the_width():
    first, again = (play(SMALL, 4, 2, lambda t: 1.0, lambda t: 2.0, seed=7) for _ in range(2))
    np.testing.assert_array_equal(first.law, again.law)
    other = play(SMALL, 4, 2, lambda t: 5.0, lambda t: 2.0, seed=7)
    np.testing.assert_array_equal(first.payoffs, other.payoffs)
    assert not np.array_equal(play(SMALL, 4, 2, lambda t: 1.0, lambda t: 2.0, seed=8).payoffs, first.payoffs)


def test_the_standard_instance_as_quoted():
    pieces = STANDARD.pieces()
    assert pieces.a == pytest.approx(8.7, rel=0.05)
    assert pieces.b == pytest.approx(44.4, rel=QUOTED_3_DIGITS)
    assert pieces.beta(1, "corrected") == pytest.approx(13.8, rel=QUOTED_3_DIGITS)
    assert pieces.beta(60, "corrected") == pytest.approx(62.8, rel=QUOTED_3_DIGITS)
    gain = STANDARD.gain(60)
    assert 35.0 < gain.lower <= gain.upper < 36.0


def test_brute_force_gain_of_a_tiny_game():
    """All multisets of three observations."""
    game = Game(parts=2)
    best = max(
        0.5 * np.linalg.slogdet(np.eye(3) + game.covariance[np.ix_(pick, pick)] / game.noise_variance)[1]
        for pick in itertools.combinations_with_replacement(range(len(game.covariance)), 3)
    )
    bracket = game.gain(3)
    assert bracket.lower <= best * (1 + FORMULA_RTOL)
    assert best <= bracket.upper * (1 + FORMULA_RTOL)


def test_bad_games_are_refused():
    with pytest.raises(ParameterError, match="coupling"):
        Game(coupling="sum")
    with pytest.raises(ParameterError, match="actions"):
        Game(actions=1)
    with pytest.raises(ParameterError, match="multiplier"):
        theory_runs(SMALL, 2, 2, multiplier="square")
