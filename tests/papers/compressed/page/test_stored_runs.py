"""Figures 1 to 3 and Tables 2 to 4 from stored runs."""

import numpy as np
import pytest

from companion.pages.figures import LIGHT
from companion.papers.compressed.experiments.parameters import READINGS
from companion.papers.compressed.page import experiments_figures as experiment_figures
from companion.papers.compressed.page import stored_runs


def test_ratios_are_those_of_one_process(small):
    rows = stored_runs.ratio_rows(small, "rosenbrock")
    assert len(rows) == 12
    one = rows[(rows.posterior == stored_runs.POSTERIORS["refit"]) & (rows.method == "EI, compressed")].iloc[0]
    timings = small.tables["timings"]
    part = timings[(timings.problem == "rosenbrock") & (timings.posterior == "refit")]
    ours = part[(part.method == "cgp-ei") & (part.variant == "unit")].set_index("seed").seconds
    dense = part[part.method == "gp-ei"].set_index("seed").seconds
    assert one["unit"] == pytest.approx(float((ours / dense).mean()))
    assert np.isnan(one["BKB, q̄ = 5"])
    assert one.printed == pytest.approx(2.246 / 2.604)


def test_times_of_the_horizons_budget_are_ratios_on_the_same_seeds(small):
    found = stored_runs.time_numbers(small)
    timings = small.tables["timings"]
    for posterior in ("refit", "engine"):
        part = timings[(timings.problem == "example-function") & (timings.posterior == posterior)]
        both = [
            of.set_index("seed")[["seconds", "objective_seconds"]].sum(axis=1)
            for of in (
                part[(part.method == "cgp-ucb") & (part.variant == "info-horizon")],
                part[part.method == "gp-ucb"],
            )
        ]
        assert found[posterior] == pytest.approx(float((both[0] / both[1]).mean()))
    ours, full = (
        small.of("example-function", method, variant=variant).average_regret.mean()
        for method, variant in (("cgp-ucb", "info-horizon"), ("gp-ucb", "dense"))
    )
    assert found.regret == pytest.approx(ours / full)


def test_frozen_methods_keep_nothing_after_their_first_rejection(small, changed):
    rows = stored_runs.frozen_rows(small)
    assert set(rows.reading) <= set(READINGS[1:])
    assert (rows[rows.rule != "UCB"]["kept later"] == 0).all()
    runs = small.tables["runs"]
    late = runs.assign(evaluations=runs.evaluations + runs.first_rejection.notna())
    going_on = changed(small, "runs", late)
    found = stored_runs.frozen_rows(going_on)
    assert (found[found.rule != "UCB"]["kept later"] > 0).all()
    assert stored_runs.frozen_numbers(small).later == 0 < stored_runs.frozen_numbers(going_on).later


def test_a_reading_reproduces_a_figure_only_if_all_its_claims_hold(small, monkeypatch):
    whole = stored_runs.readings_of_figures(small)
    assert set(whole) == {"Figure 1", "Figure 2", "Figure 3"}
    assert whole["Figure 3"] == []  # its problem is not among these runs
    made_up = [
        {"cell": "example-comparable", "readings": {}, "readings_that_hold": ["unit", "raw"]},
        {"cell": "example-settles", "readings": {}, "readings_that_hold": ["unit"]},
    ]
    assert stored_runs.claim_numbers(small).whole == sorted({name for names in whole.values() for name in names})
    monkeypatch.setattr(stored_runs, "claims", lambda results: made_up)
    assert stored_runs.readings_of_figures(small)["Figure 1"] == ["unit"]
    assert stored_runs.claim_numbers(small).whole == ["unit"]


def test_parts_and_the_clock_are_told_by_reading(small):
    found = stored_runs.claim_numbers(small)
    held = stored_runs.parts_held(stored_runs.part_rows(small))
    assert found.held == held[found.nearest] == max(held.values())
    assert len(found.missed) == found.parts - found.held
    clock = stored_runs.clock_numbers(small)
    assert len(clock.refit_faster) == len(clock.engine_bkb) == 2  # the third problem is not among these runs
    assert clock.refit_faster[0] == stored_runs.clock_halves(small, "example-function", "refit")[0]


def test_the_printed_rule_is_the_dense_method_until_it_rejects(small, changed):
    assert stored_runs.printed_is_dense(small)
    runs = small.tables["runs"]
    rejecting = runs.assign(first_rejection=runs.first_rejection.where(runs.variant != READINGS[0], 3.0))
    assert not stored_runs.printed_is_dense(changed(small, "runs", rejecting))


def test_figures_are_drawn_and_absent_problems_noticed(small):
    figure = experiment_figures.curves(small, "example-function")
    assert figure.render(LIGHT).startswith(b"\x89PNG")
    there, absent = (stored_runs.curve_numbers(small, name) for name in ("example-function", "logistic-mnist"))
    assert (there.stored, there.seeds, len(there.ucb)) == (True, 3, 5)
    assert (absent.stored, absent.seeds) == (False, 0)
    missing = experiment_figures.ratios(small, "logistic-mnist").frame
    assert missing[list(READINGS)].isna().all().all()
    assert missing.printed.notna().all()


def test_ratios_are_marked_as_smallest_and_as_reversed(small):
    table = experiment_figures.ratios(small, "rosenbrock")
    rows = table.frame
    assert table.best is not None
    assert table.turned is not None
    assert (table.best.sum(axis=1) >= 1).all()
    for k, row in rows.iterrows():
        for label in table.turned.columns:
            ours = row[label]
            apart = (row.printed > 1 and ours < 0.95) or (row.printed < 1 and ours > 1.05)
            assert table.turned.at[k, label] == apart
