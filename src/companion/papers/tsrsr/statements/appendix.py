"""Statements of the appendices, and what the companion proves besides."""

from companion.checks.statement import Statement
from companion.papers.tsrsr.statements import (
    appendix_design,
    appendix_gain,
    appendix_length,
    appendix_practice,
    appendix_regret,
)

STATEMENTS: tuple[Statement, ...] = (
    *appendix_design.STATEMENTS,
    *appendix_gain.STATEMENTS,
    *appendix_length.STATEMENTS,
    *appendix_regret.STATEMENTS,
    *appendix_practice.STATEMENTS,
)
"""Statements of Appendix B and C, and the companion's own."""
