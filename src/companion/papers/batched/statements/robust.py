"""Statements: the robust setting, Appendix C and Appendix D."""

from companion.bounds.statement import Statement

STATEMENTS: tuple[Statement, ...] = ()
