"""A small store of runs, made here."""

import dataclasses
import shutil

import pytest

from companion.papers.compressed.plan import store as paper_scale
from companion.papers.compressed.plan.runs import Plan
from companion.papers.compressed.studies import paper

EXAMPLE = {"points": 100, "horizon": 60}
PLAN = Plan(
    problems=("example-function", "rosenbrock"),
    seeds=3,
    timing_seeds=2,
    growth_horizon=40,
    alphas=(0.25, 0.5, 1.0),
    budgets=(1.0, 0.1),
    horizons=(20, 40, 80),
    tradeoff_seeds=3,
    step_horizon=60,
    overrides={"example-function": EXAMPLE, "rosenbrock": {"points_per_axis": 8, "horizon": 20}},
)


@pytest.fixture(scope="session")
def small(tmp_path_factory, root):
    folder = tmp_path_factory.mktemp("store")
    shutil.copytree(root / "data" / "reported", folder / "data" / "reported")
    paper_scale.store(folder, 1, plan=PLAN)
    return paper.Evidence.read(folder)


@pytest.fixture(scope="session")
def changed():
    """The same evidence with one table replaced."""

    def change(evidence, name, frame):
        return dataclasses.replace(evidence, tables={**evidence.tables, name: frame})

    return change
