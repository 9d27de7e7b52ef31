"""Statements on the model order: Theorem 3.1, Appendix 7, and what the companion proves about it."""

from companion.checks.statement import Statement
from companion.papers.compressed.statements.order_own import OWN_1, OWN_2, OWN_3, OWN_4
from companion.papers.compressed.statements.order_runs import OWN_5, OWN_6
from companion.papers.compressed.statements.order_theorem import EQ_7_11, LEMMA_7_1, THEOREM_3_1

STATEMENTS: tuple[Statement, ...] = (THEOREM_3_1, LEMMA_7_1, EQ_7_11, OWN_1, OWN_2, OWN_3, OWN_4, OWN_5, OWN_6)
