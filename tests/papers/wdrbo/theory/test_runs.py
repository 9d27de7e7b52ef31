"""The simulator of Algorithm 1 on a grid, the bounds and the covering numbers, against computations of another kind."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from oracles.peers import gpytorch_posterior
from scipy import optimize, stats
from tolerances import FORMULA_RTOL, FOUR_ERRORS, INNER_AGREEMENT, INNER_ROUNDING, MIDPOINT_RTOL, POSTERIOR_ATOL

from companion.core.errors import ParameterError
from companion.gp import kernel_by_name
from companion.papers.wdrbo.theory import bounds, covering, radii
from companion.papers.wdrbo.theory import runs as simulator
from companion.papers.wdrbo.theory.runs import Game

SMALL = Game(decisions=5, contexts=6, horizon=12, runs=4, lam=0.3, noise=0.4)
GAMES = (
    SMALL,
    replace(SMALL, kernel="matern32", decisions=3, contexts=3, context_dim=2, lam=2.0, law="sign"),
    replace(SMALL, setting="data", radius=0.3, decay=0.5, kernel="matern12"),
)


def transport(values, support, centre, radius):
    """min q.u over the Wasserstein ball, by a linear program over plans; the distances are recomputed."""
    m = len(centre)
    costs = np.sqrt(((support[:, None, :] - support[None, :, :]) ** 2).sum(axis=2))
    rows = np.kron(np.eye(m), np.ones(m))
    found = optimize.linprog(
        np.tile(values, m), A_ub=costs.reshape(1, -1), b_ub=[radius], A_eq=rows, b_eq=centre, method="highs"
    )
    return found.fun


# -- the simulator -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.kernel}-{game.setting}")
def test_posterior_width_and_norm_are_those_of_the_observations(game):
    found, covariance = simulator.play(game), simulator.covariance_of(game)
    rounds = (1, 2, 7, 12)
    for t, mean, sd in simulator.replay(found, rounds):
        for run in range(game.runs):
            seen, values = found.points[run, : t - 1], found.observation[run, : t - 1]
            gram = covariance[np.ix_(seen, seen)]
            log_det = np.linalg.slogdet(np.eye(t - 1) + gram / game.lam)[1]
            assert found.log_det[run, t - 1] == pytest.approx(log_det, abs=POSTERIOR_ATOL)
            beta = game.noise * math.sqrt(2 * math.log(math.exp(log_det / 2) / game.delta)) + math.sqrt(game.lam)
            assert found.beta[run, t - 1] == pytest.approx(beta, rel=POSTERIOR_ATOL)
            if t == 1:
                continue
            expected = gpytorch_posterior(covariance, game.lam, seen, values)
            np.testing.assert_allclose(mean[run], expected.mean, rtol=0, atol=POSTERIOR_ATOL)
            np.testing.assert_allclose(sd[run] ** 2 * game.lam, expected.variance, rtol=0, atol=POSTERIOR_ATOL)
            # The norm of the mean from its values on the whole grid.
            norm = math.sqrt(max(mean[run] @ np.linalg.pinv(covariance, 1e-12) @ mean[run], 0.0))
            assert simulator.mean_norms(found, t)[run] == pytest.approx(norm, rel=1e-4)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.kernel}-{game.setting}")
def test_a_round_by_hand(game):
    """Regret, expected widths, Lipschitz constants, band and score of every round from their definitions."""
    found, support = simulator.play(game), simulator.contexts_of(game)
    shape = found.values.shape
    laws = simulator.bump_laws(support, game.horizon, simulator.stream_of(game, "laws"))
    for t, mean, sd in simulator.replay(found, tuple(range(1, game.horizon + 1))):
        for run in range(game.runs):
            k = t - 1
            values, mu, sigma = found.values[run], mean[run].reshape(shape[1:]), sd[run].reshape(shape[1:])
            ucb = mu + found.beta[run, k] * sigma
            slopes = [
                max(
                    abs(row[i] - row[j]) / math.dist(support[i], support[j])
                    for i in range(len(support))
                    for j in range(i)
                )
                for row in ucb
            ]
            centre = laws[k]
            if game.setting == "data":
                seen = found.context[run, :k]
                centre = (
                    np.array([np.mean(seen == c) for c in range(shape[2])]) if k else np.full(shape[2], 1 / shape[2])
                )
            score = ucb @ centre - found.radius[k] * np.array(slopes)
            chosen = found.chosen[run, k]
            assert score[chosen] == pytest.approx(score.max(), abs=POSTERIOR_ATOL)
            assert found.score[run, k] == pytest.approx(score[chosen], abs=POSTERIOR_ATOL)
            assert found.at_chosen[run, k] == pytest.approx(slopes[chosen], abs=POSTERIOR_ATOL)
            assert found.at_optimum[run, k] == pytest.approx(slopes[found.optimal[run, k]], abs=POSTERIOR_ATOL)
            miss = np.abs(mu - values) / (found.beta[run, k] * sigma)
            assert found.band[run, k] == pytest.approx(miss.max(), rel=POSTERIOR_ATOL)
            seen_square = sigma[chosen, found.context[run, k]] ** 2
            assert found.seen_square[run, k] == pytest.approx(seen_square, abs=POSTERIOR_ATOL)
            if game.setting == "data":
                reward = values @ laws[0]
                assert found.regret[run, k] == pytest.approx(reward.max() - reward[chosen], abs=POSTERIOR_ATOL)
                assert found.mean_width[run, k] == pytest.approx(sigma[chosen] @ laws[0], abs=POSTERIOR_ATOL)
                assert found.mean_square[run, k] == pytest.approx(sigma[chosen] ** 2 @ laws[0], abs=POSTERIOR_ATOL)


@pytest.mark.parametrize("game", GAMES[:2], ids=lambda game: game.kernel)
def test_the_truth_is_the_member_of_the_ball_with_the_largest_regret(game):
    found, support = simulator.play(game), simulator.contexts_of(game)
    laws = simulator.bump_laws(support, game.horizon, simulator.stream_of(game, "laws"))
    for t in (1, 4, 12):
        for run in range(game.runs):
            values, chosen = found.values[run], found.chosen[run, t - 1]
            most = max(-transport(values[chosen] - other, support, laws[t - 1], game.radius) for other in values)
            assert found.regret[run, t - 1] == pytest.approx(most, abs=INNER_AGREEMENT)
        law = simulator.worst_law(found.values, found.chosen[:, t - 1], laws[t - 1], support, game.radius)
        np.testing.assert_allclose(law.sum(axis=1), 1.0, atol=INNER_ROUNDING)
        if game.context_dim == 1:
            apart = np.abs(np.cumsum(law - laws[t - 1], axis=1)).sum(axis=1) / (game.contexts - 1)
            assert (apart <= game.radius + INNER_ROUNDING).all()


def test_functions_have_their_norm_and_rules_share_functions_and_contexts():
    covariance = simulator.covariance_of(replace(SMALL, kernel="matern12"))
    values = simulator.functions_of(replace(SMALL, kernel="matern12"))
    norms = np.sqrt(np.sum(values * np.linalg.solve(covariance, values.T).T, axis=1))
    np.testing.assert_allclose(norms, 1.0, rtol=1e-8)
    others = [simulator.play(replace(SMALL, rule=rule)) for rule in ("lipschitz", "exact", "nominal")]
    for other in others[1:]:
        np.testing.assert_array_equal(other.values, others[0].values)
    data = [simulator.play(replace(GAMES[2], lam=lam)) for lam in (0.3, 3.0)]
    np.testing.assert_array_equal(data[0].context, data[1].context)  # the truth does not move, so neither do the draws


def test_rules_of_choice():
    """Sampled constants are at most the true ones, no penalty has none, the rough rule misses the maximum."""
    sampled, nominal, rough, exact, plain = (
        simulator.play(replace(SMALL, rule=rule)) for rule in ("sampled", "nominal", "rough", "exact", "lipschitz")
    )
    for found in (sampled, rough):
        assert (found.used_at_chosen <= found.at_chosen + INNER_ROUNDING).all()
        assert (found.used_at_chosen < 0.99 * found.at_chosen).any()
    assert (nominal.used_at_chosen == 0).all()
    assert (rough.gap[:, 1:] > 0).all()  # before any data all decisions are alike
    assert (sampled.gap == 0).all()
    # In the first round all meet the same acquisition: the worst case is at least (13).
    assert (exact.score[:, 0] >= plain.score[:, 0] - INNER_ROUNDING).all()


def test_deviations_are_counted_in_lipschitz_constants():
    found = simulator.play(GAMES[2])
    game, support = GAMES[2], simulator.contexts_of(GAMES[2])
    truth = simulator.bump_laws(support, game.horizon, simulator.stream_of(game, "laws"))[0]
    for t, mean, sd in simulator.replay(found, (2, 9)):
        ucb = (mean + found.beta[:, [t - 1]] * sd).reshape(found.values.shape)
        for run in range(game.runs):
            centre = np.bincount(found.context[run, : t - 1], minlength=len(support)) / (t - 1)
            steps = np.abs(np.diff(ucb[run], axis=1)).max(axis=1) * (len(support) - 1)
            expected = (np.abs(ucb[run] @ (truth - centre)) / steps).max()
            assert found.deviation[run, t - 1] == pytest.approx(expected, rel=1e-9)


def test_radii_of_both_settings():
    general = Game(radius=0.4, decay=0.5, context_dim=2, contexts=3)
    assert general.radius_at(5) == pytest.approx(0.4 / math.sqrt(5), rel=FORMULA_RTOL)
    data = replace(general, setting="data")
    assert data.radius_at(5) == pytest.approx(0.2, rel=FORMULA_RTOL)
    assert data.radius_at(1) == data.context_diameter == math.sqrt(2)
    assert replace(data, contexts=1).context_diameter == 0.0


def test_contexts_are_drawn_from_the_truth():
    game = Game(setting="data", radius=0.3, decay=0.5, decisions=2, contexts=4, horizon=50, runs=60)
    truth = simulator.bump_laws(simulator.contexts_of(game), game.horizon, simulator.stream_of(game, "laws"))[0]
    shares = np.bincount(simulator.play(game).context.ravel(), minlength=4) / 3000
    assert (np.abs(shares - truth) <= FOUR_ERRORS * np.sqrt(truth * (1 - truth) / 3000) + 1e-12).all()
    assert truth.max() > truth.min()


@pytest.mark.parametrize("change", [{"rule": "best"}, {"setting": "offline"}, {"truth": "?"}, {"law": "cauchy"}])
def test_unknown_settings_are_refused(change):
    with pytest.raises(ParameterError, match=next(iter(change))):
        simulator.play(replace(SMALL, **change))


@pytest.mark.parametrize("kernel", ["se", "matern32", "matern52"])
def test_lipschitz_constant_of_the_features_is_the_curvature_at_zero(kernel):
    shapes = {
        "se": lambda s: mpmath.exp(-(s**2) / 2),
        "matern32": lambda s: (1 + mpmath.sqrt(3) * abs(s)) * mpmath.exp(-mpmath.sqrt(3) * abs(s)),
        "matern52": lambda s: (1 + mpmath.sqrt(5) * abs(s) + 5 * s**2 / 3) * mpmath.exp(-mpmath.sqrt(5) * abs(s)),
    }
    with mpmath.workdps(40):
        step = mpmath.mpf(10) ** -12
        curvature = 2 * (1 - shapes[kernel](step)) / step**2
    assert simulator.kernel_lipschitz(kernel, 0.4) == pytest.approx(float(mpmath.sqrt(curvature)) / 0.4, rel=1e-9)
    assert math.isinf(simulator.kernel_lipschitz("matern12", 0.4))


# -- bounds ------------------------------------------------------------------------------------------------------------


def test_width_is_equation_7_and_the_norm_bounds_are_ordered():
    kernel, points = kernel_by_name("matern52", 0.4), np.random.default_rng(0).random((9, 2))
    for lam in (0.05, 1.0, 7.0):
        gram = np.eye(9) + kernel(points) / lam
        literal = 0.3 * math.sqrt(2 * math.log(math.sqrt(np.linalg.det(gram)) / 0.05)) + math.sqrt(lam) * 2.0
        log_det = np.linalg.slogdet(gram)[1]
        assert bounds.width(log_det, 0.3, 2.0, lam, 0.05) == pytest.approx(literal, rel=1e-10)
        true = bounds.mean_norm(log_det, 0.3, 2.0, lam, 0.05)
        assert true == pytest.approx(literal / math.sqrt(lam), rel=1e-10)
        assert bounds.mean_norm_simple(log_det, 0.3, 2.0, lam, 0.05) >= true
        assert (bounds.mean_norm_printed(log_det, 0.3, 2.0, lam, 0.05, unchecked=True) >= true) == (lam <= 1.0)


def test_numbers_of_the_printed_norm_bound():
    """R = B = 1, delta = 0.1, lambda = 4, no data: sqrt(2 log 10) = 2.1460, halved, plus 1 or plus 1/2."""
    assert bounds.mean_norm(0.0, 1.0, 1.0, 4.0, 0.1) == pytest.approx(2.07298, abs=1e-5)
    assert bounds.mean_norm_printed(0.0, 1.0, 1.0, 4.0, 0.1, unchecked=True) == pytest.approx(1.57298, abs=1e-5)


def test_both_forms_of_the_norm_bound_with_a_gain():
    root = math.sqrt(2 * math.log(20))
    printed = (0.7 * (root + math.sqrt(6.0)) + 1.3) / math.sqrt(0.4)
    assert bounds.mean_norm_printed(3.0, 0.7, 1.3, 0.4, 0.05) == pytest.approx(printed, rel=FORMULA_RTOL)
    simple = 0.7 * (root + math.sqrt(3.0)) / math.sqrt(0.4) + 1.3
    assert bounds.mean_norm_simple(3.0, 0.7, 1.3, 0.4, 0.05) == pytest.approx(simple, rel=FORMULA_RTOL)


def test_constant_of_the_conditional_mean():
    eta = optimize.brentq(lambda x: x - 2 * (1 - math.exp(-x)), 1.0, 3.0, xtol=1e-15)
    expected = 1 / (1 - math.exp(-eta))
    assert abs(bounds.CONDITIONAL_MEAN - expected) <= 1e-12
    assert bounds.conditional_mean(3.0, 0.5, 0.1) == pytest.approx(6.0 + 1.2550 * 0.5 * math.log(10), abs=1e-3)
    assert bounds.conditional_mean_cited(3.0, 0.1) == pytest.approx(6.0 + 8 * math.log(60), rel=FORMULA_RTOL)


def test_cumulative_bounds_by_hand():
    inside = 9 * (2.0 + 4 * math.log(60))
    assert bounds.cumulative(1.5, 9, 2.0, 1.0, 0.1, 0.7) == pytest.approx(6 * math.sqrt(inside) + 0.7, rel=FORMULA_RTOL)
    other = bounds.cumulative(1.5, 9, 2.0, 1.0, 0.1, 0.7, "main", unchecked=True)
    assert other == pytest.approx(6 * math.sqrt(18.0 + 4 * math.log(60)) + 0.7, rel=FORMULA_RTOL)
    lam, factor = 0.2, 5 / math.log(6)
    assert bounds.small_width_factor(lam) == pytest.approx(factor, rel=FORMULA_RTOL)
    ours = 3 * math.sqrt(9 * (2 * factor * 2.0 + bounds.CONDITIONAL_MEAN * 5 * math.log(10)))
    assert bounds.cumulative(1.5, 9, 2.0, lam, 0.1, reading="ours") == pytest.approx(ours, rel=FORMULA_RTOL)
    with pytest.raises(ParameterError, match="reading"):
        bounds.cumulative(1.0, 1, 1.0, 1.0, 0.1, reading="none")
    with pytest.raises(ParameterError, match="delta"):
        bounds.width(0.0, 1.0, 1.0, 1.0, 1.0)


def test_one_round_and_corollary_6_by_hand():
    assert bounds.one_round(2.0, 0.3, 0.1, 4.0) == pytest.approx(2.0, rel=FORMULA_RTOL)
    assert bounds.one_round_data(2.0, 0.3, 0.1, 4.0, 0.25) == pytest.approx(2.5, rel=FORMULA_RTOL)
    root, lam = math.sqrt(2 * math.log(10)), 0.5
    first, second = bounds.corollary_6([0.0, 4.0], [0.3, 0.2], 0.1, 1.5, lam, 0.1, 3.0)
    width = 0.1 * root + 0.1 * 2.0 + math.sqrt(lam) * 1.5
    assert first == pytest.approx(4 * width * math.sqrt(2 * (4.0 + 4 * math.log(60))), rel=FORMULA_RTOL)
    norms = [0.1 * root / math.sqrt(lam) + 1.5, 0.1 * (root + 2.0) / math.sqrt(lam) + 1.5]
    assert second == pytest.approx(12.0 * (0.3 * norms[0] + 0.2 * norms[1]), rel=FORMULA_RTOL)


def test_radius_and_slack_by_hand():
    expected = 0.7 * math.sqrt(2 * (math.log(20) + 3.0 + 11.0) / 40)
    assert bounds.radius(40, 0.7, 0.05, 3.0, 11.0) == pytest.approx(expected, rel=FORMULA_RTOL)
    assert bounds.radius(40, 0.7, 0.05, 3.0, 11.0, 0.5) == pytest.approx(expected / 2, rel=FORMULA_RTOL)
    assert bounds.covering_points(1.5, 0.1, 2) == pytest.approx(2 * math.log(31), rel=FORMULA_RTOL)
    assert bounds.covering_slack(10, 3.0, 2.0, 2.0) == pytest.approx(2.6, rel=FORMULA_RTOL)
    assert sum(bounds.union_delta(0.1, t) for t in range(1, 100_000)) == pytest.approx(0.1, rel=1e-4)


# -- covering numbers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lengthscale", "dim"), [(0.3, 1), (0.3, 2), (1.0, 3)])
def test_taylor_features_leave_out_what_the_tail_says(lengthscale, dim):
    """The kernel less its features at a corner, in 60 digits."""
    for degree in (0, 3, 10):
        with mpmath.workdps(60):
            u = mpmath.mpf(dim) / 4 / mpmath.mpf(lengthscale) ** 2
            rest = 1 - mpmath.exp(-u) * mpmath.fsum(u**n / mpmath.factorial(n) for n in range(degree + 1))
        assert covering.left_out(degree, lengthscale, dim) == pytest.approx(float(rest), rel=1e-9)
    for target in (0.3, 1e-3, 1e-40):
        order = covering.degree_for(target, lengthscale, dim)
        tails = [0.5 * stats.poisson.logsf(n, covering.squared_radius(lengthscale, dim)) for n in (order - 1, order)]
        assert tails[1] <= math.log(target)
        assert order == 0 or tails[0] > math.log(target)


def test_monomials_are_counted():
    for degree, dim in ((0, 3), (4, 1), (3, 2), (5, 3)):
        exponents = [e for e in np.ndindex(*([degree + 1] * dim)) if sum(e) <= degree]
        assert covering.monomials(degree, dim) == len(exponents)


def test_log_covering_by_hand_and_log_det_of_random_designs():
    order = covering.degree_for(0.1 / 8, 0.5, 1)  # max(m, b / sqrt s) = 2
    count = order + 1
    expected = math.log(2) + count * math.log(161) + count * (count + 1) / 2 * math.log(81)
    assert covering.log_covering(0.1, 2.0, 0.5, 0.25, 0.5, 1) == pytest.approx(expected, rel=FORMULA_RTOL)
    generator = np.random.default_rng(1)
    for lam, size in ((0.01, 30), (1.0, 100)):
        kernel = kernel_by_name("se", 0.3)
        gram = kernel(generator.random((size, 2)))
        assert np.linalg.slogdet(np.eye(size) + gram / lam)[1] <= covering.log_det(size, lam, 0.3, 2)


@pytest.mark.parametrize(("points", "lam"), [(30, 1.0), (400, 1.0), (400, 0.01), (2, 1.0)])
@pytest.mark.parametrize("dim", [1, 2])
def test_log_det_is_the_least_of_all_degrees_or_the_trivial_one(points, lam, dim):
    """Features up to each degree, written out; the rest of a point's norm is a Poisson tail of mean d / (2 l)^2."""
    counts = [math.comb(degree + dim, dim) for degree in range(60)]
    left = stats.poisson.sf(np.arange(60), dim / (2 * 0.3) ** 2)
    every = [n * math.log(1 + points / (lam * n)) + points / lam * tail for n, tail in zip(counts, left, strict=True)]
    least = min(*every, points * math.log(1 + 1 / lam))
    assert covering.log_det(points, lam, 0.3, dim) == pytest.approx(least, rel=FORMULA_RTOL)


def test_radius_of_the_theory_shrinks_and_exceeds_every_distance_for_long():
    law = (1.0, 0.1, 1.0, 0.1, 0.3, 1, 1)
    radii = [covering.theory_radius(10**power, *law) for power in range(1, 10)]
    assert (np.diff(radii) < 0).all()
    assert radii[2] > 1.0 > radii[-1]
    lam = 0.25
    norm = 0.1 * (math.sqrt(2 * math.log(10)) + math.sqrt(covering.log_det(50, lam, 0.4, 3))) / math.sqrt(lam) + 1.0
    cover = covering.log_covering(1 / 50, norm, math.sqrt(lam) * norm, lam, 0.4, 3)
    inside = math.log(10) + math.log(1 + 2 * 50) + cover
    radius = covering.theory_radius(50, lam, 0.1, 1.0, 0.1, 0.4, 1, 2)
    assert radius == pytest.approx(math.sqrt(2) * math.sqrt(2 * inside / 50), rel=FORMULA_RTOL)
    assert covering.theory_radius(100, *law, scale=0.5) == pytest.approx(radii[1] / 2, rel=FORMULA_RTOL)


def test_lower_bound_on_the_covering_number_from_eigenvalues_on_a_grid():
    axis = (np.arange(30) + 0.5) / 30
    square = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    for points, dim in ((axis[:, None], 1), (square, 2)):
        levels = np.linalg.eigvalsh(kernel_by_name("se", 0.3)(points)) / len(points)
        longest = 1.5 * np.sqrt(np.maximum(levels, 0.0))
        volumes = np.log(longest[longest > 0.02] / 0.02).sum()
        assert covering.least_log_covering(0.02, 1.5, 0.3, dim) == pytest.approx(volumes, rel=MIDPOINT_RTOL)
    assert covering.least_log_covering(1.1, 1.0, 0.3, 2) == 0.0
    inside = math.log(10) + math.log(1 + 2 * 100) + covering.least_log_covering(0.01, 1.0, 0.3, 2)
    assert covering.least_radius(100, 1.0, 0.1, 0.3, 1, 1) == pytest.approx(
        math.sqrt(2 * inside / 100), rel=FORMULA_RTOL
    )
    for count in (10, 100, 10**6):
        least = covering.least_radius(count, 1.0, 0.1, 0.3, 1, 2)
        assert least < covering.theory_radius(count, 1.0, 0.1, 1.0, 0.1, 0.3, 1, 2)


def test_constant_that_runs_need():
    """In so many of the runs, and in no fewer, all rounds and decisions stay below a / sqrt(n)."""
    game = Game(setting="data", radius=0.3, decay=0.5, decisions=4, contexts=5, horizon=15, runs=20)
    constant = radii.empirical_constant(game, 0.8, truths=2)
    kept = 0
    for seed in (0, 1):
        found = simulator.play(replace(game, seed=seed))
        for run in range(20):
            kept += all(found.deviation[run, t - 1] <= constant / math.sqrt(t - 1) for t in range(2, 16))
    assert kept == 32
    assert radii.empirical_constant(game, 1.0, truths=2) >= constant
    with pytest.raises(ParameterError, match="game"):
        radii.empirical_constant(replace(game, setting="general"))
    with pytest.raises(ParameterError, match="share"):
        radii.empirical_constant(game, 0.0)


def test_table_of_radii():
    game = Game(setting="data", radius=0.3, decay=0.5, decisions=4, contexts=5, horizon=15, runs=20)
    rows = radii.radii(game, (10, 1000))
    for row in rows:
        assert row.theory == pytest.approx(2 * row.halved, rel=FORMULA_RTOL)
        assert row.theory > row.single > row.needed
        assert row.practice == pytest.approx(0.3 / math.sqrt(row.contexts), rel=FORMULA_RTOL)
    assert rows[0].needed / rows[1].needed == pytest.approx(10.0, rel=FORMULA_RTOL)
    with pytest.raises(ParameterError, match="matern32"):
        radii.radii(replace(game, kernel="matern32"), (10,))
