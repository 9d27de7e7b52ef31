"""Statements: batch sizes, their number, information gain and the upper bounds of Section 3."""

from companion.checks.statement import Statement
from companion.papers.batched.statements import (
    upper_counts,
    upper_gain,
    upper_regret,
    upper_remarks,
    upper_setting,
    upper_sizes,
)

_MODULES = (upper_setting, upper_gain, upper_sizes, upper_counts, upper_regret, upper_remarks)

STATEMENTS: tuple[Statement, ...] = tuple(statement for module in _MODULES for statement in module.STATEMENTS)
