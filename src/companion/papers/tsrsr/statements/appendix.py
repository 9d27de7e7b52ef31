"""Statements of the appendices, and what the companion proves besides."""

from companion.bounds.statement import Statement
from companion.papers.tsrsr.statements import appendix_design

STATEMENTS: tuple[Statement, ...] = (*appendix_design.STATEMENTS,)
"""Statements of Appendix A to C."""
