"""Statements: batch sizes, their number, information gain and the upper bounds of Section 3."""

from companion.bounds.statement import Statement
from companion.papers.batched.statements import upper_counts, upper_regret, upper_sizes

STATEMENTS: tuple[Statement, ...] = (*upper_sizes.STATEMENTS, *upper_counts.STATEMENTS, *upper_regret.STATEMENTS)
