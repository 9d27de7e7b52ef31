"""Chapter 4: mean-field Bayesian optimisation (Steinberg, Ziomek, Jusup, Bogunovic)."""

from companion.papers.paper import Lazy, Paper

PAPER = Paper(
    slug="meanfield",
    number=4,
    parameters=Lazy("companion.papers.meanfield.parameters:CHAPTER"),
    experiments=Lazy("companion.papers.meanfield.plan.experiments:EXPERIMENTS"),
    need=Lazy("companion.papers.meanfield.plan.memory:need"),
    stored_runs=Lazy("companion.papers.meanfield.plan.store:RUNS"),
    every_set=Lazy("companion.papers.meanfield.plan.store:every_set"),
    statements=Lazy("companion.papers.meanfield.statements"),
    leads=Lazy("companion.papers.meanfield.leads"),
    verdicts=Lazy("companion.papers.meanfield.claims.verdicts:VERDICTS"),
    optimisers=Lazy("companion.papers.meanfield.method.optimiser:OPTIMISERS"),
)
