"""The town of the lesson: three stations, its searches side by side, and one round of theirs in the posterior's terms."""

from __future__ import annotations

import functools
import itertools
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from scipy.special import softmax

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.pages import Canvas, Numbers, Palette, Rows, Table, charts, figure, frame, provenance_of, recorded
from companion.papers.meanfield.method.acquisition import MeanFieldUCB
from companion.papers.meanfield.method.agents import draw_contexts, play_law, representative
from companion.papers.meanfield.method.kernel import AdditiveKernel, radial, squared_distances
from companion.papers.meanfield.method.model import MeanFieldGP
from companion.papers.meanfield.method.policy import MeanFieldGPUCB, ModelSettings
from companion.papers.meanfield.method.simplex import PAPER_SEARCH, Ends, Objective, Search
from companion.papers.meanfield.method.widths import PracticeWidth
from companion.papers.meanfield.problems.divergence import demand_problem
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.papers.meanfield.theory.runs import lattice
from companion.policies.acquisition import log_expected_improvement

#: Three stations with a known demand: the reward is minus the divergence of the bicycles' places from it.
DEMAND = (0.62, 0.28, 0.10)
AGENTS, ROUNDS, DESIGN, WIDTH = 300, 25, 5, 3.0
#: Equation (1), its length-scales known, and the variance of the noise in standardised rewards.
KERNEL, NOISE = AdditiveKernel(0.3, 1.0, 0.3), 0.01
#: Laws are listed in multiples of one part.
PARTS = 30
#: Share of the agents by which a short step leaves the best law so far.
STEP = 0.1
#: Share of the way to a corner behind which the acquisition is compared with a straight line.
STRAIGHT = 0.7
#: The paper's search, from the two best laws and a random one.
ADAM = Search("adam", PAPER_SEARCH.steps, PAPER_SEARCH.rate, perturbed=0, far=0)
WAYS = {"whole": "all laws", "step": "short steps", "adam": "Adam"}
#: What else one would do with the same rewards, without a model and with an ordinary one.
RIVALS = {"shift": "a tenth shifted", "ordinary": "ordinary GP, all laws", "near": "ordinary GP, short steps"}


def three_stations(agents: int = AGENTS) -> MeanFieldProblem:
    """Three stations in a row, reward minus the Jensen-Shannon divergence of the bicycles from the demand."""
    meta = {"data": "none", "label": "closed form", "stand_in": False, "remark": ""}
    places = np.array([[0.0], [0.5], [1.0]])
    return demand_problem("stations", agents, np.array(DEMAND), places, "companion", 0.0, meta, {})


def moved(laws: Floats, others: ArrayLike) -> Floats:
    """Share of the agents (..., n) in which ``laws`` (n, 3) differ from each of ``others`` (..., 3)."""
    return np.asarray(0.5 * np.abs(laws - np.asarray(others)[..., None, :]).sum(axis=-1))


def over_the_lattice(reach: float = 1.0) -> Search:
    """In place of a search: all laws of the lattice, or those within ``reach`` of the law with the largest reward."""
    laws = lattice(len(DEMAND), 1, PARTS)

    def search(objective: Objective, known: Floats, generator: np.random.Generator, value: object) -> Ends:
        near = laws[moved(laws[:, 0], known[0, 0]) <= reach + 1e-9]
        return Ends(near, objective(near)[0], len(near))

    return search  # type: ignore[return-value]


SEARCHES = {"whole": over_the_lattice(), "step": over_the_lattice(STEP), "adam": ADAM}


def mornings(
    number: int, width: float, search: Search, agents: int = AGENTS
) -> Iterator[tuple[MeanFieldGPUCB, Floats]]:
    """One run: before each evaluation the policy with what it knows, and the law (1, 3) that it announces."""
    problem = three_stations(agents)
    policy = MeanFieldGPUCB(
        problem.action_features,
        problem.context_features,
        problem.context_weights,
        stream(number, "meanfield", "town", "laws"),
        PracticeWidth(width),
        ModelSettings(KERNEL, NOISE, fit=None),
        search,
        DESIGN,
    )
    for t in range(ROUNDS):
        law = policy.ask()
        yield policy, law
        draws = stream(number, "meanfield", "town", "agents", t)
        contexts = draw_contexts(problem.context_weights, agents, draws)
        actions = play_law(law, contexts, draws)
        policy.tell(*representative(actions, contexts, draws), problem.agent_reward(actions, contexts))


@recorded(first="seed", count="runs")
@frame
def searches(seed: int, runs: int) -> Rows:
    """One row a run of the town, by width and way to maximise the acquisition.

    ``cumulative`` regret in shares of the uniform law's; ``terminal``, that of the law with the largest reward, in the same
    unit. Means over the rounds behind the random ones: ``moved``, from the nearest law played; ``mean`` and ``bonus``, the
    acquisition's two parts; and with ``whole_`` those of the law of the whole lattice, for the same data.
    """
    laws = lattice(len(DEMAND), 1, PARTS)
    for width, way, number in itertools.product((WIDTH, 1.0), SEARCHES, range(seed, seed + runs)):
        found: list[dict[str, float]] = []
        for policy, law in mornings(number, width, SEARCHES[way]):
            if policy.model.count < DESIGN:
                continue
            upper, plain = policy.acquisition(width), policy.acquisition(0.0)
            both = np.stack([law, laws[int(np.argmax(upper.value(laws)))]])
            mean = plain.value(both)
            away = moved(both[:, 0], policy.model.laws[:, 0]).min(axis=0)
            parts = {"moved": away, "mean": mean, "bonus": upper.value(both) - mean}
            found.append({f"{w}{k}": float(v[i]) for k, v in parts.items() for i, w in enumerate(("", "whole_"))})
        regret = in_shares(policy.model.laws)
        row = {"width": width, "search": way, "run": number, "cumulative": float(regret.mean())}
        row |= {"terminal": float(regret[int(np.argmax(policy.model.values))])}
        yield row | pd.DataFrame(found).mean().to_dict()


def in_shares(laws: Floats) -> Floats:
    """Regret of laws (n, 1, 3) in shares of the uniform law's."""
    problem = three_stations()
    return np.asarray(problem.regret(laws) / problem.regret(problem.uniform()[None])[0])


def shift_a_tenth(laws: Floats, rewards: Floats, generator: np.random.Generator) -> Floats:
    """From the law (3,) with the largest reward a tenth of the bicycles, or all that are there, from one station to another."""
    law = laws[int(np.argmax(rewards))].copy()
    source, target = generator.permutation(len(law))[:2]
    part = min(STEP, law[source])
    law[source] -= part
    law[target] += part
    return law


def ordinary(laws: Floats, rewards: Floats, generator: np.random.Generator, reach: float = 1.0) -> Floats:
    """Largest expected improvement over the best posterior mean, from a Gaussian process on the shares (t, 3) alone.

    Laws are tried within ``reach`` of the one with the largest reward.
    """
    every = lattice(len(DEMAND), 1, PARTS)[:, 0]
    every = every[moved(every, laws[int(np.argmax(rewards))]) <= reach + 1e-9]
    targets = (rewards - rewards.mean()) / rewards.std()
    among, cross = (radial(squared_distances(a, laws), KERNEL.law_lengthscale) for a in (laws, every))
    solved = np.linalg.solve(among + NOISE * np.eye(len(laws)), np.column_stack([targets, cross.T]))
    variance = np.maximum(1.0 - np.einsum("lt,tl->l", cross, solved[:, 1:]), 1e-12)
    incumbent = float((among @ solved[:, 0]).max())
    return every[int(np.argmax(log_expected_improvement(cross @ solved[:, 0], np.sqrt(variance), incumbent)))]


@recorded(first="seed", count="runs")
@frame
def rivals(seed: int, runs: int) -> Rows:
    """One row a run and rule of :data:`RIVALS`: the columns of :func:`searches` that a rule without an acquisition has."""
    problem, near = three_stations(), functools.partial(ordinary, reach=STEP)
    rules: dict[str, Callable[..., Floats]] = {"shift": shift_a_tenth, "ordinary": ordinary, "near": near}
    for way, number in itertools.product(RIVALS, range(seed, seed + runs)):
        generator = stream(number, "meanfield", "town", "laws")
        laws, rewards, away = np.empty((0, len(DEMAND))), np.empty(0), []
        for t in range(ROUNDS):
            law = softmax(generator.random(len(DEMAND)))
            if t >= DESIGN:
                law = rules[way](laws, rewards, generator)
                away.append(float(moved(law, laws).min()))
            draws = stream(number, "meanfield", "town", "agents", t)
            contexts = draw_contexts(problem.context_weights, AGENTS, draws)
            reward = problem.agent_reward(play_law(law[None], contexts, draws), contexts)
            laws, rewards = np.vstack([laws, law]), np.append(rewards, reward)
        regret = in_shares(laws[:, None])
        yield {
            "search": way,
            "run": number,
            "cumulative": float(regret.mean()),
            "terminal": float(regret[int(np.argmax(rewards))]),
            "moved": float(np.mean(away)),
        }


@recorded(first="seed", count="runs")
def fleets(seed: int, runs: int) -> Numbers:
    """Cumulative regret with width one in shares of the uniform law's, by the number of bicycles: means over runs."""
    found = {}
    for agents in (3, AGENTS, 10 * AGENTS):
        ends = [
            deque(mornings(number, 1.0, SEARCHES["whole"], agents), 1).pop()[0] for number in range(seed, seed + runs)
        ]
        found[agents] = float(np.mean([in_shares(policy.model.laws).mean() for policy in ends]))
    return Numbers(three=found[3], fleet=found[AGENTS], most=found[10 * AGENTS])


def search_numbers(rows: pd.DataFrame, others: pd.DataFrame) -> Numbers:
    """Means of :func:`searches` by width and search and of :func:`rivals`; whether whole runs cost more than the uniform law."""
    means = rows.groupby(["width", "search"], sort=False).mean()
    wide, narrow = (means.loc[width] for width in (WIDTH, 1.0))
    dear = rows[(rows.width == WIDTH) & (rows.search == "whole")]
    beside = others.groupby("search", sort=False).cumulative.mean()
    return Numbers(
        rows,
        stations=len(DEMAND),
        agents=AGENTS,
        runs=int(rows.run.nunique()),
        dear=bool((dear.cumulative > 1).all()),
        cheap=float(rows.cumulative[(rows.width < WIDTH) | (rows.search != "whole")].max()),
        whole=float(wide.cumulative["whole"]),
        adam=float(wide.cumulative["adam"]),
        shorter=float(wide.cumulative["step"]),
        narrow=narrow.cumulative.to_dict(),
        narrowest=float(narrow.cumulative["whole"]),
        terminal=float(means.terminal.max()),
        shift=float(beside["shift"]),
        ordinary=float(beside["ordinary"]),
        near=float(beside["near"]),
        limited=float(max(narrow.cumulative["whole"], wide.cumulative["step"])),
        away=float(wide.moved["adam"]),
        whole_away=float(wide.whole_moved["adam"]),
        mean=float(wide["mean"]["adam"]),
        whole_mean=float(wide.whole_mean["adam"]),
        bonus=float(wide.bonus["adam"]),
        whole_bonus=float(wide.whole_bonus["adam"]),
    )


def searches_table(rows: pd.DataFrame, others: pd.DataFrame) -> Table:
    """Means of :func:`searches`, a row a width and search, and of :func:`rivals`, which have no width."""
    both = pd.concat([rows, others]).fillna({"width": 0.0})
    shown = both.groupby(["width", "search"], sort=False).mean().reset_index()
    columns = {
        "width": [f"{width:g}" if width else "–" for width in shown.width],
        "laws tried": [(WAYS | RIVALS)[name] for name in shown.search],
        "bicycles moved": [f"{share:.0%}" for share in shown.moved],
        "mean": [_part(value) for value in shown["mean"]],
        "optimism": [_part(value) for value in shown.bonus],
        "cumulative regret": [f"{share:.0%}" for share in shown.cumulative],
        "terminal regret": [f"{share:.0%}" for share in shown.terminal],
    }
    return Table(pd.DataFrame(columns), where=provenance_of(rows), digits=2)


def _part(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else "–"


# -- one round ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Round:
    """The acquisition of one round in its two parts, in units of the standardised reward.

    Parameters
    ----------
    away : (L,) share of the agents in which each law of the lattice differs from the nearest law played
    mean, bonus : (L,) its two parts
    chosen : (3, 3) away, mean and bonus at the law that each of :data:`WAYS` chooses
    share : (n,) of the agents that have gone to the corner that the whole lattice chooses, the others staying even
    way : (2, n) mean and bonus on that way
    """

    away: Floats
    mean: Floats
    bonus: Floats
    chosen: Floats
    share: Floats
    way: Floats


@recorded(first=0)
def one_round(stations: ArrayLike, played: Floats, rewards: Floats, width: float) -> Round:
    """The acquisition after some mornings, over the lattice, at what each search finds, and on the way to a corner."""
    problem, laws = three_stations(), lattice(len(DEMAND), 1, PARTS)
    gp = MeanFieldGP(problem.action_features, problem.context_features, KERNEL, NOISE)
    for station, law, reward in zip(np.asarray(stations), played, rewards, strict=True):
        gp.add(int(station), 0, law[None], float(reward))
    upper, plain = (MeanFieldUCB(gp, [1.0], w) for w in (width, 0.0))

    def parts(at: Floats) -> Floats:
        mean = plain.value(at)
        return np.stack([moved(at[:, 0], played).min(axis=0), mean, upper.value(at) - mean])

    known = played[np.argsort(-rewards, kind="stable")[:2], None]
    generator = stream(0, "meanfield", "town", "round")
    ends = [search(upper, known, generator, upper.value) for search in SEARCHES.values()]
    chosen = np.stack([found.laws[found.best] for found in ends])
    corner = np.eye(len(DEMAND))[int(chosen[0, 0].argmax())]
    share = np.linspace(0.0, 1.0, 101)
    way = (1.0 - share)[:, None] * problem.uniform() + share[:, None] * corner
    away, mean, bonus = parts(laws)
    return Round(away, mean, bonus, parts(chosen), share, parts(way[:, None])[1:])


def round_numbers(study: Round) -> Numbers:
    """How straight the way to the corner ends, and what the searches choose."""
    far = study.share >= STRAIGHT
    upper = study.way.sum(axis=0)
    line = np.interp(study.share[far], study.share[far][[0, -1]], upper[far][[0, -1]])
    return Numbers(
        study,
        stations=len(DEMAND),
        agents=AGENTS,
        width=WIDTH,
        straight=STRAIGHT,
        bend=float(np.abs(upper[far] - line).max() / np.ptp(upper)),
        rising=bool((np.diff(upper[far]) > 0).all()),
        away=study.chosen[0],
        means=study.chosen[1],
        bonuses=study.chosen[2],
        farthest=float(study.away.max()),
    )


@figure(size=(9.2, 2.9))
def two_searches(canvas: Canvas, palette: Palette, study: Round) -> None:
    """The acquisition on the way to a corner, and both of its parts against the distance from the laws played."""
    way, mean, bonus = canvas.subplots(1, 3)
    for values, series, name, at in (
        (study.way.sum(axis=0), 0, "acquisition", 0.5),
        (study.way[0], 2, "mean", 0.75),
    ):
        way.plot(100 * study.share, values, color=palette.series[series], ls=("-", "--")[series // 2], lw=2)
        k = int(at * (len(values) - 1))
        way.text(100 * study.share[k], values[k] + 0.3, name, color=palette.series[series], ha="right")
    charts.name_axes(way, "% sent to one station", "standardised reward", title="on the way to a corner")
    _parts(mean, study, study.mean, study.chosen[1], palette)
    _parts(bonus, study, study.bonus, study.chosen[2], palette)
    charts.name_axes(mean, "% of bicycles moved", title="mean of every law")
    charts.name_axes(bonus, "% of bicycles moved", title="width times deviation")


def _parts(axes: Axes, study: Round, values: Floats, chosen: Floats, palette: Palette) -> None:
    axes.plot(100 * study.away, values, ".", ms=3, color=palette.muted)
    for k, name in enumerate(WAYS.values()):
        style: charts.Style = {"ls": "", "ms": 9, "color": palette.series[(1, 2, 0)[k]], "mec": palette.ink}
        axes.plot(100 * study.chosen[0, k], chosen[k], "X^s"[k], label=name, **style)
    axes.set_ylim(top=max(values.max(), chosen.max()) + 0.4 * float(np.ptp(values)))
    axes.legend(loc="upper left", ncols=2, fontsize=9, handletextpad=0, columnspacing=0.6)
