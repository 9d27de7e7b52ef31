"""Numbers of the solutions to the chapter's exercises."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import lambertw

from companion.core.arrays import Floats, Indices
from companion.core.randomness import stream
from companion.pages import Numbers, Table, provenance_of, recorded
from companion.papers.meanfield.method.acquisition import MeanFieldUCB
from companion.papers.meanfield.method.agents import largest_remainder
from companion.papers.meanfield.method.model import MeanFieldGP
from companion.papers.meanfield.method.simplex import random_laws
from companion.papers.meanfield.page.picture import KERNEL, NOISE, PARTS, three_stations
from companion.papers.meanfield.page.problems import embedded
from companion.papers.meanfield.page.rates import useful_from
from companion.papers.meanfield.problems.catalogue import SETTINGS, meanfield_problem
from companion.papers.meanfield.theory.runs import lattice
from companion.papers.meanfield.theory.smoothness import mean_square_slope
from companion.policies.acquisition import expected_improvement


@dataclass(frozen=True, eq=False)
class Decision:
    """Mornings of the town, and four laws with posterior mean, averaged deviation and true regret, in units of the reward."""

    played: Floats
    rewards: Floats
    laws: Floats
    mean: Floats
    deviation: Floats
    regret: Floats


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


@recorded(random=False)
def decision(stations: Indices, played: Floats, rewards: Floats) -> Decision:
    """Exercise 8: some mornings of the town, and four laws for the next one, among them what each width wants.

    Parameters
    ----------
    stations : (t,) of the representatives
    played : (t, 3) laws announced
    rewards : (t,) of the town
    """
    problem, laws = three_stations(), lattice(3, 1, PARTS)
    gp = MeanFieldGP(problem.action_features, problem.context_features, KERNEL, NOISE)
    for station, law, reward in zip(stations, played, rewards, strict=True):
        gp.add(int(station), 0, law[None], float(reward))
    plain, upper = (MeanFieldUCB(gp, [1.0], width) for width in (0.0, 1.0))
    mean = plain.shift + plain.scale * plain.value(laws)
    deviation = plain.scale * (upper.value(laws) - plain.value(laws))
    wide, narrow = (int(np.argmax(mean + width * deviation)) for width in (3.0, 1.0))
    # The law that is named has the largest lower bound; the fourth is half way to the corner.
    named = int(np.argmax(mean - deviation))
    between = int(np.abs(laws[:, 0] - (laws[narrow, 0] + laws[wide, 0]) / 2).sum(axis=1).argmin())
    four = np.array([named, narrow, between, wide])
    return Decision(played, rewards, laws[four, 0], mean[four], deviation[four], -problem.reward(laws[four]))


def decision_numbers(found: Decision) -> Numbers:
    """Upper bounds, promises and true regrets of the four laws of :func:`decision`; ``known`` is A's if no reward is positive."""
    uppers = {width: found.mean + width * found.deviation for width in (1.0, 3.0)}
    promise = {
        width: float(upper.max() - found.mean[0] + width * found.deviation[0]) for width, upper in uppers.items()
    }
    return Numbers(
        found,
        mornings=len(found.rewards),
        narrow="ABCD"[int(uppers[1.0].argmax())],
        wide="ABCD"[int(uppers[3.0].argmax())],
        narrow_upper=float(uppers[1.0].max()),
        wide_upper=float(uppers[3.0].max()),
        narrow_promise=promise[1.0],
        wide_promise=promise[3.0],
        regrets=found.regret,
        corner=float(found.regret[-1]),
        named=float(found.regret[0]),
        known=float(3.0 * found.deviation[0] - found.mean[0]),
    )


def mornings_table(found: Decision) -> Table:
    """The mornings, their laws and rewards."""
    rows = _laws(found.played, "morning", range(1, 1 + len(found.played)))
    return Table(rows.assign(reward=[f"{reward:.3f}" for reward in found.rewards]), where=provenance_of(found))


def choices_table(found: Decision) -> Table:
    """The four laws with mean and averaged standard deviation."""
    parts = {"mean": found.mean, "standard deviation": found.deviation}
    columns = {name: [f"{value:.4f}" for value in values] for name, values in parts.items()}
    return Table(_laws(found.laws, "law", "ABCD").assign(**columns), where=provenance_of(found))


def _laws(laws: Floats, name: str, labels: Iterable[object]) -> pd.DataFrame:
    shares = pd.DataFrame(laws, columns=[f"station {k}" for k in (1, 2, 3)]).map("{:.2f}".format)
    shares.insert(0, name, [str(label) for label in labels])
    return shares
