"""A loop as people run it: several workers, earlier data, failures, costs, units, models that are fitted on the way."""

import copy
import pickle
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import companion as cp
from companion.core.errors import CompanionWarning, ExhaustedError, ParameterError, ResultError
from companion.gp import FinitePosterior, Matern
from companion.papers.compressed.method.optimiser import CompressedOptimiser
from companion.papers.wdrbo.method.methods import Settings
from companion.policies import ConfidenceBand, session_of
from companion.policies.players import IndexPlayer
from companion.policies.ucb import GPUCB
from companion.problems import ball_neighbours

POINTS = np.linspace(0, 1, 41)
KERNEL = Matern(2.5, 0.2)
LINE = cp.Candidates(POINTS, KERNEL, noise_sd=0.05)
MATRIX = cp.Candidates(POINTS, KERNEL(POINTS[:, None]) + 1e-9 * np.eye(41), noise_sd=0.05)
DISPLACED = cp.Candidates(POINTS, KERNEL, 0.05, ball_neighbours(POINTS[:, None], 0.03))
BOX = cp.Box([0.0], [10.0])
SKY = cp.ContextBox(0.0, 1.0, context_low=-1.0, context_high=1.0)
CROWD = cp.ManyAgents(6, [0.0, 0.5, 1.0])
ON_CANDIDATES = ("gp-ucb", "stableopt", "random", "compressed", "ts-rsr", "bucb", "ts", "ei", "ei-mean", "ucb-pe")
ON_A_BOX = ("gp-ucb", "random", "ts-rsr", "bucb", "ts", "ei", "ei-mean", "ucb-pe")
WHOLE_BATCHES = ("bpe", "robust-bpe")
HERE = Path(__file__).parent

#: What the values contradict is tested where it is, with values that do.
CONTRADICTED = "the values contradict the model"
pytestmark = pytest.mark.filterwarnings(f"ignore:{CONTRADICTED}", "ignore:.* evaluations in a row failed")


def problem_of(method):
    return DISPLACED if method in ("stableopt", "robust-bpe") else LINE


def settings_of(method):
    if method in ("gp-ucb", "stableopt", "random"):
        return {}
    return {"initial": 4} | ({"batch_size": 2} if method != "compressed" else {})


#: A function that the model can have: a draw of it.
DRAWN = np.linalg.cholesky(KERNEL(POINTS[:, None]) + 1e-9 * np.eye(41)) @ np.random.default_rng(7).standard_normal(41)


def f(x):
    """The function with noise of the model, the same at every call."""
    x = np.asarray(x, dtype=float)
    noise = [np.random.default_rng(int(1e6 * each)).standard_normal() for each in np.atleast_1d(x)]
    return np.interp(x, POINTS, DRAWN) + 0.05 * np.reshape(noise, x.shape)


def go(session, until, turn=f):
    while session.told < until and session.remaining != 0:
        asked = session.ask()
        session.tell(turn(POINTS[asked] if asked.ndim == 1 else asked[:, 0] / 10.0))
    return session


# -- any order, several workers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["bpe", "robust-bpe", "ts-rsr", "gp-ucb"])
def test_four_workers_out_of_order_get_the_points_of_one_in_order(method):
    settings = {"horizon": 24} if "bpe" in method else {"horizon": 12, **settings_of(method)}
    plain, workers = (cp.for_problem(method, problem_of(method), seed=3, **settings) for _ in range(2))
    generator = np.random.default_rng(0)
    while plain.remaining:
        asked = plain.ask()
        at_work, waiting = [], list(workers.ask())
        assert waiting == list(asked)
        while waiting or at_work:
            while waiting and len(at_work) < 4:
                at_work.append(waiting.pop(0))
            done = at_work.pop(int(generator.integers(len(at_work))))
            workers.tell(float(f(POINTS[done])), of=done)
        plain.tell(f(POINTS[asked]))
    assert workers.asked.tolist() == plain.asked.tolist()
    assert workers.values.tolist() == plain.values.tolist()
    assert workers.recommend() == plain.recommend()
    assert workers.remaining == 0


def test_a_point_that_is_open_twice_is_told_once_for_each_time_it_is_named():
    flat = cp.Candidates(POINTS[:2], Matern(2.5, 9.0), noise_sd=2.0)
    session = cp.for_problem("bpe", flat, seed=0, horizon=8, sizes=(4, 4))
    asked = session.ask().tolist()
    twice = next(index for index in asked if asked.count(index) > 1)
    session.tell([1.0, 2.0], of=[twice, twice])
    first, second = [place for place, index in enumerate(asked) if index == twice][:2]
    assert session.open.values[[first, second]].tolist() == [1.0, 2.0]
    left = asked.count(twice) - 2
    with pytest.raises(ParameterError, match=r"^of: has .*, which is not open; expected of what is open"):
        session.tell([0.0] * (left + 1), of=[twice] * (left + 1))
    assert session.waiting == 2


def test_what_is_open_is_named_by_index_by_coordinates_and_on_a_box():
    session = cp.for_problem("ts-rsr", LINE, seed=0, initial=3)
    asked = session.ask()
    session.tell(0.5, of=POINTS[asked[1]])
    session.tell([0.25], of=[[POINTS[asked[2]]]])
    assert session.open.values[1:].tolist() == [0.5, 0.25]
    for wrong in (40, [0.31], "x", [[0.1, 0.2]], 41):
        with pytest.raises(ParameterError, match=r"^of: "):
            session.tell([0.0], of=wrong)
    box = cp.for_problem("ts-rsr", BOX, seed=0, initial=3)
    asked = box.ask()
    box.tell([2.0, 0.0], of=asked[[2, 0]])
    assert np.isnan(box.open.values[1])
    assert box.ask().tolist() == asked[[1]].tolist()


@pytest.mark.parametrize("method", ON_CANDIDATES)
def test_points_are_asked_while_others_are_open(method):
    first, second = (
        cp.for_problem(method, problem_of(method), seed=1, horizon=14, **settings_of(method)) for _ in range(2)
    )
    shown = {}
    for session, order in ((first, 1), (second, -1)):
        for _ in range(3):
            new = session.ask(new=True)
            assert set(new) <= set(session.ask())
        rest = session.ask()
        session.tell(f(POINTS[rest])[::order], of=rest[::order])
        assert session.waiting == 0
        session.ask(new=True)
        shown[order] = session.ask().tolist()
    assert sorted(first.asked) == sorted(second.asked)
    assert shown[1] == shown[-1]  # whatever the order of the answers was
    while first.told + first.waiting < 14:
        first.ask(new=True)
    with pytest.raises(ParameterError, match=r"^ask: all 14 evaluations of the horizon are made, or \d+ of them open"):
        first.ask(new=True)
    assert first.told + first.waiting == 14


@pytest.mark.parametrize("method", ON_A_BOX)
def test_open_points_on_a_box_are_kept_away_from(method):
    session = cp.for_problem(method, BOX, seed=1, **({} if method == "random" else {"initial": 3, "uniform": 60}))
    session.tell(f(session.ask()[:, 0] / 10))
    points = np.concatenate([session.ask(new=True) for _ in range(3)])
    assert len(np.unique(points)) > 1
    session.tell(f(points[:, 0] / 10)[::-1], of=points[::-1])
    assert session.told == len(points) + (1 if method == "random" else 3)


def test_open_points_are_believed_to_have_their_posterior_mean():
    session = cp.for_problem("gp-ucb", LINE, seed=0)
    go(session, 5)
    model = FinitePosterior(LINE.covariance, LINE.noise_sd**2)
    for index, value in zip(session.asked, session.values, strict=True):
        model.observe(int(index), float(value))
    for _ in range(4):
        wanted = int(np.argmax(model.mean[0] + 2.0 * model.sd[0]))
        assert session.ask(new=True).tolist() == [wanted]
        model.observe(wanted, float(model.mean[0, wanted]))
    assert session.recommend() == int(
        np.argmax(go(cp.for_problem("gp-ucb", LINE, seed=0), 5)._player.policy.posterior.mean)
    )


@pytest.mark.parametrize("method", WHOLE_BATCHES)
def test_a_method_that_needs_its_batches_whole_says_which_do_not(method):
    session = cp.for_problem(method, problem_of(method), seed=0, horizon=20)
    session.ask()
    for call in (
        lambda: session.ask(new=True),
        lambda: session.add([0], [1.0]),
        lambda: session.refit(),
        lambda: session.tell([None] * session.waiting, failed="aside"),
        lambda: cp.for_problem(method, problem_of(method), seed=0, horizon=20, standardise=True),
    ):
        with pytest.raises(ParameterError, match=rf"is not possible with {method}, .*expected one of bucb, compressed"):
            call()
    assert (session.told, session.failures, session.earlier) == (0, 0, [])
    own = session_of(GPUCB(LINE.covariance, 0.05**2, 2.0), LINE)
    with pytest.raises(ParameterError, match=r"^add: is not possible with a policy of your own"):
        own.add([0], [0.0])


def test_a_play_that_is_not_known_lets_no_other_point_be_asked():
    session = cp.for_problem("wdrbo", SKY, seed=0)
    session.ask(new=True)
    with pytest.raises(ParameterError, match=r"^new: is True, and how the open point is played is not known"):
        session.ask(new=True)
    with pytest.raises(ParameterError, match=r"^failed: is 'aside'"):
        session.tell(None, SKY.play(0.0), failed="aside")


# -- earlier data ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ON_CANDIDATES)
def test_earlier_values_are_the_design_and_no_part_of_the_horizon(method):
    session = cp.for_problem(method, problem_of(method), seed=0, horizon=6, **settings_of(method))
    known = np.arange(0, 40, 4)
    session.add(known, f(POINTS[known]))
    assert (session.told, session.remaining, session.design) == (0, 6, 0)
    assert session.best.index in (*known, *range(41))
    assert len(session.ask()) == settings_of(method).get("batch_size", 1)
    go(session, 6)
    assert session.remaining == 0
    assert session.asked[:10].tolist() == known.tolist()
    frame = session.frame()
    assert frame.batch.tolist()[:11] == [0] * 10 + [1]
    assert frame.evaluation.tolist() == [0] * 10 + [1, 2, 3, 4, 5, 6]
    assert "10 earlier" in repr(session)
    assert session.diagnostics()["earlier"] == 10
    wanted = cp.certificate(POINTS, KERNEL, 0.05, session.asked, session.values, epsilon=0.3)
    assert str(session.certificate(0.3)) == str(wanted)


def test_a_design_is_shorter_by_the_earlier_values():
    session = cp.for_problem("ei", LINE, seed=0, initial=15)
    session.add(POINTS[[0, 20, 40, 20]], [0.0, 0.5, 0.1, 0.4])
    assert len(session.ask()) == session.design == 11
    box = cp.for_problem("ei", BOX, seed=0, initial=5, batch_size=2)
    box.add([[1.0], [5.0]], [0.1, 0.5])
    assert len(box.ask()) == 3
    full = cp.for_problem("ei", BOX, seed=0, initial=5, batch_size=2)
    full.add(np.arange(5.0), [0.1, 0.5, 0.2, 0.1, 0.0])
    assert len(full.ask()) == 2


def test_earlier_values_with_plays():
    session = cp.for_problem("wdrbo", SKY, seed=0, initial=3, settings=Settings(lipschitz_nodes=(9, 5, 3)))
    session.add([[0.1], [0.5], [0.9]], [0.0, 1.0, 0.2], [SKY.play(c) for c in (-0.5, 0.0, 0.5)])
    assert session.ask().shape == (1, 1)
    session.tell(0.7, SKY.play(0.2))
    assert session.frame().c1.tolist() == [-0.5, 0.0, 0.5, 0.2]
    with pytest.raises(ParameterError, match=r"^points: leave the box"):
        session.add([[2.0]], [0.0], SKY.play(0.0))
    crowd = cp.for_problem("mf-gp-ucb", CROWD, seed=0, initial=3, search="local")
    laws = np.array([[[1.0, 0, 0]], [[0, 1.0, 0]], [[0.5, 0.5, 0]]])
    plays = [CROWD.play(law, np.random.default_rng(0)) for law in laws]
    crowd.add(laws, [0.1, 0.4, 0.9], plays)
    assert crowd.recommend().tolist() in laws.tolist()
    assert len(crowd.diagnostics()["fits"]) == 1
    crowd.tell(0.5, CROWD.play(crowd.ask(), np.random.default_rng(1)))
    assert crowd.told == 1
    with pytest.raises(ParameterError, match=r"^law: is not one distribution"):
        crowd.add(laws[:1] * 2, [0.0], plays[:1])
    assert len(crowd.values) == 4
    several = cp.for_problem("random-laws", CROWD, seed=0)
    several.add(laws, [0.1, 0.4, 0.9], plays)
    assert several.recommend().tolist() == laws[2].tolist()


@pytest.mark.parametrize(
    ("points", "values", "message"),
    [
        ([0.013], [1.0], "points: have .*, which is no candidate; expected candidates, .*the nearest is"),
        ([41], [1.0], "points: has 41 to 41; expected indices from 0 to 40"),
        ([-1], [1.0], "points: has -1"),
        (["a"], [1.0], "points: got list; expected finite numbers"),
        ([[0.0, 0.0]], [1.0], r"points: have shape \(1, 2\); expected finite numbers of shape \(n, 1\), or indices"),
        ([[np.nan]], [1.0], "points: have shape"),
        ([0, 1], [1.0], r"values: have shape \(1,\)"),
        ([0], [None], "values: entry 0 is None"),
        ([0], [np.nan], "values: entry 0 is nan"),
    ],
)
def test_earlier_values_that_do_not_fit_are_refused_and_change_nothing(points, values, message):
    session = cp.for_problem("gp-ucb", LINE, seed=0)
    with pytest.raises(ParameterError, match=message):
        session.add(points, values)
    assert repr(session) == "gp-ucb on 41 candidates: 0 told"
    assert session.ask().tolist() == [0]


# -- failures ----------------------------------------------------------------------------------------------------------


def evening(session, broken=0.3, value=f):
    """The documented loop, where a part of the range breaks; at most a hundred calls."""
    for _ in range(100):
        if not session.remaining:
            return session
        asked = session.ask()
        where = POINTS[asked] if asked.ndim == 1 else asked[:, 0] / 10.0
        yield session, [None if x < broken else float(value(x)) for x in where]
    return session


@pytest.mark.parametrize("how", ["again", "worst", -1.5, "aside"])
@pytest.mark.parametrize("method", [*ON_CANDIDATES, *WHOLE_BATCHES])
def test_a_loop_whose_first_evaluations_fail_ends_or_speaks(method, how):
    if how == "aside" and method in WHOLE_BATCHES:
        return
    settings = settings_of(method) if method not in WHOLE_BATCHES else {}
    session = cp.for_problem(method, problem_of(method), seed=0, horizon=16, **settings)
    ends_or_speaks(session, how)


@pytest.mark.parametrize("how", ["again", "worst", -1.5, "aside"])
@pytest.mark.parametrize("method", ON_A_BOX)
def test_on_a_box_too(method, how):
    settings = {"initial": 4, "uniform": 60} if method != "random" else {}
    ends_or_speaks(cp.for_problem(method, BOX, seed=0, horizon=16, **settings), how)


@pytest.mark.parametrize("how", ["worst", -1.5])
@pytest.mark.parametrize("method", ["wdrbo", "random-laws", "mf-gp-ucb"])
def test_where_a_play_is_more_than_a_point_too(method, how):
    problem, settings = (SKY, {"initial": 2}) if method == "wdrbo" else (CROWD, {})
    settings |= {"initial": 2, "search": "local"} if method == "mf-gp-ucb" else {}
    session = cp.for_problem(method, problem, seed=0, horizon=4, **settings)
    generator, calls = np.random.default_rng(0), 0
    while session.remaining:
        asked = session.ask()
        play = problem.play(0.5) if method == "wdrbo" else problem.play(asked, generator)
        session.tell(None if calls < 2 else 1.0 + calls, play, failed=how)
        calls += 1
    assert session.values.tolist() == [-2.0 if how == "worst" else how] * 2 + [3.0, 4.0]


def ends_or_speaks(session, how):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for at_work, values in evening(session):
            at_work.tell(values, failed=how)
    assert session.remaining == 0 or how == "again"
    spoken = [str(each.message) for each in said if "evaluations in a row failed, at" in str(each.message)]
    if session.remaining:
        assert "failed='worst'" in spoken[0]
        assert len(spoken) < 12  # not at every failure
    else:
        assert session.told == 16 - len(session.diagnostics().get("aside", []))
        assert np.isfinite(session.values).all()


def test_a_point_left_aside_is_asked_no_more_and_its_neighbours_are_not_next():
    session = cp.for_problem("gp-ucb", LINE, seed=0, horizon=20)
    seen = []
    for at_work, values in evening(session, broken=0.15):
        seen += at_work.ask().tolist()
        at_work.tell(values, failed="aside")
    aside = session.diagnostics()["aside"]
    assert aside
    assert len(aside) == session.failures == 20 - session.told <= 6
    assert all(seen.count(index) == 1 for index in aside)
    assert not set(session.asked) & set(aside)
    assert session.best.index not in aside


def test_a_candidate_that_fails_later_is_left_out_with_what_was_told_of_it():
    session = cp.for_problem("gp-ucb", LINE, seed=0)
    go(session, 12)
    best = session.best.index
    for _ in range(40):
        if best in (asked := session.ask()):
            session.tell(None, failed="aside")
            break
        session.tell(f(POINTS[asked]))
    assert session.best.index != best
    assert best not in session.ask()


@pytest.mark.parametrize("method", ["gp-ucb", "stableopt", "compressed"])
def test_what_is_close_to_points_left_aside_is_not_tried_one_by_one(method):
    session = cp.for_problem(method, problem_of(method), seed=0, horizon=20, **settings_of(method))
    for at_work, values in evening(session, value=lambda x: np.exp(-8 * (x - 0.6) ** 2)):
        at_work.tell(values, failed="aside")
    assert session.told >= 16  # the smallest indices come first where all are alike, and all of these fail


def test_all_left_aside_is_an_end():
    session = cp.for_problem("gp-ucb", cp.Candidates(POINTS[:2], KERNEL, 0.1), seed=0)
    for _ in range(2):
        session.ask()
        session.tell(None, failed="aside")
    with pytest.raises(ExhaustedError, match="every candidate was left aside"):
        session.ask()
    assert session.finished
    assert (session.diagnostics()["aside"], session.remaining, session.told) == ([0, 1], None, 0)


def test_earlier_values_come_to_those_of_a_batch_that_is_open():
    session = cp.for_problem("ei", LINE, seed=0, initial=4, batch_size=2)
    asked = session.ask()
    session.tell(0.3, of=asked[1])
    session.add([7], [0.1])
    assert (session.values.tolist(), session.told, session.waiting) == ([0.1, 0.3], 1, 3)
    assert session._now.policy.model_order == 2


def test_before_any_value_the_worst_is_what_the_prior_makes_of_it():
    costs = cp.Candidates(POINTS, Matern(2.5, 0.2, 4.0), noise_sd=0.05, prior_mean=10.0)
    for minimise, wanted in ((False, 6.0), (True, 14.0)):
        session = cp.for_problem("gp-ucb", costs, seed=0, minimise=minimise)
        session.ask()
        session.tell(None, failed="worst")
        assert session.values.tolist() == [wanted]
        assert session.frame().failed.tolist() == [True]
        assert session.diagnostics()["counted"] == 1
        session.ask()
        session.tell(None, failed="worst")
        assert session.values.tolist() == [wanted, wanted]
    uneven = cp.Candidates([0.0, 1.0], np.diag([1.0, 9.0]), noise_sd=0.1)
    session = cp.for_problem("random", uneven, seed=0, batch_size=6)
    asked = session.ask()
    session.tell([None] * 6, failed="worst")
    assert session.values.tolist() == np.where(asked == 0, -2.0, -6.0).tolist()
    box = cp.for_problem("gp-ucb", BOX, seed=0, initial=2)
    box.ask()
    box.tell([None, None], failed="worst")
    assert box.values.tolist() == [-2.0, -2.0]


def test_what_a_failed_evaluation_counts_as_is_no_observation():
    session = cp.for_problem("gp-ucb", LINE, seed=0)
    go(session, 8)
    session.ask()
    session.tell(None, failed=-40.0)
    kept = session.asked[:8], session.values[:8]
    assert str(session.certificate(0.3)) == str(cp.certificate(POINTS, KERNEL, 0.05, *kept, epsilon=0.3))
    assert session.contradiction == ""
    for wrong in (True, float("nan"), "worse", None):
        session.ask()
        with pytest.raises(ParameterError, match=r"^failed: got"):
            session.tell(None, failed=wrong)


# -- units and signs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [*ON_CANDIDATES, "bpe"])
def test_costs_around_seventy_are_minimised_in_their_own_units(method):
    settings = settings_of(method) if method != "bpe" else {}
    plain, costs = (
        cp.for_problem(method, problem, seed=2, horizon=14, minimise=minimise, **settings)
        for problem, minimise in (
            (problem_of(method), False),
            (cp.Candidates(POINTS, KERNEL, 0.05, problem_of(method).neighbours, prior_mean=70.0), True),
        )
    )
    go(plain, 14)
    go(costs, 14, lambda x: 70.0 - f(x))
    assert costs.asked.tolist() == plain.asked.tolist()
    assert costs.values == pytest.approx(70.0 - plain.values)
    assert costs.best.index == plain.best.index
    assert costs.best.value == pytest.approx(70.0 - plain.best.value, abs=1e-9)
    assert costs.best.what == plain.best.what.replace("largest", "smallest")


def test_a_box_is_minimised():
    session = go(cp.for_problem("random", BOX, seed=0, horizon=9, minimise=True), 9)
    assert (session.best.value, session.best.what) == (session.values.min(), "smallest value told")


def test_values_are_standardised_from_two_distinct_ones_on():
    session = cp.for_problem("gp-ucb", LINE, seed=0, standardise=True)
    assert repr(session) == "gp-ucb on 41 candidates: 0 told; standardised"
    seen = []
    for _ in range(9):
        values = np.array(session.values)
        wanted = FinitePosterior(
            LINE.covariance * (values.var(ddof=1) if len(set(values)) > 1 else 1.0), LINE.noise_sd**2
        )
        mean = values.mean() if len(set(values)) > 1 else 0.0
        for index, value in zip(session.asked, values, strict=True):
            wanted.observe(int(index), float(value - mean))
        asked = session.ask()
        seen += [(asked[0], int(np.argmax(wanted.mean[0] + 2.0 * wanted.sd[0])))]
        session.tell(70.0 + 6.0 * f(POINTS[asked]))
    assert all(asked == best for asked, best in seen)
    assert session.best.value == pytest.approx(70.0 + 6.0 * DRAWN.max(), abs=1.0)
    assert repr(session.best).endswith("(standardised)")
    assert session.diagnostics()["model"] == "standardised"
    matrix = cp.for_problem("gp-ucb", MATRIX, seed=0, standardise=True)
    go(matrix, 9, lambda x: 70.0 + 6.0 * f(x))
    assert matrix.asked.tolist() == session.asked.tolist()


def test_a_certificate_is_in_the_units_of_the_values():
    costs = cp.Candidates(POINTS, KERNEL, 0.05, prior_mean=70.0)
    session = go(cp.for_problem("gp-ucb", costs, seed=0, minimise=True), 12, lambda x: 70.0 - f(x))
    plain = go(cp.for_problem("gp-ucb", LINE, seed=0), 12)
    found, wanted = session.certificate(0.3), plain.certificate(0.3)
    assert (found.stop, found.recommended, found.contradicted) == (wanted.stop, wanted.recommended, wanted.contradicted)
    assert found.regret == pytest.approx(wanted.regret, rel=1e-6, nan_ok=True)
    scaled = go(
        cp.for_problem("gp-ucb", LINE, seed=0, standardise=True, minimise=True), 12, lambda x: 70.0 - 6.0 * f(x)
    )
    wanted = cp.certificate(POINTS, KERNEL, 0.05, scaled.asked, -scaled.values, epsilon=3.0, standardise=True)
    assert str(scaled.certificate(3.0)) == str(wanted)
    assert not scaled.certificate(3.0).proved


def test_values_that_a_model_cannot_have_are_said_once_and_standardised_ones_are_not():
    session = cp.for_problem("gp-ucb", LINE, seed=0)
    with pytest.warns(CompanionWarning, match="the values contradict the model: the 2 values have chi-square"):
        go(session, 2, lambda x: 70.0 + 6.0 * f(x))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        go(session, 9, lambda x: 70.0 + 6.0 * f(x))
    assert session.contradiction.startswith("the 2 values")
    assert repr(session).endswith("; contradicted")
    assert session.diagnostics()["contradiction"] == session.contradiction
    scaled = go(cp.for_problem("gp-ucb", LINE, seed=0, standardise=True), 9, lambda x: 70.0 + 6.0 * f(x))
    assert scaled.contradiction == ""
    shifted = cp.Candidates(POINTS, Matern(2.5, 0.2, 36.0), noise_sd=0.5, prior_mean=70.0)
    noise = iter(0.5 * np.random.default_rng(1).standard_normal(30))
    measured = lambda x: [70.0 + 6.0 * float(np.interp(each, POINTS, DRAWN)) + next(noise) for each in x]  # noqa: E731
    assert go(cp.for_problem("bucb", shifted, seed=0), 20, measured).contradiction == ""
    with pytest.warns(CompanionWarning, match="contradict"):
        go(cp.for_problem("bucb", MATRIX, seed=0), 15, lambda x: 70.0 + 6.0 * f(x))


def test_settings_that_are_misspelt_are_answered_with_the_near_ones():
    for wrong in ("minimize", "standardize"):
        with pytest.raises(ParameterError, match=f"Did you mean '{wrong.replace('ize', 'ise')}'"):
            cp.for_problem("gp-ucb", LINE, seed=0, **{wrong: True})
    for name in ("minimise", "standardise"):
        with pytest.raises(ParameterError, match=rf"^{name}: got 1"):
            cp.for_problem("gp-ucb", LINE, seed=0, **{name: 1})
    with pytest.raises(ParameterError, match=r"^prior_mean: "):
        cp.Candidates(POINTS, KERNEL, 0.1, prior_mean=np.nan)


# -- a model fitted on the way -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fit:
    kernel: Any
    mean: float
    noise_sd: float


@pytest.fixture
def fits(monkeypatch):
    """A fit whose length-scale is the number of values, so that it is seen when it was made."""
    calls = []

    def fit(points, values, *, kernel, ard):
        calls.append((np.array(points), np.array(values), kernel, ard))
        return Fit(Matern(2.5, 0.01 * len(values) + 0.1, 36.0), 70.0, 0.5)

    module = ModuleType("companion.gp.fitting")
    module.fit = fit
    monkeypatch.setitem(sys.modules, "companion.gp.fitting", module)
    return calls


def test_a_session_goes_on_with_a_fitted_model_and_its_file_keeps_the_numbers(fits, tmp_path):
    session = cp.for_problem("bucb", LINE, seed=0, initial=4, batch_size=2, horizon=20)
    with pytest.raises(ParameterError, match=r"^refit: 0 values are known"):
        session.refit()
    with pytest.warns(CompanionWarning, match="contradict"):
        go(session, 4, lambda x: 70.0 + 6.0 * f(x))
    session.refit(every=4)
    assert session.contradiction == ""
    assert "model fitted to 4 values" in repr(session)
    go(session, 10, lambda x: 70.0 + 6.0 * f(x))
    assert [len(values) for _, values, _, _ in fits] == [4, 8]
    assert fits[0][0].tolist() == POINTS[session.asked[:4], None].tolist()
    assert fits[0][2:] == ("matern52", True)
    assert session.best.model == session.diagnostics()["model"] == "model fitted to 8 values"
    found = session.certificate(5.0)
    assert (found.fitted, found.proved) == ("model fitted to 8 values", False)
    session.save(tmp_path / "run.zip")
    made = len(fits)
    restored = cp.restore(tmp_path / "run.zip")
    assert str(restored.best) == str(session.best)
    assert len(fits) == made  # nothing is fitted again
    assert restored.ask().tolist() == session.ask().tolist()
    with pytest.raises(ParameterError, match=r"^refit: on ContextBox"):
        cp.for_problem("wdrbo", SKY, seed=0).refit()
    with pytest.raises(ParameterError, match=r"^every: got 0"):
        session.refit(every=0)


def test_on_a_box_the_standardised_values_are_fitted(fits):
    session = go(cp.for_problem("ei", BOX, seed=0, initial=5, batch_size=2, uniform=60), 5)
    session.refit("se", ard=False)
    assert fits[0][1].mean() == pytest.approx(0.0, abs=1e-12)
    assert fits[0][1].std() == pytest.approx(1.0)
    optimiser, problem = session._modelled()
    assert (optimiser.noise_sd, problem.kernel.lengthscale) == (0.5, pytest.approx(0.15))
    go(session, 9)


# -- an end ------------------------------------------------------------------------------------------------------------


def test_a_method_that_has_nothing_left_to_ask_is_finished_before_the_horizon():
    session = cp.for_problem("compressed", LINE, seed=0, epsilon=2.0, initial=3, horizon=40, acquisition="ei")
    calls = 0
    while not session.finished:
        assert session.waiting
        session.tell(f(POINTS[session.ask()]))
        calls += 1
    assert session.remaining
    assert calls == session.told - 2
    with pytest.raises(ExhaustedError, match="no candidate is informative enough any more"):
        session.ask()
    assert go(cp.for_problem("gp-ucb", LINE, seed=0, horizon=5), 5).finished
    assert not cp.for_problem("gp-ucb", LINE, seed=0).finished


# -- files -------------------------------------------------------------------------------------------------------------


def through(method, problem, **settings):
    """A session that has been through everything."""
    session = cp.for_problem(method, problem, seed=5, horizon=16, minimise=True, **settings)
    known = [0, 20, 40] if isinstance(problem, cp.Candidates) else [[0.5], [5.0], [9.0]]
    at = (lambda asked: POINTS[asked]) if isinstance(problem, cp.Candidates) else (lambda asked: asked[:, 0] / 10.0)
    session.add(known, [0.1, -0.4, 0.2])
    session.ask()
    session.ask(new=True)
    asked = session.ask()
    session.tell([None, float(f(at(asked))[0])], of=asked[[-1, 0]], failed="aside")
    if session.waiting:
        session.tell([None] * session.waiting, failed="worst")
    session.ask()
    return session


@pytest.mark.parametrize("problem", [LINE, BOX], ids=["candidates", "box"])
@pytest.mark.parametrize("method", ["gp-ucb", "ts-rsr", "random"])
def test_a_session_from_data_goes_on_from_its_file_as_if_it_had_never_stopped(method, problem, tmp_path):
    settings = {} if method == "random" or (method == "gp-ucb" and problem is LINE) else {"initial": 4}
    session = through(method, problem, **settings)
    session.save(tmp_path / "run.zip")
    others = (cp.restore(tmp_path / "run.zip"), pickle.loads(pickle.dumps(session)), copy.deepcopy(session))
    for other in others:
        assert repr(other) == repr(session)
        assert other.diagnostics() == session.diagnostics()
        assert other.frame().equals(session.frame())
    for _ in range(4):
        if not session.remaining:
            break
        asked = session.ask()
        assert all(np.array_equal(other.ask(), asked) for other in others)
        for each in (session, *others):
            each.tell(f(POINTS[asked] if asked.ndim == 1 else asked[:, 0] / 10.0))
    assert all(np.array_equal(other.recommend(), session.recommend()) for other in others)


def test_a_file_of_the_first_format_is_read():
    session = cp.restore(HERE / "data" / "session_format_1.zip")
    assert repr(session).startswith("bucb on 25 candidates: 5 told, 9 left, 1 open")
    assert (session.failures, session.asked.tolist(), session.ask().tolist()) == (2, [15, 21, 20, 0, 7], [1])
    points = np.linspace(0, 1, 25)
    session.tell(np.cos(4 * points[session.ask()]))
    other = cp.for_problem("bucb", session.problem, seed=4, initial=3, batch_size=2, horizon=14)
    while session.remaining:
        for each in (session, other):
            while each.told < session.told or each is session:
                each.tell(np.cos(4 * points[each.ask()]))
                if each is session:
                    break
    assert other.asked.tolist() == session.asked.tolist()


def test_where_another_point_would_be_asked_a_session_goes_on_from_the_data(monkeypatch, tmp_path):
    session = go(cp.for_problem("gp-ucb", LINE, seed=0, horizon=12), 6)
    session.ask()
    session.save(tmp_path / "run.zip")
    batches = go(cp.for_problem("bpe", LINE, seed=0, horizon=12), 6)
    batches.save(tmp_path / "batches.zip")
    ask = IndexPlayer.ask

    def other(self, remaining):
        chosen = ask(self, remaining)
        return chosen if remaining > 9 else (chosen + 1) % 41

    monkeypatch.setattr(IndexPlayer, "ask", other)
    with pytest.warns(
        CompanionWarning, match="asks for another point at evaluation 4 and goes on from the data"
    ) as said:
        restored = cp.restore(tmp_path / "run.zip")
    assert len(said) == 1
    assert restored.values.tolist() == session.values.tolist()
    assert restored.ask().tolist() == session.ask().tolist()
    assert restored.best.value == pytest.approx(session.best.value)
    restored.tell(f(POINTS[restored.ask()]))
    assert restored.told == 7
    with pytest.raises(
        ResultError, match=r"asks for another point at evaluation \d+ \(restore: is not possible with bpe"
    ):
        cp.restore(tmp_path / "batches.zip")


# -- players that are given values -------------------------------------------------------------------------------------


def test_the_compressed_bandit_keeps_earlier_values_untested_and_tests_what_it_asks():
    player = CompressedOptimiser(epsilon=2.0, initial=3, acquisition="ei").player(LINE, 0)
    player.add(np.array([0, 0, 0, 0]), np.zeros(4), [])
    assert player.policy.model_order == 4
    flat = cp.Candidates(POINTS, KERNEL, noise_sd=2.0)
    player = CompressedOptimiser(epsilon=2.0, initial=3, acquisition="ei").player(flat, 0)
    player.add(np.array([0, 20, 40]), np.zeros(3), [])
    with pytest.raises(ExhaustedError):
        player.ask(5)


def test_batches_that_earlier_values_make_are_counted_after_the_design():
    player = cp.optimisers()["bucb"](initial=4, batch_size=2).player(LINE, 0)
    player.add(np.arange(10), f(POINTS[:10]), [])
    assert player.policy.current().number == 3


def test_stableopt_recommends_what_was_best_guaranteed_when_a_value_came():
    player = cp.optimisers()["stableopt"]().player(DISPLACED, 0)
    asked = np.random.default_rng(0).integers(41, size=12)
    band = ConfidenceBand(DISPLACED.covariance, DISPLACED.noise_sd**2, 2.0)
    guaranteed = []
    for index, value in zip(asked, f(POINTS[asked]), strict=True):
        guaranteed.append([band.bounds()[0][near].min() for near in DISPLACED.neighbours])
        band.observe(int(index), float(value))
    player.add(asked, f(POINTS[asked]), [])
    best = int(np.argmax(np.max(guaranteed, axis=1)))
    assert player.recommend() == int(np.argmax(guaranteed[best]))


def test_on_a_box_values_stay_where_and_what_they_are():
    session = cp.for_problem("ei", BOX, seed=0, initial=2)
    session.add([[1.0], [7.0], [9.0]], [70.1, 76.0, 71.0])
    assert session.best.point == pytest.approx([7.0])
    assert session._now.believed(np.array([[1.0], [7.0], [9.0]])) == pytest.approx([70.1, 76.0, 71.0], abs=0.1)


def test_a_fitted_model_is_not_standardised_once_more():
    fitted = cp.Fitted(cp.kernel("se", 0.3), 70.0, 0.1, ("x",), (0.1,) * 4, 9, -3.0, "none")
    with pytest.raises(ParameterError, match="the model is fitted to 9 values"):
        cp.for_problem("gp-ucb", cp.Candidates(cp.grid(5, dim=1), fitted), seed=0, standardise=True)


def test_a_certificate_of_a_box_is_of_all_its_points():
    box = cp.Box([0.0, 10.0], [1.0, 20.0])
    session = cp.for_problem("random", box, seed=0)
    for _ in range(12):
        x = np.atleast_2d(session.ask())[0]
        session.tell(float(5 - 8 * (x[0] - 0.3) ** 2 - (x[1] - 14) ** 2 / 10))
    found = session.certificate(2.0, noise_sd=0.1, rule="union")
    wanted = cp.certificate(
        kernel=box.kernel,
        noise_sd=0.1,
        evaluated=session.asked,
        values=session.values,
        epsilon=2.0,
        rule="union",
        domain=box,
        standardise=True,
    )
    assert (found.point, found.bracket, found.proved) == (wanted.point, wanted.bracket, False)
    assert box.low[1] <= found.point[1] <= box.high[1]
    with pytest.raises(ParameterError, match="noise_sd: is missing"):
        session.certificate(2.0)
