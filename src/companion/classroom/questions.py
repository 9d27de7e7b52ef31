"""Data that the author of an assignment writes: :class:`Question`, :class:`Check`, :class:`Wrong`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.classroom.draws import Draw
from companion.core.errors import CompanionError

Inputs = Sequence[tuple[Any, ...]] | Callable[[Draw, Mapping[str, Any]], Sequence[tuple[Any, ...]]]


class SourceError(CompanionError):
    """An assignment's source breaks its format; the message names file, place and what is expected."""


@dataclass(frozen=True)
class Check:
    """One hidden check: inputs, and what has to be true of the answers. All of its points or none.

    Exactly one of ``equals``, ``close`` and ``holds`` is given. They run in the grader, never where the student's code runs,
    on plain data: numbers, strings, lists (a tuple arrives as a list), dicts, NumPy arrays.

    Parameters
    ----------
    name : what is checked, in words that give no expected value away: the feedback shows it
    points : positive integer
    inputs : a sequence of argument tuples, or a function ``(draw, mine)`` that returns one; ``draw`` is a
        :class:`~companion.classroom.draws.Draw` of this student and check, ``mine`` the numbers that the student sees. A
        question about a value has no inputs
    equals : ``f(*inputs)`` is the expected answer, compared exactly; integers have to be integers. For a value ``f(mine)``
    close : as ``equals``, but numbers may differ by ``abs_tol + rel_tol * |expected|``; NaN is never close
    holds : ``f(answer, *inputs)``, for a value ``f(answer, mine)``; it fails by returning False or raising. What an
        ``assert`` says is shown to the student
    rel_tol, abs_tol : tolerances of ``close``
    hint : a sentence for the student's feedback when the check fails
    follows : ``f(own, *inputs)``, for a value ``f(own, mine)``: what a right answer would be if the student's own function of
        the question named in ``after`` were right; ``own`` calls that function
    apart : names of wrong answers. Inputs are drawn again until each of them is wrong on one, for every student
    rivals : functions of the answers named in ``apart``; :attr:`companion.classroom.source.Assignment.key` puts them there
    """

    name: str
    points: int
    inputs: Inputs | None = None
    equals: Callable[..., Any] | None = None
    close: Callable[..., Any] | None = None
    holds: Callable[..., Any] | None = None
    rel_tol: float = 1e-6
    abs_tol: float = 0.0
    hint: str = ""
    follows: Callable[..., Any] | None = None
    apart: Sequence[str] = ()
    rivals: Sequence[Callable[..., Any]] = ()

    def __post_init__(self) -> None:
        given = [name for name in ("equals", "close", "holds") if getattr(self, name) is not None]
        if len(given) != 1:
            raise SourceError(f"check {self.name!r}: one of equals, close and holds is needed, got {given or 'none'}")
        if not isinstance(self.points, int) or self.points < 1:  # type: ignore[redundant-expr] # callers need not be typed
            raise SourceError(f"check {self.name!r}: points have to be a positive integer, got {self.points!r}")


@dataclass(frozen=True)
class Wrong:
    """A typical wrong answer, and the score it must get.

    Parameters
    ----------
    name : the error, in words
    score : points of this question that it must get, exactly
    change : pieces of the reference answer's text and what stands there instead; each piece occurs exactly once
    code : the whole answer cell, where a change would not do
    """

    name: str
    score: int
    change: Mapping[str, str] = field(default_factory=dict)
    code: str = ""

    def applied(self, reference: str) -> str:
        """The answer cell with the error in it.

        Raises
        ------
        SourceError
            unless exactly one of ``change`` and ``code`` is given and every piece occurs exactly once
        """
        if bool(self.change) == bool(self.code):
            raise SourceError(f"wrong answer {self.name!r}: exactly one of change and code is needed")
        text = self.code or reference
        for old, new in self.change.items():
            if text.count(old) != 1:
                raise SourceError(f"wrong answer {self.name!r}: {old!r} occurs {text.count(old)} times, expected once")
            text = text.replace(old, new)
        return text


@dataclass(frozen=True)
class Question:
    """The key of a question.

    Parameters
    ----------
    checks : the hidden checks, in the order in which they are marked
    wrong : at least six typical wrong answers
    function : name of the function asked for, or
    value : name of the value asked for
    seconds : limit of one call, in seconds of wall time
    example : a call of the function, as text; the student is shown it with what the reference returns, and the public check
        compares. No hidden check has the same inputs
    hard : a second such call, at a place that is easily got wrong
    worked : for a question about a value, numbers as nobody has them, for which the sheet says the value
    several : more than one answer is right, so that examples are shown and not compared
    after : an earlier question about a function. Where that has a third of its points but not all, a check with ``follows``
        takes the student's own function for right: an error is paid for once
    rubric : pairs of a sentence and its points, for a text that is marked by hand; such a question has no checks
    typed : the value is what the student's own run printed, typed. When it is graded the student's code gets the numbers of
        nobody, so that it cannot compute there what was not run before
    """

    checks: Sequence[Check] = ()
    wrong: Sequence[Wrong] = ()
    function: str = ""
    value: str = ""
    seconds: float = 10.0
    example: str = ""
    hard: str = ""
    worked: Mapping[str, Any] = field(default_factory=dict)
    several: bool = False
    after: str = ""
    rubric: Sequence[tuple[str, int]] = ()
    typed: bool = False

    def __post_init__(self) -> None:
        if bool(self.function) == bool(self.value):
            raise SourceError("a question asks for a function or for a value: exactly one of the two is named")
        if bool(self.checks) == bool(self.rubric) or (self.rubric and not self.value):
            raise SourceError("a question has checks, or it asks for a text, as a value, and has a rubric")
        if (self.example or self.hard) and not self.function:
            raise SourceError("an example is a call of a function, and a value has none")
        if not self.after and any(check.follows for check in self.checks):
            raise SourceError("a check follows an earlier question that 'after' does not name")
        for check in self.checks:
            if (check.inputs is None) != bool(self.value):
                raise SourceError(f"check {check.name!r}: a function needs inputs, a value has none")

    @property
    def answer(self) -> str:
        """Name of what the student writes."""
        return self.function or self.value

    @property
    def points(self) -> int:
        """Points of all checks, and those that are given by hand."""
        return sum(check.points for check in self.checks) + sum(points for _, points in self.rubric)
