"""Statements about regret: one round, all rounds, both settings, orders."""

from companion.papers.wdrbo.statements import (
    regret_data,
    regret_general,
    regret_means,
    regret_order,
    regret_rates,
)

STATEMENTS = (
    *regret_general.STATEMENTS,
    *regret_means.STATEMENTS,
    *regret_rates.STATEMENTS,
    *regret_data.STATEMENTS,
    *regret_order.STATEMENTS,
)
