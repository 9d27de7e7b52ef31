"""Statements of Section 5, with the main theorem's proof."""

from companion.bounds.statement import Statement

STATEMENTS: tuple[Statement, ...] = ()
