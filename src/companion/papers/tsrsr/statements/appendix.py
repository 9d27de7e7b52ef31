"""Statements of the appendices, and what the companion proves besides."""

from companion.bounds.statement import Statement

STATEMENTS: tuple[Statement, ...] = ()
