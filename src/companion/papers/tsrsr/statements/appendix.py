"""Statements of the appendices, and what the companion proves besides."""

from companion.bounds.statement import Statement
from companion.papers.tsrsr.statements import appendix_design, appendix_gain

STATEMENTS: tuple[Statement, ...] = (*appendix_design.STATEMENTS, *appendix_gain.STATEMENTS)
"""Statements of Appendix A to C."""
