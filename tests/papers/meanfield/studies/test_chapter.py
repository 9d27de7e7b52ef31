"""The chapter's studies and stored results hold together, whatever the results are."""

import dataclasses
import math
import re
import types
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sentences import numbers, turned

from companion.papers.meanfield.claims.printed import (
    FIGURE_2,
    FIGURE_5,
    METHOD_OF,
    NAME_OF,
    OURS,
    TITLE_OF,
)
from companion.papers.meanfield.claims.ranking import (
    AHEAD,
    BEHIND,
    BEST,
    OPEN,
    REGRET,
    groups,
    share_of_uniform,
    standing,
)
from companion.papers.meanfield.figures import experiments as experiment_figures
from companion.papers.meanfield.figures import growth as growth_figures
from companion.papers.meanfield.figures import theory as theory_figures
from companion.papers.meanfield.plan import runs as planned
from companion.papers.meanfield.plan import store as paper_scale
from companion.papers.meanfield.plan.experiments import experiment
from companion.papers.meanfield.problems.catalogue import HORIZON, SETTINGS
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
from companion.papers.meanfield.theory.bounds import corrected_bound, printed_bound
from companion.papers.meanfield.theory.runs import STANDARD, Game, theory_runs
from companion.papers.meanfield.theory.unlearned import unlearned
from companion.problems.datasets import VARIABLE
from companion.report import evidence as stored_evidence
from companion.report.text import Sentence
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
    assert (study.rows.high <= study.rows.bound).all()
    wrong, close = (dataclasses.replace(study, rows=study.rows.assign(high=f * study.rows.bound)) for f in (1.01, 0.99))
    told, warned, again = (bound.say_bound(each).markdown for each in (study, wrong, close))
    assert turned(told, warned)
    assert not turned(told, again)


def test_bound_is_said_to_be_empty_where_it_is_above_the_range_and_the_figure_says_from_where_it_is_not():
    study = bound.bound_study(1, 16, 0.1, 12)
    row = bound.at(study, 0.1, "corrected")
    assert row.bound > row.range
    text = bound.say_bound(study).markdown
    assert pytest.approx(row.range, abs=0.5) in numbers(text)
    useful, empty = (dataclasses.replace(study, rows=study.rows.assign(range=f * row.bound)) for f in (1.01, 0.99))
    assert turned(text, bound.say_bound(useful).markdown)
    assert not turned(text, bound.say_bound(empty).markdown)
    (last, first), (_, later) = bound.passages(study, 0.1).values()
    curve, idle = study.curves[0.1], study.idle
    at = {t: curve.corrected[list(curve.rounds).index(t)] for t in (last, first)}
    assert at[last] > last * idle.range.estimate
    assert at[first] < first * idle.range.estimate
    assert first < later
    shown = theory_figures.bound(study)
    for said in (text, shown.caption, shown.alt):
        assert {last, first} <= set(numbers(said))
    assert [last, first] in [numbers(cell) for cell in bound.worth_rows(study)["noise 0.1"]]
    passed, never = bound.between((last, first), 8192.0), bound.between((8192.0, math.inf), 8192.0)
    assert numbers(never) == [8192]
    assert turned(passed, never)
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
    text = rates.say_additive(rows).markdown
    share = rows["upper, additive"] / rows["lower, joint"]
    for value in (share.min(), share.max()):
        assert pytest.approx(100 * value, abs=0.5) in numbers(text)
    # Enough that one setting is another than the others.
    for factor, other in ((0.99, True), (1.01, False)):
        lower = rows["lower, joint"].where(rows.index != rows.index[0], factor * rows["upper, additive"])
        assert turned(text, rates.say_additive(rows.assign(**{"lower, joint": lower})).markdown) == other


def test_gains_are_certified_and_the_mean_field_one_has_a_limit():
    study = rates.gain_study(5)
    assert (study.rows.lower <= study.rows.upper * (1 + 1e-12)).all()
    naive, law = rates.part(study, "naive"), rates.part(study, "law")
    assert naive.lower.loc[5] > 1.4 * naive.upper.loc[4]
    assert law.lower.max() <= law.upper.loc[240]
    assert (study.rows.upper <= study.ceiling * (1 + 1e-9)).all()
    text, top = rates.say_gains(study).markdown, law.upper.loc[240]
    assert pytest.approx(top, abs=0.05) in numbers(text)
    for least, other in ((1.01 * top, True), (0.99 * top, False)):
        risen = study.rows.assign(lower=np.where(study.rows.M == 5, least, study.rows.lower))
        assert turned(text, rates.say_gains(dataclasses.replace(study, rows=risen)).markdown) == other


def test_penalties_prefer_what_they_are_said_to():
    study = problems.penalty_study()
    assert study.laws["text"].max() == 1.0
    assert (study.laws["ours"] > 0).sum() == 4
    text = problems.say_penalties(study).markdown
    table = study.rows.set_index(["problem", "penalty"])
    swarm = table.loc[SETTINGS["swarm"].title].loc[problems.READINGS["text"]]
    assert swarm["one action each"] == pytest.approx(swarm.optimum)
    weighted = table.loc[(SETTINGS["arena"].title, problems.READINGS["ours"])]
    assert {100.0, round(weighted.optimum, 2)} <= set(numbers(text))
    for change, other in ((-1.0, True), (0.0, False)):
        spread = study.rows.assign(**{"one action each": study.rows.optimum + change})
        assert turned(text, problems.say_penalties(dataclasses.replace(study, rows=spread)).markdown) == other


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
        assert pytest.approx(value, abs=0.005) in numbers(text)


def test_exercises_have_the_answers_that_the_prompts_ask_for():
    # The largest errors of rounding by hand: 30 parts of one half, and 16 of 15/31 with 15 of 16/31, both over tau.
    text = exercises.rounding(0).markdown
    for value in (30 * 0.5 / 75, 2 * 16 * 15 / 31 / 77):
        assert pytest.approx(value, abs=5e-6) in numbers(text)
    assert pytest.approx(math.log(2), abs=5e-4) in numbers(exercises.corner().markdown)


def test_exercise_on_the_number_of_agents_tells_equal_regrets_from_others(monkeypatch):
    swarm, runs, off = experiment("swarm"), {}, 0.0

    def trial(method, seed, values):
        """The run, made once; with ``off``, the regret of random search depends on the number of agents."""
        key = (method, values["agents"])
        if key not in runs:
            runs[key] = swarm.trial(method, seed, values)
        more = off * values["agents"] if method == "random" else 0.0
        return dataclasses.replace(runs[key], cumulative_regret=runs[key].cumulative_regret + more)

    own = types.SimpleNamespace(name="swarm", parameters=swarm.parameters, trial=trial)
    monkeypatch.setattr(exercises, "experiment", {"swarm": own}.__getitem__)
    text = exercises.command().markdown
    few, many = (runs["random", agents].cumulative_regret for agents in (50, 5000))
    np.testing.assert_array_equal(few, many)
    assert Counter(numbers(text))[round(float(few[-1]), 1)] == 2
    ours = [runs[OURS, agents].instantaneous_regret for agents in (50, 5000)]
    assert np.flatnonzero(ours[0] != ours[1])[0] == 10
    assert {10, 11} <= set(numbers(text))
    off = 1e-9
    assert turned(text, exercises.command().markdown)


def test_settings_are_the_defaults_and_options_change_their_methods_only():
    table = methods.method_rows()
    # A method is named in the first of its rows only.
    told = table.value.groupby(table.method.where(table.method != "").ffill()).agg(" ".join)
    turbo, annealing = (Counter(numbers(told[NAME_OF[name]])) for name in ("turbo", "sa"))
    # The radius in units of M, by what it grows and shrinks, after how many evaluations; and the candidates.
    assert turbo >= Counter([0.8, 1.5, 3, 1.5, 40, 5000])
    assert annealing >= Counter([100, 0.8])
    chosen = experiment("arena")
    base = {"horizon": 16, "agents": 20, "actions": 6, "initial": 5, "restart": 5, "candidates": 20}
    changes = {"beta": 6.0, "search": "paper", "kernel": "joint", "initial": 8, "candidates": 40, "restart": 9}
    for method, options in methods.OPTIONS.items():
        plain = chosen.trial(method, 0, chosen.parameters.resolve(base)).instantaneous_regret
        for name, value in changes.items():
            other = chosen.trial(method, 0, chosen.parameters.resolve({**base, name: value})).instantaneous_regret
            assert np.array_equal(plain, other) == (name not in options), (method, name)


# -- stored results: a small store made here --------------------------------------------------------------------------


PLAN = planned.Plan(
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
    return paper.Evidence.read(folder)


def changed(evidence, **columns):
    """The evidence with columns of ``final`` replaced by functions of its rows."""
    final = evidence.tables["final"]
    tables = {**evidence.tables, "final": final.assign(**{k: make(final) for k, make in columns.items()})}
    return dataclasses.replace(evidence, tables=tables)


def test_best_so_far_is_the_running_maximum_of_the_stored_steps(small):
    runs = small.best_so_far("arena", "turbo")
    assert runs.shape == (3, HORIZON)
    assert (np.diff(runs, axis=1) >= 0).all()
    np.testing.assert_allclose(runs[:, -1], small.values("arena", "turbo"), rtol=1e-5)


def test_every_figure_and_row_says_which_data_it_used(small):
    table = problems.problem_rows(small).set_index("problem")
    used, words = table["stored runs on"], paper.LABELS
    assert used["Swarm motion"] == words["closed form"]
    assert used["NYC taxi (a)"] == words["synthetic"]
    assert used["NYC taxi (b)"] not in words.values()
    caption = experiment_figures.finals(small, FIGURE_5).caption
    assert "NYC (a)" in caption
    assert words["synthetic"] in caption
    assert words["real-sample"] not in caption
    real = changed(small, label=lambda rows: np.where(rows.problem == "taxi-a", "real-sample", rows.label))
    record = {**real.record, "settings": {**real.record["settings"], "data": {"taxi-a": "working-days"}}}
    told = dataclasses.replace(real, record=record)
    for part in (words["real-sample"], "working-days"):
        assert part in told.data_in_words("taxi-a")
    assert maps.manhattan(told).label == words["real-sample"]
    assert words["real-sample"] in maps.say_maps(maps.manhattan(told)).markdown
    assert words["synthetic"] in maps.say_maps(maps.manhattan(small)).markdown


def test_sentences_on_the_figures_follow_the_results(small):
    finals, again = [], []
    for shift, verdict, ahead in ((1e3, "above", 4), (2e3, "above", 4), (-1e3, "below", 0)):
        told = changed(small, best=lambda rows, by=shift: rows.best + by * (rows.method == OURS))
        assert paper.outcome(paper.leads(told, "swarm")[1]) == verdict
        found = groups(told, BEST)
        assert (len(found[AHEAD]), len(found[BEHIND])) == (ahead, 4 - ahead)
        finals.append(paper.say_finals(told, FIGURE_2).markdown)
        again.append(standings.again(told))
        assert {ahead, 4} <= set(numbers(again[-1]))
    for above, more, below in (finals, again):
        assert turned(above, below)
        assert not turned(above, more)
        assert "Swarm" in below


def test_regret_is_told_beside_the_best_reward(small):
    def told(own, others):
        """With so many times the uniform law's regret for MF-GP-UCB, and for the other methods."""

        def total(rows):
            share = np.where(rows.method == OURS, own, others) * (1 + 0.001 * rows.seed)
            return [f"1 {value:.9g}" for value in share * (rows.upper_bound - rows.uniform) * HORIZON]

        evidence = changed(small, cumulative=total)
        shares = [share_of_uniform(evidence, name, OURS).mean() for name in evidence.problems]
        assert shares == pytest.approx([own * 1.001] * 4)
        text = standings.say_regret(evidence, FIGURE_2).markdown
        assert pytest.approx(own * 1.001, abs=0.005) in numbers(text)
        return standing(evidence, "swarm", REGRET).verdict, text

    verdicts, texts = zip(*(told(*each) for each in ((0.95, 2.0), (0.5, 2.0), (1.05, 2.0), (0.95, 0.2))), strict=True)
    assert verdicts == (AHEAD, AHEAD, AHEAD, BEHIND)
    ahead, far, more, behind = texts
    assert not turned(ahead, far)
    assert turned(ahead, more)
    assert turned(ahead, behind)


@pytest.fixture(scope="module")
def varied(small):
    """The small store with variants that are as good as the default, or as bad as random search less a little."""
    final = small.tables["final"]
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
    tables = {**small.tables, "final": pd.concat([final, *rows], ignore_index=True)}
    return dataclasses.replace(small, tables=tables)


def test_what_is_proved_and_what_is_run_are_told_apart(small, varied):
    text = standings.two_methods(varied)
    assert standings.below_random(varied, standings.THEORY) == (["taxi-a"], ["swarm"])
    assert standings.below_random(varied, (standings.AGENT,)) == (["bikes"], ["swarm"])
    assert {"NYC (a)", "LouVelo"} <= {title for title in TITLE_OF.values() if title in text}
    width, observation = standings.say_width(varied).markdown, standings.say_observation(varied).markdown
    assert 0.1 in numbers(width)
    assert 0.1 in numbers(observation)
    assert "LouVelo" in observation
    # Every run starts with ten random laws, so that a best law found then is one of them.
    assert standings.INITIAL == 10
    for last, other in ((10, False), (11, True)):
        assert turned(width, standings.say_width(changed(varied, last_rise=lambda rows, at=last: at)).markdown) == other

    def good(problem):
        return changed(
            varied, best=lambda rows: rows.best + 1e3 * ((rows.part == "variants") & (rows.problem == problem))
        )

    assert standings.below_random(good("taxi-a"), standings.THEORY) == ([], ["swarm", "taxi-a"])
    assert standings.below_random(good("bikes"), (standings.AGENT,)) == ([], ["swarm", "bikes"])
    assert turned(width, standings.say_width(good("taxi-a")).markdown)
    assert not turned(width, standings.say_width(good("bikes")).markdown)
    assert turned(observation, standings.say_observation(good("bikes")).markdown)
    for problem in ("taxi-a", "bikes"):
        assert turned(text, standings.two_methods(good(problem)))
    assert standings.below_random(small, standings.THEORY) is None
    for told, bare in ((text, standings.two_methods(small)), (width, standings.say_width(small).markdown)):
        assert turned(told, bare)
        assert not any(title in bare for title in TITLE_OF.values())


def test_variants_are_shown_setting_by_setting(varied):
    table = experiment_figures.variants(varied, "the observation", "observation").frame
    assert set(table.setting) == {"observation=agent"}
    for cell in table["difference of the laws (95 % interval)"]:
        difference, low, high = numbers(cell)
        assert low <= difference <= high
    row = table[table.problem == "Swarm"].iloc[0]
    own, plain = row["regret / default's"].split(" / ")
    share = standings.share_of_uniform(varied, "swarm", "mf-gp-ucb").mean()
    assert own == plain == f"{share:.2f}"
    # Where nothing is stored a sentence stands in the place of the table.
    assert isinstance(experiment_figures.variants(varied, "the search", "search"), Sentence)


def test_the_finding_follows_the_measured_exponent(small):
    texts, short = {}, {}
    for power in (0.5, 0.3, 0.0, -0.3, -0.5):

        def total(rows, power=power):
            # Less than the uniform law's regret, which has a sentence of its own.
            wobble = 0.001 * (1.0 + 0.01 * ((rows.seed * 7 + rows.agents) % 3 - 1))
            return [f"{m**power * w:.6g}" for m, w in zip(rows.agents.astype(float), wobble, strict=True)]

        told = changed(small, cumulative=total)
        found = growth.exponent(told, "swarm", "agents", OURS, "agents")
        assert found.estimate == pytest.approx(power, abs=0.03)
        assert (found.low > 0, found.high < 0) == (power > 0, power < 0)
        texts[power], short[power] = growth.say_growth(told).markdown, standings.grown(told)
        assert pytest.approx(found.estimate, abs=0.005) in numbers(texts[power])
        assert pytest.approx(found.estimate, abs=0.005) in numbers(short[power])
    for said in (texts, short):
        assert not turned(said[0.5], said[0.3])
        assert not turned(said[-0.5], said[-0.3])
        assert turned(said[0.5], said[0.0])
        assert turned(said[0.5], said[-0.5])
        assert turned(said[-0.5], said[0.0])


def test_growth_tells_where_the_uniform_law_is_not_beaten(small):
    def evidence(few, sizes):
        def total(rows):
            units = (rows.upper_bound - rows.uniform) * HORIZON
            shares = np.where(rows.part.isin(("actions", "contexts")), sizes, np.where(rows.agents == 10, few, 0.5))
            return [
                f"{share * unit * (1 + 0.001 * seed):.8g}"
                for share, unit, seed in zip(shares, units, rows.seed, strict=True)
            ]

        return changed(small, cumulative=total)

    told, less = evidence(1.25, 1.5), evidence(0.75, 0.6)
    ours = growth.growth_rows(told).query("method == @OURS and share >= 1")
    assert set(zip(ours.problem, ours.M, strict=True)) == {("swarm", 10), ("arena", 10)}
    text = growth.say_growth(told).markdown
    assert numbers(text).count(1.25) >= 2
    assert turned(text, growth.say_growth(less).markdown)
    assert not turned(text, growth.say_growth(evidence(1.35, 0.6)).markdown)
    assert "random" not in set(growth.exponent_rows(told).method)
    rows = growth.size_rows(told)
    for row in rows.itertuples():
        part, problem = next((part, problem) for what, part, problem in growth.SIZES if what == row.what)
        found = growth.runs(told, problem, part, "mf-gp-ucb")
        assert row.share == pytest.approx(found[found[row.what] == row.size].share.mean())
    text = growth.say_sizes(told).markdown
    assert {5, 10, 1.5} <= set(numbers(text))
    assert turned(text, growth.say_sizes(less).markdown)


def test_growth_without_stored_runs_says_so(small):
    final = small.tables["final"]
    bare = {**small.tables, "final": final[final.part == "figures"]}
    told = dataclasses.replace(small, tables=bare)
    assert growth.exponent(told, "swarm", "agents", OURS, "agents") is None
    assert growth.growth_rows(told).empty
    for say in (growth.say_growth, growth.say_sizes, paper.say_play):
        assert turned(say(small).markdown, say(told).markdown)
        assert "nan" not in say(told).markdown
    # Where nothing is stored a sentence stands in the place of the figure.
    assert isinstance(growth_figures.agents(told), Sentence)
    assert isinstance(experiment_figures.curves(told, 2, ("ports",)), Sentence)


def test_a_fall_that_ends_is_told(small, monkeypatch):
    final = small.tables["final"]
    more = final[final.part == "agents"].assign(agents=lambda rows: rows.agents * 4)
    tables = {**small.tables, "final": pd.concat([final, more[more.agents == 160]])}
    wide = dataclasses.replace(small, tables=tables)
    monkeypatch.setattr(growth, "FROM", (40,))

    def ending(**at):
        """Regret that falls up to a number of agents, by problem, and stays where it is from there on."""

        def total(rows):
            unit = (rows.upper_bound - rows.uniform) * HORIZON
            wobble = 0.1 * (1.0 + 0.01 * (rows.seed % 3 - 1))
            shares = [max(1.0, at.get(name, 5) / m) for name, m in zip(rows.problem, rows.agents, strict=True)]
            # Less than the uniform law's regret, which has a sentence of its own.
            return [f"{value:.8g}" for value in unit * shares * wobble / max(at.values())]

        return changed(wide, cumulative=total)

    def falls(evidence, problem, **more):
        return growth.exponent(evidence, problem, "agents", OURS, "agents", **more).high < 0

    ended, going = ending(swarm=20, arena=5), ending(swarm=1000, arena=5)
    for told, later in ((ended, False), (going, True)):
        assert falls(told, "swarm")
        assert falls(told, "swarm", least=40) == later
        assert not falls(told, "arena")
    text = growth.say_growth(ended).markdown
    assert 40 in numbers(text)
    assert turned(text, growth.say_growth(going).markdown)
    assert not turned(text, growth.say_growth(ending(swarm=30, arena=5)).markdown)


def test_shares_are_regret_over_that_of_the_uniform_law(small):
    rows = growth.runs(small, "swarm", "agents", "random")
    final = small.tables["final"]
    (one,) = final.query(
        "part == 'agents' and problem == 'swarm' and method == 'random' and agents == 40 and seed == 1"
    ).itertuples()
    share = rows[(rows.agents == 40) & (rows.seed == 1)].share.item()
    assert share == pytest.approx(float(one.cumulative.split()[-1]) / HORIZON / (one.upper_bound - one.uniform))


def test_printed_ratios_are_the_quotients_of_table_2(small):
    table = paper.time_rows(small).set_index(["problem", "method"])
    assert len(table) == len(SETTINGS) * len(METHOD_OF)
    assert numbers(table.loc[("NYC (a)", "TuRBO"), "printed ratio"])[0] == pytest.approx(4105 / 36, abs=0.5)
    assert table.loc[("Maritime", "TuRBO"), "our ratio"] == "–"
    text = paper.say_times(small).markdown
    assert "TuRBO" in text
    assert "NYC (a)" in text
    assert pytest.approx(4105 / 36, abs=0.5) in numbers(text)


def test_live_runs_are_the_beginning_of_the_stored_ones(small):
    again = live.rerun_live(small, 2, 10)
    results = again.dropna(subset=["stored"])
    assert set(zip(results.method, results.M, strict=True)) == {("mf-gp-ucb", 10), ("gp-ucb", 10)}
    assert live.same(again).all()
    assert not live.same(again.assign(stored=again.stored * 1.01)).any()
    assert {len(again), len(results)} <= set(numbers(live.say_live(again, small).markdown))


def test_teams_are_compared_with_the_nearest_turn_of_the_optimum(small):
    found = maps.teams(small)
    optimal = small.optimal("arena")
    turns = [np.roll(optimal[list(order)], k, axis=1) for order in ((0, 1), (1, 0)) for k in range(optimal.shape[1])]
    best = min(np.abs(turn - found.found).sum() for turn in turns)
    assert np.abs(found.optimal - found.found).sum() == pytest.approx(best)
    assert ((found.degrees >= 0) & (found.degrees <= 180)).all()


def test_maps_put_every_block_in_its_place(small):
    field = maps.manhattan(small).maps["demand"]
    places = small.places("taxi-a")
    assert field.shape == (12, 20)
    for row in places.iloc[::25].itertuples():
        # Features are centres of blocks in the unit square: west to east, south to north.
        assert field[int(row.first * 12), int(row.second * 20)] == pytest.approx(float(row.optimal))
    assert np.isnan(field).sum() == 240 - len(places)


def test_summary_is_filled_from_the_results_given(small):
    common = {"teeth": [], "location": "x", "title": "y"}
    statuses = ["fails"] * 13 + ["holds-with-corrected-constant"] * 6 + ["holds"] * 4
    steps = [{"id": f"A1-{k}", "status": status, **common} for k, status in enumerate(statuses)]
    others = [{"id": name, "status": "fails", **common} for name in ("alg-1", "assumption-3.1")]
    assert all(map(findings.is_step, steps))
    assert not any(map(findings.is_step, others))

    def told(ledger, leads=()):
        return findings.say_findings(small, stored_evidence.Checked(ledger, [], list(leads), stored_evidence.Where()))

    text = told(steps + others).markdown
    assert "{" not in re.sub(r"\^\{\d+\}", "", text)
    assert "nan" not in text
    assert {23, 13 + 6, 13} <= set(numbers(text))
    lead = {"id": "E12", "confirmed": True}
    assert turned(text, told(steps + others, [lead]).markdown)
    assert not turned(text, told(steps + others, [lead | {"confirmed": False}]).markdown)
    repaired = [{"id": "thm-4.1-corrected", "status": status, **common} for status in ("holds", "fails")]
    assert turned(text, told([*steps, repaired[0]]).markdown)
    assert not turned(text, told([*steps, repaired[1]]).markdown)


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
    assert {25, 50} <= set(numbers(text))


def test_outcome_of_an_interval():
    assert paper.outcome(Interval(1.0, 0.5, 2.0, 5)) == "above"
    assert paper.outcome(Interval(-1.0, -2.0, -0.5, 5)) == "below"
    assert paper.outcome(Interval(0.0, -1.0, 1.0, 5)) == OPEN
