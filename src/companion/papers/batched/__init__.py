"""Batched kernelized bandits: batch-size rules, regret bounds with every constant, and the lower-bound class.

Source: Ma, Chen and Scarlett, "Batched Kernelized Bandits: Refinements and Extensions" (2026, arXiv 2603.12627).
References to statements, equations and appendices in this subpackage are to that paper.
"""

from companion.registry.paper import Lazy, Paper

PAPER = Paper(
    slug="batched",
    number=3,
    title="Batched Kernelized Bandits: Refinements and Extensions",
    parameters=Lazy("companion.papers.batched.experiments.parameters:CHAPTER"),
    experiments=Lazy("companion.papers.batched.experiments.definitions:EXPERIMENTS"),
    need=Lazy("companion.papers.batched.experiments.memory_needed:need"),
    stored_runs=Lazy("companion.papers.batched.experiments.store:RUNS"),
    statements=Lazy("companion.papers.batched.checks"),
    leads=Lazy("companion.papers.batched.checks"),
    bounds=Lazy("companion.papers.batched.theory.stated:BOUNDS"),
    verdicts=Lazy("companion.papers.batched.experiments.verdicts:VERDICTS"),
    optimisers=Lazy("companion.papers.batched.method.optimiser:OPTIMISERS"),
)
