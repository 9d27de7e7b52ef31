"""A bound taken apart: the inequalities of a proof as a chain of numbers, from what was measured to what is promised.

Every step is a number that the next step should not fall below. The ratio of neighbours says how much one inequality
gives away, and a ratio below one says which inequality is wrong (or which assumption was not met).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.core.errors import ParameterError, positive_number

#: Relative amount by which a step may exceed the next one without counting as a violation: the steps are sums of up to
#: 1e5 terms, each with a relative rounding error of about 1e-15, and square roots of differences of such sums.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Step:
    """One number of a chain.

    Parameters
    ----------
    name : short name for the axis of a figure, unique in its chain
    value : non-negative, in the units all steps of the chain share
    latex : formula of the value, without dollar signs
    reason : why it is at least the step before; for the first step, what was measured
    statement : id of the statement that gives the inequality, empty where it is plain arithmetic
    """

    name: str
    value: float
    latex: str
    reason: str
    statement: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            raise ParameterError("name", "is empty", "a short name")
        if not (math.isfinite(self.value) and self.value >= 0):
            raise ParameterError(self.name, f"has value {self.value!r}", "a finite number of at least 0")


@dataclass(frozen=True)
class Violation:
    """An inequality of a chain that does not hold: ``smaller`` was to be at most ``larger``, and is not.

    Examples
    --------
    >>> from companion.checks.chain import Step, Violation
    >>> measured, bound = (Step(name, value, "", "") for name, value in (("measured", 12.0), ("bound", 8.0)))
    >>> str(Violation(measured, bound)), Violation(measured, bound).excess
    ('measured = 12 > bound = 8', 1.5)
    """

    smaller: Step
    larger: Step

    @property
    def excess(self) -> float:
        """Ratio of the left side to the right side; infinite where the right side is zero."""
        return self.smaller.value / self.larger.value if self.larger.value else math.inf

    def __str__(self) -> str:
        named = f" [{self.larger.statement}]" if self.larger.statement else ""
        return f"{self.smaller.name} = {self.smaller.value:.6g} > {self.larger.name} = {self.larger.value:.6g}{named}"


@dataclass(frozen=True)
class Chain:
    """Steps in increasing order of value, if all their inequalities hold.

    Parameters
    ----------
    title : what is bounded
    steps : at least two, with distinct names; the first is measured, the last is the theorem's bound
    side : other values worth showing beside the chain (a trivial bound, for example), by name

    Raises
    ------
    ParameterError
        for fewer than two steps or a name that occurs twice

    Examples
    --------
    >>> from companion.checks.chain import Chain, Step
    >>> proof = Chain(
    ...     "regret of 100 evaluations",
    ...     (
    ...         Step("measured", 12.0, "R_T", "what was measured"),
    ...         Step("widths", 30.0, "2 w S_T", "f stays in its band", statement="lemma-1"),
    ...         Step("gain", 45.0, "2 w G_T", "variances sum to the gain", statement="lemma-2"),
    ...     ),
    ... )
    >>> proof.ratios(), proof.slack, proof.holds
    ((2.5, 1.5), 3.75, True)
    >>> wrong = proof.scaled("gain", 0.5)
    >>> [str(violation) for violation in wrong.violations()]
    ['widths = 30 > gain = 22.5 [lemma-2]']
    >>> [(row["step"], row["name"], row["ratio"]) for row in proof.rows()]
    [(0, 'measured', None), (1, 'widths', 2.5), (2, 'gain', 1.5)]
    """

    title: str
    steps: tuple[Step, ...]
    side: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))
        names = [step.name for step in self.steps]
        if len(names) < 2:
            raise ParameterError("steps", f"has {len(names)}", "at least two")
        for name in names:
            if names.count(name) > 1:
                raise ParameterError("steps", f"has {name!r} twice", "distinct names")

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, name: str) -> Step:
        for step in self.steps:
            if step.name == name:
                return step
        raise ParameterError("name", f"got {name!r}", f"one of {', '.join(step.name for step in self.steps)}")

    @property
    def slack(self) -> float:
        """Last value over first: how far the promise is from the measurement."""
        return _ratio(self.steps[0].value, self.steps[-1].value)

    def ratios(self) -> tuple[float, ...]:
        """Slack of every inequality, value of a step over value of the one before; their product is :attr:`slack`.

        Infinite where a zero grows; one where zero stays zero.
        """
        return tuple(_ratio(a.value, b.value) for a, b in zip(self.steps, self.steps[1:], strict=False))

    def violations(self, tolerance: float = ROUNDING) -> tuple[Violation, ...]:
        """The inequalities that fail by more than a relative ``tolerance``; empty if the chain holds."""
        pairs = zip(self.steps, self.steps[1:], strict=False)
        return tuple(Violation(a, b) for a, b in pairs if a.value > b.value * (1 + tolerance))

    @property
    def holds(self) -> bool:
        """Whether no inequality fails."""
        return not self.violations()

    def scaled(self, name: str, factor: float) -> Chain:
        """The chain with one step's value multiplied by ``factor``: a wrong constant, to see that it is noticed."""
        positive_number("factor", factor)
        target = self[name]
        scaled = replace(target, value=target.value * factor)
        return replace(self, steps=tuple(scaled if step is target else step for step in self.steps))

    def rows(self) -> list[dict[str, Any]]:
        """One record per step: step, name, value, ratio (to the step before, or None), statement, latex, reason."""
        ratios = (None, *self.ratios())
        return [
            {
                "step": number,
                "name": step.name,
                "value": step.value,
                "ratio": ratio,
                "statement": step.statement,
                "latex": step.latex,
                "reason": step.reason,
            }
            for number, (step, ratio) in enumerate(zip(self.steps, ratios, strict=True))
        ]


def _ratio(before: float, after: float) -> float:
    if before == 0:
        return 1.0 if after == 0 else math.inf
    return after / before
