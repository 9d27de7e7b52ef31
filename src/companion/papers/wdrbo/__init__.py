"""Chapter 5: Wasserstein distributionally robust Bayesian optimisation with continuous contexts (Micheli et al.)."""

from companion.papers.paper import Lazy, Paper

PAPER = Paper(
    slug="wdrbo",
    number=5,
    parameters=Lazy("companion.papers.wdrbo.parameters:CHAPTER"),
    experiments=Lazy("companion.papers.wdrbo.plan.experiments:EXPERIMENTS"),
    need=Lazy("companion.papers.wdrbo.plan.memory:need"),
    stored_runs=Lazy("companion.papers.wdrbo.plan.store:RUNS"),
    statements=Lazy("companion.papers.wdrbo.statements"),
    leads=Lazy("companion.papers.wdrbo.leads"),
    verdicts=Lazy("companion.papers.wdrbo.claims.verdicts:VERDICTS"),
    optimisers=Lazy("companion.papers.wdrbo.method.optimiser:OPTIMISERS"),
)
