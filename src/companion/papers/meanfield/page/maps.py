"""Figures 3 and 4 again: how far apart the two teams are, and Manhattan as each method would have its taxis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.core.arrays import Floats
from companion.pages import Numbers, Where, where_of
from companion.papers.meanfield.experiments.figures_claims import SHOWN_REWARD
from companion.papers.meanfield.experiments.printed import NAME_OF, OURS, Results
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


def manhattan(evidence: Results) -> Maps:
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
        where_of(evidence),
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


def team_numbers(evidence: Results) -> Numbers:
    """Figure 3 in numbers: degrees between the mean directions of Arena's teams under the best laws, and best rewards."""
    laws, rewards = evidence.laws("arena", OURS), evidence.values("arena", OURS)
    means = laws @ np.exp(2j * np.pi * np.arange(laws.shape[2]) / laws.shape[2])
    apart = np.degrees(np.abs(np.angle(means[:, 0] / means[:, 1])))
    return Numbers(
        evidence,
        runs=len(rewards),
        degrees=float(apart.mean()),
        least=float(apart.min()),
        bound=float(evidence.of("arena", OURS).upper_bound.iloc[0]),
        shown=SHOWN_REWARD,
        reached=int((rewards >= SHOWN_REWARD).sum()),
    )
