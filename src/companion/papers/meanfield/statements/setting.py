"""Statements of Sections 3 to 5: setting, method, theorem, consequences, experiments."""

from companion.bounds.statement import Statement
from companion.papers.meanfield.statements import setting_model

STATEMENTS: tuple[Statement, ...] = (*setting_model.STATEMENTS,)
