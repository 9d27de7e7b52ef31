"""Chapter 2: regret against model size, by information thresholding.

Source: Bedi, Peddireddy, Aggarwal, Sadler and Koppel, "Regret and Belief Complexity Trade-off in Gaussian Process Bandits
via Information Thresholding". References to statements and equations in this subpackage are to that paper.
"""

from companion.registry.paper import Lazy, Paper

PAPER = Paper(
    slug="compressed",
    number=2,
    title="Regret and Belief Complexity Trade-off in Gaussian Process Bandits via Information Thresholding",
    parameters=Lazy("companion.papers.compressed.experiments.parameters:CHAPTER"),
    experiments=Lazy("companion.papers.compressed.experiments.definitions:EXPERIMENTS"),
    need=Lazy("companion.papers.compressed.experiments.memory_needed:need"),
    stored_runs=Lazy("companion.papers.compressed.experiments.store:RUNS"),
    statements=Lazy("companion.papers.compressed.checks"),
    leads=Lazy("companion.papers.compressed.checks"),
    bounds=Lazy("companion.papers.compressed.theory.stated:BOUNDS"),
    verdicts=Lazy("companion.papers.compressed.experiments.verdicts:VERDICTS"),
    optimisers=Lazy("companion.papers.compressed.method.optimiser:OPTIMISERS"),
    together=Lazy("companion.papers.compressed.experiments.vectorised:TOGETHER"),
)
