"""What a plan leaves out, and what has to be there before any work."""

from dataclasses import dataclass

import pytest

from companion.core.errors import DataError, ParameterError
from companion.stored.runs import Need, leave_out


@dataclass(frozen=True)
class Plan:
    problems: tuple[str, ...] = ("a", "b", "c")
    timed: tuple[str, ...] = ("c", "a")
    methods: tuple[str, ...] = ("a",)


def test_names_are_left_out_of_the_fields_that_hold_them():
    assert leave_out(Plan(), ["a", "c"], ("a", "b", "c"), "problems", "timed") == Plan(("b",), ())
    assert leave_out(Plan(), [], ()) == Plan()
    # A name may be known and not be in this plan.
    assert leave_out(Plan(), ["d"], ("a", "d"), "problems") == Plan()


def test_an_unknown_name_is_refused_with_the_nearest_one():
    with pytest.raises(ParameterError, match="robot-3d") as caught:
        leave_out(Plan(), ["robot-3"], ("robot-3d", "ackley"), "problems")
    assert caught.value.name == "without"


def test_what_is_missing_is_said_with_the_call_that_does_without():
    def absent():
        raise DataError("Box2D is not there")

    with pytest.raises(DataError):
        Need(("x", "y"), absent).check("companion.papers.toy.plan.store")
    Need((), absent).check("nothing is needed where nothing would be run")
    Need(("x",), lambda: "there").check("module")
