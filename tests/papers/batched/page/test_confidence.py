"""Failures of the confidence bounds are counted against the width of each run."""

from companion.papers.batched.page import confidence


def test_coverage_study_counts_failures_against_each_runs_own_width():
    study = confidence.coverage_study(0, 3, 1.0, 0.1)
    assert len(study.runs) == 3 * len(confidence.CASES) * len(confidence.DELTAS)
    recomputed = (study.runs.needed > study.runs.width).groupby([study.runs.case, study.runs.delta]).sum()
    listed = study.failures.set_index(["case", "delta"]).failures
    assert (recomputed.sort_index() == listed.sort_index()).all()
    widths = study.runs.groupby("delta").width.min()
    assert widths.is_monotonic_decreasing  # a smaller delta asks for a larger width


def test_draws_are_told_apart_from_runs():
    n = confidence.coverage_numbers(confidence.coverage_study(0, 2, 1.0, 0.1))
    assert (n.draws, n.runs) == (2 * len(confidence.CASES), 2 * len(confidence.CASES) * len(confidence.DELTAS))
    assert n.least <= n.median <= n.most
