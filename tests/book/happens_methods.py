"""What has to happen in the figures of chapters 1 and 2 when their controls are moved."""

from __future__ import annotations

from typing import Any

from book import dragging

# -- one batch -------------------------------------------------------------------------------------------------------------


def _number(text: str) -> float:
    return float(text.replace("−", "-"))


def a_larger_batch_begins_like_a_smaller_one(page: Any) -> None:
    """What comes after a choice has no part in it."""
    for rule in ("tsrsr", "ts", "bucb"):
        dragging.put(page, "batch", "rule", rule)
        dragging.put(page, "batch", "m", 7)
        whole = dragging.table(page, "batch")
        assert len(whole) == 7
        for m in (1, 3, 6):
            dragging.put(page, "batch", "m", m)
            assert dragging.table(page, "batch") == whole[:m], (rule, m)


def a_batch_only_ever_lowers_the_standard_deviation(page: Any) -> None:
    """Its factor grows with every choice, never above what so many repetitions could do."""
    dragging.put(page, "batch", "m", 7)
    for place, noise in enumerate((0.02, 0.05, 0.1, 0.2, 0.5, 1)):
        dragging.put(page, "batch", "noise", place)
        factors = [_number(row[3]) for row in dragging.table(page, "batch")]
        assert factors == sorted(factors)
        assert factors[0] > 1
        assert all(factor <= 1.005 * (1 + i / noise**2) ** 0.5 for i, factor in enumerate(factors, 1))  # three digits


def resampling_leaves_no_sampled_maximum_below_the_mean(page: Any) -> None:
    """Where a sampled maximum lies below the largest mean, the lowest ratio is negative."""
    negative = {"on": 0, "off": 0}
    for seed in range(8):
        dragging.put(page, "batch", "seed", seed)
        for again in negative:
            dragging.put(page, "batch", "again", again)
            negative[again] += sum(_number(row[2]) <= 0 for row in dragging.table(page, "batch"))
    assert negative["on"] == 0 < negative["off"]


def the_choice_shown_stays_within_the_batch(page: Any) -> None:
    dragging.put(page, "batch", "step", 4)
    dragging.put(page, "batch", "m", 2)
    assert dragging.shown(page, "batch")["words"].startswith("Choice 2 of 2: ")


# -- one run being compressed ----------------------------------------------------------------------------------------------


def _kept(page: Any) -> int:
    text = page.locator(".drag-stage dd").first.text_content()
    return int(text.split(" of ")[0])


def a_larger_budget_keeps_fewer_points_under_ei_and_mpi(page: Any) -> None:
    """Up to the first rejection all budgets see the same, and a larger budget rejects first. The smallest keeps all here."""
    for rule in ("ei", "mpi"):
        dragging.put(page, "compression", "rule", rule)
        found = []
        for place in range(10):
            dragging.put(page, "compression", "budget", place)
            found.append(_kept(page))
        assert found == sorted(found, reverse=True), rule
        assert found[0] == 302 > 10 * found[-1]


def after_a_rejection_ei_and_mpi_are_frozen_and_ucb_is_not(page: Any) -> None:
    """Of the preset: nothing is kept any more, and UCB's choice changes all the same."""
    for rule, frozen in (("ucb", False), ("ei", True), ("mpi", True)):
        dragging.put(page, "compression", "rule", rule)
        dragging.put(page, "compression", "budget", 7)
        orders, places = [], set()
        for rounds in (10, 60, 150, 300):
            dragging.put(page, "compression", "rounds", rounds)
            words = dragging.shown(page, "compression")["words"]
            assert ("frozen since" in words) == frozen, (rule, rounds)
            orders.append(_kept(page))
            places.add(words.split(" is ")[0].split("x = ")[1])
        assert orders == sorted(orders)
        assert (orders[0] == orders[-1] and len(places) == 1) == frozen, (rule, orders, places)


def a_round_keeps_one_point_or_none_as_it_says(page: Any) -> None:
    dragging.put(page, "compression", "budget", 4)
    dragging.put(page, "compression", "rounds", 27)
    before, seen = _kept(page), set()
    for rounds in range(28, 45):
        dragging.put(page, "compression", "rounds", rounds)
        now, said = _kept(page), " is kept" in dragging.shown(page, "compression")["words"]
        assert now - before == said, rounds
        before = now
        seen.add(said)
    assert seen == {True, False}
