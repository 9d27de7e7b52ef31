"""Chapter 1: TS-RSR, a sampling approach to batch Bayesian optimisation (Ren, Li)."""

from companion.registry.paper import Lazy, Paper

PAPER = Paper(
    slug="tsrsr",
    number=1,
    title="TS-RSR: a provably efficient approach for batch Bayesian Optimization",
    parameters=Lazy("companion.papers.tsrsr.experiments.parameters:CHAPTER"),
    experiments=Lazy("companion.papers.tsrsr.experiments.definitions:EXPERIMENTS"),
    need=Lazy("companion.papers.tsrsr.experiments.memory_needed:need"),
    stored_runs=Lazy("companion.papers.tsrsr.experiments.store:RUNS"),
    every_set=Lazy("companion.papers.tsrsr.experiments.store:every_set"),
    statements=Lazy("companion.papers.tsrsr.checks"),
    leads=Lazy("companion.papers.tsrsr.checks"),
    bounds=Lazy("companion.papers.tsrsr.theory.stated:BOUNDS"),
    verdicts=Lazy("companion.papers.tsrsr.experiments.verdicts:VERDICTS"),
    optimisers=Lazy("companion.papers.tsrsr.method.optimiser:OPTIMISERS"),
    together=Lazy("companion.papers.tsrsr.experiments.vectorised:TOGETHER"),
)
