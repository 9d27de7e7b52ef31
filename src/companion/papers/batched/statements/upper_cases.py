"""Many comparisons as one case, named after the worst of them."""

from __future__ import annotations

from collections.abc import Iterable

from companion.checks.cases import Case, at_most


def worst_of(comparisons: Iterable[tuple[float, float, str]]) -> Case:
    """The case that ``lhs <= rhs`` for every ``(lhs, rhs, where)``; it carries the sides and the name of the worst one.

    Worst is what fails, then what has the least slack. ``trials`` and ``failures`` count the comparisons.
    """
    cases = [at_most(lhs, rhs, where) for lhs, rhs, where in comparisons]
    worst = min(cases, key=lambda case: (case.holds, case.rhs - case.lhs))
    failures = sum(not case.holds for case in cases)
    return Case(worst.where, worst.lhs, worst.rhs, worst.holds, trials=len(cases), failures=failures)
