"""Statements of Sections 1, 2 and 4 and the assumptions."""

from companion.bounds.statement import Statement

STATEMENTS: tuple[Statement, ...] = ()
