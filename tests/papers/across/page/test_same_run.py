"""One run at three widths: it is a run of the package's own rule, and its numbers follow from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.gp import FinitePosterior
from companion.pages.figures import DARK, LIGHT
from companion.papers.across.page import same_run
from companion.papers.across.page.same_run import ROUNDS, SEED, WIDTHS, SameRun
from companion.problems.running_example import NOISE, running_function

RUN = same_run.same_run()


def differences(run: SameRun) -> list[str]:
    """Widths at which the package's posterior, told the same values, would play or name a worse point.

    At the first plays many points are level up to the last digit: what counts is the value of what is maximised."""
    _, covariance, values = running_function()
    found = []
    for name, width in WIDTHS.items():
        noise, posterior = np.random.default_rng(SEED).standard_normal(ROUNDS), FinitePosterior(covariance, NOISE**2)
        far = 0.0
        for chosen, error in zip(run.played[name], noise, strict=True):
            upper = posterior.mean[0] + width * posterior.sd[0]
            far = max(far, upper.max() - upper[chosen])
            posterior.observe(int(chosen), values[chosen] + NOISE * error)
        if far > 1e-6 or run.named[name] != int(np.argmax(posterior.mean[0])):
            found.append(name)
    return found


def test_it_is_gp_ucb_and_another_is_noticed() -> None:
    assert not differences(RUN)
    for name in WIDTHS:
        changed = RUN.played[name].copy()
        changed[20] = (changed[20] + 30) % len(RUN.points)
        assert differences(replace(RUN, played={**RUN.played, name: changed})) == [name]


def test_all_pay_what_their_plays_lose() -> None:
    told = same_run.numbers(RUN)
    best = RUN.values.max()
    assert told.short_plays == pytest.approx(np.sum(best - RUN.values[RUN.played["short"]]))
    assert told.too_short_point == pytest.approx(best - RUN.values[RUN.named["too short"]])
    assert told.too_short_plays > told.long_plays > told.short_plays


def test_the_picture_is_drawn_for_both_pages_and_says_where_from() -> None:
    made = same_run.side_by_side(RUN)
    assert made.render(LIGHT).startswith(b"\x89PNG")
    assert made.render(DARK) != made.render(LIGHT)
    assert [source.seeds for source in made.where.sources] == [(SEED,)]
