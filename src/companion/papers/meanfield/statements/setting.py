"""Statements of Sections 3 to 5: setting, method, theorem, consequences, experiments."""

from companion.bounds.statement import Statement

STATEMENTS: tuple[Statement, ...] = ()
