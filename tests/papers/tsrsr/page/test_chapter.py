"""The chapter's numbers from stored results."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure as Canvas
from scipy import stats
from sentences import numbers

from companion.pages.figures import LIGHT
from companion.papers.tsrsr.experiments import ranking_claims
from companion.papers.tsrsr.experiments import store as paper_scale
from companion.papers.tsrsr.experiments.printed import METHOD_OF, TSRSRResults
from companion.papers.tsrsr.experiments.runs import TSRSRPlan
from companion.papers.tsrsr.page import exercises, factors, findings, live, readings, stored_runs
from companion.papers.tsrsr.page import experiments_figures as experiment_figures

PLAN = TSRSRPlan(
    problems=("gp-2d", "ackley-2d"),
    runs=3,
    more=4,
    widths=(0.5, 4.0),
    resample_problems=("gp-2d",),
    batching_seeds=2,
    posteriors=2,
    evaluations=20,
    batch_sizes=(1, 5),
    more_code=3,
    factor_problems=(),
    overrides={"batches": 2},
)


@pytest.fixture(scope="module")
def small(tmp_path_factory, root):
    folder = tmp_path_factory.mktemp("store")
    (folder / "data").mkdir()
    (folder / "data" / "reported").symlink_to(root / "data" / "reported")
    paper_scale.store(folder, 1, plan=PLAN)
    return stored_runs.load_paper_results(folder)


def test_the_data_behind_the_network_are_named_from_the_record(small):
    assert stored_runs.data_used(small) == ""
    told = small.record | {"settings": small.record["settings"] | {"data": {"boston-4d": "diabetes"}}}
    assert stored_runs.data_used(dataclasses.replace(small, record=told)) == "diabetes"


def test_ten_runs_on_bird_against_both_printed_rivals(root):
    found = exercises.bird_numbers(stored_runs.load_paper_results(root))
    assert (found.printed, found.printed_ts, found.printed_dpp) == (0.7, 0.3, 0.4)
    results = TSRSRResults.read(root)
    for rival, name in (("ts", "ts"), ("dpp-ts", "dpp")):
        difference = results.runs("bird-2d", "ts-rsr") - results.runs("bird-2d", rival)
        half = stats.t.ppf(0.975, len(difference) - 1) * difference.std(ddof=1) / math.sqrt(len(difference))
        assert found[f"from_{name}"] == pytest.approx(difference.mean() - half)
        assert found[f"to_{name}"] == pytest.approx(difference.mean() + half)


def test_tables_show_printed_numbers_and_ours(small):
    table = stored_runs.beside(small, 2)
    assert set(table.problem) == {"Ackley-2D, 0.001"}
    row = table[table.method == "TS-RSR"].iloc[0]
    assert numbers(row.printed) == [1.7, 1.1, 1]  # mean, spread and rank
    runs = small.runs("ackley-2d", "ts-rsr", "text", 10)
    assert row["ours, text"].startswith(readings.short(runs.mean()))
    assert len(table) == len(METHOD_OF) + 1


def test_rankings_follow_from_the_stored_runs(small):
    told = changed(small, lambda final: np.where(final.method == "ts-rsr", 1e-9, 10 + final.regret + final.seed % 3))
    assert set(stored_runs.own_pairs(stored_runs.outcomes(told))["all"]) == {ranking_claims.AS_PRINTED}
    assert {judged.verdict for judged in stored_runs.lowest(told, "text").values()} == {"holds"}
    assert set(stored_runs.ranking_rows(told)["TS-RSR lowest, text"]) == {stored_runs.LOWEST["holds"]}
    assert stored_runs.first_verdicts(told) == {"holds": ["gp-2d", "ackley-2d"], "contradicted": [], "undecided": []}
    lost = changed(small, lambda final: np.where(final.method == "ts-rsr", 100.0 + final.seed % 3, final.regret))
    assert {judged.verdict for judged in stored_runs.lowest(lost, "text").values()} == {"contradicted"}
    assert stored_runs.first_verdicts(lost) == {"holds": [], "contradicted": ["gp-2d", "ackley-2d"], "undecided": []}
    first = stored_runs.first_numbers(told)
    assert (first.wins, first.text_confirmed, first.text_few, first.text_lowest, first.best) == (2, 2, 2, 2, True)
    first = stored_runs.first_numbers(lost)
    assert (first.wins, first.text_confirmed, first.text_few, first.text_expected, first.best) == (2, 0, 0, 0, False)
    assert first.text_contradicted == first.code_contradicted == ["GP-RBF-prior-2D", "Ackley-2D"]
    pairs = stored_runs.pair_numbers(lost)
    assert (pairs.pairs, pairs.kept, pairs.turned, len(pairs.reversed_by), pairs.reversed_for) == (12, 0, 12, 12, [])


def test_ranks_and_levels_add_up(small):
    told = changed(small, lambda final: np.where(final.method == "ts-rsr", 1e-9, 10 + final.regret + final.seed % 3))
    ranks = stored_runs.rank_rows(told).set_index(["reading", "runs"])
    assert len(ranks) == 5
    assert ranks.columns[0] == "TS-RSR"
    np.testing.assert_allclose(ranks.sum(axis=1), 7 * 8 / 2)
    levels = readings.level_rows(told)
    kinds = ["within the margin", "open", "other level, same order", "different"]
    assert (levels[kinds].sum(axis=1) == levels["printed means"]).all()
    assert (levels["shown to differ (Holm)"] <= levels["shown to differ"]).all()


def test_leads_are_shares_of_the_larger_mean(small):
    """A rival with twice our regret gives a lead of one half, whatever the unit, and its sign turns with the roles."""

    def planted(ours, theirs):
        best = {"ts-rsr": ours, "ts": theirs}
        return changed(small, lambda final: final.method.map(best).fillna(9.0) * final.problem.map(len))

    rows, found = stored_runs.lead_rows(planted(1.0, 2.0)), stored_runs.lead_numbers(planted(1.0, 2.0))
    assert set(rows.rival) == {"TS"}
    np.testing.assert_allclose(rows[["lead", "low", "high"]], -0.5)
    assert (found.text_ahead, found.text_behind, found.code_behind) == (2, 0, 0)
    assert stored_runs.lead_numbers(planted(2.0, 1.0)).text_behind == found.problems == 2
    nobody = stored_runs.lead_rows(planted(0.0, 0.0))
    assert (nobody[["lead", "low", "high"]] == 0.0).all(axis=None), "where every run finds the optimum nobody leads"


def changed(evidence, regret):
    """The same evidence with other final regrets."""
    final = evidence.tables["final"]
    tables = {**evidence.tables, "final": final.assign(regret=regret(final))}
    return dataclasses.replace(evidence, tables=tables)


def test_being_lowest_counts_as_a_confirmation_only_where_the_tables_say_so(small):
    """A problem that another method wins in print is no confirmation, whatever our runs say of it."""
    told = changed(small, lambda final: np.where(final.method == "ts-rsr", 1e-9, 10 + final.regret + final.seed % 3))
    cells = tuple(
        dataclasses.replace(cell, mean=0.1) if (cell.problem, cell.method) == ("Ackley-2D", "TS") else cell
        for cell in told.cells
    )
    other = dataclasses.replace(told, cells=cells)
    assert stored_runs.printed_first(other) == (["gp-2d"], ["ackley-2d"])
    assert stored_runs.first_verdicts(other) == {"holds": ["gp-2d"], "contradicted": [], "undecided": []}
    assert stored_runs.lowest(other, "text")["ackley-2d"].verdict == "holds"
    assert stored_runs.first_numbers(told).elsewhere == []
    assert stored_runs.first_numbers(other).elsewhere == ["Ackley-2D"]
    lost = changed(other, lambda final: np.where(final.method == "ts-rsr", 100.0 + final.seed % 3, final.regret))
    assert stored_runs.lowest(lost, "text")["ackley-2d"].verdict == "contradicted"
    assert stored_runs.first_numbers(lost).elsewhere == []


def test_each_reading_is_compared_by_its_own_runs(small):
    """The code's runs replaced by the printed order, the text's by its reverse: only the former stands as printed."""
    printed = {(p, m): small.printed(p, m) for p in small.problems for m in METHOD_OF.values()}

    def level(code, text):
        def regrets(final):
            sign = np.where(final.reading == "code", code, text)
            means = [printed.get((row.problem, row.method), 99.0) for row in final.itertuples()]
            return 1000 + sign * np.array(means) + 1e-6 * (final.seed % 3) * (1 + final.method.str.len())

        return changed(small, regrets)

    code = level(1.0, -1.0)
    assert set(stored_runs.own_pairs(stored_runs.outcomes(code, "code"))["few"]) == {ranking_claims.AS_PRINTED}
    assert set(stored_runs.own_pairs(stored_runs.outcomes(code, "text"))["few"]) == {ranking_claims.REVERSED}
    assert {row["TS-RSR lowest, code"] for row in stored_runs.ranking_rows(code).to_dict("records")} == {
        stored_runs.LOWEST["holds"]
    }
    found = stored_runs.pair_numbers(code)
    assert (found.code_kept, found.code_turned, found.kept, found.turned) == (12, 0, 0, 12)
    assert found.code_few_kept > found.few_kept
    assert found.code_few_turned < found.few_turned
    other = stored_runs.pair_numbers(level(-1.0, 1.0))
    assert (other.code_few_kept, other.few_kept) == (found.few_kept, found.code_few_kept)


def test_every_pair_is_counted_once(small):
    rows = stored_runs.ranking_rows(small)
    assert (rows[list(ranking_claims.OUTCOMES)].sum(axis=1) == math.comb(len(METHOD_OF), 2)).all()


def test_live_runs_are_the_beginning_of_the_stored_ones(small):
    again = live.rerun_live(small, 1, 2)
    assert len(again) == 2 * (len(METHOD_OF) + 1)
    assert live.same(again).all()
    assert not live.same(again.assign(stored=again.stored * 1.01 + 1)).any()
    assert live.same(live.rerun_live(small, 1, 1)).all()


def test_axes_of_curves_are_labelled(small):
    """On an axis of less than a decade too; minor ticks are not drawn."""
    flat = {key: 5.0 + 0.1 * np.arange(runs.size).reshape(runs.shape) / runs.size for key, runs in small.curves.items()}
    for curves in (small.curves, flat):
        evidence = dataclasses.replace(small)
        evidence.__dict__["curves"] = curves
        drawn = Canvas()
        experiment_figures.curves(evidence, 2).draw(drawn, LIGHT)
        for axes in drawn.axes:
            low, high = axes.get_ylim()
            assert sum(low <= tick <= high for tick in axes.yaxis.get_majorticklocs()) >= 2


def test_curves_let_the_method_and_its_best_rival_stand_out(small):
    """The others have their names, in grey."""
    drawn = Canvas()
    experiment_figures.curves(small, 2).draw(drawn, LIGHT)
    for axes, reading in zip(drawn.axes, ("text", "code"), strict=False):
        last = {name: small.curves[reading, "ackley-2d", method][:, -1].mean() for name, method in METHOD_OF.items()}
        best = min((name for name in last if name != "TS-RSR"), key=last.__getitem__)
        color = {text.get_text(): text.get_color() for text in axes.texts}
        assert set(color) == {*METHOD_OF, "random"}
        assert (color["TS-RSR"], color[best]) == LIGHT.series[:2]
        assert {color[name] for name in last if name not in ("TS-RSR", best)} == {LIGHT.muted}


def test_a_curve_that_ends_is_noticed(small):
    for factor, ends in ((0, True), (0.5, False)):
        evidence = dataclasses.replace(small)
        evidence.__dict__["curves"] = {key: runs * factor for key, runs in small.curves.items()}
        assert stored_runs.curve_numbers(evidence, 2).zero == ends


def test_curves_of_a_figure_have_all_methods_and_both_readings(small):
    assert {key[0] for key in small.curves} == {"text", "code"}
    assert all(runs.shape == (3, 3) for runs in small.curves.values())
    found = stored_runs.curve_numbers(small, 2)
    assert (found.problems, found.runs) == (["Ackley-2D"], [10])
    for reading in ("text", "code"):
        last = {name: small.curves[reading, "ackley-2d", method][:, -1].mean() for name, method in METHOD_OF.items()}
        assert found[reading] == [f"{min(last, key=last.__getitem__)} on Ackley-2D"]


def test_first_places_are_those_of_the_means(small):
    results = small
    lowest = {"text": 0, "code": 0}
    for problem in results.problems:
        for reading in lowest:
            if results.has(problem, reading=reading):
                means = {name: results.runs(problem, name, reading).mean() for name in ("ts-rsr", *stored_runs.RIVALS)}
                lowest[reading] += means["ts-rsr"] == min(means.values())
    assert {name: ranking_claims.firsts(small, name).count for name in lowest} == lowest


def test_what_text_and_code_say_is_listed_for_known_problems():
    rows = findings.difference_rows()
    assert isinstance(rows, pd.DataFrame)
    assert "Griewank-8D" in set(rows.problem)
    assert (rows.text != rows.code).all()


def test_rounds_left_to_chance_are_counted_by_problem(root):
    record = {"settings": {"random_rounds": {"gp-2d/ts": 3, "gp-2d/sp": 2, "bird-2d/ts": 0, "robot-3d/sp": 4}}}
    assert findings.random_rounds(record) == {"gp-2d": 5, "robot-3d": 4}
    assert findings.random_rounds({}) == {}
    evidence = stored_runs.load_paper_results(root)
    stored = findings.random_rounds(evidence.record)
    found = findings.code_numbers(evidence)
    assert found.chance == len(found.by_problem) == len(stored)
    assert found.by_problem[0] == "351 of 6 300 rounds on Robot-3D"  # 7 methods, 30 runs of 30 rounds
    shares = [
        int(a.replace(" ", "")) / int(b.replace(" ", ""))
        for a, b in (words.split(" rounds")[0].split(" of ") for words in found.by_problem)
    ]
    assert shares == sorted(shares, reverse=True)
    assert found.others + found.methods == len(findings.difference_rows())


def test_first_places_with_one_setting_changed_are_those_of_the_table(root):
    evidence, made = stored_runs.load_paper_results(root), factors.load_factors()
    found, rows = factors.factor_numbers(evidence, made), factors.factor_rows(evidence, made)
    cells = rows.drop(columns=["from", "setting"])
    assert found.firsts == int(cells.map(lambda cell: "[1" in cell).sum().sum())
    assert found.apart == int(cells.map(lambda cell: "[1*]" in cell).sum().sum())
    unchanged = cells[rows.setting == factors.NOTHING].map(lambda cell: "[1" in cell).sum(axis=1)
    assert (found.text, found.code) == tuple(unchanged)
