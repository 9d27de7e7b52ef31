"""Stored runs of chapter 1: the columns of Tables 1-4 with further seeds, and the variants beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.papers.tsrsr.experiments import factors
from companion.papers.tsrsr.experiments.definitions import METHODS, experiment
from companion.papers.tsrsr.method import diversity
from companion.papers.tsrsr.problems.catalogue import READINGS, SETTINGS
from companion.simulate.task_store import Task
from companion.stored.blocks import Block

METHOD_NAMES = tuple(method.name for method in METHODS)


@dataclass(frozen=True)
class TSRSRPlan:
    """Runs to make; the default is the plan of the stored tables, fixed before the first run.

    Parameters
    ----------
    problems, methods : columns and rows of Tables 1-4; random search is the companion's
    readings : of the runs that the paper has too
    runs : of each cell; ``None`` takes the paper's number, 100 for gp-2d, 50 for gp-3d and 10 for the others
    more : seeds of each cell of the text's reading, where the paper has fewer: ten runs decide few rankings
    more_code : the same of the code's reading
    widths, width_problems : BUCB with these constant widths
    resample_problems : TS-RSR without the resampling of App. C
    evaluations, batch_sizes, batching_seeds : regret in the theory's setting at a fixed number of evaluations
    posteriors : on which batches are compared, see :mod:`companion.papers.tsrsr.method.diversity`
    factor_problems, factor_methods, factor_seeds : one difference between the readings at a time, see
        :mod:`companion.papers.tsrsr.experiments.factors`
    overrides : parameters other than the paper's, for small versions
    """

    problems: tuple[str, ...] = tuple(SETTINGS)
    methods: tuple[str, ...] = METHOD_NAMES
    readings: tuple[str, ...] = READINGS
    runs: int | None = None
    more: int = 50
    more_code: int = 30
    widths: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0)
    width_problems: tuple[str, ...] = ("gp-2d", "ackley-2d")
    resample_problems: tuple[str, ...] = ("gp-2d", "ackley-2d", "hartmann-6d")
    evaluations: int = 120
    batch_sizes: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20)
    batching_seeds: int = 200
    posteriors: int = 200
    factor_problems: tuple[str, ...] = factors.PROBLEMS
    factor_methods: tuple[str, ...] = factors.METHODS
    factor_seeds: int = factors.SEEDS
    overrides: Mapping[str, Any] = field(default_factory=dict)

    def paper_runs(self, problem: str) -> int:
        """Runs of a cell in the paper, or the plan's own number."""
        column = SETTINGS[problem]
        return column.functions * column.repeats if self.runs is None else self.runs

    def seeds(self, problem: str, reading: str) -> range:
        """Seeds of a cell; the first are the paper's runs."""
        least = self.more if reading == "text" else self.more_code
        return range(max(self.paper_runs(problem), least))


PAPER = TSRSRPlan()


def columns(plan: TSRSRPlan) -> list[Block]:
    """Tables 1-4: the paper's runs in both readings, then the further seeds."""
    cells = [(reading, problem) for reading in plan.readings for problem in plan.problems]
    own = [_column("tables", plan, *cell, range(plan.paper_runs(cell[1]))) for cell in cells]
    return own + [
        _column("more", plan, reading, problem, plan.seeds(problem, reading)[plan.paper_runs(problem) :])
        for reading, problem in cells
    ]


def _column(part: str, plan: TSRSRPlan, reading: str, problem: str, seeds: Iterable[int]) -> Block:
    chosen = {"reading": reading} | ({"data": "boston"} if problem == "boston-4d" else {})
    return Block.of(part, experiment(problem), plan.methods, seeds, {**plan.overrides, **chosen})


def variants(plan: TSRSRPlan) -> list[Block]:
    """BUCB with constant widths, and TS-RSR without resampling, on the seeds of the text's reading."""
    asked: list[tuple[str, str, str, dict[str, Any]]] = [
        (problem, "bucb", f"width={width:g}", {"width": "constant", "multiplier": width})
        for problem in plan.width_problems
        for width in plan.widths
    ]
    asked += [(problem, "ts-rsr", "resample=False", {"resample": False}) for problem in plan.resample_problems]
    return [
        Block.of(
            "variants",
            experiment(problem),
            [method],
            plan.seeds(problem, "text"),
            {**plan.overrides, **values},
            variant=variant,
        )
        for problem, method, variant, values in asked
    ]


def factor_blocks(plan: TSRSRPlan = PAPER) -> list[Block]:
    """One difference between the readings switched on in the text's and off in the code's; no ascents in both."""
    return [
        Block.of(
            "factors",
            experiment(problem),
            [name for name in plan.factor_methods if name in factor.methods],
            range(plan.factor_seeds),
            {**plan.overrides, "reading": reading, **factor.changes(reading)},
            factor=factor.name,
        )
        for problem in plan.factor_problems
        if problem in plan.problems
        for reading in READINGS
        for factor in (*factors.FACTORS, factors.ASCENTS)
    ]


def batching(plan: TSRSRPlan) -> list[Block]:
    """TS-RSR in the theory's setting: Tm evaluations in batches of m, for every m."""
    seeds, all_of = range(plan.batching_seeds), plan.evaluations
    sizes = ({"batch_size": size, "batches": all_of // size} for size in plan.batch_sizes)
    return [Block.of("batching", experiment("theory"), ["ts-rsr"], seeds, chosen) for chosen in sizes]


def posteriors(plan: TSRSRPlan) -> list[Block]:
    """One task for each posterior; all rules choose on it."""
    tasks = [Task("tsrsr/diversity", "all", diversity.PARAMETERS, seed) for seed in range(plan.posteriors)]
    return [Block("diversity", tasks)]


def blocks(plan: TSRSRPlan = PAPER) -> list[Block]:
    """All runs of a plan but those of the factors."""
    return [*columns(plan), *variants(plan), *batching(plan), *posteriors(plan)]
