"""Statements of Sections 3 to 5: setting, method, theorem, consequences, experiments."""

from companion.bounds.statement import Statement
from companion.papers.meanfield.statements import setting_kernel, setting_method, setting_model, theorem

STATEMENTS: tuple[Statement, ...] = (
    *setting_model.STATEMENTS,
    *setting_method.STATEMENTS,
    *setting_kernel.STATEMENTS,
    *theorem.STATEMENTS,
)
