"""Statements: batch sizes, their number, information gain and the upper bounds of Section 3."""

from companion.bounds.statement import Statement
from companion.papers.batched.statements import upper_counts

STATEMENTS: tuple[Statement, ...] = (*upper_counts.STATEMENTS,)
