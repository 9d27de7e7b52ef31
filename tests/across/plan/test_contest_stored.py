"""What is stored of "which method?": a sample made again, margins that are older, and tables that say what was found."""

from __future__ import annotations

import tomllib

import pytest

from companion.across.contest import COSTS, GAINS, OPEN, SAME, SETTINGS
from companion.across.plan.experiments import experiment
from companion.across.plan.runs import ENTRIES, ONE_WIDTH, PAPER, every_run
from companion.across.plan.store import compute, frames, load, stored_runs
from companion.across.studies import which_method as page
from companion.files import repository_root, results_folder
from companion.reproduce.precedence import order

MARGINS = repository_root() / "data" / "reported" / "margins.toml"


@pytest.mark.slow
def test_a_sample_of_the_stored_rows_comes_out_again() -> None:
    stored = load().tables
    wanted = {("gp-ucb", "norm", 3), ("ts-rsr-5", "bird-2d", 7), ("bkb/own", "example", 1), ("bpe", "appendix-e", 5)}
    items = [
        (part, task)
        for part, task in every_run(PAPER)
        if (
            (task.parameters.get("entry"), task.parameters.get("problem"), task.seed) in wanted
            and task.parameters["horizon"] == 125
        )
        or (part == "settings" and task.seed == 11 and task.method in ("stableopt", "wdrbo", "joint"))
    ]
    again = frames(items, [compute(task) for _, task in items])
    for name in ("methods", "settings"):
        key = list(stored_runs().keys[name])
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


@pytest.mark.parametrize("name", [*SETTINGS, "methods", "differences", "widths", "problems"])
def test_the_tables_of_the_page_have_every_comparison(name: str) -> None:
    if name in SETTINGS:
        prices = page.evidence().prices[name]
        assert {each.needed for each in prices} == {False, True}
        assert all(each.test.adjusted >= each.test.p for each in prices)
        return
    rows = {
        "methods": (page.method_table(), len(ONE_WIDTH)),
        "differences": (page.difference_table(), len(ONE_WIDTH) - 1),
        "widths": (page.width_table(), len(ENTRIES) - len(ONE_WIDTH) - 5),
        "problems": (page.problem_table(), len(PAPER.problems)),
    }
    table, count = rows[name]
    assert len(table.frame) == count


def test_numbers_of_sentences_are_those_of_the_tables() -> None:
    found, told, prices = page.evidence(), page.numbers(), page.setting_numbers()
    table = page.method_table().frame.set_index("method")
    assert table["regret over GP-UCB's"]["BPE"] == told.bpe_over
    assert table["points kept"]["compressed UCB"] == told.kept
    order = list(table.index)
    assert order.index("expected improvement") + 1 == told.ei_place
    assert table["average rank"].is_monotonic_increasing
    assert order[3] == told.nearest
    shown = page.difference_table().best
    assert shown is not None
    assert told.everywhere == sum(bool(row.all()) for row in shown.to_numpy()[len(page.COMPACT) - 1 :])
    text = page.setting_table().frame
    assert len(text) == 8 + 2 + 4 + 4 + 1
    assert prices.batch_cost == max(each.share for each in found.prices["batches"] if not each.needed)
    for entry, at in (("gp-ucb", told.alone_at), ("bucb-5", told.batched_at)):
        run = experiment("methods").run(ENTRIES[entry].method, 9300, {"problem": "norm", **dict(ENTRIES[entry].values)})
        assert (run.batch <= told.rounds).sum() == at
    verdicts = set(text.verdict) | set(text["verdict there"])
    assert verdicts <= {COSTS, GAINS, SAME, OPEN}
