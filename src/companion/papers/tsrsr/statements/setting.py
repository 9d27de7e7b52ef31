"""Statements of Section 1 to 4."""

from companion.bounds.statement import Statement

STATEMENTS: tuple[Statement, ...] = ()
