"""Statements: Section 4 and Appendix B.2, the lower bounds."""

from companion.checks.statement import Statement
from companion.papers.batched.statements import (
    lower_batches,
    lower_class,
    lower_information,
    lower_rate,
    lower_remarks,
)

STATEMENTS: tuple[Statement, ...] = (
    *lower_class.STATEMENTS,
    *lower_batches.STATEMENTS,
    *lower_information.STATEMENTS,
    *lower_rate.STATEMENTS,
    *lower_remarks.STATEMENTS,
)
