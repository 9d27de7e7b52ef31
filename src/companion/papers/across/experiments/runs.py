"""Which runs of "which method?" are stored: every entry on every common problem, and the four settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.papers.across.experiments.definitions import experiment
from companion.papers.across.experiments.problems import PROBLEMS
from companion.papers.batched.problems.catalogue import ROBUST_PROBLEMS
from companion.reproduce.blocks import Block


@dataclass(frozen=True)
class Entry:
    """What is compared: a method with a batch size, a width and a budget.

    Parameters
    ----------
    title : for pages
    paper : slug of the paper it is from, or of the rivals in whose experiments it is; empty for the classical ones
    method : of the experiment
    values : parameters other than the defaults
    """

    title: str
    paper: str
    method: str
    values: tuple[tuple[str, Any], ...] = ()


def _batched(method: str, size: int, **more: Any) -> tuple[str, tuple[tuple[str, Any], ...]]:
    return method, (("batch_size", size), *more.items())


ONE_WIDTH: dict[str, Entry] = {
    "gp-ucb": Entry("GP-UCB", "", "ucb"),
    "ts": Entry("Thompson sampling", "", "ts"),
    "ei": Entry("EI, largest observation", "", "ei"),
    "ei-mean": Entry("EI, largest mean", "", "ei-mean"),
    "random": Entry("random", "", "random"),
    "ts-rsr": Entry("TS-RSR, one at a time", "tsrsr", "ts-rsr"),
    "ts-rsr-5": Entry("TS-RSR", "tsrsr", *_batched("ts-rsr", 5)),
    "bucb-5": Entry("B-UCB", "tsrsr", *_batched("ucb", 5)),
    "ucb-pe-5": Entry("UCB-PE", "tsrsr", *_batched("ucb-pe", 5)),
    "ts-5": Entry("batch Thompson sampling", "tsrsr", *_batched("ts", 5)),
    "ei-5": Entry("batch EI, largest observation", "tsrsr", *_batched("ei", 5)),
    "ei-mean-5": Entry("batch EI, largest mean", "", *_batched("ei-mean", 5)),
    "sp-5": Entry("stochastic policy", "tsrsr", *_batched("sp", 5)),
    "dpp-ts-5": Entry("DPP-TS", "tsrsr", *_batched("dpp-ts", 5)),
    "compressed": Entry("compressed UCB", "compressed", "compressed-ucb"),
    "bkb": Entry("BKB", "compressed", "bkb-ucb"),
    "bpe": Entry("BPE", "batched", "bpe"),
}
"""The entries of the ranking: one width for all that have one, EI by its incumbent; batches of five after the design where there
are batches."""

_OWN = (("width", "own"),)
OWN_WIDTH: dict[str, Entry] = {
    "gp-ucb/own": Entry("GP-UCB, Srinivas et al.", "", "ucb", _OWN),
    "bucb-5/own": Entry("B-UCB, TS-RSR's code", "tsrsr", *_batched("ucb", 5, width="own")),
    "ucb-pe-5/own": Entry("UCB-PE, TS-RSR's code", "tsrsr", *_batched("ucb-pe", 5, width="own")),
    "compressed/own": Entry("compressed UCB, Lemma 8.1", "compressed", "compressed-ucb", _OWN),
    "bkb/own": Entry("BKB, its authors' code", "compressed", "bkb-ucb", _OWN),
    "bpe/own": Entry("BPE, Appendix E", "batched", "bpe", _OWN),
    "mf-gp-ucb/own": Entry("MF-GP-UCB with one agent", "meanfield", "mf-gp-ucb", _OWN),
    "wdrbo/own": Entry("WDRBO with one context", "wdrbo", "wdrbo", _OWN),
}
"""The same rules with the widths of their own experiments, and the two papers of which only the width is left."""

TEN: dict[str, Entry] = {
    "ts-rsr-10": Entry("TS-RSR, batches of 10", "tsrsr", *_batched("ts-rsr", 10)),
    "bucb-10": Entry("B-UCB, batches of 10", "tsrsr", *_batched("ucb", 10)),
    "ts-10": Entry("Thompson sampling, batches of 10", "tsrsr", *_batched("ts", 10)),
    "ei-10": Entry("EI, largest observation, batches of 10", "tsrsr", *_batched("ei", 10)),
    "ei-mean-10": Entry("EI, largest mean, batches of 10", "", *_batched("ei-mean", 10)),
}
LARGE = (("budget", 0.5),)
"""A budget in nats: a point is kept if its variance is above 1.7 noise variances."""
COMPRESSED: dict[str, Entry] = {
    "gp-ucb": ONE_WIDTH["gp-ucb"],
    "compressed": ONE_WIDTH["compressed"],
    "compressed-large": Entry("compressed UCB, budget 0.5", "compressed", "compressed-ucb", LARGE),
}
ENTRIES = ONE_WIDTH | OWN_WIDTH | TEN | COMPRESSED
COMPACT = ("gp-ucb", "compressed", "bkb")
"""GP-UCB and its compressed forms."""
NOISY = ("ei", "ei-5")
"""EI over the largest of noisy observations: shown and tested, and in no count of methods left behind."""


@dataclass(frozen=True)
class Plan:
    """How many of what.

    Parameters
    ----------
    problems : of :data:`~companion.papers.across.experiments.problems.PROBLEMS`
    seeds : of every entry and setting
    long_problems, long_horizon, long_seeds : of the runs that show what compression saves
    radii : of the balls of laws
    crowd, agent_seeds : agents besides one, and seeds of these runs, which cost most
    """

    problems: tuple[str, ...] = PROBLEMS
    seeds: int = 50
    long_problems: tuple[str, ...] = ("norm", "draw-se", "draw-matern32", "example")
    long_horizon: int = 1000
    long_seeds: int = 20
    radii: tuple[float, ...] = (0.1, 0.3)
    crowd: int = 50
    agent_seeds: int = 30


PAPER = Plan()


def methods(plan: Plan) -> list[Block]:
    """Every entry on every problem, and compression over a long horizon."""
    asked, long = experiment("methods"), {"horizon": plan.long_horizon}
    listed: list[tuple[str, str, dict[str, Any], int]] = [
        (problem, name, {}, plan.seeds) for problem in plan.problems for name in ENTRIES
    ]
    listed += [(problem, name, long, plan.long_seeds) for problem in plan.long_problems for name in COMPRESSED]
    found = []
    for problem, name, more, seeds in listed:
        entry = ENTRIES[name]
        values = {"problem": problem, **more, **dict(entry.values)}
        found.append(Block("methods", asked.tasks([entry.method], range(seeds), values, {"entry": name})))
    return found


def settings(plan: Plan) -> list[Block]:
    """Displacement, contexts, agents."""
    asked: list[tuple[str, str, int, dict[str, Any]]] = [
        ("displacement", problem, plan.seeds, {"problem": problem}) for problem in ROBUST_PROBLEMS
    ]
    asked += [
        ("contexts", f"radius {radius:g}", plan.seeds, {"shift": shift, "radius": radius})
        for shift in ("none", "worst")
        for radius in plan.radii
    ]
    asked += [("agents", "swarm", plan.agent_seeds, {"agents": count}) for count in (1, plan.crowd)]
    found = []
    for name, problem, seeds, values in asked:
        chosen = experiment(name)
        tasks = chosen.tasks(chosen.method_names, range(seeds), values)
        found.append(Block("settings", tasks, {"setting": name, "problem": problem}))
    return found


def blocks(plan: Plan = PAPER) -> list[Block]:
    """All runs."""
    return [*methods(plan), *settings(plan)]
