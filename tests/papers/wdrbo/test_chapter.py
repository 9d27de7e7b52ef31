"""The chapter's parameters, studies and stored results hold together."""

import dataclasses
import math
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure as Canvas
from scipy import stats
from tolerances import CHAIN_RTOL, CURVE_DIGITS_RTOL, FINE_GRID_OPTIMUM, INNER_ROUNDING, SAMPLED_LOSS

from companion.papers.wdrbo import covering, headline, paper_scale, questions
from companion.papers.wdrbo.claims_general import BLOCK, FIRST
from companion.papers.wdrbo.figures import experiments as experiment_figures
from companion.papers.wdrbo.figures import questions as question_figures
from companion.papers.wdrbo.figures import theory as theory_figures
from companion.papers.wdrbo.game import bump_laws, contexts_of, stream_of
from companion.papers.wdrbo.general import laws
from companion.papers.wdrbo.plan import METHOD_NAMES, PUBLISHED, Plan
from companion.papers.wdrbo.printed import side_by_side
from companion.papers.wdrbo.studies import (
    bound,
    choices,
    constants,
    example,
    exercises,
    findings,
    live,
    paper,
    picture,
    radius,
    robustness,
)
from companion.report import evidence as stored_evidence
from companion.report import where_of
from companion.report.figures import DARK, LIGHT

# -- the bound ---------------------------------------------------------------------------------------------------------


def test_worst_law_of_the_picture_lies_in_the_ball_and_attains_the_worst_mean():
    shown = picture.ball_picture(1, 0.1)
    spacing = shown.contexts[1] - shown.contexts[0]
    moved = np.abs(np.cumsum(shown.worst - shown.told)).sum() * spacing
    assert moved <= 0.1 + INNER_ROUNDING
    at = int(np.abs(picture.RADII - 0.1).argmin())
    assert shown.values[0] @ shown.worst == pytest.approx(shown.exact[0, at], abs=INNER_ROUNDING)
    assert (shown.penalised <= shown.exact + INNER_ROUNDING).all()
    assert shown.means[0] - shown.means[1] == pytest.approx(picture.LEAD)
    turned = shown.switch("penalised")
    before = turned - 1e-9 > picture.RADII
    assert (shown.penalised[1, before] <= shown.penalised[0, before]).all()


def test_bounds_on_arms_with_nothing_in_common_are_the_closed_forms():
    study = constants.constant_study(20)
    for row in study.rows.to_dict("records"):
        lam, logarithm = row["lambda"], math.log1p(1 / row["lambda"])
        assert row["regret"] == pytest.approx(20.0)
        log = 4 * math.log(6 / 0.05)
        appendix = 4 * math.sqrt(lam) * math.sqrt(20 * (19 * logarithm + log))
        main = 4 * math.sqrt(lam) * math.sqrt(20 * 19 * logarithm + log)
        assert row["appendix"] == pytest.approx(appendix)
        assert row["main"] == pytest.approx(main)
        ours = 2 * math.sqrt(20 * (2 * 20 + 1.2550 * math.log(20)))
        assert row["ours"] == pytest.approx(ours, rel=1e-4)  # the constant to four digits
    assert 16 * study.violated_below * math.log1p(1 / study.violated_below) == pytest.approx(1.0)


def test_sentence_on_the_constants_follows_the_rows():
    study = constants.constant_study(20)
    assert "at none of the regularisers" not in constants.say_constants(study).markdown
    high = dataclasses.replace(study, rows=study.rows.assign(main=1e9, appendix=1e9))
    text = constants.say_constants(high).markdown
    assert text.count("at none of the regularisers") == 2
    assert "promises" not in text
    low = dataclasses.replace(study, rows=study.rows.assign(ours=0.1))
    assert "**fails somewhere as well**" in constants.say_constants(low).markdown


@pytest.fixture(scope="module")
def measured():
    return bound.bound_study(3, 12, 16, 0.1, 0.5, 0.1)


def test_chains_end_at_the_bounds_that_are_drawn(measured):
    last = measured.rows[measured.rows.rounds == 16].set_index("setting")
    assert measured.held == {bound.GENERAL: 12, bound.DATA: 12}
    for (setting, form), chain in measured.chains.items():
        column = "ours" if form == "ours" else "appendix"
        assert chain.steps[-1].value == pytest.approx(last[column][setting], rel=CHAIN_RTOL)
        assert chain.steps[0].value == pytest.approx(last.regret[setting], rel=CHAIN_RTOL)
        assert chain.holds
    assert (measured.rows.largest <= measured.rows.ours).all()
    assert "no run exceeds" in bound.say_bound(measured).markdown
    broken = dataclasses.replace(measured, above={bound.GENERAL: 2, bound.DATA: 0})
    assert "**2 of 12 runs exceed" in bound.say_bound(broken).markdown
    wrong = {key: chain.scaled("optimism", 0.01) for key, chain in measured.chains.items()}
    assert "**Not all inequalities hold" in bound.say_chain(dataclasses.replace(measured, chains=wrong)).markdown


def test_brief_study_has_the_same_numbers(measured):
    brief = bound.bound_study(3, 12, 16, 0.1, 0.5, 0.1, brief=True)
    pd.testing.assert_frame_equal(brief.rows, measured.rows)
    assert not brief.chains


def test_only_certified_upper_gains_enter_the_bounds(measured):
    assert (measured.rows.bracket >= 1.0).all()
    game = bound.games(3, 12, 16, 0.1, 0.5, 0.1)[bound.GENERAL]
    gains = bound._gains(game, 16)
    # No design of 16 points of a grid that was played has a larger gain than the upper end.
    assert measured.rows.gain.max() == pytest.approx(gains[16][0])
    assert bound.play(game).final_log_det.max() <= 2.0 * gains[16][0]


def test_radii_and_what_they_do():
    study = radius.radius_study(0, 6, 12, 1.0, 0.1)
    row = study.at(100)
    assert row.practice == pytest.approx(0.03)
    pd.testing.assert_series_equal(radius.radius_study(0, 6, 12, 1.0, 0.1, brief=True).at(100), row)
    assert row.halved == pytest.approx(row.theory / 2)
    by_hand = math.sqrt(2 * (math.log(10) + math.log1p(200)) / 100)
    assert row.single == pytest.approx(by_hand)
    assert study.radii[study.radii.contexts >= study.enough_from].theory.max() < 1.0
    assert study.radii[study.radii.contexts < study.enough_from].theory.min() >= 1.0
    game = radius.TheoryGame(runs=6, horizon=12, lam=1.0, noise=0.1, seed=0)
    assert game.radius_at(1) == 1.0
    assert game.radius_at(6) == covering.theory_radius(5, 1.0, 0.1, 1.0, 0.1, 0.3, 1, 1)
    law = bump_laws(contexts_of(game), 12, stream_of(game, "laws"))[0]
    values = bound.play(game).values
    reward = np.array([[law @ values[r, x] for x in range(values.shape[1])] for r in range(6)])
    lot = 12 * np.mean([row.max() - row.mean() for row in reward])
    assert study.regret.set_index("radius").regret[radius.CHANCE] == pytest.approx(lot)


def test_sentences_on_the_radius_word_both_outcomes():
    study = radius.radius_study(0, 6, 12, 1.0, 0.1)
    enough = study.radii.assign(needed=0.5 * study.radii.practice)
    short = study.radii.assign(needed=2.0 * study.radii.practice)
    assert "is more than that" in radius.say_radii(dataclasses.replace(study, radii=enough)).markdown
    assert "is less than that" in radius.say_radii(dataclasses.replace(study, radii=short)).markdown
    wide = dataclasses.replace(study, radii=study.radii.assign(least=0.5))
    assert "Either way the ball holds every law" in radius.say_radii(study).markdown
    assert "In between is the diameter" in radius.say_radii(wide).markdown
    never = dataclasses.replace(study, enough_from=math.inf)
    assert "stays above the diameter" in radius.say_radii(never).markdown
    best = study.regret.copy()
    at = best.radius == "0.3/√n"
    best.loc[at, ["regret", "minus radius 0", "difference low", "difference high"]] = [0.1, -3.0, -4.0, -2.0]
    assert "the least is at 0.3/√n" in radius.say_regret(dataclasses.replace(study, regret=best)).markdown


def test_example_by_brute_force():
    shown = example.general_example()
    modulus = np.linspace(0.0, 1.0, 2001)
    told, true = (law.quantile((np.arange(20_000) + 0.5) / 20_000) for law in laws())

    def expected(contexts):
        return 1 - np.abs(contexts - 0.5).mean() / (modulus + 0.2) - np.sqrt(modulus + 0.05)

    row = shown.rows.iloc[0]
    best = [int(expected(c).argmax()) for c in (told, true)]
    assert row["best |y|, told law"] == pytest.approx(modulus[best[0]], abs=FINE_GRID_OPTIMUM)
    assert row["best |y|, true law"] == pytest.approx(modulus[best[1]], abs=FINE_GRID_OPTIMUM)
    lost = expected(true)[best[1]] - expected(true)[best[0]]
    assert row["loss of the told one"] == pytest.approx(lost, abs=SAMPLED_LOSS)
    everywhere = dataclasses.replace(shown, rows=shown.rows.assign(radius=0.05))
    assert "does not speak about the paper's own example" in example.say_example(everywhere).markdown


# -- exercises ---------------------------------------------------------------------------------------------------------


def test_solutions_are_directives_with_all_numbers_filled_in():
    for sentence in (
        exercises.square(),
        exercises.twice(),
        exercises.regulariser(),
        exercises.rounds(),
        exercises.coin(),
        exercises.order(),
    ):
        text = sentence.markdown
        assert text.startswith("```{solution} ch5-ex-")
        assert text.count("{solution}") == 1
        assert "{{" not in text
    # By hand: (1/2 - 1/5)^2, and 2/5 of the mass moved to one.
    assert "gives 0.090" in exercises.square().markdown
    assert "gives 0.550" in exercises.square().markdown
    inside = sum(math.comb(100, k) for k in range(47, 54)) / 2**100
    assert f"probability {inside:.3f}" in exercises.coin().markdown


def test_first_round_above_the_printed_bound_by_trying_all():
    for lam, delta in ((0.01, 0.05), (0.001, 0.1)):
        each, log = math.log1p(1 / lam), 4 * math.log(6 / delta)
        first = next(t for t in range(1, 100) if t > 4 * math.sqrt(lam * t * ((t - 1) * each + log)))
        assert exercises.first_exceeded(lam, delta) == first
    assert "from $T=9$ on" in exercises.rounds().markdown
    assert "regret 9 and bound 8.99" in exercises.rounds().markdown


def test_shares_of_the_printed_bound_by_hand():
    log = math.log(2)
    ours = 2 * math.sqrt(10 * (2 / log * 10 * log + 1.2551 * math.log(20)))
    printed = 4 * math.sqrt(10 * (9 * log + 4 * math.log(120)))
    assert constants.share_of_printed(10) == pytest.approx(ours / printed, rel=1e-4)  # the constant to five digits
    study = constants.constant_study(20)
    assert list(study.shares.values()) == sorted(study.shares.values())
    assert f"{study.shares[10]:.0%} of the appendix's form after 10 rounds" in constants.say_constants(study).markdown


def test_settings_are_those_of_the_code():
    rows = choices.setting_rows().set_index("setting")
    assert rows.here["WDRBO: radius"] == "0.3/√n"
    assert rows.here["DRBO-MMD, minmax: radius"] == "4.15/√n, the code's formula with δ = 0.1"
    assert rows.here["SBO-KDE, DRBO-KDE: draws"] == "512 and 1024"
    assert rows.here["seeds"].startswith("15; 50 for WDRBO, ERBO,")
    assert "Three-hump camel: N(0.5, sd 0.2)" in rows.here["known shift: laws told"]
    assert (rows != "").all(axis=None)
    assert experiment_figures.settings().where == where_of(choices.setting_rows())


def test_newsvendor_orders_by_brute_force():
    penalised, exact, steep = exercises.orders()
    assert steep[0] == 0.0
    np.testing.assert_allclose(steep[1:], 8.0)
    assert penalised[0] == exact[0] == pytest.approx(0.4)
    # Demand is 0.4 on average; its worst law can be brought to nothing from radius 0.4 on, and the profit before that.
    profit = 8 * np.minimum(np.clip(stats.norm(0.4, 0.1).rvs(200_000, random_state=0), 0, 1), 0.4).mean() - 1.6
    turned = exercises.SIZES[np.flatnonzero(penalised != penalised[0])[0]]
    assert turned - 0.01 <= profit / 8 <= turned


def test_number_of_seeds_by_simulation():
    needed = exercises._needed(0.5, 0.8, 0.05)
    assert exercises._power(0.5, needed, 0.05) >= 0.8 > exercises._power(0.5, needed - 1, 0.05)
    draws = np.random.default_rng(0).normal(0.5, 1.0, (4000, needed))
    seen = stats.ttest_1samp(draws, 0.0, axis=1).pvalue < 0.05
    assert seen.mean() == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / 4000) + 0.01)
    assert math.isinf(exercises._needed(1e-4, 0.8, 0.05))


def test_pairing_is_judged_by_the_correlation(small):
    """Also where no number of seeds is enough."""
    block = small.both.tables["runs"]
    seeds = block.seed.to_numpy()
    shared = changed(small, total=np.sin(seeds) + 1e-9 * np.arange(len(block)))
    assert "pairing pays" in exercises.seeds(shared).markdown
    opposite = np.where(block.method == "erbo", -1.0, 1.0)
    assert "brings nothing" in exercises.seeds(changed(small, total=opposite * np.sin(seeds))).markdown


# -- stored results: a small store made here ---------------------------------------------------------------------------

QUICK = {
    "horizon": 10,  # as many rounds as marks: what tests growth reads ten of them
    "initial": 5,
    "samples": 16,
    "robust_samples": 16,
    "discrepancy_nodes": 9,
    "minmax_nodes": 16,
    "told_nodes": 10,
}
PLAN = Plan(
    problems=("newsvendor", "camel"),
    runs=3,
    more=4,
    code_runs=2,
    spreads=("sd",),
    radii=(1.0,),
    radius_problems=("newsvendor",),
    region_problems=("newsvendor",),
    grids=(),
    grid_problems=(),
    shifts=(-0.1, 0.0),
    shift_problems=("newsvendor",),
    two_decisions=False,
    timed=("ackley",),
    timed_code=("erbo",),
    timing_seeds=2,
    ball_sizes=(5, 9),
    draws=3,
    plane_draws=1,
    overrides=QUICK,
)


@pytest.fixture(scope="module")
def small(tmp_path_factory, root):
    folder = tmp_path_factory.mktemp("store")
    (folder / "data").mkdir()
    (folder / "data" / "reported").symlink_to(root / "data" / "reported")
    paper_scale.store(folder, 1, plan=PLAN)
    return paper.Evidence(side_by_side(folder))


def changed(evidence, **columns):
    """The same evidence with columns of the runs replaced."""
    runs = evidence.both.tables["runs"].assign(**columns)
    return paper.Evidence(dataclasses.replace(evidence.both, tables={**evidence.both.tables, "runs": runs}))


def lower(evidence, low, high=()):
    """Made-up totals: ``low`` methods near one, ``high`` near a hundred, the others near ten; seeds move all alike."""
    runs = evidence.both.tables["runs"]
    level = np.where(runs.method.isin(low), 1.0, np.where(runs.method.isin(high), 100.0, 10.0))
    # A little of its own for each run, as a t-test needs a spread.
    own = 0.001 * np.sin(np.arange(len(runs)))
    total = level + 0.01 * runs.seed + own
    return changed(evidence, total=total, early=total / 5, late=total / 5)


def test_levels_are_means_of_the_papers_seeds(small):
    table = paper.level_rows(small, "text").set_index("method")
    assert list(table.columns) == ["Newsvendor", "Three-hump camel"]
    totals = small.both.part("camel", "erbo").total.loc[[0, 1, 2]]
    shown = float(table.loc["ERBO", "Three-hump camel"].split(" ± ")[0])
    assert shown == pytest.approx(totals.mean(), rel=CURVE_DIGITS_RTOL)
    assert len(table) == len(METHOD_NAMES)


def test_differences_are_paired_and_corrected(small):
    rows = paper.difference_rows(small, "text", "total").set_index(["problem", "method"])
    assert len(rows) == 2 * (len(METHOD_NAMES) - 1)
    one, two = (small.both.part("newsvendor", name).total for name in ("sbo-kde", "wdrbo"))
    gap = (one - two).dropna()
    row = rows.loc["newsvendor", "sbo-kde"]
    assert row.percent == pytest.approx(100 * gap.mean() / two.loc[gap.index].mean())
    assert row.seeds == len(gap)
    plain = stats.ttest_1samp(gap, 0.0).pvalue
    assert row["adjusted p"] >= plain


def test_sentences_follow_the_stored_runs(small):
    best, worst = lower(small, ["wdrbo"]), lower(small, [], ["wdrbo"])
    text = paper.say_differences(best).markdown
    assert "16 show the other method to be worse than WDRBO and 0 show it to be better" in text
    assert "GP-UCB on Newsvendor" in paper.say_differences(worst).markdown
    pays, costs = (robustness.say_robustness(evidence).markdown for evidence in (best, worst))
    assert "shown to cost: nowhere" in pays
    assert "shown to pay: nowhere" in costs
    assert "(4 seeds), WDRBO is shown to be better on 2 and worse on 0 of 2" in pays
    assert "(4 seeds), WDRBO is shown to be better on 0 and worse on 2 of 2, and has the lower mean on 0" in costs
    assert "in the published program's reading (2 seeds)" in costs
    led = lower(small, ["wdrbo", "erbo", "sbo-kde"])
    assert "in the text's reading it holds" in robustness.say_ranking(led).markdown
    behind = lower(small, ["drbo-mmd", "drbo-mmd-minmax", "stableopt"])
    assert "is contradicted" in robustness.say_ranking(behind).markdown
    figure = [example.say_figure_1(evidence).markdown for evidence in (best, worst)]
    assert "it holds (" in figure[0]
    assert "it is contradicted (" in figure[1]


def listed_items(text):
    """The items of a numbered list, and how many sentences each has."""
    items = re.split(r"^\d+\. \*\*[^*]+\*\* ", text, flags=re.MULTILINE)[1:]
    return [(item.strip(), len(re.findall(r"[.?](?=\s|$)", item))) for item in items]


def test_summary_is_filled_from_the_results_given(small):
    for evidence in (small, lower(small, ["wdrbo"]), lower(small, [], ["wdrbo"])):
        text = findings.say_findings(evidence).markdown
        assert "{" not in text
        assert "nan" not in text
        found = listed_items(text)
        assert len(found) == 6
        assert all(1 <= sentences <= 5 for _, sentences in found), found
    text = findings.say_findings(lower(small, ["wdrbo"])).markdown
    assert "**WDRBO against ERBO**, its own form with radius zero. On the data-driven problems, in the text's" in text
    assert "WDRBO is shown to be better on 2 and worse on 0 of 2, and has the lower mean on 2" in text
    assert "in the published program's reading (2 seeds)" in text


def test_summary_without_shifts_figure_1_or_the_codes_reading(small):
    runs = small.both.tables["runs"]
    kept = runs[(runs.block == "figures") & (runs.reading == "text")]
    bare = paper.Evidence(dataclasses.replace(small.both, tables={**small.both.tables, "runs": kept}))
    items = [item for item, _ in listed_items(findings.say_findings(bare).markdown)]
    assert items[3].endswith("That WDRBO has less regret than ERBO there was not run.")
    assert "was not run in the code's reading" in items[4]
    assert "of SBO-KDE it " in items[4]
    assert "published program" not in items[5]
    assert items[5].endswith("With a known shift it was not run.")
    assert "in the code's reading it was not run." in robustness.say_ranking(bare).markdown
    assert "shown to pay" in robustness.say_robustness(bare).markdown
    alone = paper.Evidence(dataclasses.replace(small.both, tables={**small.both.tables, "runs": runs.iloc[:0]}))
    assert "and below GP-UCB on most problems: of WDRBO it was not run;" in findings.say_findings(alone).markdown
    assert "Figure 1 is not among" in example.say_figure_1(alone).markdown
    assert "No other method" in paper.say_differences(alone).markdown
    assert paper.rank_rows(alone).empty


def test_outcomes_are_put_together():
    told = findings._outcomes([("holds", "with a"), ("undecided", "with b"), ("holds", "with c")])
    assert told == "holds with a and with c and stays undecided with b"
    assert findings._outcomes([("not-testable", "with a"), ("not-testable", "with b")]) == "was not run"
    assert findings._outcomes([("contradicted", "with a")]) == "is contradicted with a"


def test_levels_of_the_bounds_say_whether_they_are_below_the_trivial_one(measured):
    text = findings._levels(measured)
    last = measured.rows[measured.rows.rounds == 16].set_index("setting")
    for value in (last.regret[bound.GENERAL], last.regret[bound.DATA]):
        assert f"{value:.1f}" in text
    assert f"{last.ours[bound.DATA]:.0f}" in text
    rows = measured.rows
    for above, words in ((2.0, "neither says anything"), (0.5, "below it in both")):
        other = dataclasses.replace(measured, rows=rows.assign(ours=above * rows.trivial))
        assert words in findings._levels(other)
    split = rows.assign(ours=rows.trivial * np.where(rows.setting == bound.DATA, 2.0, 0.5))
    assert "one of the two only" in findings._levels(dataclasses.replace(measured, rows=split))


def test_live_runs_are_the_beginning_of_the_stored_ones(small):
    again = live.rerun_live(small, 2, 4)
    assert len(again) == 2 * 2 * len(live.METHODS)
    assert set(again["rounds"]) == {4}
    assert again.stored.notna().all()
    assert live.agree(again)
    assert "all are equal" in live.say_live(again).markdown
    assert "**not all" in live.say_live(again.assign(stored=again.stored * 1.01)).markdown


def test_times_are_ratios_within_a_process(small):
    rows = paper.time_rows(small).set_index("method")
    times = small.both.tables["timings"]
    mine = times[(times.problem == "ackley") & (times.reading == "text")].pivot(
        index="seed", columns="method", values="total"
    )
    expected = (mine["stableopt"] / mine["erbo"]).mean()
    assert rows.loc["StableOpt", "our ratio"] == pytest.approx(expected, rel=CHAIN_RTOL)
    assert rows.loc["StableOpt", "printed ratio"] == pytest.approx(77.6 / 43.8)
    bare = dataclasses.replace(small.both, tables={**small.both.tables, "timings": times.iloc[:0]})
    assert "No times" in paper.say_times(paper.Evidence(bare)).markdown


def test_coverage_and_shifts_are_the_stored_ones(small):
    rows = robustness.coverage_rows(small)
    raw = small.both.tables["coverage"]
    np.testing.assert_allclose(rows.covered, raw.covered / raw.draws)
    shifts = robustness.shift_rows(small)
    assert set(shifts["shift"]) == {-0.1, 0.0}
    assert set(shifts.method) == set(robustness.ROBUST)
    where = {"variant": "shift=0", "block": "shift"}
    one, two = (small.both.part("newsvendor", name, **where).total for name in ("wdrbo", "erbo"))
    row = shifts[(shifts["shift"] == 0.0) & (shifts.method == "wdrbo")].iloc[0]
    assert row.percent == pytest.approx(100 * (one - two).mean() / two.mean())
    constants_run = robustness.radius_rows(small)
    assert list(constants_run.constant) == [0.3, 1.0]


def test_figures_draw_and_describe_what_was_run(small):
    for number in (2, 3, 4):
        for reading in ("text", "code"):
            figure = experiment_figures.curves(small, number, reading)
            assert "Newsvendor" in figure.alt
            assert f"{reading}'s reading" in figure.caption
    # The paper's Figure 3 shows all methods.
    assert set(PUBLISHED) < set(paper.FIGURES[3])
    first = experiment_figures.figure_1(example.general_example(), small)
    final = small.both.part("general", "erbo", variant=FIRST, block=BLOCK).total.loc[[0, 1, 2]].mean()
    assert f"ERBO {final:.2f}" in first.alt
    for figure in (
        experiment_figures.paired(small),
        experiment_figures.ranks(small),
        question_figures.coverage(small),
        question_figures.robustness(small),
        question_figures.radius(small),
        theory_figures.ball(picture.ball_picture(0, 0.1)),
    ):
        assert len(figure.render(DARK)) > 10_000


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
    shifts, radii = robustness.shift_rows(evidence), robustness.radius_rows(evidence)
    data = robustness.data_driven_rows(evidence)
    for figure, shown in (
        (question_figures.robustness(evidence), int((shifts.shown != 0).sum() + (data.shown != 0).sum())),
        (question_figures.radius(evidence), int((radii.shown != 0).sum())),
    ):
        covered, on_top = filled_marks(figure)
        assert covered == 0
        assert on_top == shown > 0


def test_runs_that_broke_down_are_counted_where_the_method_is_shown(small):
    assert "mean of 3 seeds with" in experiment_figures.curves(small, 3).caption
    assert paper.say_broken(small).markdown.startswith("None of the ")
    curves, record = small.both.tables["curves"].copy(), dict(small.both.record)
    one = (curves.block == "figures") & (curves.reading == "text") & (curves.problem == "newsvendor")
    curves.loc[one & (curves.method == "drbo-mmd"), "runs"] = 2
    label = "wdrbo/newsvendor drbo-mmd seed 1 (reading=text)"
    record["settings"] = record["settings"] | {"failures": {label: "CompanionError: a gap"}}
    tables = {**small.both.tables, "curves": curves}
    fewer = paper.Evidence(dataclasses.replace(small.both, tables=tables, record=record))
    said = "mean of 3 seeds (DRBO-MMD on Newsvendor: mean of 2 of 3, 1 run broke down)"
    assert said in experiment_figures.curves(fewer, 3).caption
    assert "broke down" not in experiment_figures.curves(fewer, 2).caption  # without that method
    assert "mean of 2 of 3, 1 run broke down" in experiment_figures.levels(fewer).caption
    text = paper.say_broken(fewer).markdown
    assert text.startswith("**1 of the ")
    assert "newsvendor drbo-mmd seed 1" in text


def test_claims_table_leaves_the_companions_questions_out(small):
    parts, extra = questions.bound(small.both)
    assert len(parts) == 5
    assert extra["coverage"]
    entries = [
        {"kind": "claim", "claim": "a", "source": "Figure 1", "verdict": "holds", "parts": [{"verdict": "holds"}] * 2},
        {"kind": "claim", "claim": "b", "source": "companion", "verdict": "undecided", "parts": []},
        {"kind": "cell", "verdict": "not-testable"},
    ]
    rows = robustness.claim_rows(entries)
    assert list(rows.claim) == ["a"]
    assert rows.parts[0] == "2 holds"


def test_counts_of_claims_leave_the_companions_questions_out():
    entry = {"location": "Theorem 1", "title": "regret", "teeth": [{}], "status": "holds"}
    claim = {"kind": "claim", "source": "Figure 1", "verdict": "holds"}
    asked = {"kind": "claim", "source": "companion", "verdict": "contradicted"}
    where = stored_evidence.Where()
    text = stored_evidence.say_checked(stored_evidence.Checked([entry], [claim, asked, asked], [], where)).markdown
    assert "Of the 1 claims in words, 1 holds (" in text
    assert "and 2 questions of the companion's own" in text
    text = stored_evidence.say_checked(stored_evidence.Checked([entry], [claim], [], where)).markdown
    assert "question" not in text


def test_repairs_are_counted_by_their_reason():
    mended = {"status": "holds-with-corrected-constant", "kind": "inequality", "location": "Theorem", "reason": "why"}
    loose = {
        "status": "holds",
        "kind": "probability",
        "location": "Section 4.2, Lemma 7; Lemma 20",
        "reason": "The centre.",
    }
    ledger = [mended | {"id": name} for name in ("thm-5", "thm-9", "lemma-3")] + [loose | {"id": "lemma-7"}]
    text = findings.say_repairs(stored_evidence.Checked(ledger, [], [], stored_evidence.Where())).markdown
    assert "Of the 3 entries that need a repair, 2 do for one reason" in text
    assert "Section 4.2, Lemma 7, was run in another form than printed: the centre. So" in text
    ledger = [entry | {"status": "holds", "reason": ""} for entry in ledger[:3]]
    text = findings.say_repairs(stored_evidence.Checked(ledger, [], [], stored_evidence.Where())).markdown
    assert text == ""


LEADS = [
    {"id": "E2", "values": {"violated_below": 0.0148}},
    {"id": "E20", "values": {"least": 1.071, "theory": 63.2}},
]
TALLY = {"better": 1, "worse": 2, "not told apart": 4}


def judged(verdict, readings=(), **outcomes):
    """Verdicts that the headline reads."""
    told = TALLY | {"lower mean": 3, "problems": 7, "worse, all": 1}
    seeds = {"text": 50, "code": 5}
    asked = {"kind": "claim", "cell": "question-robustness", "verdict": "undecided", "outcomes": outcomes}
    asked["readings"] = {name: told | {"seeds": seeds[name]} for name in readings}
    return [{"kind": "claim", "cell": "robust-beats-nonrobust", "verdict": verdict}, asked]


def test_headline_follows_the_evidence():
    both = {"readings": ("text", "code"), "wdrbo, shifted": TALLY}
    text = headline.headline([], judged("holds", **both), LEADS)
    assert "below 0.0148" in text
    assert "at least 1.07 diameters of their set." in text
    assert "in the paper's example holds." in text
    assert "of 7 (lower mean on 3) in the text's reading with our search (50 seeds), and better on 1" in text
    assert "of 7 (lower mean on 3) in the published program's reading (5 seeds)." in text
    assert text.count(". ") == 3
    assert len(text.split()) <= 120
    strict = headline.data_driven("code", TALLY | {"lower mean": 3, "problems": 7, "worse, all": 1, "seeds": 5})
    assert "worse on 2 of 7 (1 when corrected for all methods), and has the lower mean on 3" in strict
    for verdict, words in headline.OUTCOMES.items():
        assert f"example {words}." in headline.headline([], judged(verdict, **both), LEADS)


def test_headline_does_without_what_is_lacking():
    text = headline.headline([], judged("not-testable", ("text",)), LEADS)
    assert "was not run." in text
    assert "shift" not in text
    assert "shown" not in headline.headline([], judged("holds", **{"wdrbo, shifted": dict.fromkeys(TALLY, 0)}), LEADS)
    assert headline.headline([], [], LEADS[1:]).startswith("Its radius after")
    assert headline.headline([], [], []) == ""
