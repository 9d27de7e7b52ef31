"""Messages that name the argument, say what is wrong and what would do; and the two shared checks of numbers."""

import math
import pickle

import numpy as np
import pytest
from oracles.optional import optional

from companion.core import errors
from companion.core.errors import (
    CompanionError,
    ConditioningError,
    ParameterError,
    nearest,
    positive_number,
    whole_number,
)

torch = optional("torch")


def test_a_parameter_error_reads_like_a_diagnosis():
    error = ParameterError("horizon", "got -3", "an integer of at least 1", "Set it with --set horizon=100")
    assert str(error) == "horizon: got -3; expected an integer of at least 1. Set it with --set horizon=100"
    assert error.name == "horizon"
    assert str(ParameterError("horizon", "is missing")) == "horizon: is missing"


def test_every_error_is_a_companion_error_with_an_exit_code():
    kinds = [
        k
        for k in vars(errors).values()
        if isinstance(k, type) and issubclass(k, Exception) and not issubclass(k, Warning)
    ]
    assert len(kinds) >= 7
    for kind in kinds:
        assert issubclass(kind, CompanionError)
        assert kind.exit_code == (2 if issubclass(kind, ParameterError) else 1)


def test_errors_can_be_caught_as_the_builtin_kind():
    with pytest.raises(ValueError, match="x: is odd"):
        raise ParameterError("x", "is odd")
    with pytest.raises(ArithmeticError, match="singular"):
        raise ConditioningError("singular")


def test_nearest_name():
    assert nearest("horizn", ["horizon", "noise"]) == "Did you mean 'horizon'?"
    assert nearest("zzz", ["horizon", "noise"]) == ""
    assert nearest("noise", []) == ""


@pytest.mark.parametrize("value", [1, 10, np.int64(3), np.uint8(7), *([torch.tensor(5)] if torch else [])])
def test_whole_numbers(value):
    number = whole_number("n", value, 1, 10)
    assert type(number) is int
    assert number == int(value)


@pytest.mark.parametrize("value", [0, 11, -1, 2.0, np.float64(2.0), "2", None, True, math.nan, [2], 2 + 0j])
def test_what_is_no_whole_number_in_range(value):
    with pytest.raises(ParameterError, match=r"^n:"):
        whole_number("n", value, 1, 10)


def test_whole_numbers_without_upper_end():
    assert whole_number("n", 10**30) == 10**30
    with pytest.raises(ParameterError, match="at least 5"):
        whole_number("n", 4, 5)


@pytest.mark.parametrize("value", [1, 0.5, np.float32(2.0), 1e-300, np.int64(3)])
def test_positive_numbers(value):
    number = positive_number("x", value)
    assert type(number) is float
    assert number == float(value)


@pytest.mark.parametrize("value", [0, -1.0, math.nan, math.inf, -math.inf, "1.0", b"1", None, True, [1.0, 2.0], 1j])
def test_what_is_no_positive_number(value):
    with pytest.raises(ParameterError, match=r"^x:"):
        positive_number("x", value)


def test_a_parameter_error_survives_the_way_back_from_a_worker():
    sent = ParameterError("horizon", "got -5", "an integer from 2", "Use more rounds")
    got = pickle.loads(pickle.dumps(sent))
    assert type(got) is ParameterError
    assert (got.name, str(got), got.exit_code) == (sent.name, str(sent), 2)
