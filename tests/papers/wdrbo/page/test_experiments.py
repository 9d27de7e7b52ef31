"""What is computed from stored runs follows them."""

import dataclasses
import math

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas
from scipy import stats
from sentences import numbers
from tolerances import CHAIN_RTOL, CURVE_DIGITS_RTOL

from companion.judge.verdict import CONTRADICTED, HOLDS, NOT_TESTABLE
from companion.pages import evidence as stored_evidence
from companion.pages import provenance_of
from companion.pages.figures import DARK, LIGHT
from companion.papers.wdrbo.experiments import questions_claims
from companion.papers.wdrbo.experiments.figures_claims import perform_well
from companion.papers.wdrbo.experiments.general_claims import BLOCK, FIRST, robust_beats_nonrobust
from companion.papers.wdrbo.experiments.runs import METHOD_NAMES, PUBLISHED
from companion.papers.wdrbo.page import (
    balls,
    choices,
    example,
    findings,
    live,
    picture,
    robustness,
    stored_runs,
)
from companion.papers.wdrbo.page import experiments_figures as experiment_figures


def changed(evidence, **columns):
    """The same evidence with columns of the runs replaced."""
    runs = evidence.tables["runs"].assign(**columns)
    return dataclasses.replace(evidence, tables={**evidence.tables, "runs": runs})


def lower(evidence, low, high=()):
    """Made-up totals: ``low`` methods near one, ``high`` near a hundred, the others near ten; seeds move all alike."""
    runs = evidence.tables["runs"]
    level = np.where(runs.method.isin(low), 1.0, np.where(runs.method.isin(high), 100.0, 10.0))
    # A little of its own for each run, as a t-test needs a spread.
    own = 0.001 * np.sin(np.arange(len(runs)))
    total = level + 0.01 * runs.seed + own
    return changed(evidence, total=total, early=total / 5, late=total / 5)


def verdicts_of(parts):
    """Verdicts of the tested parts, each once."""
    return {part.judgement.verdict for part in parts}


def test_settings_are_those_of_the_code():
    rows = choices.setting_rows().set_index("setting")
    radius_of_balls = 2 + math.sqrt(2 * math.log(1 / 0.1))
    for setting, expected in (
        ("WDRBO: radius", [0.3]),
        ("DRBO-MMD, minmax: radius", [pytest.approx(radius_of_balls, abs=0.005), 0.1]),
        ("SBO-KDE, DRBO-KDE: draws", [512, 1024]),
    ):
        assert numbers(rows.here[setting]) == expected
    assert 15 in numbers(rows.here["seeds"])
    camel = rows.here["known shift: laws told"].partition("Three-hump camel")[2]
    assert numbers(camel)[:2] == [0.5, 0.2]
    assert (rows != "").all(axis=None)
    assert choices.settings().where == provenance_of(choices.setting_rows())


@pytest.fixture(scope="module")
def uneven(small):
    """With one seed fewer of DRBO-MMD."""
    runs = small.tables["runs"]
    kept = runs[~((runs.method == "drbo-mmd") & (runs.seed == 3))]
    return dataclasses.replace(small, tables={**small.tables, "runs": kept})


def test_levels_are_means_over_the_seeds_that_all_methods_have(uneven):
    small = uneven
    table = stored_runs.level_rows(small, "text").set_index("method")
    assert list(table.columns) == ["Newsvendor", "Three-hump camel"]
    # ERBO has four seeds, DRBO-MMD three.
    totals = small.of("camel", "erbo").total.loc[[0, 1, 2]]
    shown = float(table.loc["ERBO", "Three-hump camel"].split(" ± ")[0])
    assert shown == pytest.approx(totals.mean(), rel=CURVE_DIGITS_RTOL)
    assert len(table) == len(METHOD_NAMES) + 1
    assert set(table.loc["seeds"]) == {3}
    runs = small.tables["runs"]
    kept = runs[~((runs.method == "drbo-mmd") & (runs.problem == "camel") & (runs.seed == 1))]
    fewer = dataclasses.replace(small, tables={**small.tables, "runs": kept})
    assert list(stored_runs.level_rows(fewer, "text").set_index("method").loc["seeds"]) == [3, 2]


def test_differences_are_paired_and_corrected(small):
    rows = stored_runs.difference_rows(small, "text", "total").set_index(["problem", "method"])
    assert len(rows) == 2 * (len(METHOD_NAMES) - 1)
    one, two = (small.of("newsvendor", name).total for name in ("sbo-kde", "wdrbo"))
    gap = (one - two).dropna()
    row = rows.loc["newsvendor", "sbo-kde"]
    assert row.percent == pytest.approx(100 * gap.mean() / two.loc[gap.index].mean())
    assert row.seeds == len(gap)
    plain = stats.ttest_1samp(gap, 0.0).pvalue
    assert row["adjusted p"] >= plain


def test_every_comparison_is_over_common_seeds_and_says_how_many(uneven):
    small = uneven
    n = stored_runs.difference_numbers(small)
    assert (n.erbo_seeds, n.drbo_mmd_seeds, n.text_seeds, n.code_seeds) == ("4", "3", "3 to 4", "2")
    assert (n.paper_seeds, n.erbo_few_seeds) == (3, "3")
    few = stored_runs.difference_rows(small, "text", "total", few=True)
    assert set(few.seeds) == {3}
    grid, shown = stored_runs.grid_rows(small)
    assert len(grid) == len(shown) == len(METHOD_NAMES) - 1
    rows = stored_runs.difference_rows(small, "text", "total").set_index(["problem", "method"])
    percent, seeds = grid.set_index("method").loc["ERBO", "Newsvendor"].replace("−", "-").split(" (")
    assert float(percent) == round(rows.percent["newsvendor", "erbo"])
    assert seeds == "4)"
    # More seeds than the paper's leave its own number where it is.
    more = dataclasses.replace(
        small, record={**small.record, "settings": {**small.record["settings"], "paper_runs": 50}}
    )
    assert more.paper_runs == 15


def test_comparisons_with_wdrbo_follow_the_stored_runs(small):
    best, worst = (
        stored_runs.difference_numbers(each) for each in (lower(small, ["wdrbo"]), lower(small, [], ["wdrbo"]))
    )
    assert (best.text_all, best.text_worse, best.text_better) == (16, 16, 0)
    assert (worst.text_worse, worst.text_better) == (0, 16)
    assert (best.erbo_worse, best.erbo_better, worst.erbo_better) == (2, 0, 2)
    table = stored_runs.tally_rows(lower(small, ["wdrbo"])).set_index("method")
    assert table.loc["ERBO", "text: better, worse"] == "0, 2 of 2"
    assert "WDRBO" not in table.index


def test_robustness_follows_the_stored_runs(small):
    best, worst = lower(small, ["wdrbo"]), lower(small, [], ["wdrbo"])
    for evidence, verdict, outcomes in (
        (best, HOLDS, {"better": 2, "worse": 0, "lower_mean": 2}),
        (worst, CONTRADICTED, {"better": 0, "worse": 2, "lower_mean": 0}),
    ):
        parts, _ = questions_claims.robustness(evidence)
        assert verdicts_of(part for part in parts if "exact" not in part.what) == {verdict}
        found = robustness.robustness_numbers(evidence)
        for reading, seeds in (("text", 4), ("code", 2)):
            assert outcomes == {name: found[f"{reading}_{name}"] for name in outcomes}
            assert found[f"{reading}_seeds"] == str(seeds)
        assert (found.few_better, found.few_worse) == (outcomes["better"], outcomes["worse"])


def test_ranking_and_figure_1_follow_the_stored_runs(small):
    led = robustness.ranking_numbers(lower(small, ["wdrbo", "erbo", "sbo-kde"]))
    behind = robustness.ranking_numbers(lower(small, ["drbo-mmd", "drbo-mmd-minmax", "stableopt"]))
    assert set(led.first) == {HOLDS}
    assert set(behind.last) == {CONTRADICTED}
    assert (led.lead_text, led.wdrbo_below) == (1.0, 2)
    for evidence, verdict, share in (
        (lower(small, ["wdrbo"]), HOLDS, -1),
        (lower(small, [], ["wdrbo"]), CONTRADICTED, 1),
    ):
        found = example.figure_1_numbers(evidence)
        assert set(found.verdicts) == {verdict}
        assert found.gap * share > 0


def test_numbers_without_shifts_figure_1_or_the_codes_reading(small):
    """What was not run leaves nothing behind, and stops no page."""
    runs = small.tables["runs"]
    kept = runs[(runs.block == "figures") & (runs.reading == "text")]
    for rows in (kept, runs.iloc[:0]):
        bare = dataclasses.replace(small, tables={**small.tables, "runs": rows})
        assert verdicts_of(robust_beats_nonrobust(bare)[0]) == {NOT_TESTABLE}
        assert robustness.robustness_numbers(bare).code_seeds == "0"
        assert math.isnan(robustness.ranking_numbers(bare).lead_code)
        assert math.isnan(example.figure_1_numbers(bare).erbo_ratio)
        assert stored_runs.difference_numbers(bare).code_all == 0
        assert robustness.radius_numbers(bare).problems == 0
    alone = dataclasses.replace(small, tables={**small.tables, "runs": runs.iloc[:0]})
    assert verdicts_of(perform_well(alone)[0]) == {NOT_TESTABLE}
    assert example.variant_rows(alone).empty
    assert stored_runs.difference_rows(alone, "text", "total").empty
    assert stored_runs.rank_rows(alone).empty


def test_live_runs_are_the_beginning_of_the_stored_ones(small):
    again = live.rerun_live(small, 2, 4)
    assert len(again) == 2 * 2 * len(live.METHODS)
    assert set(again["rounds"]) == {4}
    assert again.stored.notna().all()
    assert live.same(again).all()
    assert not live.same(again.assign(stored=again.stored * 1.01)).any()
    told = [set(live.live_rows(again.assign(rounds=number)).after) for number in (4, 1)]
    assert told == [{"4 rounds"}, {"1 round"}]
    assert len(again) in numbers(live.say_live(again, small).markdown)


def test_times_are_ratios_within_a_process(small):
    rows = stored_runs.time_rows(small).set_index("method")
    times = small.tables["timings"]
    mine = times[(times.problem == "ackley") & (times.reading == "text")].pivot(
        index="seed", columns="method", values="total"
    )
    expected = (mine["stableopt"] / mine["erbo"]).mean()
    assert rows.loc["StableOpt", "our ratio"] == pytest.approx(expected, rel=CHAIN_RTOL)
    assert rows.loc["StableOpt", "printed ratio"] == pytest.approx(77.6 / 43.8)
    bare = dataclasses.replace(small, tables={**small.tables, "timings": times.iloc[:0]})
    assert stored_runs.time_rows(bare).empty
    found, none = (stored_runs.time_numbers(each) for each in (small, bare))
    assert found.ackley_ours == rows.loc["WDRBO", "our ratio"]
    assert (found.all, none.all) == (len(rows) - 1, 0)
    assert math.isnan(none.ackley_ours)


def test_coverage_is_the_stored_one(small):
    rows = robustness.coverage_rows(small)
    raw = small.tables["coverage"]
    np.testing.assert_allclose(rows.covered, raw.covered / raw.draws)
    constants_run = robustness.radius_rows(small)
    assert list(constants_run.constant) == [0.3, 1.0]


def test_figures_draw_and_describe_what_was_run(small):
    text, code = (experiment_figures.curves(small, reading) for reading in ("text", "code"))
    assert len(text.render(LIGHT)) > 10_000 < len(code.render(LIGHT))
    for number in (2, 3):
        assert any("Newsvendor" in name for name in stored_runs.curve_numbers(small, number).lowest)
    # The paper's Figure 3 shows all methods.
    assert set(PUBLISHED) < set(stored_runs.FIGURES[3])
    final = small.of("general", "erbo", variant=FIRST, block=BLOCK).total.loc[[0, 1, 2]].mean()
    assert f"ERBO {final:.2f}" in example.figure_1_numbers(small).final
    for figure in (
        experiment_figures.ranks(small),
        experiment_figures.rivals(small),
        robustness.coverage(small),
        robustness.radius(small),
        balls.transport(balls.three_balls(picture.ball_picture(0, 0.1))),
    ):
        assert len(figure.render(DARK)) > 8_000


def filled_marks(figure):
    """Filled marks by axes: those that lie under a hollow one at the same place, and those on top."""
    canvas = Canvas(figsize=figure.size)
    figure.draw(canvas, LIGHT)
    covered = on_top = 0
    for axes in canvas.axes:
        # As matplotlib paints: by zorder, and among equals in the order of drawing.
        lines = sorted(
            (line for line in axes.get_lines() if line.get_marker() not in ("None", "", "_", "|")),
            key=lambda line: line.get_zorder(),
        )
        painted = {}
        for line in lines:
            filled = line.get_markerfacecolor() == line.get_color()
            for x, y in zip(*map(np.asarray, line.get_data()), strict=True):
                key = (float(x), float(y), line.get_color())
                covered += not filled and painted.get(key) is True
                on_top += filled
                painted[key] = filled
    return covered, on_top


def test_filled_marks_are_not_painted_over(small):
    """Every difference that stands after Holm's correction is a filled mark that can be seen."""
    evidence = lower(small, ["wdrbo"])
    covered, on_top = filled_marks(robustness.radius(evidence))
    assert covered == 0
    assert on_top == int((robustness.radius_rows(evidence).shown != 0).sum()) > 0


def test_runs_that_broke_down_are_noticed_where_the_method_is_shown(small):
    assert (stored_runs.curve_numbers(small, 3).seeds, stored_runs.curve_numbers(small, 3, "code").seeds) == ("3", "2")
    assert stored_runs.curve_numbers(small, 3).broken == 0
    curves, record = small.tables["curves"].copy(), dict(small.record)
    one = (curves.block == "figures") & (curves.reading == "text") & (curves.problem == "newsvendor")
    curves.loc[one & (curves.method == "drbo-mmd"), "runs"] = 2
    label = "wdrbo/newsvendor drbo-mmd seed 1 (reading=text)"
    record["settings"] = record["settings"] | {"failures": {label: "CompanionError: a gap"}}
    fewer = dataclasses.replace(small, tables={**small.tables, "curves": curves}, record=record)
    assert (stored_runs.curve_numbers(fewer, 3).seeds, stored_runs.curve_numbers(fewer, 3).broken) == ("2 to 3", 1)
    # Figure 2 is without that method.
    assert stored_runs.curve_numbers(fewer, 2).seeds == "3"


def test_claims_table_leaves_the_companions_questions_out(small):
    parts, extra = questions_claims.bound(small)
    assert len(parts) == 5
    assert extra["coverage"]
    entries = [
        {"kind": "claim", "claim": "a", "source": "Figure 1", "verdict": "holds", "parts": [{"verdict": "holds"}] * 2},
        {"kind": "claim", "claim": "b", "source": "companion", "verdict": "undecided", "parts": []},
        {"kind": "cell", "verdict": "not-testable"},
    ]
    rows = robustness.claim_rows(entries)
    assert list(rows.claim) == ["a"]
    assert numbers(rows.parts[0]) == [2]
    assert HOLDS in rows.parts[0]


def test_repairs_are_counted_by_their_reason():
    mended = {"status": "holds-with-corrected-constant", "kind": "inequality", "location": "Theorem", "reason": "why"}
    loose = {"status": "holds", "kind": "probability", "location": "Lemma 7", "reason": "The centre."}
    ids = [*findings.WIDE, *(f"other-{k}" for k in range(8))]
    ledger = [mended | {"id": name} for name in ids] + [loose | {"id": "lemma-7"}]
    ledger += [loose | {"id": f"likely-{k}"} for k in range(10)]

    def told(entries):
        return findings.repair_numbers(stored_evidence.Checked(entries, [], [], stored_evidence.Provenance()))

    assert told(ledger) == {"mended": 13, "wide": 5, "likely": 11, "lemma_7": True}
    printed = [entry if entry["id"] != "lemma-7" else entry | {"reason": ""} for entry in ledger]
    assert not told(printed).lemma_7
    assert told([entry for entry in ledger if entry["id"] not in findings.WIDE]).wide == 0
    assert told([]) == {"mended": 0, "wide": 0, "likely": 0, "lemma_7": False}
