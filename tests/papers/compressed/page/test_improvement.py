"""Theorem 3.4 on runs of compressed expected improvement."""

import dataclasses

from companion.papers.compressed.page import improvement


def test_improvement_study_has_a_sound_chain_and_a_broken_one():
    study = improvement.improvement_study(0, 40, 0.5, 4)
    assert study.chain.holds
    assert not study.broken.holds
    last = study.arms.iloc[-1]
    assert last.chosen <= last.allowed < last.maximiser
    assert study.sampled == 0
    # The bounds are those at each run's own R; the median lies between the quartiles.
    assert (study.rows["R low"] <= study.rows.R).all()
    assert (study.rows["R high"] >= study.rows.R).all()
    assert (study.quiet.printed > study.quiet.allowed).any()
    assert (study.quiet.root <= study.quiet.allowed).all()
    exceeded = dataclasses.replace(study, rows=study.rows.assign(above=0.5))
    assert not study.rows.above.any()
    assert (improvement.improvement_numbers(study).above, improvement.improvement_numbers(exceeded).above) == (0.0, 0.5)
    rows = improvement.exceeded_rows(study)
    assert list(rows["above (3.6)"]) == [study.million["printed"], *study.quiet.printed]
    assert list(rows["allowed"])[1:] == list(study.quiet.allowed)


def test_one_round_is_the_last_row_of_those_with_little_noise():
    rows, found = improvement._quiet(3), improvement.one_round(3)
    assert (found.printed, found.root, found.sd) == (*rows[["printed", "root"]].iloc[-1], min(improvement.QUIET_NOISE))
    assert found.allowed == 0.1
