"""Numbers of the solutions to the chapter's exercises."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import lambertw

from companion.core.randomness import stream
from companion.pages import Numbers, recorded
from companion.papers.meanfield.experiments.definitions import experiment
from companion.papers.meanfield.experiments.parameters import Crowd
from companion.papers.meanfield.method.agents import largest_remainder
from companion.papers.meanfield.method.simplex import random_laws
from companion.papers.meanfield.page.problems import embedded
from companion.papers.meanfield.page.rates import useful_from
from companion.papers.meanfield.problems.catalogue import SETTINGS, meanfield_problem
from companion.papers.meanfield.theory.smoothness import mean_square_slope
from companion.policies.acquisition import expected_improvement
from companion.simulate import Trajectory


@recorded(first="seed")
def rounding(seed: int) -> Numbers:
    """Exercise 1: laws rounded to multiples of 1 / tau, random ones and those with the largest error."""
    count, parts = 30, 100
    laws = random_laws(2000, (1, count), stream(seed, "meanfield", "exercise", "rounding"))[:, 0]
    rounded = np.array([largest_remainder(law, parts) for law in laws]) / parts
    nearest = np.rint(laws * parts) / parts
    off = float((np.abs(nearest.sum(axis=1) - 1.0) > 1e-9).mean())
    # All fractional parts are k / n with k next to n / 2: the worst case, for an even and for an odd number of actions.
    even, odd = (
        float(np.abs(largest_remainder(law := np.full(n, 1.0 / n), tau) / tau - law).sum())
        for n, tau in ((count, 2 * count + count // 2), (count + 1, 2 * (count + 1) + count // 2))
    )
    more = count + 1
    return Numbers(
        off=off,
        laws=len(laws),
        count=count,
        parts=parts,
        seen=float(np.abs(rounded - laws).sum(axis=1).max()),
        bound=count / (2.0 * parts),
        even=even,
        even_parts=2 * count + count // 2,
        even_bound=count / (2.0 * (2 * count + count // 2)),
        odd=odd,
        more=more,
        odd_parts=2 * more + count // 2,
        odd_bound=(more**2 - 1) / (2.0 * more * (2 * more + count // 2)),
    )


@recorded(first="seed")
def floor(seed: int, draws: int) -> Numbers:
    """Exercise 2: what independent draws cost at the optimum of a divergence."""
    problem = embedded("bikes")
    law = problem.optimal[0]
    generator = stream(seed, "meanfield", "exercise", "floor")
    counts = generator.multinomial(problem.agents, law / law.sum(), size=draws)
    loss = float(-problem.count_reward(counts[:, None, :]).mean())
    formula = (problem.actions - 1) / (8.0 * problem.agents)
    return Numbers(
        actions=problem.actions,
        agents=problem.agents,
        formula=formula,
        draws=draws,
        measured=loss,
        off=loss / formula - 1.0,
        rare=int((law * problem.agents < 1.0).sum()),
    )


@recorded(random=False)
def corner() -> Numbers:
    """Exercise 3: which laws the printed penalty prefers."""
    printed, ours = (meanfield_problem("swarm", reading=reading) for reading in ("text", "ours"))
    return Numbers(
        one=math.log(2.0),
        uniform=ours.actions * math.log1p(1.0 / ours.actions),
        actions=ours.actions,
        spread=math.log1p(1.0 / ours.actions),
        even=float(ours.reward(np.eye(ours.actions)[:, None, :]).max()),
        best=ours.optimum,
        crowd=printed.optimum,
        small=10.0 * math.log(2.0) / printed.optimum,
    )


@recorded(random=False)
def positive_part() -> Numbers:
    """Exercise 4: the positive part of a Gaussian variable."""
    mean = sd = 1.0
    return Numbers(
        exact=float(expected_improvement(np.array(mean), np.array(sd), 0.0)),
        claimed=sd / math.sqrt(2.0 * math.pi) * math.exp(-(mean**2) / (2.0 * sd**2)),
        negative=2.0 * math.log(2.0 / math.sqrt(2.0 * math.pi)),
    )


@recorded(random=False)
def squares() -> Numbers:
    """Exercise 5: slopes of paths under the kernel as printed."""
    steps = np.array([1e-1, 1e-2, 1e-3, 1e-4])
    plain, printed = (np.sqrt(mean_square_slope(form, 0.3, steps)) for form in ("squared", "printed"))
    return Numbers(first=float(steps[0]), last=float(steps[-1]), plain=plain, printed=printed)


@recorded(random=False)
def additive() -> Numbers:
    """Exercise 6: the two teams of Arena are no sum of two functions."""
    problem = meanfield_problem("arena")
    east, west = np.zeros(problem.actions), np.zeros(problem.actions)
    east[0] = west[problem.actions // 2] = 1.0
    pairs = {"same": (east, east), "apart": (east, west), "turned": (west, east), "both": (west, west)}
    value = {name: float(problem.reward(np.stack(pair)[None])[0]) for name, pair in pairs.items()}
    return Numbers(**value, mixed=value["both"] - value["turned"] - value["apart"] + value["same"])


@recorded(random=False)
def horizon() -> Numbers:
    """Exercise 7: when a power of a logarithm is below T."""
    powers = [1 + SETTINGS[name].actions for name in ("swarm", "taxi-a")]
    return Numbers(
        small=powers[0],
        first=useful_from(powers[0]),
        large=powers[1],
        second=useful_from(powers[1]),
        # The smaller root, up to which (log T)^p is below T as well: u = -p W_0(-1/p).
        root=math.exp(float(-powers[0] * lambertw(-1.0 / powers[0], 0).real)),
    )


@recorded(first=0)
def command() -> Numbers:
    """Exercise 8: the same laws, played by few and by many agents; the commands of the exercise, run here."""
    few, many = 50, 5000
    chosen = experiment("swarm")

    def trial(method: str, agents: int, **more: int) -> Trajectory:
        return chosen.ready(method, 0, {"agents": agents, **more}).run()

    runs = [trial("random", agents) for agents in (few, many)]
    optimum = embedded("swarm").upper_bound
    luck = [run.observation - (optimum - run.instantaneous_regret) for run in runs]
    spread = [float(np.std(each, ddof=1)) for each in luck]
    ours = [trial("mf-gp-ucb", agents, horizon=60) for agents in (few, many)]
    apart = np.flatnonzero(ours[0].instantaneous_regret != ours[1].instantaneous_regret)
    return Numbers(
        few=few,
        many=many,
        random=[float(run.cumulative_regret[-1]) for run in runs],
        equal=bool(np.array_equal(runs[0].cumulative_regret, runs[1].cumulative_regret)),
        spread=spread,
        factor=spread[0] / spread[1],
        expected=math.sqrt(many / few),
        design=Crowd.initial,
        apart=int(apart[0]) + 1 if len(apart) else 0,
        regrets=[float(run.cumulative_regret[-1]) for run in ours],
        rounds=len(ours[0].observation),
    )
