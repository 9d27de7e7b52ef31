"""Settings of their own: who shares what, prices by the margins, and a sample of the stored rows made again."""

from __future__ import annotations

import tomllib
from types import SimpleNamespace

import numpy as np
import pytest

from companion.core.files import repository_root, results_folder
from companion.judge.preregistration import order
from companion.judge.reported import load_margins
from companion.papers.across.experiments import settings_costs as analysis
from companion.papers.across.experiments.definitions import experiment
from companion.papers.across.experiments.settings import PAPER, RUNS, compute, load
from companion.papers.across.experiments.settings_costs import COSTS, GAINS, OPEN, SAME, SETTINGS, priced
from companion.papers.across.page import which_setting as page

MARGINS = repository_root() / "data" / "reported" / "margins.toml"
SEED = 9100


def test_displacement_is_judged_with_and_without_on_one_run() -> None:
    setup = experiment("displacement").ready("stableopt", SEED, {"horizon": 20})
    run = setup.run()
    assert np.array_equal(run.instantaneous_regret, setup.problem.robust_regret[run.charged])
    assert np.array_equal(run.diagnostics["undisplaced"], setup.problem.regret[run.charged])
    assert not np.array_equal(setup.problem.regret, setup.problem.robust_regret)


def test_contexts_shift_only_where_they_are_said_to() -> None:
    asked = experiment("contexts")
    short = {"horizon": 12, "decisions": 6, "contexts": 5}
    calm = [asked.run(method, SEED, short | {"radius": 0.3}) for method in asked.method_names]
    worst = [asked.run(method, SEED, short | {"radius": 0.3, "shift": "worst"}) for method in asked.method_names]
    for one, other in zip(calm, worst, strict=True):
        assert one.query[0] // 5 == other.query[0] // 5  # the first decision, of which the law is then the worst
        assert one.instantaneous_regret[0] < other.instantaneous_regret[0]
    # Without a shift the radius is nothing to a rule that has no ball, and something to the others.
    again = [asked.run(method, SEED, short | {"radius": 0.1}) for method in asked.method_names]
    same = [np.array_equal(one.query, other.query) for one, other in zip(calm, again, strict=True)]
    assert same == [True, False, False]


def test_prices_follow_the_margins() -> None:
    settings = SimpleNamespace(margins=load_margins("across"))
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
    found = {each.problem: each.verdict for each in priced(settings, "s", asked)}
    expected = {"dear": COSTS, "cheap": GAINS, "same": SAME, "unclear": OPEN}
    assert found == expected | {"hardly dear": COSTS, "hardly cheap": GAINS, "a little less": SAME}
    # Without a level nothing is small: a shown difference is named as one.
    assert {each.problem: each.verdict for each in priced(settings, "s", asked, shares=False)}["same"] == COSTS


def test_the_plan_has_no_pilot_seed_and_every_condition() -> None:
    items = RUNS.of(PAPER).items
    keys = [(task.experiment, task.method, str(task.parameters), task.seed) for _, task in items]
    assert len(set(keys)) == len(keys)
    assert max(task.seed for _, task in items) == PAPER.seeds - 1 < 9000
    for name in SETTINGS:
        prices = page.evidence()[name]
        assert {each.needed for each in prices} == {False, True}
        assert all(each.test.adjusted >= each.test.p for each in prices)
    text = page.setting_table().frame
    assert len(text) == 4 + 1
    assert set(text.verdict) | set(text["verdict there"]) <= {COSTS, GAINS, "same", OPEN}


@pytest.mark.slow
def test_a_sample_of_the_stored_rows_comes_out_again() -> None:
    items = [
        item for item in RUNS.of().items if item[1].seed == 11 and item[1].method in ("stableopt", "wdrbo", "joint")
    ]
    made = RUNS.frames(items, [compute(task) for _, task in items])["settings"].set_index(list(RUNS.keys["settings"]))
    kept = load().tables["settings"].set_index(list(RUNS.keys["settings"]))
    assert len(made) == 4 + 4 + 2
    assert made.sort_index().equals(kept.loc[made.sort_index().index][list(made.columns)])


def test_the_margins_are_older_than_the_runs() -> None:
    """In a full history; a copy without one cannot tell."""
    present = tomllib.loads(MARGINS.read_text(encoding="utf-8"))["across"]

    def fault(then: bytes) -> str:
        return "" if tomllib.loads(then.decode()).get("across") == present else "the part across was another one"

    found = order(MARGINS, results_folder("across") / "settings.csv", fault)
    assert found.shown or found.reason
    assert analysis.Settings.read().margins.claims["comparable"] == present["claims"]["comparable"]
