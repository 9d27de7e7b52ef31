"""What is kept of a run of Appendix E."""

import pytest

from companion.papers import experiment
from companion.papers.batched.experiments.runs import tasks
from companion.papers.batched.experiments.store import compute, to_frame


def test_a_small_run_gives_the_row_that_a_direct_run_gives():
    wanted = [t for t in tasks([7], ["se"], horizon=200, points_per_axis=12) if t.parameters["schedule"] == "original"]
    frame = to_frame(wanted, [compute(t) for t in wanted])
    run = experiment("batched", "appendix-e").run("bpe", 7, dict(wanted[0].parameters))
    assert frame.sizes.iloc[0] == "15 55 105 25"  # rule (5) at T = 200
    assert frame.R200.iloc[0] == pytest.approx(float(run.cumulative_regret[199]), rel=1e-12)
    assert "R300" not in frame
