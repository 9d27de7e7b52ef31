"""Statements on the size of the dictionary: Theorem 3.1, Appendix 7 and the companion's own."""

from companion.bounds.statement import Statement

STATEMENTS: tuple[Statement, ...] = ()
