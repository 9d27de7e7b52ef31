"""Chapter 1: TS-RSR, a sampling approach to batch Bayesian optimisation (Ren, Li)."""

from companion.papers.paper import Lazy, Paper

PAPER = Paper(
    slug="tsrsr",
    number=1,
    parameters=Lazy("companion.papers.tsrsr.parameters:CHAPTER"),
    experiments=Lazy("companion.papers.tsrsr.plan.experiments:EXPERIMENTS"),
    need=Lazy("companion.papers.tsrsr.plan.memory:need"),
    stored_runs=Lazy("companion.papers.tsrsr.plan.store:RUNS"),
    every_set=Lazy("companion.papers.tsrsr.plan.store:every_set"),
    statements=Lazy("companion.papers.tsrsr.statements"),
    leads=Lazy("companion.papers.tsrsr.leads"),
    verdicts=Lazy("companion.papers.tsrsr.claims.verdicts:VERDICTS"),
    optimisers=Lazy("companion.papers.tsrsr.method.optimiser:OPTIMISERS"),
    together=Lazy("companion.papers.tsrsr.plan.together:TOGETHER"),
)
