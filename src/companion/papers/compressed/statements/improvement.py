"""Statements on expected improvement: Theorem 3.4 and Appendix 9, in the order of the inventory."""

from companion.checks.statement import Statement
from companion.papers.compressed.statements import improvement_acquisition as acquisition
from companion.papers.compressed.statements import improvement_regret as regret

STATEMENTS: tuple[Statement, ...] = (
    regret.THEOREM_3_4,
    acquisition.LEMMA_9_1,
    acquisition.COR_9_2,
    acquisition.LEMMA_9_3,
    acquisition.COR_9_4,
    regret.LEMMA_9_5,
    acquisition.LEMMA_9_6,
    regret.EQ_9_20,
    regret.EQ_9_21,
    regret.EQ_9_26,
)
