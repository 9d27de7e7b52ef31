"""No collection beats the bounds, the bounds are reached, and each certificate agrees with a solver that knows nothing of it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from oracles.meanfield_reference import allocation_terms, best_allocation
from scipy import optimize
from tolerances import (
    ARENA_STALL,
    BOUND_SLACK,
    CLIMBED_RTOL,
    FIVE_DECIMALS,
    FREE_SOLVER_ATOL,
    MEAN_FIELD_ATOL,
    PRINTED_3_DIGITS,
    RESPONSE_ATOL,
)

from companion.core.randomness import stream
from companion.papers.meanfield.problems import arena as arena_module
from companion.papers.meanfield.problems import certificates
from companion.papers.meanfield.problems.arena import TOLERANCE, arena, certified_optimum
from companion.papers.meanfield.problems.catalogue import SETTINGS, WITH_READINGS, MeanFieldProblem, meanfield_problem
from companion.papers.meanfield.problems.certificates import (
    concave_gap,
    crowding_response,
    solve_crowding,
)
from companion.papers.meanfield.problems.divergence import jensen_shannon
from companion.papers.meanfield.problems.ports import ports, region_masses
from companion.papers.meanfield.problems.swarm import swarm, swarm_reward

VARIANTS = [
    (name, reading) for name in SETTINGS for reading in ("ours", "text") if reading == "ours" or name in WITH_READINGS
]


@pytest.fixture(autouse=True)
def _stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COMPANION_DATA", raising=False)


def random_collections(problem: MeanFieldProblem, count: int, seed: int = 0) -> np.ndarray:
    """Laws from nearly pure to nearly uniform."""
    generator = stream(seed, "collections")
    spread = 10.0 ** generator.uniform(-2, 1.5, (count, 1, 1))
    logs = np.log(generator.gamma(spread, size=(count, problem.contexts, problem.actions)) + 1e-300)
    p = np.exp(logs - logs.max(axis=2, keepdims=True))
    return p / p.sum(axis=2, keepdims=True)


def softmax(logits: np.ndarray) -> np.ndarray:
    p = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return p / p.sum(axis=-1, keepdims=True)


def climbed(problem: MeanFieldProblem, start: np.ndarray, steps: int = 200) -> float:
    """Best value of L-BFGS over softmax logits; the gradient in p by differences, so that no code of the problem helps."""
    shape = (problem.contexts, problem.actions)
    size, width = shape[0] * shape[1], 1e-6
    directions = width * np.eye(size).reshape(size, *shape)

    def negative(logits: np.ndarray) -> tuple[float, np.ndarray]:
        p = softmax(logits.reshape(shape))
        value = problem.mean_field(p[None])[0]
        slope = ((problem.mean_field(p + directions) - value) / width).reshape(shape)
        return -value, -(p * (slope - (p * slope).sum(axis=1, keepdims=True))).ravel()

    logits = np.log(start + 1e-12).ravel()
    found = optimize.minimize(negative, logits, jac=True, method="L-BFGS-B", options={"maxiter": steps, "ftol": 1e-15})
    return float(problem.reward(softmax(found.x.reshape(shape))[None])[0])


def best_of_all(problem: MeanFieldProblem) -> float:
    """Best of 4000 random collections, of those improved from, and of the corners and the uniform collection."""
    p = random_collections(problem, 4000)
    values = np.concatenate([problem.reward(part) for part in np.array_split(p, 8)])
    starts = [p[int(values.argmax())], problem.uniform(), p[0], 0.9 * problem.optimal + 0.1 * problem.uniform()]
    corners = np.eye(problem.actions)[:, None].repeat(problem.contexts, axis=1)
    return max(values.max(), problem.reward(corners).max(), *(climbed(problem, start) for start in starts))


@pytest.mark.parametrize(("name", "reading"), VARIANTS)
def test_nothing_found_exceeds_the_bound_and_the_bound_is_reached(name: str, reading: str) -> None:
    problem = meanfield_problem(name, reading=reading)
    best = best_of_all(problem)
    scale = max(1.0, abs(problem.upper_bound))
    assert best <= problem.upper_bound + BOUND_SLACK * scale
    assert problem.optimum <= problem.upper_bound + BOUND_SLACK * scale
    assert problem.upper_bound - problem.optimum <= TOLERANCE + BOUND_SLACK * scale
    p = np.concatenate([problem.optimal[None], random_collections(problem, 100)])
    np.testing.assert_array_equal(problem.regret(p), problem.upper_bound - problem.reward(p))
    assert (problem.regret(p) >= -BOUND_SLACK * scale).all()
    # Teeth: a bound lower by a thousandth of what is at stake, above uniform play, would have been exceeded.
    stake = problem.upper_bound - problem.reward(problem.uniform()[None])[0]
    assert best > problem.upper_bound - CLIMBED_RTOL * stake


@pytest.mark.parametrize("name", [name for name in SETTINGS if name != "arena"])
def test_agents_do_not_exceed_the_bound_of_their_limit(name: str) -> None:
    """Their shares are a collection; only the arena's contexts vary, which the next test looks at."""
    problem = meanfield_problem(name, agents=50)
    generator = stream(0, "agents")
    sizes = np.rint(50 * problem.context_weights).astype(int)
    p = random_collections(problem, 500)
    rows = [[generator.multinomial(n, law / law.sum()) for n, law in zip(sizes, q, strict=True)] for q in p]
    assert problem.count_reward(np.array(rows)).max() <= problem.upper_bound + BOUND_SLACK


def test_the_arenas_bound_holds_for_teams_of_any_size() -> None:
    problem = arena(agents=50)
    generator = stream(0, "teams")
    spread = problem.optimal.ravel() / 2
    mixed = [
        generator.multinomial(50, 0.5 * spread + 0.5 * generator.dirichlet(np.full(60, 0.1))).reshape(2, 30)
        for _ in range(5000)
    ]
    assert problem.count_reward(np.array(mixed)).max() <= problem.upper_bound + BOUND_SLACK
    counts = np.zeros((1, 2, 30), dtype=int)  # everyone in one team, and on its side only
    counts[0, 0] = np.floor(100 * spread[:30])
    counts[0, 0, 0] += 50 - counts.sum()
    assert problem.count_reward(counts)[0] < problem.upper_bound


# ---- swarm


def test_the_swarms_optimum_is_the_dispersed_one() -> None:
    problem = meanfield_problem("swarm")
    used = np.flatnonzero(problem.optimal[0])
    np.testing.assert_array_equal(used, [6, 7, 8, 9])
    np.testing.assert_allclose(problem.optimal[0, used], [0.218, 0.373, 0.317, 0.092], atol=PRINTED_3_DIGITS)
    assert problem.upper_bound == pytest.approx(18.01344, abs=FIVE_DECIMALS)
    assert problem.reward(problem.uniform()[None])[0] == pytest.approx(-10.526, abs=PRINTED_3_DIGITS)
    one_place = problem.reward(np.eye(30)[:, None]).max()
    assert one_place == pytest.approx(14.718, abs=PRINTED_3_DIGITS)


def test_as_printed_the_swarm_is_best_in_one_place_and_ours_is_not() -> None:
    printed, ours = meanfield_problem("swarm", reading="text"), meanfield_problem("swarm")
    assert (printed.optimal > 0).sum() == 1
    dispersed = printed.reward(ours.optimal[None])[0]
    assert printed.reward(printed.optimal[None])[0] > dispersed
    assert ours.reward(ours.optimal[None])[0] > ours.reward(printed.optimal[None])[0]


def test_the_best_of_fifty_agents_by_increments_and_by_swaps() -> None:
    share = np.arange(51) / 50
    terms = swarm_reward(np.linspace(0, 2 * math.pi, 30))[:, None] * share - 10 * share * np.log1p(share)
    numbers, value = best_allocation(terms)
    assert numbers.sum() == 50
    assert value == pytest.approx(18.01182, abs=FIVE_DECIMALS)
    problem = meanfield_problem("swarm")
    assert problem.count_reward(numbers[None, None])[0] == pytest.approx(value, abs=MEAN_FIELD_ATOL)
    # No agent gains the system anything by moving, which for a separable concave reward is optimality.
    for source, target in itertools.permutations(range(30), 2):
        if numbers[source]:
            moved = numbers.copy()
            moved[[source, target]] += [-1, 1]
            assert problem.count_reward(moved[None, None])[0] <= value + BOUND_SLACK * 20


def test_best_allocation_against_enumeration() -> None:
    generator = stream(0, "terms")
    for _ in range(20):
        steps = -np.sort(-generator.normal(size=(4, 6)), axis=1)
        terms = np.concatenate([np.zeros((4, 1)), steps.cumsum(axis=1)], axis=1)
        everything = [n for n in itertools.product(range(7), repeat=4) if sum(n) == 6]
        expected = max(sum(terms[x, n[x]] for x in range(4)) for n in everything)
        numbers, value = best_allocation(terms)
        assert value == pytest.approx(expected, abs=MEAN_FIELD_ATOL)
        assert numbers.sum() == 6


# ---- the crowding program


def test_the_response_solves_its_equation() -> None:
    slack = np.concatenate([np.linspace(-2, 0, 5), np.geomspace(1e-6, 3, 50)])
    q = crowding_response(slack)
    np.testing.assert_array_equal(q[:5], 0.0)
    np.testing.assert_allclose(np.log1p(q[5:]) + q[5:] / (1 + q[5:]), slack[5:], atol=RESPONSE_ATOL)


def free_solver(a: np.ndarray, strength: float) -> float:
    found = optimize.minimize(
        lambda q: -(a @ q - strength * (q * np.log1p(q)).sum()),
        np.full(len(a), 1 / len(a)),
        jac=lambda q: -(a - strength * (np.log1p(q) + q / (1 + q))),
        bounds=[(0, 1)] * len(a),
        constraints={"type": "eq", "fun": lambda q: q.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return -found.fun


def test_the_crowding_program_against_a_free_solver() -> None:
    generator = stream(0, "programs")
    for strength in (0.1, 1.0, 10.0, 200.0):
        a = generator.normal(size=(5, 12))
        found = solve_crowding(a, strength)
        np.testing.assert_allclose(found.law.sum(axis=1), 1.0, atol=MEAN_FIELD_ATOL)
        assert (found.upper >= found.value - BOUND_SLACK * strength).all()
        assert (found.upper - found.value <= 1e-11 * max(strength, 1.0)).all()
        for row, value in zip(a, found.value, strict=True):
            assert value == pytest.approx(free_solver(row, strength), abs=FREE_SOLVER_ATOL)


def test_the_crowding_bound_holds_before_the_multiplier_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weak duality: any multiplier gives a bound, and any law a value."""
    a = stream(1, "programs").normal(size=(6, 12))
    optimum = solve_crowding(a, 3.0).value
    monkeypatch.setattr(certificates, "BISECTIONS", 3)
    rough = solve_crowding(a, 3.0)
    assert (rough.upper > optimum).all()
    assert (rough.value < optimum).all()


# ---- arena


@pytest.mark.slow
@pytest.mark.parametrize(("actions", "sigma"), [(4, 10.0), (4, 1.0), (6, 3.0), (30, 10.0), (30, 1.0), (12, 40.0)])
def test_the_arenas_bracket_holds_against_many_climbs(actions: int, sigma: float) -> None:
    problem = arena(actions=actions, sigma=sigma)
    assert 0 <= problem.upper_bound - problem.optimum <= TOLERANCE * (1 + 1e-6)
    best = max(climbed(problem, start) for start in random_collections(problem, 12, seed=actions))
    assert best <= problem.upper_bound + BOUND_SLACK * sigma
    assert best >= problem.upper_bound - ARENA_STALL * max(1.0, abs(problem.upper_bound))


@pytest.mark.slow
def test_the_arenas_optimum_against_a_full_grid_of_collections() -> None:
    problem = arena(actions=4, sigma=2.0)
    laws = np.array([n for n in itertools.product(range(13), repeat=4) if sum(n) == 12]) / 12
    first, second = np.divmod(np.arange(len(laws) ** 2), len(laws))
    values = problem.reward(np.stack([laws[first], laws[second]], axis=1))
    assert problem.upper_bound - 1e-2 < values.max() <= problem.upper_bound


def test_the_arenas_check_values_and_its_two_sides() -> None:
    problem = arena()
    assert problem.upper_bound == pytest.approx(1.02718, abs=FIVE_DECIMALS)
    assert problem.reward(problem.uniform()[None])[0] == pytest.approx(-0.328, abs=PRINTED_3_DIGITS)
    np.testing.assert_array_equal((problem.optimal > 1e-9).sum(axis=1), [9, 9])
    means = problem.optimal @ np.exp(2j * np.pi * np.arange(30) / 30)
    assert abs(np.angle(means[0] / means[1])) == pytest.approx(math.pi)
    turned = np.stack([np.roll(problem.optimal, k, axis=1) for k in range(30)])
    np.testing.assert_allclose(problem.reward(turned), problem.optimum, atol=MEAN_FIELD_ATOL)


def test_the_arenas_bound_does_not_rest_on_a_lucky_start(monkeypatch: pytest.MonkeyPatch) -> None:
    _, expected = certified_optimum(30, 10.0)
    climb = arena_module._climb
    monkeypatch.setattr(arena_module, "_climb", lambda places, sigma, w: climb(places, sigma, w, steps=1))
    certified_optimum.cache_clear()
    _, found = certified_optimum(30, 10.0, tolerance=1e-5)
    certified_optimum.cache_clear()
    assert abs(found - expected) < 2e-5


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "short", "tolerance"), [(10.0, 0.1, 0.101), (40.0, 0.6, 0.96)])
def test_the_arenas_bound_holds_however_poor_the_collections_found(
    monkeypatch: pytest.MonkeyPatch, sigma: float, short: float, tolerance: float
) -> None:
    """The search stops early, with coarse triangles, when the best collection falls short by less than the tolerance."""
    _, expected = certified_optimum(4, sigma)
    climb = arena_module._climb

    def poor(places: np.ndarray, strength: float, w: complex) -> tuple[np.ndarray, float]:
        collection, value = climb(places, strength, w)
        return collection, value - short

    monkeypatch.setattr(arena_module, "_climb", poor)
    certified_optimum.cache_clear()
    _, upper = certified_optimum(4, sigma, tolerance=tolerance)
    certified_optimum.cache_clear()
    assert upper >= expected - TOLERANCE


@pytest.mark.slow
def test_the_triangle_bound_needs_its_twenty_fourth() -> None:
    """On small triangles the height inside exceeds the best corner, but never by more than L^2 / 24."""
    generator = stream(0, "triangles")
    places = np.exp(2j * np.pi * np.arange(30) / 30)

    def height(w: np.ndarray) -> np.ndarray:
        lean = np.abs(np.real(np.conj(w)[:, None] * places))
        return solve_crowding(lean, 10.0).value - np.abs(w) ** 2 / 8

    # 20 triangles, with 30 points inside each
    corners = 3.3 * np.exp(1j * generator.uniform(0, 0.1, (20, 1))) + generator.normal(size=(20, 3, 2)) @ (1, 1j)
    side = np.abs(corners - np.roll(corners, 1, axis=1)).max(axis=1)
    inside = (generator.dirichlet(np.ones(3), (20, 30)) @ corners[..., None])[..., 0]
    within, best = (height(w.ravel()).reshape(len(side), -1).max(axis=1) for w in (inside, corners))
    assert 0 < ((within - best) / side**2).max() <= 1 / 24


@pytest.mark.slow
def test_what_the_captions_reward_rules_out() -> None:
    """A reward of 0.9 needs the weighted penalty and ordered pairs."""
    printed = meanfield_problem("arena", reading="text")
    assert printed.upper_bound == pytest.approx(2 - 20 * math.log(1.5), abs=MEAN_FIELD_ATOL)
    one_team = np.zeros((1, 2, 30), dtype=int)
    one_team[0, 0, 0] = 50
    assert printed.count_reward(one_team)[0] == pytest.approx(-4.93, abs=5e-3)
    least_penalty = 10 * math.log(1 + 1 / 30)  # of the uniform collection, by Jensen's inequality
    assert 1 - least_penalty == pytest.approx(0.672, abs=PRINTED_3_DIGITS)
    assert arena().optimum > 0.9


# ---- demand


@pytest.mark.parametrize("name", ["bikes", "taxi-a"])
def test_a_divergence_vanishes_at_the_demand_only(name: str) -> None:
    problem = meanfield_problem(name)
    assert problem.upper_bound == 0.0
    assert problem.optimum == pytest.approx(0.0, abs=MEAN_FIELD_ATOL)
    p = random_collections(problem, 1000)
    assert (problem.reward(p) < -1e-4).all()
    assert (problem.reward(p) >= -math.log(2) - BOUND_SLACK).all()
    opposite = np.eye(2)
    assert jensen_shannon(opposite[0], opposite[1]) == pytest.approx(math.log(2))
    assert jensen_shannon(np.array([0.5, 0.5]), np.array([0.5, 0.5])) == 0.0


def test_whole_bicycles_come_close_to_the_demand() -> None:
    problem = meanfield_problem("bikes")
    numbers, value = best_allocation(allocation_terms(problem.optimal[0], 300))
    assert problem.count_reward(numbers[None, None])[0] == pytest.approx(value, abs=MEAN_FIELD_ATOL)
    rounded = np.floor(300 * problem.optimal[0]).astype(int)
    rounded[np.argsort(rounded - 300 * problem.optimal[0])[: 300 - rounded.sum()]] += 1
    assert problem.count_reward(rounded[None, None])[0] <= value < 0


# ---- ports


def test_the_masses_of_the_regions_against_a_free_solver() -> None:
    generator = stream(0, "regions")
    for _ in range(10):
        v, w = generator.dirichlet(np.full(5, 0.5)) + 1e-3, generator.dirichlet(np.full(5, 2.0))
        # min(s, w) with a slack variable h <= s, h <= w keeps the program smooth.
        found = optimize.minimize(
            lambda z, v=v: (z[:5] ** 2 / v).sum() - z[5:].sum(),
            np.concatenate([np.full(5, 0.2), np.full(5, 0.0)]),
            jac=lambda z, v=v: np.concatenate([2 * z[:5] / v, -np.ones(5)]),
            bounds=[(0, 1)] * 5 + [(0, weight) for weight in w],
            constraints=[
                {"type": "eq", "fun": lambda z: z[:5].sum() - 1, "jac": lambda z: np.repeat([1.0, 0.0], 5)},
                {"type": "ineq", "fun": lambda z: z[:5] - z[5:], "jac": lambda z: np.hstack([np.eye(5), -np.eye(5)])},
            ],
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        s = region_masses(v, w)
        assert s.sum() == pytest.approx(1.0)
        assert np.minimum(s, w).sum() - (s**2 / v).sum() == pytest.approx(-found.fun, abs=FREE_SOLVER_ATOL)


@pytest.mark.parametrize("regions", [1, 2, 5, 10])
@pytest.mark.parametrize("normalisation", ["sum", "max"])
def test_the_ports_gap_is_that_of_a_concave_reward(regions: int, normalisation: str) -> None:
    problem = ports(3000, regions=regions, normalisation=normalisation)
    assert problem.upper_bound - problem.optimum < MEAN_FIELD_ATOL
    p = random_collections(problem, 200)
    middle = problem.reward(0.5 * (p[:100] + p[100:]))
    assert (middle >= 0.5 * (problem.reward(p[:100]) + problem.reward(p[100:])) - BOUND_SLACK * 1e3).all()
    # With capacities that add up to one, crowding costs one at least: by Cauchy and Schwarz.
    assert (problem.upper_bound <= -0.5 + BOUND_SLACK) is (normalisation == "sum")


def test_the_gap_of_a_concave_function_is_a_bound_and_zero_at_the_optimum() -> None:
    problem = meanfield_problem("swarm")
    phi = swarm_reward(np.linspace(0, 2 * math.pi, 30))

    def gap(p: np.ndarray) -> float:
        return concave_gap(p, phi - 10 * (np.log1p(p) + p / (1 + p)))

    assert gap(problem.optimal) == pytest.approx(0.0, abs=1e-9)
    for p in random_collections(problem, 50):
        assert problem.reward(p[None])[0] + gap(p) >= problem.optimum - BOUND_SLACK * 100


@pytest.mark.parametrize("actions", [5, 10, 100])
def test_swarms_of_other_sizes_are_certified_too(actions: int) -> None:
    problem = swarm(actions=actions)
    assert 0 <= problem.upper_bound - problem.optimum < 1e-9
    assert climbed(problem, problem.uniform()) == pytest.approx(problem.upper_bound, rel=CLIMBED_RTOL)
