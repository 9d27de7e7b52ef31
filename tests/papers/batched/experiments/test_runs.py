"""What is kept of a run of Appendix E."""

import pytest

from companion.papers.batched.experiments.runs import MAIN, rule_blocks
from companion.papers.batched.experiments.store import RUNS
from companion.registry import experiment


def test_a_small_run_gives_the_row_that_a_direct_run_gives():
    block = rule_blocks(MAIN, [7], ["se"], horizon=200, points_per_axis=12)[0]
    (task,) = block.tasks
    frame = RUNS.frames([(block, task)], [RUNS.compute(task)])[MAIN]
    run = experiment("batched", "appendix-e").run("bpe", 7, dict(task.parameters))
    assert frame.sizes.iloc[0] == "15 55 105 25"  # rule (5) at T = 200
    assert frame.R200.iloc[0] == pytest.approx(float(run.cumulative_regret[199]), rel=1e-12)
    assert "R300" not in frame
