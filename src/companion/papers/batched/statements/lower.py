"""Statements: Section 4 and Appendix B.2, the lower bounds."""

from companion.bounds.statement import Statement

STATEMENTS: tuple[Statement, ...] = ()
