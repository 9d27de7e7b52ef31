"""What the first page says of all bounds, on tables made up and on the stored one."""

import math

import pandas as pd

from companion.papers.across.page import answer
from companion.papers.across.page.which_bound import PAIRS
from companion.papers.across.theory import bounds_at_settings
from companion.papers.across.theory.bounds import BOUNDS


def table(**horizons):
    """A setting with the main bounds, printed and better; a bound that says something from 1000 on is half the line there."""
    rows = [
        {
            "kernel": "se",
            "dim": 1,
            "noise": noise,
            "id": name,
            "quantity": "regret",
            "batch": 1,
            "says_from": horizons.get(BOUNDS[name].paper, (math.inf, math.inf))[k] * (1 + noise),
            "beats_blind_from": horizons.get(BOUNDS[name].paper, (math.inf, math.inf))[k] * (4 + noise),
        }
        for noise in (0.0, 1.0)
        for pair in PAIRS.values()
        for k, name in enumerate(pair)
    ]
    return pd.DataFrame(rows).assign(**{"T=1000": lambda found: (found.says_from > 1000) + 0.5})


def test_the_answer_is_that_of_the_table():
    found = answer.title_numbers(table(tsrsr=(2371.0, 20.0), wdrbo=(56000.0, 31000.0)))
    assert (found.settings, found.first, found.tsrsr, found.tsrsr_best) == (2, "2 400", "2 400", "20")
    assert found.wdrbo_noise == 0.0
    assert (found.first_blind, found.better_blind, found.three_orders, found.older) == ("9 500", 1, True, answer.NEVER)
    assert (found.better_words, found.blind_words) == ("one", "one")
    assert (found.wdrbo, found.batched, found.batched_best) == ("56 000", answer.NEVER, answer.NEVER)
    assert (found.none_printed, found.better, found.some_better, found.batched_never) == (True, 1, True, True)
    found = answer.title_numbers(table(tsrsr=(900.0, 20.0), batched=(5000.0, 2000.0)))
    assert (found.none_printed, found.batched_never, found.first) == (False, False, "900")


def test_gp_ucb_is_no_bound_of_the_five_papers():
    rows = answer.regret_bounds(bounds_at_settings.load().tables["sayings"])
    assert not set(rows.id) & set(PAIRS["GP-UCB"])
    assert set(rows.paper) == {"tsrsr", "compressed", "batched", "meanfield", "wdrbo"}
    assert (rows.quantity == "regret").all()
