"""What sets the papers side by side, chapter 6: widths and bounds at common settings, and how sure the order of methods is."""

from companion.papers.paper import Lazy, Paper

PAPER = Paper(
    slug="across",
    number=6,
    notebook="side_by_side",
    parameters=Lazy("companion.across.parameters:CHAPTER"),
    experiments=Lazy("companion.across.plan.experiments:EXPERIMENTS"),
    need=Lazy("companion.across.plan.memory:need"),
    stored_runs=Lazy("companion.across.plan.store:RUNS"),
    table_sets=Lazy("companion.across.plan.tables:table_sets"),
    store_tables=Lazy("companion.across.plan.tables:store"),
    statements=Lazy("companion.across.statements"),
)
