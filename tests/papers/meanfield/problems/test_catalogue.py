"""The seven problems: the printed formulas agent by agent, the limit of many agents, settings, and what is refused."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from tolerances import LIMIT_FACTOR, MEAN_FIELD_ATOL

from companion.core.errors import CompanionError, ParameterError
from companion.core.randomness import stream
from companion.judge.reported import load_differences
from companion.papers.meanfield.problems.arena import arena
from companion.papers.meanfield.problems.catalogue import (
    HORIZON,
    RUNS,
    SETTINGS,
    WITH_READINGS,
    MeanFieldProblem,
    meanfield_problem,
)
from companion.papers.meanfield.problems.ports import ports
from companion.papers.meanfield.problems.swarm import swarm

VARIANTS = [
    (name, reading) for name in SETTINGS for reading in ("ours", "text") if reading == "ours" or name in WITH_READINGS
]


@pytest.fixture(autouse=True)
def _stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything here runs on stand-ins; what depends on real files is in test_problem_data."""
    monkeypatch.delenv("COMPANION_DATA", raising=False)


def laws(problem: MeanFieldProblem, count: int, seed: int = 0, concentration: float = 0.5) -> np.ndarray:
    generator = stream(seed, "laws")
    return generator.dirichlet(np.full(problem.actions, concentration), (count, problem.contexts))


def agents_play(
    problem: MeanFieldProblem, p: np.ndarray, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Each agent draws its action from its context's law."""
    contexts = problem.draw_contexts(generator)
    cumulative = np.cumsum(p, axis=1)
    actions = (generator.random(problem.agents)[:, None] > cumulative[contexts]).sum(axis=1)
    return np.minimum(actions, problem.actions - 1), contexts


# ---- settings


def test_the_settings_are_the_papers() -> None:
    assert (HORIZON, RUNS) == (250, 10)
    found = {name: (s.agents, s.actions, s.contexts) for name, s in SETTINGS.items()}
    assert found == {
        "swarm": (50, 30, 1),
        "arena": (50, 30, 2),
        "bikes": (300, 41, 1),
        "ports": (3000, 30, 5),
        "taxi-a": (20_000, 160, 1),
        "taxi-b": (20_000, 235, 1),
        "taxi-c": (20_000, 394, 1),
    }


@pytest.mark.parametrize(("name", "reading"), VARIANTS)
def test_every_problem_is_complete(name: str, reading: str) -> None:
    problem = meanfield_problem(name, reading=reading, noise_sd=0.25)
    chosen = SETTINGS[name]
    assert (problem.agents, problem.contexts) == (chosen.agents, chosen.contexts)
    if not name.startswith("taxi"):
        assert problem.actions == chosen.actions
    assert problem.noise_sd == 0.25
    assert problem.certified
    assert problem.source.startswith("Section 5")
    assert problem.meta["reading"] == reading
    assert problem.meta["horizon"] == 250
    assert json.loads(json.dumps(problem.meta)) == problem.meta
    assert problem.meta["label"] in ("full", "real-sample", "semi-synthetic", "synthetic", "closed form")
    assert problem.meta["printed"] == {"agents": chosen.agents, "actions": chosen.actions, "contexts": chosen.contexts}
    assert len(np.unique(problem.action_features, axis=0)) == problem.actions
    assert len(np.unique(problem.context_features, axis=0)) == problem.contexts
    assert np.abs(problem.action_features).max() <= 1.0


@pytest.mark.parametrize("name", ["bikes", "ports", "taxi-a", "taxi-b", "taxi-c"])
def test_without_data_every_stand_in_says_that_it_is_one(name: str) -> None:
    meta = meanfield_problem(name).meta
    assert meta["stand_in"] is True
    assert meta["label"] == "synthetic"
    assert "stand-in" in meta["remark"]


@pytest.mark.parametrize("name", SETTINGS)
def test_a_problem_is_the_same_whenever_it_is_made(name: str) -> None:
    first, second = meanfield_problem(name), meanfield_problem(name)
    np.testing.assert_array_equal(first.action_features, second.action_features)
    np.testing.assert_array_equal(first.optimal, second.optimal)
    assert first.upper_bound == second.upper_bound


# ---- the formulas, agent by agent


def printed_swarm(actions: np.ndarray, contexts: np.ndarray, problem: MeanFieldProblem, reading: str) -> float:
    x = np.linspace(0, 2 * math.pi, problem.actions)
    shares = [np.mean(actions == a) for a in range(problem.actions)]
    reward, own = 0.0, 0.0
    for action in actions:
        angle = float(x[action])
        reward += 2 * math.pi**2 * (math.sin(angle) - math.cos(angle) ** 2) + 2 * math.sin(angle)
        own += 10.0 * math.log(shares[action] + 1)
    if reading == "ours":
        return (reward - own) / len(actions)
    return reward - sum(10.0 * math.log(share + 1) for share in shares)


def printed_arena(actions: np.ndarray, contexts: np.ndarray, problem: MeanFieldProblem, reading: str) -> float:
    x, team = 2 * math.pi * np.arange(problem.actions) / problem.actions, (1, -1)
    shares, size = [np.mean(actions == a) for a in range(problem.actions)], len(actions)
    pairs = sum(
        team[contexts[i]] * team[contexts[j]] * math.cos(x[actions[i]] - x[actions[j]])
        for i in range(size)
        for j in range(size)
        if i != j
    )
    if reading == "ours":
        penalty = sum(10.0 * math.log(shares[action] + 1) for action in actions) / size
    else:
        penalty = sum(10.0 * math.log(share + 1) for share in shares)
    return pairs / math.comb(size, 2) - penalty


def printed_demand(actions: np.ndarray, contexts: np.ndarray, problem: MeanFieldProblem, reading: str) -> float:
    shares = np.array([np.mean(actions == a) for a in range(problem.actions)])
    return -(float(jensenshannon(shares, problem.details["demand"])) ** 2)


def printed_ports(actions: np.ndarray, contexts: np.ndarray, problem: MeanFieldProblem, reading: str) -> float:
    capacity, region, total = problem.details["capacity"], problem.details["region"], 0.0
    for action, context in zip(actions, contexts, strict=True):
        total += -0.5 - np.mean(actions == action) / capacity[action] + (region[action] == context)
    return float(total / len(actions))


PRINTED = {"swarm": printed_swarm, "arena": printed_arena, "ports": printed_ports}


@pytest.mark.parametrize(("name", "reading"), VARIANTS)
def test_agents_earn_what_the_formula_says(name: str, reading: str) -> None:
    problem = meanfield_problem(name, agents=60, reading=reading)
    for seed, p in enumerate(laws(problem, 3)):
        actions, contexts = agents_play(problem, p, stream(seed, "play"))
        expected = PRINTED.get(name, printed_demand)(actions, contexts, problem, reading)
        assert problem.agent_reward(actions, contexts) == pytest.approx(expected, abs=MEAN_FIELD_ATOL, rel=1e-12)
        counts = np.zeros((1, problem.contexts, problem.actions), dtype=int)
        np.add.at(counts, (0, contexts, actions), 1)
        assert problem.count_reward(counts)[0] == problem.agent_reward(actions, contexts)


@pytest.mark.parametrize(("name", "reading"), VARIANTS)
def test_a_payoff_averages_to_the_reward(name: str, reading: str) -> None:
    problem = meanfield_problem(name, reading=reading)
    p = laws(problem, 50, concentration=5.0)
    average = np.einsum("c,nca,nca->n", problem.context_weights, p, problem.payoff(p))
    np.testing.assert_allclose(average, problem.reward(p), atol=MEAN_FIELD_ATOL, rtol=1e-12)


@pytest.mark.parametrize(("name", "reading"), VARIANTS)
def test_rewards_of_many_collections_are_those_of_each(name: str, reading: str) -> None:
    problem = meanfield_problem(name, reading=reading)
    p = laws(problem, 7)
    np.testing.assert_allclose(
        problem.reward(p), [problem.reward(one[None])[0] for one in p], atol=MEAN_FIELD_ATOL, rtol=1e-12
    )


@pytest.mark.parametrize(("name", "reading"), VARIANTS)
def test_agents_are_exchangeable_but_contexts_are_not_actions(name: str, reading: str) -> None:
    problem = meanfield_problem(name, agents=100, reading=reading)
    actions, contexts = agents_play(problem, laws(problem, 1)[0], stream(0, "play"))
    expected = problem.agent_reward(actions, contexts)
    generator = stream(0, "order")
    moved = []
    for _ in range(20):
        order = generator.permutation(100)
        assert problem.agent_reward(actions[order], contexts[order]) == pytest.approx(expected, abs=MEAN_FIELD_ATOL)
        moved.append(abs(problem.agent_reward(actions[order], contexts) - expected))
    # Teeth: where contexts matter, handing actions to agents of other contexts must show.
    assert (max(moved) > 1e-3) is (problem.contexts > 1)


# ---- the limit of many agents


def gaps(problem: MeanFieldProblem, p: np.ndarray, draws: int = 40) -> float:
    """Root mean square over draws of the difference between the agents' reward and the mean-field reward."""
    generator = stream(0, "limit")
    shares = generator.multinomial(problem.agents, problem.context_weights, draws)
    if problem.exact_contexts:
        shares[:] = np.rint(problem.agents * problem.context_weights).astype(int)
    counts = np.stack([generator.multinomial(shares[:, c], p[c]) for c in range(problem.contexts)], axis=1)
    scale = problem.agents if problem.meta["reading"] == "text" and problem.name == "swarm" else 1
    return float(np.sqrt(np.mean((problem.count_reward(counts) - problem.reward(p[None])[0]) ** 2)) / scale)


@pytest.mark.parametrize(("name", "reading"), VARIANTS)
def test_the_reward_of_agents_tends_to_the_mean_field_reward(name: str, reading: str) -> None:
    few, many = (meanfield_problem(name, agents=agents, reading=reading) for agents in (100, 1_000_000))
    p = laws(few, 1, concentration=2.0)[0]
    assert gaps(many, p) < gaps(few, p) / LIMIT_FACTOR
    # Teeth: a mean field that charges for counts, or forgets a factor, has another limit.
    wrong = dataclasses.replace(
        many, mean_field=lambda q: 1.01 * many.mean_field(q) - 0.01, upper_bound=math.fabs(many.upper_bound) * 2 + 1
    )
    assert gaps(wrong, p) > gaps(few, p) / LIMIT_FACTOR


def test_pairs_of_an_agent_with_itself_do_not_count() -> None:
    problem = arena(agents=2)
    # Two agents of one team in one place: 2 cos 0 for the two ordered pairs over one pair, less 10 log 2.
    assert problem.agent_reward(np.array([3, 3]), np.array([0, 0])) == pytest.approx(2 - 10 * math.log(2))


# ---- contexts


def test_the_fleet_is_split_exactly_and_teams_are_not() -> None:
    fleet, teams = meanfield_problem("ports"), meanfield_problem("arena", agents=4001)
    first, second = (np.bincount(fleet.draw_contexts(stream(seed, "contexts"))) for seed in (0, 1))
    np.testing.assert_array_equal(first, np.full(5, 600))
    np.testing.assert_array_equal(second, first)
    assert (fleet.draw_contexts(stream(0, "c")) != fleet.draw_contexts(stream(1, "c"))).any()
    sizes = [np.bincount(teams.draw_contexts(stream(seed, "contexts")))[0] for seed in range(200)]
    assert len(set(sizes)) > 50
    assert abs(np.mean(sizes) - 2000.5) < 4 * math.sqrt(4001 / 4 / 200)


# ---- what is refused


def test_bad_collections_and_agents_are_refused() -> None:
    problem = meanfield_problem("arena", agents=10)
    p = problem.uniform()[None]
    for bad in (p[0], p[:, :1], 2 * p, p * np.nan, p - np.eye(2, 30)):
        with pytest.raises(ParameterError, match=r"^p: "):
            problem.reward(bad)
    with pytest.raises(ParameterError, match="actions: have shape"):
        problem.agent_reward(np.zeros(9, int), np.zeros(10, int))
    with pytest.raises(ParameterError, match="actions: lie in"):
        problem.agent_reward(np.full(10, 30), np.zeros(10, int))
    with pytest.raises(ParameterError, match="contexts: lie in"):
        problem.agent_reward(np.zeros(10, int), np.full(10, 2))
    with pytest.raises(ParameterError, match="contexts: have shape"):
        problem.agent_reward(np.zeros(10, int), np.zeros(10))
    for counts in (np.full((1, 2, 30), 10), np.zeros((1, 2, 29), int), np.zeros((1, 2, 30))):
        with pytest.raises(ParameterError, match=r"^counts: "):
            problem.count_reward(counts)


def test_a_problem_that_contradicts_itself_is_refused() -> None:
    problem = meanfield_problem("swarm")
    for change, name in (
        ({"upper_bound": problem.upper_bound - 1e-3}, "upper_bound"),
        ({"upper_bound": math.nan}, "upper_bound"),
        ({"context_weights": np.array([0.9])}, "context_weights"),
        ({"context_features": np.zeros((2, 1))}, "context_features"),
        ({"noise_sd": -1.0}, "noise_sd"),
        ({"action_features": np.full((30, 1), np.inf)}, "action_features"),
        ({"agents": 0}, "agents"),
    ):
        with pytest.raises(ParameterError, match=name):
            dataclasses.replace(problem, **change)
    with pytest.raises(CompanionError, match="came out as"):
        dataclasses.replace(problem, mean_field=lambda p: np.full(len(p), np.nan))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: meanfield_problem("swam"), "^problem:"),
        (lambda: meanfield_problem("bikes", reading="text"), "reading: "),
        (lambda: meanfield_problem("swarm", reading="code"), "reading: got 'code'"),
        (lambda: meanfield_problem("swarm", data="stations"), "data: "),
        (lambda: meanfield_problem("bikes", data="trips"), "data: "),
        (lambda: meanfield_problem("bikes", actions=42), "actions: got 42"),
        (lambda: meanfield_problem("taxi-a", actions=10_000), "actions: got 10000"),
        (lambda: meanfield_problem("taxi-a", data="saturdays"), "data: "),
        (lambda: meanfield_problem("ports", agents=3001), "agents: got 3001"),
        (lambda: meanfield_problem("ports", actions=4), "actions: got 4"),
        (lambda: meanfield_problem("arena", agents=1), "agents: got 1"),
        (lambda: arena(actions=31), "actions: got 31"),
        (lambda: swarm(actions=1), "actions: got 1"),
        (lambda: swarm(sigma=0.0), "sigma: "),
        (lambda: ports(normalisation="mean"), "normalisation: "),
        (lambda: ports(regions=4, data="2026-04-02"), "regions: got 4"),
        (lambda: swarm(agents=0), "agents: got 0"),
    ],
)
def test_what_a_problem_cannot_be_is_refused_by_name(call: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()  # type: ignore[operator]


# ---- differences


def test_the_differences_name_every_problem() -> None:
    rows = load_differences("meanfield", ("text", "inferred", "ours"))
    assert set(rows.problem) == {"all", *SETTINGS}
    assert ((rows.text != "") & (rows.ours != "")).all()
