"""The chapter's parameters, studies and stored results hold together."""

import dataclasses
import math
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure as Canvas
from scipy import stats
from sentences import numbers, turned

from companion.information import gain_bracket
from companion.papers.tsrsr.claims import ranking
from companion.papers.tsrsr.claims.printed import METHOD_OF, Results
from companion.papers.tsrsr.figures import experiments as experiment_figures
from companion.papers.tsrsr.plan import store as paper_scale
from companion.papers.tsrsr.plan.runs import Plan
from companion.papers.tsrsr.studies import (
    batches,
    bound,
    duplicates,
    exercises,
    findings,
    housing,
    live,
    multisets,
    paper,
    picture,
    readings,
)
from companion.papers.tsrsr.theory import bounds
from companion.report import evidence as stored_evidence
from companion.report.figures import LIGHT

# -- studies without stored results ------------------------------------------------------------------------------------


def test_picture_shows_what_the_rule_minimises():
    shown = picture.one_batch(0)
    for i, index in enumerate(shown.chosen):
        ratio = (shown.draws[i].max() - shown.mean) / shown.sd[i]
        assert index == np.argmin(ratio)
        assert shown.sd[i + 1, index] < shown.sd[i, index]
    # The standard deviation after the batch, by a dense solve with data and batch together.
    x = np.concatenate([shown.observed, shown.x[shown.chosen]])

    def kernel(a, b):
        return np.exp(-0.5 * ((a[:, None] - b[None, :]) / picture.LENGTHSCALE) ** 2)

    dense = kernel(x, x) + picture.NOISE**2 * np.eye(len(x))
    across = kernel(x, shown.x)
    variance = 1 - np.einsum("ij,ij->j", across, np.linalg.solve(dense, across))
    np.testing.assert_allclose(shown.sd[-1] ** 2, variance, atol=1e-8)


def test_two_arms_are_what_simulation_gives():
    table = multisets.two_arms(np.array([4, 10])).set_index("n")
    assert table.loc[4, "sum"] == 3.0  # 1 + 1 + 1/2 + 1/2
    assert table.loc[4, "lemma 5, sets"] == pytest.approx(2.0)
    assert table.loc[10, "sum"] == pytest.approx(2 * (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5))
    generator = np.random.default_rng(0)
    pairs = generator.standard_normal((200_000, 2))
    per_point = (pairs.max(axis=1) - pairs[:, 0]).mean()
    assert table.loc[10, "regret"] / 10 == pytest.approx(per_point, abs=4 * 0.6 / math.sqrt(len(pairs)))


def test_set_reading_fails_where_it_is_said_to_and_not_before():
    lemma, theorem = multisets.first_failures()
    before, at = multisets.two_arms(np.array([theorem - 1, theorem])).to_dict("records")
    assert before["regret"] <= before["theorem 1, sets"]
    assert at["regret"] > at["theorem 1, sets"]
    rows = multisets.two_arms(np.array([lemma - 1, lemma])).to_dict("records")
    assert rows[0]["sum"] <= rows[0]["lemma 5, sets"] * (1 + 1e-12)
    assert rows[1]["sum"] > rows[1]["lemma 5, sets"]
    wide = multisets.two_arms(np.arange(1, 400))
    assert (wide["sum"] <= wide["lemma 5, multisets"]).all()


def test_enumeration_meets_the_closed_form_and_sets_fall_short():
    study = multisets.multiset_study(3, 2)
    np.testing.assert_allclose(study.ratios.multisets, study.ratios.closed, rtol=1e-9)
    several = study.ratios[study.ratios.m > 1]
    assert (several.sets < several.closed * (1 - 1e-6)).all()


def test_bound_study_ends_above_where_it_starts():
    study = bound.bound_study(1, 3, 8, 1.0, 60)
    assert set(study.rows.batches) == {2, 4, 8, 16, 32}
    assert (study.rows.regret <= study.rows["sharper form"]).all()
    assert (study.rows["sharper form"] <= study.rows["theorem 1"]).all()
    for chain in study.chains.values():
        assert chain.steps[0].name == "measured"
        assert chain.steps[-1].statement == "theorem-1"
        assert chain.holds


def test_trivial_line_is_the_range_of_the_function_and_not_a_bound_of_it():
    found = bound.mean_range()
    # Another route: nested draws by a Cholesky factor with a little noise, from another generator.
    root = np.linalg.cholesky(bound.instance() + 1e-10 * np.eye(bound.POINTS))
    functions = np.random.default_rng(8).standard_normal((10_000, bound.POINTS)) @ root.T
    assert found.estimate == pytest.approx(np.ptp(functions, axis=1).mean(), abs=0.05)
    assert found.estimate < 0.5 * bounds.trivial_bound(bound.POINTS, 1)
    study = bound.bound_study(1, 3, 8, 1.0, 60)
    np.testing.assert_allclose(study.rows.trivial, 3 * study.rows.batches * found.estimate)
    assert study.chains[1.0].side["trivial"] == pytest.approx(24 * found.estimate)


def test_least_ratio_to_the_trivial_bound_is_below_the_ratio_for_any_instance():
    for row in bound.vacuous().to_dict("records"):
        variance = bound.PAPER_NOISE**2
        for candidates in (2, 1000, 10**6):
            # With the smallest gain there can be: that of a single point.
            gain = 0.5 * math.log1p(1 / variance)
            printed = bounds.theorem1(candidates, row["T"], row["m"], variance, gain)
            sharp = bounds.theorem1_sharp(candidates, row["T"], row["m"], variance, gain)
            trivial = bounds.trivial_bound(candidates, row["T"] * row["m"])
            assert printed / trivial >= row["Theorem 1 / trivial, at least"]
            assert sharp / trivial >= row["sharper form / trivial, at least"]


def test_batch_study_has_the_blind_and_the_sequential_end():
    study = batches.batch_study(0, 20, 60)
    part = study.rows[study.rows.noise == 1.0].set_index("m")
    assert list(part.index) == [1, 2, 4, 5, 10, 20]
    assert part.loc[20, "first"] == pytest.approx(part.loc[20, "regret"])
    assert part.loc[20, "regret"] > part.loc[1, "regret"]
    ends = {"excess low": -0.01, "excess high": 0.04}
    flat = dataclasses.replace(study, rows=study.rows.assign(regret=1.0, **ends))
    assert batches.free_up_to(flat, 1.0) == 20
    assert {20, 4} <= set(numbers(batches.free_in_words(flat, 1.0)))  # the size, and the percentage that is ruled out
    rising = study.rows.assign(regret=study.rows.m.astype(float), **{"excess low": study.rows.m - 1.0})
    steep = dataclasses.replace(study, rows=rising)
    assert batches.free_up_to(steep, 1.0) == 1
    assert batches.factor(steep, 1.0, 20) == 20
    assert turned(batches.free_in_words(flat, 1.0), batches.free_in_words(steep, 1.0))
    assert batches.free_in_words(steep, 1.0) in batches.say_batches(steep).markdown
    assert 4 not in numbers(batches.free_in_words(steep, 1.0))
    # The same regrets, once with intervals that hold zero: only what is said of small batches may turn.
    cheap = dataclasses.replace(study, rows=rising.assign(**ends))
    assert turned(without_free(cheap), without_free(steep))
    assert not turned(without_free(cheap), without_free(dataclasses.replace(cheap, rows=cheap.rows.assign(first=1.0))))
    # Regret like m^2 grows four times from m = 10 to 20, beside a growth in proportion of two.
    square = dataclasses.replace(study, rows=rising.assign(regret=rising.m.astype(float) ** 2))
    assert not Counter([4.0, 4.0, 2.0]) - Counter(numbers(batches._last_growth(square)))
    assert batches._last_growth(square) in batches.say_batches(square).markdown


def without_free(study):
    """What is said of a study, less the words on the batch sizes that are free."""
    text = batches.say_batches(study).markdown
    for noise in batches.NOISES:
        text = text.replace(batches.free_in_words(study, noise), "")
    return text


def test_excess_of_a_batch_size_is_that_of_paired_runs():
    study = batches.batch_study(0, 20, 60, brief=True)
    part = study.rows[study.rows.noise == 0.1].set_index("m")
    runs = {
        m: batches._play(bound.instance(), 0, 20 // m, m, 0.1, 60, "batch").regret  # the same functions for every m
        for m in (1, 5)
    }
    low, high = stats.ttest_rel(runs[5], runs[1]).confidence_interval(0.95)
    assert part.loc[5, "excess low"] == pytest.approx(low / runs[1].mean())
    assert part.loc[5, "excess high"] == pytest.approx(high / runs[1].mean())


def test_initial_design_lowers_rho_and_corollary_1_says_when_it_is_below_e():
    study = batches.design_study(0, 40, 20)
    exact = study.ratios.exact
    assert (exact.diff().dropna() <= 1e-12).all()
    assert (exact <= study.ratios.sharper).all()
    assert (study.ratios.sharper <= study.ratios["lemma 11"]).all()
    at = study.ratios.set_index("initial")
    assert at["lemma 11"].loc[study.needed] <= math.e < at["lemma 11"].loc[study.needed - 1]
    assert list(study.regret.initial) == [0, 10, 20]


def test_duplicates_are_counted_as_the_rules_choose():
    study = duplicates.duplicate_study(0, 4, 2)
    assert len(study.common) == 4 * 7
    assert study.common.distinct.between(0.1, 1).all()
    assert len(study.along) == 2 * 2 * 2 * duplicates.SETTING["batches"]
    ours = study.along.rule == "ts-rsr"
    said = {}
    for shares, sign in ((1.0, 0), (1.0 - 0.5 * ours, -1), (0.5 + 0.5 * ours, 1)):
        shown = dataclasses.replace(study, along=study.along.assign(distinct=shares))
        for noise in duplicates.NOISES:
            gap = duplicates._along_gap(shown, noise)
            assert (gap.low > 0, gap.high < 0) == (sign > 0, sign < 0)
            said[sign, noise] = duplicates._along_in_words(shown, noise)
            assert said[sign, noise] in duplicates.say_duplicates(shown).markdown
    for noise in duplicates.NOISES:
        for one, other in combinations((-1, 0, 1), 2):
            assert turned(said[one, noise], said[other, noise])


def test_solutions_are_directives_with_all_numbers_filled_in():
    for sentence in (
        exercises.ratio(),
        exercises.negative(),
        exercises.bias(0, 40),
        exercises.arms(0),
        exercises.horizon(),
    ):
        text = sentence.markdown
        assert text.startswith("```{solution} ch1-ex-")
        assert text.count("{solution}") == 1
        assert "{{" not in text
    ratios = (0.5 - np.array([1.0, 0.9])) / np.array([1.0, 0.01])
    assert {*np.round(ratios, 9), np.argmin(ratios) + 1} <= set(numbers(exercises.negative().markdown))


def test_no_observations_elsewhere_do_more_than_those_of_a_point_of_largest_variance():
    """Exercise 1, with a point of variance 0.1 that is perfectly correlated with one of variance 1."""
    prior, root = np.array([[0.1, math.sqrt(0.1)], [math.sqrt(0.1), 1.0]]), bounds.variance_ratio(5, 1.0)
    for at, limit in ((0, math.sqrt(1.5)), (1, root)):
        gram = prior[at, at] * np.ones((5, 5)) + np.eye(5)
        left = 0.1 - prior[0, at] ** 2 * np.linalg.inv(gram).sum()
        assert math.sqrt(0.1 / left) == pytest.approx(limit)


def test_the_bound_on_the_bias_uses_the_certified_gain():
    said = numbers(exercises.bias(0, 40).markdown)
    gain = gain_bracket(bound.instance(), 50, 1.0).upper
    count = len(bound.instance())
    width = math.sqrt(2 * math.log(2 * count * 10 / 0.1))
    assert round(width * math.sqrt(6) * math.sqrt(50 * 2 / math.log(2) * gain)) in said


def test_the_picture_says_what_the_next_choice_finds():
    shown = picture.one_batch(0)
    first, said = shown.chosen[0], numbers(picture.say_picture(shown).markdown)
    then, now = ((shown.maxima[i] - shown.mean[first]) / shown.sd[i, first] for i in (0, 1))
    factor = shown.sd[0, first] / shown.sd[1, first]
    assert not Counter(float(f"{value:.1f}") for value in (now, then, factor)) - Counter(said)


# -- stored results: a small store made here --------------------------------------------------------------------------


PLAN = Plan(
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
    return paper.Evidence.read(folder)


def test_the_data_behind_the_network_are_named_from_the_record(small):
    record, texts = small.record, {None: housing.say_data(small).markdown}
    for used in ("boston", "diabetes"):
        told = record | {"settings": record["settings"] | {"data": {"boston-4d": used}}}
        texts[used] = housing.say_data(dataclasses.replace(small, record=told)).markdown
    for used, text in texts.items():
        assert "Boston-NN-4D" in text
        assert [name for name, words in housing.USED.items() if words in text] == ([used] if used else [])
    assert turned(housing.USED["boston"], housing.USED["diabetes"])
    # The first sentence is on the runs; the note on the set stays, whatever they used.
    (note,) = {text.partition(". ")[2] for text in texts.values()}
    assert note


def test_ten_runs_on_bird_against_both_printed_rivals(root):
    said = numbers(exercises.bird(paper.load_paper_results(root)).markdown)
    assert {0.7, 0.3, 0.4} <= set(said)  # printed for TS-RSR, TS and DPPTS
    results = Results.read(root)
    for rival in ("ts", "dpp-ts"):
        difference = results.runs("bird-2d", "ts-rsr") - results.runs("bird-2d", rival)
        half = stats.t.ppf(0.975, len(difference) - 1) * difference.std(ddof=1) / math.sqrt(len(difference))
        ends = (difference.mean() - half, difference.mean() + half)
        assert {float(f"{end:.2f}") for end in ends} <= set(said)


def test_tables_show_printed_numbers_and_ours(small):
    table = paper.beside(small, 2)
    assert set(table.problem) == {"Ackley-2D, 0.001"}
    row = table[table.method == "TS-RSR"].iloc[0]
    assert numbers(row.printed) == [1.7, 1.1, 1]  # mean, spread and rank
    runs = small.runs("ackley-2d", "ts-rsr", "text", 10)
    assert row["ours, text"].startswith(readings.short(runs.mean()))
    assert len(table) == len(METHOD_OF) + 1


def test_rankings_follow_from_the_stored_runs(small):
    text = paper.say_rankings(small).markdown
    assert "{" not in text
    told = changed(small, lambda final: np.where(final.method == "ts-rsr", 1e-9, 10 + final.regret + final.seed % 3))
    assert set(paper.own_pairs(paper.outcomes(told))["all"]) == {ranking.AS_PRINTED}
    assert {judged.verdict for judged in told.lowest().values()} == {"holds"}
    assert set(paper.ranking_rows(told)["TS-RSR lowest, text"]) == {paper.LOWEST["holds"]}
    assert paper.first_verdicts(told) == {"holds": ["gp-2d", "ackley-2d"], "contradicted": [], "undecided": []}
    lost = changed(small, lambda final: np.where(final.method == "ts-rsr", 100.0 + final.seed % 3, final.regret))
    assert {judged.verdict for judged in lost.lowest().values()} == {"contradicted"}
    assert paper.first_verdicts(lost) == {"holds": [], "contradicted": ["gp-2d", "ackley-2d"], "undecided": []}
    about = paper.about_first(lost, "text")
    assert about in paper.say_rankings(lost).markdown
    assert all(name in about for name in ("GP-RBF-prior-2D", "Ackley-2D"))
    assert numbers(about).count(2) >= 2  # problems that the tables give to TS-RSR, and those where ours contradict it
    assert turned(paper.about_first(told, "text"), about)
    first = findings._first_in_words(lost)
    assert first in findings.say_findings(lost).markdown
    assert numbers(first).count(2) >= 3  # problems in the tables, and those contradicted in either reading
    assert turned(findings._first_in_words(told), first)


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
    assert paper.printed_first(other) == (["gp-2d"], ["ackley-2d"])
    assert paper.first_verdicts(other) == {"holds": ["gp-2d"], "contradicted": [], "undecided": []}
    assert other.lowest()["ackley-2d"].verdict == "holds"
    assert paper.elsewhere(told, "text") == ""
    said = paper.elsewhere(other, "text")
    assert said in paper.about_first(other, "text")
    assert "Ackley-2D" in said
    assert "TS" in said.replace("TS-RSR", "").split()
    lost = changed(other, lambda final: np.where(final.method == "ts-rsr", 100.0 + final.seed % 3, final.regret))
    assert lost.lowest()["ackley-2d"].verdict == "contradicted"
    assert turned(said, paper.elsewhere(lost, "text"))


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
    assert set(paper.own_pairs(paper.outcomes(code, "code"))["few"]) == {ranking.AS_PRINTED}
    assert set(paper.own_pairs(paper.outcomes(code, "text"))["few"]) == {ranking.REVERSED}
    assert {row["TS-RSR lowest, code"] for row in paper.ranking_rows(code).to_dict("records")} == {
        paper.LOWEST["holds"]
    }
    # Pairs of TS-RSR and of all methods, that stand and that are reversed: in the code's reading, then in the text's.
    (kept, lost), (kept_text, lost_text) = (
        [int((paper.outcomes(code, reading)["few"] == outcome).sum()) for outcome in KEPT_AND_LOST]
        for reading in ("code", "text")
    )
    about = paper._about_code(code, paper.outcomes(code))
    assert about in paper.say_rankings(code).markdown
    assert not Counter([12, 12, 0, 42, kept, lost, 0, 12, kept_text, lost_text]) - Counter(numbers(about))
    assert kept > kept_text
    assert lost < lost_text
    # Three conclusions: the printed order is the code's, the text's or neither's.
    verdicts = []
    for told in (code, level(-1.0, 1.0), level(1.0, 1.0)):
        first = paper.about_first(told, "code")
        verdicts.append(paper._about_code(told, paper.outcomes(told)).replace(first, ""))
        assert first not in verdicts[-1]
    assert all(turned(one, other) for one, other in combinations(verdicts, 2))


KEPT_AND_LOST = (ranking.AS_PRINTED, ranking.REVERSED)


def test_every_pair_is_counted_once(small):
    rows = paper.ranking_rows(small)
    assert (rows[list(ranking.OUTCOMES)].sum(axis=1) == math.comb(len(METHOD_OF), 2)).all()


def test_pairs_printed_equal_are_named(small):
    table = paper.outcomes(small)
    table.loc[table.index[8], ["first", "second", "all"]] = ("dpp-ts", "bucb", ranking.APART)
    said = paper._apart(table)
    assert all(name in said for name in ("DPPTS", "BUCB", "GP-RBF-prior-2D"))
    assert not any(name in said for name in ("TS-RSR", "qEI", "Ackley-2D"))
    assert paper._apart(table[table["all"] != ranking.APART]) == ""
    table.loc[table.index[9], ["first", "second", "all"]] = ("dpp-ts", "qei", ranking.APART)
    assert 2 in numbers(paper._apart(table))
    assert "qEI" in paper._apart(table)


def test_live_runs_are_the_beginning_of_the_stored_ones(small):
    again = live.rerun_live(small, 1, 2)
    assert len(again) == 2 * (len(METHOD_OF) + 1)
    assert live.same(again).all()
    assert not live.same(again.assign(stored=again.stored * 1.01 + 1)).any()
    assert len(again) in numbers(live.say_live(again, small).markdown)
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


def test_a_curve_that_ends_is_explained(small):
    caption = experiment_figures.curves(small, 2).caption
    for factor, ends in ((0, True), (0.5, False)):
        evidence = dataclasses.replace(small)
        evidence.__dict__["curves"] = {key: runs * factor for key, runs in small.curves.items()}
        assert turned(caption, experiment_figures.curves(evidence, 2).caption) == ends


def test_curves_of_a_figure_have_all_methods_and_both_readings(small):
    assert {key[0] for key in small.curves} == {"text", "code"}
    assert all(runs.shape == (3, 3) for runs in small.curves.values())
    said = experiment_figures._lowest_in_words(small, ["ackley-2d"])
    assert said in experiment_figures.curves(small, 2).alt
    for reading in ("text", "code"):
        last = {name: small.curves[reading, "ackley-2d", method][:, -1].mean() for name, method in METHOD_OF.items()}
        assert min(last, key=last.__getitem__) in said


def test_summary_is_filled_from_the_results_given(small):
    text = findings.say_findings(small).markdown
    assert "{" not in text
    assert "nan" not in text
    assert round(bounds.variance_ratio(5, 1e-6)) in numbers(text)


def test_first_places_are_those_of_the_means(small):
    results = small
    lowest = {"text": 0, "code": 0}
    for problem in results.problems:
        for reading in lowest:
            if results.has(problem, reading=reading):
                means = {name: results.runs(problem, name, reading).mean() for name in ("ts-rsr", *paper.RIVALS)}
                lowest[reading] += means["ts-rsr"] == min(means.values())
    assert {name: small.firsts(name).count for name in lowest} == lowest
    printed = sum(problem != "bird-2d" for problem in results.problems)
    found = [small.firsts(name) for name in lowest]
    ours = [number for first in found for number in (first.count, first.total, first.low, first.high, first.beyond)]
    assert not Counter([printed, 2, *ours]) - Counter(numbers(findings._lowest_in_words(small)))


def test_what_text_and_code_say_is_listed_for_known_problems():
    rows = findings.difference_rows()
    assert isinstance(rows, pd.DataFrame)
    assert "Griewank-8D" in set(rows.problem)
    assert (rows.text != rows.code).all()


def said_of(ledger, verdicts=()):
    """What a chapter says of such entries of its ledger and such verdicts on claims."""
    listed = [{"kind": "claim", "verdict": verdict} for verdict in verdicts]
    return stored_evidence.say_checked(stored_evidence.Checked(ledger, listed, [], stored_evidence.Where())).markdown


def added(before, after):
    """How many words longer a text is."""
    return len(after.split()) - len(before.split())


def test_stored_evidence_without_failures_reads_well():
    entry = {"location": "Theorem 1", "title": "regret", "teeth": [{}], "status": "not-checkable"}
    text = said_of([entry])
    # One entry with one perturbation; none that holds, no claim and cell, no suspected and no confirmed error.
    assert not Counter([1, 1, 0, 0, 0, 0, 0]) - Counter(numbers(text.replace(entry["location"], "")))
    assert all(entry[part] in text for part in ("location", "title"))
    failing = {"location": "Eq.7", "title": "split", "teeth": [{}], "status": "fails"}
    assert added(text, said_of([entry, failing])) > 2  # a sentence, not only the place and the title


def test_counts_of_the_evidence_leave_out_what_did_not_occur():
    entry = {"location": "Eq.2", "title": "split", "teeth": [{}], "status": "holds"}
    ledger = [entry, entry | {"status": "fails"}, *[entry | {"status": "holds-with-corrected-constant"}] * 13]
    verdicts = ["holds", "contradicted", "undecided", "undecided"]
    text = said_of(ledger, verdicts)
    # 15 entries: one holds, 13 hold with another constant; 15 perturbations. 4 claims, and how many came out how.
    assert not Counter([15, 1, 13, 15, 4, 1, 1, 2]) - Counter(numbers(text))
    assert text.count("Eq.2") == text.count("split") == 14  # all but the one that holds
    assert numbers(stored_evidence._outcomes(Counter(verdicts))) == [1, 1, 2]
    assert numbers(stored_evidence._outcomes(Counter([*verdicts, "not-testable"]))) == [1, 1, 2, 1]
    # A status that did not occur brings a sentence of its own, one that did no more than the place and the title.
    assert added(text, said_of([*ledger, entry | {"status": "not-checkable"}], verdicts)) > 2
    assert added(text, said_of([*ledger, ledger[-1]], verdicts)) == 2


def test_rounds_left_to_chance_are_counted_by_problem(root):
    record = {"settings": {"random_rounds": {"gp-2d/ts": 3, "gp-2d/sp": 2, "bird-2d/ts": 0, "robot-3d/sp": 4}}}
    assert findings.random_rounds(record) == {"gp-2d": 5, "robot-3d": 4}
    assert findings.random_rounds({}) == {}
    evidence = paper.load_paper_results(root)
    stored = findings.random_rounds(evidence.record)
    assert stored
    assert set(stored.values()) <= set(numbers(findings.say_faithful(evidence).markdown))
