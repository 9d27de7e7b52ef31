"""Runs made now beside the stored ones: which are equal, and what is said of it."""

import numpy as np
import pandas as pd
from sentences import bold, numbers, turned

from companion.core import instruction_set
from companion.pages.reruns import equal, say_again

LIVE = pd.DataFrame({"live": [1.0, 2.0, 0.0, 4.0], "stored": [1.0, 2.0, 0.0, np.nan], "order": 3, "kept": 3})
HERE = {"blas": [f"openblas 0.3.30 {instruction_set.in_use()} (1 threads)"]}
ELSEWHERE = {"blas": ["openblas 0.3.30 Neoverse (1 threads)"]}


def test_runs_are_equal_up_to_the_tolerance_in_every_pair_and_where_one_is_stored():
    assert equal(LIVE, 1e-9).to_dict() == {0: True, 1: True, 2: True}
    assert equal(LIVE.assign(live=LIVE.live * 1.001), 1e-5).to_dict() == {0: False, 1: False, 2: True}
    assert equal(LIVE.assign(live=LIVE.live * 1.001), 1e-2).all()
    assert not equal(LIVE.assign(order=4), 1e-9, (("live", "stored"), ("order", "kept"))).any()
    assert equal(LIVE, 1e-9, (("live", "stored"), ("order", "kept"))).all()


def test_what_is_said_follows_from_how_many_are_equal_and_from_who_made_them():
    some = equal(LIVE.assign(live=[1.0, 3.0, 0.0, 4.0]), 1e-9)
    all_equal, warned = say_again(LIVE, equal(LIVE, 1e-9), HERE).markdown, say_again(LIVE, some, HERE).markdown
    explained, alone = say_again(LIVE, some, ELSEWHERE).markdown, say_again(LIVE, some[:0], HERE).markdown
    assert {4, 3} <= set(numbers(all_equal))
    assert {4, 3, 2} <= set(numbers(warned)) & set(numbers(explained))
    assert bold(warned)
    assert not bold(all_equal)
    assert not bold(explained)
    assert "Neoverse" in explained
    for one, other in ((all_equal, warned), (all_equal, explained), (warned, explained), (all_equal, alone)):
        assert turned(one, other)
