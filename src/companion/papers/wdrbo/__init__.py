"""Chapter 5: Wasserstein distributionally robust Bayesian optimisation with continuous contexts (Micheli et al.)."""

from companion.registry.paper import Lazy, Paper

PAPER = Paper(
    slug="wdrbo",
    number=5,
    title="Wasserstein Distributionally Robust Bayesian Optimization with Continuous Context",
    parameters=Lazy("companion.papers.wdrbo.experiments.parameters:CHAPTER"),
    experiments=Lazy("companion.papers.wdrbo.experiments.definitions:EXPERIMENTS"),
    need=Lazy("companion.papers.wdrbo.experiments.memory_needed:need"),
    stored_runs=Lazy("companion.papers.wdrbo.experiments.store:RUNS"),
    statements=Lazy("companion.papers.wdrbo.checks"),
    leads=Lazy("companion.papers.wdrbo.checks"),
    bounds=Lazy("companion.papers.wdrbo.theory.stated:BOUNDS"),
    verdicts=Lazy("companion.papers.wdrbo.experiments.verdicts:VERDICTS"),
    optimisers=Lazy("companion.papers.wdrbo.method.optimiser:OPTIMISERS"),
)
