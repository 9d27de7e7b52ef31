"""What is stored of "which method?": a sample made again, margins that are older, and tables that say what was found."""

from __future__ import annotations

import tomllib

import pytest
from scipy import stats

from companion.core.files import repository_root, results_folder
from companion.papers.across.contest import COSTS, GAINS, OPEN, SETTINGS
from companion.papers.across.experiments.definitions import experiment
from companion.papers.across.experiments.runs import ENTRIES, ONE_WIDTH, OWN_WIDTH, PAPER, TEN
from companion.papers.across.experiments.store import RUNS, compute, load
from companion.papers.across.page import which_method as page
from companion.papers.across.page import which_setting
from companion.reproduce.preregistration import order

MARGINS = repository_root() / "data" / "reported" / "margins.toml"


@pytest.mark.slow
def test_a_sample_of_the_stored_rows_comes_out_again() -> None:
    stored = load().tables
    wanted = {("gp-ucb", "norm", 3), ("ts-rsr-5", "bird-2d", 7), ("bkb/own", "example", 1), ("bpe", "appendix-e", 5)}
    items = [
        (block, task)
        for block, task in RUNS.of().items
        if (
            (task.parameters.get("entry"), task.parameters.get("problem"), task.seed) in wanted
            and task.parameters["horizon"] == 125
        )
        or (block.part == "settings" and task.seed == 11 and task.method in ("stableopt", "wdrbo", "joint"))
    ]
    again = RUNS.frames(items, [compute(task) for _, task in items])
    for name in ("methods", "settings"):
        key = list(RUNS.keys[name])
        made, kept = again[name].set_index(key).sort_index(), stored[name].set_index(key)
        assert len(made) == {"methods": 4, "settings": 4 + 4 + 2}[name]
        assert made.equals(kept.loc[made.index][list(made.columns)]), name


def test_the_margins_are_older_than_the_runs() -> None:
    """In a full history; a copy without one cannot tell."""
    present = tomllib.loads(MARGINS.read_text(encoding="utf-8"))["across"]

    def fault(then: bytes) -> str:
        return "" if tomllib.loads(then.decode()).get("across") == present else "the part across was another one"

    found = order(MARGINS, results_folder("across") / "methods.csv", fault)
    assert found.shown or found.reason


def test_every_entry_has_all_its_runs() -> None:
    table = load().tables["methods"]
    counts = table.groupby(["problem", "entry", "horizon"]).seed.nunique()
    for (_, entry, horizon), count in counts.items():
        assert entry in ENTRIES
        assert count == (PAPER.seeds if horizon == 125 else PAPER.long_seeds)
    assert len(counts) == len(PAPER.problems) * len(ENTRIES) + 3 * len(PAPER.long_problems)


@pytest.mark.parametrize("name", [*SETTINGS, "methods", "differences", "widths", "problems", "ten"])
def test_the_tables_of_the_page_have_every_comparison(name: str) -> None:
    if name in SETTINGS:
        prices = page.evidence().prices[name]
        assert {each.needed for each in prices} == {False, True}
        assert all(each.test.adjusted >= each.test.p for each in prices)
        return
    rows = {
        "methods": (page.method_table(), len(ONE_WIDTH)),
        "differences": (page.difference_table(), len(ONE_WIDTH) - 1),
        "widths": (page.width_table(), len(OWN_WIDTH)),
        "ten": (page.batch_table(), len(TEN)),
        "problems": (page.problem_table(), len(PAPER.problems)),
    }
    table, count = rows[name]
    assert len(table.frame) == count


def test_numbers_of_sentences_are_those_of_the_tables() -> None:
    found, told, prices = page.evidence(), page.numbers(), which_setting.setting_numbers()
    table = page.method_table().frame.set_index("method")
    assert table["regret over GP-UCB's"]["BPE"] == told.bpe_over
    assert table["evaluations"]["compressed UCB"] == told.kept < 125 / 2
    assert (table["evaluations"].drop("compressed UCB") == 125).all()
    assert table["average rank"].is_monotonic_increasing
    over = table["regret over GP-UCB's"].drop(page.titles([*page.COMPACT, *page.NOISY]))
    assert over.idxmin() == told.nearest
    assert over.min() == told.nearest_over + 1.0
    assert len(over) == told.all_behind
    for measure, column in (("recommended", "optimum named"), ("simple", "optimum evaluated")):
        assert table[column]["GP-UCB"] == f"{told[f'{measure}_solved_ucb']:.0%}"
    text = which_setting.setting_table().frame
    assert len(text) == 2 + 4 + 1
    assert prices.batch_cost == max(each.share for each in found.prices["batches"] if not each.needed)
    for entry, at in (("gp-ucb", told.alone_at), ("bucb-5", told.batched_at)):
        run = experiment("methods").run(ENTRIES[entry].method, 9300, {"problem": "norm", **dict(ENTRIES[entry].values)})
        assert (run.batch <= told.rounds).sum() == at
    verdicts = set(text.verdict) | set(text["verdict there"])
    assert verdicts <= {COSTS, GAINS, "same", OPEN}


def test_each_measure_has_its_own_answer() -> None:
    """By hand, from the table: ranks by one measure, the paired difference to GP-UCB, and which answers differ."""
    found, told, runs = page.evidence(), page.numbers(), load().tables["methods"]
    runs = runs[(runs.horizon == 125) & runs.entry.isin(list(ONE_WIDTH))]
    for measure in page.MEASURES:
        values = runs.assign(value=runs[measure].where(runs[measure] > 1e-12, 0.0))
        ranks = (
            values.assign(rank=values.groupby(["problem", "seed"]).value.rank())
            .groupby(["entry", "seed"])["rank"]
            .mean()
        )
        for entry in ("ei", "ei-mean", "bpe"):
            assert found.rankings[measure].ranks[entry].estimate == pytest.approx(ranks[entry].mean())
            p = stats.ttest_rel(ranks[entry], ranks["gp-ucb"]).pvalue
            behind = ENTRIES[entry].title in told[f"{measure}_behind"] + told[f"{measure}_ahead"]
            assert p < 0.05 or not behind, "Holm's correction shows no more than the test alone"
    assert told.cumulative_ahead != told.simple_ahead != told.recommended_ahead == []
