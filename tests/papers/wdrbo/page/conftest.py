"""A small store of runs, made once."""

import pytest
from shared import made_once

from companion.papers.wdrbo.experiments import store as paper_scale
from companion.papers.wdrbo.experiments.runs import WDRBOPlan
from companion.papers.wdrbo.page import stored_runs

QUICK = {
    "horizon": 10,  # as many rounds as marks: what tests growth reads ten of them
    "initial": 5,
    "samples": 16,
    "robust_samples": 16,
    "discrepancy_nodes": 9,
    "minmax_nodes": 16,
    "told_nodes": 10,
}


PLAN = WDRBOPlan(
    problems=("newsvendor", "camel"),
    runs=3,
    more=4,
    code_runs=2,
    spreads=("sd",),
    radii=(1.0,),
    radius_problems=("newsvendor",),
    region_problems=("newsvendor",),
    grids=(),
    grid_problems=(),
    shifts=(-0.1, 0.0),
    shift_problems=("newsvendor",),
    two_decisions=False,
    timed=("ackley",),
    timed_code=("erbo",),
    timing_seeds=2,
    ball_sizes=(5, 9),
    draws=3,
    plane_draws=1,
    overrides=QUICK,
)


@pytest.fixture(scope="session")
def small(tmp_path_factory, root):
    def make(folder):
        (folder / "data").mkdir()
        (folder / "data" / "reported").symlink_to(root / "data" / "reported")
        paper_scale.store(folder, 1, plan=PLAN)

    return stored_runs.load_paper_results(made_once(tmp_path_factory, "wdrbo-store", make))
