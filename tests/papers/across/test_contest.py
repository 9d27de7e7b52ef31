"""Statistics of "which method?" on made-up results, where the answer is known."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from companion.papers.across import contest as study
from companion.papers.across.contest import COSTS, GAINS, OPEN, SAME, Contest, neighbours, nemenyi, priced, ranking
from companion.papers.across.experiments.runs import ONE_WIDTH, OWN_WIDTH, TEN
from companion.reproduce.record import Record
from companion.reproduce.reported import load_margins
from companion.reproduce.stored import StoredTables

SEEDS = 12
#: Of another library, with its version.
STORED = json.loads(
    (Path(__file__).parents[2] / "reproduce/data/multiple_comparisons.json").read_text(encoding="utf-8")
)


def made_up(shifts: dict[str, float], problems: tuple[str, ...] = ("norm", "bird-2d")) -> Contest:
    """Results of every entry: a number of its own plus what the seed gives to all, and a little noise."""
    generator, rows = np.random.default_rng(0), []
    common = {(problem, seed): 10.0 * generator.random() for problem, seed in product(problems, range(SEEDS))}
    for entry in (*ONE_WIDTH, *OWN_WIDTH, *TEN):
        for problem, seed in common:
            value = 20.0 + common[problem, seed] + shifts.get(entry, 0.0) + 0.01 * generator.random()
            numbers = dict.fromkeys(study.METRICS, value)
            rows.append({"problem": problem, "entry": entry, "horizon": 125, "seed": seed, **numbers})
    record = Record.now("none", profile="book", seeds=(0,), seconds=0.0)
    return Contest(
        StoredTables({"methods": pd.DataFrame(rows).sample(frac=1.0, random_state=0)}, record), load_margins("across")
    )


def test_the_ranking_finds_who_is_ahead_and_whom_it_cannot_tell_apart() -> None:
    shifts = dict.fromkeys(ONE_WIDTH, 5.0) | {"ei": 1.0, "ts": -1.0}
    found = ranking(made_up(shifts))
    assert found.entries[:2] == ("ts", "ei")
    assert [found.ranks[name].estimate for name in found.entries[:2]] == [1.0, 2.0]
    rest = set(ONE_WIDTH) - {"ts", "ei"}
    assert set(found.groups[-1]) <= rest
    assert found.pairs["ts", "ei"].shown(0.05) == -1
    assert (found.against("ts", "ei", 0.05), found.against("ei", "ts", 0.05)) == (-1, 1)
    assert sum(interval.estimate for interval in found.ranks.values()) == pytest.approx(17 * 18 / 2)
    assert len(found.pairs) == 136


def test_pairs_are_taken_seed_by_seed() -> None:
    """The seeds differ by more than the methods do; only a paired test sees these."""
    contest = made_up({"ts": -0.5})
    ours, theirs = contest.values("norm", "ts"), contest.values("norm", "gp-ucb")
    assert stats.ttest_ind(ours, theirs).pvalue > 0.05
    assert study.from_reference(contest)["ts", "norm"].shown(0.05) == -1
    assert len(study.from_reference(contest)) == 16 * 2


def test_an_optimum_up_to_rounding_is_one() -> None:
    contest = made_up({})
    table = contest.stored.tables["methods"]
    here = (table.entry == "ei") & (table.problem == "norm")
    table.loc[here, "simple"] = np.where(table.seed[here] < 3, 1e-16, 1e-3)
    assert contest.solved("ei", "simple", ["norm"]) == 3 / SEEDS
    assert contest.solved("ei", "simple") == 3 / SEEDS / 2
    assert (contest.values("norm", "ei", "simple") == 0.0).sum() == 3


def test_neighbours_are_the_longest_runs_without_a_difference() -> None:
    order = ("a", "b", "c", "d")
    assert neighbours(order, set()) == (order,)
    assert neighbours(order, {("a", "c"), ("a", "d")}) == (("a", "b"), ("b", "c", "d"))
    assert neighbours(order, {("a", "d"), ("b", "c")}) == (("a", "b"), ("c", "d"))
    assert neighbours(("a", "b"), {("a", "b")}) == ()


@pytest.mark.parametrize(("methods", "quantile"), [(2, 1.960), (5, 2.728), (10, 3.164)])
def test_nemenyi_has_the_printed_quantiles(methods: int, quantile: float) -> None:
    """Demšar (2006), Table 5(a), at 0.05."""
    expected = quantile * np.sqrt(methods * (methods + 1) / (6 * 30))
    assert nemenyi(methods, 30) == pytest.approx(expected, rel=5e-4)


@pytest.mark.parametrize("case", STORED["nemenyi"], ids=lambda case: "x".join(map(str, np.shape(case["values"]))))
def test_nemenyi_tells_apart_what_scikit_posthocs_does(case: dict[str, list[list[float]]]) -> None:
    """At every level the pairs with a stored p-value below it are those whose average ranks differ by more."""
    values, p = np.array(case["values"]), np.array(case["p"])
    average = stats.rankdata(values, axis=1).mean(axis=0)
    gaps = np.abs(average[:, None] - average)
    for level in (0.001, 0.01, 0.05, 0.1, 0.3, 0.6):
        critical = nemenyi(values.shape[1], len(values), level)
        assert np.array_equal(gaps > critical, p < level), level
    # And the p-value of a gap is the level at which it is critical.
    one, other = np.unravel_index(np.argmax(gaps), gaps.shape)
    assert nemenyi(values.shape[1], len(values), p[one, other]) == pytest.approx(gaps[one, other], rel=1e-6)


def test_prices_follow_the_margins() -> None:
    contest = made_up({})
    plain = np.linspace(9.0, 11.0, 20)
    wobble = np.tile([-3.0, 3.0], 10)
    asked = {
        ("dear", "m", False): (plain + 2.0 + 0.01 * wobble, plain),
        ("cheap", "m", True): (plain - 2.0 + 0.01 * wobble, plain),
        ("same", "m", False): (plain + 0.5 + 0.01 * wobble, plain),
        ("unclear", "m", True): (plain + wobble, plain),
        # Below a tenth of the level, which is one, with one end of the interval beyond it.
        ("hardly dear", "m", False): (plain + 0.9 + 0.2 * wobble, plain),
        ("hardly cheap", "m", False): (plain - 0.9 + 0.2 * wobble, plain),
        ("a little less", "m", False): (plain - 0.5 + 0.01 * wobble, plain),
    }
    found = {each.problem: each.verdict for each in priced(contest, "s", asked)}
    expected = {"dear": COSTS, "cheap": GAINS, "same": SAME, "unclear": OPEN}
    assert found == expected | {"hardly dear": COSTS, "hardly cheap": GAINS, "a little less": SAME}
    # Without a level nothing is small: a shown difference is named as one.
    assert {each.problem: each.verdict for each in priced(contest, "s", asked, shares=False)}["same"] == COSTS


def test_shares_are_of_the_plain_method() -> None:
    contest = made_up({"ts-rsr-5": 6.0, "bpe/own": 12.0, "ei": 9.0, "ei-5": 9.0, "ei-10": 9.0})
    level = np.mean([contest.values(name, "ts-rsr").mean() for name in contest.problems])
    found = {each.method: each for each in study.batches(contest) if not each.needed}
    assert found["ts-rsr-5"].share == pytest.approx(6.0 / level, rel=0.02)
    assert found["ts-rsr-5"].verdict == COSTS
    assert found["bucb-10"].verdict == SAME
    own = study.own_widths(contest)
    assert own["bpe/own"].difference.estimate == pytest.approx(12.0 / level, rel=0.02)
    assert set(own) == set(OWN_WIDTH)
