"""Statements: Appendix A and the elimination steps."""

from companion.bounds.statement import Statement

STATEMENTS: tuple[Statement, ...] = ()
