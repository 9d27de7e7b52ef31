"""The explicit lower bound and its players."""

from companion.papers.batched.page import lower


def test_lower_bound_holds_for_the_players_and_would_notice_a_player_told_the_answer():
    study = lower.lower_bound_study(0, 400, 1)
    assert (lower.class_means(study).max(axis=1) > study.value).all()
    told = lower.LowerBoundStudy(
        study.curve, study.slopes, study.measured.assign(regret=0.0), study.value, study.horizon
    )
    assert (lower.class_means(told).max(axis=1) < told.value).all()
    wide = lower.with_theory_width(0, 400)
    assert len(wide) == 9
    assert lower.player_numbers(study, wide).factor > 1 > lower.player_numbers(told, wide).factor
    assert lower.player_numbers(study, wide.assign(eliminated=[0.2, *[0.0] * 8])).eliminated == 0.2
