"""Statements: batch sizes, their number, information gain and the upper bounds of Section 3."""

from companion.bounds.statement import Statement

STATEMENTS: tuple[Statement, ...] = ()
