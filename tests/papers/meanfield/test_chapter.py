"""The chapter's studies and stored results hold together, whatever the results are."""

import dataclasses
import math
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure as Canvas

from companion.papers.meanfield import headline, paper_plan, paper_scale
from companion.papers.meanfield.bounds import corrected_bound, printed_bound
from companion.papers.meanfield.experiments import EXPERIMENTS
from companion.papers.meanfield.figures import experiments as experiment_figures
from companion.papers.meanfield.figures import growth as growth_figures
from companion.papers.meanfield.figures import theory as theory_figures
from companion.papers.meanfield.instance import STANDARD, Game, theory_runs
from companion.papers.meanfield.printed import FIGURE_2, FIGURE_5, METHOD_OF, side_by_side
from companion.papers.meanfield.problems import HORIZON, SETTINGS
from companion.papers.meanfield.studies import (
    bound,
    exercises,
    findings,
    growth,
    live,
    maps,
    methods,
    paper,
    picture,
    problems,
    rates,
    standings,
)
from companion.papers.meanfield.unlearned import unlearned
from companion.problems.datasets import VARIABLE
from companion.report import evidence as stored_evidence
from companion.reproduce.intervals import Interval

# -- studies without stored results ------------------------------------------------------------------------------------


def test_picture_shows_a_round_of_the_method():
    shown = picture.one_acquisition(0)
    assert shown.laws.shape == ((picture.PARTS + 1) * (picture.PARTS + 2) // 2, 3)
    upper = shown.mean + shown.bonus
    assert (shown.bonus > 0).all()
    np.testing.assert_allclose(shown.brute, shown.laws[np.argmax(upper)])
    # Never worse than a thousandth of the range below enumeration.
    assert shown.shortfall <= 1e-3 * (upper.max() - upper.min())
    # The true payoff by hand, at the corners: minus the divergence of one place from the demand.
    demand = np.array(picture.DEMAND)
    for x in range(3):
        corner = np.eye(3)[x]
        middle = 0.5 * (corner + demand)
        by_hand = 0.5 * math.log(1 / middle[x]) + 0.5 * float((demand * np.log(demand / middle)).sum())
        index = int(np.argmax(shown.laws[:, x]))
        assert shown.truth[index] == pytest.approx(-by_hand, rel=1e-9)
    assert shown.laws[int(np.argmax(shown.truth))] == pytest.approx(demand, abs=1.0 / picture.PARTS)
    assert "{" not in picture.say_picture(shown).markdown


def test_bounds_of_the_study_are_those_of_the_theorem_and_regret_that_of_the_runs():
    study = bound.bound_study(1, 16, 0.1, 12)
    assert set(study.rows["T"]) == {2, 4, 8, 16, 32}
    for reading, function in (("corrected", corrected_bound), ("printed", printed_bound)):
        row = bound.at(study, 0.1, reading)
        played = theory_runs(STANDARD, 16, 12, reading, bound.READINGS[reading], 1)
        assert row.regret == pytest.approx(played.regret.mean())
        expected = function(STANDARD.pieces(), 16, 0.01, row.gain)
        assert row.bound == pytest.approx(expected.total)
        chain = study.chains[0.1, reading]
        assert chain.steps[0].value == pytest.approx(row.regret)
        assert chain.steps[-1].value == pytest.approx(row.bound)
    found = {term.name: term.mean for term in study.terms[0.1, "corrected"]}
    parts = ("discretisation", "optimism", "argmax", "exploration")
    assert found["regret"] == pytest.approx(sum(found[name] for name in parts))
    for row in study.rows.to_dict("records"):
        assert row["range"] == pytest.approx(row["T"] * unlearned(STANDARD, seed=1).range.estimate)
        assert row["fixed law"] == pytest.approx(0.5 * row["range"], rel=0.02)
    wrong = dataclasses.replace(study, rows=study.rows.assign(high=1e9))
    assert "**At some point" in bound.say_bound(wrong).markdown


def test_bound_is_said_to_be_empty_where_it_is_above_the_range_and_the_figure_says_from_where_it_is_not():
    study = bound.bound_study(1, 16, 0.1, 12)
    row = bound.at(study, 0.1, "corrected")
    assert row.bound > row.range
    assert "**It says nothing here.**" in bound.say_bound(study).markdown
    useful = dataclasses.replace(study, rows=study.rows.assign(range=1e9))
    assert "**It says more than the range" in bound.say_bound(useful).markdown
    (last, first), (_, later) = bound.passages(study, 0.1).values()
    curve, idle = study.curves[0.1], study.idle
    at = {t: curve.corrected[list(curve.rounds).index(t)] for t in (last, first)}
    assert at[last] > last * idle.range.estimate
    assert at[first] < first * idle.range.estimate
    assert first < later
    said = f"between T = {last:,.0f} and {first:,.0f}"
    shown = theory_figures.bound(study)
    assert said in bound.say_bound(study).markdown
    assert said in shown.caption
    assert said in shown.alt
    assert (
        bound.worth_rows(study).set_index("quantity").loc["corrected bound passes under the range", "noise 0.1"] == said
    )
    assert bound.between((8192.0, math.inf), 8192.0) == "at no T up to 8,192"
    # What is lost without learning does not depend on how finely the laws are cut, as a maximal inequality does.
    coarse = unlearned(Game(parts=20)).range.estimate
    assert coarse == pytest.approx(idle.range.estimate, rel=0.05)
    assert math.sqrt(math.log(21)) < 0.8 * math.sqrt(math.log(201))


def test_brief_study_has_the_numbers_of_the_whole_one():
    whole, brief = bound.bound_study(0, 16, 0.1, 10), bound.bound_study(0, 16, 0.1, 10, brief=True)
    for reading in bound.READINGS:
        one, other = bound.at(whole, 0.1, reading), bound.at(brief, 0.1, reading)
        assert (one.regret, one.bound) == pytest.approx((other.regret, other.bound))


def test_where_a_power_of_a_logarithm_is_below_the_number():
    for power in (4.0, 31.0, 161.0):
        u = rates.useful_from(power) * math.log(10)
        assert power * math.log(u) == pytest.approx(u, rel=1e-9)
        assert power * math.log(1.01 * u) < 1.01 * u
        assert power * math.log(0.99 * u) > 0.99 * u
        u = rates.useful_from(power, 5.0) * math.log(10)
        assert math.log(5.0) + power * math.log(u) == pytest.approx(u, rel=1e-9)
    assert rates.useful_from(2.0) == 0.0
    table = rates.hidden().set_index("problem")
    assert list(table.index[table["rule holds"] == "no"]) == ["Arena"]
    # Five contexts cost a factor, not thirty powers each.
    u = table.loc["Maritime refuelling", rates.IDLE] * math.log(10)
    assert math.log(5.0) + 30 * math.log(u) == pytest.approx(u, rel=1e-9)


def test_additive_kernel_has_less_gain_at_equal_variance_and_the_sentence_follows():
    rows = rates.additive_gains()
    assert (rows["upper, additive"] < rows["lower, joint"]).all()
    assert (rows["upper, additive"] < rows["upper, printed"]).all()
    assert "as claim 2 has it" in rates.say_additive(rows).markdown
    assert "**and not in others**" in rates.say_additive(rows.assign(**{"lower, joint": 1.0})).markdown


def test_gains_are_certified_and_the_mean_field_one_has_a_limit():
    study = rates.gain_study(5)
    assert (study.rows.lower <= study.rows.upper * (1 + 1e-12)).all()
    naive, law = rates.part(study, "naive"), rates.part(study, "law")
    assert naive.lower.loc[5] > 1.4 * naive.upper.loc[4]
    assert law.lower.max() <= law.upper.loc[240]
    assert (study.rows.upper <= study.ceiling * (1 + 1e-9)).all()
    risen = study.rows.assign(lower=np.where(study.rows.M == 5, 1e6, study.rows.lower))
    assert "**does not stay" in rates.say_gains(dataclasses.replace(study, rows=risen)).markdown


def test_penalties_prefer_what_they_are_said_to():
    study = problems.penalty_study()
    assert study.laws["text"].max() == 1.0
    assert (study.laws["ours"] > 0).sum() == 4
    text = problems.say_penalties(study).markdown
    assert "smallest when all agents crowd" in text
    spread = study.rows.assign(**{"one action each": -1e9})
    assert "not smallest in a corner" in problems.say_penalties(dataclasses.replace(study, rows=spread)).markdown


def test_draws_cost_what_the_expansion_says_where_there_are_many_agents():
    table = problems.draw_study(3, 40).set_index("M")
    many = table.loc[20_000]
    assert many["independent draws"] == pytest.approx(many["(|A|−1)/8M"], rel=0.02)
    assert (table["whole numbers"] < table["luckiest of a run"]).all()
    assert (table["luckiest of a run"] < table["independent draws"]).all()


def test_live_parts_do_not_look_at_data(monkeypatch, tmp_path):
    here = problems.draw_study(0, 4), problems.embedded("taxi-a").optimal
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    again = problems.draw_study(0, 4), problems.embedded("taxi-a").optimal
    pd.testing.assert_frame_equal(here[0], again[0])
    np.testing.assert_array_equal(here[1], again[1])
    for name in SETTINGS:
        assert problems.embedded(name).meta["label"] in ("closed form", "synthetic")


def test_solutions_are_directives_with_all_numbers_filled_in():
    for sentence in (
        exercises.rounding(0),
        exercises.floor(0, 50),
        exercises.corner(),
        exercises.positive_part(),
        exercises.squares(),
        exercises.additive(),
        exercises.horizon(),
        exercises.command(),
    ):
        text = sentence.markdown
        assert text.startswith("```{solution} ch4-ex-")
        assert text.count("{solution}") == 1
        assert "{{" not in text
        assert "nan" not in text


def test_mixed_difference_of_the_arena_is_that_of_its_reward():
    # By hand: 2 |S|^2 is 0 for teams in one place and 2 for teams apart; the penalty is log 2 or log 1.5, times ten.
    text = exercises.additive().markdown
    same, apart = -10 * math.log(2), 2 - 10 * math.log(1.5)
    for value in (same, apart, 2 * (same - apart)):
        assert f"{value:.2f}" in text


def test_exercises_have_the_answers_that_the_prompts_ask_for():
    # The largest errors of rounding by hand: 30 parts of one half, and 16 of 15/31 with 15 of 16/31, both over tau.
    text = exercises.rounding(0).markdown
    assert f"{30 * 0.5 / 75:.5f}" in text
    assert f"{2 * 16 * 15 / 31 / 77:.5f}" in text
    assert f"{math.log(2):.3f}" in exercises.corner().markdown
    assert "equal to the last digit" in exercises.command().markdown
    assert "from evaluation 11 on" in exercises.command().markdown


def test_settings_are_the_defaults_and_options_change_their_methods_only():
    table = methods.method_rows()
    told = " ".join(table.value)
    for said in ("radius 0.8 M", "times 1.5 after 3", "divided by 1.5 after 40", "5,000", "100 at first, times 0.8"):
        assert said in told
    chosen = next(each for each in EXPERIMENTS if each.name == "arena")
    base = {"horizon": 16, "agents": 20, "actions": 6, "initial": 5, "restart": 5, "candidates": 20}
    changes = {"beta": 6.0, "search": "paper", "kernel": "joint", "initial": 8, "candidates": 40, "restart": 9}
    for method, options in methods.OPTIONS.items():
        plain = chosen.trial(method, 0, chosen.parameters.resolve(base)).instantaneous_regret
        for name, value in changes.items():
            other = chosen.trial(method, 0, chosen.parameters.resolve({**base, name: value})).instantaneous_regret
            assert np.array_equal(plain, other) == (name not in options), (method, name)


def test_logarithmic_axes_have_three_ticks_at_least():
    for low, high in ((0.06, 0.13), (0.011, 0.2), (0.3, 0.31)):
        axes = Canvas().subplots()
        axes.set(yscale="log", ylim=(low, high))
        experiment_figures._few_decades(axes)
        assert len([tick for tick in axes.get_yticks() if low <= tick <= high]) >= 3


# -- stored results: a small store made here --------------------------------------------------------------------------


PLAN = paper_plan.Plan(
    problems=("swarm", "arena", "bikes", "taxi-a"),
    runs=3,
    few=3,
    many=2,
    agents=(10, 40),
    actions=(5, 10),
    contexts=(1, 2),
    betas=(1.0,),
    horizon=12,
    overrides={"candidates": 20, "restart": 4},
    parts=("figures", "agents", "quota", "sizes", "rivals"),
)


@pytest.fixture(scope="module")
def small(tmp_path_factory, root):
    folder = tmp_path_factory.mktemp("store")
    (folder / "data").mkdir()
    (folder / "data" / "reported").symlink_to(root / "data" / "reported")
    paper_scale.store(folder, 1, plan=PLAN, data="synthetic")
    return paper.Evidence(side_by_side(folder))


def changed(evidence, **columns):
    """The evidence with columns of ``final`` replaced by functions of its rows."""
    final = evidence.both.tables["final"]
    tables = {**evidence.both.tables, "final": final.assign(**{k: make(final) for k, make in columns.items()})}
    return paper.Evidence(dataclasses.replace(evidence.both, tables=tables))


def test_best_so_far_is_the_running_maximum_of_the_stored_steps(small):
    runs = small.best_so_far("arena", "turbo")
    assert runs.shape == (3, HORIZON)
    assert (np.diff(runs, axis=1) >= 0).all()
    np.testing.assert_allclose(runs[:, -1], small.both.values("arena", "turbo"), rtol=1e-5)


def test_every_figure_and_row_says_which_data_it_used(small):
    table = problems.problem_rows(small).set_index("problem")
    assert table.loc["Swarm motion", "stored runs on"] == "formula"
    assert table.loc["NYC taxi (a)", "stored runs on"] == "synthetic stand-in"
    assert table.loc["NYC taxi (b)", "stored runs on"] == "–"
    assert "NYC (a): synthetic stand-in" in experiment_figures.finals(small, FIGURE_5).caption
    real = changed(small, label=lambda rows: np.where(rows.problem == "taxi-a", "real-sample", rows.label))
    record = {**real.both.record, "settings": {**real.both.record["settings"], "data": {"taxi-a": "working-days"}}}
    told = paper.Evidence(dataclasses.replace(real.both, record=record))
    assert told.data_in_words("taxi-a") == "real data, a sample (working-days)"
    assert "real data, a sample" in maps.say_maps(maps.manhattan(told)).markdown
    assert "real data, a sample" in maps.manhattan(told).label


@pytest.mark.parametrize(("shift", "verdict"), [(1e3, "above"), (-1e3, "below")])
def test_sentences_on_the_figures_follow_the_results(small, shift, verdict):
    def moved(rows):
        return rows.best + shift * (rows.method == "mf-gp-ucb")

    told = changed(small, best=moved)
    text = paper.say_finals(told, FIGURE_2).markdown
    assert f"by its best reward, {verdict} on Swarm" in text
    first = 4 if verdict == "above" else 0
    said = standings.again(told)
    assert said.startswith(
        f"by best reward MF-GP-UCB is ahead of each of the paper's other methods on {first} of 4 problems"
    )
    assert ("behind on Swarm" in said.partition("By cumulative regret")[0]) == (verdict == "below")


@pytest.mark.parametrize(("factor", "verdict"), [(1e-3, "ahead of every other method on"), (1e3, "behind on")])
def test_regret_is_told_beside_the_best_reward(small, factor, verdict):
    def total(rows):
        scale = np.where(rows.method == "mf-gp-ucb", factor, 1.0)
        return [f"1 {float(text.split()[-1]) * s:.9g}" for text, s in zip(rows.cumulative, scale, strict=True)]

    text = standings.say_regret(changed(small, cumulative=total), FIGURE_2).markdown
    assert f"MF-GP-UCB is {verdict} Swarm" in text
    assert ("more than by playing the uniform law" in text) == (factor > 1)
    both = changed(small, cumulative=total).both
    rows = both.rows("swarm", "mf-gp-ucb")
    by_hand = [
        float(row.cumulative.split()[-1]) / HORIZON / (row.upper_bound - row.uniform) for row in rows.itertuples()
    ]
    assert f"Swarm {np.mean(by_hand):.2f}" in text


@pytest.fixture(scope="module")
def varied(small):
    """The small store with variants that are as good as the default, or as bad as random search less a little."""
    final = small.both.tables["final"]
    ours, random = (final[(final.part == "figures") & (final.method == m)] for m in ("mf-gp-ucb", "random"))
    rows = []
    for problem, variant, bad in (
        ("taxi-a", "width=printed", True),
        ("taxi-a", "width=corrected", True),
        ("swarm", "width=printed", False),
        ("swarm", "width=corrected", False),
        ("bikes", "observation=agent", True),
        ("swarm", "observation=agent", False),
    ):
        own = ours[ours.problem == problem].assign(part="variants", variant=variant, last_rise=9)
        rows.append(own.assign(best=random[random.problem == problem].best.to_numpy() - 0.1) if bad else own)
    tables = {**small.both.tables, "final": pd.concat([final, *rows], ignore_index=True)}
    return paper.Evidence(dataclasses.replace(small.both, tables=tables))


def test_what_is_proved_and_what_is_run_are_told_apart(small, varied):
    text = standings.two_methods(varied)
    assert "MF-GP-UCB earns less than random search on NYC (a)" in text
    assert "it earns less on LouVelo." in text
    width = standings.say_width(varied).markdown
    assert "stays below that of random search, by 0.1 (" in width
    assert "nothing that is played after the 10 random laws" in width
    later = {**varied.both.tables, "final": varied.both.tables["final"].assign(last_rise=11)}
    assert (
        "nothing that is played"
        not in standings.say_width(paper.Evidence(dataclasses.replace(varied.both, tables=later))).markdown
    )
    assert "below random search on LouVelo, by 0.1 (" in standings.say_observation(varied).markdown
    assert "are not stored" in standings.two_methods(small)
    assert "No runs" in standings.say_width(small).markdown


def test_variants_are_shown_setting_by_setting(varied):
    table = experiment_figures.variants(varied, "the observation", "observation").frame
    assert set(table.setting) == {"observation=agent"}
    assert table["difference of the laws (95 % interval)"].str.fullmatch(r"\S+ \(\S+ to \S+\)").all()
    row = table[table.problem == "Swarm"].iloc[0]
    own, plain = row["regret / default's"].split(" / ")
    share = standings.share_of_uniform(varied.both, "swarm", "mf-gp-ucb").mean()
    assert own == plain == f"{share:.2f}"
    assert "No variants of the search" in experiment_figures.variants(varied, "the search", "search").markdown


@pytest.mark.parametrize(("power", "said"), [(0.5, "**grows**"), (-0.5, "falls"), (0.0, "shows no trend")])
def test_headline_follows_the_measured_exponent(small, power, said):
    def total(rows):
        wobble = 1.0 + 0.01 * ((rows.seed * 7 + rows.agents) % 3 - 1)
        return [f"{100 * m**power * w:.6g}" for m, w in zip(rows.agents.astype(float), wobble, strict=True)]

    told = changed(small, cumulative=total)
    found = growth.exponent(told, "swarm", "agents", "mf-gp-ucb", "agents")
    assert found.estimate == pytest.approx(power, abs=0.03)
    assert f"on Swarm the regret of MF-GP-UCB {said}" in growth.say_growth(told).markdown
    assert ("**grows**" in standings.grown(told)) == (power > 0)
    assert f"(exponent {found.estimate:+.2f}" in standings.grown(told)


def test_growth_tells_where_the_uniform_law_is_not_beaten(small):
    def total(rows):
        units = (rows.upper_bound - rows.uniform) * HORIZON
        shares = np.where(rows.part.isin(("actions", "contexts")), 1.5, np.where(rows.agents == 10, 1.25, 0.5))
        return [
            f"{share * unit * (1 + 0.001 * seed):.8g}"
            for share, unit, seed in zip(shares, units, rows.seed, strict=True)
        ]

    told = changed(small, cumulative=total)
    text = growth.say_growth(told).markdown
    assert "on Swarm with 10 agents (1.25 times) and on Arena with 10 agents (1.25 times)" in text
    assert "random" not in set(growth.exponent_rows(told).method)
    rows = growth.size_rows(told)
    for row in rows.itertuples():
        part, problem = next((part, problem) for what, part, problem in growth.SIZES if what == row.what)
        found = growth.runs(told, problem, part, "mf-gp-ucb")
        assert row.share == pytest.approx(found[found[row.what] == row.size].share.mean())
    assert "with 5 and 10 actions it is 1.50 and 1.50 times" in growth.say_sizes(told).markdown


def test_growth_without_stored_runs_says_so(small):
    final = small.both.tables["final"]
    bare = {**small.both.tables, "final": final[final.part == "figures"]}
    told = paper.Evidence(dataclasses.replace(small.both, tables=bare))
    assert "not stored" in growth.say_growth(told).markdown or "no stored runs" in growth.say_growth(told).markdown
    assert "No runs" in growth_figures.agents(told).markdown
    assert "No runs with whole numbers" in paper.say_play(told).markdown
    assert "is not among the stored runs" in experiment_figures.curves(told, 2, ("ports",)).markdown


def test_a_fall_that_ends_is_told(small, monkeypatch):
    def total(rows):
        unit = (rows.upper_bound - rows.uniform) * HORIZON
        turn = {"swarm": 20, "arena": 5}
        wobble = 1.0 + 0.01 * (rows.seed % 3 - 1)
        shares = [max(1.0, turn.get(name, 5) / m) for name, m in zip(rows.problem, rows.agents, strict=True)]
        return [f"{value:.8g}" for value in unit * shares * wobble]

    final = small.both.tables["final"]
    more = final[final.part == "agents"].assign(agents=lambda rows: rows.agents * 4)
    tables = {**small.both.tables, "final": pd.concat([final, more[more.agents == 160]])}
    wide = paper.Evidence(dataclasses.replace(small.both, tables=tables))
    monkeypatch.setattr(growth, "FROM", (40,))
    text = growth.say_growth(changed(wide, cumulative=total)).markdown
    assert "On Swarm no fall is certain from 40 agents on." in text
    assert "On Arena no fall" not in text


def test_shares_are_regret_over_that_of_the_uniform_law(small):
    rows = growth.runs(small, "swarm", "agents", "random")
    final = small.both.tables["final"]
    (one,) = final.query(
        "part == 'agents' and problem == 'swarm' and method == 'random' and agents == 40 and seed == 1"
    ).itertuples()
    share = rows[(rows.agents == 40) & (rows.seed == 1)].share.item()
    assert share == pytest.approx(float(one.cumulative.split()[-1]) / HORIZON / (one.upper_bound - one.uniform))


def test_printed_ratios_are_the_quotients_of_table_2(small):
    table = paper.time_rows(small).set_index(["problem", "method"])
    assert len(table) == len(SETTINGS) * len(METHOD_OF)
    assert table.loc[("NYC (a)", "TuRBO"), "printed ratio"].startswith(f"{4105 / 36:.3g}")
    assert table.loc[("Maritime", "TuRBO"), "our ratio"] == "–"
    text = paper.say_times(small).markdown
    assert "TuRBO on NYC (a), 114 times" in text


def test_live_runs_are_the_beginning_of_the_stored_ones(small):
    again = live.rerun_live(small, 2, 10)
    both = again.dropna(subset=["stored"])
    assert set(zip(both.method, both.M, strict=True)) == {("mf-gp-ucb", 10), ("gp-ucb", 10)}
    assert live.agree(again)
    assert "**not all" in live.say_live(again.assign(stored=again.stored * 1.01)).markdown
    assert "none of them" in live.say_live(again.assign(stored=math.nan)).markdown


def test_teams_are_compared_with_the_nearest_turn_of_the_optimum(small):
    found = maps.teams(small)
    optimal = small.both.optimal("arena")
    turns = [np.roll(optimal[list(order)], k, axis=1) for order in ((0, 1), (1, 0)) for k in range(optimal.shape[1])]
    best = min(np.abs(turn - found.found).sum() for turn in turns)
    assert np.abs(found.optimal - found.found).sum() == pytest.approx(best)
    assert ((found.degrees >= 0) & (found.degrees <= 180)).all()


def test_maps_put_every_block_in_its_place(small):
    field = maps.manhattan(small).maps["demand"]
    places = small.both.places("taxi-a")
    assert field.shape == (12, 20)
    for row in places.iloc[::25].itertuples():
        # Features are centres of blocks in the unit square: west to east, south to north.
        assert field[int(row.first * 12), int(row.second * 20)] == pytest.approx(float(row.optimal))
    assert np.isnan(field).sum() == 240 - len(places)


def test_summary_is_filled_from_the_results_given(small):
    common = {"teeth": [], "location": "x", "title": "y"}
    entries = [
        {"id": name, "status": status, **common}
        for name, status in (
            ("A1-tau", "fails"),
            ("A2-law", "holds-with-corrected-constant"),
            ("A-decomp", "holds"),
            ("alg-1", "fails"),
            ("assumption-3.1", "fails"),
        )
    ]
    checked = stored_evidence.Checked(entries, [], [], stored_evidence.Where())
    text = findings.say_findings(small, checked).markdown
    assert "{" not in re.sub(r"\^\{\d+\}", "", text)
    assert "nan" not in text
    assert "of the 3 steps of its appendix in the ledger 2 are false as printed, 1 of them by more than" in text
    assert "Which penalty was run stays open" in text
    lead = {"id": "E12", "confirmed": True}
    sure = stored_evidence.Checked(entries, [], [lead], stored_evidence.Where())
    assert "most likely weighted by the shares" in findings.say_findings(small, sure).markdown


def test_claims_are_listed_part_by_part():
    part = {"what": "w", "verdict": "holds", "reproduced": {"mean": None}}
    entry = {
        "kind": "claim",
        "claim": "c",
        "verdict": "contradicted",
        "parts": [part, {**part, "verdict": "contradicted"}],
    }
    rows = findings.claim_rows(stored_evidence.Checked([], [entry, {"kind": "cell"}], [], stored_evidence.Where()))
    assert list(rows.claim) == ["c", ""]
    assert list(rows["of this part"]) == ["holds", "contradicted"]


def test_where_the_vessels_go_is_measured():
    entry = {"kind": "claim", "cell": "maritime-best", "own_region": 0.25, "own_region_at_optimum": 0.5}
    text = findings.say_vessels(stored_evidence.Checked([], [entry], [], stored_evidence.Where())).markdown
    assert "keep 25% of the vessels in their region, the best law known 50%" in text


def test_outcome_of_an_interval():
    assert paper.outcome(Interval(1.0, 0.5, 2.0, 5)) == "above"
    assert paper.outcome(Interval(-1.0, -2.0, -0.5, 5)) == "below"
    assert paper.outcome(Interval(0.0, -1.0, 1.0, 5)) == "not told apart"


def told_on_the_first_page(verdict="holds", high=-0.004, exponent=(-0.2, -0.3, -0.1), status="holds", most=20.0):
    """The headline for a small made-up evidence."""
    groups = {"ahead": ["swarm", "arena"], "behind": ["ports"], "not told apart": []}
    other = {"ahead": ["swarm"], "behind": ["ports", "arena"], "not told apart": []}
    standing = {
        "best reward": {"as run": groups, "search=paper": groups},
        "regret": {"as run": other, "search=paper": {**other, "ahead": []}},
    }
    width = {
        "taxi-a": {"width=printed": {"best_minus_random_search": {"high": high}}},
        "swarm": {"width=printed": {"best_minus_random_search": {"low": -high}}},
    }
    growth_found = {"swarm": {"mean_share": {"10": 0.4, "90000": 0.4}, "exponent": list(exponent)}}
    claims = [
        {"kind": "claim", "cell": "higher-reward", "verdict": verdict, "standings": standing, "theory_width": width},
        {"kind": "claim", "cell": "rate-without-agents", "verdict": verdict, "regret_by_agents": growth_found},
    ]
    leads = [{"id": "U11", "values": {"bound": 30.0, "range": most, "horizon": 60}}]
    return headline.headline([{"id": "thm-4.1-corrected", "status": status}], claims, leads)


def test_headline_of_the_book_follows_the_evidence():
    text = told_on_the_first_page()
    assert (
        "holds once repaired, but says nothing on a small game at T = 60, where it is 1.5 times what the worst" in text
    )
    assert "says something on a small game" in told_on_the_first_page(most=40.0)
    assert "regret falls from 10 to 90 000 agents." in text
    assert "on 2 of 3 problems by best reward and 1 by regret (2 and 0 with Adam at the paper's rate)" in text
    assert "less than random search on Manhattan's coarsest grid, though not on Swarm." in text
    assert "less than random search" not in told_on_the_first_page(high=0.001)
    assert "regret grows from" in told_on_the_first_page(exponent=(0.2, 0.1, 0.3))
    assert "(not on every problem)" in told_on_the_first_page(verdict="contradicted")
    assert "fails even repaired" in told_on_the_first_page(status="fails")
