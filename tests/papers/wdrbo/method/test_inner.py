"""Worst cases over balls of distributions against generic solvers, and their certificates."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.spatial.distance import cdist
from tolerances import (
    DISCREPANCY_GAP,
    INNER_AGREEMENT,
    INNER_ROUNDING,
    INNER_TEETH,
    SLOPE_DIFFERENCE,
)

from companion.core.errors import CompanionError, ParameterError
from companion.papers.wdrbo.method import critical_line, discrepancy_ball
from companion.papers.wdrbo.method.critical_line import CriticalLineBall
from companion.papers.wdrbo.method.discrepancy_ball import DiscrepancyBall, Minmax, pivoted_factor
from companion.papers.wdrbo.method.inner import lipschitz_constant, total_variation, wasserstein
from companion.papers.wdrbo.method.methods import DISCREPANCY_TOLERANCE

INSTANCES = 200
BALLS = (DiscrepancyBall, CriticalLineBall)


def instance(number, dim=None, rough=None):
    """Support, values with ties in a third of the cases, and a centre with zeros."""
    g = np.random.default_rng(number)
    dim = dim or 1 + number % 2
    m = int(g.integers(3, 16))
    support = g.uniform(size=(m, dim))
    u = np.sin(6 * support @ g.normal(size=dim)) + g.uniform(0, 1) * g.normal(size=m)
    if number % 3 == 0:
        u = np.round(u, 1)
    p = g.dirichlet(np.ones(m)) * (g.uniform(size=m) < 0.7)
    p = p / p.sum() if p.sum() > 0 else np.full(m, 1.0 / m)
    return support, u, p


def feasible(found, values):
    assert (found.weights >= -INNER_ROUNDING).all()
    total = found.weights.sum(axis=1) + found.outside
    np.testing.assert_allclose(total, 1.0, atol=INNER_ROUNDING)
    assert (found.lower <= found.value + INNER_ROUNDING).all()


# --- total variation --------------------------------------------------------------------------------------------------


def variation_program(u, p, delta, floor):
    """Variables: added and removed mass per point, and mass on the floor."""
    m = len(u)
    cost = np.concatenate([u, -u, [floor]])
    equal = np.concatenate([np.ones(m), -np.ones(m), [1.0]])[None, :]
    reach = np.ones((1, 2 * m + 1))
    bounds = [(0, None)] * m + [(0, q) for q in p] + [(0, None)]
    found = linprog(cost, A_ub=reach, b_ub=[delta], A_eq=equal, b_eq=[0.0], bounds=bounds, method="highs")
    return float(u @ p + found.fun)


def variation_cases():
    for number in range(INSTANCES):
        _, u, p = instance(number)
        g = np.random.default_rng(10_000 + number)
        delta = [0.0, 0.05, 0.3, 1.0, 2.5][number % 5]
        floor = u.min() - (g.exponential() if number % 2 else 0.0)
        yield u, p, delta, floor


@pytest.mark.slow
def test_total_variation_agrees_with_linear_programming_on_200_instances():
    for u, p, delta, floor in variation_cases():
        found = total_variation(u, p, delta, [floor])
        feasible(found, u)
        assert found.value[0] == pytest.approx(variation_program(u, p, delta, floor), abs=INNER_AGREEMENT)
        assert abs(found.gap[0]) <= INNER_ROUNDING
        moved = np.abs(found.weights[0] - p).sum() + found.outside[0]
        assert moved <= delta + INNER_ROUNDING
        assert found.value[0] == pytest.approx(found.weights[0] @ u + found.outside[0] * floor, abs=INNER_ROUNDING)


def test_removing_delta_instead_of_half_of_it_would_be_noticed():
    wrong = [
        abs(total_variation(u, p, 2 * delta, [floor]).value[0] - variation_program(u, p, delta, floor))
        for u, p, delta, floor in variation_cases()
        if 0 < delta < 1
    ]
    assert np.median(wrong) > INNER_TEETH


def test_total_variation_without_a_floor_keeps_the_mass_on_the_support():
    for number in range(40):
        _, u, p = instance(number)
        found = total_variation(u, p, 0.4)
        assert found.outside[0] == 0
        assert found.value[0] == pytest.approx(variation_program(u, p, 0.4, u.min()), abs=INNER_AGREEMENT)
        assert np.abs(found.weights[0] - p).sum() <= 0.4 + INNER_ROUNDING


def test_total_variation_solves_the_published_two_variable_program():
    """max over a >= 0, b of -b - delta a + mean min(u + b, a) with a + b >= -floor, by brute force over b and a."""
    g = np.random.default_rng(3)
    u = g.normal(size=12)
    delta, floor = 0.3, u.min() - 0.2
    a = np.linspace(0, 6, 601)[:, None]
    b = np.linspace(-6, 6, 1201)[None, :]
    objective = -b - delta * a + np.mean([np.minimum(v + b, a) for v in u], axis=0)
    best = np.where(a + b >= -floor - 1e-12, objective, -np.inf).max()
    value = total_variation(u, np.full(12, 1 / 12), delta, [floor]).value[0]
    assert best <= value + INNER_ROUNDING
    assert best >= value - 0.01  # the mesh of a and b


# --- Wasserstein ------------------------------------------------------------------------------------------------------


def transport_program(u, support, p, epsilon):
    """Variables gamma[i, j]: mass that atom j sends to support point i."""
    m, distance = len(u), cdist(support, support)
    receive = np.kron(np.ones(m), np.eye(m))
    found = linprog(
        np.repeat(u, m), A_ub=distance.ravel()[None, :], b_ub=[epsilon], A_eq=receive, b_eq=p, method="highs"
    )
    return float(found.fun)


def transport_distance(q, p, support):
    m = len(q)
    sums = np.vstack([np.kron(np.eye(m), np.ones(m)), np.kron(np.ones(m), np.eye(m))])
    return linprog(cdist(support, support).ravel(), A_eq=sums, b_eq=np.concatenate([q, p]), method="highs").fun


RADII = (0.0, 1e-3, 0.05, 0.2, 1.0)


@pytest.mark.slow
def test_wasserstein_agrees_with_linear_programming_on_200_instances():
    for number in range(INSTANCES):
        support, u, p = instance(number)
        epsilon = RADII[number % 5]
        found = wasserstein(u, support, p, epsilon)
        feasible(found, u)
        assert found.value[0] == pytest.approx(transport_program(u, support, p, epsilon), abs=INNER_AGREEMENT)
        assert abs(found.gap[0]) <= INNER_ROUNDING
        assert found.value[0] == pytest.approx(found.weights[0] @ u, abs=INNER_ROUNDING)


def test_worst_distributions_lie_in_the_wasserstein_ball():
    for number in range(60):
        support, u, p = instance(number)
        epsilon = RADII[1 + number % 4]
        found = wasserstein(u, support, p, epsilon)
        assert transport_distance(found.weights[0], p, support) <= epsilon + INNER_AGREEMENT


def test_wasserstein_without_mixing_or_without_the_atoms_would_be_noticed():
    unmixed, without = [], []
    for number in range(60):
        support, u, p = instance(number)
        exact = transport_program(u, support, p, 0.05)
        unmixed.append(abs(wasserstein(u, support, p, 0.0).value[0] - exact))
        # The atoms moved to the nearest other support point, as if they were not part of the support themselves.
        other = cdist(support, support) + 10 * np.eye(len(u))
        moved = np.bincount(other.argmin(axis=1), weights=p, minlength=len(u))
        without.append(abs(wasserstein(u, support, moved, 0.05).value[0] - exact))
    assert np.median(unmixed) > INNER_TEETH
    assert np.median(without) > INNER_TEETH


@pytest.mark.parametrize("dim", [1, 2])
def test_many_rows_are_solved_as_one_by_one(dim):
    g = np.random.default_rng(dim)
    support, p = g.uniform(size=(30, dim)), g.dirichlet(np.ones(30))
    u = g.normal(size=(50, 30))
    kernel = np.exp(-2 * cdist(support, support) ** 2)
    solvers = [ball(kernel, p, 0.3).worst for ball in BALLS]
    for solve in (lambda v: wasserstein(v, support, p, 0.1), lambda v: total_variation(v, p, 0.3), *solvers):
        together = solve(u)
        alone = np.array([solve(row[None, :]).value[0] for row in u])
        np.testing.assert_allclose(together.value, alone, atol=DISCREPANCY_GAP)


def test_one_dimension_agrees_with_the_general_distance_route():
    for number in range(100):
        support, u, p = instance(number, dim=1)
        flat = np.column_stack([support[:, 0], np.zeros(len(u))])
        line, plane = wasserstein(u, support, p, 0.1), wasserstein(u, flat, p, 0.1)
        assert line.value[0] == pytest.approx(plane.value[0], abs=INNER_ROUNDING)


def test_wasserstein_value_is_convex_and_decreasing_in_the_radius():
    support, u, p = instance(7, dim=1)
    radii = np.linspace(0, 1.5, 60)
    values = np.array([wasserstein(u, support, p, r).value[0] for r in radii])
    assert values[0] == pytest.approx(u @ p, abs=INNER_ROUNDING)
    assert values[-1] == pytest.approx(u.min(), abs=INNER_ROUNDING)
    assert (np.diff(values) <= INNER_ROUNDING).all()
    assert (np.diff(values, 2) >= -INNER_ROUNDING).all()


def test_the_penalised_form_is_the_dual_at_the_lipschitz_constant():
    """mean - epsilon L <= exact <= mean, and L bounds every slope and is attained by one."""
    for number in range(60):
        support, u, p = instance(number)
        steepest = lipschitz_constant(u, support)[0]
        gaps = cdist(support, support)[np.triu_indices(len(u), 1)]
        slopes = np.abs(u[:, None] - u[None, :])[np.triu_indices(len(u), 1)] / gaps
        assert steepest == pytest.approx(slopes.max(), rel=1e-12)
        for epsilon in (0.01, 0.1, 0.5):
            exact = wasserstein(u, support, p, epsilon).value[0]
            assert p @ u - epsilon * steepest <= exact + INNER_ROUNDING
            assert exact <= p @ u + INNER_ROUNDING


# --- maximum mean discrepancy -----------------------------------------------------------------------------------------


def discrepancy_case(number):
    support, u, p = instance(number)
    g = np.random.default_rng(20_000 + number)
    scale = g.uniform(0.1, 1.0)
    kernel = np.exp(-0.5 * cdist(support, support) ** 2 / scale**2)
    return u, p, kernel, (0.02, 0.1, 0.4, 1.2)[number % 4]


def generic_discrepancy(u, p, kernel, r):
    """SLSQP on the problem as it is written, from the centre."""
    found = minimize(
        lambda q: q @ u,
        p,
        jac=lambda q: u,
        bounds=[(0, None)] * len(u),
        constraints=[
            {"type": "eq", "fun": lambda q: q.sum() - 1, "jac": lambda q: np.ones(len(q))},
            {
                "type": "ineq",
                "fun": lambda q: 1 - (q - p) @ kernel @ (q - p) / r**2,
                "jac": lambda q: -2 * kernel @ (q - p) / r**2,
            },
        ],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    return float(found.fun)


@pytest.mark.slow
def test_discrepancy_balls_agree_with_a_generic_solver_and_their_certificates_hold_on_200_instances():
    for number in range(INSTANCES):
        u, p, kernel, r = discrepancy_case(number)
        generic = generic_discrepancy(u, p, kernel, r)
        for ball in BALLS:
            found = ball(kernel, p, r, 1e-8).worst(u)
            feasible(found, u)
            assert found.value[0] == pytest.approx(generic, abs=INNER_AGREEMENT * max(1.0, float(np.ptp(u))))
            shift = found.weights[0] - p
            assert np.sqrt(max(shift @ kernel @ shift, 0)) <= r + 1e-9
            assert found.gap[0] <= 1e-8 * max(np.ptp(u), 1e-12) + INNER_ROUNDING
            assert found.value[0] == pytest.approx(found.weights[0] @ u, abs=INNER_ROUNDING)


def test_any_vector_gives_a_lower_bound_and_without_the_radius_it_would_not():
    g = np.random.default_rng(5)
    broken = 0
    for number in range(40):
        u, p, kernel, r = discrepancy_case(number)
        ball = DiscrepancyBall(kernel, p, r)
        value = ball.worst(u).value[0]
        vectors = g.normal(size=(100, len(ball.factor))) * g.exponential(size=(100, 1))
        lower = ball.lower_bound(np.tile(u, (100, 1)), vectors)
        assert (lower <= value + INNER_ROUNDING).all()
        broken += bool((lower + r * np.linalg.norm(vectors, axis=1) > value + INNER_TEETH).any())
    assert broken > 10


def test_a_radius_instead_of_its_square_would_be_noticed():
    gaps = []
    for number in range(1, 60, 4):  # r = 0.1
        u, p, kernel, r = discrepancy_case(number)
        gaps.append(
            abs(DiscrepancyBall(kernel, p, np.sqrt(r)).worst(u).value[0] - generic_discrepancy(u, p, kernel, r))
        )
    assert np.median(gaps) > INNER_TEETH


@pytest.mark.parametrize("ball", BALLS)
def test_discrepancy_value_is_convex_and_decreasing_and_ends_at_the_minimum(ball):
    s = np.linspace(0, 1, 40)
    kernel = np.exp(-0.5 * (s[:, None] - s) ** 2 / 0.2**2)
    u, p = np.sin(9 * s), np.full(40, 1 / 40)
    radii = np.linspace(0, 1.5, 31)
    values = np.array([ball(kernel, p, r, 1e-8).worst(u).value[0] for r in radii])
    assert values[0] == pytest.approx(u @ p, abs=INNER_ROUNDING)
    assert values[-1] == u.min()
    assert (np.diff(values) <= DISCREPANCY_GAP).all()
    assert (np.diff(values, 2) >= -DISCREPANCY_GAP).all()


def test_pivoted_factor_leaves_a_positive_residual_within_the_tolerance():
    s = np.linspace(0, 1, 80)
    kernel = np.exp(-0.5 * (s[:, None] - s) ** 2 / 0.3**2)
    for tolerance in (1e-4, 1e-8):
        factor = pivoted_factor(kernel, tolerance)
        residual = kernel - factor.T @ factor
        assert np.diag(residual).max() <= tolerance
        assert np.linalg.eigvalsh(residual).min() >= -1e-12
        assert len(factor) < 20


def test_finer_tolerances_give_smaller_certified_gaps():
    s = np.linspace(0, 1, 100)
    kernel = np.exp(-0.5 * (s[:, None] - s) ** 2 / 0.3**2)
    g = np.random.default_rng(0)
    u = np.sin(g.normal(size=(64, 1)) * 10 * s) + 0.3 * g.normal(size=(64, 100))
    p = np.bincount(g.integers(0, 100, 30), minlength=100) / 30
    for tolerance in (1e-4, 1e-6, 1e-8):
        found = DiscrepancyBall(kernel, p, 0.4, tolerance).worst(u)
        assert (found.gap <= tolerance * np.ptp(u, axis=1)).all()


# --- rows on which the iteration was once given up too early ----------------------------------------------------------

#: Rows u, centres p, radii r and kernels: eight from DRBO-MMD on the newsvendor with 100 or 400 contexts, where the kernel
#: depends on the distance of two nodes (``row``, its first row), and one on 100 nodes of another kind (its upper half).
BREAKDOWNS = Path(__file__).parent / "data" / "discrepancy_breakdowns.npz"


@cache
def breakdowns():
    with np.load(BREAKDOWNS) as stored:
        found = []
        for k in range(9):
            u, p, r = stored[f"u{k}"], stored[f"p{k}"], float(stored[f"r{k}"])
            at = np.arange(len(u))
            if k < 8:
                kernel = stored[f"row{k}"][np.abs(at[:, None] - at)]
            else:
                kernel = np.zeros((len(u), len(u)))
                kernel[np.triu_indices(len(u))] = stored["kernel8"]
                kernel = np.triu(kernel) + np.triu(kernel, 1).T
            found.append((u, p, kernel, r))
    return found


def hard_case(number):
    """The nine as they were met; then on fewer nodes, with other values and radii."""
    u, p, kernel, r = breakdowns()[number % 9]
    if number < 9:
        return u, p, kernel, r
    g = np.random.default_rng(number)
    m = len(u)
    kept = np.unique(np.round(np.linspace(0, m - 1, int(g.integers(m // 4, m + 1)))).astype(int))
    centre = np.bincount(np.abs(kept - np.arange(m)[:, None]).argmin(axis=1), weights=p, minlength=len(kept))
    wave = 0.01 * g.uniform() * np.ptp(u) * np.sin(g.uniform(2, 12) * kept / m + g.uniform(0, 6))
    return u[kept] + wave, centre, kernel[np.ix_(kept, kept)], r * g.uniform(0.9, 1.05)


def discrepancy_by_cuts(u, p, kernel, r):
    """Linear programs with cuts: s'K(q - p) <= r sqrt(s'Ks) holds in the ball for every s; s is the last solution's shift."""
    low, width = u.min(), np.ptp(u)
    cuts, right = [], []
    for _ in range(100):
        found = linprog(
            (u - low) / width,
            A_ub=cuts or None,
            b_ub=right or None,
            A_eq=np.ones((1, len(u))),
            b_eq=[1.0],
            method="highs",
        )
        slope = kernel @ (found.x - p)
        length = np.sqrt(max((found.x - p) @ slope, 0.0))
        if length <= r * (1 + 1e-7):
            return low + width * found.fun
        cuts.append(slope / length)
        right.append(r + slope @ p / length)
    raise AssertionError("the cuts did not reach the ball")


@pytest.mark.slow
def test_hard_discrepancy_balls_are_solved_and_agree_with_linear_programs_on_200_instances():
    for number in range(INSTANCES):
        u, p, kernel, r = hard_case(number)
        exact, width = discrepancy_by_cuts(u, p, kernel, r), np.ptp(u)
        for ball in BALLS:
            found = ball(kernel, p, r, 1e-8).worst(u)
            feasible(found, u)
            assert found.gap[0] <= 1e-8 * width + INNER_ROUNDING
            shift = found.weights[0] - p
            assert np.sqrt(max(shift @ kernel @ shift, 0)) <= r + 1e-9
            assert found.value[0] == pytest.approx(exact, abs=INNER_AGREEMENT * width)


@pytest.mark.parametrize("number", range(9))
def test_four_iterations_without_progress_are_no_reason_to_give_up_far_from_the_solution(number, monkeypatch):
    """At first the bounds may be worse than those known before; the tolerance is that of DRBO-MMD."""
    u, p, kernel, r = breakdowns()[number]
    ball = DiscrepancyBall(kernel, p, r, DISCREPANCY_TOLERANCE)
    assert ball.worst(u).gap[0] <= DISCREPANCY_TOLERANCE * np.ptp(u)
    monkeypatch.setattr(discrepancy_ball, "_STALLED", np.inf)
    assert ball.worst(u).gap[0] > 1e3 * DISCREPANCY_TOLERANCE * np.ptp(u)


def test_a_gap_that_stays_is_an_error(monkeypatch):
    u, p, kernel, r = breakdowns()[0]
    monkeypatch.setattr(discrepancy_ball, "_MOST_ITERATIONS", 4)
    with pytest.raises(CompanionError, match="gap"):
        DiscrepancyBall(kernel, p, r).worst(u)


# --- the critical line ------------------------------------------------------------------------------------------------


def nearby_rows(number, count=12):
    """A hard case, and rows like it that a search meets one after the other."""
    u, p, kernel, r = hard_case(number)
    g = np.random.default_rng(30_000 + number)
    phases, waves = g.uniform(0, 6, size=(count, 1)), g.uniform(2, 9, size=(count, 1))
    size = np.ptp(u) * np.geomspace(0.3, 1e-4, count)[:, None]
    rows = u + size * np.sin(waves * np.arange(len(u)) / len(u) + phases)
    return rows, CriticalLineBall(kernel, p, r, 1e-8), DiscrepancyBall(kernel, p, r, 1e-8)


@pytest.mark.slow
def test_rows_that_start_where_others_ended_are_certified_and_agree_with_the_interior_point_method():
    fallbacks = 0
    for number in range(0, INSTANCES, 8):
        rows, ball, interior = nearby_rows(number)
        found, width = ball.worst(rows), np.ptp(rows, axis=1)
        feasible(found, rows)
        assert (found.gap <= 1e-8 * width + INNER_ROUNDING).all()
        np.testing.assert_allclose(found.value, interior.worst(rows).value, atol=2e-8 * width.max())
        again = ball.worst(rows[::-1])
        np.testing.assert_allclose(again.value[::-1], found.value, atol=INNER_ROUNDING * width.max())
        fallbacks += ball.fallbacks
    assert fallbacks == 0


@pytest.mark.slow
def test_rows_that_are_not_certified_are_counted_and_left_to_the_interior_point_method(monkeypatch):
    rows, ball, interior = nearby_rows(3)
    hard = int((ball.vertex_distance[rows.argmin(axis=1)] > ball.radius).sum())
    assert hard > 5
    ball.worst(rows[:1])
    # No point ever enters: a face that is not the solution's must not pass for it. No exchange at all: no face is found.
    for name, value, least in (("_ENTER", np.inf, 1), ("_MOST_EXCHANGES", 0, hard)):
        with monkeypatch.context() as broken:
            broken.setattr(critical_line, name, value)
            ball.fallbacks = 0
            found = ball.worst(rows)
        assert least <= ball.fallbacks <= hard
        np.testing.assert_allclose(found.value, interior.worst(rows).value, atol=2e-8 * np.ptp(rows))


def test_any_distribution_and_multiplier_give_a_lower_bound_and_without_the_radius_they_would_not():
    g = np.random.default_rng(6)
    broken = 0
    for number in range(40):
        u, p, kernel, r = discrepancy_case(number)
        u = (u - u.min()) / max(np.ptp(u), 1e-12)
        ball, every = CriticalLineBall(kernel, p, r), np.arange(len(u))
        value = ball.worst(u).value[0]
        for _ in range(50):
            mass, multiplier = g.dirichlet(np.full(len(u), 0.3)), g.exponential()
            q, bound = ball._certified(u, mass, every, multiplier)
            assert bound <= value + INNER_ROUNDING
            assert np.sqrt(max((q - p) @ kernel @ (q - p), 0)) <= r + 1e-9
            shift = mass - p
            length = np.sqrt(max(shift @ kernel @ shift, 0))
            broken += bool(bound + multiplier * r * length > value + INNER_TEETH)
    assert broken > 100


# --- minmax -----------------------------------------------------------------------------------------------------------


def minmax_instance():
    s = np.linspace(0, 1, 25)
    kernel = np.exp(-0.5 * (s[:, None] - s) ** 2 / 0.2**2)
    g = np.random.default_rng(2)
    u, p = np.sin(7 * s) + 0.1 * g.normal(size=25), g.dirichlet(np.ones(25))
    return u, p, DiscrepancyBall(kernel, p, 0.1).vertex_distance


def minmax_value(u, p, away, r, reading="text"):
    return Minmax(p, away, r, reading)(np.atleast_2d(u))


def test_minmax_has_the_three_cases_of_its_definition():
    u, p, away = minmax_instance()
    mean, low, star = p @ u, u.min(), away[u.argmin()]
    spread = np.sqrt((u**2).sum() - u.sum() ** 2 / len(u))
    first = (mean - low) / spread
    assert 0 < first < star
    for r, expected in (
        (first / 2, mean + first / 4 * (-spread + (low - mean) / star)),
        ((first + star) / 2, (mean + (first + star) / 2 * (low - mean) / star + low) / 2),
        (star * 1.01, low),
    ):
        assert minmax_value(u, p, away, r)[0][0] == pytest.approx(expected, rel=1e-12)
    for edge in (first, star):
        before, after = (minmax_value(u, p, away, edge * f)[0][0] for f in (1 - 1e-9, 1 + 1e-9))
        assert before == pytest.approx(after, abs=1e-7)


@pytest.mark.parametrize("reading", ["text", "code"])
def test_minmax_slope_is_its_derivative(reading):
    u, p, away = minmax_instance()
    star = away[u.argmin()]
    for r in (0.05, 0.5 * star, 0.95 * star, 1.2 * star):
        slope = minmax_value(u, p, away, r, reading)[1][0]
        for i in (0, 7, int(u.argmin()), 24):
            step = np.zeros(25)
            step[i] = 1e-6
            up, down = (minmax_value(u + sign * step, p, away, r, reading)[0][0] for sign in (1, -1))
            assert (up - down) / 2e-6 == pytest.approx(slope[i], abs=SLOPE_DIFFERENCE)


def test_published_minmax_uses_the_plain_mean_and_zeroes_last_cases_of_mixed_batches():
    u, p, away = minmax_instance()
    star = away[u.argmin()]
    r = 0.9 * star
    value = minmax_value(u, p, away, r, "code")[0][0]
    assert value == pytest.approx((u.mean() + 0.9 * (u.min() - u.mean()) + u.min()) / 2, rel=1e-12)
    # A row whose minimum sits where the centre's mass is has a smaller e*, hence the last case at this radius.
    near = np.where(np.arange(25) == away.argmin(), -3.0, 0.0)
    assert away.min() < r
    mixed = minmax_value(np.stack([u, near]), p, away, r, "code")
    np.testing.assert_array_equal(mixed[0], [value, 0.0])
    assert not mixed[1][1].any()
    assert minmax_value(near, p, away, r, "code")[0][0] == -3.0
    assert minmax_value(np.stack([u, near]), p, away, r)[0][1] == -3.0


# --- degenerate inputs and refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("u", "support", "p"),
    [
        ([2.0], [[0.3]], [1.0]),
        ([1.5, 1.5, 1.5], [[0.1], [0.5], [0.9]], [0.2, 0.3, 0.5]),
        ([1.0, 1.0, 0.0], [[0.2], [0.2], [0.7]], [1.0, 0.0, 0.0]),
        ([1.0, 2.0, 0.5], [[0.2], [0.4], [0.7]], [0.0, 1.0, 0.0]),
    ],
)
@pytest.mark.parametrize("radius", [0.0, 0.1, 5.0])
def test_degenerate_inputs_are_solved(u, support, p, radius):
    u, support, p = np.array(u), np.array(support), np.array(p)
    kernel = np.exp(-(cdist(support, support) ** 2))
    answers = [
        wasserstein(u, support, p, radius),
        total_variation(u, p, radius),
        DiscrepancyBall(kernel, p, radius).worst(u),
    ]
    for found in answers:
        feasible(found, u)
        assert u.min() - 1e-12 <= found.value[0] <= u @ p + 1e-12
        assert found.gap[0] <= DISCREPANCY_GAP
        if radius == 0:
            assert found.value[0] == pytest.approx(u @ p, abs=INNER_ROUNDING)
        if radius == 5.0:
            assert found.value[0] == pytest.approx(u.min(), abs=INNER_ROUNDING)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("radius", lambda: wasserstein([0.0, 1.0], [0.0, 1.0], [0.5, 0.5], -0.1)),
        ("radius", lambda: total_variation([0.0, 1.0], [0.5, 0.5], float("nan"))),
        ("centre", lambda: total_variation([0.0, 1.0], [0.5, 0.6], 0.1)),
        ("centre", lambda: wasserstein([0.0, 1.0], [0.0, 1.0], [1.5, -0.5], 0.1)),
        ("support", lambda: wasserstein([0.0, 1.0], [0.0, 1.0, 2.0], [0.5, 0.5], 0.1)),
        ("values", lambda: total_variation([np.nan, 1.0], [0.5, 0.5], 0.1)),
        ("floor", lambda: total_variation([0.0, 1.0], [0.5, 0.5], 0.1, [0.5])),
        ("kernel", lambda: DiscrepancyBall(np.eye(3), np.full(2, 0.5), 0.1)),
    ],
)
def test_impossible_inputs_are_refused(name, call):
    with pytest.raises(ParameterError, match=name):
        call()


def test_minmax_is_bounded_by_few_of_its_values_in_every_case():
    """Small radii are of the first case, which a bound that forgets it would miss."""
    g = np.random.default_rng(8)
    u, p, away = minmax_instance()
    rows = u * g.uniform(0.2, 2.0, size=(200, 1)) + 0.5 * g.normal(size=(200, 25))
    missed = 0
    for r in (0.01, 0.05, 0.2, 0.5, 0.9, 1.5):
        minmax = Minmax(p, away, r)
        values, mean = minmax(rows)[0], rows @ p
        for few in (1, 4, 12):
            some = rows[:, g.permutation(25)[:few]]
            assert (minmax.bound(mean, some) >= values - INNER_ROUNDING).all()
        exact = minmax.bound(mean, rows)
        assert (exact - values).mean() < 0.5 * (mean - values).mean()
        low = rows.min(axis=1)
        missed += int((mean - (1 + min(r / away.max(), 1)) / 2 * (mean - low) < values - INNER_TEETH).sum())
    assert missed > 50
