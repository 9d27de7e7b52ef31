"""A small store of runs, which claims are judged on and studies read."""

import pytest
from shared import made_once

from companion.papers.compressed.experiments import store as paper_scale
from companion.papers.compressed.experiments.runs import CompressedPlan

PLAN = CompressedPlan(
    problems=("example-function", "rosenbrock"),
    seeds=3,
    timing_seeds=3,
    growth_horizon=40,
    alphas=(0.25, 0.5, 1.0),
    budgets=(1.0, 0.1),
    horizons=(20, 40, 80),
    tradeoff_seeds=3,
    step_horizon=60,
    step_limit=1e9,  # no run is broken off, however slow the machine
    overrides={
        "example-function": {"points": 100, "horizon": 60},
        "rosenbrock": {"points_per_axis": 8, "horizon": 20},
    },
)


@pytest.fixture(scope="session")
def store(tmp_path_factory, root):
    """The folder, with the reported tables beside."""

    def make(folder):
        (folder / "data").mkdir()
        (folder / "data" / "reported").symlink_to(root / "data" / "reported")
        paper_scale.store(folder, 1, plan=PLAN)

    return made_once(tmp_path_factory, "compressed-store", make)
