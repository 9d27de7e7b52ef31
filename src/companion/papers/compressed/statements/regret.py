"""Statements on the regret of UCB: Theorem 3.2, Table 1, Corollary 3.3 and Appendix 8, in the inventory's order."""

from companion.checks.statement import Statement
from companion.papers.compressed.statements import regret_bounds as sums
from companion.papers.compressed.statements import regret_confidence as rounds
from companion.papers.compressed.statements import regret_gain, regret_table

STATEMENTS: tuple[Statement, ...] = (
    sums.THEOREM_3_2_I,
    sums.THEOREM_3_2_II,
    *regret_table.STATEMENTS,
    sums.COROLLARY_3_3,
    rounds.LEMMA_8_1,
    rounds.LEMMA_8_2,
    sums.LEMMA_8_3,
    sums.LEMMA_8_4,
    rounds.LEMMA_8_5,
    rounds.LEMMA_8_6,
    rounds.LEMMA_8_7,
    rounds.LEMMA_8_8,
    *regret_gain.STATEMENTS,
)
