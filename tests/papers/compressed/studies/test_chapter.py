"""The chapter's parameters, studies and stored results hold together."""

import dataclasses
import math
import shutil
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sentences import bold, numbers, turned

from companion.papers.compressed.figures import experiments as experiment_figures
from companion.papers.compressed.figures import theory as theory_figures
from companion.papers.compressed.figures import tradeoff as tradeoff_figures
from companion.papers.compressed.method import admission
from companion.papers.compressed.method.policy import CompressedBandit
from companion.papers.compressed.parameters import READINGS
from companion.papers.compressed.plan import store as paper_scale
from companion.papers.compressed.plan.runs import Plan
from companion.papers.compressed.studies import (
    exercises,
    findings,
    improvement,
    live,
    order,
    paper,
    parts,
    picture,
    regret,
    tradeoff,
)
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.instances import gain_upper, played
from companion.problems import FiniteProblem
from companion.report.figures import LIGHT
from companion.report.text import Sentence
from companion.simulate import run_policy

# -- parameters --------------------------------------------------------------------------------------------------------


# -- studies without stored results ------------------------------------------------------------------------------------


def test_picture_keeps_what_exceeds_the_threshold_and_ends_with_the_posterior_of_what_it_kept():
    shown = picture.one_run(0, 40)
    np.testing.assert_array_equal(shown.kept, shown.variance > shown.threshold)
    assert shown.copies.sum() == shown.kept.sum() + 2
    assert shown.threshold == pytest.approx(1e-3 * 40**-0.5)
    # The variance at the end by a dense solve with all stored copies.
    x = np.repeat(shown.x, shown.copies)
    across = np.exp(-0.5 * (x[:, None] - shown.x[None, :]) ** 2)
    dense = np.exp(-0.5 * (x[:, None] - x[None, :]) ** 2) + 1e-3 * np.eye(len(x))
    variance = 1.0 - np.einsum("ij,ij->j", across, np.linalg.solve(dense, across))
    np.testing.assert_allclose(shown.sd**2, variance, atol=1e-8)
    rejecting = dataclasses.replace(shown, kept=np.array([True, True, False, True]))
    assert picture.first_rejection(rejecting) == 3
    assert picture.first_rejection(dataclasses.replace(shown, kept=np.ones(4, dtype=bool))) == 0


def test_bound_study_is_ordered_and_its_forms_are_those_of_the_theorem():
    study = regret.bound_study(1, 40, 0.1, 0.5, 12)
    assert list(study.rows["T"]) == [10, 20, 40, 80, 160, 320, 640]
    for smaller, larger in zip(("regret", *regret.FORMS), regret.FORMS, strict=False):
        assert (study.rows[smaller] <= study.rows[larger]).all()
    assert all(chain.holds for chain in study.chains.values())
    brief = regret.bound_study(1, 40, 0.1, 0.5, 12, brief=True)
    assert brief.rows.iloc[0]["Theorem 3.2"] == study.rows.iloc[2]["Theorem 3.2"]
    # The theorem by hand on one run.
    game = regret.game_of(1, 40, 0.1, 0.5, 12)
    gain, beta = gain_upper(game)[0], 2.0 * math.log(50 * 1600 * math.pi**2 / 0.6)
    root = math.sqrt(8.0 / math.log(11.0) * beta)
    hand = root * (math.sqrt(40 * gain) + 40 * math.sqrt(math.log1p(40**-0.5)))
    assert regret.forms(game)["Theorem 3.2"][0] == pytest.approx(hand)
    # The second term's share, from the two terms themselves.
    last = regret.game_of(1, 640, 0.1, 0.5, 12)
    beta = float(played(last).beta[-1])
    arguments = (640, beta, 0.1, gain_upper(last), 0.5)
    rejected = bounds.theorem_32(*arguments, parts="rejected").mean() / bounds.theorem_32(*arguments).mean()
    assert regret._second_share(study) == pytest.approx(rejected)


def test_a_broken_bound_and_a_useless_one_are_said():
    study = regret.bound_study(1, 40, 0.1, 0.5, 12)
    text = regret.say_bound(study).markdown
    assert not study.rows.above.any()
    above = np.where(study.rows["T"] == 320, 0.25, 0.0)  # at one horizon is enough
    broken = regret.say_bound(dataclasses.replace(study, rows=study.rows.assign(above=above))).markdown
    assert turned(text, broken)
    assert not Counter([*numbers(text), 25.0]) - Counter(numbers(broken))  # a percentage of runs is added
    # Trivial bounds below all forms; above both, and above the sharpest form only, from T = 160 on.
    late = study.rows["T"] >= 160
    assert (study.rows["(8.26)"] < study.rows["Theorem 3.2"]).all()
    between = 0.5 * (study.rows["(8.26)"] + study.rows["Theorem 3.2"])
    said = {
        count: regret.say_bound(dataclasses.replace(study, rows=study.rows.assign(trivial=trivial))).markdown
        for count, trivial in ((0, 1e-9), (1, between.where(late, 0.0)), (2, late * 1e9))
    }
    for count, text in said.items():
        assert numbers(text).count(160) == count
    assert all(turned(said[one], said[other]) for one, other in combinations(said, 2))


def test_constants_are_the_formulas_values():
    rows = regret.constants(0, 100, 0.1, 0.5, 10)
    value = {(r.statement, r.symbol): r.value for r in rows.itertuples() if r.symbol != "bound"}
    assert value["Theorem 3.1", "u"] == pytest.approx(0.1)
    assert value["Theorem 3.1", "ε"] == pytest.approx(0.5 * math.log(1.1))
    assert value["Theorem 3.1, ours", "⌈1/u − σ²⌉"] == 10
    assert value["Theorem 3.2(i)", "C₁"] == pytest.approx(8 / math.log(11))
    assert value["Theorem 3.2(i)", "β_T"] == pytest.approx(2 * math.log(50 * 1e4 * math.pi**2 / 0.6))
    ordered = [value["Theorem 3.1, ours", name] for name in ("⌈1/u − σ²⌉", "X⌈1/u − σ²⌉")]
    assert ordered[0] <= value["Theorem 3.1", "M_T"] <= ordered[1]
    assert not (regret.constants(0, 100, 0.1, 0.4, 10).statement == "Corollary 3.3").any()


def test_parts_add_up_and_nothing_is_rejected_at_exponent_one():
    study = parts.part_study(0, 60, 0.1, 10)
    rows = study.rows.set_index("alpha")
    np.testing.assert_allclose(rows["retained rounds"] + rows["rejected rounds"], 60)
    assert rows.loc[1.0, "rounds"] == 0.0
    assert rows.loc[0.125, "rounds"] > rows.loc[0.5, "rounds"] > 0
    assert rows[parts.CHARGED].between(0.0, 1.0, inclusive="neither").all()
    flat = study.rows.assign(**{"retained regret": [5.0, 4.0, 1.0, 2.0, 3.0], "rejected regret": 0.0})
    assert parts.least_regret(dataclasses.replace(study, rows=flat)) == 0.5


def test_exploration_lies_between_its_bounds_and_has_the_kernels_exponents():
    sizes = order.exploration_study(3)
    assert (sizes.least <= sizes.order).all()
    assert (sizes.order <= sizes.largest).all()
    rows = order.exploration_rows(sizes).set_index("kernel")
    assert rows.loc["Matérn 1/2, p = 1", "exponent, fitted"] > 1.5
    assert rows.loc["SE, p = 3", "exponent, fitted"] < 1.5
    text = order.say_exploration(sizes).markdown
    for kernel, row in rows.iterrows():
        found, printed = row["exponent, fitted"], row["printed, p"]
        assert (kernel in text) == (abs(found - printed) > 0.1)
        if found > printed + 0.1:
            assert float(f"{found:.2f}") in numbers(text)
    assert "Matérn 1/2, p = 1" in text
    assert "SE, p = 3" in text
    made_up = pd.DataFrame({"u": [0.4, 0.2, 0.1], "order": [10, 40, 160]})
    assert order.fitted(made_up) == pytest.approx(2.0)


def test_every_dictionary_needs_what_the_certificate_says():
    study = order.end_study(0, 1, 3)
    assert (study.circle.greedy >= study.circle.floor).all()
    assert order.floor_exponent(study) == pytest.approx(2.0, abs=0.05)
    marks = [f"{mark:g}" for mark in order.MARKS]
    assert (study.line[[*marks, "end"]].diff(axis=1).iloc[:, 1:] >= 0).all().all()


def test_three_arms_jump_where_it_is_said():
    rows = order.arm_study()
    text = order.say_arms(rows).markdown
    average = rows.set_index("u")["20000"]
    assert average[0.86] < 0.1 * average[0.88]
    assert {0.86, 0.88} <= set(numbers(text))
    # The proof's value for a fixed budget, from its formula.
    beta = 2 * math.log(3 * 4e8 * math.pi**2 / 0.6)
    assert float(f"{math.sqrt(8 / math.log(2) * beta * 0.5 * math.log(1.88)):.1f}") in numbers(text)
    # Without a jump nothing is said of a budget, whether all averages are small or all are the largest possible.
    for level in (0.1, average.max()):
        flat = order.say_arms(rows.assign(**{"20000": level})).markdown
        assert turned(text, flat)
        assert flat
        assert not numbers(flat)


def test_improvement_study_has_a_sound_chain_and_a_broken_one():
    study = improvement.improvement_study(0, 40, 0.5, 4)
    assert study.chain.holds
    assert not study.broken.holds
    last = study.arms.iloc[-1]
    assert last.chosen <= last.allowed < last.maximiser
    assert study.sampled == 0
    # The bounds are those at each run's own R; the median lies between the quartiles.
    assert (study.rows["R low"] <= study.rows.R).all()
    assert (study.rows["R high"] >= study.rows.R).all()
    assert (study.quiet.printed > study.quiet.allowed).any()
    assert (study.quiet.root <= study.quiet.allowed).all()
    exceeded = dataclasses.replace(study, rows=study.rows.assign(above=0.5))
    assert not study.rows.above.any()
    before, after = (improvement.say_improvement(shown).markdown for shown in (study, exceeded))
    assert turned(before, after)
    assert numbers(after).count(50.0) == numbers(before).count(50.0) + 1


def test_figures_of_the_theory_draw_and_describe():
    study = parts.part_study(0, 30, 0.1, 10)
    figure = theory_figures.parts(study)
    assert parts.least_regret(study) in numbers(figure.alt)
    assert figure.render(LIGHT).startswith(b"\x89PNG")
    assert tradeoff_figures.arms(order.arm_study()).render(LIGHT).startswith(b"\x89PNG")


def test_solutions_are_directives_with_all_numbers_filled_in():
    for sentence in (exercises.first(), exercises.table(), exercises.best(0.1), exercises.maximiser()):
        text = sentence.markdown
        assert text.startswith("```{solution} ch2-ex-")
        assert text.count("{solution}") == 1
        assert "{{" not in text
    assert math.ceil(1 / math.expm1(2e-4) - 1e-3) in numbers(exercises.first().markdown)
    # Slopes 0.500 and 0.750 at exponents 1 and 1/2, printed the other way round.
    assert not Counter([0.5, 0.5, 0.75, 0.75]) - Counter(numbers(exercises.table().markdown))


def test_two_arms_of_the_exercise_are_what_the_algorithm_does():
    # Compressed EI on two independent arms, f = (3, 3.1), noise-free observations, the first arm as the initial point.
    rule = admission.information(0.5 * math.log(1.5), 0.01)
    policy = CompressedBandit(np.eye(2), 0.01, "ei", rule, lambda t: 1.0, [0])
    problem = FiniteProblem("two-arms", np.arange(2.0)[:, None], np.array([3.0, 3.1]), 0.0, "made for this test")
    run = run_policy(policy, problem, 1001, np.zeros(1001))
    assert (run.query == 0).all()
    said = numbers(exercises.maximiser().markdown)
    assert float(f"{sum(run.diagnostics['variance']):.1f}") in said
    right = 2 / math.log(101) * (0.5 * math.log(101) + 0.5 * math.log(1.5) * 999)
    assert round(right) in said
    assert right < 1000


def test_points_needed_before_a_rejection_are_those_of_a_single_arm():
    variance, copies = 1.0, 0
    while variance > 0.001 * math.expm1(2e-4):
        variance, copies = 1.0 / (1.0 / variance + 1000.0), copies + 1
    assert findings.needed() == copies


# -- stored results: a small store made here --------------------------------------------------------------------------

EXAMPLE = {"points": 100, "horizon": 60}
PLAN = Plan(
    problems=("example-function", "rosenbrock"),
    seeds=3,
    timing_seeds=2,
    growth_horizon=40,
    alphas=(0.25, 0.5, 1.0),
    budgets=(1.0, 0.1),
    horizons=(20, 40, 80),
    tradeoff_seeds=3,
    step_horizon=60,
    overrides={"example-function": EXAMPLE, "rosenbrock": {"points_per_axis": 8, "horizon": 20}},
)


@pytest.fixture(scope="module")
def small(tmp_path_factory, root):
    folder = tmp_path_factory.mktemp("store")
    shutil.copytree(root / "data" / "reported", folder / "data" / "reported")
    paper_scale.store(folder, 1, plan=PLAN)
    return paper.Evidence.read(folder)


def changed(evidence, name, frame):
    """The same evidence with one table replaced."""
    tables = {**evidence.tables, name: frame}
    return dataclasses.replace(evidence, tables=tables)


def test_exponents_are_fitted_to_the_stored_means(small):
    rows = small.tables["tradeoff"]
    power = changed(
        small,
        "tradeoff",
        rows.assign(average_regret=3.0 * rows.horizon**-0.4, model_order=2.0 * rows.horizon**0.7),
    )
    table = tradeoff.exponent_rows(power)
    np.testing.assert_allclose(table["regret, fitted"], 0.6)
    np.testing.assert_allclose(table["model order, fitted"], 0.7)
    assert list(table["theory, 1 − α/2"]) == [0.875, 0.75, 0.5]


def test_frontier_finds_the_smallest_dictionary_with_the_dense_regret(small):
    rows = small.tables["tradeoff"]
    order_of = {"dense": 100.0, "u=1": 10.0, "u=0.1": 20.0, "alpha=0.5": 30.0}
    regret_of = {"dense": 1.0, "u=1": 2.0, "u=0.1": 3.0, "alpha=0.5": 1.05}
    told = changed(
        small,
        "tradeoff",
        rows.assign(
            model_order=rows.rule.map(order_of).fillna(90.0), average_regret=rows.rule.map(regret_of).fillna(1.0)
        ),
    )
    text = tradeoff.say_frontier(told).markdown
    table = tradeoff.frontier_rows(told)
    smallest = table[table["regret ratio"] <= tradeoff.CLOSE].iloc[0]
    assert (smallest.rule, smallest.order, table.order.max()) == ("α = 0.5", 30, 100)
    assert "α = 0.5" in text
    odd = tradeoff._not_monotone(told)
    assert odd in text
    assert {30, 100} <= set(numbers(text.replace(odd, "")))
    assert all(rule in odd for rule in ("u = 0.1", "u = 1"))
    assert numbers(odd).count(3) == 2  # in all three runs
    monotone = changed(small, "tradeoff", rows.assign(average_regret=1.0))
    assert tradeoff._not_monotone(monotone) == ""
    assert turned(text, tradeoff.say_frontier(monotone).markdown)


def test_covering_table_has_the_bounds_of_a_single_arm(small):
    rows = tradeoff.covering_rows(small).set_index("u")
    assert rows.loc[0.1, "⌈1/u − σ²⌉"] == 10
    assert rows.loc[0.1, "X⌈1/u⌉"] == 10_000
    assert (rows["model order"] >= 1).all()


def test_ratios_are_those_of_one_process(small):
    rows = paper.ratio_rows(small, "rosenbrock")
    assert len(rows) == 12
    one = rows[(rows.posterior == paper.POSTERIORS["refit"]) & (rows.method == "EI, compressed")].iloc[0]
    timings = small.tables["timings"]
    part = timings[(timings.problem == "rosenbrock") & (timings.posterior == "refit")]
    ours = part[(part.method == "cgp-ei") & (part.variant == "unit")].set_index("seed").seconds
    dense = part[part.method == "gp-ei"].set_index("seed").seconds
    assert one["unit"] == pytest.approx(float((ours / dense).mean()))
    assert np.isnan(one["BKB, q̄ = 5"])
    assert one.printed == pytest.approx(2.246 / 2.604)


def test_frozen_methods_keep_nothing_after_their_first_rejection(small):
    rows = paper.frozen_rows(small)
    assert set(rows.reading) <= set(READINGS[1:])
    assert (rows[rows.rule != "UCB"]["kept later"] == 0).all()
    runs = small.tables["runs"]
    late = runs.assign(evaluations=runs.evaluations + runs.first_rejection.notna())
    going_on = changed(small, "runs", late)
    found = paper.frozen_rows(going_on)
    assert (found[found.rule != "UCB"]["kept later"] > 0).all()
    assert turned(paper.say_frozen(small).markdown, paper.say_frozen(going_on).markdown)
    assert bold(paper.say_frozen(going_on).markdown) > bold(paper.say_frozen(small).markdown)  # a warning


def test_a_reading_reproduces_a_figure_only_if_all_its_claims_hold(small):
    whole = paper.readings_of_figures(small)
    assert set(whole) == {"Figure 1", "Figure 2", "Figure 3"}
    assert whole["Figure 3"] == []  # its problem is not among these runs
    made_up = [
        {"cell": "example-comparable", "readings": {}, "readings_that_hold": ["unit", "raw"]},
        {"cell": "example-settles", "readings": {}, "readings_that_hold": ["unit"]},
    ]
    told = dataclasses.replace(small)
    told.__dict__["claims"] = made_up
    assert paper.readings_of_figures(told)["Figure 1"] == ["unit"]


def test_live_runs_equal_the_stored_ones(small):
    again = live.rerun_live(small, 1, EXAMPLE)
    assert live.same(again).all()
    assert (again.variant == live.LONG).sum() == 1
    assert len(again.dropna(subset=["stored"])) in numbers(live.say_live(again, small).markdown)
    for other in (again.assign(order=again.order + 1), again.assign(live=again.live * 1.001)):
        assert not live.same(other).all()


def test_figures_of_stored_runs_are_drawn_and_absent_problems_named(small):
    figure = experiment_figures.curves(small, "example-function")
    assert "info-horizon" in figure.alt
    assert figure.render(LIGHT).startswith(b"\x89PNG")
    for draw in (tradeoff_figures.horizons, tradeoff_figures.frontier, tradeoff_figures.steps):
        assert draw(small).render(LIGHT).startswith(b"\x89PNG")
    for draw in (experiment_figures.curves, experiment_figures.ratios):
        assert not isinstance(draw(small, "example-function"), Sentence)
        absent = draw(small, "logistic-mnist")
        assert isinstance(absent, Sentence)
        assert paper.TITLES["logistic-mnist"] in absent.markdown


def test_summary_is_filled_from_the_results_given(small):
    text = findings.say_findings(small).markdown
    assert "nan" not in text
    assert "{order" not in text
    assert findings.needed() in numbers(text)
    stored = findings._from_stored_runs(small)
    assert {stored["held"], stored["parts"], stored["by_eye"]} <= set(numbers(text))
    # A reading is named only if it has all claims of all three figures.
    assert not [name for name in READINGS if all(name in names for names in paper.readings_of_figures(small).values())]
    assert not any(name in stored["verdict"] for name in READINGS)
    two = ("example-comparable", "example-settles", "rosenbrock-curves")
    for cells, reproduced in ((two, False), ((*two, "logistic-curves"), True)):
        told = dataclasses.replace(small)
        told.__dict__["claims"] = [{"cell": cell, "readings": {}, "readings_that_hold": ["unit"]} for cell in cells]
        assert ("unit" in findings._from_stored_runs(told)["verdict"]) == reproduced


def test_the_clocks_exercise_says_what_is_missing(small, root):
    text = exercises.clock(small).markdown
    assert {28.4, 26.8, 22.9} <= set(numbers(text))  # printed percentages for UCB, EI and MPI
    assert not small.has("logistic-mnist")
    complete = paper.load_paper_results(root)
    assert complete.has("logistic-mnist")
    assert turned(text, exercises.clock(complete).markdown)
    assert exercises.freeze(small).markdown.startswith("```{solution} ch2-ex-freeze")
