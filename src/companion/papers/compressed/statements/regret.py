"""Statements on the regret of UCB: Theorem 3.2, Corollary 3.3, Table 1 and Appendix 8."""

from companion.bounds.statement import Statement

STATEMENTS: tuple[Statement, ...] = ()
