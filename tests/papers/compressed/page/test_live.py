"""Stored runs made again."""

from sentences import numbers

from companion.papers.compressed.page import live

EXAMPLE = {"points": 100, "horizon": 60}


def test_live_runs_equal_the_stored_ones(small):
    again = live.rerun_live(small, 1, EXAMPLE)
    assert live.same(again).all()
    assert (again.variant == live.LONG).sum() == 1
    assert len(again.dropna(subset=["stored"])) in numbers(live.say_live(again, small).markdown)
    for other in (again.assign(order=again.order + 1), again.assign(live=again.live * 1.001)):
        assert not live.same(other).all()
