"""One acquisition over the simplex of three actions: what is known, what optimism adds, and where Algorithm 1 goes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.pages import Numbers, recorded
from companion.papers.meanfield.method.agents import draw_contexts, play_law, representative
from companion.papers.meanfield.method.policy import MeanFieldGPUCB
from companion.papers.meanfield.method.widths import PracticeWidth
from companion.papers.meanfield.problems.divergence import demand_problem
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.papers.meanfield.theory.runs import lattice

#: Three stations with a known demand: the reward is minus the divergence of the bicycles' places from it.
DEMAND = (0.62, 0.28, 0.10)
AGENTS, ROUNDS, DESIGN, WIDTH = 300, 8, 5, 3.0
#: The triangle is drawn, and searched by brute force, on laws whose probabilities are multiples of one part.
PARTS = 120


@dataclass(frozen=True, eq=False)
class Picture:
    """One round of MF-GP-UCB on three stations, in units of the reward.

    Parameters
    ----------
    laws : (L, 3) all laws of the lattice
    truth, mean, bonus : (L,) average payoff, its posterior mean, and what the width adds
    played : (t, 3) laws played before
    rewards : (t,) what the system earned then
    chosen, brute, optimal : (3,) the law asked for, the best of the lattice, and the best there is
    shortfall : how far the acquisition at the chosen law stays below that of the best of the lattice; negative above it
    values : true average payoff at the chosen law and at the best law played before
    """

    laws: Floats
    truth: Floats
    mean: Floats
    bonus: Floats
    played: Floats
    rewards: Floats
    chosen: Floats
    brute: Floats
    optimal: Floats
    shortfall: float
    values: tuple[float, float]


def three_stations() -> MeanFieldProblem:
    """Three stations in a row, 300 bicycles, reward minus the Jensen-Shannon divergence from the demand."""
    meta = {"data": "none", "label": "closed form", "stand_in": False, "remark": ""}
    places = np.array([[0.0], [0.5], [1.0]])
    return demand_problem("stations", AGENTS, np.array(DEMAND), places, "companion", 0.0, meta, {})


@recorded(first="seed")
def one_acquisition(seed: int) -> Picture:
    """Play some rounds, fit, and look at the acquisition of the next one on the whole simplex."""
    problem = three_stations()
    policy = MeanFieldGPUCB(
        problem.action_features,
        problem.context_features,
        problem.context_weights,
        stream(seed, "meanfield", "picture", "policy"),
        width=PracticeWidth(WIDTH),
        initial=DESIGN,
    )
    rewards = []
    for t in range(ROUNDS):
        law = policy.ask()
        draws = stream(seed, "meanfield", "picture", "agents", t)
        contexts = draw_contexts(problem.context_weights, AGENTS, draws)
        actions = play_law(law, contexts, draws)
        rewards.append(problem.agent_reward(actions, contexts))
        policy.tell(*representative(actions, contexts, draws), rewards[-1])
    chosen = policy.ask()
    laws = lattice(3, 1, PARTS)
    optimistic, plain = policy.acquisition(WIDTH), policy.acquisition(0.0)
    scale, shift = optimistic.scale, optimistic.shift
    upper = shift + scale * optimistic.value(laws)
    mean = shift + scale * plain.value(laws)
    played = policy.model.laws.copy()
    best = played[int(np.argmax(rewards))]
    truth = problem.reward(np.stack([chosen, best]))
    return Picture(
        laws[:, 0],
        problem.reward(laws),
        mean,
        upper - mean,
        played[:, 0],
        np.array(rewards),
        chosen[0],
        laws[int(np.argmax(upper)), 0],
        problem.optimal[0],
        float(upper.max() - (shift + scale * optimistic.value(chosen[None])[0])),
        (float(truth[0]), float(truth[1])),
    )


def picture_numbers(picture: Picture) -> Numbers:
    """How the law asked for compares with those played, with enumeration and with the best law."""
    return Numbers(
        picture,
        design=DESIGN,
        stations=len(DEMAND),
        agents=AGENTS,
        width=WIDTH,
        played=len(picture.played),
        chosen=picture.chosen,
        optimal=picture.optimal,
        near=float(0.5 * np.abs(picture.played - picture.chosen).sum(axis=1).min()),
        laws=len(picture.laws),
        shortfall=picture.shortfall,
        loss=picture.values[1] - picture.values[0],
        brute=picture.brute,
        regrets=-np.array(picture.values),
    )
