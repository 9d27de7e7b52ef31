"""Statements about the setting, the confidence band, the Lipschitz bounds and the concentration of contexts."""

from companion.checks.statement import Statement
from companion.papers.wdrbo.statements.lipschitz import ASSUMP_1, LEMMA_11, REM_7_1
from companion.papers.wdrbo.statements.lipschitz_band import LEMMA_3
from companion.papers.wdrbo.statements.setting_band import DEF_GAMMA, LEMMA_1
from companion.papers.wdrbo.statements.setting_ridge import EQ_20, EQ_22, EQ_24
from companion.papers.wdrbo.statements.wasserstein import LEMMA_2, LEMMA_12, REM_ROBUST_VALUE
from companion.papers.wdrbo.statements.wasserstein_algorithm import ALG_1, OURS_SAMPLED_L
from companion.papers.wdrbo.statements.wasserstein_class import CLASS_U, LEMMA_23, OURS_COVER
from companion.papers.wdrbo.statements.wasserstein_data import LEMMA_7, REM_CURSE
from companion.papers.wdrbo.statements.wasserstein_sample import LEMMA_18, LEMMA_19, OURS_L18

STATEMENTS: tuple[Statement, ...] = (
    REM_ROBUST_VALUE,
    EQ_20,
    EQ_22,
    EQ_24,
    LEMMA_1,
    DEF_GAMMA,
    ASSUMP_1,
    REM_7_1,
    LEMMA_11,
    LEMMA_12,
    LEMMA_2,
    ALG_1,
    LEMMA_3,
    CLASS_U,
    LEMMA_18,
    LEMMA_19,
    LEMMA_7,
    LEMMA_23,
    REM_CURSE,
    OURS_SAMPLED_L,
    OURS_L18,
    OURS_COVER,
)
