"""Statements about the setting, the confidence band, the Lipschitz bounds and the concentration of contexts."""

from companion.bounds.statement import Statement

STATEMENTS: tuple[Statement, ...] = ()
