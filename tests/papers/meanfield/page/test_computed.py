"""Studies that are computed on the page: their numbers are right, by hand or by the theory they come from."""

import dataclasses
import math
import types
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax

from companion.papers.meanfield.checks.consequences import Laws
from companion.papers.meanfield.experiments.definitions import experiment
from companion.papers.meanfield.page import bound, exercises, methods, picture, problems, rates
from companion.papers.meanfield.problems.catalogue import SETTINGS
from companion.papers.meanfield.problems.divergence import jensen_shannon
from companion.papers.meanfield.theory.bounds import corrected_bound, printed_bound
from companion.papers.meanfield.theory.runs import lattice as theory_lattice
from companion.papers.meanfield.theory.runs import theory_runs
from companion.papers.meanfield.theory.unlearned import unlearned
from companion.problems.datasets import VARIABLE


@pytest.fixture(scope="module")
def mornings():
    """Five fairly even laws of the town, with the rewards of their own shares."""
    generator = np.random.default_rng(3)
    laws = softmax(generator.random((5, 3)), axis=1)
    return generator.integers(0, 3, 5), laws, picture.three_stations().reward(laws[:, None])


def test_one_round_of_the_town_is_taken_apart(mornings):
    stations, laws, rewards = mornings
    shown = picture.one_round(stations, laws, rewards, 3.0)
    lattice = theory_lattice(3, 1, 30)[:, 0]
    by_hand = [min(0.5 * np.abs(law - each).sum() for each in laws) for law in lattice]
    np.testing.assert_allclose(shown.away, by_hand)
    assert (shown.bonus > 0).all()
    upper = shown.mean + shown.bonus
    whole, step, adam = shown.chosen.T
    assert whole[1] + whole[2] == pytest.approx(upper.max())
    known = laws[rewards.argmax()]
    near = 0.5 * np.abs(lattice - known).sum(axis=1) <= 0.1 + 1e-9
    assert step[1] + step[2] == pytest.approx(upper[near].max())
    assert adam[1] + adam[2] <= upper.max() + 1e-3
    # The way begins at the uniform law and ends in the corner, both of the lattice.
    ends = shown.way.sum(axis=0)[[0, -1]]
    corner = lattice[int(np.argmax(upper))].argmax()
    for end, law in zip(ends, (np.ones(3) / 3, np.eye(3)[corner]), strict=True):
        assert end == pytest.approx(upper[np.abs(lattice - law).sum(axis=1).argmin()])
    said = picture.round_numbers(shown)
    bent = picture.round_numbers(dataclasses.replace(shown, way=np.stack([shown.share**3, 0 * shown.share])))
    straight = picture.round_numbers(dataclasses.replace(shown, way=np.stack([shown.share, 0 * shown.share])))
    assert straight.bend < 1e-12 < said.bend
    assert bent.bend > 0.01


def test_searches_of_the_town_are_told_apart():
    rows = picture.searches(0, 2)
    assert len(rows) == 2 * 3 * 2
    whole, step, _ = (rows[rows.search == name] for name in picture.WAYS)
    # What is compared with the whole lattice, where the whole lattice is searched, is itself.
    for name in ("moved", "mean", "bonus"):
        np.testing.assert_allclose(whole[name], whole[f"whole_{name}"])
    listed = rows[rows.search != "adam"]  # whose laws may lie between those of the lattice
    assert (listed["mean"] + listed.bonus <= listed.whole_mean + listed.whole_bonus + 1e-12).all()
    assert (step.moved <= picture.STEP + 1e-9).all()
    others = picture.rivals(0, 2)
    said = picture.search_numbers(rows, others)
    wide = rows[rows.width == 3.0].set_index("search").cumulative
    assert (said.whole, said.adam) == (wide["whole"].mean(), wide["adam"].mean())
    assert said.dear == bool((wide["whole"] > 1).all())
    cheap = rows.assign(cumulative=0.9 * (rows.search == "whole") * (rows.width == 3.0))
    assert not picture.search_numbers(cheap, others).dear
    assert len(picture.searches_table(rows, others).frame) == 9


def test_rules_without_the_paper_start_alike_and_move_as_they_should():
    rows = picture.rivals(0, 2).set_index(["search", "run"])
    assert len(rows) == 2 * len(picture.RIVALS)
    rng = np.random.default_rng(4)
    laws, rewards = rng.dirichlet(np.ones(3), 6), rng.normal(size=6)
    best = laws[rewards.argmax()]
    for _ in range(20):
        shifted = picture.shift_a_tenth(laws, rewards, rng)
        assert shifted.sum() == pytest.approx(1)
        assert shifted.min() >= 0
        assert picture.moved(shifted, best) <= picture.STEP + 1e-12
    assert picture.moved(picture.ordinary(laws, rewards, rng, picture.STEP), best) <= picture.STEP + 1e-9
    # Expected improvement by numerical integration over draws of the process at every law.
    every, z = picture.lattice(3, 1, picture.PARTS)[:, 0], (rewards - rewards.mean()) / rewards.std()
    k = lambda a, b: np.exp(-((a[:, None] - b) ** 2).sum(axis=-1) / 0.18)  # noqa: E731
    inverse = np.linalg.inv(k(laws, laws) + 0.01 * np.eye(6))
    mean, sd = (
        k(every, laws) @ inverse @ z,
        np.sqrt(1 - np.einsum("lt,ts,ls->l", k(every, laws), inverse, k(every, laws))),
    )
    level = (k(laws, laws) @ inverse @ z).max()
    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    gains = np.maximum(mean[:, None] + sd[:, None] * nodes - level, 0) @ weights
    chosen = picture.ordinary(laws, rewards, rng)
    at = np.abs(every - chosen).sum(axis=1).argmin()
    assert gains[at] > 0.99 * gains.max()


@pytest.fixture(scope="module")
def study():
    return bound.bound_study(1, 16, 0.1, 12)


def test_bounds_of_the_study_are_those_of_the_theorem_and_regret_that_of_the_runs(study):
    assert set(study.rows["T"]) == {2, 4, 8, 16, 32}
    # The printed bound takes k <= 1 for granted, which the town's kernel exceeds.
    for reading, function in (("corrected", corrected_bound), ("printed", partial(printed_bound, unchecked=True))):
        row = bound.at(study, 0.1, reading)
        played = theory_runs(bound.TOWN, 16, 12, reading, bound.READINGS[reading], 1)
        assert row.regret == pytest.approx(played.regret.mean())
        expected = function(bound.TOWN.pieces(), 16, 0.01, row.gain)
        assert row.bound == pytest.approx(expected.total)
        chain = study.chains[0.1, reading]
        assert chain.steps[0].value == pytest.approx(row.regret)
        assert chain.steps[-1].value == pytest.approx(row.bound)
    found = {term.name: term.mean for term in study.terms[0.1, "corrected"]}
    parts = ("discretisation", "optimism", "argmax", "exploration")
    assert found["regret"] == pytest.approx(sum(found[name] for name in parts))
    for row in study.rows.to_dict("records"):
        assert row["range"] == pytest.approx(row["T"] * unlearned(bound.TOWN).range.estimate)
        assert row["fixed law"] == pytest.approx(0.5 * row["range"])
    assert (study.rows.high <= study.rows.bound).all()
    wrong, close = (dataclasses.replace(study, rows=study.rows.assign(high=f * study.rows.bound)) for f in (1.01, 0.99))
    assert [bound.bound_numbers(each).exceeding for each in (study, wrong, close)] == [0, len(study.rows), 0]
    said = bound.chain_numbers(study)
    assert said.slack == pytest.approx(
        bound.at(study, 0.1, "corrected").bound / bound.at(study, 0.1, "corrected").regret
    )
    assert said.optimism == found["optimism"]


def test_from_which_round_on_the_bound_is_informative_is_found(study):
    row = bound.at(study, 0.1, "corrected")
    said = bound.bound_numbers(study)
    assert row.bound > row.range == said.range
    assert said.least == min(
        bound.at(study, noise, reading).bound for noise in (0.1, 1.0) for reading in bound.READINGS
    )
    first, later = bound.passages(study, 0.1).values()
    curve, idle = study.curves[0.1], study.idle
    below = curve.corrected < idle.range.estimate * curve.rounds
    assert (curve.rounds[below] >= first).all()
    assert (curve.rounds[~below] < first).all()
    assert first < later
    assert said.informative == pytest.approx(first, rel=0.05)
    # What is lost without learning does not depend on how finely the laws are cut, as a maximal inequality does.
    coarse = unlearned(dataclasses.replace(bound.TOWN, parts=5)).range.estimate
    assert coarse == pytest.approx(idle.range.estimate, rel=0.05)
    assert math.sqrt(math.log(21)) < 0.8 * math.sqrt(math.log(136))


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


def test_additive_kernel_has_less_gain_at_equal_variance(monkeypatch):
    two = types.SimpleNamespace(instances=lambda: [Laws(3, 1), Laws(3, 3)])  # the ledger judges all
    monkeypatch.setattr(rates, "rate_mf_additive", two)
    rows = rates.additive_gains()
    assert (rows["upper, additive"] < rows["lower, joint"]).all()
    assert (rows["upper, additive"] < rows["upper, printed"]).all()
    assert rates.additive_numbers(rows).most == (rows["upper, additive"] / rows["lower, joint"]).max()
    # Enough that one setting is another than the others.
    lower = rows["lower, joint"].where(rows.index != rows.index[0], 0.99 * rows["upper, additive"])
    assert rates.additive_numbers(rows.assign(**{"lower, joint": lower})).most > 1


def test_gains_are_certified_and_the_mean_field_one_has_a_limit():
    study = rates.gain_study(5)
    assert (study.rows.lower <= study.rows.upper * (1 + 1e-12)).all()
    naive, law = rates.part(study, "naive"), rates.part(study, "law")
    assert naive.lower.loc[5] > 1.4 * naive.upper.loc[4]
    assert law.lower.max() <= law.upper.loc[240]
    assert (study.rows.upper <= study.ceiling * (1 + 1e-9)).all()
    said = rates.gain_numbers(study)
    assert (said.law, said.law_before) == (law.upper.loc[240], law.lower.loc[60])
    assert said.share == pytest.approx(naive.upper.loc[5] / study.ceiling)


def test_penalties_prefer_what_they_are_said_to():
    study = problems.penalty_study()
    assert study.laws["text"].max() == 1.0
    assert (study.laws["ours"] > 0).sum() == 4
    table = study.rows.set_index(["problem", "penalty"])
    swarm = table.loc[SETTINGS["swarm"].title].loc[problems.READINGS["text"]]
    assert swarm["one action each"] == pytest.approx(swarm.optimum)
    said = problems.penalty_numbers(study)
    assert (said.crowd, said.used, len(said.allowing)) == (1.0, 4, 1)
    assert said.weighted == table.loc[(SETTINGS["arena"].title, problems.READINGS["ours"])].optimum


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


def test_mixed_difference_of_the_arena_is_that_of_its_reward():
    # By hand: 2 |S|^2 is 0 for teams in one place and 2 for teams apart; the penalty is log 2 or log 1.5, times ten.
    said = exercises.additive()
    same, apart = -10 * math.log(2), 2 - 10 * math.log(1.5)
    assert (said.same, said.both) == pytest.approx((same, same))
    assert (said.apart, said.turned) == pytest.approx((apart, apart))
    assert said.mixed == pytest.approx(2 * (same - apart))


def test_exercises_have_the_answers_that_the_prompts_ask_for():
    # The largest errors of rounding by hand: 30 parts of one half, and 16 of 15/31 with 15 of 16/31, both over tau.
    said = exercises.rounding(0)
    assert (said.even, said.odd) == pytest.approx((30 * 0.5 / 75, 2 * 16 * 15 / 31 / 77))
    assert (said.even_bound, said.odd_bound) == pytest.approx((said.even, said.odd))
    assert said.seen < said.bound
    assert exercises.corner().one == math.log(2)
    floor = exercises.floor(0, 50)
    assert floor.formula == 40 / 8 / 300
    assert floor.off == pytest.approx(floor.measured / floor.formula - 1)
    slopes = exercises.squares()
    assert slopes.printed[-1] == pytest.approx((0.3 * 1e-4) ** -0.5, rel=1e-2)
    horizon = exercises.horizon()
    for power, log10 in ((31, horizon.first), (161, horizon.second)):
        assert power * math.log(log10 * math.log(10)) == pytest.approx(log10 * math.log(10))
    positive = exercises.positive_part()
    assert positive.exact > positive.claimed


def test_exercise_on_a_decision_has_the_bounds_of_the_model(mornings):
    found = exercises.decision(*mornings)
    said = exercises.decision_numbers(found)
    assert found.regret == pytest.approx([jensen_shannon(law, np.array(picture.DEMAND)) for law in found.laws])
    for width, upper, promise in ((1, said.narrow_upper, said.narrow_promise), (3, said.wide_upper, said.wide_promise)):
        assert upper == pytest.approx(max(found.mean + width * found.deviation))
        assert promise == pytest.approx(upper - found.mean[0] + width * found.deviation[0])
    # In units of the standardised reward the bounds are those of the round taken apart.
    rewards = mornings[2]
    shown = picture.one_round(*mornings, 3.0)
    whole = (shown.mean + shown.bonus).max() * rewards.std() + rewards.mean()
    assert said.wide_upper == pytest.approx(whole)
    assert said.known == pytest.approx(-(found.mean[0] - 3 * found.deviation[0]))
    assert (len(exercises.mornings_table(found).frame), len(exercises.choices_table(found).frame)) == (5, 4)


def test_settings_are_the_defaults_and_options_change_their_methods_only():
    said = methods.card_numbers()
    # TuRBO's radius in units of M, by what it grows and shrinks, after how many evaluations; and the candidates.
    turbo = (said.radius, said.grow, said.successes, said.shrink, said.failures, said.candidates)
    assert turbo == pytest.approx((0.8, 1.5, 3, 1.5, 40, 5000))
    assert (said.temperature, said.cooling) == (100, 0.8)
    assert said.options_mf_gp_ucb.split(", ") == list(methods.OPTIONS["mf-gp-ucb"])
    chosen = experiment("arena")
    base = {"horizon": 12, "agents": 20, "actions": 6, "initial": 5, "restart": 5, "candidates": 20}
    changes = {"beta": 6.0, "search": "paper", "kernel": "joint", "initial": 8, "candidates": 40, "restart": 9}
    for method, options in methods.OPTIONS.items():
        plain = chosen.run(method, 0, base).instantaneous_regret
        for name, value in changes.items():
            other = chosen.run(method, 0, {**base, name: value}).instantaneous_regret
            assert np.array_equal(plain, other) == (name not in options), (method, name)
