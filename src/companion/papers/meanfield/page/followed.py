"""Runs of MF-GP-UCB followed law by law: how often the search sends a crowd to one action, and Manhattan over the rounds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.pages import Numbers, Rows, cells, frame, recorded
from companion.papers.meanfield.experiments.definitions import MeanFieldSetup, experiment
from companion.papers.meanfield.experiments.parameters import Crowd
from companion.papers.meanfield.experiments.printed import OURS, TITLE_OF, MeanFieldResults
from companion.papers.meanfield.experiments.store import EVERY
from companion.papers.meanfield.page.problems import STAND_IN
from companion.papers.meanfield.problems.catalogue import HORIZON, SETTINGS, WITH_DATA, meanfield_problem
from companion.papers.meanfield.problems.divergence import jensen_shannon
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.papers.meanfield.problems.swarm import SIGMA, swarm_reward
from companion.papers.meanfield.problems.taxi import GRIDS
from companion.stored.results import unjoined

#: A law is crowded where more than this share of the agents do what most of their context do.
CROWDED = 0.9
#: Ways to maximise the acquisition, by the value of the parameter ``search``.
WAYS = {"exact": "our search", "paper": "Adam at rate 0.01"}
#: Rewards of a stored law and of a corner with this relative distance are the same: six digits are stored.
SAME = 2e-5
#: Rewards of the laws played are stored every tenth evaluation; the first of them is a random law's.
LEARNED = slice(1, None)


def ready(name: str, seed: int, rounds: int, search: str = "exact") -> MeanFieldSetup:
    """The first rounds of MF-GP-UCB with the settings of the stored runs, on the embedded data.

    No digit of a stored run is to be expected: the last digit of a sum depends on the processor's instructions, and at a near
    tie of two corners it decides about the law. The policy reserves memory for a whole run, as there, for the same reason.
    """
    values = {"search": search} | ({"data": STAND_IN} if name in WITH_DATA else {})
    whole = experiment(name).ready(OURS, seed, values)
    return replace(whole, noise=whole.noise[:rounds])


def laws_of(run: MeanFieldSetup) -> Floats:
    """The laws (T, C, A) that a run plays."""
    points = run.run(keep_laws=True).points
    assert points is not None
    return points.reshape(-1, run.problem.contexts, run.problem.actions)


# -- corners -----------------------------------------------------------------------------------------------------------


def crowding(problem: MeanFieldProblem, laws: Floats) -> Floats:
    """Share (n,) of the agents that do what most of their context do, under laws (n, C, A)."""
    return np.asarray(laws.max(axis=2) @ problem.context_weights)


@recorded(first="seed")
@frame
def corner_rows(seed: int, rounds: int) -> Rows:
    """One row a problem and way of maximising: in what share of the rounds after the random laws a law is crowded.

    ``cost`` is the mean regret of the crowded rounds in shares of the uniform law's, NaN without any.
    """
    for name in SETTINGS:
        for search, words in WAYS.items():
            run = ready(name, seed, rounds, search)
            problem, laws = run.problem, laws_of(run)[Crowd.initial :]
            crowded = crowding(problem, laws) > CROWDED
            unit = float(problem.regret(problem.uniform()[None])[0])
            share = problem.regret(laws) / unit
            yield {
                "name": name,
                "search": search,
                "problem": TITLE_OF[name],
                "way": words,
                "crowded": float(crowded.mean()),
                "largest": float(crowding(problem, laws).mean()),
                "cost": float(share[crowded].mean()) if crowded.any() else float("nan"),
                "regret": float(share.mean()),
                "rounds": len(laws),
            }


@recorded(random=False)
@frame
def stored_rows(evidence: MeanFieldResults, rounds: int) -> Rows:
    """One row a problem and way of maximising: between what shares of the stored rewards belong to crowded laws.

    ``early_least`` and ``early_most`` are those of the first ``rounds`` evaluations, NaN where these are random ones.

    The laws played are not stored, but their rewards are, every tenth evaluation. One that no crowded law can have excludes a
    crowd; on Swarm one that is a corner's, to all digits stored, proves it. Maritime is left out: there the rewards exclude
    nothing. The random laws at the start are left out too.
    """
    for name, search in ((name, search) for name in SETTINGS if name != "ports" for search in WAYS):
        part, variant = ("figures", "paper") if search == "exact" else ("searches", f"search={search}")
        if not evidence.has(name, OURS, block=part, variant=variant):
            continue
        runs = evidence.of(name, OURS, "curves", block=part, variant=variant)
        rewards = np.array([unjoined(text) for text in runs.current])[:, LEARNED]
        early = EVERY * np.arange(1, rewards.shape[1] + 2)[LEARNED] <= rounds
        proved = np.zeros(rewards.shape, dtype=bool)
        if name == "swarm":
            problem = meanfield_problem(name)
            corners = problem.reward(np.eye(problem.actions)[:, None, :])
            proved = np.abs(rewards[..., None] / corners - 1.0).min(axis=-1) < SAME
        possible = rewards <= best_crowded(evidence, name)
        row = {"name": name, "search": search, "runs": len(rewards)}
        for end, values in (("least", proved), ("most", possible)):
            row[end] = float(values.mean())
            row[f"early_{end}"] = float(values[:, early].mean()) if early.any() else float("nan")
        yield row


def best_crowded(evidence: MeanFieldResults, name: str) -> float:
    """A number that the reward of no crowded law exceeds.

    Swarm: nobody earns more than the best reward without crowds, and the crowd pays at least its own penalty. Arena: pairs
    earn 2 at most; two teams' crowds of 0.45 of all agents each are the cheapest. Divergences: one action has 0.9 of the
    agents, and the rest are best spread as the demand is, which leaves the divergence of two laws on two points.
    """
    if name == "swarm":
        alone = float(swarm_reward(np.linspace(0.0, 2.0 * np.pi, SETTINGS[name].actions)).max())
        return alone - SIGMA * CROWDED * float(np.log1p(CROWDED))
    if name == "arena":
        return 2.0 - SIGMA * CROWDED * float(np.log1p(CROWDED / 2.0))
    # The demand on the finer grids is not stored; one of their blocks meets at most four of the coarsest.
    known = name if name in ("bikes", "taxi-a") else "taxi-a"
    largest = float(evidence.optimal(known).max()) * (1.0 if known == name else 4.0)
    return -float(jensen_shannon(np.array([CROWDED, 1.0 - CROWDED]), np.array([largest, 1.0 - largest])))


def corner_numbers(rows: pd.DataFrame, kept: pd.DataFrame) -> Numbers:
    """Frequency with which each way of maximising puts nearly all agents into one action, now and in the stored runs."""
    now = rows.pivot_table(index="name", columns="search", values="crowded", sort=False)
    bounds = kept.set_index(["name", "search"])
    ours = bounds.xs("exact", level="search")
    return Numbers(
        rows,
        kept,
        rounds=int(rows.rounds.iloc[0]),
        runs=int(kept.runs.min()),
        later=HORIZON - Crowd.initial,
        swarm=float(now.loc["swarm", "exact"]),
        swarm_least=float(ours.least["swarm"]),
        swarm_most=float(ours.most["swarm"]),
        early_least=float(ours.early_least["swarm"]),
        early_most=float(ours.early_most["swarm"]),
        other_most=float(ours.most.drop("swarm").max()),
        adam_most=float(bounds.xs("paper", level="search").most.drop("swarm").max()),
        adam=float(now["paper"].max()),
        **cells(rows, "{problem}, {way}: {}", ["crowded"]),
    )


# -- Manhattan over the rounds -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MapRounds:
    """One run on the coarsest grid.

    Parameters
    ----------
    maps : (across, along) by title, NaN where no action is: the uniform law, the laws of some rounds, the demand
    apart : divergence of each from the demand, by title
    rounds : numbers of the rounds shown
    blocks : number of blocks with demand, |A|
    """

    maps: dict[str, Floats]
    apart: dict[str, float]
    rounds: list[int]
    blocks: int


@recorded(first="seed")
def map_rounds(seed: int, rounds: int) -> MapRounds:
    """MF-GP-UCB on the coarsest grid with the embedded demand: the laws asked for in rounds 10, T/5, 2T/5 and T."""
    run = ready("taxi-a", seed, rounds)
    across, along = GRIDS["a"]
    demand, block = run.problem.optimal[0], run.problem.details["blocks"]
    laws = laws_of(run)[:, 0]
    numbers = sorted({min(10, rounds), max(1, rounds // 5), max(1, 2 * rounds // 5), rounds})
    shown = {"uniform law": run.problem.uniform()[0]}
    shown |= {f"round {t}": laws[t - 1] for t in numbers} | {"demand": demand}

    def on_grid(law: Floats) -> Floats:
        field = np.full(across * along, np.nan)
        field[block] = law
        return field.reshape(across, along)

    apart = {title: float(jensen_shannon(law, demand)) for title, law in shown.items()}
    maps = {title: on_grid(law) for title, law in shown.items()}
    return MapRounds(maps, apart, numbers, len(demand))


#: Sides of a block of the coarsest grid, in km: 5.9 by 11.1 km in 12 by 20 blocks.
BLOCK = (5.9 / 12, 11.1 / 20)


def map_round_numbers(study: MapRounds) -> Numbers:
    """Distance of the laws from the demand, at first and at the end."""
    uniform, last = study.apart["uniform law"], study.apart[f"round {study.rounds[-1]}"]
    middle = study.apart[f"round {study.rounds[1]}"]
    return Numbers(
        study,
        rounds=study.rounds,
        blocks=study.blocks,
        first=study.rounds[0],
        second=study.rounds[1],
        apart=[study.apart[f"round {number}"] for number in study.rounds],
        uniform=uniform,
        middle=middle,
        last=last,
        closed=1.0 - last / uniform,
    )
