"""Statements of a paper as data: what is claimed, under which assumptions, how it is checked, and how the check can fail.

A :class:`Statement` is evaluated on *instances* (a kernel, a design, a horizon, a seeded set of runs). Every evaluation
gives :class:`Case` objects: a left side, a right side, and whether they stand in the relation that the statement claims.
The keyword arguments of its ``evaluate`` function are the constants that the statement prints, with the printed values
as defaults. A *tooth* changes some of them (a dropped factor, a smaller constant, a wrong schedule); the check has to
fail then. Where the printed statement itself fails, a *correction* changes them so that it holds, and the teeth bite
the corrected version: a check that has been seen only to pass, or only to fail, proves nothing.

A paper declares a statement above the function that checks it, with :func:`statement`; its title and its place stand in
the paper's inventory, and what else the check showed in ``notes.toml``, see :mod:`companion.checks.inventory`.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from companion.bounds.assumption import Assumption as Assumption
from companion.checks.cases import Case
from companion.core.errors import AssumptionError, CompanionError, ParameterError, known_as

KINDS = ("identity", "inequality", "probability", "rate", "construction", "not-checkable")
HOLDS, CORRECTED, FAILS, NOT_CHECKABLE = STATUSES = (
    "holds",
    "holds-with-corrected-constant",
    "fails",
    "not-checkable",
)

#: What an entry does in its paper; only the first says something that could be false.
ROLES = ("claim", "definition", "assumption", "algorithm")

#: What the reason of every statement with a fitted exponent ends with, see :func:`exponent`.
MISFIT = "Exponents are fitted: their interval is the misfit of a straight line to the points, not sampling error"


#: ``check(instance, **constants)``: the cases of one instance.
Check = Callable[..., Case | Iterable[Case]]


@dataclass(frozen=True)
class Tooth:
    """A perturbation that the check has to catch: new values for keyword arguments of ``evaluate``."""

    name: str
    change: Mapping[str, Any]


@dataclass(frozen=True)
class Correction:
    """Correction under which a statement holds.

    Parameters
    ----------
    text : the corrected claim in words
    change : keyword arguments of ``evaluate`` that state it
    constant : whether only a constant, a logarithmic factor or a range of parameters changed. The statement's status is
        then ``holds-with-corrected-constant``; otherwise it ``fails``, and the corrected statement is another one
    """

    text: str
    change: Mapping[str, Any]
    constant: bool = True


@dataclass(frozen=True)
class Outcome:
    """Result of a check.

    ``lhs``, ``rhs`` and ``slack`` are those of the worst case; ``where`` names it, so that for a failed check it is the
    counterexample. ``trials`` and ``failures`` count over all cases.
    """

    status: str
    reason: str = ""
    where: str = ""
    lhs: float | None = None
    rhs: float | None = None
    slack: float | None = None
    trials: int = 0
    failures: int = 0
    delta: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Bite:
    """Whether the check failed under a tooth, as it should, and on which case."""

    name: str
    caught: bool
    where: str = ""


@dataclass(frozen=True, eq=False)
class Statement:
    """One statement of a paper, numbered or not.

    Parameters
    ----------
    id : as in the paper's inventory, e.g. ``lemma-3``
    kind : one of :data:`KINDS`
    latex : the claim, with every constant; text with ``$LaTeX$``
    instances : gives the instances to check, without arguments; the same ones on every call
    evaluate : ``evaluate(instance, **constants)`` gives a :class:`Case` or several
    assumptions : tested on every instance before it is evaluated
    depends : ids of statements it rests on
    teeth : at least one, unless it is not checkable
    correction : see :class:`Correction`
    reason : for a statement that is not checkable, why
    note : what else the check showed (a sharper constant, how loose it is); from ``notes.toml``, may be empty
    anchor : label of its place in the chapter; from the inventory
    title : what it says, in a few words; from the inventory
    location : where it stands, e.g. ``Section 3.2, eq. (6)``; from the inventory
    role : one of :data:`ROLES`; from the inventory
    numbered : whether the paper gives it a number; from the inventory
    parts : checks of other kinds of instances, by their class; see :meth:`on`
    declared : where the declaration stands, ``module:name``

    Examples
    --------
    >>> from companion.checks.cases import at_most
    >>> from companion.checks.statement import Assumption, fix, statement
    >>> @statement(
    ...     "lemma-1",
    ...     "inequality",
    ...     lambda: [(1.0, 2.0), (3.0, 4.0)],
    ...     Assumption("both are positive", lambda pair: min(pair) > 0, violated_by=(-1.0, 2.0)),
    ...     teeth={"0.4 in place of 1/2": {"factor": 0.4}},
    ...     corrected=fix("with 1/2 in place of 1/3", factor=0.5),
    ... )
    ... def lemma_1(pair, *, factor=1 / 3):
    ...     "The geometric mean of two numbers is at most a third of their sum."
    ...     return at_most((pair[0] * pair[1]) ** 0.5, factor * sum(pair), f"a, b = {pair}")
    >>> lemma_1.judge().status
    'holds-with-corrected-constant'
    >>> [case.holds for case in lemma_1.all_cases()], [case.holds for case in lemma_1.cases((3.0, 4.0), factor=0.5)]
    ([False, False], [True])
    >>> [(bite.name, bite.caught) for bite in lemma_1.bites()]
    [('0.4 in place of 1/2', True)]
    >>> lemma_1.require((1.0, 1.0))
    """

    id: str
    kind: str
    latex: str
    instances: Callable[[], Iterable[Any]] | None = None
    evaluate: Check | None = None
    assumptions: tuple[Assumption, ...] = ()
    depends: tuple[str, ...] = ()
    teeth: tuple[Tooth, ...] = ()
    correction: Correction | None = None
    reason: str = ""
    note: str = ""
    anchor: str = ""
    title: str = ""
    location: str = ""
    role: str = "claim"
    numbered: bool = False
    parts: dict[type, Check] = field(default_factory=dict)
    declared: str = ""

    def __call__(self, instance: Any, **constants: Any) -> Any:
        """Outcome of the check on an instance, without the assumptions."""
        assert self.evaluate is not None, f"{self.id} is not checkable"
        if not self.parts:
            return self.evaluate(instance, **constants)
        takes = {check: inspect.signature(check).parameters for check in (self.evaluate, *self.parts.values())}
        unknown = set(constants) - {name for names in takes.values() for name in names}
        if unknown:
            raise TypeError(f"no check of {self.id} takes {', '.join(sorted(unknown))}")
        check = self.parts.get(type(instance), self.evaluate)
        return check(instance, **{name: value for name, value in constants.items() if name in takes[check]})

    def on(self, kind: type) -> Callable[[Check], Check]:
        """Declare that the function below checks instances of class ``kind``, in place of ``evaluate``.

        It takes those constants only that it names. Of the assumptions, such instances have to meet those that an instance
        of their class violates; :func:`companion.checks.inventory.collect` sees to it that no other instance is asked.
        """

        def declare(check: Check) -> Check:
            self.parts[kind] = check
            return check

        return declare

    @property
    def code(self) -> tuple[str, ...]:
        """The definitions on which the outcome rests, as :func:`companion.current.fingerprint.fingerprint` takes them."""
        checks = () if self.evaluate is None else (self.evaluate, *self.parts.values())
        return (self.declared, *(f"{check.__module__}:{check.__name__}" for check in checks))

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ParameterError("kind", f"{self.id}: got {self.kind!r}", f"one of {', '.join(KINDS)}")
        checked = self.instances is not None and self.evaluate is not None
        if self.kind == NOT_CHECKABLE:
            if checked or self.teeth or not self.reason:
                raise ParameterError("reason", f"{self.id} is not checkable", "a reason, and neither check nor teeth")
        elif not checked or not self.teeth:
            raise ParameterError("teeth", f"{self.id} is checkable", "instances, evaluate and at least one tooth")
        names = [tooth.name for tooth in self.teeth]
        if len(set(names)) < len(names):
            raise ParameterError("teeth", f"{self.id} has two of one name", "distinct names")

    def require(self, instance: Any) -> None:
        """Raise :class:`~companion.core.errors.AssumptionError` if ``instance`` violates an assumption."""
        for assumption in self.assumptions:
            concerned = type(instance) not in self.parts or isinstance(instance, type(assumption.violated_by))
            if concerned and not assumption.holds(instance):
                raise AssumptionError(
                    f"{self.id} needs: {assumption.text}. The instance does not have it: {instance!r}"
                )

    def cases(self, instance: Any, **constants: Any) -> list[Case]:
        """Evaluate the statement on one instance, after testing its assumptions.

        Raises
        ------
        AssumptionError
            if an assumption is violated
        ParameterError
            if the statement is not checkable
        """
        if self.evaluate is None:
            raise ParameterError("statement", f"{self.id} is not checkable: {self.reason}")
        self.require(instance)
        found = self(instance, **constants)
        return [found] if isinstance(found, Case) else list(found)

    def all_cases(self, **constants: Any) -> Iterator[Case]:
        """Cases of all instances, one after the other."""
        if self.instances is None:
            raise ParameterError("statement", f"{self.id} is not checkable: {self.reason}")
        for instance in self.instances():
            yield from self.cases(instance, **constants)

    def judge(self) -> Outcome:
        """Check the statement as printed and, if that fails, with its correction."""
        if self.kind == NOT_CHECKABLE:
            return Outcome(NOT_CHECKABLE, self.reason)
        began = time.perf_counter()
        cases = list(self.all_cases())
        _require_cases(self, cases)
        status, reason = HOLDS, self.note
        if not all(case.holds for case in cases):
            counterexample = f"fails as printed: {_sides(_worst(cases))}"
            status, reason = FAILS, counterexample
            if self.correction is not None:
                repaired = list(self.all_cases(**self.correction.change))
                _require_cases(self, repaired)
                if all(case.holds for case in repaired):
                    status = CORRECTED if self.correction.constant else FAILS
                    reason = f"{counterexample}; holds so: {self.correction.text}"
            reason = f"{reason}. {self.note}" if self.note else reason
        if any(case.fitted for case in cases):
            reason = f"{reason.rstrip('.')}. {MISFIT}" if reason else MISFIT
        worst = _worst(cases)
        return Outcome(
            status,
            reason,
            worst.where,
            worst.lhs,
            worst.rhs,
            worst.slack,
            sum(case.trials for case in cases),
            sum(case.failures for case in cases),
            worst.delta,
            time.perf_counter() - began,
        )

    def bites(self) -> list[Bite]:
        """Run every perturbed version and say whether the check caught it. Stops at a tooth's first failing case."""
        base = dict(self.correction.change) if self.correction is not None else {}
        found = []
        for tooth in self.teeth:
            failing = next((c for c in self.all_cases(**(base | dict(tooth.change))) if not c.holds), None)
            found.append(Bite(tooth.name, failing is not None, "" if failing is None else _sides(failing)))
        return found


#: What a statement needs, as its declaration says it.
need = Assumption


def fix(text: str, other: bool = False, **change: Any) -> Correction:
    """Correction of a statement; ``other``: another statement, and not only another constant."""
    return Correction(text, change, constant=not other)


#: Names of perturbations, and the keyword arguments of the check that each changes.
Teeth = Mapping[str, Mapping[str, Any]]


def statement(
    identifier: str,
    kind: str,
    instances: Callable[[], Iterable[Any]],
    *assumes: Assumption,
    teeth: Teeth,
    depends: str = "",
    corrected: Correction | None = None,
) -> Callable[[Check], Statement]:
    """Declare the statement that the function below checks: ``evaluate(instance, **constants)``.

    The first paragraph of the function's docstring is the claim, with every constant: text with ``$LaTeX$``. The arguments
    are those of :class:`Statement`; ``depends`` has ids with spaces between, ``teeth`` maps names to what they change.

    Examples
    --------
    >>> import math
    >>> from companion.checks.cases import at_most
    >>> from companion.checks.statement import statement
    >>> @statement("lemma-2", "inequality", lambda: [1, 10, 100], teeth={"without the 1": {"plus": 0.0}})
    ... def harmonic(number, *, plus=1.0):
    ...     "The sum of 1/k up to n is at most 1 + log n."
    ...     return at_most(sum(1 / k for k in range(1, number + 1)), plus + math.log(number), f"n = {number}")
    >>> outcome = harmonic.judge()
    >>> outcome.status, outcome.where, outcome.trials
    ('holds', 'n = 1', 3)
    >>> [bite.caught for bite in harmonic.bites()]
    [True]
    """

    def declare(evaluate: Check) -> Statement:
        claim = inspect.cleandoc(evaluate.__doc__ or "").split("\n\n")[0]
        return Statement(
            identifier,
            kind,
            " ".join(claim.split()),
            instances,
            evaluate,
            assumes,
            tuple(depends.split()),
            tuple(Tooth(name, change) for name, change in teeth.items()),
            corrected,
        )

    return declare


class _Named(Protocol):
    @property
    def id(self) -> str: ...


E = TypeVar("E", bound=_Named)


def by_id(entries: Iterable[E], identifier: str) -> E:
    """The statement, or the lead, of that id; :class:`ParameterError` with the nearest known id when there is none.

    Examples
    --------
    >>> from companion import registry
    >>> from companion.checks.statement import by_id
    >>> by_id(registry.statements("batched"), "lemma-10").kind
    'inequality'
    """
    known = {entry.id: entry for entry in entries}
    return known[known_as("id", identifier, known)]


def _require_cases(statement: Statement, cases: list[Case]) -> None:
    if not cases:
        raise CompanionError(f"{statement.id}: the check evaluated nothing, so it proves nothing")


def _worst(cases: list[Case]) -> Case:
    """A failing case if there is one, then the one with the least slack."""
    return min(cases, key=lambda case: (case.holds, case.slack))


def _sides(case: Case) -> str:
    return f"{case.where} (left {case.lhs:.4g}, right {case.rhs:.4g})"
