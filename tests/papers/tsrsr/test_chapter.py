"""The chapter's parameters, studies and stored results hold together."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest

from companion.papers.tsrsr import bounds, paper_scale, ranking
from companion.papers.tsrsr.figures import experiments as experiment_figures
from companion.papers.tsrsr.printed import METHOD_OF, side_by_side
from companion.papers.tsrsr.studies import (
    batches,
    bound,
    duplicates,
    exercises,
    findings,
    live,
    multisets,
    paper,
    picture,
)
from companion.report import evidence as stored_evidence

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
    flat = dataclasses.replace(study, rows=study.rows.assign(regret=1.0))
    assert batches.free_up_to(flat, 1.0) == 20
    steep = dataclasses.replace(study, rows=study.rows.assign(regret=study.rows.m.astype(float)))
    assert batches.free_up_to(steep, 1.0) == 1


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
    same = dataclasses.replace(study, along=study.along.assign(distinct=1.0))
    assert "holds as well" in duplicates.say_duplicates(same).markdown


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
    assert "takes point 2" in exercises.negative().markdown


# -- stored results: a small store made here --------------------------------------------------------------------------


PLAN = paper_scale.Plan(
    problems=("gp-2d", "ackley-2d"),
    runs=3,
    more=4,
    widths=(0.5, 4.0),
    resample_problems=("gp-2d",),
    batching_seeds=2,
    posteriors=2,
    evaluations=20,
    batch_sizes=(1, 5),
    overrides={"batches": 2},
)


@pytest.fixture(scope="module")
def small(tmp_path_factory, root):
    folder = tmp_path_factory.mktemp("store")
    (folder / "data").mkdir()
    (folder / "data" / "reported").symlink_to(root / "data" / "reported")
    paper_scale.store(folder, 1, plan=PLAN)
    return paper.Evidence(side_by_side(folder))


def test_tables_show_printed_numbers_and_ours(small):
    table = paper.beside(small, 2)
    assert set(table.problem) == {"Ackley-2D, 0.001"}
    row = table[table.method == "TS-RSR"].iloc[0]
    assert row.printed == "1.7 ± 1.1 [1]"
    runs = small.both.runs("ackley-2d", "ts-rsr", "text", 10)
    assert row["ours, text"].startswith(paper._short(runs.mean()))
    assert len(table) == len(METHOD_OF) + 1


def test_rankings_follow_from_the_stored_runs(small):
    text = paper.say_rankings(small).markdown
    assert "{" not in text
    final = small.both.tables["final"]
    # TS-RSR far below everything on every seed: all its printed firsts hold.
    best = final.assign(regret=np.where(final.method == "ts-rsr", 1e-9, 10 + final.regret + final.seed % 3))
    told = paper.Evidence(dataclasses.replace(small.both, tables={**small.both.tables, "final": best}))
    own = paper.outcomes(told)
    own = own[own["first"] == "ts-rsr"]
    assert set(own["all"]) == {ranking.AS_PRINTED}
    assert {judged.verdict for judged in told.lowest.values()} == {"holds"}
    worst = final.assign(regret=np.where(final.method == "ts-rsr", 100.0 + final.seed % 3, final.regret))
    turned = paper.Evidence(dataclasses.replace(small.both, tables={**small.both.tables, "final": worst}))
    assert {judged.verdict for judged in turned.lowest.values()} == {"contradicted"}
    assert "is contradicted on 2" in paper.say_rankings(turned).markdown


def test_live_runs_are_the_beginning_of_the_stored_ones(small):
    again = live.rerun_live(small, 1, 2)
    assert len(again) == 2 * (len(METHOD_OF) + 1)
    assert live.agree(again)
    assert "**not all" in live.say_live(again.assign(stored=again.stored * 1.01 + 1)).markdown
    shorter = live.rerun_live(small, 1, 1)
    assert live.agree(shorter)


def test_curves_of_a_figure_have_all_methods_and_both_readings(small):
    assert {key[0] for key in small.curves} == {"text", "code"}
    assert all(runs.shape == (3, 3) for runs in small.curves.values())
    figure = experiment_figures.curves(small, 2)
    assert "Ackley-2D, text" in figure.alt


def test_summary_is_filled_from_the_results_given(small):
    text = findings.say_findings(small).markdown
    assert "{" not in text
    assert "nan" not in text
    assert f"$\\rho_5={bounds.variance_ratio(5, 1e-6):.0f}$" in text


def test_first_places_are_those_of_the_means(small):
    both = small.both
    lowest = {"text": 0, "code": 0}
    for problem in both.problems:
        for reading in lowest:
            if both.has(problem, reading):
                means = {name: both.runs(problem, name, reading).mean() for name in ("ts-rsr", *paper.RIVALS)}
                lowest[reading] += means["ts-rsr"] == min(means.values())
    found = findings.first_places(small)
    assert {name: found[name] for name in lowest} == lowest
    assert found["print"] == sum(problem != "bird-2d" for problem in both.problems)


def test_what_text_and_code_say_is_listed_for_known_problems():
    rows = findings.difference_rows()
    assert isinstance(rows, pd.DataFrame)
    assert "Griewank-8D" in set(rows.problem)
    assert (rows.text != rows.code).all()


def test_stored_evidence_without_failures_reads_well():
    entry = {"location": "Theorem 1", "title": "regret", "teeth": [{}], "status": "not-checkable"}
    checked = stored_evidence.Checked([entry], [], [], stored_evidence.Where())
    text = stored_evidence.say_checked(checked).markdown
    assert "0 fail as printed. 1 cannot be checked by a computation: Theorem 1 (regret). Every check" in text
