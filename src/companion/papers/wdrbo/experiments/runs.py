"""Runs stored at the paper's scale, in the order in which they are made: cheap and important ones first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.papers.wdrbo.experiments import coverage
from companion.papers.wdrbo.experiments.definitions import DATA_DRIVEN, METHODS, experiment
from companion.papers.wdrbo.problems.general import RADIUS, laws
from companion.papers.wdrbo.problems.shifted import SHIFTED
from companion.papers.wdrbo.problems.transport import law_distance
from companion.simulate.task_store import Task
from companion.stored.blocks import Block

METHOD_NAMES = tuple(method.name for method in METHODS)
#: The paper's eight methods.
PUBLISHED = tuple(name for name in METHOD_NAMES if name != "wdrbo-exact")
#: The problems of Figures 2 to 4, the quickest first.
SEVEN = ("newsvendor", "camel", "ackley", "hartmann", "branin", "portfolio-normal", "portfolio-uniform")
#: Those of one decision and one context.
LINES = SEVEN[:3]


@dataclass(frozen=True)
class WDRBOPlan:
    """Plan of the runs; the default is that of the stored tables, fixed before the first run.

    Parameters
    ----------
    problems : of Figures 2 to 4
    methods : all nine; ours is left out where the published code is followed
    runs : the paper's seeds, of every cell
    more : seeds in all of Figures 2 to 4 in the text's reading
    code_runs : seeds of the code's reading, whose search takes longest
    spreads : readings of Figure 1's laws
    radii, radius_problems : constants of WDRBO's radius
    region_problems : WDRBO with its Lipschitz constant taken between the observed contexts
    grids, grid_problems : contexts of DRBO-MMD
    shifts, shift_problems : of the general setting with a known shift
    two_decisions : whether Ackley is run with two decisions besides
    timed, timed_code, timing_seeds : problems on which times are compared, in the text's reading and of what has an
        inner grid in the code's
    ball_sizes : contexts in the timing of one inner problem
    draws, plane_draws : samples behind a mean Wasserstein distance, for each of four seeds
    overrides : parameters other than the paper's, for small versions
    """

    problems: tuple[str, ...] = SEVEN
    methods: tuple[str, ...] = METHOD_NAMES
    runs: int = 15
    more: int = 50
    code_runs: int = 20
    spreads: tuple[str, ...] = ("sd", "variance")
    radii: tuple[float, ...] = (0.03, 0.1, 1.0, 3.0)
    radius_problems: tuple[str, ...] = LINES
    region_problems: tuple[str, ...] = SEVEN
    grids: tuple[int, ...] = (25, 400)
    grid_problems: tuple[str, ...] = ("newsvendor", "camel")
    shifts: tuple[float, ...] = (-0.2, -0.1, 0.0, 0.1, 0.2)
    shift_problems: tuple[str, ...] = SHIFTED
    two_decisions: bool = True
    timed: tuple[str, ...] = ("ackley", "branin")
    timed_code: tuple[str, ...] = ("erbo", "drbo-mmd", "drbo-mmd-minmax")
    timing_seeds: int = 5
    ball_sizes: tuple[int, ...] = (25, 50, 100, 200, 400)
    draws: int = 250
    plane_draws: int = 25
    overrides: Mapping[str, Any] = field(default_factory=dict)

    def values(self, name: str, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters of an experiment that are set; of the overrides those that it has, and the portfolios' true data."""
        known = experiment(name).parameters.names
        data = {"data": "evaluations"} if "data" in known else {}
        own = {key: value for key, value in self.overrides.items() if key in known}
        return {**data, **own, **chosen}

    def block(
        self,
        part: str,
        name: str,
        methods: Sequence[str],
        seeds: Iterable[int],
        chosen: Mapping[str, Any],
        variant: str = "",
    ) -> Block:
        """Runs of an experiment for a block of the tables; the variant names what differs from the experiment's defaults.

        Among its key is the paper's number of seeds, over which curves are averaged.
        """
        values = self.values(name, chosen)
        known = {"reading": values.get("reading", "text"), "variant": variant, "paper_runs": self.runs}
        return Block.of(part, experiment(name), methods, seeds, values, **known)


assert set(SEVEN) < set(DATA_DRIVEN)
PAPER = WDRBOPlan()


def figure_1(plan: WDRBOPlan) -> list[Block]:
    """WDRBO, its exact form and ERBO in the example; the balls also with the radius that just holds the true law.

    Besides, WDRBO and ERBO with contexts that are not clipped, for which that radius is computed.
    """
    found = []
    for spread in plan.spreads:
        needed = round(law_distance(*laws(spread, clipped=False)) + 5e-5, 4)
        for radius in (RADIUS, needed):
            methods = ("wdrbo", "wdrbo-exact", "erbo") if radius == RADIUS else ("wdrbo", "wdrbo-exact")
            chosen, variant = {"spread": spread, "radius": radius}, f"spread={spread} radius={radius:g}"
            found.append(plan.block("figure-1", "general", methods, range(plan.more), chosen, variant))
    for spread in plan.spreads:
        chosen, variant = {"spread": spread, "clipped": False}, f"spread={spread} radius={RADIUS:g} clipped=False"
        found.append(plan.block("figure-1", "general", ("wdrbo", "erbo"), range(plan.runs), chosen, variant))
    return found


def figures(plan: WDRBOPlan, problems: Sequence[str], seeds: range) -> list[Block]:
    """Figures 2 to 4 in the text's reading."""
    return [plan.block("figures", name, plan.methods, seeds, {}) for name in problems if name in plan.problems]


def code(plan: WDRBOPlan) -> list[Block]:
    """Figures 2 to 4 as the published code runs them."""
    methods = [name for name in plan.methods if name in PUBLISHED]
    # Seed by seed, so that an interrupted call leaves whole seeds of all problems.
    return [
        plan.block("figures", name, methods, [seed], {"reading": "code"})
        for seed in range(plan.code_runs)
        for name in plan.problems
    ]


def two_decisions(plan: WDRBOPlan) -> list[Block]:
    """Ackley with two decisions, in the text's reading of the methods."""
    return [plan.block("ackley-2d", "ackley-2d", plan.methods, range(plan.runs), {})] if plan.two_decisions else []


def radii(plan: WDRBOPlan) -> list[Block]:
    """WDRBO with other constants of the radius."""
    return [
        plan.block("radius", name, ("wdrbo",), range(plan.more), {"radius": value}, f"radius={value:g}")
        for name in plan.radius_problems
        for value in plan.radii
    ]


def regions(plan: WDRBOPlan) -> list[Block]:
    """WDRBO with the Lipschitz constant between the observed contexts."""
    chosen = {"lipschitz_region": "atoms"}
    return [
        plan.block("region", name, ("wdrbo",), range(plan.runs), chosen, "lipschitz_region=atoms")
        for name in plan.region_problems
    ]


def grids(plan: WDRBOPlan) -> list[Block]:
    """DRBO-MMD on coarser and finer grids of contexts."""
    return [
        plan.block(
            "grid",
            name,
            ("drbo-mmd",),
            range(plan.runs),
            {"discrepancy_nodes": size},
            f"discrepancy_nodes={size}",
        )
        for name in plan.grid_problems
        for size in plan.grids
    ]


def shifts(plan: WDRBOPlan) -> list[Block]:
    """The general setting with a known shift, or none."""
    methods = experiment("shift").method_names
    return [
        plan.block("shift", "shift", methods, range(plan.runs), {"problem": name, "shift": shift}, f"shift={shift:g}")
        for name in plan.shift_problems
        for shift in plan.shifts
    ]


def runs(plan: WDRBOPlan) -> list[Block]:
    """Every run, in order."""
    first, last = LINES, [name for name in plan.problems if name not in LINES]
    few, further = range(plan.runs), range(plan.runs, plan.more)
    return [
        *figure_1(plan),
        *figures(plan, first, few),
        *shifts(plan),
        *radii(plan),
        *figures(plan, last, few),
        *regions(plan),
        *figures(plan, first, further),
        *two_decisions(plan),
        *code(plan),
        *grids(plan),
        *figures(plan, last, further),
    ]


def distances(plan: WDRBOPlan) -> Block:
    """Mean Wasserstein distances of samples, by law."""
    tasks = [
        Task("wdrbo/coverage", law, {"draws": plan.draws if entry.dim == 1 else plan.plane_draws}, seed)
        for law, entry in coverage.LAWS.items()
        for seed in range(4)
    ]
    return Block("coverage", tasks)


def balls(plan: WDRBOPlan) -> Block:
    """Times of one inner problem of DRBO-MMD."""
    sizes = {"sizes": list(plan.ball_sizes)}
    return Block("balls", [Task("wdrbo/ball", "drbo-mmd", sizes, seed) for seed in range(plan.timing_seeds)])


def timings(plan: WDRBOPlan) -> list[Block]:
    """All methods on Ackley and Branin, one after the other in one process; and the inner solver alone."""
    found = []
    for name in plan.timed:
        resolve = experiment(name).parameters.resolve
        text, published = (resolve(plan.values(name, chosen)) for chosen in ({}, {"reading": "code"}))
        listed = ({"methods": list(plan.methods), **text}, {"methods": list(plan.timed_code), **published})
        tasks = [Task(f"wdrbo/timing/{name}", "all", v, seed) for seed in range(plan.timing_seeds) for v in listed]
        found.append(Block("timings", tasks, {"problem": name}))
    return found


def blocks(plan: WDRBOPlan = PAPER) -> list[Block]:
    """All that is stored."""
    return [distances(plan), balls(plan), *timings(plan), *runs(plan)]
