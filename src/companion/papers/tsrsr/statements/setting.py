"""Statements of Section 1 to 4."""

from companion.checks.statement import Statement
from companion.papers.tsrsr.statements.setting_algorithm import ALG_1, EQ_4
from companion.papers.tsrsr.statements.setting_compact import REMARK_1
from companion.papers.tsrsr.statements.setting_cost import ALG_COST
from companion.papers.tsrsr.statements.setting_posterior import ASM_1, EQ_1, EQ_2, EQ_SIMPLE
from companion.papers.tsrsr.statements.setting_rates import RATES_3, RATES_4
from companion.papers.tsrsr.statements.setting_rivals import RATES_1, RATES_2

STATEMENTS: tuple[Statement, ...] = (
    ASM_1,
    EQ_SIMPLE,
    EQ_1,
    EQ_2,
    EQ_4,
    ALG_1,
    ALG_COST,
    RATES_1,
    RATES_2,
    RATES_3,
    RATES_4,
    REMARK_1,
)
