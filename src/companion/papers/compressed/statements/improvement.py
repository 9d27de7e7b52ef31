"""Statements on expected improvement: Theorem 3.4 and Appendix 9."""

from companion.bounds.statement import Statement

STATEMENTS: tuple[Statement, ...] = ()
