"""Statements of the abstract, of Sections 1 and 2, of assumptions, and of the acquisition of Section 4."""

from companion.checks.statement import Statement
from companion.papers.compressed.statements.setting_algorithm import ALG_1, EQ_2_12
from companion.papers.compressed.statements.setting_assumptions import ASSUMPTION_3_3, ASSUMPTION_NORM
from companion.papers.compressed.statements.setting_claims import CLAIM_COMPLEXITY, CLAIM_EPS_REGRET
from companion.papers.compressed.statements.setting_rules import ACQ_MPI, EQ_2_3, EQ_2_4, EQ_2_7, EQ_2_9

STATEMENTS: tuple[Statement, ...] = (
    CLAIM_EPS_REGRET,
    CLAIM_COMPLEXITY,
    EQ_2_3,
    EQ_2_4,
    EQ_2_7,
    EQ_2_9,
    ALG_1,
    EQ_2_12,
    ASSUMPTION_NORM,
    ASSUMPTION_3_3,
    ACQ_MPI,
)
