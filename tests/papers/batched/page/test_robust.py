"""Robust regret, and the counterexample to Appendix C."""

import dataclasses

import pytest

from companion.papers.batched.page import robust
from companion.papers.batched.theory import three_arms


@pytest.fixture(scope="module")
def study():
    return robust.robust_study(0, 60, 2, 0.1)


def test_robust_study_charges_regret_at_the_worst_neighbour(study):
    for name, problem in study.problems.items():
        assert problem.optimum_index != problem.robust_optimum_index, name
        # What the ordinary optimum loses when displaced: the problem is a real test of robustness.
        assert problem.robust_regret[problem.optimum_index] > 0.05
    assert len(study.final) == 2 * 2 * len(robust.METHODS) * 2


def test_who_beats_whom_is_counted_by_settings(study):
    level = {"stableopt": 1.0, "robust-bpe": 2.0, "robust-bpe-refined": 2.5, "bpe": 3.0}
    final = study.final.assign(regret=study.final.method.map(level) + 0.01 * study.final.seed)
    n = robust.robust_numbers(dataclasses.replace(study, final=final))
    assert (n.cases, n.pays, n.beaten, n.lowest) == (4, 4, 4, ["stableopt"])
    other = final.assign(regret=-final.regret)
    n = robust.robust_numbers(dataclasses.replace(study, final=other))
    assert (n.cases, n.pays, n.beaten, n.lowest) == (4, 0, 0, ["bpe"])


def test_the_share_of_the_last_fifth_is_a_fifth_where_regret_grows_evenly(study):
    even = dataclasses.replace(
        study, curves=study.curves.assign(regret=1.0 * study.curves.t), final=study.final.assign(regret=60.0)
    )
    n = robust.robust_numbers(even)
    assert (n.late_plain, n.late_robust) == pytest.approx((0.2, 0.2))


def test_the_printed_refinement_breaks_lemma_10_and_the_others_do_not():
    n = robust.appendix_c_numbers(three_arms.appendix_c_study(0, 2))
    assert (n.violated, n.violated_others) == (n.valid, 0)
    assert n.worst > n.allowed
