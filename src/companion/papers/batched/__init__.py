"""Batched kernelized bandits: batch-size rules, regret bounds with every constant, and the lower-bound class.

Source: Ma, Chen and Scarlett, "Batched Kernelized Bandits: Refinements and Extensions" (2026, arXiv 2603.12627).
References to statements, equations and appendices in this subpackage are to that paper.
"""

from companion.papers.paper import Lazy, Paper

PAPER = Paper(
    slug="batched",
    number=3,
    parameters=Lazy("companion.papers.batched.parameters:CHAPTER"),
    experiments=Lazy("companion.papers.batched.plan.experiments:EXPERIMENTS"),
    need=Lazy("companion.papers.batched.plan.memory:need"),
    stored_runs=Lazy("companion.papers.batched.plan.store:RUNS"),
    statements=Lazy("companion.papers.batched.statements"),
    leads=Lazy("companion.papers.batched.leads"),
    verdicts=Lazy("companion.papers.batched.claims.verdicts:VERDICTS"),
    optimisers=Lazy("companion.papers.batched.method.optimiser:OPTIMISERS"),
)
