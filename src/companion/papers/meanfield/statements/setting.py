"""Statements of Sections 2 to 5: setting, method, theorem, consequences, experiments."""

from companion.checks.statement import Statement
from companion.papers.meanfield.statements import (
    consequences,
    consequences_remarks,
    experiments_data,
    experiments_rewards,
    setting_kernel,
    setting_method,
    setting_model,
    theorem,
)

STATEMENTS: tuple[Statement, ...] = (
    *setting_model.STATEMENTS,
    *setting_method.STATEMENTS,
    *setting_kernel.STATEMENTS,
    *theorem.STATEMENTS,
    *consequences.STATEMENTS,
    *consequences_remarks.STATEMENTS,
    *experiments_rewards.STATEMENTS,
    *experiments_data.STATEMENTS,
)
