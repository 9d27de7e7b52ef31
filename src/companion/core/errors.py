"""Typed exceptions that read like a diagnosis: what is wrong, where, and what to do next.

Every error the package raises on purpose derives from :class:`CompanionError`. The command line prints its message
and leaves with its ``exit_code``. Besides, it catches only what the machine may answer at any moment, errors of files and of
memory, so a traceback always means a defect.
"""

from __future__ import annotations

import contextlib
import difflib
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from companion.core.arrays import Floats


class CompanionError(Exception):
    """Base class. ``exit_code`` is what the command line returns."""

    exit_code = 1


class CompanionWarning(UserWarning):
    """What a caller should know and what need not stop a run: data that contradict a model, failures in a row."""


class ParameterError(CompanionError, ValueError):
    """An argument is unknown, of the wrong type or out of range.

    Parameters
    ----------
    name : the argument's name, as the caller wrote it
    problem : what is wrong with it
    expected : what would have been accepted
    remedy : what to do next, when ``expected`` does not already say so
    """

    exit_code = 2

    def __init__(self, name: str, problem: str, expected: str = "", remedy: str = "") -> None:
        self.name = name
        message = f"{name}: {problem}"
        if expected:
            message += f"; expected {expected}"
        if remedy:
            message += f". {remedy}"
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        # An error raised in a worker process travels back by pickling, which would call __init__ with the message alone.
        return _restored, (type(self), self.name, str(self))


class Mistakes:
    """Refusals that are collected, so that somebody can mend all of them before trying again."""

    def __init__(self) -> None:
        self.found: list[ParameterError] = []

    @contextlib.contextmanager
    def noted(self) -> Iterator[None]:
        """Note a refusal of what is inside, and go on behind it."""
        try:
            yield
        except ParameterError as error:
            self.found.append(error)

    def refuse(self) -> None:
        """Raise what was noted, as one error."""
        if len(self.found) > 1:
            raise ParameterError(f"{len(self.found)} mistakes", ". ".join(map(str, self.found)))
        for error in self.found:
            raise error


def _restored(kind: type[ParameterError], name: str, message: str) -> ParameterError:
    error = kind.__new__(kind, message)
    error.name, error.args = name, (message,)
    return error


class ConditioningError(CompanionError, ArithmeticError):
    """A matrix is too close to singular for float64; the message says how close and which setting would help."""


class AssumptionError(CompanionError):
    """A statement was evaluated on an instance that violates one of its assumptions."""


class LibraryError(CompanionError, ImportError):
    """A library that one of the extras brings is not installed; the message says what to install."""


class DataError(CompanionError):
    """A data set is missing or its checksum does not match."""


class ExhaustedError(CompanionError):
    """A method has nothing left to ask; its recommendation is final."""


class ResultError(CompanionError):
    """A stored result is missing, damaged or belongs to another version of the code."""


class SeedError(CompanionError):
    """A study drew random numbers from a seed that it does not state."""


class FindingError(CompanionError):
    """A sentence of the book says what its results no longer show."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name closest to ``name``, as ``"did you mean 'x'?"``, or the empty string when none is close.

    Examples
    --------
    >>> from companion.core.errors import nearest
    >>> nearest("matern25", ["se", "matern12", "matern52"]), nearest("periodic", ["se"])
    ("Did you mean 'matern52'?", '')
    """
    spelt = {one.lower(): one for one in known}
    close = difflib.get_close_matches(name.lower(), spelt, n=1, cutoff=0.5)
    return f"Did you mean {spelt[close[0]]!r}?" if close else ""


def known_as(name: str, given: str, known: Iterable[str]) -> str:
    """``given``, if it is one of the names known; else the error that says which these are, and the nearest.

    Examples
    --------
    >>> from companion.core.errors import known_as
    >>> known_as("kernel", "se", ["se", "matern52"])
    'se'
    """
    names = list(dict.fromkeys(known))
    if given not in names:
        raise ParameterError(name, f"got {given!r}", f"one of {', '.join(names)}", nearest(str(given), names))
    return given


def whole_number(name: str, value: Any, low: int = 1, high: int | None = None) -> int:
    """``value`` as an int if it is an integer (NumPy's too, booleans not) within [low, high]; else ParameterError.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.core.errors import ParameterError, whole_number
    >>> whole_number("horizon", np.int64(20))
    20
    >>> try:
    ...     whole_number("horizon", 0)
    ... except ParameterError as error:
    ...     print(error)
    horizon: got 0; expected an integer of at least 1
    """
    most = high if high is None or high < 1e16 else f"{high:.0e}"
    allowed = f"an integer of at least {low}" if most is None else f"an integer from {low} to {most}"
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise ParameterError(name, f"got {value!r}", allowed)
    number = int(value.__index__())
    if number < low or (high is not None and number > high):
        raise ParameterError(name, f"got {value!r}", allowed)
    return number


def positive_number(name: str, value: Any) -> float:
    """``value`` as a float when it is a positive finite number (booleans, NumPy's too, are not), else ParameterError.

    Examples
    --------
    >>> from companion.core.errors import ParameterError, positive_number
    >>> positive_number("noise_sd", 1)
    1.0
    >>> try:
    ...     positive_number("noise_sd", -0.1)
    ... except ParameterError as error:
    ...     print(error)
    noise_sd: got -0.1; expected a positive number
    """
    try:
        number = (
            float(value)
            if not (isinstance(value, str | bytes) or type(value).__name__ in ("bool", "bool_"))
            else math.nan
        )
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise ParameterError(name, f"got {value!r}", "a positive number")
    return number


def non_negative(name: str, value: float) -> float:
    """``value`` when it is finite and at least 0, else ParameterError.

    Examples
    --------
    >>> from companion.core.errors import non_negative
    >>> non_negative("radius", 0.0)
    0.0
    """
    if not (math.isfinite(value) and value >= 0):
        raise ParameterError(name, f"got {value!r}", "a finite number of at least 0")
    return value


def floats_of(name: str, values: Any, expected: str = "an array of numbers") -> Floats:
    """A float64 array of finite numbers, copied; tensors are taken without their gradient.

    Raises
    ------
    ParameterError
        for dates and complex numbers, which NumPy would make other numbers of, for what is no number, NaN and infinity
    """
    import numpy as np  # a refusal of the command line does without

    kinds = {"M": "dates", "m": "durations", "c": "complex numbers"}
    try:
        given = np.asarray(values.detach() if hasattr(values, "detach") else values)
        kind = kinds.get(given.dtype.kind)
        array: Floats = np.array([] if kind else given, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError):
        raise ParameterError(name, "do not convert to numbers", expected) from None
    if kind:
        raise ParameterError(name, f"are {kind}", expected)
    if not np.isfinite(array).all():
        raise ParameterError(name, "contain NaN or infinity", "finite numbers")
    return array
