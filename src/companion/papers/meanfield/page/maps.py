"""Figures 3 and 4 again: the two teams on the circle, and Manhattan as each method would have its taxis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.core.arrays import Floats
from companion.pages import Numbers, Where
from companion.papers.meanfield.experiments.figures_claims import SHOWN_REWARD
from companion.papers.meanfield.experiments.printed import NAME_OF, OURS
from companion.papers.meanfield.page.stored_runs import Evidence
from companion.papers.meanfield.problems.divergence import jensen_shannon
from companion.papers.meanfield.problems.taxi import GRIDS

#: Methods of Figure 4 in the paper's order.
SHOWN = (OURS, "random", "turbo")


@dataclass(frozen=True, eq=False)
class Maps:
    """Laws of one seed beside the demand, and divergences over all seeds.

    Parameters
    ----------
    maps : (across, along) by title; NaN where no action is
    to_demand : mean divergence of each method's best laws to the demand, and of the uniform law
    shown : divergence of each map from the demand, by title
    turbo_to_random : mean divergence of TuRBO's best laws to random search's of the same seed
    label : data of the runs
    where : of the stored runs
    """

    maps: dict[str, Floats]
    to_demand: dict[str, float]
    shown: dict[str, float]
    turbo_to_random: float
    label: str
    where: Where


@dataclass(frozen=True, eq=False)
class Teams:
    """Best law of MF-GP-UCB on Arena and the optimum turned towards it, (2, A) each; degrees between the teams' means.

    Parameters
    ----------
    found, optimal : laws of both teams
    degrees : between mean directions, of every seed
    rewards : best rewards of every seed
    bound : certified bound on the mean-field reward
    where : of the stored runs
    """

    found: Floats
    optimal: Floats
    degrees: Floats
    rewards: Floats
    bound: float
    where: Where


def manhattan(evidence: Evidence) -> Maps:
    """Figure 4: the best laws of the first seed on the 12 x 20 grid."""
    problem = "taxi-a"
    across, along = GRIDS["a"]
    places = evidence.places(problem)
    block, demand = places.block.to_numpy(dtype=int), evidence.optimal(problem)[0]

    def on_grid(law: Floats) -> Floats:
        field = np.full(across * along, np.nan)
        field[block] = law
        return field.reshape(across, along)

    laws = {method: evidence.laws(problem, method)[:, 0] for method in SHOWN}
    flat = np.full(len(demand), 1.0 / len(demand))
    to_demand = {NAME_OF[method]: float(jensen_shannon(values, demand).mean()) for method, values in laws.items()}
    return Maps(
        {"demand": on_grid(demand), **{NAME_OF[method]: on_grid(values[0]) for method, values in laws.items()}},
        {**to_demand, "uniform law": float(jensen_shannon(flat, demand))},
        {"demand": 0.0, **{NAME_OF[m]: float(jensen_shannon(values[0], demand)) for m, values in laws.items()}},
        float(jensen_shannon(laws["turbo"], laws["random"]).mean()),
        evidence.label(problem),
        evidence.where,
    )


def map_numbers(maps: Maps) -> Numbers:
    """Whose map is nearest to the demand, and what TuRBO's is nearer to."""
    ours, turbo, random = (maps.to_demand[NAME_OF[method]] for method in (OURS, "turbo", "random"))
    uniform = maps.to_demand["uniform law"]
    return Numbers(
        maps,
        label=maps.label,
        **{f"{method.replace('-', '_')}_shown": maps.shown[NAME_OF[method]] for method in SHOWN},
        ours=ours,
        turbo=turbo,
        random=random,
        uniform=uniform,
        closed=1.0 - ours / uniform,
        turbo_closed=1.0 - turbo / uniform,
        ratio=turbo / maps.turbo_to_random,
    )


def teams(evidence: Evidence) -> Teams:
    """Figure 3: the best law of the seed with the largest reward."""
    laws, rewards = evidence.laws("arena", OURS), evidence.values("arena", OURS)
    angles = 2.0 * np.pi * np.arange(laws.shape[2]) / laws.shape[2]
    means = laws @ np.exp(1j * angles)
    apart = np.degrees(np.abs(np.angle(means[:, 0] / means[:, 1])))
    found, optimal = laws[int(np.argmax(rewards))], evidence.optimal("arena")
    # The reward does not change when all agents turn by one angle, or when the teams change places.
    turned = [np.roll(side, k, axis=1) for side in (optimal, optimal[::-1]) for k in range(laws.shape[2])]
    near = min(turned, key=lambda law: float(np.abs(law - found).sum()))
    return Teams(found, near, apart, rewards, float(evidence.of("arena", OURS).upper_bound.iloc[0]), evidence.where)


def team_numbers(found: Teams) -> Numbers:
    """Angles between the teams and best rewards, over the runs."""
    return Numbers(
        found,
        runs=len(found.rewards),
        degrees=float(found.degrees.mean()),
        least=float(found.degrees.min()),
        low=float(found.rewards.min()),
        high=float(found.rewards.max()),
        bound=found.bound,
        shown=SHOWN_REWARD,
        reached=int((found.rewards >= SHOWN_REWARD).sum()),
    )
