"""Statements: Section 4 and Appendix B.2, the lower bounds."""

from companion.bounds.statement import Statement
from companion.papers.batched.statements import lower_class, lower_information

STATEMENTS: tuple[Statement, ...] = (*lower_class.STATEMENTS, *lower_information.STATEMENTS)
