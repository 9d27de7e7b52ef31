"""The runs of the study on a box, stored: a run is a rule on a function at all seeds, with one model and one noise.

What they are for was fixed in :mod:`.box_study_protocol`. ``python -m companion.papers.across.experiments box_study`` makes
them, in about three hours on one core; it goes on where it was interrupted.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.papers.across.method import box_rules
from companion.papers.across.method.rules import PLAIN, Entry
from companion.papers.across.method.shipped_model import ShippedModel, fit, modes
from companion.papers.across.problems.box_functions import BOX_FUNCTIONS, BoxFunction, box_function
from companion.papers.across.problems.common import stored_set
from companion.papers.batched.method.sizes import original_sizes
from companion.simulate.replicate import single_threaded
from companion.simulate.task_store import Task
from companion.stored.blocks import Block, Run, RunTable, by_key, untimed
from companion.stored.runs import PaperRuns

HORIZON, INITIAL, SEEDS = 100, 10, 10
NOISES, USUAL = (0.03, 0.1, 0.3), 0.1
BATCHES = (1, 5, 10)
#: Evaluations after which both payoffs are kept; rounds after which the point is.
CHECKPOINTS, ROUNDS = tuple(range(10, HORIZON + 1, 10)), 10
SHIPPED, KNOWN = "shipped", "known"
#: Models other than the shipped one: kernel, whether every coordinate has a length-scale, and what multiplies these.
MODELS = {
    SHIPPED: ("se", True, 1.0),
    "matern52": ("matern52", True, 1.0),
    "matern32": ("matern32", True, 1.0),
    "se, one": ("se", False, 1.0),
    "matern52, one": ("matern52", False, 1.0),
    "matern32, one": ("matern32", False, 1.0),
    "lengthscale*2": ("se", True, 2.0),
    "lengthscale/2": ("se", True, 0.5),
}
KERNELS, LENGTHS = tuple(MODELS)[1:6], tuple(MODELS)[6:]
OTHERS, OTHER_DIMS = (2, 5, 20), (2, 4)
#: Points by which BPE goes.
BPE_POINTS = 1024
DIGITS = 5


def entries(batch: int) -> tuple[Entry, ...]:
    """The rules with so many points a round; BPE has 0, its own."""
    upper = [Entry("ucb", batch, width) for width in ("1", "2", "3")]
    plain = [Entry(rule, batch, PLAIN) for rule in ("ei-mean", "ei", "nei", "ts", "ts-rsr", "random", "sobol")]
    return (*upper, *plain, *([Entry("bpe", 0, "1")] if batch == 1 else []))


FACTOR_ENTRIES = (Entry("ucb", 1, "2"), Entry("nei", 1, PLAIN))
LENGTH_ENTRIES = (
    *(Entry("ucb", 1, width) for width in ("1", "3")), *(Entry(rule, 1, PLAIN) for rule in ("nei", "ts-rsr")),
)  # fmt: skip
KNOWN_ENTRIES = (*FACTOR_ENTRIES, Entry("ts", 1, PLAIN))


@dataclass(frozen=True)
class BoxPlan:
    """Plan of the runs.

    Parameters
    ----------
    problems : functions
    seeds, fewer : of each, at once; the fewer with other noises and in batches
    """

    problems: tuple[str, ...] = tuple(BOX_FUNCTIONS)
    seeds: int = SEEDS
    fewer: int = SEEDS // 2


def _tasks(plan: BoxPlan) -> Iterator[tuple[str, float, Entry, str, int]]:
    """Function, noise, rule, model and initial points; the questions in the order in which they are answered."""
    of = BOX_FUNCTIONS
    for batch, noise in ((1, USUAL), (10, USUAL), (5, USUAL), *((1, noise) for noise in NOISES if noise != USUAL)):
        yield from ((name, noise, entry, SHIPPED, INITIAL) for name in plan.problems for entry in entries(batch))
    for name in plan.problems:
        yield from ((name, USUAL, entry, SHIPPED, count) for count, entry in product(OTHERS, FACTOR_ENTRIES))
        if of[name].kernel:
            yield from ((name, USUAL, entry, KNOWN, INITIAL) for entry in KNOWN_ENTRIES)
        if of[name].dim in OTHER_DIMS:
            yield from ((name, USUAL, entry, model, INITIAL) for model, entry in product(KERNELS, FACTOR_ENTRIES))
            yield from ((name, USUAL, entry, model, INITIAL) for model, entry in product(LENGTHS, LENGTH_ENTRIES))


def blocks(plan: BoxPlan) -> list[Block]:
    """Question by question, so that an interrupted call leaves whole ones."""
    found: dict[tuple[float, int, str, int], list[Task]] = {}
    for name, noise, entry, model, initial in _tasks(plan):
        values = {"problem": name, "noise": noise, "batch": entry.batch, "setting": entry.setting, "model": model}
        values |= {
            "initial": initial,
            "seeds": plan.seeds if (noise, max(entry.batch, 1)) == (USUAL, 1) else plan.fewer,
        }
        kind = (noise, max(entry.batch, 1), model, initial)
        found.setdefault(kind, []).append(Task("across/box_study", entry.rule, values, 0))
    return [Block("box_study", tasks) for tasks in found.values()]


# -- one run -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Played:
    """A run at one seed.

    Attributes
    ----------
    points, observed : (T, d) and (T,)
    ends : evaluations after each round, from the initial ones on
    models : those that rounds went by, by evaluations
    """

    points: Floats
    observed: Floats
    ends: tuple[int, ...]
    models: dict[int, ShippedModel] = field(default_factory=dict)


def design_of(problem: BoxFunction, seed: int) -> Floats:
    """(128, d) a scrambled Sobol sequence: the initial points, and the rule without a model."""
    from scipy.stats import qmc  # takes half a second

    return np.asarray(qmc.Sobol(problem.dim, rng=stream(seed, "box", problem.name, "design")).random_base2(7))


def modelled(problem: BoxFunction, share: float, model: str, points: Floats, observed: Floats) -> ShippedModel:
    """The model of what was seen: fitted, or the true one of a draw."""
    if model == KNOWN:
        noise = (share * problem.spread) ** 2
        return ShippedModel(problem.kernel, points, observed, problem.lengthscales, noise, told=True)
    kernel, separate, factor = MODELS[model]
    found = fit(points, observed, kernel, separate)
    if factor == 1.0:
        return found
    return ShippedModel(kernel, points, observed, factor * found.lengthscales, found.noise, found.mean)


def play(
    problem: BoxFunction, share: float, entry: Entry, seed: int, model: str = SHIPPED, first: int = INITIAL
) -> Played:
    """All evaluations of a run.

    Parameters
    ----------
    share : standard deviation of the noise over the range of f
    model : of :data:`MODELS`, or :data:`KNOWN`
    first : initial points
    """
    noise = share * problem.spread * stream(seed, "box", problem.name, "noise").standard_normal(HORIZON)
    generator = stream(seed, "box", problem.name, "rule", entry.rule, entry.batch)
    design, ends = design_of(problem, seed), [first]
    if entry.rule in ("random", "sobol"):
        rest = generator.random((HORIZON - first, problem.dim)) if entry.rule == "random" else design[first:HORIZON]
        points = np.vstack([design[:first], rest])
        ends += range(first + entry.batch, HORIZON + 1, entry.batch)
        return Played(points, problem(points) + noise, tuple(ends))
    if entry.rule == "bpe":
        return _explore(problem, share, float(entry.setting), noise, model)
    points = design[:first]
    observed, models = problem(points) + noise[:first], dict[int, ShippedModel]()
    while len(observed) < HORIZON:
        now = models[len(observed)] = modelled(problem, share, model, points, observed)
        size = min(entry.batch, HORIZON - len(observed))
        chosen = box_rules.choose(entry.rule, entry.setting, now, size, generator)
        seen = problem(chosen) + noise[len(observed) : len(observed) + size]
        points, observed = np.vstack([points, chosen]), np.concatenate([observed, seen])
        ends.append(len(observed))
    return Played(points, observed, tuple(ends), models)


def _explore(problem: BoxFunction, share: float, width: float, noise: Floats, model: str) -> Played:
    """BPE: batches of largest standard deviation among the points that may be best, judged by their own batch alone."""
    from scipy.stats import qmc  # takes half a second

    pool = qmc.Sobol(problem.dim, scramble=False).random_base2(BPE_POINTS.bit_length() - 1)
    active, points, observed, ends = np.ones(len(pool), dtype=bool), np.zeros((0, problem.dim)), np.zeros(0), []
    for size in original_sizes(HORIZON):
        # Before there are values the modes of the priors stand in for a fit.
        length, level = modes(problem.dim)
        lengths = np.full(problem.dim, length)
        if len(observed):
            fitted = modelled(problem, share, model, points, observed)
            lengths, level = fitted.lengthscales, fitted.noise
        at = box_rules.most_uncertain(pool, active, lengths, level, size)
        chosen = pool[at]
        seen = problem(chosen) + noise[len(observed) : len(observed) + size]
        points, observed = np.vstack([points, chosen]), np.concatenate([observed, seen])
        ends.append(len(observed))
        mean, sd = ShippedModel("se", chosen, seen, lengths, level).moments(pool)
        active &= mean + width * sd >= (mean - width * sd)[active].max()
    return Played(points, observed, tuple(ends))


def measured(problem: BoxFunction, share: float, played: Played, seed: int, model: str = SHIPPED) -> dict[str, float]:
    """Both payoffs after every tenth evaluation, and the point after ten rounds."""
    generator = stream(seed, "box", problem.name, "named")
    regret = (problem.optimum - problem(played.points)) / problem.gap
    found = {f"plays_{t}": float(regret[:t].mean()) for t in CHECKPOINTS}
    tenth = played.ends[min(ROUNDS, len(played.ends)) - 1]
    for t in dict.fromkeys((*CHECKPOINTS, tenth)):
        now = played.models.get(t) or modelled(problem, share, model, played.points[:t], played.observed[:t])
        point = box_rules.named(now, generator)
        found[f"point_{t}"] = float((problem.optimum - problem(point[None])[0]) / problem.gap)
    found["rounds"] = found[f"point_{tenth}"] if tenth in CHECKPOINTS else found.pop(f"point_{tenth}")
    return found


# -- stored ------------------------------------------------------------------------------------------------------------


def compute(task: Task) -> dict[str, Any]:
    """Means over the seeds, with the standard errors of three of them."""
    p = task.parameters
    problem, entry = box_function(p["problem"]), Entry(task.method, p["batch"], p["setting"])
    problem.optimum  # noqa: B018 # the search for it is no part of a run's time
    began = time.process_time()
    rows = []
    with single_threaded():
        for seed in range(p["seeds"]):
            played = play(problem, p["noise"], entry, seed, p["model"], p["initial"])
            rows.append(measured(problem, p["noise"], played, seed, p["model"]))
    found = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
    for name in (f"plays_{HORIZON}", f"point_{HORIZON // 2}", f"point_{HORIZON}"):
        found[f"{name}_se"] = float(np.std([row[name] for row in rows], ddof=1) / math.sqrt(len(rows)))
    return found | {"seconds": (time.process_time() - began) / len(rows)}


def seconds(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """Median processor seconds of a run at one seed, by rule and batch."""
    for cell, found in by_key(runs, ("method", "batch")):
        each = np.array([result["seconds"] for result in found])
        yield {**cell, "seconds": float(np.median(each))}


KEY = ("problem", "noise", "model", "initial", "method", "batch", "setting")
TABLES = {
    "box_study": RunTable(KEY, untimed, digits=DIGITS),
    "box_study_seconds": RunTable(("method", "batch"), whole=seconds, compared=False, digits=3),
}
STORED = stored_set("box_study", "box_study", "box_study_seconds", module=__name__)
RUNS = PaperRuns(
    stored=STORED,
    plan=BoxPlan(),
    blocks=blocks,
    compute=compute,
    tables=TABLES,
    seeds=lambda plan: range(plan.seeds),
)
store, load = RUNS.store, STORED.load
