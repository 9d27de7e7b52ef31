"""Runs at the paper's scale: blocks of runs with their settings and seeds, the most important first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.core.errors import ParameterError
from companion.papers.meanfield.experiments.definitions import PAPERS, experiment
from companion.papers.meanfield.problems.catalogue import SETTINGS, WITH_DATA
from companion.papers.meanfield.problems.ports import SNAPSHOTS
from companion.stored.blocks import Block

OURS, NAIVE = "mf-gp-ucb", "gp-ucb"
CONTROLS = ("random-dirichlet", "es", "sa-scaled", "ga-scaled")
SYNTHETIC = "synthetic"
#: Actions and agents where the number of contexts varies.
PORTS, VESSELS = 30, 3000


#: For every problem with data, the data that the stored tables hold runs on.
REAL = {name: {"bikes": "stations", "ports": SNAPSHOTS[0]}.get(name, "working-days") for name in WITH_DATA}
#: What runs are made for, in the order in which they are computed; each is made by the function of its name.
PARTS = ("figures", "controls", "fixed", "agents", "searches", "quota", "printed", "sizes", "rivals", "variants")


@dataclass(frozen=True)
class MeanFieldPlan:
    """Plan of the runs; the default is that of the stored tables, fixed before the first run.

    Parameters
    ----------
    problems : of Section 5
    runs, few, many : seeds: the paper's ten; five where a setting varies widely; twenty for one comparison of means
    agents, actions, contexts : numbers of them in the study of growth
    betas : widths of MF-GP-UCB beside the default
    horizon : evaluations, the paper's
    parts : which of :data:`PARTS`
    data : for each problem with data the selection that is used, by its own name and never ``"auto"``: a stored run must not be
        taken for one on other data
    overrides : parameters other than the paper's, for small versions
    """

    problems: tuple[str, ...] = tuple(SETTINGS)
    runs: int = 10
    few: int = 5
    many: int = 20
    agents: tuple[int, ...] = (10, 50, 100, 300, 1000, 3000, 10_000, 20_000, 100_000)
    actions: tuple[int, ...] = (5, 10, 20, 50, 100, 200, 400)
    contexts: tuple[int, ...] = (1, 2, 3, 5, 10, 15)
    betas: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0, 10.0)
    horizon: int = 250
    parts: tuple[str, ...] = PARTS
    data: Mapping[str, str] = field(default_factory=lambda: REAL)
    overrides: Mapping[str, Any] = field(default_factory=dict)

    def having(self, *names: str) -> tuple[str, ...]:
        """Those of ``names`` that are among the plan's problems."""
        return tuple(name for name in names if name in self.problems)

    def block(
        self, part: str, variant: str, problem: str, methods: tuple[str, ...], seeds: int, chosen: Mapping[str, Any]
    ) -> Block:
        """Runs of some methods on one problem; the variant says what differs from the paper's setting, ``paper`` for nothing."""
        here = {"data": self.data[problem]} if problem in self.data else {}
        values = {"horizon": self.horizon, **here, **self.overrides, **chosen}
        return Block.of(part, experiment(problem), methods, range(seeds), values, variant=variant)


PAPER = MeanFieldPlan()


def figures(plan: MeanFieldPlan) -> list[Block]:
    """Figures 2 and 5: the paper's five methods on its problems."""
    return [plan.block("figures", "paper", name, PAPERS, plan.runs, {}) for name in plan.problems]


def controls(plan: MeanFieldPlan) -> list[Block]:
    """Methods of the companion on the same problems."""
    return [plan.block("controls", "paper", name, CONTROLS, plan.runs, {}) for name in plan.problems]


def fixed(plan: MeanFieldPlan) -> list[Block]:
    """Simulated annealing on Arena with contexts held fixed or drawn anew."""
    return [
        plan.block("fixed", f"contexts={way}", name, ("sa",), plan.many, {"contexts": way})
        for name in plan.having("arena")
        for way in ("fixed", "redrawn")
    ]


def agents(plan: MeanFieldPlan) -> list[Block]:
    """Regret and time against M, with 30 actions and one context, or two."""
    return [
        plan.block(
            "agents", f"agents={count}", name, methods, plan.runs if name == "swarm" else plan.few, {"agents": count}
        )
        for name, methods in (("swarm", (OURS, "random")), ("arena", (OURS,)))
        if name in plan.problems
        for count in plan.agents
    ]


def rivals(plan: MeanFieldPlan) -> list[Block]:
    """The other methods, and GP-UCB on the M-dimensional input, against M."""
    return [
        plan.block("rivals", f"agents={count}", name, ("turbo", "sa", "ga", NAIVE), plan.few, {"agents": count})
        for name in plan.having("swarm")
        for count in plan.agents
    ]


def quota(plan: MeanFieldPlan) -> list[Block]:
    """Laws played as closely as whole numbers allow. Methods over joint actions know no such difference."""
    return [
        plan.block("quota", "play=quota", name, (OURS, "random"), plan.runs, {"play": "quota"})
        for name in plan.problems
    ]


def printed(plan: MeanFieldPlan) -> list[Block]:
    """The penalty as printed."""
    return [
        plan.block("printed", "penalty=printed", name, PAPERS, plan.runs, {"penalty": "printed"})
        for name in plan.having("swarm", "arena")
    ]


def sizes(plan: MeanFieldPlan) -> list[Block]:
    """Regret against |A| and |C|; the ports are synthetic, so that any number of regions can be had."""
    many = [
        plan.block("actions", f"actions={count}", name, (OURS,), plan.few, {"actions": count, "agents": 1000})
        for name in plan.having("swarm")
        for count in plan.actions
    ]
    chosen = {"data": SYNTHETIC, "agents": VESSELS, "actions": PORTS}
    return many + [
        plan.block("contexts", f"regions={count}", name, (OURS,), plan.few, {"regions": count, **chosen})
        for name in plan.having("ports")
        for count in plan.contexts
    ]


def searches(plan: MeanFieldPlan) -> list[Block]:
    """MF-UCB maximised by Adam near laws played, as the paper must have, at its rate and at a larger one."""
    return [
        plan.block("searches", f"search={way}", name, (OURS,), plan.runs, {"search": way})
        for name in plan.problems
        for way in ("paper", "local")
    ]


def variants(plan: MeanFieldPlan) -> list[Block]:
    """MF-GP-UCB with another width, observation or kernel; 36 stations, as the caption of Figure 2 says."""
    found = [
        plan.block("variants", f"beta={beta:g}", name, (OURS,), plan.runs, {"beta": beta})
        for name in plan.having("swarm", "taxi-a")
        for beta in plan.betas
    ]
    for setting, value, names in (
        ("width", "printed", ("swarm", "taxi-a")),
        ("width", "corrected", ("swarm", "taxi-a")),
        ("observation", "agent", ("swarm", "arena", "bikes", "ports", "taxi-a")),
        ("kernel", "joint", ("arena", "ports")),
        ("told_law", "empirical", ("swarm", "arena", "bikes", "ports")),
    ):
        found += [
            plan.block("variants", f"{setting}={value}", name, (OURS,), plan.runs, {setting: value})
            for name in plan.having(*names)
        ]
    return found + [
        plan.block("variants", "actions=36", name, PAPERS, plan.runs, {"actions": 36}) for name in plan.having("bikes")
    ]


MAKERS: dict[str, Callable[[MeanFieldPlan], list[Block]]] = {
    make.__name__: make
    for make in (figures, controls, fixed, agents, searches, quota, printed, sizes, rivals, variants)
}


def asked(plan: MeanFieldPlan) -> list[Block]:
    """The plan's blocks.

    Raises
    ------
    ParameterError
        if there are none
    """
    if not plan.parts:
        raise ParameterError("without", "leaves nothing", "at least one part to compute")
    return [block for name in plan.parts for block in MAKERS[name](plan)]


def data_used(names: tuple[str, ...], wanted: str = "auto") -> dict[str, str]:
    """For every problem with data the selection that ``wanted``, auto or synthetic, stands for on this machine."""
    used = {name: experiment(name).data_used({"data": wanted}) for name in names}
    return {name: found.choice for name, found in used.items() if found is not None}


def blocks(plan: MeanFieldPlan = PAPER) -> list[Block]:
    """All runs, part by part and, within a part, seed by seed: wherever a call stops, all problems have as many runs."""
    listed = [(block, task) for block in asked(plan) for task in block.tasks]
    names = list(dict.fromkeys(block.part for block, _ in listed))
    listed.sort(key=lambda item: (names.index(item[0].part), item[1].seed))
    return [replace(block, tasks=[task]) for block, task in listed]
