"""Comparison of the papers, chapter 6: widths and bounds at common settings, and certainty of the order of methods."""

from companion.registry.paper import Lazy, Paper

PAPER = Paper(
    slug="across",
    number=6,
    notebook="side_by_side",
    parameters=Lazy("companion.papers.across.experiments.parameters:CHAPTER"),
    experiments=Lazy("companion.papers.across.experiments.definitions:EXPERIMENTS"),
    need=Lazy("companion.papers.across.experiments.memory_needed:need"),
    stored_runs=Lazy("companion.papers.across.experiments.settings:RUNS"),
    table_sets=Lazy("companion.papers.across.experiments.store:table_sets"),
    store_tables=Lazy("companion.papers.across.experiments.store:store"),
    statements=Lazy("companion.papers.across.checks"),
)
