"""Robot pushing: the authors' simulation, value by value, and a clear message where Box2D is missing."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from tolerances import PUSH_ATOL

from companion.core.errors import DataError, ParameterError
from companion.core.randomness import stream
from companion.papers.tsrsr.problems import reference as search
from companion.papers.tsrsr.problems import robot as module
from companion.papers.tsrsr.problems.catalogue import chapter_problem
from companion.papers.tsrsr.problems.reference import reference, search_robot
from companion.papers.tsrsr.problems.robot import GOALS, PushObjective, robot_problem

try:
    module.box2d()
except DataError:
    PRESENT = False
else:
    PRESENT = True

needs_box2d = pytest.mark.skipif(not PRESENT, reason="Box2D is not installed: pip install 'gp-bandit-companion[robot]'")

#: Distances to the goal (1, 1) from the authors' code without its noise.
CHECK_VALUES = {
    (-3, -2, 10): 0.290786,
    (2, -3, 5): 1.405693,
    (-0.5, 4, 20): 5.219596,
    (4, 4, 1): 1.414214,
    (-4.5, 1, 30): 6.244332,
    (-3, -2, 10, 0.5): 0.364453,
    (2, -3, 5, 2): 1.400798,
    (-0.5, 4, 20, 3): 5.722921,
    (-3, -2, 10, 0): 0.865945,
}


def misses() -> list[tuple[float, ...]]:
    objective = PushObjective((1.0, 1.0))
    found = {at: -objective(np.array([at], dtype=float))[0] for at in CHECK_VALUES}
    return [at for at, value in found.items() if abs(value - CHECK_VALUES[at]) > PUSH_ATOL]


@needs_box2d
def test_the_simulation_is_the_published_one() -> None:
    assert misses() == []


@needs_box2d
@pytest.mark.parametrize(
    ("name", "value"), [("STEP", 0.0101), ("SPEED", 5.05), ("GAIN", 30.5), ("COASTING", 5), ("ITERATIONS", 1)]
)
def test_a_changed_constant_is_caught(name: str, value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, name, value)
    assert misses()


@pytest.mark.slow
@needs_box2d
def test_the_codes_noise_has_the_reported_effect() -> None:
    """Twenty noisy values of the authors' code: 0.3187 +- 0.0386 where the noise-free one is 0.290786."""
    objective = PushObjective((1.0, 1.0), stream(0, "kick"))
    values = -objective(np.tile([[-3.0, -2.0, 10.0]], (400, 1)))
    assert abs(values.mean() - 0.3187) < 4 * 0.0386 * math.sqrt(1 / 20 + 1 / 400)
    assert 0.025 < values.std() < 0.06


@needs_box2d
def test_a_hand_on_the_disc_has_no_direction() -> None:
    assert all(math.isfinite(x) for x in module.push((0.0, 0.0), 3.0, 0.0))
    assert module.facing((0.0, -2.0)) == -math.pi / 2
    assert module.facing((-3.0, -2.0)) == math.atan(2 / 3)


def test_the_goals_are_those_of_the_published_drivers() -> None:
    legacy = np.random.RandomState(0)
    np.testing.assert_array_equal(GOALS[3], legacy.uniform(-5, 5, (10, 2)))
    legacy = np.random.RandomState(9)
    legacy.uniform(0, 2 * np.pi, 256), legacy.normal(0, 4, (256, 2)), legacy.uniform(0, 1, 256)
    np.testing.assert_array_equal(GOALS[4], legacy.uniform(-5, 5, (10, 2)))


@pytest.mark.slow
@needs_box2d
@pytest.mark.parametrize("dim", [3, 4])
def test_the_stored_references_are_pushes(dim: int) -> None:
    for goal, at in enumerate(GOALS[dim]):
        entry = reference(f"robot-{dim}d/{goal}")
        assert PushObjective(at)(np.array([entry["point"]]))[0] == pytest.approx(entry["value"], abs=PUSH_ATOL)
        assert entry["value"] <= 0
        problem = chapter_problem(f"robot-{dim}d", function=goal).problem
        assert problem.optimum == entry["value"]
        assert problem.evaluate(problem.uniform(stream(goal, "check"), 20)).max() <= entry["value"]


@pytest.mark.slow
@needs_box2d
def test_a_search_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "ROBOT_STARTS", 2)
    once, twice = (search_robot(3, count=20, goals=(1,)) for _ in range(2))
    assert once == twice
    assert once[0]["value"] <= reference("robot-3d/1")["value"]


@needs_box2d
def test_the_readings_differ_as_listed() -> None:
    assert chapter_problem("robot-4d").problem.high[3] == 2 * math.pi
    assert chapter_problem("robot-4d", "code").problem.high[3] == math.pi
    assert chapter_problem("robot-3d", "code").problem.optimum == 0.0
    assert chapter_problem("robot-3d").meta["engine"] == "Box2D"
    point = np.array([[-3.0, -2.0, 10.0]])
    for reading, distinct in (("text", 1), ("code", 3)):
        problem = chapter_problem("robot-3d", reading).problem
        assert len({float(problem.evaluate(point)[0]) for _ in range(3)}) == distinct


def test_without_box2d_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "Box2D", None)
    for call in (lambda: module.push((1.0, 1.0), 1.0, 0.0), lambda: chapter_problem("robot-3d")):
        with pytest.raises(DataError):
            call()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((5, 0, "text"), "dim"), ((3, 10, "text"), "goal"), ((3, 0, "both"), "reading"), ((3, 0, "code"), "generator")],
)
def test_bad_input_is_refused(arguments: tuple, message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{message}"):
        robot_problem(*arguments, 0.0, 0.0)


@needs_box2d
def test_a_reference_is_what_its_objective_gives_at_its_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no search behind them, the pushes themselves: the nearest of them counts, in both coordinates."""
    monkeypatch.setattr(search, "LOCAL_EVALUATIONS", 1)
    for entry in search_robot(3, count=16, goals=(0, 3)):
        goal = GOALS[3][int(entry["problem"].partition("/")[2])]
        found = float(PushObjective(goal)(np.array([entry["point"]]))[0])
        assert entry["value"] == pytest.approx(found, abs=PUSH_ATOL)
