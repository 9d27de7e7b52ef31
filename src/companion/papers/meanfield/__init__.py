"""Chapter 4: mean-field Bayesian optimisation (Steinberg, Ziomek, Jusup, Bogunovic)."""

from companion.registry.paper import Lazy, Paper

PAPER = Paper(
    slug="meanfield",
    number=4,
    title="Mean-Field Bayesian Optimisation",
    parameters=Lazy("companion.papers.meanfield.experiments.parameters:CHAPTER"),
    experiments=Lazy("companion.papers.meanfield.experiments.definitions:EXPERIMENTS"),
    need=Lazy("companion.papers.meanfield.experiments.memory_needed:need"),
    stored_runs=Lazy("companion.papers.meanfield.experiments.store:RUNS"),
    every_set=Lazy("companion.papers.meanfield.experiments.store:every_set"),
    statements=Lazy("companion.papers.meanfield.checks"),
    leads=Lazy("companion.papers.meanfield.checks"),
    bounds=Lazy("companion.papers.meanfield.theory.stated:BOUNDS"),
    verdicts=Lazy("companion.papers.meanfield.experiments.verdicts:VERDICTS"),
    optimisers=Lazy("companion.papers.meanfield.method.optimiser:OPTIMISERS"),
)
