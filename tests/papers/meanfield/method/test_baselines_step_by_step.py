"""The baselines of chapter 4's tables, round by round, against little versions of them written here.

Both draw from a generator in the same state, so that every joint action has to be the same one.
"""

import math

import numpy as np
import pytest
from scipy import special

from companion.papers.meanfield.method.baselines import GeneticAlgorithm, ScaledAnnealing, SimulatedAnnealing
from companion.papers.meanfield.method.evolution_strategy import EvolutionStrategy
from companion.papers.meanfield.method.turbo import NOISES, RATES, HammingTuRBO, _distinct

AGENTS, ACTIONS, ROUNDS = 12, 4, 90
WEIGHTS = np.random.default_rng(9).normal(size=(AGENTS, ACTIONS))


def reward(joint):
    """A different one for almost every joint action, positive and negative."""
    return float(WEIGHTS[np.arange(AGENTS), joint].sum())


def played(search, rounds=ROUNDS):
    joints = []
    for _ in range(rounds):
        joints.append(search.ask())
        search.tell(reward(joints[-1]))
    return [joint.tolist() for joint in joints]


def uniform(g):
    return g.integers(ACTIONS, size=AGENTS)


def switched(g, joint, count=1):
    new = joint.copy()
    for who, by in zip(g.choice(AGENTS, size=count, replace=False), g.integers(1, ACTIONS, size=count), strict=True):
        new[who] = (new[who] + by) % ACTIONS
    return new


def annealing(g, temperature, cooling, probes=0, rounds=ROUNDS, final=None):
    state, value, best, first, asked = None, None, -math.inf, [], []
    for t in range(rounds):
        joint = uniform(g) if t < max(probes, 1) else switched(g, state)
        asked.append(joint.tolist())
        r = reward(joint)
        if t < probes:
            first.append(r)
            if r > best:
                state, value = joint, r
            if t == probes - 1:
                temperature, cooling = np.std(first), final ** (1 / (rounds - probes))
        else:
            if r > best or g.random() < max(1e-5, math.exp(min(0.0, max(-12.0, (r - value) / temperature)))):
                state, value = joint, r
            temperature *= cooling
        best = max(best, r)
    return asked


@pytest.mark.parametrize("seed", range(4))
def test_annealing(seed):
    for temperature, cooling in ((100.0, 0.8), (2.0, 0.97)):
        search = SimulatedAnnealing(AGENTS, ACTIONS, np.random.default_rng(seed), temperature, cooling)
        assert search.acceptance(-5.0) == 1.0  # nothing is to be lost yet
        assert played(search) == annealing(np.random.default_rng(seed), temperature, cooling)
    assert played(SimulatedAnnealing(AGENTS, ACTIONS, np.random.default_rng(seed))) == annealing(
        np.random.default_rng(seed), 100.0, 0.8
    )


@pytest.mark.parametrize("seed", range(4))
def test_scaled_annealing(seed):
    search = ScaledAnnealing(AGENTS, ACTIONS, np.random.default_rng(seed), ROUNDS)
    assert played(search) == annealing(np.random.default_rng(seed), None, None, 10, final=1e-3)
    many = ScaledAnnealing(250, ACTIONS, np.random.default_rng(seed), ROUNDS, probes=2)
    state = np.stack([many.ask(), *(many.tell(float(r)) or many.ask() for r in (2, 1))])
    assert np.count_nonzero(state[2] != state[0]) == 2


@pytest.mark.parametrize("offset", [1.0, None])
def test_the_genetic_algorithm(offset):
    size, kept = 6, 2
    g, made, pool, generation, asked = np.random.default_rng(3), set(), [], [], []

    def fresh(joint):
        for _ in range(20):
            if tuple(joint) not in made:
                break
            joint = switched(g, joint)
        made.add(tuple(joint))
        return joint

    for _ in range(ROUNDS // size):
        if generation:
            values = np.array([reward(joint) for joint in generation])
            above = values - values.min()
            above = above + 1.0 if offset else above / above.max() + 0.1
            drawn = g.choice(size, size=kept, p=above / above.sum())
            parents = [*sorted(pool, key=reward, reverse=True)[:kept], *(generation[i] for i in drawn)]
            generation = []
            for _ in range(size // 2):
                one, two = (parents[i] for i in g.integers(len(parents), size=2))
                cut = g.integers(1, AGENTS - 1)
                for child in (np.r_[one[:cut], two[cut:]], np.r_[two[:cut], one[cut:]]):
                    generation.append(fresh(switched(g, child)))
        else:
            generation = [fresh(uniform(g)) for _ in range(size)]
        pool += generation
        asked += [joint.tolist() for joint in generation]
    search = GeneticAlgorithm(AGENTS, ACTIONS, np.random.default_rng(3), size, kept, offset)
    assert played(search) == asked


def most_likely(apart, targets):
    def log_likelihood(rate, noise):
        matrix = np.exp(-rate * apart) + noise * np.eye(len(targets))
        scale = targets @ np.linalg.solve(matrix, targets) / len(targets)
        return -0.5 * (len(targets) * math.log(scale) + np.linalg.slogdet(matrix)[1])

    return max(((rate, noise) for rate in RATES for noise in NOISES), key=lambda pair: log_likelihood(*pair))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_turbo(seed):
    initial, count, wins, losses = 6, 40, 2, 4
    search = HammingTuRBO(AGENTS, ACTIONS, np.random.default_rng(seed), initial, count, wins, losses)
    asked, rounds = played(search), iter(range(ROUNDS))
    g, found, radii = np.random.default_rng(seed), [], []
    while len(found) < ROUNDS:
        radius, streak, seen, values = math.ceil(0.8 * AGENTS), [0, 0], [], []
        while radius >= 1 and len(found) < ROUNDS:
            next(rounds)
            t = len(seen)
            if t < initial:
                joint = uniform(g)
            else:
                y = (np.array(values) - np.mean(values)) / np.std(values)
                data = np.array(seen)
                apart = (data[:, None] != data).mean(axis=2)
                if t <= 50 or t % 5 == 0:
                    rate, noise = most_likely(apart, y)
                changes = np.clip(g.binomial(AGENTS, min(1.0, 20 / AGENTS), count), 1, min(radius, AGENTS))
                who = _distinct(AGENTS, count, changes.max(), g)
                what = g.integers(ACTIONS, size=who.shape)
                options = np.repeat(data[[int(np.argmax(values))]], count, axis=0)
                for row, (agents, actions, some) in enumerate(zip(who, what, changes, strict=True)):
                    options[row, agents[:some]] = actions[:some]
                matrix = np.exp(-rate * apart) + noise * np.eye(t)
                cross = np.exp(-rate * (options[:, None] != data).mean(axis=2))
                solved = np.linalg.solve(matrix, cross.T)
                scale = y @ np.linalg.solve(matrix, y) / t
                sd = np.sqrt(scale * np.maximum(1 - (cross * solved.T).sum(axis=1), 0))
                joint = options[np.argmax(y @ solved + sd * g.standard_normal(count))]
            radii.append(radius)
            found.append(joint.tolist())
            r = reward(joint)
            if t >= initial:
                streak = [streak[0] + 1, 0] if r > max(values) else [0, streak[1] + 1]
                if streak[0] == wins:
                    radius, streak = min(math.ceil(1.5 * radius), AGENTS), [0, 0]
                elif streak[1] == losses:
                    radius, streak = math.floor(radius / 1.5), [0, 0]
            seen.append(joint)
            values.append(r)
    assert asked == found
    assert search.radii == radii
    assert search.restarts >= 1


def test_the_evolution_strategy():
    search, g = EvolutionStrategy((2, 3), np.random.default_rng(1)), np.random.default_rng(1)
    best, value, step = g.uniform(size=(2, 3)), None, 0.5
    for t in range(60):
        tried = best if t == 0 else best + step * g.standard_normal((2, 3))
        law = search.ask()
        np.testing.assert_allclose(law, special.softmax(tried, axis=1), rtol=1e-12)
        r = round(float(law[0, 0] - law[1, 2]), 1)  # equal ones are no success
        search.tell(0, 0, r)
        if t:
            step *= 1.5 if r > value else 1.5**-0.25
        if t == 0 or r > value:
            best, value = tried, r
    assert search.diagnostics()["step"] == pytest.approx(step, rel=1e-12)
